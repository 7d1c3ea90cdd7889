//! Positions of the FFO endgame suite, solved exactly.

use banmen_catalog::WallClock;
use banmen_othello::engine::{Solution, Solver};
use banmen_othello::moves::after;
use banmen_search::{Budget, Limits, StopFlag};

/// The fields of a line of the suite: the mover's discs, the opponent's discs, score, best moves.
fn parse(line: &str) -> (u64, u64, i32, Vec<u32>) {
    let fields: Vec<&str> = line.split('|').collect();
    let discs = |colour| (0..64).filter(|&i| fields[2].as_bytes()[i] == colour).map(|i| 1u64 << i).sum::<u64>();
    let (mut own, mut opp) = (discs(b'X'), discs(b'O'));
    if fields[3] == "O" {
        (own, opp) = (opp, own);
    }
    let square = |name: &str| u32::from(name.as_bytes()[0] - b'a') + 8 * u32::from(name.as_bytes()[1] - b'1');
    (own, opp, fields[4].parse().unwrap(), fields[5].split(',').map(square).collect())
}

/// The lines of the suite, from #40 on.
fn suite() -> impl Iterator<Item = &'static str> {
    include_str!("data/ffo.txt").lines().filter(|line| !line.starts_with('#'))
}

fn solve(solver: &mut Solver, own: u64, opp: u64) -> Solution {
    let (clock, stop) = (WallClock::default(), StopFlag::default());
    let mut budget = Budget::start(&Limits::default(), &clock, &stop);
    solver.solve(own, opp, -64, 64, &mut budget, &mut |_| {})
}

#[test]
fn solves_positions_40_to_44() {
    let mut solver = Solver::new(1 << 26);
    let mut nodes = 0;
    for line in suite().take(5) {
        let (own, opp, score, best) = parse(line);
        let solution = solve(&mut solver, own, opp);
        assert_eq!(solution.score(), Some(score), "{line}");
        assert!(solution.best.is_some_and(|square| best.contains(&square)), "{line}: {:?}", solution.best);
        assert_eq!(solution.line.first().copied(), solution.best);
        nodes += solution.nodes;
    }
    assert!(nodes < 150_000_000, "{nodes} nodes");
}

/// #59 has 34 empty squares. The proof that Black wins all discs is short, for either side and with any number of threads.
#[test]
fn a_win_by_all_discs_needs_no_deep_search() {
    let (own, opp, score, best) = parse(suite().last().unwrap());
    for threads in [1, 2] {
        let mut solver = Solver::new(1 << 24);
        solver.set_threads(threads);
        let won = solve(&mut solver, own, opp);
        assert_eq!(won.score(), Some(score));
        assert!(won.best.is_some_and(|square| best.contains(&square)), "{:?}", won.best);
        solver.clear();
        let (next_own, next_opp) = after(own, opp, won.best.unwrap());
        let lost = solve(&mut solver, next_own, next_opp);
        assert_eq!(lost.score(), Some(-score));
        assert!(won.nodes < 5_000_000 && lost.nodes < 5_000_000, "{} and {} nodes", won.nodes, lost.nodes);
    }
}
