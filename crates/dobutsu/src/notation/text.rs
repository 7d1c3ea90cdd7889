//! A reader of text, and a builder of positions.

use banmen_game::Side;

use super::{Fault, NotationError, Result};
use crate::board::Piece;
use crate::position::{Cell, Position, PositionError};

/// A text read character by character.
pub(super) struct Text {
    characters: Vec<char>,
    at: usize,
}

impl Text {
    pub(super) fn new(text: &str) -> Text {
        Text { characters: text.chars().collect(), at: 0 }
    }

    /// The number of characters read so far.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += 1;
        Some(character)
    }

    /// Consumes `character` if it comes next.
    pub(super) fn take(&mut self, character: char) -> bool {
        let taken = self.peek() == Some(character);
        self.at += usize::from(taken);
        taken
    }

    /// Consumes `word` if it comes next.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let length = word.chars().count();
        let taken = self.characters[self.at..].iter().copied().take(length).eq(word.chars());
        self.at += if taken { length } else { 0 };
        taken
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Reads up to the next whitespace.
    pub(super) fn word(&mut self) -> String {
        let begin = self.at;
        while self.peek().is_some_and(|character| !character.is_whitespace()) {
            self.at += 1;
        }
        quote(&self.characters[begin..self.at])
    }

    /// The remaining text, for an error message.
    pub(super) fn rest(&self) -> String {
        quote(&self.characters[self.at..])
    }

    /// The whole text, for an error message.
    pub(super) fn all(&self) -> String {
        quote(&self.characters)
    }

    /// Expects the end of the text; whitespace may precede it.
    pub(super) fn end(&mut self) -> Result<()> {
        self.skip_blanks();
        if self.peek().is_some() { self.fault(self.at, Fault::Trailing { found: self.rest() }) } else { Ok(()) }
    }

    /// Returns an error at a location.
    pub(super) fn fault<T>(&self, at: usize, fault: Fault) -> Result<T> {
        Err(NotationError { at, fault })
    }
}

/// A quotation of the text, shortened for error messages.
fn quote(characters: &[char]) -> String {
    let mut quoted: String = characters.iter().take(20).collect();
    if characters.len() > 20 {
        quoted.push('…');
    }
    quoted
}

/// The cells and hands read so far, with the location of each cell in the text.
#[derive(Default)]
pub(super) struct Draft {
    cells: [Cell; 12],
    places: [usize; 12],
    filled: usize,
    row: usize,
    /// Chicks, elephants, giraffes and lions in the hands of the first and the second side.
    pub(super) hands: [[u32; 4]; 2],
}

impl Draft {
    /// Adds the next cell of the row.
    pub(super) fn cell(&mut self, at: usize, cell: Cell) -> Result<()> {
        if self.row >= 4 {
            return Err(NotationError { at, fault: Fault::RowCount { found: 5 } });
        }
        if self.filled >= 3 {
            return Err(NotationError { at, fault: Fault::RowLength { row: self.row + 1, found: 4 } });
        }
        let index = 3 * self.row + self.filled;
        self.cells[index] = cell;
        self.places[index] = at;
        self.filled += 1;
        Ok(())
    }

    /// Ends the row.
    pub(super) fn end_row(&mut self, at: usize) -> Result<()> {
        if self.row >= 4 {
            return Err(NotationError { at, fault: Fault::RowCount { found: 5 } });
        }
        if self.filled != 3 {
            return Err(NotationError { at, fault: Fault::RowLength { row: self.row + 1, found: self.filled } });
        }
        self.row += 1;
        self.filled = 0;
        Ok(())
    }

    /// Ends the board after four rows.
    pub(super) fn end_board(&self, at: usize) -> Result<()> {
        if self.row == 4 { Ok(()) } else { Err(NotationError { at, fault: Fault::RowCount { found: self.row } }) }
    }

    /// Adds `count` pieces of a kind to a side's hand.
    pub(super) fn hold(&mut self, side: Side, piece: Piece, count: u32) {
        let held = &mut self.hands[side.index()][piece.captured().index()];
        *held = held.saturating_add(count);
    }

    /// Builds the position; `end` is the location for errors about missing parts.
    pub(super) fn position(&self, side: Side, end: usize) -> Result<Position> {
        Position::new(&self.cells, self.hands, side)
            .map_err(|error| NotationError { at: self.place(error).unwrap_or(end), fault: error.into() })
    }

    /// The location of the last piece of a kind that occurs too often.
    fn place(&self, error: PositionError) -> Option<usize> {
        let last = |wanted: &dyn Fn(Side, Piece) -> bool| {
            let at = self.cells.iter().rposition(|cell| cell.is_some_and(|(side, piece)| wanted(side, piece)))?;
            Some(self.places[at])
        };
        match error {
            PositionError::TwoLions { side } => last(&|owner, piece| owner == side && piece == Piece::Lion),
            PositionError::WrongCount { piece: kind, found } if found > 2 => last(&|_, piece| piece.captured() == kind),
            _ => None,
        }
    }
}
