//! Without vector instructions.

use crate::engine::network::*;

pub(in crate::engine::network) fn inputs(
    network: &Network,
    weights: &[i16; TABLE],
    states: &[u32; TERMS],
) -> (i32, Inputs) {
    let (mut sum, mut sums) = (0, network.bias);
    for &state in states {
        let state = state as usize & (TABLE - 1);
        sum += i32::from(weights[state]);
        for (sum, &number) in sums.iter_mut().zip(&network.states[state]) {
            *sum += i16::from(number);
        }
    }
    let mut inputs = [0; INPUTS];
    for (at, sum) in sums.into_iter().enumerate() {
        let clamped = sum.clamp(0, ONE as i16);
        inputs[at] = clamped;
        inputs[HIDDEN + at] = (i32::from(clamped) * i32::from(clamped) / ONE) as i16;
    }
    (sum, Inputs(inputs))
}

pub(in crate::engine::network) fn terms(head: &Head, inputs: &Inputs) -> i32 {
    let direct: i32 =
        head.direct.iter().zip(&inputs.0).map(|(&weight, &input)| i32::from(weight) * i32::from(input)).sum();
    let neurons = (0..NEURONS)
        .map(|neuron| {
            let pairs = head.pairs.iter().zip(inputs.0.as_chunks::<2>().0);
            let sum: i32 = pairs
                .map(|(weights, &[first, second])| {
                    let [a, b] = weights[neuron];
                    i32::from(a) * i32::from(first) + i32::from(b) * i32::from(second)
                })
                .sum();
            head.output[neuron] * (head.bias[neuron] + sum / WEIGHT_ONE).clamp(0, ONE)
        })
        .sum::<i32>();
    direct + neurons
}
