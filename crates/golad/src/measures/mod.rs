//! Measurements of the paper's claims (Suzuki and Ito 2019).
//!
//! This file measures times: ten moves of a game, single moves, playouts in 100 ms (sections 4.3, 5.1 and 5.2).
//!
//! | file | what it measures |
//! |---|---|
//! | `counts` | legal moves (1), reads of an array in a generation (6.1) |
//! | `changes` | AI2's time with each of AI3's changes (6.2), AI1's single moves (4.1) |
//! | `stopped` | games between agents that pass after some moves (5.3) |

mod changes;
mod counts;
mod stopped;

use std::hint::black_box;
use std::time::Duration;

use banmen_catalog::{Axis, Key, Kind, Measure, MeasureInfo, Observation, Options, Quantity, QuantityKind, Sampling};
use banmen_game::{Game, GameState, Side, mix};
use banmen_search::{Limits, Player, Task};

use crate::players::{AgentBoard, Cells, Formulas, Search, Steps, agent, ai1, ai2, ai3};
use crate::{Board, Golad, Position, start};

pub(crate) use changes::{CHANGES, SLOW};
pub(crate) use counts::{LEGAL, READS};
pub(crate) use stopped::STOPPED;

/// The time per move that the paper calls fast enough.
const ALLOWED: Duration = Duration::from_millis(100);

/// The number of games whose moves are one sample.
const GAMES: u64 = 25;

const AGENTS: Kind = Kind::Choice(&["ai1", "ai2", "ai3"]);

const STEP: Key = Key {
    name: "step",
    kind: Kind::Choice(&["paper", "vectors"]),
    default: "paper",
    summary: "how a generation is computed: as in the paper (cell by cell for AI1, formulas for the others), or the fastest way for all",
    source: "4.2",
};

const BIRTHS: Key = Key {
    name: "births",
    kind: Kind::Choice(&["drawn", "all"]),
    default: "drawn",
    summary: "how AI1 and AI2 find their births: as the key of the players",
    source: "as for the player `ai2`",
};

const fn agent(name: &'static str, default: &'static str, summary: &'static str) -> Key {
    Key { name, kind: AGENTS, default, summary, source: "5.1, 5.2" }
}

/// The time of the first moves of a game.
pub(crate) const TEN: Measure<Golad> = Measure {
    info: MeasureInfo {
        name: "ten",
        summary: "one game of two agents: the processor time of the first moves of each, and the generations' share of it",
        keys: &[
            agent("first", "ai1", "who moves first"),
            agent("second", "ai2", "who moves second"),
            Key {
                name: "moves",
                kind: Kind::Integer(1, 100),
                default: "10",
                summary: "moves of each side that are timed",
                source: "5.1: 10; it does not say whether of each side or of both",
            },
            STEP,
            BIRTHS,
        ],
        quantities: &[
            Quantity::mean("ratio", ""),
            Quantity::mean("first", "ms"),
            Quantity::mean("second", "ms"),
            Quantity::mean("first generations", "thousand"),
            Quantity::mean("second generations", "thousand"),
            Quantity::mean("first in steps", "%"),
            Quantity::mean("second in steps", "%"),
        ],
        axis: None,
    },
    sample: ten,
};

/// The time of single moves.
pub(crate) const MOVES: Measure<Golad> = Measure {
    info: MeasureInfo {
        name: "moves",
        summary: "25 games of AI2 against AI3, which move first in turn: the processor time of every move",
        keys: &[STEP, BIRTHS],
        quantities: &[
            Quantity { name: "within 100 ms", unit: "%", kind: QuantityKind::Share },
            Quantity::mean("p50", "ms"),
            Quantity::mean("p99", "ms"),
            Quantity::mean("longest", "ms"),
        ],
        axis: Some(Axis { name: "agent", points: &["AI2", "AI3"] }),
    },
    sample: moves,
};

/// Playouts in a time.
pub(crate) const PLAYOUTS: Measure<Golad> = Measure {
    info: MeasureInfo {
        name: "playouts",
        summary: "one position from a game of AI3 against itself with 10 playouts per move: how much an agent computes in a given time",
        keys: &[
            agent("agent", "ai3", "the agent that searches"),
            Key {
                name: "time",
                kind: Kind::Integer(1, 100_000),
                default: "100",
                summary: "processor time in milliseconds",
                source: "the site's time for a move",
            },
            Key {
                name: "turns",
                kind: Kind::Integer(0, 150),
                default: "0",
                summary: "turns from the start to the position, or fewer where the game would be over",
                source: "own",
            },
            STEP,
        ],
        quantities: &[Quantity::mean("playouts", ""), Quantity::mean("generations", "million")],
        axis: None,
    },
    sample: playouts,
};

/// An agent, and the count of its generations.
fn make(name: &str, step: &str, others: &[(&str, &str)], seed: u64) -> (Search, Steps) {
    let (keys, paper) = match name {
        "ai1" => (ai1::KEYS, "cells"),
        "ai2" => (ai2::KEYS, "rows"),
        _ => (ai3::KEYS, "rows"),
    };
    let mut pairs = vec![("step", if step == "paper" { paper } else { step })];
    pairs.extend(others);
    let options = Options::new(keys, &pairs);
    let made = options.and_then(|options| agent::player(&Golad::STANDARD, &options, seed));
    made.expect("the settings of this file fit the agents' own table")
}

/// The start of a game of a sample.
fn opening(game: &Golad, sampling: &Sampling<'_>, number: u64) -> GameState<Golad> {
    let seed = format!("{:016x}", mix(sampling.seed ^ mix(number)));
    let board = start(game, &seed).unwrap_or_else(|_| game.start().board);
    GameState::from(*game, Position::new(board))
}

/// Lets a player move and returns the time it took; `None` when asked to stop.
fn play(player: &mut Search, state: &mut GameState<Golad>, sampling: &Sampling<'_>) -> Option<Duration> {
    let (clock, stop) = (sampling.clock, sampling.stop);
    let before = clock.now();
    let limits = Limits::default();
    let report = player.think(Task { state, limits, clock, stop, threads: 1, lines: 1, progress: None });
    let time = clock.now() - before;
    state.play(report.best()?);
    (!stop.stopped()).then_some(time)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The seconds of one generation in some form of the board, the mean over the boards of a game: copying and stepping
/// them, minus copying them.
fn step_time<F: AgentBoard>(boards: &[Board], sampling: &Sampling<'_>) -> f64 {
    const ROUNDS: usize = 200;
    let fields: Vec<F> = boards.iter().map(F::read).collect();
    let timed = |work: &dyn Fn(&mut F)| {
        let before = sampling.clock.now();
        // One board after another, as candidates are changes of one board.
        for field in &fields {
            for _ in 0..ROUNDS {
                let mut field = black_box(field).clone();
                work(&mut field);
                black_box(&field);
            }
        }
        (sampling.clock.now() - before).as_secs_f64()
    };
    (timed(&|field| field.step()) - timed(&|_| {})).max(0.0) / (ROUNDS * boards.len()) as f64
}

fn ten(game: &Golad, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let names = [options.choice("first"), options.choice("second")];
    let step = options.choice("step");
    let mut players = names.map(|name| make(name, step, &[("births", options.choice("births"))], sampling.seed));
    let mut state = opening(game, sampling, 0);
    let (mut time, mut boards) = ([Duration::ZERO; 2], Vec::new());
    for turn in 0..2 * options.integer("moves") as u64 {
        // A game that is over goes on from another start, with the same side to move.
        if state.outcome().is_some() {
            let board = opening(game, sampling, turn + 1).position().board;
            let side = if turn % 2 == 0 { Side::First } else { Side::Second };
            state = GameState::from(*game, Position { side, ..Position::new(board) });
        }
        boards.push(state.position().board);
        let side = (turn % 2) as usize;
        time[side] += play(&mut players[side].0, &mut state, sampling)?;
    }
    let [first, second] = time.map(ms);
    let mut seen = vec![Observation::number(1, first), Observation::number(2, second)];
    if second > 0.0 {
        seen.push(Observation::number(0, first / second));
    }
    seen.extend(
        (3..).zip(&players).map(|(quantity, (_, steps))| Observation::number(quantity, steps.get() as f64 / 1e3)),
    );
    for (quantity, ((name, (_, steps)), time)) in (5..).zip(names.iter().zip(&players).zip([first, second])) {
        let each = match *name {
            // Several boards together take less time than one after another: the count does not give the share.
            _ if step == "vectors" => continue,
            "ai1" => step_time::<Cells>(&boards, sampling),
            _ => step_time::<Formulas>(&boards, sampling),
        };
        if time > 0.0 {
            seen.push(Observation::number(quantity, 100.0 * each * 1e3 * steps.get() as f64 / time));
        }
    }
    Some(seen)
}

fn moves(game: &Golad, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let mut times = [Vec::new(), Vec::new()];
    let (step, births) = (options.choice("step"), [("births", options.choice("births"))]);
    for number in 0..GAMES {
        let mut players = ["ai2", "ai3"].map(|name| make(name, step, &births, mix(sampling.seed ^ number)));
        let mut state = opening(game, sampling, number);
        while state.outcome().is_none() {
            // AI2 begins the even games.
            let who = (state.side_to_move().index() + number as usize) % 2;
            times[who].push(play(&mut players[who].0, &mut state, sampling)?);
        }
    }
    let mut seen = Vec::new();
    for (point, times) in times.iter_mut().enumerate() {
        times.sort_unstable();
        let (Some(&longest), all) = (times.last(), times.len()) else { continue };
        // The least time that this percentage of the moves does not exceed.
        let quantile = |percent: usize| times[(all * percent).div_ceil(100).max(1) - 1];
        let within = times.partition_point(|&time| time <= ALLOWED) as u64;
        seen.push(Observation::share(0, within, all as u64).at(point));
        let quantiles = [quantile(50), quantile(99), longest];
        seen.extend((1..).zip(quantiles).map(|(quantity, time)| Observation::number(quantity, ms(time)).at(point)));
    }
    Some(seen)
}

fn playouts(game: &Golad, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let mut player = make("ai3", "vectors", &[("playouts", "10")], sampling.seed).0;
    let mut state = opening(game, sampling, 0);
    for _ in 0..options.integer("turns") {
        let before = state.clone();
        play(&mut player, &mut state, sampling)?;
        if state.outcome().is_some() {
            state = before;
            break;
        }
    }
    let (mut player, steps) =
        make(options.choice("agent"), options.choice("step"), &[("playouts", "0")], sampling.seed);
    let limits = Limits { time: Some(Duration::from_millis(options.integer("time") as u64)), ..Limits::default() };
    let (clock, stop) = (sampling.clock, sampling.stop);
    let report = player.think(Task { state: &state, limits, clock, stop, threads: 1, lines: 1, progress: None });
    let made = report.playouts? as f64;
    let seen = vec![Observation::number(0, made), Observation::number(1, steps.get() as f64 / 1e6)];
    (!stop.stopped()).then_some(seen)
}
