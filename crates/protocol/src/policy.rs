//! What a door may ask of the machine.

use std::time::Duration;

/// The bounds that a door sets, whatever a request asks for.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The longest search; a request without limits gets this one.
    pub time: Option<Duration>,
    /// Sessions kept for one connection; the one used longest ago gives way.
    pub sessions: usize,
    /// Searches that one connection may have at once.
    pub searches: usize,
    /// The longest request, in bytes.
    pub request_bytes: usize,
    /// The largest table that a player may be asked to hold, in MiB: what its key `table` may say.
    pub table_mib: Option<i64>,
    /// Whether `solve` may build the table that it needs, which takes a minute of all processors and a file.
    pub builds_tables: bool,
}

impl Policy {
    /// For the user's own terminal: bounded only by what a program could need.
    pub const LOCAL: Policy = Policy {
        time: None,
        sessions: 64,
        searches: 64,
        request_bytes: 16 << 20,
        table_mib: None,
        builds_tables: true,
    };

    /// For whoever reaches the server.
    pub const SERVER: Policy = Policy {
        time: Some(Duration::from_secs(600)),
        sessions: 4,
        searches: 2,
        request_bytes: 64 << 10,
        table_mib: Some(64),
        builds_tables: false,
    };
}
