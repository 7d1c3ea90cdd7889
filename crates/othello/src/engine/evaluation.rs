//! The evaluation of unfinished positions: a weighted sum of features, with weights by stage of the game.
//!
//! Edges and corners are looked up: at the first use the weights of their features are summed for each of the 6,561
//! states of an edge and the 81 of a corner, for each stage.

use std::sync::LazyLock;

use super::features::{self, BOARD, EDGE, FEATURES};
use super::stability::edge_digits;
use super::weights::{KNOTS, WEIGHTS};

/// Stages, one for every two empty squares.
const STAGES: usize = 31;

/// States of an edge: 3 to the 8th.
const EDGE_STATES: usize = 6561;

/// The evaluation with its tables.
pub struct Evaluation {
    /// By half the number of empty squares.
    stages: Vec<Stage>,
    /// The discs of one colour on an edge read in base 3.
    digits: [u16; 256],
}

/// The weights of one stage, summed in tables where possible.
struct Stage {
    /// By feature.
    board: [i32; BOARD],
    /// By state of the edge in base 3: per square 0 empty, 1 own, 2 the opponent's.
    edges: [i16; EDGE_STATES],
    /// For each of the four corners by its own discs plus 16 times the opponent's.
    corners: [[i16; 256]; 4],
}

impl Evaluation {
    /// The evaluation; its tables are computed at the first call.
    #[must_use]
    pub fn get() -> &'static Evaluation {
        static EVALUATION: LazyLock<Evaluation> = LazyLock::new(Evaluation::new);
        &EVALUATION
    }

    fn new() -> Self {
        let digits = edge_digits();
        let mut edges = vec![[0; EDGE]; EDGE_STATES];
        for own in 0..=255u8 {
            for opp in (0..=255u8).filter(|opp| opp & own == 0) {
                edges[usize::from(digits[own as usize] + 2 * digits[opp as usize])] = features::edge(own, opp);
            }
        }
        let stages = (0..STAGES).map(|stage| Stage::new(2 * stage, &edges)).collect();
        Evaluation { stages, digits }
    }

    /// The value of a position where the mover has a move: the expected final score from its view, in
    /// hundredths of a disc. It may exceed ±6,400 slightly.
    #[must_use]
    #[inline]
    pub fn value(&self, own: u64, opp: u64) -> i32 {
        let empties = (!(own | opp)).count_ones() as usize;
        let Some(stage) = self.stages.get(empties / 2) else { return 0 };
        let board: i32 = features::board(own, opp).iter().zip(&stage.board).map(|(x, w)| x * w).sum();
        let edge = |(own, opp): (u8, u8)| {
            let index = self.digits[own as usize] + 2 * self.digits[opp as usize];
            i32::from(stage.edges.get(usize::from(index)).copied().unwrap_or(0))
        };
        let edges: i32 = features::edges(own).into_iter().zip(features::edges(opp)).map(edge).sum();
        let corners: i32 = features::corners(own)
            .into_iter()
            .zip(features::corners(opp))
            .zip(&stage.corners)
            .map(|((own, opp), table)| i32::from(table[usize::from(own | opp << 4)]))
            .sum();
        board + edges + corners
    }
}

impl Stage {
    fn new(empties: usize, edges: &[[i8; EDGE]]) -> Self {
        let all = weights(empties as f64);
        let mut stage = Stage { board: [0; BOARD], edges: [0; EDGE_STATES], corners: [[0; 256]; 4] };
        for (place, weight) in stage.board.iter_mut().zip(&all) {
            *place = weight.round() as i32;
        }
        for (place, features) in stage.edges.iter_mut().zip(edges) {
            *place = features.iter().zip(&all[BOARD..]).map(|(&x, w)| f64::from(x) * w).sum::<f64>().round() as i16;
        }
        for (turn, table) in stage.corners.iter_mut().enumerate() {
            for (index, place) in table.iter_mut().enumerate() {
                let (own, opp) = (index as u8 & 15, (index >> 4) as u8);
                if own & opp == 0
                    && let Some((class, sign)) = features::corner(own, opp, turn)
                {
                    *place = (f64::from(sign) * all[BOARD + EDGE + class]).round() as i16;
                }
            }
        }
        stage
    }
}

/// The weights at a number of empty squares, interpolated linearly between the knots.
fn weights(empties: f64) -> [f64; FEATURES] {
    let knot_weights = knot_weights(empties);
    std::array::from_fn(|f| (0..KNOTS.len()).map(|k| knot_weights[k] * f64::from(WEIGHTS[f].1[k])).sum())
}

/// The interpolation weight of each knot at a number of empty squares: linear between two neighbours.
#[must_use]
pub fn knot_weights(empties: f64) -> [f64; KNOTS.len()] {
    let mut knot_weights = [0.0; KNOTS.len()];
    let at = empties.clamp(KNOTS[0], KNOTS[KNOTS.len() - 1]);
    for k in 0..KNOTS.len() - 1 {
        let part = (at - KNOTS[k]) / (KNOTS[k + 1] - KNOTS[k]);
        if (0.0..=1.0).contains(&part) {
            knot_weights = [0.0; KNOTS.len()];
            knot_weights[k] = 1.0 - part;
            knot_weights[k + 1] = part;
        }
    }
    knot_weights
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::moves;

    /// Positions of random games where the mover has a move.
    fn positions() -> Vec<(u64, u64)> {
        let mut rng = Rng::new(1);
        let mut all = Vec::new();
        for _ in 0..100 {
            let (mut own, mut opp) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
            loop {
                let squares = moves::legal(own, opp);
                if squares != 0 {
                    all.push((own, opp));
                    let pick = rng.below(squares.count_ones().into());
                    let square = (0..pick).fold(squares, |left, _| left & (left - 1)).trailing_zeros();
                    let flipped = moves::flips(own, opp, square);
                    (own, opp) = (own | flipped | 1 << square, opp ^ flipped);
                } else if moves::legal(opp, own) == 0 {
                    break;
                }
                (own, opp) = (opp, own);
            }
        }
        all
    }

    #[test]
    fn tables_match_the_sum_of_features() {
        for (own, opp) in positions() {
            let empties = (!(own | opp)).count_ones() & !1;
            let sum: f64 = features::features(own, opp)
                .iter()
                .zip(weights(empties.into()))
                .map(|(&feature, weight)| f64::from(feature) * weight)
                .sum();
            let value = f64::from(Evaluation::get().value(own, opp));
            // Each of some 150 roundings costs at most half a point, times a count that averages a few.
            assert!((value - sum).abs() < 60.0, "{own:#x} {opp:#x}: {value} {sum}");
        }
    }

    #[test]
    fn symmetric_positions_have_equal_values() {
        let mirror = |discs: u64| (0..64).fold(0, |out, square| out | (discs >> square & 1) << (square ^ 7));
        let turn = |discs: u64| {
            (0..64).fold(0, |out, square: u32| out | (discs >> square & 1) << ((square % 8) * 8 + 7 - square / 8))
        };
        for (own, opp) in positions() {
            let value = Evaluation::get().value(own, opp);
            assert_eq!(Evaluation::get().value(mirror(own), mirror(opp)), value);
            assert_eq!(Evaluation::get().value(turn(own), turn(opp)), value);
        }
    }

    #[test]
    fn corners_increase_the_value() {
        let corners = |discs: u64| (discs & features::CORNERS).count_ones();
        let ahead: Vec<i32> = positions()
            .into_iter()
            .filter(|&(own, opp)| corners(own) > corners(opp) + 1)
            .map(|(own, opp)| Evaluation::get().value(own, opp))
            .collect();
        assert!(ahead.len() > 100);
        assert!(ahead.iter().sum::<i32>() > 1000 * ahead.len() as i32, "ten discs on average");
    }

    #[test]
    fn knot_weights_interpolate() {
        assert_eq!(knot_weights(0.0)[0], 1.0);
        assert_eq!(knot_weights(60.0)[KNOTS.len() - 1], 1.0);
        assert_eq!(knot_weights(19.0)[1..3], [0.5, 0.5]);
        assert_eq!(knot_weights(24.0)[2], 1.0);
    }
}
