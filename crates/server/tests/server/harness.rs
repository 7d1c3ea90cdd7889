//! A real server on a free port of this machine, and plain clients of it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use banmen_server::{Config, Server, Stopper};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

#[path = "../../../protocol/tests/protocol/nim.rs"]
mod nim;

/// The timeout of every wait, ample even on a loaded machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    stopper: Stopper,
    server: Option<JoinHandle<std::io::Result<()>>>,
}

/// The configuration of the tests: this machine, a free port, three searches.
pub(crate) fn config() -> Config {
    Config { searches: 3, ..Config::new(([127, 0, 0, 1], 0).into()) }
}

/// Starts a server.
pub(crate) fn open(config: Config) -> TestServer {
    let server = Server::bind(nim::catalog(banmen_catalog::Data::in_memory()), config).expect("a free port");
    let (address, stopper) = (server.address(), server.stopper());
    TestServer { address, stopper, server: Some(std::thread::spawn(move || server.run())) }
}

impl TestServer {
    /// Stops the server; returns the time that it took, and its result.
    pub(crate) fn stop(&mut self) -> (Duration, std::io::Result<()>) {
        let start = Instant::now();
        self.stopper.stop();
        let result = self.server.take().expect("the server runs").join().expect("no panic");
        (start.elapsed(), result)
    }

    /// Waits until the server ends by itself.
    pub(crate) fn ended(&mut self) -> std::io::Result<()> {
        self.server.take().expect("the server runs").join().expect("no panic")
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        stream
    }

    /// Sends bytes on a new connection and reads until the server closes it or sends nothing more.
    pub(crate) fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("the request is taken");
        Reply::read(&mut stream)
    }

    pub(crate) fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Reply {
        self.send(
            format!(
                "{method} {path} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {}\r\n\r\n{body}",
                self.address,
                body.len()
            )
            .as_bytes(),
        )
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.request("GET", path, "", "")
    }

    pub(crate) fn post(&self, op: &str, body: &Value) -> Reply {
        self.request("POST", &format!("/api/{op}"), "", &body.to_string())
    }

    /// The numbers of running and waiting searches.
    pub(crate) fn load(&self) -> (u64, u64) {
        let health = self.get("/healthz").json();
        (health["ok"]["running"].as_u64().expect("a count"), health["ok"]["waiting"].as_u64().expect("a count"))
    }

    pub(crate) fn until_load(&self, wanted: (u64, u64)) {
        until(|| self.load() == wanted, &format!("searches running and waiting are {wanted:?}"));
    }

    pub(crate) fn socket(&self) -> Socket {
        self.socket_from(None).expect("the server takes it")
    }

    /// A WebSocket opened with this `Origin`, or the status of the refusal.
    pub(crate) fn socket_from(&self, origin: Option<&str>) -> Result<Socket, u16> {
        let mut request = format!("ws://{}/ws", self.address).into_client_request().expect("a request");
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().expect("a header"));
        }
        match tungstenite::client(request, self.connect()) {
            Ok((socket, _)) => Ok(Socket(socket)),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(reply))) => Err(reply.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(server) = self.server.take() {
            let result = server.join();
            if !std::thread::panicking() {
                result.expect("no panic").expect("no error");
            }
        }
    }
}

/// Waits until a condition holds.
pub(crate) fn until(so: impl Fn() -> bool, what: &str) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < PATIENCE, "timed out: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Reads one response; an empty one with status 0 if the server closes the connection without a response.
    pub(crate) fn read(stream: &mut TcpStream) -> Reply {
        let mut bytes = Vec::new();
        let mut buffer = [0; 8192];
        loop {
            if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
                let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
                let length = value(&head, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
                let mut body = bytes.split_off(end + 4);
                while body.len() < length {
                    let count = stream.read(&mut buffer).expect("the body comes");
                    assert!(count > 0, "the body broke off");
                    body.extend_from_slice(&buffer[..count]);
                }
                return Reply { status, head, body };
            }
            match stream.read(&mut buffer) {
                Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
                _ => return Reply { status: 0, head: String::new(), body: bytes },
            }
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        value(&self.head, name)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }

    /// The error code.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().expect("the body is a refusal").to_owned()
    }
}

fn value<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// A WebSocket client.
pub(crate) struct Socket(pub(crate) WebSocket<TcpStream>);

impl Socket {
    pub(crate) fn send(&mut self, request: &Value) {
        self.0.send(Message::text(request.to_string())).expect("the request is taken");
    }

    /// The next message of the server as JSON.
    pub(crate) fn read(&mut self) -> Value {
        loop {
            match self.0.read().expect("a message comes") {
                Message::Text(text) => return serde_json::from_str(&text).expect("JSON"),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// The final answer to `id`; progress messages and other answers are skipped.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.read();
            if message["id"] == id && message.get("info").is_none() {
                return message;
            }
        }
    }

    /// Reads until the server closes; returns its close code, or `None` if the connection ended without one.
    pub(crate) fn closed(&mut self) -> Option<u16> {
        loop {
            match self.0.read() {
                Ok(Message::Close(frame)) => return frame.map(|frame| frame.code.into()),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }
}

/// A request for a search that runs until it is stopped.
pub(crate) fn endless() -> Value {
    json!({ "game": "nim", "player": "patient", "limits": { "time_ms": 3_600_000 } })
}

/// The same request with an id.
pub(crate) fn endless_with(id: u64) -> Value {
    let mut request = endless();
    request["id"] = id.into();
    request["op"] = "think".into();
    request
}
