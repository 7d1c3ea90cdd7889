//! Prints the tree as the article's program does.

use std::fmt::Write;

use banmen_game::Side;
use banmen_search::mcts::{Guide, Mcts, NodeStats};

use super::{Article, Move};
use crate::board::Piece;
use crate::position;

/// One printed node.
#[derive(Clone, Debug, PartialEq)]
pub struct Printed {
    /// The move that leads to the node.
    pub m: Move,
    /// [`score`] of the node.
    pub score: f64,
    /// Simulations through the node that were won by the side that moves to it.
    pub wins: f64,
    /// Simulations through the node.
    pub visits: f64,
}

/// The part of a tree that the article prints: depth, move, score, wins and visits of each node, below a root with
/// 1,001,000 visits. The print cuts off the last node's other children.
pub const ARTICLE: [(usize, &str, &str, u32, u32); 15] = [
    (0, "(2, 1) -> (1, 1)", "0.839369", 116, 234),
    (1, "(0, 0) -> (1, 0)", "0.831078", 20, 53),
    (2, "C -> (0, 0)", "1.960251", 1, 3),
    (2, "C -> (1, 2)", "1.860205", 3, 5),
    (2, "C -> (2, 0)", "1.922211", 6, 7),
    (2, "C -> (2, 1)", "1.983738", 5, 6),
    (2, "C -> (2, 2)", "1.626918", 0, 3),
    (2, "(1, 1) -> (0, 1)", "1.939301", 9, 9),
    (2, "(3, 0) -> (2, 1)", "1.908952", 2, 4),
    (2, "(3, 1) -> (2, 0)", "1.817071", 4, 6),
    (2, "(3, 1) -> (2, 1)", "1.626918", 0, 3),
    (2, "(3, 1) -> (2, 2)", "1.908952", 2, 4),
    (2, "(3, 2) -> (2, 2)", "1.960251", 1, 3),
    (1, "(0, 1) -> (1, 0)", "0.954886", 18, 41),
    (2, "C -> (0, 1)", "1.862639", 2, 4),
];

/// The article's formula: `wins / visits + √2 √(ln parent / visits)`, infinite without visits.
#[must_use]
pub fn score(wins: f64, visits: f64, parent: f64) -> f64 {
    if visits == 0.0 {
        return f64::INFINITY;
    }
    wins / visits + std::f64::consts::SQRT_2 * (libm::log(parent) / visits).sqrt()
}

/// A move in the article's notation, by rows and columns from the top left: `(2, 1) -> (1, 1)`, `C -> (0, 0)`.
#[must_use]
pub(crate) fn move_text(m: position::Move) -> String {
    let to = format!("({}, {})", m.to().row(), m.to().column());
    match m {
        position::Move::Step { from, .. } => format!("({}, {}) -> {to}", from.row(), from.column()),
        position::Move::Drop { piece, .. } => {
            let letter = match piece {
                Piece::Chick => "C",
                Piece::Elephant => "E",
                Piece::Giraffe => "G",
                Piece::Lion => "L",
                Piece::Hen => "H",
            };
            format!("{letter} -> {to}")
        }
    }
}

/// The children of the node that a line of moves leads to from the root. Empty for a leaf and for a line that leaves
/// the tree. `root` is the side to move at the root.
#[must_use]
pub fn children<K: Guide<Article>>(mcts: &Mcts<Article, K>, root: Side, line: &[Move]) -> Vec<Printed> {
    let Some(parent) = mcts.node_stats(line) else { return Vec::new() };
    // In this game the sides alternate.
    let mover = if line.len().is_multiple_of(2) { root } else { root.other() };
    let printed = |(m, NodeStats { visits, sum, .. }): (Move, NodeStats)| {
        let wins = if mover == Side::First { sum } else { visits - sum };
        Printed { m, score: score(wins, visits, parent.visits), wins, visits }
    };
    mcts.children(line).into_iter().map(printed).collect()
}

/// The tree below the node that a line leads to, `levels` deep. Each text line is a node: its move, and in brackets
/// score, wins and visits.
#[must_use]
pub fn print<K: Guide<Article>>(mcts: &Mcts<Article, K>, root: Side, line: &[Move], levels: usize) -> String {
    let mut text = String::new();
    let mut line = line.to_vec();
    write_below(mcts, root, &mut line, levels, 0, &mut text);
    text
}

fn write_below<K: Guide<Article>>(
    mcts: &Mcts<Article, K>,
    root: Side,
    line: &mut Vec<Move>,
    levels: usize,
    indent: usize,
    text: &mut String,
) {
    if indent == levels {
        return;
    }
    for Printed { m, score, wins, visits } in children(mcts, root, line) {
        let (bars, name) = ("│   ".repeat(indent), move_text(m.played));
        let _ = writeln!(text, "{bars}├──{name} [{score:.6}/{wins}/{visits}]");
        line.push(m);
        write_below(mcts, root, line, levels, indent + 1, text);
        line.pop();
    }
}
