//! The options of matches: `match`, `tune`, and the conditions of all games between players.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use banmen_arena::{SequentialTest, Threshold};
use banmen_search::TimeControl;
use clap::{Args as ClapArgs, ValueEnum};

use super::limits::{ClockArg, LimitArgs, at_least_one, concurrency, duration, match_threads, time_control};
use super::{Json, ProgramArgs, QueueArgs};

/// The heading of the limits of the second player in help texts. A heading of a whole struct would hold for all options
/// after it, too.
pub(super) const OTHER_LIMITS: &str = "Limits of the second player, instead of those above";

/// Limits of the second player, instead of those above.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub(crate) struct OtherLimits {
    /// Time per move
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = OTHER_LIMITS)]
    pub(crate) b_time: Option<Duration>,
    /// Time control of the game
    #[arg(long, value_name = "CLOCK", value_parser = time_control, help_heading = OTHER_LIMITS)]
    pub(crate) b_tc: Option<TimeControl>,
    /// Positions searched per move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = OTHER_LIMITS)]
    pub(crate) b_nodes: Option<u64>,
    /// Playouts per move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = OTHER_LIMITS)]
    pub(crate) b_playouts: Option<u64>,
    /// Depth in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = OTHER_LIMITS)]
    pub(crate) b_depth: Option<u32>,
}

/// The conditions of a match's games, without the players.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Conditions {
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Time control of the whole game, for example 10s+100ms: initial time and increment per turn; with /10s also
    /// the largest time that the clock may show; with `byoyomi 5s` at the end the time for each turn once the clock is at 0
    #[arg(long, value_name = "CLOCK", value_parser = time_control)]
    pub(crate) tc: Option<TimeControl>,
    /// Openings of the pairs: `starts` (a different start position of the game for each pair), `random:PLIES`,
    /// `balanced:PLIES` (random, equal according to the engine, and the same with every seed), or `file:PATH` with the
    /// moves of an opening on each line [default: with --position that position; else starts where the game has several,
    /// else random:8, or fewer plies where games are short]
    #[arg(long, value_name = "KIND")]
    pub(crate) openings: Option<OpeningsArg>,
    /// The position at which the games begin, or from which `--openings random:PLIES` plays, in any notation of the game
    /// [default: the game's start]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,
    /// The variant of the rules
    #[arg(long, value_name = "NAME")]
    pub(crate) rules: Option<String>,
    /// Games played at once; not with --queue, whose workers have their own number [default: the number of processors, divided
    /// by the threads of a search]
    #[arg(long, value_name = "N", value_parser = concurrency)]
    pub(crate) concurrency: Option<usize>,
    /// Threads of each search; a player that cannot use so many uses fewer. External programs are not affected: their
    /// threads are set in their commands
    #[arg(long, value_name = "N", default_value = "1", value_parser = match_threads)]
    pub(crate) threads: NonZeroUsize,
    /// The clock that measures time
    #[arg(long, value_enum, default_value_t)]
    pub(crate) clock: ClockArg,
    /// Seed of the openings and the players
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Resign for a player, as SCORE:MOVES: when for MOVES consecutive moves of each side it expects a score of at most
    /// SCORE (0 to 1) and the other agrees
    #[arg(long, value_name = "SCORE:MOVES", allow_hyphen_values = true, value_parser = threshold, help_heading = "Games that end early")]
    pub(crate) resign: Option<Threshold>,
    /// Adjudicate a draw, as DISTANCE:MOVES: when for MOVES consecutive moves of each side both expect a score within
    /// DISTANCE of 0.5
    #[arg(long, value_name = "DISTANCE:MOVES", allow_hyphen_values = true, value_parser = threshold, help_heading = "Games that end early")]
    pub(crate) draw: Option<Threshold>,
    /// Adjudicate a draw after this many plies
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = "Games that end early")]
    pub(crate) max_plies: Option<usize>,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
}

/// The openings of the pairs, as the command line names them.
#[derive(Debug, Clone)]
pub(crate) enum OpeningsArg {
    Starts,
    Random(u32),
    Balanced(u32),
    File(PathBuf),
}

impl FromStr for OpeningsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let plies = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a number of plies"));
        match text.split_once(':') {
            None if text == "starts" => Ok(OpeningsArg::Starts),
            Some(("random", number)) => Ok(OpeningsArg::Random(plies(number)?)),
            Some(("balanced", number)) => Ok(OpeningsArg::Balanced(plies(number)?)),
            Some(("file", path)) if !path.is_empty() => Ok(OpeningsArg::File(path.into())),
            _ => Err("openings are starts, random:PLIES, balanced:PLIES or file:PATH".to_owned()),
        }
    }
}

impl fmt::Display for OpeningsArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningsArg::Starts => f.write_str("starts"),
            OpeningsArg::Random(plies) => write!(f, "random:{plies}"),
            OpeningsArg::Balanced(plies) => write!(f, "balanced:{plies}"),
            OpeningsArg::File(path) => write!(f, "file:{}", path.display()),
        }
    }
}

/// Reads `VALUE:MOVES`.
fn threshold(text: &str) -> Result<Threshold, String> {
    let (value, moves) = text.split_once(':').ok_or("a score and a number of moves, as 0.02:4")?;
    match (value.parse::<f64>(), moves.parse::<u32>()) {
        (Ok(value), Ok(moves)) if (0.0..0.5).contains(&value) && moves > 0 => Ok(Threshold { value, moves }),
        _ => Err("a number from 0 to below 0.5, and a number of moves from 1 on, as 0.02:4".to_owned()),
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelArg {
    /// In standard deviations of a game
    #[default]
    Normalised,
    /// Ordinary Elo
    Logistic,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Match {
    /// The game
    pub(crate) game: String,
    /// The player whose score is given; an external program as PROTOCOL:COMMAND
    pub(crate) a: String,
    /// The opponent
    pub(crate) b: String,
    /// Games to play, two for each opening [default: 100; with --sprt until the test decides]
    #[arg(long, value_name = "N")]
    pub(crate) games: Option<usize>,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
    #[command(flatten)]
    pub(crate) other: OtherLimits,
    /// Stop when the pairs decide between two Elo differences: ELO0,ELO1 (with error rates of 0.05) or
    /// ELO0,ELO1,ALPHA,BETA
    #[arg(long, value_name = "TEST", allow_hyphen_values = true, help_heading = "Sequential test")]
    pub(crate) sprt: Option<SequentialTest>,
    /// The unit of these differences
    #[arg(long, value_enum, default_value_t, requires = "sprt", help_heading = "Sequential test")]
    pub(crate) sprt_model: ModelArg,
    /// Print every game, also those already in the store: its score for the first player, the start position in
    /// quotation marks if it is not the default, and its moves
    #[arg(long)]
    pub(crate) games_out: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Tune {
    /// The game
    pub(crate) game: String,
    /// The player to tune, with the keys that keep their values
    pub(crate) player: String,
    /// The numeric keys to tune: `KEY`, or `KEY[PLACE]` for one number of a list; `:STEP` sets the size of the
    /// perturbation
    #[arg(required = true, value_name = "KEY")]
    pub(crate) keys: Vec<String>,
    /// Number of steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) steps: usize,
    /// Pairs of games per step
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) pairs: usize,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// As [`super::parse_values`].
pub(super) fn parse_values(text: &str) -> Vec<String> {
    [text.parse::<OpeningsArg>().err(), threshold(text).err()].into_iter().flatten().collect()
}
