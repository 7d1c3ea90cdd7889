//! Questions about the score of a match: Elo, sequential tests, and the comparison of two.

use banmen_arena::signed;
use banmen_stats::{
    Bounds, Decision, DecisiveSuperiority, Difference, EloEstimate, Games, Pairs, Plan, Scale, Tally, draw_elo,
    llr_bayes_elo,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{answer, elo_json, elo_text, p_text, percent, read, refused, row, score_text};
use crate::args::{Compare, Elo, Length, LengthScaleArg, Los, Results, ScaleArg, Sprt};
use crate::failure::Failure;
use crate::verbs::Done;

/// The results of a match, by games or by pairs.
enum Counts {
    Games(Games),
    Pairs(Pairs),
}

/// A file of results.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    wdl: Option<[u64; 3]>,
    pentanomial: Option<[u64; 5]>,
}

fn counts(results: &Results) -> Result<Counts, Failure> {
    let File { wdl, pentanomial } = match &results.file {
        Some(file) => read(file)?,
        None => File { wdl: results.wdl, pentanomial: results.pentanomial },
    };
    match (wdl, pentanomial) {
        (Some(wdl), None) => games(wdl).map(Counts::Games),
        (None, Some(counts)) => pairs(counts).map(Counts::Pairs),
        _ => Err(refused("results are either `wdl` or `pentanomial`")),
    }
}

fn games([wins, draws, losses]: [u64; 3]) -> Result<Games, Failure> {
    played(Games::from_wins_draws_losses(wins, draws, losses))
}

fn pairs(counts: [u64; 5]) -> Result<Pairs, Failure> {
    played(Pairs { counts })
}

/// The largest sum of counts. Larger ones are not counts of games, and sums of their squares would lose their last
/// digits.
pub(super) const MAX_GAMES: u64 = 1 << 50;

fn played<const K: usize>(tally: Tally<K>) -> Result<Tally<K>, Failure> {
    match tally.total() {
        0 => Err(refused("all counts are 0: there are no games")),
        1..=MAX_GAMES => Ok(tally),
        _ => Err(refused(format!("the counts are more than {MAX_GAMES} together"))),
    }
}

pub(super) fn elo(args: &Elo) -> Done {
    match counts(&args.results)? {
        Counts::Games(tally) => elo_of(&tally, args),
        Counts::Pairs(tally) => elo_of(&tally, args),
    }
}

fn elo_of<const K: usize>(tally: &Tally<K>, args: &Elo) -> Done {
    let level = args.confidence.level;
    let (Some(score), Some(interval), Some(normal)) =
        (tally.score(), tally.interval(level), tally.normal_interval(level))
    else {
        return Err(refused("there are no games"));
    };
    let elo = EloEstimate::new(score, interval);
    let plain = EloEstimate::new(score, normal);
    let normalised = tally.normalised_elo(level);
    let superiority = tally.superiority();
    let mut rows = vec![row("games", describe(tally)), row("score", score_text(score, interval))];
    rows.push(row("Elo", elo_text(elo)));
    let none = || "n/a".to_owned();
    rows.push(row(
        "by normal theory",
        match (plain.value, plain.margin()) {
            (Some(value), Some(margin)) => format!("{} ± {margin:.2}", signed(value, 2)),
            _ => none(),
        },
    ));
    rows.push(row("nElo", normalised.map_or_else(none, |elo| format!("{} ± {:.2}", signed(elo.value, 2), elo.margin))));
    rows.push(row("LOS", superiority.map_or_else(none, |los| format!("{} %", percent(los)))));
    let value = json!({
        "games": tally.games(), "counts": tally.counts.as_slice(), "score": score, "variance": tally.variance(),
        "confidence": level, "interval": [interval.low, interval.high], "elo": elo_json(elo),
        "normal_elo": elo_json(plain),
        "normalised_elo": normalised.map(|elo| json!({ "value": elo.value, "margin": elo.margin })),
        "superiority": superiority, "draw_ratio": tally.draw_ratio(), "p_value": tally.p_value(0.5),
    });
    answer(args.json, &value, &rows)
}

/// The counts in words.
fn describe<const K: usize>(tally: &Tally<K>) -> String {
    match tally.counts.as_slice() {
        [losses, draws, wins] => format!("{}: {wins} won, {draws} drawn, {losses} lost", tally.games()),
        counts => format!("{} in pairs: {counts:?} by points 0, ½, 1, 1½, 2", tally.games()),
    }
}

pub(super) fn sprt(args: &Sprt) -> Done {
    match counts(&args.results)? {
        Counts::Games(tally) => match args.scale {
            ScaleArg::Bayes => bayes(&tally, args),
            _ => sequential(&tally, args),
        },
        Counts::Pairs(_) if args.scale == ScaleArg::Bayes => Err(refused("BayesElo has no model of pairs: use --wdl")),
        Counts::Pairs(tally) => sequential(&tally, args),
    }
}

fn decision_text(decision: Option<Decision>, [elo0, elo1, ..]: [f64; 4]) -> String {
    match decision {
        Some(Decision::AcceptH0) => format!("rather {elo0} than {elo1}"),
        Some(Decision::AcceptH1) => format!("rather {elo1} than {elo0}"),
        None => "none: the test continues".to_owned(),
    }
}

fn decision_json(decision: Option<Decision>) -> Value {
    decision.map_or(Value::Null, |decision| if decision == Decision::AcceptH1 { "h1".into() } else { "h0".into() })
}

fn llr_text(llr: f64, bounds: Bounds) -> String {
    format!("{llr:.4}  ({:.4}, {:.4})", bounds.lower, bounds.upper)
}

/// The bounds after the correction for overshoot.
fn narrowed(bounds: Bounds, args: &Sprt) -> Result<Bounds, Failure> {
    let overshoot = args.overshoot.unwrap_or_default();
    let narrowed = bounds.narrowed(overshoot);
    if overshoot.iter().any(|over| *over < 0.0) || narrowed.lower >= narrowed.upper {
        return Err(refused(format!(
            "the overshoot {overshoot:?} is below 0, or leaves nothing between the bounds {:.4} and {:.4}",
            bounds.lower, bounds.upper
        )));
    }
    Ok(narrowed)
}

const TOO_FAR: &str = "the model has no solution for these differences";

fn sequential<const K: usize>(tally: &Tally<K>, args: &Sprt) -> Done {
    let [elo0, elo1, alpha, beta] = args.test;
    let scale = if args.scale == ScaleArg::Logistic { Scale::Logistic } else { Scale::Normalised };
    let plan = Plan::new(scale, elo0, elo1, alpha, beta).ok_or_else(|| refused(TOO_FAR))?;
    let llr = plan.llr(tally).ok_or_else(|| refused(TOO_FAR))?;
    let bounds = narrowed(plan.bounds, args)?;
    let decision = bounds.decide(llr);
    let estimate = plan.estimate(tally, args.confidence.level);
    let mut rows = vec![row("games", describe(tally)), row("LLR", llr_text(llr, bounds))];
    rows.push(row("decision", decision_text(decision, args.test)));
    if let Some(estimate) = estimate {
        rows.push(row("Elo", format!("{}, median-unbiased", elo_text(estimate.elo))));
        rows.push(row("LOS", format!("{} %", percent(estimate.superiority))));
    }
    // The expected length at the two hypotheses and halfway between them; on the normalised scale, whose differences
    // are not ordinary Elo, at the estimate.
    let elos: Vec<f64> = match scale {
        Scale::Logistic => vec![elo0, 0.5 * (elo0 + elo1), elo1],
        Scale::Normalised => estimate.and_then(|estimate| estimate.elo.value).into_iter().collect(),
    };
    let mut expected = Vec::new();
    for elo in elos {
        let Some(found) = tally.variance().and_then(|variance| plan.expectation::<K>(elo, variance)) else { continue };
        let games = found.observations * tally.games() as f64 / tally.total() as f64;
        let passes = percent(found.passes);
        rows.push(row(
            "expected",
            format!("{games:.0} games, {passes} % passing, at a true Elo of {}", signed(elo, 2)),
        ));
        expected
            .push(json!({ "elo": elo, "games": games, "observations": found.observations, "passes": found.passes }));
    }
    let value = json!({
        "games": tally.games(), "counts": tally.counts.as_slice(), "scale": format!("{scale:?}").to_lowercase(),
        "elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "llr": llr,
        "lower": bounds.lower, "upper": bounds.upper, "decision": decision_json(decision),
        "confidence": args.confidence.level, "elo": estimate.map(|estimate| elo_json(estimate.elo)),
        "superiority": estimate.map(|estimate| estimate.superiority), "expected": expected,
    });
    answer(args.json, &value, &rows)
}

/// The expected length of a test that has not begun.
pub(super) fn length(args: &Length) -> Done {
    let [elo0, elo1, alpha, beta] = args.test;
    let (scale, unit) = match (args.scale, args.variance) {
        (LengthScaleArg::Logistic, _) => (Scale::Logistic, "Elo"),
        (LengthScaleArg::Normalised, None) => (Scale::Normalised, "nElo"),
        (LengthScaleArg::Normalised, Some(_)) => {
            return Err(refused("the length of a test of normalised Elo does not depend on --variance"));
        }
    };
    let variance = args.variance.unwrap_or(0.25);
    if variance > 0.25 {
        return Err(refused(format!("no score between 0 and 1 has a variance of {variance}: 0.25 is the largest")));
    }
    let plan = Plan::new(scale, elo0, elo1, alpha, beta).ok_or_else(|| refused(TOO_FAR))?;
    let at = if args.at.is_empty() { vec![elo0, 0.5 * (elo0 + elo1), elo1] } else { args.at.clone() };
    let (mut rows, mut expected) = (Vec::new(), Vec::new());
    for elo in at {
        let found = match scale {
            Scale::Normalised => plan.normalised_expectation(elo),
            Scale::Logistic => plan.expectation::<3>(elo, variance),
        };
        let found = found.filter(|found| found.observations.is_finite()).ok_or_else(|| refused(TOO_FAR))?;
        let (games, passes) = (found.observations, found.passes);
        rows.push(row(
            &format!("{} {unit}", signed(elo, 2)),
            format!("{games:.0} games, {} % passing", percent(passes)),
        ));
        expected.push(json!({ "elo": elo, "games": games, "passes": passes }));
    }
    let value = json!({
        "scale": format!("{scale:?}").to_lowercase(), "elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta,
        "variance": (scale == Scale::Logistic).then_some(variance), "expected": expected,
    });
    answer(args.json, &value, &rows)
}

pub(super) fn los(args: &Los) -> Done {
    let Los { wins, losses, .. } = *args;
    let found = DecisiveSuperiority::new(wins, losses).ok_or_else(|| refused("there are no decisive games"))?;
    let rows = [
        row("LOS", format!("{} %, by normal theory", percent(found.normal))),
        row("exact", format!("{} %", percent(found.exact))),
    ];
    let value = json!({ "wins": wins, "losses": losses, "normal": found.normal, "exact": found.exact });
    answer(args.json, &value, &rows)
}

fn bayes(tally: &Games, args: &Sprt) -> Done {
    let [elo0, elo1, alpha, beta] = args.test;
    let (Some(llr), Some(draw_elo), Some(bounds)) =
        (llr_bayes_elo(tally, elo0, elo1), draw_elo(tally), Bounds::new(alpha, beta))
    else {
        return Err(refused(TOO_FAR));
    };
    let bounds = narrowed(bounds, args)?;
    let decision = bounds.decide(llr);
    let rows = [
        row("games", describe(tally)),
        row("LLR", llr_text(llr, bounds)),
        row("decision", decision_text(decision, args.test)),
        row("draw Elo", format!("{draw_elo:.4}")),
    ];
    let value = json!({
        "games": tally.games(), "counts": tally.counts, "scale": "bayes", "elo0": elo0, "elo1": elo1, "alpha": alpha,
        "beta": beta, "llr": llr, "lower": bounds.lower, "upper": bounds.upper, "decision": decision_json(decision),
        "draw_elo": draw_elo,
    });
    answer(args.json, &value, &rows)
}

pub(super) fn compare(args: &Compare) -> Done {
    let one = counts(&args.results)?;
    let other = match (args.with_wdl, args.with_pentanomial, args.with_score) {
        (Some(wdl), ..) => Some(Counts::Games(games(wdl)?)),
        (_, Some(counts), _) => Some(Counts::Pairs(pairs(counts)?)),
        (_, _, Some(_)) => None,
        _ => return Err(refused("--with-wdl, --with-pentanomial or --with-score says what to compare with")),
    };
    let level = args.confidence.level;
    let found = match (&one, &other) {
        (Counts::Games(a), Some(Counts::Games(b))) => difference(a, b, args.margin, level),
        (Counts::Games(a), Some(Counts::Pairs(b))) => difference(a, b, args.margin, level),
        (Counts::Pairs(a), Some(Counts::Games(b))) => difference(a, b, args.margin, level),
        (Counts::Pairs(a), Some(Counts::Pairs(b))) => difference(a, b, args.margin, level),
        (Counts::Games(a), None) => distance(a, args.with_score, args.margin, level),
        (Counts::Pairs(a), None) => distance(a, args.with_score, args.margin, level),
    };
    let [value, low, high, differs, same] = found.ok_or_else(|| refused("there is nothing to compare"))?;
    let points = |share: f64| signed(share * 100.0, 2);
    let most = 1.0 - level;
    // In the words of experiments.
    let verdict = match (differs < most, same < most) {
        (true, false) => "differs",
        (true, true) => "differs within the margin",
        (false, true) => "agrees",
        (false, false) => "undecided",
    };
    let rows = [
        row("difference", format!("{} points  [{}, {}]", points(value), points(low), points(high))),
        row("p of no difference", p_text(differs)),
        row("p of more than the margin", format!("{}, of {} points", p_text(same), percent(args.margin))),
        row("verdict", verdict),
    ];
    let value = json!({
        "difference": value, "interval": [low, high], "confidence": level, "p_value": differs, "margin": args.margin,
        "equivalence": same, "verdict": verdict,
    });
    answer(args.json, &value, &rows)
}

/// Difference, its interval, p of no difference, p of more than the margin.
fn difference<const A: usize, const B: usize>(a: &Tally<A>, b: &Tally<B>, margin: f64, level: f64) -> Option<[f64; 5]> {
    let difference = Difference::new(a, b)?;
    let interval = difference.interval(level)?;
    let (differs, same) = (difference.p_value(0.0)?, difference.equivalence(margin)?);
    Some([difference.value(), interval.low, interval.high, differs, same])
}

/// The same against a score.
fn distance<const K: usize>(tally: &Tally<K>, score: Option<f64>, margin: f64, level: f64) -> Option<[f64; 5]> {
    let (score, interval) = (score?, tally.interval(level)?);
    let (differs, same) = (tally.p_value(score)?, tally.equivalence(score, margin)?);
    Some([tally.score()? - score, interval.low - score, interval.high - score, differs, same])
}
