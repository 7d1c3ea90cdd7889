//! Listening, connections, and the end.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use banmen_catalog::{Catalog, ErrorCode};
use banmen_programs::{Programs, factory};
use banmen_protocol::{SearchLimiter, Service, SessionCache};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::Config;
use crate::admission::{Admission, Refused, Ticket};
use crate::reply::RETRY_SECONDS;
use crate::route::{Peer, route};
use crate::stall::Stalling;

/// How long connections may take to end after the server was asked to stop.
const GRACE: Duration = Duration::from_millis(1500);

/// The most bytes of a request's head; the least that hyper allows.
const MOST_HEAD: usize = 8 << 10;

/// Threads that move bytes: plenty, since nothing is computed on them.
const WORKERS: usize = 2;

/// Threads for operations that are no searches.
const SHORT: usize = 4;

/// What all connections share.
pub(crate) struct AppState {
    pub(crate) service: Arc<Service>,
    pub(crate) gate: Arc<SearchLimiter>,
    pub(crate) shelf: Arc<SessionCache>,
    pub(crate) config: Config,
    pub(crate) admission: Arc<Admission>,
}

/// Asks a server to stop, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Asks the server to stop. Cannot be taken back.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// Tells a connection that the server stops.
#[derive(Clone)]
pub(crate) struct Stopping(watch::Receiver<bool>);

impl Stopping {
    /// Waits until the server is asked to stop.
    pub(crate) async fn stopped(&mut self) {
        // The sender lives in the server, which outlives its connections; if not, that is an end, too.
        let _ = self.0.wait_for(|&stopped| stopped).await;
    }
}

/// A server that has its port.
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    house: Arc<AppState>,
    stopper: Stopper,
}

impl Server {
    /// Takes the port. Clients can connect from here on; they are served once [`Server::run`] is called.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub fn bind(catalog: Catalog, config: Config) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(config.listen)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        // Clients of the server may not start programs on this machine.
        let house = AppState {
            service: Arc::new(
                Service::new(catalog, config.policy.clone())
                    .with(banmen_arena::operations(config.store.clone()))
                    .with_players(factory(Programs::REFUSED)),
            ),
            shelf: SessionCache::new(config.sessions),
            gate: SearchLimiter::new(config.searches, config.waiting, config.threads, config.patience),
            admission: Admission::new(config.connections, config.connections_per_peer),
            config,
        };
        Ok(Server { listener, address, house: Arc::new(house), stopper: Stopper(watch::Sender::new(false)) })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What whoever starts the server should be told, each a sentence.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.address.ip().to_canonical().is_loopback() {
            warnings.push(format!(
                "{} can be reached from other machines: whoever reaches it can use this machine's processors.",
                self.address
            ));
        }
        warnings
    }

    /// A handle that ends the server.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Serves until it is asked to stop by its [`Stopper`], SIGINT or SIGTERM: then takes no more connections, stops
    /// all searches, and returns within two seconds.
    ///
    /// # Errors
    /// When the runtime or the signals cannot be set up.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .max_blocking_threads(SHORT)
            .thread_name("server")
            .enable_all()
            .build()?;
        let result = runtime.block_on(self.accept());
        // Whoever is still busy is not waited for.
        runtime.shutdown_background();
        result
    }

    async fn accept(self) -> io::Result<()> {
        let listener = TcpListener::from_std(self.listener)?;
        let stopping = Stopping(self.stopper.0.subscribe());
        let mut stopped = stopping.clone();
        let interrupted = interrupted()?;
        tokio::pin!(interrupted);
        loop {
            tokio::select! {
                () = stopped.stopped() => break,
                () = &mut interrupted => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => welcome(&self.house, stream, peer, &stopping),
                    // Out of file handles, or a client that went at once: neither ends the server.
                    Err(_) => sleep(Duration::from_millis(50)).await,
                },
            }
        }
        drop(listener);
        self.stopper.stop();
        let _ = timeout(GRACE, self.house.admission.emptied()).await;
        Ok(())
    }
}

/// Serves a new connection on a task of its own, or turns it away.
fn welcome(house: &Arc<AppState>, stream: TcpStream, peer: SocketAddr, stopping: &Stopping) {
    match house.admission.admit(peer.ip()) {
        Ok(ticket) => {
            tokio::spawn(connection(Arc::clone(house), stream, peer, ticket, stopping.clone()));
        }
        Err(refused) => turn_away(&stream, refused),
    }
}

async fn connection(house: Arc<AppState>, stream: TcpStream, peer: SocketAddr, ticket: Ticket, stopping: Stopping) {
    // Only speed is lost where the system refuses.
    let _ = stream.set_nodelay(true);
    let timeouts = house.config.timeouts;
    let guest = Peer { peer: peer.ip(), ticket: Arc::new(ticket), stopping: stopping.clone() };
    let service = service_fn(move |request| {
        let answer = route(Arc::clone(&house), guest.clone(), request);
        async { Ok::<_, Infallible>(answer.await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.head)
        .max_buf_size(MOST_HEAD)
        .serve_connection(TokioIo::new(Stalling::new(stream, timeouts.write)), service)
        .with_upgrades();
    tokio::pin!(connection);
    let mut stopping = stopping;
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stopping.stopped() => {
            connection.as_mut().graceful_shutdown();
            // Clients may break off as they like.
            let _ = connection.await;
        }
    }
}

/// Says that there is no place, as far as the system takes it at once, and hangs up.
fn turn_away(stream: &TcpStream, refused: Refused) {
    let (status, code, message) = match refused {
        Refused::Full => ("503 Service Unavailable", ErrorCode::Busy, "the server has no free connection"),
        Refused::Peer => {
            ("429 Too Many Requests", ErrorCode::TooManyConnections, "too many connections from this address")
        }
    };
    let body = serde_json::json!({ "error": banmen_catalog::Error::new(code, message) }).to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\nretry-after: {RETRY_SECONDS}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.try_write((head + &body).as_bytes());
}

/// Ends when the process is asked to end.
#[cfg(unix)]
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ends when the process is asked to end.
#[cfg(not(unix))]
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without the signal the server ends by its stopper alone.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
