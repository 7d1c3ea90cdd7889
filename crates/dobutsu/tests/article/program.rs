//! The article's program in plain code: a board of cells, a map of occurrences, a tree of vectors.
//!
//! This module uses neither the masks nor the tree search of the crates; the tests check them against it.

use std::collections::HashMap;

use banmen_dobutsu::article::{Article, Move, Position};
use banmen_dobutsu::board::{Piece, Square};
use banmen_dobutsu::position::{self, cells};
use banmen_game::{Outcome, Rng, Side, laws};

type Cells = [[Option<(Side, Piece)>; 3]; 4];

/// A board of 4 rows of 3 columns, row 0 on top.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    cells: Cells,
    /// In the order of capture.
    hands: [Vec<Piece>; 2],
    occurred: HashMap<(Cells, [Vec<Piece>; 2], Side), u32>,
    pub(crate) side: Side,
    /// Squares that a hen reaches: 5 in the article's program, 6 by the rules.
    hen: usize,
}

impl Board {
    pub(crate) fn new(position: &Position, hen: usize) -> Board {
        let board = position.board();
        let flat = cells(board);
        let hands = Side::BOTH.map(|side| {
            let count = |piece: Piece| std::iter::repeat_n(piece, board.hand(side).count(piece) as usize);
            Piece::DROPPED.into_iter().flat_map(count).collect()
        });
        let cells = std::array::from_fn(|row| std::array::from_fn(|column| flat[3 * row + column]));
        Board { cells, hands, occurred: HashMap::new(), side: board.side(), hen }
    }

    /// The key by which positions are equal.
    fn state(&self) -> (Cells, [Vec<Piece>; 2], Side) {
        let mut hands = self.hands.clone();
        hands.iter_mut().for_each(|hand| hand.sort_unstable());
        (self.cells, hands, self.side)
    }

    pub(crate) fn winner(&self) -> Option<(Side, &'static str)> {
        let (mut first, mut second) = (false, false);
        for (row, cells) in self.cells.iter().enumerate() {
            for cell in cells {
                match cell {
                    Some((Side::First, Piece::Lion)) if row == 0 => return Some((Side::First, "try")),
                    Some((Side::Second, Piece::Lion)) if row == 3 => return Some((Side::Second, "try")),
                    Some((Side::First, Piece::Lion)) => first = true,
                    Some((Side::Second, Piece::Lion)) => second = true,
                    _ => {}
                }
            }
        }
        match (first, second) {
            (false, _) => Some((Side::Second, "catch")),
            (_, false) => Some((Side::First, "catch")),
            _ => None,
        }
    }

    /// Row and column steps of a piece, in the article's order.
    fn steps(&self, side: Side, piece: Piece) -> Vec<(i32, i32)> {
        let ahead = if side == Side::First { -1 } else { 1 };
        let around = (-1..=1).flat_map(|row| (-1..=1).map(move |column| (row, column)));
        let around = around.filter(|&step| step != (0, 0));
        match piece {
            Piece::Chick => vec![(ahead, 0)],
            Piece::Giraffe => vec![(-1, 0), (1, 0), (0, -1), (0, 1)],
            Piece::Elephant => around.filter(|(row, column)| row * column != 0).collect(),
            Piece::Lion => around.collect(),
            Piece::Hen if self.hen == 5 => around.filter(|&(row, _)| row != -ahead).collect(),
            Piece::Hen => around.filter(|&(row, column)| row != -ahead || column == 0).collect(),
        }
    }

    fn after(&self, m: position::Move) -> Board {
        let mut next = self.clone();
        let (row, column) = (m.to().row(), m.to().column());
        let hand = &mut next.hands[self.side.index()];
        next.cells[row][column] = match m {
            position::Move::Drop { piece, .. } => {
                let held = hand.iter().position(|&held| held == piece).expect("a piece in hand");
                Some((self.side, hand.remove(held)))
            }
            position::Move::Step { from, .. } => {
                if let Some((_, captured)) = self.cells[row][column] {
                    hand.push(if captured == Piece::Hen { Piece::Chick } else { captured });
                }
                let far = if self.side == Side::First { 0 } else { 3 };
                match next.cells[from.row()][from.column()].take() {
                    Some((side, Piece::Chick)) if row == far => Some((side, Piece::Hen)),
                    moved => moved,
                }
            }
        };
        next.side = self.side.other();
        *next.occurred.entry(next.state()).or_default() += 1;
        next
    }

    /// The moves in order with the boards after them, even if the game is over.
    pub(crate) fn successors(&self) -> Vec<(Move, Board)> {
        let mut all = Vec::new();
        for (place, &piece) in self.hands[self.side.index()].iter().enumerate() {
            for to in (0..12).filter_map(Square::new) {
                if self.cells[to.row()][to.column()].is_none() && piece != Piece::Lion {
                    let twin = self.hands[self.side.index()][..place].contains(&piece);
                    all.push(Move { played: position::Move::Drop { piece, to }, twin });
                }
            }
        }
        for from in (0..12).filter_map(Square::new) {
            let Some((side, piece)) = self.cells[from.row()][from.column()] else { continue };
            if side != self.side {
                continue;
            }
            for (row, column) in self.steps(side, piece) {
                let (row, column) = (from.row() as i32 + row, from.column() as i32 + column);
                if !(0..4).contains(&row) || !(0..3).contains(&column) {
                    continue;
                }
                let Some(to) = Square::at(column as usize, row as usize) else { continue };
                if self.cells[to.row()][to.column()].is_none_or(|(owner, _)| owner != side) {
                    all.push(Move::first(position::Move::Step { from, to }));
                }
            }
        }
        let boards = all.into_iter().map(|m| (m, self.after(m.played)));
        boards.filter(|(_, next)| next.occurred[&next.state()] < 4).collect()
    }

    /// The number of sequences of exactly `depth` moves, ignoring earlier occurrences.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.winner().is_some() {
            return 0;
        }
        self.successors().into_iter().map(|(_, next)| next.perft(depth - 1)).sum()
    }
}

impl laws::Reference<Article> for Board {
    fn of(_: &Article, position: &Position) -> Self {
        Board::new(position, 5)
    }

    fn moves(&self, _: &Article) -> Vec<Move> {
        if self.winner().is_some() { Vec::new() } else { self.successors().into_iter().map(|(m, _)| m).collect() }
    }

    fn play(&mut self, _: &Article, m: Move) {
        *self = self.after(m.played);
    }

    fn outcome(&self, _: &Article) -> Option<Outcome> {
        match self.winner() {
            Some((winner, by)) => Some(Outcome { winner: Some(winner), margin: None, by }),
            None if self.successors().is_empty() => Some(Outcome { winner: None, margin: None, by: "stuck" }),
            None => None,
        }
    }
}

/// A node of the article's tree.
pub(crate) struct Node {
    pub(crate) board: Board,
    pub(crate) m: Option<Move>,
    /// Points of the side that moved to this node.
    pub(crate) score: f64,
    pub(crate) visits: u64,
    parent: Option<usize>,
    pub(crate) children: Vec<usize>,
}

/// The article's tree and its loop.
pub(crate) struct Program {
    pub(crate) nodes: Vec<Node>,
    rng: Rng,
    /// Whether `Expand` leaves out children that end the game.
    skips: bool,
}

impl Program {
    pub(crate) fn new(seed: u64, skips: bool) -> Program {
        let board = Board::new(&banmen_game::Game::start(&Article), 5);
        let mut program = Program { nodes: Vec::new(), rng: Rng::new(seed), skips };
        program.add(board, None, None);
        program.add_children(0);
        program
    }

    fn add(&mut self, board: Board, m: Option<Move>, parent: Option<usize>) -> usize {
        self.nodes.push(Node { board, m, score: 0.0, visits: 0, parent, children: Vec::new() });
        self.nodes.len() - 1
    }

    fn add_children(&mut self, at: usize) {
        if self.nodes[at].board.winner().is_some() {
            return;
        }
        for (m, board) in self.nodes[at].board.successors() {
            let child = self.add(board, Some(m), Some(at));
            self.nodes[at].children.push(child);
        }
    }

    fn expand(&mut self, at: usize) {
        if self.nodes[at].board.winner().is_some() {
            return;
        }
        for (m, board) in self.nodes[at].board.successors() {
            if self.skips && board.winner().is_some() {
                continue;
            }
            let child = self.add(board, Some(m), Some(at));
            self.nodes[at].children.push(child);
            self.add_children(child);
        }
    }

    /// The child with the largest score; of equal ones, the first.
    fn best(&self, at: usize) -> Option<usize> {
        let parent = self.nodes[at].visits as f64;
        let mut best = None;
        for &child in &self.nodes[at].children {
            let Node { score, visits, .. } = self.nodes[child];
            let n = visits as f64;
            let value = match visits {
                0 => f64::INFINITY,
                _ => score / n + 2f64.sqrt() * (libm::log(parent) / n).sqrt(),
            };
            if best.is_none_or(|(known, _)| value > known) {
                best = Some((value, child));
            }
        }
        best.map(|(_, child)| child)
    }

    /// Runs one loop. Returns whether player 1 has won.
    pub(crate) fn step(&mut self) -> bool {
        let mut at = 0;
        while let Some(next) = self.best(at) {
            at = next;
            let replies = &self.nodes[at].children;
            if replies.is_empty() {
                break;
            }
            at = replies[self.rng.index(replies.len())];
        }
        let mut board = self.nodes[at].board.clone();
        let winner = loop {
            if let Some((winner, _)) = board.winner() {
                break Some(winner);
            }
            let mut next = board.successors();
            if next.is_empty() {
                break None;
            }
            let drawn = if next.len() > 1 { self.rng.index(next.len()) } else { 0 };
            board = next.swap_remove(drawn).1;
        };
        let mut up = Some(at);
        while let Some(at) = up {
            let node = &mut self.nodes[at];
            node.visits += 1;
            node.score += winner.map_or(0.5, |winner| f64::from(u8::from(winner != node.board.side)));
            if node.children.is_empty() && node.visits >= 10 {
                self.expand(at);
            }
            up = self.nodes[at].parent;
        }
        winner == Some(Side::First)
    }
}
