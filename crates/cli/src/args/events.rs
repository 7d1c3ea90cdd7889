//! The options of events with many players: `tournament`, `ladder`, `league`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args as ClapArgs;

use super::{Conditions, Json};

#[derive(Debug, ClapArgs)]
pub(crate) struct Tournament {
    /// The game
    pub(crate) game: String,
    /// The players, of the house or outside programs
    #[arg(required = true, num_args = 2..)]
    pub(crate) players: Vec<String>,
    /// Games of each pairing, two for each opening
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) games: usize,
    /// Only the first player against each of the others
    #[arg(long)]
    pub(crate) gauntlet: bool,
    /// What the tournament is called, which tells it from others under the same conditions; the game by default
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Who has this rating, 0 by default; without it the mean of all is 0
    #[arg(long, value_name = "PLAYER[=ELO]")]
    pub(crate) anchor: Option<String>,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
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
    /// Games of each pairing, two for each opening
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) games: usize,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct League {
    /// The folder of the bots, a file NAME.bot for each; the ranking is written there, and by default the store lies there
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The game; by default that of the league that was played here last
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    /// End after so many more rounds, each as many pairs of games as there are pairs of bots; without it the league goes
    /// on until it is interrupted
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<u32>,
    /// How long a bot that keeps failing is suspended the first time; each further time in a row it is twice as long, up
    /// to a day
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = humantime::parse_duration)]
    pub(crate) pause: Duration,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Reads `LOW..HIGH`.
fn levels(text: &str) -> Result<(u32, u32), String> {
    let read = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    read.filter(|(low, high)| low < high && *high <= 1000)
        .ok_or_else(|| "levels are given as LOW..HIGH, such as 1..10".to_owned())
}
