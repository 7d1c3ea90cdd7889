//! Routes and their answers.

use banmen_server::Config;
use serde_json::json;

use crate::harness::{self, config, endless, open};

#[test]
fn serves_the_page_and_revalidates_it() {
    let server = open(config());
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.body.starts_with(b"<!doctype html>"));
    assert_eq!(server.get("/index.html").body, page.body);

    let tag = page.header("etag").expect("a tag");
    let again = server.request("GET", "/", &format!("If-None-Match: {tag}\r\n"), "");
    assert_eq!((again.status, again.body.len()), (304, 0));
    let other = server.request("GET", "/", "If-None-Match: \"0\"\r\n", "");
    assert_eq!(other.status, 200);

    let mut head = server.connect();
    let request = format!("HEAD / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
    std::io::Write::write_all(&mut head, request.as_bytes()).expect("the request is taken");
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut head, &mut answer).expect("the server hangs up");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\n"), "a head without a body: {answer}");
}

#[test]
fn serves_files_with_their_types() {
    let server = open(config());
    let page = String::from_utf8(server.get("/").body).expect("UTF-8");
    let mut named = 0;
    for name in page.split('"') {
        let kind = match name.rsplit('.').next() {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => continue,
        };
        let file = server.get(&format!("/{name}"));
        assert_eq!((file.status, file.header("content-type")), (200, Some(kind)), "{name}");
        assert!(!file.body.is_empty());
        named += 1;
    }
    assert!(named >= 3, "the page names its styles, scripts and pictures");
}

/// S14.
#[test]
fn answers_not_found_for_other_paths() {
    let server = open(config());
    for path in [
        "/..%2f..%2fetc/passwd",
        "/../Cargo.toml",
        "/js/../../Cargo.toml",
        "/index.html%00.js",
        "//index.html",
        "/js//board.js",
        "/js/",
        "/js",
        "/.",
        "/..\\index.html",
        "/INDEX.HTML",
        "/package.json",
        "/api",
        "/favicon.ico",
    ] {
        let reply = server.get(path);
        assert_eq!((reply.status, reply.code().as_str()), (404, "not_found"), "{path}");
    }
    assert_eq!(server.get("/index.html?x=../..").status, 200, "a query changes nothing");
}

#[test]
fn accepts_operations_by_post_only() {
    let server = open(config());
    let reply = server.post("show", &json!({ "game": "nim", "moves": ["3", "two"] }));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    let shown = &reply.json()["ok"];
    assert_eq!(shown["position"], "16 first");
    assert_eq!(shown["legal"], json!(["1", "2", "3"]));

    let games = server.request("POST", "/api/games", "", "");
    assert_eq!(games.json()["ok"]["games"][0]["name"], "nim", "an empty body asks for nothing special");

    let thought = server.post("think", &json!({ "game": "nim", "player": "random", "seed": 4 }));
    assert_eq!(thought.status, 200);
    assert!(thought.json()["ok"]["move"].is_string());
    let solved = server.post("solve", &json!({ "game": "nim" }));
    assert_eq!(solved.json()["ok"]["best"], json!(["1"]));

    let get = server.get("/api/show");
    assert_eq!((get.status, get.header("allow")), (405, Some("POST")));
    let posted = server.request("POST", "/", "", "");
    assert_eq!((posted.status, posted.header("allow")), (405, Some("GET, HEAD")));
}

#[test]
fn derives_the_status_from_the_error_code() {
    let server = open(config());
    for (op, body, status, code) in [
        ("shwo", json!({}), 404, "unknown_op"),
        ("", json!({}), 404, "unknown_op"),
        ("show", json!({ "game": "nmi" }), 400, "unknown_game"),
        ("show", json!({ "game": "nim", "moves": ["9"] }), 400, "illegal_move"),
        ("show", json!({ "game": "nim", "color": 1 }), 400, "bad_request"),
        ("show", json!([1]), 400, "bad_request"),
        ("think", json!({ "game": "nim", "player": "rpc:cat" }), 403, "programs_not_allowed"),
        ("think", json!({ "game": "nim", "player": "panics" }), 500, "internal"),
        ("solve", json!({ "game": "nim-plain" }), 400, "unsupported"),
    ] {
        let reply = server.post(op, &body);
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{op} {body}");
    }
    let broken = server.request("POST", "/api/show", "", "{\"game\":");
    assert_eq!((broken.status, broken.code().as_str()), (400, "bad_json"));
    let binary = server.send(
        format!("POST /api/show HTTP/1.1\r\nHost: {}\r\nContent-Length: 2\r\n\r\n", server.address)
            .into_bytes()
            .into_iter()
            .chain([0xff, 0xfe])
            .collect::<Vec<_>>()
            .as_slice(),
    );
    assert_eq!((binary.status, binary.code().as_str()), (400, "bad_json"));
}

#[test]
fn serves_the_protocol_over_a_socket() {
    let server = open(config());
    let mut socket = server.socket();
    socket.send(&json!({ "id": 1, "op": "show", "game": "nim" }));
    assert_eq!(socket.read()["ok"]["position"], "21 first");

    socket.send(&harness::endless_with(2));
    let mut analysis = endless();
    analysis["id"] = "analysis".into();
    analysis["op"] = "think".into();
    socket.send(&analysis);
    let (mut played, mut analysed) = (false, false);
    while !(played && analysed) {
        let message = socket.read();
        assert!(message["info"]["depth"].is_u64(), "{message}");
        played |= message["id"] == 2;
        analysed |= message["id"] == "analysis";
    }
    socket.send(&json!({ "id": 3, "op": "stop", "target": 2 }));
    assert_eq!(socket.answer(3)["ok"]["stopped"], true);
    assert_eq!(socket.answer(2)["ok"]["move"], "1");

    socket.0.send(tungstenite::Message::text("{")).expect("sent");
    let refused = loop {
        let message = socket.read();
        if message.get("error").is_some() {
            break message;
        }
    };
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(null), &json!("bad_json")));
    socket.0.close(None).expect("closing");
    server.until_load((0, 0));
}

/// S17.
#[test]
fn answers_from_the_store_and_writes_nothing() {
    let folder = std::env::temp_dir().join(format!("banmen-routes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let store = folder.join("store.sqlite");
    let server = open(Config { store: Some(store.clone()), ..config() });
    let empty = json!({ "matches": [], "total": 0, "events": [] });
    assert_eq!(server.post("matches", &json!({})).json()["ok"], empty);
    let mut socket = server.socket();
    socket.send(&json!({ "id": 1, "op": "matches" }));
    assert_eq!(socket.answer(1)["ok"], empty);
    assert!(!store.exists());
    assert_eq!(server.post("standings", &json!({ "match": 7 })).code(), "unknown_match");
    std::fs::write(&store, "no store").expect("a file");
    assert_eq!(server.post("matches", &json!({})).code(), "store_refused");
    assert_eq!(std::fs::read(&store).expect("the file"), b"no store");
    std::fs::remove_dir_all(&folder).expect("a folder");
}

#[test]
fn serves_metrics_if_asked_for() {
    assert_eq!(open(config()).get("/metrics").status, 404, "off by default");

    let server = open(Config { metrics: true, connections_per_peer: 8, ..config() });
    assert_eq!(server.post("show", &json!({ "game": "nim" })).status, 200);
    assert_eq!(server.get("/nothing").status, 404);
    let mut socket = server.socket();
    socket.send(&json!({ "id": 1, "op": "games" }));
    assert!(socket.answer(1)["ok"]["games"].is_array());
    harness::until(|| server.load() == (0, 0), "no search runs");
    let reply = server.get("/metrics");
    assert_eq!(reply.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = String::from_utf8(reply.body).expect("text");
    let value = |name: &str| -> u64 {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in {text}")).parse().expect("a number")
    };
    assert_eq!(value("banmen_websocket_messages_total"), 1);
    assert_eq!(value("banmen_http_responses_total{class=\"1xx\"}"), 1);
    assert_eq!(value("banmen_http_responses_total{class=\"4xx\"}"), 1);
    assert!(value("banmen_http_responses_total{class=\"2xx\"}") >= 2);
    assert!(value("banmen_connections") >= 2, "the socket, and the one that asks");
    assert_eq!(value("banmen_searches_running"), 0);
    assert_eq!(value("banmen_connections_refused_total{reason=\"peer\"}"), 0);
    let names = text.lines().filter(|line| line.starts_with("# TYPE ")).count();
    assert_eq!(names, text.lines().filter(|line| line.starts_with("# HELP ")).count());

    let idle: Vec<_> = (0..8).map(|_| server.connect()).collect();
    let refused = || {
        let reply = server.get("/metrics");
        let text = String::from_utf8(reply.body).expect("text");
        reply.status == 200 && text.contains("banmen_connections_refused_total{reason=\"peer\"} 0")
    };
    assert!(!refused(), "too many connections of one peer");
    drop(idle);
    harness::until(
        || String::from_utf8_lossy(&server.get("/metrics").body).contains("{reason=\"peer\"}"),
        "there is a place again",
    );
    assert!(!refused(), "the refusals are counted");
}

#[test]
fn requires_a_websocket_handshake() {
    let server = open(config());
    let plain = server.get("/ws");
    assert_eq!((plain.status, plain.header("upgrade")), (426, Some("websocket")));
    let old = server.request(
        "GET",
        "/ws",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: AAAA\r\n",
        "",
    );
    assert_eq!((old.status, old.header("sec-websocket-version")), (426, Some("13")));
}
