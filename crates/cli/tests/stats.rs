//! `banmen stats` as people and scripts use it. The values themselves are tested in the crate `stats` and shown in
//! `docs/statistics.md`.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Exit code, standard output and standard error.
fn stats(args: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_banmen"))
        .arg("stats")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may have ended without reading its input.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("a code"), text(output.stdout), text(output.stderr))
}

fn json(args: &[&str], input: &str) -> Value {
    let (code, printed, complaint) = stats(args, input);
    assert_eq!(code, 0, "{args:?}: {complaint}");
    serde_json::from_str(&printed).expect("one JSON object")
}

fn refused(args: &[&str], input: &str) -> String {
    let (code, printed, complaint) = stats(args, input);
    assert_eq!((code, printed.as_str()), (2, ""), "{args:?}: {complaint}");
    complaint
}

#[test]
fn reads_numbers_from_options_or_a_file() {
    let options = json(&["elo", "--wdl", "418,70,12", "--json"], "");
    assert_eq!(options, json(&["elo", "-", "--json"], r#"{"wdl": [418, 70, 12]}"#));
    assert_eq!((&options["games"], &options["counts"]), (&json!(500), &json!([12, 70, 418])));
    let pairs = json(&["elo", "-", "--json"], r#"{"pentanomial": [10, 20, 40, 25, 15]}"#);
    assert_eq!(pairs["games"], 220);
    let swept = json(&["elo", "--wdl", "20,0,0", "--json"], "");
    assert_eq!((&swept["elo"]["value"], &swept["superiority"]), (&Value::Null, &Value::Null));
}

#[test]
fn compares_in_the_words_of_experiments() {
    for (wins, losses, verdict) in [
        ("5000", "5000", "agrees"),
        ("5200", "4800", "differs within the margin"),
        ("6500", "3500", "differs"),
        ("10", "10", "undecided"),
    ] {
        let wdl = format!("{wins},0,{losses}");
        let found = json(&["compare", "--wdl", &wdl, "--with-score", "0.5", "--json"], "");
        assert_eq!(found["verdict"], verdict, "{wdl}");
    }
}

#[test]
fn names_a_wrong_number_with_the_reason() {
    for (args, input, complaint) in [
        (&["elo", "--wdl", "1,x,3"][..], "", "number 2, `x`, is not a count"),
        (&["elo", "--wdl", "1,-2,3"], "", "number 2, `-2`, is not a count"),
        (&["elo", "--wdl", "1,2"], "", "2 numbers, expected 3"),
        (&["elo", "--wdl", "0,0,0"], "", "there are no games"),
        (&["elo", "--wdl", "18446744073709551615,1,1"], "", "more than"),
        (&["elo", "--wdl", "1,1,1", "--confidence", "95"], "", "`95` is not a number above 0 and below 1"),
        (&["elo", "-"], r#"{"wld": [1, 2, 3]}"#, "unknown field `wld`"),
        (&["elo", "-"], r#"{"wdl": [1, 2]}"#, "invalid length 2"),
        (&["elo", "/no/such/file"], "", "/no/such/file: No such file"),
        (&["sprt", "--wdl", "1,1,1", "--test", "5,0"], "", "the first difference, 5, is not below the second, 0"),
        (&["sprt", "--wdl", "1,1,1", "--test", "0,5,0.6,0.5"], "", "error rates"),
        (&["sprt", "--pentanomial", "1,1,1,1,1", "--scale", "bayes", "--test", "0,5"], "", "has no model of pairs"),
        (&["compare", "--wdl", "1,1,1"], "", "what to compare with"),
        (&["ttest", "--sample", "1.5,0,1"], "", "number 1, 1.5, is not a sample size"),
        (&["ttest"], "", "0 samples"),
        (&["prop", "11", "10"], "", "11 successes in 10 trials: the successes must not exceed the trials"),
        (&["prop", "1", "18446744073709551615"], "", "at most 1,000,000,000 trials"),
        (&["ttest", "--wdl", "18446744073709551615,1,1"], "", "are not counts of games"),
        (&["ttest", "--wdl", "1,2,3", "--wdl", "3,2,1", "--mean", "0.4"], "", "--mean is for a single sample"),
        (&["size", "0.57", "--margin", "0.07"], "", "no number of games shows it"),
        (&["size", "0.58", "--margin", "0.07"], "", "by the margin, 0.07, or more"),
        (&["size", "0.55", "--variance", "0.5"], "", "at most 0.25"),
        (&["sprt", "--wdl", "1,2,3", "--test", "0,1,1e-320,1e-320"], "", "the error rates"),
        (&["bt", "-", "--prior", "-1"], r#"{"games": [{"first": "a", "second": "b", "wdl": [1, 0, 1]}]}"#, "below 0"),
        (
            &["bt", "-", "--draws", "halves"],
            r#"{"competitions": [{"teams": [["a"], ["b"]], "winner": 1}]}"#,
            "--draws is for `games`",
        ),
        (&["prop", "0", "0"], "", "there must be at least one trial"),
        (&["size", "0.5"], "", "score 0.5 is that of equal players"),
        (&["size", "0.55", "--power", "0.02"], "", "the power, 0.02, must be above half the level, 0.05"),
        (&["holm", "0.5", "1.5"], "", "number 2, 1.5, is not a p value"),
        (&["bt", "-"], r#"{"games": [{"first": "a", "second": "a", "wdl": [1, 0, 0]}]}"#, "game 1: `a` plays itself"),
        (&["bt", "-"], r#"{"competitions": [{"teams": [["a"]], "winner": 1}]}"#, "competition 1: there is no team 1"),
        (
            &["bt", "-"],
            r#"{"competitions": [{"teams": [["a"], ["b"]], "winner": 1, "times": 0}]}"#,
            "competition 1: it happened 0 times",
        ),
        (&["bt", "-"], "{}", "either `games` or `competitions`"),
        (
            &["bt", "-", "--prior", "-1"],
            r#"{"games": [{"first": "a", "second": "b", "wdl": [1, 0, 1]}]}"#,
            "the prior -1",
        ),
        (&["glicko2", "--player", "1500,-3,0.06"], "", "the deviation -3 is not above 0"),
        (&["glicko2", "--player", "1500,30,10"], "", "the volatility 10 is not above 0 and below 10"),
        (&["glicko2", "--tau", "0"], "", "the tau 0 is not at least 0.000001"),
        (&["glicko2", "--game", "1500,0,1"], "", "game 1: the deviation 0 is not above 0"),
        (&["glicko2", "-"], r#"{"player": [1500, 200, 0.06], "games": [[1400, 30, 3]]}"#, "game 1: the score 3"),
    ] {
        let found = refused(args, input);
        assert!(found.contains(complaint), "{args:?}: {found}");
    }
}

/// Against normal theory, which is exact with so many games.
#[test]
fn tests_of_many_games_keep_their_digits() {
    let found = json(&["ttest", "--sample", "1000000000000000,6.324555320336758e-08,1", "--mean", "0", "--json"], "");
    let p = found["student"]["p"].as_f64().expect("a number");
    assert!((p - 0.045_500_26).abs() < 1e-7, "{found}");
    for (wins, p) in [(10_000_000_000_000u64, 1.0), (10_000_004_472_136, 0.317_310_5)] {
        let found = json(&["ttest", "--wdl", &format!("{wins},0,9999999999999"), "--json"], "");
        assert!((found["sign"].as_f64().expect("a number") - p).abs() < 1e-6, "{found}");
    }
}

#[test]
fn names_players_that_cannot_be_compared() {
    let games = r#"{"games": [{"first": "a", "second": "b", "wdl": [2, 0, 2]}, {"first": "c", "second": "a", "wdl": [2, 0, 0]}]}"#;
    assert!(refused(&["bt", "-"], games).contains("there were no games: c | a, b;"));
    let rated = json(&["bt", "-", "--prior", "1", "--anchor", "b=1000", "--advantage", "--json"], games);
    assert_eq!(rated["players"][0]["player"], "c");
    assert_eq!(rated["players"][1], json!({ "player": "b", "value": 1000.0, "low": 1000.0, "high": 1000.0 }));
    assert!(refused(&["bt", "-", "--prior", "1", "--anchor", "d"], games).contains("the anchor `d` has no games"));
}

#[test]
fn rates_the_members_of_teams_with_intervals_and_an_anchor() {
    let games = r#"{"competitions": [{"teams": [["a"], ["b"]], "winner": 0, "times": 70},
        {"teams": [["a"], ["b"]], "winner": 1, "times": 9}, {"teams": [["c"], []], "winner": 0, "times": 3},
        {"teams": [["c"], []], "winner": 1}]}"#;
    let member = |found: &Value, name: &str| {
        let members = found["members"].as_array().expect("a list");
        members.iter().find(|member| member["member"] == name).expect("a member").clone()
    };
    let number = |value: &Value| value.as_f64().expect("a number");
    // The mean of `a` and `b` is free, and 0; `c` is rated against the empty team.
    let centred = json(&["bt", "-", "--json"], games);
    let a = member(&centred, "a");
    assert!((number(&a["gamma"]) - 2.788_866_755).abs() < 1e-8, "{a}");
    assert!(number(&a["low"]) > 50.0 && number(&a["low"]) < number(&a["elo"]), "{a}");
    assert!((number(&member(&centred, "c")["gamma"]) - 3.0).abs() < 1e-8);
    let anchored = json(&["bt", "-", "--anchor", "b=100", "--json"], games);
    let (a, b) = (member(&anchored, "a"), member(&anchored, "b"));
    assert!((number(&b["elo"]) - 100.0).abs() < 1e-6 && (number(&b["high"]) - 100.0).abs() < 1e-4, "{b}");
    assert!((number(&a["elo"]) - 456.342).abs() < 0.001, "{a}");
    assert!((number(&member(&anchored, "c")["gamma"]) - 3.0).abs() < 1e-8);
    // The scale of `a` and `b` is free with the prior, too: the prior alone sets it without an anchor.
    let prior = json(&["bt", "-", "--prior", "1", "--anchor", "b", "--json"], games);
    assert!((number(&member(&prior, "b")["elo"])).abs() < 1e-6);
    for (args, complaint) in [
        (["--anchor", "c"], "the results determine the strength of `c`, so it cannot be the anchor"),
        (["--anchor", "d"], "the anchor `d` has no games"),
        (["--prior", "2"], "the prior of teams is 0 or 1"),
    ] {
        let error = refused(&[&["bt", "-"][..], &args[..]].concat(), games);
        assert!(error.contains(complaint), "{error}");
    }
    assert!(refused(&["bt", "-", "--advantage"], games).contains("--advantage is for `games`"));
}

#[test]
fn judges_the_counts_of_a_sequential_match_as_the_match_does() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sprt-{}", std::process::id()));
    let play = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_banmen"))
            .args([
                "match",
                "dobutsu",
                "engine:level=2,table=1",
                "random",
                "--nodes",
                "50",
                "--sprt",
                "0,50",
                "--seed",
                "2",
                "--data",
            ])
            .arg(&folder)
            .args(more)
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let played: Value = serde_json::from_str(&play(&["--json"])).expect("one object");
    let text = play(&[]);
    let _ = std::fs::remove_dir_all(&folder);
    let printed = text.lines().find_map(|line| line.strip_prefix("overshoot")).expect("a line of its own");
    let overshoot = printed.trim().split(", by").next().expect("two numbers");
    assert_ne!(overshoot, "0.0000,0.0000", "the bounds are narrowed");
    let of_json =
        played["test"]["overshoot"].as_array().expect("two").iter().map(|over| over.as_f64().expect("a number"));
    assert_eq!(of_json.map(|over| format!("{over:.4}")).collect::<Vec<_>>().join(","), overshoot);
    let counts = played["pairs"].as_array().expect("five").iter().map(Value::to_string).collect::<Vec<_>>().join(",");
    let sprt =
        |more: &[&str]| json(&[&["sprt", "--pentanomial", &counts, "--test", "0,50", "--json"], more].concat(), "");
    let (test, same) = (&played["test"], sprt(&["--overshoot", overshoot]));
    for key in ["llr", "lower", "upper"] {
        let [match_value, value] = [test, &same].map(|value| value[key].as_f64().expect("a number"));
        assert!((match_value - value).abs() < 1e-4, "{key}: {test} and {same}");
    }
    assert_eq!((&test["accepted"], &same["decision"]), (&json!("elo1"), &json!("h1")));
    // Without it the bounds are those of the plan, which this match did not reach.
    let plain = sprt(&[]);
    assert!((plain["upper"].as_f64().expect("a number") - 2.944438979).abs() < 1e-9);
    assert_eq!(plain["decision"], Value::Null);
    for wrong in ["-1,0", "3,3"] {
        let overshoot = format!("--overshoot={wrong}");
        assert!(refused(&["sprt", "--wdl", "1,1,1", "--test", "0,5", &overshoot], "").contains("the overshoot ["));
    }
}
