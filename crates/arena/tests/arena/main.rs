//! The crate's tests from outside. They are one program, since each program is linked with all crates anew.

mod bundle;
mod check;
mod dataset;
mod experiment;
mod faults;
mod folder;
mod laboratory;
mod league;
mod match_run;
mod operations;
#[path = "../../../protocol/tests/protocol/schema_parts.rs"]
mod schema_parts;
mod store;
mod tournament;
mod turns;
