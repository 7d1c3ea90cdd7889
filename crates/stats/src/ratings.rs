//! Ratings of many players from the games between them: Bradley–Terry, with draws and with the advantage of moving
//! first.

use crate::components::components;
use crate::matrix::Matrix;
use crate::maximum::{advantage_is_unbounded, draws_are_unbounded};
use crate::special::{normal_cdf, two_sided_z};

/// Elo per unit of natural logarithm of strength: 400 / ln 10.
pub(crate) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Games between two players with the same one moving first. Players are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The player that moved first.
    pub first: usize,
    /// The player that moved second.
    pub second: usize,
    /// Games that the first won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games that the first lost.
    pub losses: u64,
}

impl Meeting {
    fn games(&self) -> f64 {
        (self.wins as f64) + (self.draws as f64) + (self.losses as f64)
    }
}

/// The model of draws. With g₁ and g₂ the strengths (g₁ times the advantage of moving first where there is one):
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Draws {
    /// Half a win and half a loss, and P(win) = g₁ / (g₁ + g₂) (Bradley and Terry 1952; Zermelo 1929).
    Halves,
    /// A third result, with P(draw) = ν √(g₁g₂) / (g₁ + g₂ + ν √(g₁g₂)) (Davidson 1970; with the advantage, Davidson
    /// and Beaver 1977, whose ν is this one over the root of the advantage).
    Davidson,
    /// A third result, with P(win) = g₁ / (g₁ + θ g₂) and P(loss) = g₂ / (θ g₁ + g₂), θ ≥ 1 (Rao and Kupper 1967).
    RaoKupper,
}

/// The model that is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingModel {
    /// The model of draws.
    pub draws: Draws,
    /// Whether the advantage of moving first is fitted.
    pub advantage: bool,
    /// Virtual games of the prior: each player wins and loses so many against a strength of 1, and so do the advantage and
    /// Davidson's ν; 0 for no prior. With 1, the logistic prior of Coulom 2007, ratings exist also where a player won all its
    /// games.
    pub prior: f64,
}

/// The zero point of ratings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// The mean of all players has this rating.
    Mean(f64),
    /// This player has this rating, and no interval.
    Player(usize, f64),
}

/// Why there are no ratings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RatingError {
    /// There are no players, or this meeting has an unknown player or a player against itself.
    Meeting(usize),
    /// The results do not connect all players: these groups, the strongest first, scored against each other one way only, or
    /// not at all, so that no finite difference has the maximum likelihood. A prior helps.
    Disconnected(Vec<Vec<usize>>),
    /// No game speaks against an infinite advantage, as where the one that moved first never lost, or the same one of any two
    /// players always moved first. A prior helps.
    Advantage,
    /// No game speaks against an infinite tendency to draw, as where all games were drawn, or all between two groups of
    /// players but those that one group won. A prior helps, but for θ where all games were drawn.
    Draws,
    /// The numbers are out of range: the prior is negative or infinite, or the fit takes a player's strength, the
    /// advantage or the draw parameter beyond e^±60. For a player this is 10,423 Elo from the mean, or with a prior from
    /// the strength 1.
    Range,
}

/// The groups of players that the results connect, the strongest group first, each in ascending order; one group where
/// all are connected. Between two groups one won every game, or no games were played. Meetings with a player from
/// `players` on are ignored.
pub fn rating_groups(players: usize, meetings: &[Meeting]) -> Vec<Vec<usize>> {
    let mut scored = Vec::new();
    for m in meetings {
        if m.wins + m.draws > 0 {
            scored.push((m.first, m.second));
        }
        if m.losses + m.draws > 0 {
            scored.push((m.second, m.first));
        }
    }
    components(players, &scored)
}

/// A value with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// A value with this margin on both sides.
    pub(crate) fn around(value: f64, margin: f64) -> Self {
        Estimate { value, low: value - margin, high: value + margin }
    }
}

/// Ratings, fitted to results.
///
/// Intervals are Wald's, from the observed information (the curvature of the log-likelihood, or of the posterior where
/// there is a prior): valid for many games, too narrow on one side for a player that won nearly all. Where it matters,
/// compare two players by their own games and [`interval`](crate::Tally::interval).
///
/// ```
/// use banmen_stats::{Anchor, Draws, Meeting, RatingModel, Ratings};
///
/// let games = [
///     Meeting { first: 0, second: 1, wins: 6, draws: 2, losses: 2 },
///     Meeting { first: 1, second: 0, wins: 5, draws: 2, losses: 3 },
/// ];
/// let model = RatingModel { draws: Draws::Davidson, advantage: true, prior: 0.0 };
/// let ratings = Ratings::fit(2, &games, model).unwrap();
/// let difference = ratings.difference(0, 1, 0.95).unwrap();
/// assert_eq!(format!("{:+.0} [{:+.0}, {:+.0}]", difference.value, difference.low, difference.high), "+49 [-134, +232]");
/// assert_eq!(format!("{:+.0}", ratings.advantage(0.95).unwrap().value), "+139");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    model: RatingModel,
    players: usize,
    /// Natural logarithms: of the strengths, then of the advantage, then of ν or θ, as far as they were fitted.
    parameters: Vec<f64>,
    covariance: Matrix,
    log_likelihood: f64,
}

impl Ratings {
    /// The most likely ratings. In a model with ν, games without a single draw give ν = 0; with θ, θ = 1.
    ///
    /// # Errors
    /// Why there is no maximum.
    pub fn fit(players: usize, meetings: &[Meeting], model: RatingModel) -> Result<Self, RatingError> {
        let wrong = |m: &Meeting| m.first >= players || m.second >= players || m.first == m.second;
        if let Some(at) = meetings.iter().position(wrong) {
            return Err(RatingError::Meeting(at));
        }
        if players == 0 {
            return Err(RatingError::Meeting(0));
        }
        if !(model.prior >= 0.0 && model.prior.is_finite()) {
            return Err(RatingError::Range);
        }
        if model.prior == 0.0 {
            let groups = rating_groups(players, meetings);
            if groups.len() > 1 {
                return Err(RatingError::Disconnected(groups));
            }
        }
        if model.prior == 0.0 && model.advantage && advantage_is_unbounded(players, meetings) {
            return Err(RatingError::Advantage);
        }
        let problem = Problem::new(players, meetings, model);
        if problem.draws.is_some() {
            // A prior bounds all but θ.
            let unbounded = match model.draws {
                _ if model.prior == 0.0 => draws_are_unbounded(players, meetings, model.advantage),
                Draws::RaoKupper => problem.all_drawn(),
                Draws::Davidson | Draws::Halves => false,
            };
            if unbounded {
                return Err(RatingError::Draws);
            }
        }
        let (parameters, covariance, log_likelihood) = problem.maximise()?;
        Ok(Ratings { model, players, parameters, covariance, log_likelihood })
    }

    /// Number of players.
    pub fn players(&self) -> usize {
        self.players
    }

    /// Elo of every player, with intervals. `None` where the anchor is unknown or not finite, or `confidence` not
    /// strictly between 0 and 1.
    pub fn elo(&self, anchor: Anchor, confidence: f64) -> Option<Vec<Estimate>> {
        let share = 1.0 / self.players as f64;
        // The rating minus the zero point, as weights of the players.
        let weights = |player: usize| -> Option<Vec<f64>> {
            let mut weights = match anchor {
                Anchor::Mean(_) => vec![-share; self.players],
                Anchor::Player(..) => vec![0.0; self.players],
            };
            if let Anchor::Player(anchor, _) = anchor {
                *weights.get_mut(anchor)? -= 1.0;
            }
            weights[player] += 1.0;
            Some(weights)
        };
        let (Anchor::Mean(zero) | Anchor::Player(_, zero)) = anchor;
        let estimate = |player| self.contrast(&weights(player)?, zero, confidence);
        (0..self.players).map(estimate).collect()
    }

    /// The Elo of player `a` minus that of `b`, with its interval, which accounts for the covariance of the two ratings.
    /// `None` for an unknown player, and as for [`elo`](Self::elo).
    pub fn difference(&self, a: usize, b: usize, confidence: f64) -> Option<Estimate> {
        self.contrast(&self.between(a, b)?, 0.0, confidence)
    }

    /// Probability that player `a` is the stronger one, 0 to 1, by the same normal distribution. `None` for an unknown player,
    /// and where `a` is `b`.
    pub fn superiority(&self, a: usize, b: usize) -> Option<f64> {
        let weights = self.between(a, b)?;
        let (value, deviation) = self.moments(&weights);
        (deviation > 0.0).then(|| normal_cdf(value / deviation))
    }

    /// The advantage of moving first in Elo. `None` where it was not fitted, and as for [`elo`](Self::elo).
    pub fn advantage(&self, confidence: f64) -> Option<Estimate> {
        if !self.model.advantage {
            return None;
        }
        let mut weights = vec![0.0; self.players + 1];
        weights[self.players] = 1.0;
        self.contrast(&weights, 0.0, confidence)
    }

    /// ν of Davidson or θ of Rao and Kupper, with its interval on the logarithm. 0 and 1 without an interval of any width
    /// where no game was drawn. `None` where draws are halves, and as for [`elo`](Self::elo).
    pub fn draw_parameter(&self, confidence: f64) -> Option<Estimate> {
        let none = match self.model.draws {
            Draws::Halves => return None,
            Draws::Davidson => 0.0,
            Draws::RaoKupper => 1.0,
        };
        let z = two_sided_z(confidence)?;
        let at = self.players + usize::from(self.model.advantage);
        let Some(&log) = self.parameters.get(at) else {
            return Some(Estimate { value: none, low: none, high: none });
        };
        let margin = z * self.covariance.at(at, at).max(0.0).sqrt();
        let [value, low, high] = [log, log - margin, log + margin].map(f64::exp);
        (high.is_finite()).then_some(Estimate { value, low: low.max(none), high })
    }

    /// Probabilities of a win, a draw and a loss of `first`, who moves first, against `second`; no draws where they
    /// count as halves. `None` for an unknown player.
    pub fn probabilities(&self, first: usize, second: usize) -> Option<[f64; 3]> {
        let known = first < self.players && second < self.players;
        let x = known.then(|| self.parameters[first] - self.parameters[second])?;
        let advantage = if self.model.advantage { self.parameters[self.players] } else { 0.0 };
        let t = self.parameters.get(self.players + usize::from(self.model.advantage)).copied();
        Some(probabilities(self.model.draws, x + advantage, t))
    }

    /// Log-likelihood of the results, or log-posterior where there is a prior.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    fn between(&self, a: usize, b: usize) -> Option<Vec<f64>> {
        let mut weights = vec![0.0; self.players];
        *weights.get_mut(a)? += 1.0;
        *weights.get_mut(b)? -= 1.0;
        Some(weights)
    }

    /// A weighted sum of the first parameters in Elo, and its standard deviation.
    fn moments(&self, weights: &[f64]) -> (f64, f64) {
        let value: f64 = weights.iter().zip(&self.parameters).map(|(weight, parameter)| weight * parameter).sum();
        let row =
            |i: usize| weights.iter().enumerate().map(|(j, weight)| weight * self.covariance.at(i, j)).sum::<f64>();
        let variance: f64 =
            weights.iter().enumerate().filter(|(_, w)| **w != 0.0).map(|(i, weight)| weight * row(i)).sum();
        (ELO * value, ELO * variance.max(0.0).sqrt())
    }

    fn contrast(&self, weights: &[f64], zero: f64, confidence: f64) -> Option<Estimate> {
        let z = two_sided_z(confidence)?;
        let (value, deviation) = self.moments(weights);
        let value = value + zero;
        value.is_finite().then_some(Estimate::around(value, z * deviation))
    }
}

/// Win, draw and loss at a difference `x` of logarithms of strength; `t` is ln ν or ln θ, `None` for ν = 0 and θ = 1.
fn probabilities(draws: Draws, x: f64, t: Option<f64>) -> [f64; 3] {
    match (draws, t) {
        (Draws::Davidson, Some(t)) => {
            // Shares of e^(x/2), e^t and e^(−x/2), the largest taken out.
            let logs = [0.5 * x, t, -0.5 * x];
            let most = logs.into_iter().fold(f64::NEG_INFINITY, f64::max);
            let shares = logs.map(|log| (log - most).exp());
            let sum: f64 = shares.iter().sum();
            shares.map(|share| share / sum)
        }
        (Draws::RaoKupper, Some(t)) => {
            let (win, loss) = (logistic(x - t), logistic(-x - t));
            [win, (1.0 - win - loss).max(0.0), loss]
        }
        _ => [logistic(x), 0.0, logistic(-x)],
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// ln of the logistic function, without overflow.
fn ln_logistic(x: f64) -> f64 {
    if x > 0.0 { -(-x).exp().ln_1p() } else { x - x.exp().ln_1p() }
}

/// A likelihood to be maximised. It is concave in the logarithms, so Newton's method with shorter steps where needed
/// finds the one maximum.
struct Problem<'m> {
    players: usize,
    meetings: &'m [Meeting],
    model: RatingModel,
    /// The index of the advantage among the parameters, if it is fitted.
    advantage: Option<usize>,
    /// The index of the draw parameter, if it is fitted.
    draws: Option<usize>,
}

/// Derivatives of the log-likelihood of a meeting by its difference `x` and the draw parameter `t`.
#[derive(Default)]
struct Slopes {
    x: f64,
    t: f64,
    xx: f64,
    xt: f64,
    tt: f64,
}

impl<'m> Problem<'m> {
    fn new(players: usize, meetings: &'m [Meeting], model: RatingModel) -> Self {
        let drawn = model.draws != Draws::Halves && meetings.iter().any(|m| m.draws > 0);
        let advantage = model.advantage.then_some(players);
        let draws = drawn.then_some(players + usize::from(model.advantage));
        Problem { players, meetings, model, advantage, draws }
    }

    fn all_drawn(&self) -> bool {
        self.meetings.iter().all(|m| m.wins == 0 && m.losses == 0)
    }

    fn size(&self) -> usize {
        self.players + usize::from(self.advantage.is_some()) + usize::from(self.draws.is_some())
    }

    /// The difference of a meeting's players, the advantage counted, and the draw parameter.
    fn place(&self, parameters: &[f64], m: &Meeting) -> (f64, Option<f64>) {
        let advantage = self.advantage.map_or(0.0, |at| parameters[at]);
        (parameters[m.first] - parameters[m.second] + advantage, self.draws.map(|at| parameters[at]))
    }

    /// Wins, draws and losses, a draw in halves where the model has none.
    fn results(&self, m: &Meeting) -> [f64; 3] {
        let [wins, draws, losses] = [m.wins, m.draws, m.losses].map(|n| n as f64);
        match self.model.draws {
            Draws::Halves => [wins + 0.5 * draws, 0.0, losses + 0.5 * draws],
            _ => [wins, draws, losses],
        }
    }

    fn log_likelihood(&self, parameters: &[f64]) -> f64 {
        let data = self.meetings.iter().filter(|m| m.games() > 0.0).map(|m| {
            let (x, t) = self.place(parameters, m);
            let [wins, draws, losses] = self.results(m);
            match (self.model.draws, t) {
                (Draws::Davidson, Some(t)) => {
                    // The logarithm of each probability by itself: of a sure result a difference of sums has no digits.
                    let logs = [0.5 * x, t, -0.5 * x];
                    let largest = if t >= 0.5 * x.abs() {
                        1
                    } else if x > 0.0 {
                        0
                    } else {
                        2
                    };
                    let others = (0..3).filter(|&at| at != largest);
                    let sum = others.map(|at| (logs[at] - logs[largest]).exp()).sum::<f64>().ln_1p();
                    let of = |at: usize, count: f64| count * (logs[at] - logs[largest] - sum);
                    of(0, wins) + of(1, draws) + of(2, losses)
                }
                (Draws::RaoKupper, Some(t)) => {
                    let drawn = if draws > 0.0 { draws * (2.0 * t).exp_m1().ln() } else { 0.0 };
                    (wins + draws) * ln_logistic(x - t) + (losses + draws) * ln_logistic(-x - t) + drawn
                }
                _ => wins * ln_logistic(x) + losses * ln_logistic(-x),
            }
        });
        data.sum::<f64>() + self.virtual_games().map(|at| self.model.prior * ln_even(parameters[at])).sum::<f64>()
    }

    /// Parameters with virtual games: all but θ, which is 1 or more.
    fn virtual_games(&self) -> impl Iterator<Item = usize> {
        let count = if self.model.prior == 0.0 {
            0
        } else if self.model.draws == Draws::RaoKupper {
            self.players + usize::from(self.advantage.is_some())
        } else {
            self.size()
        };
        0..count
    }

    fn slopes(&self, parameters: &[f64], m: &Meeting) -> Slopes {
        let (x, t) = self.place(parameters, m);
        let [wins, draws, losses] = self.results(m);
        let n = wins + draws + losses;
        match (self.model.draws, t) {
            (Draws::RaoKupper, Some(t)) => {
                let (p, q) = (logistic(x - t), logistic(-x - t));
                let (up, down) = (wins + draws, losses + draws);
                let (up2, down2) = (up * p * (1.0 - p), down * q * (1.0 - q));
                // d and d² of ln(e^2t − 1) by t.
                let widen = -(-2.0 * t).exp_m1();
                Slopes {
                    x: up * (1.0 - p) - down * (1.0 - q),
                    t: -up * (1.0 - p) - down * (1.0 - q) + 2.0 * draws / widen,
                    xx: -up2 - down2,
                    xt: up2 - down2,
                    tt: -up2 - down2 - 4.0 * draws * (1.0 - widen) / (widen * widen),
                }
            }
            (draw_model, t) => {
                let [win, draw, loss] = probabilities(draw_model, x, t);
                let half = 0.5 * (win - loss);
                // In the model without draws a game is ±1/2 as well, with e^x for e^(x/2) over e^(−x/2).
                Slopes {
                    x: 0.5 * (wins * (2.0 * loss + draw) - losses * (2.0 * win + draw)) - draws * half,
                    t: draws * (win + loss) - (wins + losses) * draw,
                    xx: -n * (0.25 * (win + loss) * draw + win * loss),
                    xt: n * half * draw,
                    tt: -n * draw * (win + loss),
                }
            }
        }
    }

    /// Gradient, and the information (the negative matrix of second derivatives).
    fn derivatives(&self, parameters: &[f64]) -> (Vec<f64>, Matrix) {
        let mut gradient = vec![0.0; self.size()];
        let mut information = Matrix::zero(self.size());
        for m in self.meetings {
            let s = self.slopes(parameters, m);
            // The parameters that the difference is made of.
            let places = [Some((m.first, 1.0)), Some((m.second, -1.0)), self.advantage.map(|at| (at, 1.0))];
            for (at, sign) in places.into_iter().flatten() {
                gradient[at] += sign * s.x;
                for (other, other_sign) in places.into_iter().flatten() {
                    information.add(at, other, -sign * other_sign * s.xx);
                }
                if let Some(draws) = self.draws {
                    information.add(at, draws, -sign * s.xt);
                    information.add(draws, at, -sign * s.xt);
                }
            }
            if let Some(draws) = self.draws {
                gradient[draws] += s.t;
                information.add(draws, draws, -s.tt);
            }
        }
        for at in self.virtual_games() {
            let p = logistic(parameters[at]);
            gradient[at] += self.model.prior * (1.0 - 2.0 * p);
            information.add(at, at, 2.0 * self.model.prior * p * (1.0 - p));
        }
        if self.model.prior == 0.0 {
            // Only differences count. A matrix of this form fixes the mean where it is, and cancels in every difference.
            let share = 1.0 / self.players as f64;
            for a in 0..self.players {
                for b in 0..self.players {
                    information.add(a, b, share);
                }
            }
        }
        (gradient, information)
    }

    /// The parameters at the maximum, their covariance, and the log-likelihood there.
    fn maximise(&self) -> Result<(Vec<f64>, Matrix, f64), RatingError> {
        // A maximum exists, but beyond this it is further from the mean than numbers of games and their logarithms can say.
        const REACH: f64 = 60.0;
        let mut parameters = vec![0.0; self.size()];
        if let (Draws::RaoKupper, Some(at)) = (self.model.draws, self.draws) {
            parameters[at] = 0.5;
        }
        let mut value = self.log_likelihood(&parameters);
        for _ in 0..500 {
            let (gradient, information) = self.derivatives(&parameters);
            let triangle = information.cholesky().ok_or(RatingError::Range)?;
            let mut step = gradient.clone();
            triangle.solve(&mut step);
            // The last digits of the sum.
            let noise = 1e-13 * value.abs();
            let gain: f64 = gradient.iter().zip(&step).map(|(slope, step)| slope * step).sum();
            let longest = step.iter().fold(0.0, |most: f64, step| most.max(step.abs()));
            // Where the likelihood is flat, Newton's step may overshoot: at most a factor of e² in one step.
            let mut share = (2.0 / longest).min(1.0);
            let mut moved = false;
            for _ in 0..60 {
                let tried: Vec<f64> = parameters.iter().zip(&step).map(|(p, step)| p + share * step).collect();
                let found = self.log_likelihood(&tried);
                if found >= value - noise {
                    (parameters, value, moved) = (tried, found, true);
                    break;
                }
                share *= 0.5;
            }
            if parameters.iter().any(|p| p.abs() > REACH) {
                return Err(RatingError::Range);
            }
            if longest < 1e-9 || gain <= noise || !moved {
                let (_, information) = self.derivatives(&parameters);
                let triangle = information.cholesky().ok_or(RatingError::Range)?;
                return Ok((parameters, triangle.inverse(), value));
            }
        }
        Err(RatingError::Range)
    }
}

/// ln of the likelihood of a win and a loss against a strength of 1.
fn ln_even(x: f64) -> f64 {
    ln_logistic(x) + ln_logistic(-x)
}
