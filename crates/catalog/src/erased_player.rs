//! A player without its types.

use std::sync::Arc;

use banmen_game::{Game, GameState};
use banmen_search::mcts::TreeQuery;
use banmen_search::windows::{WindowQuery, Windows};
use banmen_search::{Player, Report, Task};

use crate::data::table_missing;
use crate::erased_state::typed;
use crate::variants::Variants;
use crate::{AnyPlayer, AnyState, AnyTask, Error, ErrorCode};

/// A player of a game of type `G`.
pub(crate) struct ErasedPlayer<G: Game> {
    pub(crate) player: Box<dyn Player<G>>,
    pub(crate) variants: Arc<Variants<G>>,
}

impl<G: Game> ErasedPlayer<G> {
    /// Refuses a player that cannot play every game under these rules without a table, and does not have it.
    pub(crate) fn needs_no_table(&mut self, start: &GameState<G>) -> Result<(), Error> {
        match self.player.table_for_any_game(start) {
            Some(table) => Err(self.variants.locate(table_missing(table))),
            None => Ok(()),
        }
    }
}

impl<G: Game> AnyPlayer for ErasedPlayer<G> {
    fn new_game(&mut self, start: &dyn AnyState, seed: u64) -> Result<(), Error> {
        self.player.new_game(typed::<G>(start)?, seed);
        Ok(())
    }

    fn show_tree(&mut self, query: Option<TreeQuery>) -> bool {
        self.player.show_tree(query)
    }

    fn record_windows(&mut self, query: Option<WindowQuery>) -> bool {
        self.player.record_windows(query)
    }

    fn take_windows(&mut self) -> Option<Windows> {
        self.player.take_windows()
    }

    fn think(&mut self, task: AnyTask<'_>) -> Result<Report<u32>, Error> {
        let state = typed::<G>(task.state)?;
        if state.outcome().is_some() {
            return Err(Error::new(ErrorCode::GameOver, "the game is over: there is no move to choose"));
        }
        if let Some(table) = self.player.missing_table(state) {
            let message = format!("the table {table} has not been built, and the player needs it in this position");
            return Err(self.variants.locate(Error { message, ..table_missing(table) }));
        }
        let game = state.game();
        let mut packed =
            task.progress.map(|progress| move |report: &Report<G::Move>| progress(&report.map(|m| game.pack(m))));
        let report = self.player.think(Task {
            state,
            limits: task.limits,
            clock: task.clock,
            stop: task.stop,
            lines: task.lines.max(1),
            threads: task.threads.max(1),
            progress: packed.as_mut().map(|packed| packed as &mut dyn FnMut(&Report<G::Move>)),
        });
        Ok(report.map(|m| game.pack(m)))
    }
}
