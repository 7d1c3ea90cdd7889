//! An outside program as a player, over any of the protocols.

use std::time::{Duration, Instant};

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Error, ErrorCode, quote};
use banmen_search::{Limits, Report, StopFlag, TimeControl};

use crate::runner::Runner;
use crate::talk::Talk;
use crate::{Charge, Programs, command, gtp, nboard, riddles, rpc, usi};

/// An answer that comes this long after the limit and the margin, if patience reaches so far, is late; what has not come
/// by then is silence.
const LATE: Duration = Duration::from_secs(5);

/// The words of a command.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
    command::split(text, 0).ok()
}

/// What is spoken with a program.
pub(crate) trait EngineProtocol: Send {
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
type MakeProtocol = fn(&dyn AnyGame, Option<&str>, u64) -> Result<Box<dyn EngineProtocol>, Error>;

/// The tongues, by the word before the colon in a player's text.
const TONGUES: &[(&str, MakeProtocol)] =
    &[("rpc", rpc::make), ("gtp", gtp::make), ("nboard", nboard::make), ("usi", usi::usi), ("uci", usi::uci)];

/// The words that stand before a command: those of the tongues, and the site's, whose bots have ways of their own.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TONGUES.iter().map(|(name, _)| *name).chain([riddles::NAME])
}

/// Whether a player's name stands for an outside program.
pub(crate) fn is_program(name: &str) -> bool {
    names().any(|known| known == name)
}

/// Refuses a clock by which a program of this name cannot play.
///
/// # Errors
/// `out_of_range` for a bank that is empty before the first move.
pub(crate) fn check_clock(name: &str, clock: &TimeControl) -> Result<(), Error> {
    if name != riddles::NAME || clock.main >= Duration::from_millis(1) {
        return Ok(());
    }
    let message = "a bot of riddles.io plays by a bank of time that is told in milliseconds: it must begin above 0";
    Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "clock"))
}

/// The clock by which a program of this name plays where the match has none.
pub(crate) fn own_clock(name: &str) -> Option<TimeControl> {
    (name == riddles::NAME).then_some(riddles::SITE)
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
    // Says what is wrong with the rules before anything is started.
    game.state(rules, None)?;
    let runner = Runner::new(command.trim(), words, programs.clone());
    if tongue.trim() == riddles::NAME {
        return riddles::player(game, runner);
    }
    let make = TONGUES.iter().find(|(name, _)| *name == tongue.trim()).map(|(_, make)| make);
    let make = make.ok_or_else(|| Error::unknown(ErrorCode::UnknownPlayer, "protocol", tongue, names()))?;
    let mut player = Outside { tongue: make(game, rules, seed)?, runner };
    player.start()?;
    Ok(Box::new(player))
}

/// An outside program as a player.
struct Outside {
    tongue: Box<dyn EngineProtocol>,
    runner: Runner,
}

impl Outside {
    /// Starts the program and waits until it is ready.
    fn start(&mut self) -> Result<(), Error> {
        let patience = self.runner.programs.patience;
        let process = self.runner.start()?;
        let stop = StopFlag::default();
        let greeted = self.tongue.greet(&mut Talk::new(process, Instant::now() + patience, &stop));
        greeted.map_err(|error| {
            self.runner.end(self.tongue.farewell());
            did_not_start(&self.runner.name, error)
        })
    }

    /// The time that is charged, since some moment.
    fn clock(&mut self, wall: Instant) -> Duration {
        let outside = match self.runner.programs.charge {
            Charge::Wall => None,
            Charge::Cpu => self.time_outside(),
        };
        outside.unwrap_or_else(|| wall.elapsed())
    }
}

impl AnyPlayer for Outside {
    fn new_game(&mut self, _: &dyn AnyState, seed: u64) -> Result<(), Error> {
        self.tongue.new_game(seed);
        Ok(())
    }

    fn think(&mut self, mut task: AnyTask<'_>) -> Result<Report<u32>, Error> {
        if task.state.outcome().is_some() {
            return Err(Error::new(ErrorCode::GameOver, "the game is over: there is no move to choose"));
        }
        if !self.runner.runs() {
            self.start()?;
        }
        let wall = Instant::now();
        let before = self.clock(wall);
        let limit = limit(&task.limits);
        let Programs { charge, margin, patience, .. } = self.runner.programs;
        let patience = match (limit, charge) {
            (None, _) => patience,
            (Some(limit), Charge::Wall) => limit + margin + LATE.min(patience),
            // How much of the wall's time goes by meanwhile depends on what else the machine does.
            (Some(limit), Charge::Cpu) => limit + patience,
        };
        let process = self.runner.process()?;
        let answer = self.tongue.ask(&mut Talk::new(process, wall + patience, task.stop), &mut task);
        let time = self.clock(wall).saturating_sub(before);
        match answer {
            Ok(report) => {
                if let Some(limit) = limit.filter(|limit| time > *limit + margin) {
                    let text = format!("answered after {} ms, {} were allowed", time.as_millis(), limit.as_millis());
                    let message = format!("{} {text}", quote(&self.runner.name));
                    return Err(Error::new(ErrorCode::ProgramLate, message).arg("program", self.runner.name.as_str()));
                }
                Ok(Report { time, ..report })
            }
            Err(error) => {
                // Who gives up, or was asked what it does not play, is well; of others it is not known.
                if !matches!(error.code, ErrorCode::Resigned | ErrorCode::Unsupported) {
                    self.runner.kill();
                }
                Err(error)
            }
        }
    }

    fn time_outside(&mut self) -> Option<Duration> {
        self.runner.time()
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        self.runner.end(self.tongue.farewell());
    }
}

/// The fault of a program that ended or said nothing before it was ready, as `program_start`.
pub(crate) fn did_not_start(name: &str, error: Error) -> Error {
    let name = quote(name);
    let message = error.message.replacen(&name, "it", 1);
    Error { code: ErrorCode::ProgramStart, message: format!("{name} did not start: {message}"), ..error }
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
