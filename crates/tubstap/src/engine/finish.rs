//! Wiping out the other side within the turn.
//!
//! A unit attacks at most once, and own units do not stop each other. So a move without an attack can matter only if it frees a
//! cell beside an enemy, and its goals that are not beside an enemy are equivalent: one of them is tried.

use std::ops::ControlFlow;

use banmen_game::Game;
use banmen_search::Budget;

use super::damage::Damage;
use super::keys::KeySet;
use crate::cells::{Cells, Wide};
use crate::field::{Field, Form};
use crate::game::Tubstap;
use crate::moves::{Listed, Move};
use crate::position::{Position, bits};

/// The moves of this turn after which the other side has no unit; `None` where there are none, and when the budget runs out
/// or `most` positions have been visited. Positions are counted as nodes.
pub(super) fn wipe_out(game: &Tubstap, position: &Position, most: usize, budget: &mut Budget<'_>) -> Option<Vec<Move>> {
    let mut search = WipeOut { game, budget, most, failed: KeySet::default(), moves: Vec::new() };
    let found = match game.field().form() {
        Form::Small(_) => search.from::<u64>(position),
        Form::Large(_) => search.from::<Wide>(position),
    };
    found.then_some(search.moves)
}

struct WipeOut<'g, 'w, 'a> {
    game: &'g Tubstap,
    budget: &'w mut Budget<'a>,
    most: usize,
    /// Keys of positions from which the other side cannot be wiped out.
    failed: KeySet,
    moves: Vec<Move>,
}

impl WipeOut<'_, '_, '_> {
    /// Whether the side to move can wipe out the other side from here within its turn; the moves are left in
    /// `self.moves`.
    fn from<B: Cells>(&mut self, position: &Position) -> bool {
        let side = position.side();
        if !possible(self.game.field(), position) || !self.failed.insert(position.key_of_units()) {
            return false;
        }
        if self.failed.len() > self.most || !self.budget.node() {
            return false;
        }
        let mut moves: Vec<(u32, Move)> = Vec::new();
        let enemies: B =
            bits(position.alive(side.other())).fold(B::EMPTY, |set, enemy| set | B::only(position.cell(enemy)));
        let beside = enemies.beside();
        let mut away: Option<usize> = None;
        let _ = self.game.visit_listed::<()>(position, Listed::USUAL, |m| {
            let Some(unit) = m.unit() else { return ControlFlow::Continue(()) };
            match m.target() {
                Some(target) => {
                    let damage = self.game.exchange(position, unit, m.to(), target).0;
                    moves.push((damage * 16 / position.hp(target), m));
                }
                None if !beside.contains(position.cell(unit)) => {}
                None if beside.contains(m.to()) => moves.push((0, m)),
                None if away != Some(unit) => {
                    away = Some(unit);
                    moves.push((0, m));
                }
                None => {}
            }
            ControlFlow::Continue(())
        });
        moves.sort_by_key(|&(rank, _)| std::cmp::Reverse(rank));
        for (_, m) in moves {
            let mut next = *position;
            self.game.play(&mut next, m);
            self.moves.push(m);
            if next.alive(side.other()) == 0 || next.turn() == position.turn() && self.from::<B>(&next) {
                return true;
            }
            self.moves.pop();
        }
        false
    }
}

/// Whether the units that can act could do enough damage, if nothing were in their way.
fn possible(field: &Field, position: &Position) -> bool {
    let (own, enemies) = (position.able(), position.alive(position.side().other()));
    // Each enemy takes a unit of its own.
    if enemies.count_ones() > own.count_ones() {
        return false;
    }
    let damage = Damage::now(field, position, own, enemies);
    damage.destroys(position, enemies, 0, &damage)
}
