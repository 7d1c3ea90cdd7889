//! The protocol of network games of TUBSTAP, version 0108: the code shared by engine and client.
//!
//! The server sends commands, the players answer. Both write UTF-8. A command is a line; an answer is `= `, its text,
//! and an empty line. Lines end in CR LF; LF alone is accepted.
//!
//! | command | meaning | text of the answer |
//! |---|---|---|
//! | `name` | who are you? | the player's name |
//! | `opponent NAME` | the name of the other side's player | none |
//! | `MAP STATEMENTS` | the map: its file without line ends | none |
//! | `Color 0`, `Color 1` | the player's side, red or blue | none |
//! | `Genmove` | act with one unit | an action |
//! | `play ACTION` | an action of the other side | none |
//!
//! The commands come in this order, the last two as often as the game needs them: a server asks for one action of one unit at
//! a time, as long as units of the side can act, and sends each action to the other side. No command says whose turn it
//! is or that the game is over: both follow from the rules. An action is a move in the dialect `tubstap`, or a
//! surrender. The original server listens on port 7777; it counts the turns that take more than 10 s, without a
//! penalty.
//!
//! The original has no error response, and its server waits indefinitely for an answer that begins with `= `. So an
//! engine here refuses a command by `= error: ` and the reason, which that server ignores.

use banmen_catalog::{AnyGame, Error};
use banmen_game::Side;

use crate::dialect::require;

/// The dialect of maps and actions.
pub const DIALECT: &str = "tubstap";

/// The action that ends the turn: the remaining units do not act.
pub const END: &str = "-1,0,0,0,0,-1,0,0,3,0,0";

/// The prefix of an answer that refuses a command.
pub const REFUSED: &str = "error: ";

/// How many numbers an action has.
const NUMBERS: usize = 11;

/// The index of the type among them.
const TYPE: usize = 8;

/// The type of a surrender.
const SURRENDER: i32 = 0;

/// Checks that a game has the dialect.
///
/// # Errors
/// `unsupported` if it does not.
pub fn check(game: &dyn AnyGame) -> Result<(), Error> {
    require(game, DIALECT, "is not played over the protocol of TUBSTAP")
}

/// Whether a text has the form of an action: eleven numbers separated by commas.
#[must_use]
pub fn is_action(text: &str) -> bool {
    action_type(text).is_some()
}

/// Whether an action is a surrender.
#[must_use]
pub fn is_surrender(text: &str) -> bool {
    action_type(text) == Some(SURRENDER)
}

fn action_type(text: &str) -> Option<i32> {
    let numbers: Vec<i32> = text.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
    numbers.get(TYPE).copied().filter(|_| numbers.len() == NUMBERS)
}

/// How the protocol writes a side.
#[must_use]
pub fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "0",
        Side::Second => "1",
    }
}

/// The side that the protocol writes so.
#[must_use]
pub fn side(colour: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|&side| self::colour(side) == colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_eleven_numbers() {
        assert!(is_action(END) && is_action("3,5,3,2,3,-1,0,0,1,0,0") && is_action(" 3, 5,3,2,3,7,5,4,2,1,0"));
        assert!(is_surrender("-1,-1,-1,0,0,-1,0,0,0,0,0") && !is_surrender(END));
        for text in ["", "end", "3@5,3", "3,5,3,2,3,-1,0,0,1,0", "3,5,3,2,3,-1,0,0,1,0,0,0", "3,5,3,2,3,-1,0,0,x,0,0"] {
            assert!(!is_action(text) && !is_surrender(text), "{text}");
        }
    }

    #[test]
    fn sides_are_digits() {
        assert_eq!(Side::BOTH.map(|own| side(colour(own))), Side::BOTH.map(Some));
        assert_eq!([side("2"), side("red"), side("")], [None; 3]);
    }

    #[test]
    fn the_end_of_the_turn_is_the_dialects() {
        let tubstap = banmen_tubstap::entry().in_memory();
        let state = tubstap.state(None, None).unwrap_or_else(|error| panic!("{error}"));
        let end = state.pass().unwrap_or_default();
        assert_eq!((state.write(end, DIALECT).as_str(), state.read(END)), (END, Ok(end)));
    }
}
