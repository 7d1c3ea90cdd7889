//! One question to a program and its answer: lines in both directions until a deadline, and the detection of faults.

use std::net::{Shutdown, TcpStream};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use banmen_catalog::{AnyState, Error, ErrorCode, quote};
use banmen_search::StopFlag;

use crate::group::Group;
use crate::streams::{Event, Streams};

/// Interval between checks of the stop flag and of whether the program is still running.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// How long a program that was asked to stop may take to answer.
const STOP_PATIENCE: Duration = Duration::from_secs(1);

/// How long after a program's end its last lines may take to arrive.
const END_GRACE: Duration = Duration::from_millis(200);

/// An answer of more lines, or more bytes, than this is a fault.
const FLOOD_LINES: usize = 100_000;
const FLOOD_BYTES: usize = 64 << 20;

/// What a protocol talks to: a running program, or a script of its output.
pub(crate) trait Link {
    /// The name of the program in errors.
    fn name(&self) -> &str;

    /// Sends a text. A failed write is not reported here, but as the end of the program.
    fn write(&mut self, text: &str);

    /// The next event on its output; `None` when there is none within `patience`.
    fn receive(&mut self, patience: Duration) -> Option<Event>;

    /// What a program did whose output has ended, in words.
    fn closing(&self) -> &'static str {
        "closed its standard output"
    }

    /// How the program ended, as far as is known without waiting; lines that it wrote before its end may still arrive.
    fn end_seen(&mut self) -> Option<&'static str>;

    /// The CPU time of the program so far; `None` where it is not known.
    fn time(&mut self) -> Option<Duration> {
        None
    }

    /// Ends the program. Returns the exit status if it ended by itself, and the end of its standard error.
    fn end(&mut self) -> (Option<ExitStatus>, String);
}

/// How a program runs.
pub(crate) enum Host {
    /// As processes of this machine.
    Processes(Group),
    /// At the other end of this TCP connection.
    Peer(TcpStream),
}

/// A running program.
pub(crate) struct Process {
    pub(crate) host: Host,
    pub(crate) streams: Streams,
    /// The name of the program in errors.
    pub(crate) name: String,
}

impl Process {
    /// Ends the program and its child processes, or the connection. Returns the exit status if it ended by itself within
    /// `grace`.
    pub(crate) fn end_within(&mut self, grace: Duration) -> Option<ExitStatus> {
        match &mut self.host {
            Host::Processes(group) => group.end(grace),
            Host::Peer(stream) => {
                // Texts that were sent before still arrive.
                let _ = stream.shutdown(Shutdown::Read);
                None
            }
        }
    }
}

impl Link for Process {
    fn name(&self) -> &str {
        &self.name
    }

    fn write(&mut self, text: &str) {
        self.streams.write(text);
    }

    fn receive(&mut self, patience: Duration) -> Option<Event> {
        self.streams.receive(patience)
    }

    fn closing(&self) -> &'static str {
        match self.host {
            Host::Processes(_) => "closed its standard output",
            Host::Peer(_) => "closed the connection",
        }
    }

    fn end_seen(&mut self) -> Option<&'static str> {
        if let Host::Processes(group) = &mut self.host
            && group.ended()
        {
            return Some("ended");
        }
        let closed = match self.host {
            Host::Processes(_) => "closed its standard input",
            Host::Peer(_) => "closed the connection",
        };
        self.streams.input_closed().then_some(closed)
    }

    fn time(&mut self) -> Option<Duration> {
        match &mut self.host {
            Host::Processes(group) => group.time(),
            Host::Peer(_) => None,
        }
    }

    fn end(&mut self) -> (Option<ExitStatus>, String) {
        // A stream may close a moment before its program ends.
        (self.end_within(END_GRACE), self.streams.last_output())
    }
}

/// When no answer is silence, where a program is charged CPU time: before the last moment of its [`Exchange`], once it has
/// used more than its time, or no longer computes.
pub(crate) struct CpuDeadline {
    /// The CPU time after which no answer is silence.
    most: Duration,
    /// How long a program may be idle after its limit, in wall time.
    grace: Duration,
    /// The CPU time at the start of the current period of `grace`; `None` before the limit.
    before: Option<Duration>,
    /// The end of the period, or the time of the limit.
    end: Instant,
    /// The next measurement.
    next: Instant,
}

impl CpuDeadline {
    /// A program that uses less than one part in this many of a processor is idle. A busy one gets more even on a machine
    /// that is used by many; the runtime of an idle one, such as Java's, uses less.
    const IDLE_SHARE: u32 = 100;

    /// Interval between measurements, each of which reads `/proc`.
    const INTERVAL: Duration = Duration::from_millis(100);

    /// For a program that has used `used` so far, and is late once it has used `allowed` more.
    pub(crate) fn new(used: Duration, allowed: Duration, grace: Duration) -> Self {
        let now = Instant::now();
        let most = used + allowed + grace;
        CpuDeadline { most, grace, before: None, end: now + allowed, next: now + Self::INTERVAL }
    }

    /// Whether the program is silent, if it has used `time` until now.
    fn passed(&mut self, time: Duration, now: Instant) -> bool {
        self.next = now + Self::INTERVAL;
        if time > self.most {
            return true;
        }
        if now < self.end {
            return false;
        }
        self.end = now + self.grace;
        let before = self.before.replace(time);
        before.is_some_and(|before| time.saturating_sub(before) < self.grace / Self::IDLE_SHARE)
    }
}

/// An event while an answer is awaited.
pub(crate) enum Received {
    /// A line.
    Line(String),
    /// The search was asked to stop: the program has one second to answer. Returned once.
    Stop,
}

/// One question to a program and its answer.
pub(crate) struct Exchange<'p> {
    link: &'p mut dyn Link,
    until: Instant,
    cpu: Option<CpuDeadline>,
    stop: &'p StopFlag,
    /// The stop flag is set, and the exchange ends within [`STOP_PATIENCE`].
    stopping: bool,
    /// [`Received::Stop`] was returned.
    stop_reported: bool,
    /// How the program ended; lines that it wrote before may still arrive.
    ended: Option<&'static str>,
    lines: usize,
    bytes: usize,
    /// Accepts lines that are not UTF-8.
    lenient: bool,
}

impl<'p> Exchange<'p> {
    /// Starts an exchange whose answer must arrive before `until`.
    pub(crate) fn new(link: &'p mut dyn Link, until: Instant, stop: &'p StopFlag) -> Self {
        Exchange {
            link,
            until,
            cpu: None,
            stop,
            stopping: false,
            stop_reported: false,
            ended: None,
            lines: 0,
            bytes: 0,
            lenient: false,
        }
    }

    /// The same exchange, which may end earlier by the program's CPU time.
    pub(crate) fn by_cpu(self, cpu: Option<CpuDeadline>) -> Self {
        Exchange { cpu, ..self }
    }

    /// The same exchange, in which lines that are not UTF-8 are not faults.
    pub(crate) fn lenient(self) -> Self {
        Exchange { lenient: true, ..self }
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) {
        self.link.write(&format!("{line}\n"));
    }

    /// Sends a text of a protocol without lines.
    pub(crate) fn write(&mut self, text: &str) {
        self.link.write(text);
    }

    /// The next line: for commands that a program answers at once, so that it need not be asked to stop.
    ///
    /// # Errors
    /// As [`Exchange::receive`].
    pub(crate) fn receive_line(&mut self) -> Result<String, Error> {
        loop {
            if let Received::Line(line) = self.next(false)? {
                return Ok(line);
            }
        }
    }

    /// The next line, or the request to stop.
    ///
    /// # Errors
    /// `program_exit`, `program_silent`, `program_garbage` for malformed lines, `stopped` when a program that was
    /// asked to stop does not answer.
    pub(crate) fn receive(&mut self) -> Result<Received, Error> {
        self.next(true)
    }

    fn next(&mut self, reports_stop: bool) -> Result<Received, Error> {
        loop {
            if !self.stopping && self.stop.stopped() {
                self.stopping = true;
                self.until = self.until.min(Instant::now() + STOP_PATIENCE);
            }
            if reports_stop && self.stopping && !self.stop_reported {
                self.stop_reported = true;
                return Ok(Received::Stop);
            }
            let left = self.until.saturating_duration_since(Instant::now());
            match self.link.receive(left.min(POLL_INTERVAL)) {
                Some(Event::InvalidUtf8(_)) if !self.lenient => {
                    return Err(self.garbage("sent a line that is not UTF-8"));
                }
                Some(Event::Line(line) | Event::InvalidUtf8(line)) => {
                    self.lines += 1;
                    self.bytes += line.len();
                    if self.lines > FLOOD_LINES || self.bytes > FLOOD_BYTES {
                        return Err(self.garbage("sent too many lines"));
                    }
                    return Ok(Received::Line(line));
                }
                Some(Event::LineTooLong) => return Err(self.garbage("sent a line longer than 1 MiB")),
                Some(Event::OutputClosed) => return Err(self.exited(self.link.closing())),
                None if left.is_zero()
                    && let Some(how) = self.ended =>
                {
                    return Err(self.exited(how));
                }
                None if self.stopping && left.is_zero() => {
                    return Err(stopped());
                }
                None if left.is_zero() || self.is_silent_by_cpu() => {
                    return Err(self.fault(ErrorCode::ProgramSilent, "did not answer in time"));
                }
                None if self.ended.is_some() => {}
                None => {
                    self.ended = self.link.end_seen();
                    if self.ended.is_some() {
                        self.until = self.until.min(Instant::now() + END_GRACE);
                    }
                }
            }
        }
    }

    /// Whether the program's CPU time shows that it will not answer.
    fn is_silent_by_cpu(&mut self) -> bool {
        let now = Instant::now();
        match &mut self.cpu {
            Some(cpu) if !self.stopping && now >= cpu.next => {
                self.link.time().is_some_and(|time| cpu.passed(time, now))
            }
            _ => false,
        }
    }

    /// The next line that has arrived or arrives before `until`.
    ///
    /// # Errors
    /// As [`Exchange::receive`], except that silence is not an error.
    pub(crate) fn receive_until(&mut self, until: Instant) -> Result<Option<String>, Error> {
        match self.link.receive(until.saturating_duration_since(Instant::now())) {
            None => Ok(None),
            Some(Event::InvalidUtf8(_)) if !self.lenient => Err(self.garbage("sent a line that is not UTF-8")),
            Some(Event::Line(line) | Event::InvalidUtf8(line)) => Ok(Some(line)),
            Some(Event::LineTooLong) => Err(self.garbage("sent a line longer than 1 MiB")),
            Some(Event::OutputClosed) => Err(self.exited(self.link.closing())),
        }
    }

    /// A fault of the program: a code that begins with `program_`, and what it did.
    pub(crate) fn fault(&self, code: ErrorCode, what: &str) -> Error {
        let name = self.link.name();
        Error::new(code, format!("{} {what}", quote(name))).arg("program", name)
    }

    /// The fault of a program that ended or closed a stream.
    fn exited(&mut self, how: &str) -> Error {
        let (status, words) = self.link.end();
        let how = status.map_or(how.to_owned(), |status| format!("ended ({status})"));
        let said =
            if words.is_empty() { String::new() } else { format!("; its last output on standard error: {words}") };
        self.fault(ErrorCode::ProgramExit, &format!("{how}{said}")).arg("last_output", words)
    }

    /// The fault of a program that violates its protocol.
    pub(crate) fn garbage(&self, what: &str) -> Error {
        self.fault(ErrorCode::ProgramGarbage, what)
    }

    /// The program resigns.
    pub(crate) fn resigned(&self) -> Error {
        self.fault(ErrorCode::Resigned, "resigns")
    }

    /// Parses the program's move.
    ///
    /// # Errors
    /// `program_illegal`, with the reason.
    pub(crate) fn read(&self, state: &dyn AnyState, text: &str) -> Result<u32, Error> {
        state.read(text).map_err(|why| {
            let error = self.illegal(text, &why.message);
            if let Some(reason) = why.reason { error.reason(reason) } else { error }
        })
    }

    /// The fault of a program that played an illegal move.
    pub(crate) fn illegal(&self, text: &str, why: &str) -> Error {
        let error = self.fault(ErrorCode::ProgramIllegal, &format!("played {}: {why}", quote(text)));
        error.arg("move", text.chars().take(40).collect::<String>())
    }
}

/// The search was stopped.
pub(crate) fn stopped() -> Error {
    Error::new(ErrorCode::Stopped, "the search was stopped before it had an answer")
}

/// Parses a principal variation, up to the first text that is not a legal move.
pub(crate) fn read_line<'t>(state: &dyn AnyState, texts: impl IntoIterator<Item = &'t str>) -> Vec<u32> {
    /// Longer lines are truncated to this many moves.
    const MAX_MOVES: usize = 128;
    let mut state = state.copy();
    let mut moves = Vec::new();
    for text in texts.into_iter().take(MAX_MOVES) {
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
