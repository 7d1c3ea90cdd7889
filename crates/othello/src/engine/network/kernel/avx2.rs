//! By AVX2.

use std::arch::x86_64::*;

use crate::engine::network::*;

const _: () = assert!(HIDDEN == 16 && NEURONS == 8 && ONE == 512);

/// The sum of the weights of the states, and the clamped sums of their vectors with the squares.
#[inline(always)]
pub(in crate::engine::network) fn inputs(
    network: &Network,
    weights: &[i16; TABLE],
    states: &[u32; TERMS],
) -> (i32, Inputs) {
    let mut inputs = Inputs([0; INPUTS]);
    let mut sum = 0;
    // SAFETY: the build has AVX2 enabled, as the condition of this module states. A vector of a state and the bias
    // are read whole; `inputs` is aligned and has room for two registers.
    unsafe {
        let mut sums = _mm256_loadu_si256(network.bias.as_ptr().cast());
        for &state in states {
            let state = state as usize & (TABLE - 1);
            sum += i32::from(weights[state]);
            let vector = _mm_loadu_si128(network.states[state].as_ptr().cast());
            sums = _mm256_add_epi16(sums, _mm256_cvtepi8_epi16(vector));
        }
        let clamped = _mm256_min_epi16(_mm256_max_epi16(sums, _mm256_setzero_si256()), _mm256_set1_epi16(ONE as i16));
        // The square of 512 needs 19 bits: 16 times the number, times 8 times the number, without the lower 16 bits.
        let squares = _mm256_mulhi_epi16(_mm256_slli_epi16::<4>(clamped), _mm256_slli_epi16::<3>(clamped));
        let place = inputs.0.as_mut_ptr().cast();
        _mm256_store_si256(place, clamped);
        _mm256_store_si256(place.add(1), squares);
    }
    (sum, inputs)
}

/// What the inputs and the neurons add to the output.
#[inline(always)]
pub(in crate::engine::network) fn terms(head: &Head, inputs: &Inputs) -> i32 {
    // SAFETY: as above; each pair's weights fill a register, and a pair of inputs is read as a number of 32 bits.
    unsafe {
        let mut sums = [_mm256_setzero_si256(); 2];
        for (pair, weights) in head.pairs.iter().enumerate() {
            let input = _mm256_set1_epi32(inputs.0.as_ptr().cast::<i32>().add(pair).read());
            let products = _mm256_madd_epi16(input, _mm256_load_si256(weights.as_ptr().cast()));
            sums[pair & 1] = _mm256_add_epi32(sums[pair & 1], products);
        }
        let sum = _mm256_add_epi32(sums[0], sums[1]);
        // Division rounds towards zero.
        let rounding = _mm256_and_si256(_mm256_srai_epi32::<31>(sum), _mm256_set1_epi32(WEIGHT_ONE - 1));
        let sum = _mm256_srai_epi32::<{ WEIGHT_ONE.ilog2() as i32 }>(_mm256_add_epi32(sum, rounding));
        let sum = _mm256_add_epi32(sum, _mm256_load_si256(head.bias.as_ptr().cast()));
        let clamped = _mm256_min_epi32(_mm256_max_epi32(sum, _mm256_setzero_si256()), _mm256_set1_epi32(ONE));
        let products = _mm256_mullo_epi32(clamped, _mm256_load_si256(head.output.as_ptr().cast()));
        let (direct, values) = (head.direct.as_ptr().cast(), inputs.0.as_ptr().cast());
        let first = _mm256_madd_epi16(_mm256_load_si256(direct), _mm256_load_si256(values));
        let second = _mm256_madd_epi16(_mm256_load_si256(direct.add(1)), _mm256_load_si256(values.add(1)));
        let products = _mm256_add_epi32(products, _mm256_add_epi32(first, second));
        let half = _mm_add_epi32(_mm256_castsi256_si128(products), _mm256_extracti128_si256::<1>(products));
        let quarter = _mm_add_epi32(half, _mm_unpackhi_epi64(half, half));
        _mm_cvtsi128_si32(_mm_add_epi32(quarter, _mm_shuffle_epi32::<1>(quarter)))
    }
}
