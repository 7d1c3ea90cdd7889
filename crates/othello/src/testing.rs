//! Positions for the tests.

use banmen_game::Rng;

use crate::moves::{after, legal};

/// The positions of so many random games in which the mover has a move, own and opposing discs.
pub(crate) fn positions(games: u64) -> Vec<(u64, u64)> {
    let mut rng = Rng::new(1);
    let mut all = Vec::new();
    for _ in 0..games {
        let (mut own, mut opp) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
        loop {
            let squares = legal(own, opp);
            if squares != 0 {
                all.push((own, opp));
                let below = rng.below(squares.count_ones().into());
                let square = (0..below).fold(squares, |left, _| left & (left - 1)).trailing_zeros();
                (own, opp) = after(own, opp, square);
            } else if legal(opp, own) == 0 {
                break;
            } else {
                (own, opp) = (opp, own);
            }
        }
    }
    all
}
