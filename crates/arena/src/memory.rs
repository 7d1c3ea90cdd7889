//! The store where there is no SQLite, as in a browser: in memory, until the program ends.
//!
//! It has what experiments need. A path names a store as in a file system, so that readers and writers find the same one.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};

use banmen_catalog::{Error, ErrorCode, Observation, unix_time};
use banmen_search::threads::lock;

use crate::stored::{
    EventInfo, ExperimentPlan, GameFilter, MatchFilter, MatchInfo, Outcome, PlanKey, StoredGames, Window,
    unknown_event, unknown_match,
};
use crate::{GameRecord, LockName, Match, SequentialTest};

/// The stores by their paths.
static STORES: LazyLock<Mutex<HashMap<PathBuf, Store>>> = LazyLock::new(Mutex::default);

/// An opened store. Clones are the same store.
#[derive(Clone, Default)]
pub struct Store(Arc<Mutex<Contents>>);

#[derive(Default)]
struct Contents {
    events: Vec<EventInfo>,
    matches: Vec<StoredMatch>,
    /// By experiment, seed and version.
    plans: BTreeMap<(String, u64, String), ExperimentPlan>,
    /// By what distinguishes the samples of a cell.
    samples: HashMap<String, BTreeMap<usize, Vec<Observation>>>,
    /// Balanced openings.
    openings: HashMap<(String, usize), String>,
}

struct StoredMatch {
    identity: String,
    info: MatchInfo,
    games: BTreeMap<(usize, usize), GameRecord>,
}

impl StoredMatch {
    fn info(&self) -> MatchInfo {
        let count = |score: f64| self.games.values().filter(|game| game.score == score).count() as u64;
        let results = [count(1.0), count(0.5), count(0.0)];
        MatchInfo { games: self.games.len() as u64, results, ..self.info.clone() }
    }

    /// The games that a filter selects.
    fn selected(&self, filter: GameFilter) -> impl Iterator<Item = &GameRecord> {
        self.games.values().filter(move |game| match filter.outcome {
            None => true,
            Some(Outcome::Won) => game.score == 1.0,
            Some(Outcome::Drawn) => game.score == 0.5,
            Some(Outcome::Lost) => game.score == 0.0,
            Some(Outcome::Fault) => game.fault.is_some(),
        })
    }
}

/// The number of an entry, from 1.
fn id(index: usize) -> i64 {
    index as i64 + 1
}

/// The index of the entry with this number.
fn index(id: i64) -> Option<usize> {
    usize::try_from(id).ok()?.checked_sub(1)
}

impl Store {
    /// Opens a store, or creates it.
    ///
    /// # Errors
    /// None.
    pub fn open(path: &Path) -> Result<Store, Error> {
        Ok(stores().entry(path.to_owned()).or_default().clone())
    }

    /// A store without a name.
    ///
    /// # Errors
    /// None.
    pub fn memory() -> Result<Store, Error> {
        Ok(Store::default())
    }

    /// Opens a store for reading; `None` where there is none of this path.
    ///
    /// # Errors
    /// None.
    pub fn reading(path: &Path) -> Result<Option<Store>, Error> {
        Ok(stores().get(path).cloned())
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        lock(&self.0)
    }

    /// Nobody else plays.
    pub(crate) fn locked(&self) -> Vec<LockName> {
        Vec::new()
    }

    /// The number of an event, which is entered if it is new. `spec` distinguishes the events of a kind.
    pub(crate) fn enter_event(&self, kind: &str, name: &str, spec: &str) -> Result<i64, Error> {
        if let Some(known) = self.event_of(kind, spec)? {
            return Ok(known);
        }
        let mut contents = self.contents();
        let number = id(contents.events.len());
        let (kind, name, spec) = (kind.to_owned(), name.to_owned(), format!("{kind} {spec}"));
        contents.events.push(EventInfo { id: number, kind, name, spec, created: now() });
        Ok(number)
    }

    /// The number of an event that was entered.
    pub(crate) fn event_of(&self, kind: &str, spec: &str) -> Result<Option<i64>, Error> {
        let spec = format!("{kind} {spec}");
        Ok(self.contents().events.iter().find(|event| event.spec == spec).map(|event| event.id))
    }

    /// One event.
    pub(crate) fn one_event(&self, id: i64) -> Result<EventInfo, Error> {
        let found = index(id).and_then(|at| self.contents().events.get(at).cloned());
        found.ok_or_else(|| unknown_event(id))
    }

    /// The number of a match, which is entered if it is new. One that was entered keeps its planned games and its test.
    pub(crate) fn enter_match(
        &self,
        matchup: &Match<'_>,
        event: Option<i64>,
        planned: Option<usize>,
        test: Option<SequentialTest>,
    ) -> Result<i64, Error> {
        let identity = matchup.identity(event)?;
        let unreadable = |error| Error::new(ErrorCode::StoreFailed, format!("a match cannot be entered: {error}"));
        let spec = serde_json::from_str(&identity).map_err(unreadable)?;
        let sides = matchup.spec.sides();
        let mut contents = self.contents();
        if let Some(known) = contents.matches.iter().find(|known| known.identity == identity) {
            return Ok(known.info.id);
        }
        let info = MatchInfo {
            id: id(contents.matches.len()),
            event,
            game: matchup.game.info().name.to_owned(),
            rules: matchup.rules_name()?.to_owned(),
            players: sides.map(|side| side.player.clone()),
            versions: sides.map(|side| matchup.version(&side.player)),
            spec,
            planned,
            test,
            games: 0,
            results: [0; 3],
            created: now(),
        };
        let number = info.id;
        contents.matches.push(StoredMatch { identity, info, games: BTreeMap::new() });
        Ok(number)
    }

    /// Replaces the planned games and the test of a match.
    pub(crate) fn plan_match(&self, id: i64, games: Option<usize>, test: Option<SequentialTest>) -> Result<(), Error> {
        let mut contents = self.contents();
        if let Some(found) = index(id).and_then(|at| contents.matches.get_mut(at)) {
            (found.info.planned, found.info.test) = (games, test);
        }
        Ok(())
    }

    /// The number of a match that was entered.
    pub(crate) fn match_of(&self, matchup: &Match<'_>, event: Option<i64>) -> Result<Option<i64>, Error> {
        let identity = matchup.identity(event)?;
        Ok(self.contents().matches.iter().find(|known| known.identity == identity).map(|known| known.info.id))
    }

    /// The matches that the filter selects, the oldest first.
    ///
    /// # Errors
    /// None.
    pub fn matches(&self, filter: &MatchFilter) -> Result<Vec<MatchInfo>, Error> {
        let MatchFilter { game, player, event, alone, id, page: _ } = filter;
        let selected = |info: &MatchInfo| {
            game.as_ref().is_none_or(|game| info.game == *game)
                && player.as_ref().is_none_or(|start| info.players.iter().any(|text| text.starts_with(start)))
                && event.is_none_or(|event| info.event == Some(event))
                && (!alone || info.event.is_none())
                && id.is_none_or(|id| info.id == id)
        };
        let contents = self.contents();
        Ok(contents.matches.iter().filter(|known| selected(&known.info)).map(StoredMatch::info).collect())
    }

    /// One match.
    ///
    /// # Errors
    /// `unknown_match`.
    pub fn one_match(&self, id: i64) -> Result<MatchInfo, Error> {
        self.of(id, StoredMatch::info)
    }

    /// Something of a match.
    fn of<T>(&self, id: i64, read: impl FnOnce(&StoredMatch) -> T) -> Result<T, Error> {
        let contents = self.contents();
        index(id).and_then(|at| contents.matches.get(at)).map(read).ok_or_else(|| unknown_match(id))
    }

    /// Stores a finished game, unless the store has one with these numbers.
    pub(crate) fn save_game(&self, id: i64, record: &GameRecord, _: Option<()>) -> Result<(), Error> {
        let mut contents = self.contents();
        if let Some(found) = index(id).and_then(|at| contents.matches.get_mut(at)) {
            found.games.entry((record.pair, record.game)).or_insert_with(|| record.clone());
        }
        Ok(())
    }

    /// Calls `visit` for each game of a match, in order.
    ///
    /// # Errors
    /// `unknown_match`, or an error of `visit`.
    pub fn visit_games(&self, id: i64, visit: &mut dyn FnMut(GameRecord) -> Result<(), Error>) -> Result<(), Error> {
        self.visit_games_from(id, 0, visit)
    }

    /// The same, starting at a pair.
    pub(crate) fn visit_games_from(
        &self,
        id: i64,
        pair: usize,
        visit: &mut dyn FnMut(GameRecord) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.of(id, |found| found.games.range((pair, 0)..).try_for_each(|(_, game)| visit(game.clone())))?
    }

    /// The games that the filter selects, in order.
    ///
    /// # Errors
    /// `unknown_match`.
    pub fn games(&self, id: i64, filter: GameFilter) -> Result<Vec<GameRecord>, Error> {
        let Window { limit, offset } = filter.page.unwrap_or(Window { limit: u32::MAX, offset: 0 });
        let (skip, take) = (usize::try_from(offset).unwrap_or(usize::MAX), limit as usize);
        self.of(id, |found| found.selected(filter).skip(skip).take(take).cloned().collect())
    }

    /// The number of games that the filter selects, on all pages.
    ///
    /// # Errors
    /// `unknown_match`.
    pub fn count_games(&self, id: i64, filter: GameFilter) -> Result<u64, Error> {
        self.of(id, |found| found.selected(filter).count() as u64)
    }

    /// No games are set aside here.
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as in the store of files")]
    pub(crate) fn count_set_aside(&self) -> Result<u64, Error> {
        Ok(0)
    }

    /// One game of a match.
    ///
    /// # Errors
    /// `unknown_match`; `unknown_record` when it is not stored.
    pub fn one_game(&self, id: i64, pair: usize, game: usize) -> Result<GameRecord, Error> {
        self.of(id, |found| found.games.get(&(pair, game)).cloned())?.ok_or_else(|| {
            Error::new(ErrorCode::UnknownRecord, format!("there is no game {pair}.{game} in match {id}"))
        })
    }

    /// Which games of a match are stored.
    pub(crate) fn stored_games(&self, id: i64) -> Result<StoredGames, Error> {
        self.of(id, |found| {
            let mut stored = StoredGames::default();
            found.games.keys().for_each(|&(pair, game)| stored.add(pair, game));
            stored
        })
    }

    /// The number of games of an event whose first player has this version of the program.
    pub(crate) fn games_of_version(&self, event: i64, version: &str) -> Result<u64, Error> {
        let matches = self.matches(&MatchFilter { event: Some(event), ..MatchFilter::default() })?;
        let of_version = |info: &&MatchInfo| info.versions[0].starts_with(version);
        Ok(matches.iter().filter(of_version).map(|info| info.games).sum())
    }

    /// The samples of a measurement with numbers below `end`.
    pub(crate) fn samples(&self, spec: &str, end: usize) -> Result<BTreeMap<usize, Vec<Observation>>, Error> {
        let contents = self.contents();
        let samples = contents.samples.get(spec).into_iter().flat_map(|samples| samples.range(..end));
        Ok(samples.map(|(number, observations)| (*number, observations.clone())).collect())
    }

    /// How many samples of a measurement with numbers below `end` there are.
    pub(crate) fn count_samples(&self, spec: &str, end: usize) -> Result<u64, Error> {
        Ok(self.contents().samples.get(spec).map_or(0, |samples| samples.range(..end).count() as u64))
    }

    /// Stores a sample, unless the store has one with this number.
    pub(crate) fn save_sample(&self, spec: &str, number: usize, observations: &[Observation]) -> Result<(), Error> {
        let mut contents = self.contents();
        let samples = contents.samples.entry(spec.to_owned()).or_default();
        samples.entry(number).or_insert_with(|| observations.to_vec());
        Ok(())
    }

    /// The plan of an experiment, if it has one.
    pub(crate) fn plan(&self, key: PlanKey<'_>) -> Result<Option<ExperimentPlan>, Error> {
        Ok(self.contents().plans.get(&owned(key)).cloned())
    }

    /// Writes the plan of an experiment that has none, with the time of now if it has none. Returns it.
    pub(crate) fn write_plan(&self, key: PlanKey<'_>, plan: ExperimentPlan) -> Result<ExperimentPlan, Error> {
        let written = if plan.written == 0 { now() } else { plan.written };
        let plan = ExperimentPlan { written, ..plan };
        Ok(self.contents().plans.entry(owned(key)).or_insert(plan).clone())
    }

    /// The scale of a run is read by bundles alone.
    pub(crate) fn write_run(&self, _: PlanKey<'_>, _: f64) -> Result<(), Error> {
        Ok(())
    }

    /// A balanced opening that was found before.
    pub(crate) fn opening(&self, family: &str, number: usize) -> Result<Option<String>, Error> {
        Ok(self.contents().openings.get(&(family.to_owned(), number)).cloned())
    }

    /// Stores a balanced opening unless the store has one with this number, and returns the one that it has then.
    pub(crate) fn save_opening(&self, family: &str, number: usize, moves: &str, _: f64) -> Result<String, Error> {
        let mut contents = self.contents();
        let kept = contents.openings.entry((family.to_owned(), number)).or_insert_with(|| moves.to_owned());
        Ok(kept.clone())
    }
}

fn stores() -> MutexGuard<'static, HashMap<PathBuf, Store>> {
    lock(&STORES)
}

fn owned(key: PlanKey<'_>) -> (String, u64, String) {
    (key.experiment.to_owned(), key.seed, key.version.to_owned())
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    i64::try_from(unix_time().as_secs()).unwrap_or(i64::MAX)
}
