//! Training games: a player against itself.

use banmen_arena::{Contestant, GameRecord, Match, MatchSpec, Openings, Plan, Store, Workers, check_games};
use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_programs::Programs;
use banmen_search::StopFlag;

/// Games of a player against itself. They are the games of a match, so they are kept in the store: what was interrupted
/// is continued, and what was played before is not played again.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// The rules' variant; `None` for the default one.
    pub rules: Option<String>,
    /// The player and its limits. Only limits of nodes, playouts and depth give the same games on every machine.
    pub player: Contestant,
    /// Random plies before the player begins.
    pub random_plies: u32,
    /// Games to learn from, an even number from 2 on.
    pub games: usize,
    /// Further games that are not learned from, to measure how well the strengths predict; an even number.
    pub held_out: usize,
    /// The seed of openings and players, below 2⁶³ where the strengths are to be [written](banmen_catalog::GammaTable::write):
    /// a TOML file has no larger numbers.
    pub seed: u64,
}

impl Training {
    /// 40 games of this player from the start under the default rules, and 10 that are held out; seed 1.
    #[must_use]
    pub fn new(player: Contestant) -> Self {
        Training { rules: None, player, random_plies: 0, games: 40, held_out: 10, seed: 1 }
    }

    /// Has the games played that the store lacks, and calls `visit` with each game in order, and with
    /// whether it is held out. `progress` gets the number of finished games before the first and after each game.
    ///
    /// # Errors
    /// `out_of_range` for numbers of games that are odd or too large, `stopped` when `stop` was set before all were played; errors
    /// of the player, the store and `visit`.
    pub(crate) fn play(
        &self,
        game: &dyn AnyGame,
        store: &Store,
        workers: &Workers,
        stop: &StopFlag,
        progress: &mut dyn FnMut(usize),
        visit: &mut dyn FnMut(&GameRecord, bool) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (key, games, least) in [("games", self.games, 2), ("held-out", self.held_out, 0)] {
            check_games(key, games, least)?;
        }
        let all = self.games + self.held_out;
        let spec = MatchSpec {
            rules: self.rules.clone(),
            openings: Openings::Random(self.random_plies),
            seed: self.seed,
            ..MatchSpec::new(game, self.player.clone(), self.player.clone())
        };
        let matchup = Match::new(game, spec).with_programs(Programs::REFUSED);
        let (mut id, mut finished) = (0, 0);
        matchup.play(store, &Plan::games(all, workers.clone()), stop, &mut |now| {
            (id, finished) = (now.id, now.score.games() as usize);
            progress(finished);
        })?;
        if finished < all {
            return Err(Error::new(ErrorCode::Stopped, format!("stopped after {finished} of {all} training games")));
        }
        store.visit_games(id, &mut |record| {
            if record.pair < all / 2 { visit(&record, record.pair >= self.games / 2) } else { Ok(()) }
        })
    }
}
