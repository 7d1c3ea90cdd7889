//! Players as a request may name them.

use banmen_catalog::{AnyGame, Error, PlayerText};

use crate::Policy;

/// The protocols by which an outside program can be a player: `gtp:COMMAND` and so on.
const PROGRAMS: [&str; 8] = ["gtp", "nboard", "usi", "uci", "riddles", "fpt", "tubstap", "rpc"];

/// The key by which players are given memory, in MiB.
const MEMORY: &str = "table";

/// Whether a player's text is one that the door lets through. The game itself says whether it has such a player.
pub(crate) fn allowed(text: &str, game: &dyn AnyGame, policy: &Policy) -> Result<(), Error> {
    let name = text.split(':').next().unwrap_or_default().trim();
    let own = || game.players().iter().any(|player| player.name == name);
    if PROGRAMS.contains(&name) && !own() {
        return Err(if policy.programs {
            Error::new("unsupported", format!("programs that speak {name} cannot be players yet"))
        } else {
            Error::new("programs_not_allowed", "outside programs cannot be named here")
        });
    }
    let Some(most) = policy.table_mib else { return Ok(()) };
    let player = PlayerText::parse(text)?;
    let asked =
        player.pairs.iter().filter(|(key, _)| *key == MEMORY).filter_map(|(_, value)| value.parse::<i64>().ok());
    match asked.max() {
        Some(asked) if asked > most => Err(Error::new(
            "out_of_range",
            format!("{MEMORY}={asked} is outside integer 1..{most}, which is the most here"),
        )
        .arg("key", MEMORY)
        .arg("range", format!("integer 1..{most}"))),
        _ => Ok(()),
    }
}
