//! The score of a stored match, updated incrementally while the match is played.

use std::collections::HashSet;

use banmen_catalog::Error;
use banmen_game::mix;

use crate::{GameFilter, GameRecord, MatchInfo, Repeats, Score, SequentialTest, Store};

/// The largest number of points of a curve.
pub(crate) const MAX_POINTS: usize = 200;

/// The log-likelihood ratio of a test after each complete pair, in the order of the pairs; after every second, fourth, …
/// pair where there are many.
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
    /// Numbers of pairs and the ratio after them, at most 200 points.
    #[must_use]
    pub fn points(&self) -> &[(usize, f64)] {
        &self.points
    }

    fn add(&mut self, pairs: usize, ratio: f64) {
        if !pairs.is_multiple_of(self.every) {
            return;
        }
        // One point is reserved for the current state of the test.
        if self.points.len() + 1 == MAX_POINTS {
            self.every *= 2;
            let every = self.every;
            self.points.retain(|(pairs, _)| pairs.is_multiple_of(every));
            return self.add(pairs, ratio);
        }
        self.points.push((pairs, ratio));
    }

    /// The curve with the current state of the test as its last point.
    fn with_end(mut self, pairs: usize, ratio: Option<f64>) -> Self {
        if let Some(ratio) = ratio.filter(|_| self.points.last().is_none_or(|&(last, _)| last < pairs)) {
            self.points.push((pairs, ratio));
        }
        self
    }
}

/// Counts repeated games and openings.
#[derive(Clone, Debug, Default)]
struct RepeatCounter {
    games: HashSet<u64>,
    openings: HashSet<u64>,
    repeats: Repeats,
    /// The pair whose opening was counted last.
    pair: Option<usize>,
}

/// The parts of a game that may repeat, as digests.
#[derive(Clone, Copy, Debug)]
struct GameDigests {
    pair: usize,
    game: u64,
    opening: u64,
}

impl GameDigests {
    fn of(record: &GameRecord) -> GameDigests {
        GameDigests {
            pair: record.pair,
            game: mix(record.digest().wrapping_add(record.game as u64)),
            opening: record.opening_digest(),
        }
    }
}

impl RepeatCounter {
    fn add(&mut self, digests: GameDigests) {
        self.repeats.games += u64::from(!self.games.insert(digests.game));
        if self.pair.replace(digests.pair) != Some(digests.pair) {
            self.repeats.openings += u64::from(!self.openings.insert(digests.opening));
        }
    }

    /// The repeats when these games are counted too.
    fn with(&self, games: &[GameDigests]) -> Repeats {
        let (mut new, mut repeats) = (RepeatCounter { pair: self.pair, ..RepeatCounter::default() }, self.repeats);
        for &digests in games {
            let known = self.games.contains(&digests.game);
            repeats.games += u64::from(!new.games.insert(digests.game) || known);
            if new.pair.replace(digests.pair) != Some(digests.pair) {
                let known = self.openings.contains(&digests.opening);
                repeats.openings += u64::from(!new.openings.insert(digests.opening) || known);
            }
        }
        repeats
    }
}

/// The score of a stored match. Pairs that were complete at the last read are not read again, so that a match of a million
/// games can be watched while it is played.
pub struct Tally {
    of: Identity,
    /// The score without games.
    empty: Score,
    /// How often the store had set rows aside at the last read: with these, games that were counted may have gone.
    set_aside: u64,
    score: Score,
    curve: Curve,
    seen: RepeatCounter,
    /// The number of games at the last read, and its result.
    last: Option<(u64, Score, Curve)>,
}

#[derive(Clone, PartialEq)]
struct Identity {
    id: i64,
    created: i64,
    spec: serde_json::Value,
    /// The games that were asked for: later ones of an earlier plan are not counted.
    planned: Option<usize>,
    test: Option<SequentialTest>,
}

impl Identity {
    fn of(info: &MatchInfo) -> Identity {
        Identity { id: info.id, created: info.created, spec: info.spec.clone(), planned: info.planned, test: info.test }
    }
}

impl Tally {
    /// A tally that has read no games.
    #[must_use]
    pub fn new(info: &MatchInfo) -> Tally {
        let [a, b] = &info.players;
        Tally::empty(Identity::of(info), Score::new([a, b], info.planned, info.test), 0)
    }

    fn empty(of: Identity, empty: Score, set_aside: u64) -> Tally {
        Tally {
            of,
            score: empty.clone(),
            empty,
            set_aside,
            curve: Curve::default(),
            seen: RepeatCounter::default(),
            last: None,
        }
    }

    /// Whether this is the tally of the match, with the same test.
    #[must_use]
    pub(crate) fn is_of(&self, info: &MatchInfo) -> bool {
        self.of == Identity::of(info)
    }

    /// Reads the games that are new in the store, and returns the score of all stored games (with a test: of the complete
    /// pairs in order, up to its end) and the curve of the test, which is empty without a test.
    ///
    /// # Errors
    /// An error of the store.
    pub fn read(&mut self, store: &Store) -> Result<(Score, Curve), Error> {
        let set_aside = store.count_set_aside()?;
        if set_aside != self.set_aside {
            *self = Tally::empty(self.of.clone(), self.empty.clone(), set_aside);
        }
        let games = store.count_games(self.of.id, GameFilter::default())?;
        if let Some((_, score, curve)) = self.last.as_ref().filter(|(known, ..)| *known == games) {
            return Ok((score.clone(), curve.clone()));
        }
        let Tally { of, score, curve, seen, .. } = self;
        let mut waiting: Vec<GameDigests> = Vec::new();
        if !score.decided() {
            let read = store.visit_games_from(of.id, score.in_order(), &mut |record| {
                if score.decided() || of.planned.is_some_and(|games| record.pair >= games / 2) {
                    return Ok(());
                }
                waiting.push(GameDigests::of(&record));
                let before = score.in_order();
                score.add(&record);
                if score.in_order() > before {
                    if let Some(test) = score.test() {
                        curve.add(score.in_order(), test.llr());
                    }
                    let complete = waiting.partition_point(|digests| digests.pair < score.in_order());
                    waiting.drain(..complete).for_each(|digests| seen.add(digests));
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
        let ended = curve.clone().with_end(now.in_order(), now.test().map(|test| test.llr()));
        self.last = Some((games, now.clone(), ended.clone()));
        Ok((now, ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "store")]
    #[test]
    fn games_that_are_set_aside_no_longer_count() {
        use crate::store::Place;
        use crate::{Contestant, Match, MatchSpec, Plan};
        use banmen_search::{Limits, StopFlag};

        let (game, store) = (banmen_othello::entry().in_memory(), Store::memory().expect("memory"));
        let player = Contestant::new("random", Limits::nodes(1));
        let matchup = Match::new(&game, MatchSpec::new(&game, player.clone(), player));
        let mut id = 0;
        let plan = Plan::games(8, 1);
        matchup.play(&store, &plan, &StopFlag::default(), &mut |progress| id = progress.id).expect("a match");
        let info = store.one_match(id).expect("the match");
        let mut tally = Tally::new(&info);
        let (before, _) = tally.read(&store).expect("a score");
        assert_eq!(before.games(), 8);
        // A pair is played again, with another result.
        let mut pair = Vec::new();
        let mut keep = |record: GameRecord| {
            pair.extend((record.pair == 1).then_some(record));
            Ok(())
        };
        store.visit_games(id, &mut keep).expect("the games");
        store.set_aside(&Place::Pair(id, 1), "a pair", "a test").expect("a pair");
        assert_eq!(tally.read(&store).expect("a score").0.games(), 6);
        let score = if pair.iter().all(|record| record.score == 0.0) { 1.0 } else { 0.0 };
        for record in &pair {
            store.save_game(id, &GameRecord { score, ..record.clone() }, None).expect("a game");
        }
        let after = tally.read(&store).expect("a score").0;
        let all = Tally::new(&info).read(&store).expect("a score").0;
        assert_eq!((after.games(), after.wins, after.losses), (8, all.wins, all.losses));
        assert_ne!((after.wins, after.losses), (before.wins, before.losses));
    }

    #[cfg(feature = "store")]
    #[test]
    fn games_beyond_the_plan_do_not_count() {
        use crate::{Contestant, Match, MatchSpec, Plan};
        use banmen_search::{Limits, StopFlag};

        let (game, store) = (banmen_othello::entry().in_memory(), Store::memory().expect("memory"));
        let player = Contestant::new("random", Limits::nodes(1));
        let matchup = Match::new(&game, MatchSpec::new(&game, player.clone(), player));
        let mut id = 0;
        for games in [8, 4] {
            let mut keep = |progress: crate::Progress<'_>| id = progress.id;
            matchup.play(&store, &Plan::games(games, 1), &StopFlag::default(), &mut keep).expect("a match");
        }
        let info = store.one_match(id).expect("the match");
        assert_eq!(store.count_games(id, GameFilter::default()).expect("a count"), 8);
        assert_eq!(store.score(&info).expect("a score").games(), 4);
        assert_eq!(Tally::new(&info).read(&store).expect("a score").0.games(), 4);
    }

    #[test]
    fn thins_a_long_curve_evenly_and_keeps_its_end() {
        let mut curve = Curve::default();
        for pairs in 1..=100_003 {
            curve.add(pairs, pairs as f64 / 100.0);
            assert!(curve.points.len() < MAX_POINTS);
        }
        let curve = curve.with_end(100_003, Some(1000.03));
        let points = curve.points();
        assert!(points.len() > MAX_POINTS / 3 && points.len() <= MAX_POINTS, "{}", points.len());
        let steps: HashSet<usize> = points.windows(2).map(|two| two[1].0 - two[0].0).collect();
        assert_eq!(steps.len(), 2, "one step width, and another before the end: {steps:?}");
        assert_eq!(points.last(), Some(&(100_003, 1000.03)));
        let short = Curve::default().with_end(0, None);
        assert!(short.points().is_empty());
    }
}
