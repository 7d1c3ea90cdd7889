//! Games with other programs: their protocols at both ends, on standard streams and over TCP.

#![cfg(unix)]

mod blokus;
mod tubstap;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

const BANMEN: &str = env!("CARGO_BIN_EXE_banmen");

/// An empty data folder of a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(BANMEN);
    command.arg("--data").arg(folder).args(args).stdin(Stdio::null()).output().expect("it starts")
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// `banmen engine` with open streams.
fn engine(args: &[&str]) -> Child {
    let mut command = Command::new(BANMEN);
    command.arg("engine").args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}
