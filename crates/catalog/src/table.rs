//! Tables to be printed.

use serde::Serialize;

/// A table of results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResultTable {
    /// Column headings.
    pub columns: Vec<String>,
    /// The rows, as many cells each as there are columns.
    pub rows: Vec<Vec<String>>,
    /// Remarks below the table: what was measured, how, and what was published.
    pub notes: Vec<String>,
}

impl ResultTable {
    /// An empty table with these columns.
    pub fn new<const N: usize>(columns: [&str; N]) -> Self {
        ResultTable { columns: columns.map(str::to_owned).to_vec(), ..ResultTable::default() }
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    /// Adds a remark.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}
