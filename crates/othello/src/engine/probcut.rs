//! Multi-ProbCut (Buro 1997): a node is cut when a shallow search makes it likely that a deep one would leave the window.
//!
//! The value of a deep search is predicted from that of a shallow one by a regression, with a slope, a mean error and a
//! standard deviation that depend on both depths and on the number of empty squares. They are fitted to searches of our
//! own without cuts (`errors`).

use super::errors::{ENDGAME, MIDGAME, STAGES};

/// The least depth of a search that is predicted by a shallower one. The tables begin with it.
pub(super) const FIRST_DEPTH: u32 = 3;

/// How reliable the cuts of a search are: the probability, in percent and under a normal distribution, that an error is not
/// larger than the margin of a cut, in either direction. The names and the thresholds are those of Edax, but for the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Selectivity {
    /// Cuts at 0.65 standard deviations.
    P48,
    /// Cuts at 1.1 standard deviations.
    P73,
    /// Cuts at 1.5 standard deviations.
    P87,
    /// Cuts at 2 standard deviations.
    P95,
    /// Cuts at 2.6 standard deviations.
    P99,
    /// No cuts: full width.
    FULL,
}

impl Selectivity {
    /// All, from the least reliable one on.
    pub const ALL: [Selectivity; 6] =
        [Selectivity::P48, Selectivity::P73, Selectivity::P87, Selectivity::P95, Selectivity::P99, Selectivity::FULL];

    /// The probability in percent; 100 without cuts.
    #[must_use]
    pub fn percent(self) -> u8 {
        [48, 73, 87, 95, 99, 100][self as usize]
    }

    /// Hundredths of a standard deviation at which a node is cut.
    pub(super) fn threshold(self) -> i32 {
        [65, 110, 150, 200, 260, i32::MAX][self as usize]
    }

    pub(super) fn from_index(index: u8) -> Self {
        Selectivity::ALL[usize::from(index).min(Selectivity::ALL.len() - 1)]
    }
}

/// How the value of a deep search follows from that of a shallow one: `slope / 1000 * shallow + mean`, with a standard
/// deviation of `sigma`, both in hundredths of a disc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prediction {
    /// Thousandths.
    slope: i16,
    /// Hundredths of a disc.
    mean: i16,
    /// Hundredths of a disc.
    sigma: i16,
}

/// A row of the tables of errors: a pair of depths, and the errors by stage of the game.
pub(super) struct Pair {
    /// Depth of the deep search in plies; in endings the number of empty squares, to the end of the game.
    pub(super) deep: u8,
    /// Depth of the shallow search in plies; 0 is the evaluation alone.
    pub(super) shallow: u8,
    /// Slope, mean and standard deviation as in [`Prediction`]: for midgame searches for each stage, see [`stage`]; for
    /// endings once.
    pub(super) stages: &'static [[i16; 3]],
}

impl Pair {
    fn prediction(&self, stage: usize) -> Option<Prediction> {
        self.stages.get(stage).map(|&[slope, mean, sigma]| Prediction { slope, mean, sigma })
    }
}

/// The stage of the midgame with this many empty squares, from 0 on, for the errors of ProbCut: six squares each, from
/// 10 empty squares on.
#[must_use]
pub fn stage(empties: u32) -> usize {
    (empties.saturating_sub(10) as usize / 6).min(STAGES - 1)
}

/// The predictions for one node: by the evaluation alone, and by a shallow search.
#[derive(Clone, Copy)]
pub(super) struct Probe {
    pub(super) by_evaluation: Prediction,
    /// Depth of the shallow search, at least 1.
    pub(super) depth: u32,
    pub(super) by_search: Prediction,
}

impl Probe {
    /// Where the evaluation alone is this many hundredths of a disc short of a bound, the search is still tried: half of
    /// the sum of both errors (Edax).
    pub(super) fn slack(&self, threshold: i32) -> i32 {
        threshold * (i32::from(self.by_evaluation.sigma) + i32::from(self.by_search.sigma)) / 200
    }
}

/// How to predict the value of a search of this depth, to the end of the game if `depth` is at least `empties`. `None`
/// where it is not worth it.
#[inline]
pub(super) fn probe(depth: u32, empties: u32) -> Option<Probe> {
    let (rows, stage) = if depth >= empties { (ENDGAME, 0) } else { (MIDGAME, stage(empties)) };
    // Two rows for each depth: by the evaluation, then by a search. Greater depths than the last use one of the same
    // parity.
    let last = u32::from(rows.last()?.deep);
    let depth = if depth > last { last - (depth - last) % 2 } else { depth };
    let at = 2 * (depth as usize).checked_sub(rows.first()?.deep.into())?;
    let [evaluated, searched] = rows.get(at..at + 2)? else { return None };
    let (by_evaluation, by_search) = (evaluated.prediction(stage)?, searched.prediction(stage)?);
    Some(Probe { by_evaluation, depth: u32::from(searched.shallow), by_search })
}

impl Prediction {
    /// The least value of the shallow search that predicts at least `beta` with `threshold` hundredths of the standard
    /// deviation to spare.
    #[inline]
    pub(super) fn at_least(&self, beta: i32, threshold: i32) -> i32 {
        let wanted = beta + threshold * i32::from(self.sigma) / 100 - i32::from(self.mean);
        // Rounded up.
        -(-1000 * wanted).div_euclid(i32::from(self.slope).max(1))
    }

    /// The greatest value of the shallow search that predicts at most `alpha`, with the same to spare.
    #[inline]
    pub(super) fn at_most(&self, alpha: i32, threshold: i32) -> i32 {
        let wanted = alpha - threshold * i32::from(self.sigma) / 100 - i32::from(self.mean);
        (1000 * wanted).div_euclid(i32::from(self.slope).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_predictions_are_the_nearest_values() {
        for (slope, mean, sigma) in [(1000, 0, 300), (1150, -80, 240), (930, 45, 555)] {
            let prediction = Prediction { slope, mean, sigma };
            let predicted = |value: i32| i64::from(value) * i64::from(slope) + 1000 * i64::from(mean);
            for bound in [-3000, -1, 0, 7, 1234] {
                for threshold in [110, 260] {
                    let spare = 1000 * i64::from(threshold * i32::from(sigma) / 100);
                    let high = prediction.at_least(bound, threshold);
                    assert!(predicted(high) - spare >= 1000 * i64::from(bound));
                    assert!(predicted(high - 1) - spare < 1000 * i64::from(bound));
                    let low = prediction.at_most(bound, threshold);
                    assert!(predicted(low) + spare <= 1000 * i64::from(bound));
                    assert!(predicted(low + 1) + spare > 1000 * i64::from(bound));
                }
            }
        }
    }

    #[test]
    fn tables_have_two_rows_for_each_depth_and_plausible_errors() {
        for (rows, stages) in [(MIDGAME, STAGES), (ENDGAME, 1)] {
            for (index, pair) in rows.chunks(2).enumerate() {
                let [evaluated, searched] = pair else { panic!("an odd number of rows") };
                assert_eq!(usize::from(evaluated.deep), usize::from(rows[0].deep) + index);
                assert_eq!((evaluated.shallow, searched.deep), (0, evaluated.deep));
                assert!(searched.shallow > 0 && searched.shallow < searched.deep);
                for row in pair {
                    assert_eq!(row.stages.len(), stages);
                    for [slope, mean, sigma] in row.stages {
                        assert!((500..2000).contains(slope) && mean.abs() < 1000 && (20..3000).contains(sigma));
                    }
                }
                for (evaluated, searched) in evaluated.stages.iter().zip(searched.stages) {
                    assert!(searched[2] <= evaluated[2], "a search predicts no worse than the evaluation");
                }
            }
        }
    }

    #[test]
    fn stages_cover_all_numbers_of_empty_squares() {
        assert!((0..=60).map(stage).is_sorted());
        assert_eq!((stage(0), stage(15), stage(16), stage(60)), (0, 0, 1, STAGES - 1));
        for empties in 0..=60 {
            for depth in 0..=60 {
                if let Some(probe) = probe(depth, empties) {
                    assert!(probe.depth < depth && depth >= FIRST_DEPTH);
                }
            }
        }
    }
}
