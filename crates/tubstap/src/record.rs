//! Whole games as the original writes them: the map, and after it the actions of each turn.
//!
//! ```text
//! SIZEX[8];SIZEY[8]; … the map …
//! PLAYEDDATE[2018/07/31];
//! PLAYEDRULE[rule_set_version_0100];
//! PLAYERRED[M-UCT]PLAYERBLUE[SMAEF];
//! TURNINFO[0,0,6];
//! ACTION[3,5,3,2,3,-1,0,0,1,0,0];
//! ```
//!
//! `TURNINFO[turn,side,actions]` begins each turn, `ACTION[unit,to x,to y,from x,from y,target,target x,target
//! y,type,damage,counter]` each action: type 0 is a surrender, 1 a move, 2 a move and an attack, 3 the end of the turn;
//! the target is -1 if there is none. Turns count from the number of the first one, which is 0 in what is written here.
//! A map alone is a game without moves. Reading replays the game: places, damage and counters are compared with the
//! rules. Author and comment of the map are written again.
//!
//! An end outside the rules that is no surrender by the side to move is a comment, `COM[red won: time,3];`: the result, its
//! reason, and the number of actions. A game that has ended in another way is refused.

use std::fmt::Write;

use banmen_catalog::{Error, ErrorCode, Header, Termination};
use banmen_game::{Game, GameState, Outcome, Side};

use crate::cells::Cell;
use crate::encoding;
use crate::game::Tubstap;
use crate::moves::Move;
use crate::notation::actions::{ATTACK, END, MOVE, SURRENDER, format_action};
use crate::notation::tbsmap::{Statement, read_map, statements};
use crate::notation::{Map, quote};

/// The rules' version that the original writes.
const RULE: &str = "rule_set_version_0100";

/// How a comment states the winner of a game that ended outside the rules, red or blue; the reason follows.
const WON: [&str; 2] = ["red won: ", "blue won: "];
/// How a comment states a draw outside the rules; the reason follows.
const DRAW: &str = "draw: ";

/// How a comment states this winner.
fn result(winner: Option<Side>) -> &'static str {
    winner.map_or(DRAW, |side| WON[side.index()])
}

/// Writes a game. It must begin as a map does: with all units, at turn 0.
pub(crate) fn write(header: &Header, state: &GameState<Tubstap>) -> Result<String, Error> {
    let (game, origin) = (state.game(), *state.origin());
    let Some(map) = Map::beginning_at(game, &origin) else {
        let message =
            "only a game that begins at turn 0 with all units, some of each side, can be written as a map with actions";
        return Err(Error::new(ErrorCode::Unsupported, message));
    };
    // A game with another start than the map's has no author.
    let [author, comment] = if origin == game.start() { game.description() } else { [""; 2] }.map(str::to_owned);
    let mut text = Map { author, comment, ..map }.text();
    if state.moves().is_empty() && *header == Header::default() {
        return Ok(text);
    }
    let shown = |text: &str| text.replace('[', "(").replace(']', ")");
    let _ = writeln!(text, "PLAYEDDATE[{}];\nPLAYEDRULE[{RULE}];", shown(&header.date));
    let _ = writeln!(text, "PLAYERRED[{}]PLAYERBLUE[{}];", shown(&header.first), shown(&header.second));
    let mut turns: Vec<Vec<String>> = vec![Vec::new()];
    let mut position = origin;
    for &m in state.moves() {
        turns.resize(usize::from(position.turn()) + 1, Vec::new());
        if let Some(turn) = turns.last_mut() {
            turn.push(format!("ACTION[{}];", format_action(game, &position, m)));
        }
        game.play(&mut position, m);
    }
    if let Some(Termination { winner, by }) = &header.termination {
        if by == "resignation" && *winner == Some(position.side().other()) {
            turns.resize(usize::from(position.turn()) + 1, Vec::new());
            if let Some(turn) = turns.last_mut() {
                turn.push(format!("ACTION[-1,0,0,0,0,-1,0,0,{SURRENDER},0,0];"));
            }
        } else {
            let _ = writeln!(text, "COM[{}{},{}];", result(*winner), shown(by), state.moves().len());
        }
    }
    for (turn, actions) in turns.iter().enumerate() {
        let _ = writeln!(text, "TURNINFO[{turn},{},{}];", turn % 2, actions.len());
        actions.iter().for_each(|action| {
            let _ = writeln!(text, "{action}");
        });
    }
    Ok(text)
}

/// Reads the maps and games of a file in UTF-8 or Shift-JIS. A game begins at its statement `SIZEX`.
pub(crate) fn read(_: &Tubstap, bytes: &[u8]) -> Result<Vec<(Header, GameState<Tubstap>)>, Error> {
    let text = encoding::decode(bytes);
    let refuse = |Refusal { at, reason, message }: Refusal| Error::record(text.as_bytes(), at, reason, &message);
    let refuse_game = |number: usize, refusal: Refusal| {
        refuse(Refusal { message: format!("game {}: {}", number + 1, refusal.message), ..refusal })
    };
    let all = statements(&text).map_err(|error| refuse(error.into()))?;
    let begins: Vec<usize> = all.iter().enumerate().filter(|(_, s)| s.tag == "SIZEX").map(|(at, _)| at).collect();
    let mut games = Vec::new();
    for (number, &begin) in begins.iter().enumerate() {
        let end = begins.get(number + 1).copied().unwrap_or(all.len());
        // What comes before the first game belongs to it: statements may come in any order.
        let own = &all[if number == 0 { 0 } else { begin }..end];
        let game = if end < all.len() && own.iter().all(|statement| statement.tag != "MAP") {
            // A second statement of the same map.
            refusal(&all[end], "twice", "SIZEX is given twice")
        } else {
            let end = all.get(end).map_or(text.len(), |next| text[..next.at].trim_end().len());
            replay(own, end)
        };
        games.push(game.map_err(|why| if begins.len() > 1 { refuse_game(number, why) } else { refuse(why) })?);
    }
    if games.is_empty() && !text.trim().is_empty() {
        let message = "the text has no statement SIZEX[…], with which a map begins".to_owned();
        return Err(refuse(Refusal { at: 0, reason: "no_game", message }));
    }
    Ok(games)
}

/// Why a record was refused, with the byte offset.
struct Refusal {
    at: usize,
    reason: &'static str,
    message: String,
}

impl From<crate::notation::NotationError> for Refusal {
    fn from(error: crate::notation::NotationError) -> Self {
        Refusal { at: error.at, reason: error.fault.reason(), message: error.to_string() }
    }
}

fn refusal<T>(statement: &Statement<'_>, reason: &'static str, message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { at: statement.at, reason, message: message.into() })
}

/// A turn of a replay.
struct Turn<'s, 't> {
    /// Its number from 0.
    number: usize,
    /// How many actions it states.
    stated: i32,
    statement: &'s Statement<'t>,
    /// The actions that came.
    came: usize,
    /// An action has ended it.
    ended: bool,
}

/// The game of these statements, whose text ends at the offset `end`.
fn replay(statements: &[Statement<'_>], end: usize) -> Result<(Header, GameState<Tubstap>), Refusal> {
    let Map { game, author, comment } = read_map(statements, end)?;
    let mut state = GameState::new(game.described(&author, &comment));
    let limit = usize::from(state.game().limit());
    let mut header = Header::default();
    let mut turn: Option<Turn<'_, '_>> = None;
    let mut first = None;
    let mut turns = 0_usize;
    let mut stated = None;
    for statement in statements {
        if header.termination.is_some() && statement.is_of_a_turn() {
            return refusal(statement, "game_over", "the game has ended by surrender");
        }
        match statement.tag {
            "PLAYERRED" => statement.value.clone_into(&mut header.first),
            "PLAYERBLUE" => statement.value.clone_into(&mut header.second),
            "PLAYEDDATE" => statement.value.clone_into(&mut header.date),
            "COM" => stated = stated.or_else(|| Some((statement, read_comment(statement.value)?))),
            "TURNINFO" => {
                complete(turn.as_ref())?;
                let [number, side, count] = numbers(statement)?;
                let begun = *first.get_or_insert(number);
                if i64::from(number) != i64::from(begun) + turns as i64 {
                    let expected = i64::from(begun) + turns as i64;
                    return refusal(statement, "turn", format!("turn {number} where turn {expected} is expected"));
                }
                if side != (turns % 2) as i32 {
                    return refusal(statement, "wrong_side", format!("it is not the turn of side {side}"));
                }
                if turns >= limit {
                    return refusal(statement, "game_over", format!("the map has a limit of {limit} turns"));
                }
                // A turn that ended early: the units that have not acted stand still.
                while usize::from(state.position().turn()) < turns && state.outcome().is_none() {
                    state.play(Move::END);
                }
                turn = Some(Turn { number: turns, stated: count, statement, came: 0, ended: false });
                turns += 1;
            }
            "ACTION" => {
                let Some(turn) = &mut turn else {
                    return refusal(statement, "no_turn", "an action before the first TURNINFO");
                };
                turn.came += 1;
                let passed = usize::from(state.position().turn()) > turn.number;
                header.termination = apply(&mut state, statement, passed, &mut turn.ended)?;
            }
            _ => {}
        }
    }
    complete(turn.as_ref())?;
    if let Some((statement, (termination, actions))) = stated {
        let played = state.moves().len();
        if actions != played {
            let message = format!("the comment states {actions} actions, the game has {played}");
            return refusal(statement, "wrong_count", message);
        }
        let by_rules = state.outcome().map(|Outcome { winner, by, .. }| Termination { winner, by: by.to_owned() });
        let ended = header.termination.replace(termination).or(by_rules);
        if let Some(Termination { winner, by }) = ended.filter(|ended| Some(ended) != header.termination.as_ref()) {
            let message = format!("the comment states another end than {}{by}", result(winner));
            return refusal(statement, "wrong_result", message);
        }
    }
    Ok((header, state))
}

/// The end outside the rules that a comment of [`write()`] states, and the number of actions. It writes no brackets.
fn read_comment(comment: &str) -> Option<(Termination, usize)> {
    let (end, action) = comment.rsplit_once(',').filter(|_| !comment.contains('['))?;
    let actions = action.parse().ok()?;
    let ends = [None, Some(Side::First), Some(Side::Second)];
    let (winner, by) = ends.iter().find_map(|&winner| Some((winner, end.strip_prefix(result(winner))?)))?;
    Some((Termination { winner, by: by.to_owned() }, actions))
}

/// A turn has as many actions as it states.
fn complete(turn: Option<&Turn<'_, '_>>) -> Result<(), Refusal> {
    match turn {
        Some(&Turn { stated, statement, came, .. }) if i64::from(stated) != came as i64 => {
            refusal(statement, "wrong_count", format!("the turn states {stated} actions and has {came}"))
        }
        _ => Ok(()),
    }
}

/// The numbers of a statement.
fn numbers<const N: usize>(statement: &Statement<'_>) -> Result<[i32; N], Refusal> {
    let numbers: Option<Vec<i32>> = statement.value.split(',').map(|text| text.trim().parse().ok()).collect();
    match numbers.and_then(|numbers| numbers.try_into().ok()) {
        Some(numbers) => Ok(numbers),
        None => {
            let (tag, found) = (statement.tag, quote(statement.value));
            refusal(statement, "bad_number", format!("`{found}` is not what {tag} takes: {N} numbers"))
        }
    }
}

/// Why an action after the one that ended a turn is refused.
const ENDED: &str = "the turn has been ended";

/// Plays an action. `passed` says that the turn has passed to the other side; `ended`, that an action has ended it, and
/// otherwise every unit has acted. Returns the end of the game if the action is a surrender.
fn apply(
    state: &mut GameState<Tubstap>,
    statement: &Statement<'_>,
    passed: bool,
    ended: &mut bool,
) -> Result<Option<Termination>, Refusal> {
    let [unit, to_x, to_y, from_x, from_y, target, target_x, target_y, kind, damage, counter] = numbers(statement)?;
    let side = state.side_to_move();
    if kind == SURRENDER && state.outcome().is_none() {
        let loser = if passed { side.other() } else { side };
        return Ok(Some(Termination { winner: Some(loser.other()), by: "resignation".to_owned() }));
    }
    if kind == END {
        if std::mem::replace(ended, true) {
            return refusal(statement, "turn_over", ENDED);
        }
        if !passed && state.outcome().is_none() {
            state.play(Move::END);
        }
        return Ok(None);
    }
    let (game, position) = (state.game().clone(), *state.position());
    if game.is_over(&position) {
        return refusal(statement, "game_over", "the game is over");
    }
    if passed {
        let why = if *ended { ENDED } else { "all units of the side have acted" };
        return refusal(statement, "turn_over", why);
    }
    let cell = |x: i32, y: i32| Cell::new(usize::try_from(x).ok()?, usize::try_from(y).ok()?);
    let number = |unit: i32| usize::try_from(unit).ok().filter(|&unit| unit < position.unit_count());
    let no_unit = |unit: i32| {
        let last = position.unit_count().saturating_sub(1);
        refusal(statement, "no_unit", format!("there is no unit {unit}: units have the numbers 0 to {last}"))
    };
    let Some(unit) = number(unit) else {
        return no_unit(unit);
    };
    let Some(to) = cell(to_x, to_y) else {
        return refusal(statement, "out_of_reach", format!("{to_x},{to_y} is not a cell of the map"));
    };
    let m = match kind {
        MOVE if (target, damage, counter) != (-1, 0, 0) => {
            return refusal(statement, "not_a_move", "a move has the target -1, and damage and counter 0");
        }
        MOVE => Move::quiet(unit, to),
        ATTACK => match number(target) {
            Some(target) => Move::attack(unit, to, target),
            None => return no_unit(target),
        },
        _ => return refusal(statement, "bad_type", format!("{kind} is no type of action: 0 to 3 are")),
    };
    if let Err(why) = game.check(&position, m) {
        return refusal(statement, why.reason(), why.to_string());
    }
    if cell(from_x, from_y) != Some(position.cell(unit)) {
        let at = position.cell(unit);
        return refusal(statement, "wrong_place", format!("unit {unit} is on {at}, not on {from_x},{from_y}"));
    }
    if let Some(target) = m.target() {
        let at = position.cell(target);
        if cell(target_x, target_y) != Some(at) {
            let message = format!("unit {target} is on {at}, not on {target_x},{target_y}");
            return refusal(statement, "wrong_place", message);
        }
        let (does, suffers) = game.exchange(&position, unit, to, target);
        if (i64::from(damage), i64::from(counter)) != (i64::from(does), i64::from(suffers)) {
            let message = format!("damage {damage} and counter {counter} are {does} and {suffers} by the rules");
            return refusal(statement, "wrong_damage", message);
        }
    }
    state.play(m);
    Ok(None)
}
