//! The options of `stats`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::Json;

#[derive(Debug, ClapArgs)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Stats {
    #[command(subcommand)]
    pub(crate) question: Question,
}

/// The statistic to compute.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    /// Score, Elo, normalised Elo and likelihood of superiority of a match
    Elo(Elo),
    /// Sequential probability ratio test: log-likelihood ratio, decision, estimate after it, expected length
    Sprt(Sprt),
    /// Expected length of a sequential test, before its first game
    Length(Length),
    /// Likelihood of superiority from the decisive games alone
    Los(Los),
    /// Test whether two matches differ, and whether they are equivalent within a margin
    Compare(Compare),
    /// Student's and Welch's t tests, and the sign test
    Ttest(Ttest),
    /// Intervals for a proportion: Wilson, and Clopper and Pearson
    Prop(Prop),
    /// Games of a fixed-length match that distinguishes a score from 0.5, or shows that it is within a margin of it
    Size(Size),
    /// Holm's correction of several p values
    Holm(Holm),
    /// Ratings of many players, or of the members of teams, by Bradley–Terry; from a JSON file
    Bt(Bt),
    /// Glicko and Glicko-2 ratings after a rating period
    Glicko2(Glicko2),
}

/// The results of a match.
#[derive(Debug, Clone, ClapArgs)]
#[group(id = "results", required = true, multiple = false)]
pub(crate) struct Results {
    /// Games won, drawn and lost
    #[arg(long, value_name = "W,D,L", allow_hyphen_values = true, value_parser = counts::<3>)]
    pub(crate) wdl: Option<[u64; 3]>,
    /// Pairs of games by their points 0, 1/2, 1, 3/2 and 2
    #[arg(long, value_name = "LL,LD,DD,WD,WW", allow_hyphen_values = true, value_parser = counts::<5>)]
    pub(crate) pentanomial: Option<[u64; 5]>,
    /// A JSON file with one of them, for example {"wdl": [418, 70, 12]}; `-` is standard input
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Elo {
    #[command(flatten)]
    pub(crate) results: Results,
    #[command(flatten)]
    pub(crate) confidence: Confidence,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Clone, Copy, ClapArgs)]
pub(crate) struct Confidence {
    /// Confidence of the intervals
    #[arg(long = "confidence", value_name = "C", default_value_t = 0.95, value_parser = share)]
    pub(crate) level: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleArg {
    /// Normalised Elo
    #[default]
    Normalised,
    /// Ordinary Elo
    Logistic,
    /// BayesElo, for games only
    Bayes,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Sprt {
    #[command(flatten)]
    pub(crate) results: Results,
    /// The two hypotheses and the error rates [default: 0.05 each]
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", allow_hyphen_values = true, value_parser = hypotheses)]
    pub(crate) test: [f64; 4],
    /// Unit of the differences
    #[arg(long, value_enum, default_value_t)]
    pub(crate) scale: ScaleArg,
    /// Expected overshoot of the lower and the upper bound, by which they are narrowed, as a match with --sprt prints it
    /// [default: 0,0]
    #[arg(long, value_name = "LOWER,UPPER", allow_hyphen_values = true, value_parser = numbers::<2>)]
    pub(crate) overshoot: Option<[f64; 2]>,
    #[command(flatten)]
    pub(crate) confidence: Confidence,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Length {
    /// The two hypotheses and the error rates [default: 0.05 each]
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", allow_hyphen_values = true, value_parser = hypotheses)]
    pub(crate) test: [f64; 4],
    /// Unit of the differences
    #[arg(long, value_enum, default_value_t)]
    pub(crate) scale: LengthScaleArg,
    /// Variance of the score of a game, which a test of ordinary Elo needs: 0.25 without draws [default: 0.25]
    #[arg(long, value_name = "V", value_parser = share)]
    pub(crate) variance: Option<f64>,
    /// A true difference; repeatable [default: both hypotheses, and halfway between them]
    #[arg(long, value_name = "ELO", allow_hyphen_values = true, value_parser = number)]
    pub(crate) at: Vec<f64>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LengthScaleArg {
    /// Normalised Elo
    #[default]
    Normalised,
    /// Ordinary Elo
    Logistic,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Los {
    /// Games won
    pub(crate) wins: u64,
    /// Games lost
    pub(crate) losses: u64,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) results: Results,
    /// The other match: won, drawn and lost games
    #[arg(long, value_name = "W,D,L", allow_hyphen_values = true, value_parser = counts::<3>, group = "other")]
    pub(crate) with_wdl: Option<[u64; 3]>,
    /// The other match: pairs of games by their points
    #[arg(long, value_name = "LL,LD,DD,WD,WW", allow_hyphen_values = true, value_parser = counts::<5>, group = "other")]
    pub(crate) with_pentanomial: Option<[u64; 5]>,
    /// A score, in place of the other match
    #[arg(long, value_name = "SCORE", value_parser = share, group = "other")]
    pub(crate) with_score: Option<f64>,
    /// Differences of the score up to this count as equivalent
    #[arg(long, value_name = "SHARE", default_value_t = 0.07, value_parser = share)]
    pub(crate) margin: f64,
    #[command(flatten)]
    pub(crate) confidence: Confidence,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Ttest {
    /// A sample: games won, drawn and lost; once, or twice to compare
    #[arg(long, value_name = "W,D,L", allow_hyphen_values = true, value_parser = counts::<3>)]
    pub(crate) wdl: Vec<[u64; 3]>,
    /// A sample: its size, mean and variance (divisor n − 1); after those of --wdl
    #[arg(long, value_name = "N,MEAN,VARIANCE", allow_hyphen_values = true, value_parser = numbers::<3>)]
    pub(crate) sample: Vec<[f64; 3]>,
    /// Mean under the null hypothesis, for a single sample [default: 0.5]
    #[arg(long, value_name = "MEAN", allow_hyphen_values = true, value_parser = number)]
    pub(crate) mean: Option<f64>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Prop {
    /// Successes
    pub(crate) successes: u64,
    /// Trials
    pub(crate) trials: u64,
    #[command(flatten)]
    pub(crate) confidence: Confidence,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Size {
    /// The true score
    #[arg(value_parser = share)]
    pub(crate) score: f64,
    /// Variance of the score of an observation: 0.25 for games without draws
    #[arg(long, value_name = "V", default_value_t = 0.25, value_parser = share)]
    pub(crate) variance: f64,
    /// Show that the score differs from 0.5 by less than this, by two one-sided tests
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) margin: Option<f64>,
    /// Level of the test, two-sided; with --margin that of each of the two tests
    #[arg(long, value_name = "ALPHA", default_value_t = 0.05, value_parser = share)]
    pub(crate) alpha: f64,
    /// Power of the test
    #[arg(long, value_name = "POWER", default_value_t = 0.8, value_parser = share)]
    pub(crate) power: f64,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Holm {
    /// p values
    #[arg(required = true, value_parser = number)]
    pub(crate) p: Vec<f64>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawsArg {
    /// A result of its own, by Davidson
    #[default]
    Davidson,
    /// Half a win and half a loss
    Halves,
    /// A result of its own, by Rao and Kupper
    RaoKupper,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Bt {
    /// {"games": [{"first": "A", "second": "B", "wdl": [3, 0, 1]}, …]}, or {"competitions": [{"teams": [["a", "b"],
    /// ["c"]], "winner": 0, "times": 2}, …]} with teams numbered from 0; `-` is standard input
    pub(crate) file: PathBuf,
    /// How draws are modelled [default: davidson]
    #[arg(long, value_enum)]
    pub(crate) draws: Option<DrawsArg>,
    /// Fit the advantage of moving first
    #[arg(long)]
    pub(crate) advantage: bool,
    /// Weight of virtual wins and losses of every player against strength 1, and of the advantage and of Davidson's ν against 1;
    /// 1 is Coulom's prior
    #[arg(long, value_name = "WEIGHT", default_value_t = 0.0, allow_hyphen_values = true, value_parser = number)]
    pub(crate) prior: f64,
    /// Player, or member of teams, with a fixed rating, 0 if none is given; without an anchor the mean rating is 0, except that
    /// of members with --prior 1
    #[arg(long, value_name = "NAME[=ELO]")]
    pub(crate) anchor: Option<String>,
    #[command(flatten)]
    pub(crate) confidence: Confidence,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Glicko2 {
    /// The player: rating, deviation, volatility
    #[arg(long, value_name = "RATING,DEVIATION,VOLATILITY", default_value = "1500,350,0.06")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::<3>)]
    pub(crate) player: [f64; 3],
    /// A game: the opponent's rating and deviation, and the score; repeatable
    #[arg(long, value_name = "RATING,DEVIATION,SCORE", allow_hyphen_values = true, value_parser = numbers::<3>)]
    pub(crate) game: Vec<[f64; 3]>,
    /// System constant that limits the change of the volatility, 0.3 to 1.2
    #[arg(long, value_name = "TAU", default_value_t = 0.5, allow_hyphen_values = true, value_parser = number)]
    pub(crate) tau: f64,
    /// A JSON file in place of --player and --game: {"player": [1500, 200, 0.06], "games": [[1400, 30, 1], …]}; `-` is
    /// standard input
    #[arg(conflicts_with_all = ["player", "game"])]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Parses N numbers separated by commas; an error names the position of the wrong one.
fn list<T, const N: usize>(text: &str, kind: &str, read: impl Fn(&str) -> Option<T>) -> Result<[T; N], String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let mut values = Vec::with_capacity(N);
    for (at, part) in (1..).zip(&parts) {
        values.push(read(part).ok_or_else(|| format!("number {at}, `{part}`, is not a {kind}"))?);
    }
    let count = values.len();
    values.try_into().map_err(|_| format!("{count} numbers, expected {N}"))
}

/// As [`super::parse_values`].
pub(super) fn parse_values(text: &str) -> Vec<String> {
    let lists = [counts::<2>(text).err(), counts::<5>(text).err(), numbers::<2>(text).err(), hypotheses(text).err()];
    lists.into_iter().chain([number(text).err(), share(text).err()]).flatten().collect()
}

fn counts<const N: usize>(text: &str) -> Result<[u64; N], String> {
    list(text, "count", |part| part.parse().ok())
}

fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    list(text, "number", finite)
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn number(text: &str) -> Result<f64, String> {
    finite(text).ok_or_else(|| format!("`{text}` is not a number"))
}

fn share(text: &str) -> Result<f64, String> {
    match finite(text) {
        Some(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err(format!("`{text}` is not a number above 0 and below 1")),
    }
}

/// Reads ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA.
fn hypotheses(text: &str) -> Result<[f64; 4], String> {
    let [elo0, elo1, alpha, beta] = match text.split(',').count() {
        2 => {
            let [elo0, elo1] = numbers::<2>(text)?;
            [elo0, elo1, 0.05, 0.05]
        }
        4 => numbers::<4>(text)?,
        count => return Err(format!("{count} numbers, expected 2 or 4")),
    };
    if elo0 >= elo1 {
        return Err(format!("the first difference, {elo0}, is not below the second, {elo1}"));
    }
    if !(alpha >= 1e-12 && beta >= 1e-12 && alpha + beta < 1.0) {
        return Err(format!("the error rates {alpha} and {beta} are not 1e-12 or more with a sum below 1"));
    }
    Ok([elo0, elo1, alpha, beta])
}
