//! The action of a unit in stages: which unit acts, then what it does.

use std::ops::ControlFlow;

use banmen_search::Stages;

use crate::game::Tubstap;
use crate::moves::{Listed, Move};
use crate::position::Position;

/// How the action of a unit is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitStages {
    /// The unit; then its cell and its target. Section 3 of the paper.
    Two,
    /// The unit, its cell, its target.
    Three,
}

/// The unit of the move that ends the turn.
const NO_UNIT: u32 = u32::MAX;

fn unit(m: Move) -> u32 {
    m.unit().map_or(NO_UNIT, |unit| unit as u32)
}

impl Stages<Tubstap> for UnitStages {
    fn count(&self) -> usize {
        match self {
            UnitStages::Two => 2,
            UnitStages::Three => 3,
        }
    }

    fn part(&self, _: &Tubstap, _: &Position, m: Move, stage: usize) -> u32 {
        if stage == 0 { unit(m) } else { m.to().index() as u32 }
    }

    /// As the notation begins: `3@…` for the unit, `3@2,4…` for its cell.
    fn label(&self, game: &Tubstap, position: &Position, parts: &[u32]) -> String {
        let first = self.visit_moves(game, position, parts, ControlFlow::Break).break_value();
        match first.and_then(Move::unit).zip(first) {
            None => "end".to_owned(),
            Some((unit, m)) if parts.len() > 1 => format!("{unit}@{}…", m.to()),
            Some((unit, _)) => format!("{unit}@…"),
        }
    }

    fn visit_moves<B>(
        &self,
        game: &Tubstap,
        position: &Position,
        parts: &[u32],
        mut visit: impl FnMut(Move) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let units = parts.first().map_or(u32::MAX, |&unit| 1u32.checked_shl(unit).unwrap_or(0));
        game.visit_listed(position, Listed { units, ..Listed::USUAL }, |m| match parts.get(1) {
            Some(&to) if to != m.to().index() as u32 => ControlFlow::Continue(()),
            _ => visit(m),
        })
    }

    /// Units by number; cells row by row.
    fn visit_parts<B>(
        &self,
        game: &Tubstap,
        position: &Position,
        parts: &[u32],
        mut visit: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if parts.is_empty() {
            // Every unit that can act can stand still.
            let mut units = if game.is_over(position) { 0 } else { position.able() };
            while units != 0 {
                visit(units.trailing_zeros())?;
                units &= units - 1;
            }
            return ControlFlow::Continue(());
        }
        self.visit_moves(game, position, parts, |m| match m.target() {
            // Wherever a unit can attack from it can also go.
            Some(_) => ControlFlow::Continue(()),
            None => visit(m.to().index() as u32),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use banmen_game::laws::Laws;
    use banmen_game::{Game, GameState, PassCost, Rng, perft};
    use banmen_search::{Part, Staged};

    use super::*;
    use crate::maps;

    #[test]
    fn staged_actions_are_the_actions() {
        let (mut rng, mut attacks) = (Rng::new(5), 0);
        for name in ["map01", "map02", "map03"] {
            let mut state = GameState::new(maps::named(name).expect("a map"));
            while state.outcome().is_none() && state.moves().len() < 60 {
                let listed = state.game().moves(state.position());
                attacks += listed.iter().filter(|m| m.target().is_some()).count();
                for stages in [UnitStages::Two, UnitStages::Three] {
                    let view = Staged::new(state.game().clone(), stages);
                    let count = stages.count() as u32;
                    let start = view.position(*state.position());
                    // Every line of the view is one action, and all of them are there.
                    let mut lines = vec![start];
                    for _ in 1..count {
                        let next = |position| {
                            let view = &view;
                            view.moves(&position).into_iter().map(move |part| {
                                let mut next = position;
                                view.play(&mut next, part);
                                next
                            })
                        };
                        lines = lines.into_iter().flat_map(next).collect();
                    }
                    let whole: Vec<Move> = lines
                        .iter()
                        .flat_map(|position| view.moves(position).into_iter().filter_map(|m| view.whole(position, m)))
                        .collect();
                    assert_eq!(whole.len(), listed.len());
                    assert_eq!(whole.iter().collect::<HashSet<_>>(), listed.iter().collect());
                    assert!(whole.is_sorted_by_key(|&m| unit(m)), "units by number");
                }
                state.play(listed[rng.index(listed.len())]);
            }
        }
        assert!(attacks > 100, "{attacks}");
        let game = maps::standard();
        for stages in [UnitStages::Two, UnitStages::Three] {
            let view = Staged::new(game.clone(), stages);
            let paths = perft(&game, &game.start(), 2, PassCost::Ply, &|| false);
            assert_eq!(perft(&view, &view.start(), 2 * stages.count() as u32, PassCost::Ply, &|| false), paths);
            Laws { games: 4, moves: 50, ..Laws::default() }.rules(&view);
        }
    }

    #[test]
    fn a_turn_that_was_ended_early_is_a_state_too() {
        let mut state = GameState::new(maps::standard());
        state.play(Move::END);
        for stages in [UnitStages::Two, UnitStages::Three] {
            let view = Staged::new(state.game().clone(), stages).state(&state);
            assert_eq!(view.position().base(), state.position());
            assert_eq!(view.moves().first(), Some(&Part(NO_UNIT)));
        }
    }
}
