//! Weights that the cells of a group share: all of them, and those of each ring around the centre.

use banmen_blokus::SIZE;

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

/// Makes `whole` the first `count` weights, with the shared ones added to each row of `HIDDEN`. `shared`: where those of a
/// row are.
pub(crate) fn add_shared<const HIDDEN: usize>(
    weights: &[f32],
    count: usize,
    shared: &[Option<[usize; 2]>],
    whole: &mut Vec<f32>,
) {
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
pub(crate) fn add_shared_slopes<const HIDDEN: usize>(slope: &mut [f32], shared: &[Option<[usize; 2]>]) {
    for (row, shared) in shared.iter().enumerate() {
        for at in shared.iter().flatten() {
            for unit in 0..HIDDEN {
                slope[at + unit] += slope[HIDDEN * row + unit];
            }
        }
    }
}
