//! A server without a port, whose connections are in memory: for tests of the code that reads from clients.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use banmen_catalog::Catalog;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::runtime::{Builder, Runtime};

use crate::Config;
use crate::server::{AppState, Stopper, connection};

/// The bytes in flight in each direction.
const IN_FLIGHT: usize = 16 << 10;

/// A server that listens on no port. Requests are served on the calling thread, except for searches.
pub struct Loopback {
    app: Arc<AppState>,
    stopper: Stopper,
    runtime: Runtime,
}

impl Loopback {
    /// A server with these games. The configuration's address is not used.
    ///
    /// # Errors
    /// When the runtime cannot be set up.
    pub fn new(catalog: Catalog, config: Config) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_time().build()?;
        Ok(Loopback {
            app: AppState::new(catalog, config, |work| tokio::spawn(async { work() })),
            stopper: Stopper::new(),
            runtime,
        })
    }

    /// Serves one connection from this machine, whose client sends these bytes and then closes its side. Returns what
    /// the client receives until the server closes its side.
    ///
    /// # Errors
    /// When as many connections are open as the configuration allows; this method leaves none open.
    pub fn converse(&self, sent: &[u8]) -> io::Result<Vec<u8>> {
        let (client, served) = self.connect(IpAddr::V4(Ipv4Addr::LOCALHOST))?;
        let (mut reader, mut writer) = split(client);
        let send = async {
            // Fails when the server closes the connection before it has read everything.
            let _ = writer.write_all(sent).await;
            let _ = writer.shutdown().await;
        };
        let mut received = Vec::new();
        let receive = reader.read_to_end(&mut received);
        let (_, _, all) = self.runtime.block_on(async { tokio::join!(served, send, receive) });
        all.map(|_| received)
    }

    /// The client's side of a new connection from this address, and the server's work for it.
    fn connect(&self, address: IpAddr) -> io::Result<(DuplexStream, impl Future<Output = ()>)> {
        let ticket = self.app.admission.admit(address).map_err(|_| io::ErrorKind::QuotaExceeded)?;
        let (client, server) = duplex(IN_FLIGHT);
        let served = connection(Arc::clone(&self.app), server, true, address, ticket, self.stopper.stopping());
        Ok((client, served))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_in_memory() {
        let config = Config { connections: 1, ..Config::new(([127, 0, 0, 1], 0).into()) };
        let server = Loopback::new(Catalog::default(), config).expect("a runtime");
        let converse = |sent: &str| String::from_utf8(server.converse(sent.as_bytes()).expect("a connection"));
        // Each connection is closed before the next one, of which one is allowed.
        for _ in 0..3 {
            let text = converse("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").expect("text");
            assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.contains("\"connections\":1"), "{text}");
        }
        let two = "POST /api/games HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}";
        let text = converse(&(two.to_owned() + two)).expect("text");
        assert_eq!(text.matches("{\"ok\":{\"builds_tables\":false,\"games\":[]}}").count(), 2, "{text}");
    }

    /// The client keeps its side open until it has its answer, as a page does.
    #[test]
    fn answers_a_web_socket_in_memory() {
        let config = Config::new(([127, 0, 0, 1], 0).into());
        let server = Loopback::new(Catalog::default(), config).expect("a runtime");
        let (mut client, served) = server.connect(IpAddr::V4(Ipv4Addr::LOCALHOST)).expect("a connection");
        let upgrade = "GET /ws HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                       sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        // A masked frame with the text `{}`.
        let frame = [0x81, 0x82, 0, 0, 0, 0, b'{', b'}'];
        let ask = async move {
            client.write_all(&[upgrade.as_bytes(), &frame].concat()).await.expect("space for a few bytes");
            let mut received = Vec::new();
            while !String::from_utf8_lossy(&received).contains("bad_request") {
                assert_ne!(client.read_buf(&mut received).await.expect("bytes"), 0, "closed without an answer");
            }
            received
        };
        let (_, received) = server.runtime.block_on(async { tokio::join!(served, ask) });
        assert!(received.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&received));
    }

    /// One search may run and two may wait. One address requests them all, by both interfaces, before another one comes.
    #[test]
    fn shares_the_queue_among_addresses() {
        let config = Config { searches: 1, waiting: 2, ..Config::new(([10, 0, 0, 9], 0).into()) };
        let server = Loopback::new(Catalog::default(), config).expect("a runtime");
        let limiter = Arc::clone(&server.app.limiter);
        let [busy, other] = ["2001:db8:1:2::1", "10.0.0.2"].map(|text| text.parse::<IpAddr>().expect("an address"));
        // The same /64 network.
        let same: IpAddr = "2001:db8:1:2::ffff".parse().expect("an address");
        let (mut socket, serves_socket) = server.connect(busy).expect("a connection");
        let (mut first, serves_first) = server.connect(same).expect("a connection");
        let (mut second, serves_second) = server.connect(other).expect("a connection");
        let post = "POST /api/think HTTP/1.1\r\nhost: localhost\r\ncontent-length: 13\r\nconnection: close\r\n\r\n\
                    {\"game\":\"no\"}";
        let upgrade = "GET /ws HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                       origin: http://localhost\r\nsec-websocket-version: 13\r\n\
                       sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        let request = br#"{"op":"think","game":"no"}"#;
        // A masked frame with the request.
        let frame = [&[0x81, 0x80 | request.len() as u8, 0, 0, 0, 0][..], request].concat();
        let waits = async |count| {
            while limiter.load() != (1, count) {
                tokio::task::yield_now().await;
            }
        };
        let received = async |stream: &mut DuplexStream, text: &str| {
            let mut received = Vec::new();
            while !String::from_utf8_lossy(&received).contains(text) {
                let count = stream.read_buf(&mut received).await.expect("bytes");
                assert_ne!(count, 0, "{}", String::from_utf8_lossy(&received));
            }
        };
        let network = "2001:db8:1:2::".parse().expect("an address");
        let permit = limiter.of(network).enter(&banmen_search::StopFlag::default()).expect("admitted");
        let ask = async {
            first.write_all(post.as_bytes()).await.expect("space for a few bytes");
            waits(1).await;
            socket.write_all(&[upgrade.as_bytes(), &frame].concat()).await.expect("space for a few bytes");
            waits(2).await;
            second.write_all(post.as_bytes()).await.expect("space for a few bytes");
            received(&mut socket, "\"busy\"").await;
            waits(2).await;
            drop(permit);
            received(&mut first, "unknown_game").await;
            received(&mut second, "unknown_game").await;
            drop(socket);
        };
        server.runtime.block_on(async { tokio::join!(serves_socket, serves_first, serves_second, ask) });
    }
}
