//! AI2, AI1 with the paper's formulas on rows of bits (Suzuki and Ito 2019, section 4.2): the same moves in less time.

use banmen_catalog::{Key, PlayerEntry};

use super::agent::{self, Agent, keys};
use super::ai1;
use crate::Golad;

/// Everything that can be set.
pub(crate) const KEYS: &[Key] = &keys(&AGENT);

const AGENT: Agent = Agent { step: "rows", ..ai1::AGENT };

/// The player.
#[must_use]
pub(crate) fn entry() -> PlayerEntry<Golad> {
    agent::entry("ai2", "the paper's AI2: AI1 with the paper's formulas on rows of bits", KEYS)
}
