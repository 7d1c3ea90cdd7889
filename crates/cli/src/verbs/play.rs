//! `play`: a game in the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

use banmen_catalog::{AnyPlayer, AnyTask, AnyWalk, Board, WallClock};
use banmen_game::{Side, mix};
use banmen_protocol::player;
use banmen_search::{Limits, Report, StopFlag};
use serde_json::json;

use super::question::position;
use super::{Ask, Done, about, given};
use crate::args::Play;
use crate::failure::Failure;
use crate::output::{remark, say};

/// What a person may type beside a move.
const COMMANDS: &str = "a move, or: undo, hint, moves, quit";

/// The time for a move of a player when no limit is given.
const TIME: std::time::Duration = std::time::Duration::from_secs(1);

pub(crate) fn run(args: &Play, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.place.game)?.as_ref();
    ask.end_on_interrupt();
    let mut seats: [Option<Box<dyn AnyPlayer>>; 2] = [None, None];
    for (index, text) in [&args.first, &args.second].into_iter().enumerate() {
        if text != "human" {
            let seed = mix(args.seed + index as u64);
            seats[index] = Some(player(game, args.place.rules.as_deref(), text, seed, &args.programs.programs())?);
        }
    }
    let limits = match Limits::from(args.limits) {
        limits if limits == Limits::default() => Limits::time(TIME),
        limits => limits,
    };
    let start = |moves: &[String]| -> Result<Box<dyn AnyWalk>, Failure> {
        let mut walk = game.walk(args.place.rules.as_deref(), args.place.position.as_deref())?;
        if let Some(given) = given(&args.place) {
            walk.play_texts(&[&given])?;
        }
        walk.play_texts(&moves.iter().map(String::as_str).collect::<Vec<_>>())?;
        Ok(walk)
    };

    let mut played: Vec<String> = Vec::new();
    let mut walk = start(&played)?;
    let mut humans: Vec<usize> = Vec::new();
    loop {
        let mut place = args.place.clone();
        place.moves.extend(played.iter().cloned());
        let shown = ask.ask("show", about(&place, json!({})), &mut |_| {})?;
        say(&format!("\n{}", position(&shown, ask, &args.place.game)?));
        if walk.outcome().is_some() {
            return Ok(0);
        }
        let seat = &mut seats[usize::from(walk.side_to_move() == Side::Second)];
        let text = match seat {
            Some(player) => {
                let report = choose(player.as_mut(), walk.as_ref(), limits)?;
                let text = report.best().map(|m| walk.write(m, "")).unwrap_or_default();
                say(&format!("\nplays {text}"));
                text
            }
            None => match ask_human(walk.as_ref())? {
                Said::Move(text) => {
                    humans.push(played.len());
                    text
                }
                Said::Pass(text) => text,
                Said::Undo => {
                    match humans.pop() {
                        Some(length) => played.truncate(length),
                        None => remark("there is no move of yours to take back"),
                    }
                    walk = start(&played)?;
                    continue;
                }
                Said::Hint => {
                    let mut engine = game.player(args.place.rules.as_deref(), "engine", args.seed)?;
                    let report = choose(engine.as_mut(), walk.as_ref(), limits)?;
                    let line = report.lines.first().map(|line| walk.write_line(&line.moves, "")).unwrap_or_default();
                    remark(&format!("hint: {} ({:.1} %)", line.join(" "), report.value() * 100.0));
                    continue;
                }
                Said::Quit => return Ok(0),
            },
        };
        walk.play_texts(&[&text])?;
        played.push(text);
    }
}

/// A player's choice, by wall time.
fn choose(player: &mut dyn AnyPlayer, walk: &dyn AnyWalk, limits: Limits) -> Result<Report<u32>, Failure> {
    Ok(player.think(AnyTask {
        walk,
        limits,
        clock: &WallClock::default(),
        stop: &StopFlag::default(),
        lines: 1,
        progress: &mut |_| {},
    })?)
}

/// What a person wants.
enum Said {
    Move(String),
    /// Nothing was asked: passing is all there is.
    Pass(String),
    Undo,
    Hint,
    Quit,
}

/// Whether a move leaves the board and the hands as they are.
fn is_pass(walk: &dyn AnyWalk, m: u32) -> bool {
    let mut next = walk.copy();
    let pieces =
        |board: Board| (board.cells.into_iter().map(|cell| (cell.piece, cell.owner)).collect::<Vec<_>>(), board.hands);
    next.play(m).is_ok() && pieces(next.board()) == pieces(walk.board())
}

/// Asks until there is a legal move or a command. The end of the input quits.
fn ask_human(walk: &dyn AnyWalk) -> Result<Said, Failure> {
    let legal = walk.legal();
    if let [only] = legal[..]
        && is_pass(walk, only)
    {
        let text = walk.write(only, "");
        remark(&format!("the only move is {text}"));
        return Ok(Said::Pass(text));
    }
    let failed = |error| Failure::System("the terminal".to_owned(), error);
    loop {
        if io::stdin().is_terminal() {
            let mut out = io::stdout().lock();
            write!(out, "> ").and_then(|()| out.flush()).map_err(failed)?;
        }
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line).map_err(failed)? == 0 {
            return Ok(Said::Quit);
        }
        match line.trim() {
            "" => {}
            "quit" | "q" => return Ok(Said::Quit),
            "undo" | "u" => return Ok(Said::Undo),
            "hint" | "h" => return Ok(Said::Hint),
            "moves" | "m" => {
                remark(&legal.iter().map(|&m| walk.write(m, "")).collect::<Vec<_>>().join(" "));
            }
            text => match walk.read(text) {
                Ok(m) => return Ok(Said::Move(walk.write(m, ""))),
                Err(error) => remark(&format!("{error} ({COMMANDS})")),
            },
        }
    }
}
