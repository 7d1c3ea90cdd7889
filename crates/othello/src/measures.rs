//! Measurements of the article's claims: the depth that its player reaches, the cost of the exact ending, lines
//! compared with bitboards.

use std::time::Duration;

use banmen_catalog::{Key, Kind, Measure, MeasureInfo, Observation, Options, Quantity, Sampling};
use banmen_game::{Game, GameState, PassCost, Rng, mix};
use banmen_search::{Limits, Player, Report, Task};

use crate::Othello;
use crate::board::{Bits, Board};
use crate::lines::Lines;
use crate::perft::perft_on;
use crate::players::classic::{Classic, KEYS, Settings};
use crate::position::{Move, Position};

/// Random moves at the start of the games from which positions are sampled.
const RANDOM_PLIES: usize = 6;

const BOARD: Key = Key {
    name: "board",
    kind: Kind::Choice(&["words", "lines"]),
    default: "words",
    summary: "two 64-bit words, or the article's own board of lines",
    source: "as for the player `classic`",
};

const EMPTIES: Key = Key {
    name: "empties",
    kind: Kind::Integer(1, 60),
    default: "46",
    summary: "empty squares of the position",
    source: "the middle of the opening",
};

/// With every two more empty squares the exact ending visits about ten times as many positions: 2.8 million with 14.
const ENDING_EMPTIES: Key = Key {
    name: "empties",
    kind: Kind::Integer(1, 20),
    default: "12",
    summary: "empty squares of the position",
    source: "the article, 終盤完全読み: the last 12",
};

/// A limit; 0 means none.
const fn limit(name: &'static str, summary: &'static str) -> Key {
    Key { name, kind: Kind::Integer(0, 1_000_000_000), default: "0", summary, source: "off" }
}

/// Searches a position from a game with the article's player under a limit.
pub(crate) const SEARCH: Measure<Othello> = Measure {
    info: MeasureInfo {
        name: "search",
        summary: "the article's player on one position from its own games at depth 3, which begin with 6 random plies",
        keys: &[
            BOARD,
            EMPTIES,
            limit("nodes", "limit of positions visited"),
            limit("time", "limit of CPU time in milliseconds"),
            limit("depth", "limit of depth in plies"),
        ],
        quantities: &[
            Quantity::mean("depth", "plies"),
            Quantity::mean("positions", ""),
            Quantity::mean("speed", "million/s"),
        ],
        axis: None,
    },
    sample: search,
};

/// Solves an ending with the article's player.
pub(crate) const ENDING: Measure<Othello> = Measure {
    info: MeasureInfo {
        name: "ending",
        summary: "the article's player solves one position from its own games at depth 3, which begin with 6 random plies",
        keys: &[BOARD, ENDING_EMPTIES],
        quantities: &[Quantity::mean("positions", ""), Quantity::mean("time", "ms")],
        axis: None,
    },
    sample: ending,
};

/// Measures the speed of the boards.
pub(crate) const SPEED: Measure<Othello> = Measure {
    info: MeasureInfo {
        name: "speed",
        summary: "perft 8 with bulk counting, and 20,000 evaluations of each of 16 positions",
        keys: &[BOARD],
        quantities: &[Quantity::mean("perft", "million leaves/s"), Quantity::mean("evaluations", "million/s")],
        axis: None,
    },
    sample: speed,
};

fn settings(pairs: &[(&str, &str)]) -> Settings {
    Settings::new(&Options::new(KEYS, pairs).expect("the settings of this file fit the player's own table"))
}

fn think(player: &mut Classic, position: Position, limits: Limits, sampling: &Sampling<'_>) -> Option<Report<Move>> {
    let state = &GameState::from(Othello, position);
    let (clock, stop) = (sampling.clock, sampling.stop);
    let report = player.think(Task { state, limits, clock, stop, threads: 1, lines: 1, progress: None });
    (!stop.stopped()).then_some(report)
}

/// A position with this many empty squares from a game of the article's player at depth 3 against itself, after a
/// random opening. It is not over and the mover has a move. `None` when the measurement is stopped.
fn position(empties: u32, sampling: &Sampling<'_>) -> Option<Position> {
    let mut player = Classic::new(settings(&[("depth", "3"), ("ending", "0")]));
    for attempt in 0.. {
        let mut rng = Rng::new(mix(sampling.seed ^ mix(u64::from(empties) << 32 | attempt)));
        let mut state = GameState::new(Othello);
        while state.outcome().is_none() && state.position().empties().count_ones() > empties {
            let moves = Othello.moves(state.position());
            let m = if state.moves().len() < RANDOM_PLIES {
                moves[rng.index(moves.len())]
            } else {
                let task = Task {
                    state: &state,
                    limits: Limits::depth(3),
                    clock: sampling.clock,
                    stop: sampling.stop,
                    threads: 1,
                    lines: 1,
                    progress: None,
                };
                let best = player.think(task).best();
                if sampling.stop.stopped() {
                    return None;
                }
                best.unwrap_or(moves[0])
            };
            state.play(m);
        }
        if state.position().legal() != 0 {
            return Some(*state.position());
        }
    }
    unreachable!("some game reaches every number of empty squares with a move to make")
}

fn search(_: &Othello, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let given = |name: &str| u64::try_from(options.integer(name)).ok().filter(|&value| value > 0);
    let limits = Limits {
        nodes: given("nodes"),
        time: given("time").map(Duration::from_millis),
        depth: given("depth").map(|depth| depth as u32),
        ..Limits::default()
    };
    let mut player = Classic::new(settings(&[("board", options.choice("board"))]));
    let report = think(&mut player, position(options.integer("empties") as u32, sampling)?, limits, sampling)?;
    let mut seen = vec![Observation::number(0, f64::from(report.depth)), Observation::number(1, report.nodes as f64)];
    seen.extend(rate(report.nodes as f64, report.time).map(|rate| Observation::number(2, rate)));
    Some(seen)
}

fn ending(_: &Othello, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let settings = settings(&[("board", options.choice("board")), ("ending", "60"), ("overrun", "yes")]);
    let position = position(options.integer("empties") as u32, sampling)?;
    let report = think(&mut Classic::new(settings), position, Limits::default(), sampling)?;
    let ms = report.time.as_secs_f64() * 1e3;
    Some(vec![Observation::number(0, report.nodes as f64), Observation::number(1, ms)])
}

fn speed(_: &Othello, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let rates = match options.choice("board") {
        "lines" => speeds::<Lines>(sampling)?,
        _ => speeds::<Bits>(sampling)?,
    };
    let seen = (0..).zip(rates).filter_map(|(quantity, rate)| Some(Observation::number(quantity, rate?)));
    (!sampling.stop.stopped()).then(|| seen.collect())
}

fn speeds<B: Board>(sampling: &Sampling<'_>) -> Option<[Option<f64>; 2]> {
    const ROUNDS: usize = 20_000;
    let start = sampling.clock.now();
    let board = B::from_discs(Position::START.own(), Position::START.opp());
    let leaves = perft_on(&board, 8, PassCost::Ply);
    let perft = rate(leaves as f64, sampling.clock.now() - start);

    let positions = (0..16)
        .map(|index| position(14 + 2 * index, sampling))
        .map(|position| position.map(|position| B::from_discs(position.own(), position.opp())))
        .collect::<Option<Vec<B>>>()?;
    let article = settings(&[]);
    let start = sampling.clock.now();
    let mut sum = 0;
    for _ in 0..ROUNDS {
        for board in &positions {
            sum += article.evaluate(std::hint::black_box(board));
        }
    }
    std::hint::black_box(sum);
    Some([perft, rate((ROUNDS * positions.len()) as f64, sampling.clock.now() - start)])
}

/// Millions per second; `None` where the clock is too coarse to measure it.
fn rate(count: f64, time: Duration) -> Option<f64> {
    let seconds = time.as_secs_f64();
    (seconds > 0.0).then(|| count / seconds / 1e6)
}

#[cfg(test)]
mod tests {
    use banmen_catalog::WallClock;
    use banmen_search::StopFlag;

    use super::*;

    fn sample(measure: &Measure<Othello>, pairs: &[(&str, &str)], stop: &StopFlag) -> Option<Vec<Observation>> {
        let options = Options::new(measure.info.keys, pairs).expect("values in range");
        (measure.sample)(&Othello, &options, &Sampling { clock: &WallClock::default(), seed: 1, stop })
    }

    #[test]
    fn the_ending_is_solved_with_its_defaults() {
        let seen = sample(&ENDING, &[], &StopFlag::default()).expect("it is not stopped");
        assert_eq!(seen.len(), 2);
        assert!(Options::new(ENDING.info.keys, &[("empties", "21")]).is_err());
    }

    #[test]
    fn a_measurement_that_is_stopped_makes_no_positions() {
        let stop = StopFlag::default();
        stop.stop();
        let sampling = &Sampling { clock: &WallClock::default(), seed: 1, stop: &stop };
        assert_eq!(position(12, sampling), None);
        for measure in [SEARCH, ENDING] {
            assert!(sample(&measure, &[], &stop).is_none(), "{}", measure.info.name);
        }
    }
}
