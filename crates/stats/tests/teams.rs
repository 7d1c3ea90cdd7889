//! Bradley–Terry with teams: worked examples, and monotone likelihood.

use banmen_stats::{Competitions, FitOptions, TeamStrengths, TeamsError};
use proptest::prelude::*;

#[track_caller]
fn close(actual: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(actual.len(), expected.len());
    for (a, e) in actual.iter().zip(expected) {
        assert!((a - e).abs() <= tolerance, "{actual:?} is not {expected:?} within {tolerance}");
    }
}

const WITH_PRIOR: FitOptions<'static> = FitOptions { prior: true, groups: &[], sweeps: 10_000 };
const WITHOUT: FitOptions<'static> = FitOptions { prior: false, groups: &[], sweeps: 10_000 };

fn fit(competitions: &Competitions, fitting: &FitOptions<'_>) -> TeamStrengths {
    let strengths = competitions.fit(fitting).unwrap();
    assert!(strengths.converged, "{strengths:?}");
    strengths
}

/// 0 beats 1 by 3 to 1, 1 and 2 draw level at 2 to 2, 0 beats 2 by 4 to 1.
fn pairwise() -> Competitions {
    let mut competitions = Competitions::new(3);
    for (a, b, wins, losses) in [(0, 1, 3, 1), (1, 2, 2, 2), (0, 2, 4, 1)] {
        competitions.add(&[[a], [b]], 0, wins).unwrap();
        competitions.add(&[[a], [b]], 1, losses).unwrap();
    }
    competitions
}

/// Compares with choix 0.4.1 (Maystre) and BFGS.
#[test]
fn players_without_prior() {
    let mut strengths = fit(&pairwise(), &WITHOUT);
    close(&[strengths.log_likelihood], &[-7.535485673], 5e-10);
    strengths.centre(&[0, 1, 2]);
    close(&strengths.gamma, &[2.29905284, 0.68652060, 0.63357418], 5e-9);
    close(&strengths.elo(), &[144.620, -65.339, -79.281], 5e-4);
}

#[test]
fn players_with_prior() {
    let strengths = fit(&pairwise(), &WITH_PRIOR);
    close(&strengths.gamma, &[2.01890106, 0.73932099, 0.68402154], 5e-9);
    close(&[strengths.log_likelihood], &[-11.907919275], 5e-10);
}

/// The shape of Blokus moves: teams of a piece and its cells.
fn teams() -> Competitions {
    let mut competitions = Competitions::new(5);
    let three: [&[usize]; 3] = [&[0, 1, 2], &[1, 3], &[3, 4]];
    competitions.add(&three, 1, 2).unwrap();
    competitions.add(&three, 0, 1).unwrap();
    competitions.add(&three, 2, 1).unwrap();
    competitions.add(&[[0], [1], [2]], 1, 1).unwrap();
    competitions.add(&[[3], [4]], 0, 1).unwrap();
    competitions.add(&[[0, 4], [1, 2]], 1, 1).unwrap();
    competitions
}

#[test]
fn teams_with_prior() {
    let sweep = |sweeps| teams().fit(&FitOptions { sweeps, ..WITH_PRIOR }).unwrap();
    close(&sweep(1).gamma, &[0.63157895, 1.34141064, 0.97433032, 1.12173479, 0.64579522], 5e-9);
    for (sweeps, expected) in [(1, -12.733258219), (2, -12.616389161), (3, -12.593042079)] {
        close(&[sweep(sweeps).log_likelihood], &[expected], 5e-10);
        assert!(!sweep(sweeps).converged);
    }
    let strengths = fit(&teams(), &WITH_PRIOR);
    close(&[strengths.log_likelihood], &[-12.546581675], 5e-10);
    close(&strengths.gamma, &[0.60896794, 2.05635760, 0.97520859, 1.52989407, 0.65328529], 5e-9);
    let three: [&[usize]; 3] = [&[0, 1, 2], &[1, 3], &[3, 4]];
    close(&Competitions::probabilities(&strengths.gamma, &three).unwrap(), &[0.22755433, 0.58621176, 0.18623391], 5e-9);
    assert_eq!(teams().log_likelihood(&strengths.gamma, true), Some(strengths.log_likelihood));
}

/// W wins and L losses against strength 1 alone: γ = (W + 1) / (L + 1).
#[test]
fn prior_alone() {
    for (wins, losses, gamma) in [(0, 0, 1.0), (1, 10, 2.0 / 11.0), (7, 3, 2.0)] {
        let mut competitions = Competitions::new(1);
        let one: [&[usize]; 2] = [&[0], &[]];
        competitions.add(&one, 0, wins).unwrap();
        competitions.add(&one, 1, losses).unwrap();
        close(&fit(&competitions, &WITH_PRIOR).gamma, &[gamma], 1e-9);
    }
}

/// Features that occur in the same team are updated one after the other. This converges where a simultaneous update
/// overshoots.
#[test]
fn two_teams_of_three() {
    let mut competitions = Competitions::new(6);
    competitions.add(&[[0, 1, 2], [3, 4, 5]], 0, 3).unwrap();
    competitions.add(&[[0, 1, 2], [3, 4, 5]], 1, 1).unwrap();
    close(&[competitions.log_likelihood(&[1.0; 6], false).unwrap()], &[-2.772589], 5e-7);
    let strengths = fit(&competitions, &WITHOUT);
    close(&[strengths.log_likelihood], &[-2.249341], 5e-7);
    let teams = [[0, 1, 2], [3, 4, 5]];
    close(&Competitions::probabilities(&strengths.gamma, &teams).unwrap(), &[0.75, 0.25], 1e-9);
    // A group with all three features of a team is an error.
    let together = FitOptions { groups: &[vec![0, 1, 2]], ..WITHOUT };
    assert_eq!(competitions.fit(&together), None);
    let apart = FitOptions { groups: &[vec![0, 3], vec![1, 4], vec![2, 5]], ..WITHOUT };
    close(&[fit(&competitions, &apart).log_likelihood], &[-2.249341], 5e-7);
}

#[test]
fn a_likelihood_without_maximum_is_none() {
    let mut competitions = Competitions::new(3);
    competitions.add(&[[0], [1]], 0, 5).unwrap();
    assert_eq!(competitions.fit(&WITHOUT), None);
    let strengths = fit(&competitions, &WITH_PRIOR);
    assert!(strengths.gamma[0] > 1.0 && strengths.gamma[1] < 1.0);
    close(&strengths.gamma[2..], &[1.0], 0.0);
    // 0 and 1 each win games against the other, and so do 2 and 3, but 0 and 1 win all games against 2 and 3.
    let mut apart = Competitions::new(4);
    for (a, b) in [(0, 1), (1, 0), (2, 3), (3, 2), (0, 2), (1, 3)] {
        apart.add(&[[a], [b]], 0, 2).unwrap();
    }
    assert!(apart.fit(&WITHOUT).is_none_or(|strengths| !strengths.converged));
}

#[test]
fn scale_set_by_the_prior_alone_is_found_in_few_sweeps() {
    // Every team has one of four features: their common scale changes no probability of 2,000 competitions.
    let mut competitions = Competitions::new(4);
    for (a, b, won, lost) in [(0, 1, 500, 100), (1, 2, 300, 400), (2, 3, 250, 50), (3, 0, 100, 300)] {
        competitions.add(&[[a], [b]], 0, won).unwrap();
        competitions.add(&[[a], [b]], 1, lost).unwrap();
    }
    let strengths = fit(&competitions, &WITH_PRIOR);
    // Sweeps alone need 16,811.
    assert!(strengths.sweeps < 4_000, "{strengths:?}");
    let virtual_losses: f64 = strengths.gamma.iter().map(|gamma| gamma / (1.0 + gamma)).sum();
    close(&[virtual_losses], &[2.0], 1e-9);
}

#[test]
fn rejects_invalid_competitions() {
    let mut competitions = Competitions::new(2);
    assert_eq!(competitions.add(&[[0], [1]], 2, 1), Err(TeamsError::NoWinner));
    assert_eq!(competitions.add(&[[0], [2]], 0, 1), Err(TeamsError::UnknownMember(2)));
    assert_eq!(competitions.add(&[[0, 0], [1, 0]], 0, 1), Err(TeamsError::TwiceInTeam(0)));
    let empty: [[usize; 1]; 0] = [];
    assert_eq!(competitions.add(&empty, 0, 1), Err(TeamsError::NoWinner));
    assert_eq!(competitions.log_likelihood(&[1.0], false), None);
    assert_eq!(competitions.fit(&FitOptions { groups: &[vec![7]], ..WITH_PRIOR }), None);
    assert_eq!(competitions.fit(&FitOptions { groups: &[vec![0], vec![0]], ..WITH_PRIOR }), None);
    assert_eq!(competitions.fit(&WITH_PRIOR).unwrap().gamma, [1.0, 1.0]);
}

/// Competitions between random teams of eight features, half of them of one kind and half of another; a team has at
/// most one of the first kind.
fn random_competitions() -> impl Strategy<Value = Vec<(Vec<Vec<usize>>, usize, u32)>> {
    let team = (0..4usize, prop::collection::btree_set(4..8usize, 0..4))
        .prop_map(|(first, others)| std::iter::once(first).chain(others).collect::<Vec<_>>());
    let contest = (prop::collection::vec(team, 2..6), 0..100usize, 1..4u32);
    prop::collection::vec(contest.prop_map(|(teams, winner, times)| (winner % teams.len(), teams, times)), 1..20)
        .prop_map(|all| all.into_iter().map(|(winner, teams, times)| (teams, winner, times)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The likelihood rises in every sweep, with and without extrapolation, with features updated one by one or in a group that shares no team. At
    /// convergence the wins equal the expected wins.
    #[test]
    fn the_likelihood_never_falls(contests in random_competitions()) {
        let mut competitions = Competitions::new(8);
        for (teams, winner, times) in &contests {
            competitions.add(teams, *winner, *times).unwrap();
        }
        let first = [vec![0, 1, 2, 3]];
        for groups in [&[][..], &first[..]] {
            let mut last = competitions.log_likelihood(&[1.0; 8], true).unwrap();
            for sweeps in 1..40 {
                let strengths = competitions.fit(&FitOptions { prior: true, groups, sweeps }).unwrap();
                prop_assert!(strengths.log_likelihood >= last - 1e-12 * last.abs(), "{last} then {strengths:?}");
                last = strengths.log_likelihood;
            }
            let strengths = competitions.fit(&FitOptions { prior: true, groups, sweeps: 20_000 }).unwrap();
            prop_assert!(strengths.converged, "{strengths:?}");
        }
    }
}
