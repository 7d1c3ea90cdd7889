//! A supervisor: a process between the caller and a program, which ends with the program, with its caller, and not
//! before all descendants of the program have ended.
//!
//! A process that leaves the group of its program, in a session of its own, and whose parent has ended, would belong to
//! the system's first process, and nobody could find it. The supervisor is the *subreaper* of its descendants
//! (`PR_SET_CHILD_SUBREAPER`): such a process belongs to it. It holds one end of the pipe that is the program's
//! standard error, and kills the program when the other end is closed: when the caller has ended, in whatever way. (A
//! parent-death signal would come at the end of the thread that started the program.)

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use crate::Programs;

/// Runs a supervisor with the words that follow those of [`Programs::supervisor`](crate::Programs::supervisor), in the
/// process that was started for it. Returns the exit code of the program; if a signal ended the program, the same signal
/// ends this process.
///
/// # Errors
/// When the words are not those of a caller of this version, when the program cannot be started, and on systems other than
/// Linux. This process should then exit with [`NOT_STARTED`].
pub fn supervise(words: impl IntoIterator<Item = OsString>) -> io::Result<ExitCode> {
    #[cfg(target_os = "linux")]
    return linux::supervise(words.into_iter());
    #[cfg(not(target_os = "linux"))]
    {
        drop(words);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The exit code of a supervisor whose program cannot be started, as that of `env` and `nohup`.
pub const NOT_STARTED: u8 = 127;

/// The word for a limit that is not set.
const UNLIMITED: &str = "-";

/// The limits of a program as the first words of its supervisor.
pub(crate) fn limit_words(programs: &Programs) -> [String; 3] {
    let word = |limit: Option<u64>| limit.map_or_else(|| UNLIMITED.to_owned(), |limit| limit.to_string());
    [word(programs.memory), word(programs.cpu.map(|time| time.as_secs())), word(programs.files)]
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::fs::File;
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, ExitCode};
    use std::time::{Duration, Instant};

    use nix::sys::signal::SigSet;
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    use rustix::process::{
        Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, kill_process, set_child_subreaper, setrlimit,
        setsid, wait,
    };

    use super::UNLIMITED;
    use crate::Programs;
    use crate::group::system::{kill_descendants, limit};

    /// How long the end of the descendants is awaited. One that the kernel cannot end would last for ever.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// Interval between two attempts to kill all descendants.
    const INTERVAL: Duration = Duration::from_millis(1);

    fn read_limit(word: Option<OsString>) -> io::Result<Option<u64>> {
        let word = word.and_then(|word| word.into_string().ok()).ok_or(io::ErrorKind::InvalidInput)?;
        match word.parse() {
            Ok(limit) => Ok(Some(limit)),
            Err(_) if word == UNLIMITED => Ok(None),
            Err(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    pub(super) fn supervise(mut words: impl Iterator<Item = OsString>) -> io::Result<ExitCode> {
        let mut number = || read_limit(words.next());
        let (memory, cpu, files) = (number()?, number()?.map(Duration::from_secs), number()?);
        let name = words.next().ok_or(io::ErrorKind::InvalidInput)?;

        // Neither an interrupt at the terminal nor its end reaches this process.
        setsid()?;
        set_child_subreaper(Some(getpid()))?;
        // In a group of its own, since some programs send signals to their group.
        let program = Command::new(name).args(words).process_group(0).spawn()?;
        if let Err(error) = prepare(&program, &Programs { memory, cpu, files, ..Programs::ALLOWED }) {
            end_descendants();
            return Err(error);
        }
        let status = await_end(Pid::from_child(&program));
        end_descendants();
        Ok(end_as(status))
    }

    /// Prepares the supervision of the program that was just started.
    fn prepare(program: &Child, limits: &Programs) -> io::Result<()> {
        // From here on only SIGKILL ends this process. The program does not inherit the mask.
        SigSet::all().thread_block()?;
        limit(program, limits)?;
        // Only the program holds its input and output, so that the caller sees that it closes them.
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
        std::thread::Builder::new().name("caller".to_owned()).spawn(|| {
            await_end_of_caller();
            kill_descendants(getpid());
        })?;
        Ok(())
    }

    /// Waits until nobody can read the standard error of this process.
    fn await_end_of_caller() {
        let error = rustix::stdio::stderr();
        loop {
            let mut ends = [PollFd::new(&error, PollFlags::empty())];
            match poll(&mut ends, None) {
                Err(Errno::INTR) => {}
                _ => return,
            }
        }
    }

    /// Waits for the end of the program, and for that of other descendants as they come.
    fn await_end(program: Pid) -> Option<WaitStatus> {
        loop {
            match wait(WaitOptions::empty()) {
                Ok(Some((process, status))) if process == program => return Some(status),
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    }

    /// Kills all descendants until none is left.
    fn end_descendants() {
        let until = Instant::now() + PATIENCE;
        loop {
            kill_descendants(getpid());
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some(_)) | Err(Errno::INTR) => {}
                    Ok(None) => break,
                    Err(_) => return,
                }
            }
            if Instant::now() >= until {
                return;
            }
            std::thread::sleep(INTERVAL);
        }
    }

    /// Ends this process by the signal that ended the program, or returns its exit code.
    fn end_as(status: Option<WaitStatus>) -> ExitCode {
        let Some(status) = status else { return ExitCode::FAILURE };
        if let Some(number) = status.terminating_signal()
            && let Some(signal) = Signal::from_named_raw(number)
        {
            setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).ok();
            SigSet::all().thread_unblock().ok();
            // The first SIGSEGV only removes the handler of Rust's runtime.
            for _ in 0..2 {
                kill_process(getpid(), signal).ok();
            }
        }
        let code = status.exit_status().or(status.terminating_signal().map(|signal| 128 + signal));
        code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
    }
}
