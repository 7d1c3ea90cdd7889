//! The limits of an interface.

use std::time::Duration;

/// The limits of an interface, which hold for every request.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The longest search; also the limit of a request without limits.
    pub time: Option<Duration>,
    /// Sessions of one connection; the least recently used one is dropped for a new one.
    pub sessions: usize,
    /// Concurrent searches of one connection.
    pub searches: usize,
    /// The longest request, in bytes; of `import` it is [`Policy::import_bytes`].
    pub request_bytes: usize,
    /// The longest request for `import`, in bytes, at least [`Policy::request_bytes`]. A log of a game of GOLAD with a
    /// hundred rounds has 360 KB.
    pub import_bytes: usize,
    /// The largest value of a player's key `table`, in MiB.
    pub table_mib: Option<i64>,
    /// When the table that solves a game is built.
    pub tables: TablePolicy,
    /// Whether experiments may be run, which takes up to hours of CPU time and writes games to the store.
    pub experiments: bool,
}

/// When the table that solves a game is built, which takes minutes of CPU time and writes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TablePolicy {
    /// Never.
    Never,
    /// When `build` asks for it.
    OnRequest,
    /// When `build` asks for it, and when `solve` needs it.
    WhenNeeded,
}

impl Policy {
    /// For the user's own terminal: practically unlimited, but for the sessions. The player of each may take 64 MiB and more, and
    /// a program that a match starts has 4 GiB by default.
    pub const LOCAL: Policy = Policy {
        time: None,
        sessions: 16,
        searches: 64,
        request_bytes: 16 << 20,
        import_bytes: 16 << 20,
        table_mib: None,
        tables: TablePolicy::WhenNeeded,
        experiments: true,
    };

    /// For the one visitor of a page that runs the games itself: the time and the memory are the visitor's own, but a
    /// browser's worker has at most 4 GiB.
    pub const PAGE: Policy = Policy {
        time: None,
        sessions: 4,
        searches: 1,
        request_bytes: 1 << 20,
        import_bytes: 1 << 20,
        table_mib: Some(512),
        tables: TablePolicy::OnRequest,
        experiments: false,
    };

    /// For clients of a server that anybody may reach.
    pub const SERVER: Policy = Policy {
        time: Some(Duration::from_secs(600)),
        sessions: 4,
        searches: 2,
        request_bytes: 64 << 10,
        import_bytes: 512 << 10,
        table_mib: Some(64),
        tables: TablePolicy::Never,
        experiments: false,
    };
}
