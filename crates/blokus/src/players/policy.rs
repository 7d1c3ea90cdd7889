//! How a move is chosen by ratings: section 3.2.1.

use banmen_game::Rng;

use super::ratings::{Ratings, Strengths, phase};
use crate::game::Blokus;
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
pub(crate) const POLICIES: &[(&str, Policy)] =
    &[("uniform", Policy::Uniform), ("roulette", Policy::Roulette), ("best-of-two", Policy::BestOfTwo)];

/// What a roulette needs, made once for each thread.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    /// The sum of the strengths of each orientation's placements.
    orientations: [f32; ORIENTATIONS],
    /// The strength of each placement, where it depends on the position.
    placements: Vec<f32>,
}

impl Default for Sums {
    fn default() -> Self {
        Sums { orientations: [0.0; ORIENTATIONS], placements: Vec::new() }
    }
}

impl Policy {
    /// Chooses for the side to move among its placements, at least two. `last`: what the opponent placed last, or a pass.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "a playout's loop has all of them at hand")]
    pub(crate) fn choose(
        self,
        ratings: &Ratings,
        game: &Blokus,
        position: &Position,
        last: Move,
        moves: &MoveSet,
        sums: &mut Sums,
        rng: &mut Rng,
    ) -> Move {
        match (self, ratings) {
            (Policy::Uniform, _) => moves.nth(rng.index(moves.len())).unwrap_or(Move::PASS),
            (Policy::Roulette, Ratings::Squares(strengths)) => roulette(strengths, position, moves, sums, rng),
            (Policy::Roulette, Ratings::Features(weights)) => {
                roulette_of_each(weights.strengths(game, position, last), moves, &mut sums.placements, rng)
            }
            (Policy::BestOfTwo, Ratings::Squares(strengths)) => {
                best_of_two(|m| strengths.of(position.side(), phase(position), m), moves, rng)
            }
            (Policy::BestOfTwo, Ratings::Features(weights)) => {
                best_of_two(weights.strengths(game, position, last), moves, rng)
            }
        }
    }
}

#[inline]
fn best_of_two(strength: impl Fn(Move) -> f32, moves: &MoveSet, rng: &mut Rng) -> Move {
    let first = rng.index(moves.len());
    let second = rng.index(moves.len() - 1);
    // The second is one of the others.
    let [first, second] =
        [first, second + usize::from(second >= first)].map(|rank| moves.nth(rank).unwrap_or(Move::PASS));
    let [a, b] = [first, second].map(strength);
    let takes_first = if a == b { rng.index(2) == 0 } else { a > b };
    if takes_first { first } else { second }
}

/// The roulette where each placement has to be valued by itself.
fn roulette_of_each(strength: impl Fn(Move) -> f32, moves: &MoveSet, each: &mut Vec<f32>, rng: &mut Rng) -> Move {
    each.clear();
    each.extend(moves.iter().map(strength));
    let mut rest = rng.unit() as f32 * each.iter().sum::<f32>();
    let covers_rest = |strength: &f32| {
        let covers = rest < *strength;
        rest -= strength;
        covers
    };
    // Rounding can leave more than the last strength: then the last placement is chosen.
    let rank = each.iter().position(covers_rest).unwrap_or(moves.len() - 1);
    moves.nth(rank).unwrap_or(Move::PASS)
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
        sums.orientations[orientation.index()] = sum;
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
    let drawn = moves.orientations().find(|(orientation, _)| covers_rest(sums.orientations[orientation.index()]));
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

    /// The strength of each of these placements.
    fn strengths(ratings: &Ratings, position: &Position, placements: &[Move]) -> Vec<f64> {
        match ratings {
            Ratings::Squares(strengths) => {
                let of = |&m: &Move| f64::from(strengths.of(position.side(), phase(position), m));
                placements.iter().map(of).collect()
            }
            Ratings::Features(weights) => {
                let of = weights.strengths(&Blokus::STANDARD, position, Move::PASS);
                placements.iter().map(|&m| f64::from(of(m))).collect()
            }
        }
    }

    /// χ² of 100,000 choices against the probabilities of the placements, over the degrees of freedom. Placements that are
    /// expected fewer than five times are counted together.
    fn chi_square(
        policy: Policy,
        ratings: &Ratings,
        plies: usize,
        expected: impl Fn(&[f64]) -> Vec<f64>,
    ) -> (f64, usize) {
        const DRAWS: u32 = 100_000;
        let (position, moves) = middle(plies, 7);
        let listed: Vec<Move> = moves.iter().collect();
        let weights = strengths(ratings, &position, &listed);
        let (mut seen, mut sums, mut rng) = (vec![0u32; listed.len()], Sums::default(), Rng::new(11));
        for _ in 0..DRAWS {
            let m = policy.choose(ratings, &Blokus::STANDARD, &position, Move::PASS, &moves, &mut sums, &mut rng);
            seen[listed.iter().position(|&other| other == m).expect("a legal placement")] += 1;
        }
        let (mut chi, mut cells, mut rare) = (0.0, 0, (0.0, 0.0));
        for (p, seen) in expected(&weights).into_iter().zip(seen) {
            let (wanted, seen) = (p * f64::from(DRAWS), f64::from(seen));
            if wanted < 5.0 {
                rare = (rare.0 + wanted, rare.1 + seen);
            } else {
                (chi, cells) = (chi + (seen - wanted) * (seen - wanted) / wanted, cells + 1);
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
    fn best_of_two_shares(weights: &[f64]) -> Vec<f64> {
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
        let squares = Ratings::Squares(made_up(Squares::Own));
        let features = Ratings::embedded("priors").expect("it comes with the program");
        for (ratings, plies) in [0, 5, 12, 20].into_iter().flat_map(|plies| [(&squares, plies), (&*features, plies)]) {
            let uniform = |weights: &[f64]| vec![1.0 / weights.len() as f64; weights.len()];
            for (policy, expected) in
                [(Policy::Roulette, proportional as fn(&[f64]) -> Vec<f64>), (Policy::BestOfTwo, best_of_two_shares)]
            {
                let seen = chi_square(policy, ratings, plies, expected);
                assert!(fits(seen), "{policy:?} after {plies} plies: {seen:?}");
                // The test distinguishes the policies.
                assert!(!fits(chi_square(policy, ratings, plies, uniform)), "{policy:?} after {plies} plies");
            }
            assert!(fits(chi_square(Policy::Uniform, ratings, plies, uniform)), "uniform after {plies} plies");
        }
    }
}
