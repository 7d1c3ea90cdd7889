//! AI2, AI1 with the paper's formulas on rows of bits (Suzuki and Ito 2019, section 4.2): the same moves in less time.

use banmen_catalog::{Key, PlayerEntry};

use super::recipe::{self, Agent, SOURCE, keys};
use crate::Golad;

/// Everything that can be set.
pub(crate) const KEYS: &[Key] = &keys(&AGENT);

const AGENT: Agent = Agent {
    step: "rows",
    playouts: "100",
    children: "sampled",
    selection: "ucb1",
    unvisited: "first",
    playout: "random",
    length: "10",
};

/// The player.
#[must_use]
pub(crate) fn entry() -> PlayerEntry<Golad> {
    PlayerEntry {
        name: "ai2",
        summary: "the paper's AI2: AI1 with the paper's formulas on rows of bits",
        source: SOURCE,
        keys: KEYS,
        make: |game, options, seed, _| Ok(Box::new(recipe::player(game, options, seed)?.0)),
    }
}
