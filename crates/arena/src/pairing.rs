//! Which two bots of a league play next, and from which opening.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use banmen_catalog::Error;
use banmen_game::{Rng, mix};
use banmen_search::StopFlag;
use banmen_stats::{Ratings, score_from_elo};

use crate::match_pool::PairTask;
use crate::opening::OpeningSequence;
use crate::standings::{MODEL, meetings};
use crate::store::{Entrant, HeadToHead, Store};
use crate::{Contestant, Match, Opening};

/// The number of openings of a pairing before they repeat; bounds the memory of long leagues.
const MAX_OPENINGS: usize = 1024;

/// One in this number of pairings is drawn at random, so that in time all bots play each other.
const RANDOM_EVERY: u64 = 8;

/// The confidence of an interval of one standard deviation to each side.
const DEVIATION: f64 = 0.682_689_492_137_086;

/// The matches of a league.
pub(crate) struct Pairings<'a, 'g> {
    sequence: OpeningSequence<'a>,
    /// The openings that were drawn, by pair.
    openings: Vec<Opening>,
    pairings: Vec<Pairing<'g>>,
    /// Indices of the pairings by the numbers of their players, the smaller number first.
    by_players: HashMap<[i64; 2], usize>,
    /// `None` after a game; the ratings are fitted again when they are needed.
    ratings: Option<Ratings>,
    rng: Rng,
    chosen: u64,
}

/// A match of the league.
struct Pairing<'g> {
    matchup: Arc<Match<'g>>,
    digest: String,
    id: i64,
    players: [i64; 2],
    /// Pairs that were started and not completed, with which of their games are missing.
    incomplete: Vec<(usize, [bool; 2])>,
    next_pair: usize,
    /// Pairs being played, with which of their games are missing.
    running: Vec<(usize, [bool; 2])>,
}

impl<'a, 'g> Pairings<'a, 'g> {
    pub(crate) fn new(sequence: OpeningSequence<'a>, seed: u64) -> Self {
        Pairings {
            sequence,
            openings: Vec::new(),
            pairings: Vec::new(),
            by_players: HashMap::new(),
            ratings: None,
            rng: Rng::new(mix(seed)),
            chosen: 0,
        }
    }

    /// Drops the ratings: a result or a player has changed.
    pub(crate) fn invalidate_ratings(&mut self) {
        self.ratings = None;
    }

    /// Whether any pair is being played.
    pub(crate) fn running(&self) -> bool {
        self.pairings.iter().any(|pairing| !pairing.running.is_empty())
    }

    /// The numbers of the players of a task, `a` of its match first.
    pub(crate) fn players(&self, task: &PairTask<'g>) -> [i64; 2] {
        self.pairings[task.pairing].players
    }

    /// The two of `playing`, which holds two or more indices of `entrants`, whose pair of games is the most informative.
    ///
    /// The value of a pair is the expected gain of information on the difference of the two ratings, ln(1 + information ×
    /// variance) (D-optimal design). The Fisher information of a pair is 2 p (1 − p) (ln 10 / 400)², the largest for equal
    /// players. So new players are chosen first, then players with close ratings and wide intervals. The value is divided
    /// by 1 plus the pairs that each of the two is already playing, those of the two with each other counted six times in all,
    /// since these will add information, too.
    pub(crate) fn choose(
        &mut self,
        entrants: &[Entrant],
        playing: &[usize],
        results: &BTreeMap<i64, HeadToHead>,
    ) -> (usize, usize) {
        self.chosen += 1;
        let pairs: Vec<(usize, usize)> =
            playing.iter().enumerate().flat_map(|(at, &a)| playing.iter().skip(at + 1).map(move |&b| (a, b))).collect();
        if self.chosen.is_multiple_of(RANDOM_EVERY) {
            return pairs[self.rng.index(pairs.len())];
        }
        if self.ratings.is_none() {
            let places: HashMap<i64, usize> = entrants.iter().enumerate().map(|(at, one)| (one.id, at)).collect();
            let all: Vec<HeadToHead> = results.values().copied().collect();
            // The virtual games of the prior make the fit succeed for any results within its range.
            self.ratings = Ratings::fit(entrants.len(), &meetings(&places, &all), MODEL).ok();
        }
        let mut running: HashMap<i64, f64> = HashMap::new();
        for pairing in &self.pairings {
            for player in pairing.players {
                *running.entry(player).or_default() += pairing.running.len() as f64;
            }
        }
        let gain = |&(a, b): &(usize, usize)| -> f64 {
            let found = self.ratings.as_ref().and_then(|ratings| ratings.difference(a, b, DEVIATION));
            let Some(difference) = found else { return 0.0 };
            let (score, deviation) = (score_from_elo(difference.value), 0.5 * (difference.high - difference.low));
            let information = 2.0 * score * (1.0 - score) * (std::f64::consts::LN_10 / 400.0).powi(2);
            let (a, b) = (entrants[a].id, entrants[b].id);
            let together = self.pairing(a, b).map_or(0.0, |pairing| pairing.running.len() as f64);
            let others = running.get(&a).unwrap_or(&0.0) + running.get(&b).unwrap_or(&0.0);
            (information * deviation * deviation).ln_1p() / (1.0 + others + 4.0 * together)
        };
        let mut best = (pairs[0], f64::NEG_INFINITY);
        for pair in &pairs {
            let gain = gain(pair);
            if gain > best.1 {
                best = (*pair, gain);
            }
        }
        best.0
    }

    fn pairing(&self, a: i64, b: i64) -> Option<&Pairing<'g>> {
        self.by_players.get(&[a.min(b), a.max(b)]).map(|&at| &self.pairings[at])
    }

    /// The next pair of games of two entrants. `None` when one of their programs has changed, so that their match has other
    /// versions of them.
    pub(crate) fn task(
        &mut self,
        conditions: &Match<'g>,
        store: &Store,
        event: i64,
        mut two: [&Entrant; 2],
        stop: &StopFlag,
    ) -> Result<Option<PairTask<'g>>, Error> {
        let [a, b] = two.map(|entrant| entrant.id);
        let key = [a.min(b), a.max(b)];
        let at = match self.by_players.get(&key) {
            Some(&at) => at,
            None => {
                // The match does not depend on the order in which the players were chosen.
                two.sort_by(|a, b| a.player.cmp(&b.player));
                let limits = conditions.spec.a.limits;
                let [a, b] = two.map(|entrant| Contestant::new(entrant.player.as_str(), limits));
                let matchup = conditions.between(a, b);
                let id = store.enter_match(&matchup, Some(event), None, None)?;
                let players = store.players_in(id)?;
                if players != two.map(|entrant| entrant.id) {
                    return Ok(None);
                }
                let stored = store.stored_games(id)?;
                let next_pair = stored.pairs();
                let missing = |pair| (pair, [0, 1].map(|game| !stored.contains(pair, game)));
                let incomplete =
                    (0..next_pair).rev().map(missing).filter(|(_, missing)| *missing != [false; 2]).collect();
                let digest = matchup.digest()?;
                let matchup = Arc::new(matchup);
                let pairing = Pairing { matchup, digest, id, players, incomplete, next_pair, running: Vec::new() };
                self.pairings.push(pairing);
                self.by_players.insert(key, self.pairings.len() - 1);
                self.pairings.len() - 1
            }
        };
        let pairing = &mut self.pairings[at];
        let (pair, missing) = pairing.incomplete.pop().unwrap_or_else(|| {
            pairing.next_pair += 1;
            (pairing.next_pair - 1, [true; 2])
        });
        while self.openings.len() <= pair % MAX_OPENINGS {
            self.openings.push(self.sequence.next_opening(stop)?);
        }
        pairing.running.push((pair, missing));
        let opening = &self.openings[pair % MAX_OPENINGS];
        let games = (0..2).filter(|&game| missing[game]);
        let jobs = games.map(|game| pairing.matchup.job(&pairing.digest, pair, game, opening)).collect();
        Ok(Some(PairTask { pairing: at, matchup: Arc::clone(&pairing.matchup), id: pairing.id, pair, jobs }))
    }

    /// A game of a task was stored.
    pub(crate) fn on_game(&mut self, task: &PairTask<'g>, game: usize) {
        let running = self.pairings[task.pairing].running.iter_mut().find(|(pair, _)| *pair == task.pair);
        if let Some((_, missing)) = running {
            missing[game] = false;
        }
    }

    /// A task is over. Games that it did not complete are played later.
    pub(crate) fn on_task_end(&mut self, task: &PairTask<'g>) {
        let pairing = &mut self.pairings[task.pairing];
        if let Some(at) = pairing.running.iter().position(|(pair, _)| *pair == task.pair) {
            let left = pairing.running.swap_remove(at);
            if left.1 != [false, false] {
                pairing.incomplete.push(left);
            }
        }
    }
}
