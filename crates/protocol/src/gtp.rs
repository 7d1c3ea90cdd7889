//! GTP, the Go Text Protocol, version 2 (Gunnar Farnebäck's draft), for games other than Go: the code shared by engine
//! and client.

use banmen_catalog::{AnyGame, Error, ErrorCode, GtpRules};
use banmen_game::Side;

/// How a game is played over GTP.
///
/// # Errors
/// `unsupported` if it is not.
pub fn rules(game: &dyn AnyGame) -> Result<GtpRules, Error> {
    let name = game.info().name;
    game.gtp().copied().ok_or_else(|| Error::new(ErrorCode::Unsupported, format!("{name} is not played over GTP")))
}

/// The GTP name of a side.
pub fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "b",
        Side::Second => "w",
    }
}
