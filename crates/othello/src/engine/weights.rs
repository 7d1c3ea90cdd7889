//! The weights of the evaluation, and their file.
//!
//! A file has the form of [`packed`](crate::packed). Its contents are numbers: first, in [`UNIT`] discs, the constants, by
//! empty squares, then knot by knot the weights of the features, each as the difference from the same weight at the knot
//! before; then those of the network (see `network`): the bias, the vectors of the features, the phases. A number is written
//! with its sign in the lowest bit, seven bits to a byte, the lowest first, the eighth bit set in all bytes but the last.

use thiserror::Error;

use super::network::{HIDDEN, INPUTS, MAX_BIAS, NEURONS, NetworkWeights, PHASES, PhaseWeights};
use super::patterns::Patterns;
use crate::packed::{PackedError, pack, unpack};

/// Empty squares of the knots; between them weights are interpolated linearly, outside they are constant.
pub(crate) const KNOTS: [u32; 10] = [4, 10, 16, 22, 28, 34, 40, 46, 52, 58];

/// Numbers of empty squares: 0 to 60.
pub(crate) const EMPTIES: usize = 61;

/// Stored weights are multiples of this many discs.
pub(crate) const UNIT: f64 = 1.0 / 32.0;

/// The first bytes of a file.
const SIGNATURE: &[u8] = b"banmen othello evaluation 2\n";

/// How many numbers a file has.
fn numbers() -> usize {
    let phases = PHASES * (INPUTS * NEURONS + 2 * NEURONS + INPUTS + 1);
    EMPTIES + (KNOTS.len() + HIDDEN) * Patterns::get().feature_count() + HIDDEN + phases
}

/// The greatest number of bytes of inflated weights: three for each number.
fn most_bytes() -> usize {
    3 * numbers()
}

/// The weights of the evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// A constant, by empty squares, in [`UNIT`] discs.
    pub(crate) constants: Vec<i16>,
    /// In [`UNIT`] discs, by feature and then by knot.
    pub(crate) features: Vec<[i16; KNOTS.len()]>,
    /// What is added to the sum of these weights.
    pub(crate) network: NetworkWeights,
}

/// Why bytes are not weights.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum WeightsError {
    /// The first bytes are not those of a file of weights.
    #[error("not weights of this version: the file must begin with \"banmen othello evaluation 2\"")]
    Signature,
    /// A byte has changed, or bytes are missing at the end.
    #[error("the weights are damaged: their checksum does not match")]
    Checksum,
    /// The checksum matches, but the contents are not weights for these patterns.
    #[error("the weights do not fit the patterns of this version")]
    Contents,
}

impl From<PackedError> for WeightsError {
    fn from(error: PackedError) -> Self {
        match error {
            PackedError::Signature => WeightsError::Signature,
            PackedError::Checksum => WeightsError::Checksum,
            PackedError::Contents => WeightsError::Contents,
        }
    }
}

impl Weights {
    /// Weights that are all zero.
    #[must_use]
    pub fn zero() -> Self {
        let features = vec![[0; KNOTS.len()]; Patterns::get().feature_count()];
        Weights { constants: vec![0; EMPTIES], features, network: NetworkWeights::zero() }
    }

    /// The bytes of a file with these weights.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut plain = Vec::new();
        for &constant in &self.constants {
            write_number(&mut plain, i32::from(constant));
        }
        for knot in 0..KNOTS.len() {
            for weights in &self.features {
                let before = if knot == 0 { 0 } else { weights[knot - 1] };
                write_number(&mut plain, i32::from(weights[knot]) - i32::from(before));
            }
        }
        let mut network = self.network.clone();
        for &bias in &network.bias {
            write_number(&mut plain, bias.into());
        }
        for &number in network.features.as_flattened() {
            write_number(&mut plain, number.into());
        }
        for &mut number in network.phases.iter_mut().flat_map(PhaseWeights::numbers) {
            write_number(&mut plain, number.into());
        }
        pack(SIGNATURE, &plain)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Bytes of another kind or version, damaged ones, weights for other patterns.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let plain = unpack(SIGNATURE, bytes, most_bytes())?;
        let mut numbers = plain.as_slice();
        let mut next = |before: i16| {
            let number = read_number(&mut numbers)?.checked_add(before.into())?;
            i16::try_from(number).ok()
        };
        let mut next = |before| next(before).ok_or(WeightsError::Contents);
        let mut weights = Weights::zero();
        for constant in &mut weights.constants {
            *constant = next(0)?;
        }
        for knot in 0..KNOTS.len() {
            for feature in &mut weights.features {
                let before = if knot == 0 { 0 } else { feature[knot - 1] };
                feature[knot] = next(before)?;
            }
        }
        let network = &mut weights.network;
        for bias in &mut network.bias {
            *bias = next(0)?;
            if !(-MAX_BIAS..=MAX_BIAS).contains(bias) {
                return Err(WeightsError::Contents);
            }
        }
        for number in network.features.as_flattened_mut() {
            *number = i8::try_from(next(0)?).map_err(|_| WeightsError::Contents)?;
        }
        for number in network.phases.iter_mut().flat_map(PhaseWeights::numbers) {
            *number = next(0)?;
        }
        if numbers.is_empty() { Ok(weights) } else { Err(WeightsError::Contents) }
    }
}

fn write_number(bytes: &mut Vec<u8>, number: i32) {
    let mut rest = (number << 1 ^ number >> 31) as u32;
    while rest >= 128 {
        bytes.push(rest as u8 | 128);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Removes a number from the front. `None` when the bytes end within it, or when it is longer than three bytes.
fn read_number(bytes: &mut &[u8]) -> Option<i32> {
    let mut number = 0u32;
    for shift in [0, 7, 14] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 127) << shift;
        if byte < 128 {
            return Some((number >> 1) as i32 ^ -((number & 1) as i32));
        }
    }
    None
}

/// The two knots around a number of empty squares and the weight of the second one.
pub(crate) fn between(empties: f64) -> (usize, f64) {
    let at = empties.clamp(KNOTS[0].into(), KNOTS[KNOTS.len() - 1].into());
    let first = (0..KNOTS.len() - 1).rfind(|&k| f64::from(KNOTS[k]) <= at).unwrap_or(0).min(KNOTS.len() - 2);
    (first, (at - f64::from(KNOTS[first])) / f64::from(KNOTS[first + 1] - KNOTS[first]))
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;

    fn random() -> Weights {
        let mut rng = Rng::new(1);
        let mut weights = Weights::zero();
        for weight in weights.constants.iter_mut().chain(weights.features.iter_mut().flatten()) {
            // Mostly small, some of the greatest magnitude.
            *weight = match rng.below(20) {
                0 => i16::MIN,
                1 => i16::MAX,
                _ => rng.below(200) as i16 - 100,
            };
        }
        let network = &mut weights.network;
        network.bias = std::array::from_fn(|_| rng.below(8193) as i16 - MAX_BIAS);
        for number in network.features.as_flattened_mut() {
            *number = rng.bits() as i8;
        }
        for number in network.phases.iter_mut().flat_map(PhaseWeights::numbers) {
            *number = rng.bits() as i16;
        }
        weights
    }

    #[test]
    fn weights_are_read_back() {
        for weights in [Weights::zero(), random()] {
            assert_eq!(Weights::from_bytes(&weights.to_bytes()), Ok(weights));
        }
    }

    #[test]
    fn changed_bytes_are_refused() {
        let mut weights = Weights::zero();
        weights.constants[7] = 300;
        let bytes = weights.to_bytes();
        for at in 0..bytes.len() {
            assert!(Weights::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert!(Weights::from_bytes(&flipped).is_err(), "flipped at {at}");
        }
        assert_eq!(Weights::from_bytes(&[&bytes[..], &[0]].concat()), Err(WeightsError::Checksum));
        assert_eq!(Weights::from_bytes(b"banmen othello evaluation 1\n"), Err(WeightsError::Signature));
    }

    /// Contents with the right checksum that are no weights.
    #[test]
    fn other_contents_are_refused() {
        let whole = |plain: &[u8]| pack(SIGNATURE, plain);
        let numbers = numbers();
        assert_eq!(Weights::from_bytes(&whole(&vec![0; numbers])), Ok(Weights::zero()));
        let long_number = [vec![0x80, 0x80, 0x80, 0], vec![0; numbers]].concat();
        for plain in [vec![0; numbers - 1], vec![0; numbers + 1], vec![0; 3 * numbers + 1], long_number] {
            assert_eq!(Weights::from_bytes(&whole(&plain)), Err(WeightsError::Contents));
        }
        // A difference that leaves the range of the weights.
        let mut far = vec![0; EMPTIES];
        for knot in 0..KNOTS.len() {
            write_number(&mut far, if knot < 3 { 20_000 } else { 0 });
            far.extend(vec![0; Patterns::get().feature_count() - 1]);
        }
        assert_eq!(Weights::from_bytes(&whole(&far)), Err(WeightsError::Contents));
        // A bias and a number of a vector beyond their range.
        let sums = EMPTIES + KNOTS.len() * Patterns::get().feature_count();
        for (at, number) in [(sums, i32::from(MAX_BIAS) + 1), (sums + HIDDEN, 128)] {
            let mut plain = vec![0; at];
            write_number(&mut plain, number);
            plain.extend(vec![0; numbers - at - 1]);
            assert_eq!(Weights::from_bytes(&whole(&plain)), Err(WeightsError::Contents));
        }
    }

    #[test]
    fn knots_surround_every_number_of_empty_squares() {
        assert_eq!(between(0.0), (0, 0.0));
        assert_eq!(between(13.0), (1, 0.5));
        assert_eq!(between(16.0), (2, 0.0));
        assert_eq!(between(60.0), (KNOTS.len() - 2, 1.0));
    }
}
