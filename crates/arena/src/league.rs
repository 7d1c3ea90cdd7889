//! Leagues: the bots of a folder play each other continuously and are ranked.
//!
//! Modelled on riddles.io, the site on which Suzuki and Ito entered their GOLAD player (2019): every bot of the folder
//! plays pairs of games, with the game's clock, against opponents with close ratings. The state is in the store; the
//! folder may change at any time.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use banmen_catalog::Error;
use banmen_programs::check_player;
use banmen_search::StopFlag;

use crate::bots::{Bot, RejectedFile, read_folder};
use crate::match_pool::{Next, PairTask, Scheduler, play};
use crate::opening::OpeningSequence;
use crate::pairing::Pairings;
use crate::store::{Entrant, HeadToHead, State, Store, now};
use crate::{EventInfo, GameRecord, LockName, Match, Standings, Workers, ranking, standings};

/// After this number of failed games in a row a bot is suspended.
const MAX_FAILURES: u32 = 3;

/// The longest suspension.
const MAX_SUSPENSION: Duration = Duration::from_secs(24 * 60 * 60);

/// The shortest time between two updates of the ranking files.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// A league.
#[derive(Clone)]
pub struct League<'g> {
    /// The folder of the bots' files, into which the ranking is written.
    pub folder: PathBuf,
    /// The conditions of all games. The limits of its player `a` are those of every bot.
    pub conditions: Match<'g>,
    /// Rounds to play, each with as many pairs of games as there are pairs of bots; `None` for no end.
    pub rounds: Option<u32>,
    /// The length of a bot's first suspension; each further one in a row is twice as long, up to a day.
    pub pause: Duration,
    /// The shortest time between two scans of the folder.
    pub scan: Duration,
}

/// What happened in a league.
#[derive(Debug)]
pub enum LeagueEvent<'a> {
    /// A bot joined, or joined again.
    Joined(&'a Entrant),
    /// A bot left; its games still count.
    Retired(&'a Entrant),
    /// A bot failed repeatedly, and is suspended for some time.
    Suspended(&'a Entrant),
    /// A file of the folder is not the file of a bot.
    Rejected(&'a RejectedFile),
    /// A game was stored; the names of its players, `a` of the match first.
    Game(&'a GameRecord, [&'a str; 2]),
    /// The ranking was written during play.
    Ranking(&'a Standings),
}

/// The name of a league in the store: the absolute path of its folder, if it has one.
fn name(folder: &Path) -> String {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).display().to_string()
}

/// The leagues of this name, the newest first.
fn leagues(store: &Store, name: &str) -> Result<Vec<EventInfo>, Error> {
    let events = store.newest_events(None, None)?.into_iter();
    Ok(events.filter(|event| event.kind == "league" && event.name == name).collect())
}

impl<'g> League<'g> {
    /// What distinguishes this league from others of a store: its folder, and the conditions of its games.
    fn spec(&self) -> Result<String, Error> {
        let mut spec = self.conditions.conditions()?;
        spec["folder"] = name(&self.folder).into();
        Ok(spec.to_string())
    }

    /// The game of the newest league of this folder.
    ///
    /// # Errors
    /// An error of the store.
    pub fn last_game(store: &Store, folder: &Path) -> Result<Option<String>, Error> {
        let game = |spec: &str| -> Option<String> {
            let spec: serde_json::Value = serde_json::from_str(spec.strip_prefix("league ")?).ok()?;
            spec["game"].as_str().map(str::to_owned)
        };
        Ok(leagues(store, &name(folder))?.iter().find_map(|event| game(&event.spec)))
    }

    /// The number of the newest league of this folder in the store, if none is this one: their games or conditions differ, and
    /// this one begins anew.
    ///
    /// # Errors
    /// `unknown_rules`, or an error of the store.
    pub fn replaces(&self, store: &Store) -> Result<Option<i64>, Error> {
        let (known, spec) = (leagues(store, &name(&self.folder))?, format!("league {}", self.spec()?));
        Ok(known.first().map(|event| event.id).filter(|_| known.iter().all(|event| event.spec != spec)))
    }

    /// Enters the league in the store, and returns its number.
    ///
    /// # Errors
    /// `unknown_rules`, or an error of the store.
    pub fn enter(&self, store: &Store) -> Result<i64, Error> {
        store.enter_event("league", &name(&self.folder), &self.spec()?)
    }

    /// Plays until the rounds are over or `stop` is set; then the games that run on this machine are completed, and those of
    /// other machines dropped, to be played again. The ranking is written into the folder from time to time, and at the end.
    ///
    /// # Errors
    /// `folder` when it cannot be read or written, `match_busy` when another process plays the league, or an error of the
    /// store. A bot that fails does not end the league.
    pub fn play(
        &self,
        store: &Store,
        workers: impl Into<Workers>,
        stop: &StopFlag,
        report: &mut (dyn FnMut(LeagueEvent<'_>) + Send),
    ) -> Result<Standings, Error> {
        let conditions = &self.conditions;
        // Invalid openings are refused before anything is stored.
        OpeningSequence::new(conditions, store)?.next_opening(stop)?;
        let event = self.enter(store)?;
        let _lock = store.lock(&LockName::Event(event))?;
        let workers = workers.into();
        let mut rounds = 0.0;
        while !self.play_on(store, event, &workers, &mut rounds, stop, report)? {}
        standings(store, event, None)
    }

    /// Plays from the games that the store has, after this number of rounds. Returns `false` when games were set aside.
    fn play_on(
        &self,
        store: &Store,
        event: i64,
        workers: &Workers,
        rounds: &mut f64,
        stop: &StopFlag,
        report: &mut (dyn FnMut(LeagueEvent<'_>) + Send),
    ) -> Result<bool, Error> {
        let conditions = &self.conditions;
        let openings = OpeningSequence::new(conditions, store)?;
        let results = store.head_to_head(event)?.into_iter().map(|result| (result.id, result)).collect();
        let mut run = LeagueRun {
            league: self,
            store,
            event,
            entrants: store.entrants(event)?,
            results,
            pairings: Pairings::new(openings, conditions.spec.seed),
            rejected: BTreeMap::new(),
            scanned: None,
            written: None,
            rounds,
            stop,
            report,
        };
        run.scan()?;
        // Running games are completed: only the end of the program stops them.
        let Some(run) = play(store, workers, run, stop, &StopFlag::default())? else { return Ok(false) };
        run.write(&standings(store, event, None)?)?;
        Ok(true)
    }
}

/// The state of a running league.
struct LeagueRun<'a, 'g> {
    league: &'a League<'g>,
    store: &'a Store,
    event: i64,
    /// All bots that have ever played.
    entrants: Vec<Entrant>,
    /// Their results against each other, by match.
    results: BTreeMap<i64, HeadToHead>,
    pairings: Pairings<'a, 'g>,
    /// The files that the last scan rejected, by name.
    rejected: BTreeMap<String, RejectedFile>,
    scanned: Option<Instant>,
    written: Option<Instant>,
    /// Rounds started; a fraction, since each pair is one part of a round.
    rounds: &'a mut f64,
    stop: &'a StopFlag,
    report: &'a mut (dyn FnMut(LeagueEvent<'_>) + Send),
}

impl LeagueRun<'_, '_> {
    /// Reads the folder: bots join, leave or change.
    fn scan(&mut self) -> Result<(), Error> {
        self.scanned = Some(Instant::now());
        let (bots, mut rejected) = read_folder(&self.league.folder)?;
        let mut present: HashMap<String, String> = HashMap::new();
        for bot in bots {
            match self.admit(&bot, &present)? {
                None => {
                    present.insert(bot.player.clone(), bot.name.clone());
                }
                Some(reason) => rejected.push(RejectedFile { file: bot.file, line: Some(bot.line), reason }),
            }
        }
        for at in 0..self.entrants.len() {
            let Entrant { name, player, state, .. } = &self.entrants[at];
            if *state != State::Retired && present.get(player) != Some(name) {
                let file = rejected.iter().find(|one| one.file.strip_suffix(".bot") == Some(name));
                let reason = if present.values().any(|other| other == name) {
                    "its file names another player"
                } else if file.is_some() {
                    "its file is ignored"
                } else {
                    "its file was removed"
                };
                self.retire(at, reason.to_owned())?;
                (self.report)(LeagueEvent::Retired(&self.entrants[at]));
            }
        }
        let rejected: BTreeMap<String, RejectedFile> =
            rejected.into_iter().map(|one| (one.file.clone(), one)).collect();
        for file in rejected.values().filter(|one| self.rejected.get(&one.file) != Some(one)) {
            (self.report)(LeagueEvent::Rejected(file));
        }
        self.rejected = rejected;
        ranking::prune_logs(&self.league.folder);
        Ok(())
    }

    /// Admits a bot that does not play yet, or not as this player. Returns the reason for a rejection.
    fn admit(&mut self, bot: &Bot, present: &HashMap<String, String>) -> Result<Option<String>, Error> {
        if let Some(other) = present.get(&bot.player) {
            return Ok(Some(format!("it is the same player as {other}")));
        }
        let conditions = &self.league.conditions;
        let version = conditions.version(&bot.player);
        let same = |entrant: &Entrant| entrant.player == bot.player && entrant.version == version;
        let found = self.entrants.iter().position(same);
        if found.is_some_and(|at| self.entrants[at].state != State::Retired && self.entrants[at].name == bot.name) {
            return Ok(None);
        }
        // A program is not started here: if it fails when it plays, it is suspended.
        if let Err(error) = check_player(conditions.game, conditions.spec.rules.as_deref(), &bot.player) {
            return Ok(Some(error.message));
        }
        // An earlier version of the same player is retired; its games still count.
        for at in 0..self.entrants.len() {
            let Entrant { name, player, state, .. } = &self.entrants[at];
            if *state != State::Retired && *name == bot.name && *player == bot.player {
                self.retire(at, "its program changed".to_owned())?;
                (self.report)(LeagueEvent::Retired(&self.entrants[at]));
            }
        }
        // One that comes back is as reliable as it was, and a suspension goes on.
        let known = found.map(|at| &self.entrants[at]);
        let (failures, suspensions) = known.map_or((0, 0), |known| (known.failures, known.suspensions));
        let until = known.and_then(|known| known.until);
        let entrant = Entrant {
            id: 0,
            name: bot.name.clone(),
            player: bot.player.clone(),
            version,
            state: if until.is_some() { State::Suspended } else { State::Playing },
            reason: until.map(|_| "it was suspended when its file was renamed or removed".to_owned()),
            failures,
            suspensions,
            until,
        };
        // The same player under another name: its file was renamed.
        if let Some(at) = found {
            self.retire(at, format!("it was renamed to {}", bot.name))?;
        }
        let id = self.store.save_entrant(self.event, &entrant)?;
        let entrant = Entrant { id, ..entrant };
        (self.report)(match entrant.state {
            State::Suspended => LeagueEvent::Suspended(&entrant),
            _ => LeagueEvent::Joined(&entrant),
        });
        match found {
            Some(at) => self.entrants[at] = entrant,
            None => self.entrants.push(entrant),
        }
        self.pairings.invalidate_ratings();
        Ok(None)
    }

    /// Changes an entrant, here and in the store.
    fn change(&mut self, at: usize, change: impl FnOnce(&mut Entrant)) -> Result<(), Error> {
        let mut changed = self.entrants[at].clone();
        change(&mut changed);
        self.store.save_entrant(self.event, &changed)?;
        self.entrants[at] = changed;
        Ok(())
    }

    /// Retires an entrant. It keeps the end of its suspension, in case it comes back.
    fn retire(&mut self, at: usize, reason: String) -> Result<(), Error> {
        self.change(at, |entrant| {
            entrant.state = State::Retired;
            entrant.reason = Some(reason);
        })
    }

    /// Suspends a bot, each time in a row for twice as long.
    fn suspend(&mut self, player: i64, reason: String) -> Result<(), Error> {
        let Some(at) = self.entrants.iter().position(|entrant| entrant.id == player) else { return Ok(()) };
        if self.entrants[at].state != State::Playing {
            return Ok(());
        }
        let pause = self.league.pause;
        self.change(at, |entrant| {
            let doubled = pause.saturating_mul(1 << entrant.suspensions.min(20)).min(MAX_SUSPENSION);
            entrant.state = State::Suspended;
            entrant.reason = Some(reason);
            entrant.failures = 0;
            entrant.suspensions += 1;
            entrant.until = Some(now().saturating_add(doubled.as_secs() as i64));
        })?;
        (self.report)(LeagueEvent::Suspended(&self.entrants[at]));
        Ok(())
    }

    /// Readmits the bots whose suspension is over.
    fn readmit(&mut self) -> Result<(), Error> {
        let time = now();
        for at in 0..self.entrants.len() {
            let Entrant { state, until, .. } = self.entrants[at];
            if state == State::Suspended && until.is_none_or(|until| until <= time) {
                self.change(at, |entrant| {
                    entrant.state = State::Playing;
                    entrant.reason = None;
                    entrant.until = None;
                })?;
                (self.report)(LeagueEvent::Joined(&self.entrants[at]));
            }
        }
        Ok(())
    }

    /// Counts the failures of a player after a game, and suspends it if there are too many.
    fn count_failures(&mut self, player: i64, record: &GameRecord, side: usize) -> Result<(), Error> {
        let Some(at) = self.entrants.iter().position(|entrant| entrant.id == player) else { return Ok(()) };
        let Entrant { failures, suspensions, .. } = self.entrants[at];
        if record.fault == Some(side) {
            self.change(at, |entrant| entrant.failures += 1)?;
            // A bot that was suspended before its last game is suspended again after one failure.
            if failures + 1 >= MAX_FAILURES || suspensions > 0 {
                let failed = failures + 1;
                let games = if failed == 1 { "a game".to_owned() } else { format!("{failed} games in a row") };
                let by = record.failed_by().unwrap_or_default();
                return self.suspend(player, format!("{games} with a fault, the last by {by}"));
            }
        } else if failures > 0 || suspensions > 0 {
            self.change(at, |entrant| (entrant.failures, entrant.suspensions) = (0, 0))?;
        }
        Ok(())
    }

    /// Writes the ranking files into the folder.
    fn write(&self, table: &Standings) -> Result<(), Error> {
        ranking::write(&self.league.folder, self.store, self.event, &self.league.conditions, table)
    }
}

impl<'g> Scheduler<'g> for LeagueRun<'_, 'g> {
    fn next(&mut self) -> Result<Next<'g>, Error> {
        if self.league.rounds.is_some_and(|rounds| *self.rounds >= f64::from(rounds) - 1e-9) {
            return Ok(Next::Done);
        }
        if self.scanned.is_none_or(|scanned| scanned.elapsed() >= self.league.scan) {
            self.scan()?;
        }
        self.readmit()?;
        let playing: Vec<usize> =
            (0..self.entrants.len()).filter(|&at| self.entrants[at].state == State::Playing).collect();
        if playing.len() < 2 {
            // A league with a number of rounds does not wait for bots that may never join.
            return Ok(if self.league.rounds.is_some() && !self.pairings.running() { Next::Done } else { Next::Wait });
        }
        let chosen = self.pairings.choose(&self.entrants, &playing, &self.results);
        let two = [&self.entrants[chosen.0], &self.entrants[chosen.1]];
        let task = self.pairings.task(&self.league.conditions, self.store, self.event, two, self.stop)?;
        let Some(task) = task else {
            // A program has changed since the last scan.
            self.scanned = None;
            return Ok(Next::Wait);
        };
        *self.rounds += 2.0 / (playing.len() * (playing.len() - 1)) as f64;
        Ok(Next::Play(task))
    }

    fn on_result(&mut self, task: &PairTask<'g>, result: Result<&GameRecord, Error>) -> Result<(), Error> {
        let players = self.pairings.players(task);
        let record = match result {
            Ok(record) => record,
            Err(error) => {
                // An error that names no player ends the league: it would occur again and again.
                let index = error.args.get("player").and_then(serde_json::Value::as_u64);
                let Some(player) = index.and_then(|index| players.get(index as usize)) else { return Err(error) };
                return self.suspend(*player, error.message);
            }
        };
        let new = HeadToHead { id: task.id, players, results: [[0; 3]; 2], faults: [0; 2] };
        let head_to_head = self.results.entry(task.id).or_insert(new);
        head_to_head.results[record.game][2 - (record.score * 2.0) as usize] += 1;
        if let Some(fault) = record.fault {
            head_to_head.faults[fault] += 1;
        }
        self.pairings.on_game(task, record.game);
        self.pairings.invalidate_ratings();
        for (side, player) in players.into_iter().enumerate() {
            self.count_failures(player, record, side)?;
        }
        let name = |player: i64| {
            self.entrants.iter().find(|entrant| entrant.id == player).map_or("", |entrant| entrant.name.as_str())
        };
        (self.report)(LeagueEvent::Game(record, players.map(name)));
        Ok(())
    }

    fn on_task_end(&mut self, task: &PairTask<'g>) -> Result<(), Error> {
        self.pairings.on_task_end(task);
        if self.written.is_none_or(|written| written.elapsed() >= WRITE_INTERVAL) {
            self.written = Some(Instant::now());
            let table = Standings::new(&self.entrants, self.results.values().copied().collect(), None)?;
            self.write(&table)?;
            (self.report)(LeagueEvent::Ranking(&table));
        }
        Ok(())
    }
}
