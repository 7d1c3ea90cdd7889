//! The steps of a tuning.

use banmen_catalog::Error;
use rusqlite::params;

use super::{Store, failed};

impl Store {
    /// The points of each step of a tuning, in order, up to the first step that is missing, as after a repair.
    pub(crate) fn steps(&self, event: i64) -> Result<Vec<f64>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<f64>> {
            let mut select =
                connection.prepare_cached("SELECT number, points FROM step WHERE event = ?1 ORDER BY number")?;
            let mut rows = select.query([event])?;
            let mut steps = Vec::new();
            while let Some(row) = rows.next()?
                && row.get::<_, i64>(0)? == steps.len() as i64
            {
                steps.push(row.get(1)?);
            }
            Ok(steps)
        };
        read().map_err(|error| failed(&error))
    }

    /// Stores the points of a step. Later steps are removed: they began from other numbers.
    pub(crate) fn save_step(&self, event: i64, number: usize, points: f64) -> Result<(), Error> {
        let mut connection = self.connection();
        let mut save = || -> rusqlite::Result<()> {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            transaction
                .prepare_cached("DELETE FROM step WHERE event = ?1 AND number >= ?2")?
                .execute(params![event, number as i64])?;
            transaction
                .prepare_cached("INSERT INTO step (event, number, points) VALUES (?1, ?2, ?3)")?
                .execute(params![event, number as i64, points])?;
            transaction.commit()
        };
        save().map_err(|error| failed(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_behind_a_missing_one_do_not_count() {
        let store = Store::memory().expect("memory");
        let event = store.enter_event("tuning", "x", "x").expect("an event");
        let save = |number, points| store.save_step(event, number, points).expect("stored");
        (0..4).for_each(|number| save(number, number as f64));
        store.connection().execute("DELETE FROM step WHERE number = 1", []).expect("a lost row");
        assert_eq!(store.steps(event), Ok(vec![0.0]));
        save(1, 5.0);
        assert_eq!(store.steps(event), Ok(vec![0.0, 5.0]), "those behind it are removed");
    }
}
