//! Adam (Kingma and Ba 2015), with weights that move toward 0 (Loshchilov and Hutter 2019).

/// The decay rates of the averages of the slope and its square.
const AVERAGES: [f32; 2] = [0.9, 0.999];

/// The averages of the slopes of all weights.
pub(crate) struct Adam {
    means: Vec<f32>,
    second_moments: Vec<f32>,
    /// The powers of both decay rates: the weight that the averages still give to the 0 from which they began.
    powers: [f32; 2],
    /// The step at the start; it falls to 0.
    first_step: f32,
    done: usize,
    steps: usize,
}

impl Adam {
    /// For so many weights and steps, the first of which has this size.
    pub(crate) fn new(weights: usize, steps: usize, first_step: f32) -> Adam {
        let (means, second_moments) = (vec![0.0; weights], vec![0.0; weights]);
        Adam { means, second_moments, powers: [1.0, 1.0], first_step, done: 0, steps }
    }

    /// Makes a step. `decay`: the part of it by which the weight at an index moves toward 0.
    pub(crate) fn step(&mut self, weights: &mut [f32], slope: &[f32], decay: impl Fn(usize) -> f32) {
        let step = self.first_step * (1.0 - self.done as f32 / self.steps as f32);
        self.done += 1;
        for (power, rate) in self.powers.iter_mut().zip(AVERAGES) {
            *power *= rate;
        }
        let bias_correction = self.powers.map(|power| 1.0 - power);
        let moments = self.means.iter_mut().zip(&mut self.second_moments);
        for (at, ((weight, slope), (mean, second_moment))) in weights.iter_mut().zip(slope).zip(moments).enumerate() {
            *mean = AVERAGES[0] * *mean + (1.0 - AVERAGES[0]) * slope;
            *second_moment = AVERAGES[1] * *second_moment + (1.0 - AVERAGES[1]) * slope * slope;
            let spread = libm::sqrtf(*second_moment / bias_correction[1]) + 1e-8;
            *weight -= step * (*mean / bias_correction[0] / spread + decay(at) * *weight);
        }
    }
}
