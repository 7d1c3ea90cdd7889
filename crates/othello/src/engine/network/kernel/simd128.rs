//! By SIMD128, in browsers.

use std::arch::wasm32::*;

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
    // SAFETY: the vector of a state fills a register, and the bias two; `inputs` has room for four.
    unsafe {
        let bias = network.bias.as_ptr().cast::<v128>();
        let (mut low, mut high) = (v128_load(bias), v128_load(bias.add(1)));
        for &state in states {
            let state = state as usize & (TABLE - 1);
            sum += i32::from(weights[state]);
            let vector = v128_load(network.states[state].as_ptr().cast());
            low = i16x8_add(low, i16x8_extend_low_i8x16(vector));
            high = i16x8_add(high, i16x8_extend_high_i8x16(vector));
        }
        let place = inputs.0.as_mut_ptr().cast::<v128>();
        for (at, sums) in [low, high].into_iter().enumerate() {
            let clamped = i16x8_min(i16x8_max(sums, i16x8_splat(0)), i16x8_splat(ONE as i16));
            let square = |product| i32x4_shr(product, ONE.ilog2());
            let squares = i16x8_narrow_i32x4(
                square(i32x4_extmul_low_i16x8(clamped, clamped)),
                square(i32x4_extmul_high_i16x8(clamped, clamped)),
            );
            v128_store(place.add(at), clamped);
            v128_store(place.add(2 + at), squares);
        }
    }
    (sum, inputs)
}

/// What the inputs and the neurons add to the output.
#[inline(always)]
pub(in crate::engine::network) fn terms(head: &Head, inputs: &Inputs) -> i32 {
    // SAFETY: each pair's weights fill two registers, as the neurons' biases and weights of the output do, and the direct weights
    // and the inputs four; a pair of inputs is read as a number of 32 bits.
    unsafe {
        let mut sums = [i32x4_splat(0); 2];
        for (pair, weights) in head.pairs.iter().enumerate() {
            let input = i32x4_splat(inputs.0.as_ptr().cast::<i32>().add(pair).read());
            let weights = weights.as_ptr().cast::<v128>();
            for (half, sum) in sums.iter_mut().enumerate() {
                *sum = i32x4_add(*sum, i32x4_dot_i16x8(input, v128_load(weights.add(half))));
            }
        }
        let (bias, output) = (head.bias.as_ptr().cast::<v128>(), head.output.as_ptr().cast::<v128>());
        let mut total = i32x4_splat(0);
        for (half, sum) in sums.into_iter().enumerate() {
            // Division rounds towards zero.
            let rounding = v128_and(i32x4_shr(sum, 31), i32x4_splat(WEIGHT_ONE - 1));
            let sum = i32x4_add(i32x4_shr(i32x4_add(sum, rounding), WEIGHT_ONE.ilog2()), v128_load(bias.add(half)));
            let clamped = i32x4_min(i32x4_max(sum, i32x4_splat(0)), i32x4_splat(ONE));
            total = i32x4_add(total, i32x4_mul(clamped, v128_load(output.add(half))));
        }
        let (direct, values) = (head.direct.as_ptr().cast::<v128>(), inputs.0.as_ptr().cast::<v128>());
        for part in 0..INPUTS / 8 {
            total = i32x4_add(total, i32x4_dot_i16x8(v128_load(direct.add(part)), v128_load(values.add(part))));
        }
        let half = i32x4_add(total, i32x4_shuffle::<2, 3, 0, 1>(total, total));
        i32x4_extract_lane::<0>(half) + i32x4_extract_lane::<1>(half)
    }
}
