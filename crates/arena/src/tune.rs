//! Tuning a player's keys by games: simultaneous perturbation stochastic approximation.
//!
//! Each step perturbs all numbers at once, each up or down at random, plays pairs of games between the two players that
//! result, and moves the numbers towards the winner in proportion to the score (Spall 1992, *Multivariate
//! stochastic approximation using a simultaneous perturbation gradient approximation*; gains as in Spall 1998,
//! *Implementation of the simultaneous perturbation algorithm*, section III: α = 0.602, γ = 0.101, A a tenth of the
//! steps). Whole numbers are rounded at random, so that a step smaller than one has an effect on average. The result is the
//! mean over the last quarter of the steps (Polyak and Juditsky 1992), which varies less than the last step.

use std::num::NonZeroUsize;

use banmen_catalog::{AnyGame, Error, ErrorCode, Key, Kind, Options, PlayerText};
use banmen_game::{Rng, mix};
use banmen_search::StopFlag;

use crate::schedule::MAX_GAMES;
use crate::{Contestant, LockName, Match, Openings, Plan, Store, Workers};

/// Decay of the gain, and of the perturbation (Spall 1998).
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;

/// The stability constant A, as a share of the steps.
const DELAY: f64 = 0.1;

/// The gain at the last step: how many perturbations a number moves by for a pair of which both games were won.
const LAST_GAIN: f64 = 0.02;

/// The share of the steps whose mean is the result.
const AVERAGED: f64 = 0.25;

/// The smallest step of a number that is not whole. Numbers are written with 4 decimals: with smaller steps both
/// players of a step could be the same.
const MIN_STEP: f64 = 0.001;

/// A number of a player that can be tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct Tunable {
    /// The key.
    pub key: &'static str,
    /// The index of the number, if the key has several.
    pub place: Option<usize>,
    /// The value before tuning.
    pub start: f64,
    /// The perturbation of the last step.
    pub step: f64,
    min: f64,
    max: f64,
    whole: bool,
}

impl Tunable {
    /// Its name: the key, with its index, from 1, in brackets if the key has several numbers.
    #[must_use]
    pub fn name(&self) -> String {
        self.place.map_or_else(|| self.key.to_owned(), |place| format!("{}[{}]", self.key, place + 1))
    }
}

/// A tuning: the player, its numbers, and how many games are played.
#[derive(Clone)]
pub struct Tuning<'g> {
    /// The match of the player against itself, which says the conditions of all games. The openings of each step are drawn
    /// with a seed of its own.
    pub conditions: Match<'g>,
    /// The numbers.
    pub tunables: Vec<Tunable>,
    /// Steps.
    pub steps: usize,
    /// Pairs of games at each step.
    pub pairs: usize,
}

/// The state of a tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// Steps made.
    pub steps: usize,
    /// The numbers after the last step.
    pub last: Vec<f64>,
    /// Their means over the last quarter of the steps so far.
    pub mean: Vec<f64>,
}

/// The numbers that the texts of `wanted` select. Each text is a key, with `[INDEX]` to select one of several numbers,
/// and optionally `:STEP`.
///
/// # Errors
/// `bad_tunable`, `unknown_key` or `unknown_player`: which text names no number of the player, and why; the errors of the
/// player's text.
pub fn tunables(game: &dyn AnyGame, player: &str, wanted: &[String]) -> Result<Vec<Tunable>, Error> {
    let (name, known) = (PlayerText::name_of(player), game.players());
    let info = known.iter().find(|known| known.name == name).ok_or_else(|| {
        Error::unknown(ErrorCode::UnknownPlayer, "player", name, known.iter().map(|player| player.name))
    })?;
    let text = PlayerText::parse(player)?;
    // Tuning begins at the player's own values: they lie in the ranges of their keys.
    Options::new(info.keys, &text.pairs)?;
    let mut found: Vec<Tunable> = Vec::new();
    for wish in wanted {
        let bad = |why: &str| Error::new(ErrorCode::BadTunable, format!("`{wish}`: {why}")).arg("key", wish.as_str());
        let (name, step) = match wish.split_once(':') {
            None => (wish.as_str(), None),
            Some((name, step)) => match step.parse::<f64>() {
                Ok(step) if step > 0.0 && step.is_finite() => (name, Some(step)),
                _ => return Err(bad("the step is a number above 0")),
            },
        };
        let (name, place) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            None => (name, None),
            Some((name, place)) => {
                let index = place.parse::<NonZeroUsize>().map_err(|_| bad("an index is a number of at least 1"))?;
                (name, Some(index.get() - 1))
            }
        };
        let key =
            info.keys.iter().find(|key| key.name == name).ok_or_else(|| {
                Error::unknown(ErrorCode::UnknownKey, "key", name, info.keys.iter().map(|key| key.name))
            })?;
        let given = text.pairs.iter().find(|(name, _)| *name == key.name).map(|(_, value)| *value);
        let known = found.len();
        for tunable in numbers(key, given, step).map_err(|why| bad(&why))? {
            if place.is_none_or(|place| tunable.place == Some(place)) {
                if found.iter().any(|other| (other.key, other.place) == (tunable.key, tunable.place)) {
                    return Err(bad("named twice"));
                }
                found.push(tunable);
            }
        }
        if found.len() == known {
            return Err(bad("the list of the key has no such index"));
        }
    }
    if found.is_empty() {
        return Err(Error::new(ErrorCode::BadTunable, "none of the keys can be tuned"));
    }
    Ok(found)
}

/// The numbers of a key.
fn numbers(key: &Key, given: Option<&str>, step: Option<f64>) -> Result<Vec<Tunable>, String> {
    let (min, max, whole) = match key.kind {
        Kind::Number(min, max) => (min, max, false),
        Kind::Integer(min, max) | Kind::Integers(_, min, max) => (min as f64, max as f64, true),
        // 0 means that there is none: between it and 1 lies all that can be.
        Kind::Maximum(max) => (1.0, max as f64, true),
        Kind::Choice(_) | Kind::File(_) => return Err("a choice cannot be tuned: its values have no order".to_owned()),
    };
    let listed = matches!(key.kind, Kind::Integers(..));
    let values = given.unwrap_or(key.default).split('/').enumerate();
    values
        .map(|(place, value)| {
            let start: f64 = value.trim().parse().map_err(|_| format!("`{value}` is not a number"))?;
            if matches!(key.kind, Kind::Maximum(_)) && start < min {
                return Err(format!(
                    "0 means that there is no maximum: tuning needs one to begin at, as {}=NUMBER in the player",
                    key.name
                ));
            }
            // The default is a fifth of the value; a whole number changes by at least one.
            let step = step.unwrap_or((start.abs() / 5.0).max(if whole { 1.0 } else { 0.1 }));
            if !whole && step < MIN_STEP {
                return Err(format!(
                    "a step is at least {MIN_STEP}: numbers are written with 4 decimals, so that the players of a \
                     smaller step could be the same"
                ));
            }
            Ok(Tunable { key: key.name, place: listed.then_some(place), start, step, min, max, whole })
        })
        .collect()
}

impl Tuning<'_> {
    /// The player with these numbers. `round` rounds those that are whole numbers.
    fn text(&self, values: &[f64], mut round: impl FnMut(f64) -> f64) -> Result<String, Error> {
        let text = PlayerText::parse(&self.conditions.spec.a.player)?;
        let mut pairs: Vec<(String, String)> =
            text.pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let known = self.conditions.game.players();
        let keys = known.iter().find(|known| known.name == text.name).map_or(&[][..], |known| known.keys);
        for (tunable, &value) in self.tunables.iter().zip(values) {
            let value = value.clamp(tunable.min, tunable.max);
            let value = if tunable.whole { round(value).clamp(tunable.min, tunable.max) } else { value };
            let shown = if tunable.whole { format!("{value:.0}") } else { format!("{value:.4}") };
            let at = pairs.iter().position(|(key, _)| key == tunable.key).unwrap_or_else(|| {
                let default = keys.iter().find(|key| key.name == tunable.key).map_or("", |key| key.default);
                pairs.push((tunable.key.to_owned(), default.to_owned()));
                pairs.len() - 1
            });
            let old = &mut pairs[at].1;
            match tunable.place {
                None => *old = shown,
                Some(place) => {
                    let mut parts: Vec<&str> = old.split('/').collect();
                    if let Some(part) = parts.get_mut(place) {
                        *part = &shown;
                    }
                    *old = parts.join("/");
                }
            }
        }
        Ok(PlayerText::write(text.name, pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()))))
    }

    /// The player with these numbers, whole ones rounded to the nearest.
    ///
    /// # Errors
    /// When the player's text cannot be read.
    pub fn player(&self, values: &[f64]) -> Result<String, Error> {
        self.text(values, f64::round)
    }

    /// What distinguishes this tuning from others in the store.
    fn spec(&self) -> Result<String, Error> {
        let numbers: Vec<String> =
            self.tunables.iter().map(|number| format!("{}={}:{}", number.name(), number.start, number.step)).collect();
        Ok(format!(
            "{} {} steps={} pairs={}",
            self.conditions.identity(None)?,
            numbers.join(" "),
            self.steps,
            self.pairs
        ))
    }

    /// The gain and the perturbation of step `k`, in units of the perturbation of the last step.
    fn gains(&self, k: usize) -> (f64, f64) {
        let (steps, k) = (self.steps as f64, k as f64);
        let delay = DELAY * steps;
        let gain = LAST_GAIN * ((delay + steps) / (delay + k + 1.0)).powf(ALPHA);
        (gain, (steps / (k + 1.0)).powf(GAMMA))
    }

    /// The random directions of step `k`.
    fn directions(&self, k: usize) -> Rng {
        Rng::new(mix(self.conditions.spec.seed ^ mix(k as u64)))
    }

    /// Moves the numbers by the result of step `k`: `points` are pairs won less pairs lost, in halves of a pair.
    fn learn(&self, values: &mut [f64], k: usize, points: f64) {
        let (mut rng, (gain, width)) = (self.directions(k), self.gains(k));
        for (value, tunable) in values.iter_mut().zip(&self.tunables) {
            let side = if rng.bits() & 1 == 0 { 1.0 } else { -1.0 };
            let moved = *value + gain / width * points * side * tunable.step;
            *value = moved.clamp(tunable.min, tunable.max);
        }
    }

    /// Plays the steps that the store lacks. Each is stored, and then reported to `progress`.
    ///
    /// # Errors
    /// `out_of_range` for openings that are neither random nor the game's starts, and for no pairs or too many; `match_busy`
    /// when another process plays the tuning; an error of a player or of the store.
    pub fn run(
        &self,
        store: &Store,
        workers: impl Into<Workers>,
        stop: &StopFlag,
        progress: &mut dyn FnMut(&Tuned),
    ) -> Result<Tuned, Error> {
        if !matches!(self.conditions.spec.openings, Openings::Random(_) | Openings::From { .. } | Openings::Starts) {
            let message = "a tuning takes the openings random:PLIES or starts, or a position: every step needs others";
            return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "openings"));
        }
        if !(1..=MAX_GAMES / 2).contains(&self.pairs) {
            let message = format!("pairs={} must be from 1 to {}", self.pairs, MAX_GAMES / 2);
            return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "pairs"));
        }
        let workers = workers.into();
        let event = store.enter_event(
            "tuning",
            &format!("{} {}", self.conditions.game.info().name, self.conditions.spec.a.player),
            &self.spec()?,
        )?;
        let _lock = store.lock(&LockName::Tuning(event))?;
        let made = store.steps(event)?;
        let mut values: Vec<f64> = self.tunables.iter().map(|tunable| tunable.start).collect();
        let mut history = vec![values.clone()];
        for (k, &points) in made.iter().take(self.steps).enumerate() {
            self.learn(&mut values, k, points);
            history.push(values.clone());
        }
        for k in made.len()..self.steps {
            let Some(points) = self.play(&values, k, &workers, stop)? else { break };
            store.save_step(event, k, points)?;
            self.learn(&mut values, k, points);
            history.push(values.clone());
            progress(&self.tuned(&history));
        }
        Ok(self.tuned(&history))
    }

    fn tuned(&self, history: &[Vec<f64>]) -> Tuned {
        let steps = history.len() - 1;
        let averaged = ((steps as f64 * AVERAGED).ceil() as usize).max(1);
        let late = &history[history.len() - averaged..];
        let mean = |place: usize| late.iter().map(|values| values[place]).sum::<f64>() / late.len() as f64;
        Tuned { steps, last: history[steps].clone(), mean: (0..self.tunables.len()).map(mean).collect() }
    }

    /// Plays the games of step `k`, and returns its points; `None` when it was stopped.
    fn play(&self, values: &[f64], k: usize, workers: &Workers, stop: &StopFlag) -> Result<Option<f64>, Error> {
        let (mut rng, (_, width)) = (self.directions(k), self.gains(k));
        let moves: Vec<f64> = self
            .tunables
            .iter()
            .map(|tunable| width * tunable.step * if rng.bits() & 1 == 0 { 1.0 } else { -1.0 })
            .collect();
        let mut side = |sign: f64| -> Result<Contestant, Error> {
            let moved: Vec<f64> = values.iter().zip(&moves).map(|(value, by)| value + sign * by).collect();
            let text = self.text(&moved, |value| (value + rng.unit()).floor())?;
            Ok(Contestant::new(text, self.conditions.spec.a.limits))
        };
        let (a, b) = (side(1.0)?, side(-1.0)?);
        let mut matchup = self.conditions.between(a, b);
        matchup.spec.seed = mix(self.conditions.spec.seed ^ mix(!(k as u64)));
        let plan = Plan::games(2 * self.pairs, workers.clone());
        let score = matchup.play(&Store::memory()?, &plan, stop, &mut |_| {})?;
        let complete = score.pairs.total() == self.pairs as u64;
        let points =
            score.pairs.counts.iter().zip([-1.0, -0.5, 0.0, 0.5, 1.0]).map(|(&pairs, points)| pairs as f64 * points);
        Ok(complete.then(|| points.sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MatchSpec;
    use banmen_search::Limits;

    fn tuning(game: &dyn AnyGame, steps: usize) -> Tuning<'_> {
        let player = Contestant::new("classic:depth=1,corners=0/0/0/0/0/0/0/0", Limits::nodes(500));
        let spec = MatchSpec { seed: 3, ..MatchSpec::new(game, player.clone(), player.clone()) };
        let tunables = tunables(game, &player.player, &["corners[2]:4".into(), "k:0.2".into()]).expect("two numbers");
        Tuning { conditions: Match::new(game, spec), tunables, steps, pairs: 4 }
    }

    #[test]
    fn reads_names_of_numbers_and_rejects_others() {
        let game = banmen_othello::entry().in_memory();
        let named = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|&wish| wish.to_owned()).collect();
            tunables(&game, "classic:k=2", &wanted)
        };
        let found = named(&["k", "corners[3]:0.5"]).expect("two numbers");
        let read: Vec<(String, f64, f64)> =
            found.iter().map(|number| (number.name(), number.start, number.step)).collect();
        assert_eq!(read, [("k".to_owned(), 2.0, 0.4), ("corners[3]".to_owned(), -5.0, 0.5)]);
        assert_eq!(named(&["corners"]).expect("eight numbers").len(), 8);
        assert_eq!(named(&["k:0.001", "corners[1]:0.0001"]).expect("two numbers").len(), 2);
        for (wish, words) in [
            ("board", "no order"),
            ("kk", "the nearest name is `k`"),
            ("k:0", "above 0"),
            ("k:x", "above 0"),
            ("k:0.0009", "with 4 decimals"),
            ("corners[9]", "no such index"),
            ("corners[0]", "a number of at least 1"),
            ("k[1]", "no such index"),
            ("corners[x]", "a number of at least 1"),
        ] {
            let error = named(&[wish]).expect_err(wish);
            assert!(error.message.contains(words), "{wish}: {error}");
        }
        assert!(named(&["k", "k"]).expect_err("twice").message.contains("named twice"));
        assert_eq!(named(&[]).expect_err("none").code, ErrorCode::BadTunable);
        for (player, code) in [
            ("classic:k=NaN", ErrorCode::OutOfRange),
            ("classic:k=1e99", ErrorCode::OutOfRange),
            ("classic:corners=1/2", ErrorCode::BadValue),
            ("classic:kk=1", ErrorCode::UnknownKey),
        ] {
            let error = tunables(&game, player, &["k".to_owned()]).expect_err(player);
            assert_eq!(error.code, code, "{player}: {error}");
        }
    }

    #[test]
    fn a_maximum_is_tuned_above_zero_alone() {
        let game = banmen_othello::entry().in_memory();
        let found = |player: &str| tunables(&game, player, &["playouts:3".to_owned()]);
        let error = found("mcts").expect_err("no maximum");
        assert_eq!(error.code, ErrorCode::BadTunable);
        assert!(error.message.contains("as playouts=NUMBER in the player"), "{error}");
        let player = Contestant::new("mcts:playouts=2", Limits::default());
        let tunables = found(&player.player).expect("a number");
        let spec = MatchSpec::new(&game, player.clone(), player);
        let tuning = Tuning { conditions: Match::new(&game, spec), tunables, steps: 1, pairs: 1 };
        for (value, text) in [(-1.0, "mcts:playouts=1"), (0.4, "mcts:playouts=1"), (7.0, "mcts:playouts=7")] {
            assert_eq!(tuning.player(&[value]).expect("a player"), text);
        }
        let learned = [-1e6, 1e6].map(|points| {
            let mut values = [2.0];
            tuning.learn(&mut values, 0, points);
            values[0]
        });
        assert_eq!(learned.iter().copied().fold(f64::INFINITY, f64::min), 1.0, "{learned:?}");
    }

    #[test]
    fn learns_that_corners_have_value() {
        let game = banmen_othello::entry().in_memory();
        let tuned = tuning(&game, 150)
            .run(&Store::memory().expect("memory"), 2, &StopFlag::default(), &mut |_| {})
            .expect("a tuning");
        assert_eq!(tuned.steps, 150);
        assert!(tuned.mean[0] > 2.0, "the value of a corner: {tuned:?}");
    }

    #[test]
    fn resumes_where_it_stopped() {
        let game = banmen_othello::entry().in_memory();
        let (whole, parts) = (Store::memory().expect("memory"), Store::memory().expect("memory"));
        let tuning = tuning(&game, 12);
        let undisturbed = tuning.run(&whole, 2, &StopFlag::default(), &mut |_| {}).expect("a tuning");
        for steps in [3, 5, 100] {
            let (stop, mut made) = (StopFlag::default(), 0);
            let tuned = tuning
                .run(&parts, 1, &stop, &mut |_| {
                    made += 1;
                    if made == steps {
                        stop.stop();
                    }
                })
                .expect("a tuning");
            if tuned.steps == 12 {
                assert_eq!(tuned, undisturbed);
            }
        }
        assert_eq!(parts.steps(1).expect("steps"), whole.steps(1).expect("steps"));
    }
}
