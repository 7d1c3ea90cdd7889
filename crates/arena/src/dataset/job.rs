//! The positions of a stored game, as a job that can be sent to another machine.

use banmen_catalog::{AnyGame, Catalog, Error, ErrorCode};
use banmen_programs::Programs;
use banmen_search::{Limits, StopFlag};
use serde::{Deserialize, Serialize};

use super::Picked;
use super::label::Label;
use super::labels::Labeller;
use crate::spec::limits_json;
use crate::{GameRecord, MatchSpec, PlayerCache};

/// Positions of a stored game that are searched or solved: all that another machine needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelsJob {
    /// The game.
    pub game: String,
    /// The variant of its rules.
    pub rules: String,
    /// The searches; `None` for none.
    pub search: Option<LabelSearch>,
    /// The limits of the exact solver; `None` where nothing is solved.
    pub truth: Option<LabelTruth>,
    /// The seed of searches that begin anew at each position.
    pub seed: u64,
    /// The stored game, without times.
    pub record: GameRecord,
    /// The numbers of the moves that are made at the positions, from 0, ascending.
    pub plies: Vec<usize>,
}

/// The searches of a [`LabelsJob`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelSearch {
    /// The [digest](crate::Match::digest) of the match, which says the versions of its players.
    pub digest: String,
    /// The match of the game, or one of the player that searches all positions against itself.
    pub spec: MatchSpec,
    /// Whether the searches are those of the match.
    pub own: bool,
}

/// What an exact solver may use for each position of a [`LabelsJob`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelTruth {
    /// Its limits.
    #[serde(with = "limits_json")]
    pub limits: Limits,
}

impl LabelsJob {
    /// Whether every machine finds the same.
    pub(super) fn is_reproducible(&self, game: &dyn AnyGame) -> bool {
        self.search.as_ref().is_none_or(|search| search.spec.is_reproducible(game))
            && self.truth.as_ref().is_none_or(|truth| truth.limits.time.is_none() && truth.limits.clock.is_none())
    }

    /// Finds the labels. Returns `stopped` when `stop` was set before they were found.
    pub(crate) fn run(
        &self,
        catalog: &Catalog,
        programs: &Programs,
        cache: &mut PlayerCache,
        stop: &StopFlag,
    ) -> Result<Vec<Label>, Error> {
        self.check_numbers().map_err(|why| Error::new(ErrorCode::OutOfRange, why).arg("key", "plies"))?;
        let labeller = Labeller::of(catalog.game(&self.game)?.as_ref(), self, programs)?;
        let mut players = labeller.take_players(cache)?;
        let picked = Picked { record: self.record.clone(), plies: self.plies.clone(), labels: Vec::new() };
        let labels = labeller.labels(&picked, &mut players, self.seed, stop);
        labeller.put_back(players, cache);
        labels
    }

    fn check_numbers(&self) -> Result<(), String> {
        let moves = self.record.moves.len();
        if self.record.opening > moves || !self.plies.is_sorted_by(|a, b| a < b) {
            return Err("the opening or the positions of a game that is searched are not in order".to_owned());
        }
        if self.plies.last().is_some_and(|last| *last >= moves) {
            return Err(format!("a game of {moves} moves has no such position"));
        }
        Ok(())
    }

    /// Why these cannot be the labels of these positions.
    ///
    /// # Errors
    /// The reason, in words.
    pub fn check(&self, game: &dyn AnyGame, labels: &[Label]) -> Result<(), String> {
        self.check_numbers()?;
        if labels.len() != self.plies.len() {
            return Err(format!("{} values of positions instead of {}", labels.len(), self.plies.len()));
        }
        let record = &self.record;
        let mut state = game.state(Some(&self.rules), record.position.as_deref()).map_err(|error| error.message)?;
        let mut wanted = self.plies.iter().zip(labels).peekable();
        for (ply, text) in record.moves.iter().enumerate() {
            if let Some((_, label)) = wanted.next_if(|(wanted, _)| **wanted == ply) {
                let decided = ply >= record.opening && record.lost_turns.iter().all(|lost| lost.ply != ply);
                let searched = self.search.as_ref().is_some_and(|search| !search.own || decided);
                let checked = label.check(state.as_ref(), searched, self.truth.is_some());
                checked.map_err(|why| format!("{why}, at move {}", ply + 1))?;
            }
            let m = state.read(text).map_err(|error| error.message)?;
            state.play(m).map_err(|error| error.message)?;
        }
        Ok(())
    }
}
