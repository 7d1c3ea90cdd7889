//! Which workers of other machines played which games.

use banmen_catalog::Error;
use rusqlite::{Connection, params};
use serde::Serialize;

use super::{Place, Store, failed};
use crate::PlayedBy;

/// A worker, and how many games of a match it played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkerGames {
    /// The worker.
    #[serde(flatten)]
    pub by: PlayedBy,
    /// Its games.
    pub games: u64,
}

/// The number of a worker, which is entered if it is new.
pub(super) fn worker(connection: &Connection, by: &PlayedBy, game: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "INSERT INTO worker (name, game, machine, speed) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET machine = ?3, speed = coalesce(?4, speed) RETURNING id",
        )?
        .query_row(params![by.worker, game, by.machine, by.speed], |row| row.get(0))
}

impl Store {
    /// The workers of other machines that played games of a match, by name.
    ///
    /// # Errors
    /// An error of the store.
    pub fn workers(&self, id: i64) -> Result<Vec<WorkerGames>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<WorkerGames>> {
            let mut select = connection.prepare_cached(
                "SELECT w.name, w.machine, w.speed, count(*) FROM game g JOIN worker w ON w.id = g.worker
                 WHERE g.match = ?1 GROUP BY w.id ORDER BY w.name",
            )?;
            let rows = select.query_map([id], |row| {
                let by = PlayedBy { worker: row.get(0)?, machine: row.get(1)?, speed: row.get(2)? };
                Ok(WorkerGames { by, games: row.get::<_, i64>(3)?.unsigned_abs() })
            })?;
            rows.collect()
        };
        read().map_err(|error| failed(&error))
    }

    /// Moves the pairs of which a worker played a game into the table of damaged rows. Returns the number of its games.
    pub(crate) fn set_aside_worker(&self, name: &str, why: &str) -> Result<u64, Error> {
        let games: Vec<(i64, i64, i64)> = {
            let connection = self.connection();
            let read = || -> rusqlite::Result<Vec<_>> {
                let mut select = connection.prepare_cached(
                    "SELECT g.match, g.pair, count(*) FROM game g JOIN worker w ON w.id = g.worker
                     WHERE w.name = ?1 GROUP BY g.match, g.pair",
                )?;
                select.query_map([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
            };
            read().map_err(|error| failed(&error))?
        };
        for &(id, pair, _) in &games {
            self.set_aside(&Place::Pair(id, pair), &format!("pair {id}.{pair}"), why)?;
        }
        Ok(games.iter().map(|(_, _, count)| count.unsigned_abs()).sum())
    }
}
