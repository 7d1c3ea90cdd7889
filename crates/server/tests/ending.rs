//! S16: the server ends when it is asked to. In a file of its own, since signals reach the whole process.

mod harness;

use std::io::Write;
use std::net::TcpStream;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use harness::{Reply, config, endless, endless_with, open};
use serde_json::json;

/// The server promises two seconds; the rest is for a machine that has other things to do.
const SOON: Duration = Duration::from_secs(10);

/// One test after the other: a signal ends the servers of all.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn a_stop_ends_everything_soon() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut house = open(config());
    let mut socket = house.socket();
    socket.send(&endless_with(1));
    let body = endless().to_string();
    let mut posted = house.connect();
    let head = format!("POST /api/think HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", house.address, body.len());
    posted.write_all((head + &body).as_bytes()).expect("the request is taken");
    // One that does not hear, and connections that say nothing.
    socket.send(&json!({ "id": 2, "op": "think", "game": "nim", "player": "deaf:ms=60000" }));
    let _idle = [house.connect(), house.connect()];
    house.until_load((3, 0));
    let address = house.address;
    let (time, result) = house.stop();
    assert!(result.is_ok());
    assert!(time < SOON, "{time:?}");
    let reply = Reply::read(&mut posted);
    assert_eq!((reply.status, &reply.json()["ok"]["move"]), (200, &json!("1")), "it answers with what it has");
    assert_eq!(socket.closed(), Some(1001));
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
}

#[test]
#[cfg(unix)]
fn signals_end_the_server() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for signal in ["-TERM", "-INT"] {
        let mut house = open(config());
        let mut socket = house.socket();
        socket.send(&endless_with(1));
        house.until_load((1, 0));
        let sent = Command::new("kill").args([signal, &std::process::id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
        assert!(house.ended().is_ok(), "{signal}");
        assert_eq!(socket.closed(), Some(1001));
    }
}
