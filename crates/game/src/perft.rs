//! Counting move sequences, to test and time move generators.

use std::ops::ControlFlow;

use crate::Game;

/// How perft counts a forced pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PassCost {
    /// As a ply like any other move.
    #[default]
    Ply,
    /// A pass that is the only move does not count.
    Free,
}

/// The number of sequences of exactly `depth` moves from `position`; `None` when `stop` returned true.
///
/// A game that ended earlier counts one or nothing, as [`Game::perft_counts_terminal`] says. The history is ignored.
/// The last ply is counted, not played. `stop` is called at every position two or more plies above the leaves.
pub fn perft<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    passes: PassCost,
    stop: &dyn Fn() -> bool,
) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    let lone_pass = passes == PassCost::Free && only_passes(game, position);
    if depth == 1 && !lone_pass {
        return Some(match game.count_moves(position) {
            0 => u64::from(game.perft_counts_terminal()),
            count => count as u64,
        });
    }
    if depth >= 2 && stop() {
        return None;
    }
    let mut total = 0;
    let mut listed = false;
    let visited = game.visit_moves(position, |m| {
        listed = true;
        let mut next = position.clone();
        game.play(&mut next, m);
        match perft(game, &next, if lone_pass { depth } else { depth - 1 }, passes, stop) {
            Some(count) => {
                total += count;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    });
    if visited.is_break() {
        return None;
    }
    Some(if listed { total } else { u64::from(game.perft_counts_terminal()) })
}

/// Whether a pass is the only legal move.
fn only_passes<G: Game>(game: &G, position: &G::Position) -> bool {
    let Some(pass) = game.pass() else { return false };
    let mut lone = false;
    let other = game.visit_moves(position, |m| {
        lone = m == pass;
        if lone { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    lone && other.is_continue()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Side};

    /// One or two of the stones that are left are taken in each turn, until none is left.
    #[derive(Clone, Debug, PartialEq)]
    struct Stones;

    impl Game for Stones {
        type Position = u8;
        type Move = u8;
        type History = ();

        fn start(&self) -> u8 {
            20
        }

        fn side_to_move(&self, _: &u8) -> Side {
            Side::First
        }

        fn outcome(&self, left: &u8, (): &()) -> Option<Outcome> {
            (*left == 0).then_some(Outcome { winner: None, margin: None, by: "empty" })
        }

        fn visit_moves<B>(&self, left: &u8, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
            (1..=2.min(*left)).try_for_each(visit)
        }

        fn play(&self, left: &mut u8, taken: u8) {
            *left -= taken;
        }

        fn key(&self, left: &u8) -> u64 {
            u64::from(*left)
        }

        fn max_plies(&self) -> usize {
            20
        }

        fn pack(&self, taken: u8) -> u32 {
            taken.into()
        }

        fn unpack(&self, packed: u32) -> Option<u8> {
            u8::try_from(packed).ok()
        }
    }

    #[test]
    fn stops_when_asked_even_where_all_games_end_earlier() {
        for depth in [2, 3, 15, 99] {
            assert_eq!(perft(&Stones, &20, depth, PassCost::Ply, &|| true), None, "depth {depth}");
        }
        // 1 1 1, 1 1 2, 1 2 1, 2 1 1; 2 2 ends earlier.
        assert_eq!(perft(&Stones, &4, 3, PassCost::Ply, &|| false), Some(4));
    }
}
