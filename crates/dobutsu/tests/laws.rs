//! Dobutsu shogi satisfies the laws of `banmen-game` in all variants.

use banmen_dobutsu::Dobutsu;
use banmen_dobutsu::reference::Reference;
use banmen_game::laws::{Laws, assert_golden};

const VARIANTS: [Dobutsu; 3] = [Dobutsu::CATCH, Dobutsu::LEGAL, Dobutsu::ANY_TRY];

#[test]
fn rules() {
    for game in VARIANTS {
        Laws { games: 2_000, ..Laws::default() }.rules(&game);
    }
}

#[test]
fn notation() {
    for game in VARIANTS {
        Laws { games: 60, ..Laws::default() }.notation(&game);
    }
}

#[test]
fn move_index() {
    for game in VARIANTS {
        Laws { games: 60, ..Laws::default() }.move_index(&game);
    }
}

#[test]
fn symmetries() {
    for game in VARIANTS {
        Laws { games: 300, ..Laws::default() }.symmetries(&game);
    }
}

#[test]
fn reference() {
    for game in VARIANTS {
        Laws { games: 1_000, ..Laws::default() }.reference::<_, Reference>(&game);
    }
}

/// Update the file with `UPDATE_GOLDEN=1 cargo test -p banmen-dobutsu --test laws`, and review its diff.
#[test]
fn golden_playthroughs() {
    let played = VARIANTS.map(|game| Laws::default().playthrough(&game)).concat();
    assert_golden(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/playthrough.txt"), &played);
}
