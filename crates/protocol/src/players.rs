//! How the player that a request names is made.

use banmen_catalog::{AnyGame, AnyPlayer, Error, ErrorCode, PlayerText};
use banmen_search::StopFlag;

use crate::Policy;

/// Makes the player of a text, seeded, for games under the named rules. The arguments are the game, the rules, the
/// player's text, the seed, and the flag that ends the wait for a player that takes long to make.
pub type MakePlayer =
    dyn Fn(&dyn AnyGame, Option<&str>, &str, u64, &StopFlag) -> Result<Box<dyn AnyPlayer>, Error> + Send + Sync;

/// The key by which players are given memory, in MiB.
const MEMORY: &str = "table";

/// Refuses a player whose table is larger than the policy allows.
pub(crate) fn within(text: &str, game: &dyn AnyGame, policy: &Policy) -> Result<(), Error> {
    let Some(most) = policy.table_mib else { return Ok(()) };
    // An unknown player is refused when it is made.
    if game.players().iter().all(|player| player.name != PlayerText::name_of(text)) {
        return Ok(());
    }
    let player = PlayerText::parse(text)?;
    let asked =
        player.pairs.iter().filter(|(key, _)| *key == MEMORY).filter_map(|(_, value)| value.parse::<i64>().ok());
    match asked.max() {
        Some(asked) if asked > most => Err(Error::new(
            ErrorCode::OutOfRange,
            format!("`{MEMORY}` must be an integer from 1 to {most}, the most here, not `{asked}`"),
        )
        .arg("key", MEMORY)
        .arg("range", format!("integer 1..{most}"))),
        _ => Ok(()),
    }
}
