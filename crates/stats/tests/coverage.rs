//! The coverage of the interval, by exact enumeration: every outcome of n pairs, weighted by its probability. The tests
//! also compute the other methods in the table of its documentation.

use banmen_stats::Pairs;

/// Result probabilities of one pair, LL to WW.
type Distribution = [f64; 5];

const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const Z: f64 = 1.959963984540054;

fn mean(weights: &Distribution) -> f64 {
    weights.iter().zip(SCORES).map(|(p, a)| p * a).sum()
}

/// The method under test: is the true mean in the 95 % interval? It uses the p value, which is faster; a test in
/// `intervals.rs` shows that the two agree.
fn covers(counts: [u64; 5], truth: f64) -> bool {
    Pairs { counts }.p_value(truth).unwrap() >= 0.05 - 1e-9
}

/// The score test and the likelihood-ratio test alone.
fn single_tests_cover(counts: [u64; 5], truth: f64) -> [bool; 2] {
    let n = counts.iter().sum::<u64>() as f64;
    let frequencies = counts.map(|k| k as f64 / n);
    let phi = SCORES.map(|a| a - truth);
    let observed = || frequencies.iter().zip(phi).filter(|(p, _)| **p > 0.0);
    let (mut low, mut high) = (-1.0 / (1.0 - truth), 1.0 / truth);
    for _ in 0..60 {
        let theta = 0.5 * (low + high);
        let sum: f64 = observed().map(|(p, f)| p * f / (1.0 + theta * f)).sum();
        *(if sum > 0.0 { &mut low } else { &mut high }) = theta;
    }
    let score = n * low * (mean(&frequencies) - truth);
    let ratio: f64 = observed().map(|(p, f)| p * (1.0 + low * f).ln()).sum();
    [score, 2.0 * n * ratio].map(|statistic| statistic <= Z * Z + 1e-9)
}

/// Wilson's interval with the effective sample size n / r, r the variance over that of a two-valued result of the same
/// mean, half a pair added at both extremes.
fn design_effect_covers(counts: [u64; 5], truth: f64) -> bool {
    let n = counts.iter().sum::<u64>() as f64;
    let mut padded = counts.map(|k| k as f64 / (n + 1.0));
    padded[0] += 0.5 / (n + 1.0);
    padded[4] += 0.5 / (n + 1.0);
    let m = mean(&padded);
    let variance: f64 = padded.iter().zip(SCORES).map(|(p, a)| p * (a - m) * (a - m)).sum();
    let effective = n / (variance / (m * (1.0 - m)));
    let score = mean(&counts.map(|k| k as f64 / n));
    (score - truth).powi(2) <= Z * Z * truth * (1.0 - truth) / effective + 1e-12
}

/// Calls `visit` with every outcome of `n` pairs and its probability. Outcomes with a probability below 10^-12 are
/// omitted, so that a coverage summed over the visits is a lower bound.
fn outcomes(n: u64, distribution: &Distribution, visit: &mut impl FnMut([u64; 5], f64)) {
    fn fill(
        category: usize,
        left: u64,
        chance: f64,
        counts: &mut [u64; 5],
        distribution: &Distribution,
        visit: &mut impl FnMut([u64; 5], f64),
    ) {
        let p = distribution[category];
        if category == 4 {
            let chance = chance * p.powi(left as i32);
            if chance > 1e-12 {
                counts[4] = left;
                visit(*counts, chance);
            }
            return;
        }
        // chance × C(left, k) p^k, for increasing k.
        let mut chance = chance;
        for k in 0..=left {
            if chance == 0.0 {
                break;
            }
            counts[category] = k;
            fill(category + 1, left - k, chance, counts, distribution, visit);
            chance *= (left - k) as f64 / (k + 1) as f64 * p;
        }
    }
    fill(0, n, 1.0, &mut [0; 5], distribution, visit);
}

fn coverage(n: u64, distribution: &Distribution) -> f64 {
    let truth = mean(distribution);
    let mut covered = 0.0;
    outcomes(n, distribution, &mut |counts, chance| {
        if covers(counts, truth) {
            covered += chance;
        }
    });
    covered
}

/// Realistic distributions of matches, moderate and extreme.
const MATCHES: [(&str, Distribution); 14] = [
    ("even, lively", [0.1, 0.2, 0.4, 0.2, 0.1]),
    ("even, nearly all drawn", [0.01, 0.08, 0.82, 0.08, 0.01]),
    ("even, games independent", [0.25, 0.0, 0.5, 0.0, 0.25]),
    ("even, no split pairs", [0.5, 0.0, 0.0, 0.0, 0.5]),
    ("better", [0.05, 0.1, 0.2, 0.3, 0.35]),
    ("much better", [0.01, 0.02, 0.07, 0.1, 0.8]),
    ("wins nine games of ten", [0.01, 0.0, 0.18, 0.0, 0.81]),
    ("wins nearly all", [0.0, 0.0, 0.02, 0.03, 0.95]),
    ("wins all but one in a hundred", [0.01, 0.0, 0.0, 0.0, 0.99]),
    ("loses nearly all", [0.95, 0.0, 0.05, 0.0, 0.0]),
    ("wins one pair in twenty, else even", [0.0, 0.0, 0.95, 0.0, 0.05]),
    ("wins one pair in five, else even", [0.0, 0.0, 0.8, 0.0, 0.2]),
    ("never 1 to 1", [0.0, 0.5, 0.0, 0.5, 0.0]),
    ("a rare disaster", [0.05, 0.0, 0.0, 0.95, 0.0]),
];

#[test]
fn matches_are_covered() {
    for n in [5, 10, 20, 40] {
        for (name, distribution) in MATCHES {
            let coverage = coverage(n, &distribution);
            // 0.9375 is the probability of the 30 middle outcomes of five fair coins. There, a better interval would
            // have to cover every outcome.
            assert!(coverage > 0.937, "{coverage} for {n} pairs: {name}");
        }
    }
}

#[test]
fn long_matches_are_covered() {
    for (name, distribution) in MATCHES {
        if distribution.iter().filter(|p| **p > 0.0).count() <= 3 {
            let coverage = coverage(200, &distribution);
            assert!(coverage > 0.944, "{coverage} for 200 pairs: {name}");
        }
    }
}

/// Two-valued results on a fine grid, where Wilson's interval alone falls to 0.84.
#[test]
fn two_valued_results_are_covered() {
    for (n, floor) in [(5, 0.925), (10, 0.923), (20, 0.928), (50, 0.933), (200, 0.94)] {
        let worst = (1..1000)
            .map(|i| f64::from(i) / 1000.0)
            .map(|p| coverage(n, &[1.0 - p, 0.0, 0.0, 0.0, p]))
            .fold(1.0, f64::min);
        assert!(worst > floor, "{worst} for {n} pairs");
    }
}

/// xorshift64* (Marsaglia 2003, Vigna 2016): uniform in [0, 1).
fn random(state: &mut u64) -> f64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
}

/// A distribution far from uniform, with some categories impossible.
fn random_distribution(state: &mut u64) -> Distribution {
    loop {
        let weights = [(); 5].map(|()| {
            let possible = random(state) < 0.6;
            let weight = (-(1.0 - random(state)).ln()).powi(4);
            if possible { weight } else { 0.0 }
        });
        let sum: f64 = weights.iter().sum();
        let distribution = weights.map(|w| if w > 1e-4 * sum { w / sum } else { 0.0 });
        let sum: f64 = distribution.iter().sum();
        if distribution.iter().filter(|p| **p > 0.0).count() >= 2 {
            return distribution.map(|p| p / sum);
        }
    }
}

/// The table in the documentation of `Tally::interval`: score test, likelihood-ratio test, design effect, both tests
/// (least coverage each), both tests (mean coverage).
const TABLE: [(u64, u32, [f64; 5]); 4] = [
    (4, 1000, [0.837, 0.853, 0.837, 0.875, 0.990]),
    (6, 1000, [0.836, 0.803, 0.839, 0.912, 0.989]),
    (10, 1000, [0.836, 0.842, 0.836, 0.928, 0.986]),
    (20, 500, [0.849, 0.826, 0.820, 0.929, 0.982]),
];

#[test]
fn least_coverage_over_random_distributions() {
    for (n, distributions, expected) in TABLE {
        let mut state = 2024;
        let mut measured = [1.0, 1.0, 1.0, 1.0, 0.0];
        for _ in 0..distributions {
            let distribution = random_distribution(&mut state);
            let truth = mean(&distribution);
            let mut covered = [0.0; 4];
            outcomes(n, &distribution, &mut |counts, chance| {
                let [score, ratio] = single_tests_cover(counts, truth);
                let both = covers(counts, truth);
                assert_eq!(both, score || ratio, "{counts:?} at {truth}");
                let methods = [score, ratio, design_effect_covers(counts, truth), both];
                for (sum, covers) in covered.iter_mut().zip(methods) {
                    *sum += if covers { chance } else { 0.0 };
                }
            });
            for (least, covered) in measured.iter_mut().zip(covered) {
                *least = covered.min(*least);
            }
            measured[4] += covered[3] / f64::from(distributions);
        }
        for (measured, expected) in measured.iter().zip(expected) {
            assert!((measured - expected).abs() < 6e-4, "{n} pairs: {measured}");
        }
    }
}
