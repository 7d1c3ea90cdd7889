//! Games of the engine against itself, as examples for the fit.

use std::sync::Arc;

use banmen_catalog::WallClock;
use banmen_game::{Rng, Side};
use banmen_search::{Budget, Limits, StopFlag};

use crate::engine::last::final_score;
use crate::engine::{Evaluation, Midgame, Selectivity, Solver};
use crate::moves::{after, legal};
use crate::position::Position;

/// A position with what is known of its score, in discs for the mover, empty squares to the winner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    /// The mover's discs.
    pub own: u64,
    /// The opponent's discs.
    pub opp: u64,
    /// The final score of the game that was played on from here; the exact score when `exact`.
    pub result: i8,
    /// Whether `result` is the exact score of the position.
    pub exact: bool,
    /// The value of the search that chose the move, in hundredths of a disc.
    pub value: i16,
}

/// The number of bytes of an example in a file.
pub const EXAMPLE_BYTES: usize = 20;

impl Example {
    /// The example in bytes: the mover's discs, the opponent's, the result, 1 if it is exact, the value; numbers of
    /// several bytes with the lowest first.
    #[must_use]
    pub fn to_bytes(self) -> [u8; EXAMPLE_BYTES] {
        let mut bytes = [0; EXAMPLE_BYTES];
        bytes[..8].copy_from_slice(&self.own.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.opp.to_le_bytes());
        bytes[16] = self.result as u8;
        bytes[17] = u8::from(self.exact);
        bytes[18..].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }

    /// Reads what [`Example::to_bytes`] wrote. `None` for discs that overlap or leave a square of the centre empty, a result
    /// beyond ±64, a flag other than 0 and 1.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; EXAMPLE_BYTES]) -> Option<Self> {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let example = Example {
            own: word(0),
            opp: word(8),
            result: bytes[16] as i8,
            exact: bytes[17] == 1,
            value: i16::from_le_bytes([bytes[18], bytes[19]]),
        };
        let possible = Position::new(example.own, example.opp, Side::First).is_ok();
        (possible && (-64..=64).contains(&example.result) && bytes[17] <= 1).then_some(example)
    }

    /// The number of empty squares.
    #[must_use]
    pub fn empties(&self) -> u32 {
        (!(self.own | self.opp)).count_ones()
    }
}

/// Size of the tables of the search and of the solver.
const TABLE_BYTES: usize = 1 << 22;

/// The searches' selectivity.
const SELECTIVITY: Selectivity = Selectivity::P87;

/// Plays games.
pub struct Generator {
    rng: Rng,
    midgame: Midgame,
    solver: Solver,
    depth: u32,
    exact: u32,
}

impl Generator {
    /// Games whose players search `depth` plies, and exactly from `exact` empty squares on.
    #[must_use]
    pub fn new(evaluation: Arc<Evaluation>, seed: u64, depth: u32, exact: u32) -> Self {
        let midgame = Midgame::with_evaluation(Arc::clone(&evaluation), TABLE_BYTES);
        let solver = Solver::with_evaluation(evaluation, TABLE_BYTES);
        Generator { rng: Rng::new(seed), midgame, solver, depth, exact }
    }

    /// Plays one game and adds its positions: those after a random opening where the mover has at least one move.
    pub fn play(&mut self, examples: &mut Vec<Example>) {
        let draw = |rng: &mut Rng| 6 + rng.below(40);
        let random = draw(&mut self.rng).min(draw(&mut self.rng)).min(draw(&mut self.rng));
        let (mut own, mut opp) = (0x0000_0008_1000_0000u64, 0x0000_0010_0800_0000u64);
        let first = examples.len();
        self.midgame.clear();
        // For each example whether the first player moves.
        let mut movers = Vec::new();
        let (mut ply, mut side) = (0, true);
        loop {
            let squares = legal(own, opp);
            if squares == 0 {
                if legal(opp, own) == 0 {
                    break;
                }
                (own, opp, side) = (opp, own, !side);
                continue;
            }
            let empties = (!(own | opp)).count_ones();
            let (clock, stop) = (WallClock::default(), StopFlag::default());
            let mut budget = Budget::start(&Limits::default(), &clock, &stop);
            let square = if ply < random {
                self.any(squares)
            } else if empties <= self.exact {
                let solution = self.solver.solve(own, opp, -64, 64, &mut budget, &mut |_| {});
                let score = solution.lower as i8;
                examples.push(Example { own, opp, result: score, exact: true, value: 100 * i16::from(score) });
                movers.push(side);
                match solution.line.first() {
                    Some(&best) if self.rng.below(4) != 0 => best,
                    _ => self.any(squares),
                }
            } else {
                let mut best = (0, None);
                for depth in 1..=self.depth {
                    best = self.midgame.value(own, opp, depth, SELECTIVITY, &mut budget).unwrap_or(best);
                }
                let (value, square) = (best.0, best.1.unwrap_or_else(|| self.any(squares)));
                examples.push(Example { own, opp, result: 0, exact: false, value: value.clamp(-6400, 6400) as i16 });
                movers.push(side);
                square
            };
            (own, opp) = after(own, opp, square);
            (ply, side) = (ply + 1, !side);
        }
        // The result of the inexact ones is the first exact score, or the final score.
        let exact = examples[first..].iter().position(|example| example.exact);
        let (score, scorer) = match exact {
            Some(at) => (examples[first + at].result, movers[at]),
            None => (final_score(own, opp) as i8, side),
        };
        for (example, mover) in examples[first..].iter_mut().zip(movers) {
            if !example.exact {
                example.result = if mover == scorer { score } else { -score };
            }
        }
    }

    /// One of the squares at random.
    fn any(&mut self, squares: u64) -> u32 {
        let below = self.rng.below(squares.count_ones().into());
        (0..below).fold(squares, |left, _| left & (left - 1)).trailing_zeros()
    }
}

/// Divides the examples of some games: those to fit to, and the last games, about a twentieth, which are held out.
#[must_use]
pub(super) fn held_out(examples: &[Example]) -> (&[Example], &[Example]) {
    let about = examples.len() / 20 * 19;
    let first = |at: &usize| *at > 0 && begins(&examples[at - 1], &examples[*at]);
    examples.split_at((about..examples.len()).find(first).unwrap_or(examples.len()))
}

/// Whether a game begins between two examples: the number of empty squares does not fall.
pub(super) fn begins(before: &Example, next: &Example) -> bool {
    next.empties() >= before.empties()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Weights;

    fn examples(seed: u64, games: usize) -> Vec<Example> {
        let mut generator = Generator::new(Arc::new(Evaluation::new(Weights::zero())), seed, 2, 8);
        let mut examples = Vec::new();
        (0..games).for_each(|_| generator.play(&mut examples));
        examples
    }

    #[test]
    fn games_follow_from_the_seed() {
        let all = examples(1, 20);
        assert_eq!(all, examples(1, 20));
        assert_ne!(all, examples(2, 20));
        assert!(all.len() > 20 * 10);
        for example in &all {
            assert!(legal(example.own, example.opp) != 0);
            assert_eq!(example.exact, example.empties() <= 8);
            assert_eq!(Example::from_bytes(&example.to_bytes()), Some(*example));
        }
    }

    /// Exact results are those of a plain search to the end, and other results those of the game: the exact score of its
    /// first solved position, from the view of the side to move.
    #[test]
    fn results_are_true() {
        fn score(own: u64, opp: u64) -> i8 {
            let mut squares = legal(own, opp);
            if squares == 0 {
                return if legal(opp, own) == 0 { final_score(own, opp) as i8 } else { -score(opp, own) };
            }
            let mut best = -64;
            while squares != 0 {
                let (own, opp) = after(own, opp, squares.trailing_zeros());
                best = best.max(-score(own, opp));
                squares &= squares - 1;
            }
            best
        }
        let all = examples(3, 12);
        for example in all.iter().filter(|example| example.empties() <= 7) {
            assert_eq!(example.result, score(example.own, example.opp));
        }
        for pair in all.windows(2).filter(|pair| !pair[0].exact && pair[1].empties() < pair[0].empties()) {
            // The mover's discs grow with its own move, and the opponent's are those that were not flipped, unless a pass
            // lies between.
            let same_side = pair[1].own & pair[0].own == pair[0].own;
            assert_eq!(pair[0].result, if same_side { pair[1].result } else { -pair[1].result });
        }
    }

    #[test]
    fn held_out_games_are_whole() {
        let all = examples(4, 40);
        let (fitted, held) = held_out(&all);
        assert_eq!(fitted.len() + held.len(), all.len());
        assert!(!held.is_empty() && held.len() <= all.len() / 20 + 1);
        let last = fitted[fitted.len() - 1];
        assert!(held[0].empties() >= last.empties(), "a game begins");
        assert_eq!(held_out(&[]).1, &[]);
    }

    #[test]
    fn other_bytes_are_no_examples() {
        let (own, opp) = (Position::START.own() | 1, Position::START.opp() | 2);
        let example = Example { own, opp, result: -64, exact: true, value: -6400 };
        let bytes = example.to_bytes();
        assert_eq!(Example::from_bytes(&bytes), Some(example));
        // A square with two discs, a centre with an empty square, a result and a flag out of range.
        for (at, byte) in [(8, 1), (3, 0), (16, 65), (17, 2)] {
            let mut bytes = bytes;
            bytes[at] = byte;
            assert_eq!(Example::from_bytes(&bytes), None, "byte {at}");
        }
    }
}
