//! The engine's part of the first side's play: its moves after fixed numbers of nodes.

use banmen_game::Game;

use crate::engine::FixedNodes;
use crate::game::{Dobutsu, Variant};
use crate::position::{Move, Position};
use crate::table::wins_at_once;

/// Nodes of the first question about a position.
pub const LOOK: u64 = 100;

/// Nodes of the second question, where the answer to the first is doubtful.
pub const DEEP: u64 = 1000;

/// A first answer of a value in this range is doubtful: nine of ten moves that give away the value are there, and a fifth of the
/// positions (docs/measured.md).
const DOUBT: std::ops::Range<f64> = 0.03..0.97;

/// A move of the first side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The move.
    pub m: Move,
    /// The expected score, from 0 to 1: the engine's estimate, unless it is known.
    pub value: f64,
    /// The plies to the end that are proven, negative where the side to move loses; `None` where there is no proof.
    pub plies: Option<f64>,
    /// Whether the value is certain: by a proof, or by the table.
    pub known: bool,
    /// Nodes that the engine searched.
    pub nodes: u64,
}

/// The engine's move in a position under the rules `catch`, `None` if it is over. The same for each question.
pub(super) fn ask(engine: &mut FixedNodes, position: &Position) -> Option<Answer> {
    if let Some(m) = last_move(position) {
        return Some(Answer { m, value: 0.0, plies: Some(-2.0), known: true, nodes: 0 });
    }
    let mut report = engine.ask(position, LOOK);
    let mut nodes = report.nodes;
    if DOUBT.contains(&report.value()) {
        report = engine.ask(position, DEEP);
        nodes += report.nodes;
    }
    let plies = report.eval().filter(|_| report.proven).map(|eval| eval.n);
    Some(Answer { m: report.best()?, value: report.value(), plies, known: report.proven, nodes })
}

/// The move where every move loses at once: one that does not leave the lion to be captured, if there is any, so that it is legal
/// under `legal` too; not with the lion onto the far rank, if there is any other.
fn last_move(position: &Position) -> Option<Move> {
    let side = position.side();
    let mut best: Option<((bool, bool), Move)> = None;
    for m in Dobutsu::CATCH.moves(position) {
        let mut next = *position;
        next.play(m);
        let loses = match Dobutsu::CATCH.lions_ended(&next) {
            Some((winner, _)) => winner != side,
            None => wins_at_once(Variant::Catch, &next),
        };
        if !loses {
            return None;
        }
        let rank = (next.is_in_check(side), next.is_on_far_rank(side));
        if best.is_none_or(|(least, _)| rank < least) {
            best = Some((rank, m));
        }
    }
    best.map(|(_, m)| m)
}
