//! The players of an event, their results against each other, and the latest games.

use banmen_catalog::Error;
use rusqlite::{OptionalExtension, Row, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::games::bounded;
use super::{Store, failed, now};
use crate::stored::unknown_match;

/// Whether an entrant plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "EntrantState")]
pub enum State {
    /// It plays.
    #[default]
    Playing,
    /// It failed repeatedly, and pauses for some time.
    Suspended,
    /// It has left; its games still count.
    Retired,
}

impl State {
    fn text(self) -> &'static str {
        match self {
            State::Playing => "playing",
            State::Suspended => "suspended",
            State::Retired => "retired",
        }
    }

    fn read(text: &str) -> State {
        match text {
            "suspended" => State::Suspended,
            "retired" => State::Retired,
            _ => State::Playing,
        }
    }
}

/// A player of an event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entrant {
    /// The number of the player.
    pub id: i64,
    /// The player's name in the event, or its text if it has none.
    pub name: String,
    /// The player, as text.
    pub player: String,
    /// The version of this program, or of the external program.
    pub version: String,
    /// Whether it plays.
    pub state: State,
    /// Why it does not play.
    pub reason: Option<String>,
    /// Games in a row in which it failed.
    pub failures: u32,
    /// Suspensions in a row.
    pub suspensions: u32,
    /// When its suspension ends, in seconds since 1970; also of one that was retired while it was suspended.
    pub until: Option<i64>,
}

/// The results of two players against each other in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HeadToHead {
    /// The match that the games belong to.
    #[serde(rename = "match")]
    pub id: i64,
    /// The numbers of the players.
    pub players: [i64; 2],
    /// Games that the first of them won, drew and lost: those in which it moved first, and those in which it moved second.
    pub results: [[u64; 3]; 2],
    /// Games in which each of them failed; where both failed, the one that failed first.
    pub faults: [u64; 2],
}

/// One of the latest games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecentGame {
    /// Its match.
    #[serde(rename = "match")]
    pub id: i64,
    /// The number of its pair.
    pub pair: usize,
    /// Its number in the pair.
    pub game: usize,
    /// The numbers of the players; the first of them moved first.
    pub players: [i64; 2],
    /// The score of the player that moved first: 1, ½ or 0.
    pub score: f64,
    /// What ended the game.
    pub by: String,
    /// When it ended, in seconds since 1970.
    pub finished: i64,
}

impl Entrant {
    /// A player without a name of its own.
    fn unnamed(row: &Row<'_>) -> rusqlite::Result<Entrant> {
        let player: String = row.get(1)?;
        Ok(Entrant {
            id: row.get(0)?,
            name: player.clone(),
            player,
            version: row.get(2)?,
            state: State::Playing,
            reason: None,
            failures: 0,
            suspensions: 0,
            until: None,
        })
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Entrant> {
        Ok(Entrant {
            name: row.get(3)?,
            state: State::read(&row.get::<_, String>(4)?),
            reason: row.get(5)?,
            failures: row.get(6)?,
            suspensions: row.get(7)?,
            until: row.get(8)?,
            ..Entrant::unnamed(row)?
        })
    }
}

impl Store {
    /// The entrants of an event that have a name of their own. A player that had several names has the one under which it
    /// plays, or else the latest.
    ///
    /// # Errors
    /// An error of the store.
    pub(crate) fn entrants(&self, event: i64) -> Result<Vec<Entrant>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<Entrant>> {
            let mut select = connection.prepare_cached(
                "SELECT p.id, p.text, p.version, e.name, e.state, e.reason, e.failures, e.suspensions, e.until
                 FROM entrant e JOIN player p ON p.id = e.player WHERE e.event = ?1 ORDER BY e.joined, e.name",
            )?;
            let rows = select.query_map([event], Entrant::read)?;
            let mut entrants: Vec<Entrant> = Vec::new();
            for row in rows {
                let entrant = row?;
                match entrants.iter_mut().find(|known| known.id == entrant.id) {
                    Some(known) if known.state == State::Retired => *known = entrant,
                    Some(_) => {}
                    None => entrants.push(entrant),
                }
            }
            Ok(entrants)
        };
        read().map_err(|error| failed(&error))
    }

    /// Enters an entrant, or updates it. Returns the number of its player.
    pub(crate) fn save_entrant(&self, event: i64, entrant: &Entrant) -> Result<i64, Error> {
        let mut connection = self.connection();
        let mut save = || -> rusqlite::Result<i64> {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let id = super::matches::player(&transaction, &entrant.player, &entrant.version)?;
            transaction
                .prepare_cached(
                    "INSERT INTO entrant (event, name, player, state, reason, failures, suspensions, until, joined)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                     ON CONFLICT DO UPDATE SET state = ?4, reason = ?5, failures = ?6, suspensions = ?7, until = ?8",
                )?
                .execute(params![
                    event,
                    entrant.name,
                    id,
                    entrant.state.text(),
                    entrant.reason,
                    entrant.failures,
                    entrant.suspensions,
                    entrant.until,
                    now(),
                ])?;
            transaction.commit()?;
            Ok(id)
        };
        save().map_err(|error| failed(&error))
    }

    /// The players of an event's matches, in the order in which they were entered.
    pub(crate) fn players_of(&self, event: i64) -> Result<Vec<Entrant>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<Entrant>> {
            let mut select = connection.prepare_cached(
                "SELECT p.id, p.text, p.version FROM player p
                 WHERE p.id IN (SELECT a FROM match WHERE event = ?1 UNION SELECT b FROM match WHERE event = ?1)
                 ORDER BY p.id",
            )?;
            let rows = select.query_map([event], Entrant::unnamed)?;
            rows.collect()
        };
        read().map_err(|error| failed(&error))
    }

    /// The results of an event, one entry for each match that has games. Takes time proportional to the number of games.
    ///
    /// # Errors
    /// An error of the store.
    pub(crate) fn head_to_head(&self, event: i64) -> Result<Vec<HeadToHead>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<HeadToHead>> {
            let mut select = connection.prepare_cached(
                "SELECT m.id, m.a, m.b,
                   total(g.game = 0 AND g.points = 2), total(g.game = 0 AND g.points = 1), total(g.game = 0 AND g.points = 0),
                   total(g.game = 1 AND g.points = 2), total(g.game = 1 AND g.points = 1), total(g.game = 1 AND g.points = 0),
                   total(g.fault = 0), total(g.fault = 1)
                 FROM match m JOIN game g ON g.match = m.id WHERE m.event = ?1 GROUP BY m.id ORDER BY m.id",
            )?;
            let rows = select.query_map([event], |row| {
                let count = |column| row.get::<_, f64>(column).map(|total| total as u64);
                Ok(HeadToHead {
                    id: row.get(0)?,
                    players: [row.get(1)?, row.get(2)?],
                    results: [[count(3)?, count(4)?, count(5)?], [count(6)?, count(7)?, count(8)?]],
                    faults: [count(9)?, count(10)?],
                })
            })?;
            rows.collect()
        };
        read().map_err(|error| failed(&error))
    }

    /// The last `count` games of an event, the latest first.
    ///
    /// # Errors
    /// An error of the store.
    pub fn recent(&self, event: i64, count: usize) -> Result<Vec<RecentGame>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<RecentGame>> {
            let mut select = connection.prepare_cached(
                "SELECT m.id, g.pair, g.game, m.a, m.b, g.points, g.by, g.finished
                 FROM game g JOIN match m ON m.id = g.match WHERE m.event = ?1 ORDER BY g.finished DESC LIMIT ?2",
            )?;
            let rows = select.query_map(params![event, count as i64], |row| {
                let game = bounded(row, 2, 1)?;
                let (a, b, points) = (row.get(3)?, row.get(4)?, bounded(row, 5, 2)? as f64 / 2.0);
                let (players, score) = if game == 0 { ([a, b], points) } else { ([b, a], 1.0 - points) };
                Ok(RecentGame {
                    id: row.get(0)?,
                    pair: row.get::<_, i64>(1)?.unsigned_abs() as usize,
                    game,
                    players,
                    score,
                    by: row.get(6)?,
                    finished: row.get(7)?,
                })
            })?;
            rows.collect()
        };
        read().map_err(|error| failed(&error))
    }

    /// The numbers of the players of a match.
    pub(crate) fn players_in(&self, id: i64) -> Result<[i64; 2], Error> {
        let connection = self.connection();
        let found = connection
            .prepare_cached("SELECT a, b FROM match WHERE id = ?1")
            .and_then(|mut select| select.query_row([id], |row| Ok([row.get(0)?, row.get(1)?])).optional())
            .map_err(|error| failed(&error))?;
        found.ok_or_else(|| unknown_match(id))
    }
}
