//! Limits and timeouts of connections, and which origins and hosts are accepted. The numbers are those of the security
//! checklist.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use banmen_server::{Config, Server, Timeouts};
use serde_json::json;

use crate::harness::{self, PATIENCE, Reply, config, open, until};

const SHORT: Duration = Duration::from_millis(300);

fn hasty() -> Config {
    Config { timeouts: Timeouts { head: SHORT, body: SHORT, write: SHORT, ping: SHORT }, ..config() }
}

/// Reads until the server closes the connection; returns what it sent.
fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the server does not close the connection: {error}"),
    }
    bytes
}

/// S1.
#[test]
fn warns_when_other_machines_can_connect() {
    let here = Server::bind(banmen_catalog::Catalog::default(), config()).expect("a free port");
    assert!(here.address().ip().is_loopback());
    assert!(here.warnings().is_empty());
    let everywhere = Config::new(([0, 0, 0, 0], 0).into());
    let everywhere = Server::bind(banmen_catalog::Catalog::default(), everywhere).expect("a free port");
    assert!(everywhere.warnings()[0].contains("can be reached from other machines"));
}

/// S2: requests whose head never ends, connections that send nothing, and connections that stop sending.
#[test]
fn closes_connections_with_slow_heads() {
    let server = open(hasty());
    let mut slow: Vec<TcpStream> = (0..40).map(|_| server.connect()).collect();
    let silent = server.connect();
    let mut done = server.connect();
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    done.write_all(request.as_bytes()).expect("the request is taken");
    assert_eq!(Reply::read(&mut done).status, 200);

    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nX-Slow: ").expect("the server listens");
    }
    let start = std::time::Instant::now();
    while !slow.is_empty() {
        assert!(start.elapsed() < PATIENCE, "{} connections stay open by sending a byte now and then", slow.len());
        std::thread::sleep(SHORT / 6);
        // An occasional byte must not keep a connection open.
        slow.retain_mut(|stream| {
            stream.set_nonblocking(true).expect("non-blocking");
            let closed = matches!(stream.read(&mut [0; 512]), Ok(0))
                || matches!(stream.write(b"x"), Err(error) if error.kind() != ErrorKind::WouldBlock);
            !closed
        });
        assert_eq!(server.get("/healthz").status, 200);
    }
    for mut stream in [silent, done] {
        rest(&mut stream);
    }
    until(|| server.get("/healthz").json()["ok"]["connections"] == 1, "only the question itself is connected");
}

/// S2: a head that is too large.
#[test]
fn refuses_large_heads() {
    let server = open(config());
    let padding = "x".repeat(1 << 20);
    let mut stream = server.connect();
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\nX-Large: {padding}\r\n\r\n", server.address);
    // The server may close the connection before it has received everything.
    let _ = stream.write_all(request.as_bytes());
    let answer = rest(&mut stream);
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 431"), "{}", String::from_utf8_lossy(&answer));
    assert_eq!(server.get("/").status, 200);
}

/// S3.
#[test]
fn limits_connections() {
    let server = open(Config { connections: 4, connections_per_peer: 64, ..config() });
    let mut open_ones: Vec<TcpStream> = (0..4).map(|_| server.connect()).collect();
    // Connections are accepted in order, so these four are admitted.
    let mut full = server.connect();
    let reply = Reply::read(&mut full);
    assert_eq!((reply.status, reply.code().as_str(), reply.header("retry-after")), (503, "busy", Some("2")));
    open_ones.pop();
    until(|| server.get("/healthz").status == 200, "the connection is free again");
}

/// S3.
#[test]
fn limits_connections_of_a_peer() {
    let server = open(Config { connections: 64, connections_per_peer: 2, ..config() });
    let _two = [server.connect(), server.connect()];
    let mut third = server.connect();
    let reply = Reply::read(&mut third);
    assert_eq!((reply.status, reply.code().as_str()), (429, "too_many_connections"));
}

/// S3: hundreds of idle connections come and go.
#[test]
fn closes_idle_connections() {
    let server = open(Config { connections: 100, connections_per_peer: 100, ..hasty() });
    let _idle: Vec<TcpStream> = (0..300).map(|_| server.connect()).collect();
    until(|| server.get("/healthz").status == 200, "the idle connections were closed");
}

/// S4.
#[test]
fn refuses_large_bodies() {
    let server = open(config());
    let most = harness::config().policy.request_bytes;
    let request = |size: usize| format!("{{\"game\":\"nim\"{}}}", " ".repeat(size - 14));
    assert_eq!(server.request("POST", "/api/show", "", &request(most)).status, 200);
    let large = server.request("POST", "/api/show", "", &request(most + 1));
    assert_eq!((large.status, large.code().as_str()), (413, "too_large"));
    assert!(large.json()["error"]["message"].as_str().expect("a sentence").contains(&most.to_string()));
    let import = |size: usize| server.request("POST", "/api/import", "", &request(size)).status;
    let longest = harness::config().policy.import_bytes;
    assert_eq!(
        (import(longest), import(longest + 1)),
        (400, 413),
        "an import without its text, and one that is too long"
    );

    let mut chunked = server.connect();
    let head = format!("POST /api/show HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\n\r\n", server.address);
    chunked.write_all(head.as_bytes()).expect("the head is taken");
    let chunk = format!("2000\r\n{}\r\n", " ".repeat(0x2000));
    // The server may close the connection before it has received everything.
    let _ = (0..=most / 0x2000).try_for_each(|_| chunked.write_all(chunk.as_bytes()));
    assert_eq!(Reply::read(&mut chunked).status, 413);
}

/// S4.
#[test]
fn times_out_slow_bodies() {
    let server = open(hasty());
    let mut stream = server.connect();
    let head = format!("POST /api/show HTTP/1.1\r\nHost: {}\r\nContent-Length: 100\r\n\r\n{{", server.address);
    stream.write_all(head.as_bytes()).expect("the head is taken");
    let reply = Reply::read(&mut stream);
    assert_eq!((reply.status, reply.code().as_str()), (408, "too_slow"));
}

/// S5.
#[test]
fn refuses_large_messages() {
    let server = open(config());
    let policy = harness::config().policy;
    let mut socket = server.socket();
    let request = |size: usize| format!("{{\"op\":\"show\",\"game\":\"nim\"{}}}", " ".repeat(size - 26));
    socket.0.send(tungstenite::Message::text(request(policy.request_bytes))).expect("sent");
    assert_eq!(socket.read()["ok"]["position"], "21 first");
    // A message as long as an import is read to its end, a longer one is not.
    for size in [policy.request_bytes + 1, policy.import_bytes + 1] {
        socket.0.send(tungstenite::Message::text(request(size))).expect("sent");
        assert_eq!(socket.read()["error"]["code"], "too_large");
    }
    assert_eq!(socket.closed(), Some(1009));
}

/// S5.
#[test]
fn sends_the_reason_when_refusing_within_a_message() {
    let server = open(config());
    // More than the operating system buffers: the client is still sending when it is refused.
    let message = tungstenite::Message::text("x".repeat(32 << 20));
    for _ in 0..5 {
        let mut socket = server.socket();
        socket.0.send(message.clone()).expect("the server takes it");
        assert_eq!(socket.read()["error"]["code"], "too_large");
        assert_eq!(socket.closed(), Some(1009));
    }
}

/// S5.
#[test]
fn refuses_binary_messages() {
    let server = open(config());
    let mut socket = server.socket();
    socket.0.send(tungstenite::Message::binary(vec![1, 2, 3])).expect("sent");
    assert_eq!(socket.closed(), Some(1003));
}

/// S5: a client that answers no ping is disconnected.
#[test]
fn closes_silent_sockets() {
    let server = open(hasty());
    let mut socket = server.socket();
    socket.send(&harness::endless_with(1));
    server.until_load((1, 0));
    // The client does not read, so it does not answer the pings.
    server.until_load((0, 0));
    until(|| server.get("/healthz").json()["ok"]["connections"] == 1, "the socket was dropped");
}

/// S5: a client that reads nothing is disconnected before much is queued for it.
#[test]
fn closes_a_socket_whose_client_never_reads() {
    let timeouts = Timeouts { write: SHORT, ..Timeouts::default() };
    let server = open(Config { timeouts, ..config() });
    let mut socket = server.socket();
    socket.0.get_mut().set_write_timeout(Some(PATIENCE)).expect("a time-out");
    let request = json!({ "id": "x".repeat(60_000), "op": "show", "game": "nim" }).to_string();
    let start = std::time::Instant::now();
    // The operating system buffers a few MB; then the server stops reading, and then it closes the connection.
    while socket.0.send(tungstenite::Message::text(request.clone())).is_ok() {
        assert!(start.elapsed() < PATIENCE, "the server does not stop reading");
    }
    until(|| server.get("/healthz").json()["ok"]["connections"] == 1, "the socket was dropped");
}

/// S6.
#[test]
fn refuses_foreign_origins() {
    let server = open(Config { origins: vec!["https://friend.example".to_owned()], ..config() });
    let own = format!("http://{}", server.address);
    assert!(server.socket_from(Some(&own)).is_ok());
    assert!(server.socket_from(Some("https://friend.example")).is_ok());
    assert!(server.socket_from(None).is_ok(), "a program on this machine");
    for origin in ["http://evil.example", "http://127.0.0.1:1", "null"] {
        assert_eq!(server.socket_from(Some(origin)).err(), Some(403), "{origin}");
        let posted = server.request("POST", "/api/games", &format!("Origin: {origin}\r\n"), "");
        assert_eq!((posted.status, posted.code().as_str()), (403, "wrong_origin"), "{origin}");
    }
    assert_eq!(server.request("POST", "/api/games", &format!("Origin: {own}\r\n"), "").status, 200);
}

/// S7.
#[test]
fn refuses_foreign_hosts() {
    let server = open(Config { hosts: vec!["banmen.example".to_owned()], ..config() });
    let ask =
        |host: &str, path: &str| server.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).status;
    for host in ["localhost", "127.0.0.1:99", "[::1]", "banmen.example"] {
        assert_eq!(ask(host, "/"), 200, "{host}");
    }
    for path in ["/", "/ws", "/healthz", "/api/games", "/style.css"] {
        assert_eq!(ask("evil.example", path), 421, "{path}");
    }
    assert_eq!(server.send(b"GET / HTTP/1.0\r\n\r\n").status, 421, "no name at all");
}

/// S13.
#[test]
fn sends_security_headers_with_every_response() {
    let server = open(config());
    let replies = [
        server.get("/"),
        server.get("/js/main.js"),
        server.get("/nothing"),
        server.get("/healthz"),
        server.get("/ws"),
        server.get("/api/show"),
        server.post("show", &json!({ "game": "nim" })),
        server.post("show", &json!({ "game": "mill" })),
        server.send(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
    ];
    for reply in replies {
        let policy = reply.header("content-security-policy").expect("a policy");
        for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{}", reply.head);
        }
        assert!(matches!(reply.header("cache-control"), Some("no-cache" | "no-store")), "{}", reply.head);
    }
}
