//! Proofs that a side can wipe out the other one against every defence.
//!
//! Turns are searched to a bound that grows by two. All outcomes of the defender's turns are searched, and as many of
//! the attacker's as there is time for, since one that wins is enough. A game that only its hit points would decide at
//! the turn limit is not proven.
//!
//! Most positions are refuted without a search: the defender need not attack, so that the damage of the attacker's own turns
//! must be enough, and an upper bound on it is cheap ([`Damage`]).

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::ControlFlow;

use banmen_game::Side;
use banmen_search::Budget;

use super::damage::Damage;
use super::eval::Evaluator;
use super::finish::wipe_out;
use super::outcomes::{Outcomes, TurnEnd};
use crate::game::Tubstap;
use crate::moves::{Listed, Move};
use crate::position::Position;

/// The most outcomes of an attacker's turn that are searched.
const MAX_ATTACKS: usize = 6_000;

/// The most outcomes of a defender's turn that are searched. A turn with more is not proven.
const MAX_REPLIES: usize = 200_000;

/// The most positions that the search for a win within a turn visits.
pub(super) const MAX_TRIED: usize = 200_000;

/// So many of the attacker's turns that won last are tried before all outcomes are listed.
const LATEST: usize = 4;

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
    /// By the turns that are left, the attacker's turns that won last, the latest first.
    latest: HashMap<u16, Vec<Vec<Move>>>,
    outcomes: Outcomes,
}

impl<'g, 'w, 'a> Proof<'g, 'w, 'a> {
    pub(super) fn new(game: &'g Tubstap, evaluator: Evaluator<'g>, attacker: Side, budget: &'w mut Budget<'a>) -> Self {
        let (known, latest) = (HashMap::new(), HashMap::new());
        Proof { game, evaluator, attacker, budget, known, latest, outcomes: Outcomes::default() }
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
        let turns = turns.min(left);
        if !could_win(self.game, self.attacker, position, turns) {
            return false;
        }
        let key = position.key_of_units();
        let known = self.known.get(&key).copied().unwrap_or(Known { won: u16::MAX, open: 0 });
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
        let (game, attacker) = (self.game, self.attacker);
        if let Some(moves) = wipe_out(game, position, MAX_TRIED, self.budget) {
            let mut end = *position;
            moves.iter().for_each(|&m| end.play(game.field(), game.limit(), m));
            return Some((moves, end));
        }
        if turns == 1 {
            return None;
        }
        // Replies to the same turn differ little, and so does what wins against them.
        for number in 0..LATEST {
            let Some(moves) = self.latest.get(&turns).and_then(|latest| latest.get(number)).cloned() else { break };
            let Some(end) = self.after(position, &moves) else { continue };
            if self.budget.node() && self.wins(&end, turns - 1) {
                return Some((moves, end));
            }
        }
        let further = u32::from(turns.div_ceil(2)) - 1;
        let later = Damage::later(position, position.alive(attacker), position.alive(attacker.other()));
        let (mut ends, _) = self.outcomes.of(game, position, MAX_ATTACKS, self.budget, |at| {
            let enemies = at.alive(attacker.other());
            let able = if at.turn() == position.turn() { at.able() } else { 0 };
            Damage::now(game.field(), at, able, enemies).destroys(at, enemies, further, &later)
        });
        ends.sort_by_cached_key(|end| Reverse(self.evaluator.value(&end.position, attacker)));
        for end in ends {
            if self.wins(&end.position, turns - 1) {
                let latest = self.latest.entry(turns).or_default();
                latest.truncate(LATEST - 1);
                latest.insert(0, end.moves.clone());
                return Some((end.moves, end.position));
            }
        }
        None
    }

    /// The position after these moves and the end of the turn, if they are legal.
    fn after(&self, position: &Position, moves: &[Move]) -> Option<Position> {
        let mut at = *position;
        for &m in moves.iter().chain(&[Move::END]) {
            if at.turn() != position.turn() || self.game.is_over(&at) {
                break;
            }
            self.game.check(&at, m).ok()?;
            at.play(self.game.field(), self.game.limit(), m);
        }
        Some(at)
    }

    /// Whether the attacker wins after every turn of the other side.
    fn defend(&mut self, position: &Position, turns: u16) -> bool {
        let (game, attacker, defender) = (self.game, self.attacker, self.attacker.other());
        let escapes = |at: &Position| at.alive(defender) != 0 && !could_win(game, attacker, at, turns - 1);
        // Most turns that refute are those of one unit, and most of these go where not enough damage can be done.
        let mut replies = Vec::new();
        let refuted = game.visit_listed(position, Listed::USUAL, |m| {
            let mut after = *position;
            after.play(game.field(), game.limit(), m);
            if after.turn() == position.turn() && !game.is_over(&after) {
                after.play(game.field(), game.limit(), Move::END);
            }
            replies.push(after);
            if escapes(&after) || !self.budget.node() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if refuted.is_break() {
            return false;
        }
        replies.sort_by_cached_key(|reply| Reverse(self.evaluator.value(reply, defender)));
        if !replies.iter().all(|reply| self.wins(reply, turns - 1)) {
            return false;
        }
        if position.able().count_ones() == 1 {
            return true;
        }
        let (mut ends, whole) = self.outcomes.of(game, position, MAX_REPLIES, self.budget, |_| true);
        if !whole {
            return false;
        }
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
                let (ends, _) = self.outcomes.of(self.game, &at, MAX_REPLIES, self.budget, |_| true);
                let lasts = |end: &TurnEnd| self.known.get(&end.position.key_of_units()).map_or(0, |known| known.won);
                let Some(end) = ends.into_iter().max_by_key(lasts) else { break };
                line.extend_from_slice(&end.moves);
                at = end.position;
            }
        }
        line
    }
}

/// Whether the damage of the attacker's turns that are left of `turns` could be enough. The defender need not attack: the
/// counter-attacks of its turns do not count.
fn could_win(game: &Tubstap, attacker: Side, position: &Position, turns: u16) -> bool {
    let (own, enemies) = (position.alive(attacker), position.alive(attacker.other()));
    let later = Damage::later(position, own, enemies);
    if position.side() == attacker {
        let now = Damage::now(game.field(), position, position.able(), enemies);
        turns != 0 && now.destroys(position, enemies, u32::from(turns.div_ceil(2)) - 1, &later)
    } else {
        turns > 1 && later.destroys(position, enemies, u32::from(turns / 2) - 1, &later)
    }
}
