//! Known faults of what the program and the checks of its page depend on, where their lists can be reached.

use std::process::{Command, Stdio};

use crate::report::{Trouble, Verdict};
use crate::tool;

/// The exit code of `cargo audit` and of `cargo deny check advisories` with faults, and of `npm audit`, is 1; so is that of a
/// list that could not be reached, which their own errors tell apart.
const UNREACHABLE: [&str; 6] = [
    "couldn't fetch",
    "failed to fetch",
    "failed to clone",
    "endpoint returned an error",
    "ENOTFOUND",
    "npm error network",
];

/// How the programs begin a line about an error of their own, in lower case. What they say of an advisory begins otherwise.
const OWN_ERRORS: [&str; 4] = ["error: ", "[error] ", "npm error ", "npm err! "];

/// Asks every list. A fault fails; what could not be asked is named, and is no fault.
pub(crate) fn check() -> Verdict {
    let mut found = Vec::new();
    let mut asked = 0;
    let locks: [(&str, &[&str]); 2] = [("cargo-audit", &["audit"]), ("cargo-deny", &["deny", "check", "advisories"])];
    for (program, arguments) in locks {
        match tool::find(&[program]) {
            Some(_) => judge(tool::cargo(arguments), &mut asked, &mut found)?,
            None => println!("{program}: not installed, not asked"),
        }
    }
    match crate::page::npm() {
        Ok(mut npm) => {
            npm.arg("audit");
            judge(npm, &mut asked, &mut found)?;
        }
        Err(trouble) => println!("npm: {trouble}, not asked"),
    }
    println!("{asked} lists of advisories were asked");
    if found.is_empty() { Ok(()) } else { Err(Trouble::failed(format!("advisories: {}", found.join(", ")))) }
}

/// Runs one of the programs and shows what it says.
fn judge(mut command: Command, asked: &mut usize, found: &mut Vec<String>) -> Verdict {
    let name = format!(
        "{} {}",
        command.get_program().to_string_lossy(),
        command.get_args().next().unwrap_or_default().to_string_lossy()
    );
    let output = command.stdin(Stdio::null()).output().map_err(|error| Trouble::failed(format!("{name}: {error}")))?;
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    println!("$ {name}\n{}", said.trim());
    if !output.status.success() && unreachable(&said) {
        println!("{name}: the list cannot be reached, not asked");
        return Ok(());
    }
    *asked += 1;
    if !output.status.success() {
        found.push(name);
    }
    Ok(())
}

fn unreachable(said: &str) -> bool {
    said.lines().any(|line| {
        let begins = line.trim_start().to_lowercase();
        // `cargo deny` puts the time before the level.
        let begins = begins.find("[error] ").map_or(begins.as_str(), |at| &begins[at..]);
        OWN_ERRORS.iter().any(|own| begins.starts_with(own)) && UNREACHABLE.iter().any(|sign| line.contains(sign))
    })
}

/// S21.
#[test]
fn a_list_out_of_reach_is_no_fault() {
    assert!(unreachable("error: couldn't fetch advisory database: git operation failed"));
    assert!(unreachable("2026-11-30 10:00:00 [ERROR] failed to fetch advisory database https://example.org"));
    assert!(unreachable("npm error audit endpoint returned an error"));
    assert!(unreachable("npm error code ENOTFOUND\nnpm error network request to https://example.org failed"));
    assert!(!unreachable("error: 1 vulnerability found!\nCrate: example"));
    assert!(!unreachable("1 high severity vulnerability"));
    assert!(!unreachable("Title: denial of service over the network\nerror: 1 vulnerability found!"));
    assert!(!unreachable("error[vulnerability]: credentials are sent where a clone failed to fetch"));
}
