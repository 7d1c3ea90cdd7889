//! Measures what the article claims: its learning curve, its final tree, and random play. All games follow the
//! article's own rules.

use banmen_catalog::{Axis, Key, Kind, Measure, MeasureInfo, Observation, Options, Quantity, QuantityKind, Sampling};
use banmen_game::{FastPlayout, Game, GameState, Rng, Side, mix};
use banmen_search::mcts::{Fast, Mcts};
use banmen_search::{Budget, Limits};

use crate::article::{Article, Move, tree};
use crate::players::article::{KEYS, player};

/// Loops of a batch. The article prints the share of them that was won.
const BATCH: u64 = 1_000;

/// Batches of a run; the first and every hundredth after it are printed.
const BATCHES: u64 = 1_001;

/// Batches from one printed batch to the next.
const PRINTED_EACH: u64 = 100;

/// The number of loops before each printed batch.
const PRINTED: Axis = Axis {
    name: "loops",
    points: &["0", "100000", "200000", "300000", "400000", "500000", "600000", "700000", "800000", "900000", "1000000"],
};

/// The numbers of batches after which the tree becomes a player.
const FROZEN_AFTER: [u64; 5] = [10, 100, 200, 500, BATCHES];

/// The same numbers in loops.
const FROZEN: Axis = Axis { name: "loops", points: &["10000", "100000", "200000", "500000", "1001000"] };

/// Games played with a finished tree.
const FROZEN_GAMES: u64 = 2_000;

/// Random games per sample.
const RANDOM_GAMES: u64 = 10_000;

const ENDS: Key = Key {
    name: "ends",
    kind: Kind::Choice(&["skipped", "kept"]),
    default: "skipped",
    summary: "whether the first of two new levels leaves out moves that end the game",
    source: "as for the player `article`",
};

const C: Key = Key {
    name: "c",
    kind: Kind::Number(0.0, 1000.0),
    default: "1.4142135623730951",
    summary: "weight of exploration in UCB1",
    source: "as for the player `article`",
};

const THRESHOLD: Key = Key {
    name: "threshold",
    kind: Kind::Integer(1, 1_000_000),
    default: "10",
    summary: "visits after which a leaf is expanded",
    source: "as for the player `article`",
};

/// The article's run.
pub(crate) const CURVE: Measure<Article> = Measure {
    info: MeasureInfo {
        name: "curve",
        summary: "one run of 1,001,000 loops on one tree: the share of a batch of 1,000 loops that the first side wins",
        keys: &[ENDS, C, THRESHOLD],
        quantities: &[Quantity::mean("won", "%")],
        axis: Some(PRINTED),
    },
    sample: curve,
};

/// The first batch of the article's run.
pub(crate) const FIRST: Measure<Article> = Measure {
    info: MeasureInfo {
        name: "first",
        summary: "the first 1,000 loops on one tree: the share that the first side wins",
        keys: &[ENDS, C, THRESHOLD],
        quantities: &[Quantity::mean("won", "%")],
        axis: None,
    },
    sample: first,
};

/// The tree as a player.
pub(crate) const TRAINED: Measure<Article> = Measure {
    info: MeasureInfo {
        name: "trained",
        summary: "the share that one trained tree wins of 2,000 games against a random mover that may make every move",
        keys: &[ENDS, C, THRESHOLD],
        quantities: &[Quantity::mean("won", "%")],
        axis: Some(FROZEN),
    },
    sample: trained,
};

/// Random play.
pub(crate) const RANDOM: Measure<Article> = Measure {
    info: MeasureInfo {
        name: "random",
        summary: "10,000 games of random against random: the share that the first side wins, and their length",
        keys: &[],
        quantities: &[
            Quantity { name: "won", unit: "%", kind: QuantityKind::Share },
            Quantity::mean("length", "plies"),
        ],
        axis: None,
    },
    sample: random,
};

/// The article's print of its tree.
pub(crate) const TREE: Measure<Article> = Measure {
    info: MeasureInfo {
        name: "tree",
        summary: "the article's formula on the counts of its printed nodes, and on the same nodes of a new tree",
        keys: &[],
        quantities: &[
            Quantity { name: "formula", unit: "", kind: QuantityKind::Exact },
            Quantity::mean("own score", ""),
            Quantity::mean("own wins", ""),
            Quantity::mean("own visits", ""),
        ],
        axis: Some(Axis { name: "node", points: &NODES }),
    },
    sample: printed,
};

/// The printed nodes: their number in the print, and the move that leads to them, indented by depth.
const NODES: [&str; tree::ARTICLE.len()] = [
    "1: (2, 1) -> (1, 1)",
    "2: · (0, 0) -> (1, 0)",
    "3: · · C -> (0, 0)",
    "4: · · C -> (1, 2)",
    "5: · · C -> (2, 0)",
    "6: · · C -> (2, 1)",
    "7: · · C -> (2, 2)",
    "8: · · (1, 1) -> (0, 1)",
    "9: · · (3, 0) -> (2, 1)",
    "10: · · (3, 1) -> (2, 0)",
    "11: · · (3, 1) -> (2, 1)",
    "12: · · (3, 1) -> (2, 2)",
    "13: · · (3, 2) -> (2, 2)",
    "14: · (0, 1) -> (1, 0)",
    "15: · · C -> (0, 1)",
];

type Search = Mcts<Article, Fast>;

/// The article's run on one tree. Calls `each` after every batch with the number of its loops that the first side won,
/// and with the tree. Returns `None` when asked to stop.
fn train(
    options: &[(&str, &str)],
    batches: u64,
    sampling: &Sampling<'_>,
    mut each: impl FnMut(u64, u64, &Search),
) -> Option<Search> {
    let made = Options::new(KEYS, options);
    let made = made.and_then(|options| player(&Article, Fast::default(), &options, sampling.seed));
    let mut search = made.expect("the settings of this file fit the player's own table");
    search.begin(&GameState::new(Article));
    let mut budget = Budget::start(&Limits::default(), sampling.clock, sampling.stop);
    let limits = Limits { playouts: Some(BATCH), ..Limits::default() };
    for batch in 0..batches {
        let mut won = 0;
        if search.run(&mut budget, &limits, |simulation| won += u64::from(simulation.reward == 1.0)) < BATCH {
            return None;
        }
        each(batch, won, &search);
    }
    Some(search)
}

/// The settings of a run, as the player's own keys. A run of one batch needs little memory.
fn train_with(
    options: &Options,
    batches: u64,
    sampling: &Sampling<'_>,
    each: impl FnMut(u64, u64, &Search),
) -> Option<Search> {
    let (c, threshold) = (options.number("c").to_string(), options.integer("threshold").to_string());
    let memory = if batches == 1 { "1" } else { "64" };
    let pairs = [("ends", options.choice("ends")), ("c", &c), ("threshold", &threshold), ("table", memory)];
    train(&pairs, batches, sampling, each)
}

fn per_cent(won: u64, all: u64) -> f64 {
    100.0 * won as f64 / all as f64
}

fn curve(_: &Article, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let mut seen = Vec::new();
    train_with(options, BATCHES, sampling, |batch, won, _| {
        if batch % PRINTED_EACH == 0 {
            seen.push(Observation::number(0, per_cent(won, BATCH)).at((batch / PRINTED_EACH) as usize));
        }
    })?;
    Some(seen)
}

fn first(_: &Article, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let mut share = 0.0;
    train_with(options, 1, sampling, |_, won, _| share = per_cent(won, BATCH))?;
    Some(vec![Observation::number(0, share)])
}

/// One game of a trained tree. The first side plays the most visited child while the position is in the tree, and then
/// at random. The other side moves at random.
fn trained_game(search: &Search, rng: &mut Rng) -> Option<Side> {
    let mut state = GameState::new(Article);
    let mut inside = true;
    loop {
        if let Some(outcome) = state.outcome() {
            return outcome.winner;
        }
        let mut known: Option<(f64, Move)> = None;
        if inside && state.side_to_move() == Side::First {
            for (m, child) in search.children(state.moves()) {
                if child.visits > known.map_or(0.0, |(visits, _)| visits) {
                    known = Some((child.visits, m));
                }
            }
            inside = known.is_some();
        }
        let m = known.map_or_else(
            || {
                let moves = Article.moves(state.position());
                moves[rng.index(moves.len())]
            },
            |(_, m)| m,
        );
        state.play(m);
    }
}

fn trained(_: &Article, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let mut seen = Vec::new();
    train_with(options, BATCHES, sampling, |batch, _, search| {
        if let Some(point) = FROZEN_AFTER.iter().position(|&batches| batches == batch + 1) {
            let mut rng = Rng::new(mix(sampling.seed ^ mix(batch)));
            let won = (0..FROZEN_GAMES).filter(|_| trained_game(search, &mut rng) == Some(Side::First)).count();
            seen.push(Observation::number(0, per_cent(won as u64, FROZEN_GAMES)).at(point));
        }
    })?;
    Some(seen)
}

fn random(_: &Article, _: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let mut rng = Rng::new(sampling.seed);
    let (mut won, mut plies) = (0, 0);
    for _ in 0..RANDOM_GAMES {
        let mut position = Article.start();
        let end = Article.playout(&mut position, &mut (), u32::MAX, &mut rng, &mut (), |_, _| {});
        won += u64::from(end.outcome.and_then(|outcome| outcome.winner) == Some(Side::First));
        plies += u64::from(end.plies);
    }
    let length = plies as f64 / RANDOM_GAMES as f64;
    (!sampling.stop.stopped()).then(|| vec![Observation::share(0, won, RANDOM_GAMES), Observation::number(1, length)])
}

fn printed(_: &Article, _: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let search = train(&[], BATCHES, sampling, |_, _, _| {})?;
    let mut parents = vec![(BATCH * BATCHES) as f64];
    let mut line: Vec<Move> = Vec::new();
    let mut lost: Option<usize> = None;
    let mut seen = Vec::new();
    for (point, &(depth, name, _, wins, visits)) in tree::ARTICLE.iter().enumerate() {
        parents.truncate(depth + 1);
        line.truncate(depth);
        let formula = tree::score(f64::from(wins), f64::from(visits), parents[depth]);
        seen.push(Observation::number(0, formula).at(point));
        // Nodes below one that this tree lacks are missing too.
        lost = lost.filter(|&above| above < depth);
        let children = if lost.is_none() { tree::children(&search, Side::First, &line) } else { Vec::new() };
        match children.iter().find(|child| tree::move_text(child.m.played) == name) {
            Some(own) => {
                let numbers = [own.score, own.wins, own.visits].into_iter().enumerate();
                let finite = numbers.filter(|(_, number)| number.is_finite());
                seen.extend(finite.map(|(at, number)| Observation::number(at + 1, number).at(point)));
                line.push(own.m);
            }
            None => lost = lost.or(Some(depth)),
        }
        parents.push(f64::from(visits));
    }
    Some(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axes_name_what_is_observed() {
        for (text, batch) in PRINTED.points.iter().zip((0..).step_by(PRINTED_EACH as usize)) {
            assert_eq!(*text, (batch * BATCH).to_string());
        }
        assert_eq!(PRINTED.points.len() as u64, BATCHES.div_ceil(PRINTED_EACH));
        assert_eq!(FROZEN.points, FROZEN_AFTER.map(|batches| (batches * BATCH).to_string()));
        for (number, (text, (depth, name, ..))) in (1..).zip(NODES.iter().zip(tree::ARTICLE)) {
            assert_eq!(*text, format!("{number}: {}{name}", "· ".repeat(depth)));
        }
    }
}
