//! Leagues: bots of a folder play each other without end, and are ranked.
//!
//! What the site did on which Suzuki and Ito entered their player of GOLAD (2019): whoever puts a bot there plays, pair
//! after pair of games, at the game's clock, against opponents near its rank. The state is in the store; the folder may
//! change at any time.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use banmen_catalog::Error;
use banmen_programs::is_program;
use banmen_search::StopFlag;

use crate::bots::{Bot, Refused, look};
use crate::match_pool::{Director, Job, Next, play};
use crate::opening::Deck;
use crate::pairing::Pairings;
use crate::store::{Encounter, Entrant, State, Store, now};
use crate::{GameRecord, Match, Standings, ranking, standings};

/// Games in a row in which a bot may fail before it is suspended.
const PATIENCE: u32 = 3;

/// The longest suspension.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How often the ranking is written while games are played.
const WRITTEN: Duration = Duration::from_secs(5);

/// A league.
#[derive(Clone)]
pub struct League<'g> {
    /// Where the bots' files are, and where the ranking is written.
    pub folder: PathBuf,
    /// The games' conditions; its players stand for all, by their limits.
    pub conditions: Match<'g>,
    /// How many rounds are played, each as many pairs of games as there are pairs of bots; `None` without end.
    pub rounds: Option<u32>,
    /// How long a bot is suspended the first time.
    pub pause: Duration,
    /// How often the folder is looked at.
    pub scan: Duration,
}

/// What happens in a league.
#[derive(Debug)]
pub enum News<'a> {
    /// A bot takes part, for the first time or again.
    Joined(&'a Entrant),
    /// A bot plays no more; its games count.
    Retired(&'a Entrant),
    /// A bot failed, and is tried again later.
    Suspended(&'a Entrant),
    /// A file of the folder is passed over.
    Refused(&'a Refused),
    /// A game was stored, and its players, the first of the match first.
    Game(&'a GameRecord, [&'a str; 2]),
    /// The ranking was written while games go on.
    Ranking(&'a Standings),
}

impl<'g> League<'g> {
    /// What tells this league from others of a store: its folder, and the conditions of its games.
    fn spec(&self) -> Result<String, Error> {
        let mut spec = self.conditions.conditions()?;
        spec["folder"] = self.name().into();
        Ok(spec.to_string())
    }

    /// What the league is called in the store: its folder, from the root where that can be told.
    fn name(&self) -> String {
        self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone()).display().to_string()
    }

    /// The game of the league that was entered last for this folder.
    ///
    /// # Errors
    /// What the store fails with.
    pub fn last_game(store: &Store, folder: &std::path::Path) -> Result<Option<String>, Error> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).display().to_string();
        let leagues = store.events()?.into_iter().rev().filter(|event| event.kind == "league" && event.name == folder);
        let game = |spec: &str| -> Option<String> {
            let spec: serde_json::Value = serde_json::from_str(spec.strip_prefix("league ")?).ok()?;
            spec["game"].as_str().map(str::to_owned)
        };
        Ok(leagues.into_iter().find_map(|event| game(&event.spec)))
    }

    /// Enters the league in the store, and gives its number.
    ///
    /// # Errors
    /// `unknown_rules`, and what the store fails with.
    pub fn enter(&self, store: &Store) -> Result<i64, Error> {
        store.enter_event("league", &self.name(), &self.spec()?)
    }

    /// Plays until the rounds are over or `stop` is set; then the games that are being played are finished. The ranking is
    /// written into the folder now and then, and in the end.
    ///
    /// # Errors
    /// `folder` when it cannot be read or written, `match_busy` when another process plays the league, and what the store
    /// fails with. A bot that fails ends nothing.
    pub fn play(
        &self,
        store: &Store,
        concurrency: usize,
        stop: &StopFlag,
        news: &mut (dyn FnMut(News<'_>) + Send),
    ) -> Result<Standings, Error> {
        let conditions = &self.conditions;
        let mut deck =
            Deck::new(conditions.game, conditions.rules.as_deref(), &conditions.openings, conditions.seed, store)?;
        // What does not fit is said before anything is stored.
        deck.deal(stop)?;
        let event = self.enter(store)?;
        let _lock = store.lock(&format!("event-{event}"))?;
        let deck =
            Deck::new(conditions.game, conditions.rules.as_deref(), &conditions.openings, conditions.seed, store)?;
        let encounters = store.encounters(event)?.into_iter().map(|encounter| (encounter.id, encounter)).collect();
        let mut season = Season {
            league: self,
            store,
            event,
            entrants: store.entrants(event)?,
            encounters,
            pairings: Pairings::new(deck, conditions.seed),
            refused: BTreeMap::new(),
            looked: None,
            written: None,
            rounds: 0.0,
            stop,
            news,
        };
        season.look()?;
        // Those being played are finished: nothing halts them but the end of the program.
        let season = play(store, concurrency, season, stop, &StopFlag::default())?;
        let table = standings(store, event, None)?;
        season.write(&table)?;
        Ok(table)
    }
}

/// A league that is being played.
struct Season<'a, 'g> {
    league: &'a League<'g>,
    store: &'a Store,
    event: i64,
    /// All that ever took part.
    entrants: Vec<Entrant>,
    /// What they did, by match.
    encounters: BTreeMap<i64, Encounter>,
    pairings: Pairings<'a, 'g>,
    /// The files that were passed over at the last look, and why.
    refused: BTreeMap<String, Refused>,
    looked: Option<Instant>,
    written: Option<Instant>,
    /// Rounds that were begun.
    rounds: f64,
    stop: &'a StopFlag,
    news: &'a mut (dyn FnMut(News<'_>) + Send),
}

impl Season<'_, '_> {
    /// Looks who is in the folder now.
    fn look(&mut self) -> Result<(), Error> {
        self.looked = Some(Instant::now());
        let (bots, mut refused) = look(&self.league.folder)?;
        let mut present: HashMap<String, String> = HashMap::new();
        for bot in bots {
            match self.admit(&bot, &present) {
                Ok(()) => {
                    present.insert(bot.player.clone(), bot.name.clone());
                }
                Err(reason) => refused.push(Refused { file: bot.file, line: Some(bot.line), reason }),
            }
        }
        for at in 0..self.entrants.len() {
            let Entrant { name, player, state, .. } = &self.entrants[at];
            if *state != State::Retired && present.get(player) != Some(name) {
                let file = refused.iter().find(|one| one.file.strip_suffix(".bot") == Some(name));
                let reason = if present.values().any(|other| other == name) {
                    "its file names another player"
                } else if file.is_some() {
                    "its file is passed over"
                } else {
                    "its file is gone"
                };
                self.change(at, |entrant| {
                    entrant.state = State::Retired;
                    entrant.reason = Some(reason.to_owned());
                    entrant.until = None;
                })?;
                (self.news)(News::Retired(&self.entrants[at]));
            }
        }
        let refused: BTreeMap<String, Refused> = refused.into_iter().map(|one| (one.file.clone(), one)).collect();
        for refusal in refused.values().filter(|one| self.refused.get(&one.file) != Some(one)) {
            (self.news)(News::Refused(refusal));
        }
        self.refused = refused;
        ranking::prune_logs(&self.league.folder);
        Ok(())
    }

    /// Lets a bot take part that does not yet, or not as this player. Why not, otherwise.
    fn admit(&mut self, bot: &Bot, present: &HashMap<String, String>) -> Result<(), String> {
        if let Some(other) = present.get(&bot.player) {
            return Err(format!("it is the same player as {other}"));
        }
        let conditions = &self.league.conditions;
        let version = conditions.version(&bot.player);
        let same = |entrant: &Entrant| entrant.player == bot.player && entrant.version == version;
        let found = self.entrants.iter().position(same);
        if found.is_some_and(|at| self.entrants[at].state != State::Retired && self.entrants[at].name == bot.name) {
            return Ok(());
        }
        // Programs are tried by playing: a bad one is suspended.
        if !is_program(conditions.game, &bot.player) {
            let made = conditions.game.player(conditions.rules.as_deref(), &bot.player, 0);
            made.map_err(|error| error.message)?;
        }
        // An earlier version of the same player retires with its own games.
        for at in 0..self.entrants.len() {
            let Entrant { name, player, state, .. } = &self.entrants[at];
            if *state != State::Retired && *name == bot.name && *player == bot.player {
                self.change(at, |entrant| {
                    entrant.state = State::Retired;
                    entrant.reason = Some("its program changed".to_owned());
                    entrant.until = None;
                })
                .map_err(|error| error.message)?;
                (self.news)(News::Retired(&self.entrants[at]));
            }
        }
        let entrant = Entrant {
            id: 0,
            name: bot.name.clone(),
            player: bot.player.clone(),
            version,
            state: State::Playing,
            reason: None,
            failures: 0,
            suspensions: 0,
            until: None,
        };
        // A player under another name until now: its file was renamed.
        if let Some(at) = found {
            let renamed = |entrant: &mut Entrant| {
                entrant.state = State::Retired;
                entrant.reason = Some(format!("it is called {} now", bot.name));
            };
            self.change(at, renamed).map_err(|error| error.message)?;
        }
        let id = self.store.keep_entrant(self.event, &entrant).map_err(|error| error.message)?;
        let entrant = Entrant { id, ..entrant };
        (self.news)(News::Joined(&entrant));
        match found {
            Some(at) => self.entrants[at] = entrant,
            None => self.entrants.push(entrant),
        }
        self.pairings.stale();
        Ok(())
    }

    /// Changes what is known of an entrant, here and in the store.
    fn change(&mut self, at: usize, change: impl FnOnce(&mut Entrant)) -> Result<(), Error> {
        change(&mut self.entrants[at]);
        self.store.keep_entrant(self.event, &self.entrants[at]).map(|_| ())
    }

    /// Suspends a bot, longer each time in a row.
    fn suspend(&mut self, player: i64, reason: String) -> Result<(), Error> {
        let Some(at) = self.entrants.iter().position(|entrant| entrant.id == player) else { return Ok(()) };
        if self.entrants[at].state != State::Playing {
            return Ok(());
        }
        let pause = self.league.pause;
        self.change(at, |entrant| {
            let doubled = pause.saturating_mul(1 << entrant.suspensions.min(20)).min(LONGEST);
            entrant.state = State::Suspended;
            entrant.reason = Some(reason);
            entrant.failures = 0;
            entrant.suspensions += 1;
            entrant.until = Some(now().saturating_add(doubled.as_secs() as i64));
        })?;
        (self.news)(News::Suspended(&self.entrants[at]));
        Ok(())
    }

    /// Lets those back whose suspension is over.
    fn revive(&mut self) -> Result<(), Error> {
        let time = now();
        for at in 0..self.entrants.len() {
            let Entrant { state, until, .. } = self.entrants[at];
            if state == State::Suspended && until.is_none_or(|until| until <= time) {
                self.change(at, |entrant| {
                    entrant.state = State::Playing;
                    entrant.reason = None;
                    entrant.until = None;
                })?;
                (self.news)(News::Joined(&self.entrants[at]));
            }
        }
        Ok(())
    }

    /// What a finished game says of a player's reliability.
    fn judge(&mut self, player: i64, record: &GameRecord, side: usize) -> Result<(), Error> {
        let Some(at) = self.entrants.iter().position(|entrant| entrant.id == player) else { return Ok(()) };
        let Entrant { failures, suspensions, .. } = self.entrants[at];
        if record.fault == Some(side) {
            self.change(at, |entrant| entrant.failures += 1)?;
            // Who was suspended lately has one try.
            if failures + 1 >= PATIENCE || suspensions > 0 {
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

    /// Writes the ranking into the folder.
    fn write(&self, table: &Standings) -> Result<(), Error> {
        ranking::write(&self.league.folder, self.store, self.event, &self.league.conditions, table)
    }
}

impl<'g> Director<'g> for Season<'_, 'g> {
    fn next(&mut self) -> Result<Next<'g>, Error> {
        if self.league.rounds.is_some_and(|rounds| self.rounds >= f64::from(rounds) - 1e-9) {
            return Ok(Next::Done);
        }
        if self.looked.is_none_or(|looked| looked.elapsed() >= self.league.scan) {
            self.look()?;
        }
        self.revive()?;
        let playing: Vec<usize> =
            (0..self.entrants.len()).filter(|&at| self.entrants[at].state == State::Playing).collect();
        if playing.len() < 2 {
            // A league of so many rounds is not to wait for bots that may never come.
            return Ok(if self.league.rounds.is_some() && !self.pairings.busy() { Next::Done } else { Next::Wait });
        }
        let chosen = self.pairings.choose(&self.entrants, &playing, &self.encounters);
        let two = [&self.entrants[chosen.0], &self.entrants[chosen.1]];
        let job = self.pairings.job(&self.league.conditions, self.store, self.event, two, self.stop)?;
        let Some(job) = job else {
            // A program changed since the last look.
            self.looked = None;
            return Ok(Next::Wait);
        };
        self.rounds += 2.0 / (playing.len() * (playing.len() - 1)) as f64;
        Ok(Next::Play(job))
    }

    fn heard(&mut self, job: &Job<'g>, result: Result<&GameRecord, Error>) -> Result<(), Error> {
        let players = self.pairings.players(job);
        let record = match result {
            Ok(record) => record,
            Err(error) => {
                // Whose error is not known may be anybody's, and would come again and again.
                let seat = error.args.get("seat").and_then(serde_json::Value::as_u64);
                let Some(player) = seat.and_then(|seat| players.get(seat as usize)) else { return Err(error) };
                return self.suspend(*player, error.message);
            }
        };
        let encounter = self.encounters.entry(job.id).or_insert(Encounter {
            id: job.id,
            players,
            results: [[0; 3]; 2],
            faults: [0; 2],
        });
        encounter.results[record.game][2 - (record.score * 2.0) as usize] += 1;
        if let Some(fault) = record.fault {
            encounter.faults[fault] += 1;
        }
        self.pairings.played(job, record.game);
        self.pairings.stale();
        for (side, player) in players.into_iter().enumerate() {
            self.judge(player, record, side)?;
        }
        let name = |player: i64| {
            self.entrants.iter().find(|entrant| entrant.id == player).map_or("", |entrant| entrant.name.as_str())
        };
        (self.news)(News::Game(record, players.map(name)));
        Ok(())
    }

    fn done(&mut self, job: &Job<'g>) -> Result<(), Error> {
        self.pairings.done(job);
        if self.written.is_none_or(|written| written.elapsed() >= WRITTEN) {
            self.written = Some(Instant::now());
            let table = Standings::new(&self.entrants, self.encounters.values().copied().collect(), None)?;
            self.write(&table)?;
            (self.news)(News::Ranking(&table));
        }
        Ok(())
    }
}
