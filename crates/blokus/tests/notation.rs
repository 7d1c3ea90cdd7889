//! Positions and moves as text, in both dialects.

use std::collections::HashMap;

use banmen_blokus::notation::{Fault, fpt, parse_move};
use banmen_blokus::{Blokus, Cell, Move, PLACEMENTS, record};
use banmen_game::laws::Laws;
use banmen_game::{Fault as Kind, Game, Notation, Side};
use proptest::prelude::*;

#[test]
fn codes_denote_the_published_cells() {
    let published = [
        ("56t2", "e8,d9,e9,e10,f10"),
        ("65u0", "f9,e10,f10,g10,f11"),
        ("66p4", "f8,f9,e10,f10,g10"),
        ("64r2", "e10,f10,f11,g11,g12"),
        ("55t2", "e9,d10,e10,e11,f11"),
        ("a4t3", "j10,j11,k11,i12,j12"),
    ];
    for (code, cells) in published {
        let m = parse_move(cells).expect("a move");
        assert_eq!(fpt::parse(code), Ok(m), "{code}");
        assert_eq!((fpt::format(m).as_str(), m.to_string().as_str()), (code, cells));
        assert_eq!(parse_move(code), Ok(m));
    }
}

#[test]
fn all_codes_denote_all_placements() {
    const PLACES: &str = "123456789abcde";
    let mut codes: HashMap<Move, Vec<String>> = HashMap::new();
    for (x, y) in PLACES.chars().flat_map(|x| PLACES.chars().map(move |y| (x, y))) {
        for (piece, number) in ('a'..='u').flat_map(|piece| (0..8).map(move |number| (piece, number))) {
            let code = format!("{x}{y}{piece}{number}");
            match fpt::parse(&code) {
                Ok(m) => {
                    assert_eq!(fpt::parse(&code.to_ascii_uppercase()), Ok(m));
                    assert_eq!(parse_move(&code), Ok(m), "{code}");
                    codes.entry(m).or_default().push(code);
                }
                Err(error) => assert_eq!((error.at, error.fault.reason()), (0, "off_the_board"), "{code}"),
            }
        }
    }
    assert_eq!((codes.len(), codes.values().map(Vec::len).sum::<usize>()), (PLACEMENTS, 26_008));
    for (m, mut codes) in codes {
        codes.sort_by_key(|code| code[3..].to_owned());
        assert_eq!(fpt::format(m), codes[0], "the smallest orientation of {codes:?}");
    }
    assert_eq!((fpt::parse("0000"), fpt::format(Move::PASS).as_str()), (Ok(Move::PASS), "0000"));
}

#[test]
fn moves_are_read_in_any_order_and_case() {
    let m = parse_move("f9,e10,f10,g10,f11").expect("a move");
    for text in ["F11,f10,F9,g10,e10", " f9 , e10,f10,g10 ,f11 ", "65U3"] {
        assert_eq!(parse_move(text), Ok(m), "{text}");
    }
    assert_eq!((parse_move("PASS"), parse_move(" 0000")), (Ok(Move::PASS), Ok(Move::PASS)));
    for m in Move::placements() {
        assert_eq!(parse_move(&m.to_string()), Ok(m));
    }
}

#[test]
fn texts_that_are_no_move_are_refused_with_the_place() {
    let refused = |text: &str| {
        let error = parse_move(text).expect_err(text);
        (error.at, error.fault.reason())
    };
    assert_eq!(refused(""), (0, "not_a_cell"));
    assert_eq!(refused("e10,"), (4, "not_a_cell"));
    assert_eq!(refused("e10,f"), (4, "not_a_cell"));
    assert_eq!(refused("e10,10"), (4, "not_a_cell"));
    assert_eq!(refused("e10,o10"), (4, "off_the_board"));
    assert_eq!(refused("e10, e15"), (5, "off_the_board"));
    assert_eq!(refused("e0"), (0, "off_the_board"));
    assert_eq!(refused("e010"), (0, "off_the_board"));
    assert_eq!(refused("e999"), (0, "off_the_board"));
    assert_eq!(refused("e10,f10,E10"), (8, "cell_twice"));
    assert_eq!(refused("e10,g10"), (0, "no_piece"));
    assert_eq!(refused("e10,f10,g10,h10,i10,j10"), (0, "no_piece"));
    assert_eq!(refused(" e10 f10"), (1, "not_a_cell"));
    assert_eq!(refused("é1"), (0, "not_a_cell"));
    assert_eq!(refused("f5a0"), (0, "not_a_code"));
    assert_eq!(refused(" 5fa0"), (2, "not_a_code"));
    assert_eq!(refused("55v0"), (2, "not_a_code"));
    assert_eq!(refused("55a8"), (3, "not_a_code"));
    assert_eq!(refused("15e2"), (0, "off_the_board"));
    assert_eq!(fpt::parse("55a00").map_err(|error| error.at), Err(4));
    assert_eq!(fpt::parse("55").map_err(|error| error.at), Err(2));
    assert_eq!(fpt::parse("55é").map_err(|error| error.at), Err(2));
    let message = parse_move("e10,g10").expect_err("no piece").to_string();
    assert_eq!(message, "the cells form none of the 21 pieces");
    assert_eq!(parse_move("e10,x").expect_err("no cell").fault, Fault::NotACell { found: "x".to_owned() });
}

#[test]
fn keeps_the_laws_of_notation() {
    for game in [Blokus::STANDARD, Blokus::FREE_START, Blokus::CONTEST] {
        Laws { games: 4, moves: 30, seed: 1 }.notation(&game);
    }
}

/// The board of Pentobi's example record.
const EXAMPLE: &str = "............../............../............../.....b......../....bbb......./.....b......../\
                       ............../............../........w...../.......www..../........w...../............../\
                       ............../.............. b";

#[test]
fn positions_are_read_in_either_case() {
    let game = Blokus::STANDARD;
    let (_, position) = game.parse_position(EXAMPLE).expect("a position");
    assert_eq!(position.to_string(), EXAMPLE);
    assert_eq!((position.placements(), position.score(Side::First)), (2, 5));
    let (_, same) =
        game.parse_position(&format!("  {}\n", EXAMPLE.to_uppercase().replace(" B", "\tB"))).expect("a position");
    assert_eq!(same, position);
    let record = "(;GM[Blokus Duo];B[f9,e10,f10,g10,f11];W[i4,h5,i5,j5,i6])";
    assert_eq!(game.parse_position(record), Ok((game, position)));
}

#[test]
fn texts_that_are_no_position_are_refused_with_the_place() {
    let refused = |text: &str| {
        let error = Blokus::STANDARD.parse_position(text).expect_err(text);
        (error.at, error.reason)
    };
    let (board, last) = (&EXAMPLE[..EXAMPLE.len() - 2], EXAMPLE.len());
    assert_eq!(refused(""), (0, "columns"));
    assert_eq!(refused(&EXAMPLE.replacen('.', "", 1)), (13, "columns"));
    assert_eq!(refused(&EXAMPLE.replacen('.', "..", 1)), (14, "columns"));
    assert_eq!(refused(&EXAMPLE.replacen('.', "x", 1)), (0, "not_a_square"));
    assert_eq!(refused(&EXAMPLE.replacen("./.", ".b.", 1)), (14, "columns"));
    assert_eq!(refused(&board[..board.len() - 15]), (194, "rows"));
    assert_eq!(refused(&format!("{board}/..............")), (210, "rows"));
    assert_eq!(refused(board), (209, "no_side"));
    assert_eq!(refused(&format!("{board} x")), (210, "not_a_side"));
    assert_eq!(refused(&format!("{board} bw")), (210, "not_a_side"));
    assert_eq!(refused(&format!("{EXAMPLE} b")), (last + 1, "not_last"));
    assert_eq!(refused(&format!("{EXAMPLE} wb")), (last + 1, "not_last"));
    assert_eq!(refused(&format!("{EXAMPLE} b x")), (last + 3, "trailing"));
    // The cell at fault, counted in characters.
    assert_eq!(refused(&EXAMPLE.replacen(".....b", "b....b", 1)), (45, "apart"));
    assert_eq!(refused(&EXAMPLE.replacen("bbb", "b.b", 1)), (64, "piece_twice"));
    assert_eq!(refused(&EXAMPLE.replacen("bbb.", "bbbb", 1)), (50, "no_piece"));
    assert_eq!(refused(&EXAMPLE.replacen(".www", "www.", 1)), (128, "no_start"));
    assert_eq!(refused("(;GM[Blokus Duo]C[盤];B[a1])"), (23, "no_start"));
    assert_eq!(refused("(;GM[Othello])"), (5, "other_game"));
    let games = "(;GM[Blokus Duo];B[e10])(;GM[Blokus Duo];B[e10];W[j5])";
    let error = Blokus::STANDARD.parse_position(games).expect_err("two games");
    assert_eq!((error.at, error.reason), (0, "several_games"));
    assert_eq!(error.message, "the text has 2 games, a position is one");
}

#[test]
fn illegal_moves_are_refused_with_the_place() {
    let game = Blokus::STANDARD;
    let (_, position) = game.parse_position(EXAMPLE).expect("a position");
    let refused = |text: &str| {
        let error = game.parse_move(&position, text).expect_err(text);
        assert!(error.fault == Kind::Illegal || error.fault == Kind::Unreadable);
        (error.at, error.reason, error.message)
    };
    let text = |at, reason, message: &str| (at, reason, message.to_owned());
    assert_eq!(refused("a1,b1"), text(0, "no_corner", "the piece touches no corner of a piece of the same colour"));
    assert_eq!(refused("g11,g12,h12,g11"), text(12, "cell_twice", "g11 is named twice"));
    assert_eq!(refused("h12,g12,f12"), text(8, "edge", "f12 shares an edge with a piece of the same colour"));
    assert_eq!(refused("h9, h8,h7,h6,i6"), text(13, "occupied", "i6 is occupied"));
    assert_eq!(refused("h12,g12,h11,h13,i12"), text(0, "piece_used", "piece X has been placed before"));
    assert_eq!(
        refused("h12,h13,h15"),
        text(8, "off_the_board", "`h15` is off the board of columns a to n and rows 1 to 14")
    );
    let pass = refused("pass");
    assert_eq!(pass.1, "pass_not_allowed");
    assert!(pass.2.starts_with("passing is not allowed while a piece can be placed, such as "), "{}", pass.2);
    let example = pass.2.rsplit(' ').next().expect("a move");
    assert!(game.parse_move(&position, example).is_ok(), "{example}");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_inside_it(text in "[a-o0-9,;()\\[\\] BW/.wb盤]{0,60}") {
        let game = Blokus::STANDARD;
        let length = text.chars().count();
        if let Err(error) = game.parse_move(&game.start(), &text) {
            prop_assert!(error.at <= length && !error.message.is_empty());
        }
        if let Err(error) = game.parse_position(&text) {
            prop_assert!(error.at <= length && !error.message.is_empty());
        }
    }

    #[test]
    fn any_cells_are_a_piece_or_none(cells in proptest::collection::vec((0u8..14, 0u8..14), 1..6)) {
        let cells: Vec<Cell> = cells.into_iter().filter_map(|(x, y)| Cell::at(x, y)).collect();
        let set: banmen_blokus::Cells = cells.iter().copied().collect();
        let text = cells.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        match parse_move(&text) {
            Ok(m) => prop_assert_eq!(m.cells(), set),
            Err(error) if set.count() as usize == cells.len() => prop_assert_eq!(error.fault, Fault::NoPiece),
            Err(error) => prop_assert_eq!(error.fault.reason(), "cell_twice"),
        }
    }

    /// A record with one character changed is read or refused, and what is read is written and read as the same.
    #[test]
    fn damaged_records_are_read_or_refused(at in 0usize..76, put in "[a-n0-9,;()\\[\\]BW]") {
        let record = "(;GM[Blokus Duo];B[f9,e10,f10,g10,f11](;W[i4,h5,i5,j5,i6]C[x])(;W[j5];B[h8]))";
        let text = format!("{}{put}{}", &record[..at], &record[at + 1..]);
        match record::read(&Blokus::STANDARD, &text) {
            Err(error) => prop_assert!(error.at <= text.len() && error.game <= 2),
            Ok(records) => {
                let written: String = records.iter().map(record::Record::blksgf).collect();
                prop_assert_eq!(record::read(&Blokus::STANDARD, &written), Ok(records));
            }
        }
    }
}
