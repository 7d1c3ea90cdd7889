//! The data folder: what games keep between runs.

use std::any::Any;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use banmen_game::Game;
use etcetera::BaseStrategy;
use serde::Serialize;

use crate::{Error, ErrorCode, Table};

/// A game that is solved by a table: a file in the data folder, one for each variant of the rules that has one.
pub trait Tabled: Game {
    /// The table, opened.
    type Table: Send + Sync + 'static;

    /// What the table of these rules is called, as a file is: `GAME-RULES`.
    ///
    /// # Errors
    /// `unsupported`, with the reason, where these rules have no table.
    fn table_name(&self) -> Result<&'static str, Error>;

    /// Opens the table in a file's bytes.
    ///
    /// # Errors
    /// Why the bytes are not the table of these rules.
    fn open_table(&self, bytes: Vec<u8>) -> Result<Self::Table, String>;

    /// Makes the bytes of the table, with so many threads. `progress` is told the share that is done, 0 to 1, and may
    /// break off.
    ///
    /// # Errors
    /// `stopped` when it was broken off.
    fn build_table(&self, threads: usize, progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync))
    -> Result<Vec<u8>, Error>;

    /// Counts the positions of the game by what the table knows of them. `progress` as above.
    ///
    /// # Errors
    /// `stopped` when it was broken off; `unsupported` where these rules have no census.
    fn census(
        &self,
        table: &Self::Table,
        threads: usize,
        progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<Table, Error>;
}

/// A table as it lies in the data folder.
#[derive(Clone, Debug, Serialize)]
pub struct TableFile {
    /// What it is called.
    pub name: &'static str,
    /// Where it lies.
    pub path: PathBuf,
    /// How many bytes it has.
    pub bytes: u64,
}

/// The data folder. Copies share what was opened.
#[derive(Clone, Default)]
pub struct Data {
    folder: Option<PathBuf>,
    opened: Arc<Mutex<HashMap<&'static str, Arc<dyn Any + Send + Sync>>>>,
}

impl Data {
    /// This folder; it is made when something is written.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Data {
        Data { folder: Some(folder.into()), ..Data::default() }
    }

    /// Where the platform keeps the data of a user's programs, in a folder `banmen`; no folder where it names none.
    #[must_use]
    pub fn platform() -> Data {
        etcetera::choose_base_strategy()
            .map_or_else(|_| Data::default(), |base| Data::at(base.data_dir().join("banmen")))
    }

    /// Where a file of this name lies in the folder; `None` without a folder.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        self.folder.as_deref().map(|folder: &Path| folder.join(name))
    }

    /// The table of these rules, opened once.
    ///
    /// # Errors
    /// `table_missing` when it was never built, `table_refused` when the file is not that table, `unsupported` when the
    /// rules have none.
    pub fn table<G: Tabled>(&self, game: &G) -> Result<Arc<G::Table>, Error> {
        let name = game.table_name()?;
        let opened = || self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = opened().get(name).and_then(|table| Arc::clone(table).downcast().ok()) {
            return Ok(table);
        }
        let missing =
            || Error::new(ErrorCode::TableMissing, format!("the table {name} has not been built")).arg("table", name);
        // Not under the lock: reading takes its time, and others may want another table.
        let bytes = match fs::read(self.path(name).ok_or_else(missing)?) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Err(missing());
            }
            Err(error) => return Err(refused(name, &error.to_string())),
        };
        let table = Arc::new(game.open_table(bytes).map_err(|reason| refused(name, &reason))?);
        opened().insert(name, Arc::clone(&table) as Arc<dyn Any + Send + Sync>);
        Ok(table)
    }

    /// Builds the table of these rules into the folder, over one that is there. One process at a time builds a table;
    /// who waited for another takes what that one wrote, unless it was asked to build `anew`.
    ///
    /// # Errors
    /// `stopped` when `progress` broke off, `data_folder` when the file cannot be written, `unsupported` when the rules
    /// have none.
    pub fn build<G: Tabled>(
        &self,
        game: &G,
        anew: bool,
        progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<TableFile, Error> {
        let name = game.table_name()?;
        let Some((folder, path)) = self.folder.as_deref().zip(self.path(name)) else {
            return Err(Error::new(
                ErrorCode::DataFolder,
                "this system names no folder for data: `--data FOLDER` does",
            ));
        };
        let failed = |error: io::Error| {
            Error::new(
                ErrorCode::DataFolder,
                format!("the table {name} cannot be written to {}: {error}", folder.display()),
            )
        };
        fs::create_dir_all(folder).map_err(failed)?;
        // Held until it goes out of scope, or the process ends in whatever way.
        let lock = File::create(folder.join(format!("{name}.lock"))).map_err(failed)?;
        lock.lock().map_err(failed)?;
        if anew || !path.exists() {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let bytes = game.build_table(threads, progress)?;
            // Who reads the name finds a whole table or none, also after a power cut.
            let unfinished = folder.join(format!("{name}.part"));
            let written = File::create(&unfinished)
                .and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_all()))
                .and_then(|()| fs::rename(&unfinished, &path));
            if let Err(error) = written {
                let _ = fs::remove_file(&unfinished);
                return Err(failed(error));
            }
            self.opened.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        }
        let bytes = fs::metadata(&path).map_err(failed)?.len();
        Ok(TableFile { name, path, bytes })
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.file(&format!("{name}.table"))
    }
}

/// The file is there, and is not the table.
fn refused(name: &str, reason: &str) -> Error {
    Error::new(ErrorCode::TableRefused, format!("the table {name} is refused: {reason}")).arg("table", name)
}
