//! The protocol of the design contests on FPGAs in which Blokus Duo was played (ICFPT 2013 and 2014, HEART 2014, REC 2018
//! to 2020): the code shared by engine and client.
//!
//! The host sends requests, the player answers. Neither sends line ends; on input they are ignored, and letters are
//! read in either case.
//!
//! | request | meaning | answer |
//! |---|---|---|
//! | `0` | who are you? | a digit and two characters that name the team |
//! | `25`, `2A` | begin, covering (5, 5) or (a, a) | a code |
//! | `35` + code, `3A` + code | the opponent's first move; begin, covering (5, 5) or (a, a) | a code |
//! | `4` + code | the opponent's move | a code |
//! | `9` | the game is over | none |
//!
//! A code is a move in the dialect `fpt`: four characters, the pass `0000`.

use banmen_catalog::{AnyGame, Error, ErrorCode};

use crate::dialect::require;

/// The dialect of moves.
pub const DIALECT: &str = "fpt";

/// The pass.
pub const PASS: &str = "0000";

/// Characters of a code.
pub const CODE_LENGTH: usize = 4;

/// Characters of the answer to `0`.
pub const NAME_LENGTH: usize = 3;

/// The sum of a row's or column's number and its number after the board is rotated by 180°.
const SIDES_SUM: u32 = 15;

/// The start cell that a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartCell {
    /// (5, 5), where the side that moves first starts.
    Five,
    /// (a, a).
    A,
}

impl StartCell {
    /// The character that denotes the start cell in a request.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            StartCell::Five => '5',
            StartCell::A => 'A',
        }
    }

    /// The start cell that a character denotes, in either case; `None` for any other character.
    #[must_use]
    pub fn of(letter: char) -> Option<StartCell> {
        match letter {
            '5' => Some(StartCell::Five),
            'a' | 'A' => Some(StartCell::A),
            _ => None,
        }
    }
}

/// Checks that a game can be played over the protocol: it must have the dialect, and under these rules each side must
/// have a start cell of its own.
///
/// # Errors
/// `unsupported` if it cannot, `unknown_rules`.
pub fn check(game: &dyn AnyGame, rules: Option<&str>) -> Result<(), Error> {
    require(game, DIALECT, "is not played over the protocol of the FPGA contests")?;
    let start = game.state(rules, None)?;
    // The smallest piece on either start cell.
    if start.read("55a0").is_err() || start.read("aaa0").is_ok() {
        let name = game.info().name;
        let why = "is played over the protocol of the FPGA contests only where each side has its start cell";
        return Err(Error::new(ErrorCode::Unsupported, format!("{name} {why}")));
    }
    Ok(())
}

/// Whether a text has the form of a code: column, row, piece and orientation, or the pass.
#[must_use]
pub fn is_code(text: &str) -> bool {
    let mut characters = text.chars();
    let mut next = |fits: fn(char) -> bool| characters.next().is_some_and(fits);
    let place = |c: char| c.to_digit(16).is_some_and(|place| (1..SIDES_SUM).contains(&place));
    let form = next(place) && next(place) && next(|c| matches!(c.to_ascii_lowercase(), 'a'..='u'));
    text == PASS || form && next(|c| ('0'..='7').contains(&c)) && characters.next().is_none()
}

/// The code of the same placement after the board is rotated by 180°, which exchanges the start cells. A text that is
/// not a code is returned unchanged.
#[must_use]
pub fn rotated(code: &str) -> String {
    if code == PASS || !is_code(code) {
        return code.to_owned();
    }
    let turned = |(at, c): (usize, char)| match at {
        0 | 1 => c.to_digit(16).and_then(|place| char::from_digit(SIDES_SUM.saturating_sub(place), 16)).unwrap_or(c),
        3 => c.to_digit(8).and_then(|turn| char::from_digit((turn + 4) % 8, 8)).unwrap_or(c),
        _ => c,
    };
    code.chars().enumerate().map(turned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotated_codes_denote_the_rotated_placements() {
        use banmen_blokus::Move;
        use banmen_blokus::notation::fpt;
        for m in Move::placements() {
            let code = fpt::format(m);
            assert!(is_code(&code) && is_code(&code.to_ascii_uppercase()), "{code}");
            assert_eq!(fpt::parse(&rotated(&code)), Ok(m.rotated()), "{code}");
        }
        assert_eq!((rotated(PASS).as_str(), rotated("pass").as_str()), (PASS, "pass"));
    }

    #[test]
    fn rejects_texts_of_another_form() {
        for text in ["", "65u", "65u00", "05u0", "f5u0", "6fu0", "65v0", "65u8", "pass", "000", "6５u0"] {
            assert!(!is_code(text), "{text}");
        }
    }
}
