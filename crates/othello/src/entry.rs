//! What Othello brings into the house.

use banmen_catalog::{Entry, Experiment, ExperimentKind, FixedMatch, Format, Key, PlayerEntry};
use banmen_search::Limits;
use banmen_search::mcts::Fast;

use crate::players::{classic, greedy};
use crate::{Othello, engine, formats, measures, perft};

const NO_KEYS: &[Key] = &[];

/// The article, as experiments name it.
const ARTICLE: &str = "オセロAI入門, Livesense Advent Calendar 2017, day 2";

/// The players' limits in the article's matches: what bounds them is their depth.
const BY_DEPTH: Limits = Limits {
    time: None,
    clock: None,
    nodes: Some(20_000_000),
    playouts: None,
    depth: None,
    turn_used: std::time::Duration::ZERO,
};

const MATCHES: &[FixedMatch] = &[
    FixedMatch { a: "classic:depth=6", b: "random", games: 200, plies: 4, limits: BY_DEPTH },
    FixedMatch { a: "classic:depth=6", b: "greedy", games: 200, plies: 4, limits: BY_DEPTH },
    FixedMatch { a: "classic:depth=3", b: "greedy", games: 200, plies: 4, limits: BY_DEPTH },
    FixedMatch { a: "greedy", b: "random", games: 200, plies: 4, limits: BY_DEPTH },
];

/// From the opening to the ending: what `banmen bench` searches. The middle three are FFO #43, #40 and #41; the last two
/// have eight empty squares, few enough for the solver at the bench's depth.
const BENCH: &[&str] = &[
    "start",
    "--------------------O-X----OOX----OXX-----X--------------------- X",
    "------------------OOO-----XXXX---OOXXX---OXXX-----X------------- O",
    "--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXXO----XOX----XXXXX- O",
    "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
    "-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X",
    "XXXXXXX-OXXOOO-XOOOOOOXX-OXXOOXX--OXXXOX-OOXOXOX-OOOOOOX-XXXXXXX X",
    "XOOOOOOX-XOXXXOX-XXOXXOXXXXXOXOXXXXXXOOXXXXXXXOX--XXXXO----XXXOX X",
];

/// The game with its players, solver and experiments.
#[must_use]
pub fn entry() -> Entry<Othello> {
    Entry::new("othello", Othello)
        .title("Othello", "オセロ")
        .summary("turn the discs between yours; most discs at the end win")
        .sides(("Black", "黒"), ("White", "白"))
        .view("othello")
        .format(Format { name: "ggf", write: formats::write_ggf, read: formats::read })
        .format(Format { name: "transcript", write: formats::write_transcript, read: formats::read })
        .player(PlayerEntry {
            name: "engine",
            summary: "our strongest: alpha-beta with a fitted evaluation, the ending solved exactly",
            source: "own",
            keys: engine::KEYS,
            make: |_, options, seed, _| Ok(Box::new(engine::Engine::new(options, seed))),
        })
        .player(PlayerEntry {
            name: "classic",
            summary: "the article's program: mobility and corners, plain alpha-beta, the last 12 squares exactly",
            source: ARTICLE,
            keys: classic::KEYS,
            make: |_, options, _, _| Ok(Box::new(classic::Classic::new(classic::Settings::new(options)))),
        })
        .player(PlayerEntry {
            name: "greedy",
            summary: "takes the most discs now, one of equals by chance",
            source: "the usual yardstick",
            keys: NO_KEYS,
            make: |_, _, seed, _| Ok(Box::new(greedy::Greedy::new(seed))),
        })
        .player(banmen_catalog::mcts::<Othello, Fast>())
        .perft(|_, position, depth, passes, stop| perft::perft(position, depth, passes, stop))
        .solver(|walk, all, bounds, _, progress| Ok(engine::solve(walk, all, bounds, progress)))
        .experiment(Experiment {
            id: "othello-depth",
            title: "how deep the article's player looks in 500 ms, by phase, on the article's board and on two words",
            source: "オセロAI入門 (2017), 反復深化",
            published: "\"about depth 6 in most positions\" in 500 ms",
            kind: ExperimentKind::Measure(measures::depth),
        })
        .experiment(Experiment {
            id: "othello-ending",
            title: "what the exact ending costs, by empty squares",
            source: "オセロAI入門 (2017), 終盤完全読み",
            published: "the last 12 squares are searched to the end; no cost is given",
            kind: ExperimentKind::Measure(measures::ending),
        })
        .experiment(Experiment {
            id: "othello-boards",
            title: "lines and tables against two words",
            source: "オセロAI入門 (2017), ビットボード",
            published: "the author chose lines and tables as the simpler board; no speed is given",
            kind: ExperimentKind::Measure(measures::boards),
        })
        .experiment(Experiment {
            id: "othello-strength",
            title: "the article's player against the yardsticks",
            source: "オセロAI入門 (2017), まとめ",
            published: "its author won about half of his games against it; no match against a program is given",
            kind: ExperimentKind::Matches(MATCHES),
        })
        .bench_positions(BENCH)
}
