//! Gives a module the stack that deep searches need.

/// In bytes. Native search threads have 16 MiB; the target's own 1 MiB would end the process where it is too little.
const STACK: u32 = 8 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size={STACK}");
    }
}
