//! A conversation with a program about one question: lines both ways, until a deadline, and what counts as a fault.

use std::time::{Duration, Instant};

use banmen_catalog::{AnyState, Error, ErrorCode, quote};
use banmen_search::StopFlag;

use crate::group::Group;
use crate::streams::{Event, Streams};

/// Between two looks at the stop flag and at whether the program still lives.
const LOOK: Duration = Duration::from_millis(5);

/// How long a program that was asked to stop may take to answer.
const STOP_PATIENCE: Duration = Duration::from_secs(1);

/// How long after a program's end its last lines may take to arrive.
const AFTERMATH: Duration = Duration::from_millis(200);

/// More lines, or more bytes, than this are no answer to one question.
const FLOOD_LINES: usize = 100_000;
const FLOOD_BYTES: usize = 64 << 20;

/// A program that runs.
pub(crate) struct Process {
    pub(crate) group: Group,
    pub(crate) streams: Streams,
    /// The program as errors name it.
    pub(crate) name: String,
}

impl Process {
    /// A fault of the program: a code that begins with `program_`, and what it did.
    pub(crate) fn fault(&self, code: ErrorCode, what: &str) -> Error {
        Error::new(code, format!("{} {what}", quote(&self.name))).arg("program", self.name.as_str())
    }

    /// It has ended, or speaks or hears no more.
    fn gone(&mut self, how: &str) -> Error {
        // A stream may close a moment before its program ends.
        let how = match self.group.end(AFTERMATH) {
            Some(status) => format!("ended ({status})"),
            None => how.to_owned(),
        };
        let words = self.streams.last_words();
        let said = if words.is_empty() { String::new() } else { format!("; its last words: {words}") };
        self.fault(ErrorCode::ProgramExit, &format!("{how}{said}")).arg("last_words", words)
    }
}

/// What is heard while an answer is waited for.
pub(crate) enum Heard {
    /// A line.
    Line(String),
    /// Somebody asked to stop: from now on the program has a second. Heard once.
    Stop,
}

/// One question and what comes of it.
pub(crate) struct Talk<'p> {
    process: &'p mut Process,
    until: Instant,
    stop: &'p StopFlag,
    stopping: bool,
    /// How the program went; what it said before may still arrive.
    going: Option<&'static str>,
    lines: usize,
    bytes: usize,
    /// What is no UTF-8 is heard too.
    lenient: bool,
}

impl<'p> Talk<'p> {
    /// Begins, with an answer expected until then.
    pub(crate) fn new(process: &'p mut Process, until: Instant, stop: &'p StopFlag) -> Self {
        Talk { process, until, stop, stopping: false, going: None, lines: 0, bytes: 0, lenient: false }
    }

    /// The same, where it is no fault to say what is no UTF-8.
    pub(crate) fn lenient(self) -> Self {
        Talk { lenient: true, ..self }
    }

    /// Says a line.
    pub(crate) fn say(&self, line: &str) {
        self.process.streams.say(line);
    }

    /// The next line, whoever may wish to stop: for what a program answers at once.
    ///
    /// # Errors
    /// As [`Talk::hear`].
    pub(crate) fn line(&mut self) -> Result<String, Error> {
        loop {
            if let Heard::Line(line) = self.next(false)? {
                return Ok(line);
            }
        }
    }

    /// The next line, or the wish to stop.
    ///
    /// # Errors
    /// `program_exit`, `program_silent`, `program_garbage` for what cannot be a line, `stopped` when a program that was
    /// asked to stop does not answer.
    pub(crate) fn hear(&mut self) -> Result<Heard, Error> {
        self.next(true)
    }

    fn next(&mut self, heed: bool) -> Result<Heard, Error> {
        loop {
            if heed && !self.stopping && self.stop.stopped() {
                self.stopping = true;
                self.until = self.until.min(Instant::now() + STOP_PATIENCE);
                return Ok(Heard::Stop);
            }
            let left = self.until.saturating_duration_since(Instant::now());
            match self.process.streams.hear(left.min(LOOK)) {
                Some(Event::Unreadable(_)) if !self.lenient => return Err(self.garbage("says what is no UTF-8")),
                Some(Event::Line(line) | Event::Unreadable(line)) => {
                    self.lines += 1;
                    self.bytes += line.len();
                    if self.lines > FLOOD_LINES || self.bytes > FLOOD_BYTES {
                        return Err(self.garbage("says more than anybody reads"));
                    }
                    return Ok(Heard::Line(line));
                }
                Some(Event::Endless) => return Err(self.garbage("says a line of more than a mebibyte")),
                Some(Event::Mute) => return Err(self.process.gone("closed its standard output")),
                None if left.is_zero()
                    && let Some(how) = self.going =>
                {
                    return Err(self.process.gone(how));
                }
                None if self.stopping && left.is_zero() => {
                    return Err(Error::new(ErrorCode::Stopped, "the search was stopped before it had an answer"));
                }
                None if left.is_zero() => {
                    return Err(self.process.fault(ErrorCode::ProgramSilent, "said nothing in time"));
                }
                None if self.going.is_some() => {}
                None => {
                    let (ended, deaf) = (self.process.group.ended(), self.process.streams.deaf());
                    if ended || deaf {
                        self.going = Some(if ended { "ended" } else { "closed its standard input" });
                        self.until = self.until.min(Instant::now() + AFTERMATH);
                    }
                }
            }
        }
    }

    /// The next line that was said already, or is said until then.
    ///
    /// # Errors
    /// As [`Talk::hear`], but silence is none.
    pub(crate) fn overhear(&mut self, until: Instant) -> Result<Option<String>, Error> {
        match self.process.streams.hear(until.saturating_duration_since(Instant::now())) {
            None => Ok(None),
            Some(Event::Unreadable(_)) if !self.lenient => Err(self.garbage("says what is no UTF-8")),
            Some(Event::Line(line) | Event::Unreadable(line)) => Ok(Some(line)),
            Some(Event::Endless) => Err(self.garbage("says a line of more than a mebibyte")),
            Some(Event::Mute) => Err(self.process.gone("closed its standard output")),
        }
    }

    /// A fault of the program: a code that begins with `program_`, and what it did.
    pub(crate) fn fault(&self, code: ErrorCode, what: &str) -> Error {
        self.process.fault(code, what)
    }

    /// What the program said makes no sense.
    pub(crate) fn garbage(&self, what: &str) -> Error {
        self.process.fault(ErrorCode::ProgramGarbage, what)
    }

    /// The program gives the game up.
    pub(crate) fn resigned(&self) -> Error {
        self.process.fault(ErrorCode::Resigned, "resigns")
    }

    /// The move that the program's text stands for.
    ///
    /// # Errors
    /// `program_illegal`, with the reason.
    pub(crate) fn read(&self, state: &dyn AnyState, text: &str) -> Result<u32, Error> {
        state.read(text).map_err(|why| {
            let error = self.illegal(text, &why.message);
            if let Some(reason) = why.reason { error.reason(reason) } else { error }
        })
    }

    /// The program's text stands for no move that is legal.
    pub(crate) fn illegal(&self, text: &str, why: &str) -> Error {
        let error = self.process.fault(ErrorCode::ProgramIllegal, &format!("plays {}: {why}", quote(text)));
        error.arg("move", text.chars().take(40).collect::<String>())
    }
}

/// The moves of a line of play; it ends before the first text that is none.
pub(crate) fn read_line<'t>(state: &dyn AnyState, texts: impl IntoIterator<Item = &'t str>) -> Vec<u32> {
    /// Longer lines are cut.
    const LONGEST: usize = 128;
    let mut state = state.copy();
    let mut moves = Vec::new();
    for text in texts.into_iter().take(LONGEST) {
        if state.outcome().is_some() {
            break;
        }
        let Ok(m) = state.read(text) else { break };
        if state.play(m).is_err() {
            break;
        }
        moves.push(m);
    }
    moves
}
