//! Ratings that are updated period by period: Glicko and Glicko-2.
//!
//! After Glickman, *The Glicko system* (1995) and *Example of the Glicko-2 system* (2013). A rating is a number with a
//! deviation. Games move the number towards the results and reduce the deviation; time increases it. For a tournament of
//! which all games are known, [`Ratings`](crate::Ratings) uses them better: here their order matters.

use std::f64::consts::{LN_10, PI};

/// ln 10 / 400: a rating on the natural scale.
const Q: f64 = LN_10 / 400.0;

/// Glicko-2 works on a scale of 173.7178 about 1500.
const SCALE: f64 = 173.7178;

/// The smallest tau: steps of a much smaller one would not change the logarithm of the volatility.
const MIN_TAU: f64 = 1e-6;

/// A game against an opponent with a rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opponent {
    /// The opponent's rating.
    pub rating: f64,
    /// Its deviation, above 0.
    pub deviation: f64,
    /// The score of the game: 1, 1/2 or 0.
    pub score: f64,
}

impl Opponent {
    fn valid(&self) -> bool {
        self.rating.is_finite()
            && self.deviation > 0.0
            && self.deviation.is_finite()
            && (0.0..=1.0).contains(&self.score)
    }
}

/// A rating of the Glicko system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glicko {
    /// The rating; new players have 1500.
    pub rating: f64,
    /// Its deviation, above 0; new players have 350.
    pub deviation: f64,
}

impl Default for Glicko {
    fn default() -> Self {
        Glicko { rating: 1500.0, deviation: 350.0 }
    }
}

impl Glicko {
    /// The rating after a period with these games. `None` where a number is out of its range.
    pub fn after(&self, games: &[Opponent]) -> Option<Self> {
        if !(self.rating.is_finite() && self.deviation > 0.0 && games.iter().all(Opponent::valid)) {
            return None;
        }
        let (mut information, mut surplus) = (0.0, 0.0);
        for game in games {
            let g = damping(Q * game.deviation);
            let expected = 1.0 / (1.0 + (-g * Q * (self.rating - game.rating)).exp());
            information += Q * Q * g * g * expected * (1.0 - expected);
            surplus += g * (game.score - expected);
        }
        let precision = self.deviation.powi(-2) + information;
        finite(Glicko { rating: self.rating + Q / precision * surplus, deviation: precision.sqrt().recip() })
    }
}

fn finite(found: Glicko) -> Option<Glicko> {
    (found.rating.is_finite() && found.deviation > 0.0 && found.deviation.is_finite()).then_some(found)
}

/// A rating of the Glicko-2 system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glicko2 {
    /// The rating; new players have 1500.
    pub rating: f64,
    /// Its deviation, above 0; new players have 350.
    pub deviation: f64,
    /// How erratic the results are: the standard deviation, on the natural scale, of the change of strength in a period.
    /// New players have 0.06.
    pub volatility: f64,
}

impl Default for Glicko2 {
    fn default() -> Self {
        Glicko2 { rating: 1500.0, deviation: 350.0, volatility: 0.06 }
    }
}

impl Glicko2 {
    /// The rating after a period with these games; without games only the deviation grows. `tau`, usually 0.3 to 1.2,
    /// limits the change of the volatility, and is at least 10⁻⁶. `None` where a number is out of its range.
    pub fn after(&self, games: &[Opponent], tau: f64) -> Option<Self> {
        let own = self.rating.is_finite() && self.deviation > 0.0 && self.volatility > 0.0 && self.volatility < 10.0;
        if !(own && tau >= MIN_TAU && tau.is_finite() && games.iter().all(Opponent::valid)) {
            return None;
        }
        let (mu, phi) = ((self.rating - 1500.0) / SCALE, self.deviation / SCALE);
        let (mut information, mut surplus) = (0.0, 0.0);
        for game in games {
            let g = damping(game.deviation / SCALE);
            let expected = 1.0 / (1.0 + (-g * (mu - (game.rating - 1500.0) / SCALE)).exp());
            information += g * g * expected * (1.0 - expected);
            surplus += g * (game.score - expected);
        }
        let volatility =
            if information > 0.0 { self.next_volatility(phi, information, surplus, tau) } else { self.volatility };
        let precision = (phi * phi + volatility * volatility).recip() + information;
        let base = finite(Glicko {
            rating: SCALE * (mu + surplus / precision) + 1500.0,
            deviation: SCALE * precision.sqrt().recip(),
        })?;
        Some(Glicko2 { rating: base.rating, deviation: base.deviation, volatility })
    }

    /// Step 5 of Glickman 2013: the root of f by the Illinois variant of false position.
    fn next_volatility(&self, phi: f64, information: f64, surplus: f64, tau: f64) -> f64 {
        let variance = information.recip();
        let delta = surplus * variance;
        let start = 2.0 * self.volatility.ln();
        let f = |x: f64| {
            let spread = phi * phi + variance + x.exp();
            x.exp() * (delta * delta - spread) / (2.0 * spread * spread) - (x - start) / (tau * tau)
        };
        let (mut a, mut b) = (start, start - tau);
        let above = delta * delta - phi * phi - variance;
        if above > 0.0 {
            b = above.ln();
        } else {
            // f grows without bound to the left.
            while f(b) < 0.0 {
                b -= tau;
            }
        }
        let (mut fa, mut fb) = (f(a), f(b));
        for _ in 0..200 {
            if (b - a).abs() < 1e-12 || fb == fa {
                break;
            }
            let c = a + (a - b) * fa / (fb - fa);
            let fc = f(c);
            if fc * fb <= 0.0 {
                (a, fa) = (b, fb);
            } else {
                fa *= 0.5;
            }
            (b, fb) = (c, fc);
        }
        (0.5 * a).exp()
    }
}

/// The factor by which a result counts less against an opponent whose rating is uncertain; `deviation` on the natural scale.
fn damping(deviation: f64) -> f64 {
    (1.0 + 3.0 * (deviation / PI).powi(2)).sqrt().recip()
}
