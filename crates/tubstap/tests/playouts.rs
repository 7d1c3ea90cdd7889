//! The attack-leaning playouts, compared with the rules and with statistics of the original.

use banmen_game::{Game, GameState, Notation, Rng, Side};
use banmen_tubstap::{AttackLeaning, Position, Reward, Tubstap, maps};

/// Mean and variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (mean, squares / (values.len() - 1) as f64)
}

/// Means of the original, 6,000 playouts each, run under Mono 6.8 from the start of each map: reward of red, share of
/// draws, turns. The original checks only after blue's turns whether a side is destroyed, and counts the turns until
/// then.
const ORIGINAL: [(&str, [f64; 3]); 5] = [
    ("map01", [0.537, 0.107, 17.9]),
    ("map02", [0.004, 0.006, 9.7]),
    ("map03", [0.475, 0.226, 15.7]),
    ("map04", [0.286, 0.168, 11.3]),
    ("map05", [0.488, 0.149, 14.0]),
];

#[test]
fn statistics_are_those_of_the_original() {
    let playouts = AttackLeaning::default();
    for (name, expected) in ORIGINAL {
        let game = maps::named(name).expect("a map");
        let mut rng = Rng::new(1);
        let mut seen: [Vec<f64>; 3] = Default::default();
        for _ in 0..20_000 {
            let mut position = game.start();
            let end = playouts.run(&game, &mut position, u32::MAX, &mut rng, |_, _| ());
            let reward = playouts.reward(&game, &position, &end.outcome.expect("a finished game"));
            seen[0].push(reward);
            seen[1].push(f64::from(u8::from(reward == 0.5)));
            let turn = position.turn();
            let destroyed = Side::BOTH.iter().any(|&side| position.alive(side) == 0);
            seen[2].push(f64::from(if destroyed { turn + 2 - turn % 2 } else { turn }));
        }
        for (values, expected) in seen.iter().zip(expected) {
            let (mean, variance) = moments(values);
            // The published figures are rounded to 3 digits, the turns to 1.
            let rounding = if expected > 1.0 { 0.05 } else { 0.0005 };
            let error = (variance / 6_000.0 + variance / values.len() as f64).sqrt();
            assert!((mean - expected).abs() < 4.0 * error + rounding, "{name}: {mean} instead of {expected} ± {error}");
        }
    }
}

/// Every action of a playout is legal, the position is where the actions lead, and a cut playout ends where it was cut.
#[test]
fn playouts_follow_the_rules() {
    let playouts = AttackLeaning::default();
    let large = "LIMIT 9 TERRAIN 000000000000/011111111110/013111111310/011144111110/011112211110/011112211110/\
        011111331110/011111111110/011311111310/011111111110/000000000000 UNITS 0:I:0:1,1:10:0 1:P:0:2,2:8:0 \
        2:U:0:3,3:10:0 3:F:0:4,3:10:0 4:R:0:1,5:9:0 5:A:1:9,9:10:0 6:I:1:8,8:10:0 7:P:1:7,8:10:0 8:U:1:8,7:6:0 \
        9:F:1:10,9:10:0";
    let large = Tubstap::parse_position(&maps::standard(), large).expect("a position").0;
    let games = maps::all().map(|(_, map)| map.game.clone()).chain([large]);
    for game in games {
        for seed in 0..20 {
            let cap = if seed % 2 == 0 { u32::MAX } else { seed as u32 };
            let mut position = game.start();
            let mut state = GameState::new(game.clone());
            let end = playouts.run(&game, &mut position, cap, &mut Rng::new(seed), |side, m| {
                assert_eq!((side, state.outcome()), (state.side_to_move(), None));
                assert_eq!(game.check(state.position(), m), Ok(()), "{m}");
                state.play(m);
            });
            assert_eq!(state.moves().len(), end.plies as usize);
            if end.outcome.is_some() {
                assert_eq!((position, end.outcome), (*state.position(), state.outcome()));
            } else {
                assert_eq!(end.plies, cap);
                assert_eq!(position, *state.position(), "after {cap} actions");
            }
        }
    }
}

#[test]
fn without_attacks_playouts_draw_single_actions() {
    // Probability 0: the unit is drawn first. The infantry that is beside the enemy has one attack among its actions.
    let text = "SIZE 7 3 LIMIT 1 THRESHOLD 0 TERRAIN 0000000/0555550/0000000 UNITS 0:I:0:2,1:10:0 1:I:1:3,1:10:0";
    let (game, start) = maps::standard().parse_position(text).expect("a position");
    assert_eq!(game.count_moves(&start), 3, "two cells, one attack");
    let attacks = |probability: f64| {
        let playouts = AttackLeaning::new(probability, Reward::Rules);
        let mut rng = Rng::new(3);
        let mut attacks = 0;
        for _ in 0..6_000 {
            playouts
                .run(&game, &mut start.clone(), u32::MAX, &mut rng, |_, m| attacks += u32::from(m.target().is_some()));
        }
        f64::from(attacks) / 6_000.0
    };
    assert_eq!(attacks(1.0), 1.0);
    // A third of the actions, and 0.8 + 0.2 / 3: standard errors 0.006 and 0.004.
    assert!((attacks(0.0) - 1.0 / 3.0).abs() < 0.025);
    assert!((attacks(0.8) - 0.8667).abs() < 0.02);
}

/// At the limit a difference equal to the threshold is a draw by the rules, and a win or loss in M-UCT.
#[test]
fn rewards_count_the_threshold_as_the_source_says() {
    let reward = |text: &str, reward: Reward, root: Side| {
        let (game, position): (Tubstap, Position) = maps::standard().parse_position(text).expect("a position");
        let mut playouts = AttackLeaning::new(0.8, reward);
        playouts.begin(root);
        let outcome = game.outcome(&position, &()).expect("over");
        playouts.reward(&game, &position, &outcome)
    };
    let text = |hp: u8, threshold: u8| {
        format!("LIMIT 9 THRESHOLD {threshold} TERRAIN 00000/01110/00000 TURN 9 UNITS 0:I:0:1,1:{hp}:0 1:I:1:3,1:5:0")
    };
    for root in Side::BOTH {
        assert_eq!(reward(&text(10, 4), Reward::Original, root), 1.0);
        assert_eq!(reward(&text(10, 5), Reward::Original, root), 1.0);
        assert_eq!(reward(&text(10, 6), Reward::Original, root), 0.5);
        assert_eq!(reward(&text(1, 4), Reward::Original, root), 0.0);
        assert_eq!(reward(&text(10, 4), Reward::Rules, root), 1.0);
        assert_eq!(reward(&text(10, 5), Reward::Rules, root), 0.5);
        assert_eq!(reward(&text(1, 4), Reward::Rules, root), 0.5);
    }
    // Equal sums and no threshold: the side that searches wins.
    assert_eq!(Side::BOTH.map(|root| reward(&text(5, 0), Reward::Original, root)), [1.0, 0.0]);
    assert_eq!(Side::BOTH.map(|root| reward(&text(5, 0), Reward::Rules, root)), [0.5, 0.5]);
}
