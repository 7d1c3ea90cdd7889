//! What external programs answer, and the commands that start them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use banmen_catalog::{AnyGame, AnyTask, ErrorCode, WallClock};
use banmen_programs::scripted;
use banmen_search::{Limits, Report, StopFlag};

use crate::{is_clean, othello};

/// The number of questions for each input.
const QUESTIONS: usize = 3;

/// The output of a program that speaks a protocol and is asked for the moves of a game. An accepted move is legal, and
/// so are the lines of its report; anything else is one of the faults of programs.
pub(crate) fn run(protocol: &str, game: &Arc<dyn AnyGame>, data: &[u8]) {
    let game = game.as_ref();
    let mut player = match scripted(game, None, protocol, 1, data) {
        Ok(player) => player,
        Err(error) => {
            assert!(error.code.is_program_fault(), "{error:?}");
            return assert!(is_clean(&error.message), "{error:?}");
        }
    };
    let mut state = game.state(None, None).unwrap_or_else(|error| panic!("{error}"));
    let reports = AtomicUsize::new(0);
    for question in 0..QUESTIONS {
        let check = |report: &Report<u32>| {
            for line in &report.lines {
                assert!((0.0..=1.0).contains(&line.value), "{line:?}");
                assert!(!line.moves.is_empty());
                assert!(line.eval.is_none_or(|eval| eval.n.is_finite()), "{line:?}");
                let mut state = state.copy();
                for &m in &line.moves {
                    assert_eq!(state.play(m), Ok(()), "a line has legal moves: {line:?}");
                }
            }
            reports.fetch_add(1, Ordering::Relaxed);
        };
        let task = AnyTask {
            state: state.as_ref(),
            limits: Limits::nodes(1),
            clock: &WallClock::default(),
            stop: &StopFlag::default(),
            threads: 1,
            lines: 1 + question,
            progress: Some(&mut |report| check(report)),
        };
        match player.think(task) {
            Ok(report) => {
                check(&report);
                let best = report.best().expect("an answer has a move");
                state.play(best).unwrap_or_else(|error| panic!("{error}"));
            }
            Err(error) => {
                assert!(is_clean(&error.message), "{error:?}");
                let known = [ErrorCode::Resigned, ErrorCode::Stopped, ErrorCode::Unsupported, ErrorCode::GameOver];
                assert!(error.code.is_program_fault() || known.contains(&error.code), "{error:?}");
            }
        }
        if state.outcome().is_some() {
            return;
        }
    }
}

/// Commands: the words of an accepted one, quoted, are the same words again.
pub(crate) fn command(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Some(words) = banmen_programs::command(&format!("rpc:{text}")) else {
        // The error that the command line shows.
        let programs = banmen_programs::Programs::ALLOWED;
        let refused = banmen_programs::player(othello().as_ref(), None, &format!("rpc:{text}"), 1, &programs);
        let error = refused.err().expect("it does not start");
        assert!(error.code == ErrorCode::BadCommand && is_clean(&error.message), "{error:?}");
        let at = error.at.expect("a place");
        return assert!((4..=4 + text.chars().count()).contains(&at), "character {at} of `rpc:{text}`");
    };
    assert!(!words.is_empty());
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    let quoted = format!("rpc:{}", quoted.join(" "));
    assert_eq!(banmen_programs::command(&quoted).as_ref(), Some(&words), "{quoted}");
}
