//! AI2's time with each of the changes that make it AI3 (section 6.2), and the single moves of AI1 (section 4.1).

use std::time::Duration;

use banmen_catalog::{Key, Kind, Measure, MeasureInfo, Observation, Options, Quantity, QuantityKind, Sampling};
use banmen_game::GameState;

use super::{BIRTHS, STEP, make, ms, opening, play};
use crate::Golad;
use crate::players::{Search, Steps};

/// Moves of each side, as in figures 3 and 4.
const MOVES: usize = 10;

/// The time of a move that AI1 exceeded (4.1), as a share of its mean in figure 3.
const EXCEEDED: f64 = 15_000.0 / 23_342.4;

/// The changes, and the keys with which AI2 makes them.
const ALL: [(&str, &[(&str, &str)]); 9] = [
    ("none", &[]),
    ("playouts", &[("playouts", "50")]),
    ("length", &[("length", "5")]),
    ("passes", &[("playout", "pass")]),
    ("playout", &[("playout", "pass"), ("length", "5")]),
    ("no-playout", &[("length", "0")]),
    ("children", &[("children", "greedy")]),
    ("selection", &[("selection", "newucb"), ("unvisited", "value")]),
    (
        "all",
        &[
            ("playouts", "50"),
            ("playout", "pass"),
            ("length", "5"),
            ("children", "greedy"),
            ("selection", "newucb"),
            ("unvisited", "value"),
        ],
    ),
];

const CHANGE: Key = Key {
    name: "change",
    kind: Kind::Choice(&[
        "none",
        "playouts",
        "length",
        "passes",
        "playout",
        "no-playout",
        "children",
        "selection",
        "all",
    ]),
    default: "all",
    summary: "what AI2 takes over from AI3: the number of playouts, their length, their passes, both of these, the children, newUCB, or all; or playouts without a turn",
    source: "4.3",
};

/// The time of AI2 with a change.
pub(crate) const CHANGES: Measure<Golad> = Measure {
    info: MeasureInfo {
        name: "changes",
        summary: "ten moves of AI2 in a game against AI3: its processor time, and that of AI2 with a change for the same positions",
        keys: &[CHANGE, STEP, BIRTHS],
        quantities: &[
            Quantity::mean("ratio", ""),
            Quantity::mean("AI2", "ms a move"),
            Quantity::mean("changed", "ms a move"),
            Quantity::mean("generations of AI2", "thousand a move"),
            Quantity::mean("changed, generations", "thousand a move"),
            Quantity::mean("of these in playouts", "%"),
        ],
        axis: None,
    },
    sample: changes,
};

/// The time of single moves of AI1.
pub(crate) const SLOW: Measure<Golad> = Measure {
    info: MeasureInfo {
        name: "slow",
        summary: "ten moves of AI1 in a game against AI2: the processor time of each",
        keys: &[BIRTHS],
        quantities: &[
            Quantity::mean("mean", "ms"),
            Quantity::mean("first", "ms"),
            Quantity::mean("longest", "ms"),
            Quantity { name: "above 15.0 of 23.3", unit: "%", kind: QuantityKind::Share },
            Quantity::mean("mean, generations", "thousand"),
            Quantity::mean("a generation where the mean is 15 s", "µs"),
        ],
        axis: None,
    },
    sample: slow,
};

/// The time and the generations of a move.
struct Cost {
    time: Duration,
    generations: u64,
    in_playouts: u64,
}

/// Lets an agent think, and plays its move.
fn cost((player, steps): &mut (Search, Steps), state: &mut GameState<Golad>, sampling: &Sampling<'_>) -> Option<Cost> {
    let (all, playouts) = (steps.get(), steps.in_playouts());
    let time = play(player, state, sampling)?;
    Some(Cost { time, generations: steps.get() - all, in_playouts: steps.in_playouts() - playouts })
}

/// The sum over the moves.
fn sum(costs: &[Cost], of: impl Fn(&Cost) -> f64) -> f64 {
    costs.iter().map(of).sum()
}

fn changes(game: &Golad, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let (change, step, births) = (options.choice("change"), options.choice("step"), options.choice("births"));
    let keys: &[_] = ALL.iter().find(|(name, _)| *name == change).map_or(&[], |(_, keys)| keys);
    let births = ("births", births);
    let mut ai2 = make("ai2", step, &[births], sampling.seed);
    let mut changed = make("ai2", step, &[keys, &[births]].concat(), sampling.seed);
    let mut other = make("ai3", step, &[], sampling.seed).0;
    let (mut plain, mut with) = (Vec::new(), Vec::new());
    for number in 0.. {
        let mut state = opening(game, sampling, number);
        while plain.len() < MOVES && state.outcome().is_none() {
            with.push(cost(&mut changed, &mut state.clone(), sampling)?);
            plain.push(cost(&mut ai2, &mut state, sampling)?);
            if state.outcome().is_none() {
                play(&mut other, &mut state, sampling)?;
            }
        }
        if plain.len() == MOVES {
            break;
        }
    }
    let time = |costs: &[Cost]| sum(costs, |cost| ms(cost.time)) / MOVES as f64;
    let generations = |costs: &[Cost]| sum(costs, |cost| cost.generations as f64) / (1e3 * MOVES as f64);
    let (before, after) = (time(&plain), time(&with));
    let mut seen = vec![Observation::number(1, before), Observation::number(2, after)];
    if after > 0.0 {
        seen.push(Observation::number(0, before / after));
    }
    let (in_playouts, counted) = (sum(&with, |cost| cost.in_playouts as f64), generations(&with));
    seen.extend([Observation::number(3, generations(&plain)), Observation::number(4, counted)]);
    if counted > 0.0 {
        seen.push(Observation::number(5, 100.0 * in_playouts / (1e3 * MOVES as f64 * counted)));
    }
    Some(seen)
}

fn slow(game: &Golad, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let births = [("births", options.choice("births"))];
    let mut ai1 = make("ai1", "paper", &births, sampling.seed);
    let mut other = make("ai2", "paper", &births, sampling.seed).0;
    let mut costs = Vec::new();
    for number in 0.. {
        let mut state = opening(game, sampling, number);
        while costs.len() < MOVES && state.outcome().is_none() {
            costs.push(cost(&mut ai1, &mut state, sampling)?);
            if state.outcome().is_none() {
                play(&mut other, &mut state, sampling)?;
            }
        }
        if costs.len() == MOVES {
            break;
        }
    }
    let times: Vec<f64> = costs.iter().map(|cost| ms(cost.time)).collect();
    let mean = times.iter().sum::<f64>() / MOVES as f64;
    let above = times.iter().filter(|&&time| time > EXCEEDED * mean).count() as u64;
    let generations = sum(&costs, |cost| cost.generations as f64) / MOVES as f64;
    let longest = times.iter().copied().fold(0.0, f64::max);
    Some(vec![
        Observation::number(0, mean),
        Observation::number(1, times[0]),
        Observation::number(2, longest),
        Observation::share(3, above, MOVES as u64),
        Observation::number(4, generations / 1e3),
        Observation::number(5, 15e6 / generations.max(1.0)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_has_its_keys() {
        let Kind::Choice(names) = CHANGE.kind else { panic!("the key is a choice") };
        assert!(names.iter().eq(ALL.iter().map(|(name, _)| name)));
        for (_, keys) in ALL {
            make("ai2", "paper", keys, 1);
        }
    }
}
