//! S16: the server stops on request.

use std::io::Write;
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::harness::{Reply, config, endless, endless_with, open};

/// The server promises two seconds; the rest allows for a loaded machine.
const SOON: Duration = Duration::from_secs(10);

/// Set in the process of [`stops_on_signals`] that has no other tests.
const ALONE: &str = "BANMEN_TEST_ALONE";

#[test]
fn stops_within_two_seconds() {
    let mut server = open(config());
    let mut socket = server.socket();
    socket.send(&endless_with(1));
    let body = endless().to_string();
    let mut posted = server.connect();
    let head =
        format!("POST /api/think HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", server.address, body.len());
    posted.write_all((head + &body).as_bytes()).expect("the request is taken");
    // A search that ignores its stop flag, and connections that send nothing.
    socket.send(&json!({ "id": 2, "op": "think", "game": "nim", "player": "deaf:ms=60000" }));
    let _idle = [server.connect(), server.connect()];
    server.until_load((3, 0));
    let address = server.address;
    let (time, result) = server.stop();
    assert!(result.is_ok());
    assert!(time < SOON, "{time:?}");
    let reply = Reply::read(&mut posted);
    assert_eq!((reply.status, &reply.json()["ok"]["move"]), (200, &json!("1")), "it answers with what it has");
    assert_eq!(socket.closed(), Some(1001));
    assert!(TcpStream::connect(address).is_err(), "the port is closed");
}

#[test]
#[cfg(unix)]
fn stops_on_signals() {
    // A signal stops the servers of all tests of a process, so this one runs in a process of its own.
    if std::env::var_os(ALONE).is_none() {
        let program = std::env::current_exe().expect("the system knows this program's file");
        let alone = Command::new(program).args(["--exact", "ending::stops_on_signals"]).env(ALONE, "").output();
        let alone = alone.expect("this program runs");
        let output = [alone.stdout, alone.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert!(alone.status.success() && output.contains("1 passed"), "{output}");
        return;
    }
    for signal in ["-TERM", "-INT"] {
        let mut server = open(config());
        let mut socket = server.socket();
        socket.send(&endless_with(1));
        server.until_load((1, 0));
        let sent = Command::new("kill").args([signal, &std::process::id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
        assert!(server.ended().is_ok(), "{signal}");
        assert_eq!(socket.closed(), Some(1001));
    }
}
