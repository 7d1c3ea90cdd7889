//! The store: no game is lost or counted twice, and other files are not changed.

use std::path::Path;

use banmen_arena::{
    Contestant, GameFilter, GameRecord, GameSource, LockName, Match, MatchFilter, MatchSpec, Plan, Score, Store, import,
};
use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_search::{Limits, StopFlag};
use rusqlite::Connection;

use crate::folder::Folder;

fn matchup(game: &dyn AnyGame) -> Match<'_> {
    let [a, b] = ["greedy", "random"].map(|player| Contestant::new(player, Limits::nodes(100)));
    Match::new(game, MatchSpec::new(game, a, b))
}

/// Plays until `most` new games are stored.
fn play(path: &Path, games: usize, most: usize) -> Result<Score, Error> {
    let (game, stop) = (banmen_othello::entry().in_memory(), StopFlag::default());
    let mut played = 0;
    matchup(&game).play(&Store::open(path)?, &Plan::games(games, 1), &stop, &mut |progress| {
        played += usize::from(progress.game.is_some());
        if played == most {
            stop.stop();
        }
    })
}

/// The games of the only match, without their times.
fn stored(path: &Path) -> Vec<GameRecord> {
    let store = Store::open(path).expect("a store");
    let matches = store.matches(&MatchFilter::default()).expect("a list");
    assert_eq!(matches.len(), 1);
    let mut games = Vec::new();
    let mut take = |game: GameRecord| {
        let spent = game.spent.map(|spent| banmen_arena::Usage { seconds: 0.0, longest: 0.0, ..spent });
        games.push(GameRecord { times: Vec::new(), spent, ..game });
        Ok(())
    };
    store.visit_games(matches[0].id, &mut take).expect("games");
    games
}

#[test]
fn resumes_where_it_stopped() {
    let (whole, parts) = (Folder::new("whole"), Folder::new("parts"));
    let score = play(&whole.file(), 40, usize::MAX).expect("a match");
    let mut runs = 0;
    let resumed = loop {
        let score = play(&parts.file(), 40, 7).expect("a match");
        runs += 1;
        if score.games() == 40 {
            break score;
        }
    };
    assert!(runs > 3, "some seven games a run");
    assert_eq!((resumed.pairs, resumed.margin, resumed.repeats), (score.pairs, score.margin, score.repeats));
    assert_eq!(stored(&whole.file()), stored(&parts.file()));

    // Repeated, it plays nothing; with more games, it plays the missing ones.
    assert_eq!(play(&whole.file(), 40, 1).expect("a match").pairs, score.pairs);
    assert_eq!(play(&whole.file(), 44, usize::MAX).expect("a match").games(), 44);
    assert_eq!(stored(&whole.file()).len(), 44);
    assert_eq!(play(&whole.file(), 40, usize::MAX).expect("a match").pairs, score.pairs, "the first forty count");
}

#[test]
fn returns_the_games_that_were_played() {
    let folder = Folder::new("read");
    let (game, store) = (banmen_othello::entry().in_memory(), Store::open(&folder.file()).expect("a store"));
    let mut played = Vec::new();
    matchup(&game)
        .play(&store, &Plan::games(4, 1), &StopFlag::default(), &mut |progress| played.extend(progress.game.cloned()))
        .expect("a match");
    for record in played {
        let read = store.one_game(1, record.pair, record.game).expect("a game");
        assert_eq!((&read.moves, read.opening, read.seed), (&record.moves, record.opening, record.seed));
        assert_eq!((read.score, read.margin, &read.by, read.fault), (record.score, record.margin, &record.by, None));
        assert_eq!(read.times.len(), record.moves.len() - record.opening);
        assert_eq!(read.spent[0].moves + read.spent[1].moves, read.times.len() as u64);
        let total: f64 = read.times.iter().map(std::time::Duration::as_secs_f64).sum();
        assert!((total - read.spent[0].seconds - read.spent[1].seconds).abs() < 1e-4);
    }
    assert_eq!(store.one_game(1, 99, 0).expect_err("no such game").code, ErrorCode::UnknownRecord);
    assert_eq!(store.one_match(9).expect_err("no such match").code, ErrorCode::UnknownMatch);
    let of = |game: &str| MatchFilter { game: Some(game.into()), ..MatchFilter::default() };
    assert_eq!(store.matches(&of("othello")).expect("a list")[0].results.iter().sum::<u64>(), 4);
    assert!(store.matches(&of("dobutsu")).expect("a list").is_empty());
}

#[test]
fn one_process_at_a_time_plays_a_match() {
    let folder = Folder::new("lock");
    play(&folder.file(), 2, usize::MAX).expect("a match");
    let store = Store::open(&folder.file()).expect("a store");
    let lock = store.lock(&LockName::Match(1)).expect("the lock");
    assert_eq!(play(&folder.file(), 4, usize::MAX).expect_err("locked").code, ErrorCode::MatchBusy);
    let planned = || store.one_match(1).expect("the match").planned;
    assert_eq!(planned(), Some(2), "the running match keeps its plan");
    #[cfg(unix)]
    {
        let link = folder.0.join("link.sqlite");
        std::os::unix::fs::symlink(folder.file(), &link).expect("a link");
        let linked = Store::reading(&link).expect("a store").expect("a file");
        assert_eq!(linked.locked(), [LockName::Match(1)]);
    }
    drop(lock);
    assert_eq!(play(&folder.file(), 4, usize::MAX).expect("unlocked").games(), 4);
    assert_eq!(planned(), Some(4));
    let left = std::fs::read_dir(&folder.0).expect("a folder").flatten().map(|entry| entry.file_name());
    let left: Vec<String> = left.map(|name| name.to_string_lossy().into_owned()).collect();
    assert!(!left.iter().any(|name| name.contains("lock")), "{left:?}");
}

#[test]
fn refuses_a_later_store_and_a_foreign_file_without_changing_them() {
    let folder = Folder::new("refused");
    play(&folder.file(), 2, usize::MAX).expect("a match");
    Connection::open(folder.file())
        .and_then(|connection| {
            connection.pragma_update(None, "journal_mode", "DELETE")?;
            connection.pragma_update(None, "user_version", 99)
        })
        .expect("a later version");
    let later = std::fs::read(folder.file()).expect("bytes");
    let error = play(&folder.file(), 4, usize::MAX).expect_err("later");
    assert_eq!((error.code, error.reason), (ErrorCode::StoreRefused, Some("later_version")));
    assert_eq!(std::fs::read(folder.file()).expect("bytes"), later);

    let foreign = folder.0.join("foreign.sqlite");
    Connection::open(&foreign).and_then(|connection| connection.execute_batch("CREATE TABLE t (x)")).expect("a table");
    let bytes = std::fs::read(&foreign).expect("bytes");
    assert_eq!(play(&foreign, 2, 1).expect_err("foreign").reason, Some("foreign"));
    assert_eq!(std::fs::read(&foreign).expect("bytes"), bytes);

    let text = folder.0.join("text.sqlite");
    std::fs::write(&text, "no database at all, but some lines of text that are long enough to be looked at")
        .expect("text");
    assert_eq!(play(&text, 2, 1).expect_err("text").code, ErrorCode::StoreRefused);
    assert_eq!(play(&folder.0, 2, 1).expect_err("a folder").code, ErrorCode::StoreFailed);
}

#[test]
fn updates_an_earlier_store_unless_it_is_opened_for_reading() {
    let folder = Folder::new("earlier");
    let score = play(&folder.file(), 4, usize::MAX).expect("a match");
    Connection::open(folder.file())
        .and_then(|connection| {
            connection.execute_batch(
                "DROP TABLE fleet; ALTER TABLE game DROP COLUMN source_event; ALTER TABLE game DROP COLUMN source_date; DROP INDEX game_worker; ALTER TABLE game DROP COLUMN worker; DROP TABLE worker; DROP TABLE plan; DROP TABLE damaged; DROP INDEX game_result; ALTER TABLE match DROP COLUMN test; ALTER TABLE game DROP COLUMN lost_turns",
            )?;
            connection.pragma_update(None, "user_version", 2)
        })
        .expect("version 2");
    let refused = Store::reading(&folder.file()).err().expect("nothing is written");
    assert_eq!((refused.code, refused.reason), (ErrorCode::StoreRefused, Some("earlier_version")));
    assert_eq!(play(&folder.file(), 4, usize::MAX).expect("up to date").pairs, score.pairs);
    let store = Store::reading(&folder.file()).expect("a store").expect("a file");
    assert_eq!(store.matches(&MatchFilter::default()).expect("a list").len(), 1);
    assert_eq!(store.enter_event("tournament", "x", "x").expect_err("only read").code, ErrorCode::StoreFailed);
}

#[test]
fn a_full_disk_stops_the_match_and_keeps_what_is_stored() {
    let folder = Folder::new("full");
    let (game, store) = (banmen_othello::entry().in_memory(), Store::open(&folder.file()).expect("a store"));
    store.limit_size(112 << 10).expect("a bound");
    let mut stored_before = 0;
    let error = matchup(&game)
        .play(&store, &Plan::games(100_000, 2), &StopFlag::default(), &mut |progress| {
            stored_before += usize::from(progress.game.is_some());
        })
        .expect_err("the disk is full");
    assert_eq!(error.code, ErrorCode::StoreFull, "{error}");
    drop(store);
    let games = stored(&folder.file());
    assert!(stored_before > 10 && games.len() == stored_before, "{stored_before} of {}", games.len());
    // With free space again the same command resumes.
    let score = play(&folder.file(), 2 * (games.len() / 2 + 2), usize::MAX).expect("free space again");
    assert_eq!(score.games() as usize, 2 * (games.len() / 2 + 2));
}

#[test]
fn recovers_the_log_of_a_killed_writer() {
    let (folder, copy) = (Folder::new("writing"), Folder::new("left"));
    let (game, store) = (banmen_othello::entry().in_memory(), Store::open(&folder.file()).expect("a store"));
    matchup(&game).play(&store, &Plan::games(6, 1), &StopFlag::default(), &mut |_| {}).expect("a match");
    // The state after a kill: the games are only in the log, and its index is missing or unusable.
    let named = |folder: &Folder, end: &str| folder.0.join(format!("store.sqlite{end}"));
    for index in [None, Some(vec![0_u8; 32 << 10])] {
        for end in ["", "-wal"] {
            std::fs::copy(named(&folder, end), named(&copy, end)).expect("a copy");
        }
        let _ = std::fs::remove_file(named(&copy, "-shm"));
        if let Some(bytes) = &index {
            std::fs::write(named(&copy, "-shm"), bytes).expect("an index");
        }
        assert_eq!(stored(&copy.file()).len(), 6);
        assert_eq!(play(&copy.file(), 8, usize::MAX).expect("a match").games(), 8);
    }
}

#[test]
fn several_processes_may_open_a_new_store_at_once() {
    for round in 0..30 {
        let folder = Folder::new(&format!("met-{round}"));
        let opened = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| Store::open(&folder.file()).map(drop))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Result<Vec<()>, Error>>()
        });
        opened.expect("all of them open it");
    }
}

#[test]
fn imported_games_keep_their_event_and_date() {
    let folder = Folder::new("sources");
    let game = banmen_othello::entry().in_memory();
    let text = "(;GM[Othello]PC[a cup]DT[1998.11.12]PB[a]PW[b]RE[+64:r]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[d3];)";
    let read = |store: &Store| import(store, &game, "ggf", None, text.as_bytes()).expect("a game");
    let store = Store::open(&folder.file()).expect("a store");
    assert_eq!(read(&store).games, 1);
    let source = |store: &Store| store.one_game(1, 0, 0).expect("the game").source;
    let stated = Some(GameSource { event: "a cup".to_owned(), date: "1998.11.12".to_owned() });
    assert_eq!(source(&store), stated);
    drop(store);
    // An earlier version kept neither: the game is readable, and gets both when it is imported again.
    Connection::open(folder.file())
        .and_then(|connection| {
            connection
                .execute_batch("ALTER TABLE game DROP COLUMN source_event; ALTER TABLE game DROP COLUMN source_date")?;
            connection.pragma_update(None, "user_version", 8)
        })
        .expect("version 8");
    let store = Store::open(&folder.file()).expect("up to date");
    assert_eq!(source(&store), None);
    read(&store);
    assert_eq!(source(&store), stated);
    assert_eq!(store.count_games(1, GameFilter::default()).expect("a number"), 1);
}
