//! Who plays a match has it alone.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use banmen_catalog::{Error, ErrorCode};

use super::Store;

/// What the names of locks end with.
const LOCK: &str = ".lock";

/// Who looks whether something is played holds the file for far less than this.
const LOOK: Duration = Duration::from_millis(100);

/// A match or an event that this process has for itself, until this value goes or the process ends in whatever way.
#[must_use = "the lock is given back when this goes"]
pub struct Lock {
    /// Held for its lock: the system lets go of it with the file.
    _file: Option<File>,
    path: Option<PathBuf>,
}

impl Store {
    /// Keeps others off `what`, such as `match-7`: a file beside the store holds the lock.
    ///
    /// # Errors
    /// `match_busy` when another process has it, `store_failed` when the file cannot be made.
    pub fn lock(&self, what: &str) -> Result<Lock, Error> {
        let Some(path) = self.lock_path(what) else { return Ok(Lock { _file: None, path: None }) };
        let patience = Instant::now();
        let failed = |error: std::io::Error| Error::new(ErrorCode::StoreFailed, format!("{}: {error}", path.display()));
        loop {
            let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
            match file.try_lock() {
                // Its last holder may have removed the name in between: then the lock is on a file that nobody finds.
                Ok(()) if is_at(&file, &path) => return Ok(Lock { _file: Some(file), path: Some(path) }),
                Ok(()) => {}
                // Somebody may only be looking whether it is played.
                Err(TryLockError::WouldBlock) if patience.elapsed() < LOOK => std::thread::sleep(LOOK / 20),
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
    /// All that processes have for themselves now, such as `match-7`.
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

    /// A file may be left of a process that was killed: the lock on it is not.
    fn is_locked(&self, what: &str) -> bool {
        let file = self.lock_path(what).and_then(|path| File::open(path).ok());
        file.is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// The file that holds the lock; `None` in memory.
    fn lock_path(&self, what: &str) -> Option<PathBuf> {
        let store = self.path()?;
        let mut name = lock_prefix(store);
        name.push(what);
        name.push(LOCK);
        Some(store.with_file_name(name))
    }
}

/// What the names of a store's locks begin with.
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
        // While the lock is still held. Elsewhere an open file cannot be removed: it stays, empty.
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}
