//! The hooks of a search: a player's knowledge of its game beside the rules, and its playouts.

use banmen_game::{Game, GameState, Outcome, PlayoutEnd, Rng, Side};

use super::Simulation;
use super::interrupt::Interrupt;

/// A position as the hooks of a [`Guide`] see it.
#[derive(Debug)]
#[non_exhaustive]
pub struct SearchPosition<'a, G: Game> {
    /// The rules.
    pub game: &'a G,
    /// The position.
    pub position: &'a G::Position,
    /// What the rules remember of the moves that led to it.
    pub history: &'a G::History,
    /// Moves from the root to it, those of a playout counted.
    pub plies: u32,
    /// The moves in the tree that lead from the root to it; after a playout, to the leaf where the playout began. Empty
    /// for a guide of whole moves in a search by stages.
    pub line: &'a [G::Move],
    /// In the search, where candidates are made.
    pub(super) interrupt: Option<Interrupt<'a>>,
}

impl<'a, G: Game> SearchPosition<'a, G> {
    /// A position that moves from the root have led to, `plies` of them, those of `line` first.
    #[must_use]
    pub fn new(
        game: &'a G,
        position: &'a G::Position,
        history: &'a G::History,
        plies: u32,
        line: &'a [G::Move],
    ) -> Self {
        SearchPosition { game, position, history, plies, line, interrupt: None }
    }

    /// Reads the clock and the stop flag: whether the search must end, for candidates whose making takes long.
    #[must_use]
    pub fn must_stop(&self) -> bool {
        self.interrupt.is_some_and(|interrupt| interrupt.is_due())
    }
}

/// New children of a node, which [`Guide::evaluate`] may describe.
#[derive(Debug)]
#[non_exhaustive]
pub struct NewChildren<'a, M> {
    /// Their moves, in the order of the nodes in the tree.
    pub moves: &'a [M],
    /// A weight of at least 0 for each of them, 1 unless it is changed. The priors are these weights divided by their sum;
    /// all equal where the sum is not a positive number.
    pub priors: &'a mut [f32],
}

impl<'a, M> NewChildren<'a, M> {
    /// Children with these moves and a weight for each.
    ///
    /// # Panics
    /// When the lengths differ.
    #[must_use]
    pub fn new(moves: &'a [M], priors: &'a mut [f32]) -> Self {
        assert_eq!(moves.len(), priors.len(), "a weight for each move");
        NewChildren { moves, priors }
    }
}

/// A move that a side made later in a simulation than it could have: AMAF adds the result to the child with this move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AmafUpdate<M> {
    /// The side.
    pub side: Side,
    /// The move that it made at the node instead.
    pub played: M,
    /// The move of the child: another one.
    pub later: M,
    /// Plies from the one to the other, at least 1. Where the later move was made several times, to the first time.
    pub distance: u32,
    /// Plies from the node to the end of the simulation, more than the distance.
    pub length: u32,
}

/// The hooks of a search: knowledge of the game, rewards, and playouts. The defaults use no knowledge and cost nothing.
///
/// A search clones its guide for each thread, when it is made and when a new game begins. So a guide may keep memory of its
/// own from one simulation to the next (running means, last good replies, move lists, a queue to a network), and needs no
/// locks. Threads that want to share something share it by reference.
///
/// Rewards are in [0, 1] and from the view of the first side. Values outside this range are clamped to it.
pub trait Guide<G: Game>: Clone + Send {
    /// Buffers of a playout, made once for each thread; `()` where it needs none.
    type Scratch: Default + Send;

    /// Whether [`Guide::admits`] may refuse moves.
    const FILTERS: bool = false;
    /// Whether [`Guide::candidates`] makes the children, instead of the list of all moves: for games whose turns have so
    /// many that a tree can hold only a few of them.
    const CANDIDATES: bool = false;
    /// Whether [`Guide::evaluate`] gives priors.
    const PRIORS: bool = false;
    /// Whether [`Guide::evaluate`] gives values. A leaf then gets its children at its first visit, and the value is the
    /// result of that simulation. Needs `threshold` and `levels` of 1.
    const VALUES: bool = false;
    /// Whether [`Guide::exploration`] may differ from 1.
    const EXPLORES: bool = false;

    /// A decision begins at `root`. Called before the simulations for it, on the guide of every thread.
    fn begin(&mut self, root: &GameState<G>) {
        let _ = root;
    }

    /// Whether a legal move gets into the tree. Called once for each move, when the children of `at` are made.
    fn admits(&mut self, at: &SearchPosition<'_, G>, m: G::Move) -> bool {
        let _ = (at, m);
        true
    }

    /// Fills the empty `moves` with those that get into the tree below an unfinished position: legal ones, each once,
    /// in the order of the children. Called once, when the children of `at` are made; randomness comes from `rng`, the
    /// stream of the thread. A position without candidates stays a leaf. Making that takes longer than a fraction of a
    /// millisecond asks [`SearchPosition::must_stop`] now and then, and returns what it has found when the search must end.
    /// These are then the node's children as long as the tree is kept: such guides are used without
    /// [`Settings::reuse`](super::Settings::reuse).
    fn candidates(&mut self, at: &SearchPosition<'_, G>, rng: &mut Rng, moves: &mut Vec<G::Move>) {
        let _ = (at, rng, moves);
    }

    /// Evaluates a leaf: fills in the priors of its new children, and returns its value where the guide gives values.
    /// Without a value a playout decides.
    ///
    /// Called once for each node that gets children, if [`Guide::PRIORS`] or [`Guide::VALUES`] says so. With values a leaf
    /// that cannot get children is evaluated without any: in a full tree, without candidates, or while another thread
    /// makes them.
    fn evaluate(&mut self, at: &SearchPosition<'_, G>, children: &mut NewChildren<'_, G::Move>) -> Option<f64> {
        let _ = (at, children);
        None
    }

    /// A factor of the exploration of the selection at a position, at least 0: of `c` in UCB1, of the whole term in PUCT.
    fn exploration(&self, game: &G, position: &G::Position) -> f64 {
        let _ = (game, position);
        1.0
    }

    /// A descent has ended at a leaf, `line` below the root, and a playout follows: for playouts that depend on the moves
    /// before (last good replies: Drake 2009, "The last-good-reply policy for Monte-Carlo Go").
    fn descended(&mut self, line: &[G::Move]) {
        let _ = line;
    }

    /// Plays on from an unfinished `position`, leaves it where the playout ended and `history` as it was found. Calls
    /// `played` with each move and the side that made it. Without an outcome [`Guide::cut`] judges the last position.
    /// The default plays nothing.
    fn playout(
        &mut self,
        game: &G,
        position: &mut G::Position,
        history: &mut G::History,
        rng: &mut Rng,
        scratch: &mut Self::Scratch,
        played: impl FnMut(Side, G::Move),
    ) -> PlayoutEnd {
        let _ = (game, position, history, rng, scratch, played);
        PlayoutEnd { outcome: None, plies: 0 }
    }

    /// The reward of a finished game; it may differ from the rules.
    fn ended(&mut self, at: &SearchPosition<'_, G>, outcome: &Outcome) -> f64 {
        let _ = at;
        outcome.score(Side::First)
    }

    /// The reward where a playout was cut off.
    fn cut(&mut self, at: &SearchPosition<'_, G>) -> f64 {
        let _ = at;
        0.5
    }

    /// The weight of a simulation of so many moves from the root, in (0, 1]: statistics are sums of weights and of
    /// weighted rewards.
    fn weight(&mut self, plies: u32) -> f64 {
        let _ = plies;
        1.0
    }

    /// The weight of an AMAF update, in [0, 1]: 0 leaves the child as it is. It multiplies the weight of the
    /// simulation. Called for each update, if the settings have RAVE or AMAF updates.
    fn amaf_weight(&mut self, game: &G, update: &AmafUpdate<G::Move>) -> f64 {
        let _ = (game, update);
        1.0
    }

    /// A simulation of this thread is finished.
    fn finished(&mut self, simulation: &Simulation<'_, G::Move>) {
        let _ = simulation;
    }
}
