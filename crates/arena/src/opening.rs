//! Openings by random plies.

use std::collections::HashSet;

use banmen_catalog::{AnyGame, Error};
use banmen_game::{Rng, mix};

/// The first moves of both games of a pair, packed.
pub type Opening = Vec<u32>;

/// How often another opening is drawn before a repeated one is taken: small games have few openings.
const TRIES: usize = 100;

/// `count` openings of `plies` random moves each from the start, in an order that follows from the seed. They differ
/// as positions as long as the game has enough of them, and none ends the game.
///
/// # Errors
/// `unknown_rules`, or `out_of_range` when random games do not last `plies` moves.
pub fn openings(
    game: &dyn AnyGame,
    rules: Option<&str>,
    plies: u32,
    count: usize,
    seed: u64,
) -> Result<Vec<Opening>, Error> {
    let start = game.walk(rules, None)?;
    let mut seen = HashSet::new();
    let mut draw = |index: usize| -> Option<Opening> {
        let mut repeated = None;
        for attempt in 0..TRIES {
            let mut rng = Rng::new(mix(seed ^ mix(((index as u64) << 16) | attempt as u64)));
            let mut walk = start.copy();
            let whole = (0..plies).all(|_| {
                let legal = walk.legal();
                !legal.is_empty() && walk.play(legal[rng.index(legal.len())]).is_ok()
            });
            if !whole || walk.outcome().is_some() {
                continue;
            }
            if seen.insert(walk.key()) {
                return Some(walk.moves());
            }
            repeated = Some(walk.moves());
        }
        repeated
    };
    (0..count)
        .map(|index| {
            draw(index).ok_or_else(|| {
                Error::new("out_of_range", format!("random games end before {plies} plies"))
                    .arg("key", "openings")
                    .arg("value", plies)
            })
        })
        .collect()
}
