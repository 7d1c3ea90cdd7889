//! The score of a match.

use std::collections::{HashMap, HashSet};

use banmen_stats::{EloEstimate, Interval, NormalisedElo, Pairs};
use serde::Serialize;

use crate::{GameRecord, Opening};

/// The confidence of every interval that is shown.
const CONFIDENCE: f64 = 0.95;

/// What a player spent in a match.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PlayerTotals {
    /// Moves that it chose.
    pub moves: u64,
    /// Positions that it visited.
    pub nodes: u64,
    /// Mean depth that it finished, in plies.
    pub mean_depth: f64,
    /// Mean time of a move, in milliseconds.
    pub mean_ms: f64,
    /// Time of its longest move, in milliseconds.
    pub longest_ms: f64,
    #[serde(skip)]
    depth: u64,
    #[serde(skip)]
    seconds: f64,
}

/// The score of a match so far, from the view of its first player.
#[derive(Clone, Debug)]
pub struct Score {
    /// The player whose score this is.
    pub a: String,
    /// Its opponent.
    pub b: String,
    /// Games that the match is to have.
    pub planned: usize,
    /// Games won, drawn and lost by `a`.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Complete pairs of games, by the points that they brought `a`.
    pub pairs: Pairs,
    /// Sum of the margins as `a` sees them; `None` where the game has no margins.
    pub margin: Option<i64>,
    /// Games with the same moves as an earlier one of the same player first.
    pub repeated_games: u64,
    /// Openings that stand more than once.
    pub repeated_openings: u64,
    /// What `a` and `b` spent.
    pub totals: [PlayerTotals; 2],
    halves: HashMap<usize, f64>,
    seen: HashSet<(usize, Vec<u32>)>,
}

impl Score {
    pub(crate) fn new(a: &str, b: &str, planned: usize, openings: &[Opening]) -> Self {
        let distinct: HashSet<&Opening> = openings.iter().collect();
        Score {
            a: a.to_owned(),
            b: b.to_owned(),
            planned,
            wins: 0,
            draws: 0,
            losses: 0,
            pairs: Pairs { counts: [0; 5] },
            margin: None,
            repeated_games: 0,
            repeated_openings: (openings.len() - distinct.len()) as u64,
            totals: [PlayerTotals::default(); 2],
            halves: HashMap::new(),
            seen: HashSet::new(),
        }
    }

    pub(crate) fn add(&mut self, game: &GameRecord) {
        match game.score {
            1.0 => self.wins += 1,
            0.0 => self.losses += 1,
            _ => self.draws += 1,
        }
        if let Some(margin) = game.margin {
            *self.margin.get_or_insert(0) += i64::from(margin);
        }
        if !self.seen.insert((game.game, game.packed.clone())) {
            self.repeated_games += 1;
        }
        for (totals, spent) in self.totals.iter_mut().zip(&game.spent) {
            totals.moves += spent.moves;
            totals.nodes += spent.nodes;
            totals.depth += spent.depth;
            totals.seconds += spent.seconds;
            totals.longest_ms = totals.longest_ms.max(spent.longest * 1e3);
            let moves = totals.moves.max(1) as f64;
            totals.mean_depth = totals.depth as f64 / moves;
            totals.mean_ms = totals.seconds * 1e3 / moves;
        }
        if let Some(first) = self.halves.remove(&game.pair) {
            // Scores are multiples of ½, so a pair's is a multiple of ½ from 0 to 2.
            self.pairs.counts[((first + game.score) * 2.0) as usize] += 1;
        } else {
            self.halves.insert(game.pair, game.score);
        }
    }

    /// Games finished.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points for each game of the complete pairs, 0 to 1; `None` before the first pair is complete.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        self.pairs.score()
    }

    /// The 95 % interval of [`Score::score`], on pairs.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        self.pairs.interval(CONFIDENCE)
    }

    /// The Elo difference with its 95 % interval, on pairs.
    #[must_use]
    pub fn elo(&self) -> Option<EloEstimate> {
        Some(EloEstimate::new(self.score()?, self.interval()?))
    }

    /// The normalised Elo difference with its 95 % interval, on pairs.
    #[must_use]
    pub fn normalised_elo(&self) -> Option<NormalisedElo> {
        self.pairs.normalised_elo(CONFIDENCE)
    }
}
