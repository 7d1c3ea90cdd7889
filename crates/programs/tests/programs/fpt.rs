//! The protocol of the FPGA contests.

use std::time::Duration;

use banmen_catalog::{Error, ErrorCode};
use banmen_search::Limits;

use crate::fake::{Fake, HASTY, NODES, NONE, PATIENT, until};
use crate::faults::{Kind, faults, kind};

/// All faults in the first request in the protocol of the FPGA contests, which has no lines.
fn kinds() -> Vec<Kind> {
    let time = Limits { time: Some(Duration::from_millis(100)), ..NONE };
    let silent = |fault| Kind { programs: HASTY, ..kind(fault, Some(ErrorCode::ProgramSilent), "in time") };
    let garbage = Some(ErrorCode::ProgramGarbage);
    vec![
        silent("hangs"),
        silent("stops itself"),
        silent("answers half"),
        silent("says an empty line"),
        Kind { limits: time, ..kind("answers late", Some(ErrorCode::ProgramLate), "100 were allowed") },
        kind("plays an illegal code", Some(ErrorCode::ProgramIllegal), ""),
        kind("plays a broken code", Some(ErrorCode::ProgramIllegal), ""),
        kind("moves for the wrong side", Some(ErrorCode::ProgramIllegal), ""),
        kind("plays no move", garbage, "instead of 4 characters"),
        kind("resigns", garbage, "sent `resign` instead of 4 characters"),
        kind("says no UTF-8", garbage, "not UTF-8"),
        kind("says a line without an end", garbage, "instead of 4 characters"),
        kind("floods stdout", garbage, "instead of 4 characters"),
        kind("floods stderr", None, ""),
        kind("closes stdin", Some(ErrorCode::ProgramExit), "closed its standard input"),
        kind("leaves a grandchild", None, ""),
        kind("leaves a grandchild and exits", Some(ErrorCode::ProgramExit), "ended (exit status: 0)"),
        kind("ignores quit", None, ""),
        kind("balloons", Some(ErrorCode::ProgramExit), "SIGABRT"),
    ]
}

#[test]
fn fpt() {
    faults("fpt", kinds());
}

#[test]
fn a_contestant_plays_one_game_from_its_start() {
    let mut fake = Fake::start("fpt", "logs its input", PATIENT);
    assert!(fake.ask_after(&[], NODES).is_ok());
    // Its code is legal only once.
    let second = fake.ask_after(&["65u0", "aau0"], NODES).expect_err("the same piece");
    assert_eq!((second.code, second.reason), (ErrorCode::ProgramIllegal, Some("piece_used")), "{second}");
    fake.new_game();
    let error = fake.ask_after(&["55a0"], NODES).expect_err("not its start cell");
    assert_eq!(error.code, ErrorCode::ProgramIllegal, "{error}");
    fake.new_game();
    let error = fake.ask_after(&["55a0", "aaa0"], NODES).expect_err("an opening");
    assert_eq!(error.code, ErrorCode::Unsupported, "{error}");
    assert!(error.message.contains("their openings must have no random plies"), "{error}");
    fake.new_game();
    assert!(fake.ask_after(&[], NODES).is_ok());
    fake.new_game();
    assert!(fake.ask_after(&[], NODES).is_ok());
    fake.player = Err(Error::new(ErrorCode::Internal, "dropped"));
    until(|| fake.inputs().last().is_some_and(|input| input.last().is_some_and(|line| line == "9")));
    assert_eq!(
        fake.inputs(),
        [&["0", "25", "4aau0"][..], &["0", "3A55a0"], &["0", "9"], &["0", "25", "9"], &["0", "25", "9"]]
            .map(<[_]>::to_vec)
    );
}
