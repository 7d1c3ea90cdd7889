//! Tic-tac-toe: the rules, the notation, the board, and the entry that registers them.
//!
//! Cells are `a1` to `c3`: the column's letter, and the row's number from the top. They are counted row by row, from 0
//! for `a1` to 8 for `c3`. A position is written row by row, `.` empty, `x` and `o`: `xo./.x./..o`.

use std::ops::ControlFlow;

use banmen_catalog::{Board, Entry, View};
use banmen_game::{Game, GameState, Notation, Outcome, Side, TextError};

/// The rules. There are no variants.
#[derive(Clone, Debug, PartialEq)]
pub struct TicTacToe;

/// The cells of each side: a bit for each cell, in two disjoint sets. The first side, which has the crosses, has as many
/// cells as the second or one more, and at most one side has a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    cells: [u16; 2],
}

/// A cell, 0 to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell(u8);

const ALL: u16 = 0b111_111_111;

const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

impl Position {
    fn to_move(self) -> Side {
        if self.cells[0].count_ones() == self.cells[1].count_ones() { Side::First } else { Side::Second }
    }

    fn taken(self) -> u16 {
        self.cells[0] | self.cells[1]
    }

    fn has_line(self, side: Side) -> bool {
        LINES.iter().any(|line| self.cells[side.index()] & line == *line)
    }

    fn owner(self, cell: usize) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.cells[side.index()] >> cell & 1 == 1)
    }
}

impl Game for TicTacToe {
    type Position = Position;
    type Move = Cell;
    type History = ();

    fn start(&self) -> Position {
        Position { cells: [0, 0] }
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.to_move()
    }

    fn outcome(&self, position: &Position, (): &()) -> Option<Outcome> {
        let winner = Side::BOTH.into_iter().find(|&side| position.has_line(side));
        match winner {
            Some(_) => Some(Outcome { winner, margin: None, by: "line" }),
            None if position.taken() == ALL => Some(Outcome { winner, margin: None, by: "full" }),
            None => None,
        }
    }

    fn visit_moves<B>(&self, position: &Position, mut visit: impl FnMut(Cell) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.outcome(position, &()).is_none() {
            for cell in (0..9).filter(|cell| position.taken() >> cell & 1 == 0) {
                visit(Cell(cell))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn play(&self, position: &mut Position, m: Cell) {
        debug_assert!(self.is_legal(position, m), "{m:?} is not legal in {position:?}");
        position.cells[position.to_move().index()] |= 1 << m.0;
    }

    fn key(&self, position: &Position) -> u64 {
        banmen_game::mix(u64::from(position.cells[0]) << 9 | u64::from(position.cells[1]))
    }

    fn max_plies(&self) -> usize {
        9
    }

    fn pack(&self, m: Cell) -> u32 {
        m.0.into()
    }

    fn unpack(&self, bits: u32) -> Option<Cell> {
        u8::try_from(bits).ok().filter(|&cell| cell < 9).map(Cell)
    }
}

fn name(cell: usize) -> String {
    format!("{}{}", ["a", "b", "c"][cell % 3], cell / 3 + 1)
}

impl Notation for TicTacToe {
    fn dialects(&self) -> &'static [&'static str] {
        &["cells"]
    }

    fn parse_position(&self, text: &str) -> Result<(Self, Position), TextError> {
        let mut position = self.start();
        for (at, letter) in text.chars().take(11).enumerate() {
            let cell = 1 << (at - at / 4);
            match (at % 4, letter) {
                (3, '/') | (0..3, '.') => {}
                (0..3, 'x') => position.cells[0] |= cell,
                (0..3, 'o') => position.cells[1] |= cell,
                _ => return Err(TextError::unreadable("not_a_board", at, "a board is three rows like xo./.x./..o")),
            }
        }
        let length = text.chars().count();
        if length != 11 {
            return Err(TextError::unreadable("wrong_length", length.min(11), "a board has three rows of three cells"));
        }
        let [crosses, noughts] = position.cells.map(u16::count_ones);
        if crosses != noughts && crosses != noughts + 1 {
            let message = format!("{crosses} crosses and {noughts} noughts are never on the board together");
            return Err(TextError::impossible("wrong_count", 0, message));
        }
        if Side::BOTH.into_iter().all(|side| position.has_line(side)) {
            return Err(TextError::impossible("two_lines", 0, "both sides have a line"));
        }
        Ok((TicTacToe, position))
    }

    fn format_position(&self, position: &Position, _: &str) -> String {
        let letter = |cell| position.owner(cell).map_or('.', |side| ['x', 'o'][side.index()]);
        let row = |row: usize| (row * 3..row * 3 + 3).map(letter).collect::<String>();
        [0, 1, 2].map(row).join("/")
    }

    fn parse_move(&self, position: &Position, text: &str) -> Result<Cell, TextError> {
        let Some(cell) = (0..9).find(|&cell| name(cell.into()) == text) else {
            return Err(TextError::unreadable("not_a_cell", 0, "a move is a cell from a1 to c3"));
        };
        if self.is_legal(position, Cell(cell)) {
            Ok(Cell(cell))
        } else if position.owner(cell.into()).is_some() {
            Err(TextError::illegal("occupied", format!("{text} is occupied")))
        } else {
            Err(TextError::illegal("game_over", "the game is over"))
        }
    }

    fn format_move(&self, _: &Position, m: Cell, _: &str) -> String {
        name(m.0.into())
    }
}

impl View for TicTacToe {
    fn board(&self, state: &GameState<Self>) -> Board {
        let mut board = Board::empty(3, 3, |column, row| name(row * 3 + column));
        for cell in 0..9 {
            if let Some(owner) = state.position().owner(cell) {
                board.put(cell, ["x", "o"][owner.index()], owner);
            }
        }
        if let Some(Cell(cell)) = state.moves().last() {
            board.tag((*cell).into(), "last");
        }
        board
    }
}

/// The entry of the game. Every entry has the players `engine`, `mcts` and `random`.
pub fn entry() -> Entry<TicTacToe> {
    Entry::new("tictactoe", TicTacToe)
        .title("Tic-tac-toe", "三目並べ")
        .summary("three in a row on nine cells")
        .sides(("Crosses", "×"), ("Noughts", "○"))
}
