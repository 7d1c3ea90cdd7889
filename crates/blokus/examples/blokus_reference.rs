//! Compares the fast rules with the reference in positions of random games: legal moves, outcomes, and the positions
//! that the moves lead to.
//!
//! `cargo run --release -p banmen-blokus --example blokus_reference [POSITIONS]` compares 100,000 positions in some
//! minutes.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads its arguments and prints")]

use banmen_blokus::reference::Reference;
use banmen_blokus::{Blokus, Move};
use banmen_game::laws::Reference as _;
use banmen_game::{Game, GameState, Rng};

const VARIANTS: [(&str, Blokus); 3] =
    [("standard", Blokus::STANDARD), ("free-start", Blokus::FREE_START), ("contest", Blokus::CONTEST)];

fn main() {
    let positions: usize =
        std::env::args().nth(1).map_or(100_000, |count| count.parse().expect("a number of positions"));
    let (mut seen, mut games, mut moves) = (0, 0u64, 0);
    while seen < positions {
        let (name, game) = VARIANTS[games as usize % VARIANTS.len()];
        let mut rng = Rng::new(games);
        let mut state = GameState::new(game);
        let mut slow = Reference::of(&game, state.position());
        loop {
            let position = state.position();
            assert_eq!(slow, Reference::of(&game, position), "{name}, game {games}: the position");
            let mut expected = slow.moves(&game);
            expected.sort_by_key(|m| m.index());
            let listed = game.moves(position);
            assert_eq!(listed, expected, "{name}, game {games}: the moves of {position:?}");
            assert_eq!(state.outcome(), slow.outcome(&game), "{name}, game {games}: the outcome of {position:?}");
            (seen, moves) = (seen + 1, moves + listed.len());
            if state.outcome().is_some() {
                break;
            }
            // Random play among the large pieces leads to fuller boards.
            let m = if games.is_multiple_of(2) { pick(&listed, &mut rng) } else { largest(&listed, &mut rng) };
            state.play(m);
            slow.play(&game, m);
        }
        games += 1;
    }
    println!("{seen} positions of {games} games, {moves} moves: all equal");
}

fn pick(moves: &[Move], rng: &mut Rng) -> Move {
    moves[rng.index(moves.len())]
}

/// One of the moves with the largest piece.
fn largest(moves: &[Move], rng: &mut Rng) -> Move {
    let size = |m: &Move| m.piece().map_or(0, banmen_blokus::Piece::size);
    let most = moves.iter().map(size).max().unwrap_or(0);
    let moves: Vec<Move> = moves.iter().copied().filter(|m| size(m) == most).collect();
    pick(&moves, rng)
}
