//! An external program as a player, over any of the protocols.

use std::time::{Duration, Instant};

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Error, ErrorCode, quote};
use banmen_search::{Limits, Report, StopFlag};

use crate::exchange::{CpuDeadline, Exchange, Link, stopped};
use crate::protocols::{Kind, Protocol};
use crate::runner::{Runner, Start};
use crate::streams::Framing;
use crate::{Charge, Endpoint, Programs, command, riddles};

/// An answer within this time after the limit and the margin, and within the patience, is late; no answer by then is
/// silence.
const LATE_GRACE: Duration = Duration::from_secs(5);

/// The client side of an engine protocol.
pub(crate) trait EngineProtocol: Send {
    /// Initialises a program that was just started; it knows nothing of earlier processes.
    fn handshake(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Error>;

    /// Announces that the next question is about another game.
    fn new_game(&mut self, seed: u64);

    /// Asks for a move.
    fn ask(&mut self, exchange: &mut Exchange<'_>, task: &mut AnyTask<'_>) -> Result<Report<u32>, Error>;

    /// The command that asks the program to end, where the protocol has one; the end of its input follows.
    fn quit_command(&self) -> Option<&'static str>;

    /// How the program's output is divided.
    fn framing(&self) -> Framing {
        Framing::Lines
    }

    /// Whether a process plays one game only. The next game has a process of its own.
    fn plays_one_game(&self) -> bool {
        false
    }
}

/// Refuses the text of a program that cannot play the game. It is not started.
pub(crate) fn check(game: &dyn AnyGame, rules: Option<&str>, protocol: &Protocol, text: &str) -> Result<(), Error> {
    parts(text)?;
    protocol.check(game, rules)
}

/// The command of a program's text, and how it is reached.
fn parts(text: &str) -> Result<(&str, Start), Error> {
    let (protocol, command) = text.split_once(':').unwrap_or((text, ""));
    let before = protocol.chars().count() + 1;
    let start = start(command::split(command, before)?, before)?;
    Ok((command.trim(), start))
}

/// A program as a player. It is running when this returns.
pub(crate) fn player(
    game: &dyn AnyGame,
    rules: Option<&str>,
    protocol: &Protocol,
    text: &str,
    seed: u64,
    programs: &Programs,
) -> Result<Box<dyn AnyPlayer>, Error> {
    let (command, start) = parts(text)?;
    // Checks the rules before a program is started.
    game.state(rules, None)?;
    let runner = |framing| Runner::new(command, start, framing, programs.clone());
    let protocol = match protocol.kind {
        Kind::Bot => return riddles::player(game, runner(Framing::Lines)),
        Kind::Engine(make) => make(game, rules, seed)?,
    };
    let runner = runner(protocol.framing());
    let mut player = ProgramPlayer { protocol, runner, asked: false };
    player.start(&programs.stop_flag())?;
    Ok(Box::new(player))
}

/// How the program of a command is reached; `before` is the number of characters before the command in a player's text.
///
/// # Errors
/// `bad_command` for an address that is none.
fn start(words: Vec<String>, before: usize) -> Result<Start, Error> {
    let endpoint = match words.as_slice() {
        [word] => Endpoint::parse(word),
        _ => None,
    };
    match endpoint {
        None => Ok(Start::Command(words)),
        Some(Ok(endpoint)) => Ok(Start::Tcp(endpoint)),
        Some(Err(why)) => {
            let word = words.concat();
            let message = format!("character {}: {}: {why}", before + 1, quote(&word));
            Err(Error::new(ErrorCode::BadCommand, message).arg("command", word).at(before))
        }
    }
}

/// An external program as a player.
struct ProgramPlayer {
    protocol: Box<dyn EngineProtocol>,
    runner: Runner,
    /// Whether the running process was asked for a move.
    asked: bool,
}

impl ProgramPlayer {
    /// Starts the program and waits until it is ready.
    ///
    /// # Errors
    /// `program_start`, and `stopped` when `stop` is set before.
    fn start(&mut self, stop: &StopFlag) -> Result<(), Error> {
        let patience = self.runner.programs.patience;
        self.asked = false;
        let process = self.runner.start(stop)?;
        let ready = self.protocol.handshake(&mut Exchange::new(process, Instant::now() + patience, stop));
        ready.map_err(|error| {
            self.runner.end(self.protocol.quit_command());
            if error.code == ErrorCode::Stopped { error } else { did_not_start(&self.runner.name, error) }
        })
    }

    /// The CPU time of the program, if this is what it is charged.
    fn cpu(&mut self) -> Option<Duration> {
        match self.runner.programs.charge {
            Charge::Wall => None,
            Charge::Cpu => self.time_outside(),
        }
    }
}

impl AnyPlayer for ProgramPlayer {
    fn new_game(&mut self, _: &dyn AnyState, seed: u64) -> Result<(), Error> {
        self.protocol.new_game(seed);
        if self.asked && self.protocol.plays_one_game() {
            self.runner.end(self.protocol.quit_command());
        }
        Ok(())
    }

    fn think(&mut self, mut task: AnyTask<'_>) -> Result<Report<u32>, Error> {
        if task.state.outcome().is_some() {
            return Err(Error::new(ErrorCode::GameOver, "the game is over: there is no move to choose"));
        }
        if !self.runner.runs() {
            self.start(task.stop)?;
            if task.stop.stopped() {
                return Err(stopped());
            }
        }
        let wall = Instant::now();
        let cpu = self.cpu();
        let limit = limit(&task.limits);
        let Programs { margin, patience, .. } = self.runner.programs;
        let grace = LATE_GRACE.min(patience);
        let patience = match (limit, cpu) {
            (None, _) => patience,
            (Some(limit), None) => limit + margin + grace,
            // The wall time in which this CPU time passes depends on the load of the machine.
            (Some(limit), Some(_)) => limit + margin + patience,
        };
        self.asked = true;
        let process = self.runner.process()?;
        let deadline =
            limit.zip(cpu.and(process.time())).map(|(limit, used)| CpuDeadline::new(used, limit + margin, grace));
        let mut exchange = Exchange::new(process, wall + patience, task.stop).by_cpu(deadline);
        let answer = self.protocol.ask(&mut exchange, &mut task);
        let time = match cpu.zip(self.cpu()) {
            Some((before, after)) => after.saturating_sub(before),
            None => wall.elapsed(),
        };
        match answer {
            Ok(report) => {
                if let Some(limit) = limit.filter(|limit| time > *limit + margin) {
                    let text = format!("answered after {} ms, {} were allowed", time.as_millis(), limit.as_millis());
                    let message = format!("{} {text}", quote(&self.runner.name));
                    let error = Error::new(ErrorCode::ProgramLate, message).arg("program", self.runner.name.as_str());
                    return Err(error.after(time));
                }
                Ok(Report { time, ..report })
            }
            Err(error) => {
                // After these errors the program is in a known state; after others it is not.
                if !matches!(error.code, ErrorCode::Resigned | ErrorCode::Unsupported) {
                    self.runner.kill();
                }
                Err(error.after(time))
            }
        }
    }

    fn time_outside(&mut self) -> Option<Duration> {
        self.runner.time()
    }
}

impl Drop for ProgramPlayer {
    fn drop(&mut self) {
        self.runner.end(self.protocol.quit_command());
    }
}

/// Converts the fault of a program that ended or was silent before it was ready into `program_start`.
pub(crate) fn did_not_start(name: &str, error: Error) -> Error {
    let name = quote(name);
    let message = error.message.replacen(&name, "it", 1);
    Error { code: ErrorCode::ProgramStart, message: format!("{name} did not start: {message}"), ..error }
}

/// The time after which a move is late: the time limit of the turn, or the time left on the clock.
fn limit(limits: &Limits) -> Option<Duration> {
    let clock = limits.clock.map(|clock| clock.main + clock.byoyomi);
    let least = match (limits.time, clock) {
        (Some(time), Some(clock)) => Some(time.min(clock)),
        (time, clock) => time.or(clock),
    };
    least.map(|time| time.saturating_sub(limits.turn_used))
}
