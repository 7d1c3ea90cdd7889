//! The example in Glickman's papers, and checks of ranges.

use banmen_stats::{Glicko, Glicko2, Opponent};

#[track_caller]
fn close(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual - expected).abs() <= tolerance, "{actual} is not {expected} within {tolerance}");
}

fn opponent(rating: f64, deviation: f64, score: f64) -> Opponent {
    Opponent { rating, deviation, score }
}

/// One win and two losses. Published: 1464.06, 151.52, 0.05999.
fn example() -> [Opponent; 3] {
    [opponent(1400.0, 30.0, 1.0), opponent(1550.0, 100.0, 0.0), opponent(1700.0, 300.0, 0.0)]
}

#[test]
fn example_of_glicko() {
    let after = Glicko { rating: 1500.0, deviation: 200.0 }.after(&example()).unwrap();
    close(after.rating, 1464.106, 5e-4);
    close(after.deviation, 151.399, 5e-4);
}

#[test]
fn example_of_glicko_2() {
    let after = Glicko2 { deviation: 200.0, ..Glicko2::default() }.after(&example(), 0.5).unwrap();
    close(after.rating, 1464.0507, 5e-5);
    close(after.deviation, 151.5165, 5e-5);
    close(after.volatility, 0.0599960, 5e-8);
}

#[test]
fn a_period_without_games_changes_the_deviation_of_glicko_2_alone() {
    let rated = Glicko { rating: 1700.0, deviation: 50.0 };
    assert_eq!(rated.after(&[]), Some(rated));
    let idle = Glicko2 { deviation: 200.0, ..Glicko2::default() }.after(&[], 0.5).unwrap();
    close(idle.deviation, 200f64.hypot(0.06 * 173.7178), 1e-9);
}

/// A surprising result increases the volatility, and no result is NaN.
#[test]
fn surprising_results_and_invalid_numbers() {
    let steady = Glicko2 { rating: 2000.0, deviation: 40.0, volatility: 0.06 };
    let after = steady.after(&[opponent(1000.0, 30.0, 0.0); 20], 1.2).unwrap();
    assert!(after.volatility > 0.06 && after.rating < 1900.0 && after.deviation.is_finite(), "{after:?}");
    for wrong in [opponent(f64::NAN, 30.0, 1.0), opponent(1500.0, 0.0, 1.0), opponent(1500.0, 30.0, 1.5)] {
        assert_eq!(steady.after(&[wrong], 0.5), None);
        assert_eq!(Glicko::default().after(&[wrong]), None);
    }
    for tau in [0.0, 1e-200, 1e-17, 9e-7, f64::NAN, f64::INFINITY] {
        assert_eq!(steady.after(&example(), tau), None, "{tau}");
    }
    let unchanged = steady.after(&example(), 1e-6).unwrap();
    close(unchanged.volatility, 0.06, 1e-9);
    assert_eq!(Glicko2 { volatility: 0.0, ..steady }.after(&example(), 0.5), None);
    for far in [1e6, -1e6] {
        let after = steady.after(&[opponent(far, 30.0, 0.5); 3], 0.5);
        assert!(after.is_none_or(|after| after.rating.is_finite() && after.deviation.is_finite()));
    }
}
