//! Datasets: every row is a position of a stored game, and what cannot be exported is refused.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use banmen_arena::{
    Contestant, DatasetOptions, Fleet, FleetJobs, GameFilter, GameSource, Match, MatchFilter, MatchInfo, MatchSpec,
    NextJob, Plan, PlayedBy, RerunBounds, Store, Values, Workers, count_labels, export_dataset, import, rerun,
};
use banmen_catalog::{Catalog, CpuClock, Error, ErrorCode, SolveTask};
use banmen_game::Side;
use banmen_programs::Programs;
use banmen_search::{Limits, StopFlag};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};

fn games() -> Catalog {
    Catalog::default()
        .with(banmen_othello::entry())
        .with(banmen_dobutsu::entry())
        .with(banmen_golad::entry())
        .with(banmen_tubstap::entry())
}

/// A store with four games of each pair of players.
fn store(players: &[(&str, &str, &str)]) -> Store {
    let store = Store::memory().expect("a store");
    play_into(&store, players);
    store
}

fn play_into(store: &Store, players: &[(&str, &str, &str)]) {
    let catalog = games();
    for (name, a, b) in players {
        let game = catalog.game(name).expect("a game").as_ref();
        let [a, b] = [a, b].map(|player| Contestant::new(*player, Limits { playouts: Some(40), ..Limits::default() }));
        let matchup = Match::new(game, MatchSpec { seed: 3, ..MatchSpec::new(game, a, b) });
        matchup.play(store, &Plan::games(4, 1), &StopFlag::default(), &mut |_| {}).expect("it is played");
    }
}

/// A file that is removed with what is beside it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        Place(PathBuf::from(format!("{}/{name}-{}.parquet", env!("CARGO_TARGET_TMPDIR"), std::process::id())))
    }

    fn beside(&self, end: &str) -> PathBuf {
        PathBuf::from(format!("{}{end}", self.0.display()))
    }

    fn rows(&self) -> Vec<BTreeMap<String, Field>> {
        let reader = SerializedFileReader::new(std::fs::File::open(&self.0).expect("a file")).expect("Parquet");
        let columns = |row: Row| {
            row.get_column_iter().map(|(name, field)| (name.clone(), field.clone())).collect::<BTreeMap<_, _>>()
        };
        reader.get_row_iter(None).expect("rows").map(|row| columns(row.expect("a row"))).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for end in ["", ".md", ".labels", ".unfinished"] {
            let _ = std::fs::remove_file(self.beside(end));
        }
    }
}

fn options() -> DatasetOptions {
    DatasetOptions { seed: 1, workers: 2.into(), ..DatasetOptions::default() }
}

fn export(store: &Store, options: &DatasetOptions, place: &Place) -> Result<u64, Error> {
    export_dataset(store, &games(), options, &place.0, &StopFlag::default(), &mut |_, _| {}).map(|written| written.rows)
}

fn text(row: &BTreeMap<String, Field>, column: &str) -> Option<String> {
    match &row[column] {
        Field::Str(text) => Some(text.clone()),
        Field::Null => None,
        other => panic!("{column}: {other:?}"),
    }
}

fn number(row: &BTreeMap<String, Field>, column: &str) -> Option<i64> {
    match row[column] {
        Field::Int(number) => Some(number.into()),
        Field::Long(number) => Some(number),
        Field::Null => None,
        ref other => panic!("{column}: {other:?}"),
    }
}

fn real(row: &BTreeMap<String, Field>, column: &str) -> Option<f64> {
    match row[column] {
        Field::Double(number) => Some(number),
        Field::Null => None,
        ref other => panic!("{column}: {other:?}"),
    }
}

fn flag(row: &BTreeMap<String, Field>, column: &str) -> bool {
    matches!(row[column], Field::Bool(true))
}

fn matches(store: &Store) -> Vec<MatchInfo> {
    let mut matches = store.matches(&MatchFilter::default()).expect("matches");
    matches.sort_by_key(|found| found.id);
    matches
}

#[test]
fn every_row_is_a_position_of_its_game() {
    let store = store(&[
        ("othello", "engine:level=4", "random"),
        ("dobutsu", "mcts", "random"),
        ("golad", "random", "random"),
        ("tubstap", "m-uct", "random"),
    ]);
    let (catalog, place) = (games(), Place::new("rows"));
    let count = export(&store, &options(), &place).expect("a dataset");
    let rows = place.rows();
    assert_eq!(rows.len() as u64, count);
    let mut rows = rows.iter();
    for found in matches(&store) {
        let game = catalog.game(&found.game).expect("a game");
        for record in store.games(found.id, GameFilter::default()).expect("games") {
            let mut state = game.state(Some(&found.rules), record.position.as_deref()).expect("a start");
            for (ply, played) in record.moves.iter().enumerate() {
                let row = rows.next().expect("a row for each move");
                let place = format!("game {}.{}.{}, ply {ply}: {row:?}", found.id, record.pair, record.game);
                let mover = state.side_to_move().index() ^ record.game;
                let numbers = [found.id, record.pair as i64, record.game as i64, ply as i64].map(Some);
                assert_eq!(["match", "pair", "pair_game", "ply"].map(|name| number(row, name)), numbers, "{place}");
                let texts =
                    ["game", "rules", "position", "move", "player", "version", "opponent", "ended_by", "limits"];
                let expected = [
                    &found.game,
                    &found.rules,
                    &state.position(""),
                    played,
                    &found.players[mover],
                    &found.versions[mover],
                    &found.players[1 - mover],
                    &record.by,
                    "40 playouts",
                ];
                assert_eq!(texts.map(|name| text(row, name)), expected.map(|text| Some(text.to_owned())), "{place}");
                assert_eq!(text(row, "start"), record.position, "{place}");
                let moves = text(row, "moves").expect("the moves");
                assert!(moves.split(';').eq(&record.moves), "{place}");
                let side = if state.side_to_move() == Side::First { "first" } else { "second" };
                assert_eq!(text(row, "side").as_deref(), Some(side), "{place}");
                assert_eq!(flag(row, "opening"), ply < record.opening, "{place}");
                let score = if mover == 0 { record.score } else { 1.0 - record.score };
                assert_eq!(real(row, "result"), Some(score), "{place}");
                let margin = record.margin.map(|margin| i64::from(if mover == 0 { margin } else { -margin }));
                assert_eq!(number(row, "margin"), margin, "{place}");
                let time = ply.checked_sub(record.opening).map(|at| record.times[at].as_micros() as i64);
                assert_eq!(number(row, "time_us"), time, "{place}");
                assert_eq!(
                    row["class"],
                    Field::ULong(game.symmetry_class(state.as_ref()).expect("its state")),
                    "{place}"
                );
                for empty in ["searched_by", "value", "best_move", "nodes", "truth", "truth_distance"] {
                    assert_eq!(row[empty], Field::Null, "{empty}, {place}");
                }
                state.play_texts(&[played]).expect("a move");
            }
        }
    }
    assert!(rows.next().is_none(), "no further row");
    let card = std::fs::read_to_string(place.beside(".md")).expect("a card");
    assert!(card.contains("- **Games:** 16 of 4 matches") && card.starts_with("---\nlicense: unknown\n"), "{card}");
    let columns = rows_of_table(&card);
    let documented = rows_of_table(include_str!("../../../../docs/datasets.md"));
    assert_eq!(columns, documented, "the documentation has the columns of the card");
}

/// Name, type and meaning of the columns in a card.
fn rows_of_table(markdown: &str) -> Vec<String> {
    let lines = markdown.lines().filter(|line| line.starts_with("| `"));
    lines
        .map(|line| line.split(" | ").take(3).collect::<Vec<_>>().join(" | ").trim_end_matches(" |").to_owned())
        .collect()
}

#[test]
fn searches_again_and_solves() {
    let store = store(&[("othello", "engine:level=4", "mcts")]);
    let (catalog, place) = (games(), Place::new("searches"));
    let game = catalog.game("othello").expect("a game").as_ref();
    let limits = Limits::nodes(2_000);
    let options = DatasetOptions { values: Values::Own, truth: Some(limits), ..options() };
    export(&store, &options, &place).expect("a dataset");
    let found = &matches(&store)[0];
    let stop = StopFlag::default();
    let (mut searched, mut solved) = (0, 0);
    for row in place.rows() {
        let [pair, number_in_pair, ply] =
            ["pair", "pair_game", "ply"].map(|name| number(&row, name).expect("a number"));
        let record = store.one_game(found.id, pair as usize, number_in_pair as usize).expect("a game");
        assert_eq!(real(&row, "value").is_some(), !flag(&row, "opening"));
        if ply % 9 == 8 {
            let bounds = RerunBounds { programs: Programs::REFUSED, threads: NonZeroUsize::MIN };
            let again = rerun(game, found, &record, ply as usize, &bounds, &stop).expect("a search");
            assert_eq!(text(&row, "best_move"), text(&row, "move"));
            assert_eq!(real(&row, "value"), Some(again.report.value()));
            assert_eq!(number(&row, "nodes"), Some(again.report.nodes as i64));
            searched += 1;
        }
        let state = game.state(None, text(&row, "position").as_deref()).expect("a position");
        if ply > 48 {
            let task =
                SolveTask { limits, clock: &CpuClock::default(), stop: &stop, threads: 1, table: SolveTask::TABLE };
            let solution = game.solver().expect("a solver").solve(state.as_ref(), false, &task, &mut |_| {});
            let score = solution.expect("a result").score.map(i64::from);
            assert_eq!(number(&row, "truth"), score);
            solved += u32::from(score.is_some());
        }
    }
    assert!(searched > 10 && solved > 20, "{searched} searches, {solved} solved");
    let card = std::fs::read_to_string(place.beside(".md")).expect("a card");
    assert!(card.contains("It chose the same move in ") && card.contains("a search with 2,000 nodes"), "{card}");
    assert!(!card.contains("Imported games"), "{card}");
}

/// Imports the first game of another store.
fn import_game(into: &Store, from: &Store) {
    let played = from.one_game(1, 0, 0).expect("a game");
    let transcript: String = played.moves.iter().filter(|text| *text != "pa").cloned().collect();
    let catalog = games();
    let game = catalog.game("othello").expect("a game").as_ref();
    assert_eq!(import(into, game, "transcript", None, transcript.as_bytes()).expect("read").games, 1);
}

/// A fleet that does all jobs here, and counts them.
#[derive(Default)]
struct Here(AtomicUsize);

impl Fleet for Here {
    fn play(&self, jobs: &mut dyn FleetJobs, stop: &StopFlag) -> Result<(), Error> {
        while let NextJob::Do(named) = jobs.next()? {
            let found = jobs.do_here(&named.key, stop)?.expect("nothing stops it");
            jobs.on_result(&named.key, found, &PlayedBy { worker: "a".into(), machine: "here".into(), speed: None })?;
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[test]
fn imported_games_have_no_values_beside_games_that_are_searched_again() {
    let (store, players) = (Store::memory().expect("a store"), [("othello", "mcts", "random")]);
    import_game(&store, &self::store(&players));
    play_into(&store, &players);
    let (place, fleet) = (Place::new("imported"), Arc::new(Here::default()));
    let own = DatasetOptions { values: Values::Own, per_game: Some(2), ..options() };
    assert_eq!(export(&store, &own, &place), Ok(10));
    for row in place.rows() {
        let searched = number(&row, "match") == Some(2);
        assert_eq!(real(&row, "value").is_some(), searched, "{row:?}");
        assert_eq!((text(&row, "searched_by").is_some(), text(&row, "best_move").is_some()), (searched, searched));
    }
    let card = std::fs::read_to_string(place.beside(".md")).expect("a card");
    assert!(
        card.contains("8 rows. It chose the same move in 8 of them.\nImported games, which have no searches: 1."),
        "{card}"
    );
    let workers = Workers { threads: 1, fleet: Some(Arc::clone(&fleet) as Arc<dyn Fleet>) };
    let (rows, remote) = (place.rows(), DatasetOptions { workers, ..own.clone() });
    assert_eq!(export(&store, &remote, &place), Ok(10));
    assert_eq!((place.rows(), fleet.0.load(Ordering::Relaxed)), (rows, 4), "only the games with searches are sent");
    // With exact values its positions are solved.
    let truth = DatasetOptions { truth: Some(Limits::nodes(2_000)), per_game: None, ..own };
    export(&store, &truth, &place).expect("a dataset");
    let rows = place.rows();
    let of_imported = || rows.iter().filter(|row| number(row, "match") == Some(1));
    assert!(of_imported().any(|row| number(row, "truth").is_some()));
    assert!(of_imported().all(|row| real(row, "value").is_none()));
}

#[test]
fn draws_positions_and_resumes_where_it_was_stopped() {
    let store = store(&[("othello", "engine:level=2", "random"), ("dobutsu", "engine:level=2", "random")]);
    let player = Contestant::new("engine:level=3", Limits::nodes(300));
    let options = DatasetOptions { values: Values::By(player), per_game: Some(5), workers: 1.into(), ..options() };
    let (whole, resumed) = (Place::new("whole"), Place::new("resumed"));
    let games_of = |found: MatchInfo| store.games(found.id, GameFilter::default()).expect("games");
    let decided =
        matches(&store).into_iter().flat_map(games_of).map(|game| 5.min(game.moves.len() - game.opening) as u64);
    let drawn: u64 = decided.sum();
    // No threads are one thread.
    assert_eq!(export(&store, &DatasetOptions { workers: 0.into(), ..options.clone() }, &whole), Ok(drawn));
    let stop = StopFlag::default();
    let stopped = export_dataset(&store, &games(), &options, &resumed.0, &stop, &mut |done, _| {
        if done >= 2 {
            stop.stop();
        }
    });
    assert_eq!(stopped.expect_err("stopped").code, ErrorCode::Stopped);
    assert!(!resumed.0.exists() && !resumed.beside(".unfinished").exists(), "nothing looks complete");
    let mut kept = std::fs::read(resumed.beside(".labels")).expect("labels");
    let count = count_labels(&kept);
    assert!((1..8).contains(&count), "{count}");
    // With other options these labels would be wrong.
    let other = DatasetOptions { seed: 2, ..options.clone() };
    let refused = export(&store, &other, &resumed).expect_err("labels of another export");
    assert!(refused.message.contains("labels of another export"), "{refused:?}");
    // Killed within a line.
    kept.truncate(kept.len() - 7);
    assert_eq!(count_labels(&kept), count - 1);
    std::fs::write(resumed.beside(".labels"), kept).expect("written");
    assert_eq!(export(&store, &options, &resumed), Ok(drawn));
    assert_eq!(whole.rows(), resumed.rows());
    assert!(!resumed.beside(".labels").exists(), "complete");
    for row in whole.rows() {
        assert!(!flag(&row, "opening") && real(&row, "value").is_some());
        assert_eq!(text(&row, "searched_by").as_deref(), Some("engine:level=3, 300 nodes"));
    }
    let won = DatasetOptions {
        result: Some((1, 1.0)),
        matches: MatchFilter { id: Some(1), ..Default::default() },
        ..options
    };
    let of_winner = |row: &BTreeMap<String, Field>| {
        (text(row, "player").as_deref() == Some("random")) == (real(row, "result") == Some(1.0))
    };
    match export(&store, &won, &whole) {
        Ok(_) => assert!(whole.rows().iter().all(of_winner)),
        Err(error) => assert_eq!(error.code, ErrorCode::UnknownRecord),
    }
}

#[test]
fn symmetric_positions_are_of_one_class() {
    let (catalog, mut classes) = (games(), Vec::new());
    for (name, lines) in [("othello", &["f5", "d3", "c4", "e6"][..]), ("othello", &["f5 f6", "f5 f4"])] {
        let game = catalog.game(name).expect("a game");
        let of = |line: &&str| {
            let mut state = game.state(None, None).expect("a start");
            state.play_texts(&[line]).expect("moves");
            (state.key(), game.symmetry_class(state.as_ref()).expect("its state"))
        };
        classes.push(lines.iter().map(of).collect::<Vec<_>>());
    }
    let [first, second] = &classes[..] else { panic!("two lists") };
    assert!(first.iter().all(|(key, class)| *class == first[0].1 && class <= key), "{first:?}");
    assert_ne!(first[0].0, first[1].0);
    assert_ne!(second[0].1, second[1].1, "the diagonal and the parallel opening");
}

#[test]
fn says_what_cannot_be_exported() {
    let place = Place::new("refused");
    let refused = |store: &Store, options: &DatasetOptions| export(store, options, &place).expect_err("refused");
    let truth = DatasetOptions { truth: Some(Limits::nodes(10)), ..options() };
    let own = DatasetOptions { values: Values::Own, ..options() };
    let player =
        |text: &str| DatasetOptions { values: Values::By(Contestant::new(text, Limits::nodes(5))), ..options() };

    let empty = refused(&Store::memory().expect("a store"), &options());
    assert_eq!(
        (empty.code, empty.message.as_str()),
        (ErrorCode::UnknownRecord, "the store has no games that are selected")
    );
    let golad = store(&[("golad", "random", "random")]);
    let error = refused(&golad, &truth);
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::Unsupported, "match 1: golad has no exact solver"));
    assert_eq!(refused(&golad, &player("engin")).code, ErrorCode::UnknownPlayer);
    let elsewhere = DatasetOptions { matches: MatchFilter { id: Some(7), ..MatchFilter::default() }, ..options() };
    assert_eq!(refused(&golad, &elsewhere).code, ErrorCode::UnknownMatch);
    let dobutsu = store(&[("dobutsu", "random", "random")]);
    assert_eq!(refused(&dobutsu, &truth).code, ErrorCode::TableMissing);

    let nowhere = PathBuf::from(format!("{}/missing/a.parquet", env!("CARGO_TARGET_TMPDIR")));
    let error = export_dataset(&golad, &games(), &options(), &nowhere, &StopFlag::default(), &mut |_, _| {});
    let error = error.expect_err("no such folder");
    assert!(error.code == ErrorCode::Unwritable && error.message.contains("missing/a.parquet"), "{error:?}");

    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let error = export_dataset(&golad, &games(), &options(), &folder, &StopFlag::default(), &mut |_, _| {});
    let error = error.expect_err("a folder");
    assert!(error.code == ErrorCode::Unwritable && error.message.ends_with("it is a folder"), "{error:?}");

    let imported = Store::memory().expect("a store");
    import_game(&imported, &store(&[("othello", "random", "random")]));
    assert_eq!(imported.one_game(1, 0, 0).expect("a game").source, Some(GameSource::default()), "it says nothing");
    let error = refused(&imported, &own);
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::UnknownRecord, "match 1 was imported: it has no searches")
    );
    std::fs::write(place.beside(".labels"), "a text\n").expect("written");
    let error = refused(&golad, &player("random"));
    assert!(error.message.ends_with("is no file of labels"), "{error:?}");
    assert!(!place.beside(".unfinished").exists(), "nothing is begun");
}
