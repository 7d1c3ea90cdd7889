//! A made-up game for the tests of this crate.

use std::cell::Cell;
use std::ops::ControlFlow;

use banmen_game::{Game, GameState, Notation, Outcome, Side, TextError};

use crate::{Board, Error, ErrorCode, HasTablebase, Progress, ResultTable, View};

/// A row of at most 64 cells that the sides take in turn; the side that takes the last one wins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) cells: u8,
}

thread_local! {
    /// How often the moves of a position were listed on this thread.
    pub(crate) static LISTINGS: Cell<usize> = const { Cell::new(0) };
}

impl Game for Row {
    /// A bit for each cell that is taken.
    type Position = u64;
    type Move = u8;
    type History = ();

    fn start(&self) -> u64 {
        0
    }

    fn side_to_move(&self, taken: &u64) -> Side {
        if taken.count_ones().is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn outcome(&self, taken: &u64, (): &()) -> Option<Outcome> {
        let last = self.side_to_move(taken).other();
        (taken.count_ones() == u32::from(self.cells)).then_some(Outcome {
            winner: Some(last),
            margin: None,
            by: "last",
        })
    }

    fn visit_moves<B>(&self, taken: &u64, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        LISTINGS.set(LISTINGS.get() + 1);
        (0..self.cells).filter(|cell| taken >> cell & 1 == 0).try_for_each(visit)
    }

    fn play(&self, taken: &mut u64, cell: u8) {
        *taken |= 1 << cell;
    }

    fn key(&self, taken: &u64) -> u64 {
        *taken
    }

    fn max_plies(&self) -> usize {
        self.cells.into()
    }

    fn pack(&self, m: u8) -> u32 {
        m.into()
    }

    fn unpack(&self, bits: u32) -> Option<u8> {
        u8::try_from(bits).ok()
    }
}

impl Notation for Row {
    fn dialects(&self) -> &'static [&'static str] {
        &["row"]
    }

    fn parse_position(&self, text: &str) -> Result<(Self, u64), TextError> {
        let bad = |_| TextError::impossible("bits", 0, "the position is no number");
        Ok((self.clone(), text.parse().map_err(bad)?))
    }

    fn format_position(&self, taken: &u64, _: &str) -> String {
        taken.to_string()
    }

    fn parse_move(&self, taken: &u64, text: &str) -> Result<u8, TextError> {
        let m = text.parse().ok().filter(|&m| m < self.cells && taken >> m & 1 == 0);
        m.ok_or_else(|| TextError::illegal("taken", "the cell is taken"))
    }

    fn format_move(&self, _: &u64, m: u8, _: &str) -> String {
        m.to_string()
    }
}

/// The last cell is a hill. All marks are drawn as the first side's, with the number of the cell from 1 as their label.
impl View for Row {
    fn board(&self, state: &GameState<Self>) -> Board {
        let mut board = Board::empty(self.cells.into(), 1, |x, _| x.to_string());
        for cell in (0..self.cells).filter(|cell| state.position() >> cell & 1 == 1) {
            board.put(cell.into(), "mark", Side::First);
            board.set_label(cell.into(), format!("{}", cell + 1));
        }
        board.set_terrain(usize::from(self.cells) - 1, "hill");
        board
    }
}

/// Solved by a table that holds only the number of cells.
impl HasTablebase for Row {
    type Table = u8;

    fn table_name(&self) -> Result<&'static str, Error> {
        match self.cells {
            3 => Ok("row-three"),
            4 => Ok("row-four"),
            _ => Err(Error::new(ErrorCode::Unsupported, "only short rows have a table")),
        }
    }

    fn open_table(&self, bytes: Vec<u8>) -> Result<u8, String> {
        bytes.first().copied().filter(|&cells| cells == self.cells).ok_or_else(|| "another row".to_owned())
    }

    fn build_table(&self, threads: usize, progress: Progress<'_>) -> Result<Vec<u8>, Error> {
        assert!(threads > 0);
        if progress(0.5).is_break() {
            return Err(Error::new(ErrorCode::Stopped, "the construction of the table was stopped"));
        }
        Ok(vec![self.cells, 0])
    }

    fn census(&self, &cells: &u8, _: usize, _: Progress<'_>) -> Result<ResultTable, Error> {
        let mut table = ResultTable::new(["cells"]);
        table.row([cells.to_string()]);
        Ok(table)
    }
}
