//! Elo differences: from a score and back, with an interval; normalised Elo; likelihood of superiority.

use crate::interval::Interval;
use crate::score::Tally;
use crate::special::{MANY, beta_cdf, normal_cdf, two_sided_z};

/// Elo per unit of t = (score − 1/2) / σ at equal strength: 800 / ln 10, so that normalised and ordinary Elo agree
/// near 0 for games without draws.
pub(crate) const NORMALISED_ELO: f64 = 800.0 / std::f64::consts::LN_10;

/// The Elo difference that predicts this mean score (Elo 1978): −400 log₁₀(1/s − 1). `None` unless 0 < `score` < 1:
/// no finite difference predicts a score of 0 or 1.
///
/// ```
/// use banmen_stats::{elo_from_score, score_from_elo};
///
/// assert_eq!(elo_from_score(0.5), Some(0.0));
/// assert_eq!(elo_from_score(0.75).map(|elo| format!("{elo:.1}")).as_deref(), Some("190.8"));
/// assert!((score_from_elo(elo_from_score(0.75).unwrap()) - 0.75).abs() < 1e-12);
/// assert_eq!(elo_from_score(1.0), None);
/// ```
pub fn elo_from_score(score: f64) -> Option<f64> {
    let elo = 400.0 * (score / (1.0 - score)).log10();
    elo.is_finite().then_some(elo)
}

/// The mean score, 0 to 1, that an Elo difference predicts: 1 / (1 + 10^(−elo/400)).
pub fn score_from_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// An Elo difference with its interval. An end is `None` where the score it stands for has no finite Elo (0 or
/// less, 1 or more): the interval is open on that side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloEstimate {
    /// The difference that predicts the score.
    pub value: Option<f64>,
    /// The lower end.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl EloEstimate {
    /// Maps a score and its interval to Elo.
    pub fn new(score: f64, interval: Interval) -> Self {
        EloEstimate {
            value: elo_from_score(score),
            low: elo_from_score(interval.low),
            high: elo_from_score(interval.high),
        }
    }

    /// Half the width of the interval, the "±" of match reports (the interval itself is rarely symmetric). `None` where an
    /// end is `None`.
    pub fn margin(&self) -> Option<f64> {
        Some(0.5 * (self.high? - self.low?))
    }
}

/// Normalised Elo, with the margin of normal theory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalisedElo {
    /// The difference.
    pub value: f64,
    /// Half the width of its interval.
    pub margin: f64,
}

/// Likelihood of superiority from the decisive games alone, of which one player won `wins` and the other `losses`: the
/// older form of match reports, which leaves out draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecisiveSuperiority {
    /// By normal theory: Φ((wins − losses) / √(wins + losses)).
    pub normal: f64,
    /// The probability that the better player is the one with `wins`, where all shares of wins are equally likely before the
    /// games: the part of the beta distribution with the parameters `wins` + 1 and `losses` + 1 that is above 1/2.
    pub exact: f64,
}

impl DecisiveSuperiority {
    /// From the counts of decisive games. `None` without any.
    pub fn new(wins: u64, losses: u64) -> Option<Self> {
        let difference = (i128::from(wins) - i128::from(losses)) as f64;
        let (wins, losses) = (wins as f64, losses as f64);
        let games = wins + losses;
        (games > 0.0).then(|| DecisiveSuperiority {
            normal: normal_cdf(difference / games.sqrt()),
            // The normal distribution with a correction for continuity is exact to 10⁻⁸ then.
            exact: if games > MANY {
                normal_cdf(difference / (games + 1.0).sqrt())
            } else {
                beta_cdf(0.5, losses + 1.0, wins + 1.0)
            },
        })
    }
}

impl<const K: usize> Tally<K> {
    /// Normalised Elo (Van den Bergh, *Normalized Elo*): (score − 1/2) / σ × 800 / ln 10, with σ the standard
    /// deviation of one game, for pairs √(2 × variance of a pair). It determines how many games are needed to detect a
    /// difference, whatever the openings and the share of draws. The margin is z × 800 / ln 10 / √games, as fastchess prints it,
    /// valid for small differences.
    ///
    /// `None` without observations, where all results are equal, or where `confidence` is not strictly between 0 and 1.
    pub fn normalised_elo(&self, confidence: f64) -> Option<NormalisedElo> {
        let sigma = (self.variance()? * Self::GAMES_EACH as f64).sqrt();
        let margin = two_sided_z(confidence)? * NORMALISED_ELO / (self.games() as f64).sqrt();
        (sigma > 0.0).then_some(NormalisedElo { value: (self.score()? - 0.5) / sigma * NORMALISED_ELO, margin })
    }

    /// Likelihood of superiority, as fishtest and fastchess print it: Φ((score − 1/2) / standard error). `None`
    /// without observations and where all results are equal, to which normal theory does not apply. For a decision use
    /// [`interval`](Self::interval) or [`p_value`](Self::p_value).
    pub fn superiority(&self) -> Option<f64> {
        let error = (self.variance()? / self.total() as f64).sqrt();
        (error > 0.0).then_some(normal_cdf((self.score()? - 0.5) / error))
    }
}
