//! Events: groups of matches.

use banmen_catalog::Error;
use rusqlite::{OptionalExtension, Row, params};

use super::{Store, failed, now, page_bounds};
use crate::stored::{EventInfo, Window, unknown_event};

/// The number of matches and games of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventTotals {
    /// Matches.
    pub matches: u64,
    /// Games that are stored.
    pub games: u64,
    /// The number of games that was asked for; `None` if a test decides the number of a match.
    pub planned: Option<u64>,
    /// The game's name, if all matches have the same game.
    pub game: Option<String>,
}

impl EventInfo {
    fn read(row: &Row<'_>) -> rusqlite::Result<EventInfo> {
        Ok(EventInfo { id: row.get(0)?, kind: row.get(1)?, name: row.get(2)?, spec: row.get(3)?, created: row.get(4)? })
    }
}

impl Store {
    /// The number of an event, which is entered if it is new. `spec` distinguishes the events of a kind.
    ///
    /// # Errors
    /// An error of the store.
    pub fn enter_event(&self, kind: &str, name: &str, spec: &str) -> Result<i64, Error> {
        let spec = format!("{kind} {spec}");
        let connection = self.connection();
        connection
            .query_row(
                "INSERT INTO event (kind, name, spec, created) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (spec) DO UPDATE SET name = ?2 RETURNING id",
                params![kind, name, spec, now()],
                |row| row.get(0),
            )
            .map_err(|error| failed(&error))
    }

    /// The number of an event that was entered.
    pub(crate) fn event_of(&self, kind: &str, spec: &str) -> Result<Option<i64>, Error> {
        self.connection()
            .prepare_cached("SELECT id FROM event WHERE spec = ?1")
            .and_then(|mut select| select.query_row([format!("{kind} {spec}")], |row| row.get(0)).optional())
            .map_err(|error| failed(&error))
    }

    /// All events, the oldest first.
    ///
    /// # Errors
    /// An error of the store.
    pub fn events(&self) -> Result<Vec<EventInfo>, Error> {
        let mut events = self.newest_events(None, None)?;
        events.reverse();
        Ok(events)
    }

    /// The events with a match of this game, or all events, the newest first.
    ///
    /// # Errors
    /// An error of the store.
    pub(crate) fn newest_events(&self, game: Option<&str>, page: Option<Window>) -> Result<Vec<EventInfo>, Error> {
        let (limit, offset) = page_bounds(page);
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<EventInfo>> {
            let mut select = connection.prepare_cached(
                "SELECT id, kind, name, spec, created FROM event e
                 WHERE ?1 IS NULL OR EXISTS (SELECT 1 FROM match WHERE event = e.id AND game = ?1)
                 ORDER BY id DESC LIMIT ?2 OFFSET ?3",
            )?;
            let rows = select.query_map(params![game, limit, offset], EventInfo::read)?;
            rows.collect()
        };
        read().map_err(|error| failed(&error))
    }

    /// The number of matches and games of an event.
    ///
    /// # Errors
    /// An error of the store.
    pub(crate) fn event_totals(&self, id: i64) -> Result<EventTotals, Error> {
        let totals = |row: &Row<'_>| -> rusqlite::Result<EventTotals> {
            let count = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
            let (matches, limited) = (count(0)?, count(1)?);
            Ok(EventTotals {
                matches,
                games: count(3)?,
                planned: if limited == matches { Some(count(2)?) } else { None },
                game: row.get(4)?,
            })
        };
        self.connection()
            .prepare_cached(
                "SELECT count(*), count(planned), ifnull(sum(planned), 0),
                   (SELECT count(*) FROM game WHERE match IN (SELECT id FROM match WHERE event = ?1)),
                   CASE WHEN min(game) = max(game) THEN min(game) END
                 FROM match WHERE event = ?1",
            )
            .and_then(|mut select| select.query_row([id], totals))
            .map_err(|error| failed(&error))
    }

    /// One event.
    ///
    /// # Errors
    /// `unknown_event`, or an error of the store.
    pub(crate) fn one_event(&self, id: i64) -> Result<EventInfo, Error> {
        let found = self
            .connection()
            .prepare_cached("SELECT id, kind, name, spec, created FROM event WHERE id = ?1")
            .and_then(|mut select| select.query_row([id], EventInfo::read).optional())
            .map_err(|error| failed(&error))?;
        found.ok_or_else(|| unknown_event(id))
    }
}
