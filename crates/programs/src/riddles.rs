//! Bots that were written for riddles.io. This side does what the site's wrapper and engine did.
//!
//! It follows the match wrapper 1.4.4 and the GOLAD engine 1.1.1 of the site. A process plays one game, receives nothing
//! before its settings and nothing after the game, and answers in single lines. It has a bank of wall time: the time from
//! the request to the answer is subtracted in whole milliseconds, and an increment is added after each answer. When the
//! bank is empty the process is killed and has no further move in its game. A line that is not a legal move costs only
//! the turn; the game's entry says what a lost turn means ([`banmen_catalog::FaultCost`]).
//!
//! The initial bank, the increment and the cap are those of the game clock at the first question of a game, or the
//! site's without a clock. The protocol has no other limits, so others are not enforced.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Error, ErrorCode};
use banmen_game::Side;
use banmen_search::threads::lock;
use banmen_search::{Limits, Report, StopFlag, TimeControl};

use crate::exchange::{Exchange, Received};
use crate::player::did_not_start;
use crate::runner::Runner;
use banmen_protocol::riddles::{DIALECT, NAMES, check, letter};
use banmen_protocol::whole_ms;

/// The time bank of the site.
pub(crate) const SITE: TimeControl = TimeControl {
    main: Duration::from_secs(10),
    increment: Duration::from_millis(100),
    cap: Some(Duration::from_secs(10)),
    byoyomi: Duration::ZERO,
};

/// The interval at which the wrapper polls for an answer; it takes the last line that has arrived.
const POLL: Duration = Duration::from_millis(2);

/// The output of a bot that is read in a game, in bytes.
const MAX_OUTPUT: usize = 1_000_000;

/// The commands of which a process has answered a request. An end before the first answer counts as a failed start, a
/// later one as a crash. Shared by all threads of a match.
static ANSWERED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A bot as a player.
pub(crate) fn player(game: &dyn AnyGame, mut runner: Runner) -> Result<Box<dyn AnyPlayer>, Error> {
    check(game)?;
    runner.start(&runner.programs.stop_flag())?;
    Ok(Box::new(Bot { runner, game: None, lost_turn: None }))
}

struct Bot {
    runner: Runner,
    /// The game of the process, from its first question on.
    game: Option<BotGame>,
    /// The ply of the last move that was a pass for a lost turn.
    lost_turn: Option<usize>,
}

/// A bot in a game.
struct BotGame {
    /// The bank, its increment, and its cap.
    clock: TimeControl,
    /// Bytes that the process has written.
    written: usize,
    /// The error for which the process was ended.
    over: Option<Error>,
}

impl Bot {
    /// Starts the game, if it has not started, with the settings of the wrapper and the engine.
    fn begin(&mut self, state: &dyn AnyState, limits: &Limits, stop: &StopFlag) -> Result<(), Error> {
        if self.game.is_some() {
            return Ok(());
        }
        if !self.runner.runs() {
            self.runner.start(stop)?;
        }
        let clock = limits.clock.unwrap_or(SITE);
        let own = state.side_to_move();
        let position = state.position("");
        let rows = position.split([' ', '/']).next().unwrap_or_default();
        let field = field(state);
        let cells = field.split(',').count();
        let width = rows.len().max(1);
        let settings = [
            ("player_names", NAMES.join(",")),
            ("your_bot", name(own).to_owned()),
            ("timebank", whole_ms(clock.cap.unwrap_or(clock.main)).to_string()),
            ("time_per_move", whole_ms(clock.increment).to_string()),
            ("your_botid", own.index().to_string()),
            ("field_width", width.to_string()),
            ("field_height", (cells / width).to_string()),
            ("max_rounds", (state.max_plies() / 2).to_string()),
        ];
        let process = self.runner.process()?;
        for (name, value) in settings {
            process.streams.send(&format!("settings {name} {value}"));
        }
        self.game = Some(BotGame { clock, written: 0, over: None });
        Ok(())
    }

    /// Sends the game state to the bot.
    fn update(&mut self, state: &dyn AnyState) -> Result<(), Error> {
        let own = state.side_to_move();
        let field = field(state);
        let played = state.moves().len();
        let reply = match played.checked_sub(1) {
            Some(last) if self.lost_turn != Some(last) => state.move_texts(DIALECT).pop(),
            _ => None,
        };
        let mut lines = vec![format!("game round {}", generations(state) / 2 + 1), format!("game field {field}")];
        for side in Side::BOTH {
            let living = field.split(',').filter(|cell| *cell == letter(side)).count();
            lines.push(format!("{} living_cells {living}", name(side)));
            if side != own {
                lines.push(format!("{} move {}", name(side), reply.as_deref().unwrap_or("null")));
            }
        }
        let process = self.runner.process()?;
        lines.iter().for_each(|line| process.streams.send(&format!("update {line}")));
        Ok(())
    }

    /// Asks for a move. Earlier lines are discarded.
    fn ask(&mut self, task: &AnyTask<'_>) -> Result<Report<u32>, Error> {
        let Some(playing) = &mut self.game else { return Err(Error::new(ErrorCode::Internal, "no game has begun")) };
        let process = self.runner.process()?;
        let bank = playing.clock.main;
        let begun = Instant::now();
        let mut exchange = Exchange::new(process, begun + bank, task.stop).lenient();
        // The loop ends, since the amount of output that is read is bounded.
        while let Some(line) = exchange.receive_until(begun)? {
            playing.receive(&exchange, &line)?;
        }
        exchange.send(&format!("action move {}", whole_ms(bank)));
        let begun = Instant::now();
        let text = loop {
            match exchange.receive() {
                Ok(Received::Line(line)) => break Ok(line),
                // The protocol has no stop.
                Ok(Received::Stop) => {}
                Err(error) => break Err(error),
            }
        };
        let mut text = text.map_err(|error| match error.code {
            ErrorCode::ProgramSilent => exchange.fault(
                ErrorCode::ProgramLate,
                &format!("has used up its time: {} ms were in the bank", whole_ms(bank)),
            ),
            _ => error,
        })?;
        playing.receive(&exchange, &text)?;
        // The last line before the next poll counts. A process that ends after an answer has answered.
        let polls = begun.elapsed().as_nanos() / POLL.as_nanos() + 1;
        let next_poll = begun + POLL.saturating_mul(u32::try_from(polls).unwrap_or(u32::MAX));
        while Instant::now() < next_poll
            && let Ok(Some(line)) = exchange.receive_until(next_poll)
        {
            playing.receive(&exchange, &line)?;
            text = line;
        }
        let used = Duration::from_millis(whole_ms(begun.elapsed()));
        playing.spend(used);
        Ok(Report { time: used, ..Report::of(answer(&exchange, task.state, &text)?, 0.5) })
    }
}

impl BotGame {
    /// Counts a line of the bot.
    fn receive(&mut self, exchange: &Exchange<'_>, line: &str) -> Result<(), Error> {
        self.written += line.len() + 1;
        if self.written > MAX_OUTPUT {
            return Err(exchange.fault(ErrorCode::ProgramSilent, "has written more than one megabyte"));
        }
        Ok(())
    }

    fn spend(&mut self, used: Duration) {
        let left = self.clock.main.saturating_sub(used) + self.clock.increment;
        self.clock.main = self.clock.cap.map_or(left, |cap| left.min(cap));
    }
}

impl AnyPlayer for Bot {
    fn new_game(&mut self, _: &dyn AnyState, _: u64) -> Result<(), Error> {
        // A process that was not asked yet can play the next game.
        if self.game.take().is_some() {
            self.runner.end(None);
            // It starts ahead of its first question; a failed start is reported there.
            let _ = self.runner.start(&self.runner.programs.stop_flag());
        }
        self.lost_turn = None;
        Ok(())
    }

    fn lost_turn(&mut self, ply: usize) {
        self.lost_turn = Some(ply);
    }

    fn think(&mut self, task: AnyTask<'_>) -> Result<Report<u32>, Error> {
        if task.state.outcome().is_some() {
            return Err(Error::new(ErrorCode::GameOver, "the game is over: there is no move to choose"));
        }
        self.begin(task.state, &task.limits, task.stop)?;
        if let Some(over) = self.game.as_ref().and_then(|game| game.over.as_ref()) {
            return Err(over.clone());
        }
        self.update(task.state)?;
        let begun = Instant::now();
        let answer = self.ask(&task).map_err(|error| error.after(Duration::from_millis(whole_ms(begun.elapsed()))));
        let answer = note_answer(&self.runner.name, answer);
        match &answer {
            Ok(_) => {}
            Err(error) if error.code == ErrorCode::ProgramIllegal => {}
            Err(error) => {
                self.runner.kill();
                // A stopped search is not a fault: the game is started again.
                self.game = self.game.take().filter(|_| error.code != ErrorCode::Stopped);
                if let Some(game) = &mut self.game {
                    game.over = Some(error.clone());
                }
            }
        }
        answer
    }

    fn time_outside(&mut self) -> Option<Duration> {
        self.runner.time()
    }
}

/// Records that a process of a command has answered; before the first answer an exit is a failed start.
fn note_answer<T>(name: &str, answer: Result<T, Error>) -> Result<T, Error> {
    let mut known = lock(&ANSWERED);
    match answer {
        Err(error) if error.code == ErrorCode::ProgramExit && !known.contains(name) => Err(did_not_start(name, error)),
        Err(error) if error.code != ErrorCode::ProgramIllegal => Err(error),
        answered => {
            known.insert(name.to_owned());
            answered
        }
    }
}

/// Parses an answer.
///
/// # Errors
/// `program_illegal` for a move that the site's engine refuses.
pub(crate) fn answer(exchange: &Exchange<'_>, state: &dyn AnyState, text: &str) -> Result<u32, Error> {
    // The site writes moves with underscores, and our dialect reads them; the site's engine does not.
    if ["kill_", "birth_"].iter().any(|prefix| text.starts_with(prefix)) {
        return Err(exchange.illegal(text, "a move has spaces between its parts"));
    }
    exchange.read(state, text)
}

fn name(side: Side) -> &'static str {
    let [first, second] = NAMES;
    match side {
        Side::First => first,
        Side::Second => second,
    }
}

/// The cells, without the side and the generations.
fn field(state: &dyn AnyState) -> String {
    let position = state.position(DIALECT);
    position.split(' ').next().unwrap_or_default().to_owned()
}

/// The generations done, the last word of the dialect.
fn generations(state: &dyn AnyState) -> usize {
    let position = state.position(DIALECT);
    position.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
