//! A program's three streams, each served by a thread of its own, so that a full or empty pipe cannot block the caller.
//! Each has a bound on what it stores.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use banmen_search::threads::lock;

/// The longest line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// Lines that are queued; when the queue is full the program is blocked.
const QUEUED_LINES: usize = 16;

/// Bytes of standard error that are kept, the last ones.
const STDERR_KEPT: usize = 64 << 10;

/// Bytes of standard error that a log file holds, the first ones.
const MAX_LOG_BYTES: u64 = 1 << 20;

/// An event on a program's standard output.
#[derive(Debug)]
pub(crate) enum Event {
    /// A line, without its end.
    Line(String),
    /// A line that is not UTF-8, with U+FFFD for each invalid sequence.
    InvalidUtf8(String),
    /// A line longer than [`MAX_LINE_BYTES`].
    LineTooLong,
    /// The standard output was closed.
    OutputClosed,
}

/// How a program's output is divided into events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// A line.
    Lines,
    /// The text that has arrived, without line ends: for protocols without lines.
    Pieces,
}

/// The streams of a running program.
pub(crate) struct Streams {
    say: Option<Sender<String>>,
    probe: Option<InputProbe>,
    events: Receiver<Event>,
    words: Arc<Mutex<VecDeque<u8>>>,
    drain: JoinHandle<()>,
}

impl Streams {
    /// Starts the threads. `error` is also written to the file `log`.
    pub(crate) fn serve(
        mut input: impl Write + Watched + Send + 'static,
        output: impl Read + Send + 'static,
        mut error: impl Read + Send + 'static,
        framing: Framing,
        log: Option<&Path>,
    ) -> io::Result<Streams> {
        let mut log = log.map(File::create).transpose()?;
        let thread = |name: &str| Builder::new().name(name.to_owned()).stack_size(128 << 10);
        let (events_in, events) = sync_channel(QUEUED_LINES);
        let (say, said) = channel::<String>();

        let probe = InputProbe::of(&input)?;
        thread("program-in").spawn(move || {
            for text in said {
                if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
                    return;
                }
            }
        })?;
        thread("program-out").spawn(move || read_events(output, framing, &events_in))?;

        let words = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&words);
        let drain = thread("program-err").spawn(move || {
            let (mut chunk, mut room) = ([0; 8192], MAX_LOG_BYTES);
            while let Ok(count @ 1..) = error.read(&mut chunk) {
                let new = chunk.get(..count).unwrap_or_default();
                if let Some(file) = &mut log {
                    let share = usize::try_from(room).unwrap_or(usize::MAX).min(count);
                    // A failure to log does not stop a game.
                    let _ = file.write_all(new.get(..share).unwrap_or_default());
                    room -= share as u64;
                }
                let mut kept = lock(&kept);
                kept.extend(new);
                let over = kept.len().saturating_sub(STDERR_KEPT);
                kept.drain(..over);
            }
        })?;
        Ok(Streams { say: Some(say), probe: Some(probe), events, words, drain })
    }

    /// Queues a line to be written. A failure shows as an end of the program.
    pub(crate) fn send(&self, line: &str) {
        self.write(&format!("{line}\n"));
    }

    /// Queues a text to be written.
    pub(crate) fn write(&self, text: &str) {
        if let Some(say) = &self.say {
            let _ = say.send(text.to_owned());
        }
    }

    /// Closes the program's standard input.
    pub(crate) fn close_input(&mut self) {
        (self.say, self.probe) = (None, None);
    }

    /// Whether the program has closed its standard input.
    pub(crate) fn input_closed(&self) -> bool {
        self.probe.as_ref().is_some_and(InputProbe::closed)
    }

    /// The next event; `None` when there is none within `patience`.
    pub(crate) fn receive(&self, patience: Duration) -> Option<Event> {
        match self.events.recv_timeout(patience) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Event::OutputClosed),
        }
    }

    /// The end of standard error as one line without control characters. Waits up to 200 ms for the stream to end.
    pub(crate) fn last_output(&self) -> String {
        /// In characters.
        const MAX_CHARACTERS: usize = 400;
        let until = Instant::now() + Duration::from_millis(200);
        while !self.drain.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        let bytes: Vec<u8> = lock(&self.words).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let text = lines.join(" / ");
        let skip = text.chars().count().saturating_sub(MAX_CHARACTERS);
        let cut = if skip > 0 { "…" } else { "" };
        let clean = text.chars().skip(skip).map(|c| if c.is_control() { '\u{fffd}' } else { c });
        cut.chars().chain(clean).collect()
    }
}

#[cfg(unix)]
use std::os::fd::AsFd as Watched;

/// A second descriptor of the program's input, to detect that the program closed it: a write succeeds as long as any
/// process holds the other end, even one that is just starting.
#[cfg(unix)]
struct InputProbe(std::os::fd::OwnedFd);

#[cfg(unix)]
impl InputProbe {
    fn of(input: &impl Watched) -> io::Result<InputProbe> {
        input.as_fd().try_clone_to_owned().map(InputProbe)
    }

    fn closed(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, poll};
        let mut ends = [PollFd::new(&self.0, PollFlags::empty())];
        let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut ends, Some(&now)).is_ok_and(|_| ends.iter().any(|end| end.revents().contains(PollFlags::ERR)))
    }
}

#[cfg(not(unix))]
pub(crate) trait Watched {}

#[cfg(not(unix))]
impl<T> Watched for T {}

/// Not available: such a program is detected by its silence.
#[cfg(not(unix))]
struct InputProbe;

#[cfg(not(unix))]
impl InputProbe {
    fn of(_: &impl Watched) -> io::Result<InputProbe> {
        Ok(InputProbe)
    }

    fn closed(&self) -> bool {
        false
    }
}

/// Reads until the stream ends, a line is too long, or the receiver is gone.
fn read_events(output: impl Read, framing: Framing, events: &SyncSender<Event>) {
    let mut output = BufReader::new(output);
    loop {
        let event = match framing {
            Framing::Lines => next_event(&mut output),
            Framing::Pieces => next_piece(&mut output),
        };
        let last = matches!(event, Event::OutputClosed | Event::LineTooLong);
        if events.send(event).is_err() || last {
            return;
        }
    }
}

/// Reads one line, or the end of the stream.
pub(crate) fn next_event(output: &mut impl BufRead) -> Event {
    let mut line = Vec::new();
    match output.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => Event::OutputClosed,
        Ok(_) if line.len() as u64 > MAX_LINE_BYTES => Event::LineTooLong,
        Ok(_) => {
            let end = line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
            line.truncate(end);
            text_event(line)
        }
    }
}

/// Waits for characters other than line ends, and takes all that have arrived, or finds the end of the stream.
fn next_piece(output: &mut impl BufRead) -> Event {
    loop {
        let Ok(bytes @ [_, ..]) = output.fill_buf() else { return Event::OutputClosed };
        let piece: Vec<u8> = bytes.iter().copied().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
        let length = bytes.len();
        output.consume(length);
        if !piece.is_empty() {
            return text_event(piece);
        }
    }
}

/// The event of a text.
fn text_event(text: Vec<u8>) -> Event {
    String::from_utf8(text)
        .map_or_else(|error| Event::InvalidUtf8(String::from_utf8_lossy(error.as_bytes()).into_owned()), Event::Line)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn unread_input() -> impl Write + Watched + Send {
        io::stdout()
    }

    fn events(output: impl Read + Send + 'static, framing: Framing) -> Vec<String> {
        let streams = Streams::serve(unread_input(), output, io::empty(), framing, None).expect("threads");
        let mut received = Vec::new();
        loop {
            let event = streams.receive(Duration::from_secs(10)).expect("in time");
            received.push(format!("{event:?}").chars().take(40).collect());
            if matches!(event, Event::OutputClosed | Event::LineTooLong) {
                return received;
            }
        }
    }

    #[test]
    fn splits_output_into_lines() {
        let output = Cursor::new(b"a\r\n\n\xff\nlast".to_vec());
        assert_eq!(
            events(output, Framing::Lines),
            ["Line(\"a\")", "Line(\"\")", "InvalidUtf8(\"\u{fffd}\")", "Line(\"last\")", "OutputClosed"]
        );
        assert_eq!(events(io::repeat(b'x'), Framing::Lines), ["LineTooLong"]);
    }

    #[test]
    fn pieces_arrive_without_line_ends() {
        let output =
            Cursor::new(b"\r\n".to_vec()).chain(Cursor::new(b"65u\n".to_vec())).chain(Cursor::new(b"0\xff".to_vec()));
        assert_eq!(events(output, Framing::Pieces), ["Line(\"65u\")", "InvalidUtf8(\"0\u{fffd}\")", "OutputClosed"]);
    }

    #[test]
    fn last_output_is_bounded_and_clean() {
        let error = Cursor::new([vec![b'x'; 1 << 20], b"\nwhy\x1b[31m\n\n  bye \n".to_vec()].concat());
        let streams = Streams::serve(unread_input(), io::empty(), error, Framing::Lines, None).expect("threads");
        let words = streams.last_output();
        assert!(words.starts_with('…') && words.ends_with("x / why\u{fffd}[31m / bye"), "{words}");
        assert!(words.chars().count() <= 401);
        assert!(lock(&streams.words).len() <= STDERR_KEPT);
    }
}
