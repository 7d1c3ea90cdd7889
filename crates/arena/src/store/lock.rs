//! Who plays a match has it alone.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use banmen_catalog::Error;

use super::Store;

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
        let Some(store) = self.path() else { return Ok(Lock { _file: None, path: None }) };
        let mut name = store.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{what}.lock"));
        let path = store.with_file_name(name);
        let failed = |error: std::io::Error| Error::new("store_failed", format!("{}: {error}", path.display()));
        loop {
            let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
            match file.try_lock() {
                // Its last holder may have removed the name in between: then the lock is on a file that nobody finds.
                Ok(()) if is_at(&file, &path) => return Ok(Lock { _file: Some(file), path: Some(path) }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let message = format!("another process is playing {}", what.replace('-', " "));
                    return Err(Error::new("match_busy", message).arg("what", what));
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }
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
