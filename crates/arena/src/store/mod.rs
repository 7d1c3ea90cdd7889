//! The store: matches and their games in one SQLite file.
//!
//! A game is named by its match, its pair and its number in the pair before it is played, and enters the store in one
//! transaction when it is over. So a match that was killed at any moment goes on where it was: no game is lost that was
//! finished, none counts twice. The file is in write-ahead mode with `synchronous=NORMAL`: a power cut may cost the last
//! games, which are then played again.

mod entrants;
mod events;
mod games;
mod lock;
mod matches;
mod samples;
mod steps;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use banmen_catalog::{Error, ErrorCode};
use rusqlite::{Connection, ErrorCode as SqliteCode, OpenFlags};

pub use entrants::{Encounter, Entrant, RecentGame, State};
pub use events::{EventInfo, EventTotals};
pub(crate) use games::Present;
pub use games::{GameFilter, Outcome};
pub use lock::Lock;
pub use matches::{MatchFilter, MatchInfo};

/// The version of the tables in a file. A file of a later version is refused.
const VERSION: i64 = 4;

/// What each version adds to the one before.
const TABLES: [&str; VERSION as usize] = [
    include_str!("schema.sql"),
    include_str!("entrants.sql"),
    include_str!("results.sql"),
    include_str!("lost_turns.sql"),
];

/// What marks a file as a store: "bnmn".
const APPLICATION: i64 = 0x626e_6d6e;

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(30);

/// A part of what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The most that is wanted.
    pub limit: u32,
    /// How many are passed over.
    pub offset: u64,
}

impl Window {
    /// As SQLite takes them.
    fn bounds(page: Option<Window>) -> (i64, i64) {
        page.map_or((-1, 0), |page| (page.limit.into(), page.offset.min(i64::MAX as u64) as i64))
    }
}

/// An opened store.
pub struct Store {
    connection: Mutex<Connection>,
    path: Option<PathBuf>,
}

impl Store {
    /// Opens the store in a file, or makes it, with its folder.
    ///
    /// # Errors
    /// `store_refused` when the file is no store, or of a later version: it is then left as it was. `store_failed` when
    /// the file cannot be read or written.
    pub fn open(path: &Path) -> Result<Store, Error> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|error| Error::new(ErrorCode::StoreFailed, format!("{}: {error}", folder.display())))?;
        }
        if path.exists() {
            look(path)?;
        }
        let connection = Connection::open(path).map_err(|error| at(path, &error))?;
        // By whatever name it was reached, its locks lie beside the file itself.
        Store::begin(connection, Some(path.canonicalize().unwrap_or_else(|_| path.to_owned())))
    }

    /// A store that is gone when the program ends.
    ///
    /// # Errors
    /// `store_failed` without memory.
    pub fn memory() -> Result<Store, Error> {
        Store::begin(Connection::open_in_memory().map_err(|error| failed(&error))?, None)
    }

    /// Opens a store only where there is one; `None` where there is no such file.
    ///
    /// # Errors
    /// As for [`Store::open`].
    pub fn existing(path: &Path) -> Result<Option<Store>, Error> {
        path.exists().then(|| Store::open(path)).transpose()
    }

    /// Opens a store that nothing is written to; `None` where there is no such file.
    ///
    /// # Errors
    /// As for [`Store::open`]; `store_refused` also when the file is of an earlier version, which only a store that may
    /// write brings up to date.
    pub fn reading(path: &Path) -> Result<Option<Store>, Error> {
        if !path.exists() {
            return Ok(None);
        }
        let connection = look(path)?;
        if version(&connection).map_err(|error| at(path, &error))? < VERSION {
            let message =
                format!("{} is of an earlier version: `banmen records list` brings it up to date", path.display());
            return Err(Error::new(ErrorCode::StoreRefused, message).reason("version"));
        }
        Ok(Some(Store { connection: Mutex::new(connection), path: Some(path.to_owned()) }))
    }

    fn begin(connection: Connection, path: Option<PathBuf>) -> Result<Store, Error> {
        let begun = || -> rusqlite::Result<()> {
            connection.busy_timeout(PATIENCE)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            // Two commands may meet a new file at once: one of them makes the tables.
            connection.execute_batch("BEGIN IMMEDIATE")?;
            let found = version(&connection)?;
            for (at, tables) in (1..).zip(TABLES).filter(|(at, _)| *at > found) {
                connection.execute_batch(tables)?;
                connection.pragma_update(None, "application_id", APPLICATION)?;
                connection.pragma_update(None, "user_version", at)?;
            }
            connection.execute_batch("COMMIT")
        };
        let patient = || {
            begun().inspect_err(|_| {
                if !connection.is_autocommit() {
                    // What was begun and failed is begun anew.
                    let _ = connection.execute_batch("ROLLBACK");
                }
            })
        };
        patiently(patient).map_err(|error| path.as_deref().map_or_else(|| failed(&error), |path| at(path, &error)))?;
        connection.set_prepared_statement_cache_capacity(32);
        Ok(Store { connection: Mutex::new(connection), path })
    }

    /// The file; `None` in memory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bounds the file to so many bytes: what goes beyond meets a full disk.
    ///
    /// # Errors
    /// What the store fails with.
    pub fn bound(&self, bytes: u64) -> Result<(), Error> {
        let connection = self.connection();
        let bound = || -> rusqlite::Result<()> {
            let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
            let pages = (bytes / page.unsigned_abs().max(1)).max(1) as i64;
            connection.pragma_update(None, "max_page_count", pages)
        };
        bound().map_err(|error| failed(&error))
    }
}

/// Does something again while others keep the file to themselves. SQLite waits by itself, but not where two change the
/// mode of a new file at once.
fn patiently<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(error)
                if matches!(error.sqlite_error_code(), Some(SqliteCode::DatabaseBusy | SqliteCode::DatabaseLocked))
                    && begun.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(2));
            }
            done => return done,
        }
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Opens a file to look into, and refuses what is no store of this version or an earlier one. There is no wish to write,
/// so that what is refused stays untouched; only where a killed writer left work to be recovered does looking take it.
fn look(path: &Path) -> Result<Connection, Error> {
    let numbers = |flags| -> rusqlite::Result<(Connection, [i64; 3])> {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "query_only", true)?;
        // All of one moment: another program may be making the tables.
        connection.execute_batch("BEGIN")?;
        let application = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let tables = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let numbers = [version(&connection)?, application, tables];
        connection.execute_batch("COMMIT")?;
        Ok((connection, numbers))
    };
    let looked = patiently(|| {
        numbers(OpenFlags::SQLITE_OPEN_READ_ONLY).or_else(|error| match error.sqlite_error_code() {
            Some(SqliteCode::ReadOnly | SqliteCode::CannotOpen) => numbers(OpenFlags::SQLITE_OPEN_READ_WRITE),
            _ => Err(error),
        })
    });
    let (connection, [version, application, tables]) = looked.map_err(|error| at(path, &error))?;
    if tables > 0 && application != APPLICATION {
        let message = format!("{} is a database of another program", path.display());
        return Err(Error::new(ErrorCode::StoreRefused, message).reason("foreign"));
    }
    if version > VERSION {
        let message = format!(
            "{} is of version {version}, and this program knows versions up to {VERSION}: a later banmen reads it",
            path.display()
        );
        return Err(Error::new(ErrorCode::StoreRefused, message).reason("version").arg("version", version));
    }
    Ok(connection)
}

/// A failure of SQLite in a file.
fn at(path: &Path, error: &rusqlite::Error) -> Error {
    let told = failed(error);
    Error { message: format!("{}: {}", path.display(), told.message), ..told }
}

/// A failure of SQLite: what people can do something about is named.
fn failed(error: &rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(SqliteCode::NotADatabase | SqliteCode::DatabaseCorrupt) => {
            Error::new(ErrorCode::StoreRefused, "the file is no store").reason("unreadable")
        }
        Some(SqliteCode::DiskFull) => {
            Error::new(ErrorCode::StoreFull, "the disk is full: the games stored so far are safe")
        }
        Some(SqliteCode::DatabaseBusy | SqliteCode::DatabaseLocked) => {
            Error::new(ErrorCode::StoreBusy, "another program writes to the store")
        }
        _ => Error::new(ErrorCode::StoreFailed, format!("the store: {error}")),
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_of_an_earlier_version_is_brought_up_to_date() {
        let connection = Connection::open_in_memory().expect("a database");
        connection.execute_batch(TABLES[0]).expect("the first tables");
        connection.pragma_update(None, "application_id", APPLICATION).expect("a mark");
        connection.pragma_update(None, "user_version", 1).expect("a version");
        connection
            .execute_batch("INSERT INTO event VALUES (1, 'tournament', 'old', 'tournament {}', 0)")
            .expect("an event");
        let store = Store::begin(connection, None).expect("a store");
        assert_eq!(version(&store.connection()).expect("a version"), VERSION);
        assert_eq!(store.events().expect("events")[0].name, "old");
        assert_eq!(store.entrants(1).expect("nobody"), []);
    }
}
