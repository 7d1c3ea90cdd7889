//! Settings for external programs: permission, limits, timeouts.

use std::path::PathBuf;
use std::time::Duration;

use banmen_search::StopFlag;

/// The clock that measures a program's thinking time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charge {
    /// Wall time.
    #[default]
    Wall,
    /// CPU time of the program and its child processes; wall time where the system does not report it, and for programs
    /// reached over TCP. On a busy machine an answer may then take [`Programs::patience`] beyond its limit.
    Cpu,
}

/// Whether external programs may be players, their resource limits, and their timeouts.
#[derive(Clone, Debug)]
pub struct Programs {
    /// Whether they are allowed.
    pub allowed: bool,
    /// The clock of their thinking time.
    pub charge: Charge,
    /// How much longer than its limit a program may take for a move: transmission takes time.
    pub margin: Duration,
    /// How long a program may take to start, or to answer under limits without a time.
    pub patience: Duration,
    /// The address space of each of its processes, in bytes.
    pub memory: Option<u64>,
    /// Ends the wait for a program that is started before it is asked for a move; later the flag of the search does so.
    pub stop: Option<StopFlag>,
    /// The CPU time of each of its processes, in total.
    pub cpu: Option<Duration>,
    /// The files that each of its processes may have open.
    pub files: Option<u64>,
    /// The folder for logs of the programs' standard error, one file for each start.
    pub log: Option<PathBuf>,
    /// The first words of the command of a supervisor (on Linux; elsewhere it is ignored): a program that gives the words
    /// after them to [`supervise`](crate::supervise), best the running one (`/proc/self/exe`). Each external program then
    /// runs under a supervisor, so that all its descendants end with it and with this process, even those in sessions of
    /// their own and if this process is killed. `None`: descendants are killed that are in the program's process group, or
    /// descend from it without an ended process between; if this process is killed, the programs see the end of their
    /// input.
    pub supervisor: Option<Vec<String>>,
}

impl Programs {
    /// Programs are refused: for interfaces that others can reach.
    pub const REFUSED: Programs = Programs {
        allowed: false,
        charge: Charge::Wall,
        margin: Duration::from_millis(100),
        patience: Duration::from_secs(60),
        stop: None,
        memory: Some(4 << 30),
        cpu: None,
        files: Some(1024),
        log: None,
        supervisor: None,
    };

    /// Programs are allowed, for the owner of the machine: 100 ms of margin, 60 s of patience, and for each process 4 GiB of
    /// address space and 1,024 files; no supervisor.
    pub const ALLOWED: Programs = Programs { allowed: true, ..Programs::REFUSED };

    /// The same, where this flag ends the wait for a program that starts.
    #[must_use]
    pub fn stopped_by(self, stop: &StopFlag) -> Programs {
        Programs { stop: Some(stop.clone()), ..self }
    }

    /// The flag, or one that nobody sets.
    pub(crate) fn stop_flag(&self) -> StopFlag {
        self.stop.clone().unwrap_or_default()
    }
}
