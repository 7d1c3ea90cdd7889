//! The data directory: what games keep between runs.

use std::any::Any;
use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use banmen_search::threads::lock;
use etcetera::BaseStrategy;

use crate::error::without_control;
use crate::{Error, ErrorCode, HasTablebase, Progress, TableFile};

/// Keeps the bytes of tables where there are no files.
pub trait TableStore: Send + Sync {
    /// The bytes of the table with this name; `None` if there is none.
    fn load(&self, name: &str) -> Option<Vec<u8>>;

    /// Takes the bytes of a table that was built.
    fn keep(&self, name: &str, bytes: &[u8]);
}

/// The data directory, or memory where there is none. Clones share the tables that were opened.
#[derive(Clone, Default)]
pub struct Data {
    folder: Option<PathBuf>,
    /// What keeps the tables where there is no directory; without it they are in memory only.
    store: Option<Arc<dyn TableStore>>,
    /// Whether players may read the files that their keys name.
    files: bool,
    shared: Arc<Shared>,
}

/// How many files that were [kept](Data::keep_file) stay: one of 16 MiB for each would be half a gibibyte.
const MAX_KEPT: usize = 32;

/// How long a build waits for another process before it looks again.
const LOCK_POLL: Duration = Duration::from_millis(20);

#[derive(Default)]
struct Shared {
    /// The opened tables, by name.
    opened: Mutex<HashMap<&'static str, Opened>>,
    /// Held while a table is built in memory.
    building: Mutex<()>,
    /// The contents of files that were handed over, the newest last.
    kept: Mutex<Vec<(String, Arc<[u8]>)>>,
}

struct Opened {
    table: Arc<dyn Any + Send + Sync>,
    bytes: u64,
}

impl Data {
    /// Data in this directory, which is created when something is written.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Data {
        Data { folder: Some(folder.into()), ..Data::default() }
    }

    /// Data in memory: tables that are built are lost with the value and its clones. For platforms without files, and
    /// for tests.
    #[must_use]
    pub fn in_memory() -> Data {
        Data::default()
    }

    /// Data in memory, whose tables are also kept by the host of this code.
    #[must_use]
    pub fn kept_by(store: impl TableStore + 'static) -> Data {
        Data { store: Some(Arc::new(store)), ..Data::default() }
    }

    /// Data in the directory `banmen` where the platform keeps the data of a user's programs; `None` where the platform
    /// names no such place.
    #[must_use]
    pub fn platform() -> Option<Data> {
        etcetera::choose_base_strategy().ok().map(|base| Data::at(base.data_dir().join("banmen")))
    }

    /// The same data, but players may read the files that their keys name: for the owner of the machine. Without this a path
    /// from others is never opened.
    #[must_use]
    pub fn with_files(self) -> Data {
        Data { files: true, ..self }
    }

    /// What `parse` makes of a file of text that a player's key names.
    ///
    /// # Errors
    /// As [`Data::read_file`], `folder` when the file is not text in UTF-8, and the errors of `parse`, with the file's name.
    pub fn parse_file<T>(&self, path: &Path, parse: impl FnOnce(&str) -> Result<T, Error>) -> Result<T, Error> {
        let text = String::from_utf8(self.read_file(path)?);
        let text = text.map_err(|_| unreadable(path, "it is not text in UTF-8"))?;
        parse(&text).map_err(|error| {
            let message = format!("{}: {}", path.display(), error.message);
            Error { message, ..error }
        })
    }

    /// Reads a file that a player's key names.
    ///
    /// # Errors
    /// `files_not_allowed`, or `folder` with the error of the system, or when the file is longer than 16 MiB.
    pub fn read_file(&self, path: &Path) -> Result<Vec<u8>, Error> {
        /// In bytes.
        const LONGEST: u64 = 16 << 20;
        if let Some((_, contents)) = self.kept().iter().find(|(name, _)| path.as_os_str() == name.as_str()) {
            return Ok(contents.to_vec());
        }
        if !self.files {
            return Err(Error::new(ErrorCode::FilesNotAllowed, "players may not name files here"));
        }
        let failed = |error: io::Error| unreadable(path, &error.to_string());
        let mut bytes = Vec::new();
        let length =
            File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)).map_err(failed)?;
        if length as u64 > LONGEST {
            return Err(unreadable(path, "it is longer than 16 MiB"));
        }
        Ok(bytes)
    }

    /// Keeps the contents of a file, so that players may name it, whether or not they may read files: for machines that are
    /// sent what players name. The newest ones stay.
    pub fn keep_file(&self, name: &str, contents: Arc<[u8]>) {
        let mut kept = self.kept();
        kept.retain(|(known, _)| known != name);
        kept.push((name.to_owned(), contents));
        let spare = kept.len().saturating_sub(MAX_KEPT);
        kept.drain(..spare);
    }

    fn kept(&self) -> MutexGuard<'_, Vec<(String, Arc<[u8]>)>> {
        lock(&self.shared.kept)
    }

    /// The directory; `None` for data in memory.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The table of these rules, opened once.
    ///
    /// # Errors
    /// `table_missing` when it was never built, `table_refused` when the file is not that table, `unsupported` when the
    /// rules have none.
    pub fn table<G: HasTablebase>(&self, game: &G) -> Result<Arc<G::Table>, Error> {
        let name = game.table_name()?;
        if let Some(table) = self.opened().get(name).and_then(|opened| Arc::clone(&opened.table).downcast().ok()) {
            return Ok(table);
        }
        // Read without the lock: it takes a while, and other threads may need another table.
        let bytes = match (self.folder(), &self.store) {
            (Some(folder), _) => read_table(folder, name)?,
            (None, store) => store.as_ref().and_then(|store| store.load(name)),
        };
        self.open(game, name, bytes.ok_or_else(|| table_missing(name))?)
    }

    /// Builds the table of these rules with at most `threads` threads, if it is missing or if `rebuild`. One process at
    /// a time builds a table; a process that waited for another takes the table that the other one wrote, unless
    /// `rebuild`. Where there is a directory, `progress` is first called when the file can be written.
    ///
    /// # Errors
    /// `stopped` when `progress` stopped the work, `data_folder` when the file cannot be written, `table_refused` when there
    /// is a file that is not the table, `unsupported` when the rules have no table.
    pub fn build<G: HasTablebase>(
        &self,
        game: &G,
        threads: usize,
        rebuild: bool,
        progress: Progress<'_>,
    ) -> Result<TableFile, Error> {
        let name = game.table_name()?;
        let Some(folder) = self.folder() else {
            return self.build_in_memory(game, name, threads, rebuild, progress);
        };
        let path = table_path(folder, name);
        let failed = |error: io::Error| {
            Error::new(
                ErrorCode::DataFolder,
                format!("the table {name} cannot be written to {}: {error}", folder.display()),
            )
        };
        fs::create_dir_all(folder).map_err(failed)?;
        // Held until it is dropped, or until the process ends, however it does.
        let lock = File::create(folder.join(format!("{name}.lock"))).map_err(failed)?;
        begin(progress)?;
        while let Err(error) = lock.try_lock() {
            match error {
                TryLockError::WouldBlock => {
                    begin(progress)?;
                    std::thread::sleep(LOCK_POLL);
                }
                TryLockError::Error(error) => return Err(failed(error)),
            }
        }
        if !rebuild && path.exists() {
            self.table(game)?;
        } else {
            let bytes = game.build_table(threads, progress)?;
            replace_file(&path, &bytes).map_err(failed)?;
            self.opened().remove(name);
        }
        let bytes = fs::metadata(&path).map_err(failed)?.len();
        Ok(TableFile { name, path: Some(path), bytes })
    }

    fn build_in_memory<G: HasTablebase>(
        &self,
        game: &G,
        name: &'static str,
        threads: usize,
        rebuild: bool,
        progress: Progress<'_>,
    ) -> Result<TableFile, Error> {
        let _building = lock(&self.shared.building);
        // One that is refused is built anew.
        let known = !rebuild && self.table(game).is_ok();
        let kept = self.opened().get(name).map(|opened| opened.bytes);
        let bytes = match kept {
            Some(bytes) if known => bytes,
            _ => {
                let table = game.build_table(threads, progress)?;
                let bytes = table.len() as u64;
                if let Some(store) = &self.store {
                    store.keep(name, &table);
                }
                self.open(game, name, table)?;
                bytes
            }
        };
        Ok(TableFile { name, path: None, bytes })
    }

    /// Opens a table and keeps it.
    fn open<G: HasTablebase>(&self, game: &G, name: &'static str, bytes: Vec<u8>) -> Result<Arc<G::Table>, Error> {
        let size = bytes.len() as u64;
        let table = Arc::new(game.open_table(bytes).map_err(|reason| refused(name, &reason))?);
        self.opened().insert(name, Opened { table: Arc::clone(&table) as Arc<dyn Any + Send + Sync>, bytes: size });
        Ok(table)
    }

    fn opened(&self) -> MutexGuard<'_, HashMap<&'static str, Opened>> {
        lock(&self.shared.opened)
    }
}

/// Reports that a table is going to be built, or waited for.
fn begin(progress: Progress<'_>) -> Result<(), Error> {
    match progress(0.0) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::new(ErrorCode::Stopped, "the construction of the table was stopped")),
    }
}

fn table_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.table"))
}

/// Writes a file, which is made or replaced as a whole: a reader finds all the bytes or what was there before, also after a
/// power cut. Two may not write the same file at once.
///
/// # Errors
///
/// Those of the file system. The file is as before.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".part");
    let written = File::create(&unfinished)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// The bytes of a table in this directory; `None` if there is none.
fn read_table(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(table_path(folder, name)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(refused(name, &error.to_string())),
    }
}

/// There is no such table.
pub(crate) fn table_missing(name: &str) -> Error {
    Error::new(ErrorCode::TableMissing, format!("the table {name} has not been built")).arg("table", name)
}

/// The file exists and is not the table.
fn refused(name: &str, reason: &str) -> Error {
    Error::new(ErrorCode::TableRefused, format!("the table {name} is refused: {reason}")).arg("table", name)
}

/// The error for a file that a player's key names.
fn unreadable(path: &Path, why: &str) -> Error {
    let path = without_control(path.display().to_string());
    Error::new(ErrorCode::Folder, format!("{path} cannot be read: {why}")).arg("path", path)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::test_game::Row;
    use crate::{AnyGame, Entry};

    fn game(data: &Data) -> impl AnyGame + use<> {
        Entry::new("row", Row { cells: 3 })
            .rules("long", Row { cells: 4 })
            .rules("endless", Row { cells: 5 })
            .solver(|state, _, _, data, _| {
                data.table(state.game())?;
                Ok(crate::Solution { nodes: 1, ..crate::Solution::default() })
            })
            .tablebases()
            .build(data)
    }

    fn solve(game: &dyn AnyGame, rules: Option<&str>) -> Result<crate::Solution, Error> {
        let task = crate::SolveTask {
            limits: banmen_search::Limits::default(),
            clock: &crate::WallClock::default(),
            stop: &banmen_search::StopFlag::default(),
            threads: 1,
            table: crate::SolveTask::TABLE,
        };
        let state = game.state(rules, None)?;
        game.solver().expect("a solver").solve(state.as_ref(), false, &task, &mut |_| {})
    }

    #[test]
    fn keeps_a_built_table_in_memory_without_a_directory() {
        let data = Data::in_memory();
        let (one, another) = (game(&data), game(&data));
        let missing = solve(&one, None).expect_err("nothing is built");
        assert_eq!(
            (missing.code, missing.message.as_str()),
            (ErrorCode::TableMissing, "the table row-three has not been built")
        );
        let built = AtomicUsize::new(0);
        let build = |rebuild| {
            let progress = |_| {
                built.fetch_add(1, Ordering::Relaxed);
                ControlFlow::Continue(())
            };
            one.tablebases().expect("tables").build(None, 1, rebuild, &progress).expect("memory is always there")
        };
        for (rebuild, builds) in [(false, 1), (false, 1), (true, 2)] {
            let file = build(rebuild);
            assert_eq!((file.name, file.path, file.bytes), ("row-three", None, 2));
            assert_eq!(built.load(Ordering::Relaxed), builds);
        }
        // Every game of a catalog shares what was opened.
        assert_eq!(solve(&another, None).expect("the table").nodes, 1);
        let census = another.tablebases().expect("tables").census(None, 1, &|_| ControlFlow::Continue(()));
        assert_eq!(census.expect("a census").rows, [["3"]]);
        assert_eq!(solve(&game(&Data::in_memory()), None).expect_err("other data").code, ErrorCode::TableMissing);
    }

    #[test]
    fn hands_a_built_table_to_the_store_of_its_host() {
        #[derive(Clone, Default)]
        struct Kept(Arc<Mutex<HashMap<String, Vec<u8>>>>);

        impl TableStore for Kept {
            fn load(&self, name: &str) -> Option<Vec<u8>> {
                self.0.lock().expect("no test panics").get(name).cloned()
            }

            fn keep(&self, name: &str, bytes: &[u8]) {
                self.0.lock().expect("no test panics").insert(name.to_owned(), bytes.to_owned());
            }
        }

        let kept = Kept::default();
        let build = |rebuild| {
            let built = AtomicUsize::new(0);
            let progress = |_| {
                built.fetch_add(1, Ordering::Relaxed);
                ControlFlow::Continue(())
            };
            let game = game(&Data::kept_by(kept.clone()));
            let file = game.tablebases().expect("tables").build(None, 1, rebuild, &progress).expect("a store");
            assert_eq!((file.name, file.path, file.bytes), ("row-three", None, 2));
            (game, built.into_inner())
        };
        let fresh = || game(&Data::kept_by(kept.clone()));
        assert_eq!(solve(&fresh(), None).expect_err("nothing is built").code, ErrorCode::TableMissing);
        let (one, built) = build(false);
        assert_eq!((solve(&one, None).expect("the table").nodes, built), (1, 1));
        // Another module of the same host has it without building.
        assert_eq!(solve(&fresh(), None).expect("the table").nodes, 1);
        assert_eq!((build(false).1, build(true).1), (0, 1));
        // A damaged one is refused, and built anew.
        let name = kept.0.lock().expect("no test panics").keys().next().cloned().expect("a table");
        kept.keep(&name, b"something else");
        assert_eq!(solve(&fresh(), None).expect_err("damaged").code, ErrorCode::TableRefused);
        assert_eq!(build(false).1, 1);
        assert_eq!(solve(&fresh(), None).expect("the table").nodes, 1);
    }

    #[test]
    fn names_game_and_rules_of_a_missing_table() {
        let game = game(&Data::in_memory());
        let error = solve(&game, Some("long")).expect_err("nothing is built");
        assert_eq!((error.args["game"].as_str(), error.args["rules"].as_str()), (Some("row"), Some("long")));
        let error = solve(&game, None).expect_err("nothing is built");
        assert!(error.args["game"] == "row" && error.args.get("rules").is_none(), "{error:?}");
        assert_eq!(solve(&game, Some("endless")).expect_err("no table").code, ErrorCode::Unsupported);
    }

    #[test]
    fn reads_files_only_where_that_is_allowed() {
        let path = std::env::temp_dir().join(format!("banmen-data-{}.txt", std::process::id()));
        fs::write(&path, "text").expect("a file");
        let refused = Data::in_memory().read_file(&path).expect_err("files are not allowed");
        assert_eq!(
            (refused.code, refused.message.as_str()),
            (ErrorCode::FilesNotAllowed, "players may not name files here")
        );
        let data = Data::in_memory().with_files();
        assert_eq!(data.parse_file(&path, |text| Ok(text.len())), Ok(4));
        let refused = data.parse_file(&path, |_| Err::<(), _>(Error::new(ErrorCode::BadRatings, "line 1: no table")));
        let refused = refused.expect_err("it is no table");
        assert_eq!(refused.message, format!("{}: line 1: no table", path.display()));
        fs::remove_file(&path).expect("it was there");
        let missing = data.read_file(&path).expect_err("it was removed");
        assert!(missing.code == ErrorCode::Folder && missing.message.contains("cannot be read: "), "{missing}");
    }

    #[test]
    fn waits_for_another_build_and_keeps_a_file_that_is_refused() {
        let folder = std::env::temp_dir().join(format!("banmen-tables-{}", std::process::id()));
        let game = || game(&Data::at(folder.clone()));
        let build = |rebuild, flow: ControlFlow<()>| {
            game().tablebases().expect("tables").build(None, 1, rebuild, &move |_| flow)
        };
        let path = build(false, ControlFlow::Continue(())).expect("a folder").path.expect("a file");
        let lock = File::open(path.with_extension("lock")).expect("the file of the lock");
        lock.lock().expect("nobody builds");
        let stopped = build(false, ControlFlow::Break(())).expect_err("another process builds");
        assert_eq!(stopped.code, ErrorCode::Stopped);
        lock.unlock().expect("it was locked");

        fs::write(&path, "something else").expect("a file");
        let refused = build(false, ControlFlow::Continue(())).expect_err("this is no table");
        assert_eq!(refused.code, ErrorCode::TableRefused);
        assert_eq!(fs::read(&path).expect("it is kept"), b"something else");
        build(true, ControlFlow::Continue(())).expect("it is asked for");
        assert_eq!(solve(&game(), None).expect("the table").nodes, 1);
        fs::remove_dir_all(&folder).expect("it was there");
    }

    #[test]
    fn leaves_no_table_when_a_build_is_stopped() {
        let game = game(&Data::in_memory());
        let stopped = game.tablebases().expect("tables").build(None, 1, false, &|_| ControlFlow::Break(()));
        assert_eq!(stopped.expect_err("it was stopped").code, ErrorCode::Stopped);
        assert_eq!(solve(&game, None).expect_err("nothing is built").code, ErrorCode::TableMissing);
    }
}
