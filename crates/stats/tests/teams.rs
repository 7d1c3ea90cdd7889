//! Bradley–Terry with teams: worked examples, and monotone likelihood.

use banmen_stats::{
    Anchor, Competitions, Draws, FitOptions, Meeting, RatingModel, Ratings, TeamRatingError, TeamStrengths, TeamsError,
};
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
    let strengths = fit(&pairwise(), &WITHOUT);
    close(&[strengths.log_likelihood], &[-7.535485673], 5e-10);
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
fn strengths_without_prior_are_centred_where_their_scale_is_free() {
    let game = |all: &mut Competitions, teams: &[&[usize]], counts: &[u32]| {
        for (winner, &times) in counts.iter().enumerate() {
            all.add(teams, winner, times).unwrap();
        }
    };
    // Two players, 70 to 9: γ is the root of 70/9 and its inverse.
    let mut two = Competitions::new(2);
    game(&mut two, &[&[0], &[1]], &[70, 9]);
    close(&fit(&two, &WITHOUT).gamma, &[2.788_866_755, 0.358_568_583], 1e-9);
    // Two groups that never meet: each has its own scale. Feature 4 met nobody.
    let mut apart = Competitions::new(5);
    game(&mut apart, &[&[0], &[1]], &[9, 1]);
    game(&mut apart, &[&[2], &[3]], &[16, 1]);
    close(&fit(&apart, &WITHOUT).gamma, &[3.0, 1.0 / 3.0, 4.0, 0.25, 1.0], 1e-9);
    // Features that always go together share their strength.
    let mut together = Competitions::new(2);
    game(&mut together, &[&[0, 1], &[]], &[9, 1]);
    close(&fit(&together, &WITHOUT).gamma, &[3.0, 3.0], 1e-9);
    // Against the empty team nothing is free: γ is the odds, and centring would change the probabilities.
    let mut known = Competitions::new(2);
    game(&mut known, &[&[0], &[]], &[7, 1]);
    game(&mut known, &[&[0], &[1]], &[7, 1]);
    close(&fit(&known, &WITHOUT).gamma, &[7.0, 1.0], 1e-8);
    // A competition that never happened says nothing.
    apart.add(&[[0], [2]], 0, 0).unwrap();
    close(&fit(&apart, &WITHOUT).gamma, &[3.0, 1.0 / 3.0, 4.0, 0.25, 1.0], 1e-9);
}

/// Teams of one are players: ratings, anchors and intervals are those of the Bradley–Terry model of players.
#[test]
fn teams_of_one_are_rated_as_players() {
    let counts = [(0, 1, 30, 10), (1, 2, 20, 25), (0, 2, 40, 11), (2, 3, 9, 8), (3, 1, 5, 14)];
    let mut competitions = Competitions::new(4);
    let mut meetings = Vec::new();
    for (first, second, wins, losses) in counts {
        competitions.add(&[[first], [second]], 0, wins).unwrap();
        competitions.add(&[[first], [second]], 1, losses).unwrap();
        let (wins, losses) = (u64::from(wins), u64::from(losses));
        meetings.push(Meeting { first, second, wins, draws: 0, losses });
    }
    for (options, prior) in [(WITHOUT, 0.0), (WITH_PRIOR, 1.0)] {
        let players =
            Ratings::fit(4, &meetings, RatingModel { draws: Draws::Halves, advantage: false, prior }).unwrap();
        let strengths = fit(&competitions, &options);
        let mut anchors = vec![(Some((2, 100.0)), Anchor::Player(2, 100.0)), (Some((0, 0.0)), Anchor::Player(0, 0.0))];
        if prior == 0.0 {
            anchors.push((None, Anchor::Mean(0.0)));
        }
        for (anchor, same) in anchors {
            let teams = competitions.elo(&strengths, options.prior, anchor, 0.9).unwrap();
            for (team, player) in teams.iter().zip(players.elo(same, 0.9).unwrap()) {
                close(&[team.value, team.low, team.high], &[player.value, player.low, player.high], 1e-5);
            }
        }
    }
}

#[test]
fn an_anchor_moves_only_what_was_compared_with_it() {
    let mut apart = Competitions::new(5);
    for (a, b, wins) in [(0, 1, 9), (2, 3, 16)] {
        apart.add(&[[a], [b]], 0, wins).unwrap();
        apart.add(&[[a], [b]], 1, 1).unwrap();
    }
    apart.add(&[&[4][..], &[]], 0, 3).unwrap();
    apart.add(&[&[4][..], &[]], 1, 1).unwrap();
    let strengths = fit(&apart, &WITHOUT);
    let elo = |anchor| apart.elo(&strengths, false, anchor, 0.95);
    let values: Vec<f64> = elo(Some((1, 50.0))).unwrap().iter().map(|estimate| estimate.value).collect();
    let log = |gamma: f64| 400.0 * gamma.log10();
    close(&values, &[50.0 + log(9.0), 50.0, log(4.0), -log(4.0), log(3.0)], 1e-6);
    let own = elo(Some((1, 50.0))).unwrap()[1];
    assert!(own.high - own.low < 1e-6, "{own:?}");
    assert_eq!(elo(Some((4, 0.0))), Err(TeamRatingError::Determined(4)));
    assert_eq!(elo(Some((5, 0.0))), Err(TeamRatingError::UnknownMember(5)));
    assert_eq!(elo(Some((1, f64::NAN))), Err(TeamRatingError::Range));
    // Wald's interval of a log odds of 3 to 1 has the variance 1/3 + 1/1.
    let four = elo(None).unwrap()[4];
    close(&[four.high - four.value], &[1.959_963_985 * 400.0 / 10f64.ln() * (4.0f64 / 3.0).sqrt()], 1e-4);
}

/// Intervals of members contain the true strengths as often as they say.
#[test]
fn intervals_of_members_hold_what_they_promise() {
    const DRAWS: u32 = 1_000;
    let truth = [1.8, 0.7, 1.2, 0.66];
    let shapes: [&[&[usize]]; 3] = [&[&[0, 1], &[2], &[3]], &[&[0], &[1, 2]], &[&[1], &[2, 3], &[0]]];
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut inside = [0; 4];
    for _ in 0..DRAWS {
        let mut competitions = Competitions::new(4);
        for teams in shapes {
            let chances = Competitions::probabilities(&truth, teams).unwrap();
            let mut counts = vec![0; teams.len()];
            for _ in 0..150 {
                let mut at = random();
                let winner = chances.iter().position(|chance| {
                    at -= chance;
                    at < 0.0
                });
                counts[winner.unwrap_or(teams.len() - 1)] += 1;
            }
            for (winner, times) in counts.into_iter().enumerate() {
                competitions.add(teams, winner, times).unwrap();
            }
        }
        let elo = competitions.elo(&fit(&competitions, &WITHOUT), false, None, 0.95).unwrap();
        for ((inside, estimate), truth) in inside.iter_mut().zip(elo).zip(truth) {
            *inside += u32::from((estimate.low..=estimate.high).contains(&(400.0 * f64::log10(truth))));
        }
    }
    // Three deviations of 1,000 draws at 95 % are 2.1 points.
    for inside in inside {
        assert!((f64::from(inside) / f64::from(DRAWS) - 0.95).abs() < 0.025, "{inside} of {DRAWS}");
    }
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
    // Sweeps alone need 16,811. Of a group the fit finds the scale by itself.
    let group = [vec![0, 1, 2, 3]];
    for (groups, sweeps) in [(&[] as &[Vec<usize>], 4_000), (&group, 60)] {
        let strengths = fit(&competitions, &FitOptions { groups, ..WITH_PRIOR });
        assert!(strengths.sweeps < sweeps, "{strengths:?}");
        let virtual_losses: f64 = strengths.gamma.iter().map(|gamma| gamma / (1.0 + gamma)).sum();
        // Half the sum of four gaps, each of which may be 10⁻¹⁰ and 10⁻¹² of 800 wins.
        close(&[virtual_losses], &[2.0], 1.8e-9);
    }
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

    /// The predictions of competitions are those of their teams, to the last bit.
    #[test]
    fn predictions_are_the_probabilities_of_the_teams(
        contests in random_competitions(),
        gamma in prop::collection::vec(1e-3..1e3f64, 8),
    ) {
        let mut competitions = Competitions::new(8);
        for (teams, winner, times) in &contests {
            competitions.add(teams, *winner, *times).unwrap();
        }
        let predictions: Option<Vec<_>> = competitions.predictions(&gamma).collect();
        let probabilities: Option<Vec<_>> = contests
            .iter()
            .map(|(teams, winner, _)| Some((Competitions::probabilities(&gamma, teams)?, *winner)))
            .collect();
        prop_assert!(probabilities.is_some());
        prop_assert_eq!(predictions, probabilities);
        // A member without a strength, and strengths that overflow.
        let known = contests.iter().map(|(teams, ..)| !teams.iter().flatten().any(|&member| member == 7));
        let predicted = competitions.predictions(&gamma[..7]).map(|prediction| prediction.is_some());
        prop_assert_eq!(predicted.collect::<Vec<_>>(), known.collect::<Vec<_>>());
        prop_assert!(competitions.predictions(&[f64::INFINITY; 8]).all(|prediction| prediction.is_none()));
    }

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
