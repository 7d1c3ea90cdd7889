//! NBoard's protocol, version 2 (Chris Welty): the code shared by engine and client.

use banmen_catalog::{AnyGame, Error};

use crate::dialect::require;

/// The dialect of positions and moves.
pub const DIALECT: &str = "ggf";

/// The lead in discs with an expected score of 0.75, as in the built-in Othello engine.
const EVEN_ODDS: f64 = 6.0;

/// The largest lead.
const ALL_DISCS: f64 = 64.0;

/// Checks that a game has the dialect.
///
/// # Errors
/// `unsupported` if it does not.
pub fn check(game: &dyn AnyGame) -> Result<(), Error> {
    require(game, DIALECT, "is not written in GGF, as NBoard writes")
}

/// Converts a lead in discs to an expected score.
pub fn expected(discs: f64) -> f64 {
    let lead = discs / EVEN_ODDS;
    0.5 + 0.5 * lead / (1.0 + lead.abs())
}

/// Converts an expected score to a lead in discs; the inverse of [`expected`].
pub fn discs(expected: f64) -> f64 {
    let share = (2.0 * expected - 1.0).clamp(-1.0, 1.0);
    (EVEN_ODDS * share / (1.0 - share.abs())).clamp(-ALL_DISCS, ALL_DISCS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_and_scores_are_inverse() {
        assert_eq!((expected(0.0), expected(6.0), expected(-6.0)), (0.5, 0.75, 0.25));
        for lead in [-63.0, -2.5, 0.0, 1.0, 20.0] {
            assert!((discs(expected(lead)) - lead).abs() < 1e-9, "{lead}");
        }
        assert_eq!((discs(1.0), discs(0.0)), (64.0, -64.0));
    }
}
