//! The normal, beta and Student distributions, from series and continued fractions.
//!
//! Accuracy, checked by the tests: normal tails 1e-14 relative; `ln_gamma` 1e-14 relative (absolute near its zeros 1
//! and 2); the beta and Student distributions 1e-12 relative while the parameters stay below 1,000, losing digits in
//! proportion to the parameters beyond that (1e-8 at a million; parameters above 10⁹ are not supported). DLMF is the
//! NIST Digital Library of Mathematical Functions.

use std::f64::consts::PI;

/// P(Z ≤ x) for a standard normal Z.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    normal_tail(-x)
}

/// P(Z > x) for a standard normal Z, accurate in the far tail too.
pub(crate) fn normal_tail(x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - normal_tail(-x);
    }
    let density = (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
    if x < 2.0 {
        // P(0 < Z < x) = density × (x + x³/3 + x⁵/(3·5) + …), all terms positive (DLMF 7.6.2).
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term > 1e-17 * sum {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        0.5 - density * sum
    } else {
        // density / (x + 1/(x + 2/(x + 3/…))) (DLMF 7.9.2); a hundred steps suffice from x = 2 on.
        density / (1..=100).rev().fold(x, |tail, k| x + f64::from(k) / tail)
    }
}

/// The x with P(Z ≤ x) = `p` for a standard normal Z. `None` unless 0 < `p` < 1.
pub(crate) fn normal_quantile(p: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    if p > 0.5 {
        return normal_quantile(1.0 - p).map(|x| -x);
    }
    // The smallest positive f64 lies 38.5 deviations out.
    Some(bisect(-39.0, 0.0, |x| normal_cdf(x) < p))
}

/// The z with P(|Z| ≤ z) = `confidence` for a standard normal Z: 1.96 for 0.95. `None` unless 0 < `confidence` < 1.
pub(crate) fn two_sided_z(confidence: f64) -> Option<f64> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    normal_quantile(0.5 * (1.0 - confidence)).map(|x| -x)
}

/// ln Γ(x) for x > 0.
fn ln_gamma(x: f64) -> f64 {
    // Stirling's series (DLMF 5.11.1) from 10 on, where its eighth term is below 1e-15; Γ(x) = Γ(x + 1) / x before.
    const TERMS: [f64; 7] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0, 1.0 / 156.0];
    let (mut shifted, mut product) = (x, 1.0);
    while shifted < 10.0 {
        product *= shifted;
        shifted += 1.0;
    }
    let square = shifted * shifted;
    let series = TERMS.iter().rev().fold(0.0, |sum, c| sum / square + c) / shifted;
    (shifted - 0.5) * shifted.ln() - shifted + 0.5 * (2.0 * PI).ln() + series - product.ln()
}

/// Above this many observations the logarithms of the beta function lose the digits that matter, and normal theory has them.
pub(crate) const MANY: f64 = 1e8;

/// P(X ≤ x) for a Beta(a, b) variable, a, b > 0: the regularised incomplete beta function Iₓ(a, b). `x` is clamped
/// to [0, 1].
pub(crate) fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast below the mean; beyond it, take the other tail.
    if x > (a + 1.0) / (a + b + 2.0) { 1.0 - beta_lower(1.0 - x, b, a) } else { beta_lower(x, a, b) }
}

/// Iₓ(a, b) by its continued fraction (DLMF 8.17.22) in Lentz's evaluation, for x up to about the mean. Takes some
/// √max(a, b) steps.
fn beta_lower(x: f64, a: f64, b: f64) -> f64 {
    let ln_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let front = (a * x.ln() + b * (-x).ln_1p() - ln_beta).exp() / a;
    // Replaces a denominator of 0.
    const TINY: f64 = 1e-300;
    let away_from_zero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..100_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut last = 1.0;
        for coefficient in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + coefficient * d);
            c = away_from_zero(1.0 + coefficient / c);
            last = c * d;
            fraction *= last;
        }
        if (last - 1.0).abs() < 1e-16 {
            break;
        }
    }
    front * fraction
}

/// The x with P(X ≤ x) = `p` for a Beta(a, b) variable, 0 < p < 1.
pub(crate) fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    bisect(0.0, 1.0, |x| beta_cdf(x, a, b) < p)
}

/// P(|T| ≥ |t|) for Student's T with so many degrees of freedom (any number above 0): two-sided p value.
pub(crate) fn student_two_sided(t: f64, degrees: f64) -> f64 {
    // So many degrees leave the normal distribution, to 10⁻⁸ of the value at moderate t; the beta function would lose digits.
    if degrees > MANY {
        return 2.0 * normal_cdf(-t.abs());
    }
    beta_cdf(degrees / (degrees + t * t), 0.5 * degrees, 0.5)
}

/// The value between `low` and `high` at which `below` changes from true to false, to the last bit.
pub(crate) fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    // 200 halvings: from an interval of length 1 down to values of 1e-45 at full precision.
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Against values in closed form, and in print (Abramowitz and Stegun 1964).
#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(actual: f64, expected: f64, relative: f64) {
        assert!(
            (actual - expected).abs() <= relative * expected.abs(),
            "{actual:e} is not {expected:e} within {relative:e}"
        );
    }

    #[test]
    fn normal_tails() {
        // Abramowitz and Stegun, table 26.1 and 26.2 (the latter as −log₁₀ of the tail).
        assert_eq!(normal_cdf(0.0), 0.5);
        close(normal_cdf(1.0), 0.841344746068543, 1e-14);
        close(normal_cdf(2.0), 0.977249868051821, 1e-14);
        close(normal_cdf(3.0), 0.998650101968370, 1e-14);
        close(-normal_tail(5.0).log10(), 6.54265, 1e-6);
        close(-normal_tail(10.0).log10(), 23.11805, 1e-6);
        close(-normal_tail(30.0).log10(), 197.30921, 1e-7);
        // The likelihood of superiority of 10 wins to 5 losses in its older form, Φ((W − L) / √(W + L)).
        close(normal_cdf(5.0 / 15f64.sqrt()), 0.901647, 1e-6);
        // The series and the continued fraction meet at 2: one Simpson step of the density joins the two sides.
        let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
        let h = 1e-3;
        let simpson = h / 3.0 * (density(2.0 - h) + 4.0 * density(2.0) + density(2.0 + h));
        close(normal_tail(2.0 - h) - normal_tail(2.0 + h), simpson, 1e-11);
        assert_eq!((normal_cdf(-40.0), normal_cdf(40.0)), (0.0, 1.0));
    }

    #[test]
    fn normal_quantiles() {
        close(two_sided_z(0.95).unwrap(), 1.959963984540054, 1e-14);
        close(two_sided_z(0.99).unwrap(), 2.575829303548901, 1e-14);
        close(normal_quantile(0.8).unwrap(), 0.841621233572914, 1e-14);
        for p in [1e-300, 1e-12, 0.01, 0.3, 0.5, 0.7, 0.999] {
            close(normal_cdf(normal_quantile(p).unwrap()), p, 1e-12);
        }
        for p in [0.0, 1.0, -1.0, f64::NAN] {
            assert_eq!((normal_quantile(p), two_sided_z(p)), (None, None));
        }
    }

    #[test]
    fn gamma_of_integers_and_halves() {
        let (mut factorial, mut half) = (1.0f64, PI.sqrt());
        for n in 1..=100 {
            let x = f64::from(n);
            // Γ(n) = (n − 1)!, Γ(n + 1/2) = Γ(n − 1/2) (n − 1/2). Near 1 and 2 the logarithm vanishes.
            half *= x - 0.5;
            assert!((ln_gamma(x) - factorial.ln()).abs() <= 1e-14 * factorial.ln().max(1.0));
            assert!((ln_gamma(x + 0.5) - half.ln()).abs() <= 1e-14 * half.ln().abs().max(1.0));
            factorial *= x;
        }
        close(ln_gamma(1e-8), 1e8f64.ln() - 1e-8 * 0.577215664901533, 1e-15);
    }

    /// P(at least k of n at p) as a sum: I_p(k, n − k + 1).
    fn binomial_tail(k: u32, n: u32, p: f64) -> f64 {
        let term = |i: u32| {
            (0..i).fold(1.0, |c, j| c * f64::from(n - j) / f64::from(i - j))
                * p.powi(i as i32)
                * (1.0 - p).powi((n - i) as i32)
        };
        (k..=n).map(term).sum()
    }

    #[test]
    fn beta_against_binomial_sums() {
        for n in [1, 2, 15, 100, 400] {
            for k in (1..=n).step_by((n as usize / 10).max(1)) {
                for p in [0.001, 0.1, 0.5, 0.77, 0.99] {
                    let expected = binomial_tail(k, n, p);
                    // Powers below the smallest f64 would spoil the sum, not the function.
                    if p.min(1.0 - p).powi(n as i32) > 1e-300 {
                        let (a, b) = (f64::from(k), f64::from(n - k + 1));
                        close(beta_cdf(p, a, b), expected, 1e-12);
                    }
                }
            }
        }
        assert_eq!((beta_cdf(-1.0, 2.0, 3.0), beta_cdf(2.0, 2.0, 3.0)), (0.0, 1.0));
    }

    #[test]
    fn beta_of_large_parameters() {
        // Half of a symmetric distribution lies below 1/2, and the fraction converges slowest there.
        for a in [1e3, 1e6, 1e9] {
            close(beta_cdf(0.5, a, a), 0.5, 1e-14 * a);
        }
    }

    #[test]
    fn beta_quantiles_return() {
        for (p, a, b) in [(0.025, 1.0, 10.0), (0.5, 3.0, 3.0), (0.975, 40.0, 2.0), (1e-9, 0.5, 7.0)] {
            close(beta_cdf(beta_quantile(p, a, b), a, b), p, 1e-12);
        }
    }

    #[test]
    fn student_in_closed_form() {
        for t in [0.1, 1.0, 2.5, 40.0, -1.0] {
            let t: f64 = t;
            // One degree of freedom is Cauchy's distribution; two have a closed form.
            close(student_two_sided(t, 1.0), 1.0 - 2.0 / PI * t.abs().atan(), 1e-12);
            let two = 1.0 - t.abs() / (2.0 + t * t).sqrt();
            close(student_two_sided(t, 2.0), two, 1e-12);
        }
        // Abramowitz and Stegun, table 26.10: 5 % two-sided.
        close(student_two_sided(2.228, 10.0), 0.05, 1e-3);
        assert_eq!(student_two_sided(0.0, 5.0), 1.0);
    }

    /// Over grids of arguments, against statrs, which computes them by other means: rational approximations of erf and Γ.
    #[test]
    fn agrees_with_statrs() {
        use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
        use statrs::function::{beta::beta_reg, gamma::ln_gamma as other_ln_gamma};

        let normal = Normal::standard();
        for step in -370..=370 {
            let x = f64::from(step) * 0.1;
            // Its erfc is accurate to about 1e-11 beyond the centre.
            close(normal_cdf(x), normal.cdf(x), 1e-9);
            close(normal_tail(x), normal.sf(x), 1e-9);
        }
        for p in [1e-9, 1e-4, 0.01, 0.025, 0.2, 0.4, 0.6, 0.9, 0.975, 0.9999] {
            close(normal_quantile(p).unwrap(), normal.inverse_cdf(p), 1e-9);
        }
        for x in [1e-3, 0.1, 0.7, 1.5, 3.3, 12.0, 171.5, 1e4, 1e8] {
            close(ln_gamma(x), other_ln_gamma(x), 1e-11);
        }
        for a in [0.3, 0.5, 1.0, 4.5, 30.0, 500.0] {
            for b in [0.4, 1.0, 2.5, 80.0, 900.0] {
                for step in 1..20 {
                    let x = f64::from(step) * 0.05;
                    let (own, other) = (beta_cdf(x, a, b), beta_reg(a, b, x));
                    assert!((own - other).abs() <= 1e-10 * other.max(1e-6), "I_{x}({a}, {b}): {own:e} {other:e}");
                }
            }
        }
        for degrees in [1.0, 2.0, 4.7, 19.0, 199.0, 5000.0] {
            let student = StudentsT::new(0.0, 1.0, degrees).unwrap();
            for t in [0.01, 0.5, 1.0, 2.1, 5.0, 12.0] {
                let (own, other) = (student_two_sided(t, degrees), 2.0 * student.cdf(-t));
                assert!((own - other).abs() <= 1e-10 * other.max(1e-6), "t {t}, {degrees}: {own:e} {other:e}");
            }
        }
    }
}
