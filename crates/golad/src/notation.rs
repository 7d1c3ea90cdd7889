//! Positions and moves as text.
//!
//! A position is its rows from the top, of `.`, `0` and `1`, separated by `/`; a space; the side, `0` or `1`; a space;
//! the number of generations, even where side 0 moves and odd where side 1 does. The last two may be omitted: the
//! default is the side's first turn, and side 0. The site writes all cells of a board in one line, separated by commas,
//! without the length of a row: this form is read on a board of the rules' size only. `start:SEED` is the official
//! start of a seed.
//!
//! Moves are the site's: `pass`, `kill x,y`, `birth x,y a,b c,d`, and read as its engine reads them: the verb in any
//! case; parts separated by single spaces, with trailing ones ignored; `pass` with anything after it; in a pair more
//! than two numbers, plus signs and leading zeros. The site sends a move to the other bot with `_` for spaces; that is
//! read too.

use banmen_game::{MovePrefix, Notation, Side, TextError};

use crate::board::{Board, Cell};
use crate::game::Golad;
use crate::moves::Move;
use crate::position::Position;
use crate::start::start;

/// The canonical dialect, and the site's.
const DIALECTS: &[&str] = &["banmen", "riddles"];

/// The prefix of the text of a start from a seed.
const START: &str = "start:";

fn unreadable<T>(reason: &'static str, at: usize, message: impl Into<String>) -> Result<T, TextError> {
    Err(TextError::unreadable(reason, at, message))
}

/// Reads a move as the site's engine does, independently of a position.
///
/// # Errors
/// The part that cannot be read, and why.
pub(crate) fn read_move(text: &str) -> Result<Move, TextError> {
    let parts: Vec<&str> = text.trim_end_matches(' ').split(' ').collect();
    let verb = parts[0].to_lowercase();
    let wants = match verb.as_str() {
        "pass" | "no_moves" => return Ok(Move::Pass),
        "kill" => 1,
        "birth" => 3,
        "" => return unreadable("empty", 0, "no move is given"),
        _ => return unreadable("unknown_verb", 0, format!("`{}` is not pass, kill or birth", parts[0])),
    };
    if parts.len() != wants + 1 {
        let (cells, given) = (if wants == 1 { "a cell" } else { "three cells" }, parts.len() - 1);
        let message = match parts.iter().position(|part| part.is_empty()) {
            Some(_) => format!("a {verb} takes {cells} as x,y, each after one space; here are two spaces in a row"),
            None => format!("a {verb} takes {cells} as x,y, each after one space; here are {given}"),
        };
        return unreadable("wrong_count", 0, message);
    }
    let mut cells = [Cell::at(0); 3];
    let mut at = verb.chars().count() + 1;
    for (cell, part) in cells.iter_mut().zip(&parts[1..]) {
        *cell = read_cell(part, at)?;
        at += part.chars().count() + 1;
    }
    Ok(if wants == 1 { Move::Kill(cells[0]) } else { Move::birth(cells[0], cells[1], cells[2]) })
}

/// Two whole numbers separated by a comma; everything after another comma is ignored.
fn read_cell(text: &str, at: usize) -> Result<Cell, TextError> {
    let mut numbers = text.split(',').map(str::parse::<i32>);
    let (Some(Ok(x)), Some(Ok(y))) = (numbers.next(), numbers.next()) else {
        return unreadable("not_a_cell", at, format!("`{text}` is not a cell such as 5,12"));
    };
    let cell = usize::try_from(x).ok().zip(usize::try_from(y).ok()).and_then(|(x, y)| Cell::new(x, y));
    cell.map_or_else(|| unreadable("off_board", at, format!("{x},{y} is off the board")), Ok)
}

fn write_move(m: Move, blank: char) -> String {
    let cell = |cell: Cell| format!("{},{}", cell.x(), cell.y());
    match m {
        Move::Pass => "pass".to_owned(),
        Move::Kill(at) => format!("kill{blank}{}", cell(at)),
        Move::Birth { cell: at, sacrifices: [a, b] } => {
            format!("birth{blank}{}{blank}{}{blank}{}", cell(at), cell(a), cell(b))
        }
    }
}

/// Reads the rows of a board of any size.
fn read_rows(text: &str) -> Result<Board, TextError> {
    let rows: Vec<&str> = text.split('/').collect();
    let width = rows[0].chars().count();
    let most = crate::board::ROWS;
    if !(1..=most).contains(&width) {
        return unreadable("bad_width", 0, format!("a row has {width} cells, where 1 to {most} are possible"));
    }
    if rows.len() > most {
        return unreadable("bad_height", 0, format!("{} rows, where at most {most} are possible", rows.len()));
    }
    let mut board = Board::empty(width as u8, rows.len() as u8);
    let mut at = 0;
    for (y, row) in rows.iter().enumerate() {
        let count = row.chars().count();
        if count != width {
            return unreadable("uneven_rows", at, format!("row {} has {count} cells, the first {width}", y + 1));
        }
        for (x, letter) in row.chars().enumerate() {
            put(&mut board, x, y, letter.encode_utf8(&mut [0; 4]), at + x)?;
        }
        at += count + 1;
    }
    Ok(board)
}

/// The character of a cell of this owner.
pub(crate) fn letter(owner: Option<Side>) -> &'static str {
    match owner {
        None => ".",
        Some(Side::First) => "0",
        Some(Side::Second) => "1",
    }
}

/// The owner of the cell that a character stands for; `None` for other characters.
pub(crate) fn owner_of(text: &str) -> Option<Option<Side>> {
    [None, Some(Side::First), Some(Side::Second)].into_iter().find(|&owner| letter(owner) == text)
}

fn put(board: &mut Board, x: usize, y: usize, text: &str, at: usize) -> Result<(), TextError> {
    let Some(owner) = owner_of(text) else {
        return unreadable("not_a_cell", at, format!("`{text}` at {x},{y} is not one of . 0 1"));
    };
    if let Some(cell) = Cell::new(x, y) {
        board.set(cell, owner);
    }
    Ok(())
}

impl Golad {
    /// Reads the site's run of cells, on a board of the rules' size.
    fn read_field(&self, text: &str) -> Result<Board, TextError> {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        let cells: Vec<&str> = text.split(',').collect();
        if cells.len() != width * height {
            let message = format!("{} cells, where {width} by {height} are {}", cells.len(), width * height);
            // The place is the first cell too many, or the end.
            let read = cells.iter().take(width * height).map(|cell| cell.chars().count() + 1).sum::<usize>();
            let at = if cells.len() < width * height { read.saturating_sub(1) } else { read };
            return unreadable("wrong_count", at, message);
        }
        let mut board = Board::empty(self.width, self.height);
        let mut at = 0;
        for (index, cell) in cells.iter().enumerate() {
            put(&mut board, index % width, index / width, cell, at)?;
            at += cell.chars().count() + 1;
        }
        Ok(board)
    }
}

impl Notation for Golad {
    fn dialects(&self) -> &'static [&'static str] {
        DIALECTS
    }

    fn parse_position(&self, text: &str) -> Result<(Self, Position), TextError> {
        if let Some(seed) = text.strip_prefix(START) {
            if seed.is_empty() {
                return unreadable("no_seed", START.len(), "a seed must follow `start:`");
            }
            if seed.trim() != seed {
                let message = "a seed must not begin or end with a space";
                return unreadable("blank_in_seed", START.len(), message);
            }
            return Ok((*self, Position::new(start(self, seed)?)));
        }
        let text = text.trim_end();
        let mut parts = text.split(' ');
        let cells = parts.next().unwrap_or_default();
        let board = if cells.contains(',') { self.read_field(cells)? } else { read_rows(cells)? };
        let mut at = cells.chars().count() + 1;
        let mut position = Position::new(board);
        if let Some(side) = parts.next() {
            let known = Side::BOTH.into_iter().find(|&known| letter(Some(known)) == side);
            let Some(known) = known else {
                return unreadable("bad_side", at, format!("`{side}` is not a side: expected 0 or 1"));
            };
            position.side = known;
            position.generations = position.side.index() as u16;
            at += side.chars().count() + 1;
        }
        if let Some(done) = parts.next() {
            let most = self.turns();
            position.generations = match done.parse::<u16>() {
                Ok(done) if done <= most && usize::from(done % 2) != position.side.index() => {
                    let mover = done % 2;
                    let message =
                        format!("after {done} generations {mover} is to move: every turn has one, and 0 moves first");
                    return unreadable("bad_generations", at, message);
                }
                Ok(done) if done <= most => done,
                _ => {
                    return unreadable(
                        "bad_generations",
                        at,
                        format!("`{done}` is not a number of generations from 0 to {most}"),
                    );
                }
            };
            at += done.chars().count() + 1;
        }
        if parts.next().is_some() {
            return unreadable("trailing", at, "nothing may follow the generations");
        }
        Ok((Golad { width: board.width, height: board.height, ..*self }, position))
    }

    fn format_position(&self, position: &Position, dialect: &str) -> String {
        let board = &position.board;
        let row = |y: usize| -> Vec<&str> {
            let owner = |x| Cell::new(x, y).and_then(|cell| board.owner(cell));
            (0..board.width()).map(|x| letter(owner(x))).collect()
        };
        let rows = (0..board.height()).map(row);
        let cells = if dialect == DIALECTS[1] {
            rows.map(|row| row.join(",")).collect::<Vec<_>>().join(",")
        } else {
            rows.map(|row| row.concat()).collect::<Vec<_>>().join("/")
        };
        format!("{cells} {} {}", position.side.index(), position.generations)
    }

    fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        // As the site sends a move to the other bot.
        let sent = ["kill_", "birth_"].iter().any(|verb| text.starts_with(verb)).then(|| text.replace('_', " "));
        let m = read_move(sent.as_deref().unwrap_or(text))?;
        self.check(position, m).map_err(|why| TextError::illegal(why.reason(), why.to_string()))?;
        Ok(m)
    }

    fn format_move(&self, _: &Position, m: Move, dialect: &str) -> String {
        write_move(m, if dialect == DIALECTS[1] { '_' } else { ' ' })
    }

    fn visit_texts(&self, position: &Position, visit: &mut dyn FnMut(MovePrefix<'_>) -> bool) {
        let board = &position.board;
        visit(MovePrefix { text: &write_move(Move::Pass, ' '), moves: 1, whole: true });
        for y in 0..board.height() {
            for cell in (0..board.width()).filter_map(|x| Cell::new(x, y)).filter(|&cell| board.owner(cell).is_some()) {
                visit(MovePrefix { text: &write_move(Move::Kill(cell), ' '), moves: 1, whole: true });
            }
        }
        let own: Vec<Cell> = board.cells(position.side).collect();
        let pairs = own.len() * own.len().saturating_sub(1) / 2;
        let word = |cell: Cell| format!("{},{}", cell.x(), cell.y());
        for cell in board.dead_cells().filter(|_| pairs > 0) {
            let birth = format!("birth {}", word(cell));
            if !visit(MovePrefix { text: &birth, moves: pairs, whole: false }) {
                continue;
            }
            for (index, &a) in own.iter().enumerate() {
                let others = &own[index + 1..];
                let text = format!("{birth} {}", word(a));
                if others.is_empty() || !visit(MovePrefix { text: &text, moves: others.len(), whole: false }) {
                    continue;
                }
                for &b in others {
                    visit(MovePrefix { text: &write_move(Move::birth(cell, a, b), ' '), moves: 1, whole: true });
                }
            }
        }
    }

    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str> {
        // A move begins at its verb: a word that begins with a letter and is no pair, not even a bad one; or the whole move is
        // one word, joined by `_`, as on the site.
        let joined = |word: &str| word.split_once('_').is_some_and(|(verb, _)| verb.chars().all(char::is_alphabetic));
        let mut begins: Vec<usize> = Vec::new();
        let mut at = 0;
        for word in text.split(char::is_whitespace) {
            if word.starts_with(char::is_alphabetic) && (!word.contains(',') || joined(word)) {
                begins.push(at);
            }
            at += word.len();
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
        // The text before the first verb is kept as a move, so that it is rejected rather than ignored.
        let lead = begins.first().copied().unwrap_or(text.len());
        let lead = text.get(..lead).map(str::trim).filter(|lead| !lead.is_empty());
        let ends = begins.iter().skip(1).copied().chain([text.len()]);
        let moves = begins.iter().zip(ends).filter_map(|(&begin, end)| text.get(begin..end)).map(str::trim);
        lead.into_iter().chain(moves).collect()
    }
}
