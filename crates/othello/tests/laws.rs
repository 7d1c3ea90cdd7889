//! The contract tests of `banmen-game`, run on Othello.

use banmen_game::laws::{Laws, Reference, assert_golden};
use banmen_game::{Game, Outcome, PassCost};
use banmen_othello::Othello;
use banmen_othello::position::{Move, Position, Side};
use banmen_othello::reference::Reference as Slow;

/// The reference rules, as the contract tests need them.
#[derive(Debug)]
struct SlowRules(Slow);

impl Reference<Othello> for SlowRules {
    fn of(_: &Othello, position: &Position) -> Self {
        SlowRules(Slow::from_position(position))
    }

    fn moves(&self, _: &Othello) -> Vec<Move> {
        let placed = self.0.legal(self.0.side);
        if placed.is_empty() && !self.0.is_over() {
            return vec![Move::PASS];
        }
        placed.into_iter().filter_map(|(row, column)| Move::at((8 * row + column) as u32)).collect()
    }

    fn play(&mut self, _: &Othello, m: Move) {
        match m.square() {
            Some(square) => self.0.play(square as usize / 8, square as usize % 8),
            None => self.0.pass(),
        }
    }

    fn outcome(&self, _: &Othello) -> Option<Outcome> {
        self.0.is_over().then(|| {
            let score = self.0.score();
            let (mover, other) = (self.0.side, self.0.side.other());
            let winner = if score == 0 {
                None
            } else if score > 0 {
                Some(mover)
            } else {
                Some(other)
            };
            Outcome { winner, margin: Some(score.unsigned_abs()), by: "discs" }
        })
    }
}

#[test]
fn rules() {
    Laws::default().rules(&Othello);
}

#[test]
fn notation() {
    Laws { games: 30, ..Laws::default() }.notation(&Othello);
}

#[test]
fn move_index() {
    Laws { games: 30, ..Laws::default() }.move_index(&Othello);
}

#[test]
fn symmetries() {
    Laws { games: 60, ..Laws::default() }.symmetries(&Othello);
}

#[test]
fn reference() {
    Laws::default().reference::<_, SlowRules>(&Othello);
}

/// Published perft counts from the start; the two conventions for passes differ from depth 9 on.
#[test]
fn perft() {
    let laws = Laws::default();
    laws.perft(&Othello, PassCost::Ply, &[4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288]);
    laws.perft(&Othello, PassCost::Free, &[4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_320]);
}

#[test]
fn black_moves_first() {
    assert_eq!(Othello.side_to_move(&Othello.start()), Side::First);
}

/// Update the file with `UPDATE_GOLDEN=1 cargo test -p banmen-othello --test laws`, and review its diff.
#[test]
fn golden_playthroughs() {
    let played = [1, 2].map(|seed| Laws { seed, ..Laws::default() }.playthrough(&Othello)).concat();
    assert_golden(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/playthrough.txt"), &played);
}
