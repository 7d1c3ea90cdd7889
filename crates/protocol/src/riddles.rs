//! What both ends of the protocol of riddles.io know, as its site played the Game of Life and Death from 2017 to 2018.

use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_game::Side;

/// The dialect of positions and moves: a run of cells, parted by commas, then the side and the generations done.
pub const DIALECT: &str = "riddles";

/// What the site calls the sides.
pub const NAMES: [&str; 2] = ["player0", "player1"];

/// Refuses games that are not written in the site's dialect.
pub fn check(game: &dyn AnyGame) -> Result<(), Error> {
    let info = game.info();
    if info.dialects.contains(&DIALECT) {
        return Ok(());
    }
    Err(Error::new(ErrorCode::Unsupported, format!("{} is not played over the protocol of riddles.io", info.name)))
}

/// The letter of a side's cells, which is its number.
pub fn letter(side: Side) -> &'static str {
    match side {
        Side::First => "0",
        Side::Second => "1",
    }
}
