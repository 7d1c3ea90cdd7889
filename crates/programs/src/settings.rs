//! What outside programs may do here.

use std::path::PathBuf;
use std::time::Duration;

/// What a program's thinking time is measured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charge {
    /// Wall time.
    #[default]
    Wall,
    /// The processor time of the program and of the processes that it started. How long it is waited for then follows
    /// from [`Programs::patience`] alone. Where the system does not tell that time, it is wall time.
    Cpu,
}

/// Whether outside programs may be players, what they may use, and how long they are waited for.
#[derive(Clone, Debug)]
pub struct Programs {
    /// Whether they may be players at all.
    pub allowed: bool,
    /// What their thinking time is measured by.
    pub charge: Charge,
    /// How much longer than its limit a program may take for a move: an answer needs time to arrive.
    pub margin: Duration,
    /// How long a program may take to come up, or to answer where its limits are no times.
    pub patience: Duration,
    /// The address space of each of its processes, in bytes.
    pub memory: Option<u64>,
    /// The processor time of each of its processes, over its life.
    pub cpu: Option<Duration>,
    /// The files that each of its processes may have open.
    pub files: Option<u64>,
    /// The folder into which what a program writes to its standard error is logged, a file for each start.
    pub log: Option<PathBuf>,
}

impl Programs {
    /// None at all: for doors that others reach.
    pub const REFUSED: Programs = Programs {
        allowed: false,
        charge: Charge::Wall,
        margin: Duration::from_millis(100),
        patience: Duration::from_secs(60),
        memory: Some(4 << 30),
        cpu: None,
        files: Some(1024),
        log: None,
    };

    /// For who owns the machine: 100 ms of margin, a minute of patience, 4 GiB of address space and 1,024 files for
    /// each process.
    pub const ALLOWED: Programs = Programs { allowed: true, ..Programs::REFUSED };
}
