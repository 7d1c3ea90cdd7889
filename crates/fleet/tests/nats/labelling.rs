//! Searches of stored positions at a queue. They need a `nats-server`, so `cargo xtask test --only fleet` runs them.

use std::path::{Path, PathBuf};

use banmen_arena::{
    Contestant, DatasetOptions, FleetResult, Label, Store, Values, Workers, count_labels, export_dataset,
};
use banmen_catalog::{Error, ErrorCode};
use banmen_fleet::status;
use banmen_search::{Limits, StopFlag};

use crate::parts::{catalog, coordinator, forger_of, heard, helper, play, queue, until};
use crate::server::Server;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("banmen-labelling-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The games whose positions are searched.
fn store() -> Store {
    play(&catalog(), 100, 24, 2.into()).expect("a match").0
}

fn options(values: Values, workers: Workers) -> DatasetOptions {
    let truth = Some(Limits::nodes(500));
    DatasetOptions { values, truth, per_game: Some(12), seed: 4, workers, ..DatasetOptions::default() }
}

fn by_a_player() -> Values {
    Values::By(Contestant::new("engine:level=3", Limits::nodes(300)))
}

fn export(store: &Store, options: &DatasetOptions, file: &Path) -> Result<u64, Error> {
    export_dataset(store, &catalog(), options, file, &StopFlag::default(), &mut |_, _| {}).map(|written| written.rows)
}

/// The bytes of a dataset.
fn bytes(file: &Path) -> Vec<u8> {
    std::fs::read(file).expect("a file")
}

#[test]
#[ignore = "needs nats-server"]
fn two_workers_find_the_values_that_one_process_finds() {
    let (server, folder, store) = (Server::start("labels", &["-js"]), Folder::new("honest"), store());
    let _helpers = ["one", "two"].map(|name| helper(&server, name, catalog()));
    until(&server, |status| status.workers.len() == 2);
    for (name, values) in [("own", Values::Own), ("player", by_a_player())] {
        let [here, there] = ["here", "there"].map(|place| folder.file(&format!("{name}-{place}")));
        let rows = export(&store, &options(values.clone(), 2.into()), &here).expect("a dataset");
        assert!(rows > 24 * 10, "{rows} positions");
        let (workers, remarks) = coordinator(&server, 0.3).expect("a queue");
        assert_eq!(export(&store, &options(values, workers), &there), Ok(rows), "{}", heard(&remarks));
        assert!(bytes(&here) == bytes(&there), "{name}: the same bytes");
        assert_eq!(heard(&remarks), "");
        assert!(!folder.file(&format!("{name}-there.labels")).exists(), "complete");
    }
    assert_eq!(status(&queue(&server)).expect("a status").runs, [], "the streams are removed");
}

/// Changes labels before they are sent.
type Forgery = fn(&mut Vec<Label>);

#[test]
#[ignore = "needs nats-server"]
fn values_of_another_search_are_found_and_searched_again() {
    let (server, folder, store) = (Server::start("labels-forged", &["-js"]), Folder::new("forged"), store());
    let here = folder.file("here");
    export(&store, &options(by_a_player(), 2.into()), &here).expect("a dataset");
    // Those that no search has, and then those that only a comparison finds, after many were kept.
    let forgeries: [(f64, Forgery); 6] = [
        (0.0, |labels| labels.truncate(3)),
        (0.0, |labels| labels[2].search = None),
        (0.0, |labels| labels[2].search.iter_mut().for_each(|search| search.best = "a1a1".to_owned())),
        (0.0, |labels| labels[2].search.iter_mut().for_each(|search| search.value = 1.5)),
        (0.0, |labels| labels[2].search.iter_mut().for_each(|search| search.unit = Some("x".repeat(100)))),
        (0.4, |labels| labels.iter_mut().flat_map(|label| &mut label.search).for_each(|search| search.value /= 2.0)),
    ];
    for (number, (audit, forge)) in forgeries.into_iter().enumerate() {
        let there = folder.file(&format!("there-{number}"));
        let forger = forger_of(&server, "forger", move |found| {
            if let FleetResult::Labels(labels) = found {
                forge(labels);
            }
        });
        let honest = (audit > 0.0).then(|| helper(&server, "honest", catalog()));
        until(&server, |status| status.workers.len() == 1 + usize::from(honest.is_some()));
        let (workers, remarks) = coordinator(&server, audit).expect("a queue");
        std::thread::scope(|scope| {
            let honest = scope.spawn(|| {
                honest.unwrap_or_else(|| {
                    while !heard(&remarks).contains("not trusted") {
                        std::thread::sleep(std::time::Duration::from_millis(20));
                    }
                    helper(&server, "honest", catalog())
                })
            });
            export(&store, &options(by_a_player(), workers), &there).expect("a dataset");
            drop(honest.join().expect("no panic"));
        });
        assert!(bytes(&here) == bytes(&there), "forgery {number}: {}", heard(&remarks));
        let said = heard(&remarks);
        assert!(said.contains("worker forger is not trusted") && !said.contains("worker honest"), "{said}");
        drop(forger);
        until(&server, |status| status.runs.is_empty() && status.workers.is_empty());
    }
}

#[test]
#[ignore = "needs nats-server"]
fn a_stopped_export_goes_on_with_what_workers_found() {
    let (server, folder, store) = (Server::start("labels-stopped", &["-js"]), Folder::new("stopped"), store());
    let _helper = helper(&server, "one", catalog());
    until(&server, |status| status.workers.len() == 1);
    let [here, there] = ["here", "there"].map(|name| folder.file(name));
    let rows = export(&store, &options(Values::Own, 2.into()), &here).expect("a dataset");
    let (workers, _) = coordinator(&server, 0.0).expect("a queue");
    let (stop, options) = (StopFlag::default(), options(Values::Own, workers));
    let stopped = export_dataset(&store, &catalog(), &options, &there, &stop, &mut |done, of| {
        assert!(done <= of && of == 24);
        if done == 5 {
            stop.stop();
        }
    });
    assert_eq!(stopped.map(|written| written.rows).expect_err("stopped").code, ErrorCode::Stopped);
    assert!(!there.exists() && !folder.file("there.unfinished").exists(), "nothing looks complete");
    let kept = count_labels(&bytes(&folder.file("there.labels")));
    assert!((5..24).contains(&kept), "{kept}");
    assert_eq!(export(&store, &options, &there), Ok(rows));
    assert!(bytes(&here) == bytes(&there), "the same bytes");
}
