//! A game's experiments on published claims.

use banmen_catalog::{AnyGame, Bench, Error, ExperimentInfo, Table};
use banmen_search::StopFlag;
use serde::Serialize;

use crate::{Contestant, Match, Openings, Plan, Store};

/// An experiment and what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Reproduction {
    /// The experiment's name.
    pub id: &'static str,
    /// What it asks.
    pub title: &'static str,
    /// Where the claim was made.
    pub source: &'static str,
    /// What the source says.
    pub published: &'static str,
    /// What was measured.
    pub measured: Table,
}

/// Runs one experiment of a game: its measurement, or its matches.
///
/// # Errors
/// What a match refuses.
pub fn reproduce(
    game: &dyn AnyGame,
    experiment: &ExperimentInfo,
    store: &Store,
    bench: &mut Bench<'_>,
    concurrency: usize,
) -> Result<Reproduction, Error> {
    let measured = match game.measure(experiment.id, bench) {
        Some(table) => table,
        None => matches(game, experiment, store, bench, concurrency)?,
    };
    Ok(Reproduction {
        id: experiment.id,
        title: experiment.title,
        source: experiment.source,
        published: experiment.published,
        measured,
    })
}

fn matches(
    game: &dyn AnyGame,
    experiment: &ExperimentInfo,
    store: &Store,
    bench: &mut Bench<'_>,
    concurrency: usize,
) -> Result<Table, Error> {
    let mut table = Table::new([
        "player",
        "against",
        "games",
        "won-drawn-lost",
        "score",
        "95 % interval",
        "mean margin",
        "repeated",
    ]);
    let planned: Vec<usize> = experiment.matches.iter().map(|fixed| 2 * bench.count(fixed.games / 2, 1)).collect();
    let all: usize = planned.iter().sum();
    let mut played = 0;
    for (fixed, games) in experiment.matches.iter().zip(planned) {
        let bout = Match {
            openings: Openings::Random(fixed.plies),
            seed: bench.seed,
            ..Match::new(game, Contestant::new(fixed.a, fixed.limits), Contestant::new(fixed.b, fixed.limits))
        };
        let stop: &StopFlag = bench.stop;
        let score = bout.play(store, &Plan::games(games, concurrency), stop, &mut |_| {
            played += 1;
            (bench.progress)(played as f64 / all as f64);
        })?;
        let interval = score.interval();
        table.row([
            fixed.a.to_owned(),
            fixed.b.to_owned(),
            score.games().to_string(),
            format!("{}-{}-{}", score.wins, score.draws, score.losses),
            score.score().map_or("n/a".to_owned(), |score| format!("{score:.4}")),
            interval.map_or("n/a".to_owned(), |interval| format!("{:.4} to {:.4}", interval.low, interval.high)),
            score.margin.map_or_else(String::new, |sum| format!("{:+.1}", sum as f64 / score.games().max(1) as f64)),
            score.repeats.games.to_string(),
        ]);
        if stop.stopped() {
            break;
        }
    }
    Ok(table)
}
