//! `learn`: learns from games of a player against itself.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use banmen_arena::Contestant;
use banmen_catalog::{Error, ErrorCode, FeatureGroup, PhaseGammas, PlayerText};
use banmen_learn::{
    EvaluationSpec, GenerationReport, Learned, PhaseFit, Quality, RatingSpec, Stage, Training, fitted, strongest,
};
use banmen_search::Limits;
use serde_json::{Value, json};

use super::queue::{concurrency, workers};
use super::{Ask, Done, processors};
use crate::args::{Learn, LearnEvaluation, LearnRatings, LearnVerb};
use crate::failure::Failure;
use crate::output::{bar, remark, say, say_json, table};

/// Playouts for a move where no limits are given.
const PLAYOUTS: u64 = 1_000;

/// The number of features of a group that are listed; the file contains all.
const MAX_LISTED: usize = 30;

pub(crate) fn run(args: &Learn, ask: &Ask) -> Done {
    match &args.what {
        LearnVerb::Ratings(args) => ratings(args, ask),
        LearnVerb::Othello(args) => evaluation("othello", args, ask),
    }
}

fn ratings(args: &LearnRatings, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.game)?.as_ref();
    let sets = game.ratings().map(|ratings| ratings.list()).unwrap_or_default();
    let Some(usual) = sets.first() else {
        let message = format!("{} describes no features of its moves, so they cannot be rated", args.game);
        return Err(Error::new(ErrorCode::Unsupported, message).arg("game", args.game.as_str()).into());
    };
    let features = args.features.clone().unwrap_or_else(|| usual.name.to_owned());
    let named = features.split(':').next().unwrap_or_default();
    let set = sets.iter().find(|set| set.name == named).unwrap_or(usual);
    let limits = match Limits::from(args.limits) {
        none if none == Limits::default() => Limits { playouts: Some(PLAYOUTS), ..none },
        limits => limits,
    };
    let player = Contestant::new(args.player.as_deref().unwrap_or(set.player), limits);
    let training = Training {
        rules: args.rules.clone(),
        random_plies: args.random_plies,
        games: args.games,
        held_out: args.held_out,
        seed: args.seed,
        ..Training::new(player)
    };
    let spec = RatingSpec { features, training };
    if let Some(path) = &args.out {
        // Before the games are played, which may take hours.
        writable(path).map_err(|error| Failure::System(path.display().to_string(), error))?;
    }
    let threads = concurrency(&args.queue, args.concurrency)?.unwrap_or_else(processors);
    let store = ask.store()?;
    ask.on_interrupt();
    let workers = workers(&args.queue, threads, &format!("learn ratings {}", args.game), ask)?;
    let bar = bar(args.games.saturating_add(args.held_out) as u64, "{bar:30} {pos}/{len} games  eta {eta}");
    let learned = spec.learn(game, &store, workers, &ask.stop, &mut |games| bar.set_position(games as u64));
    bar.finish_and_clear();
    let learned = match learned {
        Err(error) if error.code == ErrorCode::Stopped => {
            return Err(Failure::Resumable("games"));
        }
        learned => learned?,
    };
    if let Some(path) = &args.out {
        std::fs::write(path, learned.table.write())
            .map_err(|error| Failure::System(path.display().to_string(), error))?;
    }
    if args.json.json {
        say_json(&as_json(&learned));
    } else {
        say(&report(&learned));
    }
    if let Some(text) = unconverged(&learned) {
        remark(&text);
    }
    Ok(0)
}

/// Runs the recipe of a game's evaluation.
fn evaluation(game: &str, args: &LearnEvaluation, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(game)?.as_ref();
    if ask.names_store {
        let message =
            "`--store` has no effect here: a run keeps its matches in `matches.sqlite` in its folder (`--folder`)";
        return Err(Error::new(ErrorCode::Unsupported, message).arg("key", "store").into());
    }
    let spec = EvaluationSpec {
        scale: args.scale,
        seed: args.seed,
        match_games: args.match_games,
        generations: args.generations,
    };
    let folder = match (&args.folder, &ask.folder) {
        (Some(folder), _) => folder.clone(),
        (None, Some(data)) => {
            data.join("learn").join(format!("{}-scale-{}-seed-{}", game.info().name, args.scale, args.seed))
        }
        (None, None) => {
            let message = "this system has no default data directory: give `--folder FOLDER`";
            return Err(Error::new(ErrorCode::DataFolder, message).into());
        }
    };
    ask.on_interrupt();
    let threads = concurrency(&args.queue, args.concurrency)?.unwrap_or_else(processors);
    let workers = workers(&args.queue, threads, &format!("learn {}", game.info().name), ask)?;
    let bar = bar(0, "{msg} {bar:30} {pos}/{len}  eta {eta}");
    let progress = |generation: usize, stage: Stage| {
        let (what, done, all) = match stage {
            Stage::Games(done, all) => ("games", done, all),
            Stage::Fit(done, all) => ("fit", done as usize, all as usize),
            Stage::Match(done, all) => ("match", done, all),
        };
        bar.set_message(format!("generation {generation}, {what}"));
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let reports = spec.learn(game, &folder, workers, &ask.stop, &progress);
    bar.finish_and_clear();
    let (reports, stopped) = match reports {
        Err(error) if error.code == ErrorCode::Stopped => (fitted(&folder)?, true),
        reports => (reports?, false),
    };
    if args.json.json {
        say_json(&json!({ "folder": folder, "generations": reports }));
    } else if !reports.is_empty() {
        say(&generations(&reports));
        let number = strongest(&reports) + 1;
        let weights = folder.join(format!("generation-{number}")).join("weights.bin");
        let player = PlayerText::write("engine", [("weights", weights.display().to_string().as_str())]);
        say(&format!("{player} plays with the weights of generation {number}"));
    }
    if stopped {
        return Err(Failure::Resumable("shards of games, and games of matches,"));
    }
    Ok(0)
}

/// The generations as tables: the matches, and the errors by phase.
fn generations(reports: &[GenerationReport]) -> String {
    let rows: Vec<Vec<String>> = reports
        .iter()
        .zip(1..)
        .map(|(report, number): (_, usize)| {
            let [games, score, stronger] = report.against.map_or_else(Default::default, |result| {
                let [low, high] = result.interval;
                let stronger = match result.stronger {
                    Some(true) => "yes",
                    Some(false) => "no",
                    None => "undecided",
                };
                let score = format!("{:.1} % [{:.1}, {:.1}]", 100.0 * result.score, 100.0 * low, 100.0 * high);
                [result.games.to_string(), score, stronger.to_owned()]
            });
            vec![number.to_string(), report.positions.to_string(), games, score, stronger]
        })
        .collect();
    let head = ["generation", "positions", "games against the one before", "score", "stronger"].map(str::to_owned);
    let mut parts = vec![table(&head, &rows)];
    // The smallest runs hold nothing out.
    if let Some(report) = reports.last().filter(|report| !report.held_out.is_empty()) {
        let head = ["held out, last generation", "positions", "error to target", "to result"].map(str::to_owned);
        let rows: Vec<Vec<String>> = report
            .held_out
            .iter()
            .map(|phase| {
                let [target, result] = [phase.target, phase.result].map(|error| format!("{error:.2}"));
                vec![phase.phase.clone(), phase.positions.to_string(), target, result]
            })
            .collect();
        parts.push(table(&head, &rows));
    }
    parts.join("\n")
}

/// Checks that a file can be written, without changing or creating it.
fn writable(path: &Path) -> io::Result<()> {
    let exists = path.exists();
    OpenOptions::new().append(true).create(true).open(path)?;
    if exists { Ok(()) } else { std::fs::remove_file(path) }
}

fn as_json(learned: &Learned) -> Value {
    let quality = |quality: &Quality| {
        json!({
            "choices": quality.choices,
            "mean_log_likelihood": quality.mean(quality.log_likelihood),
            "uniform": quality.mean(quality.uniform),
            "first": quality.mean(quality.first),
        })
    };
    let phases = learned.table.phases.iter().zip(&learned.fits).map(|(phase, fit)| {
        let groups = phase.groups.iter().map(|group| {
            let feature = |feature: &banmen_catalog::FeatureGamma| {
                json!({
                    "name": feature.name,
                    "gamma": feature.gamma,
                    "elo": elo(feature.gamma),
                    "chosen": feature.chosen,
                    "seen": feature.seen,
                })
            };
            json!({ "name": group.name, "features": group.features.iter().map(feature).collect::<Vec<_>>() })
        });
        json!({
            "name": phase.name,
            "training": quality(&fit.training),
            "held_out": quality(&fit.held_out),
            "sweeps": fit.sweeps,
            "gap": fit.gap,
            "converged": fit.converged,
            "groups": groups.collect::<Vec<_>>(),
        })
    });
    let table = &learned.table;
    json!({
        "game": table.game,
        "rules": table.rules,
        "features": table.features,
        "player": table.player,
        "limits": table.limits,
        "random_plies": table.random_plies,
        "games": table.games,
        "seed": table.seed,
        "phases": phases.collect::<Vec<_>>(),
    })
}

fn elo(gamma: f64) -> f64 {
    400.0 * gamma.log10()
}

/// The tables: how well the strengths predict, and the strengths of each group.
fn report(learned: &Learned) -> String {
    let ratings = &learned.table;
    let mut parts = vec![
        format!("{}: {} from {} games of {}", ratings.game, ratings.features, ratings.games, ratings.player),
        String::new(),
        qualities(&ratings.phases, &learned.fits),
    ];
    for (number, group) in learned.groups.iter().enumerate() {
        let gammas: Vec<Vec<f64>> = ratings
            .phases
            .iter()
            .map(|phase| phase.groups[number].features.iter().map(|feature| feature.gamma).collect())
            .collect();
        match group.columns {
            Some(columns) => {
                for (phase, gammas) in ratings.phases.iter().zip(&gammas) {
                    parts.push(format!("{}, {}: Elo by square", group.name, phase.name));
                    parts.push(map(gammas, columns));
                }
            }
            None => parts.push(ranking(group, &ratings.phases, &gammas)),
        }
    }
    parts.join("\n")
}

/// Says which fits ended before the maximum; `None` where none did.
fn unconverged(learned: &Learned) -> Option<String> {
    let phases = learned.table.phases.iter().zip(&learned.fits).filter(|(_, fit)| !fit.converged);
    let named: Vec<String> =
        phases.map(|(phase, fit)| format!("`{}` after {} sweeps", phase.name, fit.sweeps)).collect();
    (!named.is_empty()).then(|| {
        format!("not converged: {}; these strengths are not those of the maximum likelihood", named.join(", "))
    })
}

/// Two rows for each phase: the fit on the games that were learned from, and on those that were held out, if there are any.
fn qualities(phases: &[PhaseGammas], fits: &[PhaseFit]) -> String {
    let head = ["phase", "games", "choices", "ln P", "uniform", "strongest", "sweeps", "gap", "converged"];
    let head = head.map(str::to_owned);
    let mut rows = Vec::new();
    let row = |name: &str, games: &str, quality: &Quality, end: [String; 3]| {
        let [sweeps, gap, converged] = end;
        vec![
            name.to_owned(),
            games.to_owned(),
            quality.choices.to_string(),
            format!("{:.3}", quality.mean(quality.log_likelihood)),
            format!("{:.3}", quality.mean(quality.uniform)),
            format!("{:.1} %", 100.0 * quality.mean(quality.first)),
            sweeps,
            gap,
            converged,
        ]
    };
    let mut whole = [Quality::default(); 2];
    for (phase, fit) in phases.iter().zip(fits) {
        let converged = if fit.converged { "yes" } else { "no" };
        let end = [fit.sweeps.to_string(), format!("{:.0e}", fit.gap), converged.to_owned()];
        rows.push(row(&phase.name, "learned", &fit.training, end));
        if fit.held_out.choices > 0 {
            rows.push(row("", "held out", &fit.held_out, Default::default()));
        }
        whole = [whole[0].and(fit.training), whole[1].and(fit.held_out)];
    }
    if phases.len() > 1 {
        rows.push(row("all", "learned", &whole[0], Default::default()));
        if whole[1].choices > 0 {
            rows.push(row("", "held out", &whole[1], Default::default()));
        }
    }
    table(&head, &rows)
}

/// The features of a group, the strongest of the first phase at the top, with their strengths in each phase.
fn ranking(group: &FeatureGroup, phases: &[PhaseGammas], gammas: &[Vec<f64>]) -> String {
    let mut order: Vec<usize> = (0..group.features.len()).collect();
    order.sort_by(|&a, &b| gammas[0][b].total_cmp(&gammas[0][a]));
    let head: Vec<String> =
        std::iter::once(group.name.clone()).chain(phases.iter().map(|phase| phase.name.clone())).collect();
    let row = |&feature: &usize| {
        let strengths = gammas.iter().map(|gammas| format!("{:.3}", gammas[feature]));
        std::iter::once(group.features[feature].clone()).chain(strengths).collect()
    };
    let rows: Vec<Vec<String>> = order.iter().take(MAX_LISTED).map(row).collect();
    let left = group.features.len() - rows.len();
    let more = if left > 0 { format!("and {left} more\n") } else { String::new() };
    table(&head, &rows) + &more
}

/// The features of a group as the squares of a board, in Elo.
fn map(gammas: &[f64], columns: usize) -> String {
    // Nothing is written as -0.
    let cells: Vec<String> = gammas.iter().map(|&gamma| format!("{:.0}", elo(gamma).round() + 0.0)).collect();
    let width = cells.iter().map(String::len).max().unwrap_or(0);
    let line = |row: &[String]| {
        let cells: Vec<String> = row.iter().map(|cell| format!("{cell:>width$}")).collect();
        cells.join(" ") + "\n"
    };
    cells.chunks(columns.max(1)).map(line).collect()
}

#[cfg(test)]
mod tests {
    use banmen_catalog::{FeatureGamma, GammaTable, GroupGammas, HeldOut};

    use super::*;

    fn learned() -> Learned {
        let feature = |name: &str, gamma| FeatureGamma { name: name.to_owned(), gamma, chosen: 3, seen: 9 };
        let phase = |name: &str, gammas: [f64; 6]| PhaseGammas {
            name: name.to_owned(),
            choices: 20,
            groups: vec![
                GroupGammas {
                    name: "piece".to_owned(),
                    features: vec![feature("X", gammas[0]), feature("F", gammas[1])],
                },
                GroupGammas {
                    name: "square".to_owned(),
                    features: ["a2", "b2", "a1", "b1"]
                        .iter()
                        .zip(&gammas[2..])
                        .map(|(name, &gamma)| feature(name, gamma))
                        .collect(),
                },
            ],
        };
        let group = |name: &str, features: &[&str], columns: Option<usize>| FeatureGroup {
            name: name.to_owned(),
            features: features.iter().map(ToString::to_string).collect(),
            exclusive: columns.is_none(),
            columns,
        };
        let quality = |choices| Quality { choices, log_likelihood: -30.0, uniform: -50.0, first: 5.0 };
        let fit = PhaseFit { training: quality(20), held_out: quality(10), sweeps: 7, gap: 1e-12, converged: true };
        Learned {
            table: GammaTable {
                game: "blokus".to_owned(),
                rules: "default".to_owned(),
                features: "paper".to_owned(),
                player: "uct".to_owned(),
                limits: Some("playouts=1000".to_owned()),
                random_plies: Some(0),
                games: 40,
                seed: 1,
                phases: vec![
                    phase("opening", [0.5, 2.0, 1.0, 10.0, 0.1, 100.0]),
                    phase("end", [1.5, 0.25, 1.0, 1.0, 1.0, 1.0]),
                ],
            },
            groups: vec![group("piece", &["X", "F"], None), group("square", &["a2", "b2", "a1", "b1"], Some(2))],
            fits: vec![fit, fit],
        }
    }

    #[test]
    fn report_ranks_features_and_maps_squares() {
        let text = report(&learned());
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = text.lines().map(words).collect();
        let has = |wanted: &[&str]| lines.windows(wanted.len()).any(|lines| lines == wanted);
        assert!(
            has(&["opening learned 20 -1.500 -2.500 25.0 % 7 1e-12 yes", "held out 10 -3.000 -5.000 50.0 %"]),
            "{text}"
        );
        assert!(has(&["all learned 40 -1.500 -2.500 25.0 %", "held out 20 -3.000 -5.000 50.0 %"]), "{text}");
        assert!(has(&["F 2.000 0.250", "X 0.500 1.500"]), "the stronger one in the opening first: {text}");
        assert!(has(&["square, opening: Elo by square", "0 400", "-400 800"]), "{text}");
    }

    #[test]
    fn generations_list_what_was_held_out_where_anything_was() {
        let phase = HeldOut { phase: "0 to 5 empty squares".to_owned(), positions: 9, target: 5.0, result: 6.0 };
        let report = GenerationReport {
            settings: String::new(),
            weights: String::new(),
            positions: 393,
            held_out: Vec::new(),
            against: None,
        };
        let without = generations(std::slice::from_ref(&report));
        assert!(without.contains("393") && !without.contains("held out"), "{without}");
        let with = generations(&[report.clone(), GenerationReport { held_out: vec![phase], ..report }]);
        assert!(with.contains("held out") && with.contains("\n0 to 5 empty squares "), "{with}");
    }

    #[test]
    fn fits_that_did_not_converge_are_named() {
        let mut learned = learned();
        assert_eq!(unconverged(&learned), None);
        learned.fits[1] = PhaseFit { sweeps: 2000, gap: 3e-5, converged: false, ..learned.fits[1] };
        let text = unconverged(&learned).expect("one did not");
        assert!(text.starts_with("not converged: `end` after 2000 sweeps; "), "{text}");
        let table = qualities(&learned.table.phases, &learned.fits);
        let ends: Vec<&str> = table
            .lines()
            .filter(|line| line.contains("learned"))
            .filter_map(|line| line.split_whitespace().last())
            .collect();
        assert_eq!(ends, ["yes", "no", "%"], "{table}");
    }

    #[test]
    fn json_holds_what_the_report_says() {
        let json = as_json(&learned());
        assert_eq!((&json["limits"], &json["random_plies"]), (&json!("playouts=1000"), &json!(0)));
        assert_eq!(json["phases"][0]["held_out"]["mean_log_likelihood"], -3.0);
        assert_eq!(json["phases"][0]["groups"][1]["features"][3]["elo"], 800.0);
        assert_eq!(
            json["phases"][1]["groups"][0]["features"][1],
            json!({
                "name": "F", "gamma": 0.25, "elo": elo(0.25), "chosen": 3, "seen": 9,
            })
        );
    }
}
