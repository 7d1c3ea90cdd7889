//! The operations on the store: `matches`, `standings`, `record` and `rerun`. They only read.

#[cfg(feature = "store")]
use std::collections::BTreeMap;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use banmen_catalog::{Catalog, Error, SideName};
use banmen_programs::Programs;
use banmen_protocol::messages::{NoInfo, Report};
use banmen_protocol::{Call, Operation, Service, in_range};
use banmen_search::StopFlag;
use banmen_search::threads::lock;

use crate::experiment::EVENT;
use crate::messages::{
    Conditions, GameListAnswer, GameListRequest, GameRequest, GameResult, MAX_PAGE, MatchStandingsAnswer, MatchSummary,
    OneGame, OneGameAnswer, RecordAnswer, RecordRequest, RerunAnswer, RerunRequest, StandingsAnswer, StandingsRequest,
    TestWithCurve,
};
#[cfg(feature = "store")]
use crate::messages::{
    EventCell, EventPlayer, EventStandingsAnswer, EventSummary, MAX_EVENTS, MatchFleet, MatchesAnswer, MatchesRequest,
};
#[cfg(feature = "store")]
use crate::stored::unknown_event;
use crate::stored::unknown_match;
#[cfg(feature = "store")]
use crate::{Entrant, EventInfo, HeadToHead, Standings, StandingsRow, standings};
use crate::{GameFilter, GameRecord, LockName, MatchFilter, MatchInfo, RerunBounds, Store, Tally, Window, rerun};

/// The events in an answer: the newest ones.
#[cfg(feature = "store")]
const EVENTS: Window = Window { limit: MAX_EVENTS, offset: 0 };

/// The number of tallies that are kept; the least recently used one is dropped.
const MAX_TALLIES: usize = 16;

/// The arena's operations on the store of this file. While the file does not exist there are no matches.
#[must_use]
pub fn operations(store: Option<PathBuf>) -> Vec<Operation> {
    let reader = Arc::new(StoreReader { store, tallies: Mutex::default() });
    #[cfg(feature = "store")]
    let lists = Arc::clone(&reader);
    let [scores, games, again] = [(); 3].map(|()| Arc::clone(&reader));
    vec![
        #[cfg(feature = "store")]
        Operation::short("matches", "matches and events of the store, the newest first", move |service, request, _| {
            lists.matches(&service.catalog, request)
        }),
        Operation::short("standings", "the score of a match, or the table of an event", move |_, request, _| {
            scores.standings(&request)
        }),
        Operation::short(
            "record",
            "the games of a match, or one of them with its moves",
            move |service, request, _| games.record(&service.catalog, &request),
        ),
        Operation::search(
            "rerun",
            "the search for a move of a stored game, made again",
            move |service, request, call: &mut Call<'_, NoInfo>| again.rerun(service, &request, call),
        ),
    ]
}

/// Reads the store, and keeps the scores that were read.
struct StoreReader {
    store: Option<PathBuf>,
    tallies: Mutex<Vec<(i64, Arc<Mutex<Tally>>)>>,
}

/// Opens a store for reading; `None` while there is no such file.
pub(crate) fn open_to_read(path: Option<&Path>) -> Result<Option<Store>, Error> {
    let Some(path) = path else { return Ok(None) };
    // A remote client must not learn the path.
    let hidden =
        |error: Error| Error { message: error.message.replace(&path.display().to_string(), "the store"), ..error };
    Store::reading(path).map_err(hidden)
}

fn page(limit: u32, offset: u64) -> Result<Option<Window>, Error> {
    in_range("limit", limit.into(), 0, MAX_PAGE.into())?;
    Ok(Some(Window { limit, offset }))
}

impl StoreReader {
    fn open(&self) -> Result<Option<Store>, Error> {
        open_to_read(self.store.as_deref())
    }

    #[cfg(feature = "store")]
    fn matches(&self, catalog: &Catalog, request: MatchesRequest) -> Result<MatchesAnswer, Error> {
        let MatchesRequest { game, player, event, alone, limit, offset } = request;
        let filter = MatchFilter { game, player, event, alone, id: None, page: page(limit, offset)? };
        let store = self.open()?;
        // The store may have games that are not in the catalog.
        if let Some(name) = &filter.game {
            let of_game = MatchFilter { game: filter.game.clone(), ..MatchFilter::default() };
            if store.as_ref().map_or(Ok(0), |store| store.count_matches(&of_game))? == 0 {
                catalog.game(name)?;
            }
        }
        let Some(store) = store else { return Ok(MatchesAnswer::default()) };
        let mut matches = store.matches(&filter)?;
        matches.reverse();
        let running = Running::in_store(&store)?;
        let events = store.newest_events(filter.game.as_deref(), Some(EVENTS))?;
        Ok(MatchesAnswer {
            matches: matches.into_iter().map(|info| running.summary(&store, info)).collect::<Result<_, Error>>()?,
            total: store.count_matches(&filter)?,
            events: events.into_iter().map(|event| running.event(&store, event)).collect::<Result<_, Error>>()?,
        })
    }

    fn standings(&self, request: &StandingsRequest) -> Result<StandingsAnswer, Error> {
        match request {
            StandingsRequest::Match(request) => Ok(StandingsAnswer::Match(Box::new(self.score(request.id)?))),
            #[cfg(feature = "store")]
            StandingsRequest::Event(request) => Ok(StandingsAnswer::Event(Box::new(self.table(request.id)?))),
        }
    }

    fn score(&self, id: i64) -> Result<MatchStandingsAnswer, Error> {
        let store = self.open()?.ok_or_else(|| unknown_match(id))?;
        let info = store.one_match(id)?;
        let tally = self.tally(&info);
        let mut tally = lock(&tally);
        if !tally.is_of(&info) {
            *tally = Tally::new(&info);
        }
        let (score, curve) = tally.read(&store)?;
        drop(tally);
        let running = Running::in_store(&store)?;
        #[cfg(feature = "store")]
        let fleet = match running.matches.contains(&id) || running.event_is_locked(&info) {
            true => store.fleet(id)?.map(|status| MatchFleet::new(status, &info.game)),
            false => None,
        };
        Ok(MatchStandingsAnswer {
            #[cfg(feature = "store")]
            fleet,
            of: running.summary(&store, info)?,
            score: score.message(|test| TestWithCurve { test, curve: curve.points().to_vec() }),
        })
    }

    /// The tally of a match. Its lock is separate, so that readers of other matches need not wait.
    fn tally(&self, info: &MatchInfo) -> Arc<Mutex<Tally>> {
        let mut tallies = lock(&self.tallies);
        let tally = match tallies.iter().position(|(id, _)| *id == info.id) {
            Some(known) => tallies.remove(known).1,
            None => Arc::new(Mutex::new(Tally::new(info))),
        };
        tallies.push((info.id, Arc::clone(&tally)));
        let spare = tallies.len().saturating_sub(MAX_TALLIES);
        tallies.drain(..spare);
        tally
    }

    #[cfg(feature = "store")]
    fn table(&self, id: i64) -> Result<EventStandingsAnswer, Error> {
        let store = self.open()?.ok_or_else(|| unknown_event(id))?;
        let event = store.one_event(id)?;
        let event = Running::in_store(&store)?.event(&store, event)?;
        let table = standings(&store, id, None)?;
        Ok(EventStandingsAnswer {
            event,
            cells: cells(&table),
            advantage: table.advantage,
            players: table.players.into_iter().map(player).collect(),
            separate: table.separate,
        })
    }

    fn record(&self, catalog: &Catalog, request: &RecordRequest) -> Result<RecordAnswer, Error> {
        match request {
            RecordRequest::Game(request) => Ok(RecordAnswer::Game(Box::new(self.game(catalog, request)?))),
            RecordRequest::Games(request) => Ok(RecordAnswer::Games(Box::new(self.games(request)?))),
        }
    }

    fn game(&self, catalog: &Catalog, request: &GameRequest) -> Result<OneGameAnswer, Error> {
        let GameRequest { of: id, pair, game } = *request;
        in_range("game", game.into(), 0, 1)?;
        let store = self.open()?.ok_or_else(|| unknown_match(id))?;
        let info = store.one_match(id)?;
        let record = store.one_game(id, pair as usize, game.into())?;
        let sides = sides(catalog, &info, &record);
        Ok(OneGameAnswer { of: Running::in_store(&store)?.summary(&store, info)?, game: OneGame::new(record, sides) })
    }

    /// Makes a search of a stored game again. No external program is started, and all of it takes at most the time that the
    /// service allows for one search.
    fn rerun(&self, service: &Service, request: &RerunRequest, call: &Call<'_, NoInfo>) -> Result<RerunAnswer, Error> {
        let RerunRequest { of: id, pair, game: number, ply } = *request;
        in_range("game", number.into(), 0, 1)?;
        let store = self.open()?.ok_or_else(|| unknown_match(id))?;
        let info = store.one_match(id)?;
        let record = store.one_game(id, pair as usize, number.into())?;
        drop(store);
        let game = service.catalog.game(&info.game)?.as_ref();
        info.players.iter().try_for_each(|player| service.admits(game, player))?;
        let asked = info.match_spec(game)?.map_or(NonZeroUsize::MIN, |spec| spec.threads);
        let threads = NonZeroUsize::new(call.threads(asked.get())).unwrap_or(NonZeroUsize::MIN);
        let bounds = RerunBounds { programs: Programs::REFUSED, threads };
        let found =
            within(service.policy.time, call.stop, || rerun(game, &info, &record, ply as usize, &bounds, call.stop))?;
        let (same, report) = (found.same(), Report::new(found.state.as_ref(), &found.report));
        let timed = found.timed || asked > NonZeroUsize::MIN;
        Ok(RerunAnswer {
            player: found.player,
            versions: found.versions,
            timed,
            played: found.played,
            chosen: found.chosen,
            same,
            report,
        })
    }

    fn games(&self, request: &GameListRequest) -> Result<GameListAnswer, Error> {
        let GameListRequest { of: id, result, limit, offset, .. } = *request;
        let filter = GameFilter { outcome: result, page: page(limit, offset)? };
        let store = self.open()?.ok_or_else(|| unknown_match(id))?;
        let info = store.one_match(id)?;
        let games = store.games(id, filter)?;
        Ok(GameListAnswer {
            of: Running::in_store(&store)?.summary(&store, info)?,
            games: games.iter().map(GameResult::from).collect(),
            total: store.count_games(id, filter)?,
        })
    }
}

/// Runs `work`, and sets `stop` after this time.
fn within<T>(time: Option<Duration>, stop: &StopFlag, work: impl FnOnce() -> T) -> T {
    let Some(time) = time else { return work() };
    let (ended, end) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if end.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                stop.stop();
            }
        });
        let found = work();
        drop(ended);
        found
    })
}

/// The matches and events that are being played now.
struct Running {
    matches: HashSet<i64>,
    events: HashSet<i64>,
    /// Those of the events that have a lock for all their matches: tournaments and leagues.
    locked_events: HashSet<i64>,
}

impl Running {
    fn in_store(store: &Store) -> Result<Running, Error> {
        let (mut matches, mut locked_events) = (HashSet::new(), HashSet::new());
        for what in store.locked() {
            match what {
                LockName::Match(id) => _ = matches.insert(id),
                LockName::Event(id) => _ = locked_events.insert(id),
                LockName::Tuning(_) | LockName::Experiment(_) => {}
            }
        }
        let mut events = locked_events.clone();
        for &id in &matches {
            let played = store.matches(&MatchFilter { id: Some(id), ..MatchFilter::default() })?;
            events.extend(played.iter().filter_map(|info| info.event));
        }
        Ok(Running { matches, events, locked_events })
    }

    /// Whether a match is played now; or its tournament or league is, and the match is not complete.
    fn is_running(&self, info: &MatchInfo) -> bool {
        self.matches.contains(&info.id)
            || self.event_is_locked(info) && info.planned.is_none_or(|all| info.games < all as u64)
    }

    fn event_is_locked(&self, info: &MatchInfo) -> bool {
        info.event.is_some_and(|event| self.locked_events.contains(&event))
    }

    fn summary(&self, store: &Store, info: MatchInfo) -> Result<MatchSummary, Error> {
        let running = self.is_running(&info);
        let [wins, draws, losses] = info.results;
        let event = info.event.map(|event| store.one_event(event)).transpose()?;
        Ok(MatchSummary {
            id: info.id,
            event: info.event,
            game: info.game,
            rules: info.rules,
            players: info.players,
            versions: info.versions,
            planned: info.planned,
            games: info.games,
            wins,
            draws,
            losses,
            created: info.created,
            running,
            experiment: event.filter(|event| event.kind == EVENT).map(|event| event.name),
            conditions: Conditions::read(&info.spec),
        })
    }

    #[cfg(feature = "store")]
    /// An event with the number of its matches and games.
    fn event(&self, store: &Store, event: EventInfo) -> Result<EventSummary, Error> {
        let totals = store.event_totals(event.id)?;
        Ok(EventSummary {
            id: event.id,
            kind: event.kind,
            name: event.name,
            created: event.created,
            game: totals.game,
            matches: totals.matches,
            games: totals.games,
            planned: totals.planned,
            running: self.events.contains(&event.id),
        })
    }
}

/// A row of an event's standings.
#[cfg(feature = "store")]
fn player(row: StandingsRow) -> EventPlayer {
    let games = row.games();
    let StandingsRow { rank, entrant, elo, results: [wins, draws, losses], score, faults } = row;
    let Entrant { id, name, player, version, state, .. } = entrant;
    EventPlayer { id, name, player, version, state, rank, elo, games, wins, draws, losses, score, faults }
}

/// The results of each two players against each other.
#[cfg(feature = "store")]
fn cells(table: &Standings) -> Vec<EventCell> {
    let mut pairs: BTreeMap<(i64, i64), Vec<i64>> = BTreeMap::new();
    for HeadToHead { id, players: [a, b], .. } in &table.encounters {
        if a != b {
            pairs.entry((*a.min(b), *a.max(b))).or_default().push(*id);
        }
    }
    let cells = pairs.into_iter().map(|((a, b), matches)| {
        let [wins, draws, losses] = table.between(a, b);
        EventCell { players: [a, b], wins, draws, losses, matches }
    });
    cells.collect()
}

/// The side that made each move; `None` if this program does not know the game or cannot read the moves.
fn sides(catalog: &Catalog, info: &MatchInfo, record: &GameRecord) -> Option<Vec<SideName>> {
    let game = catalog.game(&info.game).ok()?;
    let mut state = game.state(Some(&info.rules), record.position.as_deref()).ok()?;
    let sides = record.moves.iter().map(|text| {
        let side = SideName::from(state.side_to_move());
        state.play_texts(&[text]).ok().map(|_| side)
    });
    sides.collect()
}
