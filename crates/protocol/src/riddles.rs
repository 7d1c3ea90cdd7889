//! The protocol of riddles.io, on which the site ran the Game of Life and Death in 2017 and 2018: the code shared by
//! engine and client.

use banmen_catalog::{AnyGame, Error};
use banmen_game::Side;

use crate::dialect::require;

/// The dialect of positions and moves: the cells separated by commas, then the side and the number of generations done.
pub const DIALECT: &str = "riddles";

/// The site's names for the two sides.
pub const NAMES: [&str; 2] = ["player0", "player1"];

/// Checks that a game has the dialect.
///
/// # Errors
/// `unsupported` if it does not.
pub fn check(game: &dyn AnyGame) -> Result<(), Error> {
    require(game, DIALECT, "is not played over the protocol of riddles.io")
}

/// The character of a side's cells: the side's number.
pub fn letter(side: Side) -> &'static str {
    match side {
        Side::First => "0",
        Side::Second => "1",
    }
}
