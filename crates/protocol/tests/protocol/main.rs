//! The crate's tests from outside. They are one program, since each program is linked with all crates anew.

mod connection;
mod connections;
mod fpt_engine;
mod gtp_engine;
mod nboard_engine;
mod nim;
mod noise;
mod output;
mod records;
mod refusals;
mod riddles_engine;
mod schema;
mod schema_parts;
mod tables;
mod text_engine;
mod tubstap_engine;
