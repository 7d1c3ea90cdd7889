//! What the levels of a game's engine lose a move.
//!
//! `cargo run --release -p banmen --example regret -- GAME POSITIONS NODES LIMIT`: each position is of a game of its own, of
//! `engine:level=5` with LIMIT nodes a move, in which the first four moves and then a third of the moves are random. Each level,
//! `random` and the players named after LIMIT choose a move with LIMIT nodes. What a move loses is the difference between the
//! values of the position after the best move and after this one, each searched by the engine with NODES nodes; the best move
//! is that of such a search, unless one of the others turns out better. A value is the mover's expected score: a loss of 1
//! is from a certain win to a certain loss. A move that loses more than a quarter is a blunder.
//!
//! The limits of Blokus Duo are playouts. The result depends only on the arguments and the build.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example prints")]

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::error::Error;

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Data, WallClock};
use banmen_game::{Rng, Side};
use banmen_search::{Limits, Report, StopFlag};

/// Random moves at the beginning of each game.
const RANDOM: usize = 4;
/// A loss above this is a blunder.
const BLUNDER: f64 = 0.25;
const SEED: u64 = 1;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [game, positions, nodes, limit, others @ ..] = arguments.as_slice() else {
        return Err("GAME POSITIONS NODES LIMIT [PLAYER …]".into());
    };
    let catalog = banmen::catalog(Data::in_memory());
    let game = catalog.game(game)?.as_ref();
    let [nodes, limit] = [nodes, limit].map(|text| text.parse());
    let (nodes, limit) = (limits(game, nodes?), limits(game, limit?));
    let mut names = vec!["random".to_owned()];
    names.extend(others.iter().cloned());
    names.extend((1..=9).map(|level| format!("engine:level={level}")));
    let mut players = names.iter().map(|name| game.player(None, name, SEED)).collect::<Result<Vec<_>, _>>()?;
    let mut judge = game.player(None, "engine", SEED)?;
    let mut losses: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    let mut rng = Rng::new(SEED);
    for _ in 0..positions.parse::<usize>()? {
        let state = position(game, &limit, &mut rng)?;
        let best = think(judge.as_mut(), state.as_ref(), &nodes, rng.bits())?.best().ok_or("no move")?;
        let mut values = BTreeMap::new();
        let mut moves = Vec::new();
        values.insert(best, value_after(judge.as_mut(), state.as_ref(), best, &nodes)?);
        for player in &mut players {
            let m = think(player.as_mut(), state.as_ref(), &limit, rng.bits())?.best().ok_or("no move")?;
            if let Entry::Vacant(value) = values.entry(m) {
                value.insert(value_after(judge.as_mut(), state.as_ref(), m, &nodes)?);
            }
            moves.push(m);
        }
        let most = values.values().copied().fold(0.0, f64::max);
        for (losses, m) in losses.iter_mut().zip(moves) {
            losses.push(most - values[&m]);
        }
    }
    println!("| player | loss a move | standard error | blunders |");
    println!("|---|---|---|---|");
    for (name, losses) in names.iter().zip(losses) {
        let n = losses.len() as f64;
        let mean = losses.iter().sum::<f64>() / n;
        let variance = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let blunders = losses.iter().filter(|loss| **loss > BLUNDER).count() as f64 / n;
        println!("| `{name}` | {mean:.3} | {:.3} | {:.1} % |", (variance / n).sqrt(), 100.0 * blunders);
    }
    Ok(())
}

fn limits(game: &dyn AnyGame, count: u64) -> Limits {
    if game.info().name == "blokus" {
        Limits { playouts: Some(count), ..Limits::default() }
    } else {
        Limits::nodes(count)
    }
}

/// A position of a game in which there is a choice.
fn position(game: &dyn AnyGame, limit: &Limits, rng: &mut Rng) -> Result<Box<dyn AnyState>, Box<dyn Error>> {
    loop {
        let mut state = game.state(None, None)?;
        let mut random = game.player(None, "random", rng.bits())?;
        let mut engine = game.player(None, "engine:level=5", rng.bits())?;
        let mut choices = Vec::new();
        while state.outcome().is_none() {
            let played = state.moves().len();
            if played >= RANDOM && state.legal_count() > 1 {
                choices.push(state.copy());
            }
            let by_chance = played < RANDOM || rng.below(3) == 0;
            let player = if by_chance { random.as_mut() } else { engine.as_mut() };
            let m = answer(player, state.as_ref(), limit)?.best().ok_or("no move")?;
            state.play(m)?;
        }
        if !choices.is_empty() {
            return Ok(choices.swap_remove(rng.index(choices.len())));
        }
    }
}

/// The expected score of the side to move if it plays this move.
fn value_after(judge: &mut dyn AnyPlayer, state: &dyn AnyState, m: u32, nodes: &Limits) -> Result<f64, Box<dyn Error>> {
    let mover = state.side_to_move();
    let mut next = state.copy();
    next.play(m)?;
    if let Some(outcome) = next.outcome() {
        return Ok(outcome.score(mover));
    }
    let value = think(judge, next.as_ref(), nodes, SEED)?.lines.first().ok_or("no line")?.value;
    let of = |side: Side| if side == mover { value } else { 1.0 - value };
    Ok(of(next.side_to_move()))
}

/// The player's answer as if the position were the first of a game.
fn think(
    player: &mut dyn AnyPlayer,
    state: &dyn AnyState,
    limits: &Limits,
    seed: u64,
) -> Result<Report<u32>, Box<dyn Error>> {
    player.new_game(state, seed)?;
    answer(player, state, limits)
}

fn answer(player: &mut dyn AnyPlayer, state: &dyn AnyState, limits: &Limits) -> Result<Report<u32>, Box<dyn Error>> {
    let (clock, stop) = (WallClock::default(), StopFlag::default());
    let limits = *limits;
    Ok(player.think(AnyTask { state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None })?)
}
