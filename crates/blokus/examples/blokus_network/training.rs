//! What both fits do alike: descent by Adam over batches, with weights that the cells of a group share, all of them and those of
//! each ring around the centre.

use banmen_blokus::SIZE;
use banmen_game::Rng;

use crate::adam::Adam;

/// Rings of cells around the centre.
pub(crate) const RINGS: usize = 7;

/// The ring of a cell: 0 for the four cells in the middle.
pub(crate) fn ring(cell: usize) -> usize {
    let size = usize::from(SIZE);
    [cell / size, cell % size].map(|place| (2 * place).abs_diff(size - 1) / 2).into_iter().max().unwrap_or(0)
}

/// Adds weights to sums, as many as there are sums.
pub(crate) fn add_to(sums: &mut [f32], weights: &[f32]) {
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum += weight;
    }
}

/// The part of a step by which a weight moves toward 0: of a cell, and of all others.
const DECAY: [f32; 2] = [1.0, 0.01];

/// How a network is fitted.
pub(crate) struct Training {
    pub(crate) epochs: usize,
    pub(crate) batch: usize,
    /// The step of Adam at the start.
    pub(crate) step: f32,
    /// The number of weights that are not shared ones, which follow them.
    pub(crate) own: usize,
    /// Of these, the number of the first ones that belong to cells.
    pub(crate) of_cells: usize,
    /// Where the shared weights of each row of hidden units are: those of its group, and those of its ring.
    pub(crate) shared: Vec<Option<[usize; 2]>>,
}

impl Training {
    /// Fits the weights to examples. `add_slope` adds the slope of an example, mirrored or not, divided by the examples of
    /// a batch; `report` is called after each epoch, with whether it is the last one. Both get the weights with the shared
    /// ones added to those of the rows, and so does the caller.
    pub(crate) fn fit<const HIDDEN: usize, E>(
        &self,
        mut weights: Vec<f32>,
        mut examples: Vec<&E>,
        rng: &mut Rng,
        add_slope: impl Fn(&[f32], &E, bool, &mut [f32]),
        report: impl Fn(&[f32], bool),
    ) -> Vec<f32> {
        let mut adam = Adam::new(weights.len(), self.epochs * examples.len().div_ceil(self.batch), self.step);
        let (mut whole, mut slope) = (Vec::new(), vec![0.0; weights.len()]);
        for epoch in 1..=self.epochs {
            for last in (1..examples.len()).rev() {
                examples.swap(last, rng.index(last + 1));
            }
            for batch in examples.chunks(self.batch) {
                slope.fill(0.0);
                add_shared::<HIDDEN>(&weights, self.own, &self.shared, &mut whole);
                for example in batch {
                    add_slope(&whole, example, rng.index(2) != 0, &mut slope);
                }
                add_shared_slopes::<HIDDEN>(&mut slope, &self.shared);
                adam.step(&mut weights, &slope, |at| DECAY[usize::from(at >= self.of_cells)]);
            }
            add_shared::<HIDDEN>(&weights, self.own, &self.shared, &mut whole);
            println!("epoch {epoch}");
            report(&whole, epoch == self.epochs);
        }
        whole
    }
}

/// Rounds weights to those that bytes can have, a byte being a weight times `scale`, from `-most` to `most`. The bytes.
pub(crate) fn in_bytes(weights: &mut [f32], scale: f32, most: f32) -> Vec<u8> {
    let byte = |weight: &mut f32| {
        let rounded = (*weight * scale).round().clamp(-most, most);
        *weight = rounded / scale;
        (rounded as i8).cast_unsigned()
    };
    weights.iter_mut().map(byte).collect()
}

/// Prints the means of figures by phase, at the end of the fit, and of all phases. Each row is the number of examples and the sums
/// of figures, that of all phases last.
pub(crate) fn print_means<const ROWS: usize, const SUMS: usize>(
    rows: [[f64; SUMS]; ROWS],
    by_phase: bool,
    words: impl Fn(&[f64; SUMS]) -> String,
) {
    for (phase, row) in rows.into_iter().enumerate() {
        let all = phase == ROWS - 1;
        if row[0] > 0.0 && (by_phase || all) {
            let name = if all { "  all".to_owned() } else { format!("  phase {phase}") };
            println!("{name}: {} positions, {}", row[0], words(&row.map(|sum| sum / row[0])));
        }
    }
}

/// Makes `whole` the first `count` weights, with the shared ones added to each row of `HIDDEN`. `shared`: where those of a
/// row are.
fn add_shared<const HIDDEN: usize>(weights: &[f32], count: usize, shared: &[Option<[usize; 2]>], whole: &mut Vec<f32>) {
    whole.clear();
    whole.extend_from_slice(&weights[..count]);
    for (own, shared) in whole.as_chunks_mut::<HIDDEN>().0.iter_mut().zip(shared) {
        let sum: [f32; HIDDEN] = match *shared {
            Some([all, ring]) => std::array::from_fn(|unit| weights[all + unit] + weights[ring + unit]),
            None => continue,
        };
        add_to(own, &sum);
    }
}

/// Adds the slopes of the rows to those of the weights that they share.
fn add_shared_slopes<const HIDDEN: usize>(slope: &mut [f32], shared: &[Option<[usize; 2]>]) {
    for (row, shared) in shared.iter().enumerate() {
        for at in shared.iter().flatten() {
            for unit in 0..HIDDEN {
                slope[at + unit] += slope[HIDDEN * row + unit];
            }
        }
    }
}
