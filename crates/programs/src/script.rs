//! A text in place of a program's output: for tests of what the protocols read, without processes.

use std::io::Cursor;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Error, ErrorCode};
use banmen_search::{Report, StopFlag};

use crate::exchange::{Exchange, Link, Received};
use crate::player::EngineProtocol;
use crate::protocols::{Kind, Protocol};
use crate::riddles;
use crate::streams::{Event, next_event};

/// The time of each answer. A script answers at once, or ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// A line that stops the search, and is not part of the output.
const STOP: &str = "%stop";

/// The first character of a line that the program writes before it is asked.
const STRAY: char = '%';

/// The placeholder for the id of the last command.
const ID: char = '#';

/// A player over a protocol whose program writes `output`, whatever it is asked, and then ends. In `output`, `#` is
/// replaced by the id of the last command that had one, a line `%stop` stops the search, and a line that begins with
/// another `%` is written without it, before the question that the lines after it answer. After a fault the player has
/// no further output.
///
/// # Errors
/// `unknown_player` for a protocol that is none, `unsupported` when it does not have the game, and the faults of a
/// program that is not ready.
pub fn scripted(
    game: &dyn AnyGame,
    rules: Option<&str>,
    protocol: &str,
    seed: u64,
    output: &[u8],
) -> Result<Box<dyn AnyPlayer>, Error> {
    let unknown = || Error::unknown(ErrorCode::UnknownPlayer, "protocol", protocol, Protocol::names());
    let protocol = match Protocol::named(protocol).ok_or_else(unknown)?.kind {
        Kind::Engine(make) => Some(make(game, rules, seed)?),
        Kind::Bot => {
            banmen_protocol::riddles::check(game)?;
            None
        }
    };
    let script =
        Script { output: Cursor::new(output.to_vec()), ahead: None, id: String::new(), stop: StopFlag::default() };
    let mut player = ScriptedPlayer { protocol, script };
    if let Some(protocol) = &mut player.protocol {
        let stop = player.script.stop.clone();
        protocol.handshake(&mut Exchange::new(&mut player.script, Instant::now() + PATIENCE, &stop))?;
    }
    Ok(Box::new(player))
}

/// The output of a program.
struct Script {
    output: Cursor<Vec<u8>>,
    /// The next event, if it was read.
    ahead: Option<Event>,
    /// The id of the last command that had one.
    id: String,
    /// Stops the current search.
    stop: StopFlag,
}

impl Link for Script {
    fn name(&self) -> &str {
        "script"
    }

    fn write(&mut self, line: &str) {
        // `{"id":ID,…}` of our own protocol, `ping ID` of NBoard's, `ID COMMAND` of GTP.
        let id = line.find("\"id\":").and_then(|at| line.get(at + 5..)).or(line.strip_prefix("ping ")).unwrap_or(line);
        let digits: String = id.chars().take_while(char::is_ascii_digit).collect();
        if !digits.is_empty() {
            self.id = digits;
        }
    }

    fn receive(&mut self, patience: Duration) -> Option<Event> {
        let mut event = self.ahead.take().unwrap_or_else(|| next_event(&mut self.output));
        if matches!(&event, Event::Line(line) if line == STOP) {
            self.stop.stop();
            return None;
        }
        if let Event::Line(line) | Event::InvalidUtf8(line) = &mut event {
            match line.strip_prefix(STRAY) {
                Some(stray) => *line = stray.to_owned(),
                // The protocol polls for output that has arrived already.
                None if patience.is_zero() => {
                    self.ahead = Some(event);
                    return None;
                }
                None => {}
            }
            if line.contains(ID) {
                *line = line.replace(ID, &self.id);
            }
        }
        Some(event)
    }

    fn end_seen(&mut self) -> Option<&'static str> {
        None
    }

    fn end(&mut self) -> (Option<ExitStatus>, String) {
        (None, String::new())
    }
}

struct ScriptedPlayer {
    /// `None` for riddles.io, whose bots answer each request with one line.
    protocol: Option<Box<dyn EngineProtocol>>,
    script: Script,
}

impl AnyPlayer for ScriptedPlayer {
    fn new_game(&mut self, _: &dyn AnyState, seed: u64) -> Result<(), Error> {
        if let Some(protocol) = &mut self.protocol {
            protocol.new_game(seed);
        }
        Ok(())
    }

    fn think(&mut self, mut task: AnyTask<'_>) -> Result<Report<u32>, Error> {
        if task.state.outcome().is_some() {
            return Err(Error::new(ErrorCode::GameOver, "the game is over: there is no move to choose"));
        }
        let stop = StopFlag::default();
        self.script.stop = stop.clone();
        let mut exchange = Exchange::new(&mut self.script, Instant::now() + PATIENCE, &stop);
        let answer = match &mut self.protocol {
            Some(protocol) => protocol.ask(&mut exchange, &mut task),
            None => {
                exchange = exchange.lenient();
                let line = loop {
                    if let Received::Line(line) = exchange.receive()? {
                        break line;
                    }
                };
                riddles::answer(&exchange, task.state, &line).map(|best| Report::of(best, 0.5))
            }
        };
        if answer.as_ref().is_err_and(|error| error.code.is_program_fault()) {
            self.script.output = Cursor::default();
            self.script.ahead = None;
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use banmen_catalog::WallClock;
    use banmen_search::Limits;

    use super::*;

    /// Asks twice, and returns the moves or the codes of the errors.
    fn answers(game: &dyn AnyGame, protocol: &str, output: &str) -> Result<[Result<String, ErrorCode>; 2], ErrorCode> {
        let mut player = scripted(game, None, protocol, 1, output.as_bytes()).map_err(|error| error.code)?;
        let state = game.state(None, None).expect("a start");
        Ok(std::array::from_fn(|_| {
            let report = ask(player.as_mut(), state.as_ref()).map_err(|error| error.code)?;
            Ok(state.write(report.best().expect("a move"), ""))
        }))
    }

    fn ask(player: &mut dyn AnyPlayer, state: &dyn AnyState) -> Result<Report<u32>, Error> {
        player.think(AnyTask {
            state,
            limits: Limits::nodes(1),
            clock: &WallClock::default(),
            stop: &StopFlag::default(),
            threads: 1,
            lines: 1,
            progress: None,
        })
    }

    #[test]
    fn the_second_field_of_an_nboard_move_is_its_value() {
        let othello = banmen_othello::entry().in_memory();
        let state = othello.state(None, None).expect("a start");
        for (text, value) in [
            ("F5/1.5/2.5", Some(1.5)),
            ("F5//2.5", None),
            ("F5/ /2.5", None),
            ("F5 / -1 / 2.5", Some(-1.0)),
            ("F5/1.5", Some(1.5)),
            ("F5/", None),
            ("F5", None),
            ("F5  1.5", Some(1.5)),
        ] {
            let output = format!("pong #\npong #\n=== {text}\n");
            let mut player = scripted(&othello, None, "nboard", 1, output.as_bytes()).expect("it starts");
            let report = ask(player.as_mut(), state.as_ref()).expect(text);
            assert_eq!(report.lines[0].eval.as_ref().map(|eval| eval.n), value, "{text}");
        }
    }

    #[test]
    fn every_protocol_reads_its_script() {
        let othello = banmen_othello::entry().in_memory();
        let dobutsu = banmen_dobutsu::entry().in_memory();
        let golad = banmen_golad::entry().in_memory();
        let blokus = banmen_blokus::entry().in_memory();
        let tubstap = banmen_tubstap::entry().in_memory();
        let garbage = Err(ErrorCode::ProgramGarbage);
        let ended = Err(ErrorCode::ProgramExit);
        let ok = |text: &str| Ok(text.to_owned());
        let rpc = "{\"id\":#,\"ok\":{}}\n{\"id\":#,\"ok\":{\"move\":\"f5\"}}\n";
        assert_eq!(answers(&othello, "rpc", rpc), Ok([ok("f5"), ended.clone()]));
        let stray = "{\"id\":#,\"ok\":{}}\n%{\"id\":1,\"ok\":{}}\n";
        assert_eq!(answers(&othello, "rpc", stray), Ok([garbage.clone(), ended.clone()]));
        let gtp = "=# boardsize\n\n=#\n\n=#\n\n=# f5\n\n=0 f5\n\n";
        assert_eq!(answers(&othello, "gtp", gtp), Ok([ok("f5"), garbage.clone()]));
        let nboard = "pong #\npong #\n%stop\npong #\npong #\n=== F5/1.0/2\n";
        assert_eq!(answers(&othello, "nboard", nboard), Ok([Err(ErrorCode::Stopped), ok("f5")]));
        let usi = "usiok\nreadyok\nreadyok\ninfo depth 3 pv 2c2b\nbestmove 2c2b\n";
        assert_eq!(answers(&dobutsu, "usi", usi), Ok([ok("2c2b"), ended.clone()]));
        assert_eq!(answers(&dobutsu, "usi", "usiok\nbestmove 2c2b\n").err(), Some(ErrorCode::ProgramGarbage));
        assert_eq!(answers(&golad, "riddles", "pass\n"), Ok([ok("pass"), ended.clone()]));
        assert_eq!(
            answers(&blokus, "fpt", "1AB\n65\nu0\n65u0\n"),
            Ok([ok("f9,e10,f10,g10,f11"), Err(ErrorCode::Unsupported)])
        );
        assert_eq!(answers(&blokus, "fpt", "1AB\n%65u0\n").expect("it starts")[0], garbage);
        assert_eq!(answers(&blokus, "fpt", "1ABC\n").err(), Some(ErrorCode::ProgramGarbage));
        let ready = "= me\n\n=\n\n=\n\n= \n\n";
        let twice = format!("{ready}= 0,1,1,1,1,-1,0,0,1,0,0\n\n= 0,1,1,1,1,-1,0,0,1,0,0\n\n");
        assert_eq!(answers(&tubstap, "tubstap", &twice), Ok([ok("0@1,1"), Err(ErrorCode::Unsupported)]));
        let surrender = format!("{ready}= -1,-1,-1,0,0,-1,0,0,0,0,0\n\n%= \n");
        assert_eq!(answers(&tubstap, "tubstap", &surrender), Ok([Err(ErrorCode::Resigned), garbage.clone()]));
        assert_eq!(answers(&tubstap, "tubstap", "= me\n=\n").err(), Some(ErrorCode::ProgramGarbage));
        assert_eq!(answers(&othello, "no", "").err(), Some(ErrorCode::UnknownPlayer));
    }
}
