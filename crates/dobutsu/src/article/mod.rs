//! The Dobutsu shogi of the article "モンテカルロ木探索 (MCTS) でどうぶつしょうぎのゲームAIを作る" (sambaiz): a game of its
//! own, `dobutsu-article`, beside the rules that people play.
//!
//! It differs from the rules `any-try` in five points, as the article's program does:
//!
//! * A lion on the far rank has won. Where both are there, which only a position from outside can show, the first side
//!   has.
//! * A hen moves to five squares: straight back is left out too.
//! * A move after which a position would occur for the fourth time may not be made. A position is the board, what the
//!   hands hold, and the side to move; the start counts from its first return. The program stops with an error where
//!   a side has no move left; here that is a draw, the only one.
//! * Of two equal pieces in hand each can be dropped: two moves, *twins*, that lead to the same position. They have one
//!   text, which is read as the first of them.
//! * Moves are listed drops first, by the order in which the pieces were captured and by squares row by row; then the
//!   pieces on the board row by row, with their targets row by row too, but for a giraffe's: up, down, left, right.
//!
//! `solved` says what of it is decided by retrograde analysis.
//!
//! So a position holds what occurred and the order of the hands. Its text does not: read back, a position has no past,
//! and hands in the order chicks, elephants, giraffes.

mod game;
mod notation;
mod position;
mod solved;
pub mod tree;

use banmen_catalog::{Entry, PlayerEntry};
use banmen_search::mcts::Fast;

pub use game::Article;
pub use position::{Move, Position};

use crate::measures;
use crate::players::article;

/// From the opening to hands with twins.
const BENCH: &[&str] = &["start", "gle/1C1/3/ELG w C 1", "1le/g2/1E1/1LG w 2C 1", "1l1/3/2G/EL1 b 2CEg 1"];

/// The article's game with its player and measurements.
#[must_use]
pub fn entry() -> Entry<Article> {
    Entry::new("dobutsu-article", Article)
        .title("Dobutsu shogi of the article", "どうぶつしょうぎ（記事の規則）")
        .summary("as the article's program has it: any lion across wins, hens of five squares, no fourth occurrence")
        .sides(("Sente", "先手"), ("Gote", "後手"))
        .view("dobutsu-article")
        .default_rules("article")
        .remembers()
        .solver(|state, all, bounds, data, _| solved::solve(state, all, bounds, data))
        .tablebases()
        .player(PlayerEntry {
            name: "article",
            summary: article::SUMMARY,
            source: article::SOURCE,
            keys: article::KEYS,
            make: |game, options, seed, _| Ok(Box::new(article::player(game, Fast::default(), options, seed)?)),
        })
        .measure(measures::CURVE)
        .measure(measures::FIRST)
        .measure(measures::TRAINED)
        .measure(measures::RANDOM)
        .measure(measures::TREE)
        .bench_positions(BENCH)
}
