//! The libFuzzer program of one target, which the environment variable `BANMEN_FUZZ_TARGET` names at compile time; the
//! first of all targets where it is not set. `cargo xtask fuzz` builds and calls it.
//!
//! After each input libFuzzer goes through the counters of all code in the program. A program of one target contains
//! only the code that the target needs, so it runs several times as many inputs per second as a program of all targets.
//!
//! If the variable is `list` at run time, the program prints the names of all targets, each with the length of its
//! inputs, and exits. If it names another target than the program's, the program panics.

#![no_main]

use banmen_fuzz::{TARGETS, Target};

/// The target. A constant, so that the code of the others is not linked.
const TARGET: Target = match option_env!("BANMEN_FUZZ_TARGET") {
    Some(name) => Target::named(name),
    None => TARGETS[0],
};

/// The names of all targets with the lengths of their inputs, without their code.
const LIST: [(&str, usize); TARGETS.len()] = {
    let mut list = [("", 0); TARGETS.len()];
    let mut at = 0;
    while at < list.len() {
        list[at] = (TARGETS[at].name, TARGETS[at].max_len);
        at += 1;
    }
    list
};

#[expect(clippy::print_stdout, reason = "the answer to `list`")]
fn list() -> ! {
    for (name, max_len) in LIST {
        println!("{name} {max_len}");
    }
    std::process::exit(0)
}

libfuzzer_sys::fuzz_target!(
    init: {
        match std::env::var("BANMEN_FUZZ_TARGET").as_deref() {
            Ok("list") => list(),
            Ok(name) => assert_eq!(name, TARGET.name, "the target of this program"),
            Err(_) => {}
        }
    },
    |data: &[u8]| (TARGET.run)(data)
);
