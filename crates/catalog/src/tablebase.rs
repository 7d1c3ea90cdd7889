//! Games that are solved by a table in the data directory.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use banmen_game::Game;
use serde::Serialize;

use crate::variants::Variants;
use crate::{Error, ResultTable};

/// Receives the share of a long computation that is done, 0 to 1, and may stop it. It is called from any thread.
pub type Progress<'a> = &'a (dyn Fn(f64) -> ControlFlow<()> + Sync);

/// Rules that are solved by a table: one file in the data directory for each variant that has one.
pub trait HasTablebase: Game {
    /// The table, opened.
    type Table: Send + Sync + 'static;

    /// The name of the table of these rules, which is part of a file name: `GAME-RULES`.
    ///
    /// # Errors
    /// `unsupported`, with the reason, where these rules have no table.
    fn table_name(&self) -> Result<&'static str, Error>;

    /// Opens the table in a file's bytes.
    ///
    /// # Errors
    /// Why the bytes are not the table of these rules.
    fn open_table(&self, bytes: Vec<u8>) -> Result<Self::Table, String>;

    /// Computes the bytes of the table, with at most `threads` threads.
    ///
    /// # Errors
    /// `stopped` when `progress` stopped it.
    fn build_table(&self, threads: usize, progress: Progress<'_>) -> Result<Vec<u8>, Error>;

    /// Counts the positions of the game by their values in the table.
    ///
    /// # Errors
    /// `stopped` when `progress` stopped it; `unsupported` where these rules have no census.
    fn census(&self, table: &Self::Table, threads: usize, progress: Progress<'_>) -> Result<ResultTable, Error>;
}

/// A table that was built.
#[derive(Clone, Debug, Serialize)]
pub struct TableFile {
    /// The name of the table.
    pub name: &'static str,
    /// The file; `None` for a table that is kept in memory only.
    pub path: Option<PathBuf>,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The tables by which a game is solved.
pub trait Tablebases: Send + Sync {
    /// Builds the table of the named rules (`None`: the default ones) if it is missing, or in any case if `rebuild`.
    /// `threads` is the number of threads that it may use, at least 1.
    ///
    /// # Errors
    /// `unknown_rules`, `unsupported` where these rules have no table, `stopped`, or `data_folder` when the file cannot
    /// be written.
    fn build(
        &self,
        rules: Option<&str>,
        threads: usize,
        rebuild: bool,
        progress: Progress<'_>,
    ) -> Result<TableFile, Error>;

    /// Counts the positions of the game under the named rules by their values in the table.
    ///
    /// # Errors
    /// As for [`Tablebases::build`], and `table_missing`.
    fn census(&self, rules: Option<&str>, threads: usize, progress: Progress<'_>) -> Result<ResultTable, Error>;
}

/// The tables of a game of type `G`.
pub(crate) struct ErasedTablebases<G>(pub(crate) Arc<Variants<G>>);

impl<G: HasTablebase> Tablebases for ErasedTablebases<G> {
    fn build(
        &self,
        rules: Option<&str>,
        threads: usize,
        rebuild: bool,
        progress: Progress<'_>,
    ) -> Result<TableFile, Error> {
        self.0.data.build(self.0.get(rules)?, threads, rebuild, progress)
    }

    fn census(&self, rules: Option<&str>, threads: usize, progress: Progress<'_>) -> Result<ResultTable, Error> {
        let game = self.0.get(rules)?;
        let table = self.0.data.table(game).map_err(|error| self.0.locate(error))?;
        game.census(table.as_ref(), threads, progress)
    }
}
