//! What an alpha-beta search does near its root: the window of every visit, its value, and how it ended.
//!
//! A search has a [`Recorder`] only where [`Player::record_windows`](crate::Player::record_windows) asked for it; without one
//! it pays a test for each visit. Moves are packed.

use banmen_game::Side;

/// Which visits are recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowQuery {
    /// The moves from the root to the node whose visits are wanted, packed: of the nodes on this way only these moves are
    /// recorded.
    pub path: Vec<u32>,
    /// Plies below that node, at least 1.
    pub depth: u32,
    /// No more visits than this, the root included: the first ones.
    pub max_nodes: usize,
}

/// How a visit ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VisitEnd {
    /// All moves were searched.
    #[default]
    Searched,
    /// A move reached beta: the moves after it were cut off.
    Cut,
    /// The transposition table had a value that decides the window.
    Table,
    /// Pruned by its evaluation.
    Pruned,
    /// At the end of the depth: valued by the evaluation or by a search of captures.
    Leaf,
    /// Valued by an exact solver.
    Solved,
    /// The game ends here, or repeats a position.
    Ended,
}

/// A visit of a node; a node is visited again with another window or depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The place of the visit of its parent, before this one; `None` for the root.
    pub parent: Option<usize>,
    /// The move that leads here, packed; `None` for the root.
    pub m: Option<u32>,
    /// The side to move.
    pub side: Side,
    /// The plies that were left to search.
    pub depth: i32,
    /// The window, from the view of the side to move.
    pub alpha: i32,
    /// Its upper end.
    pub beta: i32,
    /// The value, from the view of the side to move: a bound where it is outside of the window. `None` where the search ended
    /// here.
    pub value: Option<i32>,
    /// How the visit ended.
    pub end: VisitEnd,
    /// The moves that were not searched because of a cut, packed.
    pub cut: Vec<u32>,
}

/// The visits of the last finished iteration, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The depth of the iteration.
    pub depth: u32,
    /// Values from here on are proven wins, those from its negative on proven losses.
    pub proven: i32,
    /// The value of a win at the root; each ply to it subtracts one.
    pub win: i32,
    /// Beyond every value: the bounds of the full window.
    pub infinite: i32,
    /// The units of a value in one unit of the game, where it has one.
    pub scale: Option<(i32, &'static str)>,
    /// The visits: the root, then each after its parent.
    pub visits: Vec<Visit>,
    /// Visits that did not fit, without what is below them.
    pub left_out: u64,
}

/// Records an iteration after another.
#[derive(Debug)]
pub struct Recorder {
    query: WindowQuery,
    visits: Vec<Visit>,
    /// The visits under way, the root first.
    open: Vec<usize>,
    /// How many visits under way are not recorded.
    skipped: u32,
    left_out: u64,
    /// The last finished iteration: its depth, its visits, and how many were left out.
    done: (u32, Vec<Visit>, u64),
}

impl Recorder {
    /// Nothing is recorded yet.
    #[must_use]
    pub fn new(query: WindowQuery) -> Self {
        Recorder { query, visits: Vec::new(), open: Vec::new(), skipped: 0, left_out: 0, done: (0, Vec::new(), 0) }
    }

    /// An iteration begins at the root.
    pub fn begin(&mut self, side: Side, depth: i32, alpha: i32, beta: i32) {
        self.visits.clear();
        self.open.clear();
        (self.skipped, self.left_out) = (0, 0);
        self.push(None, side, depth, alpha, beta);
    }

    /// The iteration is finished, with this value of the root.
    pub fn finish(&mut self, depth: u32, value: i32) {
        self.leave(Some(value));
        self.done = (depth, std::mem::take(&mut self.visits), self.left_out);
    }

    /// A visit of the node after a move begins.
    pub fn enter(&mut self, m: u32, side: Side, depth: i32, alpha: i32, beta: i32) {
        let WindowQuery { path, depth: most, max_nodes } = &self.query;
        let ply = self.open.len();
        let on_way = ply.checked_sub(1).and_then(|before| path.get(before)).is_none_or(|&next| next == m);
        if self.skipped > 0 || !on_way || ply > path.len() + *most as usize {
            self.skipped += 1;
        } else if self.visits.len() >= *max_nodes {
            self.skipped += 1;
            self.left_out += 1;
        } else {
            self.push(Some(m), side, depth, alpha, beta);
        }
    }

    /// As [`Recorder::enter`], in a game whose sides alternate.
    pub fn enter_reply(&mut self, m: u32, depth: i32, alpha: i32, beta: i32) {
        let mover = self.open.last().and_then(|&visit| self.visits.get(visit)).map_or(Side::First, |visit| visit.side);
        self.enter(m, mover.other(), depth, alpha, beta);
    }

    fn push(&mut self, m: Option<u32>, side: Side, depth: i32, alpha: i32, beta: i32) {
        let parent = self.open.last().copied();
        self.open.push(self.visits.len());
        let (value, end, cut) = (None, VisitEnd::default(), Vec::new());
        self.visits.push(Visit { parent, m, side, depth, alpha, beta, value, end, cut });
    }

    /// How the visit under way ends.
    pub fn end(&mut self, end: VisitEnd) {
        if let Some(visit) = self.current() {
            visit.end = end;
        }
    }

    /// The visit under way ends by a cut, which leaves out these moves.
    pub fn cut(&mut self, moves: impl Iterator<Item = u32>) {
        if let Some(visit) = self.current() {
            visit.end = VisitEnd::Cut;
            visit.cut = moves.collect();
        }
    }

    fn current(&mut self) -> Option<&mut Visit> {
        self.open.last().filter(|_| self.skipped == 0).and_then(|&visit| self.visits.get_mut(visit))
    }

    /// The visit under way is over. A value of `None` means that the search ended within it.
    pub fn leave(&mut self, value: Option<i32>) {
        if self.skipped > 0 {
            self.skipped -= 1;
        } else if let Some(visit) = self.open.pop().and_then(|visit| self.visits.get_mut(visit)) {
            visit.value = value;
        }
    }

    /// A move whose value is known without a visit.
    pub fn known(&mut self, m: u32, side: Side, (alpha, beta): (i32, i32), value: i32, end: VisitEnd) {
        self.enter(m, side, 0, alpha, beta);
        self.end(end);
        self.leave(Some(value));
    }

    /// Another search of the node under way begins, of which nothing is recorded.
    pub fn pause(&mut self) {
        self.skipped += 1;
    }

    /// That search is over.
    pub fn resume(&mut self) {
        self.skipped -= 1;
    }

    /// The last finished iteration; `None` before there is one. The arguments are fields of [`Windows`].
    #[must_use]
    pub fn windows(self, [proven, win, infinite]: [i32; 3], scale: Option<(i32, &'static str)>) -> Option<Windows> {
        let (depth, visits, left_out) = self.done;
        (!visits.is_empty()).then_some(Windows { depth, proven, win, infinite, scale, visits, left_out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorder(path: &[u32], depth: u32, max_nodes: usize) -> Recorder {
        Recorder::new(WindowQuery { path: path.to_vec(), depth, max_nodes })
    }

    /// Two moves below each node, three plies deep; the second one of the root is cut off by its first answer.
    fn search(recorder: &mut Recorder) {
        recorder.begin(Side::First, 3, -100, 100);
        for m in [1, 2] {
            recorder.enter(m, Side::Second, 2, -100, 100);
            for answer in [3, 4] {
                if (m, answer) == (2, 4) {
                    recorder.cut([4].into_iter());
                    continue;
                }
                recorder.enter(answer, Side::First, 1, -100, 100);
                recorder.known(5, Side::Second, (-1, 1), 7, VisitEnd::Leaf);
                recorder.leave(Some(-7));
            }
            recorder.leave(Some(7));
        }
        recorder.finish(3, -7);
    }

    fn shown(recorder: Recorder) -> Vec<(Option<usize>, Option<u32>, VisitEnd)> {
        let windows = recorder.windows([90, 99, 100], None).expect("an iteration");
        assert_eq!((windows.depth, windows.visits[0].value), (3, Some(-7)));
        windows.visits.iter().map(|visit| (visit.parent, visit.m, visit.end)).collect()
    }

    #[test]
    fn records_what_is_asked_for() {
        use VisitEnd::{Cut, Leaf, Searched};
        let mut all = recorder(&[], 3, 100);
        search(&mut all);
        let rest = [(Some(5), Some(3), Searched), (Some(6), Some(5), Leaf)];
        let whole = [
            (None, None, Searched),
            (Some(0), Some(1), Searched),
            (Some(1), Some(3), Searched),
            (Some(2), Some(5), Leaf),
            (Some(1), Some(4), Searched),
            (Some(4), Some(5), Leaf),
            (Some(0), Some(2), Cut),
        ];
        let rest = rest.map(|(parent, m, end)| (parent.map(|parent| parent + 1), m, end));
        assert_eq!(shown(all), [&whole[..], &rest[..]].concat());

        let mut shallow = recorder(&[], 1, 100);
        search(&mut shallow);
        assert_eq!(shown(shallow), [(None, None, Searched), (Some(0), Some(1), Searched), (Some(0), Some(2), Cut)]);

        let mut below = recorder(&[2], 1, 100);
        search(&mut below);
        assert_eq!(shown(below), [(None, None, Searched), (Some(0), Some(2), Cut), (Some(1), Some(3), Searched)]);
    }

    #[test]
    fn keeps_the_last_finished_iteration_and_counts_what_does_not_fit() {
        let mut few = recorder(&[], 3, 3);
        assert!(recorder(&[], 3, 3).windows([0; 3], None).is_none());
        search(&mut few);
        few.begin(Side::First, 4, -100, 100);
        few.enter(9, Side::Second, 3, -1, 1);
        let windows = few.windows([0; 3], None).expect("an iteration");
        assert_eq!((windows.visits.len(), windows.visits[2].m), (3, Some(3)));
        // A leaf, the second answer, and the second move.
        assert_eq!(windows.left_out, 3);
        assert!(windows.visits.iter().all(|visit| visit.value.is_some()));
    }
}
