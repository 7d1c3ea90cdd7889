//! The laws of `banmen-game`, for every variant of the rules.

use banmen_blokus::reference::Reference;
use banmen_blokus::{Blokus, Move};
use banmen_game::laws::{Laws, assert_golden};
use banmen_game::{Game, GameState, PassCost, Rng, Side, perft};

const VARIANTS: [Blokus; 3] = [Blokus::STANDARD, Blokus::FREE_START, Blokus::CONTEST];

const LAWS: Laws = Laws { games: 30, moves: 50, seed: 1 };

#[test]
fn keeps_the_laws_of_rules() {
    VARIANTS.iter().for_each(|game| LAWS.rules(game));
}

#[test]
fn keeps_the_laws_of_symmetries() {
    VARIANTS.iter().for_each(|game| LAWS.symmetries(game));
}

#[test]
fn keeps_the_laws_of_move_numbers() {
    LAWS.move_index(&Blokus::STANDARD);
}

#[test]
fn playouts_are_those_of_listed_moves() {
    VARIANTS.iter().for_each(|game| LAWS.playout(game));
}

/// `cargo run --release --example blokus_reference` compares 100,000 positions.
#[test]
fn fast_rules_equal_the_reference() {
    VARIANTS.iter().for_each(|game| Laws { games: 4, ..LAWS }.reference::<_, Reference>(game));
}

#[test]
fn perft_gives_the_published_counts() {
    let laws = Laws::default();
    laws.perft(&Blokus::STANDARD, PassCost::Ply, &[414, 171_396, 89_204_762]);
    laws.perft(&Blokus::FREE_START, PassCost::Ply, &[828, 342_792, 178_409_524]);
    laws.perft(&Blokus::CONTEST, PassCost::Free, &[414, 171_396]);
}

/// A side that is stuck has one child, its pass; where both are stuck the game counts 1 at depth 0 and nothing deeper.
#[test]
fn perft_counts_passes_and_no_ended_games() {
    let game = Blokus::STANDARD;
    let (mut passes, mut ended) = (0, 0);
    for seed in 0..100 {
        let mut rng = Rng::new(seed);
        let mut state = GameState::new(game);
        while state.outcome().is_none() {
            let moves = game.moves(state.position());
            if moves == [Move::PASS] {
                let mut next = *state.position();
                game.play(&mut next, Move::PASS);
                let count = |position, depth, cost| perft(&game, position, depth, cost, &|| false);
                assert_eq!(count(state.position(), 1, PassCost::Ply), Some(1));
                assert_eq!(count(state.position(), 2, PassCost::Ply), count(&next, 1, PassCost::Ply));
                assert_eq!(count(state.position(), 1, PassCost::Free), count(&next, 1, PassCost::Free));
                passes += 1;
            }
            state.play(moves[rng.index(moves.len())]);
        }
        assert_eq!(perft(&game, state.position(), 0, PassCost::Ply, &|| false), Some(1));
        assert_eq!(perft(&game, state.position(), 1, PassCost::Ply, &|| false), Some(0));
        ended += 1;
    }
    assert!(passes > 100 && ended == 100, "{passes} passes");
}

/// A rotation of the board by 180° exchanges the colours and keeps the rules: moves, points and outcomes.
#[test]
fn rotation_by_180_degrees_exchanges_the_colours() {
    let game = Blokus::STANDARD;
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let mut state = GameState::new(game);
        while state.outcome().is_none() {
            let (position, turned) = (state.position(), state.position().rotated());
            assert_eq!(turned.rotated(), *position);
            let moves = game.moves(position);
            assert_eq!(game.count_moves(&turned), moves.len());
            let m = moves[rng.index(moves.len())];
            assert_eq!(game.check(&turned, m.rotated()), Ok(()));
            let mut next = turned;
            game.play(&mut next, m.rotated());
            state.play(m);
            assert_eq!(state.position().rotated(), next);
        }
        let (seen, turned) = (state.outcome().expect("over"), game.outcome(&state.position().rotated(), &()));
        assert_eq!(turned.map(|turned| turned.signed_margin(Side::First)), Some(seen.signed_margin(Side::Second)));
    }
}

/// Update the file with `UPDATE_GOLDEN=1 cargo test -p banmen-blokus --test laws`, and review its diff.
#[test]
fn golden_playthroughs() {
    let play = |seed, game| Laws { seed, ..Laws::default() }.playthrough(&game);
    let played = play(1, Blokus::STANDARD) + &play(2, Blokus::FREE_START);
    assert_golden(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/playthrough.txt"), &played);
}
