//! What a player knows of its game beside the rules.

use banmen_game::{Game, Outcome, Rng, Side};

/// The hooks of a search. The provided ones know nothing.
///
/// Rewards are in [0, 1] and seen by the first side; what is outside is taken to the nearer end.
pub trait Guide<G: Game>: Clone + Send + Sync {
    /// Whether [`Guide::admits`] may refuse moves.
    const FILTERS: bool = false;
    /// Whether [`Guide::candidates`] makes the children, in place of the list of all moves: for games whose turns have so
    /// many that a tree can hold but a few of them.
    const CANDIDATES: bool = false;
    /// Whether [`Guide::priors`] gives weights; without it all moves weigh the same.
    const PRIORS: bool = false;

    /// Whether a legal move gets into the tree. Asked once, when the children of `position` are made.
    fn admits(&self, game: &G, position: &G::Position, m: G::Move) -> bool {
        let _ = (game, position, m);
        true
    }

    /// Puts into the empty `moves` those that get into the tree below an unfinished position: legal ones, each once, in
    /// the order in which they are to stand. Asked once, when the children of `position` are made; what is random comes
    /// from `rng`, the stream of the thread. A position without candidates stays a leaf.
    fn candidates(&self, game: &G, position: &G::Position, rng: &mut Rng, moves: &mut Vec<G::Move>) {
        let _ = (game, position, rng, moves);
    }

    /// Fills in a weight of at least 0 for each move; only their ratios matter. Asked when children are made.
    fn priors(&self, game: &G, position: &G::Position, moves: &[G::Move], weights: &mut [f32]) {
        let _ = (game, position, moves);
        weights.fill(1.0);
    }

    /// The reward of an ended game; it may differ from the rules.
    fn ended(&self, game: &G, position: &G::Position, outcome: &Outcome) -> f64 {
        let _ = (game, position);
        outcome.score(Side::First)
    }

    /// The reward where a playout was cut off.
    fn cut(&self, game: &G, position: &G::Position) -> f64 {
        let _ = (game, position);
        0.5
    }

    /// The weight of a simulation of so many moves from the root, in (0, 1]: statistics are sums of weights and of
    /// weighted rewards.
    fn weight(&self, plies: u32) -> f64 {
        let _ = plies;
        1.0
    }
}

/// Knows the rules and nothing more: 1 for a win of the first side, ½ for a draw and for a playout cut off.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules;

impl<G: Game> Guide<G> for Rules {}
