//! The steps of a tuning.

use banmen_catalog::Error;
use rusqlite::params;

use super::{Store, failed};

impl Store {
    /// The points of each step of a tuning, in order.
    pub(crate) fn steps(&self, event: i64) -> Result<Vec<f64>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<f64>> {
            let mut select = connection.prepare_cached("SELECT points FROM step WHERE event = ?1 ORDER BY number")?;
            let rows = select.query_map([event], |row| row.get(0))?;
            rows.collect()
        };
        read().map_err(|error| failed(&error))
    }

    /// Stores the points of a step.
    pub(crate) fn save_step(&self, event: i64, number: usize, points: f64) -> Result<(), Error> {
        self.connection()
            .prepare_cached("INSERT INTO step (event, number, points) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
            .and_then(|mut insert| insert.execute(params![event, number as i64, points]))
            .map(drop)
            .map_err(|error| failed(&error))
    }
}
