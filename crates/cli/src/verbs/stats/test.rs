//! Tests of published tables, and intervals for proportions.

use banmen_stats::{
    Games, Interval, Sample, TTest, clopper_pearson, equivalence_size, one_sample_t, pooled_t, sample_size, sign_test,
    welch_t, wilson,
};
use serde_json::{Value, json};

use super::score::MAX_GAMES;
use super::{answer, p_text, percent, refused, row};
use crate::args::{Holm, Prop, Size, Ttest};
use crate::failure::Failure;
use crate::verbs::Done;

pub(super) fn ttest(args: &Ttest) -> Done {
    let mut samples = Vec::new();
    for &[wins, draws, losses] in &args.wdl {
        if [wins, draws, losses].into_iter().any(|count| count > MAX_GAMES) {
            return Err(refused(format!("{wins},{draws},{losses} are not counts of games")));
        }
        let tally = Games::from_wins_draws_losses(wins, draws, losses);
        samples.push(Sample::from_tally(&tally).ok_or_else(|| refused("a sample needs two games or more"))?);
    }
    for &numbers in &args.sample {
        samples.push(sample(numbers)?);
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for sample in &samples {
        rows.push(row("sample", format!("{}, mean {:.5}, variance {:.5}", sample.n, sample.mean, sample.variance)));
    }
    let mut value = json!({ "samples": samples.iter().map(|s| [s.n as f64, s.mean, s.variance]).collect::<Vec<_>>() });
    let mut add = |name: &str, label: &str, test: Option<TTest>| {
        let text = |test: TTest| format!("t = {:.4}, {:.2} degrees, p = {}", test.t, test.degrees, p_text(test.p));
        rows.push(row(label, test.map_or("n/a: nothing varies".to_owned(), text)));
        value[name] = test.map_or(Value::Null, |t| json!({ "t": t.t, "degrees": t.degrees, "p": t.p }));
    };
    match samples.as_slice() {
        [one] => {
            let mean = args.mean.unwrap_or(0.5);
            add("student", &format!("against {mean}"), one_sample_t(one, mean));
        }
        [_, _] if args.mean.is_some() => return Err(refused("--mean is for a single sample")),
        [a, b] => {
            add("pooled", "pooled", pooled_t(a, b));
            add("welch", "Welch", welch_t(a, b));
        }
        _ => return Err(refused(format!("{} samples; --wdl and --sample give one or two", samples.len()))),
    }
    if let ([_], [[wins, _, losses]]) = (samples.as_slice(), args.wdl.as_slice()) {
        let p = sign_test(*wins, *losses);
        rows.push(row("sign test", format!("p = {}, against 0.5", p_text(p))));
        value["sign"] = p.into();
    }
    answer(args.json, &value, &rows)
}

fn sample([n, mean, variance]: [f64; 3]) -> Result<Sample, Failure> {
    if n < 2.0 || n.fract() != 0.0 || n > 1e15 {
        return Err(refused(format!("number 1, {n}, is not a sample size: expected an integer of at least 2")));
    }
    if variance < 0.0 {
        return Err(refused(format!("number 3, {variance}, is not a variance: it is below 0")));
    }
    Ok(Sample { n: n as u64, mean, variance })
}

pub(super) fn prop(args: &Prop) -> Done {
    let (k, n, level) = (args.successes, args.trials, args.confidence.level);
    let (Some(wilson), Some(exact)) = (wilson(k, n, level), clopper_pearson(k, n, level)) else {
        let why = match n {
            0 => "there must be at least one trial",
            _ if k > n => "the successes must not exceed the trials",
            _ => "an exact interval has at most 1,000,000,000 trials",
        };
        return Err(refused(format!("{k} successes in {n} trials: {why}")));
    };
    let share = k as f64 / n as f64;
    let text = |interval: Interval| format!("[{}, {}] %", percent(interval.low), percent(interval.high));
    let rows = [
        row("proportion", format!("{k} of {n}, {} %", percent(share))),
        row("Wilson", text(wilson)),
        row("Clopper-Pearson", text(exact)),
    ];
    let value = json!({
        "successes": k, "trials": n, "proportion": share, "confidence": level,
        "wilson": [wilson.low, wilson.high], "clopper_pearson": [exact.low, exact.high],
    });
    answer(args.json, &value, &rows)
}

/// More games than any match has: with them a number says no more than that the test cannot be decided.
const TOO_MANY: f64 = 1e15;

/// Why there is no sample size.
fn no_sample_size(args: &Size) -> String {
    let Size { score, alpha, power, margin, .. } = *args;
    if 1.0 - alpha >= 1.0 {
        format!("the level, {alpha}, is too small for this method")
    } else if let Some(margin) = margin.filter(|margin| (score - 0.5).abs() < *margin) {
        format!(
            "score {score} differs from 0.5 by so little less than the margin, {margin}, or the margin is so small, that no \
             number of games shows it"
        )
    } else if let Some(margin) = margin {
        format!("score {score} differs from 0.5 by the margin, {margin}, or more: it is not within it")
    } else if score == 0.5 {
        "score 0.5 is that of equal players, which cannot be distinguished by any number of games".to_owned()
    } else if power <= alpha / 2.0 {
        format!("the power, {power}, must be above half the level, {alpha}")
    } else {
        format!("score {score} is so near to one half that no number of games distinguishes it")
    }
}

pub(super) fn size(args: &Size) -> Done {
    if args.variance > 0.25 {
        return Err(refused(format!("the variance of a score, {}, is at most 0.25", args.variance)));
    }
    let difference = args.score - 0.5;
    let games = match args.margin {
        Some(margin) => equivalence_size(difference, margin, args.variance, args.alpha, args.power),
        None => sample_size(difference, args.variance, args.alpha, args.power),
    };
    let games = games.filter(|games| *games < TOO_MANY).ok_or_else(|| refused(no_sample_size(args)))?;
    let rows = [row("games", format!("{:.0}", games.ceil()))];
    let value = json!({
        "score": args.score, "variance": args.variance, "alpha": args.alpha, "power": args.power, "margin": args.margin,
        "games": games,
    });
    answer(args.json, &value, &rows)
}

pub(super) fn holm(args: &Holm) -> Done {
    if let Some((at, p)) = (1..).zip(&args.p).find(|(_, p)| !(0.0..=1.0).contains(*p)) {
        return Err(refused(format!("number {at}, {p}, is not a p value: it is not between 0 and 1")));
    }
    let adjusted = banmen_stats::holm(&args.p).ok_or_else(|| refused("these are not p values"))?;
    let rows: Vec<Vec<String>> =
        args.p.iter().zip(&adjusted).map(|(p, adjusted)| row(&p_text(*p), p_text(*adjusted))).collect();
    answer(args.json, &json!({ "p": args.p, "adjusted": adjusted }), &rows)
}
