//! Uniformly random playouts on bitboards.

use banmen_game::{FastPlayout, Game, PlayoutEnd, Rng, Side};

use crate::Othello;
use crate::position::{Move, Position};

impl FastPlayout for Othello {
    type Scratch = ();

    fn playout(
        &self,
        position: &mut Position,
        (): &mut (),
        cap: u32,
        rng: &mut Rng,
        (): &mut (),
        mut played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        let mut plies = 0;
        loop {
            let legal = position.legal();
            if legal == 0 && !position.must_pass() {
                return PlayoutEnd { outcome: self.outcome(position, &()), plies };
            }
            if plies == cap {
                return PlayoutEnd { outcome: None, plies };
            }
            let count = legal.count_ones();
            let rank = if count > 1 { rng.below(count.into()) as u32 } else { 0 };
            let m = Move::at(nth(legal, rank)).unwrap_or(Move::PASS);
            played(position.side(), m);
            position.play(m);
            plies += 1;
        }
    }
}

/// The index of the set bit of `mask` with `rank` set bits below it; 64 for an empty mask.
///
/// Branch-free: the byte is found by comparing the rank with the cumulative counts of all eight bytes at once, the bit
/// within it by a table.
fn nth(mask: u64, rank: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    if mask == 0 {
        return 64;
    }
    let pairs = mask - (mask >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    // Set bits in each byte and those below it.
    let up_to = bytes.wrapping_mul(ONES);
    // The high bit of each byte whose bits all lie below the wanted one.
    let passed = ((u64::from(rank).wrapping_mul(ONES) | HIGH) - up_to) & HIGH;
    let shift = (8 * passed.count_ones()) & 63;
    let below = (up_to << 8 >> shift & 0xFF) as u32;
    shift + u32::from(PLACES[(mask >> shift & 0xFF) as usize][(rank.wrapping_sub(below) & 7) as usize])
}

/// The index of the set bit of a byte with the given number of set bits below it.
static PLACES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut rank) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                places[byte][rank] = place as u8;
                rank += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    places
};

#[cfg(test)]
mod tests {
    use banmen_game::laws::Laws;

    use super::*;

    #[test]
    fn finds_nth_bit() {
        let mut rng = Rng::new(1);
        for round in 0..100_000 {
            let mask = if round % 2 == 0 { rng.bits() & rng.bits() } else { rng.bits() | rng.bits() };
            let places = (0..64).filter(|place| mask >> place & 1 == 1);
            for (rank, place) in (0..).zip(places) {
                assert_eq!(nth(mask, rank), place, "{rank} in {mask:x}");
            }
        }
        assert_eq!((nth(u64::MAX, 63), nth(0, 0)), (63, 64));
    }

    #[test]
    fn playouts_follow_the_rules() {
        Laws::default().playout(&Othello);
    }
}
