//! Fuzz targets: functions that take any bytes and panic when a parser breaks a promise.
//!
//! Each target feeds one parser, and checks more than that it does not panic where there is more to check: what it
//! accepts is written and read again with the same result, what it refuses is refused with a place inside the text.
//!
//! The targets run in two ways. `cargo xtask fuzz` runs them under libFuzzer, which looks for inputs that reach new
//! code. The test `corpus` replays the inputs kept in `corpus/TARGET/` on the stable tool chain, with every test run.

mod arena;
mod engines;
mod games;
mod requests;
mod tables;

use std::sync::OnceLock;

use banmen_catalog::{AnyGame, Catalog};

/// A parser under test.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name on the command line, and of the folder in `corpus/`.
    pub name: &'static str,
    /// What is read, in a line.
    pub summary: &'static str,
    /// Reads an input. Panics when the parser breaks a promise.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "othello-position",
        summary: "positions of Othello in every dialect",
        run: |data| games::position("othello", data),
    },
    Target { name: "othello-moves", summary: "moves of Othello", run: |data| games::moves("othello", data) },
    Target { name: "othello-ggf", summary: "games in GGF", run: |data| games::record("othello", "ggf", data) },
    Target {
        name: "othello-transcript",
        summary: "games of Othello as transcripts",
        run: |data| games::record("othello", "transcript", data),
    },
    Target { name: "othello-obf", summary: "lines of OBF, the format of endgame test suites", run: games::othello_obf },
    Target {
        name: "dobutsu-position",
        summary: "positions of Dobutsu shogi in every dialect",
        run: |data| games::position("dobutsu", data),
    },
    Target { name: "dobutsu-moves", summary: "moves of Dobutsu shogi", run: |data| games::moves("dobutsu", data) },
    Target {
        name: "dobutsu-kif",
        summary: "games of Dobutsu shogi in the Japanese record format",
        run: |data| games::record("dobutsu", "kif", data),
    },
    Target {
        name: "article-position",
        summary: "positions of the Dobutsu shogi article's game",
        run: |data| games::position("dobutsu-article", data),
    },
    Target {
        name: "article-moves",
        summary: "moves of the Dobutsu shogi article's game",
        run: |data| games::moves("dobutsu-article", data),
    },
    Target {
        name: "golad-position",
        summary: "positions of GOLAD in every dialect",
        run: |data| games::position("golad", data),
    },
    Target { name: "golad-moves", summary: "moves of GOLAD", run: |data| games::moves("golad", data) },
    Target {
        name: "golad-riddles",
        summary: "games of GOLAD as the official engine's logs",
        run: |data| games::record("golad", "riddles", data),
    },
    Target {
        name: "blokus-position",
        summary: "positions of Blokus Duo, and games as positions",
        run: |data| games::position("blokus", data),
    },
    Target {
        name: "blokus-moves",
        summary: "moves of Blokus Duo as cells and as codes",
        run: |data| games::moves("blokus", data),
    },
    Target {
        name: "blokus-blksgf",
        summary: "games of Blokus Duo as trees in blksgf",
        run: |data| games::record("blokus", "blksgf", data),
    },
    Target { name: "dobutsu-table", summary: "files with the solved game", run: tables::dobutsu },
    Target { name: "players", summary: "players as text, for all games", run: games::players },
    Target { name: "openings", summary: "lists of openings", run: arena::openings },
    Target { name: "experiment", summary: "experiment files", run: arena::experiment },
    Target { name: "ratings", summary: "files of move ratings", run: arena::ratings },
    Target { name: "sequential-test", summary: "sequential tests as text", run: arena::sequential_test },
    Target { name: "request", summary: "a JSON request and its envelope", run: requests::request },
    Target { name: "service", summary: "JSON requests, answered", run: requests::service },
    Target { name: "usi-engine", summary: "lines of USI to our engine", run: engines::usi },
    Target { name: "uci-engine", summary: "lines of UCI to our engine", run: engines::uci },
    Target { name: "gtp-engine", summary: "lines of GTP to our engine", run: engines::gtp },
    Target { name: "nboard-engine", summary: "lines of NBoard's protocol to our engine", run: engines::nboard },
    Target { name: "riddles-engine", summary: "lines of riddles.io to our bot", run: engines::riddles },
];

/// The games, made once. They are those of `banmen::catalog`, which fuzzing does not call: it would build the server.
pub fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(|| {
        Catalog::default()
            .with(banmen_othello::entry())
            .with(banmen_dobutsu::entry())
            .with(banmen_dobutsu::article::entry())
            .with(banmen_golad::entry())
            .with(banmen_blokus::entry())
    })
}

/// A game of the catalog.
fn game(name: &str) -> &'static dyn AnyGame {
    catalog().game(name).unwrap_or_else(|error| panic!("{error}")).as_ref()
}

/// Splits the first line of a text from the rest. A text of one line is rest alone.
fn first_line(text: &str) -> (Option<&str>, &str) {
    match text.split_once('\n') {
        Some((first, rest)) => (Some(first), rest),
        None => (None, text),
    }
}
