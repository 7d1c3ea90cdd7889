//! Listening, connections and shutdown.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use banmen_arena::Laboratory;
use banmen_catalog::{Catalog, ErrorCode};
use banmen_programs::{Programs, factory};
use banmen_protocol::{SearchLimiter, Service, SessionCache};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{sleep, timeout};

use crate::Config;
use crate::admission::{Admission, Refused, Ticket};
use crate::metrics::Metrics;
use crate::reply::RETRY_SECONDS;
use crate::route::{Peer, route};
use crate::stall::Stalling;

/// How long connections may take to end after the server was stopped.
const GRACE: Duration = Duration::from_millis(1500);

/// The largest head of a request in bytes; the smallest limit that hyper allows.
const MAX_HEAD: usize = 8 << 10;

/// Threads of the async runtime; nothing is computed on them.
const WORKERS: usize = 2;

/// Threads for operations other than searches.
const SHORT: usize = 4;

/// Starts an operation that does not search: even a list of moves may take long.
pub(crate) type StartOperation = fn(Box<dyn FnOnce() + Send>) -> JoinHandle<()>;

/// The state that all connections share.
pub(crate) struct AppState {
    pub(crate) service: Arc<Service>,
    pub(crate) limiter: Arc<SearchLimiter>,
    pub(crate) sessions: Arc<SessionCache>,
    pub(crate) laboratory: Arc<Laboratory>,
    pub(crate) config: Config,
    pub(crate) admission: Arc<Admission>,
    pub(crate) metrics: Metrics,
    pub(crate) start_operation: StartOperation,
}

impl AppState {
    /// The state of a server with these games, before its first connection.
    pub(crate) fn new(catalog: Catalog, config: Config, start_operation: StartOperation) -> Arc<Self> {
        let laboratory = Laboratory::new(config.store.clone());
        Arc::new(AppState {
            // Clients of the server may not start programs on this machine.
            service: Arc::new(
                Service::new(catalog, config.policy.clone())
                    .with(banmen_arena::operations(config.store.clone()))
                    .with(laboratory.operations())
                    .with_players(factory(Programs::REFUSED)),
            ),
            laboratory,
            sessions: SessionCache::new(config.sessions),
            limiter: SearchLimiter::new(config.searches, config.waiting, config.threads, config.patience),
            admission: Admission::new(config.connections, config.connections_per_peer),
            metrics: Metrics::default(),
            config,
            start_operation,
        })
    }
}

/// Stops a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    pub(crate) fn new() -> Self {
        Stopper(watch::Sender::new(false))
    }

    /// The notification for connections.
    pub(crate) fn stopping(&self) -> Stopping {
        Stopping(self.0.subscribe())
    }

    /// Stops the server. This cannot be undone.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// Notifies a connection that the server stops.
#[derive(Clone)]
pub(crate) struct Stopping(watch::Receiver<bool>);

impl Stopping {
    /// Waits until the server is stopped.
    pub(crate) async fn stopped(&mut self) {
        // The server owns the sender and outlives its connections; a dropped sender means a stop, too.
        let _ = self.0.wait_for(|&stopped| stopped).await;
    }
}

/// A server that listens on its port.
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    app: Arc<AppState>,
    stopper: Stopper,
}

impl Server {
    /// Opens the port. Clients can connect from now on; they are served once [`Server::run`] is called.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub fn bind(catalog: Catalog, config: Config) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(config.listen)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Server {
            listener,
            address,
            app: AppState::new(catalog, config, |work| spawn_blocking(work)),
            stopper: Stopper::new(),
        })
    }

    /// The address that it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Warnings for the person who starts the server, one sentence each.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.address.ip().to_canonical().is_loopback() {
            warnings.push(format!(
                "{} can be reached from other machines, whose users can then run searches on this machine.",
                self.address
            ));
        }
        warnings
    }

    /// A handle that stops the server.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Serves until it is stopped by its [`Stopper`], SIGINT or SIGTERM; then it accepts no more connections, stops all
    /// searches, and returns within two seconds.
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
        // Operations that still run are not waited for.
        runtime.shutdown_background();
        result
    }

    async fn accept(self) -> io::Result<()> {
        let listener = TcpListener::from_std(self.listener)?;
        let stopping = self.stopper.stopping();
        let mut stopped = stopping.clone();
        let interrupted = interrupted()?;
        tokio::pin!(interrupted);
        loop {
            tokio::select! {
                () = stopped.stopped() => break,
                () = &mut interrupted => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => accept_connection(&self.app, stream, peer, &stopping),
                    // Out of file handles, or a client that disconnected at once: neither stops the server.
                    Err(_) => sleep(Duration::from_millis(50)).await,
                },
            }
        }
        drop(listener);
        self.stopper.stop();
        self.app.laboratory.stop();
        let _ = timeout(GRACE, self.app.admission.emptied()).await;
        Ok(())
    }
}

/// Serves a new connection on a task of its own, or refuses it.
fn accept_connection(app: &Arc<AppState>, stream: TcpStream, peer: SocketAddr, stopping: &Stopping) {
    let admitted = app.admission.admit(peer.ip());
    app.metrics.connection(&admitted);
    match admitted {
        Ok(ticket) => {
            // A failure costs latency, nothing else.
            let _ = stream.set_nodelay(true);
            tokio::spawn(connection(Arc::clone(app), stream, false, peer.ip(), ticket, stopping.clone()));
        }
        Err(refused) => refuse(&stream, refused),
    }
}

/// Serves a connection until it ends; if it becomes a WebSocket, that is served on a task of its own. With `half_close` a
/// client that closes its side still receives answers; else its requests end with that.
pub(crate) async fn connection<S>(
    app: Arc<AppState>,
    stream: S,
    half_close: bool,
    address: IpAddr,
    ticket: Ticket,
    stopping: Stopping,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let timeouts = app.config.timeouts;
    let peer = Peer { address, ticket: Arc::new(ticket), stopping: stopping.clone() };
    let service = service_fn(move |request| {
        let (app, peer) = (Arc::clone(&app), peer.clone());
        async move {
            let reply = route(Arc::clone(&app), peer, request).await;
            app.metrics.response(reply.status());
            Ok::<_, Infallible>(reply)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.head)
        .max_buf_size(MAX_HEAD)
        .half_close(half_close)
        .serve_connection(TokioIo::new(Stalling::new(stream, timeouts.write)), service)
        .with_upgrades();
    tokio::pin!(connection);
    let mut stopping = stopping;
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stopping.stopped() => {
            connection.as_mut().graceful_shutdown();
            // It does not matter how the client ends the connection.
            let _ = connection.await;
        }
    }
}

/// Sends why the connection is refused, as far as the system takes it without waiting, and closes it.
fn refuse(stream: &TcpStream, refused: Refused) {
    let (status, code, message) = match refused {
        Refused::Full => ("503 Service Unavailable", ErrorCode::Busy, "the server has too many connections"),
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

/// Completes when the process receives a signal to end.
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

/// Completes when the process receives a signal to end.
#[cfg(not(unix))]
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without the signal only the stopper stops the server.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
