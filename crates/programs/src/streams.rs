//! A program's three streams, each served by a thread of its own, so that no pipe that is full or empty can hold up
//! who asks; and each with a bound, so that nothing that is written costs memory.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// The longest line that is read.
const LONGEST_LINE: u64 = 1 << 20;

/// Lines that wait to be heard; then the program waits.
const WAITING_LINES: usize = 16;

/// How much of what was written to standard error is remembered.
const LAST_WORDS: usize = 64 << 10;

/// How much of it a log file holds.
const LONGEST_LOG: u64 = 1 << 20;

/// What comes from a program.
#[derive(Debug)]
pub(crate) enum Event {
    /// A line, without its end.
    Line(String),
    /// A line that is no UTF-8, with the sign for that in the place of each fault.
    Unreadable(String),
    /// A line that is longer than any that is read.
    Endless,
    /// It has closed its standard output.
    Mute,
}

/// The streams of a program that runs.
pub(crate) struct Streams {
    say: Option<Sender<String>>,
    ear: Option<Ear>,
    events: Receiver<Event>,
    words: Arc<Mutex<VecDeque<u8>>>,
    drain: JoinHandle<()>,
}

impl Streams {
    /// Serves the streams. What comes by `error` is also written to the file `log`.
    pub(crate) fn serve(
        mut input: impl Write + Watched + Send + 'static,
        output: impl Read + Send + 'static,
        mut error: impl Read + Send + 'static,
        log: Option<&Path>,
    ) -> io::Result<Streams> {
        let mut log = log.map(File::create).transpose()?;
        let thread = |name: &str| Builder::new().name(name.to_owned()).stack_size(128 << 10);
        let (events_in, events) = sync_channel(WAITING_LINES);
        let (say, said) = channel::<String>();

        let ear = Ear::of(&input)?;
        thread("program-in").spawn(move || {
            for text in said {
                if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
                    return;
                }
            }
        })?;
        thread("program-out").spawn(move || read_lines(output, &events_in))?;

        let words = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&words);
        let drain = thread("program-err").spawn(move || {
            let (mut chunk, mut room) = ([0; 8192], LONGEST_LOG);
            while let Ok(count @ 1..) = error.read(&mut chunk) {
                let new = chunk.get(..count).unwrap_or_default();
                if let Some(file) = &mut log {
                    let share = usize::try_from(room).unwrap_or(usize::MAX).min(count);
                    // A log that cannot be written is no reason to stop a game.
                    let _ = file.write_all(new.get(..share).unwrap_or_default());
                    room -= share as u64;
                }
                let mut kept = lock(&kept);
                kept.extend(new);
                let over = kept.len().saturating_sub(LAST_WORDS);
                kept.drain(..over);
            }
        })?;
        Ok(Streams { say: Some(say), ear: Some(ear), events, words, drain })
    }

    /// Says a line. Whether it is heard shows later.
    pub(crate) fn say(&self, line: &str) {
        if let Some(say) = &self.say {
            let _ = say.send(format!("{line}\n"));
        }
    }

    /// Says nothing any more: the program sees the end of its input.
    pub(crate) fn hush(&mut self) {
        (self.say, self.ear) = (None, None);
    }

    /// Whether the program has closed its standard input.
    pub(crate) fn deaf(&self) -> bool {
        self.ear.as_ref().is_some_and(Ear::closed)
    }

    /// What came, waited for so long at most. `None`: nothing came.
    pub(crate) fn hear(&self, patience: Duration) -> Option<Event> {
        match self.events.recv_timeout(patience) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Event::Mute),
        }
    }

    /// The last of what was written to standard error, as one line that may be shown. Once the program has ended:
    /// waits a moment for what is still on its way.
    pub(crate) fn last_words(&self) -> String {
        /// More than this is no last word.
        const LONGEST: usize = 400;
        let until = Instant::now() + Duration::from_millis(200);
        while !self.drain.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        let bytes: Vec<u8> = lock(&self.words).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let text = lines.join(" / ");
        let skip = text.chars().count().saturating_sub(LONGEST);
        let cut = if skip > 0 { "…" } else { "" };
        let clean = text.chars().skip(skip).map(|c| if c.is_control() { '\u{fffd}' } else { c });
        cut.chars().chain(clean).collect()
    }
}

#[cfg(unix)]
use std::os::fd::AsFd as Watched;

/// The program's input once more, to see whether it is still open: what is written succeeds as long as any process
/// holds the other end, be it one that is just being started.
#[cfg(unix)]
struct Ear(std::os::fd::OwnedFd);

#[cfg(unix)]
impl Ear {
    fn of(input: &impl Watched) -> io::Result<Ear> {
        input.as_fd().try_clone_to_owned().map(Ear)
    }

    fn closed(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, poll};
        let mut ends = [PollFd::new(&self.0, PollFlags::empty())];
        let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut ends, Some(&now)).is_ok_and(|_| ends.iter().any(|end| end.revents().contains(PollFlags::ERR)))
    }
}

#[cfg(not(unix))]
trait Watched {}

#[cfg(not(unix))]
impl<T> Watched for T {}

/// Elsewhere a program that does not listen is one that does not answer.
#[cfg(not(unix))]
struct Ear;

#[cfg(not(unix))]
impl Ear {
    fn of(_: &impl Watched) -> io::Result<Ear> {
        Ok(Ear)
    }

    fn closed(&self) -> bool {
        false
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads lines until the stream ends, a line does not, or nobody listens.
fn read_lines(output: impl Read, events: &SyncSender<Event>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let event = match output.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => Event::Mute,
            Ok(_) if line.len() as u64 > LONGEST_LINE => Event::Endless,
            Ok(_) => {
                let end = line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
                line.truncate(end);
                String::from_utf8(line).map_or_else(
                    |error| Event::Unreadable(String::from_utf8_lossy(error.as_bytes()).into_owned()),
                    Event::Line,
                )
            }
        };
        let last = matches!(event, Event::Mute | Event::Endless);
        if events.send(event).is_err() || last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn nobody() -> impl Write + Watched + Send {
        io::stdout()
    }

    fn events(output: impl Read + Send + 'static) -> Vec<String> {
        let streams = Streams::serve(nobody(), output, io::empty(), None).expect("threads");
        let mut heard = Vec::new();
        loop {
            let event = streams.hear(Duration::from_secs(10)).expect("in time");
            heard.push(format!("{event:?}").chars().take(40).collect());
            if matches!(event, Event::Mute | Event::Endless) {
                return heard;
            }
        }
    }

    #[test]
    fn lines_are_told_one_by_one() {
        let output = Cursor::new(b"a\r\n\n\xff\nlast".to_vec());
        assert_eq!(events(output), ["Line(\"a\")", "Line(\"\")", "Unreadable(\"\u{fffd}\")", "Line(\"last\")", "Mute"]);
        assert_eq!(events(io::repeat(b'x')), ["Endless"]);
    }

    #[test]
    fn last_words_are_the_last_and_clean() {
        let error = Cursor::new([vec![b'x'; 1 << 20], b"\nwhy\x1b[31m\n\n  bye \n".to_vec()].concat());
        let streams = Streams::serve(nobody(), io::empty(), error, None).expect("threads");
        let words = streams.last_words();
        assert!(words.starts_with('…') && words.ends_with("x / why\u{fffd}[31m / bye"), "{words}");
        assert!(words.chars().count() <= 401);
        assert!(lock(&streams.words).len() <= LAST_WORDS);
    }
}
