//! The exact solver of endings.
//!
//! A score is found by null-window questions alone ("more than alpha?"), each of which moves a proven bound, until the
//! bounds meet or leave the window asked for (Plaat et al. 1996, MTD(f)); the table keeps what earlier questions have
//! proven. All final scores are even, so a good first guess needs two questions.

use super::preview;
use super::search::Search;
use super::table::Table;
use crate::moves::legal;

/// An exact solver with its table. Deterministic: the same questions in the same order to a solver in the same state
/// take the same nodes and find the same moves.
pub struct Solver {
    tables: [Table; 2],
}

/// Plies that the guess looks ahead.
const GUESS_DEPTH: u32 = 4;

/// What is proven of a position. All scores are final scores from the mover's view, own discs less the other side's,
/// empty squares to the winner: even, −64 to 64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The score is at least this.
    pub lower: i32,
    /// The score is at most this.
    pub upper: i32,
    /// The move that reaches `lower`. `None` where the mover must pass or nothing has been proven.
    pub best: Option<u32>,
    /// Perfect play from here as far as it was proven: squares, passes left out.
    pub line: Vec<u32>,
    /// Positions visited: each position that the search comes to counts one each time, the root and those after a
    /// pass too; full boards do not.
    pub nodes: u64,
}

impl Solution {
    /// The exact score, if it is proven.
    #[must_use]
    pub fn score(&self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower)
    }
}

/// Bytes of the near table: it stays in the second-level cache of one core.
const NEAR_BYTES: usize = 1 << 19;

impl Solver {
    /// A solver whose table takes at most `bytes`, rounded down to a power of two; 2²⁶ is enough for 24 empty squares.
    /// Half a mebibyte more goes to a second table for the last plies, small enough to stay near the processor.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Solver { tables: [Table::new(NEAR_BYTES), Table::new(bytes)] }
    }

    /// Forgets every position.
    pub fn clear(&mut self) {
        self.tables.iter_mut().for_each(Table::clear);
    }

    /// Proves the score of a position as far as the window asks: done when the bounds meet, when `lower >= beta` or
    /// when `upper <= alpha`. With (−64, 64) the score is exact.
    ///
    /// `poll` is called with the nodes so far every 8,192 nodes or so (a fraction of a millisecond); when
    /// it returns true the solver stops and answers what is proven by then.
    pub fn solve(&mut self, own: u64, opp: u64, alpha: i32, beta: i32, poll: &mut dyn FnMut(u64) -> bool) -> Solution {
        self.tables.iter_mut().for_each(Table::age);
        let mut search = Search::new(&mut self.tables, poll);
        let mut solution = Solution { lower: -64, upper: 64, best: None, line: Vec::new(), nodes: 0 };
        // The first question comes from a guess; the next ones go on from the last bound.
        let value = search.preview(own, opp, -preview::INFINITE, preview::INFINITE, GUESS_DEPTH);
        let mut guess = (value / 200 * 2).clamp(-64, 64);
        while solution.lower < solution.upper && solution.lower < beta && solution.upper > alpha {
            // Between two scores that are still possible, but not outside of the window.
            let odd = if guess == solution.lower { guess + 1 } else { guess - 1 };
            let question = odd.clamp(alpha, beta - 1);
            let (score, best) = search.best_above(own, opp, question);
            if search.stopped {
                break;
            }
            let best = best.map(|m| m.square);
            if score > question {
                (solution.lower, solution.best) = (score, best);
            } else {
                solution.upper = score;
                if score == -64 {
                    solution.best = best;
                }
            }
            guess = score;
        }
        match solution.score() {
            Some(score) => solution.line = line(&mut search, own, opp, score),
            None => solution.line.extend(solution.best),
        }
        solution.nodes = search.nodes;
        solution
    }
}

/// Perfect play from a position of known score: at each step the first move found that keeps it. Ends early when the
/// search is stopped.
fn line(search: &mut Search<'_>, mut own: u64, mut opp: u64, mut score: i32) -> Vec<u32> {
    let mut line = Vec::new();
    loop {
        if legal(own, opp) == 0 {
            if legal(opp, own) == 0 {
                return line;
            }
        } else {
            let (_, best) = search.best_above(own, opp, score - 1);
            let Some(best) = best.filter(|_| !search.stopped) else { return line };
            line.push(best.square);
            (opp, own) = best.play(own, opp);
        }
        (own, opp) = (opp, own);
        score = -score;
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::moves;

    /// The score by trying everything, with the rules' own functions.
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
            let turned = moves::flips(own, opp, square);
            alpha = alpha.max(-plain(opp ^ turned, own | turned | 1 << square, -beta, -alpha));
        }
        alpha
    }

    fn exact(own: u64, opp: u64) -> i32 {
        plain(own, opp, -64, 64)
    }

    /// Positions with `empties` empty squares. Even seeds: the end of a random game. Odd seeds: discs thrown on the
    /// board, most of one colour, so that passes and wipe-outs are frequent.
    fn random(rng: &mut Rng, empties: u32, thrown: bool) -> (u64, u64) {
        loop {
            let (mut own, mut opp) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
            if thrown {
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
                    let turned = moves::flips(own, opp, square);
                    (own, opp) = (own | turned | 1 << square, opp ^ turned);
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

    fn solved(solver: &mut Solver, own: u64, opp: u64) -> Solution {
        solver.solve(own, opp, -64, 64, &mut |_| false)
    }

    #[test]
    fn random_endings_are_solved_exactly() {
        let mut solver = Solver::new(1 << 16);
        let mut rng = Rng::new(1);
        let (mut passes, mut ends, mut wiped) = (0, 0, 0);
        for round in 0..6000 {
            let (empties, thrown) = (round % 8, round % 16 < 8);
            let (own, opp) = random(&mut rng, empties, thrown);
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
    fn longer_endings_are_solved_exactly() {
        let mut solver = Solver::new(1 << 16);
        let mut rng = Rng::new(2);
        for round in 0..300 {
            let (own, opp) = random(&mut rng, 8 + round % 3, round % 2 == 0);
            assert_eq!(solved(&mut solver, own, opp).score(), Some(exact(own, opp)), "{own:#x} {opp:#x}");
        }
    }

    #[test]
    fn the_line_reaches_the_score_and_windows_hold() {
        let mut solver = Solver::new(1 << 16);
        let mut rng = Rng::new(3);
        for round in 0..300 {
            let (own, opp) = random(&mut rng, 9, round % 2 == 0);
            let solution = solved(&mut solver, own, opp);
            let score = solution.lower;
            let (mut us, mut them, mut sign) = (own, opp, 1);
            for &square in &solution.line {
                if moves::legal(us, them) == 0 {
                    (us, them, sign) = (them, us, -sign);
                }
                let turned = moves::flips(us, them, square);
                assert_ne!(turned, 0);
                (us, them, sign) = (them ^ turned, us | turned | 1 << square, -sign);
            }
            assert_eq!(moves::legal(us, them) | moves::legal(them, us), 0, "the line goes to the end");
            assert_eq!(sign * exact(us, them), score);
            assert_eq!(solution.best.is_none(), moves::legal(own, opp) == 0);
            let (alpha, beta) = (2 * rng.below(60) as i32 - 60, 2 * rng.below(60) as i32 - 60);
            let part = solver.solve(own, opp, alpha.min(beta), alpha.max(beta) + 2, &mut |_| false);
            assert!(part.lower <= score && score <= part.upper);
            assert!(part.score().is_some() || part.lower >= alpha.max(beta) + 2 || part.upper <= alpha.min(beta));
        }
    }
}
