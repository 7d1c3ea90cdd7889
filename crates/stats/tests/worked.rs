//! Worked values and published checks, each named after what it checks. Published values of match programs are those
//! in the tests of fastchess (Disservin/fastchess, app/tests); the finer ones were computed with fishtest's module.

use banmen_stats::{
    Bounds, Decision, EloEstimate, Games, Pairs, Sample, Tally, draw_elo, elo_from_score, holm, llr_bayes_elo,
    llr_logistic, llr_normalised, one_sample_t, pooled_t, sample_size, score_from_elo, sign_test, welch_t,
};

#[track_caller]
fn close(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual - expected).abs() <= tolerance, "{actual} is not {expected} within {tolerance}");
}

fn wld(wins: u64, losses: u64, draws: u64) -> Games {
    Games::from_wins_draws_losses(wins, draws, losses)
}

fn normal_elo<const K: usize>(tally: &Tally<K>) -> EloEstimate {
    EloEstimate::new(tally.score().unwrap(), tally.normal_interval(0.95).unwrap())
}

#[test]
fn elo_from_score_and_back() {
    for (score, elo) in [(0.53, 20.8712), (0.92, 424.2791), (0.155, -294.61)] {
        close(elo_from_score(score).unwrap(), elo, 5e-5);
        close(score_from_elo(elo_from_score(score).unwrap()), score, 1e-15);
    }
}

#[test]
fn normal_interval_in_elo() {
    let elo = normal_elo(&wld(53, 47, 0));
    close(elo.low.unwrap(), -47.420, 5e-4);
    close(elo.high.unwrap(), 90.834, 5e-4);
    close(wld(53, 47, 0).superiority().unwrap(), 0.726108, 5e-7);

    let games = wld(161, 26, 13);
    assert_eq!(games.score(), Some(0.8375));
    let elo = normal_elo(&games);
    close(elo.low.unwrap(), 229.66, 5e-3);
    close(elo.high.unwrap(), 355.32, 5e-3);
}

#[test]
fn elo_as_fastchess_prints_it() {
    let games = wld(76, 89, 123);
    let normalised = games.normalised_elo(0.95).unwrap();
    close(normalised.value, -20.76, 5e-3);
    close(normalised.margin, 40.13, 5e-3);
    close(games.superiority().unwrap(), 0.1553, 5e-5);

    let games = wld(136, 96, 111);
    close(normal_elo(&games).value.unwrap(), 40.70, 5e-3);
    close(normal_elo(&games).margin().unwrap(), 30.43, 5e-3);
    let normalised = games.normalised_elo(0.95).unwrap();
    close(normalised.value, 49.77, 5e-3);
    close(normalised.margin, 36.77, 5e-3);

    // In LW (31 pairs) and DD (32 pairs) each player has one point.
    let pairs = Pairs { counts: [34, 54, 31 + 32, 64, 75] };
    close(pairs.score().unwrap(), 0.579, 5e-4);
    close(normal_elo(&pairs).value.unwrap(), 55.58, 5e-3);
    close(normal_elo(&pairs).margin().unwrap(), 27.65, 5e-3);
    let normalised = pairs.normalised_elo(0.95).unwrap();
    close(normalised.value, 57.94, 5e-3);
    close(normalised.margin, 28.28, 5e-3);
}

/// The block that fastchess printed for 8 pairs: counts [3, 3, 0, 2, 0].
#[test]
fn report_block_of_fastchess() {
    let pairs = Pairs { counts: [3, 3, 0, 2, 0] };
    assert_eq!(pairs.games(), 16);
    close(pairs.score().unwrap(), 0.2812, 5e-5 + 1e-9);
    close(normal_elo(&pairs).value.unwrap(), -162.99, 5e-3);
    close(normal_elo(&pairs).margin().unwrap(), 207.18, 5e-3);
    let normalised = pairs.normalised_elo(0.95).unwrap();
    close(normalised.value, -184.37, 5e-3);
    close(normalised.margin, 170.24, 5e-3);
    close(pairs.superiority().unwrap(), 0.0169, 5e-5);
    assert_eq!(pairs.draw_ratio(), Some(0.0));
    close(pairs.pair_ratio().unwrap(), 0.33, 5e-3);
    close(llr_normalised(&pairs, 0.0, 10.0).unwrap(), -0.22, 5e-3);
}

#[test]
fn sequential_bounds() {
    let bounds = Bounds::new(0.05, 0.05).unwrap();
    close(bounds.lower, -2.944438979, 5e-10);
    close(bounds.upper, 2.944438979, 5e-10);
    let bounds = Bounds::new(0.01, 0.05).unwrap();
    close(bounds.lower, -2.985681938, 5e-10);
    close(bounds.upper, 4.553876892, 5e-10);
    assert_eq!(bounds.decide(4.5), None);
    assert_eq!(bounds.decide(4.6), Some(Decision::AcceptH1));
    assert_eq!(bounds.decide(-3.0), Some(Decision::AcceptH0));
    for (alpha, beta) in [(0.0, 0.05), (0.5, 0.5), (-0.1, 0.5), (f64::NAN, 0.05)] {
        assert_eq!(Bounds::new(alpha, beta), None);
    }
}

const PAIRS: Pairs = Pairs { counts: [10, 20, 40, 25, 15] };
const GAMES: Games = Games { counts: [30, 40, 50] };

#[test]
fn logistic_ratio_by_hand() {
    close(PAIRS.score().unwrap(), 0.534090909, 5e-10);
    close(PAIRS.variance().unwrap(), 0.081224174, 5e-10);
    close(score_from_elo(10.0), 0.514387184, 5e-10);
    let llr = llr_logistic(&PAIRS, 0.0, 10.0).unwrap();
    close(llr, 0.518128245, 5e-10);
    close(llr_logistic(&GAMES, 0.0, 10.0).unwrap(), 0.790255950, 5e-10);

    // The published approximations, which use only the moments, are close.
    let (s, v, m0, m1) = (PAIRS.score().unwrap(), PAIRS.variance().unwrap(), 0.5, score_from_elo(10.0));
    let quick = 110.0 * (m1 - m0) * (2.0 * s - m0 - m1) / (2.0 * v);
    close(quick, 0.524073438, 5e-10);
    let log_ratio = 55.0 * ((v + (s - m0).powi(2)) / (v + (s - m1).powi(2))).ln();
    close(log_ratio, 0.519122758, 5e-10);
    close(llr, log_ratio, 2e-3);
}

#[test]
fn normalised_ratio_by_hand() {
    let llr_pairs = llr_normalised(&PAIRS, 0.0, 10.0).unwrap();
    close(llr_pairs, 0.440884663, 5e-10);
    let llr_games = llr_normalised(&GAMES, 0.0, 10.0).unwrap();
    close(llr_games, 0.655516719, 5e-10);

    // The closed approximation, (games / 2) ln((1 + (t − t0)²) / (1 + (t − t1)²)) with t per game.
    let closed = |games: f64, nelo: f64| {
        let (t, t1) = (nelo / 347.43558552, 10.0 / 347.43558552);
        0.5 * games * ((1.0 + t * t) / (1.0 + (t - t1).powi(2))).ln()
    };
    let nelo = PAIRS.normalised_elo(0.95).unwrap().value;
    close(closed(220.0, nelo), 0.442190170, 5e-9);
    let nelo = GAMES.normalised_elo(0.95).unwrap().value;
    close(closed(120.0, nelo), 0.646006652, 5e-9);
}

#[test]
fn published_ratios_of_games() {
    let llr = llr_normalised(&wld(36433, 36027, 68692), 0.0, 2.0).unwrap();
    close(llr, 0.923293, 1e-6);
    let llr = llr_normalised(&wld(10871, 10650, 20431), -1.75, 0.25).unwrap();
    close(llr, 2.297500, 1e-6);
    let llr = llr_logistic(&wld(21404, 21184, 40708), 0.5, 2.5).unwrap();
    close(llr, -1.571889, 1e-6);
    let llr = llr_logistic(&wld(57433, 57030, 106593), 0.0, 2.0).unwrap();
    close(llr, -2.593024, 1e-6);
}

#[test]
fn published_ratio_of_bayes_elo() {
    let games = wld(68965, 68526, 128429);
    close(draw_elo(&games).unwrap(), 183.043367, 5e-7);
    close(llr_bayes_elo(&games, 0.0, 2.0).unwrap(), -1.262156, 1e-6);
}

#[test]
fn published_ratios_of_pairs() {
    let normalised = |counts, nelo0, nelo1| llr_normalised(&Pairs { counts }, nelo0, nelo1).unwrap();
    let logistic = |counts, elo0, elo1| llr_logistic(&Pairs { counts }, elo0, elo1).unwrap();
    let llr = normalised([365, 16618, 36229, 16974, 390], 0.0, 2.0);
    close(llr, 2.250368, 1e-6);
    let llr = normalised([127, 4883, 10712, 5150, 104], -1.75, 0.25);
    close(llr, 3.010154, 1e-6);
    let llr = logistic([223, 9863, 21279, 10037, 246], 0.5, 2.5);
    close(llr, -3.074126, 1e-6);
    let llr = logistic([871, 26175, 55983, 26678, 821], 0.0, 2.0);
    close(llr, -4.978673, 1e-6);
    let llr = logistic([10789, 19328, 33806, 19402, 10543], -3.0, 1.0);
    close(llr, 2.131068, 1e-6);
    let llr = logistic([39, 2226, 31451, 2412, 40], 0.2, 0.9);
    close(llr, 2.162543, 1e-6);
    // All won; fastchess, whose solver stops earlier, publishes 111.82.
    let llr = normalised([0, 0, 0, 0, 5550], 0.0, 5.0);
    close(llr, 111.797555, 1e-6);
}

#[test]
fn size_of_a_match() {
    for (score, games) in [(0.53, 2180.0), (0.55, 785.0), (0.60, 196.0)] {
        close(sample_size(score - 0.5, 0.25, 0.05, 0.8).unwrap(), games, 0.5);
    }
    assert_eq!(sample_size(0.0, 0.25, 0.05, 0.8), None);
    assert_eq!(sample_size(0.1, 0.25, 0.05, 0.01), None);
}

/// Sagehashi, Tsubokura, Nishino 2018 (TUBSTAP, S-UCT): their tables 3, 5 and 6.
#[test]
fn t_tests_of_a_published_table() {
    let sample = |wins, losses, draws| Sample::from_tally(&wld(wins, losses, draws)).unwrap();
    let (unit1, unit3, unit5) = (sample(111, 63, 26), sample(122, 51, 27), sample(111, 61, 28));

    let test = pooled_t(&unit1, &unit3).unwrap();
    close(test.t, -1.3025, 5e-5);
    close(test.p, 0.19351, 5e-6);
    assert_eq!(test.degrees, 398.0);
    let test = pooled_t(&unit3, &unit5).unwrap();
    close(test.t, 1.1950, 5e-5);
    close(test.p, 0.23281, 5e-6);
    close(welch_t(&unit3, &unit5).unwrap().p, 0.23282, 5e-6);

    let against_half = |wins, losses, draws| one_sample_t(&sample(wins, losses, draws), 0.5).unwrap();
    close(against_half(29, 167, 4).t, -13.712, 5e-4);
    close(against_half(161, 26, 13).t, 13.753, 5e-4);
}

#[test]
fn sign_tests() {
    // 2 · (1 + 15 + 105) / 2^15 and so on: binomial sums by hand.
    close(sign_test(2, 13), 242.0 / 32768.0, 1e-15);
    close(sign_test(0, 10), 2.0 / 1024.0, 1e-15);
    assert_eq!((sign_test(0, 0), sign_test(7, 7)), (1.0, 1.0));
    close(sign_test(5, 4), 1.0, 1e-14);
}

#[test]
fn holm_correction() {
    // Holm 1979: the smallest times 4, the next times 3, and so on, never decreasing.
    let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]).unwrap();
    for (p, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
        close(*p, expected, 1e-15);
    }
    assert_eq!(holm(&[0.6, 0.9]).unwrap(), [1.0, 1.0]);
    assert_eq!(holm(&[]), Some(vec![]));
    assert_eq!(holm(&[0.5, f64::NAN]), None);
}
