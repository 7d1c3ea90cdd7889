//! The root: iterative deepening, several lines, helper threads.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use banmen_game::{Game, Side};
use banmen_search::windows::VisitEnd;
use banmen_search::{Eval, Line, Report, Task};

use super::evaluation::LOGIT;
use super::search::{INFINITE, MAX_PLY, Node, PROVEN, Search, Verdict, WIN};
use crate::Dobutsu;
use crate::position::{Move, Position};

/// The largest value that a level below 10 reports.
const HANDICAP_MAX: i32 = 10 * LOGIT;

/// A root move, with the result of the last finished iteration.
struct RootMove {
    m: Move,
    /// The position after it; none when its value is known without search.
    node: Option<Node>,
    value: i32,
    line: Vec<Move>,
}

/// Deepens until `depth`, a limit, or a result that is proven within the depth of the search. Only a position that is over has
/// no line. `current` is the depth that is searched now.
pub(super) fn deepen(
    search: &mut Search<'_, '_>,
    task: &mut Task<'_, Dobutsu>,
    depth: i32,
    current: &AtomicU32,
) -> Report<Move> {
    let side = task.state.position().side();
    let mut roots = root_moves(search, *task.state.position());
    let wanted = task.lines.max(1).min(roots.len());
    let mut report = describe(search, task.state.position(), &roots[..wanted], 0);
    for depth in 1..=depth.clamp(1, MAX_PLY as i32) {
        current.store(depth as u32, Relaxed);
        if let Some(record) = &mut search.record {
            record.begin(side, depth, -INFINITE, INFINITE);
        }
        let finished = (0..wanted).all(|index| best_from(search, &mut roots, index, depth - 1, side));
        if let (Some(record), Some(best), true) = (&mut search.record, roots.first(), finished) {
            record.finish(depth as u32, best.value);
        }
        // With one line, a better move found in an unfinished iteration counts. A loss does not: the moves that were not
        // searched may be better.
        if !finished && (wanted > 1 || roots[0].value <= -PROVEN) {
            break;
        }
        let shown = &mut roots[..wanted];
        // A later line may be better than an earlier one: the table has more entries when it is searched.
        shown.sort_by_key(|root| std::cmp::Reverse(root.value));
        report = describe(search, task.state.position(), shown, if finished { depth } else { depth - 1 });
        if !finished {
            break;
        }
        task.report(|| report.clone());
        if is_done(shown, depth) || roots.iter().all(|root| root.node.is_none()) {
            break;
        }
    }
    report
}

/// Whether all results are proven within the depth. Reductions and pruning may have hidden a shorter win.
fn is_done(lines: &[RootMove], depth: i32) -> bool {
    lines.iter().all(|root| WIN - root.value.abs() <= depth)
}

/// Iterations of a helper thread until its budget is over. Every other helper searches a ply deeper than the calling
/// thread: its entries then serve the next iteration.
pub(super) fn help(
    search: &mut Search<'_, '_>,
    position: Position,
    index: usize,
    lines: usize,
    max_depth: i32,
    current: &AtomicU32,
) {
    let side = position.side();
    let mut roots = root_moves(search, position);
    let lines = lines.max(1).min(roots.len());
    let (ahead, max_depth) = ((index as i32 + 1) % 2, max_depth.clamp(1, MAX_PLY as i32));
    let mut depth = 0;
    while depth < max_depth && roots.iter().any(|root| root.node.is_some()) {
        depth = (depth + 1).max(current.load(Relaxed) as i32 + ahead).min(max_depth);
        let finished = (0..lines).all(|index| best_from(search, &mut roots, index, depth - 1, side));
        if !finished || is_done(&roots[..lines], depth) {
            return;
        }
    }
}

/// The moves with their values before the search, the best first.
fn root_moves(search: &mut Search<'_, '_>, position: Position) -> Vec<RootMove> {
    let game = search.context.game;
    let mut roots: Vec<RootMove> = Vec::new();
    for m in game.moves(&position) {
        let mut next = position;
        next.play(m);
        let evaluation = -search.evaluate(&next, next.key());
        let missed = search.context.handicap.is_some_and(|handicap| handicap.misses_danger(position.key(), m));
        let (open, value) = match search.verdict(&next) {
            Verdict::Won => (false, WIN - 1),
            Verdict::Drawn => (false, 0),
            Verdict::Lost(_) if missed => (false, evaluation),
            Verdict::Lost(plies) => (false, plies - WIN),
            Verdict::Open if game.count_moves(&next) == 0 => (false, WIN - 1),
            Verdict::Open => (true, evaluation),
        };
        roots.push(RootMove { m, node: open.then(|| Node::new(game, next)), value, line: vec![m] });
    }
    roots.sort_by_key(|root| std::cmp::Reverse(root.value));
    search.path.push(position.key());
    roots
}

/// Searches the moves from `index` on, `depth` plies below each, and moves the best of them to `index`. False when the
/// budget ran out: then the best of the moves that were searched is there.
fn best_from(search: &mut Search<'_, '_>, roots: &mut [RootMove], index: usize, depth: i32, side: Side) -> bool {
    let (mut alpha, mut best, mut finished) = (-INFINITE, index, true);
    for (at, root) in roots.iter_mut().enumerate().skip(index) {
        search.lines[1].clear();
        let value = match &root.node {
            None => search.known(root.m, side, alpha, INFINITE, root.value, VisitEnd::Ended),
            Some(node) => match search.child(root.m, node, depth, 0, alpha, INFINITE, 0, at == index) {
                Some(value) => value,
                None => {
                    finished = false;
                    break;
                }
            },
        };
        // Of equals one that is known without search: a repetition in the search may not happen.
        if value > alpha || (value == alpha && root.node.is_none()) {
            alpha = value;
            best = at;
            search.extend_line(0, root.m);
            root.value = value;
            root.line.clone_from(&search.lines[0]);
        }
    }
    if let Some(rest) = roots.get_mut(index..=best) {
        rest.rotate_right(1);
    }
    finished
}

fn describe(search: &Search<'_, '_>, position: &Position, roots: &[RootMove], depth: i32) -> Report<Move> {
    let proves = search.context.handicap.is_none();
    let line = |root: &RootMove| {
        // A search that overlooks moves proves nothing.
        let value = if proves { root.value } else { root.value.clamp(-HANDICAP_MAX, HANDICAP_MAX) };
        let mut moves = root.line.clone();
        if value.abs() >= PROVEN {
            finish(search, *position, &mut moves);
        }
        Line { moves, value: win_rate(value), eval: eval(value) }
    };
    Report {
        lines: roots.iter().map(line).collect(),
        nodes: search.budget.count(),
        depth: depth as u32,
        time: search.budget.elapsed(),
        proven: proves && roots.iter().all(|root| root.value.abs() >= PROVEN),
        ..Report::default()
    }
}

/// Adds the last moves of a proven line, which the search recognises without making them: where every answer loses at once
/// one of them, and the move that wins.
fn finish(search: &Search<'_, '_>, mut position: Position, line: &mut Vec<Move>) {
    line.iter().for_each(|&m| position.play(m));
    for _ in 0..2 {
        let after = |m: Move| {
            let mut next = position;
            next.play(m);
            (m, search.verdict(&next))
        };
        let moves: Vec<(Move, Verdict)> = search.context.game.moves(&position).into_iter().map(after).collect();
        let won = moves.iter().find(|(_, verdict)| *verdict == Verdict::Won);
        let lost = moves.iter().all(|(_, verdict)| matches!(verdict, Verdict::Lost(_)));
        let Some(&(m, verdict)) = won.or(if lost { moves.first() } else { None }) else { return };
        line.push(m);
        position.play(m);
        if verdict == Verdict::Won {
            return;
        }
    }
}

/// The expected score of the side to move.
fn win_rate(value: i32) -> f64 {
    match value {
        _ if value >= PROVEN => 1.0,
        _ if value <= -PROVEN => 0.0,
        _ => 1.0 / (1.0 + libm::exp(-f64::from(value) / f64::from(LOGIT))),
    }
}

/// An upper bound of the plies to a proven win; negative, to a proven loss.
fn eval(value: i32) -> Option<Eval> {
    let plies = match value {
        _ if value >= PROVEN => WIN - value,
        _ if value <= -PROVEN => -WIN - value,
        _ => return None,
    };
    Some(Eval { n: plies.into(), unit: "plies" })
}
