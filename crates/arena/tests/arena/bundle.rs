//! Bundles: what was played can be played again elsewhere, and a changed bundle is refused or found out.

use std::io::Read;

use banmen_arena::{Conditions, Experiment, ExportedBundle, Store, Verified, export_bundle, reproduce, verify_bundle};
use banmen_catalog::{Catalog, Error, ErrorCode};
use banmen_search::StopFlag;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::folder::Folder;

fn games() -> Catalog {
    Catalog::default().with(banmen_othello::entry()).with(banmen_dobutsu::article::entry())
}

const MATCHES: &str = r#"id = "othello-test"
title = "A test"
question = "Who wins?"
kind = "match"
game = "othello"
player = "engine:level=3"
opponent = "{opponent}"
openings = "random:6"
games = 8
minutes = 1
[source]
text = "nobody"
claim = "nothing"
[[factors]]
name = "opponent"
values = ["random", "greedy"]
[[budgets]]
nodes = 200
[[budgets]]
time_ms = 1
[[published]]
at = { opponent = "random", budget = "200 nodes" }
won = 190
lost = 10
"#;

const MEASURES: &str = r#"id = "dobutsu-test"
title = "A test"
question = "How often?"
kind = "measure"
game = "dobutsu-article"
measure = "first:{setting}"
samples = 6
minutes = 1
[source]
text = "nobody"
claim = "nothing"
[[factors]]
name = "setting"
values = ["ends=skipped", "ends=kept"]
"#;

fn run(text: &str, store: &Store, scale: Option<f64>, stop_at: f64) {
    let (games, stop) = (games(), StopFlag::default());
    let experiment = Experiment::read("test", text, &games).expect("an experiment");
    let game = games.game(&experiment.game).expect("a game");
    let conditions = Conditions { store, scale, planned: None, seed: 3, workers: 2.into(), stop: &stop };
    let progress = &mut |share: f64| {
        if share >= stop_at {
            stop.stop();
        }
    };
    reproduce(game.as_ref(), &experiment, &conditions, progress).expect("a run");
}

/// The bundle of both experiments.
fn bundle() -> Vec<u8> {
    let store = Store::memory().expect("a store");
    run(MATCHES, &store, None, f64::INFINITY);
    run(MEASURES, &store, Some(0.5), f64::INFINITY);
    let exported = export_bundle(&store, &games(), None, None).expect("a bundle");
    let ExportedBundle { bytes, experiments, unfinished } = exported;
    assert!(unfinished.is_empty(), "{unfinished:?}");
    let counts: Vec<(&str, u64, u64)> =
        experiments.iter().map(|one| (one.id.as_str(), one.games, one.samples)).collect();
    assert_eq!(counts, [("dobutsu-test", 0, 6), ("othello-test", 32, 0)]);
    let one = export_bundle(&store, &games(), Some("othello-test"), None).expect("one of them");
    assert!(one.bytes.len() < bytes.len());
    let none = export_bundle(&store, &games(), Some("othello-other"), None).expect_err("no such run");
    assert_eq!(none.code, ErrorCode::UnknownExperiment);
    bytes
}

fn verify(bytes: &[u8]) -> Result<Vec<Verified>, Error> {
    verify_bundle(&mut &*bytes, &games(), 2, &StopFlag::default(), &mut |_, _| {}).map(|(_, verified)| verified)
}

/// The files of a bundle.
fn files(bytes: &[u8]) -> Vec<(String, String)> {
    let mut archive = tar::Archive::new(GzDecoder::new(bytes));
    let read = |entry: std::io::Result<tar::Entry<'_, GzDecoder<&[u8]>>>| {
        let mut entry = entry.expect("an entry");
        let name = entry.path().expect("a name").to_string_lossy().into_owned();
        let mut text = String::new();
        entry.read_to_string(&mut text).expect("text");
        (name, text)
    };
    archive.entries().expect("files").map(read).collect()
}

/// The bundle after a change of one file. `digest`: the manifest has the digest of the changed file.
fn changed(bytes: &[u8], name: &str, digest: bool, change: impl Fn(&str) -> String) -> Vec<u8> {
    let sha256 = |text: &str| -> String { Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect() };
    let mut files = files(bytes);
    let (_, text) = files.iter_mut().find(|(known, _)| known == name).expect("the file");
    let new = change(text);
    assert_ne!(&new, text, "{name} is changed");
    let (was, is) = (sha256(text), sha256(&new));
    *text = new;
    if digest {
        let (_, manifest) = files.last_mut().expect("the manifest");
        *manifest = manifest.replace(&was, &is);
    }
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, text) in &files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        archive.append_data(&mut header, name, text.as_bytes()).expect("a file");
    }
    archive.into_inner().and_then(GzEncoder::finish).expect("an archive")
}

#[test]
fn every_move_and_the_table_come_out_again() {
    let bytes = bundle();
    let verified = verify(&bytes).expect("a bundle");
    assert!(verified.iter().all(Verified::same), "{verified:?}");
    let counts: Vec<(u64, u64)> = verified.iter().map(|one| (one.replayed, one.checked)).collect();
    assert_eq!(counts, [(0, 0), (16, 16)], "the cells with a limit of time are checked by the rules");
    let page = files(&bytes).into_iter().find(|(name, _)| name == "othello-test-3/index.html").expect("a report");
    assert!(page.1.contains("Who wins?"));
}

#[test]
fn a_changed_byte_is_found() {
    let bytes = bundle();
    // Bytes 4 to 9 of gzip's header are a time and flags, on which nothing depends.
    let places = (0..4).chain(10..bytes.len()).step_by(bytes.len() / 150);
    let unpacked = |bytes: &[u8]| {
        let mut text = Vec::new();
        GzDecoder::new(bytes).read_to_end(&mut text).map(|_| text).ok()
    };
    let (mut refused, whole) = (0, unpacked(&bytes));
    for place in places.chain([bytes.len() - 1, bytes.len() - 5]) {
        let mut broken = bytes.clone();
        broken[place] ^= 0x10;
        // Nor on some bits of compressed data.
        if unpacked(&broken) != whole {
            let error = verify(&broken).expect_err("a changed byte");
            assert_eq!(error.code, ErrorCode::BadBundle, "byte {place}: {error}");
            refused += 1;
        }
    }
    assert!(refused > 140, "{refused}");
    for length in [0, 1, 100, bytes.len() / 2, bytes.len() - 1] {
        assert_eq!(verify(&bytes[..length]).expect_err("cut short").code, ErrorCode::BadBundle, "{length}");
    }
}

#[test]
fn a_forged_bundle_is_found_out() {
    let bytes = bundle();
    let games = "othello-test-3/games.jsonl";
    let other_move = |text: &str| {
        // The last move of the first game.
        let end = text.find("\"],\"opening\"").expect("moves");
        format!("{}a1{}", &text[..end - 2], &text[end..])
    };
    let refused = verify(&changed(&bytes, games, false, other_move)).expect_err("another digest");
    assert!(refused.code == ErrorCode::BadBundle && refused.message.contains("another digest"), "{refused}");
    // With the right digest the game is found out by playing it.
    let forged = verify(&changed(&bytes, games, true, other_move)).expect("a readable bundle");
    assert!(!forged[1].same() && forged[1].different == 1, "{forged:?}");
    assert!(forged[1].differences[0].contains("in the bundle"), "{forged:?}");
    // A result of a timed game, which is not played again, by its moves.
    let result = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let timed = lines.iter().position(|line| line.starts_with("{\"cell\":1,")).expect("a timed cell");
        let (from, to) = if lines[timed].contains("\"score\":1.0") { ("1.0", "0.0") } else { ("0.0", "1.0") };
        lines[timed] = lines[timed].replace(&format!("\"score\":{from}"), &format!("\"score\":{to}"));
        lines.join("\n") + "\n"
    };
    let forged = verify(&changed(&bytes, games, true, result)).expect("a readable bundle");
    assert!(!forged[1].same() && forged[1].differences.iter().any(|line| line.contains("its result is")), "{forged:?}");
    let table = |text: &str| text.replacen("\"won\":", "\"won\":1", 1);
    let forged = verify(&changed(&bytes, "othello-test-3/table.json", true, table)).expect("a readable bundle");
    assert!(forged[1].different == 0 && !forged[1].table);
    let fewer = |text: &str| text.split_once('\n').expect("lines").1.to_owned();
    for (name, words) in [(games, "not all games"), ("dobutsu-test-3/samples.jsonl", "not all games or samples")] {
        let refused = verify(&changed(&bytes, name, true, fewer)).expect_err("a line less");
        assert!(refused.code == ErrorCode::BadBundle && refused.message.contains(words), "{refused}");
    }
    let id = |text: &str| text.replacen("id = \"othello-test\"", "id = \"othello-other\"", 1);
    let refused = verify(&changed(&bytes, "othello-test-3/experiment.toml", true, id)).expect_err("another experiment");
    assert!(
        refused.code == ErrorCode::BadBundle && refused.message.contains("`othello-other` under the id"),
        "{refused}"
    );
    let format = verify(&changed(&bytes, "manifest.json", false, |text| text.replace("\"format\":1", "\"format\":2")));
    assert!(format.expect_err("a later format").message.contains("has the format 2"));
}

/// A bundle may come from anywhere, and the players that it names are commands.
#[test]
fn no_program_that_a_bundle_names_is_started() {
    let (bytes, folder) = (bundle(), Folder::new("bundle-program"));
    let (text, games) = ("othello-test-3/experiment.toml", "othello-test-3/games.jsonl");
    let command = format!("rpc:touch {}/{{opponent}}", folder.0.display());
    let named = |text: &str| text.replace("opponent = \"{opponent}\"", &format!("opponent = \"{command}\""));
    let named = changed(&bytes, text, true, named);
    let verified = verify(&named).expect("a readable bundle");
    assert_eq!((verified[1].replayed, verified[1].checked), (0, 32));
    // A game that is there twice takes the place of one that would have to be played.
    let twice = |text: &str| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines[1] = lines[0];
        lines.join("\n") + "\n"
    };
    let refused = verify(&changed(&named, games, true, twice)).expect_err("a game is missing");
    assert!(refused.message.contains("not all games"), "{refused}");
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 0, "a program was started");
}

#[test]
fn an_interrupted_run_is_not_exported() {
    for text in [MATCHES, MEASURES] {
        let store = Store::memory().expect("a store");
        run(text, &store, None, 0.3);
        let error = export_bundle(&store, &games(), None, None).expect_err("games are missing");
        assert_eq!(error.code, ErrorCode::UnknownRecord, "{error}");
        assert!(error.message.contains("-test, seed 3"), "{error}");
    }
    // It does not prevent the export of the others.
    let store = Store::memory().expect("a store");
    run(MATCHES, &store, None, 0.3);
    run(MEASURES, &store, None, f64::INFINITY);
    let exported = export_bundle(&store, &games(), None, None).expect("a bundle");
    assert_eq!(exported.experiments.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["dobutsu-test"]);
    assert_eq!(exported.unfinished, [("othello-test".to_owned(), 3)]);
}

#[test]
fn exports_from_a_store_that_is_only_read() {
    let folder = Folder::new("bundle");
    let store = Store::open(&folder.file()).expect("a store");
    // A run that is smaller than the plan, of a match that has more games.
    run(MATCHES, &store, None, f64::INFINITY);
    run(MATCHES, &store, Some(0.5), f64::INFINITY);
    let reading = Store::reading(&folder.file()).expect("a store").expect("a file");
    let exported = export_bundle(&reading, &games(), None, None).expect("a bundle");
    assert_eq!((exported.experiments[0].scale, exported.experiments[0].games), (0.5, 16));
    let verified = verify(&exported.bytes).expect("a bundle");
    assert!(verified.iter().all(Verified::same), "{verified:?}");
}
