//! All outcomes of a turn.

use std::ops::ControlFlow;

use banmen_search::Budget;

use super::keys::KeySet;
use crate::game::Tubstap;
use crate::moves::{Listed, Move};
use crate::position::Position;

/// A way to play a turn.
#[derive(Clone, Debug)]
pub(super) struct TurnEnd {
    pub(super) moves: Vec<Move>,
    /// The position after the turn.
    pub(super) position: Position,
}

/// Lists the positions that a turn can lead to, each once.
#[derive(Default)]
pub(super) struct Outcomes {
    seen: KeySet,
}

impl Outcomes {
    /// Up to `most` outcomes of turns with the moves that are `listed`, and whether these are all. Positions within the
    /// turn and after it that are not `wanted` are left out, with all that follows them. Positions within the turn
    /// count as nodes.
    pub(super) fn of(
        &mut self,
        game: &Tubstap,
        position: &Position,
        listed: Listed,
        most: usize,
        budget: &mut Budget<'_>,
        wanted: impl Fn(&Position) -> bool,
    ) -> (Vec<TurnEnd>, bool) {
        self.seen.clear();
        let mut stages = vec![TurnEnd { moves: Vec::new(), position: *position }];
        let mut ends = Vec::new();
        // The positions within the turn are limited too.
        let bound = 4 * most;
        while let Some(stage) = stages.pop() {
            let all = game.visit_listed(&stage.position, listed, |m| {
                let mut after = stage.position;
                after.play(game.field(), game.limit(), m);
                if !wanted(&after) || !self.seen.insert(after.key_of_units()) {
                    return ControlFlow::Continue(());
                }
                if ends.len() >= most || self.seen.len() >= bound || !budget.node() {
                    return ControlFlow::Break(());
                }
                let moves = stage.moves.iter().copied().chain([m]).collect();
                let end = TurnEnd { moves, position: after };
                if after.turn() != position.turn() || game.is_over(&after) {
                    ends.push(end)
                } else {
                    stages.push(end)
                }
                ControlFlow::Continue(())
            });
            if all.is_break() {
                return (ends, false);
            }
        }
        (ends, true)
    }
}
