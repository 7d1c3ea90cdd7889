//! `play`: a game in the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Board, Error, ErrorCode, FaultCost, Sides};
use banmen_game::mix;
use banmen_programs::{player, plays_whole_games};
use banmen_protocol::messages::{LegalAnswer, LegalRequest, ShowRequest};
use banmen_protocol::operations;
use banmen_search::{Limits, Report, StopFlag};

use super::instructions::{examples, instructions, typed};
use super::question::{name, without_position};
use super::{Ask, Done, about, given};
use crate::args::{Place, Play};
use crate::draw::{Colours, kinds, signs};
use crate::failure::Failure;
use crate::output::{remark, say, thousands, wrapped};

/// What a person may type.
const HELP: &str = "\
a move     as the list of legal moves has it; or its beginning, which is then completed part by part
moves      lists the legal moves; `moves BEGINNING` those that begin so
hint       what the engine would play
undo       takes back your last move
position   prints the position as text, for other commands
resign     gives the game up
quit       ends the program
`q`, `u`, `m` and `?` are short for quit, undo, moves and help.";

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
            let seed = mix(args.seed.wrapping_add(index as u64));
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

    let sides = game.info().sides;
    let colours = args.color.is_wanted().then(|| Colours::of(&sides));
    // Whether a person is still to be told who plays, and how a move is typed.
    let mut introduces = players.iter().any(Option::is_none);
    // Whether the board is drawn before the next move: not again after an answer that leaves it as it is.
    let mut draws = true;
    let mut played: Vec<String> = Vec::new();
    let mut state = start(&played)?;
    let mut humans: Vec<usize> = Vec::new();
    // The faults after which a player makes no further moves.
    let mut silenced: [Option<Error>; 2] = [None, None];
    loop {
        let mut place = args.place.clone();
        place.moves.extend(played.iter().cloned());
        let shown = ask.ask(operations::show, about(&place, ShowRequest::default()))?;
        if std::mem::take(&mut introduces) {
            remark(&instructions(ask, &place, &shown.board, &sides, [&args.first, &args.second], colours)?);
        }
        if std::mem::replace(&mut draws, true) {
            say(&format!("\n{}", without_position(&shown, &sides, args.color).trim_end()));
        }
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
                say(&format!("\n{} plays {text}", name(shown.side, &sides)));
                text
            }
            None => match ask_human(state.as_ref(), ask, &place, &|| help(ask, &place, &shown.board, &sides))? {
                UserInput::Move(text) => {
                    humans.push(played.len());
                    text
                }
                UserInput::Pass(text) => text,
                UserInput::Undo => {
                    if let Some(whole) =
                        [&args.first, &args.second].into_iter().find(|text| plays_whole_games(game, text))
                    {
                        remark(&format!("no move can be taken back: {whole} plays whole games"));
                        draws = false;
                        continue;
                    }
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
                    remark(&format!("hint: {} ({:.1} %)", beginning_of(&line), report.value() * 100.0));
                    draws = false;
                    continue;
                }
                UserInput::Position => {
                    say(&shown.position);
                    draws = false;
                    continue;
                }
                UserInput::Resign => {
                    let loser = state.side_to_move();
                    let [loser, winner] = [loser, loser.other()].map(|side| name(side.into(), &sides));
                    say(&format!("\n{loser} resigns: {winner} won"));
                    return Ok(0);
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

/// The legal moves with this prefix and the prefix as they spell it: as it was typed, else in lower or in upper case, since
/// moves are read in either.
fn legal(ask: &Ask, place: &Place, prefix: &str) -> Result<(String, LegalAnswer), Failure> {
    let answer = |prefix: &str| {
        ask.ask(operations::legal, about(place, LegalRequest { prefix: prefix.to_owned(), limit: MAX_SHOWN }))
    };
    let typed = answer(prefix)?;
    if typed.count == 0 {
        for spelling in [prefix.to_lowercase(), prefix.to_uppercase()] {
            let found = answer(&spelling)?;
            if found.count > 0 {
                return Ok((spelling, found));
            }
        }
    }
    Ok((prefix.to_owned(), typed))
}

/// The legal moves with this prefix: all of them if they are few, else their number and examples.
fn moves(ask: &Ask, place: &Place, prefix: &str) -> Result<String, Failure> {
    let (prefix, LegalAnswer { count, moves: listed, next }) = legal(ask, place, prefix)?;
    let beginning = if prefix.is_empty() { String::new() } else { format!(" begin with `{prefix}`") };
    match count {
        0 => Ok(format!("no move begins with `{prefix}`")),
        // Moves of several words are listed one per line.
        1..=MAX_SHOWN if listed.iter().any(|text| text.contains(' ')) => Ok(listed.join("\n")),
        1..=MAX_SHOWN => Ok(wrapped(&listed, " ", 0)),
        count => {
            let mut examples = Vec::new();
            for next in next.iter().take(3) {
                examples.extend(legal(ask, place, &format!("{prefix}{next}"))?.1.moves.into_iter().take(1));
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
    Position,
    Resign,
    Quit,
}

/// Whether a move leaves the board and the hands unchanged.
fn is_pass(state: &dyn AnyState, m: u32) -> bool {
    let mut next = state.copy();
    let pieces =
        |board: Board| (board.cells.into_iter().map(|cell| (cell.piece, cell.owner)).collect::<Vec<_>>(), board.hands);
    next.play(m).is_ok() && pieces(next.board()) == pieces(state.board())
}

/// What can be typed, what the signs of the board mean, and how a move is typed.
fn help(ask: &Ask, place: &Place, board: &Board, sides: &Sides) -> Result<String, Failure> {
    let letters = kinds(board);
    let letters = if letters.is_empty() { letters } else { format!("\n{letters}") };
    Ok(format!("{HELP}\n\n{}{letters}\n{}.", signs(board, sides), typed(board, &examples(ask, place)?)))
}

/// Asks until there is a legal move or a command. The end of the input quits.
///
/// A move may be typed in parts: a text with which legal moves begin is kept, and what follows continues it.
fn ask_human(
    state: &dyn AnyState,
    ask: &Ask,
    place: &Place,
    help: &dyn Fn() -> Result<String, Failure>,
) -> Result<UserInput, Failure> {
    if state.legal_count() == 1
        && let [only] = state.legal()[..]
        && is_pass(state, only)
    {
        let text = state.write(only, "");
        remark(&format!("the only move is {text}"));
        return Ok(UserInput::Pass(text));
    }
    let failed = |error| Failure::System("the terminal".to_owned(), error);
    let mut begun = String::new();
    loop {
        if io::stdin().is_terminal() {
            let mut out = io::stdout().lock();
            let prompt = if begun.is_empty() { "> ".to_owned() } else { format!("{begun} … > ") };
            write!(out, "{prompt}").and_then(|()| out.flush()).map_err(failed)?;
        }
        let mut line = Vec::new();
        if io::stdin().lock().read_until(b'\n', &mut line).map_err(failed)? == 0 {
            return Ok(UserInput::Quit);
        }
        // What is not UTF-8 is no move.
        let line = String::from_utf8_lossy(&line);
        let text = line.trim();
        match text {
            "" => continue,
            "quit" | "q" => return Ok(UserInput::Quit),
            // Within a move, the part that was begun is what is taken back.
            "undo" | "u" if begun.is_empty() => return Ok(UserInput::Undo),
            "undo" | "u" => begun.clear(),
            "hint" => return Ok(UserInput::Hint),
            "help" | "?" => remark(&help()?),
            "position" => return Ok(UserInput::Position),
            "resign" => return Ok(UserInput::Resign),
            _ => match text.split_once(' ').unwrap_or((text, "")) {
                ("moves" | "m", prefix) => remark(&moves(ask, place, prefix.trim())?),
                _ => match read(state, ask, place, &begun, text)? {
                    Typed::Move(text) => return Ok(UserInput::Move(text)),
                    Typed::Beginning(text, what) => {
                        remark(&what);
                        begun = text;
                    }
                    Typed::Nothing(why) => {
                        let examples = examples(ask, place)?;
                        // The longest one shows most of how moves are written.
                        let example = examples.iter().max_by_key(|text| text.len());
                        let example = example.map(|text| format!("a move is typed as `{text}`; ")).unwrap_or_default();
                        remark(&format!("{why} ({example}`help` says what you can type)"));
                    }
                },
            },
        }
    }
}

/// What a typed text means.
enum Typed {
    Move(String),
    /// Legal moves begin with this text; and how they go on.
    Beginning(String, String),
    Nothing(Error),
}

/// Reads a text as a move, or as the next part of the move that was begun.
fn read(state: &dyn AnyState, ask: &Ask, place: &Place, begun: &str, text: &str) -> Result<Typed, Failure> {
    let mut candidates: Vec<String> = [" ", ",", ""].iter().map(|gap| format!("{begun}{gap}{text}")).collect();
    if begun.is_empty() {
        candidates.clear();
    }
    candidates.push(text.to_owned());
    for candidate in &candidates {
        if let Ok(m) = state.read(candidate) {
            return Ok(Typed::Move(state.write(m, "")));
        }
    }
    for candidate in candidates {
        let (candidate, count, next) = following(ask, place, &candidate)?;
        if count > 0 {
            let shown = wrapped(&next[..next.len().min(MAX_SHOWN)], "  ", 0);
            let more = if next.len() > MAX_SHOWN { "  …" } else { "" };
            let many = if count == 1 {
                "1 move begins".to_owned()
            } else {
                format!("{} moves begin", thousands(count as u64))
            };
            let what = format!("{many} with `{candidate}` (`undo` takes it back). What follows:\n{shown}{more}");
            return Ok(Typed::Beginning(candidate, what));
        }
    }
    Ok(state.read(text).map_or_else(Typed::Nothing, |m| Typed::Move(state.write(m, ""))))
}

/// This text as moves spell it, how many begin with it, and the parts that may follow it: cells as a whole after a space or a
/// unit.
fn following(ask: &Ask, place: &Place, prefix: &str) -> Result<(String, usize, Vec<String>), Failure> {
    let (prefix, LegalAnswer { count, next, .. }) = legal(ask, place, prefix)?;
    // A number is not a part of a longer one.
    let goes_on = |part: &String| part.starts_with(|c: char| c.is_ascii_digit());
    if prefix.ends_with(|c: char| c.is_ascii_digit()) && !next.is_empty() && next.iter().all(goes_on) {
        return Ok((prefix, 0, Vec::new()));
    }
    let mut parts = Vec::new();
    for part in next {
        // The answer stops at a comma.
        let rest = if part.starts_with([' ', '@']) {
            legal(ask, place, &format!("{prefix}{part}"))?.1.next
        } else {
            Vec::new()
        };
        let whole = rest.iter().filter(|rest| rest.starts_with(',')).map(|rest| format!("{part}{rest}"));
        let before = parts.len();
        parts.extend(whole.map(|part| part.trim().to_owned()));
        if parts.len() == before {
            parts.push(part.trim().to_owned());
        }
    }
    Ok((prefix, count, parts))
}

/// A line of moves as far as it fits on a line of the terminal, but at least its first move.
fn beginning_of(line: &[String]) -> String {
    const COLUMNS: usize = 60;
    let mut text = String::new();
    for m in line {
        if !text.is_empty() && text.len() + m.len() > COLUMNS {
            return text + " …";
        }
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(m);
    }
    text
}
