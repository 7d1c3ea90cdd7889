//! The store: matches and their games in one SQLite file.
//!
//! A game is identified by its match, its pair and its number in the pair before it is played, and is stored in one
//! transaction when it is over. So a match that was killed resumes where it was: no finished game is lost, and none is
//! counted twice. The file is in write-ahead mode with `synchronous=NORMAL`: a power failure may cost the last games, which
//! are then played again.

mod check;
mod entrants;
mod events;
mod fleet;
mod games;
mod lock;
mod matches;
mod plans;
mod samples;
mod steps;
mod workers;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use banmen_catalog::{Error, ErrorCode};
use rusqlite::{Connection, ErrorCode as SqliteCode, OpenFlags};

use crate::stored::{Window, damaged};

pub use check::LostRows;
pub(crate) use check::{Place, StoredMatch, StoredPlan, StoredRow, StoredStep};
pub use entrants::{Entrant, HeadToHead, RecentGame, State};
pub use lock::Lock;
pub(crate) use plans::Run;
pub use workers::WorkerGames;

/// The version of the schema. A file with a later version is refused.
const VERSION: i64 = 9;

/// The statements that migrate each version to the next.
const MIGRATIONS: [&str; VERSION as usize] = [
    include_str!("schema.sql"),
    include_str!("entrants.sql"),
    include_str!("results.sql"),
    include_str!("lost_turns.sql"),
    include_str!("damaged.sql"),
    include_str!("plans.sql"),
    include_str!("workers.sql"),
    include_str!("fleet.sql"),
    include_str!("sources.sql"),
];

/// The application number of a store's file: "bnmn".
const APPLICATION: i64 = 0x626e_6d6e;

/// How long a writer waits for another one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// The limit and the offset of a page for SQLite; -1 is no limit.
fn page_bounds(page: Option<Window>) -> (i64, i64) {
    page.map_or((-1, 0), |page| (page.limit.into(), page.offset.min(i64::MAX as u64) as i64))
}

/// An opened store.
pub struct Store {
    connection: Mutex<Connection>,
    path: Option<PathBuf>,
}

impl Store {
    /// Opens the store of a file, or creates it, with its folder.
    ///
    /// # Errors
    /// `store_refused` when the file is not a store, or has a later version: it is then left unchanged. `store_damaged`.
    /// `store_failed` when the file cannot be read or written.
    pub fn open(path: &Path) -> Result<Store, Error> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|error| Error::new(ErrorCode::StoreFailed, format!("{}: {error}", folder.display())))?;
        }
        if path.exists() {
            open_checked(path)?;
        }
        let connection = Connection::open(path).map_err(|error| failed_in(path, &error))?;
        Store::migrate(connection, Some(canonical(path)))
    }

    /// A store in memory.
    ///
    /// # Errors
    /// `store_failed` without memory.
    pub fn memory() -> Result<Store, Error> {
        Store::migrate(Connection::open_in_memory().map_err(|error| failed(&error))?, None)
    }

    /// Opens a store; `None` where there is no such file.
    ///
    /// # Errors
    /// As for [`Store::open`].
    pub fn existing(path: &Path) -> Result<Option<Store>, Error> {
        path.exists().then(|| Store::open(path)).transpose()
    }

    /// Opens a store for reading only; `None` where there is no such file.
    ///
    /// # Errors
    /// As for [`Store::open`]; `store_refused` also when the file has an earlier version, which only [`Store::open`]
    /// updates.
    pub fn reading(path: &Path) -> Result<Option<Store>, Error> {
        if !path.exists() {
            return Ok(None);
        }
        let connection = open_checked(path)?;
        if version(&connection).map_err(|error| failed_in(path, &error))? < VERSION {
            let message = format!("{} is of an earlier version: opening it for writing updates it", path.display());
            return Err(Error::new(ErrorCode::StoreRefused, message).reason("earlier_version"));
        }
        Ok(Some(Store { connection: Mutex::new(connection), path: Some(canonical(path)) }))
    }

    /// Creates or updates the tables.
    fn migrate(connection: Connection, path: Option<PathBuf>) -> Result<Store, Error> {
        let prepare = || -> rusqlite::Result<()> {
            connection.busy_timeout(BUSY_TIMEOUT)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            // Two processes may open a new file at the same time: one of them creates the tables.
            connection.execute_batch("BEGIN IMMEDIATE")?;
            let found = version(&connection)?;
            for (at, tables) in (1..).zip(MIGRATIONS).filter(|(at, _)| *at > found) {
                connection.execute_batch(tables)?;
                connection.pragma_update(None, "application_id", APPLICATION)?;
                connection.pragma_update(None, "user_version", at)?;
            }
            connection.execute_batch("COMMIT")
        };
        let attempt = || {
            prepare().inspect_err(|_| {
                if !connection.is_autocommit() {
                    // The next attempt starts a new transaction.
                    let _ = connection.execute_batch("ROLLBACK");
                }
            })
        };
        retry_while_busy(attempt)
            .map_err(|error| path.as_deref().map_or_else(|| failed(&error), |path| failed_in(path, &error)))?;
        connection.set_prepared_statement_cache_capacity(32);
        Ok(Store { connection: Mutex::new(connection), path })
    }

    /// The file; `None` in memory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        banmen_search::threads::lock(&self.connection)
    }

    /// Limits the size of the file, in bytes: larger writes fail as on a full disk.
    ///
    /// # Errors
    /// An error of the store.
    pub fn limit_size(&self, bytes: u64) -> Result<(), Error> {
        let connection = self.connection();
        let limit = || -> rusqlite::Result<()> {
            let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
            let pages = (bytes / page.unsigned_abs().max(1)).max(1) as i64;
            connection.pragma_update(None, "max_page_count", pages)
        };
        limit().map_err(|error| failed(&error))
    }
}

/// The path of the file itself: lock files are next to it, not next to a link to it.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The path with a suffix to its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from([path.as_os_str(), suffix.as_ref()].into_iter().collect::<OsString>())
}

/// Repeats an attempt while another process has the file locked. SQLite waits by itself, but not where two processes change
/// the journal mode of a new file.
fn retry_while_busy<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let start = Instant::now();
    loop {
        match attempt() {
            Err(error)
                if matches!(error.sqlite_error_code(), Some(SqliteCode::DatabaseBusy | SqliteCode::DatabaseLocked))
                    && start.elapsed() < BUSY_TIMEOUT =>
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

/// Opens a file for reading, and refuses it unless it is a store of this version or an earlier one. A refused file is not
/// changed. It is opened for writing only if a killed writer left a log that SQLite must recover. Where neither the file
/// nor its folder may be written, SQLite can read it only as a file that nobody writes.
fn open_checked(path: &Path) -> Result<Connection, Error> {
    if path.is_dir() {
        let message = format!("{} is a folder, not the file of a store", path.display());
        return Err(Error::new(ErrorCode::StoreFailed, message));
    }
    let numbers = |name: &OsStr, flags| -> rusqlite::Result<(Connection, [i64; 3])> {
        let connection = Connection::open_with_flags(name, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "query_only", true)?;
        // One consistent view: another process may be creating the tables.
        connection.execute_batch("BEGIN")?;
        let application = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let tables = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let numbers = [version(&connection)?, application, tables];
        connection.execute_batch("COMMIT")?;
        Ok((connection, numbers))
    };
    let opened = retry_while_busy(|| {
        let unwritable = |error: &rusqlite::Error| {
            matches!(error.sqlite_error_code(), Some(SqliteCode::ReadOnly | SqliteCode::CannotOpen))
        };
        let name = path.as_os_str();
        numbers(name, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .or_else(
                |error| {
                    if unwritable(&error) { numbers(name, OpenFlags::SQLITE_OPEN_READ_WRITE) } else { Err(error) }
                },
            )
            .or_else(|error| match immutable(path).filter(|_| unwritable(&error)) {
                Some(uri) => numbers(&uri, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI),
                None => Err(error),
            })
    });
    let (connection, [version, application, tables]) = opened.map_err(|error| failed_in(path, &error))?;
    if tables > 0 && application != APPLICATION {
        let message = format!("{} is a database of another program", path.display());
        return Err(Error::new(ErrorCode::StoreRefused, message).reason("foreign"));
    }
    if version > VERSION {
        let message = format!(
            "{} is of version {version}, and this program knows versions up to {VERSION}: a later banmen reads it",
            path.display()
        );
        return Err(Error::new(ErrorCode::StoreRefused, message).reason("later_version").arg("version", version));
    }
    Ok(connection)
}

/// The URI under which SQLite reads a file without locks and logs; `None` where a log has games that the file lacks.
fn immutable(path: &Path) -> Option<OsString> {
    if beside(path, "-wal").metadata().is_ok_and(|log| log.len() > 0) {
        return None;
    }
    let path = path.to_str()?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Some(format!("file:{path}?immutable=1").into())
}

/// An error of SQLite, with the path of the file.
fn failed_in(path: &Path, error: &rusqlite::Error) -> Error {
    let error = failed(error);
    Error { message: format!("{}: {}", path.display(), error.message), ..error }
}

/// An error of SQLite. Causes that a user can remove have codes of their own.
fn failed(error: &rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(SqliteCode::NotADatabase) => {
            Error::new(ErrorCode::StoreRefused, "the file is not a store").reason("unreadable")
        }
        Some(SqliteCode::DatabaseCorrupt) => damaged("the structure of its file is broken"),
        Some(SqliteCode::DiskFull) => {
            Error::new(ErrorCode::StoreFull, "the disk is full: the games stored so far are safe")
        }
        Some(SqliteCode::DatabaseBusy | SqliteCode::DatabaseLocked) => {
            Error::new(ErrorCode::StoreBusy, "another program writes to the store")
        }
        Some(SqliteCode::ReadOnly | SqliteCode::PermissionDenied) => {
            Error::new(ErrorCode::StoreFailed, "the store may not be written")
        }
        Some(SqliteCode::CannotOpen) => Error::new(ErrorCode::StoreFailed, "the file cannot be opened"),
        Some(SqliteCode::SystemIoFailure) => {
            Error::new(ErrorCode::StoreFailed, "the system cannot read or write the file")
        }
        // SQLite's general error: a table or a column is missing. The message of rusqlite contains the statement.
        Some(SqliteCode::Unknown) => damaged("its tables are not those of a store"),
        None if matches!(error, rusqlite::Error::SqlInputError { .. }) => {
            damaged("its tables are not those of a store")
        }
        Some(_) => {
            let code = error.sqlite_error().map_or(0, |error| error.extended_code);
            Error::new(ErrorCode::StoreFailed, format!("the store failed: {}", rusqlite::ffi::code_to_str(code)))
        }
        // A value of another type than its column's.
        None => damaged("a value cannot be read"),
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
    fn updates_a_store_of_an_earlier_version() {
        let connection = Connection::open_in_memory().expect("a database");
        connection.execute_batch(MIGRATIONS[0]).expect("the first tables");
        connection.pragma_update(None, "application_id", APPLICATION).expect("a mark");
        connection.pragma_update(None, "user_version", 1).expect("a version");
        connection
            .execute_batch("INSERT INTO event VALUES (1, 'tournament', 'old', 'tournament {}', 0)")
            .expect("an event");
        let store = Store::migrate(connection, None).expect("a store");
        assert_eq!(version(&store.connection()).expect("a version"), VERSION);
        assert_eq!(store.events().expect("events")[0].name, "old");
        assert_eq!(store.entrants(1).expect("nobody"), []);
    }
}
