//! Locks: a match or an event is played by one process at a time.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use banmen_catalog::{Error, ErrorCode};

use super::{Store, beside, canonical};
use crate::LockName;

/// The extension of lock files.
const LOCK: &str = ".lock";

/// A process that only checks a lock holds it for much less time than this.
const CHECK_TIME: Duration = Duration::from_millis(100);

/// The exclusive right to play a match or an event. Released when the value is dropped or the process ends.
#[must_use = "the lock is released when this is dropped"]
pub struct Lock {
    /// The operating system releases the lock when the file is closed.
    _file: Option<File>,
    path: Option<PathBuf>,
}

impl Store {
    /// Locks `what` through a file next to the store.
    ///
    /// # Errors
    /// `match_busy` when another process holds the lock, `store_failed` when the file cannot be created.
    pub fn lock(&self, what: &LockName) -> Result<Lock, Error> {
        let Some(path) = self.lock_path(what) else { return Ok(Lock { _file: None, path: None }) };
        let start = Instant::now();
        let failed = |error: std::io::Error| Error::new(ErrorCode::StoreFailed, format!("{}: {error}", path.display()));
        loop {
            let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
            match file.try_lock() {
                // The last holder may have removed the name in between: a lock on an unnamed file excludes nobody.
                Ok(()) if is_at(&file, &path) => return Ok(Lock { _file: Some(file), path: Some(path) }),
                Ok(()) => {}
                // Another process may be only checking the lock.
                Err(TryLockError::WouldBlock) if start.elapsed() < CHECK_TIME => std::thread::sleep(CHECK_TIME / 20),
                Err(TryLockError::WouldBlock) => return Err(busy(what)),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }
}

impl Store {
    /// Everything that is locked now.
    #[must_use]
    pub fn locked(&self) -> Vec<LockName> {
        self.path().map_or_else(Vec::new, locked)
    }

    /// The path of the lock file; `None` for a store in memory.
    fn lock_path(&self, what: &LockName) -> Option<PathBuf> {
        Some(beside(self.path()?, &format!(".{what}{LOCK}")))
    }
}

/// Refuses a store of which something is locked, whether the store can be opened or not.
///
/// # Errors
/// `match_busy`.
pub(super) fn refuse_locked(store: &Path) -> Result<(), Error> {
    locked(&canonical(store)).first().map_or(Ok(()), |what| Err(busy(what)))
}

/// Everything that is locked now of the store of this file.
fn locked(store: &Path) -> Vec<LockName> {
    let (Some(folder), Some(name)) = (store.parent(), store.file_name()) else { return Vec::new() };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let prefix = format!("{}.", name.to_string_lossy());
    let names = fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let what = read(name.strip_prefix(&prefix)?.strip_suffix(LOCK)?)?;
        is_locked(&entry.path()).then_some(what)
    });
    names.collect()
}

/// Reads the name of a lock as it is written; `None` for any other text.
fn read(text: &str) -> Option<LockName> {
    let (kind, which) = text.split_once('-')?;
    Some(match kind {
        "match" => LockName::Match(which.parse().ok()?),
        "event" => LockName::Event(which.parse().ok()?),
        "tuning" => LockName::Tuning(which.parse().ok()?),
        "experiment" => LockName::Experiment(which.to_owned()),
        _ => return None,
    })
}

/// Whether a process holds the lock of a lock file. A killed process leaves the file, but not its lock.
fn is_locked(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn busy(what: &LockName) -> Error {
    let message = format!("another process is playing {}", what.to_string().replacen('-', " ", 1));
    Error::new(ErrorCode::MatchBusy, message).arg("what", what.to_string())
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |data: std::io::Result<fs::Metadata>| data.map(|data| (data.dev(), data.ino())).ok();
    number(file.metadata()).is_some_and(|inside| number(fs::metadata(path)) == Some(inside))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while the lock is held. Where an open file cannot be removed it stays, empty.
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}
