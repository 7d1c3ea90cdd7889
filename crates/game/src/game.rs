//! The rules of a game as a value.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::ControlFlow;

use crate::{Outcome, Side};

/// The rules of a two-player, perfect-information game.
///
/// A value holds what does not change while a game is played (variant, board size, map) and is shared, never copied
/// into positions. Every [`Game::Position`] keeps the invariants of the rules: parsing and building validate, playing
/// assumes a legal move and checks it in debug builds.
pub trait Game: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The state: bits, side to move, memory of bounded size. A cheap value.
    type Position: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// One decision of one side. Packs without loss into 32 bits ([`Game::pack`]).
    type Move: Copy + Eq + Debug + Send + Sync + 'static;
    /// What the rules remember without bound; `()` for most games.
    type History: History<Self::Position>;

    /// The start position.
    fn start(&self) -> Self::Position;

    /// The side that decides next. The same side may decide several times in a row.
    fn side_to_move(&self, position: &Self::Position) -> Side;

    /// The most decisions that the mover still makes before the turn passes to the other side or the game ends, this
    /// one counted: at least 1. An upper bound. Clocks and limits by time hold for the whole turn, and a search divides
    /// the time that is left by this number.
    fn decisions_left(&self, position: &Self::Position) -> u32 {
        let _ = position;
        1
    }

    /// How the game ended, or `None` while it goes on.
    ///
    /// With an empty history this is `Some` exactly when [`Game::visit_moves`] lists nothing.
    fn outcome(&self, position: &Self::Position, history: &Self::History) -> Option<Outcome>;

    /// Calls `visit` with every legal move, each once, in an order that never changes, until `visit` breaks. Allocates
    /// nothing. A forced pass of a whole turn is a move like others. Lists nothing when the position alone ends the game.
    fn visit_moves<B>(
        &self,
        position: &Self::Position,
        visit: impl FnMut(Self::Move) -> ControlFlow<B>,
    ) -> ControlFlow<B>;

    /// Plays a legal move. An illegal one panics in debug builds; in release builds the position stays valid or the
    /// call panics.
    fn play(&self, position: &mut Self::Position, m: Self::Move);

    /// A 64-bit key: equal positions have equal keys.
    fn key(&self, position: &Self::Position) -> u64;

    /// No game from the start has more moves than this.
    fn max_plies(&self) -> usize;

    /// The move in 32 bits.
    fn pack(&self, m: Self::Move) -> u32;

    /// The move whose [`Game::pack`] is `bits`; `None` if no move has these bits.
    fn unpack(&self, bits: u32) -> Option<Self::Move>;

    /// The move that passes the whole turn, where the rules have one.
    fn pass(&self) -> Option<Self::Move> {
        None
    }

    /// Whether perft counts a game that ended earlier as one leaf (Othello) or not at all.
    fn perft_counts_terminal(&self) -> bool {
        false
    }

    /// How many moves [`Game::visit_moves`] lists.
    fn count_moves(&self, position: &Self::Position) -> usize {
        let mut count = 0;
        let _ = self.visit_moves(position, |_| {
            count += 1;
            ControlFlow::<()>::Continue(())
        });
        count
    }

    /// The listed moves in a vector. [`Game::visit_moves`] does not allocate.
    fn moves(&self, position: &Self::Position) -> Vec<Self::Move> {
        let mut moves = Vec::new();
        let _ = self.visit_moves(position, |m| {
            moves.push(m);
            ControlFlow::<()>::Continue(())
        });
        moves
    }

    /// Whether [`Game::is_legal`] also accepts moves that [`Game::visit_moves`] does not list: moves that lead to the
    /// same positions as listed ones, or moves that no player should consider. If this is false, the
    /// [laws](crate::laws) fail on every such move.
    fn accepts_unlisted(&self) -> bool {
        false
    }

    /// Whether `m` may be played: it is listed, or the game [accepts more](Game::accepts_unlisted).
    fn is_legal(&self, position: &Self::Position, m: Self::Move) -> bool {
        self.visit_moves(
            position,
            |listed| {
                if listed == m { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        )
        .is_break()
    }
}

/// What the rules of a game remember without bound, such as the positions that occurred. The caller that plays the moves
/// keeps it: each position is pushed before a move leaves it, and popped when the move is undone.
pub trait History<P>: Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// True when nothing is ever remembered: the outcome then follows from the position alone.
    const EMPTY: bool = false;

    /// A move is about to leave `position`.
    fn push(&mut self, position: &P);

    /// Removes the position that was pushed last: its move is undone.
    fn pop(&mut self);
}

impl<P> History<P> for () {
    const EMPTY: bool = true;
    fn push(&mut self, _: &P) {}
    fn pop(&mut self) {}
}
