//! External programs as players: each kind of fault gets its verdict in bounded time, and no process is left.

#![cfg(target_os = "linux")]

mod fake;
mod faults;
mod fpt;
mod gtp;
mod pentobi;
mod riddles;
mod stop;
mod tcp;
mod tubstap;
