//! The progress of a search as a program reports it, line by line.

use banmen_search::{Eval, Line, Report};

/// The largest number of lines; lines with higher numbers are ignored.
const MAX_LINES: usize = 64;

/// What the program has reported so far.
#[derive(Default)]
pub(crate) struct SearchInfo {
    /// The lines by their number; lines not yet reported have no moves.
    lines: Vec<Line<u32>>,
    /// Positions visited.
    pub(crate) nodes: u64,
    /// Depth in plies.
    pub(crate) depth: u32,
}

impl SearchInfo {
    /// Sets the line of this number, from 0.
    pub(crate) fn line(&mut self, number: usize, moves: Vec<u32>, value: f64, eval: Option<Eval>) {
        if number >= MAX_LINES || moves.is_empty() {
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

    /// The report so far, or the final one with the chosen move.
    pub(crate) fn report(&self, best: Option<u32>) -> Report<u32> {
        let mut lines: Vec<Line<u32>> = self.lines.iter().filter(|line| !line.moves.is_empty()).cloned().collect();
        if let Some(best) = best {
            // The line of the chosen move comes first, in whatever order the lines were reported.
            let known = lines.iter().position(|line| line.moves.first() == Some(&best));
            let chosen = known.map(|at| lines.remove(at));
            lines.insert(0, chosen.unwrap_or(Line { moves: vec![best], value: 0.5, eval: None }));
        }
        Report { lines, nodes: self.nodes, depth: self.depth, ..Report::default() }
    }
}
