//! The engine asked for the move of a bare position, with a fixed number of nodes and nothing kept from question to question. It
//! evaluates by the uniform fit and values a node by its best move alone: the first side's exceptions belong to these.
//!
//! The answer depends on the position and the number of nodes alone: not on earlier questions, on the time or on the machine.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

use banmen_game::GameState;
use banmen_search::{Budget, Clock, Limits, Report, StopFlag, Task};

use super::evaluation::Evaluation;
use super::order::MoveOrder;
use super::root;
use super::search::{MAX_PLY, Search, SearchContext};
use super::transposition::TranspositionTable;
use crate::Dobutsu;
use crate::position::{Move, Position};

/// Bytes of the transposition table: room for 2,048 entries, cleared in a microsecond. Its size is a part of the answers.
const TABLE_BYTES: usize = 32 << 10;

/// The engine at fixed numbers of nodes, with the memory that it uses again.
#[derive(Debug)]
pub struct FixedNodes {
    table: TranspositionTable,
}

/// A clock that is never asked: there is no limit of time.
struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl Default for FixedNodes {
    fn default() -> Self {
        FixedNodes::with_table(TABLE_BYTES)
    }
}

impl FixedNodes {
    /// With a transposition table of so many bytes.
    #[must_use]
    pub fn with_table(bytes: usize) -> Self {
        FixedNodes { table: TranspositionTable::new(bytes) }
    }

    /// The engine's report on a position under the rules `catch` after so many nodes, as if no other position had occurred
    /// before. It has a line unless the game is over.
    pub fn ask(&mut self, position: &Position, nodes: u64) -> Report<Move> {
        self.search(position, nodes, None).0
    }

    /// The positions whose evaluation the search of a position took as a lower bound in quiescence search, each as often as
    /// that happened: what the evaluation is used for.
    pub fn evaluated(&mut self, position: &Position, nodes: u64) -> Vec<Position> {
        self.search(position, nodes, Some(Vec::new())).1
    }

    fn search(
        &mut self,
        position: &Position,
        nodes: u64,
        evaluated: Option<Vec<Position>>,
    ) -> (Report<Move>, Vec<Position>) {
        self.table.clear();
        let (stop, state) = (StopFlag::default(), GameState::from(Dobutsu::CATCH, *position));
        let limits = Limits::nodes(nodes);
        let mut budget = Budget::start(&limits, &NoClock, &stop);
        let context = SearchContext {
            game: Dobutsu::CATCH,
            evaluation: Evaluation::uniform(),
            table: &self.table,
            mixes: false,
            handicap: None,
            twice: &[],
            salt: 0,
        };
        let mut task =
            Task { state: &state, limits, clock: &NoClock, stop: &stop, threads: 1, lines: 1, progress: None };
        let mut order = MoveOrder::default();
        let mut search = Search::new(context, &mut order, &mut budget);
        search.evaluated = evaluated;
        let report = root::deepen(&mut search, &mut task, MAX_PLY as i32, &AtomicU32::new(1));
        (report, search.evaluated.unwrap_or_default())
    }
}
