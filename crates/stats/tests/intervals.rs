//! Intervals: known values, properties for any counts, and undefined cases.

use banmen_stats::{
    Difference, EloEstimate, Games, Interval, Pairs, Sample, clopper_pearson, elo_from_score, equivalence_size,
    llr_bayes_elo, llr_logistic, llr_normalised, one_sample_t, pooled_t, sample_size, welch_t, wilson,
};
use proptest::prelude::*;

#[track_caller]
fn same(actual: Interval, low: f64, high: f64, tolerance: f64) {
    assert!(
        (actual.low - low).abs() <= tolerance && (actual.high - high).abs() <= tolerance,
        "{actual:?} is not [{low}, {high}]"
    );
}

fn pairs(counts: [u64; 5]) -> Pairs {
    Pairs { counts }
}

#[test]
fn proportions_in_print() {
    // Newcombe 1998, Statistics in Medicine 17, table I: methods 3 (score) and 5 (exact) at 95 %.
    same(wilson(81, 263, 0.95).unwrap(), 0.2553, 0.3662, 5e-5);
    same(wilson(15, 148, 0.95).unwrap(), 0.0624, 0.1605, 5e-5);
    same(wilson(0, 20, 0.95).unwrap(), 0.0, 0.1611, 5e-5);
    same(wilson(1, 29, 0.95).unwrap(), 0.0061, 0.1718, 5e-5);
    same(clopper_pearson(81, 263, 0.95).unwrap(), 0.2527, 0.3676, 5e-5);
    same(clopper_pearson(15, 148, 0.95).unwrap(), 0.0578, 0.1617, 5e-5);
    same(clopper_pearson(0, 20, 0.95).unwrap(), 0.0, 0.1684, 5e-5);
    same(clopper_pearson(1, 29, 0.95).unwrap(), 0.0009, 0.1776, 5e-5);
    // All won: the exact lower end is (α/2)^(1/n).
    let all = clopper_pearson(20, 20, 0.95).unwrap();
    same(all, 0.025f64.powf(0.05), 1.0, 1e-12);
}

#[test]
fn invalid_proportions() {
    for f in [wilson, clopper_pearson] {
        assert_eq!(f(0, 0, 0.95), None);
        assert_eq!(f(3, 2, 0.95), None);
        for confidence in [0.0, 1.0, -0.5, f64::NAN] {
            assert_eq!(f(1, 2, confidence), None);
        }
    }
}

/// If all pairs are won, the score test gives Wilson's interval; from two pairs on, it is the wider of the two tests.
#[test]
fn all_won_is_wilson() {
    for n in [2, 10, 20, 1000] {
        let expected = wilson(n, n, 0.95).unwrap();
        same(pairs([0, 0, 0, 0, n]).interval(0.95).unwrap(), expected.low, 1.0, 1e-12);
        let lost = pairs([n, 0, 0, 0, 0]).interval(0.95).unwrap();
        same(lost, 0.0, 1.0 - expected.low, 1e-12);
        assert_eq!((lost.low, expected.high), (0.0, 1.0));
    }
    // One pair: m^n falls to exp(−z²/2).
    let one = pairs([0, 0, 0, 0, 1]).interval(0.95).unwrap();
    same(one, (-0.5 * 1.959963984540054f64.powi(2)).exp(), 1.0, 1e-12);
}

/// If all pairs are even, the most distant mean in the interval shifts a share q of the pairs to one extreme, where
/// q is Wilson's bound.
#[test]
fn all_even_is_half_of_wilson() {
    let q = wilson(0, 10, 0.95).unwrap().high;
    let interval = pairs([0, 0, 10, 0, 0]).interval(0.95).unwrap();
    same(interval, 0.5 - q / 2.0, 0.5 + q / 2.0, 1e-12);
}

/// With many pairs all methods agree, and the interval has the width of the normal approximation.
#[test]
fn many_pairs_are_normal() {
    let tally = pairs([1000, 2000, 4000, 2500, 1500]);
    let normal = tally.normal_interval(0.95).unwrap();
    same(tally.interval(0.95).unwrap(), normal.low, normal.high, 2e-5);
}

#[test]
fn no_observations_no_values() {
    let none = Pairs::default();
    assert_eq!((none.total(), none.games()), (0, 0));
    assert_eq!((none.score(), none.variance(), none.draw_ratio()), (None, None, None));
    assert_eq!((none.interval(0.95), none.normal_interval(0.95)), (None, None));
    assert_eq!((none.p_value(0.5), none.superiority(), none.pair_ratio()), (None, None, None));
    assert_eq!(none.normalised_elo(0.95), None);
    assert_eq!((llr_logistic(&none, 0.0, 5.0), llr_normalised(&none, 0.0, 5.0)), (None, None));
    assert_eq!(llr_bayes_elo(&Games::default(), 0.0, 5.0), None);
    assert_eq!(Sample::from_tally(&none), None);
}

#[test]
fn equal_results() {
    let swept = pairs([0, 0, 0, 0, 20]);
    assert_eq!((swept.score(), swept.variance()), (Some(1.0), Some(0.0)));
    assert_eq!((swept.superiority(), swept.normalised_elo(0.95)), (None, None));
    assert_eq!(swept.pair_ratio(), None);
    assert!(swept.p_value(0.5).unwrap() < 1e-4);
    assert!(llr_logistic(&swept, 0.0, 10.0).unwrap() > 0.0);
    assert!(llr_normalised(&swept, 0.0, 10.0).unwrap() > 0.0);
    let elo = EloEstimate::new(1.0, swept.interval(0.95).unwrap());
    assert_eq!((elo.value, elo.high, elo.margin()), (None, None, None));
    assert!(elo.low.unwrap() > 280.0);

    let sample = Sample::from_tally(&swept).unwrap();
    assert_eq!(one_sample_t(&sample, 0.5), None);
    assert_eq!((pooled_t(&sample, &sample), welch_t(&sample, &sample)), (None, None));
}

#[test]
fn arguments_out_of_range() {
    let tally = pairs([10, 20, 40, 25, 15]);
    for confidence in [0.0, 1.0, 2.0, f64::NAN] {
        assert_eq!(tally.interval(confidence), None);
        assert_eq!(tally.normal_interval(confidence), None);
        assert_eq!(tally.normalised_elo(confidence), None);
    }
    for mean in [0.0, 1.0, -3.0, f64::NAN, f64::INFINITY] {
        assert_eq!(tally.p_value(mean), None);
        assert_eq!(elo_from_score(if mean == 0.0 { 1.0 } else { mean }), None);
    }
    for elo in [1e6, f64::NAN, f64::INFINITY] {
        assert_eq!(llr_logistic(&tally, 0.0, elo), None);
        assert_eq!(llr_normalised(&tally, elo, 0.0), None);
    }
    // Excessive counts saturate instead of overflowing.
    assert_eq!(pairs([u64::MAX; 5]).total(), u64::MAX);
}

/// If nearly all pairs are even, the normalised model converges slowly but has a solution.
#[test]
fn a_match_of_draws_has_a_ratio() {
    let llr = llr_normalised(&pairs([0, 0, 47404, 8, 4]), -3.0, 8.0).unwrap();
    assert!((llr + 8.5750).abs() < 1e-4, "{llr}");
    for counts in [[0, 0, 1_000_000, 1, 0], [1, 0, 1_000_000, 0, 0], [0, 0, 50, 0, 0]] {
        assert!(llr_normalised(&pairs(counts), -3.0, 8.0).is_some(), "{counts:?}");
    }
}

fn some_pairs() -> impl Strategy<Value = Pairs> {
    let count = prop_oneof![Just(0), 1..10u64, 1..100_000u64];
    let counts = [count.clone(), count.clone(), count.clone(), count.clone(), count];
    counts.prop_map(pairs).prop_filter("some pair", |pairs| pairs.total() > 0)
}

proptest! {
    #[test]
    fn interval_and_p_value_are_one(pairs in some_pairs(), confidence in 0.5..0.999f64) {
        let interval = pairs.interval(confidence).unwrap();
        prop_assert!(interval.contains(pairs.score().unwrap()));
        prop_assert!(0.0 <= interval.low && interval.high <= 1.0 && interval.low < interval.high);
        for (end, outwards) in [(interval.low, -1e-9), (interval.high, 1e-9)] {
            if end > 1e-8 && end < 1.0 - 1e-8 {
                prop_assert!((pairs.p_value(end).unwrap() - (1.0 - confidence)).abs() < 1e-6);
                prop_assert!(pairs.p_value(end + outwards).unwrap() < 1.0 - confidence);
            }
        }
    }

    #[test]
    fn sides_mirror(pairs in some_pairs()) {
        let mut mirrored = pairs;
        mirrored.counts.reverse();
        let (a, b) = (pairs.interval(0.95).unwrap(), mirrored.interval(0.95).unwrap());
        prop_assert!((a.low + b.high - 1.0).abs() < 1e-12 && (a.high + b.low - 1.0).abs() < 1e-12);
        let (a, b) = (llr_logistic(&pairs, -3.0, 8.0).unwrap(), llr_logistic(&mirrored, 3.0, -8.0).unwrap());
        prop_assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0));
        let (a, b) = (llr_normalised(&pairs, -3.0, 8.0).unwrap(), llr_normalised(&mirrored, 3.0, -8.0).unwrap());
        prop_assert!((a - b).abs() <= 1e-6 * a.abs().max(1.0));
    }

    /// The interval is connected: a mean further from the score is never more plausible.
    #[test]
    fn p_value_falls_away_from_the_score(pairs in some_pairs(), x in 0.001..0.999f64, y in 0.001..0.999f64) {
        let score = pairs.score().unwrap();
        let (near, far) = if (x - score).abs() < (y - score).abs() { (x, y) } else { (y, x) };
        if (near < score) == (far < score) {
            prop_assert!(pairs.p_value(far).unwrap() <= pairs.p_value(near).unwrap() + 1e-9);
        }
    }

    /// For the usual hypotheses the ratio is finite, whatever the number of results.
    #[test]
    fn ratios_exist(pairs in some_pairs(), elo0 in -100.0..100.0f64, elo1 in -100.0..100.0f64) {
        let logistic = llr_logistic(&pairs, elo0, elo1);
        let normalised = llr_normalised(&pairs, elo0, elo1);
        prop_assert!(logistic.is_some_and(f64::is_finite), "{logistic:?}");
        prop_assert!(normalised.is_some_and(f64::is_finite), "{normalised:?}");
    }
}

/// Newcombe 1998 (*Statistics in Medicine* 17, 873–890), table II, method 10: 56/70 against 48/80 and the like, whose
/// intervals are Wilson's. Ours are Wilson's or wider, as they also contain what the likelihood-ratio test accepts.
#[test]
fn differences_contain_those_of_newcombe() {
    let proportion = |wins: u64, trials: u64| Games::from_wins_draws_losses(wins, 0, trials - wins);
    for (a, b, low, high) in [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((0, 10), (0, 20), -0.1611, 0.2775),
    ] {
        let difference = Difference::new(&proportion(a.0, a.1), &proportion(b.0, b.1)).unwrap();
        let interval = difference.interval(0.95).unwrap();
        assert!(interval.low <= low + 5e-5 && interval.high >= high - 5e-5, "{interval:?} for {a:?} and {b:?}");
        assert!(interval.low >= low - 0.06 && interval.high <= high + 0.06, "{interval:?} for {a:?} and {b:?}");
        assert!(interval.low >= -1.0 && interval.high <= 1.0, "{interval:?} for {a:?} and {b:?}");
    }
}

#[test]
fn differences_and_their_tests_agree() {
    let a = Pairs { counts: [10, 12, 25, 20, 33] };
    let b = Games::from_wins_draws_losses(119, 30, 51);
    let difference = Difference::new(&a, &b).unwrap();
    for confidence in [0.5, 0.9, 0.95, 0.999] {
        let interval = difference.interval(confidence).unwrap();
        for (inside, outside) in
            [(interval.low + 1e-9, interval.low - 1e-9), (interval.high - 1e-9, interval.high + 1e-9)]
        {
            assert!(difference.p_value(inside).unwrap() >= 1.0 - confidence);
            assert!(difference.p_value(outside).unwrap() <= 1.0 - confidence);
        }
        // Equivalence at α is the interval at 1 − 2α inside the margin.
        let alpha = 0.5 * (1.0 - confidence);
        let margin = interval.high.max(-interval.low);
        assert!(difference.equivalence(margin + 1e-6).unwrap() < alpha);
        assert!(difference.equivalence(margin - 1e-6).unwrap() > alpha);

        let own = a.interval(confidence).unwrap();
        let margin = (own.high - 0.6).max(0.6 - own.low);
        assert!(a.equivalence(0.6, margin + 1e-6).unwrap() < alpha);
        assert!(a.equivalence(0.6, margin - 1e-6).unwrap() > alpha);
    }
    // A difference beyond the margin is no evidence of equivalence.
    assert!(a.equivalence(0.3, 0.05).unwrap() > 0.999);
    assert_eq!(difference.p_value(difference.value()), Some(1.0));
    for margin in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        assert_eq!((difference.equivalence(margin), a.equivalence(0.5, margin)), (None, None));
    }
    assert_eq!(Difference::new(&a, &Games::default()), None);
    assert_eq!(Pairs::default().equivalence(0.5, 0.1), None);
}

/// The difference of two matches with only wins has an interval whose width depends on their lengths.
#[test]
fn differences_of_matches_with_only_wins() {
    let won = |n| Pairs { counts: [0, 0, 0, 0, n] };
    let difference = Difference::new(&won(100), &won(100)).unwrap();
    let interval = difference.interval(0.95).unwrap();
    assert!(interval.low < -0.03 && interval.high > 0.03, "{interval:?}");
    assert!(difference.equivalence(0.07).unwrap() < 0.05);
    let few = Difference::new(&won(10), &won(10)).unwrap();
    assert!(few.equivalence(0.07).unwrap() > 0.05);
    // Both sample sizes affect the interval.
    let one_short = Difference::new(&won(100), &won(10)).unwrap();
    assert!(one_short.equivalence(0.07).unwrap() > 0.05);
}

/// A standard normal number, by the sum of twelve uniform ones.
fn normal(state: &mut u64) -> f64 {
    let uniform = |state: &mut u64| {
        // Steele, Lea and Flood 2014, SplitMix64.
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..12).map(|_| uniform(state)).sum::<f64>() - 6.0
}

#[test]
fn equivalence_sizes_in_closed_form() {
    // At no difference both tests are in doubt, and each needs power 0.9: (z₀.₉₅ + z₀.₉)² = 2.92640² (Chow, Shao and Wang 2003,
    // section 4.2.2: (z_α + z_β/2)² σ² / δ²).
    let even = equivalence_size(0.0, 1.0, 1.0, 0.05, 0.8).unwrap();
    assert!((even - 2.926_405_192_8f64.powi(2)).abs() < 1e-8, "{even}");
    // Near the margin only one of them is: (z₀.₉₅ + z₀.₈)² σ² / (δ − d)².
    let near = equivalence_size(-0.9, 1.0, 1.0, 0.05, 0.8).unwrap();
    assert!((near - 100.0 * 2.486_474_860_6f64.powi(2)).abs() < 1e-5, "{near}");
    for none in [
        equivalence_size(1.0, 1.0, 1.0, 0.05, 0.8),
        equivalence_size(0.0, 0.0, 1.0, 0.05, 0.8),
        equivalence_size(0.0, 1.0, -1.0, 0.05, 0.8),
        equivalence_size(0.0, 1.0, 1.0, 0.0, 0.8),
        equivalence_size(0.0, 1.0, 1.0, 0.05, 1.0),
        equivalence_size(f64::NAN, 1.0, 1.0, 0.05, 0.8),
    ] {
        assert_eq!(none, None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The promised power, by simulation of the estimate: 4,000 draws, so a standard error of at most 0.008.
    #[test]
    fn sizes_keep_their_power(
        share in 0.0..0.9, margin in 0.01..10.0, variance in 0.01..9.0, alpha in 0.01..0.2, power in 0.3..0.97, seed: u64,
    ) {
        let difference = share * margin;
        let level = normal_quantile(1.0 - alpha);
        let n = equivalence_size(difference, margin, variance, alpha, power).unwrap();
        let error = (variance / n).sqrt();
        let (mut state, draws) = (seed, 4000);
        let mut shown = 0;
        let mut found = 0;
        // The size that shows a difference, for the same numbers: two-sided.
        let two_sided = sample_size(margin, variance, alpha, power).unwrap();
        let smaller = (variance / two_sided).sqrt();
        for _ in 0..draws {
            let z = normal(&mut state);
            let estimate = difference + error * z;
            shown += u32::from(estimate - level * error > -margin && estimate + level * error < margin);
            found += u32::from(margin + smaller * z > normal_quantile(1.0 - 0.5 * alpha) * smaller);
        }
        let rate = |count: u32| f64::from(count) / f64::from(draws);
        prop_assert!((rate(shown) - power).abs() < 0.04, "equivalence: {} for {power}", rate(shown));
        prop_assert!((rate(found) - power).abs() < 0.04, "difference: {} for {power}", rate(found));
    }
}

/// The quantile of the standard normal distribution, by the size of a test with power 1/2.
fn normal_quantile(p: f64) -> f64 {
    sample_size(1.0, 1.0, 2.0 * (1.0 - p), 0.5).unwrap().sqrt()
}

/// 10 to 5: the older form of match reports, and the tail of Beta(11, 6).
#[test]
fn superiority_by_decisive_games() {
    let found = banmen_stats::DecisiveSuperiority::new(10, 5).unwrap();
    assert!((found.normal - 0.901647).abs() < 5e-7, "{found:?}");
    assert!((found.exact - 0.894943).abs() < 5e-7, "{found:?}");
    let other = banmen_stats::DecisiveSuperiority::new(5, 10).unwrap();
    assert!((found.normal + other.normal - 1.0).abs() < 1e-12 && (found.exact + other.exact - 1.0).abs() < 1e-12);
    assert_eq!(banmen_stats::DecisiveSuperiority::new(0, 0), None);
    let swept = banmen_stats::DecisiveSuperiority::new(3, 0).unwrap();
    assert!((swept.exact - 15.0 / 16.0).abs() < 1e-12, "{swept:?}");
    // The two ways to compute it meet at 10⁸ games.
    for difference in [-15_000i64, 1_000, 9_000] {
        let [below, above] = [0, 1].map(|more| {
            let losses = (50_000_000 - difference / 2 + more) as u64;
            banmen_stats::DecisiveSuperiority::new((losses as i64 + difference) as u64, losses).unwrap().exact
        });
        assert!((below - above).abs() < 1e-6, "{difference}: {below} {above}");
    }
    let many = banmen_stats::DecisiveSuperiority::new((1 << 53) + 1, 1 << 53).unwrap();
    assert!((many.exact - 0.5).abs() < 1e-8 && many.exact > 0.5, "{many:?}");
    assert_eq!(banmen_stats::DecisiveSuperiority::new(u64::MAX, u64::MAX).unwrap().exact, 0.5);
}
