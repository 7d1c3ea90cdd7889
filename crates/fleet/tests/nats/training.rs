//! Training games, and players with files, at a queue. They need a `nats-server`, so `cargo xtask test --only fleet` runs
//! them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::jetstream::{self, consumer::pull, stream};
use banmen_arena::{Contestant, FleetResult, Match, MatchSpec, Openings, Plan, Store, Workers, version};
use banmen_catalog::{Catalog, Data, Error, ErrorCode};
use banmen_fleet::{RunNews, status};
use banmen_learn::{EvaluationSpec, GenerationReport, Stage};
use banmen_othello::engine::Weights;
use banmen_search::{Limits, StopFlag};

use crate::parts::{catalog, coordinator, forger_of, games, heard, helper, helper_heard, queue, until, with_client};
use crate::server::Server;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("banmen-training-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }

    /// The files of the generations with their bytes, without the names of workers.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn add(folder: &Path, root: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
                if entry.is_dir() {
                    add(&entry, root, all);
                } else if !entry.to_string_lossy().ends_with(".by.json") {
                    let name = entry.strip_prefix(root).expect("inside").to_owned();
                    all.insert(name, std::fs::read(&entry).expect("a file"));
                }
            }
        }
        let mut all = BTreeMap::new();
        for generation in self.generations() {
            add(&generation, &self.0, &mut all);
        }
        all
    }

    fn generations(&self) -> Vec<PathBuf> {
        let all = std::fs::read_dir(&self.0).expect("a folder").map(|entry| entry.expect("an entry").path());
        all.filter(|path| path.is_dir()).collect()
    }

    /// The workers that played the shards.
    fn workers(&self) -> Vec<String> {
        let mut names = Vec::new();
        for generation in self.generations() {
            for file in std::fs::read_dir(generation).expect("a folder").flatten() {
                if file.path().to_string_lossy().ends_with(".by.json") {
                    let by = std::fs::read_to_string(file.path()).expect("a file");
                    let by: serde_json::Value = serde_json::from_str(&by).expect("JSON");
                    names.push(by["worker"].as_str().expect("a name").to_owned());
                }
            }
        }
        names.sort();
        names.dedup();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whoever asks reads the files; workers do not.
fn reader() -> Catalog {
    Catalog::new(Data::in_memory().with_files()).with(banmen_othello::entry())
}

/// Two games in each generation, and a match of two.
const SPEC: EvaluationSpec = EvaluationSpec { scale: 1e-6, seed: 1, match_games: 2, generations: None };

fn learn(folder: &Folder, workers: Workers) -> Result<Vec<GenerationReport>, Error> {
    let catalog = reader();
    SPEC.learn(catalog.game("othello")?.as_ref(), &folder.0, workers, &StopFlag::default(), &|_, _| {})
}

#[test]
#[ignore = "needs nats-server"]
fn an_evaluation_is_learned_from_the_games_that_one_process_plays() {
    let server = Server::start("learn", &["-js"]);
    let (here, there) = (Folder::new("here"), Folder::new("there"));
    let own = learn(&here, 1.into()).expect("it runs");
    let _helpers = ["one", "two"].map(|name| helper(&server, name, catalog()));
    until(&server, |status| status.workers.len() == 2);
    let (workers, remarks) = coordinator(&server, 0.5).expect("a queue");
    assert_eq!(learn(&there, workers).as_ref(), Ok(&own));
    // The weights of all generations but the last were sent to the workers, and played with.
    assert_eq!(here.files(), there.files());
    assert!(!there.workers().is_empty() && here.workers().is_empty());
    assert_eq!(heard(&remarks), "");
    assert_eq!(status(&queue(&server)).expect("a status").runs, [], "the streams are removed");
}

/// Plays the games of the first generation, three shards.
fn play(folder: &Folder, workers: Workers) {
    let (catalog, stop) = (reader(), StopFlag::default());
    let spec = EvaluationSpec { scale: 6e-5, ..SPEC };
    let progress = |_: usize, stage: Stage| {
        if matches!(stage, Stage::Fit(..)) {
            stop.stop();
        }
    };
    let game = catalog.game("othello").expect("a game").as_ref();
    let stopped = spec.learn(game, &folder.0, workers, &stop, &progress).expect_err("before weights are fitted");
    assert_eq!(stopped.code, ErrorCode::Stopped);
    assert_eq!(folder.files().len(), 3);
}

#[test]
#[ignore = "needs nats-server"]
fn training_games_of_another_player_are_found_and_played_again() {
    let server = Server::start("learn-forged", &["-js"]);
    let (here, there) = (Folder::new("true"), Folder::new("forged"));
    play(&here, 1.into());
    let forgeries: [fn(&mut FleetResult); 2] = [
        // No positions of these games: a flag that says otherwise than the number of empty squares.
        |found| {
            if let FleetResult::Examples(bytes) = found {
                bytes[17] ^= 1;
            }
        },
        // Positions of fewer games, which only a comparison finds.
        |found| {
            if let FleetResult::Examples(bytes) = found {
                bytes.truncate(bytes.len() / 40 * 20);
            }
        },
    ];
    for (number, forge) in forgeries.into_iter().enumerate() {
        let _ = std::fs::remove_dir_all(&there.0);
        let (_honest, _forger) = (helper(&server, "honest", catalog()), forger_of(&server, "forger", forge));
        until(&server, |status| status.workers.len() == 2);
        let (workers, remarks) = coordinator(&server, 1.0).expect("a queue");
        play(&there, workers);
        assert_eq!(here.files(), there.files(), "forgery {number}");
        assert_eq!(there.workers(), ["honest"]);
        let said = heard(&remarks);
        assert!(said.contains("worker forger is not trusted") && !said.contains("worker honest"), "{said}");
        until(&server, |status| status.runs.is_empty());
    }
}

/// A folder with the weights of this build, and with weights that are all zero.
fn with_weights(name: &str) -> Folder {
    let folder = Folder::new(name);
    std::fs::create_dir_all(&folder.0).expect("a folder");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../othello/src/engine/weights.bin");
    std::fs::copy(own, folder.0.join("own.bin")).expect("the weights of this build");
    std::fs::write(folder.0.join("zero.bin"), Weights::zero().to_bytes()).expect("a file");
    folder
}

/// Plays a match between two players whose weights are files.
fn play_with_files(folder: &Folder, workers: Workers) -> Store {
    let [old, new] = ["zero.bin", "own.bin"].map(|name| folder.0.join(name));
    let catalog = reader();
    let game = catalog.game("othello").expect("a game").as_ref();
    let player = |path: &Path| Contestant::new(format!("engine:weights={}", path.display()), Limits::nodes(200));
    let spec = MatchSpec { openings: Openings::Random(6), ..MatchSpec::new(game, player(&new), player(&old)) };
    let store = Store::memory().expect("memory");
    let matchup = Match::new(game, spec);
    matchup.play(&store, &Plan::games(8, workers), &StopFlag::default(), &mut |_| {}).expect("a match");
    store
}

#[test]
#[ignore = "needs nats-server"]
fn players_are_sent_the_files_that_they_name() {
    let server = Server::start("files", &["-js"]);
    let folder = with_weights("weights");
    let _helper = helper(&server, "one", catalog());
    until(&server, |status| status.workers.len() == 1);
    let (workers, remarks) = coordinator(&server, 0.0).expect("a queue");
    let own = games(&play_with_files(&folder, 1.into()));
    assert_eq!(own, games(&play_with_files(&folder, workers)), "{}", heard(&remarks));
}

#[test]
#[ignore = "needs nats-server"]
fn files_that_the_server_has_lost_are_sent_again() {
    let server = Server::start("lost-files", &["-js"]);
    let folder = with_weights("lost-weights");
    let (workers, remarks) = coordinator(&server, 0.0).expect("a queue");
    std::thread::scope(|scope| {
        let remote = scope.spawn(|| games(&play_with_files(&folder, workers)));
        until(&server, |status| status.runs.iter().any(|run| run.waiting == 4));
        with_client(&server, async |client| {
            jetstream::new(client).delete_stream("banmen-files-test").await.expect("deleted");
        });
        let (_helper, refusals) = helper_heard(queue(&server), "one", catalog());
        let remote = remote.join().expect("no panic");
        assert_eq!(games(&play_with_files(&folder, 1.into())), remote, "{}, {}", heard(&remarks), heard(&refusals));
    });
}

/// A command that sends no files, and lives on.
#[test]
#[ignore = "needs nats-server"]
fn a_file_that_cannot_be_fetched_is_reported_once() {
    let server = Server::start("no-file", &["-js"]);
    let (_helper, refusals) = helper_heard(queue(&server), "one", catalog());
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/fleet-message/training");
    let job = std::fs::read(corpus).expect("a job that names a file");
    let run = RunNews { run: "test".to_owned(), version: version().to_owned(), ..RunNews::default() };
    let run = serde_json::to_vec(&run).expect("JSON");
    let delivered = with_client(&server, async |client| {
        let jetstream = jetstream::new(client.clone());
        let subjects = vec!["banmen.jobs.test.>".to_owned()];
        let config = stream::Config { name: "banmen-jobs-test".to_owned(), subjects, ..Default::default() };
        let jobs = jetstream.create_stream(config).await.expect("a stream");
        let workers = pull::Config { durable_name: Some("workers".to_owned()), ..Default::default() };
        jobs.create_consumer(workers).await.expect("a consumer");
        jetstream.publish("banmen.jobs.test.0-0", job.into()).await.expect("sent").await.expect("stored");
        for _ in 0..10 {
            client.publish("banmen.run.test", run.clone().into()).await.expect("sent");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        jobs.consumer_info("workers").await.expect("its state").delivered.consumer_sequence
    });
    let refusals = heard(&refusals);
    assert!(refusals.starts_with("the file sha256.000000000000… of a job cannot be fetched: "), "{refusals}");
    assert_eq!(refusals.lines().count(), 1, "{refusals}");
    // At once, and then after 1, 2 and 4 seconds.
    assert!((2..=5).contains(&delivered), "{delivered}");
}
