//! A folder for one test.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// Empty at first, and removed with all that is in it when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// Another folder at each call; the name is for people who look for what a test left.
    pub(crate) fn new(name: &str) -> Folder {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let (own, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("banmen-arena-{name}-{own}-{number}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    /// Where the tests have their store.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("store.sqlite")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
