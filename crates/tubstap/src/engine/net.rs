//! The network that values positions: one hidden layer over the numbers of `features`, and a direct connection.

use std::sync::LazyLock;

use super::features::{COUNT, Features};

/// Units of the hidden layer.
pub const HIDDEN: usize = 24;

/// The weights of the network.
pub(super) struct Net {
    /// By feature and hidden unit.
    input: [[f32; HIDDEN]; COUNT],
    bias: [f32; HIDDEN],
    output: [f32; HIDDEN],
    direct: [f32; COUNT],
    last: f32,
}

/// The weights, 32-bit floating point numbers, the lowest byte first.
static BYTES: &[u8; 4 * (COUNT * HIDDEN + 2 * HIDDEN + COUNT + 1)] = include_bytes!("net.bin");

/// The network of the engine.
pub(super) static NET: LazyLock<Net> = LazyLock::new(|| {
    let mut numbers = BYTES.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
    let mut next = || numbers.next().unwrap_or(0.0);
    let mut row = || std::array::from_fn(|_| next());
    let input = std::array::from_fn(|_| row());
    let (bias, output) = (row(), row());
    Net { input, bias, output, direct: std::array::from_fn(|_| next()), last: next() }
});

impl Net {
    /// The logarithm of the odds that the side wins whose view the features are.
    #[inline]
    pub(super) fn value(&self, features: &Features) -> f32 {
        let mut hidden = self.bias;
        let mut sum = self.last;
        for ((&feature, row), direct) in features.iter().zip(&self.input).zip(self.direct) {
            // Numbers about kinds of units that do not occur.
            if feature == 0.0 {
                continue;
            }
            for (unit, weight) in hidden.iter_mut().zip(row) {
                *unit += feature * weight;
            }
            sum += feature * direct;
        }
        for (unit, weight) in hidden.into_iter().zip(self.output) {
            sum += unit.max(0.0) * weight;
        }
        sum
    }
}
