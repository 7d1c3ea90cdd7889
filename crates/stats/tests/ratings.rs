//! Ratings of many players: published tables, worked examples, and results without ratings.

use banmen_stats::{
    Anchor, Competitions, Draws, Estimate, FitOptions, Meeting, RatingError, RatingModel, Ratings, rating_groups,
};
use proptest::prelude::*;

#[track_caller]
fn close(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual - expected).abs() <= tolerance, "{actual} is not {expected} within {tolerance}");
}

const fn model(draws: Draws) -> RatingModel {
    RatingModel { draws, advantage: false, prior: 0.0 }
}

fn meeting(first: usize, second: usize, wins: u64, draws: u64, losses: u64) -> Meeting {
    Meeting { first, second, wins, draws, losses }
}

fn values(ratings: &Ratings) -> Vec<f64> {
    ratings.elo(Anchor::Mean(0.0), 0.95).unwrap().iter().map(|estimate| estimate.value).collect()
}

/// Sagehashi, Tsubokura, Nishino 2018, table 1: A-UCT, Subgoal M-UCT, SatRandMM, M-UCT_HIMA, 100 games a pair.
fn table() -> Vec<Meeting> {
    [(0, 1, 64, 33), (0, 2, 74, 19), (0, 3, 92, 5), (1, 2, 65, 28), (1, 3, 76, 16), (2, 3, 61, 21)]
        .map(|(first, second, wins, losses)| meeting(first, second, wins, 100 - wins - losses, losses))
        .to_vec()
}

#[test]
fn a_published_table() {
    let fit = |draws| Ratings::fit(4, &table(), model(draws)).unwrap();
    let check = |ratings: &Ratings, expected: [f64; 4]| {
        for (value, expected) in values(ratings).into_iter().zip(expected) {
            close(value, expected, 5e-4);
        }
    };
    let halves = fit(Draws::Halves);
    check(&halves, [186.378, 68.495, -51.983, -202.890]);
    assert_eq!(halves.draw_parameter(0.95), None);
    let davidson = fit(Draws::Davidson);
    check(&davidson, [208.092, 76.452, -57.892, -226.652]);
    close(davidson.draw_parameter(0.95).unwrap().value, 0.209874, 5e-7);
    let rao_kupper = fit(Draws::RaoKupper);
    check(&rao_kupper, [190.900, 66.577, -57.098, -200.379]);
    close(rao_kupper.draw_parameter(0.95).unwrap().value, 1.247262, 5e-7);
    for ratings in [halves, davidson, rao_kupper] {
        assert_eq!(ratings.advantage(0.95), None);
        let sum: f64 = ratings.probabilities(0, 3).unwrap().iter().sum();
        close(sum, 1.0, 1e-12);
    }
}

/// Davidson's model with g 2 to 1 and ν 1/2, Rao and Kupper's with θ 3/2: results in the exact expected shares give
/// these parameters.
#[test]
fn draw_models_by_hand() {
    let strength = 400.0 * 2f64.log10();
    for (draws, shares, parameter) in
        [(Draws::Davidson, [0.539504, 0.190744, 0.269752], 0.5), (Draws::RaoKupper, [0.571429, 0.178571, 0.25], 1.5)]
    {
        let counts = shares.map(|share: f64| (share * 1e6) as u64);
        let ratings = Ratings::fit(2, &[meeting(0, 1, counts[0], counts[1], counts[2])], model(draws)).unwrap();
        close(ratings.difference(0, 1, 0.95).unwrap().value, strength, 1e-2);
        close(ratings.draw_parameter(0.95).unwrap().value, parameter, 1e-4);
        for (p, share) in ratings.probabilities(0, 1).unwrap().into_iter().zip(shares) {
            close(p, share, 2e-6);
        }
    }
}

/// BayesElo's model is Rao and Kupper's with an advantage. The results are those of equal players, with an advantage
/// of 32.8 Elo and a draw parameter of 97.3 Elo.
#[test]
fn advantage_and_draws_of_bayes_elo() {
    let counts = [408_229, 270_714, 321_058];
    let meetings = [meeting(0, 1, counts[0], counts[1], counts[2]), meeting(1, 0, counts[0], counts[1], counts[2])];
    let ratings = Ratings::fit(2, &meetings, RatingModel { advantage: true, ..model(Draws::RaoKupper) }).unwrap();
    close(ratings.advantage(0.95).unwrap().value, 32.8, 1e-3);
    close(400.0 * ratings.draw_parameter(0.95).unwrap().value.log10(), 97.3, 1e-3);
    close(ratings.difference(0, 1, 0.95).unwrap().value, 0.0, 1e-9);
}

/// A match of two players is a proportion, with Wald's interval: ± z / √(n p q) in natural logarithms.
#[test]
fn intervals_of_two_players() {
    let ratings = Ratings::fit(2, &[meeting(0, 1, 75, 0, 25)], model(Draws::Halves)).unwrap();
    let difference = ratings.difference(0, 1, 0.95).unwrap();
    let elo = 400.0 / std::f64::consts::LN_10;
    close(difference.value, elo * 3f64.ln(), 1e-9);
    close(difference.high - difference.value, elo * 1.959963984540054 / (100.0f64 * 0.75 * 0.25).sqrt(), 1e-9);
    close(ratings.superiority(0, 1).unwrap(), 1.0 - ratings.superiority(1, 0).unwrap(), 1e-12);
    // Relative to the mean, each player has half of the interval; relative to an anchor, one player has all of it.
    let mean = ratings.elo(Anchor::Mean(1500.0), 0.95).unwrap();
    close(mean[0].value, 1500.0 + 0.5 * difference.value, 1e-9);
    close(mean[0].high - mean[0].low, 0.5 * (difference.high - difference.low), 1e-9);
    let anchored = ratings.elo(Anchor::Player(1, 1000.0), 0.95).unwrap();
    assert_eq!(anchored[1], Estimate { value: 1000.0, low: 1000.0, high: 1000.0 });
    close(anchored[0].value, 1000.0 + difference.value, 1e-9);
    close(anchored[0].low, 1000.0 + difference.low, 1e-9);
}

/// The intervals of Davidson's model with advantage cover, in simulated tournaments.
#[test]
fn intervals_cover() {
    let strengths: [f64; 4] = [0.6, 0.1, -0.2, -0.5];
    let (advantage, ln_nu): (f64, f64) = (0.3, -0.5);
    let mut state = 7u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let elo = 400.0 / std::f64::consts::LN_10;
    let (mut covered, mut advantages, mut all) = (0, 0, 0);
    for _ in 0..200 {
        let mut meetings = Vec::new();
        for a in 0..4 {
            for b in (0..4).filter(|b| *b != a) {
                let x = strengths[a] - strengths[b] + advantage;
                let shares = [(0.5 * x).exp(), ln_nu.exp(), (-0.5 * x).exp()];
                let sum: f64 = shares.iter().sum();
                let mut counts = [0; 3];
                for _ in 0..30 {
                    let u = unit() * sum;
                    counts[if u < shares[0] { 0 } else { 1 + usize::from(u >= shares[0] + shares[1]) }] += 1;
                }
                meetings.push(meeting(a, b, counts[0], counts[1], counts[2]));
            }
        }
        let ratings = Ratings::fit(4, &meetings, RatingModel { advantage: true, ..model(Draws::Davidson) }).unwrap();
        let holds = |estimate: Estimate, truth: f64| (estimate.low..=estimate.high).contains(&truth);
        for (estimate, strength) in ratings.elo(Anchor::Mean(0.0), 0.95).unwrap().into_iter().zip(strengths) {
            covered += usize::from(holds(estimate, strength * elo));
            all += 1;
        }
        advantages += usize::from(holds(ratings.advantage(0.95).unwrap(), advantage * elo));
    }
    close(f64::from(covered as u32) / f64::from(all), 0.95, 0.025);
    close(f64::from(advantages as u32) / 200.0, 0.95, 0.045);
}

#[test]
fn errors_give_the_reason() {
    let fit = |players, meetings: &[Meeting]| Ratings::fit(players, meetings, model(Draws::Davidson));
    // One player won all games; two groups never played each other.
    assert_eq!(fit(2, &[meeting(0, 1, 0, 0, 9)]), Err(RatingError::Disconnected(vec![vec![1], vec![0]])));
    let apart = fit(4, &[meeting(0, 1, 2, 1, 1), meeting(2, 3, 1, 0, 1)]);
    let Err(RatingError::Disconnected(mut parts)) = apart else { panic!("{apart:?}") };
    parts.sort();
    assert_eq!(parts, [vec![0, 1], vec![2, 3]]);
    assert_eq!(fit(3, &[meeting(0, 1, 1, 1, 1)]).unwrap_err(), RatingError::Disconnected(vec![vec![2], vec![0, 1]]));
    assert_eq!(rating_groups(3, &[meeting(0, 1, 1, 1, 1)]), [vec![2], vec![0, 1]]);
    assert_eq!(rating_groups(2, &[meeting(0, 1, 1, 0, 1), meeting(0, 5, 1, 0, 1)]), [[0, 1]]);
    assert_eq!(fit(2, &[meeting(0, 1, 0, 5, 0)]), Err(RatingError::Draws));
    assert_eq!(fit(2, &[meeting(0, 1, 1, 1, 1), meeting(0, 2, 1, 1, 1)]), Err(RatingError::Meeting(1)));
    assert_eq!(fit(2, &[meeting(1, 1, 1, 1, 1)]), Err(RatingError::Meeting(0)));
    assert_eq!(fit(0, &[]), Err(RatingError::Meeting(0)));
    // The first player always wins.
    let first_wins = [meeting(0, 1, 5, 0, 0), meeting(1, 0, 5, 0, 0)];
    let with_advantage = RatingModel { advantage: true, ..model(Draws::Davidson) };
    assert_eq!(Ratings::fit(2, &first_wins, with_advantage), Err(RatingError::Advantage));
    // The same player always moves first.
    assert_eq!(Ratings::fit(2, &[meeting(0, 1, 3, 1, 3)], with_advantage), Err(RatingError::Advantage));
    // As likely as the draws become, so likely can the only decisive game be.
    let chain = [meeting(0, 1, 0, 1, 0), meeting(3, 0, 0, 1, 0), meeting(2, 3, 0, 1, 1)];
    assert_eq!(fit(4, &chain), Err(RatingError::Draws));
    let first_scores = [meeting(0, 1, 3, 2, 0), meeting(1, 0, 3, 2, 0)];
    assert_eq!(Ratings::fit(2, &first_scores, with_advantage), Err(RatingError::Draws));
    assert!(fit(2, &first_scores).is_ok());
    for prior in [-1.0, f64::NAN, f64::INFINITY] {
        let model = RatingModel { prior, ..model(Draws::Halves) };
        assert_eq!(Ratings::fit(2, &first_wins, model), Err(RatingError::Range));
    }
    let ratings = fit(2, &[meeting(0, 1, 2, 1, 1)]).unwrap();
    assert_eq!((ratings.difference(0, 2, 0.95), ratings.superiority(0, 0)), (None, None));
    assert_eq!((ratings.elo(Anchor::Player(2, 0.0), 0.95), ratings.elo(Anchor::Mean(0.0), 1.0)), (None, None));
}

/// Differences far beyond those of any match are found where the results have them.
#[test]
fn far_differences_are_rated() {
    let chain: Vec<Meeting> = (0..9).map(|player| meeting(player, player + 1, 100, 0, 1)).collect();
    let ratings = Ratings::fit(10, &chain, model(Draws::Halves)).unwrap();
    close(ratings.difference(0, 9, 0.95).unwrap().value, 9.0 * 800.0, 1e-6);
    for wins in [30_000_000, 100_000_000, 3_000_000_000, 1 << 50] {
        let ratings = Ratings::fit(2, &[meeting(0, 1, wins, 1, 1)], model(Draws::Davidson)).unwrap();
        close(ratings.difference(0, 1, 0.95).unwrap().value, 400.0 * (wins as f64).log10(), 1e-3);
    }
}

/// A model without draws fits games without draws; with a prior, every player has a rating.
#[test]
fn a_prior_rates_every_player() {
    let with_prior = |draws| RatingModel { draws, advantage: true, prior: 1.0 };
    for draws in [Draws::Halves, Draws::Davidson, Draws::RaoKupper] {
        let swept = [meeting(0, 1, 50, 0, 0), meeting(1, 0, 0, 0, 50)];
        let ratings = Ratings::fit(3, &swept, with_prior(draws)).unwrap();
        let elo = ratings.elo(Anchor::Mean(0.0), 0.95).unwrap();
        assert!(elo[0].value > 300.0 && elo[2].high - elo[2].low > 500.0, "{elo:?}");
        assert!(elo.iter().all(|e| e.low.is_finite() && e.low < e.value && e.value < e.high));
    }
    let drawn = [meeting(0, 1, 0, 9, 0)];
    let ratings = Ratings::fit(2, &drawn, with_prior(Draws::Davidson)).unwrap();
    close(ratings.difference(0, 1, 0.95).unwrap().value, 0.0, 1e-9);
    assert!(ratings.draw_parameter(0.95).unwrap().value > 3.0);
}

fn results() -> impl Strategy<Value = Vec<Meeting>> {
    let one = (0..4usize, 1..4usize, 0..6u64, 0..4u64, 0..6u64)
        .prop_map(|(first, by, wins, draws, losses)| meeting(first, (first + by) % 4, wins, draws, losses));
    prop::collection::vec(one, 1..16)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// With draws as half wins and the prior, minorization-maximization for teams of one gives the same ratings.
    #[test]
    fn newton_and_mm_agree(meetings in results()) {
        let mut competitions = Competitions::new(4);
        for m in &meetings {
            // A draw counts as a win and a loss, so wins and losses count twice.
            competitions.add(&[[m.first], [m.second]], 0, (2 * m.wins + m.draws) as u32).unwrap();
            competitions.add(&[[m.first], [m.second]], 1, (2 * m.losses + m.draws) as u32).unwrap();
        }
        let doubled: Vec<Meeting> = meetings
            .iter()
            .map(|m| meeting(m.first, m.second, 2 * m.wins, 2 * m.draws, 2 * m.losses))
            .collect();
        let ratings = Ratings::fit(4, &doubled, RatingModel { prior: 1.0, ..model(Draws::Halves) }).unwrap();
        let strengths = competitions.fit(&FitOptions { prior: true, groups: &[], sweeps: 50_000 }).unwrap();
        close(ratings.log_likelihood(), strengths.log_likelihood, 1e-7);
        let (elo, mean) = (strengths.elo(), strengths.elo().iter().sum::<f64>() / 4.0);
        for (a, b) in values(&ratings).into_iter().zip(elo) {
            close(a, b - mean, 1e-4);
        }
    }

    /// Every model returns ratings or an error, and never NaN.
    #[test]
    fn all_results_are_rated_or_refused(meetings in results(), kind in 0..3usize, advantage: bool, prior in 0..2u8) {
        let draws = [Draws::Halves, Draws::Davidson, Draws::RaoKupper][kind];
        let model = RatingModel { draws, advantage, prior: f64::from(prior) };
        match Ratings::fit(4, &meetings, model) {
            Ok(ratings) => {
                let elo = ratings.elo(Anchor::Mean(0.0), 0.95).unwrap();
                prop_assert!(elo.iter().all(|e| e.low <= e.value && e.value <= e.high && e.high.is_finite()));
                let [win, draw, loss] = ratings.probabilities(0, 1).unwrap();
                prop_assert!((win + draw + loss - 1.0).abs() < 1e-9 && draw >= 0.0);
            }
            Err(RatingError::Draws) if prior == 1 => prop_assert!(meetings.iter().all(|m| m.wins + m.losses == 0)),
            Err(reason) => prop_assert!(prior == 0 && reason != RatingError::Range, "{reason:?}"),
        }
    }
}
