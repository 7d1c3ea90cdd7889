//! Exposes a built-in player as a USI or UCI engine.
//!
//! Both protocols consist of lines of words and differ in a few commands. An invalid command changes nothing; the
//! engine answers with an `info string` that gives the reason. The exception is a rejected `position`: it clears the
//! position, so that no wrong position is searched.
//!
//! Scores are centipawns on the usual curve, `400 log10(v / (1 - v))` for an expected score of `v`. A proven win or
//! loss is a `mate` score, in plies for USI and in moves for UCI. Its distance is the player's own count, or else the
//! length of the principal variation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, AnyTask, Error, Key, Kind, PlayerText, WallClock, quote};
use banmen_game::Side;
use banmen_search::{Limits, Report, StopFlag, TimeControl};

use crate::background::{SEED, SharedPlayer, new_game, search_with, wait_for};
use crate::connection::start_search;
use crate::dialect::require;
use crate::messages::{MAX_LINES, MAX_THREADS};

/// The supported text protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextProtocol {
    /// Universal Shogi Interface: positions in SFEN.
    Usi,
    /// Universal Chess Interface with Fairy-Stockfish's extensions: positions in FEN, the game in `UCI_Variant`.
    Uci,
}

impl TextProtocol {
    /// The dialect of positions and moves.
    #[must_use]
    pub fn dialect(self) -> &'static str {
        match self {
            TextProtocol::Usi => "sfen",
            TextProtocol::Uci => "fen",
        }
    }

    /// Checks that a game has the dialect.
    ///
    /// # Errors
    /// `unsupported` if it does not.
    pub fn check(self, game: &dyn AnyGame) -> Result<(), Error> {
        require(game, self.dialect(), &format!("is not written in {}", self.dialect()))
    }
}

/// An engine session over a text protocol.
pub trait Conversation {
    /// Handles a line, or for a protocol without lines the text that has arrived. Returns false at the end of the
    /// session.
    fn read(&mut self, line: &str) -> bool;

    /// Whether the protocol consists of lines, which are written with line ends.
    fn reads_lines(&self) -> bool {
        true
    }

    /// Sets the number of threads for the following searches: at least 1, the default. A player may use fewer.
    fn set_threads(&mut self, threads: usize);

    /// Ends the session after the last input. Waits, but no longer than this, for a search that ends by itself; stops an
    /// endless one.
    fn end(self: Box<Self>, patience: Duration);
}

/// Receives the engine's output lines, from any thread.
pub type Lines = Arc<dyn Fn(String) + Send + Sync>;

/// One USI or UCI session.
pub struct TextEngine {
    game: Arc<dyn AnyGame>,
    rules: Option<String>,
    protocol: TextProtocol,
    out: Lines,
    /// The player's name, its keys, and the values set by the player's text or by options.
    name: String,
    keys: &'static [Key],
    values: Vec<(String, String)>,
    lines: usize,
    threads: usize,
    player: Option<SharedPlayer>,
    /// Whether a new game was announced, of which the player is notified before the next search.
    announces_game: bool,
    /// Whether the player has searched since its game began.
    has_searched: bool,
    state: Option<Box<dyn AnyState>>,
    search: Option<Search>,
}

struct Search {
    thread: JoinHandle<()>,
    stop: StopFlag,
    /// The `bestmove` line is sent, or about to be.
    answered: Arc<AtomicBool>,
    /// The answer is discarded.
    muted: Arc<AtomicBool>,
    /// The search ends only when it is stopped.
    endless: bool,
    /// For a ponder search: the arguments of the `go` that follows `ponderhit`.
    hit: Option<Vec<String>>,
    /// Its result, once it has ended.
    result: Arc<Mutex<Option<Report<u32>>>>,
}

/// A whole number: 0 for negative ones, since some programs send a negative time when a clock has run out, and the largest for
/// all that are larger.
fn whole(text: &str) -> Option<u64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    number.then(|| if text.starts_with('-') { 0 } else { digits.parse().unwrap_or(u64::MAX) })
}

/// The arguments of `go`.
struct GoArguments {
    limits: Limits,
    /// Whether the answer is sent only after `stop`.
    waits_for_stop: bool,
    ponders: bool,
}

impl TextEngine {
    /// Builds the player from its text, for games under the named rules.
    ///
    /// # Errors
    /// `unsupported` if the game lacks the protocol's dialect; otherwise the error in the rules or the player.
    pub fn new(
        game: Arc<dyn AnyGame>,
        rules: Option<&str>,
        player: &str,
        protocol: TextProtocol,
        out: Lines,
    ) -> Result<Self, Error> {
        protocol.check(game.as_ref())?;
        let state = game.state(rules, None)?;
        // Reports an error in the player's text before the first command.
        game.player(rules, player, SEED)?;
        let text = PlayerText::parse(player)?;
        let keys = game.players().into_iter().find(|known| known.name == text.name).map_or(&[][..], |known| known.keys);
        let values = text.pairs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        Ok(TextEngine {
            rules: rules.map(str::to_owned),
            protocol,
            out,
            name: text.name.to_owned(),
            keys,
            values,
            lines: 1,
            threads: 1,
            player: None,
            announces_game: false,
            has_searched: false,
            state: Some(state),
            search: None,
            game,
        })
    }

    /// Stops the running search, if any, and waits for its answer.
    fn finish(&mut self) {
        if let Some(search) = self.search.take() {
            search.stop.stop();
            search.thread.thread().unpark();
            // The search thread catches its own panics.
            let _ = search.thread.join();
        }
    }

    fn say(&self, line: &str) {
        (self.out)(line.to_owned());
    }

    fn introduce(&self) {
        self.say(concat!("id name Banmen ", env!("CARGO_PKG_VERSION")));
        self.say("id author the Banmen authors");
        if self.protocol == TextProtocol::Uci {
            let name = self.game.info().name;
            self.say(&format!("option name UCI_Variant type combo default {name} var {name}"));
        }
        self.say(&format!("option name {} type check default false", self.ponder_option()));
        self.say(&format!("option name MultiPV type spin default 1 min 1 max {MAX_LINES}"));
        self.say(&format!("option name Threads type spin default {} min 1 max {MAX_THREADS}", self.threads));
        for key in self.keys {
            let value = self.value(key);
            let kind = match key.kind {
                Kind::Integer(min, max) => format!("spin default {value} min {min} max {max}"),
                Kind::Maximum(max) => format!("spin default {value} min 0 max {max}"),
                Kind::Choice(words) => {
                    words.iter().fold(format!("combo default {value}"), |text, word| text + " var " + word)
                }
                Kind::Number(..) | Kind::Integers(..) | Kind::File(_) => format!("string default {value}"),
            };
            self.say(&format!("option name {} type {kind}", self.option_name(key.name)));
        }
        self.say(if self.protocol == TextProtocol::Usi { "usiok" } else { "uciok" });
    }

    /// The option by which programs know that they may send `go ponder`. Its value changes nothing.
    fn ponder_option(&self) -> &'static str {
        if self.protocol == TextProtocol::Usi { "USI_Ponder" } else { "Ponder" }
    }

    /// The option name of a key. Table memory has a standard name in each protocol.
    fn option_name<'k>(&self, key: &'k str) -> &'k str {
        match (key, self.protocol) {
            ("table", TextProtocol::Usi) => "USI_Hash",
            ("table", TextProtocol::Uci) => "Hash",
            _ => key,
        }
    }

    /// The value of a key.
    fn value(&self, key: &Key) -> &str {
        let value = self.values.iter().rev().find(|(name, _)| name == key.name);
        value.map_or(key.default, |(_, value)| value)
    }

    fn set_option(&mut self, words: &[&str]) -> Result<(), String> {
        let value_at = words.iter().position(|&word| word == "value").unwrap_or(words.len());
        let name = match words.split_first() {
            Some((&"name", _)) => words.get(1..value_at).unwrap_or_default().join(" "),
            _ => return Err("setoption needs a name: setoption name NAME value VALUE".to_owned()),
        };
        let value = words.get(value_at + 1..).unwrap_or_default().join(" ");
        if name.eq_ignore_ascii_case("MultiPV") {
            self.lines = value
                .parse()
                .ok()
                .filter(|lines| (1..=MAX_LINES).contains(lines))
                .ok_or_else(|| format!("MultiPV is a number from 1 to {MAX_LINES}"))?;
            return Ok(());
        }
        if name.eq_ignore_ascii_case("Threads") {
            self.threads =
                thread_count(&value).ok_or_else(|| format!("Threads is a number from 1 to {MAX_THREADS}"))?;
            return Ok(());
        }
        if name.eq_ignore_ascii_case("UCI_Variant") {
            let own = self.game.info().name;
            return if value == own { Ok(()) } else { Err(format!("the variant here is {own}")) };
        }
        // Programs send these to every engine, whether it offers them or not.
        let Some(key) = self.keys.iter().find(|key| self.option_name(key.name).eq_ignore_ascii_case(&name)) else {
            let usual = ["USI_Ponder", "Ponder", "USI_Hash", "Hash"];
            let is_usual = usual.iter().any(|usual| usual.eq_ignore_ascii_case(&name));
            return if is_usual { Ok(()) } else { Err(format!("there is no option {name}")) };
        };
        if self.value(key) == value {
            return Ok(());
        }
        let mut values = self.values.clone();
        values.retain(|(known, _)| known != key.name);
        values.push((key.name.to_owned(), value));
        let old = std::mem::replace(&mut self.values, values);
        // The player is built anew at once, which validates the value; the old one first frees its memory.
        self.player = None;
        let built = self.player().map(drop);
        if built.is_err() {
            self.values = old;
            self.player()?;
        }
        // The key is named as the option is.
        let quoted = |name: &str| format!("`{name}`");
        built.map_err(|message| message.replacen(&quoted(key.name), &quoted(self.option_name(key.name)), 1))
    }

    /// The player, built on first use, and again after a panic.
    fn player(&mut self) -> Result<SharedPlayer, String> {
        if let Some(player) = self.player.as_ref().filter(|player| !player.is_poisoned()) {
            return Ok(Arc::clone(player));
        }
        let text = PlayerText::write(&self.name, self.values.iter().map(|(key, value)| (key.as_str(), value.as_str())));
        let made = self.game.player(self.rules.as_deref(), &text, SEED).map_err(|error| error.message)?;
        self.has_searched = false;
        Ok(Arc::clone(self.player.insert(Arc::new(Mutex::new(made)))))
    }

    /// Does what may take long before a game: builds the player, or clears its memory. A program that announces a game before
    /// `isready` asks for that; in USI `isready` itself comes once before each game.
    fn get_ready(&mut self) -> Result<(), String> {
        let player = self.player()?;
        if self.has_searched && (self.announces_game || self.protocol == TextProtocol::Usi) {
            let start = self.game.state(self.rules.as_deref(), None).map_err(|error| error.message)?;
            new_game(&player, start.as_ref(), SEED).map_err(|error| error.message)?;
            self.has_searched = false;
        }
        Ok(())
    }

    fn place(&mut self, words: &[&str]) -> Result<(), String> {
        self.state = None;
        let moves_at = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let (place, moves) = words.split_at(moves_at);
        let position = match place.split_first() {
            Some((&"startpos", [])) => None,
            Some((&("sfen" | "fen"), text)) if !text.is_empty() => Some(text.join(" ")),
            _ => return Err(format!("a position is startpos or {} with its text", self.protocol.dialect())),
        };
        let state = self.game.state(self.rules.as_deref(), position.as_deref());
        let mut state = state.map_err(|error| format!("position: {}", error.message))?;
        state.play_texts(moves.get(1..).unwrap_or_default()).map_err(|error| error.message)?;
        self.state = Some(state);
        Ok(())
    }

    /// Starts a search. `pondered` is the result of a ponder search for the same position.
    fn go(&mut self, words: &[&str], pondered: Option<Report<u32>>) -> Result<(), String> {
        if words.first() == Some(&"mate") && self.protocol == TextProtocol::Usi {
            self.say("checkmate notimplemented");
            return Ok(());
        }
        let Some(state) = self.state.as_ref().map(|state| state.copy()) else {
            self.say("info string there is no position to search: the last one was refused");
            let arguments = self.limits(words, Side::First);
            return self.answer_without_search("resign", &arguments, words);
        };
        let arguments = self.limits(words, state.side_to_move());
        if let Some(outcome) = state.outcome() {
            let word = if outcome.winner == Some(state.side_to_move()) { "win" } else { "resign" };
            self.say(&format!("info string the game is over by {}", outcome.by));
            return self.answer_without_search(word, &arguments, words);
        }
        let GoArguments { limits, waits_for_stop, ponders } = arguments;
        let player = self.player()?;
        let new_game = (std::mem::take(&mut self.announces_game) && self.has_searched).then_some(SEED);
        self.has_searched = true;
        let (stop, lines, threads, protocol) = (StopFlag::default(), self.lines, self.threads, self.protocol);
        let (answered, muted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (out, flag, done) = (Arc::clone(&self.out), stop.clone(), Arc::clone(&answered));
        let (silent, result) = (Arc::clone(&muted), Arc::<Mutex<Option<Report<u32>>>>::default());
        let found = Arc::clone(&result);
        let search = move || {
            let mut write = |report: &Report<u32>| infos(report, state.as_ref(), protocol).into_iter().for_each(&*out);
            let report = search_with(
                &player,
                new_game,
                AnyTask {
                    state: state.as_ref(),
                    limits,
                    clock: &WallClock::default(),
                    stop: &flag,
                    threads,
                    lines,
                    progress: Some(&mut write),
                },
            );
            // After `ponderhit` there may be no time left: then the ponder search has seen more.
            let report = report.map(|report| match pondered {
                Some(pondered) if pondered.depth > report.depth => pondered,
                _ => report,
            });
            if ponders && let (Ok(report), Ok(mut found)) = (&report, found.lock()) {
                *found = Some(report.clone());
            }
            // `infinite` and `ponder` allow no answer before `stop`.
            while waits_for_stop && !flag.stopped() {
                std::thread::park();
            }
            if silent.load(Ordering::Acquire) {
                return;
            }
            let line = match report {
                Ok(report) => {
                    write(&report);
                    report.lines.first().map(|line| state.write_line(&line.moves, protocol.dialect()))
                }
                Err(error) => {
                    out(format!("info string {error}"));
                    None
                }
            };
            let mut moves = line.into_iter().flatten();
            let best = moves.next();
            // Set before the line is sent: its reader may start the next search at once.
            done.store(true, Ordering::Release);
            out(answer(protocol, best.as_deref().unwrap_or("resign"), moves.next().as_deref()));
        };
        let thread = start_search(search).map_err(|error| error.message)?;
        let endless = waits_for_stop || limits == Limits::default();
        let hit = ponders.then(|| without_ponder(words));
        self.search = Some(Search { thread, stop, answered, muted, endless, hit, result });
        Ok(())
    }

    /// The answer where there is nothing to search: at once, or after `stop` where none is allowed before.
    fn answer_without_search(
        &mut self,
        word: &'static str,
        arguments: &GoArguments,
        words: &[&str],
    ) -> Result<(), String> {
        let line = answer(self.protocol, word, None);
        if !arguments.waits_for_stop {
            self.say(&line);
            return Ok(());
        }
        let (stop, answered, muted) =
            (StopFlag::default(), Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (out, flag, done, silent) =
            (Arc::clone(&self.out), stop.clone(), Arc::clone(&answered), Arc::clone(&muted));
        let thread = start_search(move || {
            while !flag.stopped() {
                std::thread::park();
            }
            if !silent.load(Ordering::Acquire) {
                done.store(true, Ordering::Release);
                out(line);
            }
        })
        .map_err(|error| error.message)?;
        let hit = arguments.ponders.then(|| without_ponder(words));
        self.search = Some(Search { thread, stop, answered, muted, endless: true, hit, result: Arc::default() });
        Ok(())
    }

    /// The other side has played the expected move. Starts a search on the clock; the player's memory keeps the
    /// results of the ponder search, which also answers if this search gets less deep.
    fn ponder_hit(&mut self) -> Result<(), String> {
        let Some(search) = self.search.take_if(|search| search.hit.is_some()) else {
            return Err("ponderhit without go ponder".to_owned());
        };
        search.muted.store(true, Ordering::Release);
        let words = search.hit.clone().unwrap_or_default();
        let result = Arc::clone(&search.result);
        self.search = Some(search);
        self.finish();
        let pondered = result.lock().ok().and_then(|mut result| result.take());
        self.go(&words.iter().map(String::as_str).collect::<Vec<_>>(), pondered)
    }

    /// Parses the arguments of `go`. Reports and ignores the ones that are not supported.
    fn limits(&self, words: &[&str], side: Side) -> GoArguments {
        let mut limits = Limits::default();
        let (mut clock, mut timed, mut waits_for_stop, mut ponders) = (TimeControl::default(), false, false, false);
        let mut turns = None;
        // The side that moves first is black in USI and white in UCI.
        let [own_time, own_increment] = match (self.protocol, side) {
            (TextProtocol::Usi, Side::First) | (TextProtocol::Uci, Side::Second) => ["btime", "binc"],
            (TextProtocol::Usi, Side::Second) | (TextProtocol::Uci, Side::First) => ["wtime", "winc"],
        };
        let mut words = words.iter().peekable();
        while let Some(&word) = words.next() {
            match word {
                "infinite" => waits_for_stop = true,
                "ponder" => (waits_for_stop, ponders) = (true, true),
                "btime" | "wtime" | "binc" | "winc" | "byoyomi" | "movetime" | "nodes" | "depth" | "movestogo" => {
                    let Some(number) = words.peek().and_then(|number| whole(number)) else {
                        self.say(&format!("info string go {word} needs a number"));
                        continue;
                    };
                    words.next();
                    let time = Duration::from_millis(number);
                    match word {
                        "movetime" => limits.time = Some(time),
                        "nodes" => limits.nodes = Some(number),
                        "depth" => limits.depth = Some(u32::try_from(number).unwrap_or(u32::MAX)),
                        "byoyomi" => (clock.byoyomi, timed) = (time, true),
                        // Some programs send 0 where no number of turns is agreed.
                        "movestogo" => turns = u32::try_from(number).ok().filter(|&turns| turns > 0),
                        word if word == own_time => (clock.main, timed) = (time, true),
                        word if word == own_increment => (clock.increment, timed) = (time, true),
                        _ => {}
                    }
                }
                _ => self.say(&format!("info string go {word} is not supported")),
            }
        }
        if timed && !waits_for_stop {
            limits.clock = Some(clock);
            if let Some(turns) = turns {
                // One turn more than announced, so that the last turn has some time in reserve.
                limits = limits.spread_over(turns.saturating_add(1));
            }
        }
        GoArguments { limits, waits_for_stop, ponders }
    }
}

/// The arguments of the `go` that follows `ponderhit`.
fn without_ponder(words: &[&str]) -> Vec<String> {
    words.iter().filter(|&&word| word != "ponder").map(|&word| word.to_owned()).collect()
}

impl Conversation for TextEngine {
    fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    fn read(&mut self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let Some(command) = words.next() else { return true };
        let words: Vec<&str> = words.collect();
        let searching = self.search.as_ref().is_some_and(|search| !search.answered.load(Ordering::Acquire));
        let result = match (command, self.protocol) {
            ("usi", TextProtocol::Usi) | ("uci", TextProtocol::Uci) => {
                self.introduce();
                Ok(())
            }
            ("isready", _) => {
                let ready = if searching { Ok(()) } else { self.get_ready() };
                self.say("readyok");
                ready
            }
            ("stop", _) => {
                self.finish();
                Ok(())
            }
            ("ponderhit", _) => self.ponder_hit(),
            ("quit", _) => {
                self.finish();
                return false;
            }
            // The game is over: a search for it, as while pondering, needs no answer any more.
            ("gameover", TextProtocol::Usi) => {
                if let Some(search) = &self.search {
                    search.muted.store(true, Ordering::Release);
                }
                self.finish();
                Ok(())
            }
            ("debug" | "register", _) => Ok(()),
            ("setoption" | "usinewgame" | "ucinewgame" | "position" | "go", _) if searching => {
                Err(format!("{command} is refused while a search is running"))
            }
            ("setoption", _) => self.set_option(&words),
            ("usinewgame" | "ucinewgame", _) => {
                self.announces_game = true;
                Ok(())
            }
            ("position", _) => self.place(&words),
            ("go", _) => self.go(&words, None),
            (unknown, _) => Err(format!("unknown command {}", quote(unknown))),
        };
        if let Err(why) = result {
            self.say(&format!("info string {why}"));
        }
        true
    }

    fn end(mut self: Box<Self>, patience: Duration) {
        if let Some(search) = self.search.as_ref().filter(|search| !search.endless) {
            wait_for(&search.thread, patience);
        }
        self.finish();
    }
}

impl Drop for TextEngine {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Parses a number of threads, 1 to [`MAX_THREADS`].
pub(crate) fn thread_count(text: &str) -> Option<usize> {
    text.parse().ok().filter(|threads| (1..=MAX_THREADS).contains(threads))
}

/// The `bestmove` line. UCI has no word for resigning.
fn answer(protocol: TextProtocol, word: &str, ponder: Option<&str>) -> String {
    let word = if protocol == TextProtocol::Uci && matches!(word, "resign" | "win") { "(none)" } else { word };
    ponder.map_or_else(|| format!("bestmove {word}"), |ponder| format!("bestmove {word} ponder {ponder}"))
}

/// The `info` lines of a report.
fn infos(report: &Report<u32>, state: &dyn AnyState, protocol: TextProtocol) -> Vec<String> {
    let ms = report.time.as_millis();
    let speed = (report.nodes as f64 / report.time.as_secs_f64().max(1e-3)) as u64;
    (1..)
        .zip(&report.lines)
        .map(|(number, line)| {
            let known = line.eval.filter(|eval| eval.unit == "plies");
            let plies = known.map_or(line.moves.len() as i64, |eval| eval.n.abs() as i64);
            let mate = |sign: i64| match protocol {
                TextProtocol::Usi => format!("mate {}", sign * plies),
                TextProtocol::Uci => format!("mate {}", sign * ((plies + 1) / 2)),
            };
            // A playout average may be exactly 0 or 1 without a proof.
            let proven = report.proven || known.is_some();
            let score = match line.value {
                won if proven && won >= 1.0 => mate(1),
                lost if proven && lost <= 0.0 => mate(-1),
                value => format!("cp {:.0}", (400.0 * (value / (1.0 - value)).log10()).clamp(-9999.0, 9999.0)),
            };
            let moves = state.write_line(&line.moves, protocol.dialect()).join(" ");
            let (depth, nodes) = (report.depth, report.nodes);
            format!("info depth {depth} multipv {number} score {score} nodes {nodes} nps {speed} time {ms} pv {moves}")
        })
        .collect()
}
