//! Programs that are reached over TCP.

use std::thread;
use std::time::{Duration, Instant};

use banmen_catalog::{AnyTask, Error, ErrorCode, WallClock};
use banmen_programs::{Charge, Programs, player};
use banmen_search::{Limits, StopFlag};

use crate::fake::{NONE, PATIENT, game};

/// A peer on TCP that answers each request with the next of these texts. After the last one it closes the connection at
/// the next request, or at its end.
fn peer(mut stream: std::net::TcpStream, answers: &[&str]) -> String {
    use std::io::{Read, Write};
    let (mut received, mut bytes) = (String::new(), [0; 16]);
    for answer in answers {
        match stream.read(&mut bytes) {
            Ok(length @ 1..) => received.push_str(&String::from_utf8_lossy(&bytes[..length])),
            _ => return received,
        }
        if *answer == "sleep" {
            thread::sleep(Duration::from_millis(700));
        }
        let _ = stream.write_all(answer.as_bytes());
        received.push(' ');
    }
    let _ = stream.read(&mut bytes).map(|length| received.push_str(&String::from_utf8_lossy(&bytes[..length])));
    received
}

#[test]
fn a_program_may_be_reached_by_tcp() {
    use std::net::{TcpListener, TcpStream};
    let blokus = game("blokus");
    let state = blokus.state(None, None).expect("the start");
    let limits = Limits { time: Some(Duration::from_millis(300)), ..NONE };
    let ask = |text: &str| -> Result<Option<u32>, Error> {
        let programs = Programs { patience: Duration::from_secs(2), ..PATIENT };
        let mut player = player(blokus.as_ref(), None, text, 1, &programs)?;
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let task =
            AnyTask { state: state.as_ref(), limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
        let report = player.think(task)?;
        assert_eq!(player.time_outside(), None, "its time is not known");
        Ok(report.best())
    };
    let good = state.read("65u0").ok();
    for (answers, verdict, received) in [
        (&["1FK", "65u0"][..], Ok(good), "0 25 9"),
        (&["1FK", "65u0\r\n"], Ok(good), "0 25 9"),
        (&["1FK", "sleep"], Err(ErrorCode::ProgramGarbage), "0 25 "),
        (&["1FK", "aaa0"], Err(ErrorCode::ProgramIllegal), "0 25 "),
        (&["1FK", "11a0"], Err(ErrorCode::ProgramIllegal), "0 25 "),
        (&["1FK", "= 65u0"], Err(ErrorCode::ProgramGarbage), "0 25 "),
        (&["1FK", "65"], Err(ErrorCode::ProgramSilent), "0 25 "),
        (&["1FK"], Err(ErrorCode::ProgramExit), "0 25"),
        (&["hello"], Err(ErrorCode::ProgramStart), "0 "),
        (&[""], Err(ErrorCode::ProgramStart), "0 "),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        thread::scope(|scope| {
            let peer = scope.spawn(|| peer(listener.accept().expect("a connection").0, answers));
            let answer = ask(&format!("fpt:tcp:{port}"));
            if let Err(error) = &answer {
                let closed = error.message.contains("closed the connection");
                assert_eq!(closed, error.code == ErrorCode::ProgramExit, "{error}");
            }
            assert_eq!(answer.map_err(|error| error.code), verdict, "{answers:?}");
            let said = peer.join().expect("no panic");
            assert!(said.starts_with(received), "{answers:?}: {said}");
        });
    }
    // The other way round: the program connects.
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    thread::scope(|scope| {
        let peer = scope.spawn(|| {
            let end = Instant::now() + Duration::from_secs(20);
            let stream = loop {
                match TcpStream::connect(("127.0.0.1", port)) {
                    Ok(stream) => break stream,
                    Err(error) => assert!(Instant::now() < end, "{error}"),
                }
            };
            peer(stream, &["1FK", "65u0"])
        });
        assert_eq!(ask(&format!("fpt:tcp-listen:{port}")), Ok(good));
        assert_eq!(peer.join().expect("no panic").trim_end(), "0 25 9");
    });
    // No program listens.
    assert_eq!(ask(&format!("fpt:tcp:{port}")).map_err(|error| error.code), Err(ErrorCode::ProgramStart));
    let error = player(blokus.as_ref(), None, "fpt: tcp:example.org", 1, &PATIENT).err().expect("no address");
    assert_eq!((error.code, error.at), (ErrorCode::BadCommand, Some(4)));
    assert!(error.message.contains("a port is expected, or an IP address or localhost, a colon and a port"), "{error}");
    assert_eq!(
        player(blokus.as_ref(), None, "fpt:tcp:9", 1, &Programs::REFUSED).err().map(|error| error.code),
        Some(ErrorCode::ProgramsNotAllowed)
    );
}

#[test]
fn a_silent_peer_costs_wall_time_where_programs_are_charged_cpu_time() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let blokus = game("blokus");
    let state = blokus.state(None, None).expect("the start");
    thread::scope(|scope| {
        scope.spawn(|| peer(listener.accept().expect("a connection").0, &["1FK", ""]));
        let programs = Programs { charge: Charge::Cpu, ..PATIENT };
        let text = format!("fpt:tcp:{port}");
        let mut player = player(blokus.as_ref(), None, &text, 1, &programs).unwrap_or_else(|error| panic!("{error}"));
        let (clock, stop, begun) = (WallClock::default(), StopFlag::default(), Instant::now());
        let limits = Limits { time: Some(Duration::from_millis(300)), ..NONE };
        let task =
            AnyTask { state: state.as_ref(), limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
        assert_eq!(player.think(task).map_err(|error| error.code).err(), Some(ErrorCode::ProgramSilent));
        assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    });
}
