//! What other machines are asked to do: values that need nothing but the program and the files that are sent with them.

use std::path::Path;
use std::sync::Arc;

use banmen_catalog::{AnyGame, Catalog, Error, ErrorCode, Generation, Learning, PlayerText};
use banmen_programs::Programs;
use banmen_search::StopFlag;
use serde::{Deserialize, Serialize};

use crate::played::check_played;
use crate::version::{named_files, sha256};
use crate::{GameRecord, Job, Label, LabelsJob, Match, MatchSpec, Openings, PlayerCache};

/// What another machine is asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FleetJob {
    /// To play a pair of games.
    Games(Box<PairJob>),
    /// To play games of an engine against itself, for its evaluation.
    Examples(ExamplesJob),
    /// To search or solve positions of a stored game.
    Labels(Box<LabelsJob>),
}

/// What becomes of a [`FleetJob`].
#[derive(Clone, Debug, PartialEq)]
pub enum FleetResult {
    /// The games of a pair.
    Games(Vec<GameRecord>),
    /// Positions of games, in the game's own format.
    Examples(Vec<u8>),
    /// What was found of positions.
    Labels(Vec<Label>),
}

impl FleetJob {
    /// The name of the game.
    #[must_use]
    pub fn game(&self) -> &str {
        match self {
            FleetJob::Games(job) => &job.spec.game,
            FleetJob::Examples(job) => &job.game,
            FleetJob::Labels(job) => &job.game,
        }
    }

    /// How many games it is about.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            FleetJob::Games(job) => job.jobs.len() as u64,
            FleetJob::Examples(job) => job.games as u64,
            FleetJob::Labels(_) => 1,
        }
    }

    /// Does it. Returns `None` when `stop` was set before it was done.
    ///
    /// # Errors
    /// `unknown_game`; as for [`MatchSpec::play`].
    pub fn run(
        &self,
        catalog: &Catalog,
        programs: &Programs,
        players: &mut PlayerCache,
        stop: &StopFlag,
    ) -> Result<Option<FleetResult>, Error> {
        match self {
            FleetJob::Games(job) => Ok(job.play(catalog, programs, players, stop)?.map(FleetResult::Games)),
            FleetJob::Examples(job) => unless_stopped(job.play(catalog, stop).map(FleetResult::Examples)),
            FleetJob::Labels(job) => unless_stopped(job.run(catalog, programs, players, stop).map(FleetResult::Labels)),
        }
    }
}

/// `None` for what was stopped.
fn unless_stopped<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Err(error) if error.code == ErrorCode::Stopped => Ok(None),
        result => result.map(Some),
    }
}

impl FleetResult {
    /// Whether two machines found the same, apart from times.
    #[must_use]
    pub fn same(&self, other: &FleetResult) -> bool {
        let shape = |record: &GameRecord| (record.moves.clone(), record.score, record.margin, record.by.clone());
        match (self, other) {
            (FleetResult::Games(a), FleetResult::Games(b)) => a.iter().map(shape).eq(b.iter().map(shape)),
            _ => self == other,
        }
    }
}

/// The games of a pair that are to be played, one or two: all that another machine needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairJob {
    /// The match. Its openings are left out: each game has its own.
    pub spec: MatchSpec,
    /// The games.
    pub jobs: Vec<Job>,
}

impl PairJob {
    /// Plays the games. Returns `None` when `stop` was set before they ended.
    ///
    /// # Errors
    /// As for [`MatchSpec::play`].
    pub fn play(
        &self,
        catalog: &Catalog,
        programs: &Programs,
        players: &mut PlayerCache,
        stop: &StopFlag,
    ) -> Result<Option<Vec<GameRecord>>, Error> {
        self.jobs
            .iter()
            .map(|job| self.spec.play(catalog, programs, job, players, stop).transpose())
            .collect::<Option<_>>()
            .transpose()
    }

    /// Why these cannot be the games of this pair: their beginning, moves or results.
    ///
    /// # Errors
    /// The reason, in words.
    pub fn check(&self, game: &dyn AnyGame, records: &[GameRecord]) -> Result<(), String> {
        if records.len() != self.jobs.len() {
            return Err(format!("{} games instead of {}", records.len(), self.jobs.len()));
        }
        self.jobs.iter().zip(records).try_for_each(|(job, record)| check_played(game, &self.spec, job, record))
    }
}

/// Games of an engine against itself, for its evaluation: [`Learning::play`] with its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExamplesJob {
    /// The game.
    pub game: String,
    /// How they are played.
    pub generation: Generation,
    /// The weights, by the [name](content_name) of their contents; `None` for an evaluation that knows nothing.
    pub weights: Option<String>,
    /// The seed of the games.
    pub seed: u64,
    /// The number of games.
    pub games: usize,
}

impl ExamplesJob {
    fn play(&self, catalog: &Catalog, stop: &StopFlag) -> Result<Vec<u8>, Error> {
        let game = catalog.game(&self.game)?.as_ref();
        let weights = self.weights.as_ref().map(|name| game.read_file(Path::new(name))).transpose()?;
        learning(game)?.play(&self.generation, weights.as_deref(), self.seed, self.games, stop)
    }
}

/// How the game's evaluation is learned.
fn learning(game: &dyn AnyGame) -> Result<&dyn Learning, Error> {
    let name = game.info().name;
    let none = || Error::new(ErrorCode::Unsupported, format!("{name} has no recipe for an evaluation"));
    game.learning().ok_or_else(none)
}

/// Before the digest in the name of a file's contents. It has a point, as every name of a file that a player's key takes.
const CONTENT: &str = "sha256.";

/// The name of a file by its contents: the same on every machine.
#[must_use]
pub fn content_name(contents: &[u8]) -> String {
    format!("{CONTENT}{}", sha256(contents))
}

/// The digest in a name of contents, as 64 hexadecimal digits; `None` for other names.
#[must_use]
pub fn content_digest(name: &str) -> Option<&str> {
    let digest = name.strip_prefix(CONTENT)?;
    (digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(digest)
}

/// A file that another machine needs: its [name](content_name), and its contents.
pub type ContentFile = (String, Arc<[u8]>);

/// The text of a player with the files that it names called by their contents, which are added to `files`. External programs
/// and players without files stay as they are.
///
/// # Errors
/// `folder` when a file cannot be read.
fn by_contents(game: &dyn AnyGame, player: &str, files: &mut Vec<ContentFile>) -> Result<String, Error> {
    let Some(named) = named_files(game, player) else { return Ok(player.to_owned()) };
    let text = PlayerText::parse(player)?;
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for (key, value) in &text.pairs {
        let mut value = (*value).to_owned();
        if named.contains(&(*key, value.as_str())) {
            let contents: Arc<[u8]> = game.read_file(Path::new(&value))?.into();
            value = content_name(&contents);
            // To compute its version under this name.
            game.keep_file(&value, Arc::clone(&contents));
            if files.iter().all(|(name, _)| *name != value) {
                files.push((value.clone(), contents));
            }
        }
        pairs.push((key, value));
    }
    Ok(PlayerText::write(text.name, pairs.iter().map(|(key, value)| (*key, value.as_str()))))
}

impl Match<'_> {
    /// The match as it is sent: without its openings, with the files that its players name called by their contents.
    /// Returns it with its digest and with these files.
    ///
    /// # Errors
    /// `folder` when a file cannot be read.
    pub(crate) fn by_contents(&self) -> Result<(MatchSpec, String, Vec<ContentFile>), Error> {
        let mut files = Vec::new();
        let mut spec = MatchSpec { openings: Openings::Starts, ..self.spec.clone() };
        spec.a.player = by_contents(self.game, &spec.a.player, &mut files)?;
        spec.b.player = by_contents(self.game, &spec.b.player, &mut files)?;
        let matchup = Match { spec, ..self.clone() };
        let digest = matchup.digest()?;
        Ok((matchup.spec, digest, files))
    }
}
