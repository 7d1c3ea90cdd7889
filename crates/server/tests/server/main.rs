//! The crate's tests from outside. They are one program, since each program is linked with all crates anew.

mod ending;
mod harness;
mod peers;
mod routes;
mod searches;
