//! The verbs of matches, experiments and the store as people and scripts use them.

mod program;

use std::process::Command;

use program::{banmen, json, program, refused, said};
use serde_json::{Value, json};

#[test]
fn plays_and_scores_a_match() {
    let args = ["match", "othello", "classic:depth=3", "random", "--games", "8", "--nodes", "20000"];
    let result = json(&[&args[..], &["--json"]].concat());
    let count = |name: &str| result[name].as_u64().expect("a count");
    assert_eq!((count("games"), count("wins") + count("draws") + count("losses")), (8, 8));
    let pairs = result["pairs"].as_array().expect("five counts");
    assert_eq!(pairs.iter().filter_map(Value::as_u64).sum::<u64>(), 4);
    assert_eq!(result["score"], (count("wins") as f64 + 0.5 * count("draws") as f64) / 8.0);
    assert!(result["score"].as_f64() > Some(0.5), "the article's program against random play: {result}");
    let again = json(&[&args[..], &["--json", "--concurrency", "1"]].concat());
    assert_eq!((&again["pairs"], &again["margin"]), (&result["pairs"], &result["margin"]));
    let threads = json(&[&args[..], &["--json", "--threads", "2"]].concat());
    assert_eq!((&result["threads"], &threads["threads"]), (&json!(1), &json!(2)));
    assert_eq!((&threads["games"], &threads["pairs"]), (&json!(8), &result["pairs"]), "`classic` has one thread");
    assert!(refused(&[&args[..], &["--threads", "0"]].concat()).contains("a number from 1 to"));
    let remarks = String::from_utf8(banmen(&[&args[..], &["--json"]].concat()).stderr).expect("text");
    assert!(remarks.contains("8 games were in the store"), "nothing was played: {remarks}");
    // Two games give no variance, and one player may win both: the output has no NaN.
    for seed in ["1", "2", "3"] {
        let text = said(&["match", "othello", "greedy", "random", "--games", "2", "--depth", "1", "--seed", seed]);
        assert!(text.contains("of 2") && !text.contains("NaN"), "{text}");
    }
    // A queue's options without a queue would have no effect.
    assert!(refused(&[&args[..], &["--audit", "0.3"]].concat()).contains("--queue <QUEUE>"));
}

#[test]
fn a_decided_test_is_stated_and_counts_what_it_counted() {
    let folder = format!("{}/decided-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let data = ["--data", &folder];
    let play = ["match", "othello", "greedy", "random", "--nodes", "1", "--sprt", "0,100", "--games", "3000"];
    let played = json(&[&data[..], &play, &["--concurrency", "3", "--json"]].concat());
    assert_eq!(played["test"]["accepted"], "elo1");
    // A line for each game, and one for the match.
    let shown = said(&[&data[..], &["records", "show", "1", "--json"]].concat());
    let shown: Value = serde_json::from_str(shown.lines().last().expect("the match")).expect("JSON");
    let counted = &shown["counted"];
    assert_eq!((&counted["games"], &counted["results"][1]), (&played["games"], &played["draws"]));
    assert_eq!((&counted["test"]["llr"], &counted["test"]["alpha"]), (&played["test"]["llr"], &json!(0.05)));
    let games = &played["games"];
    let pairs = games.as_u64().expect("a number") / 2;
    let shown = said(&[&data[..], &["records", "show", "1"]].concat());
    assert!(shown.contains("H0: 0 nElo, H1: 100 nElo, alpha 0.05, beta 0.05"), "{shown}");
    assert!(shown.contains(&format!("H1 accepted after {pairs} pairs: rather 100 nElo; LLR ")), "{shown}");
    let listed = || said(&[&data[..], &["records", "list"]].concat());
    assert!(listed().contains(&format!("  {games}, test decided  ")), "{}", listed());
    let listed_json = json(&[&data[..], &["records", "list", "--json"]].concat());
    assert_eq!(listed_json["matches"][0]["counted"]["games"], *games);
    // The test is not forgotten when the match is asked for without it.
    let other = refused(&[&data[..], &play[..6], &["--games", "2"]].concat());
    assert!(other.contains("match 1 has a sequential test, --sprt 0,100,0.05,0.05; another seed"), "{other}");
    assert!(listed().contains(&format!("  {games}, test decided  ")), "{}", listed());
    // A time control is listed as it was given, where it is long on two lines.
    said(&[&data[..], &["match", "othello", "greedy", "random", "--tc", "2s+10ms/3s", "--games", "2"]].concat());
    let byoyomi = ["match", "dobutsu", "random", "random", "--tc", "0s+0s byoyomi 5s", "--games", "2"];
    said(&[&data[..], &byoyomi].concat());
    let listed = said(&[&data[..], &["records", "list"]].concat());
    assert!(listed.contains("  2s+10ms/3s     2 "), "{listed}");
    assert!(listed.contains("  0s+0s byoyomi  2 ") && listed.contains(" 5s\n"), "{listed}");
    assert!(listed.lines().all(|line| !line.starts_with(['1', '2']) || line.ends_with("  random:8")), "{listed}");
    // Matches that differ in how their games begin and end can be told apart.
    let golad = ["match", "golad", "random", "random", "--games", "2", "--rules", "mixed", "--max-plies", "3"];
    said(&[&data[..], &golad].concat());
    said(&[&data[..], &golad, &["--position", &format!("{}.00/.11 0 0", ".../".repeat(12))]].concat());
    let listed = said(&[&data[..], &["records", "list"]].concat());
    assert!(listed.contains("; rules mixed; max-plies 3\n"), "{listed}");
    assert!(listed.contains("  position:.../.../.../.../.../.../.../...…; rules mixed; max-plies 3\n"), "{listed}");
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn games_that_end_early_are_stated() {
    let folder = format!("{}/early-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let play = ["--data", &folder, "match", "othello", "greedy", "random", "--games", "2", "--nodes", "1"];
    let rules = ["--max-plies", "40", "--resign", "0.02:4", "--draw", "0.01:6"];
    let stated = "games end early: resign 0.02:4, draw 0.01:6, max-plies 40";
    assert!(said(&[&play[..], &rules].concat()).contains(stated));
    assert!(said(&["--data", &folder, "records", "show", "1"]).contains(stated));
    assert!(!said(&play).contains("games end early"));
    assert!(refused(&[&play[..], &["--max-plies", "0"]].concat()).contains("at least 1"));
    let export = ["--data", &folder, "records", "export", "1"];
    // A transcript has no result: such games cannot be imported from it.
    let transcript = format!("{folder}/early.txt");
    std::fs::write(&transcript, said(&[&export[..], &["--format", "transcript"]].concat())).expect("a file");
    let import = ["--data", &folder, "records", "import", "othello", &transcript, "--format", "transcript"];
    assert!(refused(&import).contains("no game in this text has a result"));
    for options in [&["0.0", "--game", "othello"][..], &["0.0", "--searches"], &["--experiment", "x"]] {
        assert!(refused(&[&export[..], options].concat()).contains("cannot be used with"), "{options:?}");
    }
    assert!(refused(&[&export[..], &["--machine", "m"]].concat()).contains("--bundle <FILE>"));
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn lists_experiments_and_runs_them_at_small_scale() {
    let listed = said(&["reproduce"]);
    for id in ["othello-depth", "othello-strength", "dobutsu-curve", "dobutsu-uct"] {
        assert!(listed.lines().any(|line| line.starts_with(id)), "{id} in {listed}");
    }
    // The node count printed in the article follows from its other counts, at any scale.
    let tree = said(&["reproduce", "dobutsu-tree", "--scale", "0.01"]);
    let agrees = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit()) && line.contains("agrees");
    assert_eq!(tree.lines().filter(agrees).count(), 15, "{tree}");
    assert!(!tree.contains("interval  "), "exact values have no intervals: {tree}");
    // Whole ones have no decimals, and one without a published figure has four digits.
    let shows = |experiment: &str, cells: &[&str]| {
        let table = said(&["reproduce", experiment]);
        let same =
            |line: &str| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).eq(cells.iter().copied());
        assert!(table.lines().any(same), "{cells:?} in {table}");
    };
    shows("golad-reads", &["cells", "2304", "2104", "differs within the margin", "0.913", "< 0.0001", "2392"]);
    shows("tubstap-table1", &["A-UCT", "208.1", "167.4", "248.8"]);
    let folder = format!("{}/report-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let strength =
        &["reproduce", "othello-budget", "--scale", "0.01", "--report", &folder, "--machine", "a test", "--json"];
    let result = json(strength);
    assert_eq!(result["reproduction"]["rows"].as_array().map(Vec::len), Some(30));
    assert_eq!(
        (&result["reproduction"]["experiment"]["id"], &result["preliminary"]),
        (&json!("othello-budget"), &json!(true))
    );
    let page = std::fs::read_to_string(format!("{folder}/index.html")).expect("a page");
    assert!(page.contains("banmen reproduce othello-budget --scale 0.01") && page.contains("a test"), "{page}");
    let markdown = std::fs::read_to_string(format!("{folder}/report.md")).expect("Markdown");
    assert!(markdown.contains("(othello-budget.svg)"), "{markdown}");
    assert!(std::fs::metadata(format!("{folder}/othello-budget.svg")).is_ok());
    // The report is replaced by one of the same experiment, and by no other. It is written where nobody reads the table.
    let mut unread =
        program().args(strength).args(["--seed", "2"]).stdout(std::process::Stdio::piped()).spawn().expect("it starts");
    drop(unread.stdout.take());
    unread.wait().expect("it ends");
    let replaced = std::fs::read_to_string(format!("{folder}/index.html")).expect("a page");
    assert!(replaced.contains("--seed 2"), "{replaced}");
    let complaint = refused(&["reproduce", "dobutsu-tree", "--scale", "0.01", "--report", &folder]);
    assert!(complaint.contains("index.html is the report of othello-budget, which would be lost"), "{complaint}");
    let replaced = std::fs::read_to_string(format!("{folder}/index.html")).expect("a page");
    assert!(replaced.contains("<section id=\"othello-budget\">") && !replaced.contains("dobutsu-tree"), "{replaced}");
    std::fs::write(format!("{folder}/index.html"), "<p>My page</p>").expect("another page");
    assert!(refused(strength).contains("index.html is a page of something else"));
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn bundles_an_experiment_and_verifies_it() {
    let folder = format!("{}/bundle-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let file = format!("{folder}.bundle");
    let data = ["--data", &folder];
    let export = [&data[..], &["records", "export", "--bundle", &file]].concat();
    assert!(refused(&export).contains("no experiment was run by this version"));
    said(&[&data[..], &["reproduce", "othello-budget", "--scale", "0.002"]].concat());
    let exported = said(&export);
    assert!(exported.starts_with("othello-budget, seed 1: "), "{exported}");
    let answer = json(&[&export[..], &["--json"]].concat());
    assert_eq!((&answer["bundle"], &answer["experiments"][0]["id"]), (&file.as_str().into(), &"othello-budget".into()));
    let verified = said(&["reproduce", "--verify", &file]);
    assert!(verified.contains("all games are the same, and so is the table"), "{verified}");
    assert_eq!(json(&["reproduce", "--verify", &file, "--json"])["same"], true);
    let mut bytes = std::fs::read(&file).expect("a bundle");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("a changed bundle");
    // An option that would have no effect beside these.
    for option in [&["--seed", "5"][..], &["--game", "othello"], &["--event", "7"], &["--truth"]] {
        assert!(refused(&[&export[..], option].concat()).contains("cannot be used with"), "{option:?}");
    }
    assert!(refused(&["reproduce", "--verify", &file, "--machine", "m"]).contains("cannot be used with"));
    let refusal = refused(&["reproduce", "--verify", &file]);
    assert!(refusal.contains(&format!("{file}: the bundle ")), "{refusal}");
    assert!(refused(&["reproduce", "--verify", "nowhere.bundle"]).contains("nowhere.bundle"));
    let _ = std::fs::remove_dir_all(folder);
    let _ = std::fs::remove_file(file);
}

#[test]
fn runs_an_experiment_file_and_reports_its_errors() {
    let file = format!("{}/own-{}.toml", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let text = "id = \"othello-own\"\ntitle = \"Own\"\nquestion = \"Who?\"\nkind = \"match\"\ngame = \"othello\"\n\
                player = \"greedy\"\nopponent = \"random\"\nopenings = \"random:4\"\ngames = 2\nminutes = 1\n\
                [source]\ntext = \"me\"\nclaim = \"none\"\n[[budgets]]\nnodes = 1\n";
    std::fs::write(&file, text).expect("a file");
    assert!(said(&["reproduce", &file]).contains("othello-own: Own"));
    std::fs::write(&file, text.replace("greedy", "gredy")).expect("a file");
    let complaint = refused(&["reproduce", &file]);
    assert!(complaint.contains(", line 6: gredy: there is no player `gredy`"), "{complaint}");
    // Its results would be those of the built-in experiment.
    std::fs::write(&file, text.replace("othello-own", "othello-budget")).expect("a file");
    let complaint = refused(&["reproduce", &file]);
    assert!(complaint.contains(", line 1: `othello-budget` is the id of a built-in experiment"), "{complaint}");
    assert!(refused(&["reproduce", "nowhere.toml"]).contains("nowhere.toml cannot be read"));
    let other = file.replace(".toml", ".txt");
    std::fs::rename(&file, &other).expect("a file of another name");
    assert!(refused(&["reproduce", &other]).contains("the name of a file ends with .toml"));
    let _ = std::fs::remove_file(other);
    let complaint = refused(&["reproduce", "dobutsu-nothing-known"]);
    assert!(complaint.contains("no experiment on dobutsu") && !complaint.contains("othello"), "{complaint}");
}

#[test]
fn prints_stored_games_and_replays_them() {
    let folder = format!("{}/out-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let _ = std::fs::remove_dir_all(&folder);
    let played = |games: &str| {
        let args = ["--data", &folder, "match", "golad", "random", "random", "--nodes", "1", "--games-out", "--games"];
        let text = said(&[&args[..], &[games]].concat());
        let mut lines: Vec<String> =
            text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let two = played("2");
    assert_eq!(two.len(), 2, "{two:?}");
    assert_eq!(played("2"), two, "nothing is played, and all is printed");
    let four = played("4");
    assert_eq!((four.len(), &four[..2]), (4, &two[..]));
    assert_eq!(played("2"), two, "no more games than planned");
    // As in opening files, but without the last move, which ends the game.
    let exported = said(&["--data", &folder, "records", "export", "1", "--json"]);
    assert_eq!(exported, said(&["--data", &folder, "records", "export", "1", "--format", "json"]));
    assert!(
        refused(&["--data", &folder, "records", "export", "1", "--json", "--format", "moves"])
            .contains("cannot be used")
    );
    let exported = said(&["--data", &folder, "records", "export", "1", "--format", "moves"]);
    assert_eq!(exported.lines().count(), 4);
    let openings = format!("{folder}/openings");
    let lines: Vec<String> = exported
        .lines()
        .zip(&four)
        .map(|(line, printed)| {
            assert!(line.starts_with("\"start:") && printed.ends_with(line), "{line}");
            let (position, moves) = line[1..].split_once("\" ").expect("a position and moves");
            let show = json(&["show", "golad", "--position", position, "--moves", moves, "--json"]);
            assert!(!show["outcome"].is_null(), "the whole game: {show}");
            let last = ["pass", "kill", "birth"].iter().filter_map(|verb| line.rfind(verb)).max().expect("a move");
            line[..last].to_owned()
        })
        .collect();
    std::fs::write(&openings, lines.join("\n")).expect("a file");
    let file = format!("file:{openings}");
    let args = ["match", "golad", "random", "random", "--nodes", "1", "--games", "8", "--openings", &file];
    assert!(said(&[&["--data", &folder], &args[..]].concat()).contains("8 of 8"));
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn games_begin_at_the_position_of_the_match() {
    let folder = format!("{}/position-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let args = ["match", "tubstap", "smaef", "random", "--nodes", "1", "--games", "2", "--position", "select_A1"];
    let played = said(&[&["--data", &folder], &args[..]].concat());
    assert!(played.contains("position:select_A1 openings"), "{played}");
    let longest = ["--json", "--openings", "random:1"];
    let played = json(&[&["--data", &folder], &args[..], &longest[..]].concat());
    assert_eq!(played["openings"], "random:1 from position:select_A1", "{played}");
    // The same match in other letters.
    let again = args.map(|word| if word == "select_A1" { "SELECT_a1" } else { word });
    let again = json(&[&["--data", &folder], &again[..], &longest[..]].concat());
    assert_eq!(again["openings"], played["openings"]);
    assert_eq!(json(&["--data", &folder, "records", "list", "--json"])["matches"].as_array().map(Vec::len), Some(2));
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn only_matches_create_stores() {
    let folder = format!("{}/none-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let store = format!("{folder}/none.sqlite");
    for verb in [&["list"][..], &["show", "1"], &["export", "1"]] {
        let args = [&["records"], verb, &["--store", &store]].concat();
        assert!(refused(&args).contains(&format!("there is no store {store}")), "{verb:?}");
    }
    let text = said(&["records", "list", "--data", &folder]);
    assert_eq!(text, "", "nothing has been stored yet");
    assert!(!std::path::Path::new(&folder).exists());
}

/// A store that may be read only, by a user that may write neither the file nor its folder.
#[cfg(unix)]
#[test]
fn reads_a_store_that_may_not_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::env::temp_dir().join(format!("banmen-readable-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let store = folder.join("store.sqlite").display().to_string();
    said(&["--store", &store, "match", "othello", "greedy", "random", "--games", "2", "--nodes", "1"]);
    let program = folder.join("banmen");
    if std::fs::hard_link(env!("CARGO_BIN_EXE_banmen"), &program).is_err() {
        std::fs::copy(env!("CARGO_BIN_EXE_banmen"), &program).expect("a copy");
    }
    let allow = |mode, path: &std::path::Path| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
    };
    allow(0o444, store.as_ref());
    allow(0o555, &folder);
    // Permissions do not bind root: then another user reads the store.
    let id = Command::new("id").arg("-u").output().expect("a user").stdout;
    let reader = |args: &[&str]| {
        let mut command = if id == b"0\n" {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
            command
        } else {
            Command::new(&program)
        };
        let output = command.args(["--store", &store]).args(args).output().expect("it starts");
        let [out, complaint] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
        (output.status.code(), out, complaint)
    };
    let (code, listed, complaint) = reader(&["records", "list"]);
    assert!(code == Some(0) && listed.contains("greedy"), "{listed}{complaint}");
    let (code, exported, complaint) = reader(&["records", "export", "1"]);
    assert!(code == Some(0) && exported.contains("GM[Othello]"), "{exported}{complaint}");
    let (code, found, complaint) = reader(&["records", "check"]);
    assert!(code == Some(0) && found.contains("2 games, 0 samples: no damage found"), "{found}{complaint}");
    let played = ["match", "othello", "greedy", "random", "--games", "4", "--nodes", "1"];
    let (code, _, complaint) = reader(&played);
    assert!(code == Some(2) && complaint.contains("the store may not be written"), "{complaint}");
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 2, "nothing was left beside it");
    allow(0o755, &folder);
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn searches_for_moves_of_stored_games_again() {
    let folder = format!("{}/rerun-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let data = ["--data", &folder];
    for (game, a, b, plies) in [
        ("othello", "engine:level=9", "mcts", 6),
        ("dobutsu", "mcts", "engine:level=5", 2),
        ("tubstap", "m-uct", "s-uct", 1),
    ] {
        let limit = ["--games", "2", "--playouts", "50"];
        said(&[&data[..], &["match", game, a, b], &limit].concat());
        let list = json(&[&data[..], &["records", "list", "--json", "--game", game]].concat());
        let id = list["matches"][0]["id"].to_string();
        let shown = json(&[&data[..], &["records", "show", &id, "0.1", "--json"]].concat());
        let record = &shown["game"];
        let (opening, moves) =
            (record["opening"].as_u64().expect("a number"), record["moves"].as_array().expect("moves"));
        let late = (moves.len() - plies).max(opening as usize);
        for ply in (opening as usize..moves.len()).step_by(7).chain([late]) {
            let number = (ply + 1).to_string();
            let again = json(&[&data[..], &["records", "think", &id, "0.1", &number, "--json"]].concat());
            assert_eq!(again["rerun"]["chosen"], moves[ply], "{game}, move {number}: {again}");
            assert_eq!(again["rerun"]["same"], true);
        }
        let last = moves.len().to_string();
        let text = said(&[&data[..], &["records", "think", &id, "0.1", &last]].concat());
        assert!(text.contains("as in the game\ndepth "), "{text}");
        for wrong in [opening.to_string(), (moves.len() + 1).to_string()] {
            let complaint = refused(&[&data[..], &["records", "think", &id, "0.1", &wrong]].concat());
            assert!(wrong == "0" || complaint.contains("not one that a player chose"), "{complaint}");
        }
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn exports_positions_as_a_dataset() {
    let folder = format!("{}/dataset-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let data = ["--data", &folder];
    let file = format!("{folder}/positions.parquet");
    let export = [&data[..], &["records", "export", "--dataset", &file]].concat();
    let with = |options: &[&'static str]| [&export[..], options].concat();
    assert!(refused(&export).contains("the store has no games that are selected"));
    said(&[&data[..], &["match", "othello", "engine:level=2", "random", "--games", "4", "--nodes", "50"]].concat());
    said(&[&data[..], &["match", "golad", "random", "random", "--games", "2", "--nodes", "1"]].concat());
    let written = said(&with(&["1", "--per-game", "3", "--searches", "--licence", "CC0-1.0"]));
    assert_eq!(written, format!("12 rows of 4 games in 1 match; card: {file}.md\n"));
    assert!(std::fs::read(&file).expect("a file").starts_with(b"PAR1"));
    let card = std::fs::read_to_string(format!("{file}.md")).expect("a card");
    let command = "`banmen records export 1 --dataset positions.parquet --searches --per-game 3 --seed 1`";
    assert!(card.contains(command) && card.contains("license: CC0-1.0"), "{card}");
    assert!(said(&with(&["--game", "golad"])).contains(" rows of 2 games in 1 match;"));
    let answer = json(&with(&["1", "--per-game", "3", "--json"]));
    assert_eq!([&answer["rows"], &answer["games"], &answer["matches"]], [12, 4, 1]);
    assert_eq!(answer["card"], format!("{file}.md"));
    assert!(said(&with(&["--result", "1:won", "--player", "engine"])).contains(" games in 1 match;"));
    for (options, expected) in [
        (&["--truth"][..], "golad has no exact solver"),
        (&["--truth", "--game", "othelo"], "the nearest name is `othello`"),
        (&["7"], "no match 7"),
        (&["--values", "engine", "--game", "othello"], "--nodes"),
        (&["--nodes", "5"], "--values"),
        (&["--truth-nodes", "5"], "--truth"),
        (&["--searches", "--values", "engine", "--nodes", "5"], "cannot be used with"),
        (&["--values", "engin", "--nodes", "5", "--game", "othello"], "the nearest name is `engine`"),
        (&["--format", "json"], "cannot be used with"),
        (&["1", "0.1"], "cannot be used with"),
    ] {
        let complaint = refused(&with(options));
        assert!(complaint.contains(expected), "{options:?}: {complaint}");
    }
    let nowhere = format!("{folder}/missing/a.parquet");
    assert!(
        refused(&[&data[..], &["records", "export", "--dataset", &nowhere]].concat()).contains("cannot be written")
    );
    let left: Vec<_> =
        std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("one").file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".unfinished")), "{left:?}");
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn checks_the_store_and_sets_damage_aside() {
    let folder = format!("{}/check-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let play = ["--data", &folder, "match", "othello", "greedy", "random", "--games", "4", "--nodes", "1"];
    said(&play);
    let check = ["--data", &folder, "records", "check"];
    assert_eq!(said(&check), "1 match, 4 games, 0 samples: no damage found\n");
    let store = format!("{folder}/banmen.sqlite");
    let connection = rusqlite::Connection::open(&store).expect("a database");
    connection.execute_batch("UPDATE game SET points = 2 - points WHERE pair = 1 AND game = 0").expect("a change");
    drop(connection);
    let output = banmen(&check);
    assert_eq!(output.status.code(), Some(1), "a negative answer");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("damage found\ngame 1.1.0  its result is "), "{text}");
    let repaired = said(&[&check[..], &["--repair"]].concat());
    assert!(repaired.contains("\ngame 1.1.0  its result is "), "{repaired}");
    assert!(repaired.contains("\nset aside, in the table `damaged`: 2 games, 1 pair of games\n"), "{repaired}");
    assert_eq!(said(&check), "1 match, 2 games, 0 samples: no damage found\n");
    said(&play);
    assert_eq!(json(&[&check[..], &["--json"]].concat())["check"]["games"], 4);
    // A file cut short cannot be opened as a store.
    rusqlite::Connection::open(&store)
        .and_then(|file| file.pragma_update(None, "journal_mode", "DELETE"))
        .expect("no log");
    let bytes = std::fs::read(&store).expect("bytes");
    std::fs::write(&store, &bytes[..bytes.len() / 2]).expect("a file cut short");
    let output = banmen(&check);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("damage found\nthe file"), "{output:?}");
    let repaired = said(&[&check[..], &["--repair"]].concat());
    assert!(repaired.contains("\nlost, as they cannot be read: "), "{repaired}");
    assert!(said(&check).contains("no damage found"));
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn stores_shows_and_exports_games() {
    let folder = format!("{}/records-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let _ = std::fs::remove_dir_all(&folder);
    fn with<'a>(args: &[&'a str], folder: &'a str) -> Vec<&'a str> {
        [args, &["--data", folder]].concat()
    }
    for (game, format, file) in [("othello", "ggf", "games.ggf"), ("dobutsu", "kif", "games.kif")] {
        let text = said(&with(&["match", game, "engine:level=1", "random", "--games", "6", "--nodes", "50"], &folder));
        assert!(text.contains("6 of 6"), "{text}");
        let listed = json(&with(&["records", "list", "--game", game, "--json"], &folder));
        let found = &listed["matches"][0];
        let id = found["id"].to_string();
        assert_eq!(
            (&found["games"], &found["planned"], &found["players"][1]),
            (&json!(6), &json!(6), &json!("random"))
        );
        let shown = said(&with(&["records", "show", &id], &folder));
        assert!(shown.contains("engine:level=1 against random"));
        let games: Vec<&str> = shown.lines().skip_while(|line| !line.starts_with("game ")).collect();
        let head: Vec<&str> = games[0].split_whitespace().collect();
        assert_eq!(head, ["game", "score", "margin", "ended", "by", "plies"], "{shown}");
        assert_eq!(games.len(), 2 + 6, "a rule and the games: {shown}");
        let begun = shown.lines().find_map(|line| line.strip_prefix("begun")).expect("a date").trim().to_owned();
        assert!(said(&with(&["records", "show", &id, "2.1"], &folder)).contains("first    random"));
        let moves = said(&with(&["records", "export", &id, "--format", "moves"], &folder));
        assert_eq!(moves.lines().count(), 6);
        let one = said(&with(&["records", "export", &id, "2.1", "--format", "moves"], &folder));
        assert!(one.lines().count() == 1 && moves.contains(&one), "{one}");
        assert!(refused(&with(&["records", "export", &id, "3.0"], &folder)).contains("no game 3.0 in match"));
        let won =
            said(&with(&["records", "export", &id, "--format", "moves", "--result", "1:won"], &folder)).lines().count();
        assert_eq!(found["results"][0], won, "won games are counted");

        // Importing the exported file gives the same games, in a new match.
        let path = format!("{folder}/{file}");
        std::fs::write(&path, said(&with(&["records", "export", &id], &folder))).expect("a file");
        assert!(refused(&with(&["records", "export", &id, "--format", &format[..2]], &folder)).contains(format));
        let imported = json(&with(&["records", "import", game, &path, "--json"], &folder));
        assert_eq!((&imported["imported"]["games"], &imported["imported"]["unfinished"]), (&json!(6), &json!([])));
        let matches = imported["imported"]["matches"].as_array().expect("numbers").clone();
        assert_eq!(matches.len(), 2, "each order of the players is one");
        // A mark at the beginning, as editors write it, changes nothing.
        let marked = format!("{folder}/marked-{file}");
        std::fs::write(&marked, format!("\u{feff}{}", said(&with(&["records", "export", &id], &folder))))
            .expect("a file");
        let again = json(&with(&["records", "import", game, &marked, "--json"], &folder));
        assert_eq!(again["imported"]["games"], 6);
        let mut again: Vec<String> = Vec::new();
        for id in &matches {
            let text = said(&with(&["records", "export", &id.to_string(), "--format", "moves"], &folder));
            again.extend(text.lines().map(str::to_owned));
            // The event and the date are those of the record.
            let written = said(&with(&["records", "export", &id.to_string()], &folder));
            for stated in [format!("banmen {}.", found["id"]), begun.clone()] {
                assert!(written.contains(&stated), "{stated} in {written}");
            }
            let shown = said(&with(&["records", "show", &id.to_string(), "0.0"], &folder));
            assert!(shown.contains(&format!("date     {begun}")), "{shown}");
        }
        let mut moves: Vec<String> = moves.lines().map(str::to_owned).collect();
        moves.sort();
        again.sort();
        assert_eq!(again, moves);
        assert_eq!(
            json(&with(&["records", "import", game, &path, "--json"], &folder)),
            imported,
            "no game is imported twice"
        );
    }
    let bad = format!("{folder}/bad.ggf");
    std::fs::write(&bad, "(;GM[Othello]B[F5]W[A1];)").expect("a file");
    let complaint = refused(&with(&["records", "import", "othello", &bad], &folder));
    assert!(complaint.contains("bad.ggf: line 1, character 21: game 1"), "{complaint}");
    for empty in ["", " \n"] {
        std::fs::write(&bad, empty).expect("a file");
        let complaint = refused(&with(&["records", "import", "othello", &bad], &folder));
        assert!(complaint.contains("bad.ggf: line 1, character 1: there is no game in this text"), "{complaint}");
        let complaint = refused(&["convert", "othello", "--file", &bad]);
        assert!(complaint.contains("bad.ggf: ") && complaint.contains("no position and no game"), "{complaint}");
    }
    let open = format!("{folder}/open.blksgf");
    std::fs::write(&open, "(;GM[Blokus Duo]RE[B+R];B[e10])(;GM[Blokus Duo];B[e10])").expect("a file");
    let output = banmen(&with(&["records", "import", "blokus", &open], &folder));
    let [text, remarks] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(text.starts_with("1 game, in matches: ") && remarks.contains("in the file: 2"), "{text}{remarks}");
    let id = text.trim().rsplit(' ').next().expect("a number");
    let of_result = |result| with(&["records", "export", id, "--format", "moves", "--result", result], &folder);
    assert_eq!(said(&of_result("1:won")), "e10\n");
    let complaint = refused(&of_result("1:lost"));
    assert!(complaint.contains(&format!("match {id} has no games that are selected")), "{complaint}");
    let _ = std::fs::remove_dir_all(&folder);
}
