//! The evaluation: for each pair of lions and class of material a small network of one hidden layer.
//!
//! The six features of a position select six rows of the weights of its network. Their sums and the bias, clamped to the
//! range 0 to 1 and squared, are the [`WIDTH`] units of the hidden layer; the output is the logarithm of the odds that
//! the side to move wins. All is done in small integers, so that it is the same on every machine.
//!
//! The weights come from the solved game: `examples/dobutsu_weights.rs` fits them to the values of the quiet positions under the
//! rules `catch`, and writes the files. Under the other rules the same evaluation serves. There are two fits: one to all
//! positions alike, with one network for a pair of lions, and one in which a position weighs the more the more often
//! searches with the first evaluate it. The engine plays by the second.

use std::sync::OnceLock;

use super::features::{FEATURES, MATERIALS, PAIRS, PIECES, features, material};
use crate::position::Position;

/// Units of the hidden layer, whole blocks.
pub const WIDTH: usize = 192;

/// Units of the uniform fit.
pub const UNIFORM_WIDTH: usize = 64;

/// One in weights of the first layer and in the hidden units before they are squared.
pub const ONE: i16 = 64;

/// One in the weights of the output.
pub const OUT_ONE: i32 = 256;

/// Units of the evaluation in a natural logarithm of odds of 1.
pub(super) const LOGIT: i32 = 100;

/// No evaluation is larger.
const LARGEST: i32 = 3_000;

/// Bytes of a network in a file: rows of the features and bias in one byte a weight, weights of the output in two, and
/// its bias in two.
const fn net_bytes(units: usize) -> usize {
    (FEATURES + 1) * units + 2 * units + 2
}

/// The weights as `examples/dobutsu_weights.rs` writes them; pair after pair, of each class after class, numbers
/// little-endian.
static WEIGHTS: &[u8; PAIRS * MATERIALS * net_bytes(WIDTH)] = include_bytes!("weights.bin");
static UNIFORM: &[u8; PAIRS * net_bytes(UNIFORM_WIDTH)] = include_bytes!("uniform.bin");

/// Units of a block. The sums of a block stay in registers.
const BLOCK: usize = 64;

/// The weights from a feature to the units of a block, or their bias.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row([i16; BLOCK]);

/// A part of the hidden layer of a network.
struct Block {
    rows: [Row; FEATURES],
    bias: Row,
    out: [i16; BLOCK],
}

struct Net {
    blocks: Vec<Block>,
    out_bias: i32,
}

/// The weights, in blocks of units, widened for quick sums.
pub struct Evaluation {
    /// In the order of the file.
    nets: Vec<Net>,
    /// Whether a pair of lions has a network for each class of material, not one for all.
    by_material: bool,
}

impl Evaluation {
    /// The engine's evaluation; its weights are read at the first call.
    #[must_use]
    pub fn get() -> &'static Evaluation {
        static EVALUATION: OnceLock<Evaluation> = OnceLock::new();
        EVALUATION.get_or_init(|| Evaluation::read(WEIGHTS, WIDTH))
    }

    /// The evaluation that is fitted to all quiet positions alike. The first side's exceptions were found with it, and so was
    /// how often searches evaluate a position.
    #[must_use]
    pub fn uniform() -> &'static Evaluation {
        static EVALUATION: OnceLock<Evaluation> = OnceLock::new();
        EVALUATION.get_or_init(|| Evaluation::read(UNIFORM, UNIFORM_WIDTH))
    }

    fn read(file: &[u8], units: usize) -> Evaluation {
        let nets: Vec<Net> = file.chunks_exact(net_bytes(units)).map(|bytes| net(bytes, units)).collect();
        Evaluation { by_material: nets.len() > PAIRS, nets }
    }

    /// The value of a position for the side to move, in hundredths of a natural logarithm of the odds to win, a draw
    /// counted as half. 0 where the lions stand as in no quiet position.
    #[must_use]
    #[inline]
    pub fn value(&self, position: &Position) -> i32 {
        let Some((pair, features)) = features(position) else { return 0 };
        let at = if self.by_material { pair * MATERIALS + material(position) } else { pair };
        let Some(net) = self.nets.get(at) else { return 0 };
        let mut out = 0i32;
        for block in &net.blocks {
            let row = |place: usize| &block.rows[usize::from(features[place]).min(FEATURES - 1)].0;
            let (a, b, c, d, e, f) = (row(0), row(1), row(2), row(3), row(4), row(5));
            let mut active = [0i16; BLOCK];
            for (unit, active) in active.iter_mut().enumerate() {
                // No sum here overflows, as `net` has checked. Tests would check each addition, and so not add vectors.
                let half = block.bias.0[unit].wrapping_add(a[unit]).wrapping_add(b[unit]).wrapping_add(c[unit]);
                let sum = half.wrapping_add(d[unit]).wrapping_add(e[unit]).wrapping_add(f[unit]);
                let clamped = sum.clamp(0, ONE);
                *active = clamped.wrapping_mul(clamped);
            }
            for (active, weight) in active.iter().zip(&block.out) {
                out = out.wrapping_add(i32::from(*active).wrapping_mul((*weight).into()));
            }
        }
        let one = i64::from(ONE) * i64::from(ONE);
        let value = (i64::from(out) + one * i64::from(net.out_bias)) * i64::from(LOGIT) / (one * i64::from(OUT_ONE));
        let value = value as i32;
        value.clamp(-LARGEST, LARGEST)
    }
}

/// Reads the weights of a network of so many units, whole blocks.
fn net(bytes: &[u8], units: usize) -> Net {
    let (rows, words) = bytes.split_at((FEATURES + 1) * units);
    let row = |feature: usize, first: usize| {
        Row(std::array::from_fn(|unit| (rows[feature * units + first + unit] as i8).into()))
    };
    let word = |at: usize| i16::from_le_bytes([words[2 * at], words[2 * at + 1]]);
    let block = |first: usize| Block {
        rows: std::array::from_fn(|feature| row(feature, first)),
        bias: row(FEATURES, first),
        out: std::array::from_fn(|unit| word(first + unit)),
    };
    let blocks: Vec<Block> = (0..units).step_by(BLOCK).map(block).collect();
    const { assert!(WIDTH.is_multiple_of(BLOCK) && UNIFORM_WIDTH.is_multiple_of(BLOCK)) };
    // The sums of `value` cannot overflow: those of the first layer are of a few numbers of one byte.
    const { assert!((PIECES + 1) << 7 < 1 << 15) };
    let out = blocks.iter().flat_map(|block| block.out);
    let most: i64 = out.map(|weight| i64::from(ONE * ONE) * i64::from(weight).abs()).sum();
    debug_assert!(most <= i64::from(i32::MAX));
    Net { blocks, out_bias: word(units).into() }
}
