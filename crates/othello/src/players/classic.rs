//! The article's program: mobility and corners, plain alpha-beta, half a second.
//!
//! Source: "オセロAI入門", Livesense Advent Calendar 2017, day 2 (3 December 2017). This implements the article's listing,
//! including its peculiarities; each of them has a key:
//!
//! - a pass costs a ply of depth, and there is no test for the end of the game: the search passes until it reaches the
//!   evaluation (`passes`);
//! - every root move is searched with a full window (`window`);
//! - the ending maximises the own discs, not the margin with the empty squares given to the winner (`aim`), and is
//!   searched to its end without limits (`overrun`; in matches it respects the limits and falls back to the best root
//!   move so far, and with a depth limit of fewer plies than empty squares there is no exact ending).
//!
//! Where the article is silent, values are ours: it gives three of the eight values of a corner strip (corner 10, "a
//! good place" 1, "a stone that lets the corner be taken" −5) and calls k "a suitable coefficient".

use std::time::Duration;

use banmen_catalog::{Key, Kind, Options};
use banmen_search::{Budget, Eval, Limits, Line, Player, Report, Task};

use crate::Othello;
use crate::board::{Bits, Board};
use crate::lines::Lines;
use crate::position::Move;

/// The keys of the player.
pub const KEYS: &[Key] = &[
    Key {
        name: "board",
        kind: Kind::Choice(&["words", "lines"]),
        default: "words",
        summary: "two 64-bit bitboards, or the article's own board of 16-bit lines and tables",
        source: "the article, ビットボード; it calls bitboards the usual way",
    },
    Key {
        name: "depth",
        kind: Kind::Integer(1, 60),
        default: "60",
        summary: "the deepest iteration, in plies",
        source: "the article deepens until the time is up",
    },
    Key {
        name: "first",
        kind: Kind::Integer(1, 60),
        default: "3",
        summary: "the first iteration, in plies",
        source: "the article, 反復深化: k = 3",
    },
    Key {
        name: "time",
        kind: Kind::Integer(1, 3_600_000),
        default: "500",
        summary: "milliseconds per move if the caller sets no limit",
        source: "the article, 反復深化: 500 ms",
    },
    Key {
        name: "k",
        kind: Kind::Number(0.0, 1000.0),
        default: "1",
        summary: "weight of the corners relative to mobility",
        source: "ours; the article has \"a suitable coefficient\"",
    },
    Key {
        name: "corners",
        kind: Kind::Integers(8, -1000, 1000),
        default: "0/10/-5/10/1/11/-4/12",
        summary: "values of a corner strip, indexed by the own discs on it: corner 1, next 2, third 4, summed",
        source: "corner alone 10, third alone 1, next alone -5: the article; the other five are sums of our own",
    },
    Key {
        name: "ending",
        kind: Kind::Integer(0, 60),
        default: "12",
        summary: "empty squares at which the search to the end of the game begins",
        source: "the article, 終盤完全読み: the last 12",
    },
    Key {
        name: "aim",
        kind: Kind::Choice(&["discs", "margin"]),
        default: "discs",
        summary: "the score that the ending maximises: own discs, or the margin with empties to the winner",
        source: "the article, 終盤完全読み: own discs",
    },
    Key {
        name: "overrun",
        kind: Kind::Choice(&["no", "yes"]),
        default: "no",
        summary: "whether the exact ending ignores the limits",
        source: "the article's ending has no time limit; in matches it gets one",
    },
    Key {
        name: "passes",
        kind: Kind::Choice(&["cost", "free"]),
        default: "cost",
        summary: "whether a pass costs a ply; with free passes the search also detects the end of the game",
        source: "the article's listing: depth - 1, and no test for the end",
    },
    Key {
        name: "window",
        kind: Kind::Choice(&["full", "narrow"]),
        default: "full",
        summary: "window of every root move: full, or narrowed by the best so far",
        source: "the article's listing: -MaxScore to -MinScore",
    },
];

/// Greater than every score: of the evaluation with the largest values of its keys, about 6 · 10⁹.
const MAX_SCORE: i64 = 1_000_000_000_000;

/// Scores are fixed-point numbers in 1/256, so that k need not be an integer.
const UNIT: f64 = 256.0;

/// The strips of the four corners: along the row, along the column, along the diagonal; the corner first.
const STRIPS: [[u32; 3]; 12] = [
    [0, 1, 2],
    [0, 8, 16],
    [0, 9, 18],
    [7, 6, 5],
    [7, 15, 23],
    [7, 14, 21],
    [56, 57, 58],
    [56, 48, 40],
    [56, 49, 42],
    [63, 62, 61],
    [63, 55, 47],
    [63, 54, 45],
];

/// The parsed values of [`KEYS`].
#[derive(Clone, Debug)]
pub struct Settings {
    lines: bool,
    depth: u32,
    first: u32,
    time: Duration,
    k: f64,
    corners: [i32; 8],
    ending: u32,
    margin: bool,
    overrun: bool,
    free_passes: bool,
    full_window: bool,
}

impl Settings {
    /// Reads the values of [`KEYS`].
    #[must_use]
    pub fn new(options: &Options) -> Self {
        let mut corners = [0; 8];
        for (corner, &value) in corners.iter_mut().zip(options.integers("corners")) {
            *corner = value as i32;
        }
        Settings {
            lines: options.choice("board") == "lines",
            depth: options.integer("depth") as u32,
            first: options.integer("first") as u32,
            time: Duration::from_millis(options.integer("time") as u64),
            k: options.number("k"),
            corners,
            ending: options.integer("ending") as u32,
            margin: options.choice("aim") == "margin",
            overrun: options.choice("overrun") == "yes",
            free_passes: options.choice("passes") == "free",
            full_window: options.choice("window") == "full",
        }
    }

    /// A + k·B: own legal moves less the opponent's, and the values of the corner strips; in 1/256 points, from the
    /// mover's view.
    pub fn evaluate<B: Board>(&self, board: &B) -> i64 {
        let mobility = i64::from(board.legal().count_ones()) - i64::from(board.reversed().legal().count_ones());
        let corners: i32 = STRIPS
            .iter()
            .map(|&strip| {
                let (own, opp) = board.pattern(strip);
                self.corners[usize::from(own)] - self.corners[usize::from(opp)]
            })
            .sum();
        mobility * UNIT as i64 + (self.k * f64::from(corners) * UNIT) as i64
    }
}

/// The article's player.
pub struct Classic(Settings);

impl Classic {
    /// The player with these settings.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Classic(settings)
    }
}

impl Player<Othello> for Classic {
    fn think(&mut self, task: Task<'_, Othello>) -> Report<Move> {
        if self.0.lines { self.choose::<Lines>(task) } else { self.choose::<Bits>(task) }
    }
}

impl Classic {
    fn choose<B: Board>(&self, mut task: Task<'_, Othello>) -> Report<Move> {
        let position = task.state.position();
        let board = B::from_discs(position.own(), position.opp());
        let empties = position.empties().count_ones();
        let deep_enough = self.0.overrun || task.limits.depth.is_none_or(|depth| depth >= empties);
        let ending = empties <= self.0.ending && deep_enough;
        let limits = if ending && self.0.overrun {
            Limits::default()
        } else if task.limits == Limits::default() {
            Limits::time(self.0.time)
        } else {
            task.limits
        };
        let mut budget = Budget::start(&limits, task.clock, task.stop);
        let mut search = Search { settings: &self.0, budget: &mut budget };
        let report = if board.legal() == 0 {
            Report::of(Move::PASS, 0.5)
        } else if ending {
            search.ending(board)
        } else {
            let depth = self.0.depth.min(task.limits.depth.unwrap_or(u32::MAX));
            search.iterative_deepening(board, depth, &mut task)
        };
        Report { nodes: budget.count(), time: budget.elapsed(), ..report }
    }
}

/// The article's search on one board type. `None` stands for the article's time-out exception.
struct Search<'s, 'w, 'a> {
    settings: &'s Settings,
    budget: &'w mut Budget<'a>,
}

impl Search<'_, '_, '_> {
    /// The article's `alphaBetaEval`.
    fn alpha_beta<B: Board>(&mut self, board: B, depth: i32, mut a: i64, b: i64) -> Option<i64> {
        if !self.budget.node() {
            return None;
        }
        if depth <= 0 {
            return Some(self.settings.evaluate(&board));
        }
        let mut movables = board.legal();
        if movables == 0 {
            let reversed = board.reversed();
            if !self.settings.free_passes {
                return Some(-self.alpha_beta(reversed, depth - 1, -b, -a)?);
            }
            if reversed.legal() == 0 {
                return Some(final_score(&board) * UNIT as i64 * 100);
            }
            return Some(-self.alpha_beta(reversed, depth, -b, -a)?);
        }
        while movables != 0 {
            let square = movables.trailing_zeros();
            movables &= movables - 1;
            a = a.max(-self.alpha_beta(board.after(square), depth - 1, -b, -a)?);
            if a >= b {
                return Some(a);
            }
        }
        Some(a)
    }

    /// The article's `iterativeDeepning`: returns the result of the last completed depth, or the first move before
    /// depth 1 is completed.
    fn iterative_deepening<B: Board>(&mut self, board: B, deepest: u32, task: &mut Task<'_, Othello>) -> Report<Move> {
        let mut report = Report::of(moves(board)[0], 0.5);
        for depth in self.settings.first.min(deepest)..=deepest {
            let mut best = None;
            for m in moves(board) {
                let Some(score) = self.root_move(board, m, depth, best) else { return report };
                if best.is_none_or(|(known, _)| score > known) {
                    best = Some((score, m));
                }
            }
            if let Some((score, m)) = best {
                report = Report { depth, nodes: self.budget.count(), time: self.budget.elapsed(), ..points(m, score) };
                task.report(|| report.clone());
            }
            // Depths beyond all empty squares and passes change nothing.
            if depth > 2 * (64 - board.counts().0 - board.counts().1) {
                break;
            }
        }
        report
    }

    fn root_move<B: Board>(&mut self, board: B, m: Move, depth: u32, best: Option<(i64, Move)>) -> Option<i64> {
        let a = match best {
            Some((score, _)) if !self.settings.full_window => score,
            _ => -MAX_SCORE,
        };
        let next = board.after(m.square()?);
        Some(-self.alpha_beta(next, depth as i32 - 1, -MAX_SCORE, -a)?)
    }

    /// Searches every move to the end of the game. When a limit ends the search, returns the best of the completed root
    /// moves, or the first move. The most own discs are no proof of a result: a game may end with empty squares.
    fn ending<B: Board>(&mut self, board: B) -> Report<Move> {
        let all = moves(board);
        let (mut best, mut finished) = (None, 0);
        for &m in &all {
            let a = match best {
                Some((score, _)) if !self.settings.full_window => score,
                _ => -MAX_SCORE,
            };
            let Some(square) = m.square() else { break };
            let Some(score) = self.rest(board.after(square), -MAX_SCORE, -a, false) else { break };
            finished += 1;
            if best.is_none_or(|(known, _)| -score > known) {
                best = Some((-score, m));
            }
        }
        let (score, m) = best.unwrap_or((0, all[0]));
        let (value, unit) = match self.settings.margin {
            true => (0.5 + 0.5 * score.signum() as f64, "discs"),
            false => (0.5 + 0.5 * (score - 32).signum() as f64, "own discs"),
        };
        let whole = finished == all.len();
        let eval = whole.then_some(Eval { n: score as f64, unit });
        let depth = if whole { 64 - board.counts().0 - board.counts().1 } else { 0 };
        let value = if whole { value } else { 0.5 };
        let proven = whole && self.settings.margin;
        Report { lines: vec![Line { moves: vec![m], value, eval }], depth, proven, ..Report::of(m, value) }
    }

    /// The final score from the mover's view: by `aim` its margin, or the discs of the side at the root, which the
    /// opponent minimises. `ours`: the mover is the side at the root.
    fn rest<B: Board>(&mut self, board: B, mut a: i64, b: i64, ours: bool) -> Option<i64> {
        if !self.budget.node() {
            return None;
        }
        let mut movables = board.legal();
        if movables == 0 {
            let reversed = board.reversed();
            if reversed.legal() == 0 {
                let (own, opp) = board.counts();
                return Some(match (self.settings.margin, ours) {
                    (true, _) => final_score(&board),
                    (false, true) => own.into(),
                    (false, false) => -i64::from(opp),
                });
            }
            return Some(-self.rest(reversed, -b, -a, !ours)?);
        }
        while movables != 0 {
            let square = movables.trailing_zeros();
            movables &= movables - 1;
            a = a.max(-self.rest(board.after(square), -b, -a, !ours)?);
            if a >= b {
                return Some(a);
            }
        }
        Some(a)
    }
}

/// The margin of the side to move, empty squares to the winner.
fn final_score<B: Board>(board: &B) -> i64 {
    let (own, opp) = board.counts();
    let (own, opp) = (i64::from(own), i64::from(opp));
    let lead = own - opp;
    lead + lead.signum() * (64 - own - opp)
}

/// The legal moves in the order of the squares.
fn moves<B: Board>(board: B) -> Vec<Move> {
    (0..64).filter(|square| board.legal() >> square & 1 == 1).filter_map(Move::at).collect()
}

/// A report of a move with its score in the article's points.
fn points(m: Move, score: i64) -> Report<Move> {
    let n = score as f64 / UNIT;
    // A sigmoid without transcendental functions: a lead of 20 points maps to an expected score of ¾.
    let value = 0.5 + 0.5 * (n / 20.0) / (1.0 + (n / 20.0).abs());
    let line = Line { moves: vec![m], value, eval: Some(Eval { n, unit: "points" }) };
    Report { lines: vec![line], ..Report::of(m, value) }
}
