//! The processes of one program: start, resource limits, CPU time, and end.
//!
//! A program leads a process group of its own, so that its child processes end with it, and an interrupt at the
//! terminal does not reach it. Its limits are set just after its start: to set them between fork and exec would need
//! unsafe code, and in those microseconds a program can do little. Memory and files that it has by then count towards
//! the limits.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Programs;

/// Interval between checks of whether a process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The ids of the running programs.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills every running program and its child processes, without waiting for them: for a caller that exits without
/// dropping its players.
pub fn kill_programs() {
    let running = running();
    running.iter().for_each(|&process| system::kill_group(process));
}

/// A program and its child processes.
pub(crate) struct Group {
    child: Child,
    /// The CPU time at the last check.
    time: Duration,
    end: Option<ExitStatus>,
}

impl Group {
    /// Starts a program without a shell, in the folder and with the environment of this process.
    pub(crate) fn start(words: &[String], programs: &Programs) -> io::Result<Group> {
        let [name, arguments @ ..] = words else { return Err(io::ErrorKind::InvalidInput.into()) };
        let mut command = Command::new(name);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut group = {
            // Locked, so that `kill_programs` cannot miss a program that is just starting.
            let mut running = running();
            let child = command.spawn()?;
            running.insert(child.id());
            Group { child, time: Duration::ZERO, end: None }
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
            self.time = self.time.max(system::time(&self.child)?);
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
        // Before the wait, since until then its id cannot be reused.
        system::kill(&mut self.child);
        running().remove(&self.child.id());
        self.end = self.child.wait().ok();
        self.end.filter(|_| by_itself)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

#[cfg(unix)]
mod system {
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

    /// The CPU time of the program and its descendants, including children that were waited for.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn time(child: &Child) -> Option<Duration> {
        let times = process_tree(Pid::from_child(child)).into_iter().map(|process| {
            let id = process.as_raw_nonzero().get();
            let own = nix::time::clock_getcpuclockid(nix::unistd::Pid::from_raw(id))
                .and_then(nix::time::clock_gettime)
                .map(Duration::from);
            own.unwrap_or_default() + waited_for(id).unwrap_or_default()
        });
        Some(times.sum())
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn time(_: &Child) -> Option<Duration> {
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

    pub(crate) fn time(_: &Child) -> Option<Duration> {
        None
    }
}
