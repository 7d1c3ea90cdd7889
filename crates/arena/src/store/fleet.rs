//! What plays the games of a match on other machines: written by its command, for those who watch.

use banmen_catalog::Error;
use rusqlite::{OptionalExtension, params};

use super::{Store, failed, now};
use crate::FleetStatus;

/// How long a status counts as that of a command that runs, in seconds: a command writes one each second.
const FRESH: i64 = 10;

impl Store {
    /// Writes what plays these matches.
    pub(crate) fn save_fleet(&self, matches: &[i64], status: &FleetStatus) -> Result<(), Error> {
        let text = serde_json::to_string(status).unwrap_or_default();
        let mut connection = self.connection();
        let mut write = || -> rusqlite::Result<()> {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            for id in matches {
                transaction.execute(
                    "INSERT INTO fleet (match, written, status) VALUES (?1, ?2, ?3)
                     ON CONFLICT DO UPDATE SET written = ?2, status = ?3",
                    params![id, now(), text],
                )?;
            }
            transaction.commit()
        };
        write().map_err(|error| failed(&error))
    }

    /// Removes what was written of these matches: they are not played any more.
    pub(crate) fn remove_fleet(&self, matches: &[i64]) -> Result<(), Error> {
        let connection = self.connection();
        let remove = |id| connection.execute("DELETE FROM fleet WHERE match = ?1", [id]).map(drop);
        matches.iter().try_for_each(remove).map_err(|error| failed(&error))
    }

    /// What plays a match on other machines at the moment; `None` where nothing does.
    ///
    /// # Errors
    /// An error of the store.
    pub fn fleet(&self, id: i64) -> Result<Option<FleetStatus>, Error> {
        let connection = self.connection();
        let text: Option<String> = connection
            .query_row(
                "SELECT status FROM fleet WHERE match = ?1 AND written BETWEEN ?2 AND ?3",
                params![id, now() - FRESH, now() + FRESH],
                |row| row.get(0),
            )
            .optional()
            .map_err(|error| failed(&error))?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }
}
