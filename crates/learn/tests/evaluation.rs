//! The recipe of an evaluation, run in small.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use banmen_arena::{Fleet, FleetJob, FleetJobs, FleetResult, LockName, NextJob, PlayedBy, Store, Workers};
use banmen_catalog::{AnyGame, Data, Error, ErrorCode};
use banmen_game::digest;
use banmen_learn::{EvaluationSpec, GenerationReport, Stage, fitted, strongest};
use banmen_search::StopFlag;

/// Two games in each generation.
const SPEC: EvaluationSpec = EvaluationSpec { scale: 1e-6, seed: 1, match_games: 2, generations: None };

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("banmen-learn-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn learn(spec: EvaluationSpec, folder: &Path) -> Result<Vec<GenerationReport>, banmen_catalog::Error> {
    let game = banmen_othello::entry().build(&Data::in_memory().with_files());
    spec.learn(&game, folder, 2, &StopFlag::default(), &|_, _| {})
}

/// The files of the generations in a folder with their bytes, in order.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("it can be read").path()) {
        if entry.is_dir() {
            all.extend(files(&entry));
        } else if !entry.to_string_lossy().contains("matches.sqlite") {
            all.push((entry.clone(), fs::read(&entry).expect("it can be read")));
        }
    }
    all.sort();
    all
}

#[test]
fn a_finished_run_is_read_again() {
    // A comma separates the keys of a player.
    let folder = Folder::new("again, whole");
    // Another machine played a shard that is lost.
    let played_by = folder.0.join("generation-1").join("games-00001.by.json");
    fs::create_dir_all(folder.0.join("generation-1")).expect("a folder");
    fs::write(&played_by, "{}").expect("it can be written");
    let stages = Mutex::new(Vec::new());
    let game = banmen_othello::entry().build(&Data::in_memory().with_files());
    let reports = SPEC
        .learn(&game, &folder.0, 1, &StopFlag::default(), &|generation, stage| {
            stages.lock().expect("no thread panics").push((generation, stage));
        })
        .expect("it runs");
    assert_eq!(reports.len(), game.learning().expect("it has a recipe").recipe().len());
    let positions: Vec<u64> = reports.iter().map(|report| report.positions).collect();
    assert!(positions.is_sorted_by(|a, b| a < b), "exact positions of earlier generations are kept: {positions:?}");
    assert!(reports[0].against.is_none() && reports[1].against.is_some_and(|result| result.games == 2));
    let stages = stages.into_inner().expect("no thread panics");
    for stage in [(1, Stage::Games(0, 2)), (1, Stage::Games(2, 2)), (2, Stage::Fit(60, 60)), (3, Stage::Match(2, 2))] {
        assert!(stages.contains(&stage), "{stage:?}");
    }
    assert!(!played_by.exists(), "the shard is of this machine now");
    let before = files(&folder.0);
    assert_eq!(learn(SPEC, &folder.0).as_ref(), Ok(&reports));
    assert_eq!(files(&folder.0), before);
    // With more games of the matches only these are played again; without games the reports stay.
    let longer = learn(EvaluationSpec { match_games: 4, ..SPEC }, &folder.0).expect("it runs");
    assert!(longer[0].against.is_none() && longer[1].against.is_some_and(|result| result.games == 4));
    let fitted =
        |reports: &[GenerationReport]| -> Vec<String> { reports.iter().map(|report| report.weights.clone()).collect() };
    assert_eq!(fitted(&longer), fitted(&reports));
    assert_eq!(learn(EvaluationSpec { match_games: 0, ..SPEC }, &folder.0), Ok(longer));
    assert_eq!(learn(SPEC, &folder.0), Ok(reports));
    assert_eq!(files(&folder.0), before);
}

#[test]
fn the_last_generation_is_made_again_while_the_test_finds_it_stronger() {
    let folder = Folder::new("beyond");
    let reports = learn(SPEC, &folder.0).expect("it runs");
    assert!(
        reports[1..].iter().all(|report| report.against.is_some_and(|found| found.stronger.is_none())),
        "two games"
    );
    assert_eq!(strongest(&reports), 3);
    let found = |generation: usize, stronger: bool| {
        let path = folder.0.join(format!("generation-{generation}/report.json"));
        let report = fs::read_to_string(&path).expect("a report");
        let (_, report) = report.split_once("\",").expect("a checksum");
        let report = format!("{{{report}").replace("\"stronger\": null", &format!("\"stronger\": {stronger}"));
        let sum = digest(report.as_bytes());
        let report = report.trim_start_matches('{');
        fs::write(path, format!("{{\n  \"checksum\": \"{sum:016x}\",{report}")).expect("it can be written");
    };
    found(4, true);
    for spec in [EvaluationSpec { match_games: 0, ..SPEC }, EvaluationSpec { generations: Some(4), ..SPEC }] {
        assert_eq!(learn(spec, &folder.0).expect("it runs").len(), 4, "no match, or no more generations: {spec:?}");
    }
    let longer = learn(SPEC, &folder.0).expect("it goes on");
    assert_eq!((longer.len(), strongest(&longer)), (5, 4));
    assert!(longer[4].settings.contains(" generation=5 games=2 depth=8 "), "{}", longer[4].settings);
    assert!(longer[4].positions > longer[3].positions && longer[4].weights != longer[3].weights);
    // A decided match is not played again, and ends the run.
    found(5, false);
    let ended = learn(EvaluationSpec { match_games: 4, ..SPEC }, &folder.0).expect("it runs");
    assert_eq!((ended.len(), strongest(&ended)), (5, 3));
    assert_eq!(learn(EvaluationSpec { match_games: 0, ..SPEC }, &folder.0).as_ref(), Ok(&ended), "they stay");
    assert_eq!(ended[3].against.map(|match_| match_.games), Some(2));
    assert_eq!(ended[2].against.map(|match_| match_.games), Some(4), "an undecided one is");
}

#[test]
fn a_test_ends_the_matches_between_generations() {
    let folder = Folder::new("tested");
    // Generations of 10 and 20 games, of which the second is much stronger.
    let spec = EvaluationSpec { scale: 1e-4, match_games: 2_000, generations: Some(2), ..SPEC };
    let game = banmen_othello::entry().build(&Data::in_memory().with_files());
    // The games of a match that is stopped are kept.
    let mut played = Vec::new();
    for last in [Some(10), None] {
        let (stop, counts) = (StopFlag::default(), Mutex::new(Vec::new()));
        let learned = spec.learn(&game, &folder.0, 1, &stop, &|_, stage| {
            if let Stage::Match(games, _) = stage {
                counts.lock().expect("no thread panics").push(games);
                if last == Some(games) {
                    stop.stop();
                }
            }
        });
        assert_eq!(learned.is_err(), last.is_some());
        played.push((counts.into_inner().expect("no thread panics"), learned));
    }
    let [(before, _), (after, learned)] = &played[..] else { panic!("two runs") };
    assert!(before.first() == Some(&0) && after.first() >= Some(&10), "{before:?}, then {after:?}");
    let reports = learned.as_ref().expect("it runs");
    let found = reports[1].against.expect("a match");
    assert!(reports.len() == 2 && found.stronger.is_some() && found.games < 2_000, "{found:?}");
    assert_eq!(found.stronger, Some(found.score > 0.5));
}

#[test]
fn an_interrupted_run_gives_the_same_weights() {
    let (whole, parts) = (Folder::new("whole"), Folder::new("parts"));
    let reports = learn(SPEC, &whole.0).expect("it runs");
    let game = banmen_othello::entry().build(&Data::in_memory().with_files());
    // Each run is stopped at a later point: while games are played, while weights are fitted, in a match.
    for (last, finished) in [
        ((1, Stage::Games(0, 2)), 0),
        ((1, Stage::Fit(3, 60)), 0),
        ((2, Stage::Games(2, 2)), 1),
        ((2, Stage::Match(0, 2)), 1),
        ((3, Stage::Fit(59, 60)), 2),
    ] {
        let stop = StopFlag::default();
        let stopped = SPEC.learn(&game, &parts.0, 1, &stop, &|generation, stage| {
            let again = last.0 == 3 && generation == 2 && matches!(stage, Stage::Fit(..));
            assert!(!again, "the fit before the match that was stopped is kept");
            if (generation, stage) == last {
                stop.stop();
            }
        });
        assert_eq!(stopped.expect_err("it was stopped").code, ErrorCode::Stopped, "{last:?}");
        let found = fitted(&parts.0).expect("reports");
        assert_eq!(found[..finished], reports[..finished], "{last:?}");
        // The match of the last one may not have ended.
        assert!(found[finished..].iter().all(|report| report.against.is_none()), "{last:?}: {found:?}");
    }
    assert_eq!(fitted(&whole.0).as_ref(), Ok(&reports));
    assert_eq!(learn(SPEC, &parts.0), Ok(reports));
    let weights = |folder: &Folder| files(&folder.0).into_iter().map(|(_, bytes)| bytes).collect::<Vec<_>>();
    assert_eq!(weights(&whole), weights(&parts));
}

#[test]
fn files_of_other_runs_and_damaged_ones_are_refused_and_kept() {
    let folder = Folder::new("refused");
    let reports = learn(SPEC, &folder.0).expect("it runs");
    let before = files(&folder.0);
    for other in [EvaluationSpec { seed: 2, ..SPEC }, EvaluationSpec { scale: 4e-5, ..SPEC }] {
        let error = learn(other, &folder.0).expect_err("the folder belongs to another run");
        assert_eq!(error.code, ErrorCode::BadExamples);
        assert!(error.message.contains("other settings") && error.message.contains("generation-1"), "{error}");
    }
    assert_eq!(files(&folder.0), before);
    for (path, bytes) in &before {
        let mut changed = bytes.clone();
        let last = changed.len() - 2;
        changed[last] ^= 1;
        for bad in [&changed, &bytes[..bytes.len() / 2].to_vec()] {
            fs::write(path, bad).expect("it can be written");
            let error = learn(SPEC, &folder.0).expect_err("a file is damaged");
            assert!(matches!(error.code, ErrorCode::BadExamples | ErrorCode::BadWeights), "{path:?}: {error}");
            assert!(error.message.contains("generation-"), "{error}");
            assert_eq!(&fs::read(path).expect("it is still there"), bad);
        }
        fs::write(path, bytes).expect("it can be written");
    }
    // The settings in the head of a file are part of its checksum.
    for (name, part) in [("games-00001.bin", "before="), ("report.json", "before="), ("games-00001.bin", "depth=")] {
        let path = folder.0.join("generation-3").join(name);
        let bytes = fs::read(&path).expect("it can be read");
        let at = bytes.windows(part.len()).position(|window| window == part.as_bytes()).expect(part) + part.len();
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        fs::write(&path, &changed).expect("it can be written");
        let error = learn(SPEC, &folder.0).expect_err("a file is damaged");
        assert!(error.message.contains(name) && error.message.contains("its checksum does not match"), "{error}");
        assert_eq!(fs::read(&path).expect("it is still there"), changed);
        fs::write(&path, bytes).expect("it can be written");
    }
    // Positions that no game of the generation has, under a right checksum.
    let path = folder.0.join("generation-2/games-00001.bin");
    let bytes = fs::read(&path).expect("it can be read");
    let head = bytes.iter().position(|&byte| byte == b'\n').expect("a first line");
    let (line, mut examples) = (std::str::from_utf8(&bytes[..head]).expect("text"), bytes[head + 1..].to_vec());
    examples[17] ^= 1;
    let (begin, _) = line.rsplit_once(" checksum=").expect("a checksum");
    let (_, settings) = begin.split_once(' ').expect("settings");
    let sum = digest(&[settings.as_bytes(), b"\n", &examples].concat());
    let changed = [format!("{begin} checksum={sum:016x}\n").as_bytes(), &examples].concat();
    fs::write(&path, changed).expect("it can be written");
    let error = learn(SPEC, &folder.0).expect_err("no position of a game");
    assert!(error.message.contains("generation-2") && error.message.contains("number "), "{error}");
    fs::write(&path, bytes).expect("it can be written");
    assert_eq!(learn(SPEC, &folder.0), Ok(reports));
}

#[test]
fn a_folder_is_used_by_one_process_at_a_time() {
    let folder = Folder::new("busy");
    let store = Store::open(&folder.0.join("matches.sqlite")).expect("a store");
    let event = store.enter_event("learning", "othello", "othello").expect("an event");
    let lock = store.lock(&LockName::Event(event)).expect("no other process has it");
    let error = learn(SPEC, &folder.0).expect_err("it is locked");
    assert_eq!(error.code, ErrorCode::MatchBusy);
    assert!(error.message.starts_with("another process is learning in ") && files(&folder.0).is_empty(), "{error}");
    drop(lock);
    assert_eq!(learn(EvaluationSpec { generations: Some(1), ..SPEC }, &folder.0).expect("it runs").len(), 1);
}

#[test]
fn what_cannot_be_run_is_refused() {
    let folder = Folder::new("never");
    let refused = |spec: EvaluationSpec, message: &str| {
        let error = learn(spec, &folder.0).expect_err(message);
        assert!(error.code == ErrorCode::OutOfRange && error.message.contains(message), "{error}");
    };
    refused(EvaluationSpec { scale: 0.0, ..SPEC }, "scale=0");
    refused(EvaluationSpec { scale: f64::NAN, ..SPEC }, "scale=NaN");
    refused(EvaluationSpec { scale: 1e300, ..SPEC }, "must be above 0 and at most");
    refused(EvaluationSpec { match_games: 3, ..SPEC }, "match-games=3");
    refused(EvaluationSpec { generations: Some(0), ..SPEC }, "generations=0");
    let game = banmen_dobutsu::entry().in_memory();
    let error = SPEC.learn(&game, &folder.0, 1, &StopFlag::default(), &|_, _| {}).expect_err("it has no recipe");
    assert_eq!(error.code, ErrorCode::Unsupported);
    assert!(!folder.0.exists());
}

/// A fleet of two workers. One of them plays the games of one generation, and is caught in a later one.
struct ForgerCaught {
    /// The generation that the forger plays, by its depth and its number of games.
    forged: (u32, usize),
    /// What it makes of the positions.
    forge: fn(&mut Vec<u8>),
    /// The generation in which it is caught.
    caught: (u32, usize),
    /// The generations whose shards were given out, in order.
    played: Mutex<Vec<(u32, usize)>>,
}

impl Fleet for ForgerCaught {
    fn play(&self, jobs: &mut dyn FleetJobs, stop: &StopFlag) -> Result<(), Error> {
        while let NextJob::Do(named) = jobs.next()? {
            let mut found = jobs.do_here(&named.key, stop)?.expect("nothing stops it");
            let mut worker = "honest";
            if let (FleetJob::Examples(job), FleetResult::Examples(examples)) = (&named.job, &mut found) {
                let generation = (job.generation.depth, job.generation.games);
                let mut played = self.played.lock().expect("no thread panics");
                let before = played.contains(&self.caught);
                played.push(generation);
                if generation == self.caught && !before {
                    assert_eq!(jobs.distrust("nobody", "why")?, 0);
                    assert!(!jobs.over());
                    assert_eq!(jobs.distrust("forger", "why")?, 2, "the games of a shard");
                    assert!(jobs.over());
                    return Ok(());
                }
                if generation == self.forged && !before {
                    worker = "forger";
                    (self.forge)(examples);
                }
            }
            let by = PlayedBy { worker: worker.to_owned(), machine: "here".to_owned(), speed: None };
            jobs.on_result(&named.key, found, &by)?;
        }
        Ok(())
    }
}

#[test]
fn shards_of_a_distrusted_worker_are_replaced_in_all_generations() {
    let game = banmen_othello::entry().build(&Data::in_memory().with_files());
    let recipe = game.learning().expect("it has a recipe").recipe();
    let generations: Vec<(u32, usize)> = recipe.iter().map(|generation| (generation.depth, generation.games)).collect();
    assert_eq!(generations.len(), 4);
    // Positions of 20 bytes, of which half are left out.
    let shortened: fn(&mut Vec<u8>) = |examples| examples.truncate(examples.len() / 40 * 20);
    let honest: fn(&mut Vec<u8>) = |_| {};
    let own = Folder::new("own");
    let reports = learn(SPEC, &own.0).expect("it runs");
    let names = |folder: &Folder| {
        let kept = files(&folder.0).into_iter().filter(|(path, _)| !path.to_string_lossy().ends_with(".by.json"));
        kept.map(|(path, bytes)| (path.strip_prefix(&folder.0).expect("inside").to_owned(), bytes)).collect::<Vec<_>>()
    };
    for (name, forged, caught, forge, order) in [
        ("last", 1, 3, shortened, &[0, 1, 2, 3, 1, 2, 3][..]),
        // With the same weights as before, the later generations are kept.
        ("same", 0, 2, honest, &[0, 1, 2, 0, 2, 3]),
    ] {
        let folder = Folder::new(name);
        let fleet = Arc::new(ForgerCaught {
            forged: generations[forged],
            forge,
            caught: generations[caught],
            played: Mutex::new(Vec::new()),
        });
        let workers = Workers { threads: 1, fleet: Some(Arc::clone(&fleet) as Arc<dyn Fleet>) };
        let learned = SPEC.learn(&game, &folder.0, workers, &StopFlag::default(), &|_, _| {});
        assert_eq!(learned.as_ref(), Ok(&reports), "{name}");
        assert_eq!(names(&folder), names(&own), "{name}");
        let played = fleet.played.lock().expect("no thread panics");
        assert_eq!(*played, order.iter().map(|&number| generations[number]).collect::<Vec<_>>(), "{name}");
        let workers = files(&folder.0).into_iter().filter(|(path, _)| path.to_string_lossy().ends_with(".by.json"));
        let honest = workers.map(|(_, by)| String::from_utf8_lossy(&by).contains("honest")).collect::<Vec<_>>();
        assert_eq!(honest, [true; 4], "{name}");
    }
}
