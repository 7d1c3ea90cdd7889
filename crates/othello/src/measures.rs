//! What the article claims, measured: depth in half a second, the cost of the exact ending, lines against words.

use std::time::Duration;

use banmen_catalog::{Bench, Options, Table};
use banmen_game::{Game, Rng, Walk, mix};
use banmen_search::{Limits, Player, Report, StopFlag, Task};

use crate::Othello;
use crate::board::{Bits, Board};
use crate::lines::Lines;
use crate::perft::perft_on;
use crate::players::classic::{Classic, KEYS, Settings};
use crate::position::{Move, Position};

/// The boards that the article's player runs on, by the names of its key.
const BOARDS: [&str; 2] = ["lines", "words"];

/// The time that the article gives a move.
const ARTICLE_TIME: Duration = Duration::from_millis(500);

/// Random moves at the start of the games that positions are taken from.
const RANDOM_PLIES: usize = 6;

fn settings(pairs: &[(&str, &str)]) -> Settings {
    Settings::new(&Options::new(KEYS, pairs).expect("the settings of this file fit the player's own table"))
}

fn classic(pairs: &[(&str, &str)]) -> Classic {
    Classic::new(settings(pairs))
}

fn think(player: &mut Classic, walk: &Walk<Othello>, limits: Limits, bench: &Bench<'_>) -> Report<Move> {
    player.think(Task { walk, limits, clock: bench.clock, stop: bench.stop, lines: 1, progress: &mut |_| {} })
}

/// A position with this many empty squares from a game of the article's player at depth 3 against itself, after a
/// random opening. Never one that is over or where the mover has to pass.
fn sample(empties: u32, seed: u64, bench: &Bench<'_>) -> Position {
    let mut player = classic(&[("depth", "3"), ("ending", "0")]);
    for attempt in 0.. {
        let mut rng = Rng::new(mix(bench.seed ^ mix(seed << 16 | attempt)));
        let mut walk = Walk::new(Othello);
        while walk.outcome().is_none() && walk.position().empties().count_ones() > empties {
            let moves = Othello.moves(walk.position());
            let m = if walk.moves().len() < RANDOM_PLIES {
                moves[rng.index(moves.len())]
            } else {
                let task = Task {
                    walk: &walk,
                    limits: Limits::depth(3),
                    clock: bench.clock,
                    stop: &StopFlag::default(),
                    lines: 1,
                    progress: &mut |_| {},
                };
                player.think(task).best().unwrap_or(moves[0])
            };
            walk.play(m);
        }
        if walk.position().legal() != 0 {
            return *walk.position();
        }
    }
    unreachable!("some game reaches every number of empty squares with a move to make")
}

/// Depth that the article's player finishes in 500 ms of processor time, by phase, on both boards.
pub(crate) fn depth(_: &Othello, bench: &mut Bench<'_>) -> Table {
    const PHASES: [(u32, &str); 5] =
        [(54, "opening"), (46, "early"), (36, "middle"), (26, "late"), (16, "before the ending")];
    let mut table = Table::new(["board", "phase", "empties", "positions", "mean depth", "least", "most", "nodes/s"]);
    let count = bench.count(12, 1);
    let all = (BOARDS.len() * PHASES.len() * count) as f64;
    let mut done = 0.0;
    for board in BOARDS {
        for (empties, phase) in PHASES {
            let (mut depths, mut nodes, mut time) = (Vec::new(), 0, 0.0);
            for index in 0..count {
                if bench.stop.stopped() {
                    break;
                }
                let position = sample(empties, index as u64, bench);
                let mut player = classic(&[("board", board)]);
                let report = think(&mut player, &Walk::from(Othello, position), Limits::time(ARTICLE_TIME), bench);
                depths.push(report.depth);
                nodes += report.nodes;
                time += report.time.as_secs_f64();
                done += 1.0;
                (bench.progress)(done / all);
            }
            if depths.is_empty() {
                break;
            }
            table.row([
                board.to_owned(),
                phase.to_owned(),
                empties.to_string(),
                depths.len().to_string(),
                format!("{:.1}", depths.iter().sum::<u32>() as f64 / depths.len() as f64),
                depths.iter().min().map_or_else(String::new, u32::to_string),
                depths.iter().max().map_or_else(String::new, u32::to_string),
                millions(nodes as f64, time),
            ]);
        }
    }
    table.note(
        "Positions: the player at depth 3 against itself after 6 random plies. Time: processor time, 500 ms a move.",
    );
    table.note(
        "The article's figure is of JavaScript in a browser of 2017; the gap is the language's and the machine's.",
    );
    table
}

/// Cost of the exact ending by empty squares, on both boards.
pub(crate) fn ending(_: &Othello, bench: &mut Bench<'_>) -> Table {
    const EMPTIES: [u32; 4] = [8, 10, 12, 14];
    let mut table = Table::new(["empties", "positions", "board", "nodes, mean", "nodes, most", "ms, mean", "ms, most"]);
    let count = bench.count(10, 1);
    let all = (EMPTIES.len() * BOARDS.len() * count) as f64;
    let mut done = 0.0;
    for empties in EMPTIES {
        for board in BOARDS {
            let (mut nodes, mut times) = (Vec::new(), Vec::new());
            for index in 0..count {
                if bench.stop.stopped() {
                    break;
                }
                let position = sample(empties, index as u64, bench);
                let mut player = classic(&[("board", board), ("ending", "60"), ("overrun", "yes")]);
                let report = think(&mut player, &Walk::from(Othello, position), Limits::default(), bench);
                nodes.push(report.nodes as f64);
                times.push(report.time.as_secs_f64() * 1e3);
                done += 1.0;
                (bench.progress)(done / all);
            }
            if nodes.is_empty() {
                break;
            }
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
            table.row([
                empties.to_string(),
                nodes.len().to_string(),
                board.to_owned(),
                format!("{:.0}", mean(&nodes)),
                format!("{:.0}", most(&nodes)),
                format!("{:.1}", mean(&times)),
                format!("{:.1}", most(&times)),
            ]);
        }
    }
    table.note("Plain alpha-beta as printed: full window at the root, squares in order, own discs maximised.");
    table
}

/// Lines against words: perft, evaluations and nodes in a second.
pub(crate) fn boards(_: &Othello, bench: &mut Bench<'_>) -> Table {
    let mut table = Table::new(["board", "perft 8, leaves/s", "evaluations/s"]);
    let rows = [("lines", speeds::<Lines>(bench)), ("words", speeds::<Bits>(bench))];
    (bench.progress)(1.0);
    for (board, (perft, evaluations)) in rows {
        table.row([board.to_owned(), perft, evaluations]);
    }
    table.note("Perft is depth first on both boards, the last ply counted; `banmen perft othello` is faster still.");
    table.note("An evaluation is the article's: legal moves of both sides and the twelve corner strips.");
    table
}

fn speeds<B: Board>(bench: &Bench<'_>) -> (String, String) {
    let start = bench.clock.now();
    let board = B::from_discs(Position::START.own(), Position::START.opp());
    let leaves = perft_on(&board, 8, banmen_game::PassCost::Ply);
    let perft = millions(leaves as f64, (bench.clock.now() - start).as_secs_f64());

    let positions: Vec<B> = (0..16)
        .map(|index| sample(14 + 2 * index, u64::from(index), bench))
        .map(|position| B::from_discs(position.own(), position.opp()))
        .collect();
    let article = settings(&[]);
    let rounds = bench.count(200_000, 1_000);
    let start = bench.clock.now();
    let mut sum = 0;
    for _ in 0..rounds {
        for board in &positions {
            sum += article.evaluate(std::hint::black_box(board));
        }
    }
    std::hint::black_box(sum);
    let evaluations = (rounds * positions.len()) as f64;
    (perft, millions(evaluations, (bench.clock.now() - start).as_secs_f64()))
}

/// A rate in millions a second.
fn millions(count: f64, seconds: f64) -> String {
    if seconds > 0.0 { format!("{:.2} M", count / seconds / 1e6) } else { "n/a".to_owned() }
}
