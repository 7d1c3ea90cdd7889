//! The one table of verbs and options. Help, completions, the manual page and `docs/cli.md` come from it.

mod events;
mod learn;
mod programs;
mod stats;

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use banmen_arena::{SequentialTest, Threshold};
use banmen_catalog::{CpuClock, WallClock};
use banmen_protocol::MAX_THREADS;
use banmen_search::{Clock, Limits, TimeControl};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

pub(crate) use events::{Ladder, League, Tournament};
pub(crate) use learn::{Learn, LearnRatings, LearnVerb};
pub(crate) use programs::ProgramArgs;
pub(crate) use stats::{
    Bt, Compare, DrawsArg, Elo, Glicko2, Holm, Prop, Question, Results, ScaleArg, Size, Sprt, Stats, Ttest,
};

/// A workbench for the AI of two-player, perfect-information board games.
#[derive(Debug, Parser)]
#[command(name = "banmen", version, about, max_term_width = 100, arg_required_else_help = false)]
#[command(after_help = "Without a command, banmen serves its page: the same as `banmen serve`.\n\
    Exit codes: 0 done, 1 a negative answer, 2 wrong usage or bad input, 3 an outside program failed, 130 interrupted.")]
pub(crate) struct Args {
    /// Data directory, for example for tables of solved games [default: the platform's]
    #[arg(long, global = true, value_name = "FOLDER", display_order = 900)]
    pub(crate) data: Option<PathBuf>,
    /// Database of matches and their games [default: `banmen.sqlite` in the data directory]
    #[arg(long, global = true, value_name = "FILE", display_order = 901)]
    pub(crate) store: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Serve the page and the protocol over HTTP
    Serve(Serve),
    /// Play a game in the terminal
    Play(Play),
    /// Show a position: board, side, legal moves, outcome
    Show(Show),
    /// Count the move sequences of a given length
    Perft(Perft),
    /// Search a position with a player
    Think(Think),
    /// Prove the score of a position
    Solve(Solve),
    /// List the games
    Games(Json),
    /// List the players of a game with all their keys
    Players(Players),
    /// Convert positions and whole games to another notation
    Convert(Convert),
    /// Play a match between two players, in pairs of games with sides swapped
    Match(Box<Match>),
    /// Tune the keys of a player by playing games (SPSA)
    Tune(Box<Tune>),
    /// Learn from games of a player against itself
    Learn(Box<Learn>),
    /// Play a tournament of several players and rate them
    Tournament(Box<Tournament>),
    /// Rate the levels of a game's engine against each other
    Ladder(Box<Ladder>),
    /// Run a continuous league of the bots in a folder, and rank them
    League(Box<League>),
    /// List, show, export and import the matches and games of the store
    Records(Records),
    /// Re-run published experiments and compare the results with the published figures
    Reproduce(Reproduce),
    /// Compute match statistics: Elo, sequential tests, t tests, proportions, ratings
    Stats(Stats),
    /// Speak Banmen's protocol over standard input and output, one JSON object per line
    Rpc(Rpc),
    /// Run a player as an engine for USI, UCI, GTP, NBoard, riddles.io, the FPGA contests or TUBSTAP
    Engine(Engine),
    /// Search fixed positions; print node counts, speeds and a signature of each search
    Bench(BenchArgs),
    /// Check that the program works on this machine
    Selftest(Json),
    /// Print shell completions
    Completions(Completions),
    /// Print the manual page
    Man,
    /// Print the reference of all verbs as Markdown
    #[command(hide = true)]
    Docs,
}

/// Options of the output.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub(crate) struct Json {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A position of a game.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Place {
    /// The game
    pub(crate) game: String,
    /// The variant of the rules
    #[arg(long, value_name = "NAME")]
    pub(crate) rules: Option<String>,
    /// Position in any notation of the game [default: start]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,
    /// Moves played from the position, separated by whitespace or without a separator
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    pub(crate) moves: Vec<String>,
}

/// Limits of a search; the first that is reached ends it.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub(crate) struct LimitArgs {
    /// Time per move, for example 500ms or 2s
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// Positions searched per move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Playouts per move; for players without playouts, positions per move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) playouts: Option<u64>,
    /// Depth in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: Option<u32>,
}

impl From<LimitArgs> for Limits {
    fn from(args: LimitArgs) -> Self {
        Limits { time: args.time, nodes: args.nodes, playouts: args.playouts, depth: args.depth, ..Limits::default() }
    }
}

/// Threads of a search.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub(crate) struct ThreadArgs {
    /// Threads of each search; a player that cannot use so many uses fewer
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count)]
    pub(crate) threads: usize,
}

fn match_threads(text: &str) -> Result<NonZeroUsize, String> {
    NonZeroUsize::try_from(thread_count(text)?).map_err(|error| error.to_string())
}

fn thread_count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MAX_THREADS).contains(count));
    count.ok_or_else(|| format!("a number from 1 to {MAX_THREADS}"))
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|&count| count >= 1);
    count.ok_or_else(|| "a number of at least 1".to_owned())
}

#[derive(Debug, Default, ClapArgs)]
pub(crate) struct Serve {
    /// Address and port to listen on; without an address, this machine alone [default: 127.0.0.1:8080, or a free port
    /// when that one is in use]; with an address other than a loopback address, other machines can connect
    #[arg(long, value_name = "[HOST:]PORT", value_parser = banmen_programs::address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Host name that requests may use beside localhost and IP addresses, for example a proxy's; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// Origin whose pages may use this server, for example https://example.org; repeatable
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,
    /// Threads that all searches share [default: one fewer than the machine has processors]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Play {
    #[command(flatten)]
    pub(crate) place: Place,
    /// The first player: `human`, a player of the game, or an outside program as PROTOCOL:COMMAND
    #[arg(long, value_name = "PLAYER", default_value = "human")]
    pub(crate) first: String,
    /// The second player
    #[arg(long, value_name = "PLAYER", default_value = "engine:level=5")]
    pub(crate) second: String,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The clock that measures time
    #[arg(long, value_enum, default_value_t = ClockArg::Wall)]
    pub(crate) clock: ClockArg,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Notation of the position and the moves
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// Print the board as an SVG picture
    #[arg(long, conflicts_with = "json")]
    pub(crate) svg: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum Passes {
    /// A pass counts as a ply
    #[default]
    Cost,
    /// A forced pass counts as no ply
    Free,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Perft {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Length of the move sequences in plies
    pub(crate) depth: u32,
    /// How a forced pass counts
    #[arg(long, value_enum, default_value_t)]
    pub(crate) passes: Passes,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Think {
    #[command(flatten)]
    pub(crate) place: Place,
    /// The player, as `name` or `name:key=value,key=value`, or an outside program as PROTOCOL:COMMAND
    #[arg(long, default_value = "engine")]
    pub(crate) player: String,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The clock that measures time
    #[arg(long, value_enum, default_value_t = ClockArg::Wall)]
    pub(crate) clock: ClockArg,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Number of principal variations
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) lines: usize,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Limits of a solver; the first that is reached ends it.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub(crate) struct SolveLimits {
    /// Time per position, for example 500ms or 2s
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["build", "census"])]
    pub(crate) time: Option<Duration>,
    /// Positions searched per position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(conflicts_with_all = ["build", "census"])]
    pub(crate) nodes: Option<u64>,
}

impl From<SolveLimits> for LimitArgs {
    fn from(SolveLimits { time, nodes }: SolveLimits) -> Self {
        LimitArgs { time, nodes, ..LimitArgs::default() }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Solve {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Prove the score of every move, not only of the best one
    #[arg(long)]
    pub(crate) all: bool,
    /// Solve the game's test positions one after the other, with the limits for each
    #[arg(long, conflicts_with_all = ["position", "moves", "rules", "all", "census", "build"])]
    pub(crate) suite: bool,
    /// Build the table that solves the game, and write it to the data directory, replacing an old one
    #[arg(long, conflicts_with_all = ["position", "moves", "all", "census"])]
    pub(crate) build: bool,
    /// Count all positions of the game by their values in the table
    #[arg(long, conflicts_with_all = ["position", "moves", "all"])]
    pub(crate) census: bool,
    #[command(flatten)]
    pub(crate) limits: SolveLimits,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Players {
    /// The game
    pub(crate) game: String,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Convert {
    /// The game
    pub(crate) game: String,
    /// Positions or whole games; without any, and without a file, they are read from standard input
    pub(crate) positions: Vec<String>,
    /// File to read, or `-` for standard input: positions, one per line, or whole games in any format of the game
    #[arg(long, value_name = "FILE", conflicts_with = "positions")]
    pub(crate) file: Option<PathBuf>,
    /// What to write: a notation of positions, or a format of whole games as in `records import`. A whole game in a
    /// notation of positions is the position at its end [default: the canonical notation of positions]
    #[arg(long, value_name = "DIALECT|FORMAT")]
    pub(crate) to: Option<String>,
    /// Encoding of what is written
    #[arg(long, value_enum, default_value_t, conflicts_with = "json")]
    pub(crate) encoding: Encoding,
    /// The variant of the rules
    #[arg(long, value_name = "NAME")]
    pub(crate) rules: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Encoding {
    /// UTF-8
    #[default]
    #[value(name = "utf-8")]
    Utf8,
    /// Shift-JIS, of older Japanese programs
    ShiftJis,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockArg {
    /// Processor time of the player's threads
    #[default]
    Cpu,
    /// Wall time
    Wall,
}

impl ClockArg {
    /// A clock of this kind, started now.
    pub(crate) fn clock(self) -> Box<dyn Clock> {
        match self {
            ClockArg::Cpu => Box::new(CpuClock::default()),
            ClockArg::Wall => Box::new(WallClock::default()),
        }
    }
}

/// The longest time that an option takes: sums of several such times, and of one with the present moment, are times too.
const MAX_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Parses a time, such as `10s` or `1m 30s`.
fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time <= MAX_TIME => Ok(time),
        Ok(_) => Err("a time is at most a year".to_owned()),
        Err(_) => Err("a time is a number with a unit, such as 500ms, 2s or 1m 30s".to_owned()),
    }
}

/// Parses the time control of a game, as `10s`, `10s+100ms` or `10s+100ms/10s`: initial time, increment, and the largest
/// time that the clock may show, which must not be below the initial time.
fn time_control(text: &str) -> Result<TimeControl, String> {
    let (rest, cap) = text.split_once('/').map_or((text, None), |(rest, cap)| (rest, Some(cap)));
    let (main, increment) = rest.split_once('+').map_or((rest, None), |(main, increment)| (main, Some(increment)));
    let read = |text: &str| duration(text).map_err(|error| format!("`{text}`: {error}"));
    let control = TimeControl {
        main: read(main)?,
        increment: increment.map_or(Ok(Duration::ZERO), read)?,
        cap: cap.map(read).transpose()?,
        byoyomi: Duration::ZERO,
    };
    match cap {
        Some(cap) if control.cap.is_some_and(|most| control.main > most) => {
            Err(format!("the initial time {main} is above the clock's maximum {cap}"))
        }
        _ => Ok(control),
    }
}

/// The heading of the limits of the second player in help texts. A heading of a whole struct would hold for all options
/// after it, too.
const OTHER_LIMITS: &str = "Limits of the second player, where they differ";

/// Limits of the second player, where they differ.
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
    /// the largest time that the clock may show
    #[arg(long, value_name = "CLOCK", value_parser = time_control)]
    pub(crate) tc: Option<TimeControl>,
    /// Openings of the pairs: `starts` (a different start position of the game for each pair), `random:PLIES`,
    /// `balanced:PLIES` (random, and equal according to the engine), or `file:PATH` with the moves of an opening on each
    /// line [default: with --position that position; else starts where the game has several, else random:8]
    #[arg(long, value_name = "KIND")]
    pub(crate) openings: Option<OpeningsArg>,
    /// The position at which the games begin, or from which `--openings random:PLIES` plays, in any notation of the game
    /// [default: the game's start]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,
    /// The variant of the rules
    #[arg(long, value_name = "NAME")]
    pub(crate) rules: Option<String>,
    /// Games played at once [default: the number of processors, divided by the threads of a search]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
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
    #[arg(long, value_name = "SCORE:MOVES", value_parser = stretch, help_heading = "Games that end early")]
    pub(crate) resign: Option<Threshold>,
    /// Adjudicate a draw, as DISTANCE:MOVES: when for MOVES consecutive moves both expect a score within DISTANCE of 0.5
    #[arg(long, value_name = "DISTANCE:MOVES", value_parser = stretch, help_heading = "Games that end early")]
    pub(crate) draw: Option<Threshold>,
    /// Adjudicate a draw after this many plies
    #[arg(long, value_name = "N", help_heading = "Games that end early")]
    pub(crate) max_plies: Option<usize>,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
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

/// Reads `VALUE:MOVES`.
fn stretch(text: &str) -> Result<Threshold, String> {
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
    /// The player whose score is given; an outside program as PROTOCOL:COMMAND
    pub(crate) a: String,
    /// The opponent
    pub(crate) b: String,
    /// Games to play, two for each opening [default: 100; with --sprt until the test decides]
    #[arg(long, value_name = "N")]
    pub(crate) games: Option<usize>,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    #[command(flatten)]
    pub(crate) other: OtherLimits,
    /// Stop when the pairs decide between two Elo differences: ELO0,ELO1 (with error rates of 0.05) or
    /// ELO0,ELO1,ALPHA,BETA
    #[arg(long, value_name = "TEST", allow_hyphen_values = true, help_heading = "Sequential test")]
    pub(crate) sprt: Option<SequentialTest>,
    /// The unit of these differences
    #[arg(long, value_enum, default_value_t, help_heading = "Sequential test")]
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
    /// Export the games of a match
    Export(RecordsExport),
    /// Import games from a file
    Import(RecordsImport),
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
pub(crate) struct RecordsExport {
    /// The number of the match
    #[arg(value_name = "MATCH")]
    pub(crate) id: i64,
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

#[derive(Debug, ClapArgs)]
pub(crate) struct Reproduce {
    /// A game, an experiment as GAME-NAME, or a file NAME.toml; without it, all experiments are listed
    #[arg(value_name = "EXPERIMENT")]
    pub(crate) what: Option<String>,
    /// Sample size as a fraction of the full experiment, 1 being all of it; a larger fraction continues a smaller one
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = scale)]
    pub(crate) scale: f64,
    /// Games played at once [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) concurrency: Option<usize>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Write a report as HTML with pictures and as Markdown into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) report: Option<PathBuf>,
    /// Description of the machine, for the report
    #[arg(long, value_name = "TEXT", requires = "report")]
    pub(crate) machine: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if scale > 0.0 && scale <= 100.0 => Ok(scale),
        _ => Err("the scale is a number above 0 and at most 100".to_owned()),
    }
}

/// Parses a text as each kind of value that an option takes. Gives the error of each that refuses it.
pub(crate) fn parse_values(text: &str) -> Vec<String> {
    let mut refused = stats::parse_values(text);
    refused.extend(duration(text).err());
    refused.extend(time_control(text).err());
    refused.extend(thread_count(text).err());
    refused.extend(at_least_one(text).err());
    refused.extend(banmen_programs::address(text).err());
    refused.extend(text.parse::<OpeningsArg>().err());
    refused.extend(stretch(text).err());
    refused.extend(game_number(text).err());
    refused.extend(result_filter(text).err());
    refused.extend(scale(text).err());
    refused.extend(events::levels(text).err());
    refused
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Rpc {
    /// Print the JSON Schema of all requests and answers, and exit
    #[arg(long)]
    pub(crate) schema: bool,
    /// Allow outside programs as players in requests, and players that read files
    #[arg(long)]
    pub(crate) allow_programs: bool,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ProtocolArg {
    /// Universal Shogi Interface
    Usi,
    /// Universal Chess Interface
    Uci,
    /// Go Text Protocol, version 2, as used for other games
    Gtp,
    /// NBoard's protocol, version 2, for Othello
    Nboard,
    /// The protocol of riddles.io, for GOLAD
    Riddles,
    /// The protocol of the FPGA design contests, for Blokus Duo
    Fpt,
    /// The protocol of TUBSTAP's network games
    Tubstap,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Engine {
    /// The game
    pub(crate) game: String,
    /// The protocol
    #[arg(long, value_enum)]
    pub(crate) protocol: ProtocolArg,
    /// The player, as `name` or `name:key=value,key=value`; in USI and UCI its keys are options
    #[arg(long, default_value = "engine")]
    pub(crate) player: String,
    /// The variant of the rules
    #[arg(long, value_name = "NAME")]
    pub(crate) rules: Option<String>,
    /// Connect to the other program over TCP, in place of standard input and output. Without a host, an IP address,
    /// this machine. In `fpt` and `tubstap` each game has a connection: this program connects again after a game, and
    /// ends when no connection is accepted for 10 seconds
    #[arg(long, value_name = "[HOST:]PORT", value_parser = banmen_programs::address, conflicts_with = "listen")]
    pub(crate) connect: Option<SocketAddr>,
    /// Wait for other programs to connect over TCP, as above. They are served one after the other, until this program
    /// is interrupted
    #[arg(long, value_name = "[HOST:]PORT", value_parser = banmen_programs::address)]
    pub(crate) listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BenchArgs {
    /// Only this game, or `mcts` for only the tree search in all games
    #[arg(value_name = "GAME")]
    pub(crate) what: Option<String>,
    /// Depth of the engines in plies [default: each game's own]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: Option<u32>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// The arguments of a command and of the commands below it.
    fn arguments(command: &clap::Command) -> Vec<(String, String, Option<String>)> {
        let own = command.get_arguments().map(|argument| {
            let heading = argument.get_help_heading().map(str::to_owned);
            (command.get_name().to_owned(), argument.get_id().to_string(), heading)
        });
        own.chain(command.get_subcommands().flat_map(arguments)).collect()
    }

    #[test]
    fn headings_stand_over_their_own_options_only() {
        let found = arguments(&Args::command());
        for (command, name, heading) in &found {
            let expected = match name.as_str() {
                name if name.starts_with("program_") => Some("Outside programs"),
                "b_time" | "b_tc" | "b_nodes" | "b_playouts" | "b_depth" => Some(OTHER_LIMITS),
                "resign" | "draw" | "max_plies" => Some("Games that end early"),
                "sprt" | "sprt_model" => Some("Sequential test"),
                _ => continue,
            };
            assert_eq!(heading.as_deref(), expected, "{command} {name}");
        }
        let without = |command: &str, name: &str| {
            assert!(found.contains(&(command.to_owned(), name.to_owned(), None)), "{command} {name}");
        };
        for command in ["match", "tune", "tournament", "ladder", "league", "think"] {
            without(command, "json");
            without(command, "time");
        }
    }

    #[test]
    fn servers_and_engines_read_the_same_addresses() {
        for address in ["8080", "localhost:8080", "127.0.0.1:8080"] {
            let serve = Args::try_parse_from(["banmen", "serve", "--listen", address]).map(|args| args.verb);
            let engine = ["banmen", "engine", "othello", "--protocol", "gtp", "--listen", address];
            let engine = Args::try_parse_from(engine).map(|args| args.verb);
            match (serve, engine) {
                (Ok(Some(Verb::Serve(serve))), Ok(Some(Verb::Engine(engine)))) => {
                    assert_eq!((serve.listen, engine.listen), ("127.0.0.1:8080".parse().ok(), serve.listen));
                }
                other => panic!("{address}: {other:?}"),
            }
        }
    }
}
