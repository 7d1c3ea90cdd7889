//! The games of a match that are still to be played.

use banmen_catalog::Error;
use banmen_search::StopFlag;

use crate::opening::OpeningSequence;
use crate::store::Store;
use crate::stored::StoredGames;
use crate::{Job, Match, Opening};

/// The games of a match that are not in the store, in the order of their pairs.
pub(crate) struct JobQueue<'a> {
    matchup: &'a Match<'a>,
    digest: String,
    openings: OpeningSequence<'a>,
    stored: StoredGames,
    pairs: usize,
    next_pair: usize,
    /// The second game of the pair whose first game was returned last.
    second: Option<(usize, Opening)>,
}

impl<'a> JobQueue<'a> {
    /// The games of the first `pairs` pairs of match `id` of the store.
    pub(crate) fn new(matchup: &'a Match<'a>, store: &'a Store, id: i64, pairs: usize) -> Result<Self, Error> {
        Ok(JobQueue {
            matchup,
            digest: matchup.digest()?,
            openings: OpeningSequence::new(matchup, store)?,
            stored: store.stored_games(id)?,
            pairs,
            next_pair: 0,
            second: None,
        })
    }

    /// Goes on to this number of pairs.
    pub(crate) fn extend_to(&mut self, pairs: usize) {
        self.pairs = self.pairs.max(pairs);
    }

    /// The next game that is not in the store.
    pub(crate) fn next_job(&mut self, stop: &StopFlag) -> Result<Option<Job>, Error> {
        if let Some((pair, opening)) = self.second.take() {
            return Ok(Some(self.matchup.job(&self.digest, pair, 1, &opening)));
        }
        while self.next_pair < self.pairs {
            let pair = self.next_pair;
            self.next_pair += 1;
            // Drawn even for a pair that is complete: later openings avoid the earlier ones.
            let opening = self.openings.next_opening(stop)?;
            let game = match [0, 1].map(|game| self.stored.contains(pair, game)) {
                [true, true] => continue,
                [true, false] => 1,
                [false, true] => 0,
                [false, false] => {
                    self.second = Some((pair, opening.clone()));
                    0
                }
            };
            return Ok(Some(self.matchup.job(&self.digest, pair, game, &opening)));
        }
        Ok(None)
    }

    /// The games of the next pair that are not in the store, one or two.
    pub(crate) fn next_pair(&mut self, stop: &StopFlag) -> Result<Option<Vec<Job>>, Error> {
        let Some(first) = self.next_job(stop)? else { return Ok(None) };
        let second = if self.second.is_some() { self.next_job(stop)? } else { None };
        Ok(Some([Some(first), second].into_iter().flatten().collect()))
    }
}
