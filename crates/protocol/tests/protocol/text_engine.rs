//! USI and UCI sessions, as programs conduct them.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use banmen_catalog::{AnyGame, Catalog, ErrorCode, PlayerEntry};
use banmen_dobutsu::Dobutsu;
use banmen_dobutsu::position::Move;
use banmen_game::{Game, GameState};
use banmen_protocol::{Conversation, TextEngine, TextProtocol};
use banmen_search::{Player, Report, Task};
use proptest::prelude::*;

/// The timeout of a test for one line, ample even on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reports as depth the number of threads that it may use.
struct Threads;

impl Player<Dobutsu> for Threads {
    fn think(&mut self, task: Task<'_, Dobutsu>) -> Report<Move> {
        let moves = task.state.game().moves(task.state.position());
        Report { depth: task.threads as u32, ..Report::of(moves[0], 0.5) }
    }
}

/// Reports as depth how many games have begun since it was made.
struct Games(u32);

impl Player<Dobutsu> for Games {
    fn new_game(&mut self, _: &GameState<Dobutsu>, _: u64) {
        self.0 += 1;
    }

    fn think(&mut self, task: Task<'_, Dobutsu>) -> Report<Move> {
        let moves = task.state.game().moves(task.state.position());
        Report { depth: self.0, ..Report::of(moves[0], 0.5) }
    }
}

/// Reports as depth how many seconds it may use.
struct Seconds;

impl Player<Dobutsu> for Seconds {
    fn think(&mut self, task: Task<'_, Dobutsu>) -> Report<Move> {
        let moves = task.state.game().moves(task.state.position());
        let time = task.limits.budget().expect("a limit of time");
        Report { depth: time.as_secs() as u32, ..Report::of(moves[0], 0.5) }
    }
}

/// Panics in its second search.
#[derive(Default)]
struct Broken(u32);

impl Player<Dobutsu> for Broken {
    fn think(&mut self, task: Task<'_, Dobutsu>) -> Report<Move> {
        self.0 += 1;
        if self.0 > 1 {
            std::panic::resume_unwind(Box::new("on purpose"));
        }
        Report::of(task.state.game().moves(task.state.position())[0], 0.5)
    }
}

fn game() -> Arc<dyn AnyGame> {
    let threads =
        PlayerEntry { name: "threads", summary: "", source: "", keys: &[], make: |_, _, _, _| Ok(Box::new(Threads)) };
    let games =
        PlayerEntry { name: "games", summary: "", source: "", keys: &[], make: |_, _, _, _| Ok(Box::new(Games(0))) };
    let seconds =
        PlayerEntry { name: "seconds", summary: "", source: "", keys: &[], make: |_, _, _, _| Ok(Box::new(Seconds)) };
    let broken = PlayerEntry {
        name: "broken",
        summary: "",
        source: "",
        keys: &[],
        make: |_, _, _, _| Ok(Box::new(Broken::default())),
    };
    let entry = banmen_dobutsu::entry().player(threads).player(games).player(seconds).player(broken);
    let catalog = Catalog::default().with(entry);
    Arc::clone(catalog.game("dobutsu").expect("the game"))
}

struct Session {
    engine: TextEngine,
    lines: Receiver<String>,
}

impl Session {
    fn new(protocol: TextProtocol, player: &str) -> Session {
        let (sender, lines) = channel();
        let sender = Mutex::new(sender);
        let out = Arc::new(move |line| drop(sender.lock().expect("no panic").send(line)));
        let engine = TextEngine::new(game(), None, player, protocol, out);
        Session { engine: engine.unwrap_or_else(|error| panic!("{error}")), lines }
    }

    fn say(&mut self, line: &str) {
        assert!(self.engine.read(line), "{line}");
    }

    fn receive(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line arrives")
    }

    /// The lines up to the one that begins with `end`.
    fn until(&self, end: &str) -> Vec<String> {
        let mut received = vec![self.receive()];
        while !received.last().expect("one").starts_with(end) {
            received.push(self.receive());
        }
        received
    }

    /// Sends a line and returns its one-line answer.
    fn ask(&mut self, line: &str) -> String {
        self.say(line);
        self.receive()
    }

    fn is_silent(&self) -> bool {
        self.lines.recv_timeout(Duration::from_millis(50)).is_err()
    }
}

#[test]
fn a_game_is_played_over_usi() {
    let mut session = Session::new(TextProtocol::Usi, "engine");
    session.say("usi");
    let received = session.until("usiok");
    assert!(received[0].starts_with("id name Banmen"), "{received:?}");
    assert!(received.contains(&"option name level type spin default 10 min 1 max 10".to_owned()), "{received:?}");
    assert!(received.iter().any(|line| line.starts_with("option name USI_Hash type spin")), "{received:?}");
    assert_eq!(session.ask("isready"), "readyok");
    let refused = session.ask("setoption name USI_Hash value 999999999");
    assert_eq!(refused, "info string `USI_Hash` must be an integer from 1 to 4096, not `999999999`");
    for line in ["setoption name USI_Ponder value false", "setoption name level value 3", "usinewgame"] {
        session.say(line);
    }
    // The engine plays both sides; each `position` has the whole history.
    let (mut moves, mut state) = (Vec::new(), game().state(None, None).expect("the start"));
    while state.outcome().is_none() && moves.len() < 60 {
        let played: String = moves.iter().map(|m: &String| format!(" {m}")).collect();
        session.say(&format!("position startpos moves{played}"));
        session.say("go btime 60000 wtime 60000 byoyomi 0 nodes 2000");
        let received = session.until("bestmove");
        assert!(received[0].starts_with("info depth "), "{received:?}");
        let words: Vec<&str> = received.last().expect("the answer").split(' ').collect();
        state.play_texts(&[words[1]]).expect("a legal move");
        moves.push(words[1].to_owned());
    }
    session.say(&format!("position startpos moves {}", moves.join(" ")));
    session.say("gameover lose");
    assert!(!session.engine.read("quit"));
}

#[test]
fn reports_a_capture_of_the_lion_as_mate_in_one() {
    let mut usi = Session::new(TextProtocol::Usi, "engine");
    usi.say("position sfen 1l1/1C1/3/1L1 b 2E2GC 1");
    usi.say("go depth 3");
    let received = usi.until("bestmove");
    assert!(received.iter().any(|line| line.contains("score mate 1 ") && line.ends_with("pv 2b2a+")), "{received:?}");
    assert_eq!(received.last().map(String::as_str), Some("bestmove 2b2a+"));

    let mut uci = Session::new(TextProtocol::Uci, "engine");
    uci.say("position fen 1l1/1C1/3/1L1[EEGGC] w - - 0 1");
    uci.say("go depth 3");
    let received = uci.until("bestmove");
    assert!(received.iter().any(|line| line.contains("score mate 1 ") && line.ends_with("pv b3b4+")), "{received:?}");
    assert_eq!(received.last().map(String::as_str), Some("bestmove b3b4+"));
}

#[test]
fn an_endless_search_answers_when_it_is_stopped() {
    let mut session = Session::new(TextProtocol::Uci, "engine");
    session.say("uci");
    let received = session.until("uciok");
    assert!(
        received.contains(&"option name UCI_Variant type combo default dobutsu var dobutsu".to_owned()),
        "{received:?}"
    );
    session.say("setoption name UCI_Variant value dobutsu");
    session.say("setoption name MultiPV value 3");
    session.say("position startpos moves b2b3");
    // A search that ends by itself waits for `stop` too.
    session.say("go infinite depth 2");
    while !session.receive().contains("multipv 3") {}
    assert!(session.engine.read("isready"));
    while session.receive() != "readyok" {}
    for line in ["go depth 1", "position startpos", "setoption name level value 1", "ucinewgame"] {
        let received = session.ask(line);
        assert!(
            received.contains("is refused while a search") || received.starts_with("info depth"),
            "{line}: {received}"
        );
    }
    session.say("stop");
    let received = session.until("bestmove");
    assert!(
        received.last().is_some_and(|line| line.starts_with("bestmove ") && !line.contains("none")),
        "{received:?}"
    );
    session.say("stop");
    assert!(session.is_silent(), "one search, one answer");
    session.say("go movetime 20");
    session.until("bestmove");
}

#[test]
fn reports_invalid_commands_and_ignores_them() {
    let mut session = Session::new(TextProtocol::Usi, "engine");
    for (line, part) in [
        ("xyzzy", "unknown command `xyzzy`"),
        ("\u{1b}[2Jx", "unknown command `\u{fffd}[2Jx`"),
        ("uci", "unknown command `uci`"),
        ("setoption level 3", "setoption needs a name"),
        ("setoption name strength value 3", "there is no option strength"),
        ("setoption name level value 11", "from 1 to 10"),
        ("setoption name MultiPV value 0", "a number from 1 to 64"),
        ("setoption name Threads value 0", "a number from 1 to 256"),
        ("setoption name Threads value 257", "a number from 1 to 256"),
        ("setoption name Threads value two", "a number from 1 to 256"),
        ("setoption name Threads", "a number from 1 to 256"),
        ("setoption name UCI_Variant value chess", "the variant here is dobutsu"),
        ("position", "a position is startpos or sfen"),
        ("position sfen gle/1c1/1C1 b - 1", "position: "),
        ("position startpos moves 2c2b 9z9z", "move 2: "),
    ] {
        let received = session.ask(line);
        assert!(received.starts_with("info string ") && received.contains(part), "{line}: {received}");
    }
    // The last position was rejected, so no search starts.
    assert!(session.ask("go nodes 100").contains("there is no position"));
    assert_eq!(session.receive(), "bestmove resign");
    // `go` gets a move in answer, even with invalid arguments.
    session.say("position startpos");
    for (line, part) in [
        ("go sideways nodes 100", "go sideways is not supported"),
        ("go searchmoves 2c2b nodes 100", "go 2c2b is not supported"),
        ("go nodes many depth 2", "go nodes needs a number"),
        ("go depth 2 movetime", "go movetime needs a number"),
    ] {
        session.say(line);
        let received = session.until("bestmove ");
        assert!(received.iter().any(|line| line.contains(part)), "{line}: {received:?}");
        assert!(!received.contains(&"bestmove resign".to_owned()), "{line}: {received:?}");
    }
    session.say("position startpos");
    assert_eq!(session.ask("go mate 1000"), "checkmate notimplemented");
    session.say("go nodes 100");
    session.until("bestmove ");
    // A finished game: the lion of the side to move is safe on the far rank.
    session.say("position sfen L1l/3/3/3 w 2E2G2C 1");
    assert!(session.ask("go nodes 100").contains("the game is over by try"));
    assert_eq!(session.receive(), "bestmove resign");
}

#[test]
fn the_option_threads_reaches_the_player() {
    for (protocol, greeting, end) in [(TextProtocol::Usi, "usi", "usiok"), (TextProtocol::Uci, "uci", "uciok")] {
        let mut session = Session::new(protocol, "threads");
        let threads = |session: &mut Session| {
            session.say("go nodes 1");
            session.until("bestmove")[0].clone()
        };
        assert!(threads(&mut session).starts_with("info depth 1 "), "one by default");
        session.engine.set_threads(3);
        session.say(greeting);
        assert!(session.until(end).contains(&"option name Threads type spin default 3 min 1 max 256".to_owned()));
        assert!(threads(&mut session).starts_with("info depth 3 "));
        session.say("setoption name Threads value 2");
        assert!(threads(&mut session).starts_with("info depth 2 "));
    }
}

#[test]
fn the_clock_is_spread_over_the_turns_that_are_announced() {
    let mut session = Session::new(TextProtocol::Uci, "seconds");
    let mut seconds = |words: &str| {
        session.say(&format!("go wtime 600000 btime 1000 {words}"));
        let received = session.until("bestmove ");
        let depth = received.iter().find_map(|line| line.strip_prefix("info depth ")?.split(' ').next()?.parse().ok());
        depth.expect("a report")
    };
    let usual: u32 = seconds("");
    assert!((1..100).contains(&usual), "{usual}");
    assert_eq!(seconds("movestogo 1"), 300);
    assert_eq!(seconds("movestogo 9"), 60);
    assert_eq!(seconds("movestogo 0"), usual, "no number is agreed");
}

/// What a new game costs is done before `readyok`, once a game, whether it is announced before or after.
#[test]
fn a_new_game_begins_once_and_where_the_program_waits_for_it() {
    for (protocol, announced) in [
        (TextProtocol::Usi, ["isready", "usinewgame"]),
        (TextProtocol::Uci, ["ucinewgame", "isready"]),
        (TextProtocol::Uci, ["ucinewgame", "ucinewgame"]),
    ] {
        let mut session = Session::new(protocol, "games");
        for game in 0..3 {
            for line in announced {
                session.say(line);
            }
            session.say("position startpos");
            for _ in 0..2 {
                session.say("go nodes 1");
                let received = session.until("bestmove");
                let depth = format!("info depth {game} ");
                assert!(received.iter().any(|line| line.starts_with(&depth)), "{announced:?}: {received:?}");
            }
        }
    }
    // In UCI programs also ask during a game whether the engine is ready.
    let mut session = Session::new(TextProtocol::Uci, "games");
    for _ in 0..2 {
        assert_eq!(session.ask("isready"), "readyok");
        session.say("go nodes 1");
        assert!(session.until("bestmove")[0].starts_with("info depth 0 "));
    }
}

#[test]
fn a_player_that_panicked_is_made_anew() {
    for protocol in [TextProtocol::Usi, TextProtocol::Uci] {
        let mut session = Session::new(protocol, "broken");
        session.say("position startpos");
        let mut answers = Vec::new();
        for _ in 0..4 {
            session.say("go nodes 1");
            answers.extend(session.until("bestmove").pop());
        }
        assert_eq!((&answers[0], &answers[1]), (&answers[2], &answers[3]), "{answers:?}");
        assert_ne!(answers[0], answers[1], "the second search panics");
    }
}

#[test]
fn a_game_that_ends_while_pondering_ends_the_search_without_an_answer() {
    let mut session = Session::new(TextProtocol::Usi, "engine");
    session.say("position startpos moves 2c2b");
    session.say("go ponder btime 1000 wtime 1000");
    session.receive();
    session.say("gameover win");
    session.lines.try_iter().for_each(drop);
    assert_eq!(session.ask("isready"), "readyok");
    session.say("usinewgame");
    session.say("position startpos");
    session.say("go nodes 100");
    let received = session.until("bestmove ");
    assert!(received.iter().all(|line| line.starts_with("info depth ") || line.starts_with("bestmove ")));
    assert!(session.is_silent(), "one answer");
}

#[test]
fn programs_learn_that_the_engine_ponders() {
    for (protocol, greeting, name) in [(TextProtocol::Usi, "usi", "USI_Ponder"), (TextProtocol::Uci, "uci", "Ponder")] {
        let mut session = Session::new(protocol, "engine");
        session.say(greeting);
        let offered = format!("option name {name} type check default false");
        assert!(session.until(&format!("{greeting}ok")).contains(&offered));
        session.say(&format!("setoption name {} value true", name.to_lowercase()));
        assert!(session.is_silent());
    }
}

#[test]
fn games_and_players_that_do_not_fit_are_refused() {
    let new = |player: &str, rules: Option<&str>| {
        TextEngine::new(game(), rules, player, TextProtocol::Usi, Arc::new(|_| {})).err().map(|error| error.code)
    };
    assert_eq!(new("engine:level=5", Some("legal")), None);
    assert_eq!(new("engine:level=50", None), Some(ErrorCode::OutOfRange));
    assert_eq!(new("nobody", None), Some(ErrorCode::UnknownPlayer));
    assert_eq!(new("engine", Some("chess")), Some(ErrorCode::UnknownRules));
}

#[test]
fn pondering_becomes_a_search_when_the_other_side_has_moved_as_expected() {
    let mut session = Session::new(TextProtocol::Usi, "engine");
    assert!(session.ask("ponderhit").contains("ponderhit without go ponder"));
    session.say("position startpos moves 2c2b 1a2b");
    session.say("go ponder btime 2000 wtime 2000");
    while !session.receive().starts_with("info depth 3 ") {}
    session.say("ponderhit");
    let received = session.until("bestmove ");
    assert!(received.iter().any(|line| line.starts_with("info depth 4 ")), "it thinks: {received:?}");
    assert!(session.is_silent(), "one answer");
    // Without time for a search the ponder search answers.
    session.say("go ponder byoyomi 0");
    while !session.receive().starts_with("info depth 5 ") {}
    session.say("ponderhit");
    let received = session.until("bestmove ");
    let last = received.iter().rev().find(|line| line.starts_with("info depth ")).expect("a report");
    let depth: u32 = last.split(' ').nth(2).and_then(|depth| depth.parse().ok()).expect("a number");
    assert!(depth >= 5, "{received:?}");
    session.say("go ponder btime 2000");
    session.say("stop");
    session.until("bestmove ");
}

#[test]
fn reports_no_mate_without_a_proof() {
    let mut session = Session::new(TextProtocol::Usi, "mcts:playouts=12,solver=off");
    session.say("setoption name MultiPV value 5");
    for moves in ["", " moves 2c2b", " moves 2c2b 1a2b 1d1c"] {
        session.say(&format!("position startpos{moves}"));
        session.say("go");
        let received = session.until("bestmove ");
        assert!(received.iter().all(|line| !line.contains("mate")), "{received:?}");
    }
}

#[test]
fn stops_endless_searches_at_the_end_of_the_input() {
    for line in ["go", "go infinite nodes 10", "go ponder btime 1000"] {
        let mut session = Session::new(TextProtocol::Usi, "mcts");
        session.say(line);
        let Session { engine, lines } = session;
        Box::new(engine).end(Duration::MAX);
        assert!(lines.try_iter().any(|line| line.starts_with("bestmove ")), "{line}");
    }
}

/// Where there is nothing to search, `infinite` and `ponder` still allow no answer before `stop` or `ponderhit`.
#[test]
fn answers_of_endless_searches_wait_where_there_is_nothing_to_search() {
    for (position, best) in [("sfen 1l1/3/3/3 b - 1", "bestmove resign"), ("startpos moves 9z9z", "bestmove resign")] {
        let mut session = Session::new(TextProtocol::Usi, "engine");
        session.say(&format!("position {position}"));
        while session.lines.recv_timeout(Duration::from_millis(50)).is_ok() {}
        for end in ["stop", "ponderhit"] {
            session.say(if end == "stop" { "go infinite" } else { "go ponder btime 1000" });
            assert!(session.receive().starts_with("info string "), "{position}");
            assert!(session.is_silent(), "{position}");
            session.say(end);
            assert_eq!(session.until("bestmove ").pop().as_deref(), Some(best), "{position}");
        }
    }
}

#[test]
fn waits_for_a_limited_search_at_the_end_of_the_input() {
    let mut session = Session::new(TextProtocol::Usi, "engine");
    session.say("go nodes 3000");
    let Session { engine, lines } = session;
    Box::new(engine).end(Duration::MAX);
    assert!(lines.try_iter().any(|line| line.starts_with("bestmove ")));
    // No longer than it is asked to.
    let mut session = Session::new(TextProtocol::Usi, "mcts");
    session.say("go nodes 1000000000000");
    let Session { engine, lines } = session;
    Box::new(engine).end(Duration::from_millis(50));
    assert!(lines.try_iter().any(|line| line.starts_with("bestmove ")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn survives_noise(
        words in proptest::collection::vec(
            prop_oneof![
                "[ -~]{0,12}",
                Just("position".to_owned()), Just("startpos".to_owned()), Just("moves".to_owned()), Just("sfen".to_owned()),
                Just("go".to_owned()), Just("nodes".to_owned()), Just("1".to_owned()), Just("-1".to_owned()),
                Just("setoption".to_owned()), Just("name".to_owned()), Just("value".to_owned()), Just("level".to_owned()),
                Just("stop".to_owned()), Just("2c2b".to_owned()), Just("99999999999999999999".to_owned()),
            ],
            0..8,
        ),
    ) {
        let mut session = Session::new(TextProtocol::Usi, "random");
        let line = words.join(" ");
        prop_assert_eq!(session.engine.read(&line), line.split_whitespace().next() != Some("quit"));
        session.say("stop");
        session.say("isready");
        session.until("readyok");
    }
}
