//! The processes of one program: start, resource limits, CPU time, and end.
//!
//! On Linux a program may run under a [supervisor](crate::supervise), which ends with all descendants of the program, also
//! when this process is killed. Without one the program is a child of this process and leads a process group of its own,
//! so that its child processes end with it. In both cases an interrupt at the terminal does not reach it. Its limits are
//! set just after its start: to set them between fork and exec would need unsafe code, and in those microseconds a program
//! can do little. Memory and files that it has by then count towards the limits.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use banmen_search::threads::lock;

use crate::Programs;
use crate::supervisor::limit_words;

/// Interval between checks of whether a process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// How long a supervisor may take to end all descendants of its program, and a little more.
const SUPERVISOR_PATIENCE: Duration = Duration::from_secs(3);

/// The ids of the running programs without a supervisor.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<u32>> {
    lock(&RUNNING)
}

/// Kills every running program and its child processes, without waiting for them: for a caller that exits without
/// dropping its players. Programs under a [supervisor](Programs::supervisor) end with the caller.
pub fn kill_programs() {
    let running = running();
    running.iter().for_each(|&process| system::kill_group(process));
}

/// A program and its child processes.
pub(crate) struct Group {
    /// The program, or its supervisor.
    child: Child,
    /// Whether it is a supervisor.
    supervised: bool,
    /// The CPU time at the last check.
    time: Duration,
    end: Option<ExitStatus>,
}

impl Group {
    /// Starts a program without a shell, in the folder and with the environment of this process.
    pub(crate) fn start(words: &[String], programs: &Programs) -> io::Result<Group> {
        let [name, arguments @ ..] = words else { return Err(io::ErrorKind::InvalidInput.into()) };
        let supervisor = programs.supervisor.as_ref().filter(|_| cfg!(target_os = "linux"));
        let mut command = match supervisor {
            Some(supervisor) => supervised(supervisor, words, programs)?,
            None => Command::new(name),
        };
        if supervisor.is_none() {
            command.args(arguments);
            // A supervisor makes a session of its own, which a leader of a group cannot.
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if supervisor.is_some() {
            return Ok(Group { child: command.spawn()?, supervised: true, time: Duration::ZERO, end: None });
        }
        let mut group = {
            // Locked, so that `kill_programs` cannot miss a program that is just starting.
            let mut running = running();
            let child = command.spawn()?;
            running.insert(child.id());
            Group { child, supervised: false, time: Duration::ZERO, end: None }
        };
        if let Err(error) = system::limit(&group.child, programs) {
            group.end(Duration::ZERO);
            return Err(error);
        }
        Ok(group)
    }

    /// Its three streams, once.
    pub(crate) fn streams(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        Some((self.child.stdin.take()?, self.child.stdout.take()?, self.child.stderr.take()?))
    }

    /// Whether the program itself has ended; its child processes may still run.
    pub(crate) fn ended(&mut self) -> bool {
        self.end.is_some() || system::ended(&mut self.child)
    }

    /// The CPU time of its processes so far; `None` where the system does not report it.
    pub(crate) fn time(&mut self) -> Option<Duration> {
        if self.end.is_none() {
            // The time of a child that was not waited for is lost at its end: the sum must not decrease.
            self.time = self.time.max(system::time(&self.child, self.supervised)?);
        }
        Some(self.time)
    }

    /// Ends the program and its child processes. Returns the exit status if it ended by itself within `grace`.
    pub(crate) fn end(&mut self, grace: Duration) -> Option<ExitStatus> {
        if self.end.is_some() {
            return self.end;
        }
        let until = Instant::now() + grace;
        while !self.ended() && Instant::now() < until {
            std::thread::sleep(POLL_INTERVAL);
        }
        let by_itself = self.ended();
        self.time();
        if self.supervised {
            self.end_supervised();
        }
        // Before the wait, since until then its id cannot be reused.
        system::kill(&mut self.child);
        running().remove(&self.child.id());
        self.end = self.child.wait().ok();
        self.end.filter(|_| by_itself)
    }

    /// Kills the program: its supervisor ends when no descendant is left.
    fn end_supervised(&mut self) {
        let until = Instant::now() + SUPERVISOR_PATIENCE;
        // More than once, since the supervisor may be about to start the program.
        while !self.ended() && Instant::now() < until {
            system::kill_supervised(&self.child);
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

/// The command of a supervisor for the program of these words.
///
/// # Errors
/// Those of a program that does not exist, since a supervisor could report them only on standard error.
fn supervised(supervisor: &[String], words: &[String], programs: &Programs) -> io::Result<Command> {
    let ([first, others @ ..], [name, ..]) = (supervisor, words) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    find(name)?;
    let mut command = Command::new(first);
    command.args(others).args(limit_words(programs)).args(words);
    Ok(command)
}

/// Looks a program up as the system does when it starts it.
fn find(name: &str) -> io::Result<()> {
    let path = Path::new(name);
    if path.components().count() > 1 || path.is_absolute() {
        return path.metadata().map(drop);
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&folders).any(|folder| folder.join(name).exists()) {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::NotFound, "No such file or directory"))
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

#[cfg(unix)]
pub(crate) mod system {
    use std::io;
    use std::process::Child;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

    use crate::Programs;

    /// Sets the limits of the program; its child processes inherit them.
    #[cfg(target_os = "linux")]
    pub(crate) fn limit(child: &Child, programs: &Programs) -> io::Result<()> {
        use rustix::process::{Resource, Rlimit, prlimit};
        let seconds = programs.cpu.map(|time| time.as_secs().max(1));
        let limits = [
            (Resource::As, programs.memory),
            (Resource::Cpu, seconds),
            (Resource::Nofile, programs.files),
            (Resource::Core, Some(0)),
        ];
        for (resource, limit) in limits {
            if limit.is_none() {
                continue;
            }
            match prlimit(Some(Pid::from_child(child)), resource, Rlimit { current: limit, maximum: limit }) {
                // It has ended, or already has a lower limit that may not be raised.
                Ok(_) | Err(rustix::io::Errno::SRCH | rustix::io::Errno::PERM) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Other systems have no safe call that sets the limits of another process.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn limit(_: &Child, _: &Programs) -> io::Result<()> {
        Ok(())
    }

    /// Whether it has ended; does not reap it.
    pub(crate) fn ended(child: &mut Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
    }

    /// Kills the group of a program that was not waited for.
    pub(crate) fn kill_group(program: u32) {
        if let Some(program) = i32::try_from(program).ok().and_then(Pid::from_raw) {
            // Fails only when it has ended.
            let _ = kill_process_group(program, Signal::KILL);
        }
    }

    /// Kills the program, its group, and those of its descendants that left the group.
    pub(crate) fn kill(child: &mut Child) {
        let program = Pid::from_child(child);
        let descendants = process_tree(program);
        // Fails only when it has ended.
        let _ = kill_process_group(program, Signal::KILL);
        for process in descendants {
            let _ = kill_process(process, Signal::KILL);
        }
    }

    /// Kills the descendants of a supervisor.
    pub(crate) fn kill_supervised(supervisor: &Child) {
        kill_descendants(Pid::from_child(supervisor));
    }

    /// Kills the descendants of a process, but not the process.
    pub(crate) fn kill_descendants(process: Pid) {
        for descendant in process_tree(process).into_iter().skip(1) {
            let _ = kill_process(descendant, Signal::KILL);
        }
    }

    /// The CPU time of the program and its descendants, including children that were waited for, without that of its
    /// supervisor, if `child` is one.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn time(child: &Child, supervised: bool) -> Option<Duration> {
        let child = Pid::from_child(child);
        let times = process_tree(child).into_iter().map(|process| {
            let id = process.as_raw_nonzero().get();
            if supervised && process == child {
                return waited_for(id).unwrap_or_default();
            }
            let own = nix::time::clock_getcpuclockid(nix::unistd::Pid::from_raw(id))
                .and_then(nix::time::clock_gettime)
                .map(Duration::from);
            own.unwrap_or_default() + waited_for(id).unwrap_or_default()
        });
        Some(times.sum())
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn time(_: &Child, _: bool) -> Option<Duration> {
        None
    }

    /// The CPU time of the reaped children of a process: two of the numbers in `/proc/PID/stat` (proc_pid_stat(5), fields 16
    /// and 17), counted after the name, which may contain any character.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn waited_for(id: i32) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(13);
        let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let ticks = rustix::param::clock_ticks_per_second().max(1);
        Some(Duration::from_secs_f64((user + system) as f64 / ticks as f64))
    }

    /// A process and its descendants, from `/proc`; only the process itself where `/proc` has no such list.
    fn process_tree(program: Pid) -> Vec<Pid> {
        let mut process_tree = vec![program];
        let mut at = 0;
        while let Some(process) = process_tree.get(at) {
            let tasks = format!("/proc/{}/task", process.as_raw_nonzero());
            for task in std::fs::read_dir(tasks).into_iter().flatten().flatten() {
                let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
                let children = children.split_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?));
                let new: Vec<Pid> = children.filter(|child| !process_tree.contains(child)).collect();
                process_tree.extend(new);
            }
            at += 1;
        }
        process_tree
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use std::process::Child;
    use std::time::Duration;

    use crate::Programs;

    pub(crate) fn limit(_: &Child, _: &Programs) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn ended(child: &mut Child) -> bool {
        child.try_wait().map_or(true, |status| status.is_some())
    }

    pub(crate) fn kill(child: &mut Child) {
        let _ = child.kill();
    }

    /// Not available: a program is expected to end with its input.
    pub(crate) fn kill_group(_: u32) {}

    pub(crate) fn kill_supervised(_: &Child) {}

    pub(crate) fn time(_: &Child, _: bool) -> Option<Duration> {
        None
    }
}
