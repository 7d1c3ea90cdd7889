//! Which placements get into the tree, and their priors.

use std::cmp::Ordering;

use super::features::{Features, least_size, phase};
use super::policy::MovePolicy;
use super::weights::Weights;
use crate::game::Blokus;
use crate::moves::{Move, MoveSet};
use crate::position::Position;

/// The moves of the side to move with their scores: strengths, or logarithms of probabilities.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranking {
    moves: MoveSet,
    pub(super) ranked: Vec<(f32, Move)>,
    /// Whether the scores are logarithms.
    logarithms: bool,
}

/// The higher score first; of equals the smaller number.
fn order(a: &(f32, Move), b: &(f32, Move)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

impl Ranking {
    /// Fills it with the moves and their strengths. `last`: what the opponent placed last, or a pass; `prune`: without early
    /// placements of small pieces.
    pub(super) fn fill(&mut self, game: &Blokus, position: &Position, last: Move, weights: &Weights, prune: bool) {
        self.ranked.clear();
        self.logarithms = false;
        let reach = game.reach(position, position.side());
        if self.moves.fill(&reach) == 0 {
            self.ranked.push((1.0, Move::PASS));
            return;
        }
        let features = Features::new(game, position, &reach, last);
        let weights = weights.of_phase(phase(position));
        let mut least = if prune { least_size(position) } else { 1 };
        while least > 1
            && !self
                .moves
                .orientations()
                .any(|(orientation, corners)| orientation.piece().size() >= least && !corners.is_empty())
        {
            least -= 1;
        }
        for (orientation, corners) in self.moves.orientations() {
            if orientation.piece().size() < least {
                continue;
            }
            let number = orientation.index();
            self.ranked.extend(
                corners
                    .iter()
                    .map(|corner| (weights.strength(&features, number, corner), Move::placement(number, corner))),
            );
        }
    }

    /// Keeps `count` moves with the highest strengths, and replaces these by the scores of the policy network.
    pub(super) fn apply_policy(&mut self, game: &Blokus, position: &Position, last: Move, count: usize) {
        if self.ranked.len() < 2 {
            return;
        }
        self.keep_highest(count);
        let policy = MovePolicy::new(game, position, last);
        self.logarithms = true;
        for (score, m) in &mut self.ranked {
            if let Some((orientation, corner)) = m.parts() {
                *score = policy.log_probability(orientation, corner, *score);
            }
        }
    }

    /// Keeps `count` moves with the highest scores, of equals those with smaller numbers.
    fn keep_highest(&mut self, count: usize) {
        if self.ranked.len() > count {
            self.ranked.select_nth_unstable_by(count - 1, order);
            self.ranked.truncate(count);
        }
    }

    /// Keeps `count` moves with the highest scores, the highest first; of equals those with smaller numbers.
    pub(super) fn keep_sorted(&mut self, count: usize) {
        self.keep_highest(count);
        self.ranked.sort_unstable_by(order);
    }

    /// The weights of the priors of the moves that were kept, in their order.
    pub(super) fn priors(&self) -> impl Iterator<Item = f32> {
        let highest = self.ranked.first().map_or(0.0, |&(score, _)| score);
        self.ranked.iter().map(move |&(score, _)| if self.logarithms { libm::expf(score - highest) } else { score })
    }
}

/// The placements that the engine considers, with the strengths of their features; none where a side has to pass. `last`: what
/// the opponent placed last, or a pass.
#[must_use]
pub fn considered(game: &Blokus, position: &Position, last: Move) -> Vec<(f32, Move)> {
    let mut ranking = Ranking::default();
    if let Ok(weights) = Weights::learned() {
        ranking.fill(game, position, last, &weights, true);
    }
    ranking.ranked.retain(|&(_, m)| m != Move::PASS);
    ranking.ranked
}

#[cfg(test)]
mod tests {
    use banmen_game::Game;

    use super::*;
    use crate::engine::features::tests::positions;

    #[test]
    fn keeps_the_best_and_gives_them_priors() {
        let (game, weights) = (Blokus::STANDARD, Weights::learned().expect("embedded"));
        let mut ranking = Ranking::default();
        for (position, last) in positions(2) {
            for policy in [false, true] {
                ranking.fill(&game, &position, last, &weights, true);
                let all: Vec<Move> = ranking.ranked.iter().map(|&(_, m)| m).collect();
                if policy {
                    ranking.apply_policy(&game, &position, last, 60);
                }
                let mut scores: Vec<f32> = ranking.ranked.iter().map(|&(score, _)| score).collect();
                ranking.keep_sorted(20);
                scores.sort_by(|a, b| b.total_cmp(a));
                scores.truncate(20);
                let kept: Vec<f32> = ranking.ranked.iter().map(|&(score, _)| score).collect();
                assert_eq!(kept, scores, "{position:?}");
                assert!(ranking.ranked.iter().all(|(_, m)| all.contains(m)));
                let priors: Vec<f32> = ranking.priors().collect();
                assert_eq!(priors.len(), all.len().min(20));
                assert!(priors.is_sorted_by(|a, b| a >= b) && priors.iter().all(|&prior| prior >= 0.0), "{priors:?}");
                assert!(priors[0] > 0.0);
                if policy && all.len() > 1 {
                    assert_eq!(priors[0], 1.0, "relative to the best");
                }
            }
        }
    }

    #[test]
    fn considers_the_placements_that_get_into_the_tree() {
        let game = Blokus::STANDARD;
        let first = considered(&game, &game.start(), Move::PASS);
        assert!(first.iter().all(|(strength, m)| *strength > 0.0 && m.cells().count() == 5));
        let mut passed = game.start();
        let (_, m) = first[0];
        game.play(&mut passed, m);
        assert!(considered(&game, &passed, m).len() > 100);
    }
}
