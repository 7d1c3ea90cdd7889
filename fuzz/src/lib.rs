//! Fuzz targets: functions that take any bytes and panic when a parser violates its contract.
//!
//! Each target runs one parser. Besides the absence of panics it checks, where this applies, that accepted input can be
//! written and read again with the same result, and that the error for refused input has a place inside the text.
//!
//! A target is fast: it parses, and does as little else as possible. If an input starts a search, the search is stopped
//! before it begins, or is a random choice. Only `service-search` searches, so it tries fewer inputs.
//!
//! The targets run in two ways. `cargo xtask fuzz` runs them under libFuzzer, which looks for inputs that reach new
//! code. The test `corpus` replays the inputs kept in `corpus/TARGET/` on the stable tool chain, with every test run.

mod arena;
mod engines;
mod fleet;
mod games;
mod http;
mod programs;
mod requests;
mod tables;
mod weights;

use std::sync::{Arc, LazyLock};

use banmen_catalog::{AnyGame, Catalog, Data};

/// A parser under test.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name on the command line, and of the folder in `corpus/`.
    pub name: &'static str,
    /// What is read, in a line.
    pub summary: &'static str,
    /// The length up to which inputs are tried, in bytes. Longer ones reach no new code and take longer.
    pub max_len: usize,
    /// Reads an input. Panics when the parser violates its contract.
    pub run: fn(&[u8]),
}

const fn target(name: &'static str, max_len: usize, summary: &'static str, run: fn(&[u8])) -> Target {
    Target { name, summary, max_len, run }
}

impl Target {
    /// The target of this name.
    ///
    /// # Panics
    /// Where there is none.
    #[must_use]
    pub const fn named(name: &str) -> Target {
        let mut at = 0;
        while at < TARGETS.len() {
            if equal(TARGETS[at].name.as_bytes(), name.as_bytes()) {
                return TARGETS[at];
            }
            at += 1;
        }
        panic!("there is no target of this name")
    }
}

/// Whether two texts are equal, at compile time.
const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// All targets.
pub const TARGETS: &[Target] = &[
    target("othello-position", 512, "positions of Othello in every dialect", |data| games::position(othello(), data)),
    target("othello-moves", 512, "moves of Othello", |data| games::moves(othello(), data)),
    target("othello-ggf", 1024, "games in GGF", |data| games::record(othello(), "ggf", data)),
    target("othello-transcript", 512, "games of Othello as transcripts", |data| {
        games::record(othello(), "transcript", data);
    }),
    target("othello-obf", 512, "lines of OBF, the format of endgame test suites", games::othello_obf),
    target("dobutsu-position", 512, "positions of Dobutsu shogi in every dialect", |data| {
        games::position(dobutsu(), data);
    }),
    target("dobutsu-moves", 512, "moves of Dobutsu shogi", |data| games::moves(dobutsu(), data)),
    target("dobutsu-kif", 1024, "games of Dobutsu shogi in the Japanese record format", |data| {
        games::record(dobutsu(), "kif", data);
    }),
    target("blokus-position", 1024, "positions of Blokus Duo, and games as positions", |data| {
        games::position(blokus(), data);
    }),
    target("blokus-moves", 512, "moves of Blokus Duo as cells and as codes", |data| games::moves(blokus(), data)),
    target("blokus-blksgf", 1024, "games of Blokus Duo as trees in blksgf", |data| {
        games::record(blokus(), "blksgf", data);
    }),
    target("othello-weights", 4096, "weights of Othello's evaluation", weights::file),
    target("othello-book", 1024, "openings of Othello's engine", weights::book),
    target("othello-examples", 512, "positions of Othello's training games", weights::examples),
    target("dobutsu-table", 1024, "files with the solved game", tables::dobutsu),
    target("dobutsu-strategy", 1024, "files with the winning side's moves", tables::strategy),
    target("dobutsu-exceptions", 1024, "files with the exceptions of the losing side", tables::exceptions),
    target("article-position", 512, "positions of the Dobutsu shogi article's game", |data| {
        games::position(article(), data);
    }),
    target("article-moves", 512, "moves of the Dobutsu shogi article's game", |data| {
        games::moves(article(), data);
    }),
    target("golad-position", 1024, "positions of GOLAD in every dialect", |data| games::position(golad(), data)),
    target("golad-moves", 512, "moves of GOLAD", |data| games::moves(golad(), data)),
    target("golad-riddles", 2048, "games of GOLAD as the official engine's logs", |data| {
        games::record(golad(), "riddles", data);
    }),
    target("tubstap-position", 2048, "positions of TUBSTAP, and maps as positions", |data| {
        games::position(tubstap(), data);
    }),
    target("tubstap-moves", 512, "moves of TUBSTAP", |data| games::moves(tubstap(), data)),
    target("tubstap-tbsmap", 2048, "maps and games of TUBSTAP as the original writes them", |data| {
        games::record(tubstap(), "tbsmap", data);
    }),
    target("players", 512, "players as text, for all games", games::players),
    target("tunables", 512, "lists of tunable numbers of a player", arena::tunables),
    target("openings", 512, "lists of openings", arena::openings),
    target("experiment", 2048, "experiment files", arena::experiment),
    target("bundle", 8192, "bundles of experiments with their games", arena::bundle),
    target("labels", 1024, "values of positions that a dataset keeps", arena::labels),
    target("fleet-message", 2048, "messages between machines that play a match", fleet::message),
    target("fleet-games", 4096, "games that another machine played", fleet::games),
    target("fleet-labels", 4096, "what another machine found of positions", fleet::labels),
    target("ratings", 1024, "files of move ratings", arena::ratings),
    target("bot", 512, "files of a league's bots", arena::bot),
    target("sequential-test", 128, "sequential tests as text", arena::sequential_test),
    target("option-values", 128, "values of the command line's options", requests::option_values),
    target("request", 1024, "a JSON request and its envelope", requests::request),
    target("service", 1024, "JSON requests, answered without searching", requests::service),
    target(
        "service-search",
        1024,
        "JSON requests, answered with searches of a tenth of a millisecond",
        requests::service_search,
    ),
    target("http", 1024, "the bytes of an HTTP connection", http::http),
    target("websocket", 512, "the frames of a WebSocket", http::websocket),
    target("usi-engine", 512, "lines of USI to our engine", engines::usi),
    target("uci-engine", 512, "lines of UCI to our engine", engines::uci),
    target("gtp-engine", 256, "lines of GTP to our engine", |data| engines::gtp(othello(), data)),
    target("pentobi-engine", 256, "lines of GTP to our engine for Blokus Duo", |data| engines::gtp(blokus(), data)),
    target("fpt-engine", 96, "requests of the FPGA contests to our engine", engines::fpt),
    target("tubstap-engine", 2048, "lines of TUBSTAP's network games to our engine", engines::network),
    target("nboard-engine", 512, "lines of NBoard's protocol to our engine", engines::nboard),
    target("riddles-engine", 1024, "lines of riddles.io to our bot", engines::riddles),
    target("usi-program", 512, "lines of a program that speaks USI", |data| programs::run("usi", dobutsu(), data)),
    target("uci-program", 512, "lines of a program that speaks UCI", |data| programs::run("uci", dobutsu(), data)),
    target("gtp-program", 512, "lines of a program that speaks GTP", |data| programs::run("gtp", othello(), data)),
    target("nboard-program", 512, "lines of a program that speaks NBoard's protocol", |data| {
        programs::run("nboard", othello(), data);
    }),
    target("pentobi-program", 512, "lines of a program that plays Blokus Duo over GTP", |data| {
        programs::run("gtp", blokus(), data);
    }),
    target("fpt-program", 256, "answers of a program of the FPGA contests", |data| {
        programs::run("fpt", blokus(), data);
    }),
    target("tubstap-program", 512, "lines of a player of TUBSTAP's network games", |data| {
        programs::run("tubstap", tubstap(), data);
    }),
    target("rpc-program", 1024, "lines of a program that speaks our own protocol", |data| {
        programs::run("rpc", othello(), data);
    }),
    target("riddles-program", 256, "lines of a bot of riddles.io", |data| programs::run("riddles", golad(), data)),
    target("command", 256, "commands of external programs", programs::command),
];

/// Functions that return a game each, made once.
macro_rules! games {
    ($($name:ident: $entry:expr;)*) => {$(
        fn $name() -> &'static Arc<dyn AnyGame> {
            static GAME: LazyLock<Arc<dyn AnyGame>> = LazyLock::new(|| Arc::new($entry.in_memory()));
            &GAME
        }
    )*};
}

// Targets that need one game use these functions: the catalog would link the other games too.
games! {
    othello: banmen_othello::entry();
    dobutsu: banmen_dobutsu::entry();
    article: banmen_dobutsu::article::entry();
    golad: banmen_golad::entry();
    blokus: banmen_blokus::entry();
    tubstap: banmen_tubstap::entry();
}

/// All games, made once.
pub fn catalog() -> &'static Catalog {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| banmen::catalog(Data::in_memory()));
    &CATALOG
}

/// Splits a text into its first line and the rest. A text of one line has no first line, only a rest.
fn first_line(text: &str) -> (Option<&str>, &str) {
    match text.split_once('\n') {
        Some((first, rest)) => (Some(first), rest),
        None => (None, text),
    }
}

/// Whether a text can be printed: control characters of the input are replaced.
fn is_clean(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_control() && c != '\n')
}
