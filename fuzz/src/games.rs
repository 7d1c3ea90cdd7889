//! Positions, moves, records and players of the games.
//!
//! The first line of an input names the rules; an empty line, or none, means the game's default ones.

use std::sync::Arc;

use banmen_catalog::{AnyGame, AnyState, Error, ErrorCode, Kind, MAX_LISTED_MOVES, Options, PlayerText};

use banmen_othello::notation::parse_obf_line;

use crate::{catalog, first_line, is_clean};

/// The rules that a line names.
fn rules(line: Option<&str>) -> Option<&str> {
    line.filter(|line| !line.is_empty())
}

/// An error has a code and a message, and its place is inside the text.
fn check_refusal(error: &Error, text: &str) {
    assert!(is_clean(&error.message), "{error:?}");
    if let Some(at) = error.at {
        assert!(at <= text.chars().count(), "character {at} of `{text}`: {error}");
    }
}

/// Two states are the same position: in every dialect, by their keys, outcomes and legal moves.
fn assert_same(game: &dyn AnyGame, a: &dyn AnyState, b: &dyn AnyState) {
    for dialect in game.info().dialects {
        assert_eq!(a.position(dialect), b.position(dialect), "{dialect}");
    }
    assert_eq!(a.outcome(), b.outcome());
    assert_eq!(a.side_to_move(), b.side_to_move());
    // A key may depend on more than a text contains.
    if !game.info().remembers {
        assert_eq!(a.key(), b.key());
        let count = a.legal_count();
        assert_eq!(count, b.legal_count());
        if count <= MAX_LISTED_MOVES {
            assert_eq!(a.legal(), b.legal());
        }
    }
}

/// Whether a dialect determines the position. The cells in GOLAD's `riddles` do not contain the length of a row, so
/// they are read only on a board of the rules' size.
fn is_complete(game: &dyn AnyGame, rules: Option<&str>, state: &dyn AnyState, dialect: &str) -> bool {
    let size = |state: &dyn AnyState| {
        let board = state.board();
        (board.width, board.height)
    };
    dialect != "riddles" || game.state(rules, None).is_ok_and(|start| size(start.as_ref()) == size(state))
}

/// A number below `count` that depends on the whole input. It selects one of several checks, so that each input takes
/// less time and all checks are made over many inputs.
fn pick(data: &[u8], count: usize) -> usize {
    data.iter().fold(0_usize, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % count
}

/// The dialect in which an input is written again.
fn dialect_for(game: &dyn AnyGame, data: &[u8]) -> &'static str {
    let dialects = game.info().dialects;
    dialects[pick(data, dialects.len())]
}

/// A position: an accepted one can be written in each dialect, and is read as the same position again.
pub(crate) fn position(game: &Arc<dyn AnyGame>, data: &[u8]) {
    let Ok(input) = str::from_utf8(data) else { return };
    let game = game.as_ref();
    let (rules_line, text) = first_line(input);
    let rules = rules(rules_line);
    let state = match game.state(rules, Some(text)) {
        Ok(state) => state,
        Err(error) => return check_refusal(&error, text),
    };
    let dialect = dialect_for(game, data);
    if is_complete(game, rules, state.as_ref(), dialect) {
        let written = state.position(dialect);
        match game.state(rules, Some(&written)) {
            Ok(again) => assert_same(game, state.as_ref(), again.as_ref()),
            Err(error) => panic!("{dialect}: `{text}` is written as `{written}`, which is refused: {error}"),
        }
    }
    if state.outcome().is_none() {
        assert!(state.legal_count() > 0, "an unfinished game has a move: `{text}`");
    }
}

/// Moves: the second line is a position (`start` if empty), each line after it a text of moves. A game that is accepted
/// is the same game when it is written move by move, in each dialect.
pub(crate) fn moves(game: &Arc<dyn AnyGame>, data: &[u8]) {
    let Ok(input) = str::from_utf8(data) else { return };
    let game = game.as_ref();
    let (rules_line, rest) = first_line(input);
    let rules = rules(rules_line);
    let (position, moves) = first_line(rest);
    let Ok(mut state) = game.state(rules, position.filter(|position| !position.is_empty())) else { return };
    let texts: Vec<&str> = moves.lines().collect();
    if let Err(error) = state.play_texts(&texts) {
        assert!(!error.message.is_empty(), "{error:?}");
        assert!(error.at.is_some_and(|at| at >= 1), "the number of the refused move: {error:?}");
    }
    let dialect = dialect_for(game, data);
    let written = state.move_texts(dialect);
    let written: Vec<&str> = written.iter().map(String::as_str).collect();
    let mut again = game.state(rules, Some(&state.origin(""))).expect("a written position is read");
    if let Err(error) = again.play_texts(&written) {
        panic!("{dialect}: {written:?} from `{}` are refused: {error}", state.origin(""));
    }
    assert_same(game, state.as_ref(), again.as_ref());
}

/// Whole games in a format: accepted games can be written, are read as the same games again, and are then written
/// identically.
pub(crate) fn record(game: &Arc<dyn AnyGame>, format: &str, data: &[u8]) {
    let game = game.as_ref();
    let formats = game.record_formats().unwrap_or_else(|| panic!("{} has no formats of records", game.info().name));
    let (rules_line, text) = match data.iter().position(|&byte| byte == b'\n') {
        Some(end) => (str::from_utf8(&data[..end]).ok(), &data[end + 1..]),
        None => (None, data),
    };
    let rules = rules(rules_line);
    let records = match formats.read(format, rules, text) {
        Ok(records) => records,
        Err(error) => {
            assert!(!error.message.is_empty(), "{error:?}");
            // A text that is not UTF-8 has no more characters than bytes.
            return assert!(error.at.is_none_or(|at| at <= text.len()), "character {:?} of {}", error.at, text.len());
        }
    };
    for record in records {
        let written = match formats.write(format, &record.header, record.state.as_ref()) {
            Ok(written) => written,
            // A text in GGF can have games that a transcript cannot represent.
            Err(error) if format == "transcript" && error.code == ErrorCode::Unsupported => continue,
            Err(error) => panic!("a game that was read cannot be written: {error}"),
        };
        let again = match formats.read(format, rules, written.as_bytes()) {
            Ok(again) => again,
            Err(error) => panic!("`{written}` was written and is refused: {error}"),
        };
        assert_eq!(again.len(), 1, "one game was written as `{written}`");
        for again in again {
            assert_same(game, record.state.as_ref(), again.state.as_ref());
            assert_eq!(record.state.origin(""), again.state.origin(""), "{written}");
            assert_eq!(record.state.move_texts(""), again.state.move_texts(""), "{written}");
            // A transcript has moves only.
            if format != "transcript" {
                assert_eq!(record.header.termination, again.header.termination, "{written}");
                assert_eq!(record.header.lost_turns, again.header.lost_turns, "{written}");
            }
            let twice = formats.write(format, &again.header, again.state.as_ref());
            assert_eq!(twice.as_ref(), Ok(&written), "what was written is written the same again");
        }
    }
}

/// Lines of OBF, a position and the scores of its moves.
pub(crate) fn othello_obf(data: &[u8]) {
    for line in data.split(|&byte| byte == b'\n') {
        let Ok(Some(problem)) = parse_obf_line(line) else { continue };
        for (m, _) in problem.scores {
            assert_eq!(problem.position.check(m), Ok(()), "a move with a score is legal");
        }
    }
}

/// Players as text: values that are accepted lie in the ranges of their keys.
pub(crate) fn players(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    assert_eq!(PlayerText::name_of(text), PlayerText::name_of(text).trim());
    let parsed = match PlayerText::parse(text) {
        Ok(parsed) => parsed,
        Err(error) => return check_refusal(&error, text),
    };
    for game in catalog().games() {
        let players = game.players();
        let any = pick(data, players.len());
        for (number, player) in players.into_iter().enumerate() {
            if player.name != parsed.name && number != any {
                continue;
            }
            let Ok(options) = Options::new(player.keys, &parsed.pairs) else { continue };
            for key in player.keys {
                match key.kind {
                    Kind::Integer(min, max) => assert!((min..=max).contains(&options.integer(key.name))),
                    Kind::Maximum(max) => assert!(options.maximum(key.name).is_none_or(|most| most <= max as u64)),
                    Kind::Number(min, max) => assert!((min..=max).contains(&options.number(key.name))),
                    Kind::File(_) => _ = options.word_or_file(key.name),
                    Kind::Choice(words) => assert!(words.contains(&options.choice(key.name))),
                    Kind::Integers(count, min, max) => {
                        let values = options.integers(key.name);
                        assert_eq!(values.len(), count);
                        assert!(values.iter().all(|value| (min..=max).contains(value)));
                    }
                }
            }
        }
    }
}
