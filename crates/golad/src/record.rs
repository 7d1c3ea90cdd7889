//! Whole games as the official engine writes them for the site's viewer (golad-engine 1.1.1, read by
//! golad-matchviewer): one JSON object, with the settings, the winner and the state after each half of a turn.
//!
//! ```text
//! {"settings":{"players":{"names":["player0","player1"],"count":2},"board":{"width":18,"height":16}},
//!  "score":ROUNDS,"winner":0,"states":[
//!   {"round":0,"players":[{"score":40,"move":null,"id":0},{…}],"board":"0,0>.,.>1,…"},
//!   {"round":1,"players":[{"score":39,"move":{"exception":null,"killCell":{"x":2,"y":0},"moveType":"kill"},"id":0},…
//! ```
//!
//! The first state is the start; then there are two for each turn: after the move, and after the generation. A cell
//! that the next generation changes is followed by `>` and its new value. `score` of a player is the number of its
//! living cells, of the game the last round. A move that was rejected or missing has an `exception`, and the board is
//! unchanged.
//!
//! Reading replays the game and compares every field. The log does not contain the rules' number of rounds: a log that
//! ends between rounds while both sides live and nobody has won has reached it, as every finished game of the site has.
//! So a game that ended undecided before its last round cannot be written. The text of an `exception` is a sentence of
//! the official engine; ours is the word by which the turn was lost.

use banmen_catalog::{Error, ErrorCode, Header, LostTurn, Termination, quote};
use banmen_game::{GameState, Side};
use serde::{Deserialize, Serialize};

use crate::board::{Board, Cell, ROWS};
use crate::game::Golad;
use crate::moves::Move;
use crate::notation::{letter, owner_of};
use crate::position::Position;
use crate::step::step;

/// The words of [`banmen_catalog::Error::forfeit`] that an `exception` of ours may be.
const WORDS: [&str; 5] = ["time", "silence", "crash", "illegal move", "garbage"];

/// The site's names for players without a name.
const NAMES: [&str; 2] = ["player0", "player1"];

#[derive(Serialize, Deserialize)]
struct Log {
    settings: Settings,
    score: u32,
    winner: Option<usize>,
    states: Vec<State>,
}

#[derive(Serialize, Deserialize)]
struct Settings {
    players: Players,
    board: Size,
}

#[derive(Serialize, Deserialize)]
struct Players {
    names: Vec<String>,
    count: usize,
}

#[derive(Serialize, Deserialize)]
struct Size {
    width: usize,
    height: usize,
}

#[derive(Serialize, Deserialize)]
struct State {
    round: u32,
    players: Vec<Player>,
    board: String,
}

#[derive(Serialize, Deserialize)]
struct Player {
    score: u32,
    #[serde(rename = "move")]
    made: Option<PlayerAction>,
    id: usize,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlayerAction {
    exception: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kill_cell: Option<Point>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sacrifice_cells: Option<Vec<Point>>,
    move_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    birth_cell: Option<Point>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Point {
    x: usize,
    y: usize,
}

impl Point {
    fn of(cell: Cell) -> Point {
        Point { x: cell.x(), y: cell.y() }
    }

    fn cell(self) -> Result<Cell, String> {
        Cell::new(self.x, self.y).ok_or_else(|| format!("{},{} is off the board", self.x, self.y))
    }
}

impl PlayerAction {
    fn of(m: Move, lost: Option<&LostTurn>) -> PlayerAction {
        let made = PlayerAction { exception: lost.map(|lost| lost.by.clone()), ..PlayerAction::default() };
        let kind = |text: &str| Some(text.to_owned());
        match m {
            Move::Pass => PlayerAction { move_type: kind("pass"), ..made },
            Move::Kill(cell) => PlayerAction { move_type: kind("kill"), kill_cell: Some(Point::of(cell)), ..made },
            Move::Birth { cell, sacrifices } => PlayerAction {
                move_type: kind("birth"),
                birth_cell: Some(Point::of(cell)),
                sacrifice_cells: Some(sacrifices.map(Point::of).to_vec()),
                ..made
            },
        }
    }

    /// The move, whose turn was not lost.
    fn read(&self) -> Result<Move, String> {
        match (self.move_type.as_deref(), self.kill_cell, self.birth_cell, self.sacrifice_cells.as_deref()) {
            (Some("pass"), None, None, None) => Ok(Move::Pass),
            (Some("kill"), Some(cell), None, None) => Ok(Move::Kill(cell.cell()?)),
            (Some("birth"), None, Some(cell), Some(&[a, b])) => Ok(Move::birth(cell.cell()?, a.cell()?, b.cell()?)),
            (kind, ..) => Err(format!("the cells do not fit the moveType {}", kind.unwrap_or("null"))),
        }
    }
}

/// The cells of a board, each with its value in the next generation where that differs.
fn preview(board: &Board) -> String {
    let mut next = *board;
    step(&mut next);
    let cells = (0..board.height()).flat_map(|y| (0..board.width()).filter_map(move |x| Cell::new(x, y)));
    let cells = cells.map(|cell| match (letter(board.owner(cell)), letter(next.owner(cell))) {
        (now, then) if now == then => now.to_owned(),
        (now, then) => format!("{now}>{then}"),
    });
    cells.collect::<Vec<_>>().join(",")
}

/// The state of a board; `made` is the action of the player of a side.
fn log_state(round: u32, board: &Board, made: Option<(Side, PlayerAction)>) -> State {
    let player = |side: Side| Player {
        score: board.count(side),
        made: made.as_ref().filter(|(mover, _)| *mover == side).map(|(_, made)| made.clone()),
        id: side.index(),
    };
    State { round, players: Side::BOTH.map(player).into(), board: preview(board) }
}

/// The round of the state after this number of generations: 0 before the first turn.
fn round_after(generations: u16) -> u32 {
    u32::from(generations.div_ceil(2))
}

/// Writes a game on a line of its own.
///
/// # Errors
/// `unsupported` for a game without moves in which the second side is to move, since a log shows the side by its first move,
/// and for one that ended without a winner before its last round.
pub(crate) fn write(header: &Header, state: &GameState<Golad>) -> Result<String, Error> {
    let mut position = *state.origin();
    if state.moves().is_empty() && position.side == Side::Second {
        let why = "a log without moves cannot hold the side to move, if it is the second one";
        return Err(Error::new(ErrorCode::Unsupported, why));
    }
    if let Some(Termination { winner: None, by }) = &header.termination
        && state.outcome().is_none()
    {
        let why = format!(
            "a log cannot hold a game without a winner before the last round: after {} moves this one ended by {}",
            state.moves().len(),
            quote(by)
        );
        return Err(Error::new(ErrorCode::Unsupported, why));
    }
    let mut states = vec![log_state(round_after(position.generations), &position.board, None)];
    for (ply, &m) in state.moves().iter().enumerate() {
        let round = round_after(position.generations + 1);
        let lost = header.lost_turns.iter().find(|lost| lost.ply == ply);
        let mut placed = position;
        placed.place(m);
        states.push(log_state(round, &placed.board, Some((position.side, PlayerAction::of(m, lost)))));
        position.play(m);
        states.push(log_state(round, &position.board, None));
    }
    let named = |name: &str, usual: &str| if name.is_empty() { usual.to_owned() } else { name.to_owned() };
    let winner = match &header.termination {
        Some(stated) => stated.winner,
        None => state.outcome().and_then(|outcome| outcome.winner),
    };
    let log = Log {
        settings: Settings {
            players: Players { names: vec![named(&header.first, NAMES[0]), named(&header.second, NAMES[1])], count: 2 },
            board: Size { width: position.board.width(), height: position.board.height() },
        },
        score: round_after(position.generations),
        winner: winner.map(Side::index),
        states,
    };
    // Serialisation of such a value cannot fail.
    Ok(serde_json::to_string(&log).unwrap_or_default() + "\n")
}

/// Reads the games of a file: concatenated logs of the engine, each bare, in the `matchData` of the site's pages, or in
/// the `game` of the results of its wrapper; in both as an object or as the text of one.
pub(crate) fn read(game: &Golad, text: &[u8]) -> Result<Vec<(Header, GameState<Golad>)>, Error> {
    let refuse = |offset, reason, message: &str| Error::record(text, offset, reason, message);
    let text = std::str::from_utf8(text)
        .map_err(|error| refuse(error.valid_up_to(), "encoding", "the text is not in UTF-8"))?;
    let mut logs = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
    let mut games = Vec::new();
    loop {
        let rest = text.get(logs.byte_offset()..).unwrap_or_default();
        let begin = text.len() - rest.trim_start().len();
        match logs.next() {
            None => return Ok(games),
            Some(Err(error)) => {
                let cause = error.to_string();
                let cause = cause.split(" at line ").next().unwrap_or_default();
                return Err(refuse(offset(text, &error), "json", &format!("invalid JSON: {cause}")));
            }
            Some(Ok(value)) => {
                let number = games.len() + 1;
                games.push(log(value).and_then(|log| replay(game, &log)).map_err(|why| {
                    refuse(begin, "log", &format!("game {number}: {}", shortened(&why))).arg("game", number)
                })?);
            }
        }
    }
}

/// The byte offset of a fault in JSON. `serde_json` counts lines and the bytes in a line from 1.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    before.map(str::len).sum::<usize>() + error.column().saturating_sub(1)
}

/// The engine's log, bare or in a wrapper.
fn log(value: serde_json::Value) -> Result<Log, String> {
    let serde_json::Value::Object(mut outer) = value else {
        return Err("it is not a log of the engine: expected an object".to_owned());
    };
    let names = outer.get("playerData").and_then(|players| players.as_array()).map(|players| {
        let name = |player: &serde_json::Value| player["name"].as_str().unwrap_or_default().to_owned();
        players.iter().map(name).collect::<Vec<_>>()
    });
    let value = match ["matchData", "game"].into_iter().find_map(|name| Some((name, outer.remove(name)?))) {
        None => serde_json::Value::Object(outer),
        Some((name, serde_json::Value::String(text))) => {
            serde_json::from_str(&text).map_err(|error| format!("its text `{name}` is not JSON: {error}"))?
        }
        Some((_, inner)) => inner,
    };
    if !value.is_object() {
        return Err("it contains no log of the engine: expected an object".to_owned());
    }
    let mut log: Log = serde_path_to_error::deserialize(value).map_err(|error| error.to_string())?;
    if let Some(names) = names.filter(|names| names.len() == log.settings.players.names.len()) {
        log.settings.players.names = names;
    }
    Ok(log)
}

/// A sentence that may quote a text of any length: its beginning and its end, without control characters.
fn shortened(sentence: &str) -> String {
    const KEPT: usize = 80;
    let letters: Vec<char> = sentence.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    match (letters.get(..KEPT), letters.get(letters.len().saturating_sub(KEPT)..)) {
        (Some(begin), Some(end)) if letters.len() > 2 * KEPT => begin.iter().chain(&['…']).chain(end).collect(),
        _ => letters.into_iter().collect(),
    }
}

/// Replays the game of a log and compares every field.
fn replay(game: &Golad, log: &Log) -> Result<(Header, GameState<Golad>), String> {
    let Log { settings: Settings { players, board: Size { width, height } }, score, winner, states } = log;
    let [first, second] = players.names.as_slice() else { return Err("it does not have two players".to_owned()) };
    if players.count != 2 {
        return Err(format!("it counts {} players", players.count));
    }
    if ![width, height].iter().all(|size| (1..=ROWS).contains(size)) {
        return Err(format!("a board of {width} by {height} is not played: 1 to {ROWS} are possible"));
    }
    let Some((start, turns)) = states.split_first() else { return Err("it has no states".to_owned()) };
    if turns.len() % 2 != 0 {
        return Err(format!("state {}: a move without its generation", turns.len()));
    }
    let origin = origin(start, turns, *width, *height).map_err(|why| format!("state 0: {why}"))?;
    let last = usize::from(origin.generations) + turns.len() / 2;
    if last > game.turns().into() {
        return Err(format!("it goes on after {} rounds", game.rounds));
    }
    let both_live = states.last().is_some_and(|state| state.players.iter().all(|player| player.score > 0));
    let drawn = both_live && winner.is_none() && last.is_multiple_of(2) && !turns.is_empty();
    let rounds = if drawn { (last / 2) as u16 } else { game.rounds };
    let rules = Golad { width: *width as u8, height: *height as u8, rounds, ..*game };
    let mut state = GameState::from(rules, origin);
    let mut lost_turns = Vec::new();
    for (ply, turn) in turns.chunks(2).enumerate() {
        let [moved, lived] = turn else { continue };
        let in_state = |half: usize| move |why: String| format!("state {}: {why}", 2 * ply + 1 + half);
        if let Some(outcome) = state.outcome() {
            return Err(in_state(0)(format!("the game was over by {}", outcome.by)));
        }
        let position = *state.position();
        let made = made_by(moved, position.side).map_err(in_state(0))?;
        let m = if let Some(why) = &made.exception {
            let by = WORDS.into_iter().find(|word| word == why).unwrap_or("illegal move");
            lost_turns.push(LostTurn { ply, by: by.to_owned() });
            Move::Pass
        } else {
            let m = made.read().map_err(in_state(0))?;
            rules.check(&position, m).map_err(|why| in_state(0)(why.to_string()))?;
            m
        };
        let round = round_after(position.generations + 1);
        let mut placed = position;
        placed.place(m);
        compare(moved, round, &placed.board).map_err(in_state(0))?;
        state.play(m);
        compare(lived, round, &state.position().board).map_err(in_state(1))?;
        if lived.players.iter().any(|player| player.made.is_some()) {
            return Err(in_state(1)("a player has moved in the state after a generation".to_owned()));
        }
    }
    let round = round_after(state.position().generations);
    if *score != round {
        return Err(format!("its score is {score}, where the last round is {round}"));
    }
    let side =
        winner.map(|id| Side::BOTH.get(id).copied().ok_or_else(|| format!("the winner is {id}, who is not a player")));
    let side = side.transpose()?;
    let termination = match state.outcome() {
        Some(outcome) if outcome.winner != side => {
            let named = |side: Option<Side>| side.map_or("null".to_owned(), |side| side.index().to_string());
            return Err(format!("the winner is {}, not {}", named(outcome.winner), named(side)));
        }
        None if side.is_some() => Some(Termination { winner: side, by: "resignation".to_owned() }),
        _ => None,
    };
    let header = Header { first: first.clone(), second: second.clone(), termination, lost_turns, ..Header::default() };
    Ok((header, state))
}

/// The first position of a game, from its first state and the side that moves next.
fn origin(start: &State, turns: &[State], width: usize, height: usize) -> Result<Position, String> {
    let mut board = Board::empty(width as u8, height as u8);
    let cells: Vec<&str> = start.board.split(',').collect();
    if cells.len() != width * height {
        return Err(format!("the board has {} cells, where {width} by {height} are {}", cells.len(), width * height));
    }
    for (index, text) in cells.into_iter().enumerate() {
        let Some(cell) = Cell::new(index % width, index / width) else { continue };
        let Some(owner) = owner_of(text.split('>').next().unwrap_or_default()) else {
            return Err(format!("cell {},{} is `{text}`", cell.x(), cell.y()));
        };
        board.set(cell, owner);
    }
    let mut position = Position::new(board);
    let second = |state: &State| state.players.get(1).is_some_and(|player| player.made.is_some());
    let round = start.round.min(Golad::MAX_ROUNDS.into()) as u16;
    position.generations = 2 * round;
    if turns.first().is_some_and(second) {
        position.side = Side::Second;
        let before = position.generations.checked_sub(1);
        position.generations = before.ok_or("player 1 moves first, where round 0 begins with player 0")?;
    }
    if start.players.iter().any(|player| player.made.is_some()) {
        return Err("a game begins without a move".to_owned());
    }
    compare(start, u32::from(round), &board)?;
    Ok(position)
}

/// The action of the player of a side, the only one in the state.
fn made_by(state: &State, side: Side) -> Result<&PlayerAction, String> {
    let made: Vec<_> = state.players.iter().filter_map(|player| Some((player.id, player.made.as_ref()?))).collect();
    match made.as_slice() {
        [(id, made)] if *id == side.index() => Ok(made),
        _ => Err(format!("player {} is to move, and nobody else", side.index())),
    }
}

/// Compares a state with the expected one.
fn compare(found: &State, round: u32, board: &Board) -> Result<(), String> {
    let ids: Vec<usize> = found.players.iter().map(|player| player.id).collect();
    if ids != [0, 1] {
        return Err(format!("its players are {ids:?}, not 0 and 1"));
    }
    if found.round != round {
        return Err(format!("it is in round {}, not {round}", found.round));
    }
    let right = preview(board);
    if found.board != right {
        let (cells, right): (Vec<&str>, Vec<&str>) = (found.board.split(',').collect(), right.split(',').collect());
        if cells.len() != right.len() {
            return Err(format!("the board has {} cells, not {}", cells.len(), right.len()));
        }
        let differs = cells.iter().zip(&right).position(|(cell, right)| cell != right).unwrap_or(0);
        let (x, y) = (differs % board.width(), differs / board.width());
        return Err(format!("cell {x},{y} is `{}`, not `{}`", cells[differs], right[differs]));
    }
    for (player, side) in found.players.iter().zip(Side::BOTH) {
        let count = board.count(side);
        if player.score != count {
            return Err(format!("player {} has {} cells, not {count}", player.id, player.score));
        }
    }
    Ok(())
}
