//! The agents' playouts (Suzuki and Ito 2019, sections 4.1 and 4.3).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use banmen_game::{Game, Outcome, PlayoutEnd, Rng, Side};

use super::cells::Cells;
use super::field::{AgentBoard, CellSet};
use super::formulas::Formulas;
use crate::{Board, Golad, Move, Position, moves};

/// The algorithm by which an agent computes a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Cell by cell on an array: AI1.
    Cells,
    /// The paper's formulas on rows of bits: AI2, and AI3 as the paper has it.
    Rows,
    /// The step of the rules, and all changes of one cell in one pass.
    Vectors,
}

/// The number of generations that an agent has computed in playouts and for candidates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    playouts: Arc<AtomicU64>,
    candidates: Arc<AtomicU64>,
}

impl Steps {
    fn add_in_playout(&self, steps: u64) {
        self.playouts.fetch_add(steps, Ordering::Relaxed);
    }

    pub(super) fn add_for_candidates(&self, steps: u64) {
        self.candidates.fetch_add(steps, Ordering::Relaxed);
    }

    /// All generations.
    pub(crate) fn get(&self) -> u64 {
        self.in_playouts() + self.candidates.load(Ordering::Relaxed)
    }

    /// Those of playouts.
    pub(crate) fn in_playouts(&self) -> u64 {
        self.playouts.load(Ordering::Relaxed)
    }
}

/// The moves of a playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moves {
    /// A kind of move, each with the same chance, then its cells; a kind without a move is drawn again.
    Kinds,
    /// Every legal move with the same chance.
    Uniform,
    /// Passes only.
    Passes,
}

/// The agents' playout.
#[derive(Clone, Debug)]
pub(crate) struct AgentPlayout {
    pub(crate) step: Step,
    pub(crate) moves: Moves,
    /// The largest number of turns.
    pub(crate) length: u32,
    /// Whether the end of the game ends the playout; otherwise the generations continue, and the last board is
    /// evaluated.
    pub(crate) stops: bool,
    pub(crate) steps: Steps,
}

impl AgentPlayout {
    fn go_on<F: AgentBoard>(
        &self,
        game: &Golad,
        position: &mut Position,
        rng: &mut Rng,
        mut played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        let mut field = F::read(&position.board);
        let mut plies = 0;
        let outcome = loop {
            let outcome = if self.stops { ended(game, &field, position) } else { None };
            if outcome.is_some() || plies == self.length {
                break outcome;
            }
            let m = match self.moves {
                Moves::Kinds => kind(&field, position.side, rng),
                Moves::Uniform => uniform(&field, position.side, rng),
                Moves::Passes => Move::Pass,
            };
            played(position.side, m);
            field.place(position.side, m);
            field.step();
            position.side = position.side.other();
            position.generations = position.generations.saturating_add(1);
            plies += 1;
        };
        field.write(&mut position.board);
        self.steps.add_in_playout(plies.into());
        PlayoutEnd { outcome, plies }
    }

    /// Passes only, all generations in one call: a colour that is alive at the end was alive at every turn. `None`
    /// where the game ends before.
    fn pass_at_once(
        &self,
        game: &Golad,
        position: &mut Position,
        mut played: impl FnMut(Side, Move),
    ) -> Option<PlayoutEnd> {
        let end = Position {
            generations: position.generations.saturating_add(u16::try_from(self.length).ok()?),
            side: if self.length.is_multiple_of(2) { position.side } else { position.side.other() },
            board: {
                let mut board = position.board;
                board.step_times(self.length);
                board
            },
        };
        if game.outcome(&end, &()).is_some() {
            return None;
        }
        for ply in 0..self.length {
            played(if ply.is_multiple_of(2) { position.side } else { position.side.other() }, Move::Pass);
        }
        *position = end;
        self.steps.add_in_playout(self.length.into());
        Some(PlayoutEnd { outcome: None, plies: self.length })
    }
}

impl AgentPlayout {
    /// Plays from an unfinished position, which becomes the last position of the playout.
    pub(crate) fn run(
        &self,
        game: &Golad,
        position: &mut Position,
        rng: &mut Rng,
        mut played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        match self.step {
            Step::Cells => self.go_on::<Cells>(game, position, rng, played),
            Step::Rows => self.go_on::<Formulas>(game, position, rng, played),
            Step::Vectors => {
                let end = match self.moves {
                    Moves::Passes => self.pass_at_once(game, position, &mut played),
                    Moves::Kinds | Moves::Uniform => None,
                };
                end.unwrap_or_else(|| self.go_on::<Board>(game, position, rng, played))
            }
        }
    }
}

/// How the game has ended on this board.
fn ended<F: AgentBoard>(game: &Golad, field: &F, position: &mut Position) -> Option<Outcome> {
    if field.lives(Side::First) && field.lives(Side::Second) && position.generations < game.turns() {
        return None;
    }
    field.write(&mut position.board);
    game.outcome(position, &())
}

/// A move of a kind drawn first.
fn kind<F: AgentBoard>(field: &F, side: Side, rng: &mut Rng) -> Move {
    loop {
        match rng.index(3) {
            0 => return Move::Pass,
            1 => {
                let living = field.count(CellSet::Living);
                if living > 0 {
                    return Move::Kill(field.nth(CellSet::Living, rng.index(living)));
                }
            }
            _ => {
                let (own, dead) = (field.count(CellSet::Side(side)), field.count(CellSet::Dead));
                if own > 1 && dead > 0 {
                    let born = field.nth(CellSet::Dead, rng.index(dead));
                    let (a, b) = (rng.index(own), rng.index(own - 1));
                    let own = |place| field.nth(CellSet::Side(side), place);
                    return Move::birth(born, own(a), own(if b < a { b } else { b + 1 }));
                }
            }
        }
    }
}

/// Any legal move.
fn uniform<F: AgentBoard>(field: &F, side: Side, rng: &mut Rng) -> Move {
    let (living, own, dead) =
        (field.count(CellSet::Living), field.count(CellSet::Side(side)), field.count(CellSet::Dead));
    let pairs = own * own.saturating_sub(1) / 2;
    let place = rng.index(1 + living + dead * pairs);
    if place == 0 {
        return Move::Pass;
    }
    if place <= living {
        return Move::Kill(field.nth(CellSet::Living, place - 1));
    }
    let (born, pair) = ((place - 1 - living) / pairs, (place - 1 - living) % pairs);
    let (a, b) = moves::pair(pair, own);
    let own = |place| field.nth(CellSet::Side(side), place);
    Move::birth(field.nth(CellSet::Dead, born), own(a), own(b))
}
