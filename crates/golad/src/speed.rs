//! The speed of the kernels, which the benchmark shows beside the searches.
//!
//! A time is the minimum of many readings, since other work on the machine can only increase it.

use std::hint::black_box;

use banmen_catalog::{Measure, MeasureInfo, Observation, Quantity, QuantityKind, Sampling};
use banmen_game::{Game, Side};

use crate::game::Golad;
use crate::reference::Naive;
use crate::simd::Form;
use crate::step::step_all;
use crate::wide::Wide;

/// A generation of the start's board.
pub(crate) const STEP: Measure<Golad> = Measure {
    info: MeasureInfo {
        name: "step",
        summary: "one generation of the start's board, alone in a dependent chain or 64 boards in turn",
        keys: &[],
        quantities: &[
            time("best of this machine, in a chain", "ns"),
            time("best of this machine, in batch", "ns"),
            time("AVX2 in a chain", "ns"),
            time("plain rows in a chain", "ns"),
            time("naive, cell by cell", "ns"),
        ],
        axis: None,
    },
    sample: step,
};

/// The values of all moves of the start.
pub(crate) const WIDTH: Measure<Golad> = Measure {
    info: MeasureInfo {
        name: "width",
        summary: "the values of all 162,321 moves of the start after one generation and after two",
        keys: &[],
        quantities: &[
            time("after one, best of this machine", "ms"),
            time("after two, best of this machine", "ms"),
            time("after one, AVX2", "ms"),
            time("after two, AVX2", "ms"),
            time("after one, plain", "ms"),
            time("after two, plain", "ms"),
            time("the best 64 of them", "ms"),
        ],
        axis: None,
    },
    sample: width,
};

const fn time(name: &'static str, unit: &'static str) -> Quantity {
    Quantity { name, unit, kind: QuantityKind::Mean }
}

/// Seconds of one of the `count` repetitions in `run`: the minimum of the readings.
fn least(sampling: &Sampling<'_>, readings: u32, count: u32, mut run: impl FnMut()) -> Option<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..readings {
        if sampling.stop.stopped() {
            return None;
        }
        let begun = sampling.clock.now();
        run();
        least = least.min((sampling.clock.now() - begun).as_secs_f64() / f64::from(count));
    }
    Some(least)
}

/// Generations in a chain for one reading: a clock takes longer to read than a generation.
const CHAIN: u32 = 10_000;

fn step(game: &Golad, _: &banmen_catalog::Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let board = game.start().board;
    let chain = |form: Form| {
        least(sampling, 100, CHAIN, || {
            let mut board = [board];
            step_all(&mut board, CHAIN, form);
            black_box(board);
        })
    };
    let mut seen = vec![Observation::number(0, 1e9 * chain(Form::BEST)?)];
    let mut boards = [board; 64];
    let batch = || (0..160).for_each(|_| step_all(black_box(&mut boards), 1, Form::BEST));
    seen.push(Observation::number(1, 1e9 * least(sampling, 100, 64 * 160, batch)?));
    for (quantity, form) in [(2, Form::Avx2), (3, Form::Plain)] {
        if form.is_supported() {
            seen.push(Observation::number(quantity, 1e9 * chain(form)?));
        }
    }
    let mut naive = Naive::of(&board);
    let by_cell = least(sampling, 20, 100, || (0..100).for_each(|_| naive = naive.step()))?;
    seen.push(Observation::number(4, 1e9 * by_cell));
    Some(seen)
}

fn width(game: &Golad, _: &banmen_catalog::Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let board = game.start().board;
    let mut wide = Wide::new();
    let mut seen = Vec::new();
    for (way, form) in [Form::BEST, Form::Avx2, Form::Plain].into_iter().enumerate() {
        for generations in (1..=2).filter(|_| way == 0 || form.is_supported()) {
            let all = || wide.rank_by(form, black_box(&board), Side::First, generations);
            let quantity = 2 * way + generations as usize - 1;
            seen.push(Observation::number(quantity, 1e3 * least(sampling, 20, 1, all)?));
        }
    }
    let best = least(sampling, 20, 1, || {
        black_box(wide.best(64).count());
    })?;
    seen.push(Observation::number(6, 1e3 * best));
    Some(seen)
}
