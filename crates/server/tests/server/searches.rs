//! Searches on the server: how many, how long, and when they end. The numbers are those of the security checklist.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use banmen_protocol::Policy;
use banmen_server::Config;
use serde_json::{Value, json};

use crate::harness::{self, PATIENCE, Reply, config, endless, endless_with, open, until};

/// Ten times the 100 ms within which a search must end.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Sends a `POST` request without waiting for the answer.
fn ask(server: &harness::TestServer, body: &Value) -> TcpStream {
    let mut stream = server.connect();
    let body = body.to_string();
    let head =
        format!("POST /api/think HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", server.address, body.len());
    stream.write_all((head + &body).as_bytes()).expect("the request is taken");
    stream
}

/// S8, S12: two hundred clients request a search of an hour each.
#[test]
fn limits_running_and_waiting_searches() {
    let config = Config {
        connections: 400,
        connections_per_peer: 400,
        waiting: 5,
        patience: Duration::from_secs(3600),
        ..config()
    };
    let server = open(config);
    let mut asked: Vec<TcpStream> = (0..200).map(|_| ask(&server, &endless())).collect();
    let mut refused = 0;
    let start = Instant::now();
    while refused < 200 - 3 - 5 {
        assert!(start.elapsed() < PATIENCE, "{refused} were refused");
        asked.retain_mut(|stream| {
            stream.set_nonblocking(true).expect("non-blocking");
            match stream.peek(&mut [0; 1]) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                other => assert_eq!(other.expect("an answer"), 1),
            }
            stream.set_nonblocking(false).expect("blocking");
            let reply = Reply::read(stream);
            assert_eq!((reply.status, reply.code().as_str()), (503, "busy"));
            assert_eq!(reply.header("retry-after"), Some("2"));
            refused += 1;
            false
        });
    }
    assert_eq!(server.load(), (3, 5));
    assert_eq!(asked.len(), 8, "three think and five wait");
    drop(asked);
    server.until_load((0, 0));
}

/// S8: every search is bounded, whatever its limits.
#[test]
fn limits_time_and_memory() {
    let policy = Policy { time: Some(Duration::from_millis(200)), ..Policy::SERVER };
    let server = open(Config { policy, ..config() });
    for limits in [json!({ "time_ms": 3_600_000 }), json!({}), json!({ "time_ms": u64::MAX, "depth": u32::MAX })] {
        let reply = server.post("think", &json!({ "game": "nim", "player": "patient", "limits": limits }));
        assert_eq!(reply.status, 200);
        assert!(reply.json()["ok"]["ms"].as_u64().expect("a time") >= 200);
    }
    let long = server.post("perft", &json!({ "game": "nim", "position": "999 first", "depth": 100 }));
    assert_eq!((long.status, long.code().as_str()), (503, "stopped"));
    let deep = server.post("perft", &json!({ "game": "nim", "depth": u32::MAX }));
    assert_eq!((deep.status, deep.code().as_str()), (400, "out_of_range"));
    for (table, code, why) in [
        ("65", "out_of_range", "1 to 64"),
        ("4096", "out_of_range", "1 to 64"),
        ("1,table=4096", "bad_player", "twice"),
    ] {
        let reply = server.post("think", &json!({ "game": "nim", "player": format!("engine:table={table}") }));
        assert_eq!((reply.status, reply.code().as_str()), (400, code));
        assert!(reply.json()["error"]["message"].as_str().expect("a sentence").contains(why));
    }
    let fitting = json!({ "game": "nim", "position": "5 first", "player": "engine:table=64" });
    assert_eq!(server.post("think", &fitting).status, 200);
}

/// Running searches share the threads. A search that requests more than are free gets fewer and is not rejected.
#[test]
fn caps_and_shares_threads() {
    let server = open(Config { threads: 6, ..config() });
    let question = |threads: u32| json!({ "game": "nim", "player": "threads", "threads": threads });
    let granted = |threads: u32| server.post("think", &question(threads)).json()["ok"]["nodes"].as_u64();
    assert_eq!([granted(256), granted(7), granted(2), granted(1)], [Some(6), Some(6), Some(2), Some(1)]);
    for threads in [0, 257] {
        let reply = server.post("think", &question(threads));
        assert_eq!((reply.status, reply.code().as_str()), (400, "out_of_range"), "{threads}");
    }
    let mut socket = server.socket();
    socket.send(&endless_with(1));
    assert!(socket.read()["info"].is_object());
    assert_eq!([granted(256), granted(4)], [Some(5), Some(4)], "a search with one thread runs");
    let mut greedy = endless_with(2);
    greedy["threads"] = 256.into();
    socket.send(&greedy);
    // Asked earlier, the third search would take threads that the second one then does not have.
    while socket.read()["id"] != 2 {}
    assert_eq!(granted(256), Some(2), "the other search has 5 threads, a third of all 6 are granted");
}

/// S8: the deepest line that an engine searches fits the stack.
#[test]
fn runs_the_deepest_search_within_its_stack() {
    let server = open(config());
    let request = json!({ "game": "nim", "position": "999 first", "player": "engine:table=64",
        "limits": { "depth": 600, "time_ms": 2000 } });
    assert_eq!(server.post("think", &request).status, 200);
}

/// S8: one connection has two searches.
#[test]
fn limits_searches_of_a_connection() {
    let server = open(config());
    let mut socket = server.socket();
    for id in 1..=3 {
        socket.send(&endless_with(id));
    }
    let refused = socket.answer(3);
    assert_eq!(refused["error"]["code"], "busy");
    server.until_load((2, 0));
}

/// S8: a long search is stopped once another one waits.
#[test]
fn stops_a_long_search_when_another_waits() {
    let server = open(Config { searches: 1, patience: Duration::from_millis(200), ..config() });
    let mut first = ask(&server, &endless());
    server.until_load((1, 0));
    let mut second = ask(&server, &endless());
    let reply = Reply::read(&mut first);
    assert_eq!((reply.status, &reply.json()["ok"]["move"]), (200, &json!("1")), "it answers with what it has");
    server.until_load((1, 0));
    assert!(
        matches!(second.set_nonblocking(true).and_then(|()| second.read(&mut [0])), Err(error) if error.kind() == ErrorKind::WouldBlock)
    );
}

/// S8, S18: sessions of all connections share one cache.
#[test]
fn limits_sessions_of_all_connections() {
    let server = open(Config { sessions: 2, ..config() });
    let mut sockets: Vec<_> = (0..3).map(|_| server.socket()).collect();
    let question = |id: u64| json!({ "id": id, "op": "think", "game": "nim", "player": "counter", "session": "play" });
    let mut asked = |at: usize, id: u64| {
        let socket: &mut harness::Socket = &mut sockets[at];
        socket.send(&question(id));
        socket.answer(id)["ok"]["depth"].as_u64()
    };
    assert_eq!((asked(0, 1), asked(0, 2), asked(1, 1)), (Some(1), Some(2), Some(1)), "each has its own");
    assert_eq!(asked(2, 1), Some(1));
    assert_eq!(asked(1, 2), Some(2), "kept");
    assert_eq!(asked(0, 3), Some(1), "the first one's player was dropped");
}

/// S9: the client disconnects.
#[test]
fn stops_searches_when_clients_disconnect() {
    let server = open(config());
    let mut socket = server.socket();
    socket.send(&endless_with(1));
    let posted = [ask(&server, &endless()), ask(&server, &endless())];
    server.until_load((3, 0));
    // One more search waits.
    let waiting = ask(&server, &endless());
    server.until_load((3, 1));
    let start = Instant::now();
    drop((posted, waiting));
    socket.0.get_mut().shutdown(Shutdown::Both).expect("closed");
    server.until_load((0, 0));
    assert!(start.elapsed() < AT_ONCE, "{:?}", start.elapsed());
}

/// S9: a search is stopped by its id.
#[test]
fn answers_at_once_when_stopped() {
    let server = open(config());
    let mut socket = server.socket();
    socket.send(&endless_with(1));
    assert!(socket.read()["info"].is_object());
    let start = Instant::now();
    socket.send(&json!({ "id": 2, "op": "stop", "target": 1 }));
    assert_eq!(socket.answer(1)["ok"]["move"], "1");
    assert!(start.elapsed() < AT_ONCE, "{:?}", start.elapsed());
}

/// S10: the server still answers while all search slots are busy, with more slots than cores.
#[test]
fn answers_while_every_search_computes() {
    let server = open(Config { searches: 6, ..config() });
    let busy = json!({ "game": "nim", "position": "999 first", "limits": { "time_ms": 3_600_000 } });
    let _thinking: Vec<TcpStream> = (0..6).map(|_| ask(&server, &busy)).collect();
    server.until_load((6, 0));
    for _ in 0..50 {
        assert_eq!(server.get("/healthz").status, 200);
        assert_eq!(server.post("show", &json!({ "game": "nim" })).status, 200);
    }
    assert_eq!(server.load(), (6, 0), "all of them still compute");
}

/// S11.
#[test]
fn survives_panicking_players() {
    let server = open(config());
    let mut socket = server.socket();
    socket.send(&endless_with(1));
    for id in 2..12 {
        socket.send(&json!({ "id": id, "op": "think", "game": "nim", "player": "panics" }));
        assert_eq!(socket.answer(id)["error"]["code"], "internal");
        let posted = server.post("think", &json!({ "game": "nim", "player": "panics" }));
        assert_eq!((posted.status, posted.code().as_str()), (500, "internal"));
    }
    // The other search continues, and no permit is lost.
    server.until_load((1, 0));
    socket.send(&json!({ "id": 20, "op": "show", "game": "nim" }));
    assert_eq!(socket.answer(20)["ok"]["side"], "first");
}

/// S11: no input stops the server.
#[test]
fn survives_noise() {
    let server = open(config());
    let mut state = 1_u64;
    let mut noise = move || {
        // Knuth's multiplier; any random sequence works.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let opening =
        format!("GET /ws HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n", server.address)
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    for round in 0..60 {
        let mut stream = server.connect();
        if round % 2 == 0 {
            stream.write_all(opening.as_bytes()).expect("the request is taken");
            assert_eq!(Reply::read(&mut stream).status, 101);
        }
        let bytes: Vec<u8> = (0..500).map(|_| noise()).collect();
        // The server may have closed the connection.
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
    }
    until(|| server.get("/healthz").json()["ok"]["connections"] == 1, "all connections have ended");
}
