//! Exposes a built-in player as a riddles.io bot, for the site's wrapper and its successors.
//!
//! Settings may come in any order, and not all of them are required. The bot ignores unknown lines. It answers each
//! `action move` with one line, whatever errors came before. If the board is unknown, it answers `pass` and logs the
//! reason. The time of a move comes from the time bank in the request.
//!
//! The bot also understands the first engines of 2017. They sent `board` instead of `field`, left out the opponent's
//! move, and sent the number of the finished round: 0 to the first player, 1 to the second.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, Error, quote};
use banmen_game::Side;
use banmen_search::threads::lock;
use banmen_search::{Limits, TimeControl};

use crate::engine_session::{EngineSession, best};
use crate::riddles::check;
use crate::{Conversation, Lines};

/// The fallback answer: a pass is always legal.
const PASS: &str = "pass";

/// The reserve is a full bank divided by this: 1 s of the site's 10 s, a small part of the 20 s of a game of 100 turns.
/// Without a reserve, a nearly empty bank (133 ms) ran out on a machine with a load of six times its cores.
const RESERVE: u32 = 10;

/// The time per move if neither the request nor the settings give one.
const TIME: Duration = Duration::from_millis(100);

/// The most that a bank holds if the settings do not say it: the site's bank.
const BANK: Duration = Duration::from_secs(10);

/// The maximum number of rows, and of cells in a row, on the dialect's boards.
const MAX_ROW: usize = 32;

/// The highest valid `round` and `max_rounds`.
const MAX_ROUNDS: usize = 1_000_000;

/// One session with the wrapper: one game.
pub struct RiddlesEngine {
    session: EngineSession,
    settings: Settings,
    received: Received,
    /// The game state after the last answer. Shared with the search, which sets it.
    answered: Arc<Mutex<Option<Box<dyn AnyState>>>>,
}

/// The settings received before the game; `None` for those that were not sent.
#[derive(Default)]
struct Settings {
    names: Vec<String>,
    own: Option<String>,
    id: Option<Side>,
    width: Option<usize>,
    height: Option<usize>,
    rounds: Option<usize>,
    bank: Option<Duration>,
    increment: Option<Duration>,
}

/// The updates received for the current turn.
#[derive(Default)]
struct Received {
    field: Option<String>,
    round: Option<usize>,
    /// Whether the engine is one of the first months of 2017: it sent `board`.
    early: bool,
    /// The other side's last move.
    reply: Option<String>,
}

impl RiddlesEngine {
    /// Builds the player from its text, for games under the named rules. Answers go to `out`, messages to `log`.
    ///
    /// # Errors
    /// `unsupported` if the game lacks the site's dialect; otherwise the error in the rules or the player.
    pub fn new(
        game: Arc<dyn AnyGame>,
        rules: Option<&str>,
        player: &str,
        out: Lines,
        log: Lines,
    ) -> Result<Self, Error> {
        check(game.as_ref())?;
        Ok(RiddlesEngine {
            session: EngineSession::new(game, rules, player, out, log)?,
            settings: Settings::default(),
            received: Received::default(),
            answered: Arc::default(),
        })
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let size = || number(name, value, 1..=MAX_ROW);
        let time = || number(name, value, 0..=u64::MAX).map(Duration::from_millis);
        let settings = &mut self.settings;
        match name {
            "player_names" => settings.names = value.split(',').map(|name| name.trim().to_owned()).collect(),
            "your_bot" => settings.own = Some(value.to_owned()),
            "your_botid" => {
                settings.id = Some(match value {
                    "0" => Side::First,
                    "1" => Side::Second,
                    _ => return Err(format!("your_botid is 0 or 1, not {}", quote(value))),
                });
            }
            "field_width" | "board_width" => settings.width = Some(size()?),
            "field_height" | "board_height" => settings.height = Some(size()?),
            "max_rounds" => settings.rounds = Some(number(name, value, 0..=MAX_ROUNDS)?),
            "timebank" => settings.bank = Some(time()?),
            "time_per_move" => settings.increment = Some(time()?),
            _ => {}
        }
        Ok(())
    }

    fn update(&mut self, who: &str, what: &str, value: &str) -> Result<(), String> {
        match (who, what) {
            ("game", "round") => {
                self.received.round = None;
                self.received.round = Some(number("the round", value, 0..=MAX_ROUNDS)?);
            }
            ("game", "field" | "board") => {
                self.received.early = what == "board";
                self.received.field = Some(value.to_owned());
            }
            (name, "move") if Some(name) != self.settings.own.as_deref() => {
                self.received.reply = Some(value.to_owned())
            }
            _ => {}
        }
        Ok(())
    }

    /// Answers a request for a move, at once or when the search ends.
    fn act(&mut self, bank: &str) {
        // The answer to an earlier request comes first.
        self.session.player.wait();
        let received = std::mem::take(&mut self.received);
        let state = match self.place(&received) {
            Ok(state) => state,
            Err(why) => return self.pass(&why),
        };
        if let Some(outcome) = state.outcome() {
            return self.pass(&format!("the game is over by {}", outcome.by));
        }
        let limits = self.limits(bank);
        let (out, log) = (Arc::clone(&self.session.out), Arc::clone(&self.session.log));
        let answered = Arc::clone(&self.answered);
        let done = move |state: &dyn AnyState, report| match best(report) {
            Ok(best) => {
                out(state.write(best, ""));
                let mut next = state.copy();
                let played = next.play(best).is_ok();
                *lock(&answered) = played.then_some(next);
            }
            Err(error) => {
                log(error.message);
                out(PASS.to_owned());
            }
        };
        if let Err(error) = self.session.player.think(state, limits, 1, |_, _| {}, done) {
            self.pass(&error.message);
        }
    }

    fn pass(&self, why: &str) {
        (self.session.log)(format!("{why}: {PASS}"));
        (self.session.out)(PASS.to_owned());
    }

    /// The limits of a search, from the remaining time bank in the request.
    fn limits(&self, bank: &str) -> Limits {
        let Settings { bank: most, increment, .. } = self.settings;
        match bank.parse() {
            Ok(ms) => {
                let clock = clock(Duration::from_millis(ms), most, increment.unwrap_or_default());
                Limits { clock: Some(clock), ..Limits::default() }
            }
            Err(_) => {
                let why = if bank.is_empty() {
                    "the request has no time".to_owned()
                } else {
                    format!("the time of the request is not a number: {}", quote(bank))
                };
                let time = increment.unwrap_or(TIME);
                (self.session.log)(format!("{why}: {} ms are assumed", time.as_millis()));
                Limits::time(time)
            }
        }
    }

    /// Builds the game state from the settings and updates received.
    fn place(&self, received: &Received) -> Result<Box<dyn AnyState>, String> {
        let side = self.side().ok_or("the settings do not say which player this is")?;
        let field = received.field.as_deref().ok_or("no field was given")?;
        let usual = self.session.state(None)?;
        let (width, height) = self.size(usual.as_ref());
        let rows = rows(field, width, height)?;
        let longest = usual.max_plies();
        // If the game is longer or shorter than under the rules, keep the number of remaining generations.
        let last = self.settings.rounds.map_or(longest, |rounds| rounds.saturating_mul(2));
        let done = received.round.map_or(side.index(), |round| generations(round, side, received.early));
        let generations = longest.saturating_sub(last.saturating_sub(done));
        let text = format!("{rows} {} {generations}", side.index());
        let state = self.session.state(Some(&text))?;
        Ok(self.continued(received, state.as_ref()).unwrap_or(state))
    }

    /// The game state after the last answer and the reply, if its position is the current one. Its move history lets a
    /// player reuse its tree.
    fn continued(&self, received: &Received, here: &dyn AnyState) -> Option<Box<dyn AnyState>> {
        let answered = lock(&self.answered);
        let mut state = answered.as_ref()?.copy();
        let reply = match received.reply.as_deref()? {
            "null" => state.pass()?,
            text => state.read(text).ok()?,
        };
        state.play(reply).ok()?;
        (state.position("") == here.position("")).then_some(state)
    }

    /// The side that this bot plays.
    fn side(&self) -> Option<Side> {
        let Settings { names, own, id, .. } = &self.settings;
        let by_name = || {
            let at = names.iter().position(|name| Some(name) == own.as_ref())?;
            Side::BOTH.get(at).copied()
        };
        id.or_else(by_name)
    }

    /// The size of the board: from the settings, else from the rules.
    fn size(&self, usual: &dyn AnyState) -> (usize, usize) {
        let position = usual.position("");
        let rows = position.split(' ').next().unwrap_or_default();
        let width = rows.split('/').next().unwrap_or_default().len();
        let height = rows.split('/').count();
        (self.settings.width.unwrap_or(width), self.settings.height.unwrap_or(height))
    }
}

impl Conversation for RiddlesEngine {
    fn set_threads(&mut self, threads: usize) {
        self.session.player.threads = threads;
    }

    fn read(&mut self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let mut word = || words.next().unwrap_or_default();
        let done = match (word(), word(), word(), word()) {
            ("settings", name, value, _) => self.set(name, value),
            ("update", who, what, value) => self.update(who, what, value),
            ("action", "move", bank, _) => {
                self.act(bank);
                Ok(())
            }
            // The site does not send `quit`; it is for trying a bot by hand.
            ("quit", "", ..) => return false,
            _ => Ok(()),
        };
        if let Err(why) = done {
            (self.session.log)(why);
        }
        true
    }

    fn end(mut self: Box<Self>, patience: Duration) {
        self.session.player.end(patience);
    }
}

/// The player's clock for a bank, less a reserve. A bank is never believed to hold more than `most`, or [`BANK`]. The site's
/// engine ends a bot that is late once, and it measures wall-clock time, whatever the load of the machine. Below the
/// reserve the player spends half of the increment, so that the bank refills.
fn clock(bank: Duration, most: Option<Duration>, increment: Duration) -> TimeControl {
    let bank = bank.min(most.unwrap_or(BANK));
    let reserve = most.unwrap_or(bank) / RESERVE;
    let main = bank.saturating_sub(reserve).max(increment / 2).min(bank);
    let cap = most.map(|most| most.saturating_sub(reserve));
    TimeControl { main, increment, cap, byoyomi: Duration::ZERO }
}

/// Converts a list of cells to rows separated by `/`.
fn rows(field: &str, width: usize, height: usize) -> Result<String, String> {
    let cells: Vec<&str> = field.split(',').collect();
    if cells.len() != width * height {
        return Err(format!("the field has {} cells, where {width} by {height} are {}", cells.len(), width * height));
    }
    if let Some((at, cell)) = (0..).zip(&cells).find(|(_, cell)| ![".", "0", "1"].contains(cell)) {
        return Err(format!("cell {},{} of the field is {}, not one of . 0 1", at % width, at / width, quote(cell)));
    }
    Ok(cells.chunks(width).map(<[&str]>::concat).collect::<Vec<_>>().join("/"))
}

/// The number of finished generations for a round number and a side. The first engines sent the round of the state
/// before the turn, so the second player received a number one higher than the first.
fn generations(round: usize, side: Side, early: bool) -> usize {
    let before = if early && side == Side::First { round } else { round.saturating_sub(1) };
    2 * before + side.index()
}

/// Parses a number and checks its range.
fn number<T>(name: &str, text: &str, range: RangeInclusive<T>) -> Result<T, String>
where
    T: FromStr + PartialOrd + Display,
{
    if text.is_empty() {
        return Err(format!("{name} has no number"));
    }
    let number = text.parse().map_err(|_| format!("{name} is not a number: {}", quote(text)))?;
    if range.contains(&number) {
        return Ok(number);
    }
    Err(format!("{name} is {}, outside {} to {}", quote(text), range.start(), range.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_field_into_rows_or_gives_the_place() {
        assert_eq!(rows(".,0,1,.,.,1", 3, 2).as_deref(), Ok(".01/..1"));
        for (field, why) in [
            (".,0,1,.,.", "5 cells"),
            ("", "1 cells, where 3 by 2 are 6"),
            (".,0,x,.,.,1", "cell 2,0 of the field is `x`"),
            (".,0,1,.,.,11", "cell 2,1"),
        ] {
            let error = rows(field, 3, 2).expect_err(field);
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn keeps_a_reserve_of_the_bank() {
        let ms = Duration::from_millis;
        let site = |bank| clock(ms(bank), Some(ms(10_000)), ms(100));
        assert_eq!((site(10_000).main, site(10_000).cap), (ms(9_000), Some(ms(9_000))));
        // A full bank spends at least the increment, which would not fit in it, and no turn uses the reserve.
        assert!(site(10_000).share() >= ms(100));
        for bank in (1_050..=10_000).step_by(50) {
            assert!(site(bank).share() <= ms(bank - 1_000), "{bank}");
        }
        // Below the reserve the bank refills, and a turn never spends more than the bank holds.
        for bank in 0..=1_000 {
            assert!(site(bank).share() <= ms(50).min(ms(bank)), "{bank}");
        }
        assert_eq!(clock(ms(500), None, ms(0)).main, ms(450));
        // A request with more than the bank can hold, and without a bank in the settings.
        assert_eq!(site(99_999_999), site(10_000));
        assert_eq!(clock(ms(99_999_999), None, ms(0)).main, ms(9_000));
    }

    #[test]
    fn computes_generations_from_rounds() {
        let numbers = |round, early| Side::BOTH.map(|side| generations(round, side, early));
        assert_eq!([numbers(1, false), numbers(2, false), numbers(100, false)], [[0, 1], [2, 3], [198, 199]]);
        assert_eq!([generations(0, Side::First, true), generations(1, Side::Second, true)], [0, 1]);
        assert_eq!([generations(1, Side::First, true), generations(2, Side::Second, true)], [2, 3]);
    }
}
