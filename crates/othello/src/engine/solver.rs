//! The exact solver of endings.
//!
//! A score is found by null-window searches alone ("does the mover score more than alpha?"), each of which moves a
//! proven bound, until the bounds meet or leave the window of the caller (Plaat et al. 1996, MTD(f)); the transposition
//! tables keep what earlier searches have proven. All final scores are even, so a good first guess needs two searches; it
//! comes from selective searches to the end of the game, which cost about a hundredth of the proof.

use std::sync::Arc;

use banmen_search::{Budget, threads};

use super::evaluation::Evaluation;
use super::kernel::{Baseline, Kernel};
use super::midgame::stages;
use super::node::{DISC, MAX_VALUE};
use super::preview::{self, ValueBy};
use super::probcut::Selectivity;
use super::search::Search;
use super::split::Workers;
use super::table::Table;
use super::values::Values;
use crate::moves::{after, legal};

/// An exact solver with its transposition tables.
///
/// With one thread it is deterministic: the same calls to a solver in the same state visit the same nodes and find the
/// same moves. With several, proven scores are the same; nodes, and which of several best moves is found, may differ.
pub struct Solver {
    /// One table per thread for the last plies.
    small_tables: Vec<Table>,
    /// The table that all threads share.
    main_table: Table,
    /// What the selective searches before the proof have found.
    values: Values,
    /// Orders moves and guesses scores.
    evaluation: Arc<Evaluation>,
}

/// Depth of the search that guesses the score where no selective search does, in plies.
const GUESS_DEPTH: u32 = 4;

/// From this many empty squares on the score is guessed by selective searches to the end of the game.
const SELECTIVE_EMPTIES: u32 = 18;

/// From this many empty squares on the last of them is one at 95 %, below at 73 %.
const RELIABLE_EMPTIES: u32 = 22;

/// From this depth on a selective search that expects a win by all discs is followed by an attempt to prove it.
const WIPE_OUT_DEPTH: u32 = 10;

/// The table of these searches takes this part of the main table's memory, at most [`MAX_VALUES_BYTES`].
const VALUES_PART: usize = 8;

/// The most memory of the table of the selective searches.
const MAX_VALUES_BYTES: usize = 1 << 24;

/// Positions with fewer empty squares are solved by one thread: they take about a millisecond.
const PARALLEL_EMPTIES: u32 = 15;

/// What is proven about a position. All scores are final scores from the mover's view, own discs less the opponent's,
/// empty squares to the winner: even, −64 to 64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The score is at least this.
    pub lower: i32,
    /// The score is at most this.
    pub upper: i32,
    /// The move that reaches `lower`. `None` where the mover must pass, or no lower bound above −64 has been proven.
    pub best: Option<u32>,
    /// Perfect play from here as far as it was proven: squares, without passes.
    pub line: Vec<u32>,
    /// Positions visited by all threads. A position counts each time that it is visited, the root and positions after a
    /// pass too; full boards do not count.
    pub nodes: u64,
    /// The part of `nodes` that helper threads visited.
    pub helper_nodes: u64,
}

impl Solution {
    /// The exact score, if it is proven.
    #[must_use]
    pub fn score(&self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower)
    }
}

/// Bytes of a table for the last plies: it stays in the second-level cache of one core.
const SMALL_TABLE_BYTES: usize = 1 << 19;

impl Solver {
    /// A solver with one thread whose main table takes at most `bytes`, rounded down to a power of two; 2²⁶ is enough
    /// for 24 empty squares. The table of the selective searches takes an eighth more, at most 16 MiB, and each thread
    /// half a mebibyte.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self::with_evaluation(Evaluation::own(), bytes)
    }

    /// A solver that orders moves by this evaluation; else as [`Solver::new`].
    #[must_use]
    pub fn with_evaluation(evaluation: Arc<Evaluation>, bytes: usize) -> Self {
        let small_tables = vec![Table::new(SMALL_TABLE_BYTES)];
        let values = Values::new((bytes / VALUES_PART).min(MAX_VALUES_BYTES));
        Solver { small_tables, main_table: Table::new(bytes), values, evaluation }
    }

    /// Uses this many threads from the next solve on, or as many as can be run now; 1 without the feature `threads`.
    pub fn set_threads(&mut self, threads: usize) {
        self.small_tables.resize_with(1 + threads::helpers(threads), || Table::new(SMALL_TABLE_BYTES));
    }

    /// Removes all entries of the tables.
    pub fn clear(&mut self) {
        self.tables().for_each(Table::clear);
        self.values.clear();
    }

    fn tables(&mut self) -> impl Iterator<Item = &mut Table> {
        self.small_tables.iter_mut().chain(std::iter::once(&mut self.main_table))
    }

    /// Proves the score of a position as far as the window requires: done when the bounds meet, when `lower >= beta` or
    /// when `upper <= alpha`. With (−64, 64) the score is exact.
    ///
    /// Stops when `budget` is over, with what is proven by then: it counts the nodes of all threads and is checked
    /// every 8,192 nodes (a fraction of a millisecond). `progress` is called on the calling thread after each check.
    ///
    /// # Panics
    /// Unless `alpha < beta`.
    pub fn solve(
        &mut self,
        own: u64,
        opp: u64,
        alpha: i32,
        beta: i32,
        budget: &mut Budget<'_>,
        progress: &mut dyn FnMut(&Budget<'_>),
    ) -> Solution {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = crate::simd::Avx512::detect() {
            return self.solve_by(kernel, own, opp, [alpha, beta], budget, progress);
        }
        self.solve_by(Baseline, own, opp, [alpha, beta], budget, progress)
    }

    fn solve_by<K: Kernel>(
        &mut self,
        kernel: K,
        own: u64,
        opp: u64,
        [alpha, beta]: [i32; 2],
        budget: &mut Budget<'_>,
        progress: &mut dyn FnMut(&Budget<'_>),
    ) -> Solution {
        self.tables().for_each(Table::advance_age);
        self.values.advance_age();
        let (small_tables, main_table, evaluation) = (&self.small_tables, &self.main_table, &*self.evaluation);
        let values = &self.values;
        if small_tables.len() == 1 || (!(own | opp)).count_ones() < PARALLEL_EMPTIES {
            let search = Search::new(
                kernel,
                evaluation,
                [&small_tables[0], main_table],
                values,
                None,
                budget,
                Some(&mut *progress),
            );
            return prove(search, own, opp, alpha, beta);
        }
        let workers = &Workers::default();
        let helpers = small_tables[1..].iter().map(|small_table| {
            move |budget: &mut Budget<'_>| {
                let _stop = StopOnPanic(workers);
                Search::new(kernel, evaluation, [small_table, main_table], values, Some(workers), budget, None)
                    .help(workers);
            }
        });
        let mut solution = budget.share(helpers, |budget| {
            let _finish = FinishOnDrop(workers);
            let tables = [&small_tables[0], main_table];
            let search = Search::new(kernel, evaluation, tables, values, Some(workers), budget, Some(&mut *progress));
            prove(search, own, opp, alpha, beta)
        });
        solution.helper_nodes = workers.helper_nodes();
        solution.nodes += solution.helper_nodes;
        solution
    }
}

/// Ends the search of all workers when the calling thread is done, also by a panic.
struct FinishOnDrop<'a>(&'a Workers);

impl Drop for FinishOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
        self.0.finish();
    }
}

/// Ends the search of all workers when a helper panics: its split point would never be done.
struct StopOnPanic<'a>(&'a Workers);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

/// Narrows the bounds of the score until they satisfy the window.
fn prove<K: Kernel>(mut search: Search<'_, '_, K>, own: u64, opp: u64, alpha: i32, beta: i32) -> Solution {
    let mut solution = Solution { lower: -64, upper: 64, best: None, line: Vec::new(), nodes: 0, helper_nodes: 0 };
    // The first window comes from a guess; the next ones follow from the last bound.
    let mut guess = guess(&mut search, own, opp);
    while !search.stopped && solution.lower < solution.upper && solution.lower < beta && solution.upper > alpha {
        // Between two scores that are still possible, but not outside of the window.
        let odd = if guess == solution.lower { guess + 1 } else { guess - 1 };
        let window = odd.clamp(alpha, beta - 1);
        let (score, best) = search.null_window_root(own, opp, window, window < guess);
        if search.stopped {
            break;
        }
        if score > window {
            (solution.lower, solution.best) = (score, best);
        } else {
            solution.upper = score;
            if score == -64 {
                solution.best = best;
            }
        }
        guess = score;
    }
    if let Some(score) = solution.score() {
        solution.line = line(&mut search, own, opp, score);
    }
    // The budget may end between the proof and the search for the line.
    if solution.line.is_empty() {
        solution.line.extend(solution.best);
    }
    search.count_rest();
    solution.nodes = search.nodes;
    solution
}

/// A guess of the score: an even number. The selective searches also leave good moves in the table of values, which order
/// those of the proof.
fn guess<K: Kernel>(search: &mut Search<'_, '_, K>, own: u64, opp: u64) -> i32 {
    let empties = (!(own | opp)).count_ones();
    let mut value = 0;
    if empties < SELECTIVE_EMPTIES {
        value = search.preview(
            own,
            opp,
            legal(own, opp),
            -preview::INFINITE,
            preview::INFINITE,
            GUESS_DEPTH,
            ValueBy::Network,
        );
    } else {
        let last = if empties < RELIABLE_EMPTIES { Selectivity::P73 } else { Selectivity::P95 };
        for stage in stages(empties, empties, Selectivity::P73..=last) {
            value = search.selective(own, opp, stage);
            // Deeper searches cannot make the value of a win by all discs more precise; and the proof, which the first disc that
            // cannot be flipped refutes, may be far smaller than they are. It is tried with as many nodes as they took.
            let all_discs = value.abs() >= MAX_VALUE && stage.depth >= WIPE_OUT_DEPTH;
            if search.stopped || all_discs && search.tries(own, opp, value.signum() * 63, search.nodes) {
                break;
            }
        }
    }
    // The nearest even number.
    let even = 2 * DISC;
    ((value + even / 2).div_euclid(even) * 2).clamp(-64, 64)
}

/// Perfect play from a position of known score: at each ply the first move found that keeps it. Ends early when the
/// search is stopped.
fn line<K: Kernel>(search: &mut Search<'_, '_, K>, mut own: u64, mut opp: u64, mut score: i32) -> Vec<u32> {
    let mut line = Vec::new();
    loop {
        if legal(own, opp) == 0 {
            if legal(opp, own) == 0 {
                return line;
            }
        } else {
            let (_, best) = search.null_window_root(own, opp, score - 1, true);
            let Some(square) = best.filter(|_| !search.stopped) else { return line };
            line.push(square);
            (opp, own) = after(own, opp, square);
        }
        (own, opp) = (opp, own);
        score = -score;
    }
}

#[cfg(test)]
mod tests {
    use banmen_catalog::WallClock;
    use banmen_game::Rng;
    use banmen_search::{Limits, StopFlag};

    use super::*;
    use crate::moves;

    /// The score by exhaustive alpha-beta search with the functions of `moves`.
    fn plain(own: u64, opp: u64, mut alpha: i32, beta: i32) -> i32 {
        let mut squares = moves::legal(own, opp);
        if squares == 0 {
            if moves::legal(opp, own) != 0 {
                return -plain(opp, own, -beta, -alpha);
            }
            let (own, opp) = (own.count_ones() as i32, opp.count_ones() as i32);
            return match own.cmp(&opp) {
                std::cmp::Ordering::Greater => 64 - 2 * opp,
                std::cmp::Ordering::Equal => 0,
                std::cmp::Ordering::Less => 2 * own - 64,
            };
        }
        while squares != 0 && alpha < beta {
            let square = squares.trailing_zeros();
            squares &= squares - 1;
            let flipped = moves::flips(own, opp, square);
            alpha = alpha.max(-plain(opp ^ flipped, own | flipped | 1 << square, -beta, -alpha));
        }
        alpha
    }

    fn exact(own: u64, opp: u64) -> i32 {
        plain(own, opp, -64, 64)
    }

    /// Positions with `empties` empty squares: the end of a random game, or with `scattered` discs placed at random, most of
    /// one colour, so that passes and wipe-outs are frequent.
    fn random(rng: &mut Rng, empties: u32, scattered: bool) -> (u64, u64) {
        loop {
            let (mut own, mut opp) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
            if scattered {
                let mut holes = 0u64;
                while holes.count_ones() < empties {
                    holes |= 1u64 << rng.below(64);
                }
                own = (0..1 + rng.below(6)).fold(!holes, |own, _| own & rng.bits());
                opp = !own & !holes;
                if rng.below(2) == 0 {
                    (own, opp) = (opp, own);
                }
                return (own, opp);
            }
            while 64 - (own | opp).count_ones() > empties {
                let squares = moves::legal(own, opp);
                if squares != 0 {
                    let pick = rng.below(squares.count_ones().into());
                    let square = (0..pick).fold(squares, |left, _| left & (left - 1)).trailing_zeros();
                    let flipped = moves::flips(own, opp, square);
                    (own, opp) = (own | flipped | 1 << square, opp ^ flipped);
                } else if moves::legal(opp, own) == 0 {
                    break;
                }
                (own, opp) = (opp, own);
            }
            if 64 - (own | opp).count_ones() == empties {
                return (own, opp);
            }
        }
    }

    fn solve_window(solver: &mut Solver, own: u64, opp: u64, alpha: i32, beta: i32) -> Solution {
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::default(), &clock, &stop);
        solver.solve(own, opp, alpha, beta, &mut budget, &mut |_| {})
    }

    fn solved(solver: &mut Solver, own: u64, opp: u64) -> Solution {
        solve_window(solver, own, opp, -64, 64)
    }

    /// The final score, for the mover, of a line of squares that must reach the end of the game.
    fn replay(own: u64, opp: u64, line: &[u32]) -> i32 {
        let (mut us, mut them, mut sign) = (own, opp, 1);
        for &square in line {
            if moves::legal(us, them) == 0 {
                (us, them, sign) = (them, us, -sign);
            }
            let flipped = moves::flips(us, them, square);
            assert_ne!(flipped, 0);
            (us, them, sign) = (them ^ flipped, us | flipped | 1 << square, -sign);
        }
        assert_eq!(moves::legal(us, them) | moves::legal(them, us), 0, "the line goes to the end");
        sign * exact(us, them)
    }

    #[test]
    fn solves_random_endings_exactly() {
        let mut solver = Solver::new(1 << 16);
        let mut rng = Rng::new(1);
        let (mut passes, mut ends, mut wiped) = (0, 0, 0);
        for round in 0..6000 {
            let (empties, scattered) = (round % 8, round % 16 < 8);
            let (own, opp) = random(&mut rng, empties, scattered);
            let solution = solved(&mut solver, own, opp);
            let score = exact(own, opp);
            assert_eq!(solution.score(), Some(score), "{own:#x} {opp:#x}");
            match (moves::legal(own, opp), moves::legal(opp, own)) {
                (0, 0) => ends += 1,
                (0, _) => passes += 1,
                _ => {}
            }
            wiped += u32::from(score.abs() == 64);
        }
        assert!(passes > 100 && ends > 100 && wiped > 100, "{passes} {ends} {wiped}");
    }

    #[test]
    fn solves_longer_endings_exactly() {
        let mut solver = Solver::new(1 << 16);
        let mut rng = Rng::new(2);
        for round in 0..300 {
            let (own, opp) = random(&mut rng, 8 + round % 3, round % 2 == 0);
            assert_eq!(solved(&mut solver, own, opp).score(), Some(exact(own, opp)), "{own:#x} {opp:#x}");
        }
    }

    #[test]
    fn line_reaches_the_score_and_bounds_respect_the_window() {
        let mut solver = Solver::new(1 << 16);
        let mut rng = Rng::new(3);
        for round in 0..300 {
            let (own, opp) = random(&mut rng, 9, round % 2 == 0);
            let solution = solved(&mut solver, own, opp);
            let score = solution.lower;
            assert_eq!(replay(own, opp, &solution.line), score);
            assert_eq!(solution.best.is_none(), moves::legal(own, opp) == 0);
            let (alpha, beta) = (2 * rng.below(60) as i32 - 60, 2 * rng.below(60) as i32 - 60);
            let part = solve_window(&mut solver, own, opp, alpha.min(beta), alpha.max(beta) + 2);
            assert!(part.lower <= score && score <= part.upper);
            assert!(part.score().is_some() || part.lower >= alpha.max(beta) + 2 || part.upper <= alpha.min(beta));
        }
    }

    /// FFO #40: 20 empty squares, Black to move, 38 discs ahead after a2; 10.7 million nodes with one thread.
    const FFO_40: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X--------";

    fn ffo_40() -> (u64, u64) {
        let discs = |colour| FFO_40.bytes().enumerate().filter(|&(_, c)| c == colour).map(|(i, _)| 1u64 << i).sum();
        (discs(b'X'), discs(b'O'))
    }

    #[test]
    fn scores_are_the_same_for_any_number_of_threads() {
        let mut rng = Rng::new(4);
        let mut solvers = [1, 2, 4].map(|threads| {
            let mut solver = Solver::new(1 << 22);
            solver.set_threads(threads);
            solver
        });
        let mut helper_nodes = [0; 3];
        for round in 0..24 {
            let (own, opp) = random(&mut rng, 15 + round % 3, false);
            let solutions: Vec<Solution> = solvers.iter_mut().map(|solver| solved(solver, own, opp)).collect();
            for (solution, helper_nodes) in solutions.iter().zip(&mut helper_nodes) {
                assert_eq!(
                    (solution.lower, solution.upper),
                    (solutions[0].lower, solutions[0].lower),
                    "{own:#x} {opp:#x}"
                );
                assert_eq!(replay(own, opp, &solution.line), solutions[0].lower, "{own:#x} {opp:#x}: {solution:?}");
                assert!(solution.nodes > solution.helper_nodes);
                *helper_nodes += solution.helper_nodes;
            }
        }
        assert_eq!(helper_nodes[0], 0);
        assert!(helper_nodes[1] > 0 && helper_nodes[2] > 0, "{helper_nodes:?}");
    }

    #[test]
    fn node_limits_count_all_threads() {
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let (own, opp) = ffo_40();
        let mut solver = Solver::new(1 << 22);
        for threads in [1, 2, 4] {
            solver.clear();
            solver.set_threads(threads);
            let limit = 1_000_000;
            let mut budget = Budget::start(&Limits::nodes(limit), &clock, &stop);
            let solution = solver.solve(own, opp, -64, 64, &mut budget, &mut |_| {});
            assert!(solution.score().is_none() && solution.lower <= 38 && solution.upper >= 38, "{solution:?}");
            assert_eq!(budget.count(), limit);
            // Every thread may be between two checks of the limits, and each check is late by a node of a few empty
            // squares.
            let most = limit + threads as u64 * 2 * 8192;
            assert!((limit..most).contains(&solution.nodes), "{threads} threads: {} nodes", solution.nodes);
        }
    }

    #[test]
    fn stop_flag_ends_all_threads() {
        let clock = WallClock::default();
        let (own, opp) = ffo_40();
        for threads in [1, 2, 4] {
            let mut solver = Solver::new(1 << 22);
            solver.set_threads(threads);
            let stop = StopFlag::default();
            let mut budget = Budget::start(&Limits::default(), &clock, &stop);
            let solution = solver.solve(own, opp, -64, 64, &mut budget, &mut |budget| {
                if budget.count() > 200_000 {
                    stop.stop();
                }
            });
            assert!(solution.score().is_none(), "{threads} threads: {solution:?}");
            assert!(solution.nodes < 5_000_000, "{threads} threads: {} nodes", solution.nodes);
            assert_eq!(solved(&mut solver, own, opp).score(), Some(38), "what was stopped leaves no wrong bounds");
        }
    }
}
