//! The player `engine`: alpha-beta with the evaluation, and the exact solver when it is expected to finish in time.

use std::time::Duration;

use banmen_catalog::{Key, Kind, Options};
use banmen_game::{Game, GameState, Outcome, Rng, Side};
use banmen_search::alphabeta::{AlphaBeta, Evaluator, MAX_PLY};
use banmen_search::{Budget, Eval, Limits, Line, Player, Report, Task};

use super::proof::{line, prove};
use super::{Evaluation, Solver};
use crate::Othello;
use crate::moves;
use crate::position::{Move, Position};

/// The keys of the player.
pub const KEYS: &[Key] = &[
    Key {
        name: "level",
        kind: Kind::Integer(1, 10),
        default: "10",
        summary: "strength: depth, empty squares of the exact ending, and random error; 10 is full strength",
        source: "the steps are ours; Egaroucid's levels also solve at twice their depth",
    },
    Key {
        name: "exact",
        kind: Kind::Integer(0, 60),
        default: "24",
        summary: "maximum empty squares at which the ending is solved exactly, as far as level and time allow",
        source: "24 empty squares take seconds (tests/ffo.rs)",
    },
    Key {
        name: "table",
        kind: Kind::Integer(1, 4096),
        default: "32",
        summary: "memory of the transposition tables in MiB, half of it for the solver",
        source: "a second of search fills a few MiB",
    },
];

/// The parameters of a level.
struct Level {
    /// Search depth in plies.
    depth: u32,
    /// Empty squares from which the ending is solved.
    exact: u32,
    /// The greatest random error of a move's value, in discs.
    noise: f64,
}

/// Levels 1 to 10. Each should win about three games of four against the one below (measured by matches of neighbouring
/// levels).
const LEVELS: [Level; 10] = [
    Level { depth: 1, exact: 0, noise: 16.0 },
    Level { depth: 1, exact: 2, noise: 10.0 },
    Level { depth: 1, exact: 4, noise: 6.0 },
    Level { depth: 2, exact: 6, noise: 4.0 },
    Level { depth: 2, exact: 8, noise: 2.0 },
    Level { depth: 3, exact: 8, noise: 0.0 },
    Level { depth: 4, exact: 10, noise: 0.0 },
    Level { depth: 6, exact: 12, noise: 0.0 },
    Level { depth: 8, exact: 16, noise: 0.0 },
    Level { depth: MAX_PLY as u32, exact: 60, noise: 0.0 },
];

/// Number of lines of a search with random errors: all moves.
const ALL_LINES: usize = 64;

/// Average nodes of the solver with 20 empty squares, and the factor for each square more. Measured on hard positions
/// (tests/ffo.rs); these estimates decide when the solver is tried.
const SOLVE_20: f64 = 8e6;
const SOLVE_GROWTH: f64 = 2.2;

/// Nodes per second of the solver with one thread, for time limits.
const SOLVE_SPEED: f64 = 4e7;

/// Share of the time for the search before the solver, whose move is played if the solver does not finish.
const FALLBACK_SHARE: f64 = 0.15;

/// Depth of the search before the solver, in plies.
const FALLBACK_DEPTH: u32 = 10;

/// The engine player.
pub struct Engine {
    level: &'static Level,
    exact: u32,
    search: AlphaBeta<OthelloEvaluator>,
    solver: Solver,
    rng: Rng,
}

impl Engine {
    /// The player with these settings. The random errors of low levels follow from the seed.
    #[must_use]
    pub fn new(options: &Options, seed: u64) -> Self {
        let level = &LEVELS[(options.integer("level") - 1).clamp(0, 9) as usize];
        let half = (options.integer("table") as usize) << 19;
        Engine {
            level,
            exact: level.exact.min(options.integer("exact") as u32),
            search: AlphaBeta::new(OthelloEvaluator(Evaluation::get()), half, Limits::default()),
            solver: Solver::new(half),
            rng: Rng::new(seed),
        }
    }

    /// Whether the solver is expected to finish within the limits.
    fn can_be_solved(&self, position: &Position, limits: &Limits) -> bool {
        let empties = position.empties().count_ones();
        if empties > self.exact {
            return false;
        }
        let expected = SOLVE_20 * SOLVE_GROWTH.powi(empties as i32 - 20);
        let by_time = limits.budget().map_or(f64::INFINITY, |time| time.as_secs_f64() * SOLVE_SPEED);
        let by_nodes = limits.nodes.map_or(f64::INFINITY, |nodes| nodes as f64);
        expected <= by_time.min(by_nodes)
    }

    /// Solves the position. `None` when the budget is over before the proof.
    fn ending(&mut self, task: &mut Task<'_, Othello>, budget: &mut Budget<'_>) -> Option<Report<Move>> {
        let position = task.state.position();
        let empties = position.empties().count_ones();
        self.solver.set_threads(task.threads);
        let mut lines: Vec<(i32, Line<Move>)> = Vec::new();
        let proven = |score: i32, packed: &[u32]| {
            let moves = packed.iter().filter_map(|&m| Othello.unpack(m)).collect();
            let value = 0.5 + 0.5 * f64::from(score.signum());
            (score, Line { moves, value, eval: Some(Eval { n: score.into(), unit: UNIT }) })
        };
        if task.lines == 1 || position.must_pass() {
            let solution = prove(&mut self.solver, position, budget, &mut |_| {});
            lines.push(proven(solution.score()?, &line(position, &solution.line)));
        } else {
            for m in Othello.moves(position) {
                let mut next = *position;
                next.play(m);
                let (score, rest) = if next.is_over() {
                    (next.score(), Vec::new())
                } else {
                    let solution = prove(&mut self.solver, &next, budget, &mut |_| {});
                    (solution.score()?, line(&next, &solution.line))
                };
                let whole: Vec<u32> = std::iter::once(Othello.pack(m)).chain(rest).collect();
                lines.push(proven(-score, &whole));
            }
            lines.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
            lines.truncate(task.lines);
        }
        let report = Report {
            lines: lines.into_iter().map(|(_, line)| line).collect(),
            nodes: budget.count(),
            playouts: None,
            depth: empties,
            time: budget.elapsed(),
            proven: true,
        };
        task.report(|| report.clone());
        Some(report)
    }

    /// A shallow search of all moves with a random error added to each value, for the low levels.
    fn search_with_noise(&mut self, task: &mut Task<'_, Othello>, budget: &mut Budget<'_>) -> Option<Report<Move>> {
        let wanted = std::mem::replace(&mut task.lines, ALL_LINES);
        let report = self.search.search(task, budget, self.level.depth);
        task.lines = wanted;
        let mut report = report?;
        let noise = self.level.noise;
        let mut noisy: Vec<(f64, Line<Move>)> = report
            .lines
            .into_iter()
            .map(|line| (line.eval.map_or(0.0, |eval| eval.n) + noise * self.rng.unit(), line))
            .collect();
        noisy.sort_by(|a, b| b.0.total_cmp(&a.0));
        report.lines = noisy.into_iter().map(|(_, line)| line).take(wanted).collect();
        // The first line need not be the best one.
        report.proven = false;
        Some(report)
    }
}

impl Player<Othello> for Engine {
    fn new_game(&mut self, start: &GameState<Othello>, seed: u64) {
        self.search.new_game(start, seed);
        self.rng = Rng::new(seed);
        self.solver.clear();
    }

    fn think(&mut self, mut task: Task<'_, Othello>) -> Report<Move> {
        let position = *task.state.position();
        let limits = task.limits;
        let mut budget = Budget::start(&limits, task.clock, task.stop);
        let depth = self.level.depth.min(limits.depth.unwrap_or(MAX_PLY as u32)).max(1);
        // A limit of depth bounds the solver too.
        let deep_enough = limits.depth.is_none_or(|depth| depth >= position.empties().count_ones());
        let ending = deep_enough && self.can_be_solved(&position, &limits);

        let found = if ending {
            let time = limits.budget().map_or(Duration::MAX / 4, |budget| budget.mul_f64(FALLBACK_SHARE));
            let first = budget.within(time, |budget| self.search.search(&mut task, budget, FALLBACK_DEPTH.min(depth)));
            self.ending(&mut task, &mut budget).or(first)
        } else if self.level.noise > 0.0 {
            self.search_with_noise(&mut task, &mut budget)
        } else {
            self.search.search(&mut task, &mut budget, depth)
        };
        let mut report = found.unwrap_or_else(|| {
            // The budget was over before depth 1: the first move of the ordering.
            let moves = Othello.moves(&position);
            let rank = |m: &Move| self.search.evaluator.rank(&Othello, &position, *m, 1);
            Report::of(moves.iter().copied().rev().max_by_key(rank).unwrap_or(Move::PASS), 0.5)
        });
        report.nodes = budget.count();
        report.time = budget.elapsed();
        report
    }
}

/// The unit of values and scores.
const UNIT: &str = "discs";

/// Hundredths of a disc, the scale of the evaluation.
const SCALE: f64 = 100.0;

/// The lead in discs that maps to an expected score of ¾.
const LEAD_OF_THREE_QUARTERS: f64 = 6.0;

/// The evaluator of the alpha-beta search.
#[derive(Clone, Copy)]
struct OthelloEvaluator(&'static Evaluation);

/// Ordering score of the squares of a quarter of the board, by row and column: corners first, their neighbours last.
/// Orders moves of equal mobility.
const SQUARE_RANK: [[i32; 4]; 4] = [[18, 4, 10, 9], [4, 0, 5, 5], [10, 5, 7, 6], [9, 5, 6, 6]];

fn square_rank(square: u32) -> i32 {
    let fold = |place: u32| if place < 4 { place } else { 7 - place } as usize & 3;
    SQUARE_RANK[fold(square >> 3 & 7)][fold(square & 7)]
}

/// The four corners.
const CORNERS: u64 = 0x8100_0000_0000_0081;

impl Evaluator<Othello> for OthelloEvaluator {
    fn evaluate(&mut self, _: &Othello, position: &Position) -> i32 {
        self.0.value(position.own(), position.opp())
    }

    fn ended(&self, outcome: &Outcome, side: Side) -> i32 {
        outcome.signed_margin(side) * SCALE as i32
    }

    /// Orders by few moves of the opponent, corners counted twice; near the leaves by the square alone.
    fn rank(&mut self, _: &Othello, position: &Position, m: Move, depth: u32) -> i32 {
        let Some(square) = m.square() else { return 0 };
        if depth < 3 {
            return square_rank(square);
        }
        let (own, opp) = moves::after(position.own(), position.opp(), square);
        let replies = moves::legal(own, opp);
        square_rank(square) - 4 * (replies.count_ones() + (replies & CORNERS).count_ones()) as i32
    }

    fn win_rate(&self, value: i32) -> f64 {
        // A sigmoid without transcendental functions, equal on every machine: x / (1 + |x|), scaled to 0 to 1.
        let lead = f64::from(value) / SCALE / LEAD_OF_THREE_QUARTERS;
        0.5 + 0.5 * lead / (1.0 + lead.abs())
    }

    fn eval(&self, value: i32) -> Option<Eval> {
        Some(Eval { n: f64::from(value) / SCALE, unit: UNIT })
    }
}
