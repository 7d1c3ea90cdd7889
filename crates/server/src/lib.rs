//! HTTP, WebSocket and the page.
//!
//! | route | what it is |
//! |---|---|
//! | `GET /` and the files of the page | embedded, found by exact match |
//! | `GET /ws` | WebSocket: one request or answer of `banmen-protocol` a text message |
//! | `POST /api/OPERATION` | one request, its final answer |
//! | `GET /healthz` | how busy the server is |
//! | `GET /metrics` | what it has done so far, for Prometheus; only if [`Config::metrics`] is set |
//!
//! [`Server::bind`] opens the port, [`Server::run`] serves it until it is stopped. The server keeps no game, and every request
//! is self-contained. It writes files only where the policy allows it: tables of solved games, and the games of an
//! experiment. Nothing here prints; [`Server::warnings`] are for the caller to show.
//!
//! The async runtime only moves bytes. Searches run on threads of their own, admitted by a limiter, short operations on a
//! small pool, so that the server answers while every core searches. Everything that a client may use is bounded:
//! connections, the time to send a request and to read an answer, sizes, searches, their threads, time and memory.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unreachable)
)]

mod admission;
mod api;
mod assets;
mod config;
mod loopback;
mod metrics;
mod origin;
mod outbox;
mod reply;
mod route;
mod sent;
mod server;
mod socket;
mod stall;

pub use config::{Config, Timeouts};
pub use loopback::Loopback;
pub use server::{Server, Stopper};
