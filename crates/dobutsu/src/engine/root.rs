//! The root: iterative deepening and several lines.

use banmen_game::Game;
use banmen_search::{Eval, Line, Report, Task};

use super::evaluation::LOGIT;
use super::search::{INFINITE, MAX_PLY, Node, PROVEN, Search, Verdict, WIN};
use crate::Dobutsu;
use crate::position::{Move, Position};

/// No level below 10 takes its side to be further ahead or behind.
const UNSURE: i32 = 10 * LOGIT;

/// A root move, with what the last finished iteration found.
struct Root {
    m: Move,
    /// What it leads to; none when its value is known without search.
    node: Option<Node>,
    value: i32,
    line: Vec<Move>,
}

/// Deepens until `depth`, a limit, or a proof as short as it can be. Only a position that is over has no line.
pub(super) fn deepen(search: &mut Search<'_, '_>, task: &mut Task<'_, Dobutsu>, depth: i32) -> Report<Move> {
    let mut roots = roots(search, task);
    let wanted = task.lines.max(1).min(roots.len());
    let mut report = describe(search, task.state.position(), &roots[..wanted], 0);
    for depth in 1..=depth.clamp(1, MAX_PLY as i32) {
        let finished = (0..wanted).all(|index| best_from(search, &mut roots, index, depth - 1));
        // With one line a better move counts though others were not looked at any more.
        if !finished && wanted > 1 {
            break;
        }
        let shown = &mut roots[..wanted];
        // A later line may turn out better than an earlier one: its search knew more.
        shown.sort_by_key(|root| std::cmp::Reverse(root.value));
        report = describe(search, task.state.position(), shown, if finished { depth } else { depth - 1 });
        if !finished {
            break;
        }
        task.report(|| report.clone());
        let proven = shown.iter().all(|root| WIN - root.value.abs() <= depth);
        if proven || roots.iter().all(|root| root.node.is_none()) {
            break;
        }
    }
    report
}

/// The moves with what is known of them unsearched, those that look best first.
fn roots(search: &mut Search<'_, '_>, task: &Task<'_, Dobutsu>) -> Vec<Root> {
    let (game, position) = (search.game, *task.state.position());
    let mut roots: Vec<Root> = Vec::new();
    for m in game.moves(&position) {
        let mut next = position;
        next.play(m);
        let looks = -search.evaluate(&next, next.key());
        let missed = search.sight.is_some_and(|sight| sight.misses_danger(position.key(), m));
        let (open, value) = match search.verdict(&next) {
            Verdict::Won => (false, WIN - 1),
            Verdict::Drawn => (false, 0),
            Verdict::Lost(_) if missed => (false, looks),
            Verdict::Lost(plies) => (false, plies - WIN),
            Verdict::Open if game.count_moves(&next) == 0 => (false, WIN - 1),
            Verdict::Open => (true, looks),
        };
        roots.push(Root { m, node: open.then(|| Node::new(game, next)), value, line: vec![m] });
    }
    roots.sort_by_key(|root| std::cmp::Reverse(root.value));
    search.path.push(position.key());
    roots
}

/// Searches the moves from `index` on, `below` plies deeper, and brings the best of them to `index`. False when the
/// watch ran out: then the first move still stands, or the best of those that were found better than it.
fn best_from(search: &mut Search<'_, '_>, roots: &mut [Root], index: usize, below: i32) -> bool {
    let (mut alpha, mut best, mut finished) = (-INFINITE, index, true);
    for (at, root) in roots.iter_mut().enumerate().skip(index) {
        search.lines[1].clear();
        let value = match &root.node {
            None => root.value,
            Some(node) => match search.child(node, below, 0, alpha, INFINITE, 0, at == index) {
                Some(value) => value,
                None => {
                    finished = false;
                    break;
                }
            },
        };
        // Of equals what is certain: the other side may not repeat what the search expects it to.
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

fn describe(search: &Search<'_, '_>, position: &Position, roots: &[Root], depth: i32) -> Report<Move> {
    let sure = search.sight.is_none();
    let line = |root: &Root| {
        // Who overlooks moves proves nothing.
        let value = if sure { root.value } else { root.value.clamp(-UNSURE, UNSURE) };
        let mut moves = root.line.clone();
        if value.abs() >= PROVEN {
            finish(search, *position, &mut moves);
        }
        Line { moves, value: win_rate(value), eval: eval(value) }
    };
    Report {
        lines: roots.iter().map(line).collect(),
        nodes: search.budget.count(),
        playouts: None,
        depth: depth as u32,
        time: search.budget.elapsed(),
        proven: sure && roots.iter().all(|root| root.value.abs() >= PROVEN),
    }
}

/// Adds the last moves to a line: where every answer loses at once one of them, and the move that wins. The search sees
/// both without making them.
fn finish(search: &Search<'_, '_>, mut position: Position, line: &mut Vec<Move>) {
    line.iter().for_each(|&m| position.play(m));
    for _ in 0..2 {
        let after = |m: Move| {
            let mut next = position;
            next.play(m);
            (m, search.verdict(&next))
        };
        let moves: Vec<(Move, Verdict)> = search.game.moves(&position).into_iter().map(after).collect();
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

/// Plies to a proven win, negative to a loss.
fn eval(value: i32) -> Option<Eval> {
    let plies = match value {
        _ if value >= PROVEN => WIN - value,
        _ if value <= -PROVEN => -WIN - value,
        _ => return None,
    };
    Some(Eval { n: plies.into(), unit: "plies" })
}
