//! The player `perfect` on a source that knows only short wins and losses, because building the table takes too long
//! here.

use std::sync::Arc;
use std::time::Duration;

use banmen_dobutsu::notation::parse_position;
use banmen_dobutsu::players::perfect::Perfect;
use banmen_dobutsu::position::{Move, Position};
use banmen_dobutsu::table::{Index, Source, Value};
use banmen_dobutsu::{Dobutsu, Variant};
use banmen_game::{Game, GameState};
use banmen_search::{Clock, Limits, Player, Report, StopFlag, Task};

struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Searches this many plies; positions undecided at that depth count as draws.
struct Short {
    variant: Variant,
    plies: u32,
    index: Index,
}

impl Short {
    fn new(variant: Variant, plies: u32) -> Arc<Short> {
        Arc::new(Short { variant, plies, index: Index::new() })
    }
}

fn search(game: Dobutsu, position: &Position, depth: u32) -> Value {
    if let Some(outcome) = game.outcome(position, &Default::default()) {
        return if outcome.winner == Some(position.side()) { Value::Win(0) } else { Value::Loss(0) };
    }
    if depth == 0 {
        return Value::Draw;
    }
    let mut best = Value::Loss(0);
    for m in game.moves(position) {
        let mut next = *position;
        game.play(&mut next, m);
        let value = search(game, &next, depth - 1).before();
        if value.rank() > best.rank() {
            best = value;
        }
        if best == Value::Win(1) {
            break;
        }
    }
    best
}

impl Source for Short {
    type Error = ();
    type Rules = Variant;

    fn rules(&self) -> Variant {
        self.variant
    }

    fn index(&self) -> &Index {
        &self.index
    }

    fn byte(&self, number: u32) -> Result<u8, ()> {
        let position = self.index.stored(number).ok_or(())?;
        // Starts at the smallest depth, so that most answers are quick.
        let decided = (1..=self.plies).map(|depth| search(Dobutsu { variant: self.variant }, &position, depth));
        Ok(decided.into_iter().find_map(Value::plies).map_or(255, |plies| plies as u8))
    }
}

/// A source in which every block is damaged.
struct Damaged(Index);

impl Source for Damaged {
    type Error = ();
    type Rules = Variant;

    fn rules(&self) -> Variant {
        Variant::Catch
    }

    fn index(&self) -> &Index {
        &self.0
    }

    fn byte(&self, _: u32) -> Result<u8, ()> {
        Err(())
    }
}

fn ask<S: Source<Rules = Variant> + Send + Sync>(
    source: &Arc<S>,
    state: &GameState<Dobutsu>,
    seed: u64,
    lines: usize,
) -> Report<Move> {
    // The lines of a draw would otherwise be long.
    let limits = Limits::nodes(500);
    let stop = StopFlag::default();
    let mut player = Perfect::new(Arc::clone(source), seed);
    player.think(Task { state, limits, clock: &Still, stop: &stop, threads: 1, lines, progress: None })
}

fn known() -> impl Iterator<Item = (Position, &'static str, u32)> {
    include_str!("data/values.txt").lines().map(|line| {
        let (text, value) = line.split_once(": ").expect("a position and its value");
        let (end, plies) = value.split_once(' ').unwrap_or((value, "0"));
        (parse_position(text).expect("a position"), end, plies.parse().expect("plies"))
    })
}

#[test]
fn wins_are_short_and_losses_long() {
    let source = Short::new(Variant::Catch, 3);
    let mut seen = 0;
    for (position, end, plies) in known().filter(|&(_, end, plies)| end != "draw" && plies <= 4).step_by(3) {
        let state = GameState::from(Dobutsu::CATCH, position);
        let report = ask(&source, &state, 1, 1);
        let (value, n) = if end == "win" { (1.0, f64::from(plies)) } else { (0.0, -f64::from(plies)) };
        assert_eq!((report.value(), report.eval().map(|eval| eval.n), report.proven), (value, Some(n), true));
        assert_eq!(report.depth, plies);
        // Both sides follow the line to the end.
        let mut state = state;
        report.lines[0].moves.iter().for_each(|&m| state.play(m));
        assert_eq!(report.lines[0].moves.len(), plies as usize, "{position:?}");
        assert!(state.outcome().is_some_and(|outcome| outcome.winner.is_some()));
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn of_drawing_moves_the_one_with_the_most_traps_is_made() {
    let source = Short::new(Variant::Catch, 2);
    let mut seen = 0;
    for (position, ..) in known().filter(|&(_, end, plies)| end == "draw" || plies > 20).step_by(25) {
        let state = GameState::from(Dobutsu::CATCH, position);
        let report = ask(&source, &state, 1, 1);
        if report.value() != 0.5 {
            continue;
        }
        assert_eq!(report.eval(), None);
        let traps = |m: Move| {
            let mut next = position;
            next.play(m);
            (source.value(&next) == Ok(Value::Draw)).then(|| {
                let answers = source.moves(&next).expect("values");
                let losing = answers.iter().filter(|answer| answer.value.score() < 0).count();
                losing as f64 / answers.len() as f64
            })
        };
        let most = Dobutsu::CATCH.moves(&position).into_iter().filter_map(traps).fold(0.0, f64::max);
        assert_eq!(report.best().and_then(traps), Some(most), "{position:?}");
        let seeds: Vec<_> = (2..4).map(|seed| ask(&source, &state, seed, 1).best().and_then(traps)).collect();
        assert!(seeds.iter().all(|&traps| traps == Some(most)));
        seen += 1;
    }
    assert!(seen > 4, "{seen}");
}

/// The side to move steps from `position` to an empty square. Returns that step, and a game state at `position` in
/// which the position after the step has already occurred twice.
fn shuffle(position: &Position) -> Option<(GameState<Dobutsu>, Move)> {
    let game = Dobutsu::CATCH;
    let after = |position: &Position, m: Move| {
        let mut next = *position;
        game.play(&mut next, m);
        next
    };
    let back = |position: &Position, m: Move| match m {
        Move::Step { from, to } if position.empty() & to.mask() != 0 => {
            // A chick that became a hen cannot step back.
            (after(position, m).cell(to) == position.cell(from)).then_some(Move::Step { from: to, to: from })
        }
        _ => None,
    };
    game.moves(position).into_iter().find_map(|away| {
        let home = back(position, away)?;
        let far = after(position, away);
        game.moves(&far).into_iter().find_map(|answer| {
            let cycle = [answer, home, back(&far, answer)?, away];
            let mut state = GameState::from(game, far);
            for &m in cycle.iter().chain(&cycle[..3]) {
                if state.outcome().is_some() || !game.is_legal(state.position(), m) {
                    return None;
                }
                state.play(m);
            }
            (state.outcome().is_none() && state.position() == position).then_some((state, away))
        })
    })
}

#[test]
fn a_lost_side_draws_by_the_third_occurrence_and_a_winning_one_does_not() {
    let source = Short::new(Variant::Catch, 3);
    let (mut lost, mut won) = (0, 0);
    for (position, end, _) in known().filter(|&(_, end, plies)| end != "draw" && plies <= 4).step_by(2) {
        let Some((mut state, again)) = shuffle(&position) else { continue };
        let report = ask(&source, &state, 1, 1);
        let best = report.best().expect("a move");
        if end == "loss" {
            assert_eq!((report.value(), best), (0.5, again), "{position:?}");
            state.play(best);
            assert_eq!(state.outcome().map(|outcome| outcome.by), Some("repetition"));
            lost += 1;
        } else {
            assert_ne!(best, again);
            state.play(best);
            assert!(state.outcome().is_none_or(|outcome| outcome.winner.is_some()), "{position:?}");
            won += 1;
        }
    }
    assert!(lost > 4 && won > 4, "{lost} and {won}");
}

#[test]
fn under_legal_rules_the_table_of_catch_serves_and_mates_are_one_ply() {
    let source = Short::new(Variant::Catch, 3);
    let mut mates = 0;
    for (position, _, plies) in known().filter(|&(_, end, plies)| end == "win" && plies <= 3).step_by(2) {
        let mut state = GameState::from(Dobutsu::LEGAL, position);
        if state.outcome().is_some() {
            continue;
        }
        let report = ask(&source, &state, 1, 1);
        assert_eq!(report.value(), 1.0, "{position:?}");
        let best = report.best().expect("a move");
        assert!(Dobutsu::LEGAL.is_legal(&position, best));
        state.play(best);
        if let Some(outcome) = state.outcome() {
            assert_eq!(outcome.winner, Some(position.side()));
            assert_eq!(report.eval().map(|eval| eval.n), Some(1.0));
            mates += usize::from(outcome.by == "mate" && plies == 3);
        } else {
            // A mate may be closer than the table says.
            assert_eq!((report.eval(), report.proven), (None, true));
        }
    }
    assert!(mates > 4, "{mates}");
}

#[test]
fn without_values_a_legal_move_is_made_that_does_not_lose_at_once() {
    let damaged = Arc::new(Damaged(Index::new()));
    // A table for other rules is treated the same.
    let foreign = Short::new(Variant::AnyTry, 1);
    for (position, _, plies) in known().step_by(7) {
        let state = GameState::from(Dobutsu::CATCH, position);
        for report in [ask(&damaged, &state, 1, 3), ask(&foreign, &state, 1, 3)] {
            if report.proven {
                continue;
            }
            assert_eq!(report.value(), 0.5);
            let mut next = position;
            Dobutsu::CATCH.play(&mut next, report.best().expect("a move"));
            assert!(plies == 2 || search(Dobutsu::CATCH, &next, 1) != Value::Win(1), "{position:?}");
        }
    }
    let report = ask(&damaged, &GameState::new(Dobutsu::CATCH), 1, 1);
    assert!(!report.proven);
}

#[test]
fn several_lines_are_the_best_moves_in_order() {
    let source = Short::new(Variant::Catch, 2);
    for (position, ..) in known().step_by(60) {
        let report = ask(&source, &GameState::from(Dobutsu::CATCH, position), 1, 3);
        assert_eq!(report.lines.len(), Dobutsu::CATCH.count_moves(&position).min(3));
        assert!(report.lines.windows(2).all(|pair| pair[0].value >= pair[1].value));
    }
}
