//! The score of a stored match, kept up to date while it is played.

use std::collections::HashSet;

use banmen_catalog::Error;
use banmen_game::mix;

use crate::{GameFilter, GameRecord, MatchInfo, Repeats, Score, SequentialTest, Store};

/// The most points that a curve is drawn with.
const POINTS: usize = 200;

/// The log-likelihood ratio of a test after each complete pair, in the order of the pairs, or after each second,
/// fourth, … where they are many.
#[derive(Clone, Debug)]
pub struct Curve {
    points: Vec<(usize, f64)>,
    every: usize,
}

impl Default for Curve {
    fn default() -> Self {
        Curve { points: Vec::new(), every: 1 }
    }
}

impl Curve {
    /// Pairs and the ratio after them, at most 200 points.
    #[must_use]
    pub fn points(&self) -> &[(usize, f64)] {
        &self.points
    }

    fn add(&mut self, pairs: usize, ratio: f64) {
        if !pairs.is_multiple_of(self.every) {
            return;
        }
        // One place is left for where the test stands.
        if self.points.len() + 1 == POINTS {
            self.every *= 2;
            let every = self.every;
            self.points.retain(|(pairs, _)| pairs.is_multiple_of(every));
            return self.add(pairs, ratio);
        }
        self.points.push((pairs, ratio));
    }

    /// With the point where the test stands.
    fn ending(mut self, pairs: usize, ratio: Option<f64>) -> Self {
        if let Some(ratio) = ratio.filter(|_| self.points.last().is_none_or(|&(last, _)| last < pairs)) {
            self.points.push((pairs, ratio));
        }
        self
    }
}

/// What came before in a match.
#[derive(Clone, Debug, Default)]
struct Seen {
    games: HashSet<u64>,
    openings: HashSet<u64>,
    repeats: Repeats,
    /// The pair whose opening was looked at last.
    pair: Option<usize>,
}

/// What of a game may come again.
#[derive(Clone, Copy, Debug)]
struct Mark {
    pair: usize,
    game: u64,
    opening: u64,
}

impl Mark {
    fn of(record: &GameRecord) -> Mark {
        Mark {
            pair: record.pair,
            game: mix(record.digest().wrapping_add(record.game as u64)),
            opening: record.opening_digest(),
        }
    }
}

impl Seen {
    fn add(&mut self, mark: Mark) {
        self.repeats.games += u64::from(!self.games.insert(mark.game));
        if self.pair.replace(mark.pair) != Some(mark.pair) {
            self.repeats.openings += u64::from(!self.openings.insert(mark.opening));
        }
    }

    /// What came more than once when these games are counted, too.
    fn with(&self, marks: &[Mark]) -> Repeats {
        let (mut new, mut repeats) = (Seen { pair: self.pair, ..Seen::default() }, self.repeats);
        for &mark in marks {
            let known = self.games.contains(&mark.game);
            repeats.games += u64::from(!new.games.insert(mark.game) || known);
            if new.pair.replace(mark.pair) != Some(mark.pair) {
                let known = self.openings.contains(&mark.opening);
                repeats.openings += u64::from(!new.openings.insert(mark.opening) || known);
            }
        }
        repeats
    }
}

/// The score of a stored match. Pairs that were complete when it was read last are not read again, so that a match of a
/// million games can be watched while it is played.
pub struct Tally {
    of: Identity,
    score: Score,
    curve: Curve,
    seen: Seen,
    /// What was found when the match had so many games.
    last: Option<(u64, Score, Curve)>,
}

#[derive(PartialEq)]
struct Identity {
    id: i64,
    created: i64,
    spec: serde_json::Value,
    test: Option<SequentialTest>,
}

impl Identity {
    fn of(info: &MatchInfo) -> Identity {
        Identity { id: info.id, created: info.created, spec: info.spec.clone(), test: info.test }
    }
}

impl Tally {
    /// A tally that has read nothing.
    #[must_use]
    pub fn new(info: &MatchInfo) -> Tally {
        let [a, b] = &info.players;
        Tally {
            of: Identity::of(info),
            score: Score::new([a, b], info.planned, info.test),
            curve: Curve::default(),
            seen: Seen::default(),
            last: None,
        }
    }

    /// Whether it is of this match, under the test that it has now.
    #[must_use]
    pub fn is_of(&self, info: &MatchInfo) -> bool {
        self.of == Identity::of(info)
    }

    /// Reads what the store has more, and gives the score of all stored games (with a test: of the complete pairs in
    /// order, up to its end) and the curve of the test, which is empty without one.
    ///
    /// # Errors
    /// What the store fails with.
    pub fn read(&mut self, store: &Store) -> Result<(Score, Curve), Error> {
        let games = store.count_games(self.of.id, GameFilter::default())?;
        if let Some((_, score, curve)) = self.last.as_ref().filter(|(known, ..)| *known == games) {
            return Ok((score.clone(), curve.clone()));
        }
        let Tally { of, score, curve, seen, last: _ } = self;
        let mut waiting: Vec<Mark> = Vec::new();
        if !score.decided() {
            let read = store.visit_games_from(of.id, score.in_order(), &mut |record| {
                if score.decided() {
                    return Ok(());
                }
                waiting.push(Mark::of(&record));
                let before = score.in_order();
                score.add(&record);
                if score.in_order() > before {
                    if let Some(test) = score.test() {
                        curve.add(score.in_order(), test.llr());
                    }
                    let complete = waiting.partition_point(|mark| mark.pair < score.in_order());
                    waiting.drain(..complete).for_each(|mark| seen.add(mark));
                }
                Ok(())
            });
            if let Err(error) = read {
                score.forget_waiting();
                return Err(error);
            }
        }
        let mut now = score.clone();
        score.forget_waiting();
        now.close();
        now.repeats = if now.test().is_some() { seen.repeats } else { seen.with(&waiting) };
        let ended = curve.clone().ending(now.in_order(), now.test().map(|test| test.llr()));
        self.last = Some((games, now.clone(), ended.clone()));
        Ok((now, ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_is_thinned_evenly_and_ends_where_the_test_stands() {
        let mut curve = Curve::default();
        for pairs in 1..=100_003 {
            curve.add(pairs, pairs as f64 / 100.0);
            assert!(curve.points.len() < POINTS);
        }
        let curve = curve.ending(100_003, Some(1000.03));
        let points = curve.points();
        assert!(points.len() > POINTS / 3 && points.len() <= POINTS, "{}", points.len());
        let steps: HashSet<usize> = points.windows(2).map(|two| two[1].0 - two[0].0).collect();
        assert_eq!(steps.len(), 2, "one step, and one to the end: {steps:?}");
        assert_eq!(points.last(), Some(&(100_003, 1000.03)));
        let short = Curve::default().ending(0, None);
        assert!(short.points().is_empty());
    }
}
