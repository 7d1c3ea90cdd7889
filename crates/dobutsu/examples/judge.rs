//! Judges players by the solved game.
//!
//! `cargo run --release -p banmen-dobutsu --example judge -- [any-try] TABLE COMMAND`, where TABLE is a packed table,
//! or `build` to build one. The rules are `catch` unless `any-try` is given.
//!
//! * `hard reachable|games COUNT SEED` prints hard positions with their values: drawn, or won in more than nine plies,
//!   and at least one move loses value. `reachable` draws them uniformly from all reachable positions that are stored
//!   in the table. `games` takes one from each game of the engine (1,000 nodes a move) against itself in which every
//!   third move is random. No position of `games` is printed twice.
//! * `any COUNT SEED` prints positions drawn from all reachable positions that are stored.
//! * `keep FILE PLAYER MS` prints the share of the positions of FILE in which the player keeps the value, with MS
//!   milliseconds of processor time for each position.
//! * `regret FILE PLAYER NODES` prints how much value the player loses on average per move. From a win to a draw or
//!   from a draw to a loss is ½.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads files and prints")]

use std::collections::HashSet;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, CpuClock};
use banmen_dobutsu::notation::{Dialect, format_position, parse_position};
use banmen_dobutsu::position::{Move, Position};
use banmen_dobutsu::table::{Index, PackedTable, SLOTS, Source, Table, Value, build};
use banmen_dobutsu::{Dobutsu, Variant, entry};
use banmen_game::{Game, GameState, Rng};
use banmen_search::{Limits, Report, StopFlag};
use banmen_stats::wilson;

/// Wins within this many plies do not count as hard positions.
const EASY: u32 = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (variant, words) = match words.as_slice() {
        ["any-try", rest @ ..] => (Variant::AnyTry, rest),
        all => (Variant::Catch, all),
    };
    let [packed, command @ ..] = words else { return Err("name the file of a table, or `build`".into()) };
    let table = match *packed {
        "build" => build(variant, 1, &|_| ControlFlow::Continue(()))?,
        packed => PackedTable::open(std::fs::read(packed)?, variant)?.unpack()?,
    };
    match *command {
        ["hard", "reachable", count, seed] => {
            list(&table, reachable(&table, seed.parse()?).filter(|position| is_hard(&table, position)), count.parse()?);
        }
        ["hard", "games", count, seed] => list(&table, games(&table, seed.parse()?), count.parse()?),
        ["any", count, seed] => list(&table, reachable(&table, seed.parse()?), count.parse()?),
        ["keep", file, player, time] => {
            let limits = Limits::time(Duration::from_millis(time.parse()?));
            judge(&table, &std::fs::read_to_string(file)?, player, limits)?;
        }
        ["regret", file, player, nodes] => {
            judge(&table, &std::fs::read_to_string(file)?, player, Limits::nodes(nodes.parse()?))?;
        }
        _ => return Err("no such command".into()),
    }
    Ok(())
}

fn list(table: &Table, positions: impl Iterator<Item = Position>, count: usize) {
    for position in positions.take(count) {
        let Ok(value) = table.value(&position);
        let value = match value {
            Value::Win(plies) => format!("win {plies}"),
            Value::Draw => "draw".to_owned(),
            Value::Loss(plies) => format!("loss {plies}"),
        };
        println!("{}: {value}", format_position(&position, Dialect::Sfen));
    }
}

fn is_hard(table: &Table, position: &Position) -> bool {
    let (Ok(value), Ok(moves)) = (table.value(position), table.moves(position));
    let long = match value {
        Value::Win(plies) => plies > EASY,
        Value::Draw => true,
        Value::Loss(_) => false,
    };
    long && moves.iter().any(|known| known.value.score() < value.score())
}

/// Stored positions that are reachable from the start, drawn uniformly, with the first side to move.
fn reachable(table: &Table, seed: u64) -> impl Iterator<Item = Position> + '_ {
    let (index, game) = (Index::new(), Dobutsu { variant: table.rules() });
    let mut met = vec![0u64; SLOTS.div_ceil(64) as usize];
    let mut open = vec![Position::START];
    let mut count = 0;
    while let Some(position) = open.pop() {
        let _ = game.visit_moves(&position, |m| {
            let mut next = position;
            next.play(m);
            if let Some(slot) = index.slot(&next) {
                let (word, bit) = (slot.number as usize / 64, 1 << (slot.number % 64));
                if met[word] & bit == 0 {
                    met[word] |= bit;
                    // A position in which the lion can be caught is not expanded.
                    if !next.is_in_check(next.side().other()) {
                        count += 1;
                        open.push(next);
                    }
                }
            }
            ControlFlow::<()>::Continue(())
        });
    }
    // The count includes the start, which recurs in games. The figure is Tanaka's (2009), as in the census.
    assert!(game != Dobutsu::CATCH || count == 99_485_568, "{count}");
    let mut rng = Rng::new(seed);
    std::iter::repeat_with(move || rng.below(u64::from(SLOTS)) as u32)
        .filter(move |&number| met[number as usize / 64] >> (number % 64) & 1 == 1)
        .filter_map(move |number| table_position(table, number))
}

fn table_position(table: &Table, number: u32) -> Option<Position> {
    let position = table.index().stored(number)?;
    let Ok(value) = table.value(&position);
    (value != Value::Win(1)).then_some(position)
}

/// One hard position from each game. Positions of earlier games and their mirror images are excluded.
fn games(table: &Table, seed: u64) -> impl Iterator<Item = Position> + '_ {
    let game = Dobutsu { variant: table.rules() };
    let rules = Some(game.variant.name());
    let mut rng = Rng::new(seed);
    let mut known = HashSet::new();
    let mut players = (1..).map_while(move |seed| dobutsu().player(rules, "engine:table=1", seed).ok());
    std::iter::from_fn(move || {
        loop {
            let mut engine = players.next()?;
            let mut state = dobutsu().state(rules, None).ok()?;
            let mut typed = GameState::new(game);
            let mut hard = Vec::new();
            while typed.outcome().is_none() {
                if is_hard(table, typed.position()) {
                    hard.push(*typed.position());
                }
                let moves = game.moves(typed.position());
                let any = moves[rng.index(moves.len())];
                let m = match rng.below(3) {
                    0 => any.pack(),
                    _ => think(engine.as_mut(), state.as_ref(), Limits::nodes(1_000))?.best()?,
                };
                state.play(m).ok()?;
                typed.play(game.unpack(m)?);
            }
            hard.retain(|position| !known.contains(position));
            if !hard.is_empty() {
                let position = hard[rng.index(hard.len())];
                known.extend([position, position.mirrored()]);
                return Some(position);
            }
        }
    })
}

fn dobutsu() -> impl AnyGame {
    entry().in_memory()
}

fn think(player: &mut dyn AnyPlayer, state: &dyn AnyState, limits: Limits) -> Option<Report<u32>> {
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    player.think(AnyTask { state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None }).ok()
}

/// Asks the player for a move in each position, as if it were the first of a game, and sums the value lost.
fn judge(table: &Table, file: &str, player: &str, limits: Limits) -> Result<(), Box<dyn Error>> {
    let game = dobutsu();
    let rules = Some(table.rules().name());
    let mut player = game.player(rules, player, 1)?;
    let (mut positions, mut kept, mut lost, mut nodes, mut depth) = (0, 0, 0, 0, 0);
    for line in file.lines() {
        let text = line.split(':').next().unwrap_or_default();
        let state = game.state(rules, Some(text))?;
        let position = parse_position(text)?;
        player.new_game(state.as_ref(), 1)?;
        let report = think(player.as_mut(), state.as_ref(), limits).ok_or("the position is over")?;
        let m = report.best().and_then(Move::unpack).ok_or("no move")?;
        let Ok(value) = table.value(&position);
        let mut next = position;
        next.play(m);
        let Ok(after) = table.value(&next);
        let cost = value.score() - after.before().score();
        positions += 1;
        kept += u64::from(cost == 0);
        lost += cost;
        nodes += report.nodes;
        depth += u64::from(report.depth);
    }
    let share = kept as f64 / positions as f64;
    let interval = wilson(kept, positions, 0.95).ok_or("no positions")?;
    let mean = |sum: f64| sum / positions as f64;
    println!(
        "{kept} of {positions} kept: {:.2} %, 95 % interval {:.2} to {:.2}",
        100.0 * share,
        100.0 * interval.low,
        100.0 * interval.high
    );
    println!(
        "value lost a move {:.4}, nodes {:.0}, depth {:.1}",
        mean(f64::from(lost)) / 2.0,
        mean(nodes as f64),
        mean(depth as f64)
    );
    Ok(())
}
