//! The network that values positions: one hidden layer over the features, and a direct connection.

use std::sync::LazyLock;

use super::features::{COUNT, Features, UNITS};

/// Units of the hidden layer.
pub const HIDDEN: usize = 48;

/// Hidden units whose sums fit a register.
const LANES: usize = 8;

/// Groups of so many hidden units.
const GROUPS: usize = HIDDEN / LANES;

/// The weights of the network.
pub(super) struct Net {
    /// By group, feature and hidden unit of the group.
    input: [[[f32; LANES]; COUNT]; GROUPS],
    bias: [[f32; LANES]; GROUPS],
    output: [f32; HIDDEN],
    direct: [f32; COUNT],
    last: f32,
}

/// The weights as 32-bit floating-point numbers, little-endian.
static BYTES: &[u8; 4 * (COUNT * HIDDEN + 2 * HIDDEN + COUNT + 1)] = include_bytes!("net.bin");

/// The network of the engine.
pub(super) static NET: LazyLock<Net> = LazyLock::new(|| {
    let mut weights = BYTES.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
    let mut next = || weights.next().unwrap_or(0.0);
    let mut input = [[[0.0; LANES]; COUNT]; GROUPS];
    for feature in 0..COUNT {
        for group in &mut input {
            group[feature].fill_with(&mut next);
        }
    }
    Net {
        input,
        bias: std::array::from_fn(|_| std::array::from_fn(|_| next())),
        output: std::array::from_fn(|_| next()),
        direct: std::array::from_fn(|_| next()),
        last: next(),
    }
});

/// The sums of the hidden units and of the output over features.
#[derive(Clone, Copy)]
struct Sums {
    hidden: [[f32; LANES]; GROUPS],
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
        for (sums, rows) in self.hidden.iter_mut().zip(&net.input) {
            let mut group = *sums;
            for (feature, row) in features.iter().zip(&rows[FIRST..END]) {
                for lane in 0..LANES {
                    group[lane] += feature * row[lane];
                }
            }
            *sums = group;
        }
        for (feature, weight) in features.iter().zip(&net.direct[FIRST..END]) {
            self.output += feature * weight;
        }
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
        let mut output = sums.output;
        for (&unit, weight) in sums.hidden.as_flattened().iter().zip(&net.output) {
            // `f32::max` is a call of a function in WebAssembly.
            let active = if unit > 0.0 { unit } else { 0.0 };
            output += active * weight;
        }
        output
    }
}

#[cfg(test)]
impl Net {
    /// The same value, computed one sum at a time.
    pub(super) fn value(&self, features: &Features) -> f32 {
        let mut sum = self.last;
        for (feature, weight) in features.iter().zip(self.direct) {
            sum += feature * weight;
        }
        for unit in 0..HIDDEN {
            let (group, lane) = (unit / LANES, unit % LANES);
            let mut hidden = self.bias[group][lane];
            for (feature, row) in features.iter().zip(&self.input[group]) {
                hidden += feature * row[lane];
            }
            sum += hidden.max(0.0) * self.output[unit];
        }
        sum
    }
}
