//! The root: iterative deepening and several lines.

use std::cmp::Reverse;

use banmen_game::Game;
use banmen_search::{Eval, Line, Report, Task};

use super::level::Level;
use super::search::{DECIDED, INFINITE, MAX_PLY, Search};
use super::win_rate::win_rate;
use crate::Golad;
use crate::moves::Move;
use crate::parts::Valued;
use crate::position::Position;
use crate::trial::{UNIT, WON};

/// Deepens until `depth`, a limit, or a proven result. A level below 10 adds errors to the values, which the salt
/// determines.
pub(super) fn deepen(
    search: &mut Search<'_, '_, '_>,
    task: &mut Task<'_, Golad>,
    depth: u32,
    errors: Option<(Level, u64)>,
) -> Report<Move> {
    let position = *task.state.position();
    search.rank(&position, search.lists.root, INFINITE);
    let kept = search.lists.survey.max(search.lists.width(0)).max(task.lines);
    let mut moves = search.parts.best(kept).to_vec();
    let lines = task.lines.clamp(1, moves.len());
    let report = |search: &Search<'_, '_, '_>, moves: &[Valued], depth: u32| {
        let mut shown = moves.to_vec();
        if let Some((level, salt)) = errors {
            level.add_errors(salt, &mut shown);
        }
        describe(search, &position, &shown[..lines], depth)
    };
    // Deeper search finds nothing after the last turn, nor where every move ends the game.
    let game = search.game;
    let goes_on = |&(m, _): &Valued| {
        let mut next = position;
        next.play(m);
        game.outcome(&next, &()).is_none()
    };
    let turns = if moves.iter().any(goes_on) { game.turns() - position.generations } else { 1 };
    let (mut width, mut finished_depth) = (moves.len(), 1);
    // The next iteration takes several times as long as the ranking did.
    task.report(|| report(search, &moves, finished_depth));
    for depth in 2..=depth.min(MAX_PLY as u32).min(turns.into()) {
        // An immediate win or a forced move needs no search.
        if moves[0].1 >= WON || moves.len() == 1 {
            break;
        }
        // If all searched moves lose, the others are searched too.
        let searched = |depth: u32| {
            let halved = search.lists.survey.checked_shr(depth - 2).unwrap_or(0);
            halved.max(search.lists.width(0)).max(lines)
        };
        width = if moves[0].1 < -DECIDED { moves.len() } else { searched(depth).min(moves.len()) };
        // The second iteration orders all the moves of the third.
        let lines = if depth == 2 { searched(3) } else { lines };
        if !iterate(search, &position, &mut moves[..width], depth as i32, lines) {
            break;
        }
        finished_depth = depth;
        task.report(|| report(search, &moves[..width], depth));
        let decided = moves[0].1 > DECIDED || moves[0].1 < -DECIDED && width == moves.len();
        if decided && WON - moves[0].1.abs() < depth as i32 {
            break;
        }
    }
    report(search, &moves[..width], finished_depth)
}

/// Searches the moves to `depth` plies and sorts them. False when the budget ran out: then a move that was found to be
/// better comes first.
fn iterate(
    search: &mut Search<'_, '_, '_>,
    position: &Position,
    moves: &mut [Valued],
    depth: i32,
    lines: usize,
) -> bool {
    // Moves after the wanted lines only have to be proven worse than the last of these.
    let mut alpha = -INFINITE;
    let mut best: Vec<i32> = Vec::with_capacity(lines + 1);
    let mut values: Vec<i32> = Vec::with_capacity(moves.len());
    let mut finished = true;
    for &(m, _) in moves.iter() {
        let narrow = values.len() >= lines;
        let beta = if narrow { alpha + 1 } else { INFINITE };
        let mut value = search.after(position, m, depth, alpha, beta, 0);
        if narrow && value.is_some_and(|value| value > alpha) {
            value = search.after(position, m, depth, alpha, INFINITE, 0);
        }
        let Some(value) = value else {
            finished = false;
            break;
        };
        values.push(value);
        best.insert(best.partition_point(|&other| other >= value), value);
        best.truncate(lines);
        alpha = best.get(lines - 1).copied().unwrap_or(-INFINITE);
    }
    let searched = values.len();
    if searched > 0 {
        moves.iter_mut().zip(values).for_each(|(m, value)| m.1 = value);
        // A stable sort: of equal moves the one that was better before comes first.
        moves[..searched].sort_by_key(|&(_, value)| Reverse(value));
    }
    finished
}

fn describe(search: &Search<'_, '_, '_>, position: &Position, moves: &[Valued], depth: u32) -> Report<Move> {
    let turns = search.game.turns().saturating_sub(position.generations);
    let line = |&(m, value): &Valued| Line {
        moves: line(search, position, m, depth),
        value: win_rate(value, turns),
        eval: eval(value),
    };
    Report {
        lines: moves.iter().map(line).collect(),
        nodes: search.budget.count(),
        depth,
        time: search.budget.elapsed(),
        proven: moves[0].1 >= WON,
        ..Report::default()
    }
}

/// The move and its principal variation, as far as the table holds it.
fn line(search: &Search<'_, '_, '_>, position: &Position, first: Move, depth: u32) -> Vec<Move> {
    let mut moves = vec![first];
    let mut position = *position;
    position.play(first);
    while moves.len() < depth as usize {
        let Some((m, _)) = search.memory.get(search.key(&position)).and_then(|known| known.moves().next()) else {
            break;
        };
        if search.game.check(&position, m).is_err() {
            break;
        }
        moves.push(m);
        position.play(m);
    }
    moves
}

/// The balance in percent of the cells; plies to a win, negative to a loss.
fn eval(value: i32) -> Option<Eval> {
    Some(match value {
        _ if value > DECIDED => Eval { n: f64::from(WON - value + 1), unit: "plies" },
        _ if value < -DECIDED => Eval { n: f64::from(-WON - value - 1), unit: "plies" },
        _ => Eval { n: f64::from(value) * 100.0 / f64::from(UNIT), unit: "% of the cells" },
    })
}
