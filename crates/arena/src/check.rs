//! Checking a store: whether every stored game is one that its match can have had.

use std::path::{Path, PathBuf};

use banmen_catalog::{AnyGame, Catalog, Error, ErrorCode, Observation};
use banmen_search::StopFlag;
use serde::Serialize;
use serde_json::Value;

use crate::dates::LATEST;
use crate::experiment::EVENT;
use crate::job::game_seed;
use crate::opening::begin;
use crate::played::{check_spent, replay};
use crate::store::{LostRows, Place, StoredMatch, StoredPlan, StoredRow, StoredStep, canonical};
use crate::{LockName, Store};

/// A damaged part of a store.
#[derive(Clone, Debug, Serialize)]
pub struct Damage {
    /// What is damaged: `the file`, `match 7`, `game 7.3.1` (match, pair, game).
    pub what: String,
    /// Why it cannot be right.
    pub why: String,
    #[serde(skip)]
    place: Place,
}

/// The result of a check.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Check {
    /// Matches.
    pub matches: u64,
    /// Games.
    pub games: u64,
    /// Samples of measurements.
    pub samples: u64,
    /// What was not checked: matches and balanced openings of games that this program does not know.
    pub unchecked: Vec<String>,
    /// What is damaged, by place.
    pub damages: Vec<Damage>,
    /// The damaged file, where it was rebuilt.
    pub kept: Option<PathBuf>,
    /// The rows of the damaged file that could not be read, where it was rebuilt. They are in no table of the new file.
    pub unreadable: Vec<LostRows>,
    /// The rows that a repair moved into the table `damaged`.
    pub set_aside: Vec<LostRows>,
}

impl Check {
    /// The check of a store that cannot be opened, with the reason.
    #[must_use]
    pub fn unopened(reason: &Error) -> Check {
        let mut found = Check::default();
        found.damage(Place::File, "the file".to_owned(), reason.message.clone());
        found
    }

    fn damage(&mut self, place: Place, what: String, why: impl Into<String>) {
        self.damages.push(Damage { what, why: why.into(), place });
    }

    /// What was read of the store: nothing of what damage makes unreadable, which is noted.
    fn readable<T: Default>(&mut self, what: &str, read: Result<T, Error>) -> Result<T, Error> {
        match read {
            Err(error) if error.code == ErrorCode::StoreDamaged => {
                self.damage(Place::File, what.to_owned(), error.message);
                Ok(T::default())
            }
            read => read,
        }
    }
}

/// Checks the structure of a store's file, replays every game, and compares what is stored with it: start, moves, seed,
/// digest and result. Checks the balanced openings, samples, tuning steps and plans too. `progress` receives the
/// numbers of matches that were checked and of all. `stop` ends the check early.
///
/// # Errors
/// An error of the store other than damage.
pub fn check(
    store: &Store,
    catalog: &Catalog,
    stop: &StopFlag,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Check, Error> {
    let mut found = Check::default();
    for line in store.integrity()? {
        found.damage(Place::File, "the file".to_owned(), line);
    }
    let matches = found.readable("the matches", store.stored_matches())?;
    for (number, stored) in matches.iter().enumerate() {
        if stop.stopped() {
            return Ok(found);
        }
        progress(number, matches.len());
        found.matches += 1;
        match stored {
            Ok(stored) => check_match(store, catalog, stored, &mut found)?,
            Err(id) => found.damage(
                Place::Match(*id),
                format!("match {id}"),
                "its row, or that of a player or of its event, is missing",
            ),
        }
    }
    let [openings, samples] = found.readable("the balanced openings and samples", store.stored_texts())?;
    for (family, number, moves) in openings {
        check_balanced(catalog, &family, number, moves.as_deref(), &mut found);
    }
    for (spec, number, observations) in samples {
        found.samples += 1;
        let read = observations.and_then(|text| serde_json::from_str::<Vec<Observation>>(&text).ok());
        if read.is_none() {
            let what = format!("sample {number} of {}", measure_of(&spec));
            found.damage(Place::Sample(spec, number), what, "its observations cannot be read");
        }
    }
    let steps = found.readable("the steps of tunings", store.stored_steps())?;
    check_steps(&steps, &mut found);
    for plan in found.readable("the plans", store.stored_plans())? {
        if let Err(why) = check_plan(&plan) {
            let StoredPlan { experiment, seed, version, .. } = plan;
            let what = format!("the plan of {experiment}, seed {}", seed as u64);
            found.damage(Place::Plan(experiment, seed, version), what, why);
        }
    }
    Ok(found)
}

/// Checks a balanced opening. Its family begins with the game, the rules and `balanced:PLIES`.
fn check_balanced(catalog: &Catalog, family: &str, number: i64, moves: Option<&str>, found: &mut Check) {
    let what = format!("balanced opening {number}");
    let mut damage = |why: &str| found.damage(Place::Opening(family.to_owned(), number), what.clone(), why);
    let Some(moves) = moves else { return damage("its moves cannot be read") };
    let mut words = family.split(' ');
    let [name, rules] = [0; 2].map(|_| words.next().unwrap_or_default());
    let plies: Option<usize> =
        words.next().and_then(|word| word.strip_prefix("balanced:")).and_then(|plies| plies.parse().ok());
    let Some(plies) = plies else { return damage("the game that it is of cannot be read") };
    let Some(game) = catalog.game(name).ok().filter(|game| game.info().rules.contains(&rules)) else {
        let line = format!("balanced openings: this program has no game {name} with rules {rules}");
        if !found.unchecked.contains(&line) {
            found.unchecked.push(line);
        }
        return;
    };
    match begin(game.as_ref(), Some(rules), None, moves) {
        Err(error) => damage(&format!("it cannot be played: {}", error.message)),
        Ok(state) if state.moves().len() != plies => damage("it has another number of plies than was wanted"),
        Ok(state) if state.outcome().is_some() => damage("the game is over after it"),
        Ok(_) => {}
    }
}

/// Checks the steps of tunings, and finds the first damaged one of each.
fn check_steps(steps: &[StoredStep], found: &mut Check) {
    for of_event in steps.chunk_by(|one, next| one.event == next.event) {
        let fault = |step: &StoredStep| {
            let Some(spec) = &step.spec else { return Some("its tuning is missing") };
            let Some(points) = step.points else { return Some("its points cannot be read") };
            // The spec ends with the pairs of a step, of which each has at most one point.
            let pairs = spec.rsplit_once(" pairs=").and_then(|(_, pairs)| pairs.parse().ok()).unwrap_or(f64::MAX);
            let sound = step.number >= 0 && points.abs() <= pairs;
            (!sound).then_some("a number of it is out of range")
        };
        if let Some((step, why)) = of_event.iter().find_map(|step| Some((step, fault(step)?))) {
            let StoredStep { event, number, .. } = step;
            found.damage(Place::Steps(*event, *number), format!("step {number} of tuning {event}"), why);
        }
    }
}

fn check_plan(plan: &StoredPlan) -> Result<(), &'static str> {
    let (plan, run) = plan.read.as_ref().ok_or("a value of its row cannot be read")?;
    if !(plan.scale > 0.0 && plan.scale.is_finite()) {
        return Err("its scale is not above 0");
    }
    if !(0..=LATEST).contains(&plan.written) {
        return Err("the time at which it was written is out of range");
    }
    // 0 is a plan without a run.
    if !(0.0..=plan.scale).contains(run) {
        return Err("the scale of its run is not one of the plan");
    }
    serde_json::from_str::<Value>(&plan.judged).map(drop).map_err(|_| "what its verdicts depend on cannot be read")
}

/// Sets everything aside that a check finds damaged, so that the same commands play and measure it again. A file whose
/// structure is broken is rebuilt from the rows that can be read, and kept under another name.
///
/// # Errors
/// As for [`check`]; `match_busy` when a damaged match, or its event, or a damaged tuning or experiment is being
/// played, or when the file has to be rebuilt and anything is being played.
pub fn repair(
    path: &Path,
    catalog: &Catalog,
    stop: &StopFlag,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Check, Error> {
    // The file itself is rebuilt, not a link to it.
    let path = &canonical(path);
    let broken = match Store::open(path) {
        Err(error) if error.code == ErrorCode::StoreDamaged => true,
        opened => !opened?.integrity()?.is_empty(),
    };
    let rebuilt = if broken { Some(Store::rebuild(path)?) } else { None };
    let store = Store::open(path)?;
    let mut found = check(&store, catalog, stop, progress)?;
    let (mut set_aside, mut lost): (Vec<&Place>, Vec<LostRows>) = (Vec::new(), Vec::new());
    for Damage { what, why, place } in &found.damages {
        let names = match place {
            Place::Match(id) | Place::Pair(id, _) => {
                // Tournaments and leagues lock their event alone, and experiments their name.
                let event = store.event_of_match(*id);
                let experiment = event.and_then(|event| store.one_event(event).ok()).filter(|one| one.kind == EVENT);
                let experiment = experiment.map(|one| LockName::Experiment(one.name));
                event.map(LockName::Event).into_iter().chain(experiment).chain([LockName::Match(*id)]).collect()
            }
            Place::Steps(event, _) => vec![LockName::Tuning(*event)],
            Place::Plan(experiment, ..) => vec![LockName::Experiment(experiment.clone())],
            Place::File | Place::Opening(..) | Place::Sample(..) => Vec::new(),
        };
        let _locks = names.iter().map(|name| store.lock(name)).collect::<Result<Vec<_>, _>>()?;
        if !set_aside.contains(&place) {
            store.set_aside(place, what, why)?.into_iter().for_each(|rows| rows.add_to(&mut lost));
            set_aside.push(place);
        }
    }
    found.set_aside = lost;
    if let Some((kept, unreadable)) = rebuilt {
        (found.kept, found.unreadable) = (Some(kept), unreadable);
    }
    Ok(found)
}

/// The measurement of a spec of samples.
fn measure_of(spec: &str) -> String {
    let spec: Value = serde_json::from_str(spec).unwrap_or_default();
    spec["measure"].as_str().unwrap_or("an unknown measurement").to_owned()
}

/// What distinguishes a match, as far as its games show it.
struct Identity {
    /// The seed of the match; `None` for imported games, which have none.
    seed: Option<u64>,
    /// Whether games may end before their rules say so.
    adjudicated: bool,
}

impl Identity {
    /// Reads the spec of a match, and compares it with the columns beside it.
    fn read(stored: &StoredMatch) -> Result<Identity, &'static str> {
        let spec: Value = serde_json::from_str(&stored.spec).map_err(|_| "its spec cannot be read")?;
        let columns = [("game", &stored.game), ("rules", &stored.rules)];
        if columns.iter().any(|(name, column)| spec[name] != column.as_str()) {
            return Err("its spec is of another game");
        }
        if spec.get("imported").is_some() {
            let [a, b] = &stored.players;
            let same = spec["players"] == Value::from(vec![a[0].as_str(), b[0].as_str()]);
            return if same {
                Ok(Identity { seed: None, adjudicated: true })
            } else {
                Err("its spec has other players")
            };
        }
        for (side, [text, version]) in ["a", "b"].iter().zip(&stored.players) {
            if spec[side]["player"] != text.as_str() || spec[side]["version"] != version.as_str() {
                return Err("its spec has other players");
            }
        }
        let seed = spec["seed"].as_u64().ok_or("its spec has no seed")?;
        let adjudicated =
            spec["adjudication"].as_object().is_some_and(|rules| rules.values().any(|rule| !rule.is_null()));
        Ok(Identity { seed: Some(seed), adjudicated })
    }
}

fn check_match(store: &Store, catalog: &Catalog, stored: &StoredMatch, found: &mut Check) -> Result<(), Error> {
    let id = stored.id;
    let identity = match Identity::read(stored) {
        Ok(identity) => identity,
        Err(why) => {
            found.damage(Place::Match(id), format!("match {id}"), why);
            return Ok(());
        }
    };
    let Ok(game) = catalog.game(&stored.game) else {
        found.unchecked.push(format!("match {id}: this program has no game {}", stored.game));
        return Ok(());
    };
    if !game.info().rules.contains(&stored.rules.as_str()) {
        found.unchecked.push(format!("match {id}: this program has no rules {} of {}", stored.rules, stored.game));
        return Ok(());
    }
    let visited = store.visit_stored(id, &mut |row| {
        found.games += 1;
        if let Err(why) = check_game(game.as_ref(), &stored.rules, &identity, &row) {
            let what = format!("game {id}.{}.{}", row.pair, row.game);
            found.damage(Place::Pair(id, row.pair), what, why);
        }
        Ok(())
    });
    match visited {
        // SQLite reports the same about the file.
        Err(error) if error.code == ErrorCode::StoreDamaged => {
            found.damage(Place::File, format!("match {id}"), "not all of its games can be read");
            Ok(())
        }
        other => other,
    }
}

/// Replays a game, and compares it with what is stored of it.
fn check_game(game: &dyn AnyGame, rules: &str, identity: &Identity, row: &StoredRow) -> Result<(), String> {
    let record = row.record.as_ref().ok_or("a value of its row, or its opening, cannot be read")?;
    if record.digest() != row.digest {
        return Err("its moves are not those that were stored".to_owned());
    }
    let pair = u64::try_from(row.pair).map_err(|_| "the number of its pair is negative")?;
    if identity.seed.is_some_and(|seed| record.seed != game_seed(seed, pair, record.game as u64)) {
        return Err("its seed is not one of its match".to_owned());
    }
    check_spent(record)?;
    replay(game, Some(rules), record, identity.seed.is_none(), identity.adjudicated)
}
