//! Players kept from one game to the next.

use banmen_catalog::{AnyPlayer, Error};
use banmen_programs::is_program;

use crate::Match;

/// The most players that are kept: their tables and trees take memory.
const MAX_PLAYERS: usize = 3;

/// Keeps the players of a worker thread between games: making one may take longer than a quick game. External programs are
/// not kept.
#[derive(Default)]
pub struct PlayerCache(Vec<(Key, Box<dyn AnyPlayer>)>);

/// The game, the rules' variant and the player's text.
type Key = (&'static str, Option<String>, String);

fn key(matchup: &Match<'_>, index: usize) -> Key {
    (matchup.game.info().name, matchup.spec.rules.clone(), matchup.spec.sides()[index].player.clone())
}

impl PlayerCache {
    /// Takes both players of a match out of the cache; makes those that it does not hold.
    pub(crate) fn take(&mut self, matchup: &Match<'_>) -> Result<[Box<dyn AnyPlayer>; 2], Error> {
        let mut player = |index: usize| {
            let wanted = key(matchup, index);
            match self.0.iter().position(|(kept, _)| *kept == wanted) {
                Some(at) => Ok(self.0.remove(at).1),
                None => matchup.player(index),
            }
        };
        Ok([player(0)?, player(1)?])
    }

    /// Keeps the players of a match. Those that have not been used for longest are dropped.
    pub(crate) fn put_back(&mut self, matchup: &Match<'_>, players: [Box<dyn AnyPlayer>; 2]) {
        for (index, player) in players.into_iter().enumerate() {
            if !is_program(matchup.game, &matchup.spec.sides()[index].player) {
                self.0.push((key(matchup, index), player));
            }
        }
        self.0.drain(..self.0.len().saturating_sub(MAX_PLAYERS));
    }
}
