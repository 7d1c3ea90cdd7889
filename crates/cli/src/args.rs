//! The one table of verbs and options. Help, completions, the manual page and `docs/cli.md` come from it.

mod events;
mod learn;
mod limits;
mod matches;
mod programs;
mod queue;
mod records;
mod stats;

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use banmen_protocol::MAX_TABLE_MIB;
use banmen_search::TimeControl;
use clap::{Arg, Args as ClapArgs, Command, CommandFactory as _, Parser, Subcommand, ValueEnum};

pub(crate) use events::{Ladder, League, Tournament};
pub(crate) use learn::{Learn, LearnEvaluation, LearnRatings, LearnVerb};
pub(crate) use limits::{ClockArg, LimitArgs, SolveLimits, ThreadArgs};
pub(crate) use matches::{Conditions, Match, ModelArg, OpeningsArg, Tune};
pub(crate) use programs::ProgramArgs;
pub(crate) use queue::{QueueArgs, QueueStatus, QueueVerb, QueueVerbs, Worker};
pub(crate) use records::{
    Records, RecordsCheck, RecordsExport, RecordsImport, RecordsList, RecordsShow, RecordsThink, RecordsVerb,
};
pub(crate) use stats::{
    Bt, Compare, DrawsArg, Elo, Glicko2, Holm, Length, LengthScaleArg, Los, Prop, Question, Results, ScaleArg, Size,
    Sprt, Stats, Ttest,
};

/// A workbench for the AI of two-player, perfect-information board games.
#[derive(Debug, Parser)]
#[command(name = "banmen", version, about, max_term_width = 100, arg_required_else_help = false)]
#[command(after_help = "Without a command, banmen serves its page: the same as `banmen serve`.\n\
    Exit codes: 0 done, 1 a negative answer, 2 wrong usage or bad input, 3 an external program failed, 130 interrupted.")]
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
    /// Search a position with a player; without a limit until it is interrupted, or sees that nothing changes any more
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
    /// Play games for matches on other machines
    Worker(Box<Worker>),
    /// Show what is played at a queue, or remove what killed commands left
    Queue(QueueVerbs),
    /// List, show, export, import and check the matches and games of the store
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
    /// Print the reference of all verbs, or of all players, as Markdown
    #[command(hide = true)]
    Docs(Docs),
}

/// `docs`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Docs {
    /// The page
    #[arg(value_enum, default_value_t = DocsPage::Cli)]
    pub(crate) page: DocsPage,
}

/// A page of the documents that is made from the program's own tables.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DocsPage {
    Cli,
    Players,
}

/// The command that reads [`Args`]. A negative number is a value everywhere, and so is a negative time, so that an option
/// that takes none below 0 says so.
pub(crate) fn command() -> Command {
    fn with_numbers(command: Command) -> Command {
        let is_time = |arg: &Arg| arg.get_value_names().is_some_and(|names| names == ["TIME"] || names == ["CLOCK"]);
        let values = |arg: Arg| match arg.get_action().takes_values() {
            true if is_time(&arg) => arg.allow_hyphen_values(true),
            true => arg.allow_negative_numbers(true),
            false => arg,
        };
        command.mut_args(values).mut_subcommands(with_numbers)
    }
    with_numbers(Args::command())
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
    /// Moves played from the position, separated by whitespace; in Othello also without a separator
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    pub(crate) moves: Vec<String>,
}

/// Reads the name of a host, without a port.
fn host_name(text: &str) -> Result<String, String> {
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c)) {
        return Err("a name such as banmen.example.org, without http:// and without a port".to_owned());
    }
    Ok(text.to_owned())
}

/// Reads the origin of pages, as browsers state it.
fn origin(text: &str) -> Result<String, String> {
    let host = ["http://", "https://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    if host.is_none_or(|host| host.is_empty() || host.contains(|c: char| "/?#@*".contains(c) || c.is_whitespace())) {
        return Err("http:// or https:// with a host, and perhaps a port, as https://example.org".to_owned());
    }
    Ok(text.to_owned())
}

/// Reads the address of a page, without its part after `#`.
fn site(text: &str) -> Result<String, String> {
    let scheme = ["http://", "https://"].iter().any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    if !scheme || text.contains(|c: char| c == '#' || c.is_whitespace()) {
        return Err("an address begins with http:// or https:// and has no `#`".to_owned());
    }
    Ok(text.to_owned())
}

#[derive(Debug, Default, ClapArgs)]
pub(crate) struct Serve {
    /// Address and port to listen on; without an address, this machine alone [default: 127.0.0.1:8080, or a free port
    /// when that one is in use]; with an address other than a loopback address, other machines can connect
    #[arg(long, value_name = "[HOST:]PORT", value_parser = banmen_programs::address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Host name that requests may use beside localhost and IP addresses, for example a proxy's; repeatable
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    pub(crate) host: Vec<String>,
    /// Origin whose pages may use this server, for example https://example.org; repeatable
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    pub(crate) origin: Vec<String>,
    /// Threads that all searches share [default: one fewer than the machine has processors]
    #[arg(long, value_name = "N", value_parser = limits::thread_count)]
    pub(crate) threads: Option<usize>,
    /// Connections that may be open at once [default: 256]
    #[arg(long, value_name = "N", value_parser = limits::at_least_one)]
    pub(crate) connections: Option<usize>,
    /// Connections that one address may have open at once [default: 64]
    #[arg(long, value_name = "N", value_parser = limits::at_least_one)]
    pub(crate) connections_per_peer: Option<usize>,
    /// Answer `GET /metrics` in the text form of Prometheus
    #[arg(long)]
    pub(crate) metrics: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Play {
    #[command(flatten)]
    pub(crate) place: Place,
    /// The first player: `human`, a player of the game, or an external program as PROTOCOL:COMMAND
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
    /// When the board is coloured
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColourArg::Auto)]
    pub(crate) color: ColourArg,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ColourArg {
    /// In a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

impl ColourArg {
    /// Whether standard output is coloured (no-color.org).
    pub(crate) fn is_wanted(self) -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            ColourArg::Auto => {
                let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
                std::io::stdout().is_terminal() && !set("NO_COLOR") && !dumb
            }
            ColourArg::Always => true,
            ColourArg::Never => false,
        }
    }
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
    /// When the board is coloured
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColourArg::Auto)]
    pub(crate) color: ColourArg,
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
    /// The player, as `name` or `name:key=value,key=value`, or an external program as PROTOCOL:COMMAND
    #[arg(long, default_value = "engine")]
    pub(crate) player: String,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The game clock of the side to move, as that of a match, such as 10s+100ms: the player decides how much of it to use
    #[arg(long, value_name = "CLOCK", value_parser = limits::time_control)]
    pub(crate) tc: Option<TimeControl>,
    /// The clock that measures time
    #[arg(long, value_enum, default_value_t = ClockArg::Wall)]
    pub(crate) clock: ClockArg,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Number of principal variations; a player that cannot give so many gives fewer
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) lines: usize,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Show the search tree of a player that has one, such as `mcts`
    #[arg(long)]
    pub(crate) tree: bool,
    /// Plies of the tree that are shown
    #[arg(long, value_name = "N", default_value_t = 2, requires = "tree")]
    pub(crate) tree_depth: u32,
    /// Nodes with fewer simulations are not shown
    #[arg(long, value_name = "N", default_value_t = 1, requires = "tree")]
    pub(crate) tree_visits: u64,
    /// The most nodes that are shown: those with most simulations
    #[arg(long, value_name = "N", default_value_t = 40, requires = "tree")]
    pub(crate) tree_nodes: usize,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Solve {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Prove the score of every move, not only of the best one
    #[arg(long)]
    pub(crate) all: bool,
    /// Solve the game's test positions one after the other, with the limits for each; without `--time` and `--nodes`, 10
    /// seconds each
    #[arg(long, conflicts_with_all = ["position", "moves", "rules", "all", "census", "build"])]
    pub(crate) suite: bool,
    /// Build the table that solves the game, and write it to the data directory, replacing an old one
    #[arg(long, conflicts_with_all = ["position", "moves", "all", "census", "threads"])]
    pub(crate) build: bool,
    /// Count all positions of the game by their values in the table
    #[arg(long, conflicts_with_all = ["position", "moves", "all", "threads"])]
    pub(crate) census: bool,
    #[command(flatten)]
    pub(crate) limits: SolveLimits,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// The most memory of the transposition table, in MiB; less is taken where the position needs less [default: 256, or
    /// a quarter of the memory that is free if that is less]
    #[arg(long, value_name = "MIB", conflicts_with_all = ["build", "census"])]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_TABLE_MIB))]
    pub(crate) table: Option<u64>,
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
    /// Positions or whole games; without any, and without a file, they are read from standard input. One that begins with a `-`
    /// comes after `--`
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

#[derive(Debug, ClapArgs)]
pub(crate) struct Reproduce {
    /// A game, an experiment as GAME-NAME, or a file NAME.toml; without it, all experiments are listed
    #[arg(value_name = "EXPERIMENT", group = "task")]
    pub(crate) what: Option<String>,
    /// Sample size as a fraction of the full experiment, 1 being all of it; a larger fraction continues a smaller one, up to
    /// the planned one, which is the default
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true, value_parser = scale)]
    pub(crate) scale: Option<f64>,
    /// Sample size at which verdicts are given, fixed before the first game [default: 1]
    #[arg(long, value_name = "SHARE", requires = "what", allow_hyphen_values = true, value_parser = scale)]
    pub(crate) plan: Option<f64>,
    /// Verify a bundle of `records export --bundle`: play its games again, and compare the games and the tables
    #[arg(long, value_name = "FILE", group = "task", conflicts_with_all = [
        "what", "scale", "plan", "seed", "queue", "report", "machine", "site"
    ])]
    pub(crate) verify: Option<PathBuf>,
    /// Games played at once, or with --queue samples taken at once here [default: the number of processors]
    #[arg(long, value_name = "N", requires = "task", value_parser = limits::concurrency)]
    pub(crate) concurrency: Option<usize>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", requires = "what", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    /// Write a report as HTML with pictures and as Markdown into this folder
    #[arg(long, value_name = "FOLDER", requires = "what")]
    pub(crate) report: Option<PathBuf>,
    /// Description of the machine, for the report [default: its processor]
    #[arg(long, value_name = "TEXT", requires = "report")]
    pub(crate) machine: Option<String>,
    /// Address of the page that `banmen serve` serves from this store, to which the games of the report link
    #[arg(long, value_name = "URL", requires = "report", default_value = "http://127.0.0.1:8080/", value_parser = site)]
    pub(crate) site: String,
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
    refused.extend(limits::parse_values(text));
    refused.extend(matches::parse_values(text));
    refused.extend(records::parse_values(text));
    refused.extend(queue::parse_values(text));
    refused.extend(banmen_programs::address(text).err());
    refused.extend(scale(text).err());
    refused.extend(site(text).err());
    refused.extend(events::levels(text).err());
    refused
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Rpc {
    /// Print the JSON Schema of all requests and answers, and exit
    #[arg(long)]
    pub(crate) schema: bool,
    /// Allow external programs as players in requests, and players that read files
    #[arg(long)]
    pub(crate) allow_programs: bool,
    /// The clock that measures the time of searches: `cpu` where a match by processor time plays the program on a busy machine
    #[arg(long, value_enum, default_value_t = ClockArg::Wall)]
    pub(crate) clock: ClockArg,
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
    /// In `fpt` the time of a move, in `tubstap` of a turn, since these protocols state no limits [default: 900ms in `fpt`,
    /// 9700ms in `tubstap`]
    #[arg(long, value_name = "TIME", value_parser = limits::duration)]
    pub(crate) time: Option<Duration>,
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
                name if name.starts_with("program_") => Some("External programs"),
                "b_time" | "b_tc" | "b_nodes" | "b_playouts" | "b_depth" => Some(matches::OTHER_LIMITS),
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
