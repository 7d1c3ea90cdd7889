//! External programs as players.
//!
//! [`player()`] makes the player of a text: one of the game's own, or, where the text is `PROTOCOL:COMMAND`, a program that
//! runs in a process group of its own with limits ([`Programs`]) and is asked over GTP, NBoard's protocol, USI, UCI, the
//! protocols of riddles.io, of the FPGA contests and of TUBSTAP's network games, or this project's own JSON protocol
//! (`rpc`). In place of a command `tcp:[HOST:]PORT` or `tcp-listen:[HOST:]PORT` ([`Endpoint`]) reaches a program that runs
//! already. A program's fault is an error whose code is one of
//! [`ErrorCode::is_program_fault`](banmen_catalog::ErrorCode::is_program_fault); after such a fault the program is killed,
//! with all processes that it started, and restarted at the next question.
//!
//! With [`Programs::supervisor`] each program runs under a process that ends all its descendants ([`supervise`]).
//!
//! [`factory()`] gives a [`Service`](banmen_protocol::Service) these players.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unreachable)
)]

mod command;
mod exchange;
mod factory;
mod fpt;
mod group;
mod gtp;
mod info;
mod nboard;
mod player;
mod protocols;
mod riddles;
mod rpc;
mod runner;
mod script;
mod settings;
mod streams;
mod supervisor;
mod tcp;
mod tubstap;
mod usi;

pub use factory::{
    check_limits, check_opening, check_player, command, effective_limits, factory, is_program, player,
    plays_whole_games, waits_for_connection,
};
pub use group::kill_programs;
pub use script::scripted;
pub use settings::{Charge, Programs};
pub use supervisor::{NOT_STARTED, supervise};
pub use tcp::{Endpoint, accept, address};
