//! The one table of verbs and options. Help, completions, the manual page and `docs/cli.md` come from it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use banmen_search::Limits;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// A workbench for the AI of two-player, perfect-information board games.
#[derive(Debug, Parser)]
#[command(name = "banmen", version, about, max_term_width = 100, arg_required_else_help = false)]
#[command(after_help = "Without a verb, banmen serves its page: the same as `banmen serve`.\n\
    Exit codes: 0 done, 1 a negative answer, 2 wrong usage or bad input, 3 an outside program failed, 130 interrupted.")]
pub(crate) struct Args {
    /// The folder for data, such as tables of solved games; the platform's by default
    #[arg(long, global = true, value_name = "FOLDER", display_order = 900)]
    pub(crate) data: Option<PathBuf>,
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
    Match(Match),
    /// Run the experiments on a game's published claims
    Reproduce(Reproduce),
    /// Speak the protocol over standard input and output, a JSON object on each line
    Rpc(Rpc),
    /// Speak USI or UCI over standard input and output, for programs that play with engines
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
    #[arg(long, value_name = "MOVES", num_args = 1.., value_delimiter = ' ')]
    pub(crate) moves: Vec<String>,
}

/// Limits of a search; all that are given hold.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub(crate) struct LimitArgs {
    /// Time for a move, such as 500ms or 2s
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Positions for a move
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<u64>,
    /// Playouts for a move; positions, for players that make none
    #[arg(long, value_name = "N")]
    pub(crate) playouts: Option<u64>,
    /// Plies to look ahead
    #[arg(long, value_name = "N")]
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
    /// Who moves first: `human` or a player's text
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
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) place: Place,
    /// The dialect of the position and the moves
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
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
    /// The player, as `name` or `name:key=value,key=value`
    #[arg(long, default_value = "engine")]
    pub(crate) player: String,
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

#[derive(Debug, ClapArgs)]
pub(crate) struct Match {
    /// The game
    pub(crate) game: String,
    /// The player whose score is given
    pub(crate) a: String,
    /// Its opponent
    pub(crate) b: String,
    /// Games to play, two for each opening
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) games: usize,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Openings: `random:PLIES`
    #[arg(long, value_name = "KIND", default_value = "random:8", value_parser = random_plies)]
    pub(crate) openings: u32,
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
    /// Print every game's moves
    #[arg(long)]
    pub(crate) games_out: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Reads `random:PLIES`.
fn random_plies(text: &str) -> Result<u32, String> {
    let plies = text.strip_prefix("random:").ok_or("openings are given as random:PLIES")?;
    plies.parse().map_err(|_| format!("`{plies}` is no number of plies"))
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Reproduce {
    /// A game, or one experiment as GAME-NAME
    pub(crate) id: String,
    /// Shrinks the samples: 1 is the experiment in full
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = scale)]
    pub(crate) scale: f64,
    /// Games played at once; as many as the machine has processors by default
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<usize>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
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
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ProtocolArg {
    /// Universal Shogi Interface
    Usi,
    /// Universal Chess Interface
    Uci,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Engine {
    /// The game
    pub(crate) game: String,
    /// What is spoken
    #[arg(long, value_enum)]
    pub(crate) protocol: ProtocolArg,
    /// The player that answers, as `name` or `name:key=value,key=value`; its keys are options of the protocol
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
    /// Plies that engines look ahead
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) depth: u32,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
