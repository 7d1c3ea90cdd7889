//! Proofs that a side can wipe out the other one against every defence.
//!
//! Turns are searched to a bound that grows by two. All outcomes of the defender's turns are searched, and as many of
//! the attacker's as there is time for, since one that wins is enough. A game that only its hit points would decide at
//! the turn limit is not proven.

use std::cmp::Reverse;
use std::collections::HashMap;

use banmen_game::Side;
use banmen_search::Budget;

use super::eval::Evaluator;
use super::finish::wipe_out;
use super::outcomes::{Outcomes, TurnEnd};
use crate::game::Tubstap;
use crate::moves::Move;
use crate::position::Position;

/// The most outcomes of a turn that are searched. A defender's turn with more is not proven.
const MAX_OUTCOMES: usize = 6_000;

/// The most positions that the search for a win within a turn visits.
const MAX_TRIED: usize = 200_000;

/// What is proven about a position at the start of a turn of the attacker or the defender.
#[derive(Clone, Copy)]
struct Known {
    /// The attacker wins within so many turns.
    won: u16,
    /// It is not proven to win within so many turns.
    open: u16,
}

/// A search for a proof that `attacker` wins.
pub(super) struct Proof<'g, 'w, 'a> {
    game: &'g Tubstap,
    evaluator: Evaluator<'g>,
    attacker: Side,
    budget: &'w mut Budget<'a>,
    /// By the key of the units, without the turn.
    known: HashMap<u64, Known>,
    outcomes: Outcomes,
}

impl<'g, 'w, 'a> Proof<'g, 'w, 'a> {
    pub(super) fn new(game: &'g Tubstap, evaluator: Evaluator<'g>, attacker: Side, budget: &'w mut Budget<'a>) -> Self {
        Proof { game, evaluator, attacker, budget, known: HashMap::new(), outcomes: Outcomes::default() }
    }

    /// Whether the attacker wins from here within `turns` turns, this one counted. False also when the budget is over.
    fn wins(&mut self, position: &Position, turns: u16) -> bool {
        let (own, other) = (position.alive(self.attacker), position.alive(self.attacker.other()));
        if other == 0 || own == 0 {
            return other == 0;
        }
        let left = self.game.limit().saturating_sub(position.turn());
        if turns == 0 || left == 0 || self.budget.over() {
            return false;
        }
        let key = position.key_of_units();
        let known = self.known.get(&key).copied().unwrap_or(Known { won: u16::MAX, open: 0 });
        let turns = turns.min(left);
        if known.won <= turns {
            return true;
        }
        if known.open >= turns {
            return false;
        }
        let won = if position.side() == self.attacker {
            self.attack(position, turns).is_some()
        } else {
            self.defend(position, turns)
        };
        if self.budget.over() {
            return won;
        }
        let known = self.known.entry(key).or_insert(known);
        if won {
            known.won = known.won.min(turns);
        } else {
            known.open = known.open.max(turns);
        }
        won
    }

    /// A turn after which the attacker, which moves, wins.
    fn attack(&mut self, position: &Position, turns: u16) -> Option<(Vec<Move>, Position)> {
        if let Some(moves) = wipe_out(self.game, position, MAX_TRIED, self.budget) {
            let mut end = *position;
            moves.iter().for_each(|&m| end.play(self.game.field(), self.game.limit(), m));
            return Some((moves, end));
        }
        if turns == 1 {
            return None;
        }
        let (mut ends, _) = self.outcomes.of(self.game, position, MAX_OUTCOMES, self.budget);
        let attacker = self.attacker;
        ends.sort_by_cached_key(|end| Reverse(self.evaluator.value(&end.position, attacker)));
        for end in ends {
            if self.wins(&end.position, turns - 1) {
                return Some((end.moves.to_vec(), end.position));
            }
        }
        None
    }

    /// Whether the attacker wins after every turn of the other side.
    fn defend(&mut self, position: &Position, turns: u16) -> bool {
        if turns == 1 {
            return false;
        }
        let (mut ends, whole) = self.outcomes.of(self.game, position, MAX_OUTCOMES, self.budget);
        if !whole {
            return false;
        }
        let defender = self.attacker.other();
        ends.sort_by_cached_key(|end| Reverse(self.evaluator.value(&end.position, defender)));
        ends.iter().all(|end| self.wins(&end.position, turns - 1))
    }

    /// The shortest win that is found, in turns. Searches until the budget is over or the turn limit is reached.
    pub(super) fn search(&mut self, position: &Position) -> Option<u16> {
        let left = self.game.limit().saturating_sub(position.turn());
        let first = if position.side() == self.attacker { 1 } else { 2 };
        (first..=left)
            .step_by(2)
            .find(|&turns| self.wins(position, turns) || self.budget.over())
            .filter(|&turns| self.known.get(&position.key_of_units()).is_some_and(|known| known.won <= turns))
    }

    /// A line of play after a win was found: the attacker's winning turns, and defences that last longest as far as they are
    /// known.
    pub(super) fn line(&mut self, position: &Position) -> Vec<Move> {
        let (mut line, mut at) = (Vec::new(), *position);
        while at.alive(self.attacker.other()) != 0 {
            let Some(&Known { won, .. }) = self.known.get(&at.key_of_units()) else { break };
            if at.side() == self.attacker {
                let Some((moves, end)) = self.attack(&at, won) else { break };
                line.extend(moves);
                at = end;
            } else {
                let (ends, _) = self.outcomes.of(self.game, &at, MAX_OUTCOMES, self.budget);
                let lasts = |end: &TurnEnd| self.known.get(&end.position.key_of_units()).map_or(0, |known| known.won);
                let Some(end) = ends.into_iter().max_by_key(lasts) else { break };
                line.extend_from_slice(&end.moves);
                at = end.position;
            }
        }
        line
    }
}
