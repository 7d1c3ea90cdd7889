//! `play`: a game in the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Board, Error, ErrorCode, FaultCost};
use banmen_game::mix;
use banmen_programs::player;
use banmen_protocol::messages::{LegalAnswer, LegalRequest, ShowRequest};
use banmen_protocol::operations;
use banmen_search::{Limits, Report, StopFlag};

use super::question::position;
use super::{Ask, Done, about, given};
use crate::args::{Place, Play};
use crate::failure::Failure;
use crate::output::{remark, say, thousands};

/// The commands that a person may type.
const COMMANDS: &str = "a move, or: undo, hint, moves, moves BEGINNING, quit";

/// The largest number of moves that are listed at once.
const MAX_SHOWN: usize = 100;

/// The time per move if no limit is given.
const TIME: std::time::Duration = std::time::Duration::from_secs(1);

pub(crate) fn run(args: &Play, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.place.game)?.as_ref();
    ask.end_on_interrupt();
    let programs = args.programs.measured_by(args.clock);
    let mut players: [Option<Box<dyn AnyPlayer>>; 2] = [None, None];
    for (index, text) in [&args.first, &args.second].into_iter().enumerate() {
        if text != "human" {
            let seed = mix(args.seed + index as u64);
            players[index] = Some(player(game, args.place.rules.as_deref(), text, seed, &programs)?);
        }
    }
    let limits = match Limits::from(args.limits) {
        limits if limits == Limits::default() => Limits::time(TIME),
        limits => limits,
    };
    let start = |moves: &[String]| -> Result<Box<dyn AnyState>, Failure> {
        let mut state = game.state(args.place.rules.as_deref(), args.place.position.as_deref())?;
        if let Some(given) = given(&args.place) {
            state.play_texts(&[&given])?;
        }
        state.play_texts(&moves.iter().map(String::as_str).collect::<Vec<_>>())?;
        Ok(state)
    };

    let mut played: Vec<String> = Vec::new();
    let mut state = start(&played)?;
    let mut humans: Vec<usize> = Vec::new();
    // The faults after which a player makes no further moves.
    let mut silenced: [Option<Error>; 2] = [None, None];
    loop {
        let mut place = args.place.clone();
        place.moves.extend(played.iter().cloned());
        let shown = ask.ask(operations::show, about(&place, ShowRequest::default()))?;
        say(&format!("\n{}", position(&shown, ask, &args.place.game)?));
        if state.outcome().is_some() {
            return Ok(0);
        }
        let side = state.side_to_move().index();
        let text = match &mut players[side] {
            Some(player) => {
                let choice = match &silenced[side] {
                    Some(error) => Err(error.clone()),
                    None => choose(player.as_mut(), state.as_ref(), limits, args),
                };
                let text = match choice {
                    Ok(report) => report.best().map(|m| state.write(m, "")).unwrap_or_default(),
                    Err(error) => {
                        let pass = stands_for(&error, game, state.as_ref()).ok_or_else(|| error.clone())?;
                        if silenced[side].is_none() {
                            let cost =
                                if error.silences() { "this turn and all further ones are" } else { "the turn is" };
                            remark(&format!("{error}: {cost} lost"));
                        }
                        silenced[side] = error.silences().then_some(error);
                        let ply = state.moves().len();
                        players.iter_mut().flatten().for_each(|player| player.lost_turn(ply));
                        state.write(pass, "")
                    }
                };
                say(&format!("\nplays {text}"));
                text
            }
            None => match ask_human(state.as_ref(), ask, &place)? {
                UserInput::Move(text) => {
                    humans.push(played.len());
                    text
                }
                UserInput::Pass(text) => text,
                UserInput::Undo => {
                    match humans.pop() {
                        Some(length) => played.truncate(length),
                        None => remark("there is no move of yours to take back"),
                    }
                    state = start(&played)?;
                    continue;
                }
                UserInput::Hint => {
                    let mut engine = game.player(args.place.rules.as_deref(), "engine", args.seed)?;
                    let report = choose(engine.as_mut(), state.as_ref(), limits, args)?;
                    let line = report.lines.first().map(|line| state.write_line(&line.moves, "")).unwrap_or_default();
                    remark(&format!("hint: {} ({:.1} %)", line.join(" "), report.value() * 100.0));
                    continue;
                }
                UserInput::Quit => return Ok(0),
            },
        };
        state.play_texts(&[&text])?;
        played.push(text);
    }
}

/// The pass played for a player after this fault, if the fault costs the turn and not the game.
fn stands_for(error: &Error, game: &dyn AnyGame, state: &dyn AnyState) -> Option<u32> {
    // A program that does not start plays no game, and resigning is not a fault.
    let fault = error.forfeit().is_some() && !matches!(error.code, ErrorCode::ProgramStart | ErrorCode::Resigned);
    state.pass().filter(|_| fault && game.info().fault_costs == FaultCost::Turn)
}

/// A player's move.
fn choose(player: &mut dyn AnyPlayer, state: &dyn AnyState, limits: Limits, args: &Play) -> Result<Report<u32>, Error> {
    player.think(AnyTask {
        state,
        limits,
        clock: args.clock.clock().as_ref(),
        stop: &StopFlag::default(),
        threads: args.threads.threads,
        lines: 1,
        progress: None,
    })
}

/// The legal moves with this prefix: all of them if they are few, else their number and examples.
fn moves(ask: &Ask, place: &Place, prefix: &str) -> Result<String, Failure> {
    let legal = |prefix: &str, limit: usize| {
        ask.ask(operations::legal, about(place, LegalRequest { prefix: prefix.to_owned(), limit }))
    };
    let LegalAnswer { count, moves: listed, next } = legal(prefix, MAX_SHOWN)?;
    let beginning = if prefix.is_empty() { String::new() } else { format!(" begin with `{prefix}`") };
    match count {
        0 => Ok(format!("no move begins with `{prefix}`")),
        // Moves of several words are listed one per line.
        1..=MAX_SHOWN if listed.iter().any(|text| text.contains(' ')) => Ok(listed.join("\n")),
        1..=MAX_SHOWN => Ok(listed.join(" ")),
        count => {
            let mut examples = Vec::new();
            for next in next.iter().take(3) {
                examples.extend(legal(&format!("{prefix}{next}"), 1)?.moves);
            }
            Ok(format!(
                "{} moves{beginning}, such as {}; `moves BEGINNING` lists those with that prefix",
                thousands(count as u64),
                examples.join(", ")
            ))
        }
    }
}

/// The input of a person.
enum UserInput {
    Move(String),
    /// The forced pass, played without asking.
    Pass(String),
    Undo,
    Hint,
    Quit,
}

/// Whether a move leaves the board and the hands unchanged.
fn is_pass(state: &dyn AnyState, m: u32) -> bool {
    let mut next = state.copy();
    let pieces =
        |board: Board| (board.cells.into_iter().map(|cell| (cell.piece, cell.owner)).collect::<Vec<_>>(), board.hands);
    next.play(m).is_ok() && pieces(next.board()) == pieces(state.board())
}

/// Asks until there is a legal move or a command. The end of the input quits.
fn ask_human(state: &dyn AnyState, ask: &Ask, place: &Place) -> Result<UserInput, Failure> {
    if state.legal_count() == 1
        && let [only] = state.legal()[..]
        && is_pass(state, only)
    {
        let text = state.write(only, "");
        remark(&format!("the only move is {text}"));
        return Ok(UserInput::Pass(text));
    }
    let failed = |error| Failure::System("the terminal".to_owned(), error);
    loop {
        if io::stdin().is_terminal() {
            let mut out = io::stdout().lock();
            write!(out, "> ").and_then(|()| out.flush()).map_err(failed)?;
        }
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line).map_err(failed)? == 0 {
            return Ok(UserInput::Quit);
        }
        match line.trim() {
            "" => {}
            "quit" | "q" => return Ok(UserInput::Quit),
            "undo" | "u" => return Ok(UserInput::Undo),
            "hint" | "h" => return Ok(UserInput::Hint),
            text => match text.split_once(' ').unwrap_or((text, "")) {
                ("moves" | "m", prefix) => remark(&moves(ask, place, prefix.trim())?),
                _ => match state.read(text) {
                    Ok(m) => return Ok(UserInput::Move(state.write(m, ""))),
                    Err(error) => remark(&format!("{error} ({COMMANDS})")),
                },
            },
        }
    }
}
