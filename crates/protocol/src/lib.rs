//! The operations on games and players as JSON requests and answers, the same for every interface.
//!
//! A request is a JSON object with an `op`; [`Service::handle`] answers it from a table of operations. [`messages`] holds
//! the types of the requests and answers, from which [`Service::schema`] generates the JSON Schema, and [`operations`] the
//! functions between them.
//!
//! A [`Connection`] serves one client: it reads requests, runs searches on threads of their own, matches answers by `id`,
//! keeps sessions, and stops searches when it is dropped. The interfaces are thin: a `Connection` over standard input and
//! output or over a WebSocket, or a single call of `handle`. A [`Policy`] holds the limits of an interface, and a
//! [`SearchLimiter`] bounds the searches that run at once, and shares them among addresses.
//!
//! [`TextEngine`], [`GtpEngine`], [`NBoardEngine`], [`RiddlesEngine`], [`FptEngine`] and [`TubstapEngine`] are the games'
//! players as engines for USI, UCI, GTP, NBoard's protocol, that of riddles.io, that of the FPGA contests and that of
//! TUBSTAP's network games. What these share with clients of the same protocols is in [`gtp`], [`nboard`], [`riddles`],
//! [`fpt`] and [`tubstap`].

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unreachable)
)]

mod background;
mod connection;
mod dialect;
mod engine_session;
pub mod fpt;
mod fpt_engine;
pub mod gtp;
mod gtp_engine;
mod limiter;
pub mod messages;
pub mod nboard;
mod nboard_engine;
pub mod operations;
mod players;
mod policy;
mod request;
pub mod riddles;
mod riddles_engine;
mod schema;
mod service;
mod session;
mod text_engine;
pub mod tubstap;
mod tubstap_engine;

pub use connection::{Connection, Sink, envelope, message, not_utf8};
pub use fpt_engine::FptEngine;
pub use gtp_engine::GtpEngine;
pub use limiter::{AddressLimiter, Permit, SearchLimiter};
pub use messages::{MAX_TABLE_MIB, MAX_THREADS, whole_ms};
pub use nboard_engine::NBoardEngine;
pub use operations::{Body, Operation, Run, Work, in_range};
pub use players::MakePlayer;
pub use policy::{Policy, TablePolicy};
pub use request::{Request, fields};
pub use riddles_engine::RiddlesEngine;
pub use service::{Call, Service};
pub use session::{SessionCache, Sessions};
pub use text_engine::{Conversation, Lines, TextEngine, TextProtocol};
pub use tubstap_engine::TubstapEngine;
