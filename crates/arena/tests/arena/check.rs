//! The check of a store: every kind of damage is found, and what is set aside is played again.

use std::path::Path;

use banmen_arena::{Check, Contestant, LockName, LostRows, Match, MatchSpec, Plan, Score, Store, check, repair};
use banmen_catalog::{AnyGame, Catalog, ErrorCode};
use banmen_search::{Limits, StopFlag};
use rusqlite::Connection;

use crate::folder::Folder;

fn catalog() -> Catalog {
    Catalog::default().with(banmen_othello::entry())
}

fn matchup(game: &dyn AnyGame, seed: u64) -> Match<'_> {
    let [a, b] = ["greedy", "random"].map(|player| Contestant::new(player, Limits::nodes(100)));
    Match::new(game, MatchSpec { seed, ..MatchSpec::new(game, a, b) })
}

/// Plays the match, or what the store lacks of it. Returns its score and the number of games that were played now.
fn play(path: &Path, games: usize) -> (Score, usize) {
    let game = banmen_othello::entry().in_memory();
    let mut played = 0;
    let score = matchup(&game, 5)
        .play(&Store::open(path).expect("a store"), &Plan::games(games, 1), &StopFlag::default(), &mut |progress| {
            played += usize::from(progress.game.is_some());
        })
        .expect("a match");
    (score, played)
}

fn checked(path: &Path) -> Check {
    let store = Store::reading(path).expect("a store").expect("a file");
    check(&store, &catalog(), &StopFlag::default(), &mut |_, _| {}).expect("a check")
}

fn repaired(path: &Path) -> Check {
    repair(path, &catalog(), &StopFlag::default(), &mut |_, _| {}).expect("a repair")
}

fn change(path: &Path, statements: &str) {
    let connection = Connection::open(path).expect("a database");
    connection.pragma_update(None, "foreign_keys", false).expect("a setting");
    connection.pragma_update(None, "ignore_check_constraints", true).expect("a setting");
    connection.execute_batch(statements).expect(statements);
}

/// The number of the rows of a table; 0 without any, `None` where it is not known.
fn rows_of(table: &str, list: &[LostRows]) -> Option<u64> {
    list.iter().find(|lost| lost.table == table).map_or(Some(0), |lost| lost.rows)
}

/// The bytes of the store's file after its log was merged into it.
fn at_rest(path: &Path) -> Vec<u8> {
    let connection = Connection::open(path).expect("a database");
    connection.pragma_update(None, "journal_mode", "DELETE").expect("no log");
    std::fs::read(path).expect("bytes")
}

#[test]
fn finds_every_kind_of_damage_and_has_it_played_again() {
    let folder = Folder::new("kinds");
    let (whole, _) = play(&folder.file(), 20);
    assert!(checked(&folder.file()).damages.is_empty());
    let sound = at_rest(&folder.file());
    let last = "match = 1 AND pair = 3 AND game = 1";
    let of_game = |change: &str| format!("UPDATE game SET {change} WHERE {last}");
    for (statement, what, why) in [
        (of_game("points = 2 - points"), "game 1.3.1", "its result is "),
        (of_game("points = 1"), "game 1.3.1", "its result is "),
        (of_game("margin = margin + 2"), "game 1.3.1", "its result is "),
        (of_game("by = 'time'"), "game 1.3.1", "its result is "),
        (of_game("seed = seed + 1"), "game 1.3.1", "its seed is not one of its match"),
        (of_game("digest = digest + 1"), "game 1.3.1", "its moves are not those that were stored"),
        (of_game("moves = replace(moves, 'a', 'b')"), "game 1.3.1", "its moves are not those that were stored"),
        (of_game("moves = x'ff'"), "game 1.3.1", "a value of its row"),
        (of_game("points = 'x'"), "game 1.3.1", "a value of its row"),
        (of_game("points = 9"), "game 1.3.1", "a value of its row"),
        (of_game("fault = 2"), "game 1.3.1", "a value of its row"),
        (of_game("a_nodes = -1"), "game 1.3.1", "a value of its row"),
        (of_game("b_moves = 9223372036854775807"), "game 1.3.1", "times or counts that no game has"),
        (of_game("a_time = -1"), "game 1.3.1", "times or counts that no game has"),
        (of_game("times = x'01020304'"), "game 1.3.1", "the times of 1"),
        (of_game("lost_turns = '900 time'"), "game 1.3.1", "a turn was lost"),
        ("UPDATE pair SET opening = 'd3' WHERE pair = 3".to_owned(), "game 1.3.0", "its moves are not those"),
        ("DELETE FROM pair WHERE pair = 3".to_owned(), "game 1.3.0", "its opening, cannot be read"),
    ] {
        at_rest(&folder.file());
        std::fs::write(folder.file(), &sound).expect("the sound file");
        change(&folder.file(), &statement);
        let found = checked(&folder.file());
        assert_eq!(found.games, 20, "{statement}");
        let first = found.damages.first().unwrap_or_else(|| panic!("{statement} is found"));
        assert!(first.what == what && first.why.contains(why), "{statement}: {first:?}");
        assert!(found.damages.iter().all(|damage| damage.what.starts_with("game 1.3.")), "{:?}", found.damages);

        let mended = repaired(&folder.file());
        assert!(mended.kept.is_none() && mended.damages.len() == found.damages.len(), "{statement}: {mended:?}");
        assert_eq!(rows_of("game", &mended.set_aside), Some(2), "both games of the pair: {mended:?}");
        assert!(mended.unreadable.is_empty(), "{mended:?}");
        assert!(checked(&folder.file()).damages.is_empty(), "{statement} is set aside");
        let kept: String = Connection::open(folder.file())
            .and_then(|store| store.query_row("SELECT rows FROM damaged", [], |row| row.get(0)))
            .expect("the damaged rows are kept");
        assert!(kept.contains("\"digest\""), "{kept}");
        let (score, played) = play(&folder.file(), 20);
        assert_eq!((played, score.pairs, score.margin), (2, whole.pairs, whole.margin), "{statement}");
    }
}

/// The first page of a table is no page of one any more: this is found, and the rest is checked.
#[test]
fn tables_that_cannot_be_read_are_damage() {
    let folder = Folder::new("pages");
    play(&folder.file(), 2);
    let sound = at_rest(&folder.file());
    for table in ["match", "player", "pair", "game", "opening", "sample", "step", "plan"] {
        std::fs::write(folder.file(), &sound).expect("the sound file");
        let connection = Connection::open(folder.file()).expect("a database");
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a number") as usize;
        let (page, size) =
            (number(&format!("SELECT rootpage FROM sqlite_schema WHERE name = '{table}'")), number("PRAGMA page_size"));
        drop(connection);
        let mut bytes = sound.clone();
        bytes[(page - 1) * size..page * size].fill(0);
        std::fs::write(folder.file(), bytes).expect("a damaged file");
        let found = checked(&folder.file());
        assert!(!found.damages.is_empty(), "{table}");
        assert_eq!(found.games, if ["opening", "sample", "step", "plan"].contains(&table) { 2 } else { 0 }, "{table}");
    }
}

#[test]
fn moves_that_cannot_be_played_are_found_behind_a_right_digest() {
    let folder = Folder::new("digest");
    let (_, played) = play(&folder.file(), 2);
    assert_eq!(played, 2);
    // Two moves in one text, which the game would read.
    change(&folder.file(), "UPDATE game SET moves = substr(moves, 1, length(moves) - 3) || substr(moves, -2)");
    digest_again(&folder.file());
    let found = checked(&folder.file());
    assert!(found.damages.len() == 2 && found.damages[0].why.contains("one by one"), "{found:?}");
    // A start that does not exist.
    change(&folder.file(), "UPDATE pair SET position = 'nowhere'");
    digest_again(&folder.file());
    let found = checked(&folder.file());
    assert!(found.damages.len() == 2 && found.damages[0].why.starts_with("it cannot be replayed"), "{found:?}");
}

/// Gives the games of the only pair the digests of what is there now: only a replay finds what is wrong.
fn digest_again(path: &Path) {
    let connection = Connection::open(path).expect("a database");
    for game in [0, 1] {
        let store = Store::open(path).expect("a store");
        let record = store.one_game(1, 0, game).expect("a game");
        let texts = record.position.iter().chain(&record.moves);
        let digest = texts.fold(0, |digest, text| banmen_game::mix(digest ^ banmen_game::digest(text.as_bytes())));
        connection
            .execute("UPDATE game SET digest = ?1 WHERE game = ?2", [digest as i64, game as i64])
            .expect("a change");
    }
}

#[test]
fn a_damaged_match_is_set_aside_with_its_games() {
    for statement in [
        "UPDATE match SET spec = '{'",
        "UPDATE match SET game = 'dobutsu'",
        "UPDATE match SET spec = replace(spec, 'greedy', 'engine')",
        "UPDATE match SET a = 99",
        "UPDATE match SET event = 99",
        "UPDATE match SET spec = x'ff'",
        "DELETE FROM match",
    ] {
        let folder = Folder::new("match");
        let (whole, _) = play(&folder.file(), 4);
        change(&folder.file(), statement);
        let found = checked(&folder.file());
        assert_eq!(
            found.damages.iter().map(|damage| damage.what.as_str()).collect::<Vec<_>>(),
            ["match 1"],
            "{statement}"
        );
        assert_eq!(rows_of("game", &repaired(&folder.file()).set_aside), Some(4), "{statement}");
        assert!(checked(&folder.file()).damages.is_empty(), "{statement}");
        let (score, played) = play(&folder.file(), 4);
        assert_eq!((played, score.pairs), (4, whole.pairs), "{statement}");
    }
    // A match is not listed without its spec.
    let folder = Folder::new("list");
    play(&folder.file(), 2);
    change(&folder.file(), "UPDATE match SET spec = '{'");
    let store = Store::open(&folder.file()).expect("a store");
    assert_eq!(store.one_match(1).expect_err("no spec").code, ErrorCode::StoreDamaged);
}

#[test]
fn damaged_samples_and_openings_are_set_aside() {
    let folder = Folder::new("samples");
    drop(Store::open(&folder.file()).expect("a store"));
    change(
        &folder.file(),
        "INSERT INTO sample VALUES ('{\"measure\":\"first:x\"}', 4, '[', 0); INSERT INTO opening VALUES ('f', 2, x'ff', 0)",
    );
    let found = repaired(&folder.file());
    let what: Vec<&str> = found.damages.iter().map(|damage| damage.what.as_str()).collect();
    assert_eq!(what, ["balanced opening 2", "sample 4 of first:x"]);
    assert!(checked(&folder.file()).damages.is_empty());
}

#[test]
fn balanced_openings_steps_and_plans_that_cannot_be_used_are_set_aside() {
    let folder = Folder::new("unusable");
    drop(Store::open(&folder.file()).expect("a store"));
    let rules = catalog().game("othello").expect("a game").info().rules[0];
    change(
        &folder.file(),
        &format!(
            "INSERT INTO opening VALUES ('othello {rules} balanced:2 v', 0, 'f5 d6', 0.5),
               ('othello {rules} balanced:2 v', 1, 'f5 f5', 0.5), ('othello {rules} balanced:2 v', 2, 'f5', 0.5),
               ('nim normal balanced:2 v', 7, '1 1', 0.5);
             INSERT INTO event VALUES (1, 'tuning', 'a', 'tuning a pairs=4', 0),
               (2, 'tuning', 'b', 'tuning b pairs=4', 0), (3, 'tuning', 'c', 'tuning c pairs=4', 0);
             INSERT INTO step VALUES (1, 0, -4), (1, 1, 3.5), (2, 0, 1), (2, 1, 4.5), (2, 2, 0), (3, 0, 'x'), (3, 1, 0),
               (4, 1, 0);
             INSERT INTO plan VALUES ('a', 1, 'v', 1, 'file', '{{}}', 0, 0, 0.5),
               ('b', 1, 'v', -1, 'file', '{{}}', 0, 0, 0), ('c', 1, 'v', 'x', 'file', '{{}}', 0, 0, 0), ('d', 1, 'v', 0.5, 'file', '{{}}', 0, 0, 1),
               ('e', 1, 'v', 1, 'file', '{{', 0, 0, 1);"
        ),
    );
    let found = repaired(&folder.file());
    let what: Vec<&str> = found.damages.iter().map(|damage| damage.what.as_str()).collect();
    let openings = ["balanced opening 1", "balanced opening 2"];
    let steps = ["step 1 of tuning 2", "step 0 of tuning 3", "step 1 of tuning 4"];
    let plans = ["b", "c", "d", "e"].map(|name| format!("the plan of {name}, seed 1"));
    assert_eq!(what, openings.into_iter().chain(steps).chain(plans.iter().map(String::as_str)).collect::<Vec<_>>());
    assert_eq!(found.unchecked, ["balanced openings: this program has no game nim with rules normal"]);
    assert!(checked(&folder.file()).damages.is_empty());
    let left: Vec<i64> = ["opening", "step", "plan"]
        .map(|table| {
            let count = format!("SELECT count(*) FROM {table}");
            let connection = Connection::open(folder.file()).expect("a database");
            connection.query_row(&count, [], |row| row.get(0)).expect("a number")
        })
        .to_vec();
    assert_eq!(left, [2, 3, 1], "steps are set aside from the damaged one on");
}

#[test]
fn a_broken_file_is_rebuilt_from_what_can_be_read() {
    let folder = Folder::new("file");
    let (whole, _) = play(&folder.file(), 200);
    let mut bytes = at_rest(&folder.file());
    let page = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    let pages = bytes.len() / page;
    // Pages of the last third, where the games are and not the schema.
    for number in [2 * pages / 3, pages - 3] {
        bytes[number * page..(number + 1) * page].fill(0xa5);
    }
    std::fs::write(folder.file(), &bytes).expect("a broken file");
    let found = checked(&folder.file());
    assert!(found.damages.iter().any(|damage| damage.what == "the file"), "{found:?}");

    let mended = repaired(&folder.file());
    let kept = mended.kept.expect("the old file is kept");
    assert_eq!(std::fs::read(&kept).expect("the old file").len(), bytes.len());
    assert!(checked(&folder.file()).damages.is_empty());
    let (score, played) = play(&folder.file(), 200);
    let [unreadable, set_aside] = [&mended.unreadable, &mended.set_aside].map(|list| rows_of("game", list));
    assert_eq!(
        unreadable.zip(set_aside).map(|(one, other)| one + other),
        Some(played as u64),
        "every lost game is counted"
    );
    assert!(played > 0 && played < 150, "{played} of 200 games were lost");
    assert_eq!((score.pairs, score.margin), (whole.pairs, whole.margin));
}

#[test]
fn nothing_is_rebuilt_or_set_aside_while_it_is_played() {
    let folder = Folder::new("busy");
    let game = banmen_othello::entry().in_memory();
    let store = Store::open(&folder.file()).expect("a store");
    let event = store.enter_event("tournament", "one", "one").expect("an event");
    matchup(&game, 5)
        .play_in(&store, Some(event), &Plan::games(100, 1), &StopFlag::default(), &mut |_| {})
        .expect("a match");
    let repair = || repair(&folder.file(), &catalog(), &StopFlag::default(), &mut |_, _| {});
    change(&folder.file(), "UPDATE game SET points = 2 - points, margin = -margin - 2 WHERE pair = 3");
    for what in [LockName::Event(event), LockName::Match(1)] {
        let _lock = store.lock(&what).expect("the lock");
        assert_eq!(repair().expect_err("it is played").code, ErrorCode::MatchBusy, "{what}");
        assert!(!checked(&folder.file()).damages.is_empty(), "nothing is set aside");
    }
    assert_eq!(repair().expect("a repair").damages.len(), 2);

    // Any match that is played is stored in this file.
    let lock = store.lock(&LockName::Match(9)).expect("the lock");
    drop(store);
    let bytes = at_rest(&folder.file());
    let left = &bytes[..bytes.len() * 9 / 10];
    std::fs::write(folder.file(), left).expect("a file cut short");
    assert_eq!(repair().expect_err("something is played").code, ErrorCode::MatchBusy);
    assert_eq!(std::fs::read(folder.file()).expect("the file"), left);
    drop(lock);
    assert!(repair().expect("a repair").kept.is_some());
}

#[test]
fn a_file_cut_short_is_rebuilt_from_what_is_left() {
    for (share, least) in [(0.95, 50), (0.8, 20), (0.05, 0)] {
        let folder = Folder::new("short");
        let (whole, _) = play(&folder.file(), 100);
        let bytes = at_rest(&folder.file());
        let left = (bytes.len() as f64 * share) as usize;
        std::fs::write(folder.file(), &bytes[..left]).expect("a file cut short");
        let error = Store::open(&folder.file()).err().expect("a file that is no store");
        assert_eq!(error.code, ErrorCode::StoreDamaged, "{error}");
        assert_eq!(Check::unopened(&error).damages[0].what, "the file");

        let mended = repaired(&folder.file());
        assert!(!mended.unreadable.is_empty(), "{mended:?}");
        let kept = mended.kept.expect("the old file is kept");
        assert_eq!(std::fs::read(&kept).expect("the old file"), bytes[..left]);
        assert!(checked(&folder.file()).damages.is_empty());
        let (score, played) = play(&folder.file(), 100);
        assert!(played <= 100 - least, "{played} of 100 games were lost of a file with {share} of its bytes");
        assert_eq!((score.pairs, score.margin), (whole.pairs, whole.margin));
    }
    // A database of another program is left alone.
    let folder = Folder::new("foreign");
    drop(Store::open(&folder.file()).expect("a store"));
    change(&folder.file(), "PRAGMA application_id = 1; CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000))");
    let bytes = at_rest(&folder.file());
    std::fs::write(folder.file(), &bytes[..bytes.len() / 2]).expect("a file cut short");
    let refused = repair(&folder.file(), &catalog(), &StopFlag::default(), &mut |_, _| {}).expect_err("not ours");
    assert_eq!(refused.code, ErrorCode::StoreRefused, "{refused}");
}

#[test]
fn matches_of_unknown_games_are_left_alone() {
    let folder = Folder::new("unknown");
    play(&folder.file(), 2);
    let store = Store::open(&folder.file()).expect("a store");
    let found = check(&store, &Catalog::default(), &StopFlag::default(), &mut |_, _| {}).expect("a check");
    assert_eq!((found.damages.len(), found.games), (0, 0));
    assert_eq!(found.unchecked, ["match 1: this program has no game othello"]);
}

#[test]
fn damage_is_called_damage_and_no_statement_is_shown() {
    let folder = Folder::new("words");
    play(&folder.file(), 2);
    // A number of a pair for which no memory suffices.
    change(&folder.file(), "PRAGMA foreign_keys = off; UPDATE game SET pair = 4611686018427387904 WHERE game = 0");
    let error = || {
        let store = Store::open(&folder.file()).expect("a store");
        let error = matchup(&banmen_othello::entry().in_memory(), 5)
            .play(&store, &Plan::games(4, 1), &StopFlag::default(), &mut |_| {})
            .expect_err("damage");
        assert_eq!(error.code, ErrorCode::StoreDamaged);
        error
    };
    error();
    // More points than a game has.
    change(&folder.file(), "UPDATE game SET pair = 0, points = 9 WHERE game = 0");
    error();
    change(&folder.file(), "DROP TABLE step; ALTER TABLE game DROP COLUMN digest");
    let error = error();
    assert!(error.message.contains("damaged") && !error.message.contains("SELECT"), "{error}");
    assert!(!error.message.contains("INSERT") && !error.message.contains("digest"), "{error}");
}
