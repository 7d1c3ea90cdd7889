//! Matches at a queue: the same games as on this machine, whoever plays them and whatever else is sent. They need a
//! `nats-server`, so `cargo xtask test --only fleet` runs them.

use std::time::Duration;

use banmen_arena::{GameRecord, League, Match, Plan, SequentialTest, Store, Tournament, Workers};
use banmen_catalog::{Catalog, Error, ErrorCode};
use banmen_fleet::{Queue, Status, clear, kinds_of, status};
use banmen_search::StopFlag;
use futures_util::StreamExt;

use crate::parts::{catalog, coordinator, forger, games, heard, helper, play, queue, spec, until};
use crate::server::Server;

#[test]
#[ignore = "needs nats-server"]
fn two_workers_play_the_games_that_one_process_plays() {
    let server = Server::start("two", &["-js"]);
    let _helpers = ["one", "two"].map(|name| helper(&server, name, catalog()));
    until(&server, |status| status.workers.len() == 2);
    let catalog = catalog();
    let (local, own) = play(&catalog, 300, 60, 1.into()).expect("a match");
    let (workers, remarks) = coordinator(&server, 0.3).expect("a queue");
    let (remote, score) = play(&catalog, 300, 60, workers).expect("a match");
    assert_eq!(games(&local), games(&remote));
    assert_eq!(own.pairs, score.pairs);
    assert_eq!(heard(&remarks), "", "nothing to remark");
    let by = remote.workers(1).expect("workers");
    assert_eq!(by.iter().map(|worker| worker.games).sum::<u64>(), 60);
    assert!(
        by.len() == 2 && by.iter().all(|worker| worker.by.machine == format!("the machine of {}", worker.by.worker))
    );
    assert!(by.iter().any(|worker| worker.by.speed.is_some_and(|speed| speed > 1e3)), "{by:?}");
    assert_eq!(local.workers(1).expect("workers"), []);
    assert_eq!(status(&queue(&server)).expect("a status").runs, [], "the streams are removed");
}

#[test]
#[ignore = "needs nats-server"]
fn games_that_cannot_be_are_refused_and_their_worker_is_named() {
    let forgeries: [fn(&mut Vec<GameRecord>); 6] = [
        |records| records[0].score = 1.0 - records[0].score,
        |records| records[0].moves.truncate(12),
        |records| records[0].seed += 1,
        |records| records.truncate(1),
        |records| records[1].by = "a word ".repeat(100),
        |records| records[0].spent[0].seconds = -1.0,
    ];
    let catalog = catalog();
    let (local, _) = play(&catalog, 300, 16, 1.into()).expect("a match");
    for (number, forge) in forgeries.into_iter().enumerate() {
        let server = Server::start(&format!("forged-{number}"), &["-js"]);
        let forger = forger(&server, "forger", forge);
        until(&server, |status| status.workers.len() == 1);
        let (workers, remarks) = coordinator(&server, 0.0).expect("a queue");
        let address = queue(&server);
        let honest = std::thread::scope(|scope| {
            let honest = scope.spawn(|| {
                // The forger is the only worker at first.
                while !heard(&remarks).contains("not trusted") {
                    std::thread::sleep(Duration::from_millis(20));
                }
                assert!(status(&address).expect("a status").runs[0].news.distrusted.contains(&"forger".to_owned()));
                helper(&server, "honest", self::catalog())
            });
            let (remote, _) = play(&catalog, 300, 16, workers).expect("a match");
            assert_eq!(games(&local), games(&remote), "forgery {number}");
            assert_eq!(remote.workers(1).expect("workers").len(), 1);
            honest.join().expect("no panic")
        });
        assert!(heard(&remarks).contains("worker forger is not trusted"), "{}", heard(&remarks));
        drop((honest, forger));
    }
}

/// Other moves that the rules allow, with the result that they have: every game after its opening by the first legal moves.
fn other_moves(records: &mut Vec<GameRecord>) {
    let catalog = catalog();
    let game = catalog.game("othello").expect("a game");
    for record in records {
        let mut state = game.state(None, record.position.as_deref()).expect("a position");
        let opening: Vec<&str> = record.moves[..record.opening].iter().map(String::as_str).collect();
        state.play_texts(&opening).expect("an opening");
        let mut plies = 0;
        while state.outcome().is_none() {
            let first = state.legal()[0];
            state.play(first).expect("a legal move");
            plies += 1;
        }
        let outcome = state.outcome().expect("an end");
        let side = if record.game == 0 { banmen_game::Side::First } else { banmen_game::Side::Second };
        record.moves = state.move_texts("");
        record.times = vec![Duration::from_millis(1); plies];
        record.score = outcome.score(side);
        record.margin = outcome.margin.map(|_| outcome.signed_margin(side));
        record.by = outcome.by.to_owned();
    }
}

#[test]
#[ignore = "needs nats-server"]
fn games_of_another_player_are_found_by_a_second_worker() {
    let server = Server::start("audit", &["-js"]);
    let (_honest, _forger) = (helper(&server, "honest", catalog()), forger(&server, "forger", other_moves));
    until(&server, |status| status.workers.len() == 2);
    let catalog = catalog();
    let (local, _) = play(&catalog, 300, 40, 1.into()).expect("a match");
    // Without a comparison they pass for games of the match.
    let (workers, _) = coordinator(&server, 0.0).expect("a queue");
    let (remote, _) = play(&catalog, 300, 40, workers).expect("a match");
    assert_ne!(games(&local), games(&remote));
    let (workers, remarks) = coordinator(&server, 0.4).expect("a queue");
    let (remote, _) = play(&catalog, 300, 40, workers).expect("a match");
    assert_eq!(games(&local), games(&remote));
    let remarks = heard(&remarks);
    assert!(remarks.contains("worker forger is not trusted: it found something else"), "{remarks}");
    assert!(!remarks.contains("worker honest"), "{remarks}");
}

/// A worker that sends its result a second time, as another worker's comparison.
#[test]
#[ignore = "needs nats-server"]
fn a_worker_cannot_confirm_its_own_result() {
    let server = Server::start("confirms", &["-js"]);
    let (_honest, _forger) = (helper(&server, "honest", catalog()), forger(&server, "forger", other_moves));
    until(&server, |status| status.workers.len() == 2);
    let (address, done) = (server.address(), StopFlag::default());
    let copier = {
        let done = done.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
            runtime.block_on(async {
                let client = async_nats::connect(address).await.expect("a server");
                let mut results = client.subscribe("banmen.results.*.forger.*").await.expect("a subscription");
                while !done.stopped() {
                    let next = tokio::time::timeout(Duration::from_millis(100), results.next()).await;
                    let Ok(Some(message)) = next else { continue };
                    let (subject, key) = message.subject.rsplit_once('.').expect("a key");
                    if !key.starts_with("second-") {
                        let second = format!("{subject}.second-{key}");
                        client.publish(second, message.payload).await.expect("sent");
                    }
                }
            });
        })
    };
    let catalog = catalog();
    let (local, _) = play(&catalog, 300, 40, 1.into()).expect("a match");
    let (workers, remarks) = coordinator(&server, 1.0).expect("a queue");
    let (remote, _) = play(&catalog, 300, 40, workers).expect("a match");
    done.stop();
    copier.join().expect("no panic");
    assert_eq!(games(&local), games(&remote));
    let remarks = heard(&remarks);
    assert!(remarks.contains("worker forger is not trusted: it found something else"), "{remarks}");
    assert!(!remarks.contains("worker honest"), "{remarks}");
}

#[test]
#[ignore = "needs nats-server"]
fn messages_of_strangers_change_nothing() {
    let server = Server::start("strangers", &["-js"]);
    let _helper = helper(&server, "honest", catalog());
    until(&server, |status| status.workers.len() == 1);
    let (address, done) = (server.address(), StopFlag::default());
    let stranger = {
        let done = done.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
            runtime.block_on(async {
                let client = async_nats::connect(address).await.expect("a server");
                let texts: [&[u8]; 6] = [b"", b"{", b"\xff\xfe", b"{\"by\":{}}", b"[[[[[[[[[", &[b'x'; 10_000]];
                let subjects = [
                    "banmen.results.test.stranger.0123456789abcdef-0",
                    "banmen.results.test.stranger.nothing",
                    "banmen.results.test.stranger.second-0123456789abcdef-0",
                    "banmen.worker.stranger",
                    "banmen.run.test",
                    "banmen.run.another",
                    "banmen.jobs.test.stranger",
                ];
                while !done.stopped() {
                    for subject in subjects {
                        for text in texts {
                            client.publish(subject, text.to_vec().into()).await.expect("sent");
                        }
                    }
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            });
        })
    };
    let catalog = catalog();
    let (local, _) = play(&catalog, 300, 30, 1.into()).expect("a match");
    let (workers, _) = coordinator(&server, 0.1).expect("a queue");
    let (remote, _) = play(&catalog, 300, 30, workers).expect("a match");
    done.stop();
    stranger.join().expect("no panic");
    assert_eq!(games(&local), games(&remote));
}

#[test]
#[ignore = "needs nats-server"]
fn a_sequential_test_ends_the_games_that_run() {
    let server = Server::start("sprt", &["-js"]);
    let _helpers = ["one", "two"].map(|name| helper(&server, name, catalog()));
    until(&server, |status| status.workers.len() == 2);
    let catalog = catalog();
    let game = catalog.game("othello").expect("a game").as_ref();
    let test: SequentialTest = "0,50".parse().expect("a test");
    let decide = |workers: Workers| {
        let store = Store::memory().expect("memory");
        let matchup = Match::new(game, spec(game, 300));
        let plan = Plan { games: None, workers, test: Some(test) };
        matchup.play(&store, &plan, &StopFlag::default(), &mut |_| {}).expect("a match")
    };
    let (workers, _) = coordinator(&server, 0.0).expect("a queue");
    let (local, remote) = (decide(1.into()), decide(workers));
    assert!(local.decided() && remote.decided());
    assert_eq!((local.pairs, local.games()), (remote.pairs, remote.games()));
    until(&server, |status| status.workers.iter().all(|worker| worker.running.is_empty()) && status.runs.is_empty());
}

#[test]
#[ignore = "needs nats-server"]
fn tournaments_and_leagues_are_the_same_as_here() {
    let server = Server::start("events", &["-js"]);
    let _helpers = ["one", "two"].map(|name| helper(&server, name, catalog()));
    until(&server, |status| status.workers.len() == 2);
    let catalog = catalog();
    let game = catalog.game("othello").expect("a game").as_ref();
    let players = ["random", "greedy", "engine:level=1"].map(str::to_owned).to_vec();
    let play = |workers: Workers| {
        let tournament = Tournament::round_robin(Match::new(game, spec(game, 100)), players.clone());
        let store = Store::memory().expect("memory");
        let table = tournament.play(&store, 8, workers, &StopFlag::default(), &mut |_| {}).expect("a tournament");
        table.players.iter().map(|row| (row.entrant.name.clone(), row.results)).collect::<Vec<_>>()
    };
    let (workers, _) = coordinator(&server, 0.2).expect("a queue");
    assert_eq!(play(2.into()), play(workers));
    let folder = std::env::temp_dir().join(format!("banmen-fleet-league-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in ["random", "greedy"] {
        std::fs::write(folder.join(format!("{name}.bot")), format!("player = {name}\n")).expect("a file");
    }
    let (workers, remarks) = coordinator(&server, 0.0).expect("a queue");
    let league = League {
        folder: folder.clone(),
        conditions: Match::new(game, spec(game, 100)),
        rounds: Some(6),
        pause: Duration::from_secs(60),
        scan: Duration::from_secs(5),
    };
    let store = Store::memory().expect("memory");
    let table = league.play(&store, workers, &StopFlag::default(), &mut |_| {}).expect("a league");
    let played: u64 = table.players.iter().map(|row| row.games()).sum();
    std::fs::remove_dir_all(&folder).expect("removed");
    assert!(played >= 24, "{played} games, {}", heard(&remarks));
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_without_the_game_leaves_it_to_others() {
    let server = Server::start("game", &["-js"]);
    let _without = helper(&server, "without", Catalog::default());
    until(&server, |status| status.workers.len() == 1);
    let (workers, remarks) = coordinator(&server, 0.0).expect("a queue");
    let catalog = catalog();
    std::thread::scope(|scope| {
        let late = scope.spawn(|| {
            while !heard(&remarks).contains("worker without cannot play: there is no game `othello`") {
                std::thread::sleep(Duration::from_millis(20));
            }
            helper(&server, "with", self::catalog())
        });
        let (remote, _) = play(&catalog, 100, 20, workers).expect("a match");
        let by = remote.workers(1).expect("workers");
        assert_eq!(by.iter().map(|worker| worker.by.worker.as_str()).collect::<Vec<_>>(), ["with"]);
        drop(late.join().expect("no panic"));
    });
}

#[test]
#[ignore = "needs nats-server"]
fn a_queue_that_cannot_be_used_is_named_with_the_reason() {
    let catalog = catalog();
    let play = |server: &Server| -> Result<(), Error> {
        let (workers, _) = coordinator(server, 0.0)?;
        play(&catalog, 100, 2, workers).map(drop)
    };
    let refused = |result: Result<(), Error>, code: ErrorCode, words: &str| {
        let error = result.expect_err("refused");
        assert!(error.code == code && error.message.contains(words), "{error}");
    };
    let mut server = Server::start("plain", &[]);
    refused(play(&server), ErrorCode::QueueFailed, "without JetStream: `nats-server -js`");
    refused(status(&queue(&server)).map(drop), ErrorCode::QueueFailed, "without JetStream");
    server.kill();
    refused(play(&server), ErrorCode::QueueFailed, "refused");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let stranger: Queue = format!("nats://127.0.0.1:{port}").parse().expect("an address");
    refused(status(&stranger).map(drop), ErrorCode::QueueFailed, "it is not a NATS server");

    let server = Server::start("guarded", &["-js", "--user", "ai", "--pass", "secret"]);
    refused(play(&server), ErrorCode::QueueFailed, "does not admit");
    let signed: Queue = server.address().replace("nats://", "nats://ai:secret@").parse().expect("an address");
    assert_eq!(status(&signed).expect("admitted"), Status::default());

    for (subjects, name) in [("banmen.jobs.>", "other"), ("something.else", "banmen-jobs-test")] {
        let server = Server::start("foreign", &["-js"]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
        runtime.block_on(async {
            let client = async_nats::connect(server.address()).await.expect("a server");
            let config = async_nats::jetstream::stream::Config {
                name: name.to_owned(),
                subjects: vec![subjects.to_owned()],
                ..Default::default()
            };
            async_nats::jetstream::new(client).create_stream(config).await.expect("a stream");
        });
        refused(play(&server), ErrorCode::QueueRefused, "another stream");
    }
}

#[test]
#[ignore = "needs nats-server"]
fn what_a_killed_command_left_is_listed_and_cleared() {
    let server = Server::start("left", &["-js"]);
    let (workers, _) = coordinator(&server, 0.0).expect("a queue");
    let stop = StopFlag::default();
    std::thread::scope(|scope| {
        let catalog = catalog();
        let own = workers.clone();
        let stop = &stop;
        scope.spawn(move || {
            let game = catalog.game("othello").expect("a game").as_ref();
            let store = Store::memory().expect("memory");
            let score = Match::new(game, spec(game, 100)).play(&store, &Plan::games(20, own), stop, &mut |_| {});
            assert_eq!(score.expect("stopped").games(), 0);
        });
        until(&server, |status| {
            status.runs.iter().any(|run| run.coordinated && run.waiting == 4 && run.news.pairs == 4)
        });
        stop.stop();
    });
    // As after a kill: the streams stay.
    std::mem::forget(workers.fleet);
    let mut prefix = queue(&server);
    prefix.prefix = "others".to_owned();
    assert_eq!(status(&prefix).expect("a status"), Status::default());
    assert_eq!(clear(&prefix).expect("cleared"), Vec::<String>::new());
    assert_eq!(status(&queue(&server)).expect("a status").runs.len(), 1);
}

#[test]
fn addresses_of_queues_are_read_or_refused() {
    for (text, shown) in [
        ("nats://127.0.0.1", "127.0.0.1:4222"),
        ("tls://example.org:1234", "example.org:1234"),
        ("nats://me:secret@host", "host:4222"),
        ("host", "host:4222"),
    ] {
        assert_eq!(text.parse::<Queue>().expect(text).to_string(), shown);
    }
    for text in ["", "http://host", "nats://", "nats://host:99999999", "redis://host", "::::"] {
        assert!(text.parse::<Queue>().is_err(), "{text}");
    }
}

#[test]
fn messages_are_read_as_they_were_written_or_refused() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/fleet-message");
    for name in ["games", "examples", "labels", "failed", "job", "training", "labelling", "run", "worker"] {
        let bytes = std::fs::read(corpus.join(name)).expect("a message");
        assert_eq!(kinds_of(&bytes), 1, "{name}");
        for length in 0..bytes.len() {
            // What follows the first line of examples has any length.
            assert_eq!(kinds_of(&bytes[..length]), usize::from(name == "examples" && length >= 95), "{name}, {length}");
        }
    }
    for name in ["cut", "lines"] {
        assert_eq!(kinds_of(&std::fs::read(corpus.join(name)).expect("a message")), 0, "{name}");
    }
}
