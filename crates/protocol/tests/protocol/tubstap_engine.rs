//! Sessions with a server of TUBSTAP's network games.

use std::sync::Arc;

use banmen_catalog::{AnyGame, Catalog, ErrorCode};
use banmen_protocol::tubstap::{DIALECT, END};
use banmen_protocol::{Conversation, TubstapEngine};

use crate::output::Output;

fn game(name: &str) -> Arc<dyn AnyGame> {
    let catalog = Catalog::default().with(banmen_tubstap::entry()).with(banmen_othello::entry());
    Arc::clone(catalog.game(name).expect("the game"))
}

struct Session {
    engine: TubstapEngine,
    answers: Output,
    log: Output,
}

impl Session {
    fn new(player: &str) -> Session {
        let (answers, log) = (Output::default(), Output::default());
        let engine = TubstapEngine::new(game("tubstap"), None, player, answers.sink(), log.sink());
        Session { engine: engine.unwrap_or_else(|error| panic!("{error}")), answers, log }
    }

    /// An engine that has been sent a map and its side.
    fn on(map: &str, color: &str) -> Session {
        let mut session = Session::new("smaef");
        assert_eq!(
            (session.ask(&format!("MAP {}", map_of(map))), session.ask(&format!("Color {color}"))),
            both_empty()
        );
        session
    }

    /// Sends a command, and returns the text of its answer.
    #[track_caller]
    fn answer(&mut self, command: &str) -> String {
        assert!(self.engine.read(&format!("{command}\r\n")), "{command}");
        let answers = self.answers.take();
        let [answer] = answers.as_slice() else { panic!("{command}: {answers:?}") };
        let text = answer.strip_prefix("= ").and_then(|answer| answer.strip_suffix("\r\n\r"));
        text.unwrap_or_else(|| panic!("{command}: {answer:?}")).to_owned()
    }

    /// Sends a command that is accepted.
    #[track_caller]
    fn ask(&mut self, command: &str) -> String {
        let text = self.answer(command);
        assert_eq!(self.log.take(), [""; 0], "{command}");
        text
    }

    /// Sends a command that is refused, and says why.
    #[track_caller]
    fn refuse(&mut self, command: &str, why: &str) {
        let text = self.answer(command);
        let reason = text.strip_prefix("error: ").unwrap_or_else(|| panic!("{command}: {text}"));
        assert!(reason.contains(why) && !reason.contains(char::is_control), "{command}: {text}");
        assert_eq!(self.log.take(), [reason], "{command}");
    }

    /// Asks for an action that the engine cannot choose: it ends the turn and says why.
    #[track_caller]
    fn end(&mut self, why: &str) {
        assert_eq!(self.answer("Genmove"), END);
        let log = self.log.take().join(" ");
        assert!(log.contains(why) && log.ends_with(": the turn ends"), "{log}");
    }
}

fn both_empty() -> (String, String) {
    (String::new(), String::new())
}

/// The file of a map on one line.
fn map_of(name: &str) -> String {
    let text = game("tubstap").state(None, Some(name)).expect("a map").origin(DIALECT);
    assert!(text.starts_with("SIZEX[") && !text.contains('\n'), "{text}");
    text
}

const NO_GAME: &str = "there is no map, or its game is over or could not be followed";

#[test]
fn plays_whole_games_on_either_side() {
    for (map, color) in [("map01", 0), ("map01", 1), ("map02", 0), ("map05", 1), ("random:3", 0)] {
        let tubstap = game("tubstap");
        let mut state = tubstap.state(None, Some(map)).expect("a map");
        let mut session = Session::new("smaef");
        assert_eq!((session.ask("name"), session.ask("opponent 相手 2")), ("Banmen smaef".to_owned(), String::new()));
        assert_eq!(session.ask(&format!("MAP {}", map_of(map))), "");
        assert_eq!(session.ask(&format!("Color {color}")), "");
        let mut rng = banmen_game::Rng::new(9);
        let mut own = 0;
        while state.outcome().is_none() {
            if state.side_to_move().index() == color {
                let action = session.ask("Genmove");
                state.play(state.read(&action).unwrap_or_else(|error| panic!("{action}: {error}"))).expect("legal");
                own += 1;
                continue;
            }
            // The server's side ends some turns early.
            let legal = state.legal();
            let m = if rng.index(8) == 0 { state.pass().expect("the end") } else { legal[rng.index(legal.len())] };
            let action = state.write(m, DIALECT);
            // The original's players send no damage.
            let action = match action.rsplitn(3, ',').collect::<Vec<_>>().as_slice() {
                [_, _, rest] => format!("{rest},0,0"),
                _ => panic!("{action}"),
            };
            assert_eq!(session.ask(&format!("play {action}")), "", "{action}");
            state.play(m).expect("legal");
        }
        assert!(own > 5, "{map}");
        assert_eq!(session.ask("gameover"), "");
        session.end(NO_GAME);
        // Another game over the same connection.
        assert_eq!((session.ask(&format!("map {}", map_of("map03"))), session.ask("color 0")), both_empty());
        assert_ne!(session.ask("genmove"), END);
        assert!(!session.engine.read("quit"));
        assert_eq!(session.answers.take(), ["= \r\n\r"]);
    }
}

#[test]
fn reads_maps_as_the_original_sends_them() {
    // Its own lines joined, with a comment whose Shift-JIS the server has read as UTF-8.
    let map = map_of("map01").replacen(";", ";MAPCOM[\u{fffd}]\u{fffd}[a\u{fffd}];AUTHOR[x];", 1);
    let mut session = Session::new("smaef");
    assert_eq!((session.ask(&format!("MAP {map}")), session.ask("Color 0")), both_empty());
    assert!(session.ask("Genmove").contains(','));
    for (map, why) in [
        ("", "UNITS is missing"),
        ("nonsense", "`nonsense` is not the name of a map: the name of a map"),
        ("SIZEX[8];SIZEY[8];", "TURNLIMIT is missing"),
        ("SIZEX[8", "`SIZEX[` has no `]`"),
        (&map_of("map01").replace("SIZEX[8]", "SIZEX[17]"), "SIZEX is 17, but the text has 8"),
        (&map_of("map01").replace("infantry,0,10,0", "infantry,0,11,0"), "`11` is not a possible number of hit points"),
        (&map_of("map01").replace("infantry", "in\u{1b}fantry"), "is not a kind of unit"),
    ] {
        session.refuse(&format!("MAP {map}"), why);
        session.refuse("Color 0", NO_GAME);
        session.end(NO_GAME);
    }
}

#[test]
fn commands_in_the_wrong_order_are_refused() {
    let mut session = Session::new("smaef");
    session.end(NO_GAME);
    session.refuse("Color 0", NO_GAME);
    session.refuse("play 0,1,1,1,1,-1,0,0,1,0,0", NO_GAME);
    assert_eq!(session.ask(&format!("MAP {}", map_of("map01"))), "");
    session.end("the color is not known");
    // Red does not see its own actions, nor is blue asked in red's turn.
    let mut red = Session::on("map01", "0");
    red.refuse("play 0,1,1,1,1,-1,0,0,1,0,0", "`0,1,1,1,1,-1,0,0,1,0,0`: it is this player's turn");
    red.end(NO_GAME);
    let mut blue = Session::on("map01", "1");
    blue.end("it is the other side's turn");
    blue.refuse("play 0,1,1,1,1,-1,0,0,1,0,0", NO_GAME);
    // After red's whole turn blue acts; its color cannot change.
    let mut blue = Session::on("map01", "1");
    assert_eq!(blue.ask(&format!("play {END}")), "");
    assert!(blue.ask("Genmove").contains(','));
    blue.refuse("Color 0", "the color is known already");
    blue.end(NO_GAME);
}

#[test]
fn refuses_invalid_colors() {
    for color in ["2", "-1", "red", "", "0 1", "０"] {
        let mut session = Session::new("smaef");
        assert_eq!(session.ask(&format!("MAP {}", map_of("map01"))), "");
        session.refuse(&format!("Color {color}"), "a color is 0 or 1, not `");
        session.end(NO_GAME);
    }
}

#[test]
fn refuses_illegal_actions() {
    for (before, action, why) in [
        ("", "6,6,4,6,4,-1,0,0,1,0,0", "unit 6 belongs to the other side"),
        ("0,1,1,1,1,-1,0,0,1,0,0", "0,1,1,1,1,-1,0,0,1,0,0", "unit 0 has acted in this turn"),
        ("", "0,6,1,1,1,-1,0,0,1,0,0", "unit 0 cannot reach 6,1"),
        ("", "0,1,2,1,1,-1,0,0,1,0,0", "unit 1 is on 1,2"),
        ("", "0,1,1,1,1,6,6,4,2,0,0", "out of the range"),
        ("", "5,3,1,2,1,6,6,4,2,0,0", "attacks only from where it stands"),
        ("", "0,1,1,1,1,1,1,2,2,0,0", "unit 1 is no enemy"),
        ("", "12,1,1,1,1,-1,0,0,1,0,0", "there is no unit 12"),
        ("", "-1,1,1,1,1,-1,0,0,1,0,0", "`-1` is not a possible unit"),
        ("", "0,17,1,1,1,-1,0,0,1,0,0", "`17` is not a possible column"),
        ("", "0,1,1,1,1,-1,0,0,2,0,0", "`-1` is not a possible target"),
        ("", "0,1,1,1,1,-1,0,0,4,0,0", "4 is not the type of a move"),
        ("", "0,1,1,1,1,-1,0,0,1,0", "is not an action: unit,x,y"),
        ("", "0,1,1,1,1,-1,0,0,1,0,99999999999", "is not an action"),
        ("", "", "`` is not a move"),
        ("", "盤\u{7}", "is not a move"),
    ] {
        let mut blue = Session::on("map01", "1");
        if !before.is_empty() {
            assert_eq!(blue.ask(&format!("play {before}")), "");
        }
        blue.refuse(&format!("play {action}"), why);
        blue.end(NO_GAME);
        // A map begins another game.
        assert_eq!((blue.ask(&format!("MAP {}", map_of("map01"))), blue.ask("Color 0")), both_empty());
        assert!(blue.ask("Genmove").contains(','));
    }
}

#[test]
fn the_other_side_may_surrender() {
    let mut blue = Session::on("map01", "1");
    assert_eq!(blue.ask("play -1,-1,-1,0,0,-1,0,0,0,0,0"), "");
    blue.end(NO_GAME);
}

#[test]
fn refuses_actions_after_the_end_of_the_game() {
    // One turn of red.
    let mut blue = Session::on("map01 LIMIT 1", "1");
    assert_eq!(blue.ask(&format!("play {END}")), "");
    blue.end("the game is over by hit points");
    let mut blue = Session::on("map01 LIMIT 1", "1");
    assert_eq!(blue.ask(&format!("play {END}")), "");
    blue.refuse(&format!("play {END}"), "the game is over by hit points");
}

#[test]
fn every_line_but_an_empty_one_is_answered() {
    let mut session = Session::new("smaef");
    for empty in ["", "\r\n", " \t\n"] {
        assert!(session.engine.read(empty));
        assert_eq!(session.answers.take(), [""; 0], "{empty:?}");
    }
    session.refuse("status", "`status` is not a command");
    session.refuse(&"x".repeat(1 << 20), "xxxx…` is not a command");
    session.refuse("\u{fffd}\u{0}", "is not a command");
}

#[test]
fn other_games_are_refused() {
    let error = TubstapEngine::new(game("othello"), None, "random", Arc::new(drop), Arc::new(drop)).err();
    let error = error.expect("no such dialect");
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::Unsupported, "othello is not played over the protocol of TUBSTAP")
    );
}
