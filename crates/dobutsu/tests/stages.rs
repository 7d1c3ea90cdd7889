//! Dobutsu shogi with moves made in two stages, the piece and then its square, against the game itself.

use std::collections::HashSet;
use std::time::Duration;

use banmen_dobutsu::Dobutsu;
use banmen_dobutsu::notation::parse_position;
use banmen_dobutsu::position::{Move, Position};
use banmen_game::{Game, GameState, PassCost, perft};
use banmen_search::alphabeta::{AlphaBeta, NoEvaluation};
use banmen_search::mcts::{InStages, Settings, StagedMcts, Uniform};
use banmen_search::{Clock, Limits, Player, Staged, Stages, StopFlag, Task};

struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// The square that a piece leaves, or its kind in the hand; then where it goes.
#[derive(Clone, Debug, PartialEq)]
struct PieceThenSquare;

impl Stages<Dobutsu> for PieceThenSquare {
    fn count(&self) -> usize {
        2
    }

    fn part(&self, _: &Dobutsu, _: &Position, m: Move, _: usize) -> u32 {
        match m {
            Move::Step { from, .. } => from.index() as u32,
            Move::Drop { piece, .. } => 12 + piece.index() as u32,
        }
    }
}

fn reachable<G: Game>(game: &G, position: &G::Position, plies: u32, found: &mut HashSet<G::Position>) {
    if plies == 0 {
        found.insert(position.clone());
        return;
    }
    for m in game.moves(position) {
        let mut next = position.clone();
        game.play(&mut next, m);
        reachable(game, &next, plies - 1, found);
    }
}

/// Positions with the score of the side to move and the plies to the end; see `data/values.txt`.
fn known() -> impl Iterator<Item = (Position, f64, u32)> {
    include_str!("data/values.txt").lines().filter_map(|line| {
        let (text, value) = line.split_once(": ")?;
        let (word, plies) = value.split_once(' ')?;
        let score = match word {
            "win" => 1.0,
            "loss" => 0.0,
            _ => return None,
        };
        Some((parse_position(text).expect("a position"), score, plies.parse().expect("plies")))
    })
}

#[test]
fn staged_moves_reach_the_same_positions() {
    let game = Dobutsu::CATCH;
    let view = Staged::new(game, PieceThenSquare);
    let middle = known().step_by(40).map(|(position, ..)| position);
    for position in middle.chain([game.start()]) {
        let start = view.position(position);
        for plies in 0..=3 {
            let paths = perft(&game, &position, plies, PassCost::Ply, &|| false);
            assert_eq!(perft(&view, &start, 2 * plies, PassCost::Ply, &|| false), paths);
            let (mut whole, mut staged) = (HashSet::new(), HashSet::new());
            reachable(&game, &position, plies, &mut whole);
            reachable(&view, &start, 2 * plies, &mut staged);
            assert!(staged.iter().all(|position| position.parts().is_empty()));
            assert_eq!(staged.iter().map(|position| *position.base()).collect::<HashSet<_>>(), whole);
        }
    }
}

#[test]
fn positions_searched_to_the_end_have_the_same_values() {
    let (view, stop, mut won, mut lost) = (Staged::new(Dobutsu::CATCH, PieceThenSquare), StopFlag::default(), 0, 0);
    for (position, score, plies) in known().filter(|&(.., plies)| plies <= 5) {
        let state = GameState::from(view.clone(), view.position(position));
        // One ply less in the game itself does not find it.
        for (depth, expected) in [(2 * plies, score), (2 * plies - 2, 0.5)] {
            let limits = Limits::depth(depth);
            let task = Task { state: &state, limits, clock: &Still, stop: &stop, threads: 1, lines: 1, progress: None };
            let report = AlphaBeta::new(NoEvaluation, 1 << 20, Limits::default()).think(task);
            assert_eq!(report.value(), expected, "{position:?} in {plies} plies, searched {depth} decisions deep");
        }
        if score == 1.0 { won += 1 } else { lost += 1 }
    }
    assert!(won > 40 && lost > 20, "{won} won and {lost} lost positions");
}

#[test]
fn search_in_stages_proves_wins_and_returns_moves_of_the_game() {
    let (view, stop, mut seen) = (Staged::new(Dobutsu::CATCH, PieceThenSquare), StopFlag::default(), 0);
    for (position, ..) in known().filter(|&(_, score, plies)| score == 1.0 && plies <= 3) {
        let state = GameState::from(Dobutsu::CATCH, position);
        let settings = Settings { solver: true, bytes: 4 << 20, ..Settings::default() };
        let guide = InStages::new(Uniform::default());
        let mut player = StagedMcts::new(view.clone(), settings, guide, &[1.0, 1.0], 1).expect("sound settings");
        let limits = Limits { playouts: Some(20_000), ..Limits::default() };
        let report = player.think(Task {
            state: &state,
            limits,
            clock: &Still,
            stop: &stop,
            threads: 1,
            lines: 1,
            progress: None,
        });
        let best = report.best().expect("a move");
        assert!(state.game().is_legal(&position, best));
        assert!(report.proven && report.value() == 1.0, "{position:?}: {best:?}, {report:?}");
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}
