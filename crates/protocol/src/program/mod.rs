//! Outside programs as players.
//!
//! A program is started without a shell, leads a process group with limits, and is asked in its own protocol, its
//! *tongue*. It lives over many games. What it does wrong is an error whose code begins with `program_`; after such a
//! fault it is killed, with all that it started, and starts anew at the next question.

mod command;
mod group;
mod gtp;
mod nboard;
mod rpc;
mod streams;
mod talk;
mod told;
mod usi;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use banmen_catalog::{AnyGame, AnyPlayer, AnyTask, Error, quote};
use banmen_search::{Limits, Report, StopFlag};

use crate::{Charge, Programs};
use group::Group;
pub use group::kill_programs;
use streams::Streams;
use talk::{Process, Talk};

/// How long a program may take to end when it is told to.
const GRACE: Duration = Duration::from_millis(300);

/// An answer that comes this long after the limit and the margin, if patience reaches so far, is late; what has not come
/// by then is silence.
const LATE: Duration = Duration::from_secs(5);

/// The words of a command.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
    command::split(text, 0).ok()
}

/// What is spoken with a program.
trait Tongue: Send {
    /// The first words with a program that was just started. Nothing is known to it of what was said before.
    fn greet(&mut self, talk: &mut Talk<'_>) -> Result<(), Error>;

    /// The next question is about another game.
    fn new_game(&mut self, seed: u64);

    /// Asks for a move.
    fn ask(&mut self, talk: &mut Talk<'_>, task: &mut AnyTask<'_>) -> Result<Report<u32>, Error>;

    /// Asks the program to end. When its input closes after that it should, too.
    fn farewell(&self) -> Option<&'static str>;
}

/// Makes the tongue for a game under the named rules.
type MakeTongue = fn(&dyn AnyGame, Option<&str>, u64) -> Result<Box<dyn Tongue>, Error>;

/// The tongues, by the word before the colon in a player's text.
const TONGUES: &[(&str, MakeTongue)] =
    &[("rpc", rpc::make), ("gtp", gtp::make), ("nboard", nboard::make), ("usi", usi::usi), ("uci", usi::uci)];

/// Whether a player's name stands for an outside program.
pub(crate) fn is_program(name: &str) -> bool {
    TONGUES.iter().any(|(known, _)| *known == name)
}

/// A program as a player. It runs when this returns.
pub(crate) fn player(
    game: &dyn AnyGame,
    rules: Option<&str>,
    text: &str,
    seed: u64,
    programs: &Programs,
) -> Result<Box<dyn AnyPlayer>, Error> {
    let (tongue, command) = text.split_once(':').unwrap_or((text, ""));
    let words = command::split(command, tongue.chars().count() + 1)?;
    let make = TONGUES.iter().find(|(name, _)| *name == tongue.trim()).map(|(_, make)| make);
    let make = make
        .ok_or_else(|| Error::unknown("unknown_player", "protocol", tongue, TONGUES.iter().map(|(name, _)| *name)))?;
    // Says what is wrong with the rules before anything is started.
    game.walk(rules, None)?;
    let mut player = Outside {
        tongue: make(game, rules, seed)?,
        name: command.trim().to_owned(),
        words,
        programs: programs.clone(),
        process: None,
        ended: Some(Duration::ZERO),
    };
    player.start()?;
    Ok(Box::new(player))
}

/// An outside program as a player.
struct Outside {
    tongue: Box<dyn Tongue>,
    name: String,
    words: Vec<String>,
    programs: Programs,
    process: Option<Process>,
    /// What processes that have ended used, where that is known.
    ended: Option<Duration>,
}

impl Outside {
    /// Starts the program and waits until it is ready.
    fn start(&mut self) -> Result<(), Error> {
        let failed = |why: &str| {
            let message = format!("{} did not start: {why}", quote(&self.name));
            Error::new("program_start", message).arg("program", self.name.as_str())
        };
        let system = |error: io::Error| failed(&error.to_string());
        let mut group = Group::start(&self.words, &self.programs).map_err(system)?;
        let log =
            self.programs.log.as_deref().map(|folder| log_file(folder, &self.words)).transpose().map_err(system)?;
        let Some((input, output, error)) = group.streams() else { return Err(failed("it has no streams")) };
        let streams = Streams::serve(input, output, error, log.as_deref()).map_err(system)?;
        let mut process = Process { group, streams, name: self.name.clone() };
        let stop = StopFlag::default();
        let greeted = self.tongue.greet(&mut Talk::new(&mut process, Instant::now() + self.programs.patience, &stop));
        self.process = Some(process);
        greeted.map_err(|error| {
            self.end();
            let message = error.message.replacen(&quote(&self.name), "it", 1);
            Error { code: "program_start", message: format!("{} did not start: {message}", quote(&self.name)), ..error }
        })
    }

    /// Ends the program, if it runs.
    fn end(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        if let Some(words) = self.tongue.farewell() {
            process.streams.say(words);
        }
        process.streams.hush();
        process.group.end(GRACE);
        self.ended = self.ended.zip(process.group.time()).map(|(before, last)| before + last);
    }

    /// Kills the program, if it runs.
    fn kill(&mut self) {
        if let Some(process) = &mut self.process {
            process.group.end(Duration::ZERO);
        }
        self.end();
    }

    /// The time that is charged, since some moment.
    fn clock(&mut self, wall: Instant) -> Duration {
        let outside = match self.programs.charge {
            Charge::Wall => None,
            Charge::Cpu => self.time_outside(),
        };
        outside.unwrap_or_else(|| wall.elapsed())
    }
}

impl AnyPlayer for Outside {
    fn new_game(&mut self, seed: u64) {
        self.tongue.new_game(seed);
    }

    fn think(&mut self, mut task: AnyTask<'_>) -> Result<Report<u32>, Error> {
        if task.walk.outcome().is_some() {
            return Err(Error::new("game_over", "the game is over: there is no move to choose"));
        }
        if self.process.is_none() {
            self.start()?;
        }
        let wall = Instant::now();
        let before = self.clock(wall);
        let limit = limit(&task.limits);
        let patience = match (limit, self.programs.charge) {
            (None, _) => self.programs.patience,
            (Some(limit), Charge::Wall) => limit + self.programs.margin + LATE.min(self.programs.patience),
            // How much of the wall's time goes by meanwhile depends on what else the machine does.
            (Some(limit), Charge::Cpu) => limit + self.programs.patience,
        };
        let Some(process) = &mut self.process else {
            return Err(Error::new("internal", "the program does not run"));
        };
        let answer = self.tongue.ask(&mut Talk::new(process, wall + patience, task.stop), &mut task);
        let time = self.clock(wall).saturating_sub(before);
        match answer {
            Ok(report) => {
                if let Some(limit) = limit.filter(|limit| time > *limit + self.programs.margin) {
                    let text = format!("answered after {} ms, {} were allowed", time.as_millis(), limit.as_millis());
                    let message = format!("{} {text}", quote(&self.name));
                    return Err(Error::new("program_late", message).arg("program", self.name.as_str()));
                }
                Ok(Report { time, ..report })
            }
            Err(error) => {
                // Who gives up, or was asked what it does not play, is well; of others it is not known.
                if !matches!(error.code, "resigned" | "unsupported") {
                    self.kill();
                }
                Err(error)
            }
        }
    }

    fn time_outside(&mut self) -> Option<Duration> {
        let running = match &mut self.process {
            Some(process) => process.group.time()?,
            None => Duration::ZERO,
        };
        self.ended.map(|ended| ended + running)
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        self.end();
    }
}

/// The time after which a move is late: the turn's, or what the clock still holds.
fn limit(limits: &Limits) -> Option<Duration> {
    let clock = limits.clock.map(|clock| clock.main + clock.byoyomi);
    let least = match (limits.time, clock) {
        (Some(time), Some(clock)) => Some(time.min(clock)),
        (time, clock) => time.or(clock),
    };
    least.map(|time| time.saturating_sub(limits.turn_used))
}

/// A log file that no other start writes to. Its folder is made where there is none.
fn log_file(folder: &Path, words: &[String]) -> io::Result<PathBuf> {
    static STARTS: AtomicU64 = AtomicU64::new(0);
    let number = STARTS.fetch_add(1, Ordering::Relaxed);
    let name = words.first().and_then(|word| Path::new(word).file_stem()).unwrap_or_default();
    std::fs::create_dir_all(folder)?;
    Ok(folder.join(format!("{}-{}-{number}.log", name.to_string_lossy(), std::process::id())))
}
