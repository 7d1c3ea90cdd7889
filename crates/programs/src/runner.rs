//! The successive processes of a program: start, end, and CPU time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use banmen_catalog::{Error, ErrorCode, quote};
use banmen_search::StopFlag;

use crate::Programs;
use crate::exchange::{Host, Link, Process, stopped};
use crate::group::Group;
use crate::streams::{Framing, Streams};
use crate::tcp::{Endpoint, Sender};

/// How long a program may take to end after its `quit`.
const GRACE: Duration = Duration::from_millis(300);

/// How a program is reached.
pub(crate) enum Start {
    /// It is started with these words.
    Command(Vec<String>),
    /// It runs already.
    Tcp(Endpoint),
}

/// Starts and restarts a program. Dropping it ends the running process.
pub(crate) struct Runner {
    /// The command; errors call the program by it.
    pub(crate) name: String,
    start: Start,
    framing: Framing,
    pub(crate) programs: Programs,
    process: Option<Process>,
    /// CPU time of the processes that have ended, where it is known.
    ended: Option<Duration>,
}

impl Runner {
    /// For the program of this name.
    pub(crate) fn new(name: &str, start: Start, framing: Framing, programs: Programs) -> Self {
        Runner { name: name.to_owned(), start, framing, programs, process: None, ended: Some(Duration::ZERO) }
    }

    /// Whether a process was started and not ended since.
    pub(crate) fn runs(&self) -> bool {
        self.process.is_some()
    }

    /// The process.
    ///
    /// # Errors
    /// `internal` when none runs.
    pub(crate) fn process(&mut self) -> Result<&mut Process, Error> {
        self.process.as_mut().ok_or_else(|| Error::new(ErrorCode::Internal, "the program is not running"))
    }

    /// Starts a process, after the one before.
    ///
    /// # Errors
    /// `program_start`, with the error of the system, and `stopped` when `stop` is set before a program has connected.
    pub(crate) fn start(&mut self, stop: &StopFlag) -> Result<&mut Process, Error> {
        self.end(None);
        let name = self.name.clone();
        let failed = |why: &str| {
            let message = format!("{} did not start: {why}", quote(&name));
            Error::new(ErrorCode::ProgramStart, message).arg("program", name.as_str())
        };
        let system = |error: io::Error| failed(&error.to_string());
        let words = match &self.start {
            Start::Command(words) => words,
            Start::Tcp(endpoint) => {
                let opened = endpoint.open(self.programs.patience, stop);
                let stream = opened.map_err(|error| if stop.stopped() { stopped() } else { system(error) })?;
                let (input, output) = (stream.try_clone().map_err(system)?, stream.try_clone().map_err(system)?);
                let streams = Streams::serve(Sender(input), output, io::empty(), self.framing, None);
                let streams = streams.map_err(system)?;
                return Ok(self.process.insert(Process { host: Host::Peer(stream), streams, name: self.name.clone() }));
            }
        };
        let mut group = Group::start(words, &self.programs).map_err(system)?;
        let log = self.programs.log.as_deref().map(|folder| {
            log_file(folder, words)
                .map_err(|error| failed(&format!("its log cannot be written into {}: {error}", folder.display())))
        });
        let log = log.transpose()?;
        let Some((input, output, error)) = group.streams() else {
            return Err(failed("its standard streams are missing"));
        };
        let streams = Streams::serve(input, output, error, self.framing, log.as_deref()).map_err(system)?;
        Ok(self.process.insert(Process { host: Host::Processes(group), streams, name: self.name.clone() }))
    }

    /// Ends the process, if one runs: sends the command to quit, if there is one, and closes its input.
    pub(crate) fn end(&mut self, quit_command: Option<&str>) {
        let Some(mut process) = self.process.take() else { return };
        if let Some(words) = quit_command {
            process.streams.send(words);
        }
        process.streams.close_input();
        process.end_within(GRACE);
        self.ended = self.ended.zip(process.time()).map(|(before, last)| before + last);
    }

    /// Kills the process, if one runs.
    pub(crate) fn kill(&mut self) {
        if let Some(process) = &mut self.process {
            process.end_within(Duration::ZERO);
        }
        self.end(None);
    }

    /// The CPU time of all processes so far; `None` where the system does not report it.
    pub(crate) fn time(&mut self) -> Option<Duration> {
        let running = match &mut self.process {
            Some(process) => process.time()?,
            None => Duration::ZERO,
        };
        self.ended.map(|ended| ended + running)
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.end(None);
    }
}

/// The path of a new log file. Creates the folder if it does not exist.
fn log_file(folder: &Path, words: &[String]) -> io::Result<PathBuf> {
    static STARTS: AtomicU64 = AtomicU64::new(0);
    let number = STARTS.fetch_add(1, Ordering::Relaxed);
    let name = words.first().and_then(|word| Path::new(word).file_stem()).unwrap_or_default();
    std::fs::create_dir_all(folder)?;
    Ok(folder.join(format!("{}-{}-{number}.log", name.to_string_lossy(), std::process::id())))
}
