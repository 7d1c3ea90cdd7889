//! The official start positions, which are determined by the text of a seed.
//!
//! The site's engine draws from Java's `SHA1PRNG`, seeded with the bytes of the text. Cells of the upper half are drawn
//! one after another and removed from the list of its points; the lower half is the upper one rotated by 180 degrees,
//! with the colours swapped. No generation passes before the first turn.

use banmen_game::{Side, TextError};
use sha1::{Digest, Sha1};

use crate::board::{Board, Cell};
use crate::game::Golad;

/// The random number generator `SHA1PRNG` of Java.
struct Stream {
    state: [u8; 20],
    output: [u8; 20],
    used: usize,
}

impl Stream {
    fn new(seed: &[u8]) -> Stream {
        Stream { state: Sha1::digest(seed).into(), output: [0; 20], used: 20 }
    }

    /// The next byte. A block of bytes is the digest of the state; the state is then advanced by the block.
    fn byte(&mut self) -> u8 {
        if self.used == self.output.len() {
            self.output = Sha1::digest(self.state).into();
            self.used = 0;
            // Bytes are signed in Java: the carry is the upper part of a signed sum, beginning with 1.
            let (mut carry, mut changed) = (1, false);
            for (state, output) in self.state.iter_mut().zip(self.output) {
                let sum = i32::from(state.cast_signed()) + i32::from(output.cast_signed()) + carry;
                let next = (sum & 0xff) as u8;
                changed |= next != *state;
                *state = next;
                carry = sum >> 8;
            }
            if !changed {
                self.state[0] = self.state[0].wrapping_add(1);
            }
        }
        let byte = self.output[self.used];
        self.used += 1;
        byte
    }

    /// 31 random bits.
    fn bits(&mut self) -> i32 {
        let bytes = [self.byte(), self.byte(), self.byte(), self.byte()];
        (u32::from_be_bytes(bytes) >> 1).cast_signed()
    }

    /// A number below `bound`, as `Random.nextInt` draws it.
    fn below(&mut self, bound: i32) -> i32 {
        let mut drawn = self.bits();
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(drawn)) >> 31) as i32;
        }
        // Numbers of the last, incomplete run of `bound` are drawn again.
        while (drawn - drawn % bound).checked_add(bound - 1).is_none() {
            drawn = self.bits();
        }
        drawn % bound
    }
}

/// The start position of a seed's text under these rules.
///
/// # Errors
/// When the rules do not meet the conditions of the official generator: an even number of rows, and at most 60 % of the
/// cells alive.
pub fn start(rules: &Golad, seed: &str) -> Result<Board, TextError> {
    let (width, height) = (usize::from(rules.width), usize::from(rules.height));
    if !height.is_multiple_of(2) {
        return Err(TextError::impossible(
            "odd_rows",
            0,
            format!("a start from a seed needs an even number of rows, not {height}"),
        ));
    }
    if 10 * 2 * usize::from(rules.cells) > 6 * width * height {
        let message = format!("{} cells a side are more than 60 % of {width} by {height}", rules.cells);
        return Err(TextError::impossible("too_many_cells", 0, message));
    }
    let mut stream = Stream::new(seed.as_bytes());
    let mut points: Vec<(usize, usize)> = (0..height / 2).flat_map(|y| (0..width).map(move |x| (x, y))).collect();
    let mut upper = Board::empty(rules.width, rules.height);
    for _ in 0..rules.cells {
        let drawn = stream.below(points.len() as i32) as usize;
        let colour = if rules.separate { 0 } else { stream.below(2) };
        let (x, y) = points.remove(drawn);
        if let Some(cell) = Cell::new(x, y) {
            upper.set(cell, Some(if colour == 0 { Side::First } else { Side::Second }));
        }
    }
    let lower = upper.turned();
    let mut board = upper;
    for (rows, more) in board.colours.iter_mut().zip(&lower.colours) {
        rows.iter_mut().zip(more).for_each(|(row, more)| *row |= more);
    }
    Ok(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_the_numbers_of_java() {
        // The first draws of Java's generator for a start from this seed.
        let mut stream = Stream::new(b"banmen-1");
        let drawn: Vec<i32> = (0..6).map(|taken| stream.below(144 - taken)).collect();
        assert_eq!(drawn, [4, 109, 121, 35, 50, 10]);
    }
}
