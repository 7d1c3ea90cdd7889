//! GOLAD's entry in the catalog.

use banmen_catalog::{Entry, Format, PlayerEntry};
use banmen_search::mcts::{Amaf, Fast};

use crate::players::balance3::{self, Balance3};
use crate::players::{ai1, ai2, ai3};
use crate::{Golad, engine, measures, record, speed};

/// The positions of the benchmark: two starts, and two positions of games of the engine against itself, in the middle
/// game and near the end.
const BENCH: &[&str] = &[
    "start",
    "start:banmen-2",
    ".0000000000......./........0........./0.0.00....0.1.111./0..0000..00.1.1..1/...0..0.......1.11/...000.......111../0.....0......11.../.000.00....11..1../.00...0...0....11./.....00....11....1/....00..0........1/.......11..111...1/....11.11.1...111./....1...1.1......./.....1......11.11./......111111...11. 1 99",
    "..........0......./00.......0.0..000./00......0.....000./........00.0....../00......00.00...../00........0.00..../.......00..0.00.../....0.0.00..00..../..00........0...../..0.....0..0....../..0......0000...../.......000..00111./...0..0..0000...1./0..000....0.....1./.0.0............../.0.0.............. 0 152",
];

/// The game under its two rules, with its players.
#[must_use]
pub fn entry() -> Entry<Golad> {
    Entry::new("golad", Golad::STANDARD)
        .title("Game of Life and Death", "ライフゲーム対戦")
        .summary("give birth, kill or pass, then a generation follows; a side without cells has lost")
        .sides(("Red", "赤"), ("Blue", "青"))
        .view("golad")
        .symmetries()
        .default_rules("separate")
        .rules("mixed", Golad::MIXED)
        .starts(|series, number| format!("start:{series}-{number}"))
        .seeded_positions("start:")
        .bench_measure(speed::STEP)
        .bench_measure(speed::WIDTH)
        .fault_costs_turn()
        .format(Format { name: "riddles", write: record::write, read: record::read, rewrite: None })
        .player(PlayerEntry {
            name: "engine",
            summary: "our strongest: alpha-beta over selected moves that are composed cell by cell",
            source: "own",
            keys: engine::KEYS,
            make: |_, options, seed, _| Ok(Box::new(engine::Engine::new(options, seed)?)),
        })
        .player(PlayerEntry {
            name: "balance3",
            summary: "a baseline: three plies and the balance of the cells, like the strongest public bot",
            source: "after the methods and figures of Gnivom/GOLAD_NeuralNet (2018)",
            keys: balance3::KEYS,
            make: |_, options, _, _| Ok(Box::new(Balance3::new(options)?)),
        })
        .tree_player(ai1::entry())
        .tree_player(ai2::entry())
        .tree_player(ai3::entry())
        .measure(measures::TEN)
        .measure(measures::MOVES)
        .measure(measures::PLAYOUTS)
        .measure(measures::CHANGES)
        .measure(measures::SLOW)
        .measure(measures::LEGAL)
        .measure(measures::READS)
        .measure(measures::STOPPED)
        .tree_player(banmen_catalog::mcts::<Golad, Fast, Amaf>())
        .bench_positions(BENCH)
        .bench_depth(4)
}
