//! The options of `records`.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, Subcommand};

use super::{Json, QueueArgs};

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
    /// Export the games of a match, or of many as a dataset
    Export(Box<RecordsExport>),
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
#[command(group(ArgGroup::new("at_queue").args(["queue"]).requires_all(["dataset", "labels"])))]
#[command(group(ArgGroup::new("described").args(["bundle", "dataset"]).multiple(true)))]
pub(crate) struct RecordsExport {
    /// The number of the match
    #[arg(value_name = "MATCH", required_unless_present_any = ["bundle", "dataset"], conflicts_with = "bundle")]
    pub(crate) id: Option<i64>,
    /// Write the experiments of the store, with their plans, games and reports, to this file, which `reproduce --verify`
    /// checks on another machine
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "format", "result"])]
    pub(crate) bundle: Option<PathBuf>,
    /// Only this experiment
    #[arg(long, value_name = "EXPERIMENT", requires = "bundle", conflicts_with_all = ["id", "dataset"])]
    pub(crate) experiment: Option<String>,
    /// Description of the machine, for the report or the card [default: its processor]
    #[arg(long, value_name = "TEXT", requires = "described", conflicts_with_all = ["game", "format"])]
    pub(crate) machine: Option<String>,
    /// One of its games, as PAIR.GAME; all by default
    #[arg(value_name = "GAME", value_parser = game_number)]
    pub(crate) game: Option<(usize, usize)>,
    /// The format: `moves` (a line for each game, as in files of openings), `json`, or a format of the game; the game's
    /// first format is the default
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    pub(crate) format: Option<String>,
    /// Only games that a player of the match (1 or 2) won, drew or lost, for example 1:won
    #[arg(long, value_name = "PLAYER:RESULT", value_parser = result_filter)]
    pub(crate) result: Option<(usize, f64)>,
    #[command(flatten)]
    pub(crate) dataset: DatasetArgs,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    /// Print JSON: the games, or what was written to the file
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a dataset contains.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Datasets")]
#[command(group(ArgGroup::new("labels").args(["searches", "values", "truth"]).multiple(true)))]
// An option that needs `--dataset` is not refused beside one that excludes `--dataset` unless it excludes that one itself.
#[command(group(
    ArgGroup::new("of_datasets")
        .args([
            "of_game", "player", "event", "per_game", "searches", "values", "nodes", "playouts", "depth", "truth", "truth_nodes",
            "seed", "concurrency", "licence",
        ])
        .multiple(true)
        .conflicts_with_all(["bundle", "game", "format"])
))]
pub(crate) struct DatasetArgs {
    /// Write the positions of the match, or of all matches that the next options select, to this Parquet file, and its data
    /// card to FILE.md
    #[arg(long = "dataset", id = "dataset", value_name = "FILE", conflicts_with_all = ["bundle", "game", "format"])]
    pub(crate) file: Option<PathBuf>,
    /// Only matches of this game
    #[arg(long = "game", id = "of_game", value_name = "GAME", requires = "dataset")]
    pub(crate) game: Option<String>,
    /// Only matches with a player whose name begins with this text
    #[arg(long, value_name = "PLAYER", requires = "dataset")]
    pub(crate) player: Option<String>,
    /// Only matches of this event
    #[arg(long, value_name = "N", requires = "dataset")]
    pub(crate) event: Option<i64>,
    /// At most this many positions of each game, drawn from those at which a player decided [default: all]
    #[arg(long, value_name = "N", requires = "dataset", value_parser = super::limits::at_least_one)]
    pub(crate) per_game: Option<usize>,
    /// Add the values of the searches that chose the moves, by making each again
    #[arg(long, requires = "dataset", conflicts_with = "values")]
    pub(crate) searches: bool,
    /// Add the value of each position by a search of this player, with --nodes, --playouts or --depth
    #[arg(long, value_name = "PLAYER", requires_all = ["dataset", "value_limits"])]
    pub(crate) values: Option<String>,
    /// Positions searched for a value
    #[arg(long, value_name = "N", requires = "values", group = "value_limits")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Playouts for a value; for players without playouts, positions
    #[arg(long, value_name = "N", requires = "values", group = "value_limits")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) playouts: Option<u64>,
    /// Depth of the search for a value, in plies
    #[arg(long, value_name = "N", requires = "values", group = "value_limits")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: Option<u32>,
    /// Add the exact value of each position, where the game's solver finds it
    #[arg(long, requires = "dataset")]
    pub(crate) truth: bool,
    /// Positions that the solver may search for each exact value; a game that is solved by a table has them all
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "truth")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) truth_nodes: u64,
    /// Seed of the drawn positions and of the searches of --values
    #[arg(long, value_name = "N", default_value_t = 1, requires = "dataset")]
    pub(crate) seed: u64,
    /// Games searched at once; not with --queue, whose workers have their own number [default: the number of processors]
    #[arg(long, value_name = "N", requires = "dataset", value_parser = super::limits::at_least_one)]
    pub(crate) concurrency: Option<usize>,
    /// Identifier of the dataset's licence, as in SPDX's list, for the card
    #[arg(long, value_name = "ID", requires = "dataset")]
    pub(crate) licence: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecordsImport {
    /// The game
    pub(crate) game: String,
    /// The file; `-` is standard input
    pub(crate) file: PathBuf,
    /// A format of the game [default: its first]: `ggf` or `transcript` for othello, either of which is recognised,
    /// `kif` for dobutsu, `riddles` for golad, `blksgf` for blokus, `tbsmap` for tubstap
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
