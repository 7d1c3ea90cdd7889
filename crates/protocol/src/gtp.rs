//! GTP, the Go Text Protocol, version 2 (Gunnar Farnebäck's draft), for games other than Go: the code shared by engine
//! and client.

use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_game::Side;

/// How a game is played over GTP. Every move changes the side, passes included.
pub struct GtpGame {
    /// The catalog's name.
    game: &'static str,
    /// The name that `set_game` takes.
    pub title: &'static str,
    /// The argument of `boardsize`, if the game requires it.
    pub size: Option<u32>,
    /// The dialect of moves.
    pub dialect: &'static str,
    /// A pass in that dialect; GTP writes `pass`.
    pub pass: &'static str,
}

/// Rows are counted from the top; columns are consecutive letters (with `i`), as in gtp-rhino.
const GAMES: &[GtpGame] = &[GtpGame { game: "othello", title: "Othello", size: Some(8), dialect: "text", pass: "pa" }];

impl GtpGame {
    /// How this game is played over GTP.
    ///
    /// # Errors
    /// `unsupported` if the game is not played over GTP.
    pub fn of(game: &dyn AnyGame) -> Result<&'static GtpGame, Error> {
        let name = game.info().name;
        let variant = GAMES.iter().find(|variant| variant.game == name);
        variant.ok_or_else(|| Error::new(ErrorCode::Unsupported, format!("{name} is not played over GTP")))
    }

    /// Converts a move's text to a GTP vertex.
    pub(crate) fn vertex<'t>(&self, text: &'t str) -> &'t str {
        if text == self.pass { "pass" } else { text }
    }

    /// Converts a GTP vertex to a move's text.
    pub fn text<'t>(&self, vertex: &'t str) -> &'t str {
        if vertex.eq_ignore_ascii_case("pass") { self.pass } else { vertex }
    }
}

/// The GTP name of a side.
pub fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "b",
        Side::Second => "w",
    }
}
