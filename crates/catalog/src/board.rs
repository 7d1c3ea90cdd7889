//! The board of a position as data to draw, in one form for all games.

use banmen_game::{Game, GameState, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A name in the languages of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LocalizedName {
    /// English.
    pub en: &'static str,
    /// Japanese.
    pub ja: &'static str,
}

/// The name of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SideName {
    /// The side that moves first from the game's start.
    First,
    /// The other one.
    Second,
}

impl From<Side> for SideName {
    fn from(side: Side) -> Self {
        match side {
            Side::First => SideName::First,
            Side::Second => SideName::Second,
        }
    }
}

impl From<SideName> for Side {
    fn from(name: SideName) -> Self {
        match name {
            SideName::First => Side::First,
            SideName::Second => Side::Second,
        }
    }
}

impl SideName {
    /// `first` or `second`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Side::from(self).name()
    }
}

/// One cell of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cell {
    /// The cell's name in the game's notation.
    pub at: String,
    /// The piece on the cell, in a word of the game's own; none on an empty cell.
    pub piece: Option<&'static str>,
    /// The side that owns the piece.
    pub owner: Option<SideName>,
    /// What is to be marked: `legal` (the cell's name is a legal move), `last` (the last move's), `flipped` and others
    /// of the game's own.
    pub tags: Vec<&'static str>,
    /// The terrain of the cell, in a word of the game's own; absent from JSON in games without terrain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terrain: Option<&'static str>,
    /// A short text written in the cell, such as the strength of the unit there; absent from JSON where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// The board of a position, as the page and other pictures draw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Board {
    /// Cells in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// All cells, row by row from the top left.
    pub cells: Vec<Cell>,
    /// What each side holds in hand, the first side first; empty in games without hands.
    pub hands: Vec<Vec<String>>,
    /// Small facts of the game's own, such as disc counts.
    pub extra: Map<String, Value>,
}

impl Board {
    /// A board of empty cells, each with its name.
    pub fn empty(width: usize, height: usize, name: impl Fn(usize, usize) -> String) -> Self {
        let cells = (0..height)
            .flat_map(|row| (0..width).map(move |column| (column, row)))
            .map(|(column, row)| Cell { at: name(column, row), ..Cell::default() })
            .collect();
        Board { width, height, cells, ..Board::default() }
    }

    /// Puts a piece on cell `index`, counted row by row. An index outside the board changes nothing.
    pub fn put(&mut self, index: usize, piece: &'static str, owner: Side) {
        if let Some(cell) = self.cells.get_mut(index) {
            cell.piece = Some(piece);
            cell.owner = Some(owner.into());
        }
    }

    /// Sets the terrain of cell `index`. An index outside the board changes nothing.
    pub fn set_terrain(&mut self, index: usize, terrain: &'static str) {
        if let Some(cell) = self.cells.get_mut(index) {
            cell.terrain = Some(terrain);
        }
    }

    /// Writes a text in cell `index`. An index outside the board changes nothing.
    pub fn set_label(&mut self, index: usize, label: impl Into<String>) {
        if let Some(cell) = self.cells.get_mut(index) {
            cell.label = Some(label.into());
        }
    }

    /// Marks cell `index`. An index outside the board changes nothing.
    pub fn tag(&mut self, index: usize, tag: &'static str) {
        if let Some(cell) = self.cells.get_mut(index) {
            cell.tags.push(tag);
        }
    }
}

/// A game that can be drawn.
pub trait View: Game {
    /// The board of the state's position. The caller marks the legal cells.
    fn board(&self, state: &GameState<Self>) -> Board;
}
