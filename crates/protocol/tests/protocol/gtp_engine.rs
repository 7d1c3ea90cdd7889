//! GTP sessions, as programs conduct them. The answers have the forms of the draft, version 2, and of GNU Go.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use banmen_catalog::{AnyGame, Catalog, ErrorCode, PlayerEntry};
use banmen_game::Game;
use banmen_othello::Othello;
use banmen_othello::position::Move;
use banmen_protocol::{Conversation, GtpEngine};
use banmen_search::{Player, Report, Task, TimeControl};
use proptest::prelude::*;

/// The timeout of a test for one line, ample even on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A player that resigns unless it may use two threads.
struct Threads;

impl Player<Othello> for Threads {
    fn think(&mut self, task: Task<'_, Othello>) -> Report<Move> {
        let moves = task.state.game().moves(task.state.position());
        if task.threads == 2 {
            Report::of(moves[0], 0.5)
        } else {
            Report { lines: Vec::new(), ..Report::of(moves[0], 0.5) }
        }
    }
}

/// The clock of the last search of [`Clocked`].
static CLOCK: Mutex<Option<TimeControl>> = Mutex::new(None);

/// A player that moves at once, and keeps the clock that it was given.
struct Clocked;

impl Player<Othello> for Clocked {
    fn think(&mut self, task: Task<'_, Othello>) -> Report<Move> {
        *CLOCK.lock().expect("no panic") = task.limits.clock;
        Report::of(task.state.game().moves(task.state.position())[0], 0.5)
    }
}

fn game(name: &str) -> Arc<dyn AnyGame> {
    let threads =
        PlayerEntry { name: "threads", summary: "", source: "", keys: &[], make: |_, _, _, _| Ok(Box::new(Threads)) };
    let clocked =
        PlayerEntry { name: "clocked", summary: "", source: "", keys: &[], make: |_, _, _, _| Ok(Box::new(Clocked)) };
    let catalog = Catalog::default()
        .with(banmen_othello::entry().player(threads).player(clocked))
        .with(banmen_dobutsu::entry())
        .with(banmen_blokus::entry());
    Arc::clone(catalog.game(name).expect("the game"))
}

struct Session {
    engine: GtpEngine,
    answers: Receiver<String>,
}

impl Session {
    fn new(player: &str) -> Session {
        Session::of("othello", player)
    }

    fn of(name: &str, player: &str) -> Session {
        let (sender, answers) = channel();
        let sender = Mutex::new(sender);
        let out = Arc::new(move |answer| drop(sender.lock().expect("no panic").send(answer)));
        let engine = GtpEngine::new(game(name), None, player, out);
        Session { engine: engine.unwrap_or_else(|error| panic!("{error}")), answers }
    }

    fn receive(&self) -> String {
        let answer = self.answers.recv_timeout(PATIENCE).expect("an answer comes");
        let text = answer.strip_suffix('\n').expect("an empty line ends it");
        assert!(!text.contains("\n\n"), "no empty line is in it: {text:?}");
        text.to_owned()
    }

    fn ask(&mut self, line: &str) -> String {
        assert!(self.engine.read(line), "{line}");
        self.receive()
    }

    /// Sends each line and checks its answer.
    #[track_caller]
    fn script(&mut self, script: &[(&str, &str)]) {
        for (line, answer) in script {
            assert_eq!(self.ask(line), *answer, "{line}");
        }
    }
}

#[test]
fn answers_have_the_form_of_the_draft() {
    let mut session = Session::new("engine:level=1");
    session.script(&[
        ("1 protocol_version", "=1 2"),
        ("name", "= Banmen"),
        ("version", concat!("= ", env!("CARGO_PKG_VERSION"))),
        ("4 foo", "?4 unknown command"),
        ("5 boardsize 99", "?5 unacceptable size"),
        ("6 boardsize", "?6 syntax error"),
        ("6 boardsize eight", "?6 syntax error"),
        ("007\tboardsize\t8 # eight", "=007"),
        ("  8  known_command genmove\r", "=8 true"),
        ("8 known_command foo", "=8 false"),
        ("2147483647 komi 6.5", "=2147483647"),
        ("2147483648 komi 6.5", "? unknown command"),
        ("3", "?3 unknown command"),
        ("komi six", "? syntax error"),
        ("na\u{7}me", "= Banmen"),
        ("set_game Othello", "="),
        ("set_game Go", "? unknown game"),
    ]);
    for quiet in ["", "   ", "# only a remark", "\r", "# interrupt"] {
        assert!(session.engine.read(quiet));
    }
    assert!(session.answers.try_recv().is_err(), "lines without a command have no answer");
    let commands = session.ask("list_commands");
    for required in [
        "protocol_version",
        "name",
        "version",
        "known_command",
        "list_commands",
        "quit",
        "boardsize",
        "clear_board",
        "komi",
        "play",
        "genmove",
        "reg_genmove",
        "undo",
        "time_settings",
        "time_left",
        "showboard",
        "final_score",
        "all_legal",
        "cputime",
    ] {
        assert!(commands.trim_start_matches("= ").lines().any(|command| command == required), "{required}: {commands}");
        assert_eq!(session.ask(&format!("known_command {required}")), "= true");
    }
    assert!(!session.engine.read("9 quit"));
    assert_eq!(session.receive(), "=9");
}

#[test]
fn threads_are_a_parameter() {
    let mut session = Session::new("threads");
    session.script(&[
        ("banmen-param", "= [int] threads 1"),
        ("1 genmove b", "?1 there is no move"),
        ("banmen-param threads 0", "? threads is a number from 1 to 256"),
        ("banmen-param threads 257", "? threads is a number from 1 to 256"),
        ("banmen-param threads", "? syntax error"),
        ("banmen-param hash 5", "? unknown parameter: hash"),
        ("banmen-param threads 2", "="),
        ("banmen-param", "= [int] threads 2"),
        ("gogui-analyze_commands", "= param/Search Parameters/banmen-param"),
        ("genmove b", "= d3"),
    ]);
}

#[test]
fn moves_are_played_and_taken_back() {
    let mut session = Session::new("engine:level=1");
    session.script(&[
        ("undo", "? cannot undo"),
        ("play black F5", "="),
        ("play B D6", "? illegal move: it is the other side's turn"),
        ("play w f5", "? illegal move"),
        ("play w i9", "? invalid color or coordinate"),
        ("play green d6", "? invalid color or coordinate"),
        ("play w pass", "? illegal move"),
        ("play w resign", "? invalid color or coordinate"),
        ("play w", "? syntax error"),
        ("play WHITE d6", "="),
        ("final_score", "? cannot score"),
        ("all_legal w", "? illegal move: it is the other side's turn"),
        ("all_legal", "? syntax error"),
    ]);
    let board = session.ask("showboard");
    assert!(board.starts_with("=\n   a b c d e f g h\n 1 . . . . . . . .\n"), "{board}");
    assert!(board.contains("\n 5 . . . O X X . .\n 6 . . . O . . . .\n"), "{board}");
    session.script(&[("undo", "="), ("play w f6", "="), ("undo", "="), ("undo", "="), ("undo", "? cannot undo")]);
}

#[test]
fn genmove_plays_the_move_and_reg_genmove_does_not() {
    let mut session = Session::new("greedy");
    let advice = session.ask("1 reg_genmove b");
    assert_eq!(session.ask("undo"), "? cannot undo", "nothing was played");
    let square = advice.strip_prefix("=1 ").expect("a move").to_owned();
    assert_eq!(session.ask(&format!("play b {square}")), "=");
    assert!(session.ask("2 genmove white").starts_with("=2 "));
    session.script(&[
        ("genmove white", "? illegal move: it is the other side's turn"),
        ("genmove", "? syntax error"),
        ("undo", "="),
        ("undo", "="),
        ("undo", "? cannot undo"),
    ]);
}

/// The shortest game: black's fifth move captures the last white discs, with 13 discs on the board (found by exhaustive
/// search).
const WIPED_OUT: [&str; 9] = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"];

#[test]
fn a_finished_game_has_a_score() {
    let mut session = Session::new("engine:level=1");
    for (number, square) in WIPED_OUT.iter().enumerate() {
        let colour = ["b", "w"][number % 2];
        assert_eq!(session.ask(&format!("play {colour} {square}")), "=", "{square}");
    }
    session.script(&[
        ("final_score", "= B+64"),
        ("genmove w", "= pass"),
        ("play w a1", "? illegal move"),
        ("clear_board", "="),
        ("final_score", "? cannot score"),
        ("undo", "? cannot undo"),
    ]);
}

/// After these moves black has to pass; a1 is one of white's legal moves (found by random play).
const BLACK_PASSES: &str = "d3c3b3e3f3c5f6g2b5c6f4a5h1f5d6e7d7e6d8c4c7b7a8b6a4f8g4b4e8a3a7g5g8c2h4g3a2h3c1d1d2e1f1f7\
    a6h6e2b8g7c8h5g6h2h7h8g1b2f2";

#[test]
fn forced_passes_may_be_sent_or_left_out() {
    let mut session = Session::new("random");
    for number in 0..BLACK_PASSES.len() / 2 {
        let square = &BLACK_PASSES[2 * number..][..2];
        assert_eq!(session.ask(&format!("play {} {square}", ["b", "w"][number % 2])), "=", "{square}");
    }
    session.script(&[
        ("play b a1", "? illegal move"),
        ("play w pass", "? illegal move"),
        ("play w A1", "="),
        // `undo` takes back the forced pass together with its move.
        ("undo", "="),
        ("reg_genmove b", "= pass"),
        ("all_legal b", "="),
        ("all_legal w", "= a1\nb1"),
        ("play b PASS", "="),
        ("play w a1", "="),
        ("undo", "="),
        ("undo", "="),
        ("genmove b", "= pass"),
        ("undo", "="),
        ("reg_genmove b", "= pass"),
    ]);
    assert!(session.ask("genmove w").len() == "= a1".len(), "black's pass is left out");
    session.script(&[("undo", "="), ("reg_genmove b", "= pass")]);
}

#[test]
fn follows_time_settings() {
    let mut session = Session::new("engine");
    session.script(&[
        ("time_settings 300 0 0", "="),
        ("time_settings 0 -5 1", "="),
        ("time_settings a b c", "? syntax error"),
        ("time_settings 1e400 0 0", "? syntax error"),
        ("time_settings 1", "? syntax error"),
        ("time_left b 0 0", "="),
        ("time_left b -1 1", "="),
        ("time_left c 1 1", "? invalid color or coordinate"),
    ]);
    let begun = Instant::now();
    assert!(session.ask("genmove b").starts_with("= "), "without time it moves at once");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn counts_the_moves_of_a_byo_yomi_period() {
    let mut session = Session::new("clocked");
    let clock = |session: &mut Session, lines: &[&str]| {
        for line in lines {
            assert!(session.ask(line).starts_with('='), "{line}");
        }
        let clock = CLOCK.lock().expect("no panic").take().expect("a clock");
        (clock.main.as_secs_f64().ceil() as u64, clock.byoyomi.as_secs_f64().ceil() as u64)
    };
    // Ten moves in each period of 30 s.
    assert_eq!(clock(&mut session, &["time_settings 60 30 10", "genmove b"]), (60, 3));
    assert_eq!(clock(&mut session, &["time_left b 0 0", "genmove w", "genmove b"]), (0, 3), "the first period begins");
    // The last move of a period has all that is left of it, and the next one a part of a new period.
    assert_eq!(clock(&mut session, &["time_left b 20 1", "genmove w", "genmove b"]), (0, 20));
    assert_eq!(clock(&mut session, &["genmove w", "genmove b"]), (0, 3));
    // What the other moves leave is divided among those that follow.
    assert_eq!(clock(&mut session, &["time_left b 8 2", "genmove w", "genmove b"]), (0, 4));
    assert_eq!(clock(&mut session, &["genmove w", "genmove b"]), (0, 8));
    // A search that is not played takes none of the period.
    assert_eq!(clock(&mut session, &["time_left w 20 1", "reg_genmove w", "genmove w"]), (0, 20));
    // Without byo-yomi nothing is left.
    assert_eq!(clock(&mut session, &["time_settings 60 0 0", "time_left b 0 0", "genmove b"]), (0, 0));
}

#[test]
fn interrupt_ends_the_search_with_a_move() {
    let mut session = Session::new("engine");
    // More than any clock holds.
    assert_eq!(session.ask("time_settings 1.8e19 1.8e19 1"), "=");
    let begun = Instant::now();
    assert!(session.engine.read("1 genmove b"));
    assert!(session.engine.read("# interrupt"));
    assert!(session.receive().starts_with("=1 "));
    assert!(begun.elapsed() < Duration::from_secs(60), "not after an hour");
    // A command that arrives during a search is answered after it.
    assert!(session.engine.read("2 genmove w"));
    session.engine.read("# interrupt");
    assert!(session.engine.read("3 name"));
    assert!(session.receive().starts_with("=2 "));
    assert_eq!(session.receive(), "=3 Banmen");
}

#[test]
fn blokus_duo_is_played_with_the_commands_of_pentobi() {
    let mut session = Session::of("blokus", "random");
    session.script(&[
        ("list_games", "= Blokus Duo"),
        ("set_game Blokus Duo", "="),
        ("set_game Blokus", "? unknown game"),
        ("boardsize 14", "="),
        ("boardsize 20", "? unacceptable size"),
        ("clear_board", "="),
        ("final_score", "= 0"),
    ]);
    // A side may be asked out of turn: each has its own start cell.
    for colour in ["b", "w", "blue", "GREEN"] {
        let legal = session.ask(&format!("all_legal {colour}"));
        assert_eq!(legal.lines().count(), 414, "{colour}");
    }
    assert!(session.ask("all_legal w").contains("i4,h5,i5,j5,i6"));
    session.script(&[
        ("play b i4,h5,i5,j5,i6", "? illegal move"),
        ("play b f9,e10,f10,g10,x11", "? invalid color or coordinate"),
        ("play b e10,g10", "? invalid color or coordinate"),
        ("play purple e10", "? invalid color or coordinate"),
        ("play blue F11,f9,e10,f10,g10", "="),
        ("final_score", "= B+5"),
        ("play w pass", "? illegal move"),
        ("play green i4,h5,i5,j5,i6", "="),
        // Twice in a row, and taken back.
        ("play w h3", "="),
        ("final_score", "= W+1"),
        ("undo", "="),
        ("final_score", "= 0"),
        ("play w h3", "="),
        ("play w f2", "? illegal move"),
        ("play b g12", "="),
        ("undo", "="),
        ("undo", "="),
        ("undo", "="),
    ]);
    let board = session.ask("showboard");
    assert!(board.contains("\n11 . . . . . X . . ") && board.contains("\n 5 . . . . . . . . "), "{board}");
    let placed = session.ask("genmove w");
    assert!(placed.contains("j5"), "{placed}");
    assert!(session.ask("cputime").strip_prefix("= ").expect("a time").parse::<f64>().expect("seconds") > 0.0);
}

/// The moves of a random game up to a forced pass of the side to move, and that state.
fn before_a_pass(game: &dyn AnyGame) -> Box<dyn banmen_catalog::AnyState> {
    let mut rng = banmen_game::Rng::new(1);
    loop {
        let mut state = game.state(None, None).expect("the start");
        while state.outcome().is_none() {
            let legal = state.legal();
            if legal == [state.pass().unwrap_or(u32::MAX)] {
                return state;
            }
            state.play(legal[rng.index(legal.len())]).expect("a legal move");
        }
    }
}

#[test]
fn a_side_without_a_placement_need_not_pass() {
    let game = game("blokus");
    let mut state = before_a_pass(game.as_ref());
    let mut session = Session::of("blokus", "random");
    for (ply, text) in state.move_texts("text").iter().enumerate() {
        assert_eq!(session.ask(&format!("play {} {text}", ["b", "w"][ply % 2])), "=", "{text}");
    }
    let [stuck, other] = if state.side_to_move() == banmen_game::Side::First { ["b", "w"] } else { ["w", "b"] };
    let score = session.ask("final_score");
    state.play(state.pass().expect("a pass")).expect("it is legal");
    let placement = state.legal_texts("text").remove(0);
    assert_eq!(session.ask(&format!("all_legal {stuck}")), "=");
    assert_eq!(session.ask(&format!("all_legal {other}")).lines().count(), state.legal_count());
    assert_eq!(session.ask(&format!("reg_genmove {stuck}")), "= pass");
    for passes in [false, true] {
        if passes {
            assert_eq!(session.ask(&format!("play {stuck} pass")), "=");
        }
        assert_eq!(session.ask(&format!("play {other} {placement}")), "=");
        assert_eq!(session.ask("undo"), "=");
        assert_ne!(session.ask(&format!("reg_genmove {other}")), "= pass");
        assert_eq!(session.ask(&format!("play {other} pass")), "? illegal move");
        assert_eq!(session.ask("final_score"), score);
    }
    assert_eq!(session.ask("undo"), "=", "the pass");
    assert!(session.ask(&format!("genmove {other}")).starts_with("= "));
    assert_eq!(session.ask(&format!("genmove {stuck}")), "= pass");
    assert!(session.ask(&format!("reg_genmove {other}")).starts_with("= "));
}

#[test]
fn other_games_are_refused() {
    let error = GtpEngine::new(game("dobutsu"), None, "engine", Arc::new(drop)).err().expect("no GTP");
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::Unsupported, "dobutsu is not played over GTP"));
    let error = GtpEngine::new(game("othello"), None, "engne", Arc::new(drop)).err().expect("no player");
    assert_eq!(error.code, ErrorCode::UnknownPlayer);
}

proptest! {
    #[test]
    fn every_line_has_one_answer(
        words in proptest::collection::vec("[0-9]{1,3}|play|genmove|b|w|[a-i][0-9]|pass|undo|time_left|\\PC{0,8}", 0..5)
    ) {
        let mut session = Session::new("random");
        let line = words.join(" ");
        let command: String = line.split('#').next().unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
        prop_assume!(!command.contains("quit"));
        session.engine.read(&line);
        let answered = session.ask("7 name");
        let first = if command.trim().is_empty() { answered } else {
            prop_assert!(answered.starts_with(['=', '?']), "{}", answered);
            session.receive()
        };
        prop_assert_eq!(first, "=7 Banmen");
    }
}
