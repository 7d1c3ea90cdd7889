//! AI1, the paper's plain tree search (Suzuki and Ito 2019, section 4.1): 100 playouts of at most ten random turns, at
//! most 15 sampled children a node, UCB1, and a generation computed cell by cell. It took more than 15 s a move there.

use banmen_catalog::{Key, PlayerEntry};

use super::agent::{self, Agent, keys};
use crate::Golad;

/// Everything that can be set.
pub(crate) const KEYS: &[Key] = &keys(&AGENT);

/// What AI2 shares but for the step.
pub(super) const AGENT: Agent = Agent {
    step: "cells",
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
    agent::entry("ai1", "the paper's AI1: plain Monte-Carlo tree search, generations computed cell by cell", KEYS)
}
