//! AI3, the paper's improved tree search (Suzuki and Ito 2019, section 4.3): 50 playouts of five passes, three births
//! and a kill a node, each composed cell by cell, and newUCB. Its generations are computed by the fastest step
//! there is; `step=rows` has the paper's formulas, and plays the same moves.

use banmen_catalog::{Key, PlayerEntry};

use super::agent::{self, Agent, keys};
use crate::Golad;

/// Everything that can be set.
pub(crate) const KEYS: &[Key] = &keys(&AGENT);

const AGENT: Agent = Agent {
    step: "vectors",
    playouts: "50",
    children: "greedy",
    selection: "newucb",
    unvisited: "value",
    playout: "pass",
    length: "5",
};

/// The player.
#[must_use]
pub(crate) fn entry() -> PlayerEntry<Golad> {
    agent::entry("ai3", "the paper's AI3: playouts of passes, newUCB, four children composed cell by cell", KEYS)
}
