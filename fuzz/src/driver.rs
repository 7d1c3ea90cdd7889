//! The libFuzzer program: runs the target that the environment variable `BANMEN_FUZZ_TARGET` names.
//!
//! `cargo xtask fuzz` builds and calls it. One program holds all targets, so that the workspace is compiled once.

#![no_main]

use std::sync::OnceLock;

use banmen_fuzz::{TARGETS, Target};

static TARGET: OnceLock<&'static Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(
    init: {
        let name = std::env::var("BANMEN_FUZZ_TARGET").unwrap_or_default();
        let target = TARGETS.iter().find(|target| target.name == name);
        TARGET.get_or_init(|| target.unwrap_or_else(|| panic!("BANMEN_FUZZ_TARGET names no target: `{name}`")));
    },
    |data: &[u8]| {
        let target = TARGET.get().unwrap_or_else(|| unreachable!("libFuzzer runs `init` first"));
        (target.run)(data);
    }
);
