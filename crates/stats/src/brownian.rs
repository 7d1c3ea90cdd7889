//! Brownian motion between two barriers, which approximates the log-likelihood ratio of a sequential test.
//!
//! In units where the distance of the barriers and the variance per unit of time are 1, the path starts at `start` in
//! (0, 1) with drift ν. The heat equation with absorbing barriers (Cox and Miller, *The Theory of Stochastic Processes*,
//! 1965, section 5.7) gives the barrier by which the path leaves, the time that it takes, and the distribution at a given
//! time. The last has two series, one that converges fast for long times (eigenfunctions) and one for short times
//! (reflections); each is used where the other fails, and a test compares them.

use std::f64::consts::PI;

use crate::special::normal_tail;

/// A path that starts at 0 between two barriers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// The start, as a share of the distance from the lower barrier to the upper.
    start: f64,
    /// Drift over variance, times the distance of the barriers.
    nu: f64,
    /// Time in which the variance reaches the squared distance of the barriers.
    unit: f64,
    lower: f64,
    width: f64,
}

impl Path {
    /// `lower` < 0 < `upper`; drift and variance (above 0) of one step.
    pub(crate) fn new(lower: f64, upper: f64, drift: f64, variance: f64) -> Self {
        let width = upper - lower;
        Path { start: -lower / width, nu: drift * width / variance, unit: width * width / variance, lower, width }
    }

    /// Probability of leaving by the upper barrier.
    pub(crate) fn passes(&self) -> f64 {
        // The scale function e^(−2νx), written with the exponents that cannot overflow.
        let Path { start, nu, .. } = *self;
        if nu.abs() < 1e-9 {
            start
        } else if nu > 0.0 {
            (-2.0 * nu * start).exp_m1() / (-2.0 * nu).exp_m1()
        } else {
            (2.0 * nu * (1.0 - start)).exp() * (2.0 * nu * start).exp_m1() / (2.0 * nu).exp_m1()
        }
    }

    /// Expected number of steps until it leaves.
    pub(crate) fn length(&self) -> f64 {
        // Wald's identity; at ν = 0 its second form. In between, the difference loses at most half of the digits.
        let Path { start, nu, unit, .. } = *self;
        if nu.abs() < 1e-5 { unit * start * (1.0 - start) } else { unit * (self.passes() - start) / nu }
    }

    /// Probability of being above `place` after `steps`: the path has left by the upper barrier, or is still between the
    /// barriers and above `place`. With `place` at the upper barrier it is the probability of having passed, at the lower one
    /// that of not having failed.
    pub(crate) fn right_of(&self, place: f64, steps: f64) -> f64 {
        let place = ((place - self.lower) / self.width).clamp(0.0, 1.0);
        let time = steps / self.unit;
        let share = if time > 0.1 { self.right_of_late(place, time) } else { self.right_of_early(place, time) };
        share.clamp(0.0, 1.0)
    }

    /// By eigenfunctions sin nπx, each with its decay rate: the probability of ever leaving by the upper barrier, minus that
    /// of leaving there after `time`, plus that of being above `place`.
    fn right_of_late(&self, place: f64, time: f64) -> f64 {
        let Path { start, nu, .. } = *self;
        let mut sum = 0.0;
        // At time 0.1 the thirtieth term is below e^−400.
        for n in 1..=30 {
            let k = f64::from(n) * PI;
            // ∫ from place to 1 of e^(νx) sin kx, less the flow through 1 after `time`, which cancels its upper end.
            let above = nu * (k * place).sin() - k * (k * place).cos();
            let decay = (nu * (place - start) - 0.5 * (nu * nu + k * k) * time).exp();
            sum -= 2.0 * decay * (k * start).sin() * above / (nu * nu + k * k);
        }
        self.passes() + sum
    }

    /// By reflections at the barriers: sources of both signs at start + 2k and −start + 2k.
    fn right_of_early(&self, place: f64, time: f64) -> f64 {
        let Path { start, nu, .. } = *self;
        let root = time.sqrt();
        let mut sum = 0.0;
        for k in -3..=3 {
            let turn = 2.0 * f64::from(k);
            // Still inside and above `place`.
            for (source, sign) in [(start + turn, 1.0), (turn - start, -1.0)] {
                let weight = nu * (source - start);
                let z = |x: f64| (x - source - nu * time) / root;
                sum += sign * between(weight, z(place), z(1.0));
            }
            // Left by the upper barrier, at this distance from the source: the inverse Gaussian law.
            let distance = 1.0 - start + turn;
            let far = distance.abs();
            let weight = nu * (1.0 - start);
            let passed =
                tail(weight - nu * far, (far - nu * time) / root) + tail(weight + nu * far, (far + nu * time) / root);
            sum += distance.signum() * passed;
        }
        sum
    }
}

/// e^`weight` × P(x < Z < y), from the tails on the side where they are small.
fn between(weight: f64, x: f64, y: f64) -> f64 {
    if x + y < 0.0 { tail(weight, -y) - tail(weight, -x) } else { tail(weight, x) - tail(weight, y) }
}

/// e^`weight` × P(Z > x), where the factors alone may overflow or underflow.
fn tail(weight: f64, x: f64) -> f64 {
    if x > 5.0 && weight > 0.0 {
        // P(Z > x) = density / (x + 1/(x + 2/(x + 3/…))) (DLMF 7.9.2).
        let fraction = (1..=40).rev().fold(x, |fraction, k| x + f64::from(k) / fraction);
        (weight - 0.5 * x * x).exp() / ((2.0 * PI).sqrt() * fraction)
    } else {
        weight.exp() * normal_tail(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(actual: f64, expected: f64, tolerance: f64) {
        assert!((actual - expected).abs() <= tolerance, "{actual} is not {expected} within {tolerance}");
    }

    fn paths() -> impl Iterator<Item = Path> {
        let drifts = [-40.0, -7.0, -1.0, -1e-7, 0.0, 0.3, 2.0, 11.0, 60.0];
        let starts = [0.1, 0.4, 0.5, 0.85];
        starts.into_iter().flat_map(move |s| drifts.map(|nu| Path::new(-s, 1.0 - s, nu, 1.0)))
    }

    /// Both series converge for times about a tenth.
    #[test]
    fn the_two_series_agree() {
        for path in paths() {
            for time in [0.06, 0.1, 0.15] {
                for place in [0.0, 0.2, 0.6, 0.97, 1.0] {
                    close(path.right_of_early(place, time), path.right_of_late(place, time), 1e-12);
                }
            }
        }
    }

    /// No path has left at the start and all have at the end; the mean time is the integral of the share that is left.
    #[test]
    fn the_distribution_agrees_with_its_marginals() {
        for path in paths() {
            close(path.right_of(path.lower, 1e-9), 1.0, 1e-12);
            close(path.right_of(path.lower + path.width, 1e-9), 0.0, 1e-12);
            for place in [path.lower, 0.0, path.lower + path.width] {
                close(path.right_of(place, 50.0), path.passes(), 1e-12);
            }
            let inside = |t: f64| path.right_of(path.lower, t) - path.right_of(path.lower + path.width, t);
            let step = 1e-3;
            let area: f64 = (0..3_000).map(|i| step * inside((f64::from(i) + 0.5) * step)).sum();
            close(area, path.length(), 1e-4);
        }
    }

    /// A random walk of small steps, followed exactly as a chain of probabilities.
    #[test]
    fn agrees_with_a_fine_random_walk() {
        const CELLS: usize = 100;
        let (start, up) = (40, 0.505);
        let mut inside = vec![0.0; CELLS + 1];
        inside[start] = 1.0;
        let mut passed = 0.0;
        // One step is one cell either way: drift 0.01 cells, variance nearly 1.
        let path = Path::new(-(start as f64), (CELLS - start) as f64, 2.0 * up - 1.0, 4.0 * up * (1.0 - up));
        for step in 1..=4000 {
            let mut next = vec![0.0; CELLS + 1];
            for x in 1..CELLS {
                next[x + 1] += up * inside[x];
                next[x - 1] += (1.0 - up) * inside[x];
            }
            passed += next[CELLS];
            (next[0], next[CELLS]) = (0.0, 0.0);
            inside = next;
            if [500, 1500, 4000].contains(&step) {
                close(path.right_of(60.0, f64::from(step)), passed, 2e-3);
            }
        }
    }
}
