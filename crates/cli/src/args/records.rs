//! The options of `records`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::Json;

#[derive(Debug, ClapArgs)]
pub(crate) struct Records {
    #[command(subcommand)]
    pub(crate) what: RecordsVerb,
}

/// What to do with the store.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordsVerb {
    /// List the matches
    List(RecordsList),
    /// Show a match, or one of its games
    Show(RecordsShow),
    /// Search for a move of a stored game again, with its player, limits and seed
    Think(RecordsThink),
    /// Export the games of a match
    Export(RecordsExport),
    /// Import games from a file
    Import(RecordsImport),
    /// Check that the store is sound: its file, and by replaying them, the games
    Check(RecordsCheck),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecordsCheck {
    /// Set damaged games aside, so that the same commands play them again
    #[arg(long)]
    pub(crate) repair: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecordsList {
    /// Only matches of this game
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    /// Only matches with a player whose name begins with this text
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Option<String>,
    /// Only matches of this event
    #[arg(long, value_name = "N")]
    pub(crate) event: Option<i64>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecordsShow {
    /// The number of the match
    #[arg(value_name = "MATCH")]
    pub(crate) id: i64,
    /// One of its games, as PAIR.GAME
    #[arg(value_name = "GAME", value_parser = game_number)]
    pub(crate) game: Option<(usize, usize)>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecordsThink {
    /// The number of the match
    #[arg(value_name = "MATCH")]
    pub(crate) id: i64,
    /// The game, as PAIR.GAME
    #[arg(value_name = "GAME", value_parser = game_number)]
    pub(crate) game: (usize, usize),
    /// The number of the move, from 1; those of the opening count
    #[arg(value_name = "MOVE", value_parser = super::limits::at_least_one)]
    pub(crate) number: usize,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecordsExport {
    /// The number of the match
    #[arg(value_name = "MATCH", required_unless_present = "bundle", conflicts_with = "bundle")]
    pub(crate) id: Option<i64>,
    /// Write the experiments of the store, with their plans, games and reports, to this file, which `reproduce --verify`
    /// checks on another machine
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "format", "result"])]
    pub(crate) bundle: Option<PathBuf>,
    /// Only this experiment
    #[arg(long, value_name = "EXPERIMENT", requires = "bundle")]
    pub(crate) experiment: Option<String>,
    /// Description of the machine, for the report [default: its processor]
    #[arg(long, value_name = "TEXT", requires = "bundle")]
    pub(crate) machine: Option<String>,
    /// One of its games, as PAIR.GAME; all by default
    #[arg(value_name = "GAME", value_parser = game_number)]
    pub(crate) game: Option<(usize, usize)>,
    /// The format: `moves` (a line for each game, as in files of openings), `json`, or a format of the game; the game's
    /// first format is the default
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Only games that a player of the match (1 or 2) won, drew or lost, for example 1:won
    #[arg(long, value_name = "PLAYER:RESULT", value_parser = result_filter)]
    pub(crate) result: Option<(usize, f64)>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecordsImport {
    /// The game
    pub(crate) game: String,
    /// The file; `-` is standard input
    pub(crate) file: PathBuf,
    /// A format of the game [default: its first]: `ggf` or `transcript` for othello, `kif` for dobutsu, `riddles` for
    /// golad, `blksgf` for blokus, `tbsmap` for tubstap
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// The variant of the rules
    #[arg(long, value_name = "NAME")]
    pub(crate) rules: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Reads `PAIR.GAME`.
fn game_number(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('.').and_then(|(pair, game)| Some((pair.parse().ok()?, game.parse().ok()?)));
    numbers.filter(|&(_, game)| game < 2).ok_or_else(|| "a game is given as PAIR.GAME, such as 12.0".to_owned())
}

/// Reads `PLAYER:RESULT`; gives the index of the player and its score.
fn result_filter(text: &str) -> Result<(usize, f64), String> {
    let player = |text| ["1", "2"].iter().position(|&known| known == text);
    let score = |text| {
        [("won", 1.0), ("drawn", 0.5), ("lost", 0.0)].iter().find(|(known, _)| *known == text).map(|known| known.1)
    };
    let read = text.split_once(':').and_then(|(who, how)| Some((player(who)?, score(how)?)));
    read.ok_or_else(|| "a result is given as 1:won, 1:drawn, 1:lost, or the same of player 2".to_owned())
}

/// As [`super::parse_values`].
pub(super) fn parse_values(text: &str) -> Vec<String> {
    [game_number(text).err(), result_filter(text).err()].into_iter().flatten().collect()
}
