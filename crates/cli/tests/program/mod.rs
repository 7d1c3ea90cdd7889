//! The program as its tests run it.

#![allow(dead_code, reason = "each file of tests uses some of it")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program, with a data directory for these tests.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_banmen"));
    let home = format!("{}/home-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    command.envs(["HOME", "XDG_DATA_HOME"].map(|name| (name, &home)));
    command
}

pub(crate) fn banmen(args: &[&str]) -> Output {
    program().args(args).stdin(Stdio::null()).output().expect("the program starts")
}

/// The output of a successful run.
pub(crate) fn said(args: &[&str]) -> String {
    let output = banmen(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

pub(crate) fn json(args: &[&str]) -> Value {
    let answer: Value = serde_json::from_str(&said(args)).expect("one JSON object");
    assert_eq!(answer["schema"], 1, "every answer names the version of its form");
    answer
}

/// The error message of a run that fails.
pub(crate) fn refused(args: &[&str]) -> String {
    let output = banmen(args);
    let complaint = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{args:?}: {complaint}");
    assert!(output.stdout.is_empty(), "{args:?}: errors are not printed on standard output");
    complaint
}

/// The output of a run with this input.
pub(crate) fn answered(args: &[&str], input: &[u8]) -> String {
    let mut child =
        program().args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(input).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).expect("text")
}

pub(crate) fn rpc(input: &[u8]) -> Vec<Value> {
    let text = answered(&["rpc"], input);
    text.lines().map(|line| serde_json::from_str(line).expect("JSON on each line")).collect()
}
