//! The one table of verbs and options. Help, completions, the manual page and `docs/cli.md` come from it.

mod events;
mod programs;
mod stats;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use banmen_arena::{SequentialTest, Threshold};
use banmen_search::{Limits, TimeControl};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

pub(crate) use events::{Ladder, League, Tournament};
pub(crate) use programs::ProgramArgs;
pub(crate) use stats::{
    Bt, Compare, DrawsArg, Elo, Glicko2, Holm, Prop, Question, Results, ScaleArg, Size, Sprt, Stats, Ttest,
};

/// A workbench for the AI of two-player, perfect-information board games.
#[derive(Debug, Parser)]
#[command(name = "banmen", version, about, max_term_width = 100, arg_required_else_help = false)]
#[command(after_help = "Without a verb, banmen serves its page: the same as `banmen serve`.\n\
    Exit codes: 0 done, 1 a negative answer, 2 wrong usage or bad input, 3 an outside program failed, 130 interrupted.")]
pub(crate) struct Args {
    /// The folder for data, such as tables of solved games; the platform's by default
    #[arg(long, global = true, value_name = "FOLDER", display_order = 900)]
    pub(crate) data: Option<PathBuf>,
    /// The file of matches and their games; `banmen.sqlite` in the folder for data by default
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
    /// Count move sequences of a length
    Perft(Perft),
    /// Let a player think about a position
    Think(Think),
    /// Prove the score of a position
    Solve(Solve),
    /// List the games
    Games(Json),
    /// List the players of a game, with every key
    Players(Players),
    /// Write positions in another dialect, one on each line
    Convert(Convert),
    /// Pit two players against each other, on pairs of games
    Match(Box<Match>),
    /// Tune the keys of a player by games
    Tune(Box<Tune>),
    /// Let many players play each other, and rate them
    Tournament(Box<Tournament>),
    /// Measure the levels of a game's engine against each other
    Ladder(Box<Ladder>),
    /// Let the bots of a folder play each other without end, and rank them
    League(Box<League>),
    /// List, show and write the matches and games of the store
    Records(Records),
    /// Run the experiments on a game's published claims
    Reproduce(Reproduce),
    /// Compute statistics of matches: Elo, sequential tests, t tests, proportions, ratings
    Stats(Stats),
    /// Speak the protocol over standard input and output, a JSON object on each line
    Rpc(Rpc),
    /// Speak USI, UCI, GTP, NBoard's protocol or that of riddles.io over standard input and output, for programs that play with engines
    Engine(Engine),
    /// Search fixed positions and print counts, speeds and a signature of each search's behaviour
    Bench(BenchArgs),
    /// Check that this program works on this machine
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
    /// Print JSON instead of text for people
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where a game stands.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Place {
    /// The game
    pub(crate) game: String,
    /// The variant of the rules
    #[arg(long, value_name = "NAME")]
    pub(crate) rules: Option<String>,
    /// The position, in any of the game's dialects; `start` by default
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,
    /// Moves played from the position, parted by blanks or in one run
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    pub(crate) moves: Vec<String>,
}

/// Limits of a search; all that are given hold.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub(crate) struct LimitArgs {
    /// Time for a move, such as 500ms or 2s
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Positions for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Playouts for a move; positions, for players that make none
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) playouts: Option<u64>,
    /// Plies to look ahead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: Option<u32>,
}

impl From<LimitArgs> for Limits {
    fn from(args: LimitArgs) -> Self {
        Limits { time: args.time, nodes: args.nodes, playouts: args.playouts, depth: args.depth, ..Limits::default() }
    }
}

#[derive(Debug, Default, ClapArgs)]
pub(crate) struct Serve {
    /// Address and port to listen on [default: 127.0.0.1:8080, or a free port when that one is taken]; an address
    /// that is not this machine's own makes the page reachable by others
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// A name under which a proxy serves the page, beside localhost and addresses; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// An origin, such as https://example.org, whose pages may use this server; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Play {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Who moves first: `human`, a player's text, or an outside program as PROTOCOL:COMMAND
    #[arg(long, value_name = "PLAYER", default_value = "human")]
    pub(crate) first: String,
    /// Who moves second
    #[arg(long, value_name = "PLAYER", default_value = "engine:level=5")]
    pub(crate) second: String,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) place: Place,
    /// The dialect of the position and the moves
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// Print the board as a picture, in SVG
    #[arg(long, conflicts_with = "json")]
    pub(crate) svg: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum Passes {
    /// A pass is a ply like others
    #[default]
    Cost,
    /// A forced pass costs nothing
    Free,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Perft {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Length of the sequences in plies
    pub(crate) depth: u32,
    /// What a forced pass costs
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
    /// Lines to look for
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) lines: usize,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Solve {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Prove the score of every move, not only of the best
    #[arg(long)]
    pub(crate) all: bool,
    /// Build the table by which the game is solved into the data folder, over one that is there
    #[arg(long, conflicts_with_all = ["position", "moves", "all", "census"])]
    pub(crate) build: bool,
    /// Count all positions of the game by what the table knows of them
    #[arg(long, conflicts_with_all = ["position", "moves", "all"])]
    pub(crate) census: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
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
    /// Positions; from standard input, one on each line, when none is given
    pub(crate) positions: Vec<String>,
    /// The dialect to write; the canonical one by default
    #[arg(long, value_name = "DIALECT")]
    pub(crate) to: Option<String>,
    /// The variant of the rules
    #[arg(long, value_name = "NAME")]
    pub(crate) rules: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockArg {
    /// Processor time of the thinking thread
    #[default]
    Cpu,
    /// Wall time
    Wall,
}

/// A clock for a whole game, as `10s`, `10s+100ms` or `10s+100ms/10s`: what it shows at the start, what each turn
/// adds, and the most that it holds, which is no less than the start.
fn time_control(text: &str) -> Result<TimeControl, String> {
    let (rest, cap) = text.split_once('/').map_or((text, None), |(rest, cap)| (rest, Some(cap)));
    let (main, increment) = rest.split_once('+').map_or((rest, None), |(main, increment)| (main, Some(increment)));
    let read = |text: &str| humantime::parse_duration(text).map_err(|error| format!("`{text}`: {error}"));
    let control = TimeControl {
        main: read(main)?,
        increment: increment.map_or(Ok(Duration::ZERO), read)?,
        cap: cap.map(read).transpose()?,
        byoyomi: Duration::ZERO,
    };
    match cap {
        Some(cap) if control.cap.is_some_and(|most| control.main > most) => {
            Err(format!("it begins with {main}, where it holds {cap} at most"))
        }
        _ => Ok(control),
    }
}

/// Limits of the second player, where they differ.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
#[command(next_help_heading = "Limits of the second player, where they are others")]
pub(crate) struct OtherLimits {
    /// Its time for a move
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) b_time: Option<Duration>,
    /// Its clock for a whole game
    #[arg(long, value_name = "CLOCK", value_parser = time_control)]
    pub(crate) b_tc: Option<TimeControl>,
    /// Its positions for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) b_nodes: Option<u64>,
    /// Its playouts for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) b_playouts: Option<u64>,
    /// Its plies to look ahead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) b_depth: Option<u32>,
}

/// What the games of a match are played by, whoever plays.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Conditions {
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// A clock for a whole game instead, such as 10s+100ms: what it shows at the start, and what each turn adds; with
    /// /10s the most that it holds
    #[arg(long, value_name = "CLOCK", value_parser = time_control)]
    pub(crate) tc: Option<TimeControl>,
    /// What pairs begin with: `starts` (each pair another start of the game's own), `random:PLIES`, `balanced:PLIES`
    /// (random, and even for the engine), or `file:PATH` with moves on each line [default: starts where the game has
    /// many, else random:8]
    #[arg(long, value_name = "KIND")]
    pub(crate) openings: Option<OpeningsArg>,
    /// The variant of the rules
    #[arg(long, value_name = "NAME")]
    pub(crate) rules: Option<String>,
    /// Games played at once; as many as the machine has processors by default
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<usize>,
    /// What time is measured by
    #[arg(long, value_enum, default_value_t)]
    pub(crate) clock: ClockArg,
    /// Seed of the openings and the players
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// End a game that one side expects to lose and the other to win, as SCORE:MOVES: a score of at most SCORE (0 to 1)
    /// for MOVES moves of each in a row
    #[arg(long, value_name = "SCORE:MOVES", value_parser = stretch, help_heading = "Games that end early")]
    pub(crate) resign: Option<Threshold>,
    /// End a game as drawn that both expect to be, as DISTANCE:MOVES: at most so far from one half
    #[arg(long, value_name = "DISTANCE:MOVES", value_parser = stretch, help_heading = "Games that end early")]
    pub(crate) draw: Option<Threshold>,
    /// End a game as drawn after so many plies
    #[arg(long, value_name = "N", help_heading = "Games that end early")]
    pub(crate) max_plies: Option<usize>,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
}

/// Where pairs begin, as the command line names it.
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
        let plies = |text: &str| text.parse().map_err(|_| format!("`{text}` is no number of plies"));
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
    /// Its opponent
    pub(crate) b: String,
    /// Games to play, two for each opening [default: 100; with --sprt as many as it takes]
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
    /// What these differences are
    #[arg(long, value_enum, default_value_t, help_heading = "Sequential test")]
    pub(crate) sprt_model: ModelArg,
    /// Print every game, those that were in the store too: its score for the first player, the start position in
    /// quotation marks where it is not the default, and its moves
    #[arg(long)]
    pub(crate) games_out: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Tune {
    /// The game
    pub(crate) game: String,
    /// The player as it is, with the keys that are to stay as they are given
    pub(crate) player: String,
    /// The keys to tune, each a number or several: `KEY`, `KEY[PLACE]`, and with `:STEP` by how much it is tried up
    /// and down
    #[arg(required = true, value_name = "KEY")]
    pub(crate) keys: Vec<String>,
    /// Steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) steps: usize,
    /// Pairs of games at each step
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
    /// Write the games of a match, in a format of the field
    Export(RecordsExport),
    /// Read games from a file into the store
    Import(RecordsImport),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecordsList {
    /// Only matches of this game
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    /// Only matches with a player whose text begins so
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
    /// The format: `moves` (a line for each game, as files of openings have it), `json`, or one of the game's own, whose
    /// first is the default
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Only games in which this player, 1 for the first of the match, won, drew or lost, as 1:won
    #[arg(long, value_name = "PLAYER:RESULT", value_parser = result_filter)]
    pub(crate) result: Option<(usize, f64)>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecordsImport {
    /// The game
    pub(crate) game: String,
    /// The file; `-` is standard input
    pub(crate) file: PathBuf,
    /// The format, one of the game's own, whose first is the default: `ggf`, `transcript` for othello, `kif` for dobutsu,
    /// `riddles` for golad
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
    /// A game, an experiment as GAME-NAME, or a file NAME.toml; without it all experiments are listed
    #[arg(value_name = "EXPERIMENT")]
    pub(crate) what: Option<String>,
    /// Shrinks the samples: 1 is the experiment in full, and goes on from any smaller scale
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = scale)]
    pub(crate) scale: f64,
    /// Games played at once; as many as the machine has processors by default
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<usize>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Write a page with pictures, and the same as Markdown, into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) report: Option<PathBuf>,
    /// What machine it ran on, for the report
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

#[derive(Debug, ClapArgs)]
pub(crate) struct Rpc {
    /// Print the JSON Schema of every request and answer, and end
    #[arg(long)]
    pub(crate) schema: bool,
    /// Let requests name outside programs as players
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
    /// Go Text Protocol, version 2, as it is spoken for other games
    Gtp,
    /// NBoard's protocol, version 2, for Othello
    Nboard,
    /// The protocol of riddles.io, for GOLAD: the player is a bot of its site
    Riddles,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Engine {
    /// The game
    pub(crate) game: String,
    /// What is spoken
    #[arg(long, value_enum)]
    pub(crate) protocol: ProtocolArg,
    /// The player that answers, as `name` or `name:key=value,key=value`; over USI and UCI its keys are options
    #[arg(long, default_value = "engine")]
    pub(crate) player: String,
    /// The variant of the rules
    #[arg(long, value_name = "NAME")]
    pub(crate) rules: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BenchArgs {
    /// Only this game; or `mcts`: only the tree search, in all games
    #[arg(value_name = "GAME")]
    pub(crate) what: Option<String>,
    /// Plies that engines look ahead, in place of what each game asks for
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
