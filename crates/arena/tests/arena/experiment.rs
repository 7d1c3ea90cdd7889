//! Experiment files: errors with their lines, and resumed runs.

use banmen_arena::{Conditions, Evidence, Experiment, MatchFilter, Reproduction, Store, Verdict, report, reproduce};
use banmen_catalog::{Catalog, Error, ErrorCode};
use banmen_search::StopFlag;
use banmen_stats::{Sample, holm, welch_t};

fn games() -> Catalog {
    Catalog::default()
        .with(banmen_othello::entry())
        .with(banmen_dobutsu::entry())
        .with(banmen_dobutsu::article::entry())
}

/// A grid of matches: two depths against two opponents, by two budgets.
const MATCHES: &str = r#"id = "othello-test"
title = "A test"
question = "Who wins?"
kind = "match"
game = "othello"
player = "classic:depth={depth}"
opponent = "{opponent}"
openings = "random:6"
games = 16
minutes = 1
[source]
text = "nobody"
claim = "nothing"
[[factors]]
name = "depth"
values = [1, { name = "two", value = 2 }]
[[factors]]
name = "opponent"
values = ["random", "greedy"]
[[budgets]]
nodes = 200
paper = true
[[budgets]]
name = "little"
nodes = 20
opponent = { nodes = 10 }
games = 8
[[skip]]
depth = 1
budget = "little"
[[published]]
at = { depth = "two", opponent = "random" }
won = 190
drawn = 1
lost = 9
"#;

/// A measurement with an axis.
const MEASURES: &str = r#"id = "dobutsu-test"
title = "A test"
question = "How often?"
kind = "measure"
game = "dobutsu-article"
measure = "first:{setting}"
samples = 12
minutes = 1
[source]
text = "nobody"
claim = "nothing"
[[factors]]
name = "setting"
values = ["ends=skipped", "ends=kept"]
[[published]]
along = "setting"
values = [57, 56]
sample = 1
"#;

fn read(text: &str) -> Experiment {
    Experiment::read("test", text, &games()).unwrap_or_else(|error| panic!("{error}"))
}

fn run(text: &str, store: &Store, scale: f64, stop_at: f64) -> Reproduction {
    let (experiment, games, stop) = (read(text), games(), StopFlag::default());
    let game = games.game(&experiment.game).expect("a game");
    let conditions = Conditions { store, scale: Some(scale), planned: None, seed: 3, workers: 2.into(), stop: &stop };
    let progress = &mut |share: f64| {
        if share >= stop_at {
            stop.stop();
        }
    };
    reproduce(game.as_ref(), &experiment, &conditions, progress).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn reads_the_example_of_the_documentation() {
    let page = include_str!("../../../../docs/experiments.md");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let experiment = read(example);
    assert_eq!((experiment.cells.len(), experiment.figures.len()), (15, 1));
    assert_eq!(experiment.cells[experiment.figures[0].cell].labels, ["1", "takes the most", "2,000 nodes"]);
}

#[test]
fn the_grid_has_all_combinations_except_skipped_ones() {
    let experiment = read(MATCHES);
    let labels: Vec<String> = experiment.cells.iter().map(|cell| cell.labels.join(" ")).collect();
    let expected = [
        "1 random 200 nodes",
        "1 greedy 200 nodes",
        "two random 200 nodes",
        "two random little",
        "two greedy 200 nodes",
        "two greedy little",
    ];
    assert_eq!(labels, expected);
    // The default budget of a figure is the source's.
    assert_eq!(experiment.figures.iter().map(|figure| figure.cell).collect::<Vec<_>>(), [2]);
    assert_eq!(experiment.figures[0].value, 95.25);
}

#[test]
fn errors_name_the_line() {
    let replaced = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    for (from, to, line, words) in [
        ("games = 16", "gamse = 16", 9, "unknown field `gamse`"),
        ("games = 16", "games = 15", 9, "even number"),
        ("games = 16", "games = \"many\"", 9, "invalid type"),
        ("games = 16", "samples = 16", 4, "needs the key `games`"),
        ("games = 16", "games = 16\nmeasure = \"x\"", 10, "not a key of kind = \"match\""),
        ("game = \"othello\"", "game = \"otello\"", 5, "the nearest name is `othello`"),
        ("othello-test", "other-test", 1, "othello-NAME"),
        ("classic:depth", "clasic:depth", 6, "the nearest name is `classic`"),
        ("classic:depth", "classic:deptht", 6, "the nearest name is `depth`"),
        ("{depth}", "{dept}", 6, "the nearest name is `depth`"),
        ("{depth}", "{depth", 6, "a brace is not closed"),
        ("\"{opponent}\"", "\"random\"", 18, "{opponent} is used in no text"),
        ("\"random\", \"greedy\"", "\"random\", \"greed\"", 7, "the nearest name is `greedy`"),
        ("\"random\", \"greedy\"", "\"random\", \"random\"", 19, "`random` twice"),
        ("[1, {", "[[], {", 16, "a number, a text, or"),
        ("random:6", "book", 8, "random:PLIES"),
        ("\"random:6\"", "[\"f5d6\", \"f5f5\"]", 8, "othello-test, opening 2: "),
        ("random:6", "random:900", 8, "no random game goes on after 900 plies"),
        ("random:6", "starts", 8, "all games of othello begin from the same start"),
        ("nodes = 200", "nodez = 200", 21, "unknown field `nodez`"),
        ("nodes = 200\n", "", 20, "at least one of nodes, playouts"),
        ("nodes = 200\n", "time_ms = 9000000000000000000\n", 20, "at most a year"),
        ("nodes = 200\n", "time_ms = 0\n", 20, "must be above 0"),
        ("nodes = 200", "nodes = 0", 20, "must be at least 1"),
        ("games = 8", "samples = 8", 23, "games, not samples"),
        ("games = 8", "paper = true", 23, "only one budget may have paper = true"),
        ("depth = 1\nbudget", "depth = 3\nbudget", 28, "no value of depth `3`"),
        ("minutes = 1", "minutes = 0", 10, "minutes is a number above 0"),
        ("claim = \"nothing\"", "", 11, "missing field `claim`"),
        ("opponent = \"random\" }", "opponent = \"rando\" }", 31, "the nearest name is `random`"),
        ("opponent = \"random\" }", "rival = \"random\" }", 31, "no factor `rival`"),
        ("depth = \"two\", opponent", "opponent", 31, "gives no value of depth"),
        ("depth = \"two\", opponent", "depth = 1, budget = \"little\", opponent", 31, "a cell that is skipped"),
        ("won = 190", "value = 190", 31, "won and lost"),
        ("won = 190\ndrawn = 1\nlost = 9", "value = 190", 31, "190 is out of range in %"),
        ("won = 190\ndrawn = 1\nlost = 9", "along = \"depth\"\nvalues = [1, 2, 3]", 31, "3 values along depth"),
        ("won = 190\ndrawn = 1\nlost = 9", "values = [1]", 31, "need the key `along`"),
        ("won = 190", "won = -1", 33, "invalid value"),
        ("won = 190\ndrawn = 1\nlost = 9", "won = 0\nlost = 0", 31, "at least one game"),
        ("lost = 9", "lost = 9\nquantity = \"depth\"", 31, "no quantity `depth`"),
        (
            "lost = 9",
            "lost = 9\n[[published]]\nat = { depth = 2, opponent = \"random\" }\nvalue = 1",
            36,
            "another figure",
        ),
        ("lost = 9", "lost = 9\nmargin = 0", 31, "margin must be a number above 0"),
        ("minutes = 1", "minutes = 1\ncompare = \"opponents\"", 11, "the nearest name is `opponent`"),
        ("minutes = 1", "minutes = 1\nratio = 1", 11, "ratio is a number above 1"),
        ("minutes = 1", "minutes = 1\nratio = 1.2\nmargin = 5", 11, "not both"),
        ("title = \"A test\"", "title = \"A test", 2, "invalid"),
    ] {
        let text = replaced(MATCHES, from, to);
        let error = Experiment::read("file.toml", &text, &games()).expect_err(to);
        let place = format!("file.toml, line {line}: ");
        assert!(error.message.starts_with(&place) && error.message.contains(words), "{to}: {error}");
        assert_eq!((error.code, error.at), (ErrorCode::BadExperiment, Some(line)), "{to}");
    }
    for (from, to, line, words) in [
        ("first:", "frist:", 6, "the nearest name is `first`"),
        ("\"ends=kept\"", "\"ends=all\"", 6, "there is no ends value `all`"),
        ("samples = 12", "samples = 0", 7, "must be at least 1"),
        ("samples = 12", "samples = 12\nquantity = \"win\"", 8, "the nearest name is `won`"),
        ("samples = 12", "samples = 12\nratio = 1.2\nquantity = \"win\"", 9, "the nearest name is `won`"),
        ("sample = 1", "sample = 1\n[[budgets]]\nnodes = 5", 19, "does not contain {budget}"),
    ] {
        let error = Experiment::read("file.toml", &replaced(MEASURES, from, to), &games()).expect_err(to);
        let place = format!("file.toml, line {line}: ");
        assert!(error.message.starts_with(&place) && error.message.contains(words), "{to}: {error}");
    }
}

/// Points of a score are the only unit with a usual margin: 7 plies would agree with anything.
#[test]
fn figures_that_are_no_shares_need_a_margin() {
    let (factors, published) = (MEASURES.find("[[factors]]"), MEASURES.find("[[published]]"));
    let text = MEASURES[..factors.expect("factors")].replacen("first:{setting}", "random", 1)
        + &MEASURES[published.expect("figures")..].replacen("along = \"setting\"\nvalues = [57, 56]", "value = 30", 1);
    read(&text);
    let plies = text.replacen("sample = 1\n", "sample = 1\nquantity = \"length\"\n", 1);
    let error = Experiment::read("file.toml", &plies, &games()).expect_err("no margin");
    assert!(error.message.contains("needs a `margin`"), "{error}");
    read(&plies.replacen("minutes = 1", "minutes = 1\nmargin = 3", 1));
    read(&plies.replacen("value = 30", "value = 30\nmargin = 3", 1));
}

#[test]
fn figures_compared_by_ratios_have_ratios() {
    let ratios = MEASURES.replacen("minutes = 1", "minutes = 1\nratio = 1.2", 1);
    let experiment = read(&ratios);
    assert!(experiment.ratio && experiment.margin == 1.2);
    for (with, words) in [("within = 57", "has no ratio"), ("margin = 0.5", "a ratio above 1")] {
        let text = ratios.replacen("sample = 1", with, 1);
        let error = Experiment::read("file.toml", &text, &games()).expect_err(with);
        assert!(error.message.starts_with("file.toml, line 16: ") && error.message.contains(words), "{error}");
    }
}

#[test]
fn resumes_an_interrupted_run() {
    for text in [MATCHES, MEASURES] {
        let values = |reproduction: &Reproduction| {
            let mut table = reproduction.table();
            let timed = |name: &String| name.contains("ms a move");
            if let Some(column) = table.columns.iter().position(timed) {
                table.rows.iter_mut().for_each(|row| row[column].clear());
            }
            (table.columns, table.rows)
        };
        let whole = run(text, &Store::memory().expect("a store"), 1.0, f64::INFINITY);
        assert!(whole.complete);
        let store = Store::memory().expect("a store");
        let part = run(text, &store, 1.0, 0.4);
        assert!(!part.complete && values(&part) != values(&whole), "something was left to do");
        let rest = run(text, &store, 1.0, f64::INFINITY);
        assert_eq!(values(&rest), values(&whole));
        // A finished run plays nothing; a smaller scale is a part of it.
        assert_eq!(values(&run(text, &store, 1.0, f64::INFINITY)), values(&whole));
        let small = run(text, &store, 0.5, f64::INFINITY);
        let fresh = run(text, &Store::memory().expect("a store"), 0.5, f64::INFINITY);
        assert_eq!(values(&small), values(&fresh));
    }
}

/// Runs the test's matches with a plan.
fn planned(text: &str, store: &Store, scale: Option<f64>, planned: Option<f64>) -> Result<Reproduction, Error> {
    let (experiment, games, stop) = (read(text), games(), StopFlag::default());
    let game = games.game(&experiment.game).expect("a game");
    let conditions = Conditions { store, scale, planned, seed: 3, workers: 2.into(), stop: &stop };
    reproduce(game.as_ref(), &experiment, &conditions, &mut |_| {})
}

#[test]
fn verdicts_are_given_at_the_planned_size_only() {
    for text in [MATCHES, MEASURES] {
        let store = Store::memory().expect("a store");
        let verdicts =
            |reproduction: &Reproduction| reproduction.rows.iter().filter(|row| row.comparison.is_some()).count();
        let part = planned(text, &store, Some(0.5), None).expect("a run");
        assert!(part.preliminary() && verdicts(&part) == 0);
        assert_eq!((part.plan.scale, part.plan.stored), (1.0, 0), "the plan was written before the first game");
        assert_eq!(part.verdicts()[0].0, "preliminary");
        assert!(part.table().notes.iter().any(|note| note.starts_with("Preliminary: 50 % of")));
        let whole = planned(text, &store, None, None).expect("a run");
        assert!(!whole.preliminary() && verdicts(&whole) > 0);
        assert_eq!(whole.plan, part.plan);
        let page = report(&[whole], "banmen reproduce test", None, None);
        assert!(page.html.contains("before the first game or sample; SHA-256 of the file"));
        // A smaller plan has its verdict at its own size.
        let small = Store::memory().expect("a store");
        let half = planned(text, &small, None, Some(0.5)).expect("a run");
        assert!(!half.preliminary() && half.scale == 0.5 && verdicts(&half) > 0);
    }
}

/// Between all values of a factor, where the others are the same, and with a correction for each such group.
#[test]
fn rows_are_compared_by_t_tests() {
    let text = MATCHES
        .replacen("minutes = 1", "minutes = 1\ncompare = \"depth\"", 1)
        .replacen("values = [1, {", "values = [3, 1, {", 1)
        .replacen("nodes = 200", "nodes = 2000", 1)
        .replacen("values = [\"random\", \"greedy\"]", "values = [\"classic:depth=2\", \"classic:depth=3\"]", 1)
        .replacen("opponent = \"random\" }", "opponent = \"classic:depth=3\" }", 1);
    let store = Store::memory().expect("a store");
    assert!(run(&text, &store, 0.5, f64::INFINITY).tests.is_empty(), "not before the planned sample");
    let whole = run(&text, &store, 1.0, f64::INFINITY);
    let sample = |row: usize| match whole.rows[row].evidence {
        Some(Evidence::Match { pairs, .. }) => Sample::from_tally(&pairs).expect("pairs"),
        _ => panic!("a match"),
    };
    // Four pairs, of the second budget, are too few.
    let groups = ["classic:depth=2", "classic:depth=3"].map(|opponent| {
        let inside = |row: &usize| whole.rows[*row].labels[1..] == [opponent, "2,000 nodes"];
        (0..whole.rows.len()).filter(inside).collect::<Vec<_>>()
    });
    let mut expected = Vec::new();
    for group in groups {
        assert_eq!(group.len(), 3);
        let pairs = [[group[0], group[1]], [group[0], group[2]], [group[1], group[2]]];
        let tests: Vec<_> =
            pairs.iter().filter_map(|pair| Some((*pair, welch_t(&sample(pair[0]), &sample(pair[1]))?))).collect();
        let adjusted = holm(&tests.iter().map(|(_, test)| test.p).collect::<Vec<_>>()).expect("p values");
        expected.extend(tests.into_iter().zip(adjusted).map(|((pair, test), adjusted)| (pair, test.p, adjusted)));
    }
    assert!(expected.len() >= 4, "{expected:?}");
    assert_eq!(whole.tests.len(), expected.len());
    for (test, (rows, p, adjusted)) in whole.tests.iter().zip(expected) {
        assert_eq!(test.rows, rows);
        assert!((test.p - p).abs() < 1e-9 && (test.adjusted - adjusted).abs() < 1e-9, "{test:?}");
        let difference = 100.0 * (sample(rows[1]).mean - sample(rows[0]).mean);
        assert!((test.difference - difference).abs() < 1e-9, "{test:?}");
    }
    let notes = whole.table().notes;
    for at in ["At classic:depth=2, 2,000 nodes (the source's): ", "At classic:depth=3, 2,000 nodes (the source's): "] {
        assert!(notes.iter().any(|note| note.starts_with(at) && note.contains("values of depth")), "{notes:?}");
    }
    assert!(run(MATCHES, &Store::memory().expect("a store"), 1.0, f64::INFINITY).tests.is_empty());
}

#[test]
fn plans_are_not_changed_after_the_first_game() {
    for (text, from, to) in [
        (MATCHES, "games = 16", "games = 18"),
        (MATCHES, "won = 190", "won = 189"),
        (MATCHES, "minutes = 1", "minutes = 1\nmargin = 9"),
        (MATCHES, "minutes = 1", "minutes = 1\ncompare = \"depth\""),
        (MEASURES, "samples = 12", "samples = 13"),
        (MEASURES, "minutes = 1", "minutes = 1\nratio = 1.5"),
    ] {
        let store = Store::memory().expect("a store");
        let part = planned(text, &store, Some(0.5), None).expect("a run");
        let changed = |text: &str, scale, plan| planned(text, &store, scale, plan).expect_err("not as planned").code;
        assert_eq!(changed(&text.replacen(from, to, 1), None, None), ErrorCode::PlanChanged, "{to}");
        assert_eq!(changed(text, None, Some(0.5)), ErrorCode::PlanChanged);
        assert_eq!(changed(text, Some(1.5), None), ErrorCode::PlanChanged);
        // Words may be corrected, and the plan keeps the digest of the first file.
        let words = text.replacen("A test", "A better title", 1);
        let whole = planned(&words, &store, None, Some(1.0)).expect("a run");
        assert_eq!(whole.plan, part.plan);
    }
}

#[test]
fn games_of_before_the_plan_are_stated() {
    let folder = std::env::temp_dir().join(format!("banmen-plan-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("store.sqlite");
    for (text, stored) in [(MATCHES, 40), (MEASURES, 12)] {
        let store = Store::open(&file).expect("a store");
        planned(text, &store, Some(0.5), None).expect("a run");
        rusqlite::Connection::open(&file).and_then(|store| store.execute("DELETE FROM plan", [])).expect("no plan");
        let early = planned(text, &store, None, Some(0.5)).expect_err("games are stored");
        assert_eq!(early.code, ErrorCode::PlanChanged, "{early}");
        let whole = planned(text, &store, None, None).expect("a run");
        assert_eq!(whole.plan.stored, stored, "{:?}", whole.plan);
        let note = format!("when {stored} games or samples were stored");
        assert!(whole.table().notes.iter().any(|line| line.contains(&note)));
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn an_interrupted_run_has_games_of_all_cells() {
    let store = Store::memory().expect("a store");
    let part = run(MATCHES, &store, 1.0, 0.6);
    // Each match is listed with all its planned games, not with those of the round that was interrupted.
    let listed = store.matches(&MatchFilter::default()).expect("a list");
    let mut planned: Vec<Option<usize>> = listed.iter().map(|found| found.planned).collect();
    planned.sort_unstable();
    assert_eq!(planned, [8, 8, 16, 16, 16, 16].map(Some));
    let counts: Vec<u64> =
        part.rows.iter().map(|row| row.evidence.map_or(0, |evidence| evidence.observations())).collect();
    let (least, most) = (counts.iter().min().expect("rows"), counts.iter().max().expect("rows"));
    // Two of the cells have half as many games.
    assert!(*least >= 1 && *most <= 8, "{counts:?}");
}

/// The bytes of a text in Base64.
fn from_base64(text: &str) -> Vec<u8> {
    let digit = |sign: u8| match sign {
        b'A'..=b'Z' => sign - b'A',
        b'a'..=b'z' => sign - b'a' + 26,
        b'0'..=b'9' => sign - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => 0,
    };
    let bytes = text.as_bytes().chunks(4).flat_map(|chunk| {
        let bits = chunk.iter().fold(0, |bits, sign| bits << 6 | u32::from(digit(*sign)));
        let padding = chunk.iter().filter(|sign| **sign == b'=').count();
        bits.to_be_bytes()[1..4 - padding].to_vec()
    });
    bytes.collect()
}

#[test]
fn reports_have_the_games_of_their_cells() {
    let (store, games) = (Store::memory().expect("a store"), games());
    let mut matches = run(MATCHES, &store, 1.0, f64::INFINITY);
    let event = store.events().expect("events")[0].id;
    matches.add_games(&store, games.game("othello").expect("a game").as_ref(), Some(event)).expect("games");
    let page = report(&[matches], "banmen reproduce test", None, Some("http://localhost:1/")).html;
    // A link from the number of games of each cell to its games, and their moves and boards.
    assert_eq!(page.matches("<a href=\"#games-othello-test-").count(), 6);
    assert_eq!(page.matches("<details id=\"games-othello-test-").count(), 6);
    assert!(page.contains(": 16 games</summary>") && page.contains(": 8 games</summary>"), "{page}");
    let data = page.split("const GAMES = ").nth(1).and_then(|rest| rest.split(";\n").next()).expect("the games");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data["site"], "http://localhost:1/");
    assert_eq!(data["cells"]["games-othello-test-0"]["match"], 1);
    let packed =
        page.split("<details id=\"games-othello-test-0\">").nth(1).and_then(|rest| rest.split("</details>").next());
    let packed =
        packed.and_then(|text| text.split("text/plain\">").nth(1)?.strip_suffix("</script>")).expect("the games");
    let text = std::io::read_to_string(flate2::read::ZlibDecoder::new(&from_base64(packed)[..])).expect("zlib");
    let cell: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(cell["games"].as_array().map(Vec::len), Some(16), "all games of the cell");
    for game in cell["games"].as_array().expect("games") {
        let stored = store.one_game(
            1,
            game["number"][0].as_u64().expect("a pair") as usize,
            game["number"][1].as_u64().expect("a game") as usize,
        );
        assert_eq!(game["moves"], serde_json::json!(stored.expect("a game").moves));
        assert_eq!(game["size"], serde_json::json!([8, 8]));
        // The changes lead from the start to the last board: its discs give the margin.
        let mut board: Vec<usize> = serde_json::from_value(game["start"].clone()).expect("a board");
        for changes in game["changes"].as_array().expect("changes") {
            let changes: Vec<usize> = serde_json::from_value(changes.clone()).expect("numbers");
            changes.as_chunks::<2>().0.iter().for_each(|[at, look]| board[*at] = *look);
        }
        let owner = |look: usize| cell["looks"][look][1].as_i64();
        let discs = |side: i64| board.iter().filter(|look| owner(**look) == Some(side)).count() as i64;
        let own = game["number"][1].as_i64().expect("a number");
        assert!(discs(0) + discs(1) > 40, "{game}");
        let won = match (discs(own) - discs(1 - own)).signum() {
            1 => "won",
            -1 => "lost",
            _ => "drawn",
        };
        assert!(game["result"].as_str().expect("words").starts_with(won), "{game}");
    }
}

#[test]
fn compares_and_reports() {
    let store = Store::memory().expect("a store");
    let matches = run(MATCHES, &store, 1.0, f64::INFINITY);
    let judged: Vec<&banmen_arena::Row> = matches.rows.iter().filter(|row| row.comparison.is_some()).collect();
    assert_eq!(judged.len(), 1);
    let measures = run(MEASURES, &store, 1.0, f64::INFINITY);
    // 57 and 56 lie near the means of 200 runs, 57.1 and 55.9, and seven points from both.
    let verdicts: Vec<Verdict> =
        measures.rows.iter().filter_map(|row| row.comparison).map(|comparison| comparison.verdict).collect();
    assert_eq!(verdicts, [Verdict::Agrees; 2]);
    let page = report(&[matches, measures], "banmen reproduce test", Some("a <machine>"), None);
    for part in ["a &lt;machine&gt;", "id=\"othello-test\"", "id=\"dobutsu-test\"", "<svg", "agrees", "95.25 (190-1-9)"]
    {
        assert!(page.html.contains(part), "{part} in {}", page.html);
    }
    assert!(!page.html.contains("<script"), "a report without games needs none");
    let remote = page.html.matches("http").count() - page.html.matches("http://www.w3.org/2000/svg").count();
    assert_eq!(remote, 0, "the page is self-contained");
    assert_eq!(page.html.matches("<svg").count(), page.html.matches("</svg>").count());
    // What a reader needs is there before anything else, and published figures have their intervals too.
    for name in ["command", "date", "machine", "build", "seed", "size"] {
        assert!(page.html.contains(&format!("<dt>{name}</dt>")), "{name}");
    }
    let (table, picture) = (page.html.find("<table class=\"results\">"), page.html.find("<figure>"));
    assert!(table.is_some() && table < picture, "the results precede the pictures");
    assert!(page.html.contains("<td class=\"n\" data-head=\"95 % interval\">"));
    assert!(page.html.contains("class=\"stated\""), "intervals of published figures");
    for (name, svg) in &page.pictures {
        assert!(page.markdown.contains(&format!("]({name})")) && !svg.contains("NaN"), "{name}: {svg}");
    }
    assert_eq!(page.pictures.len(), 2);
}
