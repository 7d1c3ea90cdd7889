//! Positions, maps and moves as text: what is read, and what is refused with its line or place and its reason.

use std::collections::BTreeSet;

use banmen_catalog::Error;
use banmen_game::{Fault, Game, Notation, Side, TextError};
use banmen_tubstap::notation::{Map, parse_map};
use banmen_tubstap::{Cell, Kind, Position, Tubstap, encoding, maps, random_map};

fn read(text: &str) -> (Tubstap, Position) {
    maps::standard().parse_position(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refusal(text: &str) -> TextError {
    maps::standard().parse_position(text).expect_err(text)
}

/// The message for a position that is refused, with its place.
fn complaint(text: &str) -> String {
    Error::position(text, &refusal(text)).message
}

const LINE: &str = "SIZE 6 5 LIMIT 9 THRESHOLD 2 TERRAIN 000000/011130/012140/011110/000000 TURN 2 SIDE 0 UNITS \
                    0:I:0:1,1:10:0 1:dead 2:F:1:2,2:3:1";

#[test]
fn reads_a_position_in_one_line() {
    let (game, position) = read(LINE);
    assert_eq!((game.limit(), game.threshold(), position.turn(), position.side()), (9, 2, 2, Side::First));
    assert_eq!(game.format_position(&position, ""), LINE);
    let unit = position.unit(2).expect("the fighter");
    assert_eq!((unit.kind, unit.side, Some(unit.cell)), (Kind::Fighter, Side::Second, Cell::new(2, 2)));
    assert_eq!((unit.hp, unit.acted), (3, true));
    assert_eq!((position.unit(1), position.unit_count()), (None, 3));
    // The parts come in any order and case, separated by any whitespace.
    let parts = "units 0:i:0:1,1:10:0 1:dead 2:f:1:2,2:3:1\n turn 2\tlimit 9 THRESHOLD 2\nterrain \
                 000000/011130/012140/011110/000000";
    assert_eq!(read(parts), (game, position));
}

/// What a text leaves out is as in the rules that read it; a position of the same rules keeps their start.
#[test]
fn takes_what_is_left_out_from_the_rules() {
    let game = maps::standard();
    let mut position = game.start();
    game.play(&mut position, game.moves(&game.start())[0]);
    let text = game.format_position(&position, "");
    let (again, same) = read(&text[text.find("TURN").expect("a turn")..]);
    assert_eq!((&again, same), (&game, position));
    assert_eq!(again.start(), game.start());
    // Other units make another start.
    let (other, start) = read("UNITS 0:I:0:1,1:10:0 1:I:1:1,2:10:0");
    assert_eq!((other.start(), &other), (start, &game));
}

#[test]
fn reads_maps_by_name_with_other_limits() {
    let (game, position) = read("map02");
    assert_eq!((game.limit(), game.threshold()), (19, 10));
    let (short, same) = read("MAP02 limit 3 threshold 0");
    assert_eq!((short.limit(), short.threshold(), same), (3, 0, position));
    assert_ne!(short, game);
    assert_eq!(read("Random:1"), read("random:1"));
    let (short, start) = read("Start LIMIT 19");
    assert_eq!((short.limit(), start), (19, maps::standard().start()));
    for (name, map) in maps::all() {
        assert_eq!(read(name).1, map.game.start(), "{name}");
        assert_eq!(read(&map.text()), (map.game.clone(), map.game.start()), "{name}");
        assert_eq!(parse_map(&map.text()).as_ref(), Ok(map), "{name}");
    }
}

/// Where no unit of a side can act the turn passes: here both sides miss their first turn.
#[test]
fn passes_the_turn_of_a_side_that_cannot_act() {
    let (game, position) = read("LIMIT 5 TERRAIN 00000/01110/00000 UNITS 0:I:0:1,1:10:1 1:I:1:3,1:10:1");
    assert_eq!((position.turn(), position.acted(), game.outcome(&position, &())), (2, 0, None));
    let (game, position) = read("LIMIT 1 TERRAIN 00000/01110/00000 UNITS 0:I:0:1,1:10:1 1:I:1:3,1:10:0");
    assert_eq!(position.turn(), 1);
    assert_eq!(game.outcome(&position, &()).map(|outcome| outcome.winner), Some(None));
}

#[test]
fn refuses_each_fault_of_a_position_with_its_place() {
    // What is replaced, by what, the text at the fault, and the reason; those that begin with `!` are impossible rather
    // than unreadable.
    let cases = [
        ("SIZE 6", "SIZE 2", "2 5", "bad_number"),
        ("SIZE 6", "SIZE 19", "19 5", "bad_number"),
        ("SIZE 6", "SIZE 7", "000000/0", "row_length"),
        ("6 5", "6 6", "000000/0", "wrong_count"),
        ("LIMIT 9", "LIMIT 0", "0 THRESH", "bad_number"),
        ("LIMIT 9", "LIMIT 1", "2 SIDE", "!turn"),
        ("THRESHOLD 2", "THRESHOLD -2", "-2", "bad_number"),
        ("011130", "011137", "7/012", "not_a_terrain"),
        ("011130", "011131", "1/012", "open_border"),
        ("SIZE 6 5 LIMIT 9 THRESHOLD 2 TERRAIN 000000/011130", "TERRAIN 000000/01113", "/012140", "row_length"),
        ("TERRAIN 000000", "TERRAIN 00/000000", "00/0", "wrong_count"),
        ("SIDE 0", "SIDE 1", "1 UNITS", "wrong_side"),
        ("SIDE 0", "TURN 2", "2 UNITS", "twice"),
        ("SIDE 0", "SIDES 0", "SIDES", "unknown_word"),
        ("SIDE 0", "SIDE", "UNITS", "bad_number"),
        ("0:I:0", "1:I:0", "1:I:0", "unit_number"),
        ("0:I:0", "+0:I:0", "+0:I:0", "unit_number"),
        ("0:I:0", "00:I:0", "00:I:0", "unit_number"),
        ("0:I:0", "0:T:0", "T:0", "unknown_kind"),
        ("0:I:0", "0:I:2", "2:1,1", "bad_number"),
        ("1,1:10", "1:10", "0:I:0:1:", "not_a_unit"),
        ("1,1:10", "1,17:10", "17:10", "bad_number"),
        ("1,1:10", "1,1:0", "0:0 1:d", "bad_number"),
        ("1,1:10", "1,1:11", "11:0", "bad_number"),
        ("10:0", "10:2", "2 1:dead", "bad_number"),
        ("1:dead", "1:gone", "1:gone", "not_a_unit"),
        ("1,1:10", "5,1:10", "0:I:0:5", "!no_entry"),
        ("1,1:10", "2,2:10", "0:I:0:2", "!on_sea"),
        ("2,2:3", "1,1:3", "2:F:1:1", "!same_cell"),
        ("0:I:0:1,1:10:0 1:dead 2:F:1:2,2:3:1", "", "UNITS", "!no_units"),
        (" UNITS 0:I:0:1,1:10:0 1:dead 2:F:1:2,2:3:1", "", "", "missing"),
    ];
    for (from, to, place, reason) in cases {
        assert!(LINE.contains(from), "{from}");
        let text = LINE.replacen(from, to, 1);
        let error = refusal(&text);
        assert_eq!(error.reason, reason.trim_start_matches('!'), "{to}: {error}");
        assert_eq!(error.fault == Fault::Impossible, reason.starts_with('!'), "{to}: {error}");
        assert!(text[error.at..].starts_with(place), "{to}: {error} at `{}`", &text[error.at..]);
    }
    for (text, reason, at) in [
        ("", "missing", 0),
        ("map99", "unknown_word", 0),
        ("map01 LIMIT", "missing", 11),
        ("map01 TURN 3", "unknown_word", 6),
        ("start TURN 3", "unknown_word", 6),
        ("map01 SIZE 8 8", "unknown_word", 6),
        ("random:x", "bad_number", 7),
    ] {
        let error = refusal(text);
        assert_eq!((error.reason, error.at), (reason, at), "{text}");
    }
    for (text, message) in [
        ("map0l", "`map0l` is not the name of a map; the nearest name is `map01`"),
        (
            "nonsense.tbsmap",
            "`nonsense.tbsmap` is not the name of a map: the name of a map, the parts of a position (SIZE to UNITS) or \
             the text of a map file is expected",
        ),
        ("GAT_", "`GAT_` is not the name of a map; the nearest name is `GAT_Ishitobi`"),
        (
            "map02 UNITS 0:I:0:3,3:10:0",
            "`UNITS` cannot follow the name of a map: only LIMIT and THRESHOLD with their numbers can",
        ),
        (&LINE.replace("6 5", "6 8"), "the height is 8, but the text has 5 rows"),
        (&LINE.replace("1,1:10", "5,1:10"), "unit 0 is on 5,1, where no unit can be: it is on or beyond the border"),
        (&LINE.replace("011130", "001130"), "unit 0 is on 1,1, where no unit can be: its terrain is 0"),
        ("SIZEX[2];", "`2` is not a possible SIZEX: a number from 3 to 18 is expected"),
    ] {
        assert_eq!(refusal(text).message, message, "{text}");
    }
    let many: String = (0..33).map(|unit| format!(" {unit}:F:0:{},{}:1:0", unit % 6 + 1, unit / 6 + 1)).collect();
    assert_eq!(refusal(&format!("UNITS{many}")).reason, "too_many_units");
}

const MAP: &str = "SIZEX[6];SIZEY[5];\nTURNLIMIT[9];HPTHRESHOLD[2];\nUNITNUMRED[1];UNITNUMBLUE[2];\nAUTHOR[x];\n\
    UNIT[1,1,infantry,0,10,0];\nUNIT[4,3,fighter,1,3,0];\nUNIT[3,3,panzer,1,8,1];\nMAP[0,0,0,0,0,0];\nMAP[0,1,1,1,3,0];\n\
    MAP[0,1,2,1,4,0];\nMAP[0,1,1,1,1,0];\nMAP[0,0,0,0,0,0];\n";

#[test]
fn reads_statements_in_any_order_and_ignores_others() {
    let (game, position) = read(MAP);
    assert_eq!((game.limit(), game.threshold(), position.unit_count()), (9, 2, 3));
    // Units and rows count in their order; the others backwards, all in one line, with other tags.
    let statements: Vec<&str> = MAP.split_inclusive(';').map(str::trim).filter(|text| !text.is_empty()).collect();
    let (kept, rest): (Vec<&str>, Vec<&str>) =
        statements.iter().partition(|text| text.starts_with("MAP[") || text.starts_with("UNIT["));
    let statements: Vec<&str> = kept.into_iter().chain(rest.into_iter().rev()).collect();
    let text = format!("COLOUR[3] MAPCOM[COM[x; UNIT]{}", statements.concat());
    assert_eq!(read(&text), (game.clone(), position));
    // A comment in Shift-JIS that was read as UTF-8.
    assert_eq!(read(&MAP.replace("AUTHOR[x];", "MAPCOM[\u{fffd}]\u{fffd}[a\u{fffd}];")), (game, position));
    let words = parse_map(&text).map(|map| (map.author, map.comment));
    assert_eq!(words, Ok(("x".to_owned(), "COM[x; UNIT".to_owned())));
}

#[test]
fn nothing_of_a_game_is_lost_in_a_position() {
    for more in [
        "TURNINFO[0,0,1];\nACTION[0,2,1,1,1,-1,0,0,1,0,0];\n",
        "ACTION[0,2,1,1,1,-1,0,0,1,0,0];",
        "PLAYERRED[A]PLAYERBLUE[B];",
        "PLAYEDDATE[2018/07/31];",
        "COM[blue won: time,17];",
    ] {
        let refused = refusal(&format!("{MAP}{more}"));
        assert_eq!((refused.reason, refused.at), ("has_moves", 0));
    }
}

/// Bad maps: what is replaced, by what, the line, and the reason.
#[test]
fn refuses_each_fault_of_a_map_with_its_line() {
    let cases = [
        // No units; units on sea, on each other, where nothing can be.
        ("UNIT[1,1,infantry,0,10,0];\n", "", 3, "wrong_count"),
        (
            "UNITNUMRED[1];UNITNUMBLUE[2];\nAUTHOR[x];\nUNIT[1,1,infantry,0,10,0];",
            "UNITNUMRED[0];UNITNUMBLUE[2];",
            3,
            "no_units",
        ),
        ("UNIT[1,1,", "UNIT[2,2,", 5, "on_sea"),
        ("UNIT[1,1,", "UNIT[4,3,", 6, "same_cell"),
        ("UNIT[1,1,", "UNIT[5,1,", 5, "no_entry"),
        // Sizes that do not match.
        ("SIZEX[6]", "SIZEX[7]", 8, "wrong_count"),
        ("SIZEY[5]", "SIZEY[6]", 1, "wrong_count"),
        ("SIZEX[6]", "SIZEX[19]", 1, "bad_number"),
        ("0,1,1,1,3,0", "0,1,1,1,0", 9, "wrong_count"),
        ("UNITNUMBLUE[2]", "UNITNUMBLUE[3]", 3, "wrong_count"),
        ("infantry,0,10,0", "infantry,0,10,1", 5, "none_can_act"),
        // Hit points, names, sides.
        ("infantry,0,10", "infantry,0,0", 5, "bad_number"),
        ("infantry,0,10", "infantry,0,11", 5, "bad_number"),
        ("infantry,0", "infantry,2", 5, "bad_number"),
        ("panzer", "tank", 7, "unknown_kind"),
        ("UNIT[4,3,", "UNIT[4,", 6, "not_a_unit"),
        ("8,1]", "8,2]", 7, "bad_number"),
        // An open border, other terrain.
        ("0,1,1,1,3,0", "0,1,1,1,3,1", 9, "open_border"),
        ("MAP[0,0,0,0,0,0]", "MAP[0,0,5,0,0,0]", 8, "open_border"),
        ("0,1,2,1,4,0", "0,1,9,1,4,0", 10, "not_a_terrain"),
        ("0,1,2,1,4,0", "0,1,,1,4,0", 10, "not_a_terrain"),
        // Limits, missing and repeated statements, brackets.
        ("TURNLIMIT[9]", "TURNLIMIT[0]", 2, "bad_number"),
        ("HPTHRESHOLD[2];", "", 13, "missing"),
        ("AUTHOR[x]", "TURNLIMIT[9]", 4, "twice"),
        ("MAP[0,1,1,1,1,0];\nMAP[0,0,0,0,0,0];\n", "MAP[0,1", 11, "unclosed"),
        // Text that is no statement, and tags in other letters.
        ("AUTHOR[x];", "hello world", 4, "no_statement"),
        ("AUTHOR[x];", "AUTHOR[x]]];", 4, "no_statement"),
        ("AUTHOR[x];", "AUTHOR [x];", 4, "no_statement"),
        ("AUTHOR[x];", "[x];", 4, "no_statement"),
        ("MAP[0,0,0,0,0,0];\nMAP[0,1,1", "MAP[0,0,0,0,0,0];\nMap[0,1,1", 9, "tag_case"),
        ("UNIT[4,3", "Unit[4,3", 6, "tag_case"),
        ("HPTHRESHOLD[2]", "HpThreshold[2]", 2, "tag_case"),
    ];
    for (from, to, line, reason) in cases {
        assert!(MAP.contains(from), "{from}");
        let text = MAP.replacen(from, to, 1);
        let error = refusal(&text);
        assert_eq!(error.reason, reason, "{to}: {error}");
        assert!(complaint(&text).starts_with(&format!("line {line}, character ")), "{to}: {error}");
    }
}

/// Each wrong part of a row or a unit is shown at its own place, and not at the first one: the line, and the character in it.
#[test]
fn shows_the_part_of_a_statement_that_is_wrong() {
    for (from, to, place, message) in [
        ("infantry,0,10", "infantry,0,11", "line 5, character 21", "`11` is not a possible number of hit points"),
        ("infantry,0,10", "infantry, 2,10", "line 5, character 20", "`2` is not a possible side"),
        ("infantry,0,10,0", "infantry,0,10,x", "line 5, character 24", "`x` is not a possible mark"),
        ("UNIT[4,3", "UNIT[4,17", "line 6, character 8", "`17` is not a possible row"),
        ("UNIT[4,3", "UNIT[x,3", "line 6, character 6", "`x` is not a possible column"),
        ("panzer", "tank", "line 7, character 10", "`tank` is not a kind of unit"),
        ("0,1,2,1,4,0", "0,1,9,1,4,0", "line 10, character 9", "`9` is not a terrain"),
    ] {
        let text = MAP.replacen(from, to, 1);
        let error = refusal(&text);
        assert!(complaint(&text).starts_with(&format!("{place}: {message}")), "{to}: {error}");
        let wrong = message.split('`').nth(1).expect("a part");
        assert!(text[error.at..].starts_with(wrong), "{to}: the place in the whole text is {}", error.at);
    }
}

/// As on a map of the original.
#[test]
fn accepts_a_vehicle_on_a_mountain() {
    let (game, position) = read(&MAP.replace("UNIT[3,3,panzer", "UNIT[4,2,panzer"));
    assert_eq!(Cell::new(4, 2).and_then(|cell| position.unit_on(cell)), Some(2));
    assert_eq!(game.outcome(&position, &()), None);
}

#[test]
fn refuses_each_illegal_move_with_its_reason() {
    let text = "SIZE 8 5 LIMIT 9 THRESHOLD 2 TERRAIN 00000000/01111110/01111110/01111110/00000000 UNITS 0:I:0:1,1:10:0 \
                1:U:0:1,2:10:0 2:P:0:2,2:10:1 3:I:1:3,2:10:0 4:dead 5:R:1:6,3:10:0";
    let (game, position) = read(text);
    for (text, reason) in [
        ("3@3,1", "wrong_side"),
        ("2@2,1", "acted"),
        ("4@1,1", "destroyed"),
        ("9@1,1", "no_unit"),
        ("0@5,1", "out_of_reach"),
        ("0@9,9", "out_of_reach"),
        ("0@2,2", "occupied"),
        ("0@3,2", "occupied"),
        ("0@3,1>2", "no_enemy"),
        ("0@2,1>3", "out_of_range"),
        ("0@3,1>4", "destroyed"),
        ("1@1,2>5", "out_of_range"),
        ("1@1,3>3", "moves_and_fires"),
    ] {
        let error = game.parse_move(&position, text).expect_err(text);
        assert_eq!((error.reason, error.fault), (reason, Fault::Illegal), "{text}");
    }
    for text in ["", "x", "0", "0@1", "0@1,", "0@1,1>", "0@1,1>x", "0@+1,1", "pass"] {
        let error = game.parse_move(&position, text).expect_err(text);
        assert_eq!((error.reason, error.fault), ("not_a_move", Fault::Unreadable), "{text}");
    }
    for (text, reason, message) in [
        ("99@1,1", "no_unit", "there is no unit 99: no map has units with numbers above 31"),
        ("0@1,1>32", "no_unit", "there is no unit 32: no map has units with numbers above 31"),
        ("0@0,1", "not_a_cell", "0,1 is not a cell: columns and rows have the numbers 1 to 16"),
        ("0@1,17", "not_a_cell", "1,17 is not a cell: columns and rows have the numbers 1 to 16"),
    ] {
        let error = game.parse_move(&position, text).expect_err(text);
        assert_eq!((error.reason, error.fault, &*error.message), (reason, Fault::Unreadable, message), "{text}");
    }
    for text in ["0@3,1>3", "1@1,2>3", "1@1,2", "end", " END "] {
        assert!(game.parse_move(&position, text).is_ok(), "{text}");
    }
    // An attack that does no damage is legal, but not listed: infantry against an antiair on a plain.
    let (game, position) = read(&text.replace("5:R:1:6,3", "5:R:1:1,3").replace("1:U:0:1,2", "1:U:0:6,3"));
    let m = game.parse_move(&position, "0@1,2>5").expect("legal");
    assert!(!game.moves(&position).contains(&m));
    assert_eq!(game.exchange(&position, 0, m.to(), 5), (0, 10));
    // After the end nothing is legal.
    let (game, start) = read("map01 LIMIT 1");
    let mut over = start;
    game.play(&mut over, game.parse_move(&start, "end").expect("legal"));
    assert_eq!(game.parse_move(&over, "6@6,3").expect_err("over").reason, "game_over");
    assert_eq!(game.moves(&over), []);
}

/// In the original's dialect a position with which a map can begin is the map, and a move an action.
#[test]
fn the_original_writes_maps_and_actions() {
    let (game, start) = read("map02");
    let map = game.format_position(&start, "tubstap");
    assert_eq!(map, parse_map(&map).expect("a map").text().replace('\n', ""));
    assert_eq!(read(&map), (game.clone(), start));
    let mut later = start;
    game.play(&mut later, game.parse_move(&start, "end").expect("legal"));
    assert_eq!(game.format_position(&later, "tubstap"), game.format_position(&later, ""));
    let text = "SIZE 8 5 LIMIT 9 THRESHOLD 2 TERRAIN 00000000/01111110/01111110/01111110/00000000 UNITS 0:I:0:1,1:10:0 \
                1:U:0:1,2:10:0 2:P:0:2,2:10:1 3:I:1:3,2:10:0 4:dead 5:R:1:6,3:10:0";
    let (game, position) = read(text);
    for (text, action) in [
        ("0@2,1", "0,2,1,1,1,-1,0,0,1,0,0"),
        // 55 * 10 + 70 by 110, and what the five that are left answer.
        ("0@3,1>3", "0,3,1,1,1,3,3,2,2,5,3"),
        ("1@1,2>3", "1,1,2,1,2,3,3,2,2,8,0"),
        ("end", "-1,0,0,0,0,-1,0,0,3,0,0"),
    ] {
        let m = game.parse_move(&position, text).expect(text);
        assert_eq!(game.format_move(&position, m, "tubstap"), action);
        assert_eq!(game.parse_move(&position, action), Ok(m), "{action}");
    }
    // Only unit, goal, target and type are read.
    for (action, text) in
        [("0,2,1,9,9,7,7,7,1,5,5", "0@2,1"), ("0,3,1,0,0,3,0,0,2,0,0", "0@3,1>3"), ("-1,-1,-1,0,0,-1,0,0,3,0,0", "end")]
    {
        assert_eq!(game.parse_move(&position, action), game.parse_move(&position, text), "{action}");
    }
    for (action, reason, at) in [
        ("3,3,1,3,2,-1,0,0,1,0,0", "wrong_side", 0),
        ("2,2,1,2,2,-1,0,0,1,0,0", "acted", 0),
        ("0,5,1,1,1,-1,0,0,1,0,0", "out_of_reach", 0),
        ("0,2,1,1,1,3,3,2,2,0,0", "out_of_range", 0),
        ("0,2,1,1,1,-1,0,0,0,0,0", "bad_type", 17),
        ("0,2,1,1,1,-1,0,0, 9,0,0", "bad_type", 18),
        ("32,2,1,1,1,-1,0,0,1,0,0", "bad_number", 0),
        ("0,2,0,1,1,-1,0,0,1,0,0", "bad_number", 4),
        ("0,2,1,1,1,-1,0,0,2,0,0", "bad_number", 10),
        ("0,2,1,1,1,-1,0,0,1,0", "not_an_action", 0),
        ("0,2,1,1,1,-1,0,0,1,0,x", "not_an_action", 0),
    ] {
        let error = game.parse_move(&position, action).expect_err(action);
        assert_eq!((error.reason, error.at), (reason, at), "{action}");
    }
}

/// The comments of the original's files are in Shift-JIS, where the second byte of a character may be a bracket's.
#[test]
fn reads_both_encodings() {
    let map =
        Map {
            comment: "マップ ソース表".to_owned(), author: "池田".to_owned(), ..parse_map(MAP).expect("a map")
        };
    let (text, brackets) = (map.text(), |text: &[u8]| text.iter().filter(|&&byte| byte == b'[').count());
    let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(&text);
    assert!(str::from_utf8(&bytes).is_err());
    assert!(brackets(&bytes) > brackets(text.as_bytes()), "ー contains the byte of a bracket");
    assert_eq!(parse_map(&encoding::decode(&bytes)).as_ref(), Ok(&map));
    assert_eq!(parse_map(&encoding::decode(text.as_bytes())).as_ref(), Ok(&map));
    assert_eq!(encoding::decode("\u{feff}x".as_bytes()), "x");
}

/// Random maps look the same to both sides, can be played, and differ.
#[test]
fn random_maps_are_fair() {
    let mut sizes = BTreeSet::new();
    for seed in 0..200 {
        let game = random_map(seed);
        let (field, start) = (game.field(), game.start());
        assert_eq!(read(&format!("random:{seed}")), (game.clone(), start));
        let turned =
            |cell: Cell| Cell::new(field.width() - 1 - cell.x(), field.height() - 1 - cell.y()).expect("inside");
        assert!(field.cells().all(|cell| field.terrain(cell) == field.terrain(turned(cell))));
        for (_, unit) in start.units() {
            let twin = start.unit_on(turned(unit.cell)).and_then(|twin| start.unit(twin)).expect("a twin");
            assert_eq!((twin.kind, twin.hp, twin.side), (unit.kind, unit.hp, unit.side.other()));
        }
        assert!(game.outcome(&start, &()).is_none() && game.count_moves(&start) > 0);
        sizes.insert((field.width(), field.height(), start.unit_count()));
        let map = Map { game: game.clone(), author: String::new(), comment: String::new() };
        assert_eq!(parse_map(&map.text()), Ok(map));
    }
    assert!(sizes.len() > 20, "{sizes:?}");
}

proptest::proptest! {
    #[test]
    fn no_text_panics(
        text in "[A-Z]{2,9}\\[[a-z0-9,]{0,9}\\]|(SIZE|UNITS|TURN|TERRAIN|map01|LIMIT)( [0-9:IF/,]{0,9}){0,6}|[0-9@>,end]{0,9}"
    ) {
        let game = maps::standard();
        if let Ok((game, position)) = game.parse_position(&text) {
            let written = game.format_position(&position, "");
            proptest::prop_assert_eq!(game.parse_position(&written), Ok((game, position)));
        }
        let _ = game.parse_move(&game.start(), &text);
    }
}
