//! Shards of training games, played on other machines.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use banmen_arena::{
    ContentFile, ExamplesJob, Fleet, FleetJob, FleetJobs, FleetResult, FleetStatus, NamedJob, NextJob, PlayedBy,
    content_name,
};
use banmen_catalog::{AnyGame, Error, ErrorCode, Generation, Learning};
use banmen_game::digest;
use banmen_search::StopFlag;

use crate::evaluation::{REPORT, damaged, pack, read, remove, write};

/// A shard that is missing.
pub(crate) struct Missing {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// The seed of its games.
    pub(crate) seed: u64,
    /// The number of its games.
    pub(crate) games: usize,
    /// Its file.
    pub(crate) path: PathBuf,
}

/// A shard that may be stored.
pub(crate) struct ShardFile {
    /// The number of its generation, from 0.
    pub(crate) generation: usize,
    /// The number of its games.
    pub(crate) games: usize,
    /// Its file.
    pub(crate) path: PathBuf,
}

/// What a fleet changed in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Played {
    /// Shards of this generation were written, and perhaps removed: the folder has to be read again.
    Here,
    /// Shards of an earlier generation were removed: the run has to start over.
    RemovedEarlier,
}

/// The generation whose games are played.
#[derive(Clone, Copy)]
pub(crate) struct Current<'r> {
    /// Its number, from 0.
    pub(crate) number: usize,
    /// How its games are played.
    pub(crate) generation: &'r Generation,
    /// Everything that its games and its fit depend on.
    pub(crate) settings: &'r str,
    /// The weights of the generation before.
    pub(crate) before: Option<&'r [u8]>,
}

/// The shards of a generation that a folder lacks, for a fleet.
pub(crate) struct RemoteShards<'r> {
    game: &'static str,
    learning: &'r dyn Learning,
    current: Current<'r>,
    /// The weights as they are sent.
    weights: Option<ContentFile>,
    /// Those that were not given out, the next one last.
    missing: Vec<Missing>,
    /// Those that were given out.
    out: HashMap<String, Missing>,
    /// The files of all generations.
    files: Vec<ShardFile>,
    /// Receives the number of games of each shard that is written.
    done: &'r mut dyn FnMut(usize),
    /// Whether shards of this generation or of an earlier one were removed.
    again: bool,
    /// Whether shards of an earlier generation were removed.
    earlier: bool,
}

impl<'r> RemoteShards<'r> {
    pub(crate) fn new(
        game: &dyn AnyGame,
        learning: &'r dyn Learning,
        current: Current<'r>,
        mut missing: Vec<Missing>,
        files: Vec<ShardFile>,
        done: &'r mut dyn FnMut(usize),
    ) -> Self {
        missing.reverse();
        let weights = current.before.map(|weights| (content_name(weights), Arc::from(weights)));
        let game = game.info().name;
        let out = HashMap::new();
        RemoteShards { game, learning, current, weights, missing, out, files, done, again: false, earlier: false }
    }

    /// Has the shards played and written, until all are there, shards were removed, or `stop` is set.
    pub(crate) fn play(mut self, fleet: &dyn Fleet, stop: &StopFlag) -> Result<Played, Error> {
        match fleet.play(&mut self, stop) {
            Err(error) if error.code != ErrorCode::Stopped => Err(error),
            _ if self.earlier => Ok(Played::RemovedEarlier),
            _ => Ok(Played::Here),
        }
    }
}

/// The file that names the worker that played a shard.
pub(crate) fn played_by(shard: &Path) -> PathBuf {
    shard.with_extension("by.json")
}

/// The report of the generation that a shard belongs to.
fn report_file(shard: &Path) -> PathBuf {
    shard.with_file_name(REPORT)
}

impl FleetJobs for RemoteShards<'_> {
    fn next(&mut self) -> Result<NextJob, Error> {
        let Some(shard) = self.missing.pop() else { return Ok(NextJob::Done) };
        let key = format!("{:016x}-{}", digest(self.current.settings.as_bytes()), shard.number);
        let job = ExamplesJob {
            game: self.game.to_owned(),
            generation: *self.current.generation,
            weights: self.weights.as_ref().map(|(name, _)| name.clone()),
            seed: shard.seed,
            games: shard.games,
        };
        self.out.insert(key.clone(), shard);
        let files = self.weights.iter().cloned().collect();
        Ok(NextJob::Do(Box::new(NamedJob { key, job: FleetJob::Examples(job), files, reproducible: true })))
    }

    fn over(&self) -> bool {
        self.again
    }

    fn check(&self, key: &str, result: &FleetResult) -> Result<(), String> {
        let shard = self.out.get(key).ok_or("nobody asked for it")?;
        let FleetResult::Examples(examples) = result else { return Err("these are no training games".to_owned()) };
        self.learning.check(self.current.generation, shard.games, examples)
    }

    fn on_result(&mut self, key: &str, result: FleetResult, by: &PlayedBy) -> Result<(), Error> {
        let FleetResult::Examples(examples) = result else { return Ok(()) };
        let Some(shard) = self.out.remove(key) else { return Ok(()) };
        // The worker first: no shard of another machine is there without it.
        let named = serde_json::to_vec(by).map_err(|error| damaged(&shard.path, &error.to_string()))?;
        write(&played_by(&shard.path), &named)?;
        write(&shard.path, &pack(self.current.settings, &examples))?;
        (self.done)(shard.games);
        Ok(())
    }

    fn on_failure(&mut self, _: &str, error: Error) -> Result<(), Error> {
        Err(error)
    }

    fn do_here(&self, key: &str, stop: &StopFlag) -> Result<Option<FleetResult>, Error> {
        let Some(shard) = self.out.get(key) else { return Ok(None) };
        let Current { generation, before, .. } = self.current;
        match self.learning.play(generation, before, shard.seed, shard.games, stop) {
            Err(error) if error.code == ErrorCode::Stopped => Ok(None),
            played => Ok(Some(FleetResult::Examples(played?))),
        }
    }

    fn distrust(&mut self, worker: &str, _: &str) -> Result<u64, Error> {
        let mut removed = 0;
        for ShardFile { generation, games, path } in &self.files {
            // One whose worker cannot be read is played again too.
            let of_worker = |bytes: Vec<u8>| {
                serde_json::from_slice::<PlayedBy>(&bytes).map_or(true, |played_by| played_by.worker == worker)
            };
            if read(&played_by(path))?.is_some_and(of_worker) && path.exists() {
                // The report first: without it the weights are fitted again. The worker last: no shard of another machine
                // is there without it.
                remove(&report_file(path))?;
                remove(path)?;
                remove(&played_by(path))?;
                removed += *games as u64;
                self.again |= *generation <= self.current.number;
                self.earlier |= *generation < self.current.number;
            }
        }
        Ok(removed)
    }

    fn on_status(&mut self, _: &FleetStatus) -> Result<(), Error> {
        Ok(())
    }
}
