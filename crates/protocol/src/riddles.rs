//! The protocol of riddles.io, as its site played the Game of Life and Death in 2017 and 2018: what engine and client share.

use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_game::Side;

/// The dialect of positions and moves: a run of cells, separated by commas, then the side and the generations done.
pub const DIALECT: &str = "riddles";

/// The site's names of the sides.
pub const NAMES: [&str; 2] = ["player0", "player1"];

/// Checks that a game has the dialect.
///
/// # Errors
/// `unsupported` when it has not.
pub fn check(game: &dyn AnyGame) -> Result<(), Error> {
    let info = game.info();
    if info.dialects.contains(&DIALECT) {
        return Ok(());
    }
    Err(Error::new(ErrorCode::Unsupported, format!("{} is not played over the protocol of riddles.io", info.name)))
}

/// The character of a side's cells, its number.
pub fn letter(side: Side) -> &'static str {
    match side {
        Side::First => "0",
        Side::Second => "1",
    }
}
