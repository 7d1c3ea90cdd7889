//! Strengths of move features, fitted to the choices of training games: Coulom 2007, "Computing Elo ratings of move patterns
//! in the game of Go", as Sasaki and Kotani applied it to Blokus Duo.

use banmen_arena::{Store, Workers};
use banmen_catalog::{
    AnyFeatures, AnyGame, Error, ErrorCode, FeatureGamma, FeatureGroup, GammaTable, GroupGammas, PhaseGammas,
};
use banmen_search::{Limits, StopFlag};
use banmen_stats::{Competitions, FitOptions, TeamStrengths, TeamsError};

use crate::Training;
use crate::choices::{MadeChoice, visit_choices};

/// The most sweeps over the features. Sparse data need hundreds.
const MAX_SWEEPS: u32 = 2_000;

/// What is learned, and from which games.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingSpec {
    /// The set of features, as text.
    pub features: String,
    /// The games.
    pub training: Training,
}

/// Fitted strengths, and how well they predict.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The strengths.
    pub table: GammaTable,
    /// The groups of features, as the game describes them.
    pub groups: Vec<FeatureGroup>,
    /// The fit of each phase.
    pub fits: Vec<PhaseFit>,
}

/// The fit of one phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseFit {
    /// On the choices that it was fitted to.
    pub training: Quality,
    /// On the choices of the games that were held out.
    pub held_out: Quality,
    /// Sweeps over all features.
    pub sweeps: u32,
    /// Largest difference between the wins of a feature and its expected wins, virtual ones included: 0 at the maximum.
    pub gap: f64,
    /// Whether the maximum was reached.
    pub converged: bool,
}

/// How well strengths predict choices. All are sums over the choices, so that phases can be added.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// Choices among at least two moves.
    pub choices: u64,
    /// Natural logarithms of the probabilities of the moves that were played.
    pub log_likelihood: f64,
    /// The same if all moves had the same probability.
    pub uniform: f64,
    /// Choices in which the strongest move was played; one of `k` equally strong moves counts 1/`k`.
    pub first: f64,
}

impl Quality {
    /// How well these strengths predict the winners.
    fn of(choices: &Competitions, gamma: &[f64]) -> Result<Quality, Error> {
        let mut quality = Quality::default();
        for prediction in choices.predictions(gamma) {
            let (probabilities, played) =
                prediction.ok_or_else(|| Error::new(ErrorCode::Internal, "strengths leave the range of numbers"))?;
            quality.add(&probabilities, played);
        }
        Ok(quality)
    }

    /// Adds a choice among moves of these probabilities.
    fn add(&mut self, probabilities: &[f64], played: usize) {
        let played = probabilities[played];
        let (higher, equal) = probabilities.iter().fold((0, 0u32), |(higher, equal), &probability| {
            (higher + u32::from(probability > played), equal + u32::from(probability == played))
        });
        self.choices += 1;
        self.log_likelihood += played.ln();
        self.uniform -= (probabilities.len() as f64).ln();
        if higher == 0 {
            self.first += 1.0 / f64::from(equal);
        }
    }

    /// The sums of both.
    #[must_use]
    pub fn and(self, other: Quality) -> Quality {
        Quality {
            choices: self.choices + other.choices,
            log_likelihood: self.log_likelihood + other.log_likelihood,
            uniform: self.uniform + other.uniform,
            first: self.first + other.first,
        }
    }

    /// The mean of a sum over the choices; 0 without choices.
    #[must_use]
    pub fn mean(&self, sum: f64) -> f64 {
        if self.choices == 0 { 0.0 } else { sum / self.choices as f64 }
    }
}

/// The choices of one phase.
struct Phase {
    learned: Competitions,
    held_out: Competitions,
    chosen: Vec<u64>,
    seen: Vec<u64>,
}

impl Phase {
    fn new(features: usize) -> Self {
        Phase {
            learned: Competitions::new(features),
            held_out: Competitions::new(features),
            chosen: vec![0; features],
            seen: vec![0; features],
        }
    }

    fn add(&mut self, made: &MadeChoice, held_out: bool) -> Result<(), Error> {
        let refused = |error: TeamsError| {
            Error::new(ErrorCode::Internal, format!("the features of a move contradict their groups: {error:?}"))
        };
        if held_out {
            return self.held_out.add(&made.teams, made.played, 1).map_err(refused);
        }
        self.learned.add(&made.teams, made.played, 1).map_err(refused)?;
        for &feature in &made.teams[made.played] {
            self.chosen[feature] += 1;
        }
        let mut present: Vec<usize> = made.teams.iter().flatten().copied().collect();
        present.sort_unstable();
        present.dedup();
        for feature in present {
            self.seen[feature] += 1;
        }
        Ok(())
    }

    fn fit(&self, groups: &[Vec<usize>]) -> Result<TeamStrengths, Error> {
        let options = FitOptions { prior: true, groups, sweeps: MAX_SWEEPS };
        self.learned.fit(&options).ok_or_else(|| {
            let message =
                "a move has two features of a group that is declared exclusive, or there are more than 2³² moves";
            Error::new(ErrorCode::Internal, message)
        })
    }
}

impl RatingSpec {
    /// Has `workers` play the training games that the store lacks, and fits the strengths of the features to the
    /// choices made in them. In each phase a separate fit, with one virtual win and one virtual loss of each feature against
    /// strength 1 (Coulom's prior); positions with one legal move, such as forced passes, are left out. `progress` gets the number of
    /// finished games.
    ///
    /// # Errors
    /// `unsupported` for a game without move features or a set that it does not have; `out_of_range` for numbers of games that
    /// are odd or too large; `bad_record` for a stored game that cannot be played; errors of the player and the store;
    /// `stopped`, when the games played so far are kept.
    pub fn learn(
        &self,
        game: &dyn AnyGame,
        store: &Store,
        workers: impl Into<Workers>,
        stop: &StopFlag,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Learned, Error> {
        let (training, rules) = (&self.training, self.training.rules.as_deref());
        let features = features_of(game, rules, &self.features)?;
        let (groups, names) = (features.groups(), features.phases());
        let count = groups.iter().map(|group| group.features.len()).sum();
        let mut phases: Vec<Phase> = names.iter().map(|_| Phase::new(count)).collect();
        training.play(game, store, &workers.into(), stop, progress, &mut |record, held_out| {
            visit_choices(game, rules, features.as_ref(), record, &mut |made| phases[made.phase].add(&made, held_out))
        })?;
        let mut next = 0;
        let numbered: Vec<Vec<usize>> = groups
            .iter()
            .map(|group| {
                let first = next;
                next += group.features.len();
                (first..next).collect()
            })
            .collect();
        let exclusive: Vec<Vec<usize>> =
            numbered.iter().zip(&groups).filter(|(_, group)| group.exclusive).map(|(all, _)| all.clone()).collect();
        let (mut written, mut fits) = (Vec::new(), Vec::new());
        for (phase, name) in phases.iter().zip(names) {
            let fitted = phase.fit(&exclusive)?;
            let training = Quality::of(&phase.learned, &fitted.gamma)?;
            fits.push(PhaseFit {
                training,
                held_out: Quality::of(&phase.held_out, &fitted.gamma)?,
                sweeps: fitted.sweeps,
                gap: fitted.gap,
                converged: fitted.converged,
            });
            let groups = groups.iter().zip(&numbered).map(|(group, numbers)| GroupGammas {
                name: group.name.clone(),
                features: numbers
                    .iter()
                    .zip(&group.features)
                    .map(|(&number, name)| FeatureGamma {
                        name: name.clone(),
                        gamma: fitted.gamma[number],
                        chosen: phase.chosen[number],
                        seen: phase.seen[number],
                    })
                    .collect(),
            });
            written.push(PhaseGammas { name, choices: training.choices, groups: groups.collect() });
        }
        let info = game.info();
        let rules = rules.or_else(|| info.rules.first().copied()).unwrap_or_default();
        let table = GammaTable {
            game: info.name.to_owned(),
            rules: rules.to_owned(),
            features: self.features.clone(),
            player: training.player.player.clone(),
            limits: Some(limits_text(&training.player.limits)),
            random_plies: Some(training.random_plies),
            games: training.games,
            seed: training.seed,
            phases: written,
        };
        Ok(Learned { table, groups, fits })
    }
}

/// Limits as a file of strengths states them, such as `playouts=1000`.
fn limits_text(limits: &Limits) -> String {
    let parts = [
        limits.time.map(|time| format!("time={time:?}")),
        limits.clock.map(|clock| format!("clock={clock}")),
        limits.nodes.map(|nodes| format!("nodes={nodes}")),
        limits.playouts.map(|playouts| format!("playouts={playouts}")),
        limits.depth.map(|depth| format!("depth={depth}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(",")
}

/// The set of features that a text names.
fn features_of(game: &dyn AnyGame, rules: Option<&str>, text: &str) -> Result<Box<dyn AnyFeatures>, Error> {
    let ratings = game.ratings().ok_or_else(|| {
        let name = game.info().name;
        Error::new(
            ErrorCode::Unsupported,
            format!("{name} describes no features of its moves, so they cannot be rated"),
        )
        .arg("game", name)
    })?;
    ratings.features(rules, text)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use banmen_search::TimeControl;

    use super::*;

    #[test]
    fn limits_are_written_as_options() {
        assert_eq!(limits_text(&Limits::default()), "");
        let limits = Limits { playouts: Some(1000), depth: Some(4), ..Limits::time(Duration::from_millis(1500)) };
        assert_eq!(limits_text(&limits), "time=1.5s,playouts=1000,depth=4");
        let clock = TimeControl { main: Duration::from_secs(10), ..TimeControl::default() };
        assert_eq!(limits_text(&Limits { clock: Some(clock), ..Limits::nodes(7) }), "clock=10s+0s,nodes=7");
        let clock = TimeControl { cap: Some(clock.main), byoyomi: Duration::from_secs(5), ..clock };
        assert_eq!(limits_text(&Limits { clock: Some(clock), ..Limits::default() }), "clock=10s+0s/10s byoyomi 5s");
    }
}
