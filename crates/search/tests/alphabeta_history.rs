//! Alpha-beta in a game with a history: a position that occurs again ends the game, so that values depend on the way to
//! a position.

use std::ops::ControlFlow;
use std::time::Duration;

use banmen_game::{Game, GameState, History, Outcome, Side, mix};
use banmen_search::alphabeta::{AlphaBeta, Evaluator, WIN};
use banmen_search::{Clock, Limits, Player, Report, StopFlag, Task};

/// A walk on a directed graph drawn from a seed, with cycles. Some nodes end the game; so does a position that occurred
/// before, with the result of its node.
#[derive(Clone, Debug, PartialEq)]
struct Graph {
    seed: u64,
}

const NODES: u64 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    node: u8,
    side: Side,
}

/// The positions that occurred.
#[derive(Clone, Debug, Default, PartialEq)]
struct Visited(Vec<Place>);

impl History<Place> for Visited {
    fn push(&mut self, place: &Place) {
        self.0.push(*place);
    }

    fn pop(&mut self) {
        self.0.pop();
    }
}

impl Graph {
    fn random(&self, node: u8, salt: u64) -> u64 {
        mix(self.seed ^ mix(u64::from(node) << 8 | salt))
    }

    fn is_terminal(&self, node: u8) -> bool {
        node > 1 && self.random(node, 1).is_multiple_of(3)
    }
}

impl Game for Graph {
    type Position = Place;
    type Move = u8;
    type History = Visited;

    fn start(&self) -> Place {
        Place { node: 0, side: Side::First }
    }

    fn side_to_move(&self, place: &Place) -> Side {
        place.side
    }

    fn outcome(&self, place: &Place, visited: &Visited) -> Option<Outcome> {
        let repeated = visited.0.contains(place);
        (repeated || self.is_terminal(place.node)).then(|| {
            let winner = match self.random(place.node, 2) % 3 {
                0 => None,
                1 => Some(Side::First),
                _ => Some(Side::Second),
            };
            let winner = if repeated { winner.map(Side::other) } else { winner };
            Outcome { winner, margin: None, by: if repeated { "repetition" } else { "end" } }
        })
    }

    fn visit_moves<B>(&self, place: &Place, mut visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        if !self.is_terminal(place.node) {
            for m in 0..2 + (self.random(place.node, 3) % 2) as u8 {
                visit(m)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn play(&self, place: &mut Place, m: u8) {
        let drawn = self.random(place.node, 4 + u64::from(m));
        place.node = (drawn % NODES) as u8;
        // One move in four keeps the turn.
        if !(drawn >> 32).is_multiple_of(4) {
            place.side = place.side.other();
        }
    }

    fn key(&self, place: &Place) -> u64 {
        mix(u64::from(place.node) << 1 | place.side as u64)
    }

    fn max_plies(&self) -> usize {
        2 * NODES as usize + 1
    }

    fn pack(&self, m: u8) -> u32 {
        m.into()
    }

    fn unpack(&self, bits: u32) -> Option<u8> {
        bits.try_into().ok()
    }
}

#[derive(Clone)]
struct SeededEvaluation;

impl Evaluator<Graph> for SeededEvaluation {
    fn evaluate(&mut self, game: &Graph, place: &Place) -> i32 {
        let value = (game.random(place.node, 20) % 21) as i32 - 10;
        if place.side == Side::First { value } else { -value }
    }

    fn win_rate(&self, value: i32) -> f64 {
        f64::from(value)
    }
}

/// The value by plain negamax with the history, `depth` plies deep.
fn negamax(game: &Graph, place: &Place, visited: &mut Visited, depth: u32, ply: i32) -> i32 {
    if let Some(outcome) = game.outcome(place, visited) {
        let value = SeededEvaluation.ended(&outcome, place.side);
        return value - value.signum() * ply;
    }
    if depth == 0 {
        return SeededEvaluation.evaluate(game, place);
    }
    visited.push(place);
    let value = game.moves(place).into_iter().map(|m| {
        let mut next = *place;
        game.play(&mut next, m);
        let value = negamax(game, &next, visited, depth - 1, ply + 1);
        if next.side == place.side { value } else { -value }
    });
    let value = value.max().expect("the game goes on");
    visited.pop();
    value
}

/// No game is longer.
const ALL: u32 = 2 * NODES as u32 + 1;

fn value(state: &GameState<Graph>, depth: u32) -> i32 {
    negamax(state.game(), state.position(), &mut state.history().clone(), depth, 0)
}

struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

fn think(player: &mut AlphaBeta<SeededEvaluation>, state: &GameState<Graph>, depth: u32, threads: usize) -> Report<u8> {
    let limits = Limits::depth(depth);
    player.think(Task { state, limits, clock: &Still, stop: &StopFlag::default(), threads, lines: 1, progress: None })
}

/// Plays games of all seeds by the best moves, with one player and one table each, and checks every report.
fn games(check: impl Fn(&GameState<Graph>, &mut AlphaBeta<SeededEvaluation>)) {
    for seed in 0..400 {
        let mut player = AlphaBeta::new(SeededEvaluation, 1 << 16, Limits::default());
        let mut state = GameState::new(Graph { seed });
        while state.outcome().is_none() {
            check(&state, &mut player);
            let moves = state.game().moves(state.position());
            let m = mix(seed ^ state.moves().len() as u64) as usize % moves.len();
            state.play(moves[m]);
        }
    }
}

#[test]
fn values_are_those_of_the_history() {
    games(|state, player| {
        for depth in [2, 4, 6] {
            let report = think(player, state, depth, 1);
            let expected = value(state, report.depth);
            // Entries of earlier moves of the game may be deeper than asked for, so that only the first search has the
            // value of its depth.
            if report.proven {
                assert_eq!(report.value(), f64::from(value(state, ALL)), "{state:?}");
            } else if report.depth == depth && state.moves().is_empty() {
                assert_eq!(report.value(), f64::from(expected), "depth {depth} of {state:?}");
            }
        }
    });
}

/// A search to the end of the game proves its value, or finds a forced win or loss.
fn check_proof(state: &GameState<Graph>, player: &mut AlphaBeta<SeededEvaluation>, threads: usize) {
    let report = think(player, state, ALL, threads);
    let (reported, exact) = (report.value() as i32, value(state, ALL));
    assert!(report.proven || reported.abs() > WIN / 2, "{report:?}");
    if report.proven {
        assert_eq!(reported, exact, "{report:?} of {state:?}");
    } else {
        assert_eq!(reported.signum(), exact.signum(), "{report:?} of {state:?}");
    }
}

#[test]
fn a_proof_is_the_value_of_the_game() {
    games(|state, player| check_proof(state, player, 1));
}

#[test]
#[cfg(feature = "threads")]
fn a_proof_on_several_threads_is_the_value_of_the_game() {
    for threads in [2, 4] {
        games(|state, player| check_proof(state, player, threads));
    }
}
