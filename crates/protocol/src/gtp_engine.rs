//! Exposes a built-in player as a GTP engine, version 2.
//!
//! Each command gets one answer, in order. While the player thinks, a line `# interrupt` makes it move at once; every
//! other line waits for the answer. Without time settings the player has one second per move.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use banmen_catalog::{AnyGame, AnyState, Board, Error, ErrorCode, GtpRules, SideName, process_cpu_time};
use banmen_game::Side;
use banmen_search::threads::lock;
use banmen_search::{Limits, TimeControl};

use crate::background::{Background, SEED};
use crate::engine_session::best;
use crate::gtp;
use crate::messages::MAX_THREADS;
use crate::text_engine::thread_count;
use crate::{Conversation, Lines};

/// The default time per move.
const TIME: Duration = Duration::from_secs(1);

/// The text of an answer, or of an error.
type Answer = Result<String, String>;

/// Runs a command with its arguments.
type Command = fn(&mut GtpEngine, &[&str]) -> Answer;

/// All supported commands.
const COMMANDS: &[(&str, Command)] = &[
    ("protocol_version", |_, _| Ok("2".to_owned())),
    ("name", |_, _| Ok("Banmen".to_owned())),
    ("version", |_, _| Ok(env!("CARGO_PKG_VERSION").to_owned())),
    ("known_command", |_, words| match words {
        [name] => Ok(COMMANDS.iter().any(|(known, _)| known == name).to_string()),
        _ => Err(SYNTAX.to_owned()),
    }),
    ("list_commands", |_, _| Ok(COMMANDS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join("\n"))),
    ("quit", |_, _| Ok(String::new())),
    ("list_games", |engine, _| Ok(engine.gtp.title.to_owned())),
    ("set_game", GtpEngine::set_game),
    ("boardsize", GtpEngine::board_size),
    ("clear_board", GtpEngine::clear_board),
    ("komi", |_, words| number(words).map(|_| String::new())),
    ("set_random_seed", GtpEngine::set_seed),
    ("play", GtpEngine::play),
    ("genmove", |_, _| Ok(String::new())),
    ("reg_genmove", |_, _| Ok(String::new())),
    ("undo", GtpEngine::undo),
    ("all_legal", GtpEngine::all_legal),
    ("time_settings", GtpEngine::time_settings),
    ("time_left", GtpEngine::time_left),
    ("showboard", |engine, _| Ok(format!("\n{}", drawn(&engine.game().board())))),
    ("final_score", GtpEngine::final_score),
    ("cputime", |_, _| match process_cpu_time() {
        Some(time) => Ok(format!("{:.3}", time.as_secs_f64())),
        None => Err("this system does not count the time of the processor".to_owned()),
    }),
    ("gogui-interrupt", |_, _| Ok(String::new())),
    ("gogui-analyze_commands", |_, _| Ok("param/Search Parameters/banmen-param".to_owned())),
    ("banmen-param", GtpEngine::param),
];

const SYNTAX: &str = "syntax error";

/// The current game.
struct Played {
    state: Box<dyn AnyState>,
    /// The states before each `play` and `genmove`, which may add a forced pass before its move.
    before: Vec<Box<dyn AnyState>>,
    /// The clock of each side; `None` without one.
    clocks: [Option<GtpClock>; 2],
}

impl Played {
    /// Makes this the current state.
    fn play(&mut self, state: Box<dyn AnyState>) {
        self.before.push(std::mem::replace(&mut self.state, state));
    }
}

/// A clock with Canadian byo-yomi: once the main time is used up, each period is for a number of moves. A period without moves
/// has no time: then the main time is all.
#[derive(Clone, Copy)]
struct GtpClock {
    main: Duration,
    /// A whole period: its time and its moves.
    period: (Duration, u32),
    /// What is left of the period that runs once the main time is used up.
    left: (Duration, u32),
}

impl GtpClock {
    fn new(main: Duration, period: (Duration, u32)) -> Self {
        GtpClock { main, period, left: period }
    }

    /// The clock as a search reads it, with an equal part of the period for each of its moves.
    fn control(self) -> TimeControl {
        let (time, moves) = self.left;
        TimeControl { main: self.main, byoyomi: time / moves.max(1), ..TimeControl::default() }
    }

    /// A move has taken this time.
    fn spend(&mut self, time: Duration) {
        let over = time.saturating_sub(self.main);
        let in_period = self.main.is_zero() || over > Duration::ZERO;
        self.main = self.main.saturating_sub(time);
        if in_period {
            self.left = match self.left {
                (_, 0 | 1) => self.period,
                (time, moves) => (time.saturating_sub(over), moves - 1),
            };
        }
    }
}

/// One GTP session.
pub struct GtpEngine {
    entry: Arc<dyn AnyGame>,
    rules: Option<String>,
    gtp: GtpRules,
    out: Lines,
    player: Background,
    seed: u64,
    /// The clock at the start of each game.
    control: Option<GtpClock>,
    /// Shared with the search, which appends its move.
    played: Arc<Mutex<Played>>,
}

impl GtpEngine {
    /// Builds the player from its text, for games under the named rules.
    ///
    /// # Errors
    /// `unsupported` if GTP has no such game; otherwise the error in the rules or the player.
    pub fn new(game: Arc<dyn AnyGame>, rules: Option<&str>, player: &str, out: Lines) -> Result<Self, Error> {
        let gtp = gtp::rules(game.as_ref())?;
        let played = Played { state: game.state(rules, None)?, before: Vec::new(), clocks: [None; 2] };
        let mut background = Background::new(Arc::clone(&game), rules, player)?;
        // A controller may ask for a move on the clock without a new game before.
        background.new_game(played.state.as_ref(), SEED)?;
        Ok(GtpEngine {
            rules: rules.map(str::to_owned),
            gtp,
            out,
            player: background,
            seed: SEED,
            control: None,
            played: Arc::new(Mutex::new(played)),
            entry: game,
        })
    }

    /// A copy of the current game state.
    fn game(&self) -> Box<dyn AnyState> {
        lock(&self.played).state.copy()
    }

    fn set_game(&mut self, words: &[&str]) -> Answer {
        if words.join(" ").eq_ignore_ascii_case(self.gtp.title) {
            return self.clear_board(&[]);
        }
        Err("unknown game".to_owned())
    }

    fn board_size(&mut self, words: &[&str]) -> Answer {
        let &[size] = words else { return Err(SYNTAX.to_owned()) };
        let size: usize = size.parse().map_err(|_| SYNTAX.to_owned())?;
        let board = self.game().board();
        if (board.width, board.height) != (size, size) {
            return Err("unacceptable size".to_owned());
        }
        self.clear_board(&[])
    }

    fn clear_board(&mut self, _: &[&str]) -> Answer {
        let state = self.entry.state(self.rules.as_deref(), None).map_err(|error| error.message)?;
        self.player.new_game(state.as_ref(), self.seed).map_err(|error| error.message)?;
        *lock(&self.played) = Played { state, before: Vec::new(), clocks: [self.control; 2] };
        Ok(String::new())
    }

    fn set_seed(&mut self, words: &[&str]) -> Answer {
        let [seed] = words else { return Err(SYNTAX.to_owned()) };
        self.seed = seed.parse().map_err(|_| SYNTAX.to_owned())?;
        let state = lock(&self.played).state.copy();
        self.player.new_game(state.as_ref(), self.seed).map_err(|error| error.message)?;
        Ok(String::new())
    }

    fn play(&mut self, words: &[&str]) -> Answer {
        let &[colour, vertex] = words else { return Err(SYNTAX.to_owned()) };
        let side = self.side(colour)?;
        let text = self.gtp.text(vertex);
        let mut played = lock(&self.played);
        let mut state = self.turn(played.state.as_ref(), side)?;
        let m = state.read(text).map_err(|error| match error.code {
            ErrorCode::IllegalMove => "illegal move".to_owned(),
            _ => "invalid color or coordinate".to_owned(),
        })?;
        state.play(m).map_err(|_| "illegal move".to_owned())?;
        played.play(state);
        Ok(String::new())
    }

    /// A copy of the game state with this side to move. A forced pass of the other side is played first. In a game in which
    /// a side may move out of turn, the state begins with the position that this makes.
    fn turn(&self, state: &dyn AnyState, side: Side) -> Result<Box<dyn AnyState>, String> {
        let mut state = state.copy();
        if state.side_to_move() == side || state.outcome().is_some() {
            return Ok(state);
        }
        if let &[only] = state.legal().as_slice()
            && state.write(only, self.gtp.dialect) == self.gtp.pass
            && state.play(only).is_ok()
        {
            return Ok(state);
        }
        let other = self.entry.other_side(state.as_ref());
        other.ok_or_else(|| "illegal move: it is the other side's turn".to_owned())
    }

    fn side(&self, colour: &str) -> Result<Side, String> {
        self.gtp.side(colour).ok_or_else(|| "invalid color or coordinate".to_owned())
    }

    fn all_legal(&mut self, words: &[&str]) -> Answer {
        let &[colour] = words else { return Err(SYNTAX.to_owned()) };
        let state = self.turn(lock(&self.played).state.as_ref(), self.side(colour)?)?;
        let mut texts = state.legal_texts(self.gtp.dialect);
        texts.retain(|text| text != self.gtp.pass);
        Ok(texts.join("\n"))
    }

    fn undo(&mut self, _: &[&str]) -> Answer {
        let mut played = lock(&self.played);
        played.state = played.before.pop().ok_or("cannot undo")?;
        Ok(String::new())
    }

    fn time_settings(&mut self, words: &[&str]) -> Answer {
        let &[main, byoyomi, stones] = words else { return Err(SYNTAX.to_owned()) };
        let (main, byoyomi) = (seconds(main)?, seconds(byoyomi)?);
        let stones: u32 = stones.parse().map_err(|_| SYNTAX.to_owned())?;
        // A byo-yomi time with zero stones means no limit.
        let unlimited = byoyomi > Duration::ZERO && stones == 0;
        self.control = (!unlimited).then(|| GtpClock::new(main, (byoyomi, stones)));
        lock(&self.played).clocks = [self.control; 2];
        Ok(String::new())
    }

    fn time_left(&mut self, words: &[&str]) -> Answer {
        let &[colour, left, stones] = words else { return Err(SYNTAX.to_owned()) };
        let (side, left) = (self.side(colour)?, seconds(left)?);
        let stones: u32 = stones.parse().map_err(|_| SYNTAX.to_owned())?;
        let period = self.control.map_or((Duration::ZERO, 0), |control| control.period);
        let clock = match stones {
            // While the main time runs, no stones are counted.
            0 => GtpClock::new(left, period),
            stones => GtpClock { left: (left, stones), ..GtpClock::new(Duration::ZERO, period) },
        };
        if let Some(known) = lock(&self.played).clocks.get_mut(side.index()) {
            *known = Some(clock);
        }
        Ok(String::new())
    }

    /// Shows or sets search parameters, as GoGui's analyze commands of type `param` do. Without arguments it returns
    /// one line per parameter, `[TYPE] NAME VALUE`; with a name and a value it sets the parameter.
    fn param(&mut self, words: &[&str]) -> Answer {
        match words {
            [] => Ok(format!("[int] threads {}", self.player.threads)),
            &["threads", value] => {
                let refused = || format!("threads is a number from 1 to {MAX_THREADS}");
                self.player.threads = thread_count(value).ok_or_else(refused)?;
                Ok(String::new())
            }
            [name, _] => Err(format!("unknown parameter: {name}")),
            _ => Err(SYNTAX.to_owned()),
        }
    }

    fn final_score(&mut self, _: &[&str]) -> Answer {
        let state = self.game();
        let won = |side, margin: &dyn std::fmt::Display| match side {
            Side::First => format!("B+{margin}"),
            Side::Second => format!("W+{margin}"),
        };
        let Some(outcome) = state.outcome() else {
            // In games whose points can be counted at any time: the score so far.
            let lead = self.entry.lead(state.as_ref()).ok_or("cannot score")?;
            let leader = if lead > 0 { Side::First } else { Side::Second };
            return Ok(if lead == 0 { "0".to_owned() } else { won(leader, &lead.unsigned_abs()) });
        };
        Ok(match (outcome.winner, outcome.margin) {
            (Some(winner), Some(margin)) => won(winner, &margin),
            (Some(winner), None) => won(winner, &"R"),
            (None, _) => "0".to_owned(),
        })
    }

    /// Starts a search that answers when it ends. With `plays` it also plays the move.
    fn generate(&mut self, id: &str, words: &[&str], plays: bool) -> Result<(), String> {
        let &[colour] = words else { return Err(SYNTAX.to_owned()) };
        let side = self.side(colour)?;
        let state = self.turn(lock(&self.played).state.as_ref(), side)?;
        if state.outcome().is_some() {
            // The game is over: pass, as in Go after two passes.
            (self.out)(format!("={id} pass\n"));
            return Ok(());
        }
        let clock = lock(&self.played).clocks.get(side.index()).copied().flatten().map(GtpClock::control);
        let limits = Limits { clock, time: clock.is_none().then_some(TIME), ..Limits::default() };
        let (out, played, gtp) = (Arc::clone(&self.out), Arc::clone(&self.played), self.gtp);
        let (id, begun) = (id.to_owned(), Instant::now());
        let done = move |state: &dyn AnyState, report: Result<banmen_search::Report<u32>, Error>| {
            out(match best(report) {
                Ok(best) => {
                    let text = state.write(best, gtp.dialect);
                    let mut played = lock(&played);
                    // A move that is not played takes no time from the clock.
                    if let Some(Some(clock)) = played.clocks.get_mut(side.index()).filter(|_| plays) {
                        clock.spend(begun.elapsed());
                    }
                    let mut next = state.copy();
                    if plays && next.play(best).is_ok() {
                        played.play(next);
                    }
                    format!("={id} {}\n", gtp.vertex(&text))
                }
                Err(error) => format!("?{id} {error}\n"),
            });
        };
        self.player.think(state, limits, 1, |_, _| {}, done).map_err(|error| error.message)
    }
}

impl Conversation for GtpEngine {
    fn set_threads(&mut self, threads: usize) {
        self.player.threads = threads;
    }

    fn read(&mut self, line: &str) -> bool {
        let tabs = |c: char| if c == '\t' { ' ' } else { c };
        let line: String = line.chars().filter(|&c| c == '\t' || !c.is_control()).map(tabs).collect();
        let (command, remark) = line.split_once('#').unwrap_or((&line, ""));
        if remark.trim() == "interrupt" && command.trim().is_empty() {
            self.player.stop();
        }
        let mut words: Vec<&str> = command.split_whitespace().collect();
        // Ids have 31 bits. A larger number is not an id, and no command has such a name.
        let id = words.first().filter(|word| word.parse::<u32>().is_ok_and(|id| id < 1 << 31)).copied();
        if id.is_some() {
            words.remove(0);
        }
        let id = id.unwrap_or_default();
        let (name, words) = match words.as_slice() {
            [] if id.is_empty() => return true,
            [] => ("", &[][..]),
            [name, words @ ..] => (*name, words),
        };
        self.player.wait();
        let answer = match (name, COMMANDS.iter().find(|(known, _)| *known == name)) {
            ("genmove" | "reg_genmove", _) => match self.generate(id, words, name == "genmove") {
                Ok(()) => return true,
                Err(why) => Err(why),
            },
            (_, Some((_, run))) => run(self, words),
            (_, None) => Err("unknown command".to_owned()),
        };
        let (sign, text) = match &answer {
            Ok(text) => ('=', text),
            Err(why) => ('?', why),
        };
        let gap = if text.is_empty() || text.starts_with('\n') { "" } else { " " };
        (self.out)(format!("{sign}{id}{gap}{text}\n"));
        name != "quit"
    }

    fn end(mut self: Box<Self>, patience: Duration) {
        self.player.end(patience);
    }
}

fn number(words: &[&str]) -> Result<f64, String> {
    let number = if let [word] = words { word.parse().ok() } else { None };
    number.filter(|number: &f64| number.is_finite()).ok_or_else(|| SYNTAX.to_owned())
}

/// What is more is as good as a year.
const MAX_TIME: Duration = Duration::from_secs(365 * 24 * 3600);

/// The draft has whole seconds; fractions are accepted too.
fn seconds(text: &str) -> Result<Duration, String> {
    // Some programs send a negative time when a clock has run out.
    let seconds = number(&[text])?.max(0.0);
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(MAX_TIME).min(MAX_TIME))
}

/// The board as text. The names of columns and rows are taken from the names of the cells.
fn drawn(board: &Board) -> String {
    let rows: Vec<_> = board.cells.chunks(board.width.max(1)).collect();
    let letters = rows.first().into_iter().copied().flatten();
    let letters: Vec<String> = letters.map(|cell| cell.at.chars().take(1).collect()).collect();
    let mut text = format!("   {}", letters.join(" "));
    for row in rows {
        let name: String = row.first().map(|cell| cell.at.chars().skip(1).collect()).unwrap_or_default();
        let piece = |owner: Option<SideName>| match owner {
            Some(SideName::First) => "X",
            Some(SideName::Second) => "O",
            None => ".",
        };
        let pieces: Vec<&str> = row.iter().map(|cell| piece(cell.owner)).collect();
        text.push_str(&format!("\n{name:>2} {}", pieces.join(" ")));
    }
    text
}
