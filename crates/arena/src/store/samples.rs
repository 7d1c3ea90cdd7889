//! Samples of measurements.

use std::collections::BTreeMap;

use banmen_catalog::{Error, ErrorCode, Observation};
use rusqlite::params;

use super::{Store, failed, now};
use crate::stored::damaged;

impl Store {
    /// The samples of a measurement with numbers below `end`.
    pub(crate) fn samples(&self, spec: &str, end: usize) -> Result<BTreeMap<usize, Vec<Observation>>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<(i64, String)>> {
            let mut select =
                connection.prepare_cached("SELECT number, observations FROM sample WHERE spec = ?1 AND number < ?2")?;
            select.query_map(params![spec, end as i64], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let rows = read().map_err(|error| failed(&error))?;
        rows.into_iter()
            .map(|(number, text)| {
                let observations = serde_json::from_str(&text);
                let unreadable = |_| damaged(&format!("sample {number} of a measurement cannot be read"));
                Ok((number.unsigned_abs() as usize, observations.map_err(unreadable)?))
            })
            .collect()
    }

    /// How many samples of a measurement with numbers below `end` there are.
    pub(crate) fn count_samples(&self, spec: &str, end: usize) -> Result<u64, Error> {
        self.connection()
            .prepare_cached("SELECT count(*) FROM sample WHERE spec = ?1 AND number < ?2")
            .and_then(|mut select| select.query_row(params![spec, end as i64], |row| row.get::<_, i64>(0)))
            .map(i64::unsigned_abs)
            .map_err(|error| failed(&error))
    }

    /// Stores a sample, unless the store has one with this number.
    pub(crate) fn save_sample(&self, spec: &str, number: usize, observations: &[Observation]) -> Result<(), Error> {
        let text = serde_json::to_string(observations)
            .map_err(|error| Error::new(ErrorCode::StoreFailed, format!("a sample cannot be written: {error}")))?;
        self.connection()
            .prepare_cached(
                "INSERT INTO sample (spec, number, observations, taken) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )
            .and_then(|mut insert| insert.execute(params![spec, number as i64, text, now()]))
            .map_err(|error| failed(&error))?;
        Ok(())
    }
}
