//! Whole games as the original writes them.

use banmen_catalog::{AnyGame, AnyRecord, AnyState, Error, Header, RecordFormats, Termination};
use banmen_game::{Rng, Side};
use banmen_tubstap::{entry, maps};

fn formats(game: &impl AnyGame) -> &dyn RecordFormats {
    game.record_formats().expect("formats")
}

fn read(text: &[u8]) -> Result<Vec<AnyRecord>, Error> {
    formats(&entry().in_memory()).read("tbsmap", None, text)
}

/// A random game on a map, with turns that end early.
fn random_game(game: &impl AnyGame, map: &str, seed: u64) -> Box<dyn AnyState> {
    let mut rng = Rng::new(seed);
    let mut state = game.state(None, Some(map)).expect("a map");
    while state.outcome().is_none() {
        let moves = state.legal();
        let any = moves[rng.index(moves.len())];
        let text = if rng.index(8) == 0 { "end".to_owned() } else { state.write(any, "") };
        state.play_texts(&[text.as_str()]).expect("a legal move");
    }
    state
}

#[test]
fn random_games_survive() {
    let game = entry().in_memory();
    for (seed, (name, _)) in (0..).zip(maps::all()) {
        let state = random_game(&game, name, seed);
        let text = |text: &str| text.to_owned();
        let header =
            Header { first: text("赤 [1]"), second: text("b"), date: text("2018/07/31"), ..Header::default() };
        let text = formats(&game).write("tbsmap", &header, state.as_ref()).expect("written");
        let records = read(text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        let [record] = &records[..] else { panic!("one game") };
        assert_eq!(record.state.move_texts(""), state.move_texts(""), "{name}");
        assert_eq!((record.state.origin(""), record.state.position("")), (state.origin(""), state.position("")));
        assert_eq!(record.header, Header { first: "赤 (1)".to_owned(), ..header });
        let again = formats(&game).write("tbsmap", &record.header, record.state.as_ref());
        assert_eq!(again.as_deref(), Ok(text.as_str()));
        // In Shift-JIS, with a second game after it.
        let twice = format!("{text}\n{text}");
        let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(&twice);
        assert_eq!(read(&bytes).map(|records| records.len()).ok(), Some(2));
    }
}

#[test]
fn a_map_is_a_game_without_moves() {
    let game = entry().in_memory();
    let state = game.state(None, Some("map03")).expect("a map");
    let text = formats(&game).write("tbsmap", &Header::default(), state.as_ref()).expect("written");
    assert!(!text.contains("PLAYED"));
    let records = read(text.as_bytes()).expect("a map");
    assert_eq!((records.len(), records[0].state.position("")), (1, state.position("")));
    assert_eq!(read(b" \n").map(|records| records.len()).ok(), Some(0));
}

const GAME: &str = "SIZEX[6];SIZEY[5];\nTURNLIMIT[9];HPTHRESHOLD[2];\nUNITNUMRED[2];UNITNUMBLUE[1];\n\
    UNIT[1,1,infantry,0,10,0];\nUNIT[1,2,panzer,0,8,0];\nUNIT[4,1,infantry,1,10,0];\nMAP[0,0,0,0,0,0];\nMAP[0,1,1,1,1,0];\n\
    MAP[0,1,1,1,1,0];\nMAP[0,1,1,1,1,0];\nMAP[0,0,0,0,0,0];\nPLAYEDDATE[d];\nPLAYEDRULE[rule_set_version_0100];\n\
    PLAYERRED[a]PLAYERBLUE[b];\nTURNINFO[1,0,2];\nACTION[1,3,1,1,2,2,4,1,2,6,0];\nACTION[0,1,2,1,1,-1,0,0,1,0,0];\n\
    TURNINFO[2,1,1];\nACTION[2,4,3,4,1,-1,0,0,1,0,0];\nCOM[x,3];\nTURNINFO[3,0,1];\nACTION[1,3,1,3,1,-1,0,0,1,0,0];\n\
    TURNINFO[4,1,0];\n";

/// The attack of the infantry that is left with 4 hit points: it does no damage (90 / 108), and the panzer's counter-attack
/// (670 / 104) destroys it.
const LAST: &str = "ACTION[2,4,1,4,1,1,3,1,2,0,4]";

/// In its place the infantry withdraws.
const WITHDRAWS: &str = "ACTION[2,4,3,4,1,-1,0,0,1,0,0]";

/// Turns count from 1 here; the third one ends early.
#[test]
fn reads_games_of_the_original() {
    let records = read(GAME.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let Header { first, second, date, .. } = &records[0].header;
    assert_eq!((first.as_str(), second.as_str(), date.as_str()), ("a", "b", "d"));
    assert_eq!(records[0].state.move_texts(""), ["1@3,1>2", "0@1,2", "2@4,3", "1@3,1", "end"]);
    assert!(records[0].state.position("").contains("TURN 3 SIDE 1"));

    let (turns, _) = GAME.split_once("COM[").expect("a comment");
    let records = read(turns.replace(WITHDRAWS, LAST).as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(records[0].state.move_texts(""), ["1@3,1>2", "0@1,2", "2@4,1>1"]);
    assert_eq!(records[0].state.outcome().and_then(|outcome| outcome.winner), Some(Side::First));
}

#[test]
fn author_and_comment_of_a_map_are_kept() {
    let words = "AUTHOR[池田];\nMAPCOM[a comment, of a map];\n";
    let map = GAME.replace("UNITNUMRED[2]", &format!("{words}UNITNUMRED[2]"));
    for text in [&map, map.split_once("PLAYEDDATE").expect("a game").0] {
        let record = read(text.as_bytes()).expect("a game").swap_remove(0);
        let written = formats(&entry().in_memory()).write("tbsmap", &record.header, record.state.as_ref());
        assert!(written.expect("written").contains(words), "{text}");
    }
}

#[test]
fn named_maps_have_their_authors() {
    let game = entry().in_memory();
    for (position, author) in [
        ("start", Some("Fujiki")),
        ("MAP01", Some("Fujiki")),
        ("map01 LIMIT 19", Some("Fujiki")),
        ("puzzle_A1", Some("T.Kimura")),
        ("genmap0", Some("Taylor")),
        ("random:1", None),
        // On the terrain of map01, but not its start.
        ("UNITS 0:I:0:1,1:10:0 1:I:1:1,2:10:0", None),
    ] {
        let state = game.state(None, Some(position)).expect("a position");
        let text = formats(&game).write("tbsmap", &Header::default(), state.as_ref()).expect("written");
        let found = text.lines().find_map(|line| line.strip_prefix("AUTHOR["));
        assert_eq!(found, author.map(|author| format!("{author}];")).as_deref(), "{position}");
        let record = read(text.as_bytes()).expect("a map").swap_remove(0);
        assert_eq!(formats(&game).write("tbsmap", &record.header, record.state.as_ref()), Ok(text), "{position}");
    }
}

#[test]
fn surrenders_are_read_and_written() {
    let game = entry().in_memory();
    let mut state = game.state(None, Some("map01")).expect("a map");
    state.play_texts(&["0@1,4", "end", "6@6,3"]).expect("legal moves");
    let won = |by: &str| {
        let termination = Some(Termination { winner: Some(Side::First), by: by.to_owned() });
        Header { termination, ..Header::default() }
    };
    let text = formats(&game).write("tbsmap", &won("resignation"), state.as_ref()).expect("written");
    let records = read(text.as_bytes()).expect("a game");
    assert_eq!((&records[0].header, records[0].state.move_texts("").len()), (&won("resignation"), 3));
    let more = format!("{text}ACTION[7,6,4,6,5,-1,0,0,1,0,0];\n");
    assert_eq!(read(more.as_bytes()).err().and_then(|error| error.reason), Some("game_over"));
}

#[test]
fn ends_without_an_action_are_comments() {
    let game = entry().in_memory();
    let mut state = game.state(None, Some("map01")).expect("a map");
    state.play_texts(&["0@1,4", "end", "6@6,3"]).expect("legal moves");
    for (winner, by, comment) in [
        (Some(Side::First), "time", "COM[red won: time,3];"),
        (Some(Side::Second), "resignation", "COM[blue won: resignation,3];"),
        (None, "agreement", "COM[draw: agreement,3];"),
    ] {
        let header = Header { termination: Some(Termination { winner, by: by.to_owned() }), ..Header::default() };
        let text = formats(&game).write("tbsmap", &header, state.as_ref()).expect("written");
        assert!(text.contains(comment), "{text}");
        assert_eq!(read(text.as_bytes()).expect("a game")[0].header, header);
    }
}

#[test]
fn writes_only_games_that_begin_as_a_map() {
    let game = entry().in_memory();
    for (text, begins) in [
        ("map01 LIMIT 9", true),
        ("TURN 2 UNITS 0:I:0:1,1:10:0 1:I:1:1,2:10:0", false),
        ("UNITS 0:I:0:1,1:10:0 1:dead 2:I:1:1,2:10:0", false),
        ("UNITS 0:I:0:1,1:10:0", false),
    ] {
        let state = game.state(None, Some(text)).expect("a position");
        let written = formats(&game).write("tbsmap", &Header::default(), state.as_ref());
        assert_eq!(written.is_ok(), begins, "{text}: {written:?}");
    }
}

/// An end that is stated must be that of the rules or the surrender, where the game has one.
#[test]
fn stated_results_are_those_of_the_game() {
    let (turns, _) = GAME.split_once("COM[").expect("a comment");
    let destroyed = turns.replace(WITHDRAWS, LAST);
    let surrendered = turns.replace(WITHDRAWS, "ACTION[-1,0,0,0,0,-1,0,0,0,0,0]");
    for (game, comment, refused) in [
        (turns, "blue won: time,3", None),
        (&*destroyed, "red won: annihilation,3", None),
        (&*destroyed, "blue won: time,3", Some("red won: annihilation")),
        (&*destroyed, "red won: time,3", Some("red won: annihilation")),
        (&*destroyed, "draw: annihilation,3", Some("red won: annihilation")),
        (&*surrendered, "red won: resignation,2", None),
        (&*surrendered, "draw: agreement,2", Some("red won: resignation")),
    ] {
        let error = read(format!("{game}COM[{comment}];\n").as_bytes()).err();
        let message = error.as_ref().map(|error| error.message.as_str());
        let expected = refused.map(|end| format!("line 20, character 1: the comment states another end than {end}"));
        assert_eq!(message, expected.as_deref(), "{comment}");
        assert_eq!(error.and_then(|error| error.reason), refused.map(|_| "wrong_result"), "{comment}");
    }
}

/// What is replaced, by what, the line, and the reason.
#[test]
fn refuses_each_fault_of_a_game_with_its_line() {
    let cases = [
        ("SIZEX[6]", "SIZE[6]", 1, "no_game"),
        ("SIZEX[6]", "SIZEX[5]", 7, "wrong_count"),
        ("TURNINFO[1,0,2]", "TURNINFO[1,0,3]", 15, "wrong_count"),
        ("TURNINFO[1,0,2]", "TURNINFO[1,1,2]", 15, "wrong_side"),
        ("TURNINFO[2,1,1]", "TURNINFO[3,1,1]", 18, "turn"),
        ("TURNINFO[1,0,2];\n", "", 15, "no_turn"),
        ("TURNINFO[1,0,2]", "TURNINFO[1,0]", 15, "bad_number"),
        ("ACTION[0,1,2,1,1,-1", "ACTION[0,1,2,x,1,-1", 17, "bad_number"),
        ("ACTION[0,1,2,1,1", "ACTION[0,1,2,2,1", 17, "wrong_place"),
        ("ACTION[0,1,2,1,1", "ACTION[0,4,3,1,1", 17, "out_of_reach"),
        ("ACTION[0,1,2,1,1", "ACTION[0,0,2,1,1", 17, "out_of_reach"),
        ("ACTION[0,1,2,1,1", "ACTION[0,3,1,1,1", 17, "occupied"),
        ("ACTION[0,1,2,1,1", "ACTION[1,1,2,1,1", 17, "acted"),
        ("ACTION[0,1,2,1,1", "ACTION[2,1,2,1,1", 17, "wrong_side"),
        ("ACTION[0,1,2,1,1", "ACTION[7,1,2,1,1", 17, "no_unit"),
        ("1,1,-1,0,0,1,0,0", "1,1,-1,0,0,7,0,0", 17, "bad_type"),
        ("2,4,1,2,6,0", "2,4,1,2,5,0", 16, "wrong_damage"),
        ("2,4,1,2,6,0", "2,4,2,2,6,0", 16, "wrong_place"),
        ("2,4,1,2,6,0", "9,4,1,2,6,0", 16, "no_unit"),
        ("ACTION[1,3,1,1,2,2", "ACTION[1,2,1,1,2,2", 16, "out_of_range"),
        (WITHDRAWS, "ACTION[2,4,1,4,1,1,3,1,2,0,3]", 19, "wrong_damage"),
        (WITHDRAWS, LAST, 22, "game_over"),
        ("TURNINFO[2,1,1]", "TurnInfo[2,1,1]", 18, "tag_case"),
        (WITHDRAWS, "Action[2,4,3,4,1,-1,0,0,1,0,0]", 19, "tag_case"),
        ("COM[x,3];", "COM[x,3];]]]", 20, "no_statement"),
        ("TURNINFO[4,1,0];", "TURNINFO[4,1,0]; hello world", 23, "no_statement"),
        // What contradicts the rules.
        (
            "TURNINFO[4,1,0];",
            "TURNINFO[4,1,2];ACTION[-1,0,0,0,0,-1,0,0,3,0,0];ACTION[-1,0,0,0,0,-1,0,0,3,0,0];",
            23,
            "turn_over",
        ),
        ("TURNLIMIT[9]", "TURNLIMIT[3]", 23, "game_over"),
        (WITHDRAWS, "ACTION[2,4,3,4,1,-1,0,0,1,2,0]", 19, "not_a_move"),
        (WITHDRAWS, "ACTION[2,4,3,4,1,-1,0,0,1,0,2]", 19, "not_a_move"),
        (WITHDRAWS, "ACTION[2,4,3,4,1,1,3,1,1,0,0]", 19, "not_a_move"),
        ("TURNINFO[4,1,0]", "TURNINFO[4,1,-1]", 23, "wrong_count"),
        ("COM[x,3]", "COM[red won: time,7]", 20, "wrong_count"),
        // What is missing, and what is given twice.
        ("SIZEY[5]", "", 24, "missing"),
        ("SIZEX[6];", "SIZEX[6];SIZEX[6];", 1, "twice"),
    ];
    for (from, to, line, reason) in cases {
        assert!(GAME.contains(from), "{from}");
        let error = read(GAME.replacen(from, to, 1).as_bytes()).err().expect(to);
        assert_eq!((error.reason, error.args["line"].as_u64()), (Some(reason), Some(line)), "{to}: {error}");
    }
    // An action of another unit, although one can still act, and when none can.
    let end = "ACTION[-1,0,0,0,0,-1,0,0,3,0,0];";
    let again = format!("{WITHDRAWS};{WITHDRAWS}");
    for (from, to, line, why) in [
        ("ACTION[0,1,2,1,1", &*format!("{end}ACTION[0,1,2,1,1"), 17, "the turn has been ended"),
        (WITHDRAWS, &*again, 19, "all units of the side have acted"),
        (WITHDRAWS, &*format!("{WITHDRAWS};{end}{WITHDRAWS}"), 19, "the turn has been ended"),
    ] {
        let error = read(GAME.replacen(from, to, 1).as_bytes()).err().expect(to);
        assert_eq!((error.reason, error.args["line"].as_u64()), (Some("turn_over"), Some(line)), "{to}: {error}");
        assert!(error.message.ends_with(why), "{to}: {error}");
    }
    // The first of two games.
    let error = read(format!("{}{GAME}", GAME.replace("HPTHRESHOLD[2];", "")).as_bytes()).err().expect("missing");
    assert_eq!((error.reason, error.args["line"].as_u64()), (Some("missing"), Some(23)));
    assert!(error.message.contains("game 1: HPTHRESHOLD is missing"), "{error}");
    assert_eq!(read(b"\xff\xfe[").err().and_then(|error| error.reason), Some("unclosed"));
}
