//! What GOLAD brings into the house.

use banmen_catalog::Entry;
use banmen_search::mcts::Fast;

use crate::{Golad, speed};

/// The game under its two rules, with its players.
#[must_use]
pub fn entry() -> Entry<Golad> {
    Entry::new("golad", Golad::STANDARD)
        .title("Game of Life and Death", "ライフゲーム対戦")
        .summary("give birth, kill, and let a generation pass; whose cells alone are left wins")
        .sides(("Red", "赤"), ("Blue", "青"))
        .view("golad")
        .default_rules("separate")
        .rules("mixed", Golad::MIXED)
        .starts(|series, number| format!("start:{series}-{number}"))
        .bench_measure(speed::STEP)
        .bench_measure(speed::WIDTH)
        .player(banmen_catalog::mcts::<Golad, Fast>())
}
