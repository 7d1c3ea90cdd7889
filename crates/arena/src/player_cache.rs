//! Players kept from one game to the next.

use banmen_catalog::{AnyPlayer, Error};
use banmen_programs::is_program;

use crate::Match;
use crate::version::{FileStamp, file_stamps};

/// The most players that are kept: their tables and trees take memory.
const MAX_PLAYERS: usize = 3;

/// Keeps the players of a worker thread between games: making one may take longer than a quick game. External programs are
/// not kept.
#[derive(Default)]
pub struct PlayerCache(Vec<(Key, Box<dyn AnyPlayer>)>);

/// The game, the rules' variant, the player's text, and the stamps of the files that it names: a player keeps what it
/// read.
type Key = (&'static str, Option<String>, String, Vec<FileStamp>);

fn key(matchup: &Match<'_>, index: usize) -> Key {
    let player = &matchup.spec.sides()[index].player;
    let stamps = file_stamps(matchup.game, player);
    (matchup.game.info().name, matchup.spec.rules.clone(), player.clone(), stamps)
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

#[cfg(test)]
mod tests {
    use banmen_search::Limits;

    use super::*;
    use crate::{Contestant, MatchSpec};

    #[test]
    fn a_player_whose_file_was_written_again_is_made_again() {
        let path = std::env::temp_dir().join(format!("banmen-arena-cache-{}.bin", std::process::id()));
        let game = banmen_othello::entry().in_memory();
        let player = |text: String| Contestant::new(text, Limits::nodes(1));
        let a = player(format!("engine:weights={}", path.display()));
        let matchup = Match::new(&game, MatchSpec::new(&game, a, player("random".to_owned())));
        let keys = ["one", "another"].map(|contents| {
            std::fs::write(&path, contents).expect("a file");
            [0, 1].map(|index| key(&matchup, index))
        });
        std::fs::remove_file(&path).expect("the file");
        assert_ne!(keys[0][0], keys[1][0]);
        assert_eq!(keys[0][1], keys[1][1]);
    }
}
