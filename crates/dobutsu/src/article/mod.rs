//! The Dobutsu shogi of the article "モンテカルロ木探索 (MCTS) でどうぶつしょうぎのゲームAIを作る" (sambaiz). It is a
//! separate game, `dobutsu-article`, because its rules differ from those that people play.
//!
//! It differs from the rules `any-try` in five points, as the article's program does:
//!
//! * A lion on the far rank has won. If both lions are on their far ranks, the first side has won; no game reaches such
//!   a position, only position text can describe one.
//! * A hen moves to five squares: it cannot step straight back either.
//! * A move that would make a position occur for the fourth time is illegal. A position is the board, the pieces in
//!   hand, and the side to move; the start counts from its first return. The article's program stops with an error
//!   where a side has no legal move. Here that is a draw, the only one.
//! * Each of two equal pieces in hand can be dropped: two moves, *twins*, that lead to the same position. They share
//!   one text, which parses as the first of them.
//! * Drops are listed first, by the order in which the pieces were captured and then by squares row by row. The pieces
//!   on the board follow row by row, with their targets row by row too, except a giraffe's: up, down, left, right.
//!
//! `solved` determines which values retrograde analysis decides.
//!
//! So a position stores earlier occurrences and the order of the hands. Its text does not: a parsed position has no
//! history, and its hands are in the order chicks, elephants, giraffes.

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

/// From the opening to positions with twins in hand.
const BENCH: &[&str] = &["start", "gle/1C1/3/ELG w C 1", "1le/g2/1E1/1LG w 2C 1", "1l1/3/2G/EL1 b 2CEg 1"];

/// The article's game with its player and measurements.
#[must_use]
pub fn entry() -> Entry<Article> {
    Entry::new("dobutsu-article", Article)
        .title("Dobutsu shogi of the article", "どうぶつしょうぎ（記事の規則）")
        .summary("the article's rules: a lion on the last rank always wins, hens move to five squares, no position occurs four times")
        .sides(("Sente", "先手"), ("Gote", "後手"))
        .view("dobutsu-article")
        .default_rules("article")
        .remembers()
        .solver(|state, all, bounds, data, _| solved::solve(state, all, bounds, data))
        .tablebases()
        .tree_player(PlayerEntry {
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
