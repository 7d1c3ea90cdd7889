//! The conformance suite of `banmen-game`, run on GOLAD.

use banmen_game::Notation;
use banmen_game::laws::{Laws, assert_golden};
use banmen_golad::Golad;
use banmen_golad::reference::Reference;

/// A board with so few moves that all can be written.
const TINY: Golad = Golad { width: 5, height: 4, rounds: 10, cells: 3, separate: true };

/// A small board, on which all moves can be checked.
const SMALL: Golad = Golad { width: 6, height: 6, rounds: 10, cells: 8, separate: true };

/// A board of more rows than one register holds.
const TALL: Golad = Golad { width: 5, height: 20, rounds: 4, cells: 6, separate: false };

fn laws(games: usize) -> Laws {
    Laws { games, moves: 40, ..Laws::default() }
}

#[test]
fn rules() {
    laws(60).rules(&SMALL);
    laws(10).rules(&TALL);
    laws(1).rules(&Golad { rounds: 2, ..Golad::STANDARD });
}

#[test]
fn notation() {
    laws(20).notation(&SMALL);
    laws(1).notation(&Golad { rounds: 1, ..Golad::STANDARD });
}

#[test]
fn symmetries() {
    laws(20).symmetries(&SMALL);
    laws(5).symmetries(&TALL);
}

#[test]
fn playouts() {
    laws(20).playout(&SMALL);
    laws(1).playout(&Golad { rounds: 2, ..Golad::STANDARD });
}

#[test]
fn reference() {
    laws(60).reference::<_, Reference>(&SMALL);
    laws(10).reference::<_, Reference>(&TALL);
    laws(1).reference::<_, Reference>(&Golad { rounds: 2, ..Golad::STANDARD });
}

/// Update the file with `UPDATE_GOLDEN=1 cargo test -p banmen-golad --test laws`, and review its diff.
#[test]
fn golden_playthroughs() {
    let games = [(1, TINY), (2, TINY), (3, TINY), (1, SMALL), (2, SMALL)];
    let played = games.map(|(seed, game)| Laws { seed, ..laws(1) }.playthrough(&game)).concat();
    assert_golden(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/playthrough.txt"), &played);
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "[.01/, a-z:-]{0,60}|start:.{0,8}|[01.]{3}/[01.]{3} [01] [0-9]{1,4}") {
        if let Ok((game, position)) = Golad::STANDARD.parse_position(&text) {
            let written = game.format_position(&position, "");
            let again = game.parse_position(&written).expect("what is written is read").1;
            proptest::prop_assert_eq!(again, position);
        }
        let here = banmen_game::Game::start(&Golad::STANDARD);
        let _ = Golad::STANDARD.parse_move(&here, &text);
        let _ = Golad::STANDARD.split_moves(&text);
    }
}
