//! GTP, the Go text protocol, version 2 (Gunnar Farnebäck's draft), for games other than Go: what engine and client share.

use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_game::Side;

/// How a game is played over GTP. Every move changes the side, passes included.
pub struct GtpGame {
    /// The catalog's name.
    game: &'static str,
    /// The name that `set_game` takes.
    pub title: &'static str,
    /// The argument of `boardsize`, where it is needed.
    pub size: Option<u32>,
    /// The dialect of moves.
    pub dialect: &'static str,
    /// How that dialect writes a pass, which is `pass` over GTP.
    pub pass: &'static str,
}

/// Rows are counted from the top; columns are consecutive letters (with `i`), as in gtp-rhino.
const GAMES: &[GtpGame] = &[GtpGame { game: "othello", title: "Othello", size: Some(8), dialect: "text", pass: "pa" }];

impl GtpGame {
    /// How this game is played over GTP.
    ///
    /// # Errors
    /// `unsupported` when it is not.
    pub fn of(game: &dyn AnyGame) -> Result<&'static GtpGame, Error> {
        let name = game.info().name;
        let variant = GAMES.iter().find(|variant| variant.game == name);
        variant.ok_or_else(|| Error::new(ErrorCode::Unsupported, format!("{name} is not played over GTP")))
    }

    /// A move's text as GTP writes it.
    pub fn vertex<'t>(&self, text: &'t str) -> &'t str {
        if text == self.pass { "pass" } else { text }
    }

    /// A vertex as the game writes it.
    pub fn text<'t>(&self, vertex: &'t str) -> &'t str {
        if vertex.eq_ignore_ascii_case("pass") { self.pass } else { vertex }
    }
}

/// The word for a side.
pub fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "b",
        Side::Second => "w",
    }
}
