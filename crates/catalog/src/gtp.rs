//! How a game is played over GTP.

use banmen_game::Side;

/// How a game is played over GTP, the Go Text Protocol, version 2 (Gunnar Farnebäck's draft). Every move changes the side,
/// passes included. A game can be played over GTP if its entry [says how](crate::Entry::gtp).
#[derive(Clone, Copy, Debug)]
pub struct GtpRules {
    /// The name that `set_game` takes.
    pub title: &'static str,
    /// The argument of `boardsize`, if programs expect that command.
    pub size: Option<u32>,
    /// The dialect of moves.
    pub dialect: &'static str,
    /// A pass in that dialect; GTP writes `pass`.
    pub pass: &'static str,
    /// Further words for the colours of the two sides, in lower case. `b`, `black`, `w` and `white` always name them.
    pub colours: [&'static [&'static str]; 2],
    /// Whether programs are sent forced passes of either side. If not, only placements are sent, and a side may move again
    /// when the other one cannot.
    pub sends_passes: bool,
}

impl GtpRules {
    /// The side that a colour's word names, in either case.
    #[must_use]
    pub fn side(&self, word: &str) -> Option<Side> {
        let word = word.to_ascii_lowercase();
        let usual = [["b", "black"], ["w", "white"]];
        Side::BOTH.into_iter().find(|side| {
            usual[side.index()].contains(&word.as_str()) || self.colours[side.index()].contains(&word.as_str())
        })
    }

    /// Converts a move's text to a GTP vertex.
    #[must_use]
    pub fn vertex<'t>(&self, text: &'t str) -> &'t str {
        if text == self.pass { "pass" } else { text }
    }

    /// Converts a GTP vertex to a move's text.
    #[must_use]
    pub fn text<'t>(&self, vertex: &'t str) -> &'t str {
        if vertex.eq_ignore_ascii_case("pass") { self.pass } else { vertex }
    }
}
