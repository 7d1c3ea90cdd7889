//! Positions, moves, transcripts and records as text: files of good and bad texts, published lines, and random texts.

use banmen_game::Notation;
use banmen_othello::Othello;
use banmen_othello::notation::{self, Fault, Problem, parse_move, parse_obf_line, parse_position, parse_transcript};
use banmen_othello::position::{IllegalMove, Move, Position, Side};
use banmen_othello::record::{self, Record, RecordedMove, Tag};
use proptest::prelude::*;

/// The published optimal line: 60 moves without a pass, 32 discs each (Takizawa 2023, arXiv 2310.19387).
const OPTIMAL: &str = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1f7e2g3h4f1e1f2g1b1f8g8b3h3b2h5b7\
                       a3a4a1a2c1h2h1g2b8a8g7h8h7h6";

/// The lines of a data file without comments, split at tabs.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

/// The expected reason and offset of a bad text.
fn stated<'t>(row: &[&'t str]) -> (&'t str, usize) {
    (row[0], row[1].parse().expect("a place"))
}

#[test]
fn optimal_line_ends_in_a_draw() {
    let moves = parse_transcript(&Position::START, OPTIMAL).expect("legal");
    assert_eq!(moves.len(), 60);
    let end = Record::new(Position::START, moves.clone()).end();
    assert!(end.is_over());
    assert_eq!((end.discs(Side::First).count_ones(), end.discs(Side::Second).count_ones()), (32, 32));
    assert_eq!(end.score(), 0);
    assert_eq!(notation::format_transcript(&moves), OPTIMAL);
    assert_eq!(notation::normalise(&moves), moves);
}

#[test]
fn reads_good_positions() {
    for line in include_str!("data/positions-good.txt").lines() {
        let position = parse_position(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(parse_position(position.to_string()), Ok(position));
    }
    assert_eq!(Position::START.to_string(), "---------------------------OX------XO--------------------------- X");
    assert_eq!(parse_position(Position::START.to_string()), Ok(Position::START));
}

#[test]
fn rejects_bad_positions_with_reason_and_offset() {
    for row in rows(include_str!("data/positions-bad.txt")) {
        let error = parse_position(row[2]).expect_err(row[2]);
        assert_eq!((error.fault.reason(), error.at), stated(&row), "{}: {error}", row[2]);
    }
}

#[test]
fn reads_moves_in_every_dialect() {
    let d3 = Move::at(19).expect("a square");
    for text in ["d3", "D3", " d3\n"] {
        assert_eq!(parse_move(text), Ok(d3));
    }
    for text in ["pa", "PA", "pass", "Pass", "ps", "PS", "--"] {
        assert_eq!(parse_move(text), Ok(Move::PASS));
    }
    assert_eq!((d3.to_string(), Move::PASS.to_string()), ("d3".to_owned(), "pa".to_owned()));
    for (text, at) in [("", 0), ("d", 0), ("33", 0), ("-", 0), ("passe", 4), ("d3e", 2), ("d3 d4", 3), ("d9", 0)] {
        assert_eq!(parse_move(text).expect_err(text).at, at, "{text}");
    }
}

/// The moves would be lost.
#[test]
fn a_position_in_ggf_is_followed_by_nothing() {
    let board = "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *];)";
    let read = |text: &str| Othello.parse_position(text).map(|(_, position)| position);
    assert_eq!(read(&format!(" {board}\n")), Ok(Position::START));
    let error = read(&format!("{board}\nD3 C5")).expect_err("moves");
    assert_eq!((error.reason, error.at), ("trailing", board.len() + 1));
}

#[test]
fn rejects_bad_transcripts_with_reason_and_offset() {
    for row in rows(include_str!("data/transcripts-bad.txt")) {
        let error = parse_transcript(&Position::START, row[2]).expect_err(row[2]);
        assert_eq!((error.fault.reason(), error.at), stated(&row), "{}: {error}", row[2]);
    }
    let error = parse_transcript(&Position::START, "f5 d6 e4").expect_err("occupied");
    let why = IllegalMove::Occupied { square: 28 };
    assert_eq!(error.fault, Fault::Illegal { number: 3, text: "e4".to_owned(), why });
    assert_eq!(error.to_string(), "move 3, `e4`: e4 is occupied");
}

/// Black has to pass: white's move is read with the pass written or left out.
#[test]
fn forced_passes_may_be_left_out() {
    let start = parse_position("OX-------------------------XX------XX--------------------------- O").expect("possible");
    let c1 = Move::at(2).expect("a square");
    assert_eq!(parse_transcript(&start, "c1"), Ok(vec![c1]));
    let passing = Position::new(start.opp(), start.own(), Side::First).expect("possible");
    assert!(passing.must_pass());
    for text in ["c1", "pa c1", "PASSc1", "--C1"] {
        assert_eq!(parse_transcript(&passing, text), Ok(vec![Move::PASS, c1]), "{text}");
    }
    let record = Record::new(passing, vec![Move::PASS, c1]);
    assert_eq!(record.transcript(), "c1");
    assert!(record.ggf().ends_with("*]B[PA]W[C1];)"));
}

#[test]
fn normalises_every_first_move_to_f5() {
    for text in ["f5d6c3", "d3c5f6", "c4e3f6", "e6f4c3"] {
        let moves = parse_transcript(&Position::START, text).expect("legal");
        let turned = notation::format_transcript(&notation::normalise(&moves));
        assert!(turned.starts_with("f5"), "{turned}");
        assert!(parse_transcript(&Position::START, &turned).is_ok());
    }
}

#[test]
fn reads_obf_lines_with_scores() {
    let problems: Vec<Problem> = include_str!("data/ffo-40-59.obf")
        .lines()
        .filter_map(|line| parse_obf_line(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect();
    assert_eq!(problems.len(), 20);
    assert_eq!(problems[0].scores, [(Move::at(8).expect("a square"), 38)]);
    assert_eq!(problems[15].scores.len(), 4);
    assert_eq!(problems[0].position.empties().count_ones(), 20);
    let start = Position::START.to_string();
    assert_eq!(parse_obf_line("  "), Ok(None));
    assert_eq!(parse_obf_line("% remark"), Ok(None));
    let read = |tail: &str| parse_obf_line(format!("{start}{tail}"));
    let expected = vec![(Move::at(19).expect("a square"), 2), (Move::at(26).expect("a square"), -4)];
    assert_eq!(read("; d3:+2; C4 : -4;--:-127;").map(|problem| problem.expect("a problem").scores), Ok(expected));
    for (tail, at, reason) in [
        (" d3:2", 67, "trailing"),
        ("; d3", 70, "bad_score"),
        ("; d3:x;", 71, "bad_score"),
        ("; d9:2;", 68, "off_the_board"),
        ("; d4:2;", 68, "occupied"),
    ] {
        let error = read(tail).expect_err(tail);
        assert_eq!((error.at, error.fault.reason()), (at, reason), "{tail}");
    }
}

#[test]
fn reads_ggf_games() {
    let text = include_str!("data/games-good.ggf");
    let games = record::read(text).unwrap_or_else(|error| panic!("at {}: {error}", error.at));
    assert_eq!(games.len(), 4);
    let first = &games[0];
    assert_eq!((first.tag("PB"), first.tag("PW"), first.tag("RE")), (Some("ant"), Some("black bird"), Some("?")));
    assert_eq!(first.transcript(), "f5d6c3d3");
    let noted = |square, eval, seconds| RecordedMove { played: Move::at(square).expect("a square"), eval, seconds };
    assert_eq!(first.moves[0], noted(37, None, Some(0.01)));
    assert_eq!(first.moves[1], noted(43, Some(-0.19), Some(11.68)));
    assert_eq!(first.moves[2], noted(18, Some(0.5), None));
    let remark = Tag { after: 3, name: "C".to_owned(), value: "a remark with ] and [ and \\".to_owned() };
    assert_eq!(first.tags.last(), Some(&remark));
    assert!(games[1].end().is_over());
    assert_eq!(games[1].end().discs(Side::Second), 0);
    assert_eq!(games[2], Record::new(Position::START, []));
    for game in &games {
        assert_eq!(record::read(game.ggf()), Ok(vec![game.clone()]));
    }
    // The second game ends with 13 discs of Black alone.
    for result in ["+13", " 64.00", "", "?", "-64:t"] {
        let stated = text.replace("RE[+64]", &format!("RE[{result}]"));
        assert_eq!(record::read(stated).map(|games| games.len()), Ok(4), "{result}");
    }
    let together: String = games.iter().map(Record::ggf).collect();
    assert_eq!(record::read(together), Ok(games));
}

#[test]
fn rejects_bad_ggf_with_reason_and_offset() {
    for row in rows(include_str!("data/ggf-bad.txt")) {
        let error = record::read(row[2]).expect_err(row[2]);
        assert_eq!((error.fault.reason(), error.at), stated(&row), "{}: {error}", row[2]);
    }
    let error = record::read("(;GM[Othello]B[F5];) (;B[F5]W[F5];)").expect_err("occupied");
    assert_eq!((error.game, error.to_string().as_str()), (2, "game 2: move 2, `F5`: f5 is occupied"));
}

#[test]
fn reads_one_transcript_per_line() {
    let games = record::read(format!("# remark\n{OPTIMAL}\r\n\nF5 D6\n")).expect("legal");
    assert_eq!(games.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [60, 2]);
    let error = record::read("f5d6\n\nf5 d4\n").expect_err("occupied");
    assert_eq!((error.game, error.at, error.fault.reason()), (2, 9, "occupied"));
}

/// The positions and moves of a game that picks its moves by the numbers given.
fn game(start: Position, picks: &[u8]) -> Vec<Move> {
    let (mut position, mut moves) = (start, Vec::new());
    for &pick in picks {
        let mut legal = position.legal();
        let m = match legal.count_ones() {
            0 if position.is_over() => break,
            0 => Move::PASS,
            count => {
                for _ in 0..u32::from(pick) % count {
                    legal &= legal - 1;
                }
                Move::at(legal.trailing_zeros()).expect("a square")
            }
        };
        position.play(m);
        moves.push(m);
    }
    moves
}

/// Any valid board.
fn positions() -> impl Strategy<Value = Position> {
    (any::<u64>(), any::<u64>(), any::<bool>()).prop_map(|(occupied, colour, first)| {
        let occupied = occupied | 0x0000_0018_1800_0000;
        let side = if first { Side::First } else { Side::Second };
        Position::new(occupied & colour, occupied & !colour, side).expect("possible")
    })
}

/// Text close to the grammar, which reaches deeper into the parsers than random bytes.
fn near_text() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop_oneof![
        Just(b"(;".to_vec()),
        Just(b";)".to_vec()),
        Just(b"GM[Othello]".to_vec()),
        Just(b"BO[8 ".to_vec()),
        Just(b"---------------------------O*------*O--------------------------- *]".to_vec()),
        Just(b"---------------------------OX------XO--------------------------- X".to_vec()),
        Just(b"B[F5/1.5/2]".to_vec()),
        Just(b"W[d6]".to_vec()),
        Just(b"C[\\]]".to_vec()),
        Just(b"f5d6c3".to_vec()),
        Just(b"pa".to_vec()),
        Just(b"; d3:+2;".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

fn read_everything(text: &[u8]) {
    let within = |at: usize| assert!(at <= text.len(), "{at} of {}", text.len());
    if let Err(error) = parse_position(text) {
        within(error.at);
    }
    if let Err(error) = parse_move(text) {
        within(error.at);
    }
    if let Err(error) = parse_transcript(&Position::START, text) {
        within(error.at);
    }
    if let Err(error) = parse_obf_line(text) {
        within(error.at);
    }
    match record::read(text) {
        Err(error) => within(error.at),
        Ok(games) if text.windows(2).any(|pair| pair == b"(;") => {
            let written: String = games.iter().map(Record::ggf).collect();
            assert_eq!(record::read(written), Ok(games));
        }
        Ok(_) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn parsers_survive_random_bytes(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        read_everything(&text);
    }

    #[test]
    fn parsers_survive_random_text(text in near_text()) {
        read_everything(&text);
    }

    #[test]
    fn positions_round_trip(position in positions()) {
        prop_assert_eq!(parse_position(position.to_string()), Ok(position));
        let dotted = position.to_string().replace('-', ".").replace('X', "*").replace(' ', "").to_lowercase();
        prop_assert_eq!(parse_position(dotted), Ok(position));
        let problem = Problem { position, scores: Vec::new() };
        prop_assert_eq!(parse_obf_line(format!("{position};")), Ok(Some(problem)));
    }

    #[test]
    fn games_round_trip_as_transcripts(picks in proptest::collection::vec(any::<u8>(), 0..70)) {
        let moves = game(Position::START, &picks);
        let passes: String = moves.iter().map(Move::to_string).collect();
        prop_assert_eq!(parse_transcript(&Position::START, &passes), Ok(moves.clone()));
        prop_assert_eq!(parse_transcript(&Position::START, passes.to_uppercase()), Ok(moves.clone()));
        // A pass at the end that no move follows is not implied by the transcript.
        let mut trimmed = moves;
        while trimmed.last() == Some(&Move::PASS) {
            trimmed.pop();
        }
        let transcript = notation::format_transcript(&trimmed);
        prop_assert_eq!(parse_transcript(&Position::START, transcript), Ok(trimmed));
    }

    #[test]
    fn games_round_trip_as_ggf(
        start in positions(),
        picks in proptest::collection::vec(any::<u8>(), 0..70),
        notes in proptest::collection::vec((any::<Option<i16>>(), any::<Option<u16>>()), 70),
        remarks in proptest::collection::vec((any::<usize>(), "[A-Z][A-Z0-9]{2,4}", ".{0,12}"), 0..5),
    ) {
        let mut record = Record::new(start, game(start, &picks));
        for (noted, (eval, seconds)) in record.moves.iter_mut().zip(notes) {
            noted.eval = eval.map(|eval| f64::from(eval) / 100.0);
            noted.seconds = seconds.map(|seconds| f64::from(seconds) / 1000.0);
        }
        let mut places: Vec<usize> = remarks.iter().map(|(place, ..)| place % (record.moves.len() + 1)).collect();
        places.sort_unstable();
        let tags = places.into_iter().zip(remarks);
        record.tags = tags.map(|(after, (_, name, value))| Tag { after, name, value }).collect();
        prop_assert_eq!(record::read(record.ggf()), Ok(vec![record]));
    }
}
