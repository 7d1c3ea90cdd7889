//! The dialects of positions and moves in which protocols are written.

use banmen_catalog::{AnyGame, Error, ErrorCode};

/// Refuses a game that lacks a dialect: its name, and then `why`.
///
/// # Errors
/// `unsupported`.
pub(crate) fn require(game: &dyn AnyGame, dialect: &str, why: &str) -> Result<(), Error> {
    let info = game.info();
    if info.dialects.contains(&dialect) {
        return Ok(());
    }
    Err(Error::new(ErrorCode::Unsupported, format!("{} {why}", info.name)))
}
