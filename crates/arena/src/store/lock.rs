//! Locks: a match or an event is played by one process at a time.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use banmen_catalog::{Error, ErrorCode};

use super::Store;

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
    /// Locks `what`, such as `match-7`, through a file next to the store.
    ///
    /// # Errors
    /// `match_busy` when another process holds the lock, `store_failed` when the file cannot be created.
    pub fn lock(&self, what: &str) -> Result<Lock, Error> {
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
                Err(TryLockError::WouldBlock) => {
                    let message = format!("another process is playing {}", what.replace('-', " "));
                    return Err(Error::new(ErrorCode::MatchBusy, message).arg("what", what));
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }
}

impl Store {
    /// Everything that is locked now, such as `match-7`.
    #[must_use]
    pub fn locked(&self) -> Vec<String> {
        let Some((folder, prefix)) = self.path().and_then(|path| Some((path.parent()?, lock_prefix(path)))) else {
            return Vec::new();
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let names = fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_prefix(&*prefix.to_string_lossy())?.strip_suffix(LOCK)?.to_owned())
        });
        names.filter(|what| self.is_locked(what)).collect()
    }

    /// Whether a process holds the lock. A killed process leaves the file, but not its lock.
    fn is_locked(&self, what: &str) -> bool {
        let file = self.lock_path(what).and_then(|path| File::open(path).ok());
        file.is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// The path of the lock file; `None` for a store in memory.
    fn lock_path(&self, what: &str) -> Option<PathBuf> {
        let store = self.path()?;
        let mut name = lock_prefix(store);
        name.push(what);
        name.push(LOCK);
        Some(store.with_file_name(name))
    }
}

/// The start of the names of a store's lock files.
fn lock_prefix(store: &Path) -> OsString {
    let mut name = store.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name
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
