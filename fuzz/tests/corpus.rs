//! Replays the inputs that fuzzing found, without libFuzzer.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use banmen_fuzz::TARGETS;

/// The largest total size of all inputs in the repository, in bytes, and their largest number.
const MAX_CORPUS_BYTES: u64 = 1 << 20;
const MAX_CORPUS_FILES: usize = 2500;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder can be listed").path()).collect();
    files.sort();
    files
}

#[test]
#[expect(clippy::print_stdout, reason = "names the input when a target panics")]
fn every_target_accepts_its_corpus() {
    for target in TARGETS {
        for file in files(&corpus().join(target.name)) {
            // Shown when the target panics.
            println!("{}", file.display());
            (target.run)(&fs::read(&file).expect("an input can be read"));
        }
    }
}

#[test]
fn every_game_has_targets() {
    for name in banmen_fuzz::catalog().games().iter().map(|game| game.info().name) {
        let short = name.strip_prefix("dobutsu-").unwrap_or(name);
        for kind in ["position", "moves"] {
            let target = format!("{short}-{kind}");
            assert!(TARGETS.iter().any(|known| known.name == target), "{name} has no target {target}");
        }
    }
}

#[test]
fn every_target_has_a_corpus_and_every_corpus_a_target() {
    let folders: BTreeSet<String> = files(&corpus())
        .iter()
        .map(|folder| folder.file_name().expect("a folder has a name").to_string_lossy().into_owned())
        .collect();
    let names: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(folders, names, "folders of fuzz/corpus, and targets");
    assert_eq!(names.len(), TARGETS.len(), "names of targets are distinct");
    let (mut bytes, mut count) = (0, 0);
    for name in &names {
        let inputs = files(&corpus().join(name));
        assert!(inputs.len() >= 3, "{name} has {} inputs", inputs.len());
        count += inputs.len();
        bytes += inputs.iter().map(|input| input.metadata().expect("an input has a size").len()).sum::<u64>();
    }
    assert!(bytes <= MAX_CORPUS_BYTES && count <= MAX_CORPUS_FILES, "the corpora have {bytes} bytes in {count} files");
}
