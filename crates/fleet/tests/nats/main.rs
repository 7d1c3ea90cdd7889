//! Matches, labels and training games at a NATS server. They need a `nats-server`, so `cargo xtask test --only fleet` runs
//! them.

mod access;
mod accounts;
mod labelling;
mod matches;
mod parts;
mod server;
mod space;
mod training;
