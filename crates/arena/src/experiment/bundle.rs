//! Bundles: experiments with their files, plans, games, samples and reports in one archive, which another machine verifies by
//! playing the games again.
//!
//! A bundle is a tar archive, compressed by gzip. `manifest.json` has the SHA-256 of every other file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use banmen_catalog::{Catalog, Error, ErrorCode, Observation, quote};
use banmen_search::StopFlag;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::measured::Measured;
use super::plan::plan;
use super::stored::stored_plan;
use super::{Conditions, Experiment, Reproduction, report, reproduce};
use crate::messages::MIN_SCALE;
use crate::store::Run;
use crate::version::sha256;
use crate::{GameRecord, Match, Score, Store, check, version};

/// The version of the format.
const FORMAT: u32 = 1;

/// The largest bundle that is read, in bytes without compression.
const MAX_SIZE: u64 = 4 << 30;

/// Differences that are described; further ones are counted.
const DESCRIBED: usize = 20;

const MANIFEST: &str = "manifest.json";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: u32,
    /// The version of the program that played the games.
    version: String,
    experiments: Vec<Bundled>,
    /// The SHA-256 of every other file.
    files: BTreeMap<String, String>,
}

/// An experiment in a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundled {
    /// Its name.
    pub id: String,
    /// The seed of its run.
    pub seed: u64,
    /// The scale of its run.
    pub scale: f64,
    /// The planned scale.
    pub planned: f64,
    /// When the plan was written, in seconds since 1970.
    pub written: i64,
    /// Games.
    pub games: u64,
    /// Samples of measurements.
    pub samples: u64,
}

impl Bundled {
    fn folder(&self) -> String {
        format!("{}-{}", self.id, self.seed)
    }
}

/// A game in a bundle.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BundledGame {
    cell: usize,
    record: GameRecord,
}

/// A sample in a bundle.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BundledSample {
    cell: usize,
    number: usize,
    observations: Vec<Observation>,
}

/// The result of verifying an experiment of a bundle.
#[derive(Clone, Debug, Serialize)]
pub struct Verified {
    /// The experiment.
    pub experiment: Bundled,
    /// Games that were played again.
    pub replayed: u64,
    /// Games with a limit of time or an external program, whose moves depend on the machine: they were only checked by the
    /// rules.
    pub checked: u64,
    /// What is different, in words; the first ones.
    pub differences: Vec<String>,
    /// How many differences there are.
    pub different: u64,
    /// Whether the table is the same.
    pub table: bool,
}

impl Verified {
    fn differ(&mut self, what: String) {
        self.different += 1;
        if self.differences.len() < DESCRIBED {
            self.differences.push(what);
        }
    }

    /// Whether everything is the same.
    #[must_use]
    pub fn same(&self) -> bool {
        self.table && self.different == 0
    }
}

fn bad(why: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::BadBundle, format!("the bundle {why}"))
}

/// The result of an export.
#[derive(Debug)]
pub struct ExportedBundle {
    /// The bundle.
    pub bytes: Vec<u8>,
    /// What it contains.
    pub experiments: Vec<Bundled>,
    /// The names and seeds of the runs that were interrupted, which it does not contain.
    pub unfinished: Vec<(String, u64)>,
}

/// The number of a match and its games up to a number of pairs; `None` where some are missing.
fn games(
    store: &Store,
    matchup: &Match<'_>,
    event: Option<i64>,
    pairs: usize,
) -> Result<Option<(i64, Vec<GameRecord>)>, Error> {
    let Some(id) = store.match_of(matchup, event)? else { return Ok(None) };
    let mut games = Vec::new();
    store.visit_games(id, &mut |record| {
        if record.pair < pairs {
            games.push(record);
        }
        Ok(())
    })?;
    Ok((games.len() == 2 * pairs).then_some((id, games)))
}

/// The files of a bundle, by name.
type Files = Vec<(String, Vec<u8>)>;

/// Makes a bundle of the experiments with this name that were run by this version of the program, or of all, without
/// those whose run was interrupted. The store is only read. `machine` describes the machine, for the report.
///
/// # Errors
/// `unknown_experiment` where none was run, `unknown_record` where all runs were interrupted; an error of the store.
pub fn export_bundle(
    store: &Store,
    catalog: &Catalog,
    name: Option<&str>,
    machine: Option<&str>,
) -> Result<ExportedBundle, Error> {
    let mut files = Files::new();
    let mut experiments = Vec::new();
    let mut unfinished: Vec<(String, u64)> = Vec::new();
    for run in store.runs(version())? {
        if name.is_some_and(|name| name != run.experiment) {
            continue;
        }
        match bundled(store, catalog, &run, machine)? {
            Some((entry, of_run)) => {
                files.extend(of_run);
                experiments.push(entry);
            }
            None => unfinished.push((run.experiment, run.seed)),
        }
    }
    if experiments.is_empty() && !unfinished.is_empty() {
        let runs: Vec<String> = unfinished.iter().map(|(id, seed)| format!("{id}, seed {seed}")).collect();
        let message = format!("games or samples are missing, as runs were interrupted: {}", runs.join("; "));
        return Err(Error::new(ErrorCode::UnknownRecord, message));
    }
    if experiments.is_empty() {
        let what = name.map_or_else(|| "no experiment".to_owned(), |name| format!("no experiment {name}"));
        let message = format!("{what} was run by this version of the program in this store");
        return Err(Error::new(ErrorCode::UnknownExperiment, message));
    }
    let digests = files.iter().map(|(name, bytes)| (name.clone(), sha256(bytes))).collect();
    let manifest =
        Manifest { format: FORMAT, version: version().to_owned(), experiments: experiments.clone(), files: digests };
    files.push((MANIFEST.to_owned(), line(&manifest)?.into_bytes()));
    let bytes = archive(&files).map_err(|error| bad(format!("cannot be written: {error}")))?;
    Ok(ExportedBundle { bytes, experiments, unfinished })
}

/// A run and its files; `None` where it was interrupted.
fn bundled(
    store: &Store,
    catalog: &Catalog,
    run: &Run,
    machine: Option<&str>,
) -> Result<Option<(Bundled, Files)>, Error> {
    let experiment = Experiment::read(&run.experiment, &run.file, catalog)?;
    let game = catalog.game(&experiment.game)?.as_ref();
    let (id, seed) = (&experiment.id, run.seed);
    let Some(plan) = stored_plan(store, &experiment, seed)? else {
        let message = format!("{id}: its games, figures, margin or tests are not those of its plan");
        return Err(Error::new(ErrorCode::PlanChanged, message));
    };
    let event = experiment.stored_event(store, seed)?;
    let mut measured = Vec::new();
    let (mut game_lines, mut sample_lines) = (Vec::new(), Vec::new());
    for (cell, matchup, pairs) in experiment.matches(game, seed, run.scale) {
        // Without an event no match was begun.
        let found = if event.is_some() { games(store, &matchup, event, pairs)? } else { None };
        let Some((number, records)) = found else { return Ok(None) };
        let mut score = Score::new(matchup.spec.sides().map(|side| side.player.as_str()), Some(2 * pairs), None);
        records.iter().for_each(|record| score.add(record));
        score.close();
        score.repeats = store.repeats(number, Some(pairs))?;
        measured.push(Measured::of_match(cell, &(number, score)));
        for record in records {
            game_lines.push(line(&BundledGame { cell, record })?);
        }
    }
    for (cell, spec, count) in experiment.measures(seed, run.scale) {
        let samples = store.samples(&spec, count)?;
        if samples.len() < count {
            return Ok(None);
        }
        measured.extend(Measured::of_samples(&experiment, cell, samples.values().flatten()));
        for (number, observations) in samples {
            sample_lines.push(line(&BundledSample { cell, number, observations })?);
        }
    }
    measured.sort_by_key(|measured| (measured.cell, measured.point, measured.quantity));
    let mut reproduction = Reproduction::new(&experiment, &measured, (run.scale, plan), seed, true);
    reproduction.add_games(store, game, event)?;
    let entry = Bundled {
        id: id.clone(),
        seed,
        scale: run.scale,
        planned: reproduction.plan.scale,
        written: reproduction.plan.written,
        games: game_lines.len() as u64,
        samples: sample_lines.len() as u64,
    };
    let folder = entry.folder();
    let table = reproduction.comparable().to_string();
    let command = reproduction.command();
    let page = report(&[reproduction], &command, machine, None);
    let texts = [
        ("experiment.toml", run.file.clone()),
        ("games.jsonl", game_lines.concat()),
        ("samples.jsonl", sample_lines.concat()),
        ("table.json", table),
        ("index.html", page.html),
        ("report.md", page.markdown),
    ];
    let texts = texts.map(|(name, text)| (name.to_owned(), text)).into_iter().chain(page.pictures);
    let files = texts.map(|(name, text)| (format!("{folder}/{name}"), text.into_bytes())).collect();
    Ok(Some((entry, files)))
}

/// A value as a line of JSON.
fn line(value: &impl Serialize) -> Result<String, Error> {
    let text = serde_json::to_string(value).map_err(|error| bad(format!("cannot be written: {error}")))?;
    Ok(text + "\n")
}

/// The archive of these files. Equal files give equal bytes.
fn archive(files: &[(String, Vec<u8>)]) -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, bytes.as_slice())?;
    }
    archive.into_inner()?.finish()
}

/// A bundle that was read: its manifest, and its files, whose digests are right.
struct Bundle {
    manifest: Manifest,
    files: BTreeMap<String, Vec<u8>>,
}

impl Bundle {
    fn read(from: &mut dyn Read) -> Result<Bundle, Error> {
        let unreadable = |error: std::io::Error| bad(format!("cannot be read: {error}"));
        let mut left = MAX_SIZE;
        let mut files = BTreeMap::new();
        let mut archive = tar::Archive::new(GzDecoder::new(from));
        for entry in archive.entries().map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.path().map_err(unreadable)?.to_string_lossy().into_owned();
            let mut bytes = Vec::new();
            let size = entry.take(left + 1).read_to_end(&mut bytes).map_err(unreadable)? as u64;
            left = left.checked_sub(size).ok_or_else(|| bad(format!("has more than {MAX_SIZE} bytes")))?;
            if files.insert(name.clone(), bytes).is_some() {
                return Err(bad(format!("has two files {name}")));
            }
        }
        // To the end, where gzip has its checksum.
        std::io::copy(&mut archive.into_inner().take(left), &mut std::io::sink()).map_err(unreadable)?;
        let manifest = files.remove(MANIFEST).ok_or_else(|| bad("has no manifest.json"))?;
        let wrong = |error: serde_json::Error| bad(format!("has a wrong manifest.json: {error}"));
        let format = serde_json::from_slice::<Value>(&manifest).map_err(wrong)?["format"].as_u64();
        if format != Some(FORMAT.into()) {
            let format = format.map_or_else(|| "none".to_owned(), |format| format.to_string());
            return Err(bad(format!("has the format {format}, and this program knows {FORMAT}")));
        }
        let manifest: Manifest = serde_json::from_slice(&manifest).map_err(wrong)?;
        for (name, bytes) in &files {
            match manifest.files.get(name) {
                None => return Err(bad(format!("has a file {name} that its manifest does not have"))),
                Some(digest) if *digest != sha256(bytes) => {
                    return Err(bad(format!("was changed: {name} has another digest than its manifest says")));
                }
                Some(_) => {}
            }
        }
        if let Some(name) = manifest.files.keys().find(|name| !files.contains_key(*name)) {
            return Err(bad(format!("has no file {name}")));
        }
        Ok(Bundle { manifest, files })
    }

    fn text(&self, entry: &Bundled, name: &str) -> Result<&str, Error> {
        let name = format!("{}/{name}", entry.folder());
        let bytes = self.files.get(&name).ok_or_else(|| bad(format!("has no file {name}")))?;
        std::str::from_utf8(bytes).map_err(|error| bad(format!("has a file {name} that is no text: {error}")))
    }

    /// The lines of a file, each a JSON value.
    fn lines<T: serde::de::DeserializeOwned>(&self, entry: &Bundled, name: &str) -> Result<Vec<T>, Error> {
        let read = |(number, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|error| bad(format!("has a wrong line {number} of {name}: {error}")))
        };
        (1..).zip(self.text(entry, name)?.lines()).map(read).collect()
    }
}

/// Verifies a bundle: plays every game again whose limits are nodes, playouts or depths, checks the others by the rules, and
/// compares the games and the tables. External programs, which a bundle may name as players, are never started. `progress`
/// receives the name of an experiment and the share that is done, 0 to 1.
///
/// # Errors
/// `bad_bundle` where it cannot be read, is incomplete or was changed; an error of a player; `stopped`.
pub fn verify_bundle(
    from: &mut dyn Read,
    catalog: &Catalog,
    concurrency: usize,
    stop: &StopFlag,
    progress: &mut dyn FnMut(&str, f64),
) -> Result<(String, Vec<Verified>), Error> {
    let bundle = Bundle::read(from)?;
    let mut verified = Vec::new();
    for entry in &bundle.manifest.experiments {
        verified.push(verify(&bundle, entry, catalog, concurrency, stop, &mut |share| progress(&entry.id, share))?);
    }
    Ok((bundle.manifest.version, verified))
}

fn verify(
    bundle: &Bundle,
    entry: &Bundled,
    catalog: &Catalog,
    concurrency: usize,
    stop: &StopFlag,
    progress: &mut dyn FnMut(f64),
) -> Result<Verified, Error> {
    let experiment = Experiment::read(&entry.id, bundle.text(entry, "experiment.toml")?, catalog)?;
    if experiment.id != entry.id {
        return Err(bad(format!("has the experiment {} under the id {}", quote(&experiment.id), entry.id)));
    }
    let game = catalog.game(&experiment.game)?.as_ref();
    if !(entry.scale >= MIN_SCALE && entry.scale <= entry.planned && entry.planned <= 1.0) {
        return Err(bad(format!("has a wrong scale of {}", entry.id)));
    }
    let mut result = Verified {
        experiment: entry.clone(),
        replayed: 0,
        checked: 0,
        differences: Vec::new(),
        different: 0,
        table: false,
    };
    let store = Store::memory()?;
    let (scale, planned) = (Some(entry.scale), Some(entry.planned));
    let conditions = Conditions { store: &store, scale, planned, seed: entry.seed, workers: concurrency.into(), stop };
    plan(&experiment, conditions.store, conditions.planned())?;
    let event = experiment.event(&conditions)?;
    let mut stored: BTreeMap<usize, Vec<GameRecord>> = BTreeMap::new();
    for BundledGame { cell, record } in bundle.lines(entry, "games.jsonl")? {
        stored.entry(cell).or_default().push(record);
    }
    let incomplete = |cell: usize| {
        let labels = experiment.cells.get(cell).map_or_else(String::new, |cell| cell.labels.join(", "));
        bad(format!("has not all games or samples of {} ({labels})", entry.id))
    };
    for (cell, matchup, pairs) in experiment.matches(game, entry.seed, entry.scale) {
        let whole = |records: &&Vec<GameRecord>| {
            let places = records.iter().map(|record| (record.pair, record.game)).filter(|&(pair, _)| pair < pairs);
            records.len() == 2 * pairs && places.collect::<BTreeSet<_>>().len() == records.len()
        };
        let records = stored.get(&cell).filter(whole).ok_or_else(|| incomplete(cell))?;
        if matchup.spec.is_reproducible(game) {
            result.replayed += records.len() as u64;
        } else {
            result.checked += records.len() as u64;
            let id = store.enter_match(&matchup, event, Some(2 * pairs), None)?;
            for record in records {
                store.save_game(id, record, None)?;
            }
        }
    }
    let specs: BTreeMap<usize, (String, usize)> =
        experiment.measures(entry.seed, entry.scale).map(|(cell, spec, count)| (cell, (spec, count))).collect();
    for BundledSample { cell, number, observations } in bundle.lines(entry, "samples.jsonl")? {
        let (spec, _) = specs.get(&cell).ok_or_else(|| incomplete(cell))?;
        store.save_sample(spec, number, &observations)?;
    }
    for (cell, (spec, count)) in &specs {
        if store.samples(spec, *count)?.len() < *count {
            return Err(incomplete(*cell));
        }
    }
    let reproduction = reproduce(game, &experiment, &conditions, progress)?;
    if stop.stopped() {
        return Err(Error::new(ErrorCode::Stopped, "stopped before the bundle was verified"));
    }
    for damage in check(&store, catalog, stop, &mut |_, _| {})?.damages {
        result.differ(format!("{}: {}", damage.what, damage.why));
    }
    for (cell, matchup, pairs) in experiment.matches(game, entry.seed, entry.scale) {
        let (_, played) = games(&store, &matchup, event, pairs)?.ok_or_else(|| incomplete(cell))?;
        for (here, there) in played.iter().zip(&stored[&cell]) {
            if let Some(why) = difference(here, there) {
                let labels = experiment.cells[cell].labels.join(", ");
                result.differ(format!("{labels}: game {}.{}: {why}", there.pair, there.game));
            }
        }
    }
    let table: Value = serde_json::from_str(bundle.text(entry, "table.json")?)
        .map_err(|error| bad(format!("has a wrong table.json: {error}")))?;
    result.table = reproduction.comparable() == table;
    Ok(result)
}

/// How a game that was played here differs from one that was played there.
fn difference(here: &GameRecord, there: &GameRecord) -> Option<String> {
    let numbers = |game: &GameRecord| (game.pair, game.game, game.seed, game.opening);
    if numbers(here) != numbers(there) || here.position != there.position {
        return Some("another opening, number or seed".to_owned());
    }
    let moves = here.moves.iter().zip(&there.moves).position(|(here, there)| here != there);
    if let Some(ply) = moves {
        return Some(format!("move {} is {} here, and {} in the bundle", ply + 1, here.moves[ply], there.moves[ply]));
    }
    if here.moves.len() != there.moves.len() {
        return Some(format!("{} moves here, and {} in the bundle", here.moves.len(), there.moves.len()));
    }
    let end = |game: &GameRecord| (game.score, game.margin, game.by.clone(), game.fault);
    (end(here) != end(there)).then(|| format!("the result is {} here, and {} in the bundle", here.score, there.score))
}
