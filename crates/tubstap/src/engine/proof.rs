//! Proofs that a side can wipe out the other one against every defence.
//!
//! Turns are searched to a bound that grows by two. All outcomes of the defender's turns are searched, and some
//! thousands of the attacker's, since one that wins is enough. A game that only its hit points would decide at
//! the turn limit is not proven.
//!
//! Most positions are refuted without a search: the defender need not attack, so that the damage of the attacker's own turns
//! must be enough, and an upper bound on it is cheap ([`Damage`]).

use std::cmp::Reverse;
use std::ops::ControlFlow;

use banmen_game::Side;
use banmen_search::Budget;

use super::damage::Damage;
use super::finish::wipe_out;
use super::keys::KeyMap;
use super::outcomes::{Outcomes, TurnEnd};
use crate::cells::Cell;
use crate::game::Tubstap;
use crate::moves::{Listed, Move};
use crate::position::Position;

/// The most outcomes of an attacker's turn that are searched: at first, and where these do not suffice.
const ATTACKS: [usize; 2] = [6_000, 30_000];

/// The most outcomes of a defender's turn that are searched. A turn with more is not proven.
const MAX_REPLIES: usize = 200_000;

/// The hit points that a unit counts for beside its own.
const UNIT: u32 = 5;

/// The most positions that the search for a win within a turn visits.
const MAX_TRIED: usize = 200_000;

/// So many of the attacker's turns that won last are tried before all outcomes are listed.
const LATEST: usize = 4;

/// What is proven about a position.
struct Known {
    /// The attacker wins within so many turns; `u16::MAX` without a proof.
    won: u16,
    /// It is not proven to win within so many turns.
    open: u16,
    /// The turn of that win, where the attacker moves. Units are named by their cells, since two positions that
    /// differ in which of two equal units stands where have the same key.
    turn: Box<[Option<Step>]>,
}

impl Default for Known {
    fn default() -> Self {
        Known { won: u16::MAX, open: 0, turn: Box::default() }
    }
}

/// What one unit does, by cells.
#[derive(Clone, Copy)]
struct Step {
    from: Cell,
    to: Cell,
    target: Option<Cell>,
}

/// The bytes that an entry of the table counts for: at most 113 for its place, just after the table has grown, with the
/// smaller table that was copied; the rest is for a turn of up to nine units.
pub(super) const ENTRY_BYTES: usize = 160;

/// The defender's moves: all of them. A unit that attacks without damage and is destroyed by the counter-attack frees
/// its cell.
const DEFENCES: Listed = Listed { zero_damage: true, ..Listed::USUAL };

/// A search for a proof that `attacker` wins.
pub(super) struct Proof<'g, 'w, 'a> {
    game: &'g Tubstap,
    attacker: Side,
    budget: &'w mut Budget<'a>,
    /// By the key of the units, without the turn.
    known: KeyMap<Known>,
    /// When the table has so many entries no more are added.
    most_known: usize,
    /// The most outcomes of an attacker's turn that are searched now.
    most_attacks: usize,
    /// Some turn of the attacker has more, of which none is found to win.
    has_more: bool,
    /// By the turns that are left, the attacker's turns that won last, the latest first.
    latest: Vec<Vec<Vec<Move>>>,
    outcomes: Outcomes,
}

impl<'g, 'w, 'a> Proof<'g, 'w, 'a> {
    /// `table` is the most bytes of the table of what is known.
    pub(super) fn new(game: &'g Tubstap, attacker: Side, table: usize, budget: &'w mut Budget<'a>) -> Self {
        Proof {
            game,
            attacker,
            budget,
            known: KeyMap::default(),
            most_known: table / ENTRY_BYTES,
            most_attacks: 0,
            has_more: false,
            latest: vec![Vec::new(); usize::from(game.limit()) + 1],
            outcomes: Outcomes::default(),
        }
    }

    /// In how many turns, this one counted and at most `turns`, the attacker is found to win from here. `None` also
    /// when the budget is over.
    fn wins(&mut self, position: &Position, turns: u16) -> Option<u16> {
        let (own, other) = (position.alive(self.attacker), position.alive(self.attacker.other()));
        if other == 0 || own == 0 {
            return (other == 0).then_some(0);
        }
        let left = self.game.limit().saturating_sub(position.turn());
        if turns == 0 || left == 0 || self.budget.over() {
            return None;
        }
        let turns = turns.min(left);
        if !could_win(self.game, self.attacker, position, turns) {
            return None;
        }
        let key = position.key_of_units();
        if let Some(known) = self.known.get(&key) {
            if known.won <= turns {
                return Some(known.won);
            }
            if known.open >= turns {
                return None;
            }
        }
        let (won, turn) = if position.side() == self.attacker {
            self.attack(position, turns).unzip()
        } else {
            (self.defend(position, turns), None)
        };
        if won.is_none() && self.budget.over() {
            return None;
        }
        if self.known.len() < self.most_known || self.known.contains_key(&key) {
            let steps = turn.map_or_else(Box::default, |moves| steps(self.game, position, &moves));
            let known = self.known.entry(key).or_default();
            match won {
                Some(won) => (known.won, known.turn) = (won, steps),
                None => known.open = known.open.max(turns),
            }
        }
        won
    }

    /// A turn after which the attacker, which moves, wins, and in how many turns.
    fn attack(&mut self, position: &Position, turns: u16) -> Option<(u16, Vec<Move>)> {
        let (game, attacker) = (self.game, self.attacker);
        if let Some(moves) = wipe_out(game, position, MAX_TRIED, self.budget) {
            return Some((1, moves));
        }
        if turns == 1 {
            return None;
        }
        // Replies to the same turn differ little, and so does what wins against them.
        for number in 0..LATEST {
            let Some(moves) = self.latest.get(usize::from(turns)).and_then(|latest| latest.get(number)) else { break };
            let Some((moves, end)) = self.after(position, moves) else { continue };
            if self.budget.node()
                && let Some(rest) = self.wins(&end, turns - 1)
            {
                return Some((rest + 1, moves));
            }
        }
        let further = u32::from(turns.div_ceil(2)) - 1;
        let later = Damage::later(position, position.alive(attacker), position.alive(attacker.other()));
        let (mut ends, whole) = self.outcomes.of(game, position, Listed::USUAL, self.most_attacks, self.budget, |at| {
            let enemies = at.alive(attacker.other());
            let able = if at.turn() == position.turn() { at.able() } else { 0 };
            Damage::now(game.field(), at, able, enemies).destroys(at, enemies, further, &later)
        });
        ends.sort_by_cached_key(|end| Reverse(lead(&end.position, attacker)));
        for end in ends {
            if let Some(rest) = self.wins(&end.position, turns - 1) {
                if let Some(latest) = self.latest.get_mut(usize::from(turns)) {
                    latest.truncate(LATEST - 1);
                    latest.insert(0, end.moves.clone());
                }
                return Some((rest + 1, end.moves));
            }
        }
        self.has_more |= !whole;
        None
    }

    /// These moves, if they are legal, with the end of the turn where they leave it open, and the position after them.
    fn after(&self, position: &Position, moves: &[Move]) -> Option<(Vec<Move>, Position)> {
        let (mut played, mut at) = (Vec::new(), *position);
        for &m in moves.iter().chain(&[Move::END]) {
            if at.turn() != position.turn() || self.game.is_over(&at) {
                break;
            }
            self.game.check(&at, m).ok()?;
            at.play(self.game.field(), self.game.limit(), m);
            played.push(m);
        }
        Some((played, at))
    }

    /// In how many turns the attacker wins after every turn of the other side.
    fn defend(&mut self, position: &Position, turns: u16) -> Option<u16> {
        let (game, attacker, defender) = (self.game, self.attacker, self.attacker.other());
        let escapes = |at: &Position| at.alive(defender) != 0 && !could_win(game, attacker, at, turns - 1);
        // Most turns that refute are those of one unit, and most of these go where not enough damage can be done.
        let mut replies = Vec::new();
        let refuted = game.visit_listed(position, DEFENCES, |m| {
            let mut after = *position;
            after.play(game.field(), game.limit(), m);
            if after.turn() == position.turn() && !game.is_over(&after) {
                after.play(game.field(), game.limit(), Move::END);
            }
            replies.push(after);
            if escapes(&after) || !self.budget.node() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if refuted.is_break() {
            return None;
        }
        replies.sort_by_cached_key(|reply| Reverse(lead(reply, defender)));
        let mut longest = 0;
        for reply in &replies {
            longest = self.wins(reply, turns - 1)?.max(longest);
        }
        if position.able().count_ones() == 1 {
            return Some(longest + 1);
        }
        let (mut ends, whole) = self.outcomes.of(game, position, DEFENCES, MAX_REPLIES, self.budget, |_| true);
        if !whole {
            return None;
        }
        ends.sort_by_cached_key(|end| Reverse(lead(&end.position, defender)));
        for end in &ends {
            longest = self.wins(&end.position, turns - 1)?.max(longest);
        }
        Some(longest + 1)
    }

    /// The shortest win that is found from each of these positions, in turns. The search is deepened for all of them
    /// together, until the budget is over, a win from each is found or the turn limit is reached; then it is repeated with more
    /// of the attacker's turns, if there are more.
    pub(super) fn search(&mut self, starts: &[Position]) -> Vec<Option<u16>> {
        let mut found = vec![None; starts.len()];
        // What is found about them is kept even when the table is full.
        for start in starts {
            self.known.entry(start.key_of_units()).or_default();
        }
        for attacks in ATTACKS {
            (self.most_attacks, self.has_more) = (attacks, false);
            self.deepen(starts, &mut found);
            if !self.has_more || self.budget.over() || found.iter().all(Option::is_some) {
                break;
            }
            self.known.values_mut().for_each(|known| known.open = 0);
        }
        found
    }

    /// Searches for wins in more and more turns from those positions from which none is found.
    fn deepen(&mut self, starts: &[Position], found: &mut [Option<u16>]) {
        let left = starts.iter().map(|start| self.game.limit().saturating_sub(start.turn())).max().unwrap_or(0);
        for turns in (1..=left + 1).step_by(2) {
            for (start, found) in starts.iter().zip(&mut *found).filter(|(_, found)| found.is_none()) {
                // A win ends with a turn of the attacker.
                let own = start.side() == self.attacker;
                *found = self.wins(start, if own { turns } else { turns - 1 });
            }
            if self.budget.over() || found.iter().all(Option::is_some) {
                break;
            }
        }
    }

    /// Entries of the table.
    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        self.known.len()
    }

    /// A line of play after a win was found: the attacker's winning turns, and the defences that last longest. It ends
    /// early when the budget is over, after at least the turn of the attacker that begins it.
    pub(super) fn line(&mut self, position: &Position) -> Vec<Move> {
        let (mut line, mut at) = (Vec::new(), *position);
        while at.alive(self.attacker.other()) != 0 {
            let before = line.len();
            if at.side() == self.attacker {
                let Some(known) = self.known.get(&at.key_of_units()) else { break };
                for step in &known.turn {
                    let m = step.map_or(Some(Move::END), |step| step.as_move(&at));
                    let Some(m) = m.filter(|&m| self.game.check(&at, m).is_ok()) else { return line };
                    at.play(self.game.field(), self.game.limit(), m);
                    line.push(m);
                }
            } else {
                let (mut ends, whole) = self.outcomes.of(self.game, &at, DEFENCES, MAX_REPLIES, self.budget, |_| true);
                if !whole {
                    break;
                }
                // Numbers of the type of `lead`: the sort is compiled once.
                let won = |known: &Known| if known.won == u16::MAX { 0 } else { i32::from(known.won) };
                ends.sort_by_cached_key(|end| Reverse(self.known.get(&end.position.key_of_units()).map_or(0, won)));
                // The win that is known after a defence need not be the shortest.
                let lasts = |end: &&TurnEnd| {
                    let turns = self.known.get(&end.position.key_of_units()).map_or(0, won);
                    turns != 0 && self.wins(&end.position, (turns - 2).max(0) as u16).is_none()
                };
                let Some(end) = ends.iter().find(lasts) else { break };
                line.extend_from_slice(&end.moves);
                at = end.position;
            }
            if line.len() == before {
                break;
            }
        }
        line
    }
}

impl Step {
    /// The move of the unit that is on the cell now.
    fn as_move(self, position: &Position) -> Option<Move> {
        let unit = position.unit_on(self.from)?;
        Some(match self.target {
            Some(target) => Move::attack(unit, self.to, position.unit_on(target)?),
            None => Move::quiet(unit, self.to),
        })
    }
}

/// What turns are ordered by: a side's lead in hit points, where a unit counts for some more. The engine's evaluation orders
/// them no better, and takes half of the time.
fn lead(position: &Position, side: Side) -> i32 {
    let strength = |side| position.hit_points(side) + UNIT * position.alive(side).count_ones();
    strength(side) as i32 - strength(side.other()) as i32
}

/// Moves by the cells of their units; `None` for the end of the turn.
fn steps(game: &Tubstap, position: &Position, moves: &[Move]) -> Box<[Option<Step>]> {
    let mut at = *position;
    let step = |&m: &Move| {
        let target = m.target().map(|target| at.cell(target));
        let step = m.unit().map(|unit| Step { from: at.cell(unit), to: m.to(), target });
        at.play(game.field(), game.limit(), m);
        step
    };
    moves.iter().map(step).collect()
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
