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

    /// Moves the pairs of which a worker played a game into the table of damaged rows, all of them or, where it fails,
    /// none. Returns the number of its games.
    pub(crate) fn set_aside_worker(&self, name: &str, why: &str) -> Result<u64, Error> {
        let mut connection = self.connection();
        let mut set_aside = || -> rusqlite::Result<u64> {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let games: Vec<(i64, i64, i64)> = {
                let mut select = transaction.prepare_cached(
                    "SELECT g.match, g.pair, count(*) FROM game g JOIN worker w ON w.id = g.worker
                     WHERE w.name = ?1 GROUP BY g.match, g.pair",
                )?;
                select
                    .query_map([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                    .collect::<Result<_, _>>()?
            };
            for &(id, pair, _) in &games {
                Place::Pair(id, pair).set_aside(&transaction, &format!("pair {id}.{pair}"), why)?;
            }
            transaction.commit()?;
            Ok(games.iter().map(|(_, _, count)| count.unsigned_abs()).sum())
        };
        set_aside().map_err(|error| failed(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::now;

    #[test]
    fn sets_all_pairs_of_a_worker_aside_or_none() {
        let store = Store::memory().expect("memory");
        let count = |table: &str| -> i64 {
            let select = format!("SELECT count(*) FROM {table}");
            store.connection().query_row(&select, [], |row| row.get(0)).expect("a count")
        };
        {
            let connection = store.connection();
            let by = PlayedBy { worker: "w".to_owned(), machine: "m".to_owned(), speed: None };
            assert_eq!(worker(&connection, &by, "othello"), Ok(1));
            connection.pragma_update(None, "foreign_keys", false).expect("a setting");
            for pair in 0..2 {
                connection
                    .execute("INSERT INTO pair (match, pair, opening) VALUES (1, ?1, '')", [pair])
                    .expect("a pair");
                connection
                    .execute(
                        "INSERT INTO game (match, pair, game, seed, points, by, moves, times, a_moves, a_nodes, a_depth,
                           a_time, a_longest, b_moves, b_nodes, b_depth, b_time, b_longest, digest, finished, worker)
                         VALUES (1, ?1, 0, 0, 1, '', '', x'', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ?2, 1)",
                        [pair, now()],
                    )
                    .expect("a game");
            }
            connection
                .execute_batch(
                    "CREATE TRIGGER full BEFORE INSERT ON damaged WHEN (SELECT count(*) FROM damaged) > 0
                     BEGIN SELECT raise(ABORT, 'full'); END",
                )
                .expect("a trigger");
        }
        store.set_aside_worker("w", "wrong").expect_err("the second pair fails");
        assert_eq!((count("game"), count("pair"), count("damaged")), (2, 2, 0));
        store.connection().execute_batch("DROP TRIGGER full").expect("no trigger");
        assert_eq!(store.set_aside_worker("w", "wrong"), Ok(2));
        assert_eq!((count("game"), count("pair"), count("damaged")), (0, 0, 2));
    }
}
