//! How a move is chosen by ratings: section 3.2.1.

use banmen_game::Rng;

use super::ratings::{Strengths, phase};
use crate::moves::{Move, MoveSet};
use crate::piece::ORIENTATIONS;
use crate::position::Position;

/// How the next move of a playout is chosen among all placements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Each with the same probability.
    Uniform,
    /// Each with the probability of its strength among those of all: the paper's method (1).
    Roulette,
    /// Two different ones with the same probability, of these the stronger, of equal ones either: the paper's method (2).
    BestOfTwo,
}

/// The key of players and measurements that names a policy.
pub(crate) const NAMES: &[(&str, Policy)] =
    &[("uniform", Policy::Uniform), ("roulette", Policy::Roulette), ("best-of-two", Policy::BestOfTwo)];

/// The sums of the strengths of each orientation's placements, made once for each thread.
#[derive(Clone, Debug)]
pub(crate) struct Sums([f32; ORIENTATIONS]);

impl Default for Sums {
    fn default() -> Self {
        Sums([0.0; ORIENTATIONS])
    }
}

impl Policy {
    /// Chooses for the side to move among its placements, at least two.
    #[inline]
    pub(crate) fn choose(
        self,
        strengths: &Strengths,
        position: &Position,
        moves: &MoveSet,
        sums: &mut Sums,
        rng: &mut Rng,
    ) -> Move {
        let nth = |rank| moves.nth(rank).unwrap_or(Move::PASS);
        match self {
            Policy::Uniform => nth(rng.index(moves.len())),
            Policy::Roulette => roulette(strengths, position, moves, sums, rng),
            Policy::BestOfTwo => {
                let first = rng.index(moves.len());
                let second = rng.index(moves.len() - 1);
                // The second is one of the others.
                let (first, second) = (nth(first), nth(second + usize::from(second >= first)));
                let [a, b] = [first, second].map(|m| strengths.of(position.side(), phase(position), m));
                let takes_first = if a == b { rng.index(2) == 0 } else { a > b };
                if takes_first { first } else { second }
            }
        }
    }
}

fn roulette(strengths: &Strengths, position: &Position, moves: &MoveSet, sums: &mut Sums, rng: &mut Rng) -> Move {
    let rows = strengths.rows(position.side(), phase(position));
    let mut total = 0.0;
    // Nested iterators are fast when they call us, not in a `for` loop.
    moves.orientations().for_each(|(orientation, corners)| {
        let (row, mut sum) = (&rows[orientation.index()], 0.0);
        for (base, mut word) in [0, 64, 128, 192].into_iter().zip(corners.words()) {
            while word != 0 {
                sum += row[base + word.trailing_zeros() as usize];
                word &= word - 1;
            }
        }
        sums.0[orientation.index()] = sum;
        total += sum;
    });
    let mut rest = rng.unit() as f32 * total;
    let mut covers_rest = |strength: f32| {
        let covers = rest < strength;
        if !covers {
            rest -= strength;
        }
        covers
    };
    let drawn = moves.orientations().find(|(orientation, _)| covers_rest(sums.0[orientation.index()]));
    let placement = drawn.and_then(|(orientation, corners)| {
        let row = &rows[orientation.index()];
        let corner = corners.iter().find(|corner| covers_rest(row[usize::from(corner.bit())]));
        Move::place(orientation, corner.or_else(|| corners.iter().last())?)
    });
    // Rounding can leave more than the last strength: then the last placement is chosen.
    placement.or_else(|| moves.nth(moves.len() - 1)).unwrap_or(Move::PASS)
}

#[cfg(test)]
mod tests {
    use banmen_game::Game;

    use super::*;
    use crate::game::Blokus;
    use crate::players::ratings::{Squares, tests::made_up};

    /// A position after some random plies, with its placements.
    fn middle(plies: usize, seed: u64) -> (Position, MoveSet) {
        let game = Blokus::STANDARD;
        let (mut position, mut rng) = (game.start(), Rng::new(seed));
        for _ in 0..plies {
            let legal = game.moves(&position);
            game.play(&mut position, legal[rng.index(legal.len())]);
        }
        let mut moves = MoveSet::default();
        assert!(moves.fill(&game.reach(&position, position.side())) > 1);
        (position, moves)
    }

    /// χ² of `draws` choices against the probabilities of the placements, over the degrees of freedom. Placements that are
    /// expected fewer than five times are counted together.
    fn chi_square(policy: Policy, plies: usize, expected: impl Fn(&[f64]) -> Vec<f64>) -> (f64, usize) {
        const DRAWS: u32 = 100_000;
        let (position, moves) = middle(plies, 7);
        let strengths = made_up(Squares::Own);
        let listed: Vec<Move> = moves.iter().collect();
        let weights: Vec<f64> =
            listed.iter().map(|&m| f64::from(strengths.of(position.side(), phase(&position), m))).collect();
        let (mut seen, mut sums, mut rng) = (vec![0u32; listed.len()], Sums::default(), Rng::new(11));
        for _ in 0..DRAWS {
            let m = policy.choose(&strengths, &position, &moves, &mut sums, &mut rng);
            seen[listed.iter().position(|&other| other == m).expect("a legal placement")] += 1;
        }
        let (mut chi, mut cells, mut rare) = (0.0, 0, (0.0, 0.0));
        for (p, seen) in expected(&weights).into_iter().zip(seen) {
            let (wanted, seen) = (p * f64::from(DRAWS), f64::from(seen));
            if wanted < 5.0 {
                rare = (rare.0 + wanted, rare.1 + seen);
            } else {
                (chi, cells) = (chi + (seen - wanted).powi(2) / wanted, cells + 1);
            }
        }
        if rare.0 >= 5.0 {
            (chi, cells) = (chi + (rare.1 - rare.0) * (rare.1 - rare.0) / rare.0, cells + 1);
        }
        (chi, cells - 1)
    }

    /// Whether χ² is within four standard deviations of its mean.
    fn fits((chi, degrees): (f64, usize)) -> bool {
        let degrees = degrees as f64;
        (chi - degrees).abs() < 4.0 * (2.0 * degrees).sqrt()
    }

    fn proportional(weights: &[f64]) -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// The probability of each to be drawn with one that is weaker, or that is as strong and loses the draw.
    fn best_of_two(weights: &[f64]) -> Vec<f64> {
        let count = weights.len() as f64;
        let beaten = |&weight: &f64| {
            let below = weights.iter().filter(|&&other| other < weight).count() as f64;
            let equal = weights.iter().filter(|&&other| other == weight).count() as f64 - 1.0;
            (2.0 * below + equal) / (count * (count - 1.0))
        };
        weights.iter().map(beaten).collect()
    }

    #[test]
    fn policies_have_their_exact_distributions() {
        for plies in [0, 5, 12, 20] {
            let uniform = |weights: &[f64]| vec![1.0 / weights.len() as f64; weights.len()];
            for (policy, expected) in
                [(Policy::Roulette, proportional as fn(&[f64]) -> Vec<f64>), (Policy::BestOfTwo, best_of_two)]
            {
                let seen = chi_square(policy, plies, expected);
                assert!(fits(seen), "{policy:?} after {plies} plies: {seen:?}");
                // The test distinguishes the policies.
                assert!(!fits(chi_square(policy, plies, uniform)), "{policy:?} after {plies} plies");
            }
            assert!(fits(chi_square(Policy::Uniform, plies, uniform)), "uniform after {plies} plies");
        }
    }
}
