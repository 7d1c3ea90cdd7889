//! Games between AI3 and AI2 in which each passes after some moves of its own, as the site lets a bot whose time bank is
//! empty: a reading of the 70 draws of figure 5.

use banmen_catalog::{Key, Kind, Measure, MeasureInfo, Observation, Options, Quantity, QuantityKind, Sampling};
use banmen_game::mix;

use super::{BIRTHS, make, opening, play};
use crate::{Golad, Move};

/// The games of a sample.
const GAMES: u64 = 50;

const fn share(name: &'static str) -> Quantity {
    Quantity { name, unit: "%", kind: QuantityKind::Share }
}

const fn after(name: &'static str) -> Key {
    Key {
        name,
        kind: Kind::Integer(0, 100),
        default: "100",
        summary: "own moves after which it only passes",
        source: "the site's bank: 10 s and 100 ms a move; a bot that has used it up is ended, and passes",
    }
}

/// Results of games between agents that pass after some moves.
pub(crate) const STOPPED: Measure<Golad> = Measure {
    info: MeasureInfo {
        name: "stopped",
        summary: "50 games of AI3 against AI2, which move first in turn and pass after some moves of their own: AI3's results",
        keys: &[after("ai3"), after("ai2"), BIRTHS],
        quantities: &[share("won"), share("drawn"), share("lost"), Quantity::mean("turns", "")],
        axis: None,
    },
    sample: stopped,
};

fn stopped(game: &Golad, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let births = [("births", options.choice("births"))];
    let last = [options.integer("ai2"), options.integer("ai3")];
    let (mut results, mut turns) = ([0; 3], 0);
    for number in 0..GAMES {
        let mut players = ["ai2", "ai3"].map(|name| make(name, "vectors", &births, mix(sampling.seed ^ number)).0);
        // Each start is played twice, with the sides exchanged.
        let mut state = opening(game, sampling, number / 2);
        let (mut made, other) = ([0, 0], number as usize % 2);
        while state.outcome().is_none() {
            let who = (state.side_to_move().index() + other) % 2;
            if made[who] < last[who] {
                play(&mut players[who], &mut state, sampling)?;
            } else {
                state.play(Move::Pass);
            }
            made[who] += 1;
        }
        turns += state.moves().len();
        let winner = state.outcome().and_then(|outcome| outcome.winner);
        let won = winner.map(|side| (side.index() + other) % 2 == 1);
        results[won.map_or(1, |won| if won { 0 } else { 2 })] += 1;
    }
    let shares = (0..).zip(results).map(|(quantity, count)| Observation::share(quantity, count, GAMES));
    let turns = Observation::number(3, turns as f64 / GAMES as f64);
    Some(shares.chain([turns]).collect())
}
