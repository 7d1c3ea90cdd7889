//! The weights of an engine's evaluation, learned from its own games in generations.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use banmen_arena::{
    Contestant, LockName, Match, MatchSpec, Openings, Plan, SequentialTest, Store, Workers, check_games, version,
};
use banmen_catalog::{AnyGame, Error, ErrorCode, Generation, HeldOut, Learning, PlayerText, Shard, replace_file};
use banmen_game::{digest, mix};
use banmen_programs::Programs;
use banmen_search::threads::lock;
use banmen_search::{Limits, StopFlag};
use banmen_stats::{Decision, Interval, Scale};
use serde::{Deserialize, Serialize};

use crate::shards::{Current, Missing, Played, RemoteShards, ShardFile, played_by};

/// The most games of a shard. A shard is the unit of work: one that was not finished is played again.
const SHARD_GAMES: usize = 500;

/// A generation has at least so many shards, if it has two games for each, so that threads share the games of a small one.
const SHARDS: usize = 20;

/// The most games of a generation.
const MAX_GAMES: f64 = 1e9;

/// The store of the matches between generations, in the folder of the run. Its lock is that of the folder.
const MATCHES: &str = "matches.sqlite";

/// The file of a generation's report, in its folder.
pub(crate) const REPORT: &str = "report.json";

/// Nodes for a move in the matches between generations.
const MATCH_NODES: u64 = 2_000;

/// Random plies before these matches' players begin.
const MATCH_RANDOM_PLIES: u32 = 8;

/// The test that ends these matches: is a generation 10 Elo (normalised) stronger than the one before, or not at all?
const MATCH_TEST: SequentialTest =
    SequentialTest { scale: Scale::Normalised, elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };

/// A run of a game's recipe, kept in a folder so that it can be interrupted and continued.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvaluationSpec {
    /// The recipe's numbers of games are multiplied by this, above 0; each generation has from two to 10⁹ games.
    pub scale: f64,
    /// The seed of all games.
    pub seed: u64,
    /// The most games of each generation against the one before, an even number: a test ends the match as soon as it can
    /// tell whether the generation is stronger. Where a match in the folder ended undecided after another number of games,
    /// it is continued, or shortened. With 0 no match is played, those in the folder stay, and generations beyond the recipe
    /// are not made.
    pub match_games: usize,
    /// The most generations; `None` for the recipe, and more as long as the test finds each stronger.
    pub generations: Option<usize>,
}

/// What a generation brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationReport {
    /// What was asked for: everything that the games and the fit depend on.
    pub settings: String,
    /// The checksum of the file of weights, in hexadecimal.
    pub weights: String,
    /// Positions that the weights were fitted to.
    pub positions: u64,
    /// The errors on positions that were held out, by phase.
    pub held_out: Vec<HeldOut>,
    /// The match against the generation before.
    pub against: Option<MatchResult>,
}

/// A match against the generation before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// The number of games.
    pub games: u64,
    /// The share of the points, 0 to 1.
    pub score: f64,
    /// Its 95 % interval, on pairs of games.
    pub interval: [f64; 2],
    /// Whether the test found the generation stronger (`true`) or not (`false`); `None` where the games did not suffice.
    pub stronger: Option<bool>,
}

/// The number, from 0, of the generation whose weights are the strongest that a run found: the last one that was not found
/// to be no stronger than the one before.
#[must_use]
pub fn strongest(reports: &[GenerationReport]) -> usize {
    let not_weaker = |report: &GenerationReport| report.stronger() != Some(false);
    reports.iter().rposition(not_weaker).unwrap_or(0)
}

impl GenerationReport {
    /// What the test of the match found; `None` without a match, too.
    fn stronger(&self) -> Option<bool> {
        self.against.and_then(|result| result.stronger)
    }
}

/// What a run does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Plays games: the number of finished ones, and of all.
    Games(usize, usize),
    /// Fits weights: the number of finished steps, and of all.
    Fit(u32, u32),
    /// Plays the match against the generation before: the number of finished games, and of all.
    Match(usize, usize),
}

impl EvaluationSpec {
    /// Runs all generations of the recipe in `folder`, and then its last one again as long as the test finds each stronger
    /// than the one before. `workers` play the games. Returns the reports of the generations. What the folder contains
    /// already is not made again. `progress` gets the generation, from 1, and its stage.
    ///
    /// The shards of a worker that turns out not to be trusted are removed in all generations. Where that changes earlier
    /// ones, the run starts over: it plays the shards again, fits the weights again, and makes the later generations
    /// anew if these weights differ from those before.
    ///
    /// # Errors
    /// `unsupported` for a game without a recipe; `out_of_range` for numbers that the fields do not allow; `bad_examples` and
    /// `bad_weights` when the folder contains damaged files or those of another run: nothing is overwritten then; `folder`
    /// when it cannot be written, or its path is not UTF-8; `match_busy` when another process uses it; an error of the store of
    /// the matches; `stopped` when `stop` was set: the shards of games and the games of matches that were finished by then
    /// are kept, and a fit that was begun starts again; [`fitted`] returns the reports.
    pub fn learn(
        &self,
        game: &dyn AnyGame,
        folder: &Path,
        workers: impl Into<Workers>,
        stop: &StopFlag,
        progress: &(dyn Fn(usize, Stage) + Sync),
    ) -> Result<Vec<GenerationReport>, Error> {
        let name = game.info().name;
        let Some(learning) = game.learning() else {
            let message = format!("{name} has no recipe for an evaluation");
            return Err(Error::new(ErrorCode::Unsupported, message).arg("game", name));
        };
        let most = learning.recipe().iter().map(|generation| generation.games).max().unwrap_or(1);
        if !(self.scale > 0.0 && most as f64 * self.scale <= MAX_GAMES) {
            let message = format!("scale={:?} must be above 0 and at most {}", self.scale, MAX_GAMES / most as f64);
            return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "scale"));
        }
        check_games("match-games", self.match_games, 0)?;
        if self.generations == Some(0) {
            return Err(Error::new(ErrorCode::OutOfRange, "generations=0 must be at least 1").arg("key", "generations"));
        }
        if folder.to_str().is_none() {
            let message = format!("the folder {} is not UTF-8, in which a player's keys are written", folder.display());
            return Err(Error::new(ErrorCode::Folder, message));
        }
        let store = Store::open(&folder.join(MATCHES))?;
        let event = store.enter_event("learning", name, name)?;
        let _lock = store.lock(&LockName::Event(event)).map_err(|error| match error.code {
            ErrorCode::MatchBusy => {
                Error::new(ErrorCode::MatchBusy, format!("another process is learning in {}", folder.display()))
            }
            _ => error,
        })?;
        let matches = Matches { store, event };
        let (workers, shards) = (workers.into(), Vec::new());
        let mut run = Run { spec: *self, game, learning, folder, matches, workers, stop, progress, shards };
        loop {
            if let Some(reports) = run.generations()? {
                return Ok(reports);
            }
        }
    }
}

/// Where the matches between generations are kept.
struct Matches {
    store: Store,
    /// The event that they belong to.
    event: i64,
}

struct Run<'r> {
    spec: EvaluationSpec,
    game: &'r dyn AnyGame,
    learning: &'r dyn Learning,
    folder: &'r Path,
    matches: Matches,
    workers: Workers,
    stop: &'r StopFlag,
    progress: &'r (dyn Fn(usize, Stage) + Sync),
    /// Those of all generations so far.
    shards: Vec<Shard>,
}

impl Run<'_> {
    /// Runs all generations. `None` where the run has to start over.
    fn generations(&mut self) -> Result<Option<Vec<GenerationReport>>, Error> {
        self.shards.clear();
        let recipe = self.learning.recipe();
        let mut reports = Vec::new();
        let mut weights: Option<Vec<u8>> = None;
        for (number, generation) in generations(recipe).enumerate() {
            let Some((report, fitted)) = self.generation(number, generation, weights.as_deref())? else {
                return Ok(None);
            };
            let goes_on = report.stronger() == Some(true) && (self.spec.match_games > 0 || self.is_made(number + 1));
            reports.push(report);
            weights = Some(fitted);
            if self.spec.generations.is_some_and(|most| reports.len() >= most)
                || reports.len() >= recipe.len() && !goes_on
            {
                break;
            }
        }
        Ok(Some(reports))
    }

    /// Whether a generation is in the folder, by its number from 0.
    fn is_made(&self, number: usize) -> bool {
        self.folder(number).join(REPORT).exists()
    }

    /// The folder of a generation, by its number from 0.
    fn folder(&self, number: usize) -> PathBuf {
        self.folder.join(format!("generation-{}", number + 1))
    }

    /// The number of games of a generation.
    fn games(&self, generation: &Generation) -> usize {
        ((generation.games as f64 * self.spec.scale).round() as usize).max(2)
    }

    /// The shards of a generation: their files and their numbers of games.
    fn shard_files(&self, number: usize, generation: &Generation) -> Vec<ShardFile> {
        let (folder, games) = (self.folder(number), self.games(generation));
        let size = (games / SHARDS).clamp(2, SHARD_GAMES);
        let file = |shard: usize| ShardFile {
            generation: number,
            games: size.min(games - shard * size),
            path: folder.join(format!("games-{:05}.bin", shard + 1)),
        };
        (0..games.div_ceil(size)).map(file).collect()
    }

    /// The shards of the recipe's generations, and of those beyond it that have been begun.
    fn all_shard_files(&self) -> Vec<ShardFile> {
        let recipe = self.learning.recipe();
        generations(recipe)
            .enumerate()
            .take_while(|&(number, _)| number < recipe.len() || self.folder(number).exists())
            .flat_map(|(number, generation)| self.shard_files(number, generation))
            .collect()
    }

    /// Plays and fits one generation, or reads what a run before made. Returns the report and the weights, or `None` where the
    /// run has to start over.
    fn generation(
        &mut self,
        number: usize,
        generation: &Generation,
        before: Option<&[u8]>,
    ) -> Result<Option<(GenerationReport, Vec<u8>)>, Error> {
        let folder = self.folder(number);
        fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
        let games = self.games(generation);
        let settings = format!(
            "{} generation={} games={games} depth={} exact={} result={} seed={} before={:016x} version={}",
            self.game.info().name,
            number + 1,
            generation.depth,
            generation.exact,
            generation.result,
            self.spec.seed,
            before.map_or(0, digest),
            version(),
        );
        let report_path = folder.join(REPORT);
        let weights_path = folder.join("weights.bin");
        // A report of another run is refused before games are played. While they are, it may be removed.
        read_report(&report_path, &settings)?;
        let current = Current { number, generation, settings: &settings, before };
        if self.play(current)? == Played::RemovedEarlier {
            return Ok(None);
        }
        let report = read_report(&report_path, &settings)?;
        if let (Some(mut report), Some(weights)) = (report, read(&weights_path)?) {
            if report.weights != format!("{:016x}", digest(&weights)) {
                let message = format!("{} is damaged: its checksum is not that of the report", weights_path.display());
                return Err(Error::new(ErrorCode::BadWeights, message));
            }
            let all = self.spec.match_games as u64;
            let finished = report.against.is_some_and(|result| result.stronger.is_some() || result.games == all);
            if number > 0 && all > 0 && !finished {
                report.against = self.versus(number, &weights_path)?;
                write_report(&report_path, &report)?;
            }
            return Ok(Some((report, weights)));
        }
        let progress = self.progress;
        let mut fitting = |done, all| progress(number + 1, Stage::Fit(done, all));
        let fitted = self.learning.fit(generation, &self.shards, self.stop, &mut fitting)?;
        write(&weights_path, &fitted.weights)?;
        let mut report = GenerationReport {
            settings,
            weights: format!("{:016x}", digest(&fitted.weights)),
            positions: fitted.positions,
            held_out: fitted.held_out,
            against: None,
        };
        // The fit is kept if the match is stopped.
        write_report(&report_path, &report)?;
        report.against = self.versus(number, &weights_path)?;
        if report.against.is_some() {
            write_report(&report_path, &report)?;
        }
        Ok(Some((report, fitted.weights)))
    }

    /// Plays the shards that the folder lacks, and adds all of the generation, unless the run has to start over.
    fn play(&mut self, current: Current<'_>) -> Result<Played, Error> {
        let Current { number, generation, settings, before } = current;
        let (files, games) = (self.shard_files(number, generation), self.games(generation));
        let count = files.len();
        let size = |shard: usize| files[shard].games;
        let path = |shard: usize| files[shard].path.clone();
        let kept = || -> Result<Vec<Option<Vec<u8>>>, Error> {
            let shard = |file: &ShardFile| {
                let Some(bytes) = read(&file.path)? else { return Ok(None) };
                let examples = unpack(&file.path, &bytes, settings)?;
                if let Some(examples) = &examples {
                    let checked = self.learning.check(generation, file.games, examples);
                    checked.map_err(|why| damaged(&file.path, &why))?;
                }
                Ok(examples)
            };
            files.iter().map(shard).collect()
        };
        let mut shards = kept()?;
        let seed = |shard: usize| mix(self.spec.seed ^ mix((number as u64) << 32 | shard as u64));
        if let Some(fleet) = &self.workers.fleet {
            while shards.iter().any(Option::is_none) {
                if self.stop.stopped() {
                    return Err(Error::new(ErrorCode::Stopped, "stopped before all games were played"));
                }
                let whole = |&shard: &usize| shards.get(shard).is_some_and(Option::is_some);
                let (there, missing): (Vec<usize>, Vec<usize>) = (0..count).partition(whole);
                let mut finished: usize = there.into_iter().map(size).sum();
                let missing = missing.into_iter().map(|shard| Missing {
                    number: shard + 1,
                    seed: seed(shard),
                    games: size(shard),
                    path: path(shard),
                });
                let mut done = |more| {
                    finished += more;
                    (self.progress)(number + 1, Stage::Games(finished, games));
                };
                done(0);
                let shards_of = RemoteShards::new(
                    self.game,
                    self.learning,
                    current,
                    missing.collect(),
                    self.all_shard_files(),
                    &mut done,
                );
                if shards_of.play(fleet.as_ref(), self.stop)? == Played::RemovedEarlier {
                    return Ok(Played::RemovedEarlier);
                }
                shards = kept()?;
            }
        }
        let missing: Vec<usize> = (0..count).filter(|&shard| shards[shard].is_none()).collect();
        let finished = AtomicUsize::new((0..count).filter(|shard| shards[*shard].is_some()).map(size).sum());
        let report = || (self.progress)(number + 1, Stage::Games(finished.load(Ordering::Relaxed), games));
        let (next, made) = (AtomicUsize::new(0), Mutex::new(Ok(Vec::new())));
        let work = || {
            while let Some(&shard) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                let result =
                    self.learning.play(generation, before, seed(shard), size(shard), self.stop).and_then(|examples| {
                        // Another machine may have played a shard that is lost.
                        remove(&played_by(&path(shard)))?;
                        write(&path(shard), &pack(settings, &examples))?;
                        Ok((shard, examples))
                    });
                let mut made = lock(&made);
                match (made.as_mut(), result) {
                    (Ok(all), Ok(shard)) => all.push(shard),
                    (Ok(_), Err(error)) => {
                        *made = Err(error);
                        return;
                    }
                    (Err(_), _) => return,
                }
                finished.fetch_add(size(shard), Ordering::Relaxed);
                report();
            }
        };
        report();
        thread::scope(|scope| {
            for _ in 0..self.workers.threads.max(1).min(missing.len()) {
                scope.spawn(work);
            }
        });
        for (shard, examples) in made.into_inner().unwrap_or_else(PoisonError::into_inner)? {
            shards[shard] = Some(examples);
        }
        self.shards.extend(shards.into_iter().flatten().map(|examples| Shard { generation: number, examples }));
        Ok(Played::Here)
    }

    /// The match of these weights against those of the generation before; `None` for the first generation, and where no
    /// games are asked for.
    fn versus(&self, number: usize, weights: &Path) -> Result<Option<MatchResult>, Error> {
        let all = self.spec.match_games;
        if number == 0 || all == 0 {
            return Ok(None);
        }
        let before = self.folder(number - 1).join("weights.bin");
        let player = |weights: &Path| {
            let weights = weights.display().to_string();
            Contestant::new(PlayerText::write("engine", [("weights", weights.as_str())]), Limits::nodes(MATCH_NODES))
        };
        // Weights that have been fitted again play another match, though their files have the same names.
        let both = [weights, &before].into_iter().try_fold(self.spec.seed, |seed, path| {
            Ok::<_, Error>(mix(seed ^ digest(&read(path)?.unwrap_or_default())))
        })?;
        let spec = MatchSpec {
            openings: Openings::Random(MATCH_RANDOM_PLIES),
            seed: both >> 1,
            ..MatchSpec::new(self.game, player(weights), player(&before))
        };
        let score = Match::new(self.game, spec).with_programs(Programs::REFUSED).play_in(
            &self.matches.store,
            Some(self.matches.event),
            &Plan { test: Some(MATCH_TEST), ..Plan::games(all, self.workers.clone()) },
            self.stop,
            &mut |now| (self.progress)(number + 1, Stage::Match(now.score.games() as usize, all)),
        )?;
        if !score.decided() && (score.games() as usize) < all {
            return Err(Error::new(ErrorCode::Stopped, format!("stopped after {} of {all} games", score.games())));
        }
        let Interval { low, high } = score.interval().unwrap_or(Interval { low: 0.0, high: 1.0 });
        let score_share = score.score().unwrap_or(0.5);
        let decision = score.test().and_then(|test| test.decision());
        let stronger = decision.map(|decision| decision == Decision::AcceptH1);
        Ok(Some(MatchResult { games: score.games(), score: score_share, interval: [low, high], stronger }))
    }
}

/// The generations of a run: those of the recipe, and then its last one without end.
fn generations(recipe: &'static [Generation]) -> impl Iterator<Item = &'static Generation> {
    recipe.iter().chain(recipe.last().into_iter().cycle())
}

/// The reports of the generations in the folder of a run whose weights were fitted, each from those of the one before it,
/// in order. Of the last one the match may not be finished.
///
/// # Errors
/// `bad_weights` for a damaged report, `folder` for one that cannot be read.
pub fn fitted(folder: &Path) -> Result<Vec<GenerationReport>, Error> {
    let mut reports: Vec<GenerationReport> = Vec::new();
    loop {
        let path = folder.join(format!("generation-{}", reports.len() + 1)).join(REPORT);
        let before = format!("before={}", reports.last().map_or("0000000000000000", |report| &report.weights));
        let report = parse_report(&path)?.filter(|report| report.settings.split(' ').any(|setting| setting == before));
        let Some(report) = report else { return Ok(reports) };
        reports.push(report);
    }
}

/// Reads the report of a generation. `None` where there is none, or one of other weights of the generation before.
fn read_report(path: &Path, settings: &str) -> Result<Option<GenerationReport>, Error> {
    let Some(report) = parse_report(path)? else { return Ok(None) };
    Ok(is_current(path, &report.settings, settings)?.then_some(report))
}

/// Reads the report of a generation, whatever it was made with.
fn parse_report(path: &Path) -> Result<Option<GenerationReport>, Error> {
    let Some(bytes) = read(path)? else { return Ok(None) };
    let again = |why: &str| damaged(path, &format!("{why}: remove it to have the weights fitted again"));
    let text = String::from_utf8(bytes).map_err(|error| again(&error.to_string()))?;
    let found = text.strip_prefix(REPORT_HEAD).and_then(|rest| rest.split_once("\","));
    let (sum, rest) = found.ok_or_else(|| again("it does not begin with its checksum"))?;
    let text = format!("{{{rest}");
    if sum != format!("{:016x}", digest(text.as_bytes())) {
        return Err(again("its checksum does not match"));
    }
    serde_json::from_str(&text).map(Some).map_err(|error| again(&error.to_string()))
}

/// How the file of a report begins, before the checksum of all other text.
const REPORT_HEAD: &str = "{\n  \"checksum\": \"";

/// Whether a file was made with these settings. `false` where only the weights of the generation before differ, which
/// have been fitted again: then the file is replaced.
///
/// # Errors
/// `bad_examples` for the settings of another run.
fn is_current(path: &Path, found: &str, wanted: &str) -> Result<bool, Error> {
    fn without_weights(settings: &str) -> impl Iterator<Item = &str> {
        settings.split(' ').filter(|setting| !setting.starts_with("before="))
    }
    if !without_weights(found).eq(without_weights(wanted)) {
        return Err(other(path, found, wanted));
    }
    Ok(found == wanted)
}

/// Writes the report of a generation.
fn write_report(path: &Path, report: &GenerationReport) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(report).map_err(|error| damaged(path, &error.to_string()))?;
    let rest = text.strip_prefix('{').unwrap_or(&text);
    write(path, format!("{REPORT_HEAD}{:016x}\",{rest}", digest(text.as_bytes())).as_bytes())
}

/// The first word of a file of examples.
const SIGNATURE: &str = "banmen-examples-2";

/// The bytes of a shard's file: a line with the settings and the checksum of these and the examples, and the examples.
pub(crate) fn pack(settings: &str, examples: &[u8]) -> Vec<u8> {
    let head = format!("{SIGNATURE} {settings} checksum={:016x}\n", examples_checksum(settings, examples));
    [head.as_bytes(), examples].concat()
}

fn examples_checksum(settings: &str, examples: &[u8]) -> u64 {
    digest(&[settings.as_bytes(), b"\n", examples].concat())
}

/// The examples in the bytes of a shard's file; `None` where they were played with other weights of the generation
/// before.
fn unpack(path: &Path, bytes: &[u8], settings: &str) -> Result<Option<Vec<u8>>, Error> {
    let mut parts = bytes.splitn(2, |&byte| byte == b'\n');
    let head = parts.next().and_then(|head| std::str::from_utf8(head).ok()).unwrap_or_default();
    let Some(head) = head.strip_prefix(SIGNATURE) else {
        return Err(damaged(path, "these are no examples of this version"));
    };
    let Some((found, sum)) = head.rsplit_once(" checksum=") else {
        return Err(damaged(path, "its first line has no checksum"));
    };
    let (found, examples) = (found.trim_start(), parts.next().unwrap_or_default());
    if sum != format!("{:016x}", examples_checksum(found, examples)) {
        return Err(damaged(path, "its checksum does not match: remove it to have its games played again"));
    }
    Ok(is_current(path, found, settings)?.then(|| examples.to_vec()))
}

/// Reads a file; `None` when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, &error)),
    }
}

/// Writes a file, which is whole or as before.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_file(path, bytes).map_err(|error| failed(path, &error))
}

/// Removes a file, if there is one.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(path, &error)),
        _ => Ok(()),
    }
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorCode::Folder, format!("{}: {error}", path.display()))
}

pub(crate) fn damaged(path: &Path, why: &str) -> Error {
    Error::new(ErrorCode::BadExamples, format!("{}: {why}", path.display()))
}

fn other(path: &Path, found: &str, wanted: &str) -> Error {
    let message = format!(
        "{} comes from a run with other settings ({found}; this run has {wanted}): continue with those, or name another \
         folder",
        path.display()
    );
    Error::new(ErrorCode::BadExamples, message)
}
