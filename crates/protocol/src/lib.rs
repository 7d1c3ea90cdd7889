//! One vocabulary for every door.
//!
//! A request is a JSON object with an `op`; [`Service::handle`] answers it from a table of operations. A [`Connection`]
//! serves one connection: it reads requests, runs searches on threads of their own, matches answers by `id`, keeps
//! sessions, and stops what nobody waits for any more. The doors themselves are thin: `banmen rpc` is a desk over
//! standard input and output, the WebSocket a desk over a socket, `POST /api/…` a single call of `handle`.
//!
//! The other protocols of the field are spoken from both ends. [`TextEngine`], [`GtpEngine`], [`NBoardEngine`] and
//! [`RiddlesEngine`] are our players behind USI, UCI, GTP, NBoard's protocol and that of riddles.io, for other people's
//! programs; [`player`] makes players of the house, and of programs that speak one of these or our own vocabulary.
//!
//! What a door may do is its [`Policy`]; how many searches may run at once is its [`SearchLimiter`].

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unreachable)
)]

mod answer;
mod background;
mod connection;
pub mod gtp;
mod gtp_engine;
mod limiter;
pub mod nboard;
mod nboard_engine;
mod operations;
mod players;
mod policy;
mod request;
pub mod riddles;
mod riddles_engine;
mod service;
mod session;
mod text_engine;

pub use answer::ms as whole_ms;
pub use connection::{Connection, Sink, search_thread};
pub use gtp_engine::GtpEngine;
pub use limiter::{Permit, SearchLimiter};
pub use nboard_engine::NBoardEngine;
pub use operations::{Body, Operation, Run, in_range};
pub use players::MakePlayer;
pub use policy::Policy;
pub use request::{LimitsRequest, Request, fields};
pub use riddles_engine::RiddlesEngine;
pub use service::{Call, Service};
pub use session::{SessionCache, Sessions};
pub use text_engine::{Conversation, Lines, TextEngine, TextProtocol};

/// The JSON Schema of every request and answer, as `banmen rpc --schema` prints it.
pub const SCHEMA: &str = include_str!("schema.json");
