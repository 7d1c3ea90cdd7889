//! What the article claims, measured: its learning curve, the tree that it ends with, and its search as a player.
//!
//! All of it is played in the article's own game. *Earlier* figures are of a port of the article's program to C++, which
//! shares no code with this crate; they are here to see whether two readings of the article agree.

use banmen_catalog::{Bench, Options, Table};
use banmen_game::{FastPlayout, Game, Rng, Side, Walk, mix};
use banmen_search::mcts::{Fast, Mcts};
use banmen_search::{Limits, Player, Task, Watch};
use banmen_stats::{Interval, wilson};

use crate::Dobutsu;
use crate::article::{Article, Move, tree};
use crate::players::article::{KEYS, player};

/// Loops of a batch, whose won share the article prints.
const BATCH: u64 = 1_000;

/// Batches of a run; the first and every hundredth after it are printed.
const BATCHES: u64 = 1_001;

/// Batches from one print to the next.
const PRINTED_EACH: u64 = 100;

/// The article's curve: per cent won in the batches 0, 100, … 1000.
const CURVE: [f64; 11] = [61.1, 98.7, 99.1, 99.5, 99.9, 99.4, 99.9, 99.5, 99.6, 99.8, 100.0];

/// The earlier curve with children kept that end the game.
const CURVE_KEPT: [f64; 11] = [57.0, 91.5, 91.9, 93.5, 91.4, 92.2, 93.2, 93.2, 93.5, 93.6, 93.1];

type Search = Mcts<Article, Fast>;

fn search(pairs: &[(&str, &str)], seed: u64) -> Search {
    let made = Options::new(KEYS, pairs).and_then(|options| player(&Article, Fast::default(), &options, seed));
    made.expect("the settings of this file fit the player's own table")
}

/// The article's run on one tree: `each` is told the batch and how many of its loops the first side won, before the
/// batch whose number is `end`. `None` when asked to stop.
fn train(
    pairs: &[(&str, &str)],
    seed: u64,
    end: u64,
    bench: &Bench<'_>,
    mut each: impl FnMut(u64, u64),
) -> Option<Search> {
    let mut search = search(pairs, seed);
    search.begin(&Walk::new(Article));
    let mut watch = Watch::start(&Limits::default(), bench.clock, bench.stop);
    let limits = Limits { playouts: Some(BATCH), ..Limits::default() };
    for batch in 0..end {
        let mut won = 0;
        if search.run(&mut watch, &limits, |simulation| won += u64::from(simulation.reward == 1.0)) < BATCH {
            return None;
        }
        each(batch, won);
    }
    Some(search)
}

/// A seed of its own for each part of a measurement.
fn seed(bench: &Bench<'_>, part: u64, index: usize) -> u64 {
    mix(bench.seed ^ mix(part << 32 | index as u64))
}

fn per_cent(won: u64, all: u64) -> f64 {
    100.0 * won as f64 / all.max(1) as f64
}

/// The 95 % interval of a share (Wilson).
fn interval(won: u64, all: u64) -> Interval {
    wilson(won, all, 0.95).unwrap_or(Interval { low: 0.0, high: 1.0 })
}

fn written(Interval { low, high }: Interval) -> String {
    format!("{:.2} to {:.2}", 100.0 * low, 100.0 * high)
}

/// Mean, standard deviation, least and most.
fn spread(values: &[f64]) -> [f64; 4] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    [mean, (squares / (n - 1.0).max(1.0)).sqrt(), least, most]
}

/// The curve over many seeds beside a published one.
fn curves(ends: &str, part: u64, published: &[f64; 11], name: &str, bench: &mut Bench<'_>) -> Table {
    let mut table = Table::new(["loops", name, "mean", "sd", "least", "most", "seeds", "verdict"]);
    let seeds = bench.count(20, 1);
    let mut batches: Vec<Vec<f64>> = vec![Vec::new(); published.len()];
    let (mut nodes, mut refused) = (Vec::new(), 0);
    for index in 0..seeds {
        let pairs = [("ends", ends)];
        let Some(search) = train(&pairs, seed(bench, part, index), BATCHES, bench, |batch, won| {
            if batch % PRINTED_EACH == 0 {
                batches[(batch / PRINTED_EACH) as usize].push(per_cent(won, BATCH));
            }
        }) else {
            break;
        };
        nodes.push(search.statistics().nodes as f64);
        refused += search.statistics().refused;
        (bench.progress)((index + 1) as f64 / seeds as f64);
    }
    for ((place, known), values) in (0..).zip(published).zip(&batches) {
        if values.is_empty() {
            break;
        }
        let [mean, sd, least, most] = spread(values);
        table.row([
            (place * PRINTED_EACH * BATCH).to_string(),
            format!("{known:.1}"),
            format!("{mean:.2}"),
            format!("{sd:.2}"),
            format!("{least:.1}"),
            format!("{most:.1}"),
            values.len().to_string(),
            match values.len() {
                0..20 => "n/a",
                _ if (least..=most).contains(known) => "agrees",
                _ => "differs",
            }
            .to_owned(),
        ]);
    }
    table.note("Per cent of a batch's 1,000 loops that the first side won, while learning: exploration counts.");
    table.note("The other side moves at random, in the tree and behind it.");
    table
        .note("Verdict, set beforehand: a figure agrees that lies between the least and the most of 20 seeds or more.");
    table.note("One more run of the same program does so 19 times in 21: of eleven figures one may well differ.");
    if !nodes.is_empty() {
        let [mean, ..] = spread(&nodes);
        table.note(format!("Nodes after 1,001,000 loops: {mean:.0} in the mean; expansions without room: {refused}."));
    }
    table
}

/// The article's curve.
pub(crate) fn curve(_: &Dobutsu, bench: &mut Bench<'_>) -> Table {
    curves("skipped", 1, &CURVE, "the article", bench)
}

/// The same with children kept that end the game.
pub(crate) fn kept(_: &Dobutsu, bench: &mut Bench<'_>) -> Table {
    let mut table = curves("kept", 2, &CURVE_KEPT, "earlier", bench);
    table.note("The article leaves replies out that end the game: its other side never wins by the first move below a new node.");
    table
}

/// The first batch, which the article gives as 61.1 %: by its program, and by programs that differ in one setting.
pub(crate) fn first(_: &Dobutsu, bench: &mut Bench<'_>) -> Table {
    const ARMS: [(&str, &str); 5] =
        [("ends", "skipped"), ("ends", "kept"), ("threshold", "3"), ("threshold", "1"), ("c", "1")];
    let mut table = Table::new(["setting", "seeds", "mean", "sd", "least", "most", "at 61.1 or more", "verdict"]);
    let seeds = bench.count(200, 2);
    for (arm, setting) in ARMS.into_iter().enumerate() {
        let mut values = Vec::new();
        for index in 0..seeds {
            let pairs = [setting, ("table", "1")];
            let trained = train(&pairs, seed(bench, 3, index), 1, bench, |_, won| values.push(per_cent(won, BATCH)));
            if trained.is_none() {
                return table;
            }
            (bench.progress)((arm * seeds + index + 1) as f64 / (ARMS.len() * seeds) as f64);
        }
        let [mean, sd, least, most] = spread(&values);
        let reached = values.iter().filter(|&&value| value >= CURVE[0]).count();
        table.row([
            if arm == 0 { "the article's".to_owned() } else { format!("{}={}", setting.0, setting.1) },
            seeds.to_string(),
            format!("{mean:.2}"),
            format!("{sd:.2}"),
            format!("{least:.1}"),
            format!("{most:.1}"),
            reached.to_string(),
            if 40 * reached > seeds { "agrees" } else { "differs" }.to_owned(),
        ]);
    }
    table.note("Verdict, set beforehand: the article's 61.1 agrees if more than one seed in 40 reaches it.");
    table.note("Earlier: the article's settings 57.0 with sd 1.5 and 2 of 200 at 61.1, ends kept 55.6 and none.");
    table.note(
        "The last three settings were tried to find a cause; the tree that the article prints fits its own 10 and √2.",
    );
    table
}

/// One game of the finished tree: the first side plays the most visited child as long as it knows one, and at random
/// from then on; the other side moves at random.
fn frozen_game(search: &Search, rng: &mut Rng) -> Option<Side> {
    let mut walk = Walk::new(Article);
    let mut inside = true;
    loop {
        if let Some(outcome) = walk.outcome() {
            return outcome.winner;
        }
        let mut known: Option<(f64, Move)> = None;
        if inside && walk.side_to_move() == Side::First {
            for (m, child) in search.children(walk.moves()) {
                if child.visits > known.map_or(0.0, |(visits, _)| visits) {
                    known = Some((child.visits, m));
                }
            }
            inside = known.is_some();
        }
        let m = known.map_or_else(
            || {
                let moves = Article.moves(walk.position());
                moves[rng.index(moves.len())]
            },
            |(_, m)| m,
        );
        walk.play(m);
    }
}

/// The finished tree against a mover that is not bound to it.
pub(crate) fn frozen(_: &Dobutsu, bench: &mut Bench<'_>) -> Table {
    let mut table = Table::new(["ends", "tree", "games", "won", "per cent", "95 % interval", "earlier", "verdict"]);
    let (trees, games) = (bench.count(5, 1), bench.count(4_000, 10) as u64);
    for (arm, (ends, earlier)) in [("skipped", 18_500), ("kept", 18_540)].into_iter().enumerate() {
        let mut all = 0;
        for index in 0..trees {
            let pairs = [("ends", ends)];
            let Some(search) = train(&pairs, seed(bench, 4, index), BATCHES, bench, |_, _| {}) else { return table };
            let mut rng = Rng::new(seed(bench, 5, arm * trees + index));
            let won = (0..games).filter(|_| frozen_game(&search, &mut rng) == Some(Side::First)).count() as u64;
            all += won;
            let empty = String::new();
            table.row([
                ends.to_owned(),
                (index + 1).to_string(),
                games.to_string(),
                won.to_string(),
                format!("{:.2}", per_cent(won, games)),
                written(interval(won, games)),
                empty.clone(),
                empty,
            ]);
            (bench.progress)((arm * trees + index + 1) as f64 / (2 * trees) as f64);
        }
        let (count, known) = (trees as u64 * games, interval(earlier, 20_000));
        table.row([
            ends.to_owned(),
            "all".to_owned(),
            count.to_string(),
            all.to_string(),
            format!("{:.2}", per_cent(all, count)),
            written(interval(all, count)),
            format!("{:.1}", per_cent(earlier, 20_000)),
            verdict(interval(all, count), known),
        ]);
    }
    table.note("The first side plays the most visited move after 1,001,000 loops, and at random outside the tree.");
    table.note("The other side moves at random and may make every move, also those that the tree left out.");
    table.note("Earlier: one tree, 20,000 games.");
    table.note(VERDICT);
    table
}

const VERDICT: &str = "Verdict, set beforehand: agrees where the 95 % intervals (Wilson) of both figures meet.";

fn verdict(a: Interval, b: Interval) -> String {
    if a.low <= b.high && b.low <= a.high { "agrees" } else { "differs" }.to_owned()
}

/// One game of the search, anew at every move, against a random mover. The winner.
fn searched_game(search: &mut Search, side: Side, rng: &mut Rng, bench: &Bench<'_>) -> Option<Side> {
    let mut walk = Walk::new(Article);
    loop {
        if let Some(outcome) = walk.outcome() {
            return outcome.winner;
        }
        let moves = Article.moves(walk.position());
        let m = if walk.side_to_move() == side {
            let limits = Limits::default();
            let task =
                Task { walk: &walk, limits, clock: bench.clock, stop: bench.stop, lines: 1, progress: &mut |_| {} };
            search.think(task).best().unwrap_or(moves[0])
        } else {
            moves[rng.index(moves.len())]
        };
        walk.play(m);
    }
}

/// The search as a player, with children kept that end the game: both models of the opponent, both colours.
pub(crate) fn uct(_: &Dobutsu, bench: &mut Bench<'_>) -> Table {
    const ARMS: [(&str, [(u64, u64); 3]); 2] = [
        ("minimising", [(961, 1_000), (998, 1_000), (200, 200)]),
        ("random", [(949, 1_000), (967, 1_000), (186, 200)]),
    ];
    const LOOPS: [u64; 3] = [100, 1_000, 10_000];
    const GAMES: u64 = 1_000;
    let mut table = Table::new([
        "opponent taken as",
        "loops a move",
        "as first",
        "as second",
        "won of all",
        "per cent",
        "95 % interval",
        "earlier",
        "verdict",
    ]);
    // Work goes by loops.
    let all = (2 * LOOPS.iter().sum::<u64>()) as f64;
    let mut done = 0.0;
    for (model, earlier) in ARMS {
        for (loops, (known, known_of)) in LOOPS.into_iter().zip(earlier) {
            let each = bench.count(GAMES as usize / 2, 1) as u64;
            let text = loops.to_string();
            let mut won = [0; 2];
            for side in Side::BOTH {
                let pairs = [("ends", "kept"), ("opponent", model), ("loops", text.as_str()), ("table", "16")];
                let mut search = search(&pairs, seed(bench, 6, side.index()));
                for index in 0..each {
                    let mut rng = Rng::new(seed(bench, 7 + side.index() as u64, index as usize));
                    let winner = searched_game(&mut search, side, &mut rng, bench);
                    if bench.stop.stopped() {
                        return table;
                    }
                    won[side.index()] += u64::from(winner == Some(side));
                    done += loops as f64 / (2 * each) as f64;
                    (bench.progress)(done / all);
                }
            }
            let count = 2 * each;
            let both: u64 = won.iter().sum();
            table.row([
                model.to_owned(),
                text,
                format!("{} of {each}", won[0]),
                format!("{} of {each}", won[1]),
                format!("{both} of {count}"),
                format!("{:.2}", per_cent(both, count)),
                written(interval(both, count)),
                format!("{known} of {known_of}"),
                verdict(interval(both, count), interval(known, known_of)),
            ]);
        }
    }
    table.note("The search begins anew at every move and plays its most visited one; the other side moves at random.");
    table.note(VERDICT);
    table
}

/// Random against random.
pub(crate) fn random(_: &Dobutsu, bench: &mut Bench<'_>) -> Table {
    const EARLIER: u64 = 51_400;
    let mut table =
        Table::new(["games", "won by the first", "drawn", "per cent", "95 % interval", "mean plies", "verdict"]);
    let games = bench.count(1_000_000, 100) as u64;
    let mut rng = Rng::new(seed(bench, 9, 0));
    let (mut won, mut drawn, mut plies) = (0, 0, 0);
    for game in 0..games {
        if game % 4096 == 0 {
            if bench.stop.stopped() {
                return table;
            }
            (bench.progress)(game as f64 / games as f64);
        }
        let mut position = Article.start();
        let end = Article.playout(&mut position, &mut (), u32::MAX, &mut rng, |_, _| {});
        let winner = end.outcome.and_then(|outcome| outcome.winner);
        won += u64::from(winner == Some(Side::First));
        drawn += u64::from(winner.is_none());
        plies += u64::from(end.plies);
    }
    (bench.progress)(1.0);
    let share = interval(won, games);
    let almost = Interval { low: 0.45, high: 0.55 };
    table.row([
        games.to_string(),
        won.to_string(),
        drawn.to_string(),
        format!("{:.2}", per_cent(won, games)),
        written(share),
        format!("{:.2}", plies as f64 / games as f64),
        if almost.contains(share.low) && almost.contains(share.high) { "agrees" } else { "differs" }.to_owned(),
    ]);
    table.note("Verdict, set beforehand: almost 50 % agrees if the interval lies between 45 and 55 %.");
    let known = verdict(share, interval(EARLIER, 100_000));
    table.note(format!("Earlier: 51.4 % of 100,000 games, 11.9 plies, which {known}."));
    table
}

/// The article's print of a part of its tree, the formula on its counts, and the same nodes of a tree here.
pub(crate) fn print(_: &Dobutsu, bench: &mut Bench<'_>) -> Table {
    let mut table = Table::new(["node", "the article", "the formula", "here", "verdict"]);
    let Some(search) = train(&[], seed(bench, 1, 0), BATCHES, bench, |_, _| {}) else { return table };
    (bench.progress)(1.0);
    let mut parents = vec![(BATCH * BATCHES) as f64];
    let mut line: Vec<Move> = Vec::new();
    let mut lost: Option<usize> = None;
    for &(depth, name, score, wins, visits) in tree::ARTICLE {
        parents.truncate(depth + 1);
        line.truncate(depth);
        let formula = format!("{:.6}", tree::score(f64::from(wins), f64::from(visits), parents[depth]));
        let agrees = formula == score;
        // Below a node that this tree has not there is none.
        lost = lost.filter(|&above| above < depth);
        let children = if lost.is_none() { tree::children(&search, Side::First, &line) } else { Vec::new() };
        let here = children.iter().find(|child| tree::move_text(child.m.played) == name);
        table.row([
            format!("{}├──{name}", "│   ".repeat(depth)),
            format!("{score}/{wins}/{visits}"),
            formula,
            here.map_or_else(|| "n/a".to_owned(), |node| format!("{:.6}/{}/{}", node.score, node.wins, node.visits)),
            if agrees { "agrees" } else { "differs" }.to_owned(),
        ]);
        match here {
            Some(node) => line.push(node.m),
            None => lost = lost.or(Some(depth)),
        }
        parents.push(f64::from(visits));
    }
    table.note("Score, wins of the side that moves to the node, visits; the formula is Q/n + √2 √(ln N / n) on the article's counts.");
    table.note("It gives the root's child only with N = 1,001,000: the program runs 1,001 batches, not 1,000.");
    table.note("Verdict, set beforehand: agrees where the formula gives the printed score to the last digit; counts are of one run.");
    table.note("The first level of the tree here, in the article's form:");
    for printed in tree::print(&search, Side::First, &[], 1).lines() {
        table.note(printed);
    }
    table
}
