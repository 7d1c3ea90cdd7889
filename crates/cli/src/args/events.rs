//! The options of events with many players: `tournament`, `ladder`, `league`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args as ClapArgs;

use super::{Conditions, Json, ProgramArgs};

#[derive(Debug, ClapArgs)]
pub(crate) struct Tournament {
    /// The game
    pub(crate) game: String,
    /// The players, built in or external programs
    #[arg(required = true, num_args = 2..)]
    pub(crate) players: Vec<String>,
    /// Games per pairing, two for each opening
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) games: usize,
    /// Play a gauntlet: the first player against each of the others
    #[arg(long)]
    pub(crate) gauntlet: bool,
    /// Name, to distinguish tournaments under the same conditions [default: the game]
    #[arg(long, value_name = "NAME", value_parser = event_name)]
    pub(crate) name: Option<String>,
    /// Player with a fixed rating, 0 if none is given; without an anchor the mean rating is 0
    #[arg(long, value_name = "PLAYER[=ELO]")]
    pub(crate) anchor: Option<String>,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Ladder {
    /// The game
    pub(crate) game: String,
    /// The levels, from the lowest to the highest
    #[arg(long, value_name = "LOW..HIGH", default_value = "1..10", value_parser = levels)]
    pub(crate) levels: (u32, u32),
    /// Games per pairing, two for each opening
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) games: usize,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct League {
    /// Folder with a file NAME.bot for each bot; the ranking is written there, and by default the store, `league.sqlite`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The game [default: the game of the last league in this folder]
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    /// Stop after this many more rounds, each of one pair of games per pair of bots; without it, the league runs until it is
    /// interrupted
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<u32>,
    /// How long a bot that fails repeatedly is suspended; doubled each further time in a row, up to a day
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = super::limits::duration)]
    pub(crate) pause: Duration,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Reads the name of a tournament, which is shown on one line.
fn event_name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() || text.contains(char::is_control) {
        return Err("a name is a line with at least one visible character".to_owned());
    }
    Ok(text.to_owned())
}

/// Reads `LOW..HIGH`.
pub(super) fn levels(text: &str) -> Result<(u32, u32), String> {
    let read = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    read.filter(|(low, high)| low < high && *high <= 1000)
        .ok_or_else(|| "levels are given as LOW..HIGH, such as 1..10".to_owned())
}
