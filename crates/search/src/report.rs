//! Reports of a search, during the search and at its end.

use std::time::Duration;

use crate::mcts::SearchTree;

/// A value in the game's own unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eval {
    /// The value, from the side to move's view.
    pub n: f64,
    /// Its unit, such as `discs`.
    pub unit: &'static str,
}

/// A line of play and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<M> {
    /// The moves, the first one to be played now.
    pub moves: Vec<M>,
    /// Expected score of the side to move, 0 to 1.
    pub value: f64,
    /// The same in the game's unit, where it has one.
    pub eval: Option<Eval>,
}

/// The result of a search, final or so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Report<M> {
    /// The lines, the best one first; empty only if nothing has been found. The first move of the first line is the best.
    pub lines: Vec<Line<M>>,
    /// Positions visited.
    pub nodes: u64,
    /// Playouts made; `None` for a search without playouts.
    pub playouts: Option<u64>,
    /// The depth in plies that the search completed.
    pub depth: u32,
    /// The time that the search took, by its clock.
    pub time: Duration,
    /// Whether the values are proven.
    pub proven: bool,
    /// The confidence of a selective search, in percent: each of its cuts is right with about this probability. `None` for
    /// other searches.
    pub confidence: Option<u8>,
    /// The search trees, where [`Player::show_tree`](crate::Player::show_tree) asked for them: one, or in a search by stages
    /// one for each stage that was searched.
    pub trees: Vec<SearchTree<M>>,
}

/// A report without a line or counts.
impl<M> Default for Report<M> {
    // As a call it would cost a WebAssembly module 200 bytes.
    #[inline(always)]
    fn default() -> Self {
        Report {
            lines: Vec::new(),
            nodes: 0,
            playouts: None,
            depth: 0,
            time: Duration::ZERO,
            proven: false,
            confidence: None,
            trees: Vec::new(),
        }
    }
}

impl<M: Copy> Report<M> {
    /// A report of one move, without counts.
    pub fn of(m: M, value: f64) -> Self {
        Report { lines: vec![Line { moves: vec![m], value, eval: None }], ..Report::default() }
    }

    /// The best move.
    pub fn best(&self) -> Option<M> {
        self.lines.first().and_then(|line| line.moves.first()).copied()
    }

    /// The expected score of the side to move, 0 to 1; ½ without a line.
    pub fn value(&self) -> f64 {
        self.lines.first().map_or(0.5, |line| line.value)
    }

    /// The value in the game's unit.
    pub fn eval(&self) -> Option<Eval> {
        self.lines.first().and_then(|line| line.eval)
    }

    /// The same report with its moves converted by `write`.
    pub fn map<N>(&self, mut write: impl FnMut(M) -> N) -> Report<N> {
        Report {
            lines: self
                .lines
                .iter()
                .map(|line| Line {
                    moves: line.moves.iter().map(|&m| write(m)).collect(),
                    value: line.value,
                    eval: line.eval,
                })
                .collect(),
            nodes: self.nodes,
            playouts: self.playouts,
            depth: self.depth,
            time: self.time,
            proven: self.proven,
            confidence: self.confidence,
            trees: self.trees.iter().map(|tree| tree.map(&mut write)).collect(),
        }
    }
}
