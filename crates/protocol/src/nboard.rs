//! NBoard's protocol, version 2 (Chris Welty): what engine and client share.

use banmen_catalog::{AnyGame, Error, ErrorCode};

/// The dialect of positions and moves.
pub const DIALECT: &str = "ggf";

/// The lead in discs whose expected score is 0.75, the scale of our own engine for Othello.
const EVEN_ODDS: f64 = 6.0;

/// The largest lead.
const ALL_DISCS: f64 = 64.0;

/// Checks that a game has the dialect.
///
/// # Errors
/// `unsupported` when it has not.
pub fn check(game: &dyn AnyGame) -> Result<(), Error> {
    let info = game.info();
    if info.dialects.contains(&DIALECT) {
        return Ok(());
    }
    Err(Error::new(ErrorCode::Unsupported, format!("{} is not written in GGF, as NBoard writes", info.name)))
}

/// The expected score of a lead in discs.
pub fn expected(discs: f64) -> f64 {
    let lead = discs / EVEN_ODDS;
    0.5 + 0.5 * lead / (1.0 + lead.abs())
}

/// The lead of an expected score, the inverse of [`expected`].
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
