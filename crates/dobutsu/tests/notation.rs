//! Positions, moves and records as text: golden lines, malformed texts with the location of the error, and random ones.

use banmen_dobutsu::Dobutsu;
use banmen_dobutsu::board::{Piece, Square};
use banmen_dobutsu::notation::{Dialect, format_move, format_position, parse_move, parse_position};
use banmen_dobutsu::position::{Cell, Move, Position};
use banmen_dobutsu::record::{self, Record, RecordFault};
use banmen_game::{Fault, Game, Notation, Side};
use proptest::prelude::*;

/// The start in each dialect, in the order of [`Dialect::ALL`].
const START: [&str; 6] = [
    "gle/1c1/1C1/ELG b - 1",
    "gle/1c1/1C1/ELG[] w - - 0 1",
    "rkb/1p1/1P1/BKR b - 1",
    "S/gle/-c-/-C-/ELG/-",
    "-KI-LI-ZO\n . -HI . \n . +HI . \n+ZO+LI+KI\n000000\n+",
    "後手の持駒：なし\n  Ａ Ｂ Ｃ\n+---------+\n|vキvラvゾ|１\n| ・vヒ ・|２\n| ・ ヒ ・|３\n| ゾ ラ キ|４\n+---------+\n\
     先手の持駒：なし\n先手番",
];

/// The position after these moves from the start.
fn after(moves: &[&str]) -> Position {
    let mut position = Position::START;
    for text in moves {
        let m = parse_move(Dobutsu::CATCH, &position, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        position.play(m);
    }
    position
}

#[test]
fn the_start_is_written_in_every_dialect() {
    for (dialect, text) in Dialect::ALL.into_iter().zip(START) {
        assert_eq!(format_position(&Position::START, dialect), text);
        assert_eq!(parse_position(text), Ok(Position::START));
    }
    // The FEN as in the program's variants file, and without counters.
    assert_eq!(parse_position("gle/1c1/1C1/ELG[-] w 0 1"), Ok(Position::START));
    assert_eq!(parse_position("gle/1c1/1C1/ELG[] w"), Ok(Position::START));
    assert_eq!(parse_position(" gle/1c1/1C1/ELG b"), Ok(Position::START));
}

/// A chick captures and an elephant recaptures. pyffish 0.0.90 prints the FEN after the first move.
#[test]
fn hands_and_moves_are_written_in_every_dialect() {
    let first = after(&["2c2b"]);
    assert_eq!(format_position(&first, Dialect::Fen), "gle/1C1/3/ELG[C] b - - 0 1");
    let position = after(&["2c2b", "1a2b"]);
    assert_eq!(format_position(&position, Dialect::Sfen), "gl1/1e1/3/ELG b Cc 1");
    assert_eq!(format_position(&position, Dialect::Lishogi), "rk1/1b1/3/BKR b Pp 1");
    assert_eq!(format_position(&position, Dialect::Clausecker), "S/gl-/-e-/---/ELG/Cc");
    let drop = Move::Drop { piece: Piece::Chick, to: Square::at(1, 2).expect("a square") };
    let step = Move::Step { from: Square::at(0, 3).expect("a square"), to: Square::at(1, 2).expect("a square") };
    for (m, texts) in [
        (drop, ["C*2c", "C@b2", "P*2c", "C*b3", "+00B3HI", "B3ひよこ打"]),
        (step, ["3d2c", "a1b2", "3d2c", "Ea4-b3", "+A4B3ZO", "B3ぞう(A4)"]),
    ] {
        for (dialect, text) in Dialect::ALL.into_iter().zip(texts) {
            assert_eq!(format_move(&position, m, dialect), text);
            assert_eq!(parse_move(Dobutsu::CATCH, &position, text), Ok(m), "{text}");
        }
    }
    for text in ["▲B3ゾウ", "☗Ｂ３ぞう（Ａ４）", "先手B3ぞう"] {
        assert_eq!(parse_move(Dobutsu::CATCH, &position, text), Ok(step), "{text}");
    }
    assert_eq!(parse_move(Dobutsu::CATCH, &position, "▲B3ひよこ"), Ok(drop));
}

#[test]
fn promotions_may_leave_out_their_sign() {
    let position = parse_position("l2/2C/L2/3 b EGcge 1").expect("a position");
    let m = Move::Step { from: Square::at(2, 1).expect("a square"), to: Square::at(2, 0).expect("a square") };
    let texts = ["1b1a+", "c3c4+", "1b1a+", "Cc2-c1+", "+C2C1NI", "C1ひよこ成(C2)"];
    for (dialect, text) in Dialect::ALL.into_iter().zip(texts) {
        assert_eq!(format_move(&position, m, dialect), text);
    }
    let shorter = ["1b1a", "c3c4", "Cc2-c1", "+C2C1HI", "C1ひよこ"];
    for text in texts.into_iter().chain(shorter) {
        assert_eq!(parse_move(Dobutsu::CATCH, &position, text), Ok(m), "{text}");
    }
    let mut next = position;
    next.play(m);
    assert_eq!(format_position(&next, Dialect::Sfen), "l1+C/3/L2/3 w GEgec 1");
    assert_eq!(format_position(&next, Dialect::Clausecker), "G/l-R/---/L--/---/EGceg");
}

/// The beginning of the published line of 78 plies.
#[test]
fn a_published_line_is_read() {
    let moves = "Lb4-a3 Ga1-a2 La3-b4 Cb2xb3 Ea4xb3 Ec1-b2 Eb3xa2 Lb1xa2 G*b3 E*c2 Gb3xb2 La2xb2 E*a3 Lb2-a2 Gc4-c3 \
                 C*b2 Ea3xb2 La2xb2 C*b3 Lb2-b1 Lb4-a3 G*a2 La3-b4 E*a3 Lb4-a4 Lb1-c1 Gc3-c4 Ea3-b2";
    let position = after(&moves.split(' ').collect::<Vec<_>>());
    assert_eq!(Dobutsu::CATCH.outcome(&position, &Default::default()), None);
}

#[test]
fn bad_positions_are_refused_with_reason_and_place() {
    for line in include_str!("data/positions-bad.txt").lines().filter(|line| !line.starts_with('#')) {
        let row: Vec<&str> = line.split('\t').collect();
        let error = parse_position(row[2]).expect_err(row[2]);
        let stated = (row[0], row[1].parse().expect("a place"));
        assert_eq!((error.fault.reason(), error.at), stated, "{}: {error}", row[2]);
    }
    for (reason, text) in [
        ("row_length", START[4].replace("+ZO+LI+KI", "+ZO+LI")),
        ("bad_piece", START[4].replace("+ZO", "+XX")),
        ("bad_hand", START[4].replace("000000", "00000")),
        ("no_side", START[4].replace("\n+", "\n").replace("ZO+LI", "+ZO+LI")),
        ("two_lions", START[4].replace("-ZO", "-LI").replace("000000", "010000")),
        ("wrong_count", START[4].replace("000000", "100000")),
        ("row_length", START[5].replace("| ゾ ラ キ|", "| ゾ ラ|")),
        ("bad_piece", START[5].replace("ヒ", "ホ")),
        ("bad_hand", START[5].replace("先手の持駒：なし", "先手の持駒：犬")),
        ("no_side", START[5].replace("先手番", "")),
        ("no_lion", START[5].replace(" ラ", " ・")),
    ] {
        let error = parse_position(&text).expect_err(&text);
        assert_eq!(error.fault.reason(), reason, "{text}: {error}");
    }
}

#[test]
fn bad_moves_are_refused_with_the_rule() {
    let start = Position::START;
    for (text, reason) in [
        ("", "not_a_move"),
        ("2c", "not_a_move"),
        ("hello", "not_a_move"),
        ("X*2b", "not_a_move"),
        ("L*2b", "not_a_move"),
        ("2c2bx", "trailing"),
        ("2c2e", "off_the_board"),
        ("b2d2", "off_the_board"),
        ("b2b5", "off_the_board"),
        ("C*4a", "off_the_board"),
        ("+D1A1HI", "off_the_board"),
        ("Cb3xb9", "off_the_board"),
        ("D1ひよこ", "off_the_board"),
        ("B2いぬ", "not_a_move"),
        ("3c3b", "empty_square"),
        ("2b2c", "not_yours"),
        ("2c2a", "unreachable"),
        ("2d3d", "occupied"),
        ("C*3b", "not_in_hand"),
        ("2c2b+", "no_promotion"),
        ("Eb3xb2", "other_piece"),
        ("Cb3-b2", "capture_sign"),
        ("+B3B2KI", "other_piece"),
        ("-B2B3HI", "other_side"),
        ("△B3ひよこ", "other_side"),
        ("B3きりん", "not_in_hand"),
    ] {
        let error = parse_move(Dobutsu::CATCH, &start, text).expect_err(text);
        assert_eq!(error.fault.reason(), reason, "{text}: {error}");
    }
    let reason = |game: Dobutsu, position: &Position, text: &str| {
        parse_move(game, position, text).expect_err(text).fault.reason()
    };
    assert_eq!(reason(Dobutsu::CATCH, &after(&["2c2b", "1a2b"]), "C*2b"), "occupied");
    let checked = parse_position("l2/3/1c1/1LG b 2EGC 1").expect("a position");
    assert_eq!(reason(Dobutsu::LEGAL, &checked, "1d1c"), "leaves_lion");
    assert!(parse_move(Dobutsu::CATCH, &checked, "1d1c").is_ok());
    // The same position with the other side to move, which could catch the lion at once.
    let waiting = "l2/3/1c1/1LG w 2EGC 1";
    assert_eq!(Dobutsu::LEGAL.parse_position(waiting).expect_err(waiting).reason, "waiting_in_check");
    assert!(Dobutsu::CATCH.parse_position(waiting).is_ok());
    let over = parse_position("L2/3/1l1/3 w 2C2E2G 1").expect("a position");
    assert_eq!(reason(Dobutsu::CATCH, &over, "2c2b"), "game_over");
}

/// Each dialect counts files and ranks in its own way.
#[test]
fn reasons_name_squares_as_the_move_does() {
    let message = |text: &str| parse_move(Dobutsu::CATCH, &Position::START, text).expect_err(text).to_string();
    for (texts, expected) in [
        (["2c2a", "b2b4"], ["the chick does not move from 2c to 2a", "the chick does not move from b2 to b4"]),
        (["Cb3xb1", "+B3B1HI"], ["the chick does not move from b3 to b1", "the chick does not move from B3 to B1"]),
        (["3c3b", "a2a3"], ["no piece stands on 3c", "no piece stands on a2"]),
        (["B1ひよこ(B3)", "2b2c"], ["the chick does not move from B3 to B1", "the piece on 2b is the other side's"]),
        (["2d3d", "b1a1"], ["3d is occupied", "a1 is occupied"]),
    ] {
        assert_eq!(texts.map(message), expected);
    }
}

/// The contract distinguishes illegal moves from unreadable texts.
#[test]
fn contract_distinguishes_faults() {
    let game = Dobutsu::CATCH;
    let fault = |text: &str| game.parse_move(&game.start(), text).expect_err(text).fault;
    assert_eq!((fault("zz"), fault("3c3b"), fault("C*3b")), (Fault::Unreadable, Fault::Illegal, Fault::Illegal));
    let fault = |text: &str| game.parse_position(text).expect_err(text).fault;
    assert_eq!((fault("zz"), fault("g1e/1c1/1C1/ELG b - 1")), (Fault::Unreadable, Fault::Impossible));
}

const KIF: &str = "\
先手：甲
後手：乙
手数----指手---------
*before the game
   1 B2ひよこ(B3) (0:01/00:00:01)
*takes
   2 B2ぞう(C1)
   3 A3ひよこ打
   4 投了
";

#[test]
fn records_are_read_and_written() {
    let game = record::read(Dobutsu::CATCH, KIF).expect("a record");
    assert_eq!((game.header("先手"), game.header("後手"), game.header("棋戦")), (Some("甲"), Some("乙"), None));
    assert_eq!(game.moves.len(), 3);
    assert_eq!(game.moves[0].time.as_deref(), Some("0:01/00:00:01"));
    assert_eq!((game.remarks.len(), game.moves[0].remarks.as_slice()), (1, &["takes".to_owned()][..]));
    assert_eq!(format_position(&game.end_position(), Dialect::Sfen), "gl1/1e1/C2/ELG w c 1");
    assert_eq!(game.kif(), KIF);
    let other = "開始局面：l2/3/L2/3 b 2C2E2G 1\n1 P*2b\n#note\nまで1手\n";
    let game = record::read(Dobutsu::CATCH, other).expect("a record");
    assert_eq!(format_position(&game.start, Dialect::Sfen), "l2/3/L2/3 b 2G2E2C 1");
    assert_eq!(record::read(Dobutsu::CATCH, &game.kif()), Ok(game));
}

#[test]
fn times_in_brackets_are_read() {
    let text = "1 B2ひよこ(B3)   ( 0:01 / 00:00:01 )  \n2 B2ぞう(C1)\n3 投了  ( 0:02/00:00:03)\n";
    let game = record::read(Dobutsu::CATCH, text).expect("a record");
    assert_eq!(game.moves[0].time.as_deref(), Some("0:01 / 00:00:01"));
    assert_eq!((game.moves[1].time.as_deref(), game.end.as_deref()), (None, Some("投了")));
}

#[test]
fn bad_records_are_refused_with_line_and_place() {
    let not_a_time = |found: &str| RecordFault::NotATime { found: found.to_owned() };
    for (text, line, at, fault) in [
        ("hello\n", 1, 0, None),
        ("   1 B2ひよこ(B3)\n   3 B2ぞう(C1)\n", 2, 3, Some(RecordFault::WrongNumber { found: 3, before: 1 })),
        ("1 B2ひよこ(B3)\n開始局面：gle/1c1/1C1/ELG b - 1\n", 2, 0, Some(RecordFault::LateStart)),
        ("1 投了\n1 B2ひよこ(B3)\n", 2, 0, Some(RecordFault::AfterEnd)),
        ("開始局面：gle/1c1/1X1/ELG b - 1\n", 1, 14, None),
        ("\n 1  B2いぬ\n", 2, 4, None),
        ("1\n", 1, 1, None),
        (" 1 B2ひよこ(B3)  good move\n", 1, 14, Some(not_a_time("good move"))),
        ("1 B2ひよこ(B3) (0:01/00:00:01)+\n", 1, 12, Some(not_a_time("(0:01/00:00:01)+"))),
        ("1 B2ひよこ(B3) (0:01\n", 1, 12, Some(not_a_time("(0:01"))),
        ("1 投了 後手\n", 1, 5, Some(not_a_time("後手"))),
    ] {
        let error = record::read(Dobutsu::CATCH, text).expect_err(text);
        assert_eq!((error.line, error.at), (line, at), "{text}: {error}");
        if let Some(fault) = fault {
            assert_eq!(error.fault, fault);
        }
    }
}

/// The moves of a game, with each move chosen by the next number.
fn game(picks: &[u8]) -> Vec<Move> {
    let (mut position, mut moves) = (Position::START, Vec::new());
    for &pick in picks {
        let legal = Dobutsu::CATCH.moves(&position);
        let Some(&m) = legal.get(usize::from(pick) % legal.len().max(1)) else { break };
        position.play(m);
        moves.push(m);
    }
    moves
}

/// Any position with both lions on the board.
fn positions() -> impl Strategy<Value = Position> {
    let pieces = proptest::collection::vec((any::<bool>(), 0..3u8), 6);
    (Just((0..12).collect::<Vec<usize>>()).prop_shuffle(), pieces, any::<bool>()).prop_map(
        |(squares, pieces, first)| {
            let side = |first| if first { Side::First } else { Side::Second };
            let mut cells: [Cell; 12] = [None; 12];
            let mut hands = [[0; 4]; 2];
            cells[squares[0]] = Some((Side::First, Piece::Lion));
            cells[squares[1]] = Some((Side::Second, Piece::Lion));
            for (index, (owner, place)) in pieces.into_iter().enumerate() {
                let piece = Piece::DROPPED[index / 2];
                match place {
                    0 => hands[side(owner).index()][piece.index()] += 1,
                    1 if piece == Piece::Chick => cells[squares[index + 2]] = Some((side(owner), Piece::Hen)),
                    _ => cells[squares[index + 2]] = Some((side(owner), piece)),
                }
            }
            Position::new(&cells, hands, side(first)).expect("a position")
        },
    )
}

/// Text close to the grammars, which gets further into the parsers than random characters.
fn near_text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        proptest::sample::select(START.to_vec()).prop_map(str::to_owned),
        proptest::sample::select(vec![
            "gle/", "1c1/", "1C1/", "ELG", "[Cc]", " b ", " w ", "-", "S/", "-c-/", "+HI", "-LI"
        ])
        .prop_map(str::to_owned),
        proptest::sample::select(vec![
            "2c2b",
            "b2b3",
            "C*2b",
            "C@b3",
            "Cb3xb2",
            "+B3B2HI",
            "▲B2ひよこ",
            "1 ",
            "\n",
            "先手："
        ])
        .prop_map(str::to_owned),
        proptest::sample::select(vec![
            "先手番",
            "後手の持駒：",
            "ひよこ2",
            "|",
            "vキ",
            " ・",
            "開始局面：",
            "+",
            "成",
            "打",
            "(B3)"
        ])
        .prop_map(str::to_owned),
        "\\PC{0,5}",
    ];
    proptest::collection::vec(pieces, 0..10).prop_map(|pieces| pieces.concat())
}

fn read_everything(text: &str) {
    let length = text.chars().count();
    if let Err(error) = parse_position(text) {
        assert!(error.at <= length, "{error} at {} of {length}", error.at);
    }
    if let Err(error) = parse_move(Dobutsu::CATCH, &Position::START, text) {
        assert!(error.at <= length, "{error} at {} of {length}", error.at);
    }
    if let Ok(read) = record::read(Dobutsu::CATCH, text) {
        assert_eq!(record::read(Dobutsu::CATCH, &read.kif()), Ok(read));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_breaks_a_reader(text in "\\PC{0,80}") {
        read_everything(&text);
    }

    #[test]
    fn no_broken_text_breaks_a_reader(text in near_text()) {
        read_everything(&text);
    }

    #[test]
    fn positions_round_trip(position in positions()) {
        for dialect in Dialect::ALL {
            let text = format_position(&position, dialect);
            prop_assert_eq!(parse_position(&text), Ok(position), "{}", text);
        }
        prop_assert_eq!(position.turned().turned(), position);
        prop_assert_eq!(position.mirrored().mirrored(), position);
        for m in Dobutsu::CATCH.moves(&position) {
            for dialect in Dialect::ALL {
                let text = format_move(&position, m, dialect);
                prop_assert_eq!(parse_move(Dobutsu::CATCH, &position, &text), Ok(m), "{}", text);
            }
        }
    }

    #[test]
    fn records_round_trip(picks in proptest::collection::vec(any::<u8>(), 0..60)) {
        let record = Record::new(Position::START, game(&picks));
        prop_assert_eq!(record::read(Dobutsu::CATCH, &record.kif()), Ok(record));
    }
}
