//! The counts of a match, and its score, variance and ratios.

/// The number of each result, from the view of one player: in `counts[h]` observations it scored `h` half points.
///
/// An observation is a game (`K` = 3) or a pair of games with sides swapped (`K` = 5); no other `K` compiles. Its
/// *score* is its points as a share of the points at stake, `h / (K - 1)`, so between 0 and 1 for pairs as for games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tally<const K: usize> {
    /// Number of observations by half points, from all lost to all won.
    pub counts: [u64; K],
}

/// Single games: losses, draws, wins. Also called trinomial.
pub type Games = Tally<3>;

/// Pairs of games: LL, LD, (LW or DD), WD, WW, whatever the order in the pair. Also called pentanomial.
///
/// The two games of a pair share their opening and so are not independent; pairs are. Where an opening favours one side the
/// results of its two games cancel, so that pairs have a smaller variance than the same games counted singly.
pub type Pairs = Tally<5>;

impl<const K: usize> Default for Tally<K> {
    fn default() -> Self {
        Tally { counts: [0; K] }
    }
}

impl Games {
    /// The tally of so many wins, draws and losses.
    pub fn from_wins_draws_losses(wins: u64, draws: u64, losses: u64) -> Self {
        Tally { counts: [losses, draws, wins] }
    }
}

impl<const K: usize> Tally<K> {
    /// The score of an observation in each category.
    pub(crate) const SCORES: [f64; K] = {
        assert!(K == 3 || K == 5, "a tally counts games (3) or pairs of games (5)");
        let mut scores = [0.0; K];
        let mut half_points = 0;
        while half_points < K {
            scores[half_points] = half_points as f64 / (K - 1) as f64;
            half_points += 1;
        }
        scores
    };

    /// Games in one observation: 1 or 2.
    pub(crate) const GAMES_EACH: u64 = (K as u64 - 1) / 2;

    /// Number of observations: games, or pairs.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, &n| sum.saturating_add(n))
    }

    /// Number of games: [`total`](Self::total), or twice that for pairs.
    pub fn games(&self) -> u64 {
        self.total().saturating_mul(Self::GAMES_EACH)
    }

    /// Share of each category. `None` without observations.
    pub(crate) fn frequencies(&self) -> Option<[f64; K]> {
        let total = self.total();
        (total > 0).then(|| self.counts.map(|n| n as f64 / total as f64))
    }

    /// Mean score of an observation, 0 to 1. `None` without observations.
    pub fn score(&self) -> Option<f64> {
        Some(mean(&self.frequencies()?, &Self::SCORES))
    }

    /// Variance of the score of one observation (the mean squared deviation, divisor n), 0 to 1/4. `None` without
    /// observations.
    pub fn variance(&self) -> Option<f64> {
        Some(variance(&self.frequencies()?, &Self::SCORES))
    }

    /// Share of even observations: drawn games, or pairs that ended 1 to 1 (drawn twice, or won once each). `None`
    /// without observations.
    pub fn draw_ratio(&self) -> Option<f64> {
        Some(self.frequencies()?[K / 2])
    }
}

impl Pairs {
    /// Pairs won to pairs lost, (WD + WW) / (LL + LD). `None` where no pair was lost.
    pub fn pair_ratio(&self) -> Option<f64> {
        let [ll, ld, _, wd, ww] = self.counts.map(|n| n as f64);
        (ll + ld > 0.0).then(|| (wd + ww) / (ll + ld))
    }
}

/// Mean of `values` under `weights` that sum to 1.
pub(crate) fn mean<const K: usize>(weights: &[f64; K], values: &[f64; K]) -> f64 {
    weights.iter().zip(values).map(|(w, v)| w * v).sum()
}

/// Variance of `values` under `weights` that sum to 1.
pub(crate) fn variance<const K: usize>(weights: &[f64; K], values: &[f64; K]) -> f64 {
    let mean = mean(weights, values);
    let squares = weights.iter().zip(values);
    squares.map(|(w, v)| w * (v - mean) * (v - mean)).sum()
}
