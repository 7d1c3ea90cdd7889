//! Positions and moves as text, in the dialects in use.
//!
//! | dialect | position | move |
//! |---|---|---|
//! | `sfen` (canonical) | `gle/1c1/1C1/ELG b - 1` | USI: `2c2b`, `2b2a+`, `C*2b` |
//! | `fen` (Fairy-Stockfish) | `gle/1c1/1C1/ELG[] w - - 0 1` | UCI: `b2b3`, `b3b4+`, `C@b3` |
//! | `lishogi` | `rkb/1p1/1P1/BKR b - 1` | USI with these letters: `P*2b` |
//! | `clausecker` | `S/gle/-c-/-C-/ELG/-` | `Cb3xb2`, `Cb2-b1+`, `C*b2` |
//! | `tanaka` | rows of `-KI-LI-ZO`, six digits, `+` | `+B3B2HI`, `+00B2HI` |
//! | `japanese` | a diagram with hands | `B2ひよこ(B3)`, `B2ひよこ打` |
//!
//! The parsers detect the dialect. Promotion of a chick follows from the move, so the promotion sign is optional; a
//! sign on a move that promotes nothing is an error. A caught lion is held in hand (`L`), as in Fairy-Stockfish.
//! Tanaka's row of digits then has eight: chicks, elephants, giraffes and lions of each side.

pub(crate) mod clausecker;
mod draft;
pub(crate) mod japanese;
pub(crate) mod sfen;
pub(crate) mod tanaka;
mod text;
pub(crate) mod usi;

use banmen_game::{Notation, TextError};

use crate::board::{Piece, Square};
use crate::game::{Dobutsu, IllegalMove, Variant};
use crate::position::{Move, Position, PositionError};

/// Why a text was rejected, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct NotationError {
    /// The number of characters before the error.
    pub at: usize,
    /// The kind of error.
    pub fault: Fault,
}

impl NotationError {
    /// The error as [`TextError`] of a position.
    pub(crate) fn of_position(self) -> TextError {
        let NotationError { at, fault } = self;
        match fault {
            Fault::Impossible(_) | Fault::WaitingInCheck => {
                TextError::impossible(fault.reason(), at, fault.to_string())
            }
            _ => TextError::unreadable(fault.reason(), at, fault.to_string()),
        }
    }

    /// The error as [`TextError`] of a move.
    pub(crate) fn of_move(self) -> TextError {
        let NotationError { at, fault } = self;
        match fault {
            Fault::NotAMove { .. } | Fault::OffTheBoard { .. } | Fault::Trailing { .. } => {
                TextError::unreadable(fault.reason(), at, fault.to_string())
            }
            _ => TextError::illegal(fault.reason(), fault.to_string()),
        }
    }
}

/// The possible errors in a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A text that is neither a piece nor an empty cell.
    #[error("`{found}` is not a piece")]
    BadPiece {
        /// The text.
        found: String,
    },
    /// A row whose number of cells is not three.
    #[error("row {row} has {found} cells instead of 3")]
    RowLength {
        /// The row, from 1 at the top.
        row: usize,
        /// The number of cells; 4 means more than three.
        found: usize,
    },
    /// A board whose number of rows is not four.
    #[error("the board has {found} rows instead of 4")]
    RowCount {
        /// The number of rows; 5 means more than four.
        found: usize,
    },
    /// The text ends before the side to move.
    #[error("the side to move is missing")]
    NoSide,
    /// A text that is not a side.
    #[error("`{found}` is not a side")]
    BadSide {
        /// The text.
        found: String,
    },
    /// A text that is not a piece in hand.
    #[error("`{found}` is not a hand")]
    BadHand {
        /// The text.
        found: String,
    },
    /// A text where a number is expected.
    #[error("`{found}` is not a number")]
    BadNumber {
        /// The text.
        found: String,
    },
    /// Further text after the end.
    #[error("unexpected `{found}` after the end")]
    Trailing {
        /// The further text.
        found: String,
    },
    /// The pieces do not form a position.
    #[error(transparent)]
    Impossible(#[from] PositionError),
    /// Under the rules `legal`, the side that has moved may not have left its lion to be captured.
    #[error("the lion of the side that is not to move could be captured, which the rules `legal` exclude")]
    WaitingInCheck,
    /// A text that is not a move.
    #[error("`{found}` is not a move")]
    NotAMove {
        /// The text.
        found: String,
    },
    /// A letter and a digit that are not a square of this board.
    #[error("`{found}` is off the board")]
    OffTheBoard {
        /// The text.
        found: String,
    },
    /// A move that the rules forbid.
    #[error("{}", why.message(*names))]
    Illegal {
        /// The rule.
        why: IllegalMove,
        /// How the move's text names squares.
        names: SquareNames,
    },
    /// The move is marked as the other side's.
    #[error("it is the other side's turn")]
    OtherSide,
    /// The move names a piece other than the one that moves.
    #[error("the moving piece is not the {}", named.name())]
    OtherPiece {
        /// The named piece.
        named: Piece,
    },
    /// The move is marked as a promotion but does not promote.
    #[error("nothing is promoted by this move")]
    NoPromotion,
    /// The move is marked as a capture but captures nothing, or it captures without the mark.
    #[error("the capture sign does not match the move")]
    CaptureSign,
    /// The origin is omitted and several pieces could be meant.
    #[error("several pieces can make this move")]
    Ambiguous,
}

impl Fault {
    /// An identifier for programs, such as `row_length` or `not_in_hand`.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Fault::BadPiece { .. } => "bad_piece",
            Fault::RowLength { .. } => "row_length",
            Fault::RowCount { .. } => "row_count",
            Fault::NoSide => "no_side",
            Fault::BadSide { .. } => "bad_side",
            Fault::BadHand { .. } => "bad_hand",
            Fault::BadNumber { .. } => "bad_number",
            Fault::Trailing { .. } => "trailing",
            Fault::Impossible(error) => error.reason(),
            Fault::WaitingInCheck => "waiting_in_check",
            Fault::NotAMove { .. } => "not_a_move",
            Fault::OffTheBoard { .. } => "off_the_board",
            Fault::Illegal { why, .. } => why.reason(),
            Fault::OtherSide => "other_side",
            Fault::OtherPiece { .. } => "other_piece",
            Fault::NoPromotion => "no_promotion",
            Fault::CaptureSign => "capture_sign",
            Fault::Ambiguous => "ambiguous",
        }
    }
}

/// The result of parsing a text.
pub type Result<T> = std::result::Result<T, NotationError>;

/// The notations of positions and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// SFEN and USI with the letters C, E, G, L.
    Sfen,
    /// Fairy-Stockfish's FEN, and UCI.
    Fen,
    /// SFEN and USI with lishogi's letters P, B, R, K.
    Lishogi,
    /// The position strings and moves of clausecker/dobutsu.
    Clausecker,
    /// The CSA-like text of Tanaka's programs.
    Tanaka,
    /// Diagram and moves in Japanese.
    Japanese,
}

impl Dialect {
    /// All dialects, the canonical one first.
    pub const ALL: [Dialect; 6] =
        [Dialect::Sfen, Dialect::Fen, Dialect::Lishogi, Dialect::Clausecker, Dialect::Tanaka, Dialect::Japanese];

    /// The names in the order of [`Dialect::ALL`].
    pub const NAMES: [&'static str; 6] = ["sfen", "fen", "lishogi", "clausecker", "tanaka", "japanese"];

    /// The dialect with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Dialect> {
        Dialect::NAMES.iter().position(|known| *known == name).map(|at| Dialect::ALL[at])
    }
}

/// How a dialect names squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SquareNames {
    /// `3a` is the top left square, the files numbered from the right: USI.
    Usi,
    /// `a4` is the top left square, the ranks numbered from below: UCI.
    Uci,
    /// `a1` is the top left square: clausecker/dobutsu.
    Clausecker,
    /// `A1` is the top left square: Tanaka's texts and the Japanese ones.
    Tanaka,
}

impl SquareNames {
    /// The name of a square.
    #[must_use]
    pub fn of(self, square: Square) -> String {
        match self {
            SquareNames::Usi => usi::square(square.index()),
            SquareNames::Uci => usi::uci_square(square.index()),
            SquareNames::Clausecker => square.to_string().to_ascii_lowercase(),
            SquareNames::Tanaka => square.to_string(),
        }
    }
}

/// Reads a position in any dialect. Does not check it against a variant of the rules.
///
/// # Errors
/// Returns the location of the first error: unreadable text, or an impossible position.
pub fn parse_position(text: &str) -> Result<Position> {
    let visible = text.trim_start();
    if !text.is_ascii() {
        japanese::parse_position(text)
    } else if text.contains('I') {
        // Only Tanaka's codes for chick, lion, giraffe and hen contain this letter.
        tanaka::parse_position(text)
    } else if visible.starts_with("S/") || visible.starts_with("G/") {
        clausecker::parse_position(text)
    } else {
        sfen::parse_position(text)
    }
}

/// Writes a position.
#[must_use]
pub fn format_position(position: &Position, dialect: Dialect) -> String {
    match dialect {
        Dialect::Sfen => sfen::format_position(position),
        Dialect::Fen => sfen::format_fen(position),
        Dialect::Lishogi => sfen::format_lishogi(position),
        Dialect::Clausecker => clausecker::format_position(position),
        Dialect::Tanaka => tanaka::format_position(position),
        Dialect::Japanese => japanese::format_position(position),
    }
}

/// Reads a move that is legal for `game` in `position`, in any dialect.
///
/// # Errors
/// Returns the location of unreadable text, or the rule that forbids the move.
pub fn parse_move(game: Dobutsu, position: &Position, text: &str) -> Result<Move> {
    parse_checked_move(&|m| game.check(position, m), position, text)
}

/// Reads a move of `position` that `check` accepts, in any dialect.
pub(crate) fn parse_checked_move(
    check: &dyn Fn(Move) -> std::result::Result<(), IllegalMove>,
    position: &Position,
    text: &str,
) -> Result<Move> {
    let visible = text.trim();
    let draft = if !visible.is_ascii() {
        japanese::read_move(text)
    } else if visible.starts_with(['+', '-']) {
        tanaka::read_move(text)
    } else if clausecker::is_move(visible) {
        clausecker::read_move(text)
    } else {
        usi::read_move(text)
    }?;
    draft.resolve(check, position)
}

/// Writes a move of `position`.
#[must_use]
pub fn format_move(position: &Position, m: Move, dialect: Dialect) -> String {
    match dialect {
        Dialect::Sfen => usi::format_move(position, m),
        Dialect::Fen => usi::format_uci(position, m),
        Dialect::Lishogi => usi::format_lishogi(position, m),
        Dialect::Clausecker => clausecker::format_move(position, m),
        Dialect::Tanaka => tanaka::format_move(position, m),
        Dialect::Japanese => japanese::format_move(position, m),
    }
}

impl Notation for Dobutsu {
    fn dialects(&self) -> &'static [&'static str] {
        &Dialect::NAMES
    }

    fn parse_position(&self, text: &str) -> std::result::Result<(Self, Position), TextError> {
        let read = parse_position(text).and_then(|position| {
            let waiting = position.side().other();
            let excluded = self.variant == Variant::Legal
                && (position.is_in_check(waiting) || position.is_caught(position.side()));
            if excluded { Err(NotationError { at: 0, fault: Fault::WaitingInCheck }) } else { Ok(position) }
        });
        read.map(|position| (*self, position)).map_err(NotationError::of_position)
    }

    fn format_position(&self, position: &Position, dialect: &str) -> String {
        format_position(position, Dialect::named(dialect).unwrap_or(Dialect::Sfen))
    }

    fn parse_move(&self, position: &Position, text: &str) -> std::result::Result<Move, TextError> {
        parse_move(*self, position, text).map_err(NotationError::of_move)
    }

    fn format_move(&self, position: &Position, m: Move, dialect: &str) -> String {
        format_move(position, m, Dialect::named(dialect).unwrap_or(Dialect::Sfen))
    }
}
