//! One vocabulary for every door.
//!
//! A request is a JSON object with an `op`; [`Service::handle`] answers it from a table of operations. A [`Desk`]
//! serves one connection: it reads requests, runs searches on threads of their own, matches answers by `id`, keeps
//! sessions, and stops what nobody waits for any more. The doors themselves are thin: `banmen rpc` is a desk over
//! standard input and output, the WebSocket a desk over a socket, `POST /api/…` a single call of `handle`.
//!
//! [`TextEngine`] is the one part that speaks otherwise: a player behind USI or UCI, for other people's programs.
//!
//! What a door may do is its [`Policy`]; how many searches may run at once is its [`Gate`].

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unreachable)
)]

mod answer;
mod desk;
mod gate;
mod operations;
mod players;
mod policy;
mod program;
mod programs;
mod request;
mod service;
mod session;
mod text_engine;

pub use desk::{Desk, Sink, search_thread};
pub use gate::{Gate, Pass};
pub use operations::{OPERATIONS, Operation};
pub use players::{is_program, player};
pub use policy::Policy;
pub use programs::{Charge, Programs};
pub use request::{LimitsRequest, Request};
pub use service::{Call, Service};
pub use session::{Sessions, Shelf};
pub use text_engine::{Lines, TextEngine, TextProtocol};

/// The JSON Schema of every request and answer, as `banmen rpc --schema` prints it.
pub const SCHEMA: &str = include_str!("schema.json");
