//! What Dobutsu shogi brings into the house.

use banmen_catalog::{Entry, Experiment, ExperimentKind, Format, PlayerEntry};
use banmen_search::mcts::Uniform;

use crate::players::article;
use crate::players::perfect::Perfect;
use crate::{Dobutsu, Variant, engine, formats, measures, solved};

/// From the opening to the ending: what `banmen bench` searches. The last is Fairy-Stockfish's second perft position.
const BENCH: &[&str] = &["start", "gle/1C1/3/ELG w C 1", "1le/g2/1E1/1LG w 2C 1", "g1e/1cL/lC1/E1G b - 1"];

/// The game with its variants and players.
#[must_use]
pub fn entry() -> Entry<Dobutsu> {
    Entry::new("dobutsu", Dobutsu::CATCH)
        .title("Dobutsu shogi", "どうぶつしょうぎ")
        .summary("catch the lion, or bring yours across safely")
        .sides(("Sente", "先手"), ("Gote", "後手"))
        .view("dobutsu")
        .format(Format { name: "kif", write: formats::write, read: formats::read })
        .default_rules("catch")
        .rules("legal", Dobutsu::LEGAL)
        .rules("any-try", Dobutsu::ANY_TRY)
        .player(PlayerEntry {
            name: "engine",
            summary: "our strongest without the table: alpha-beta with an evaluation fitted to the solved game",
            source: "own",
            keys: engine::KEYS,
            make: |_, options, seed, _| Ok(Box::new(engine::Engine::new(options, seed))),
        })
        .solver(|walk, all, bounds, data, _| solved::solve(walk, all, bounds, data))
        .tables()
        .player(PlayerEntry {
            name: "perfect",
            summary: "plays from the table: the shortest win, the longest loss, draws that are hard to hold",
            source: "own, by retrograde analysis",
            keys: &[],
            make: |game, _, seed, data| {
                // What is won by `legal` is won by `catch`.
                let tabled = if game.variant == Variant::Legal { Dobutsu::CATCH } else { *game };
                Ok(Box::new(Perfect::new(data.table(&tabled)?, seed)))
            },
        })
        .player(PlayerEntry {
            name: "article",
            summary: article::SUMMARY,
            source: article::SOURCE,
            keys: article::KEYS,
            make: |game, options, seed, _| Ok(Box::new(article::player(game, Uniform::default(), options, seed)?)),
        })
        .experiment(Experiment {
            id: "dobutsu-curve",
            title: "how often the article's search wins while it learns, over 20 seeds",
            source: article::SOURCE,
            published: "61.1, 98.7, 99.1, 99.5, 99.9, 99.4, 99.9, 99.5, 99.6, 99.8, 100.0 % at 0, 100,000 … 1,000,000 loops",
            kind: ExperimentKind::Measure(measures::curve),
        })
        .experiment(Experiment {
            id: "dobutsu-first",
            title: "the first 1,000 loops, over 200 seeds",
            source: article::SOURCE,
            published: "61.1 %",
            kind: ExperimentKind::Measure(measures::first),
        })
        .experiment(Experiment {
            id: "dobutsu-kept",
            title: "the curve when children that end the game are kept in the tree, over 20 seeds",
            source: article::SOURCE,
            published: "nothing: the article's program leaves them out",
            kind: ExperimentKind::Measure(measures::kept),
        })
        .experiment(Experiment {
            id: "dobutsu-frozen",
            title: "the finished tree's most visited moves against a random mover that is not bound to the tree",
            source: article::SOURCE,
            published: "99 % against a random opponent from about 200,000 loops on, measured while learning",
            kind: ExperimentKind::Measure(measures::frozen),
        })
        .experiment(Experiment {
            id: "dobutsu-uct",
            title: "the search run anew at every move against a random mover, by opponent model, loops and colour",
            source: article::SOURCE,
            published: "nothing: the article trains one tree",
            kind: ExperimentKind::Measure(measures::uct),
        })
        .experiment(Experiment {
            id: "dobutsu-random",
            title: "random against random in the article's game",
            source: article::SOURCE,
            published: "almost 50 %",
            kind: ExperimentKind::Measure(measures::random),
        })
        .experiment(Experiment {
            id: "dobutsu-tree",
            title: "the printed tree: the article's nodes, its formula, and the same nodes here",
            source: article::SOURCE,
            published: "score/wins/visits of 15 nodes",
            kind: ExperimentKind::Measure(measures::print),
        })
        .bench_positions(BENCH)
}
