//! The three agents of Suzuki and Ito 2019, variants of one tree search, and a reference player.

pub(crate) mod agent;
pub(crate) mod ai1;
pub(crate) mod ai2;
pub(crate) mod ai3;
pub mod balance3;
mod candidates;
mod cells;
mod continuation;
mod field;
mod formulas;

pub(crate) use agent::Search;
pub(crate) use cells::Cells;
pub(crate) use continuation::Steps;
pub(crate) use field::AgentBoard;
pub(crate) use formulas::Formulas;

#[cfg(test)]
mod tests;
