//! The player `engine`: the midgame search, and the exact solver when it is expected to finish in time or when nothing
//! else is left to do.

use std::sync::Arc;
use std::time::Duration;

use banmen_catalog::{Key, Kind, Options};
use banmen_game::{Game, GameState, Rng, mix};
use banmen_search::windows::{WindowQuery, Windows};
use banmen_search::{Budget, Eval, Limits, Line, Player, Report, Task};

use super::Solver;
use super::evaluation::Evaluation;
use super::level::{LEVELS, Level};
use super::midgame::{Found, MAX_DEPTH, Midgame, Stage, UNIT, stages, win_rate};
use super::node::DISC;
use super::probcut::Selectivity;
use super::proof::{line, prove};
use crate::Othello;
use crate::book::{Book, HALF_DISCS};
use crate::position::{Move, Position};

/// The keys of the player.
pub const KEYS: &[Key] = &[
    Key {
        name: "level",
        kind: Kind::Integer(1, 10),
        default: "10",
        summary: "strength: below 10 shorter searches and endings; the lowest misjudge moves, and like to turn discs",
        source: "graded by games and by the discs lost a move: docs/measured.md",
    },
    Key {
        name: "exact",
        kind: Kind::Integer(0, 60),
        default: "24",
        summary: "maximum empty squares for the exact solver, as far as level and time allow; the search alone may also \
                  reach the end",
        source: "24 empty squares take seconds (tests/ffo.rs)",
    },
    Key {
        name: "table",
        kind: Kind::Integer(1, 4096),
        default: "32",
        summary: "memory of the transposition tables in MiB, half of it for the solver",
        source: "a second of search fills a few MiB",
    },
    Key {
        name: "weights",
        kind: Kind::File(&["own"]),
        default: "own",
        summary: "weights of the evaluation: this build's own, or a file that `banmen learn othello` wrote",
        source: "fitted to the engine's own games (docs/othello-engine.md)",
    },
    Key {
        name: "book",
        kind: Kind::File(&["off", "on"]),
        default: "off",
        summary: "opening book: none, this build's own, or a file that the example `othello_book` wrote",
        source: "off, so that games measure the search, and a level plays as it was graded",
    },
];

/// Number of lines of a search whose values are misjudged: all moves.
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
    /// Set below level 10.
    level: Option<Level>,
    /// The most empty squares with which the ending is solved.
    exact: u32,
    midgame: Midgame,
    solver: Solver,
    book: Option<Arc<Book>>,
    rng: Rng,
}

impl Engine {
    /// The player with these settings. The choices of low levels, and that between good moves of the book, follow from the
    /// seed.
    #[must_use]
    pub fn new(evaluation: Arc<Evaluation>, book: Option<Arc<Book>>, options: &Options, seed: u64) -> Self {
        let level = options.level(&LEVELS);
        let half = (options.integer("table") as usize) << 19;
        Engine {
            level,
            exact: level.map_or(u32::MAX, |level| level.exact).min(options.integer("exact") as u32),
            midgame: Midgame::with_evaluation(Arc::clone(&evaluation), half),
            solver: Solver::with_evaluation(evaluation, half),
            book,
            rng: Rng::new(seed),
        }
    }

    /// A move of the book.
    fn book_move(&mut self, position: &Position) -> Option<Report<Move>> {
        let book = self.book.as_ref()?;
        let (square, value) = book.choose(position.own(), position.opp(), &mut self.rng)?;
        let discs = f64::from(value) / f64::from(HALF_DISCS);
        let mut report = Report::of(Move::at(square)?, win_rate((discs * f64::from(DISC)) as i32));
        report.lines[0].eval = Some(Eval { n: discs, unit: UNIT });
        Some(report)
    }

    /// Whether the solver is expected to finish within the limits.
    fn can_be_solved(&self, position: &Position, limits: &Limits) -> bool {
        let empties = position.empties().count_ones();
        if empties > self.exact {
            return false;
        }
        let expected = match empties {
            20.. => (20..empties).fold(SOLVE_20, |nodes, _| nodes * SOLVE_GROWTH),
            _ => (empties..20).fold(SOLVE_20, |nodes, _| nodes / SOLVE_GROWTH),
        };
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
            let mut moves: Vec<Move> = packed.iter().filter_map(|&m| Othello.unpack(m)).collect();
            if moves.is_empty() {
                moves.push(Move::PASS);
            }
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
            depth: empties,
            time: budget.elapsed(),
            proven: true,
            ..Report::default()
        };
        task.report(|| report.clone());
        Some(report)
    }

    /// A search of all moves, of which the level chooses by what it takes for their values.
    fn misjudge(
        &mut self,
        task: &mut Task<'_, Othello>,
        budget: &mut Budget<'_>,
        level: &Level,
        stages: &[Stage],
    ) -> Found {
        let wanted = std::mem::replace(&mut task.lines, ALL_LINES);
        let mut found = self.midgame.search(task, budget, stages);
        task.lines = wanted;
        let position = task.state.position();
        level.sort(position, mix(self.rng.bits() ^ position.key()), &mut found.report.lines);
        found.report.lines.truncate(wanted);
        // The first line need not be the best one.
        found.report.proven = false;
        found
    }
}

impl Player<Othello> for Engine {
    fn new_game(&mut self, _: &GameState<Othello>, seed: u64) {
        self.midgame.clear();
        self.rng = Rng::new(seed);
        self.solver.clear();
    }

    fn record_windows(&mut self, query: Option<WindowQuery>) -> bool {
        self.midgame.query = query;
        true
    }

    fn take_windows(&mut self) -> Option<Windows> {
        self.midgame.windows.take()
    }

    fn think(&mut self, mut task: Task<'_, Othello>) -> Report<Move> {
        let position = *task.state.position();
        // Several lines are asked for to be compared, which needs a search of each.
        if task.lines == 1
            && let Some(report) = self.book_move(&position)
        {
            task.report(|| report.clone());
            return report;
        }
        let empties = position.empties().count_ones();
        let limits = task.limits;
        let mut budget = Budget::start(&limits, task.clock, task.stop);
        let depth = self.level.map_or(MAX_DEPTH, |level| level.depth).min(limits.depth.unwrap_or(MAX_DEPTH)).max(1);
        // A limit of depth bounds the solver too.
        let exact = empties <= self.exact && limits.depth.is_none_or(|depth| depth >= empties);

        // The levels were graded with the searches that have fewer cuts.
        let first = if self.level.is_none() { Selectivity::P48 } else { Selectivity::P73 };
        let mut report = if exact && self.can_be_solved(&position, &limits) {
            let time = limits.budget().map_or(Duration::MAX / 4, |budget| budget.mul_f64(FALLBACK_SHARE));
            let stages = stages(empties, depth.min(FALLBACK_DEPTH), first..=Selectivity::P99);
            let found = budget.within(time, |budget| self.midgame.search(&mut task, budget, &stages));
            self.ending(&mut task, &mut budget).unwrap_or(found.report)
        } else if let Some(level) = self.level.filter(Level::misjudges) {
            let stages = stages(empties, depth, first..=Selectivity::FULL);
            self.misjudge(&mut task, &mut budget, &level, &stages).report
        } else {
            // The solver is the faster one for what remains after selective searches to the end.
            let last = if exact { Selectivity::P99 } else { Selectivity::FULL };
            let found = self.midgame.search(&mut task, &mut budget, &stages(empties, depth, first..=last));
            match found.finished {
                Some((stage, true)) if exact && stage.depth >= empties => {
                    self.ending(&mut task, &mut budget).unwrap_or(found.report)
                }
                _ => found.report,
            }
        };
        report.nodes = budget.count();
        report.time = budget.elapsed();
        report
    }
}
