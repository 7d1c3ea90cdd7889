//! The protocol of riddles.io, on which the site ran the Game of Life and Death in 2017 and 2018: the code shared by
//! engine and client.

use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_game::Side;

/// The dialect of positions and moves: the cells separated by commas, then the side and the number of generations done.
pub const DIALECT: &str = "riddles";

/// The site's names for the two sides.
pub const NAMES: [&str; 2] = ["player0", "player1"];

/// Checks that a game has the dialect.
///
/// # Errors
/// `unsupported` if it does not.
pub fn check(game: &dyn AnyGame) -> Result<(), Error> {
    let info = game.info();
    if info.dialects.contains(&DIALECT) {
        return Ok(());
    }
    Err(Error::new(ErrorCode::Unsupported, format!("{} is not played over the protocol of riddles.io", info.name)))
}

/// The character of a side's cells: the side's number.
pub fn letter(side: Side) -> &'static str {
    match side {
        Side::First => "0",
        Side::Second => "1",
    }
}
