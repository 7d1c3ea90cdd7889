//! The score of a match.

use std::collections::BTreeMap;

use banmen_stats::{Decision, EloEstimate, Interval, NormalisedElo, Pairs, Scale, Sprt};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::messages::{MatchScore, TestScale, TestScore, TestWinner};
use crate::{GameRecord, SequentialTest};

/// The confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

/// What a player used in a match.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct PlayerTotals {
    /// Decisions that it made.
    pub moves: u64,
    /// Positions that it visited.
    pub nodes: u64,
    /// Mean completed depth, in plies.
    pub mean_depth: f64,
    /// Mean time of a decision, in milliseconds.
    pub mean_ms: f64,
    /// Time of its longest decision, in milliseconds.
    pub longest_ms: f64,
    /// Games in which it failed (a crash, no answer, an overdrawn clock, an illegal move); where both failed, those in
    /// which it failed first.
    pub faults: u64,
    #[serde(skip)]
    depth: u64,
    #[serde(skip)]
    seconds: f64,
}

/// Repetitions in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repeats {
    /// Games with the same moves as an earlier game in which the same player moved first.
    pub games: u64,
    /// Pairs with the same opening as an earlier pair.
    pub openings: u64,
}

/// The score of a match so far, from the view of player `a`.
///
/// Pairs are counted in order: a complete pair waits for those before it. So the result does not depend on the durations of
/// the games, and a test stops the match at the same pair in every run.
#[derive(Clone, Debug)]
pub struct Score {
    /// Player `a`, whose score this is.
    pub a: String,
    /// Its opponent.
    pub b: String,
    /// The number of games that was asked for; `None` if the test decides it.
    pub planned: Option<usize>,
    /// Games won by `a`.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost by `a`.
    pub losses: u64,
    /// Complete pairs of games, by the points of `a`.
    pub pairs: Pairs,
    /// Sum of the margins from the view of `a`; `None` where the game has no margins.
    pub margin: Option<i64>,
    /// Games with a margin: those that the rules ended.
    pub margin_games: u64,
    /// Repetitions, counted at the end of the match.
    pub repeats: Repeats,
    /// What `a` and `b` used.
    pub totals: [PlayerTotals; 2],
    test: Option<Sprt<5>>,
    /// The number of the pair that is counted next.
    next: usize,
    waiting: BTreeMap<usize, Vec<GameRecord>>,
}

impl Score {
    /// The score of a match without games.
    #[must_use]
    pub fn new([a, b]: [&str; 2], planned: Option<usize>, test: Option<SequentialTest>) -> Self {
        Score {
            a: a.to_owned(),
            b: b.to_owned(),
            planned,
            wins: 0,
            draws: 0,
            losses: 0,
            pairs: Pairs { counts: [0; 5] },
            margin: None,
            margin_games: 0,
            repeats: Repeats::default(),
            totals: [PlayerTotals::default(); 2],
            test: test.and_then(|test| test.start()),
            next: 0,
            waiting: BTreeMap::new(),
        }
    }

    /// Adds a finished game. Games may be added in any order, each once.
    pub(crate) fn add(&mut self, game: &GameRecord) {
        self.waiting.entry(game.pair).or_default().push(GameRecord {
            moves: Vec::new(),
            times: Vec::new(),
            ..game.clone()
        });
        while !self.decided() && self.waiting.get(&self.next).is_some_and(|games| games.len() == 2) {
            let pair = self.waiting.remove(&self.next).unwrap_or_default();
            self.next += 1;
            self.count(&pair);
        }
    }

    /// Counts the waiting games at the end of a match. Does nothing with a test, which counts only complete pairs in order.
    pub(crate) fn close(&mut self) {
        if self.test.is_none() {
            for games in std::mem::take(&mut self.waiting).into_values() {
                self.count(&games);
            }
        }
    }

    /// Counts the games of a pair, one or two.
    fn count(&mut self, games: &[GameRecord]) {
        for game in games {
            match game.score {
                1.0 => self.wins += 1,
                0.0 => self.losses += 1,
                _ => self.draws += 1,
            }
            if let Some(margin) = game.margin {
                *self.margin.get_or_insert(0) += i64::from(margin);
                self.margin_games += 1;
            }
            for (index, (totals, spent)) in self.totals.iter_mut().zip(&game.spent).enumerate() {
                totals.faults += u64::from(game.fault == Some(index));
                totals.moves = totals.moves.saturating_add(spent.moves);
                totals.nodes = totals.nodes.saturating_add(spent.nodes);
                totals.depth = totals.depth.saturating_add(spent.depth);
                totals.seconds += spent.seconds;
                totals.longest_ms = totals.longest_ms.max(spent.longest * 1e3);
                let moves = totals.moves.max(1) as f64;
                totals.mean_depth = totals.depth as f64 / moves;
                totals.mean_ms = totals.seconds * 1e3 / moves;
            }
        }
        if let [first, second] = games {
            // Scores are multiples of ½, so a pair's is a multiple of ½ from 0 to 2.
            let mut pair = Pairs::default();
            pair.counts[((first.score + second.score) * 2.0) as usize] = 1;
            self.pairs.counts.iter_mut().zip(pair.counts).for_each(|(sum, one)| *sum += one);
            if let Some(test) = &mut self.test {
                test.record(&pair);
            }
        }
    }

    /// The mean margin of the games that have one, from the view of `a`.
    #[must_use]
    pub fn mean_margin(&self) -> Option<f64> {
        self.margin.map(|sum| sum as f64 / self.margin_games.max(1) as f64)
    }

    /// Games counted.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The test of the match, after the pairs counted so far.
    #[must_use]
    pub fn test(&self) -> Option<&Sprt<5>> {
        self.test.as_ref()
    }

    /// Whether the test has ended the match.
    #[must_use]
    pub fn decided(&self) -> bool {
        self.test.is_some_and(|test| test.decision().is_some())
    }

    /// With a test, the number of pairs that are counted; else `None`: all that were played.
    pub(crate) fn counted_pairs(&self) -> Option<usize> {
        self.test.map(|_| self.next)
    }

    /// The number of complete pairs counted in order, without a gap.
    pub(crate) fn in_order(&self) -> usize {
        self.next
    }

    /// Drops the games of incomplete pairs.
    pub(crate) fn forget_waiting(&mut self) {
        self.waiting.clear();
    }

    /// The score as the interfaces write it.
    #[must_use]
    pub fn as_json(&self) -> Value {
        json!(self.message(|test| test))
    }

    /// The score as a message, with the test in the form that `test` gives it.
    pub(crate) fn message<T>(&self, test: impl FnOnce(TestScore) -> T) -> MatchScore<T> {
        MatchScore {
            games: self.games(),
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            pairs: self.pairs.counts,
            score: self.score(),
            interval: self.interval().map(|interval| [interval.low, interval.high]),
            elo: self.elo().map(Into::into),
            normalised_elo: self.normalised_elo().map(Into::into),
            superiority: self.pairs.superiority(),
            pair_ratio: self.pairs.pair_ratio(),
            drawn_pairs: self.pairs.draw_ratio(),
            margin: self.margin,
            margin_games: self.margin_games,
            repeated_games: self.repeats.games,
            repeated_openings: self.repeats.openings,
            totals: self.totals,
            test: self.test().map(test_score).map(test),
        }
    }

    /// Points per game of the complete pairs, 0 to 1; `None` before the first pair is complete.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        self.pairs.score()
    }

    /// The 95 % confidence interval of [`Score::score`], from pairs.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        self.pairs.interval(CONFIDENCE)
    }

    /// The Elo difference with its 95 % confidence interval, from pairs.
    #[must_use]
    pub fn elo(&self) -> Option<EloEstimate> {
        Some(EloEstimate::new(self.score()?, self.interval()?))
    }

    /// The normalised Elo difference with its 95 % confidence interval, from pairs.
    #[must_use]
    pub fn normalised_elo(&self) -> Option<NormalisedElo> {
        self.pairs.normalised_elo(CONFIDENCE)
    }
}

fn test_score(test: &Sprt<5>) -> TestScore {
    let (plan, bounds) = (test.plan(), test.bounds());
    TestScore {
        scale: match plan.scale {
            Scale::Normalised => TestScale::Normalised,
            Scale::Logistic => TestScale::Logistic,
        },
        elo0: plan.elo0,
        elo1: plan.elo1,
        llr: test.llr(),
        lower: bounds.lower,
        upper: bounds.upper,
        overshoot: test.overshoot(),
        accepted: test.decision().map(|decision| match decision {
            Decision::AcceptH0 => TestWinner::Elo0,
            Decision::AcceptH1 => TestWinner::Elo1,
        }),
        elo: test.estimate(CONFIDENCE).map(|estimate| estimate.elo.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_without_a_margin_do_not_change_the_mean() {
        let mut score = Score::new(["a", "b"], None, None);
        for (pair, margins) in [[Some(40), None], [None, Some(-10)], [None, None]].into_iter().enumerate() {
            for (game, margin) in margins.into_iter().enumerate() {
                score.add(&GameRecord { pair, game, score: 0.5, margin, ..GameRecord::default() });
            }
        }
        assert_eq!((score.games(), score.margin_games, score.mean_margin()), (6, 2, Some(15.0)));
        assert_eq!(Score::new(["a", "b"], None, None).mean_margin(), None);
    }
}
