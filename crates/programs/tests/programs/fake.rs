//! A running fake program, and what tests ask of it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use banmen_catalog::{AnyGame, AnyPlayer, AnyTask, Error, WallClock};
use banmen_programs::{Programs, player};
use banmen_search::{Limits, Report, StopFlag, TimeControl};

/// The game of this name, without a data directory.
pub(crate) fn game(name: &str) -> Box<dyn AnyGame> {
    match name {
        "othello" => Box::new(banmen_othello::entry().in_memory()),
        "golad" => Box::new(banmen_golad::entry().in_memory()),
        "blokus" => Box::new(banmen_blokus::entry().in_memory()),
        "tubstap" => Box::new(banmen_tubstap::entry().in_memory()),
        _ => Box::new(banmen_dobutsu::entry().in_memory()),
    }
}

/// The game used with a kind of program, a move that is legal at its start, and a move of the other side. `pentobi` is GTP
/// as Pentobi speaks it.
pub(crate) fn spoken(protocol: &str) -> (Box<dyn AnyGame>, &'static str, &'static str) {
    match protocol {
        "usi" => (game("dobutsu"), "2c2b", "2b2c"),
        "uci" => (game("dobutsu"), "b2b3", "b3b2"),
        "pentobi" => (game("blokus"), "f9,e10,f10,g10,f11", "i4,h5,i5,j5,i6"),
        "fpt" => (game("blokus"), "65u0", "aaa0"),
        "tubstap" => (game("tubstap"), "0,1,1,1,1,-1,0,0,1,0,0", "6,6,4,6,4,-1,0,0,1,0,0"),
        "riddles" => (game("golad"), "kill 4,0", "birth 0,0 2,15 6,15"),
        _ => (game("othello"), "f5", "f4"),
    }
}

/// A running fake program.
pub(crate) struct Fake {
    pub(crate) game: Box<dyn AnyGame>,
    pub(crate) player: Result<Box<dyn AnyPlayer>, Error>,
    pub(crate) log: PathBuf,
}

impl Fake {
    pub(crate) fn start(protocol: &str, fault: &str, programs: Programs) -> Fake {
        let (_, best, other) = spoken(protocol);
        Fake::start_playing(protocol, fault, if fault == "moves for the wrong side" { other } else { best }, programs)
    }

    /// Starts a fake program that plays this move, under a supervisor.
    pub(crate) fn start_playing(protocol: &str, fault: &str, best: &str, programs: Programs) -> Fake {
        Fake::start_under(supervisor(), protocol, fault, best, programs)
    }

    /// Starts a fake program that plays this move, under this supervisor.
    pub(crate) fn start_under(
        supervisor: Option<Vec<String>>,
        protocol: &str,
        fault: &str,
        best: &str,
        programs: Programs,
    ) -> Fake {
        static FOLDERS: AtomicU64 = AtomicU64::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("programs-{}-{number}", std::process::id()));
        fs::create_dir_all(&log).expect("a folder");
        let (game, ..) = spoken(protocol);
        let word = if protocol == "pentobi" { "gtp" } else { protocol };
        let text = format!("{word}:'{}' {protocol} '{fault}' '{best}'", env!("CARGO_BIN_EXE_fake-program"));
        let programs = Programs { log: Some(log.clone()), supervisor, ..programs };
        let player = player(game.as_ref(), None, &text, 1, &programs);
        Fake { game, player, log }
    }

    pub(crate) fn ask(&mut self, limits: Limits) -> Result<Report<u32>, Error> {
        self.ask_until(limits, &StopFlag::default())
    }

    pub(crate) fn ask_until(&mut self, limits: Limits, stop: &StopFlag) -> Result<Report<u32>, Error> {
        let state = self.game.state(None, None).expect("the start");
        let player = self.player.as_mut().map_err(|error| error.clone())?;
        player.think(AnyTask {
            state: state.as_ref(),
            limits,
            clock: &WallClock::default(),
            stop,
            threads: 1,
            lines: 1,
            progress: None,
        })
    }

    /// Starts a new game, if the program has started.
    pub(crate) fn new_game(&mut self) {
        let start = self.game.state(None, None).expect("the start");
        if let Ok(player) = &mut self.player {
            player.new_game(start.as_ref(), 2).expect("its game");
        }
    }

    /// The processes that are still alive, from all starts. The logs give their process groups, which are the last words of
    /// daemons.
    pub(crate) fn left(&self) -> Vec<String> {
        let logs = fs::read_dir(&self.log).expect("logs").flatten();
        let groups: Vec<String> = logs
            .filter_map(|log| {
                let bytes = fs::read(log.path()).ok()?;
                let text = String::from_utf8_lossy(&bytes[..bytes.len().min(100)]).into_owned();
                Some(text.lines().next()?.strip_prefix("pid ")?.to_owned())
            })
            .collect();
        if groups.is_empty() {
            return vec!["the log is not yet written".to_owned()];
        }
        let processes = fs::read_dir("/proc").expect("processes").flatten();
        let stats = processes.filter_map(|process| {
            let command = fs::read_to_string(process.path().join("cmdline")).ok()?;
            Some((fs::read_to_string(process.path().join("stat")).ok()?, command))
        });
        stats
            .filter(|(stat, command)| {
                let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
                let words: Vec<&str> = command.trim_end_matches('\0').split('\0').collect();
                let daemon =
                    matches!(words[..], [program, "daemon" | "sleep", _, _] if program.ends_with("fake-program"));
                let known = |id: &str| groups.iter().any(|group| group == id);
                fields.len() > 2
                    && fields[0] != "Z"
                    && (known(fields[2]) || daemon && known(words.last().unwrap_or(&"")))
            })
            .map(|(stat, command)| format!("{stat} {command}"))
            .collect()
    }

    #[track_caller]
    pub(crate) fn nothing_is_left(&self, what: &str) {
        let until = Instant::now() + Duration::from_secs(2);
        while !self.left().is_empty() && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(self.left(), Vec::<String>::new(), "{what}");
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.log);
    }
}

/// The command of a supervisor.
pub(crate) fn supervisor() -> Option<Vec<String>> {
    Some(vec![env!("CARGO_BIN_EXE_fake-program").to_owned(), "supervise".to_owned()])
}

/// The peak memory use of this process, in MiB.
pub(crate) fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the most memory");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") >> 10
}

pub(crate) const NODES: Limits = Limits { nodes: Some(1000), ..NONE };
pub(crate) const NONE: Limits =
    Limits { time: None, clock: None, nodes: None, playouts: None, depth: None, turn_used: Duration::ZERO };

/// Limits for programs that answer: generous, so that a busy machine changes no verdict.
pub(crate) const PATIENT: Programs =
    Programs { patience: Duration::from_secs(60), memory: Some(512 << 20), ..Programs::ALLOWED };

/// Limits for programs that never answer.
pub(crate) const HASTY: Programs = Programs { patience: Duration::from_secs(3), ..PATIENT };

/// A bank of this many milliseconds, without an increment.
pub(crate) fn bank(ms: u64) -> TimeControl {
    TimeControl { main: Duration::from_millis(ms), ..TimeControl::default() }
}

impl Fake {
    /// The input lines of the program, for each start, without the time left in the bank.
    pub(crate) fn inputs(&self) -> Vec<Vec<String>> {
        let mut logs: Vec<PathBuf> = fs::read_dir(&self.log).expect("logs").flatten().map(|log| log.path()).collect();
        let number = |log: &PathBuf| -> u64 {
            let name = log.file_stem().expect("a name").to_string_lossy().into_owned();
            name.rsplit('-').next().and_then(|number| number.parse().ok()).expect("a number")
        };
        logs.sort_by_key(number);
        let read = |log: PathBuf| fs::read_to_string(log).expect("a log").lines().skip(1).map(str::to_owned).collect();
        logs.into_iter().map(read).collect()
    }

    /// Requests a move after these moves.
    pub(crate) fn ask_after(&mut self, moves: &[&str], limits: Limits) -> Result<Report<u32>, Error> {
        self.ask_from(None, moves, limits)
    }

    /// Requests a move after these moves from a position.
    pub(crate) fn ask_from(
        &mut self,
        position: Option<&str>,
        moves: &[&str],
        limits: Limits,
    ) -> Result<Report<u32>, Error> {
        let mut state = self.game.state(None, position).expect("a position");
        state.play_texts(moves).expect("moves");
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let player = self.player.as_mut().map_err(|error| error.clone())?;
        player.think(AnyTask {
            state: state.as_ref(),
            limits,
            clock: &clock,
            stop: &stop,
            threads: 1,
            lines: 1,
            progress: None,
        })
    }
}

/// Waits until the program has logged its input.
pub(crate) fn until(done: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !done() && Instant::now() < end {
        thread::sleep(Duration::from_millis(5));
    }
}
