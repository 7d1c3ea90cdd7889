//! A shallow search by the evaluation, to put moves in order before the exact search.

use super::evaluation::Evaluation;
use super::kernel::legal;
use super::last::final_score;
use super::order::Moves;

/// Beyond every value.
const INFINITE: i32 = 10_000;

/// The value of a position in hundredths of a disc from the mover's view, `depth` plies deep.
pub(super) fn value(evaluation: &Evaluation, own: u64, opp: u64, depth: u32, nodes: &mut u64) -> i32 {
    search(evaluation, own, opp, -INFINITE, INFINITE, depth, nodes)
}

/// Plain alpha-beta; the moves by the evaluation where a subtree is worth it, else by the other side's mobility.
fn search(evaluation: &Evaluation, own: u64, opp: u64, mut alpha: i32, beta: i32, depth: u32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    if depth == 0 && legal(own, opp) != 0 {
        return evaluation.value(own, opp);
    }
    let mut moves = Moves::new(own, opp);
    if moves.as_slice().is_empty() {
        return if legal(opp, own) == 0 {
            100 * final_score(own, opp)
        } else {
            -search(evaluation, opp, own, -beta, -alpha, depth, nodes)
        };
    }
    for m in moves.as_mut_slice() {
        let (next_own, next_opp) = m.play(own, opp);
        m.worth = match depth {
            1 => 0,
            2 => -(legal(next_own, next_opp).count_ones() as i32),
            _ => -evaluation.value(next_own, next_opp),
        };
    }
    let mut best = -INFINITE;
    let mut index = 0;
    while let Some(m) = moves.pick(index) {
        let (next_own, next_opp) = m.play(own, opp);
        best = best.max(-search(evaluation, next_own, next_opp, -beta, -alpha, depth - 1, nodes));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
        index += 1;
    }
    best
}
