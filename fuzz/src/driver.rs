//! The libFuzzer program: runs the target that the environment variable `BANMEN_FUZZ_TARGET` names. If that is `list`, it
//! prints the names of all targets, each with the length of its inputs and `slow` or `fast`, and exits.
//!
//! `cargo xtask fuzz` builds and calls it. One program holds all targets, so that the workspace is compiled once.

#![no_main]

use std::sync::OnceLock;

use banmen_fuzz::{TARGETS, Target};

static TARGET: OnceLock<&'static Target> = OnceLock::new();

#[expect(clippy::print_stdout, reason = "the answer to `list`")]
fn list() -> ! {
    for target in TARGETS {
        println!("{} {} {}", target.name, target.max_len, if target.slow { "slow" } else { "fast" });
    }
    std::process::exit(0)
}

libfuzzer_sys::fuzz_target!(
    init: {
        let name = std::env::var("BANMEN_FUZZ_TARGET").unwrap_or_default();
        if name == "list" {
            list();
        }
        let target = TARGETS.iter().find(|target| target.name == name);
        TARGET.get_or_init(|| target.unwrap_or_else(|| panic!("BANMEN_FUZZ_TARGET names no target: `{name}`")));
    },
    |data: &[u8]| {
        let target = TARGET.get().unwrap_or_else(|| unreachable!("libFuzzer runs `init` first"));
        (target.run)(data);
    }
);
