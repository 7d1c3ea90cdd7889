//! A view of a game in which every move is made in stages.

use std::fmt::Debug;
use std::ops::ControlFlow;

use banmen_game::{Game, GameState, History, Outcome, Side, mix};

/// The most stages of a move.
pub const MAX_STAGES: usize = 4;

/// How the moves of a game are divided into stages: a piece, then its square; a unit, then its cell, then its target.
///
/// Every stage before the last one decides a part of the move, and the last one decides the rest. Two moves begin in the
/// same way where their parts are equal.
pub trait Stages<G: Game>: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// How many stages every move has: 1 to [`MAX_STAGES`], always the same. More are taken as [`MAX_STAGES`].
    fn count(&self) -> usize;

    /// What a move decides at `stage`, which is before the last one.
    fn part(&self, game: &G, position: &G::Position, m: G::Move, stage: usize) -> u32;

    /// What the last of these parts means, for people: at least one part, fewer than there are stages. By default its
    /// number.
    fn label(&self, game: &G, position: &G::Position, parts: &[u32]) -> String {
        let _ = (game, position);
        parts.last().map_or_else(String::new, ToString::to_string)
    }

    /// Calls `visit` with every listed move that begins with these parts, in the order of [`Game::visit_moves`], until
    /// `visit` breaks.
    fn visit_moves<B>(
        &self,
        game: &G,
        position: &G::Position,
        parts: &[u32],
        mut visit: impl FnMut(G::Move) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        game.visit_moves(position, |m| {
            let begins = (0..).zip(parts).all(|(stage, &part)| self.part(game, position, m, stage) == part);
            if begins { visit(m) } else { ControlFlow::Continue(()) }
        })
    }

    /// Calls `visit` with every part that listed moves beginning with `parts` have at the next stage, each once, in an order
    /// that never changes, until `visit` breaks. Allocates nothing.
    ///
    /// The default has the order in which the moves are listed, and lists them once for each of them; a game with many
    /// moves does better.
    fn visit_parts<B>(
        &self,
        game: &G,
        position: &G::Position,
        parts: &[u32],
        mut visit: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let stage = parts.len();
        self.visit_moves(game, position, parts, |m| {
            let part = self.part(game, position, m, stage);
            let first = self.visit_moves(game, position, parts, |earlier| {
                if self.part(game, position, earlier, stage) == part {
                    ControlFlow::Break(earlier)
                } else {
                    ControlFlow::Continue(())
                }
            });
            if first == ControlFlow::Break(m) { visit(part) } else { ControlFlow::Continue(()) }
        })
    }
}

/// A game whose moves are those of `G` made in stages, each a decision of the same side. It reaches the same positions with
/// the same results, through positions in which a move is decided in part.
///
/// A game without text: positions are those of `G` and the parts decided so far, and [`Staged::whole`] returns the move of
/// `G` that the last stage completes.
#[derive(Clone, Debug, PartialEq)]
pub struct Staged<G, S> {
    game: G,
    stages: S,
}

/// A position of `G` and the parts of the next move that are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StagedPosition<P> {
    base: P,
    /// 0 from `stage` on.
    parts: [u32; MAX_STAGES - 1],
    stage: u8,
    last: u8,
}

/// A decision of one stage: a part of a move, or at the last stage the move of `G`, packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part(pub u32);

/// The history of `G`. It does not remember positions between stages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StagedHistory<H> {
    base: H,
    /// Of each position that was pushed, whether its move completed one of `G`.
    whole: Vec<bool>,
}

impl<P> StagedPosition<P> {
    /// The position of `G`, before the move that is made in stages.
    pub fn base(&self) -> &P {
        &self.base
    }

    /// The same, to be played on from: the parts decided are dropped.
    pub fn base_mut(&mut self) -> &mut P {
        (self.parts, self.stage) = ([0; MAX_STAGES - 1], 0);
        &mut self.base
    }

    /// The parts of the next move that are decided.
    pub fn parts(&self) -> &[u32] {
        &self.parts[..self.stage.into()]
    }

    /// Whether the next decision completes the move.
    pub fn is_last(&self) -> bool {
        self.stage == self.last
    }
}

impl<H> StagedHistory<H> {
    /// What the rules of `G` remember.
    pub fn base(&self) -> &H {
        &self.base
    }

    /// The same, for a playout by the rules of `G`, which leaves it as it was.
    pub fn base_mut(&mut self) -> &mut H {
        &mut self.base
    }
}

impl<P, H: History<P>> History<StagedPosition<P>> for StagedHistory<H> {
    const EMPTY: bool = H::EMPTY;

    fn push(&mut self, position: &StagedPosition<P>) {
        if H::EMPTY {
            return;
        }
        self.whole.push(position.is_last());
        if position.is_last() {
            self.base.push(&position.base);
        }
    }

    fn pop(&mut self) {
        if self.whole.pop() == Some(true) {
            self.base.pop();
        }
    }
}

impl<G: Game, S: Stages<G>> Staged<G, S> {
    /// A view of the game.
    pub fn new(game: G, stages: S) -> Self {
        Staged { game, stages }
    }

    /// The game whose moves are made in stages.
    pub fn base(&self) -> &G {
        &self.game
    }

    /// How the moves are divided.
    pub fn stages(&self) -> &S {
        &self.stages
    }

    /// How many stages a move has, 1 to [`MAX_STAGES`].
    pub fn count(&self) -> usize {
        self.stages.count().clamp(1, MAX_STAGES)
    }

    /// A position of `G`, before the first stage.
    pub fn position(&self, base: G::Position) -> StagedPosition<G::Position> {
        StagedPosition { base, parts: [0; MAX_STAGES - 1], stage: 0, last: self.count() as u8 - 1 }
    }

    /// The decisions that make a move, in order.
    pub fn decisions(&self, position: &G::Position, m: G::Move) -> impl Iterator<Item = Part> {
        let last = self.count() - 1;
        (0..=last).map(move |stage| match stage == last {
            true => Part(self.game.pack(m)),
            false => Part(self.stages.part(&self.game, position, m, stage)),
        })
    }

    /// The move of `G` that a decision at the last stage makes; `None` at an earlier stage, and if no move has these bits.
    pub fn whole(&self, position: &StagedPosition<G::Position>, part: Part) -> Option<G::Move> {
        if position.is_last() { self.game.unpack(part.0) } else { None }
    }

    /// What the parts mean that are decided in a position, by [`Stages::label`]; `None` where there are none.
    pub fn label(&self, position: &StagedPosition<G::Position>) -> Option<String> {
        let parts = position.parts();
        (!parts.is_empty()).then(|| self.stages.label(&self.game, &position.base, parts))
    }

    /// The same game, its moves made in stages.
    pub fn state(&self, base: &GameState<G>) -> GameState<Self> {
        let mut state = GameState::from(self.clone(), self.position(base.origin().clone()));
        for &m in base.moves() {
            let position = state.position().base.clone();
            self.decisions(&position, m).for_each(|part| state.play(part));
        }
        state
    }
}

impl<G: Game, S: Stages<G>> Game for Staged<G, S> {
    type Position = StagedPosition<G::Position>;
    type Move = Part;
    type History = StagedHistory<G::History>;

    fn start(&self) -> Self::Position {
        self.position(self.game.start())
    }

    fn side_to_move(&self, position: &Self::Position) -> Side {
        self.game.side_to_move(&position.base)
    }

    fn decisions_left(&self, position: &Self::Position) -> u32 {
        let moves = self.game.decisions_left(&position.base);
        moves.saturating_mul(self.count() as u32).saturating_sub(position.stage.into()).max(1)
    }

    fn outcome(&self, position: &Self::Position, history: &Self::History) -> Option<Outcome> {
        // Between stages the game has not ended: it went on at the first one.
        if position.stage > 0 { None } else { self.game.outcome(&position.base, &history.base) }
    }

    fn visit_moves<B>(
        &self,
        position: &Self::Position,
        mut visit: impl FnMut(Part) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (game, parts) = (&self.game, position.parts());
        if position.is_last() {
            self.stages.visit_moves(game, &position.base, parts, |m| visit(Part(game.pack(m))))
        } else {
            self.stages.visit_parts(game, &position.base, parts, |part| visit(Part(part)))
        }
    }

    fn play(&self, position: &mut Self::Position, part: Part) {
        if !position.is_last() {
            position.parts[usize::from(position.stage)] = part.0;
            position.stage += 1;
            return;
        }
        let Some(m) = self.game.unpack(part.0) else {
            debug_assert!(false, "{part:?} is no move");
            return;
        };
        debug_assert!(
            self.decisions(&position.base, m).zip(position.parts()).all(|(part, &decided)| part.0 == decided),
            "{m:?} does not begin with {:?}",
            position.parts()
        );
        self.game.play(position.base_mut(), m);
    }

    fn key(&self, position: &Self::Position) -> u64 {
        let base = self.game.key(&position.base);
        position.parts().iter().fold(base, |key, &part| mix(mix(key) ^ (u64::from(part) + 1)))
    }

    fn max_plies(&self) -> usize {
        self.game.max_plies().saturating_mul(self.count())
    }

    fn pack(&self, part: Part) -> u32 {
        part.0
    }

    fn unpack(&self, bits: u32) -> Option<Part> {
        Some(Part(bits))
    }

    fn perft_counts_terminal(&self) -> bool {
        self.game.perft_counts_terminal()
    }
}
