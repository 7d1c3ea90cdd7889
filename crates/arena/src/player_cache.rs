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
pub struct PlayerCache {
    players: Vec<(Key, Box<dyn AnyPlayer>)>,
    /// The keys of the players that were taken last. A file may be written while they play: they know what it said before.
    taken: Vec<Key>,
}

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
        self.taken.clear();
        let mut player = |index: usize| {
            let wanted = key(matchup, index);
            let kept = self.players.iter().position(|(kept, _)| *kept == wanted);
            self.taken.push(wanted);
            match kept {
                Some(at) => Ok(self.players.remove(at).1),
                None => matchup.player(index),
            }
        };
        Ok([player(0)?, player(1)?])
    }

    /// Keeps the players that were [taken](Self::take) last. Those that have not been used for longest are dropped.
    pub(crate) fn put_back(&mut self, matchup: &Match<'_>, players: [Box<dyn AnyPlayer>; 2]) {
        for ((key, player), side) in self.taken.drain(..).zip(players).zip(matchup.spec.sides()) {
            if !is_program(matchup.game, &side.player) {
                self.players.push((key, player));
            }
        }
        self.players.drain(..self.players.len().saturating_sub(MAX_PLAYERS));
    }
}

#[cfg(test)]
mod tests {
    use banmen_catalog::AnyGame as _;
    use banmen_search::Limits;

    use super::*;
    use crate::{Contestant, MatchSpec};

    /// The file is written while its player plays: then the player is made again, which fails here, since the file has no
    /// weights.
    #[test]
    fn a_player_whose_file_was_written_again_is_made_again() {
        let path = std::env::temp_dir().join(format!("banmen-arena-cache-{}.bin", std::process::id()));
        let game = banmen_othello::entry().in_memory();
        let player = |text: String| Contestant::new(text, Limits::nodes(1));
        let a = player(format!("engine:weights={}", path.display()));
        let matchup = Match::new(&game, MatchSpec::new(&game, a, player("random".to_owned())));
        std::fs::write(&path, "one").expect("a file");
        let mut cache = PlayerCache::default();
        for index in [0, 1] {
            cache.players.push((key(&matchup, index), game.player(None, "random", 0).expect("a player")));
        }
        for contents in ["one", "another"] {
            let players = cache.take(&matchup).expect("players that were kept");
            if contents != "one" {
                std::fs::write(&path, contents).expect("the file");
            }
            cache.put_back(&matchup, players);
        }
        let error = cache.take(&matchup).err().expect("the player is made again");
        std::fs::remove_file(&path).expect("the file");
        assert!(error.message.contains("banmen-arena-cache"), "{error}");
    }
}
