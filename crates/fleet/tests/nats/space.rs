//! Servers without space. They need a `nats-server`, so `cargo xtask test --only fleet` runs them.

use std::time::{Duration, Instant};

use async_nats::jetstream::{self, stream};

use crate::parts::{
    Remarks, catalog, coordinator, games, heard, helper, helper_heard, play, queue, until, with_client,
};
use crate::server::Server;

/// What the server may store, in bytes.
const SPACE: usize = 1 << 20;

/// The games of a match that is not over before a server is full.
const GAMES: usize = 2000;

/// A server that may store little.
fn small_server(name: &str) -> Server {
    let file = std::env::temp_dir().join(format!("banmen-space-{name}-{}.conf", std::process::id()));
    std::fs::write(&file, format!("jetstream {{ max_file_store: {SPACE} }}\n")).expect("a file");
    let server = Server::start(name, &["-c", &file.display().to_string()]);
    std::fs::remove_file(file).expect("removed");
    server
}

/// Fills the server with messages of others.
fn fill(server: &Server) {
    with_client(server, async |client| {
        let jetstream = jetstream::new(client);
        let config =
            stream::Config { name: "ballast".to_owned(), subjects: vec!["ballast".to_owned()], ..Default::default() };
        jetstream.get_or_create_stream(config).await.expect("a stream");
        for size in [20_000, 2_000, 100] {
            while jetstream.publish("ballast", vec![b'x'; size].into()).await.expect("sent").await.is_ok() {}
        }
    });
}

fn empty(server: &Server) {
    with_client(server, async |client| {
        jetstream::new(client).delete_stream("ballast").await.expect("deleted");
    });
}

fn until_heard(remarks: &Remarks, words: &str) {
    let start = Instant::now();
    while !heard(remarks).contains(words) {
        assert!(start.elapsed() < Duration::from_secs(60), "`{words}` is not in:\n{}", heard(remarks));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "needs nats-server"]
fn a_match_waits_for_space_and_goes_on() {
    let server = small_server("space");
    let (_helper, refusals) = helper_heard(queue(&server), "one", catalog());
    until(&server, |status| status.workers.len() == 1);
    let catalog = catalog();
    let (local, _) = play(&catalog, 300, GAMES, 1.into()).expect("a match");
    let (workers, remarks) = coordinator(&server, 0.0).expect("a queue");
    std::thread::scope(|scope| {
        let remote = scope.spawn(|| play(&catalog, 300, GAMES, workers).expect("a match").0);
        until(&server, |status| status.runs.iter().any(|run| run.news.games > 20));
        fill(&server);
        assert!(!remote.is_finished(), "the server is full before the match is over");
        // Whoever is refused says so: the command its pairs, or the worker its games, which the command repeats.
        until_heard(&remarks, "insufficient resources");
        std::thread::sleep(Duration::from_secs(5));
        assert!(!remote.is_finished(), "the rest of the match waits");
        empty(&server);
        assert_eq!(games(&local), games(&remote.join().expect("no panic")));
    });
    let said = heard(&remarks) + "\n" + &heard(&refusals);
    assert!(said.contains("`max_file_store`") && said.lines().count() <= 5, "{said}");
}

#[test]
#[ignore = "needs nats-server"]
fn a_server_that_is_full_at_the_beginning_is_named_once() {
    let server = small_server("full");
    fill(&server);
    let catalog = catalog();
    let (local, _) = play(&catalog, 100, 20, 1.into()).expect("a match");
    let (workers, remarks) = coordinator(&server, 0.0).expect("a queue");
    std::thread::scope(|scope| {
        let remote = scope.spawn(|| play(&catalog, 100, 20, workers).expect("a match").0);
        until_heard(&remarks, "the queue takes no pair, and is asked again: publish failed: insufficient resources");
        std::thread::sleep(Duration::from_secs(5));
        assert_eq!(heard(&remarks).lines().count(), 1, "{}", heard(&remarks));
        let _helper = helper(&server, "one", self::catalog());
        empty(&server);
        assert_eq!(games(&local), games(&remote.join().expect("no panic")));
    });
    assert!(heard(&remarks).ends_with("the queue takes pairs again"), "{}", heard(&remarks));
}
