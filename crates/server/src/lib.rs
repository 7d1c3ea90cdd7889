//! HTTP, WebSocket and the page.
//!
//! | route | what it is |
//! |---|---|
//! | `GET /` and the files of the page | embedded, found by exact match |
//! | `GET /ws` | WebSocket: one request or answer of `banmen-protocol` a text message |
//! | `POST /api/OPERATION` | one request, its final answer |
//! | `GET /healthz` | how busy the server is |
//!
//! [`Server::bind`] takes the port, [`Server::run`] serves it until somebody asks to stop. The server keeps no game
//! and writes no file: every request says all it asks about. Nothing here prints; [`Server::warnings`] are for the
//! caller to show.
//!
//! The async runtime only moves bytes. Searches run on threads of their own behind a gate, short operations on a
//! small pool, so that the server answers while every processor thinks. What a client may cost is bounded everywhere:
//! connections, the time to send a request and to take an answer, sizes, searches, their time and memory.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unreachable)
)]

mod admission;
mod api;
mod assets;
mod config;
mod origin;
mod outbox;
mod reply;
mod route;
mod sent;
mod server;
mod socket;
mod stall;

pub use config::{Config, Timeouts};
pub use server::{Server, Stopper};
