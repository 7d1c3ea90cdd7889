//! Queues that are protected or shared, and workers that are broken. They need a `nats-server`, so `cargo xtask test
//! --only fleet` runs them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream;
use async_nats::jetstream::consumer::PullConsumer;
use banmen_catalog::{Error, ErrorCode};
use banmen_fleet::{Queue, Status, status};
use banmen_search::StopFlag;
use futures_util::StreamExt;
use nkeys::KeyPair;

use crate::accounts::Accounts;
use crate::parts::{
    catalog, coordinator, coordinator_at, games, heard, helper, helper_at, play, queue, until, until_at, worker_with,
};
use crate::server::Server;

/// Certificates for 127.0.0.1 that are used nowhere else.
fn certificate(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nats/tls").join(name)
}

/// A queue with something changed.
fn changed(queue: &Queue, change: impl FnOnce(&mut Queue)) -> Queue {
    let mut queue = queue.clone();
    change(&mut queue);
    queue
}

/// Plays a match at this queue by one worker, and compares it with the same match here.
fn plays_at(queue: &Queue) {
    let _helper = helper_at(queue.clone(), "one", catalog());
    until_at(queue, |status| status.workers.len() == 1);
    let catalog = catalog();
    let (local, _) = play(&catalog, 100, 12, 1.into()).expect("a match");
    let (workers, remarks) = coordinator_at(queue, 0.0).expect("a queue");
    let (remote, _) = play(&catalog, 100, 12, workers).expect("a match");
    assert_eq!(games(&local), games(&remote), "{}", heard(&remarks));
    assert_eq!(remote.workers(1).expect("workers").len(), 1);
}

#[test]
#[ignore = "needs nats-server"]
fn a_queue_with_tls_is_trusted_by_its_authority_alone() {
    let [cert, key] = ["server.pem", "server.key"].map(|name| certificate(name).display().to_string());
    let options = ["-js", "--tls", "--tlscert", &cert, "--tlskey", &key, "--user", "ai", "--pass", "secret"];
    let server = Server::start("tls", &options);
    let address = server.address().replace("nats://", "tls://ai:secret@");
    let stranger: Queue = address.parse().expect("an address");
    let error = status(&stranger).expect_err("nobody vouches for its certificate");
    assert_eq!(error.code, ErrorCode::QueueFailed);
    assert!(error.message.contains("UnknownIssuer") && !error.message.contains("secret"), "{error}");
    plays_at(&changed(&stranger, |queue| queue.authority = Some(certificate("ca.pem"))));
    let missing = changed(&stranger, |queue| queue.authority = Some("nowhere.pem".into()));
    assert!(status(&missing).expect_err("no file").message.contains("nowhere.pem"));
}

#[test]
#[ignore = "needs nats-server"]
fn credentials_admit_a_user_or_are_named_with_the_reason() {
    let files = Accounts::new("creds");
    let [ours, poor, unknown] = [(); 3].map(|()| KeyPair::new_account());
    let configuration = files.configuration(&[(&ours, -1), (&poor, 0)]);
    let server = Server::start("creds", &["-c", &configuration]);
    let signed = |path: &Path| changed(&queue(&server), |queue| queue.credentials = Some(path.to_owned()));
    plays_at(&signed(&files.user("good.creds", &ours, false, None)));

    let refused = |path: &Path, words: &str| {
        let error = status(&signed(path)).expect_err("refused");
        assert!(error.code == ErrorCode::QueueFailed && error.message.contains(words), "{error}");
        error.message
    };
    let other = KeyPair::new_user();
    for path in [
        files.user("unknown.creds", &unknown, false, None),
        files.user("expired.creds", &ours, true, None),
        files.user("key.creds", &ours, false, Some(&other)),
    ] {
        let message = refused(&path, &format!("it does not admit the user of {}", path.display()));
        assert!(message.ends_with("(nats: authorization violation)"), "{message}");
    }
    refused(&files.user("poor.creds", &poor, false, None), "without JetStream");
    let text = files.file("notes.txt");
    std::fs::write(&text, "user: me\n").expect("a file");
    refused(&text, "notes.txt is no file with credentials: cannot parse user JWT");
    refused(&files.file("nowhere.creds"), "nowhere.creds cannot be read: No such file");
    let error = status(&queue(&server)).expect_err("nobody");
    assert!(error.message.contains("it does not admit this user"), "{error}");
}

#[test]
#[ignore = "needs nats-server"]
fn fleets_with_different_prefixes_do_not_see_each_other() {
    let server = Server::start("prefix", &["-js"]);
    let [ours, theirs] =
        ["ours", "theirs"].map(|prefix| changed(&queue(&server), |queue| queue.prefix = prefix.to_owned()));
    let _helpers = [helper_at(ours.clone(), "a", catalog()), helper_at(theirs.clone(), "b", catalog())];
    for queue in [&ours, &theirs] {
        until_at(queue, |status| status.workers.len() == 1);
    }
    // The same run at the same time.
    let catalog = catalog();
    let (local, _) = play(&catalog, 100, 12, 1.into()).expect("a match");
    std::thread::scope(|scope| {
        for (queue, name) in [(&ours, "a"), (&theirs, "b")] {
            let (catalog, local) = (&catalog, &local);
            scope.spawn(move || {
                let (workers, _) = coordinator_at(queue, 0.5).expect("a queue");
                let (remote, _) = play(catalog, 100, 12, workers).expect("a match");
                assert_eq!(games(local), games(&remote));
                let by = remote.workers(1).expect("workers");
                assert_eq!(by.iter().map(|worker| worker.by.worker.as_str()).collect::<Vec<_>>(), [name]);
            });
        }
    });
    assert_eq!(status(&queue(&server)).expect("a status"), Status::default());
}

/// A worker that takes a pair, and sends a part of an answer.
#[test]
#[ignore = "needs nats-server"]
fn a_message_that_is_cut_short_names_its_worker() {
    let server = Server::start("cut", &["-js"]);
    let (address, done) = (server.address(), StopFlag::default());
    let ended = done.clone();
    let cutter = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
        runtime.block_on(async {
            let client = async_nats::connect(address).await.expect("a server");
            let jetstream = jetstream::new(client.clone());
            while !ended.stopped() {
                let found = jetstream.get_consumer_from_stream("workers", "banmen-jobs-test").await;
                let Ok(consumer): Result<PullConsumer, _> = found else { continue };
                let batch = consumer.batch().max_messages(1).expires(Duration::from_millis(200));
                let Ok(mut messages) = batch.messages().await else { continue };
                while let Some(Ok(message)) = messages.next().await {
                    let key = message.subject.rsplit('.').next().expect("a key").to_owned();
                    let subject = format!("banmen.results.test.cutter.{key}");
                    let whole = br#"{"by":{"worker":"cutter","machine":"m","speed":null},"outcome":{"games":[]}}"#;
                    jetstream.publish(subject, whole[..60].to_vec().into()).await.expect("sent").await.expect("stored");
                    message.ack().await.expect("acknowledged");
                }
            }
        });
    });
    let catalog = catalog();
    let (local, _) = play(&catalog, 100, 12, 1.into()).expect("a match");
    let (workers, remarks) = coordinator(&server, 0.0).expect("a queue");
    let remote = std::thread::scope(|scope| {
        let remote = scope.spawn(|| play(&catalog, 100, 12, workers).expect("a match").0);
        while !heard(&remarks).contains("not trusted") {
            std::thread::sleep(Duration::from_millis(20));
        }
        done.stop();
        cutter.join().expect("no panic");
        let _helper = helper(&server, "honest", self::catalog());
        remote.join().expect("no panic")
    });
    let said = heard(&remarks);
    assert!(said.contains("worker cutter is not trusted: it sent a message that cannot be read"), "{said}");
    assert_eq!(games(&local), games(&remote));
    until(&server, |status| status.runs.is_empty());
}

/// Two pairs and two workers. One fails at the pair that it has until it has failed four times; until then the other one does not
/// finish its own.
#[test]
#[ignore = "needs nats-server"]
fn a_worker_that_always_fails_makes_no_pair_be_given_up() {
    let server = Server::start("broken", &["-js"]);
    let failures = Arc::new(AtomicUsize::new(0));
    let (counted, seen) = (Arc::clone(&failures), Arc::clone(&failures));
    let _broken = worker_with(&server, "broken", move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        Err(Error::new(ErrorCode::Internal, "it is broken"))
    });
    let _honest = worker_with(&server, "honest", move |found| {
        let start = Instant::now();
        while seen.load(Ordering::Relaxed) < 4 {
            assert!(start.elapsed() < Duration::from_secs(60), "the other worker fails again and again");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(found)
    });
    until(&server, |status| status.workers.len() == 2);
    let catalog = catalog();
    let (local, _) = play(&catalog, 100, 4, 1.into()).expect("a match");
    let (workers, remarks) = coordinator(&server, 0.0).expect("a queue");
    let (remote, _) = play(&catalog, 100, 4, workers).expect("the honest worker plays both pairs");
    assert_eq!(games(&local), games(&remote));
    let said = heard(&remarks);
    assert!(said.contains("worker broken: it is broken"), "{said}");
    assert!(failures.load(Ordering::Relaxed) >= 4);
}
