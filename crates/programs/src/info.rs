//! What a program tells of its search, line by line.

use std::time::Duration;

use banmen_search::{Eval, Line, Report};

/// More lines than this are not kept.
const MOST_LINES: usize = 64;

/// What was told so far.
#[derive(Default)]
pub(crate) struct Told {
    /// The lines of play by their number; those that were not told yet are without moves.
    lines: Vec<Line<u32>>,
    /// Positions visited.
    pub(crate) nodes: u64,
    /// Depth in plies.
    pub(crate) depth: u32,
}

impl Told {
    /// Takes the line of this number, from 0.
    pub(crate) fn line(&mut self, number: usize, moves: Vec<u32>, value: f64, eval: Option<Eval>) {
        if number >= MOST_LINES || moves.is_empty() {
            return;
        }
        let line = Line { moves, value, eval };
        while self.lines.len() <= number {
            self.lines.push(Line { moves: Vec::new(), value: 0.5, eval: None });
        }
        if let Some(place) = self.lines.get_mut(number) {
            *place = line;
        }
    }

    /// The report so far, or at the end, with the move that was chosen.
    pub(crate) fn report(&self, best: Option<u32>) -> Report<u32> {
        let mut lines: Vec<Line<u32>> = self.lines.iter().filter(|line| !line.moves.is_empty()).cloned().collect();
        if let Some(best) = best {
            // What is played comes first, whatever was told of it.
            let known = lines.iter().position(|line| line.moves.first() == Some(&best));
            let chosen = known.map(|at| lines.remove(at));
            lines.insert(0, chosen.unwrap_or(Line { moves: vec![best], value: 0.5, eval: None }));
        }
        Report { lines, nodes: self.nodes, playouts: None, depth: self.depth, time: Duration::ZERO, proven: false }
    }
}
