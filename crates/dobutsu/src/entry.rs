//! What Dobutsu shogi brings into the house.

use banmen_catalog::Entry;

use crate::{Dobutsu, solved};

/// From the opening to the ending: what `banmen bench` searches. The last is Fairy-Stockfish's second perft position.
const BENCH: &[&str] = &["start", "gle/1C1/3/ELG w C 1", "1le/g2/1E1/1LG w 2C 1", "g1e/1cL/lC1/E1G b - 1"];

/// The game with its variants and players.
#[must_use]
pub fn entry() -> Entry<Dobutsu> {
    Entry::new("dobutsu", Dobutsu::CATCH)
        .title("Dobutsu shogi", "どうぶつしょうぎ")
        .summary("catch the lion, or bring yours across safely")
        .sides(("Sente", "先手"), ("Gote", "後手"))
        .view("dobutsu")
        .default_rules("catch")
        .rules("legal", Dobutsu::LEGAL)
        .rules("any-try", Dobutsu::ANY_TRY)
        .solver(|walk, all, bounds, data, _| solved::solve(walk, all, bounds, data))
        .tables()
        .bench_positions(BENCH)
}
