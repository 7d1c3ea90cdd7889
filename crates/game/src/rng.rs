//! A seeded random number generator whose stream never changes.

/// xoshiro256++ (Blackman and Vigna, 2019, public domain), seeded through splitmix64.
///
/// Recorded experiments depend on this stream, so it is defined here and not taken from a library.
#[derive(Clone, Debug)]
pub struct Rng([u64; 4]);

/// One step of splitmix64: a bijection of 64 bits that mixes them well. Also turns counters into seeds.
#[must_use]
pub fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Rng {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Rng(std::array::from_fn(|_| {
            let word = mix(state);
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            word
        }))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `bound`, each equally likely (Lemire 2019, with rejection).
    ///
    /// # Panics
    /// When `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "no number is below 0");
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            let low = product as u64;
            // The low half is uniform except for the first `2^64 mod bound` values, which are fewer than `bound`: the
            // division is rarely needed.
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }

    /// An index below `len`; see [`Rng::below`].
    ///
    /// # Panics
    /// When `len` is 0.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A number in [0, 1), a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_matches_published_values() {
        // splitmix64 from 0, as published with the generator.
        assert_eq!(mix(0), 0xE220_A839_7B1D_CDAF);
        // xoshiro256++ from the state 1, 2, 3, 4: the first values of the reference implementation.
        let mut rng = Rng([1, 2, 3, 4]);
        assert_eq!(
            [rng.bits(), rng.bits(), rng.bits(), rng.bits()],
            [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]
        );
    }

    #[test]
    fn below_is_uniform() {
        let mut rng = Rng::new(7);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[rng.index(6)] += 1;
        }
        // Standard deviation 91: five of them.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 456), "{counts:?}");
    }
}
