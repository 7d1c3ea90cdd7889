//! The conformance suite, and tests of invalid position texts.

use banmen_game::laws::Laws;
use banmen_game::{Fault, Notation, PassCost};

use crate::tictactoe::TicTacToe;

#[test]
fn keeps_the_laws() {
    let laws = Laws::default();
    laws.rules(&TicTacToe);
    laws.notation(&TicTacToe);
    laws.perft(&TicTacToe, PassCost::Ply, &[9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]);
}

#[test]
fn rejects_bad_positions_with_the_place() {
    for (text, fault, at) in [
        ("", Fault::Unreadable, 0),
        ("xo./.x./..", Fault::Unreadable, 10),
        ("xo./.x./..o/", Fault::Unreadable, 11),
        ("xoz/.x./..o", Fault::Unreadable, 2),
        ("xo.x.x./..o", Fault::Unreadable, 3),
        ("xx./.../...", Fault::Impossible, 0),
        ("xxx/ooo/...", Fault::Impossible, 0),
    ] {
        let error = TicTacToe.parse_position(text).expect_err(text);
        assert_eq!((error.fault, error.at), (fault, at), "{text}: {error}");
    }
}
