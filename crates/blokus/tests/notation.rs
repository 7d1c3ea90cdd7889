//! Moves as text, in both dialects.

use std::collections::HashMap;

use banmen_blokus::notation::{Fault, fpt, parse_move};
use banmen_blokus::{Move, PLACEMENTS};

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
        for (piece, turn) in ('a'..='u').flat_map(|piece| (0..8).map(move |turn| (piece, turn))) {
            let code = format!("{x}{y}{piece}{turn}");
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
