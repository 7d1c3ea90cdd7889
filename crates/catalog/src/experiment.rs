//! What a game offers to be measured.

use banmen_search::{Clock, Limits};
use serde::Serialize;

/// A table of results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// The rows, as many cells each as there are columns.
    pub rows: Vec<Vec<String>>,
    /// Remarks below the table: what was measured how, and what was published.
    pub notes: Vec<String>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new<const N: usize>(columns: [&str; N]) -> Self {
        Table { columns: columns.map(str::to_owned).to_vec(), ..Table::default() }
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

/// What a measurement is run with.
pub struct Bench<'a> {
    /// Processor time of the measuring thread.
    pub clock: &'a dyn Clock,
    /// 1 for the experiment in full; smaller shrinks its samples in proportion, down to one.
    pub scale: f64,
    /// Seed of everything random.
    pub seed: u64,
    /// Takes the share that is done, 0 to 1.
    pub progress: &'a mut dyn FnMut(f64),
    /// Asks to break off; the table then holds what was measured.
    pub stop: &'a banmen_search::StopFlag,
}

impl Bench<'_> {
    /// `full` shrunk by the scale, at least `least`.
    #[must_use]
    pub fn count(&self, full: usize, least: usize) -> usize {
        ((full as f64 * self.scale).round() as usize).max(least)
    }
}

/// A match between two players of the game.
#[derive(Clone, Debug)]
pub struct FixedMatch {
    /// The player whose score is given.
    pub a: &'static str,
    /// Its opponent.
    pub b: &'static str,
    /// Games in full, two for each opening.
    pub games: usize,
    /// Random plies of each opening.
    pub plies: u32,
    /// Limits of both.
    pub limits: Limits,
}

/// What an experiment does.
pub enum Kind<G> {
    /// Calls a function of the game's own.
    Measure(fn(&G, &mut Bench<'_>) -> Table),
    /// Plays matches and gives their scores.
    Matches(&'static [FixedMatch]),
}

/// An experiment on a published claim.
pub struct Experiment<G> {
    /// Its name: `GAME-NAME`.
    pub id: &'static str,
    /// What it asks, in a line.
    pub title: &'static str,
    /// Where the claim was made.
    pub source: &'static str,
    /// What the source says.
    pub published: &'static str,
    /// What is done.
    pub kind: Kind<G>,
}
