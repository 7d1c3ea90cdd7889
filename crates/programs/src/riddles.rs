//! Bots that were written for riddles.io: the site's wrapper and its engine, for one of them.
//!
//! All is as the match wrapper 1.4.4 and the GOLAD engine 1.1.1 of the site do it. A process plays one game, gets no word
//! before its settings and none after the game, and its answers are single lines. It has a bank of real time: what
//! passes between the request and the line is taken from it, in whole milliseconds, and something is added after each
//! answer. Where the bank runs out the process is ended, and has no further move in its game. A line that is no legal
//! move costs the turn alone. What that means for the game is said by its entry ([`banmen_catalog::FaultCost`]).
//!
//! Where the bank begins, what is added and what it holds at most follow the game's clock as it stands at the first
//! question of a game, else they are the site's. Limits of other kinds cannot be told to a bot, and do not hold.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Error, ErrorCode};
use banmen_game::Side;
use banmen_search::{Limits, Line, Report, TimeControl};

use crate::player::did_not_start;
use crate::runner::Runner;
use crate::talk::{Heard, Talk};
use banmen_protocol::riddles::{DIALECT, NAMES, check, letter};

/// The word before a command.
pub(crate) const NAME: &str = "riddles";

/// The bank of the site, by the settings of its seasons.
pub(crate) const SITE: TimeControl = TimeControl {
    main: Duration::from_secs(10),
    increment: Duration::from_millis(100),
    cap: Some(Duration::from_secs(10)),
    byoyomi: Duration::ZERO,
};

/// The wrapper looks so often whether an answer has come, and takes the last line that has.
const POLL: Duration = Duration::from_millis(2);

/// So much of a bot's output is read in a game, in bytes; then the wrapper hears it no more.
const MOST_OUTPUT: usize = 1_000_000;

/// The commands that came up: a process of theirs has answered a request. Who ends before that says nothing about its
/// strength, who ends later has crashed, whichever of the threads of a match its game is played by.
static CAME_UP: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A bot as a player.
pub(crate) fn player(game: &dyn AnyGame, mut runner: Runner) -> Result<Box<dyn AnyPlayer>, Error> {
    check(game)?;
    runner.start()?;
    Ok(Box::new(Bot { runner, game: None, lost_turn: None }))
}

struct Bot {
    runner: Runner,
    /// The game that the process plays, once it was asked about it.
    game: Option<Playing>,
    /// Which move of the game state was none of its side's choice, the last of them.
    lost_turn: Option<usize>,
}

/// A bot in a game.
struct Playing {
    /// What the bank holds, what is added to it, and what it holds at most.
    clock: TimeControl,
    /// How much the process has said.
    said: usize,
    /// Why the process was ended.
    over: Option<Error>,
}

impl Bot {
    /// Begins the game, where it has not begun: the wrapper's settings and the engine's.
    fn begin(&mut self, state: &dyn AnyState, limits: &Limits) -> Result<(), Error> {
        if self.game.is_some() {
            return Ok(());
        }
        if !self.runner.runs() {
            self.runner.start()?;
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
            ("timebank", ms(clock.cap.unwrap_or(clock.main)).to_string()),
            ("time_per_move", ms(clock.increment).to_string()),
            ("your_botid", own.index().to_string()),
            ("field_width", width.to_string()),
            ("field_height", (cells / width).to_string()),
            ("max_rounds", (state.max_plies() / 2).to_string()),
        ];
        let process = self.runner.process()?;
        for (name, value) in settings {
            process.streams.say(&format!("settings {name} {value}"));
        }
        self.game = Some(Playing { clock, said: 0, over: None });
        Ok(())
    }

    /// Tells the bot where the game stands.
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
        lines.iter().for_each(|line| process.streams.say(&format!("update {line}")));
        Ok(())
    }

    /// Asks for a move. What is said before does not count.
    fn ask(&mut self, task: &AnyTask<'_>) -> Result<Report<u32>, Error> {
        let Some(playing) = &mut self.game else { return Err(Error::new(ErrorCode::Internal, "no game has begun")) };
        let process = self.runner.process()?;
        let bank = playing.clock.main;
        let begun = Instant::now();
        let mut talk = Talk::new(process, begun + bank, task.stop).lenient();
        // No bot floods for longer than it is heard.
        while let Some(line) = talk.overhear(begun)? {
            playing.hear(&talk, &line)?;
        }
        talk.say(&format!("action move {}", ms(bank)));
        let begun = Instant::now();
        let text = loop {
            match talk.hear() {
                Ok(Heard::Line(line)) => break Ok(line),
                // A bot knows no such wish.
                Ok(Heard::Stop) => {}
                Err(error) => break Err(error),
            }
        };
        let mut text = text.map_err(|error| match error.code {
            ErrorCode::ProgramSilent => {
                talk.fault(ErrorCode::ProgramLate, &format!("has used up its time: {} ms were in the bank", ms(bank)))
            }
            _ => error,
        })?;
        playing.hear(&talk, &text)?;
        // The last line before the next look counts. Who ends after an answer has answered.
        let looks = begun.elapsed().as_nanos() / POLL.as_nanos() + 1;
        let look = begun + POLL.saturating_mul(u32::try_from(looks).unwrap_or(u32::MAX));
        while Instant::now() < look
            && let Ok(Some(line)) = talk.overhear(look)
        {
            playing.hear(&talk, &line)?;
            text = line;
        }
        let used = Duration::from_millis(ms(begun.elapsed()));
        playing.spend(used);
        let best = answer(&talk, task.state, &text)?;
        let lines = vec![Line { moves: vec![best], value: 0.5, eval: None }];
        Ok(Report { lines, nodes: 0, playouts: None, depth: 0, time: used, proven: false })
    }
}

impl Playing {
    /// Takes note that the bot has said a line.
    fn hear(&mut self, talk: &Talk<'_>, line: &str) -> Result<(), Error> {
        self.said += line.len() + 1;
        if self.said > MOST_OUTPUT {
            return Err(talk.fault(ErrorCode::ProgramSilent, "has said more than the megabyte that is heard"));
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
        // A process that was not asked anything yet is as good as new.
        if self.game.take().is_some() {
            self.runner.end(None);
            // It comes up while nobody waits for it; what hinders it is said when somebody does.
            let _ = self.runner.start();
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
        self.begin(task.state, &task.limits)?;
        if let Some(over) = self.game.as_ref().and_then(|game| game.over.as_ref()) {
            return Err(over.clone());
        }
        self.update(task.state)?;
        let answer = self.ask(&task);
        let answer = came_up(&self.runner.name, answer);
        match &answer {
            Ok(_) => {}
            Err(error) if error.code == ErrorCode::ProgramIllegal => {}
            Err(error) => {
                self.runner.kill();
                // Who was told to stop has done nothing wrong, and begins anew.
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

/// Takes note of a command whose process has answered; where none has yet, one that ended did not come up.
fn came_up<T>(name: &str, answer: Result<T, Error>) -> Result<T, Error> {
    let mut known = CAME_UP.lock().unwrap_or_else(PoisonError::into_inner);
    match answer {
        Err(error) if error.code == ErrorCode::ProgramExit && !known.contains(name) => Err(did_not_start(name, error)),
        Err(error) if error.code != ErrorCode::ProgramIllegal => Err(error),
        answered => {
            known.insert(name.to_owned());
            answered
        }
    }
}

/// The move that an answer stands for.
///
/// # Errors
/// `program_illegal` for what the site's engine refuses.
fn answer(talk: &Talk<'_>, state: &dyn AnyState, text: &str) -> Result<u32, Error> {
    // So the site tells a move, and so the house reads it, too; the site's engine does not.
    if ["kill_", "birth_"].iter().any(|told| text.starts_with(told)) {
        return Err(talk.illegal(text, "a move has blanks between its parts"));
    }
    talk.read(state, text)
}

fn name(side: Side) -> &'static str {
    let [first, second] = NAMES;
    match side {
        Side::First => first,
        Side::Second => second,
    }
}

/// The run of cells.
fn field(state: &dyn AnyState) -> String {
    let position = state.position(DIALECT);
    position.split(' ').next().unwrap_or_default().to_owned()
}

/// How many generations are done, which the dialect writes last.
fn generations(state: &dyn AnyState) -> usize {
    let position = state.position(DIALECT);
    position.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
