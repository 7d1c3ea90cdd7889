//! Sequential tests: published estimates and lengths, and simulated matches.

use banmen_stats::{Decision, Expectation, Games, Pairs, Plan, Scale, Sprt, score_from_elo};

#[track_caller]
fn close(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual - expected).abs() <= tolerance, "{actual} is not {expected} within {tolerance}");
}

fn plan(elo0: f64, elo1: f64) -> Plan {
    Plan::new(Scale::Logistic, elo0, elo1, 0.05, 0.05).unwrap()
}

/// A test of fishtest, with the published values.
#[test]
fn published_estimate() {
    let pairs = Pairs { counts: [39, 2226, 31451, 2412, 40] };
    let estimate = plan(0.2, 0.9).estimate(&pairs, 0.95).unwrap();
    close(estimate.elo.value.unwrap(), 0.8652, 5e-5);
    close(estimate.elo.low.unwrap(), 0.1683, 5e-5);
    close(estimate.elo.high.unwrap(), 1.5406, 5e-5);
    close(estimate.superiority, 0.992002, 5e-7);
}

#[test]
fn expected_lengths() {
    let expect = |plan: Plan, variance, elo, observations, passes| {
        let found: Expectation = plan.expectation::<3>(elo, variance).unwrap();
        close(found.observations, observations, 0.5);
        close(found.passes, passes, 5e-3);
    };
    for (elo, observations, passes) in
        [(0.0, 801.0, 0.05), (10.0, 1311.0, 0.5), (20.0, 801.0, 0.95), (40.0, 298.0, 1.0)]
    {
        expect(plan(0.0, 20.0), 0.125, elo, observations, passes);
    }
    for (elo, observations, passes) in [(0.0, 20_475.0, 0.05), (2.5, 33_494.0, 0.5), (5.0, 20_475.0, 0.95)] {
        expect(plan(0.0, 5.0), 0.2, elo, observations, passes);
    }
    for variance in [0.0, -1.0, 0.3, f64::NAN] {
        assert_eq!(plan(0.0, 5.0).expectation::<5>(0.0, variance), None);
    }
}

/// On the normalised scale the length depends on the differences alone.
#[test]
fn normalised_tests_are_planned_without_a_variance() {
    let plan = Plan::new(Scale::Normalised, 0.0, 20.0, 0.05, 0.05).unwrap();
    let halfway = plan.normalised_expectation(10.0).unwrap();
    // ln(19)² over the variance of the ratio of one game, (20 ln 10 / 800)².
    close(halfway.observations, (19f64.ln() / (20.0 * 10f64.ln() / 800.0)).powi(2), 1e-6);
    close(halfway.passes, 0.5, 1e-12);
    // Equal to the expectation by any variance: a pair is two games, and its standard deviation that of √½ of a game.
    for variance in [0.01f64, 0.08, 0.125] {
        for elo in [-10.0, 0.0, 20.0, 35.0] {
            let planned = plan.normalised_expectation(elo).unwrap();
            let score: f64 = 0.5 + elo * 10f64.ln() / 800.0 * (2.0 * variance).sqrt();
            let logistic = -400.0 * (1.0 / score - 1.0).log10();
            let pairs = plan.expectation::<5>(logistic, variance).unwrap();
            close(2.0 * pairs.observations, planned.observations, 1e-6 * planned.observations);
            close(pairs.passes, planned.passes, 1e-9);
        }
    }
    assert_eq!(plan.normalised_expectation(f64::NAN), None);
    assert_eq!(self::plan(0.0, 20.0).normalised_expectation(10.0), None);
    // Simulated matches with a third of draws.
    const TESTS: usize = 300;
    let plan = Plan::new(Scale::Normalised, 0.0, 60.0, 0.05, 0.05).unwrap();
    let mut stream = Stream(11);
    for elo in [0.0, 30.0] {
        let score = score_from_elo(elo);
        let variance: f64 = 1.0 / 6.0 - (score - 0.5).powi(2);
        let normalised = (score - 0.5) / variance.sqrt() * 800.0 / 10f64.ln();
        let games: u64 = (0..TESTS).map(|_| run(plan, elo, &mut stream).tally().games()).sum();
        let ratio = games as f64 / TESTS as f64 / plan.normalised_expectation(normalised).unwrap().observations;
        assert!((0.9..1.3).contains(&ratio), "{ratio} at {elo}");
    }
}

#[test]
fn plans_are_checked() {
    for (elo0, elo1, alpha) in [(5.0, 5.0, 0.05), (5.0, 0.0, 0.05), (f64::NAN, 1.0, 0.05), (0.0, f64::INFINITY, 0.05)] {
        assert_eq!(Plan::new(Scale::Normalised, elo0, elo1, alpha, 0.05), None);
    }
    assert_eq!(Plan::new(Scale::Normalised, 0.0, 5.0, 0.0, 0.05), None);
}

/// Undefined values are `None` and all others finite, even for a one-sided match.
#[test]
fn extreme_matches_are_estimated() {
    assert_eq!(plan(0.0, 5.0).estimate(&Pairs::default(), 0.95), None);
    assert_eq!(plan(0.0, 5.0).estimate(&Pairs { counts: [1, 0, 0, 0, 1] }, 1.0), None);
    for scale in [Scale::Logistic, Scale::Normalised] {
        for (elo0, elo1) in [(0.0, 0.01), (-5.0, 0.0), (0.0, 200.0)] {
            let plan = Plan::new(scale, elo0, elo1, 0.05, 0.05).unwrap();
            // The variance of one value is unknown.
            for counts in [[0, 0, 0, 0, 1], [1000, 0, 0, 0, 0], [0, 0, 1_000_000, 0, 0]] {
                assert_eq!(plan.estimate(&Pairs { counts }, 0.95), None);
            }
            for counts in
                [[0, 0, 0, 1, 1], [1000, 1, 0, 0, 0], [0, 1, 1_000_000, 0, 0], [1, 0, 0, 0, 1], [3, 0, 9, 1, 0]]
            {
                let estimate = plan.estimate(&Pairs { counts }, 0.95).unwrap();
                assert!((0.0..=1.0).contains(&estimate.superiority), "{estimate:?}");
                let elo = estimate.elo;
                assert!([elo.value, elo.low, elo.high].into_iter().flatten().all(f64::is_finite), "{elo:?}");
                assert!(elo.low.unwrap_or(-1e9) <= elo.high.unwrap_or(1e9), "{elo:?}");
                // One half point in all games is the least that they can tell from nothing.
                let most = 400.0 * (4.0 * counts.iter().sum::<u64>() as f64).log10();
                assert!(
                    [elo.value, elo.low, elo.high].into_iter().flatten().all(|elo| elo.abs() <= most + 1.0),
                    "{elo:?}"
                );
            }
        }
    }
}

/// Far from the bounds, the stopping rule has little effect.
#[test]
fn an_unfinished_test_is_a_plain_match() {
    let games = Games::from_wins_draws_losses(110, 100, 90);
    let estimate = plan(-1.0, 1.0).estimate(&games, 0.95).unwrap();
    let plain = banmen_stats::EloEstimate::new(games.score().unwrap(), games.normal_interval(0.95).unwrap());
    close(estimate.elo.value.unwrap(), plain.value.unwrap(), 1.0);
}

/// A stream of random numbers (splitmix64), for simulations with the same result on every machine.
struct Stream(u64);

impl Stream {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }

    /// The half points of a random pair of games, with a third of draws and a difference of `elo`.
    fn pair(&mut self, elo: f64) -> usize {
        let score = score_from_elo(elo);
        let mut game = || {
            let x = self.unit();
            if x < score - 1.0 / 6.0 {
                2
            } else if x < score + 1.0 / 6.0 {
                1
            } else {
                0
            }
        };
        game() + game()
    }
}

fn run(plan: Plan, elo: f64, stream: &mut Stream) -> Sprt<5> {
    let mut test = Sprt::new(plan);
    while test.decision().is_none() {
        let mut batch = Pairs::default();
        for _ in 0..2 {
            batch.counts[stream.pair(elo)] += 1;
        }
        test.record(&batch);
    }
    test
}

/// The error rates and the expected length hold. The estimate is too high as often as too low, while the plain score of
/// the same tests is nearly always biased towards the bound at which they stopped.
#[test]
fn simulated_tests_have_the_stated_error_rates_and_lengths() {
    const TESTS: usize = 300;
    let plan = plan(0.0, 60.0);
    let mut stream = Stream(1);
    let half = 0.5 * TESTS as f64;
    for (elo, passing) in [(0.0, 0.05), (60.0, 0.95), (120.0, 1.0)] {
        let tests: Vec<Sprt<5>> = (0..TESTS).map(|_| run(plan, elo, &mut stream)).collect();
        let passed = tests.iter().filter(|test| test.decision() == Some(Decision::AcceptH1)).count();
        close(passed as f64 / TESTS as f64, passing, 0.03);
        let variance = 0.5 * (1.0 / 6.0 - (score_from_elo(elo) - 0.5).powi(2));
        let pairs = tests.iter().map(|test| test.tally().total()).sum::<u64>() as f64 / TESTS as f64;
        let expected = plan.expectation::<5>(elo, variance).unwrap();
        // A test of a few dozen pairs moves in large steps and overshoots its bound, so it takes slightly longer.
        assert!((1.0..1.45).contains(&(pairs / expected.observations)), "{pairs} of {expected:?} pairs at {elo}");
        let over = |value: f64| value > elo;
        let estimates = tests.iter().filter(|t| over(t.estimate(0.9).unwrap().elo.value.unwrap_or(1e9))).count();
        close(estimates as f64, half, 0.1 * TESTS as f64);
        let missed = tests.iter().filter(|test| {
            let found = test.estimate(0.9).unwrap().elo;
            found.low.is_some_and(|low| low > elo) || found.high.is_some_and(|high| high < elo)
        });
        close(missed.count() as f64 / TESTS as f64, 0.1, 0.05);
    }
}

/// The test records nothing after its decision, so a replay ends at the same pair.
#[test]
fn a_decision_is_final() {
    let mut stream = Stream(7);
    let test = run(plan(0.0, 60.0), 150.0, &mut stream);
    let mut replayed = test;
    replayed.record(&Pairs { counts: [1000, 0, 0, 0, 0] });
    assert_eq!(replayed, test);
    assert_eq!(test.decision(), Some(Decision::AcceptH1));
    assert!(test.bounds().upper < test.plan().bounds.upper);
}
