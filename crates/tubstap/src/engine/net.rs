//! The network that values positions: one hidden layer over the features, and a direct connection.

use std::sync::LazyLock;

use super::features::{COUNT, Features, UNITS};

/// Units of the hidden layer.
pub const HIDDEN: usize = 48;

/// Hidden units whose sums fit a register.
const LANES: usize = 8;

/// Groups of so many hidden units.
const GROUPS: usize = HIDDEN / LANES;

/// A number for each hidden unit, in groups.
type Hidden = [[f32; LANES]; GROUPS];

/// The weights of the network.
pub(super) struct Net {
    input: [Hidden; COUNT],
    bias: Hidden,
    output: Hidden,
    direct: [f32; COUNT],
    last: f32,
}

/// The weights as 32-bit floating-point numbers, little-endian.
static BYTES: &[u8; 4 * (COUNT * HIDDEN + 2 * HIDDEN + COUNT + 1)] = include_bytes!("net.bin");

/// The network of the engine.
pub(super) static NET: LazyLock<Net> = LazyLock::new(|| {
    let mut weights = BYTES.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
    let mut next = || weights.next().unwrap_or(0.0);
    let mut hidden = || -> Hidden { std::array::from_fn(|_| std::array::from_fn(|_| next())) };
    Net {
        input: std::array::from_fn(|_| hidden()),
        bias: hidden(),
        output: hidden(),
        direct: std::array::from_fn(|_| next()),
        last: next(),
    }
});

/// The sums of the hidden units and of the output over features.
#[derive(Clone, Copy)]
struct Sums {
    hidden: Hidden,
    output: f32,
}

impl Sums {
    fn new(net: &Net) -> Self {
        Sums { hidden: net.bias, output: net.last }
    }

    /// Adds the products of the features from `FIRST` to `END`. Not inlined: the compiler would otherwise see that the
    /// sums are used one by one, and not vectorise the additions.
    #[inline(never)]
    fn add<const FIRST: usize, const END: usize>(&mut self, net: &Net, features: &Features) {
        let features = &features[FIRST..END];
        // All groups together: an addition need not wait for the one before.
        let mut hidden = self.hidden;
        for (feature, row) in features.iter().zip(&net.input[FIRST..END]) {
            for group in 0..GROUPS {
                for lane in 0..LANES {
                    hidden[group][lane] += feature * row[group][lane];
                }
            }
        }
        self.hidden = hidden;
        for (feature, weight) in features.iter().zip(&net.direct[FIRST..END]) {
            self.output += feature * weight;
        }
    }

    /// The output of the network.
    #[inline]
    fn output(&self, net: &Net) -> f32 {
        let mut parts = [0.0; LANES];
        for (group, weights) in self.hidden.iter().zip(&net.output) {
            for lane in 0..LANES {
                // `f32::max` is a call of a function in WebAssembly.
                let active = if group[lane] > 0.0 { group[lane] } else { 0.0 };
                parts[lane] += active * weights[lane];
            }
        }
        self.output + parts.iter().sum::<f32>()
    }
}

/// The network, with the sums over the features about units, which are kept until these features change.
pub(super) struct Output {
    net: &'static Net,
    units: [f32; UNITS],
    sums: Sums,
}

impl Output {
    pub(super) fn new(net: &'static Net) -> Self {
        Output { net, units: [0.0; UNITS], sums: Sums::new(net) }
    }

    /// The logarithm of the odds that the side in whose view the features are wins.
    #[inline]
    pub(super) fn value(&mut self, features: &Features) -> f32 {
        let net = self.net;
        let units = &features[..UNITS];
        let same = units.iter().zip(&self.units).fold(true, |same, (new, old)| same & (new == old));
        if !same {
            self.units.copy_from_slice(units);
            self.sums = Sums::new(net);
            self.sums.add::<0, UNITS>(net, features);
        }
        let mut sums = self.sums;
        sums.add::<UNITS, COUNT>(net, features);
        sums.output(net)
    }
}

#[cfg(test)]
impl Net {
    /// The same value, computed one sum at a time: those of the hidden units, then the outputs of the units of a lane.
    pub(super) fn value(&self, features: &Features) -> f32 {
        let mut sum = self.last;
        for (feature, weight) in features.iter().zip(self.direct) {
            sum += feature * weight;
        }
        let lanes = (0..LANES).map(|lane| {
            (0..GROUPS).fold(0.0, |outputs, group| {
                let mut hidden = self.bias[group][lane];
                for (feature, row) in features.iter().zip(&self.input) {
                    hidden += feature * row[group][lane];
                }
                outputs + hidden.max(0.0) * self.output[group][lane]
            })
        });
        sum + lanes.sum::<f32>()
    }
}
