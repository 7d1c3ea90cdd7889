//! HTTP and WebSocket connections, in memory. The server has no games: operations on positions are covered by the
//! target `service`.

use std::sync::LazyLock;

use banmen_catalog::Catalog;
use banmen_server::{Config, Loopback};
use serde_json::Value;

use crate::requests::check_json;

static SERVER: LazyLock<Loopback> = LazyLock::new(|| {
    let config = Config { hosts: vec!["banmen.example".to_owned()], ..Config::new(([127, 0, 0, 1], 0).into()) };
    Loopback::new(Catalog::default(), config).unwrap_or_else(|error| panic!("{error}"))
});

/// A handshake that the server accepts.
const HANDSHAKE: &str = "GET /ws HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

fn converse(sent: &[u8]) -> Vec<u8> {
    SERVER.converse(sent).unwrap_or_else(|error| panic!("{error}"))
}

/// A connection: a complete head is answered with a status; every response is well-formed, and a refusal says why as JSON.
pub(crate) fn http(data: &[u8]) {
    let received = converse(data);
    let mut headers = [httparse::EMPTY_HEADER; 100];
    let complete = httparse::Request::new(&mut headers).parse(data).is_ok_and(|status| status.is_complete());
    assert!(!complete || !received.is_empty(), "a complete head has a response");
    check_responses(&received, asks_for_upgrade(data));
}

/// Whether a request may ask for another protocol. If that is refused, and the connection ends later with a body that
/// is no body, then hyper (1.12) closes the connection without sending what it has buffered.
fn asks_for_upgrade(data: &[u8]) -> bool {
    let text = data.to_ascii_lowercase();
    ["\nupgrade:", "connect "].iter().any(|asked| text.windows(asked.len()).any(|found| found == asked.as_bytes()))
}

/// Frames after a handshake: the server sends text frames with JSON, pings, pongs and at most one close frame, the last.
pub(crate) fn websocket(data: &[u8]) {
    let received = converse(&[HANDSHAKE.as_bytes(), data].concat());
    assert!(received.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&received));
    check_responses(&received, false);
}

/// Reads responses until the end of the connection. The last may be cut off if `may_be_cut`.
fn check_responses(mut rest: &[u8], may_be_cut: bool) {
    while !rest.is_empty() {
        let mut headers = [httparse::EMPTY_HEADER; 100];
        let mut response = httparse::Response::new(&mut headers);
        let shown = String::from_utf8_lossy(rest);
        let parsed = response.parse(rest).unwrap_or_else(|error| panic!("{error}: {shown}"));
        if parsed.is_partial() {
            assert!(may_be_cut, "a head is complete: {shown}");
            return;
        }
        let code = response.code.expect("a status");
        let header = |name: &str| {
            let found = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
            found.and_then(|header| str::from_utf8(header.value).ok())
        };
        let is_json = header("content-type") == Some("application/json");
        let length: usize = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        assert!((100..=599).contains(&code) && code != 500, "{shown}");
        rest = &rest[parsed.unwrap()..];
        match code {
            // `100-continue` was asked for.
            100 => continue,
            101 => return check_frames(rest),
            _ => {}
        }
        // The answer to HEAD has the length, and no body.
        let body = rest.get(..length).filter(|_| !rest.starts_with(b"HTTP/1."));
        let Some(body) = body else {
            if may_be_cut && !rest.starts_with(b"HTTP/1.") {
                return;
            }
            assert!(length == 0 || rest.is_empty() || rest.starts_with(b"HTTP/1."), "the whole body is there: {shown}");
            continue;
        };
        if is_json && length > 0 {
            let value: Value = serde_json::from_slice(body).unwrap_or_else(|error| panic!("{error}: {shown}"));
            check_answer(&value, code);
        }
        rest = &rest[length..];
    }
}

/// An answer is `ok` with a good status, or an `error` with a bad one, a code and a message.
fn check_answer(value: &Value, status: u16) {
    check_json(value);
    match value.get("error") {
        None => assert!(value.get("ok").is_some() && status == 200, "{status} {value}"),
        Some(error) => {
            assert!(status >= 400, "{status} {value}");
            for key in ["code", "message"] {
                assert!(error.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty()), "{value}");
            }
        }
    }
}

/// Reads the frames of a server: not masked, not fragmented.
fn check_frames(mut rest: &[u8]) {
    let mut closed = false;
    while let [kind, length, more @ ..] = rest {
        assert!(!closed, "nothing follows a close frame");
        let (length, more) = match length {
            126 => {
                let (length, more) = more.split_first_chunk().expect("a length of two bytes");
                (usize::from(u16::from_be_bytes(*length)), more)
            }
            length => (usize::from(*length), more),
        };
        assert!(length <= u16::MAX.into(), "a short answer without a mask");
        let payload = &more[..length];
        match kind {
            0x81 => {
                let value: Value = serde_json::from_slice(payload).expect("text frames are JSON");
                check_json(&value);
                assert!(value.get("id").is_some(), "{value}");
                assert!(["ok", "error", "info"].iter().filter(|key| value.get(key).is_some()).count() == 1, "{value}");
            }
            0x88 => closed = true,
            0x89 | 0x8A => {}
            other => panic!("a frame of kind {other:#x}"),
        }
        rest = &more[length..];
    }
    assert!(rest.is_empty(), "frames are complete");
}
