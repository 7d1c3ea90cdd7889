//! The engine's hooks of the tree search: which moves get into the tree, their priors, playouts, and rewards, to which the
//! network adds its value of the leaf.

use std::sync::Arc;

use banmen_game::{GameState, Outcome, PlayoutEnd, Rng, Side};
use banmen_search::mcts::{Guide, NewChildren, SearchPosition};

use super::level::Level;
use super::network::NETWORK;
use super::playout::{self, MarkedMoves, Memory, PlayoutContext};
use super::ranking::Ranking;
use super::weights::Weights;
use crate::game::Blokus;
use crate::moves::Move;
use crate::piece::PIECES;
use crate::position::Position;

/// The settings that the keys give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tuning {
    /// The most children of a node.
    pub(super) width: usize,
    /// The part of a won game's reward that depends on the margin, 0 to 1.
    pub(super) margin: f64,
    /// How playouts choose.
    pub(super) playouts: playout::Policy,
    /// Whether the policy network ranks the placements.
    pub(super) policy: bool,
    /// The part of a reward that the network gives at an empty board, 0 to 1; it falls to 0 at a full one.
    pub(super) network: f64,
    /// The part of the leaves early in the game that get a playout, 0 to 1; the network alone values the others.
    pub(super) early_playouts: f64,
    /// Whether early placements of small pieces are left out of the tree.
    pub(super) prune: bool,
    /// The most squares left to place with which the ending is solved exactly.
    pub(super) exact: u32,
    /// The level that limits the placements considered at the root; `None`: all are.
    pub(super) level: Option<Level>,
}

/// Half of the reward that the margin brings is reached with a margin of so many points: about the mean margin between
/// strong players.
const HALF_MARGIN: f64 = 8.0;

/// With fewer placements it is early in the game.
const EARLY: u32 = 12;

/// The policy network scores so many times the most children of a node, those with the highest strengths.
const POLICY_WIDTHS: usize = 3;

/// The number of values that are kept, a power of two.
const VALUES: usize = 1 << 14;

/// The guide of the engine. Every thread has one.
#[derive(Clone, Debug)]
pub(super) struct Knowledge {
    tuning: Tuning,
    weights: Arc<Weights>,
    /// The last two moves before the root, the earlier one first; a pass where there was none.
    before: (Move, Move),
    /// Of the last node that got children.
    ranking: Ranking,
    memory: Memory,
    /// Keys of positions and the network's values, by the low bits of the keys: a leaf is valued at several visits before it is
    /// expanded.
    values: Vec<(u64, f32)>,
    /// The network's part of the reward of the simulation under way, and its value of the leaf from the first side's view.
    expected: Option<(f64, f64)>,
}

impl Knowledge {
    pub(super) fn new(tuning: Tuning, weights: Arc<Weights>) -> Self {
        Knowledge {
            tuning,
            weights,
            before: (Move::PASS, Move::PASS),
            ranking: Ranking::default(),
            memory: Memory::default(),
            values: vec![(0, 0.0); VALUES],
            expected: None,
        }
    }

    /// The last two moves of a line from the root on.
    fn last_two(&self, line: &[Move]) -> (Move, Move) {
        match *line {
            [] => self.before,
            [m] => (self.before.1, m),
            [.., a, b] => (a, b),
        }
    }

    /// The network's value of a position.
    fn value(&mut self, game: &Blokus, position: &Position) -> f64 {
        let key = position.key();
        let known = &mut self.values[key as usize % VALUES];
        if known.0 != key {
            *known = (key, NETWORK.value(game, position));
        }
        known.1.into()
    }
}

/// The reward of a finished game, from the first side's view, 0 to 1. `part`, from 0 to 1, is how much
/// of it depends on the margin.
#[must_use]
pub fn reward(outcome: &Outcome, part: f64) -> f64 {
    let margin = f64::from(outcome.margin.unwrap_or(0));
    let share = 1.0 - part * HALF_MARGIN / (margin + HALF_MARGIN);
    match outcome.winner {
        Some(Side::First) => 0.5 + 0.5 * share,
        Some(Side::Second) => 0.5 - 0.5 * share,
        None => 0.5,
    }
}

impl Guide<Blokus> for Knowledge {
    type Scratch = MarkedMoves;

    const CANDIDATES: bool = true;
    const PRIORS: bool = true;

    fn begin(&mut self, root: &GameState<Blokus>) {
        self.before = match *root.moves() {
            [] => (Move::PASS, Move::PASS),
            [m] => (Move::PASS, m),
            [.., a, b] => (a, b),
        };
    }

    fn candidates(&mut self, at: &SearchPosition<'_, Blokus>, rng: &mut Rng, moves: &mut Vec<Move>) {
        let last = self.last_two(at.line).1;
        let Knowledge { tuning, ranking, .. } = self;
        ranking.fill(at.game, at.position, last, &self.weights, tuning.prune);
        if let (Some(level), []) = (tuning.level, at.line) {
            level.keep_considered(rng.bits(), &mut ranking.ranked);
        }
        if tuning.policy {
            ranking.apply_policy(at.game, at.position, last, POLICY_WIDTHS * tuning.width);
        }
        ranking.keep_sorted(tuning.width);
        moves.extend(ranking.ranked.iter().map(|&(_, m)| m));
    }

    fn evaluate(&mut self, _: &SearchPosition<'_, Blokus>, children: &mut NewChildren<'_, Move>) -> Option<f64> {
        // The candidates of this position have just been made.
        for (prior, weight) in children.priors.iter_mut().zip(self.ranking.priors()) {
            *prior = weight;
        }
        None
    }

    fn descended(&mut self, line: &[Move]) {
        self.memory.before = self.last_two(line);
    }

    fn playout(
        &mut self,
        game: &Blokus,
        position: &mut Position,
        (): &mut (),
        rng: &mut Rng,
        moves: &mut MarkedMoves,
        played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        let share = self.tuning.network * (1.0 - f64::from(position.placements()) / (2 * PIECES) as f64);
        self.expected = (share > 0.0).then(|| {
            let value = self.value(game, position);
            (share, if position.side() == Side::First { value } else { 1.0 - value })
        });
        let Knowledge { tuning, memory, weights, .. } = self;
        if let Some((share, _)) = &mut self.expected
            && position.placements() < EARLY
            && rng.unit() >= tuning.early_playouts
        {
            // The outcome does not count.
            *share = 1.0;
            return PlayoutEnd { outcome: Some(Blokus::by_points(position)), plies: 0 };
        }
        let context = PlayoutContext { game, policy: &tuning.playouts, weights };
        let end = playout::run(context, position, memory, moves, rng, played);
        if let (true, Some(winner)) = (tuning.playouts.replies, end.outcome.and_then(|outcome| outcome.winner)) {
            memory.learn(winner);
        }
        end
    }

    fn ended(&mut self, _: &SearchPosition<'_, Blokus>, outcome: &Outcome) -> f64 {
        let reward = reward(outcome, self.tuning.margin);
        // Without a playout the game has ended in the tree.
        self.expected.take().map_or(reward, |(share, value)| (1.0 - share) * reward + share * value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::features::tests::positions;

    /// Values by the network alone.
    fn knowledge() -> Knowledge {
        let playouts = playout::Policy { block: 1, square: 1, draws: 1, replies: false };
        let tuning = Tuning {
            width: 1,
            margin: 0.0,
            playouts,
            policy: false,
            network: 1.0,
            early_playouts: 1.0,
            prune: false,
            exact: 0,
            level: None,
        };
        Knowledge::new(tuning, Weights::by_hand())
    }

    #[test]
    fn rewards_grow_with_the_margin_as_far_as_it_counts() {
        let outcome = |winner, margin| Outcome { winner, margin, by: "points" };
        for (winner, margin, part, expected) in [
            (Some(Side::First), Some(8), 0.3, 0.925),
            (Some(Side::Second), Some(8), 0.3, 0.075),
            (Some(Side::First), Some(1), 0.0, 1.0),
            (Some(Side::First), None, 1.0, 0.5),
            (None, Some(0), 0.3, 0.5),
        ] {
            let found = reward(&outcome(winner, margin), part);
            assert!((found - expected).abs() < 1e-12, "{winner:?} by {margin:?}, {part}: {found}");
        }
    }

    /// The value of the network counts by its share, from the view of the first side.
    #[test]
    fn rewards_are_mixed_with_the_value_of_the_network() {
        let mut knowledge = knowledge();
        let position = Position::START;
        let won = Outcome { winner: Some(Side::Second), margin: Some(3), by: "points" };
        let end = SearchPosition::new(&Blokus::STANDARD, &position, &(), 0, &[]);
        for (expected, found) in [(None, 0.0), (Some((0.25, 0.6)), 0.15), (None, 0.0)] {
            knowledge.expected = expected;
            assert_eq!(knowledge.ended(&end, &won), found);
            assert!(knowledge.expected.is_none(), "the value belongs to one playout");
        }
    }

    #[test]
    fn values_are_the_networks_also_where_positions_share_a_place() {
        let (game, mut knowledge) = (Blokus::STANDARD, knowledge());
        let positions = positions(200);
        let places: std::collections::HashSet<usize> =
            positions.iter().map(|(position, _)| position.key() as usize % VALUES).collect();
        assert!(places.len() + 500 < positions.len(), "{} places for {} positions", places.len(), positions.len());
        for (position, _) in positions.iter().chain(positions.iter().rev()) {
            let value = f64::from(NETWORK.value(&game, position));
            // Computed, then known.
            for _ in 0..2 {
                assert_eq!(knowledge.value(&game, position), value, "{position:?}");
            }
        }
    }
}
