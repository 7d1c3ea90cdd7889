//! A player without its types.

use std::sync::Arc;
use std::time::Duration;

use banmen_game::{Game, GameState};
use banmen_search::mcts::TreeQuery;
use banmen_search::windows::{WindowQuery, Windows};
use banmen_search::{Player, Report, Task};

use crate::data::table_missing;
use crate::erased_state::typed;
use crate::variants::Variants;
use crate::{AnyPlayer, AnyState, AnyTask, Error, ErrorCode};

/// The most time of a game clock that a forced decision takes: enough for an estimate of its value.
const FORCED_MOVE_TIME: Duration = Duration::from_millis(20);

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
        let mut limits = task.limits;
        if limits.clock.is_some() && game.count_moves(state.position()) == 1 {
            let most = limits.turn_used.saturating_add(FORCED_MOVE_TIME);
            limits.time = Some(limits.time.map_or(most, |time| time.min(most)));
        }
        let mut packed =
            task.progress.map(|progress| move |report: &Report<G::Move>| progress(&report.map(|m| game.pack(m))));
        let report = self.player.think(Task {
            state,
            limits,
            clock: task.clock,
            stop: task.stop,
            lines: task.lines.max(1),
            threads: task.threads.max(1),
            progress: packed.as_mut().map(|packed| packed as &mut dyn FnMut(&Report<G::Move>)),
        });
        Ok(report.map(|m| game.pack(m)))
    }
}

#[cfg(test)]
mod tests {
    use banmen_search::{Limits, StopFlag, TimeControl};

    use super::*;
    use crate::test_game::Row;
    use crate::{AnyGame, Entry, PlayerEntry, WallClock};

    /// Uses all the time that it has.
    struct Slow;

    impl Player<Row> for Slow {
        fn think(&mut self, task: Task<'_, Row>) -> Report<u8> {
            let free = (0..2).find(|cell| task.state.position() >> cell & 1 == 0).unwrap_or(0);
            Report { time: task.limits.budget().unwrap_or(Duration::MAX), ..Report::of(free, 0.5) }
        }
    }

    #[test]
    fn a_forced_move_takes_little_of_a_game_clock() {
        let make = |_: &Row, _: &crate::Options, _, _: &crate::Data| Ok(Box::new(Slow) as Box<dyn Player<Row>>);
        let player = PlayerEntry { name: "slow", summary: "", source: "", keys: &[], make };
        let game = Entry::new("row", Row { cells: 2 }).player(player).in_memory();
        let mut player = game.player(None, "slow", 1).expect("a player");
        let mut used = |taken: &str, limits: Limits| {
            let state = game.state(None, Some(taken)).expect("a position");
            let (clock, stop) = (WallClock::default(), StopFlag::default());
            let task = AnyTask {
                state: state.as_ref(),
                limits,
                clock: &clock,
                stop: &stop,
                threads: 1,
                lines: 1,
                progress: None,
            };
            player.think(task).expect("a move").time
        };
        let clock = TimeControl { main: Duration::from_secs(250), ..TimeControl::default() };
        let (second, millisecond) = (Duration::from_secs(1), Duration::from_millis(1));
        let by_clock = Limits { clock: Some(clock), ..Limits::default() };
        assert_eq!((used("0", by_clock), used("1", by_clock)), (10 * second, FORCED_MOVE_TIME));
        assert_eq!(used("1", Limits { turn_used: second, ..by_clock }), FORCED_MOVE_TIME);
        assert_eq!(used("1", Limits { turn_used: Duration::MAX, ..by_clock }), Duration::ZERO);
        assert_eq!(used("1", Limits { time: Some(millisecond), ..by_clock }), millisecond);
        // A time for each move is there to be used.
        assert_eq!(used("1", Limits::time(second)), second);
    }
}
