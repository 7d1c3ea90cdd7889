//! Checks that every point of the security checklist, S1 to S21, has a test that names it, and where unsafe code is.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::tool;

/// The points of the checklist, in order: what a test of each is about.
const POINTS: [&str; 21] = [
    "listens on this machine only, or warns",
    "time limit of a request's head",
    "limits of connections",
    "limits of bodies",
    "limits of messages, silent and slow sockets",
    "origins",
    "hosts",
    "limits of searches",
    "searches end with their clients",
    "answers while every search computes",
    "no input and no player stops the server",
    "the limits hold for many requests at once",
    "security headers",
    "only embedded files are served",
    "texts of others are no markup",
    "stops within two seconds",
    "writes nothing outside of its directory",
    "keeps a bounded number of sessions, and no games",
    "logs contain no text of others",
    "outside programs are killed with all they started",
    "unsafe code only where it is named; advisories",
];

/// Modules in which unsafe code may be, and the one in which the functions of a WebAssembly module get their names.
const UNSAFE_MODULES: [&str; 3] = ["simd", "kernel", "pool"];
const EXPORTS: &str = "crates/wasm/src/exports.rs";

/// All files below a folder with one of these ends, without what is installed or built there.
fn files(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "node_modules" && name != "target" {
            found.extend(files(&path, ends));
        } else if path.extension().and_then(|end| end.to_str()).is_some_and(|end| ends.contains(&end)) {
            found.push(path);
        }
    }
    found
}

/// The points that a line names: `/// S3, S12: …`, `//! S16: …`, `test('S15, W20: …'`.
fn named(line: &str) -> Vec<usize> {
    let line = line.trim_start();
    let begin = ["///", "//!", "test('", "test(`"].iter().find_map(|begin| line.strip_prefix(begin));
    let numbers = begin.map(|rest| rest.trim_start().split([':', '.']).next().unwrap_or_default());
    let words = numbers.into_iter().flat_map(|numbers| numbers.split(", "));
    words
        .map_while(|word| {
            Some((word.get(..1)?, word.get(1..)?.parse().ok()?)).filter(|(letter, _)| "SW".contains(letter))
        })
        .filter(|&(letter, _)| letter == "S")
        .map(|(_, number)| number)
        .collect()
}

/// Whether the first of these lines, trimmed, belongs to a test: it is a browser's test or the comment of one in Rust, or the
/// comment of a file with tests.
fn is_of_test(lines: &[&str], file: &str) -> bool {
    let comment = |line: &&&str| line.starts_with("///") || line.starts_with("#[");
    match lines[0].get(..3) {
        Some("//!") => file.contains("#[test]"),
        Some("///") => lines.iter().take_while(comment).any(|line| line.contains("test]")),
        _ => true,
    }
}

#[test]
fn every_point_of_the_checklist_has_a_test() {
    let mut found = BTreeSet::new();
    for file in files(&tool::root().join("crates"), &["rs", "mjs"])
        .into_iter()
        .chain(files(&tool::root().join("xtask"), &["rs"]))
    {
        let text = fs::read_to_string(&file).expect("a source is text");
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        let tested = (0..lines.len()).filter(|&at| is_of_test(&lines[at..], &text));
        found.extend(tested.flat_map(|at| named(lines[at])));
    }
    for (i, about) in POINTS.iter().enumerate() {
        assert!(found.contains(&(i + 1)), "S{}, {about}, has no test", i + 1);
    }
    assert_eq!(found.len(), POINTS.len(), "unknown numbers among {found:?}");
}

/// S21: unsafe code is in few modules, which are named for it; the advisories are `cargo xtask advisories`.
#[test]
fn unsafe_code_is_only_in_modules_named_for_it() {
    let mut seen = 0;
    for file in files(&tool::root().join("crates"), &["rs"]) {
        let text = fs::read_to_string(&file).expect("a source is text");
        let code = |line: &&str| !line.trim_start().starts_with("//");
        let is_unsafe = |line: &str| {
            ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "unsafe("]
                .iter()
                .any(|begin| line.contains(begin))
        };
        if !text.lines().filter(code).any(is_unsafe) {
            continue;
        }
        let path = file.strip_prefix(tool::root()).expect("below the root").with_extension("");
        let named = path.iter().any(|part| UNSAFE_MODULES.iter().any(|name| part == *name));
        assert!(named || file.ends_with(EXPORTS), "unsafe code in {}", file.display());
        seen += 1;
    }
    assert!(seen > 0, "the check sees unsafe code");
}
