//! The configuration of a server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use banmen_protocol::Policy;

/// The configuration of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address to listen on; port 0 chooses a free one.
    pub listen: SocketAddr,
    /// Names that the `Host` header may carry beside `localhost` and every IP address, without a port: the name under
    /// which a proxy serves the page. Any other name is refused, which prevents DNS rebinding.
    pub hosts: Vec<String>,
    /// Origins (`https://example.org`) whose pages may use the server, beside the server's own.
    pub origins: Vec<String>,
    /// Open connections at once.
    pub connections: usize,
    /// Open connections at once of one address (of one /64 network in IPv6).
    pub connections_per_peer: usize,
    /// Searches running at once. A free slot goes to the address (the /64 network in IPv6) with the fewest of them.
    pub searches: usize,
    /// Threads that all running searches share. A search that asks for more than its share, or than the others leave, gets
    /// fewer threads, but at least one; it is not refused.
    pub threads: usize,
    /// Searches waiting in the queue. When it is full, the newest one of the address with the most searches is refused in
    /// favour of an address with fewer; the clients of a proxy have one address together.
    pub waiting: usize,
    /// How long a search always runs. After that it is stopped, and answers with its best result so far, as soon as
    /// another one of its address waits, or one of an address with fewer running searches.
    pub patience: Duration,
    /// Sessions kept for all connections together; the least recently used one is dropped. Multiplied by the largest
    /// table that the policy allows, this bounds the memory of idle players.
    pub sessions: usize,
    /// The bounds of each request.
    pub policy: Policy,
    /// Timeouts of connections.
    pub timeouts: Timeouts,
    /// Whether `GET /metrics` is answered.
    pub metrics: bool,
    /// The store whose matches and experiments are shown. Only an experiment that the policy allows to run writes to it.
    pub store: Option<PathBuf>,
}

/// Timeouts of connections.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For the whole head of a request, and for the next request on an open connection.
    pub head: Duration,
    /// For the whole body of a request.
    pub body: Duration,
    /// For a client that reads none of the bytes sent to it.
    pub write: Duration,
    /// Between pings on a WebSocket; a client that sends nothing for 2.5 of these intervals is disconnected.
    pub ping: Duration,
}

impl Config {
    /// The defaults: as many searches, and threads of searches, as the machine has cores minus one, so that one core is
    /// left for the server and the page; but at least two searches, so that a page can play and analyse at the same
    /// time.
    #[must_use]
    pub fn new(listen: SocketAddr) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Config {
            listen,
            hosts: Vec::new(),
            origins: Vec::new(),
            connections: 256,
            connections_per_peer: 64,
            searches: cores.saturating_sub(1).max(2),
            threads: cores.saturating_sub(1).max(1),
            waiting: 32,
            patience: Duration::from_secs(10),
            sessions: 64,
            policy: Policy::SERVER,
            timeouts: Timeouts::default(),
            metrics: false,
            store: None,
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            head: Duration::from_secs(10),
            body: Duration::from_secs(10),
            write: Duration::from_secs(20),
            ping: Duration::from_secs(20),
        }
    }
}
