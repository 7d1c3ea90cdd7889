//! The root: iterative deepening and several lines.

use banmen_game::{Game, History, Side};

use super::node::Tree;
use super::{AlphaBeta, Evaluator, INFINITE, MAX_PLY, NEAR_WIN, WIN};
use crate::{Budget, Line, Report, Task};

/// A root move, with what the last finished iteration found.
struct Root<G: Game> {
    m: G::Move,
    next: G::Position,
    value: i32,
    line: Vec<G::Move>,
}

/// Deepens until `depth`, a limit, or the end of all lines. `None` when not even depth 1 was finished.
pub(super) fn deepen<G: Game, E: Evaluator<G>>(
    player: &mut AlphaBeta<E>,
    task: &mut Task<'_, G>,
    budget: &mut Budget<'_>,
    depth: u32,
) -> Option<Report<G::Move>> {
    let (game, position) = (task.state.game(), task.state.position());
    let side = game.side_to_move(position);
    let mut history = task.state.history().clone();
    history.push(position);
    let mut tree = Tree {
        game,
        evaluator: &mut player.evaluator,
        table: &mut player.table,
        order: &mut player.order,
        budget,
        history,
        moves: Vec::with_capacity(1 << 12),
        lines: vec![Vec::new(); MAX_PLY + 1],
        open: false,
    };
    tree.list(position, depth.min(2), 0, None);
    let count = tree.moves.len();
    let mut roots: Vec<Root<G>> = (0..count)
        .map(|index| {
            let m = tree.next(index);
            let mut next = position.clone();
            game.play(&mut next, m);
            Root { m, next, value: -WIN, line: vec![m] }
        })
        .collect();
    tree.moves.clear();
    // A lone pass decides nothing, so it costs no depth.
    let spent = u32::from(count != 1 || game.pass() != Some(roots[0].m));
    let wanted = task.lines.clamp(1, count.max(1));

    let mut report = None;
    for depth in 1..=depth.max(1) {
        tree.open = false;
        let finished = (0..wanted).all(|index| best_from(&mut tree, &mut roots, index, side, depth - spent).is_some());
        if !finished {
            break;
        }
        let proven = !tree.open;
        let found = describe(&tree, &roots[..wanted], depth, proven);
        task.report(|| found.clone());
        // Deeper iterations change nothing once every line ends, or once the best line is a forced win or loss.
        let decided = roots.first().is_some_and(|root| root.value.abs() >= NEAR_WIN) && wanted == 1;
        report = Some(found);
        if proven || decided {
            break;
        }
    }
    report
}

/// Searches the moves from `index` on, `below` plies deeper, and brings the best of them to `index`. `None` when the budget ran out: the order
/// of the roots then still stands for the finished iteration, except for what the first line found, which is discarded
/// with the report.
fn best_from<G: Game, E: Evaluator<G>>(
    tree: &mut Tree<'_, '_, G, E>,
    roots: &mut [Root<G>],
    index: usize,
    side: Side,
    below: u32,
) -> Option<()> {
    let mut alpha = -INFINITE;
    let mut best = index;
    for (at, root) in roots.iter_mut().enumerate().skip(index) {
        let value = tree.child(&root.next, side, below, alpha, INFINITE, 0, at == index)?;
        if value > alpha {
            alpha = value;
            best = at;
            tree.extend_line(0, root.m);
            root.value = value;
            root.line.clone_from(&tree.lines[0]);
        }
    }
    roots[index..=best].rotate_right(1);
    Some(())
}

fn describe<G: Game, E: Evaluator<G>>(
    tree: &Tree<'_, '_, G, E>,
    roots: &[Root<G>],
    depth: u32,
    proven: bool,
) -> Report<G::Move> {
    let lines = roots
        .iter()
        .map(|root| Line {
            moves: root.line.clone(),
            value: tree.evaluator.win_rate(root.value),
            eval: tree.evaluator.eval(root.value),
        })
        .collect();
    Report { lines, nodes: tree.budget.count(), playouts: None, depth, time: tree.budget.elapsed(), proven }
}
