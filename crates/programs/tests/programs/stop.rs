//! A stop ends each wait for a program, long before its patience.

use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use banmen_catalog::{AnyTask, Error, ErrorCode, WallClock};
use banmen_programs::player;
use banmen_search::StopFlag;

use crate::fake::{Fake, NODES, PATIENT, game};

/// Sets the flag while `wait` waits, which has to end with `stopped`, after one second and a reserve for a busy machine.
fn is_stopped(what: &str, wait: impl FnOnce(&StopFlag) -> Result<(), Error>) {
    let stop = StopFlag::default();
    thread::scope(|scope| {
        let begun = Instant::now();
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            stop.stop();
        });
        assert_eq!(wait(&stop).expect_err(what).code, ErrorCode::Stopped, "{what}");
        assert!(begun.elapsed() < Duration::from_secs(15), "{what}: {:?}", begun.elapsed());
    });
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

#[test]
fn ends_the_start_of_a_program() {
    let port = free_port();
    for (name, text) in [
        ("dobutsu", "usi:sleep 1000"),
        ("othello", "rpc:sleep 1000"),
        ("dobutsu", &format!("usi:tcp-listen:{port}")),
        ("golad", &format!("riddles:tcp-listen:{port}")),
    ] {
        is_stopped(text, |stop| {
            player(game(name).as_ref(), None, text, 1, &PATIENT.clone().stopped_by(stop)).map(drop)
        });
    }
}

#[test]
fn ends_commands_before_the_request_for_a_move() {
    for protocol in ["usi", "uci", "nboard"] {
        let mut fake = Fake::start(protocol, "is ready only once", PATIENT);
        assert!(fake.ask(NODES).is_ok(), "{protocol}");
        is_stopped(protocol, |stop| fake.ask_until(NODES, stop).map(drop));
        fake.nothing_is_left(protocol);
        assert!(fake.ask(NODES).is_ok(), "{protocol}: it is started again");
    }
}

#[test]
fn ends_the_wait_for_the_connection_of_the_next_game() {
    let blokus = game("blokus");
    let start = blokus.state(None, None).expect("the start");
    let port = free_port();
    thread::scope(|scope| {
        scope.spawn(|| {
            use std::io::{Read, Write};
            let end = Instant::now() + Duration::from_secs(20);
            let mut stream = loop {
                thread::sleep(Duration::from_millis(5));
                match TcpStream::connect(("127.0.0.1", port)) {
                    // Where nobody listens yet a socket may be connected to itself.
                    Ok(stream) if stream.local_addr().ok() != stream.peer_addr().ok() => break stream,
                    found => assert!(Instant::now() < end, "{found:?}"),
                }
            };
            for answer in ["1FK", "65u0"] {
                let _ = stream.read(&mut [0; 16]);
                stream.write_all(answer.as_bytes()).expect("a reader");
            }
        });
        let text = format!("fpt:tcp-listen:{port}");
        let mut player = player(blokus.as_ref(), None, &text, 1, &PATIENT).unwrap_or_else(|error| panic!("{error}"));
        let mut ask = |stop: &StopFlag| {
            player.new_game(start.as_ref(), 1)?;
            let task = AnyTask {
                state: start.as_ref(),
                limits: NODES,
                clock: &WallClock::default(),
                stop,
                threads: 1,
                lines: 1,
                progress: None,
            };
            player.think(task).map(drop)
        };
        assert_eq!(ask(&StopFlag::default()), Ok(()));
        is_stopped("the next game", ask);
    });
}
