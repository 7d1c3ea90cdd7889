//! What is computed from published tables: ratings of tournament entrants, and the t tests of the S-UCT paper.

use banmen_catalog::{Axis, Key, Kind, Measure, MeasureInfo, Observation, Options, Quantity, QuantityKind, Sampling};
use banmen_stats::{Anchor, Draws, Meeting, RatingModel, Ratings, Sample, Tally, pooled_t, welch_t};

use crate::game::Tubstap;

/// The entrants of table 1, in its order.
const ENTRANTS: [&str; 4] = ["A-UCT", "Subgoal M-UCT", "SatRandMM", "M-UCT_HIMA"];

/// Table 1: games of 100 that the row won against the column; the others were drawn or lost.
const WON: [[u64; 4]; 4] = [[0, 64, 74, 92], [33, 0, 65, 76], [19, 28, 0, 61], [5, 16, 21, 0]];

/// Tables 2 and 3: won, drawn and lost with a share of 0.1, 0.2, 0.3, 0.4 and 0.5, against M-UCT and against SMAEF.
const SHARES: [[[u64; 3]; 5]; 2] = [
    [[25, 6, 169], [40, 5, 155], [26, 5, 169], [27, 6, 167], [29, 4, 167]],
    [[111, 26, 63], [110, 31, 59], [122, 27, 51], [119, 30, 51], [111, 28, 61]],
];

const fn exact(name: &'static str, unit: &'static str) -> Quantity {
    Quantity { name, unit, kind: QuantityKind::Exact }
}

/// The ratings of the entrants.
pub(crate) const RATINGS: Measure<Tubstap> = Measure {
    info: MeasureInfo {
        name: "gat2018",
        summary: "the entrants of GAT2018 rated by the results of table 1 (Davidson's model, mean 0)",
        keys: &[],
        quantities: &[exact("rating", "Elo"), exact("95 % interval, lower end", "Elo"), exact("upper end", "Elo")],
        axis: Some(Axis { name: "entrant", points: &ENTRANTS }),
    },
    sample: |_, _, _| Some(ratings()),
};

fn ratings() -> Vec<Observation> {
    let meetings: Vec<Meeting> = (0..ENTRANTS.len())
        .flat_map(|first| (first + 1..ENTRANTS.len()).map(move |second| (first, second)))
        .map(|(first, second)| {
            let (wins, losses) = (WON[first][second], WON[second][first]);
            Meeting { first, second, wins, draws: 100 - wins - losses, losses }
        })
        .collect();
    let model = RatingModel { draws: Draws::Davidson, advantage: false, prior: 0.0 };
    let fitted = Ratings::fit(ENTRANTS.len(), &meetings, model).ok();
    let elo = fitted.and_then(|ratings| ratings.elo(Anchor::Mean(0.0), 0.95)).unwrap_or_default();
    let numbers = |(point, rating): (usize, banmen_stats::Estimate)| {
        [rating.value, rating.low, rating.high]
            .into_iter()
            .enumerate()
            .map(move |(quantity, value)| Observation::number(quantity, value).at(point))
    };
    elo.into_iter().enumerate().flat_map(numbers).collect()
}

/// The paper's t tests.
pub(crate) const T_TESTS: Measure<Tubstap> = Measure {
    info: MeasureInfo {
        name: "t-tests",
        summary: "the t tests between any two shares of table 2 or 3: the smallest of ten p-values, Holm's correction or not",
        keys: &[Key { name: "table", kind: Kind::Integer(2, 3), default: "2", summary: "the table", source: "4.1.1" }],
        quantities: &[
            exact("smallest p, pooled variance", ""),
            exact("smallest p, Welch", ""),
            exact("smallest p, Welch, Holm's correction", ""),
        ],
        axis: None,
    },
    sample: |_, options: &Options, _: &Sampling<'_>| Some(t_tests(&SHARES[usize::from(options.integer("table") == 3)])),
};

fn t_tests(rows: &[[u64; 3]; 5]) -> Vec<Observation> {
    let samples: Vec<Sample> = rows
        .iter()
        .filter_map(|&[won, drawn, lost]| Sample::from_tally(&Tally::from_wins_draws_losses(won, drawn, lost)))
        .collect();
    let mut values = [Vec::new(), Vec::new()];
    for (index, a) in samples.iter().enumerate() {
        for b in &samples[index + 1..] {
            values[0].extend(pooled_t(a, b).map(|test| test.p));
            values[1].extend(welch_t(a, b).map(|test| test.p));
        }
    }
    let smallest = |values: &[f64]| values.iter().copied().fold(1.0, f64::min);
    let [pooled, welch] = values;
    let corrected = banmen_stats::holm(&welch).unwrap_or_default();
    [&pooled, &welch, &corrected].into_iter().enumerate().map(|(at, p)| Observation::number(at, smallest(p))).collect()
}

#[cfg(test)]
mod tests {
    use banmen_catalog::Value;

    use super::*;

    fn numbers(observations: &[Observation], quantity: usize) -> Vec<f64> {
        let of = observations.iter().filter(|observation| observation.quantity == quantity);
        of.map(|observation| match observation.value {
            Value::Number(number) => number,
            Value::Share { .. } => panic!("a number"),
        })
        .collect()
    }

    #[test]
    fn entrants_are_rated_in_the_order_of_the_table() {
        let elo = ratings();
        let [rating, low, high] = [0, 1, 2].map(|quantity| numbers(&elo, quantity));
        assert_eq!(rating.len(), 4);
        assert!(rating.is_sorted_by(|a, b| a > b) && rating.iter().sum::<f64>().abs() < 1e-6, "{rating:?}");
        // A-UCT scored 65.5 of 100 against Subgoal M-UCT: some 110 Elo.
        assert!((60.0..180.0).contains(&(rating[0] - rating[1])), "{rating:?}");
        assert!((0..4).all(|at| low[at] < rating[at] && rating[at] < high[at]));
    }

    #[test]
    fn no_pair_of_shares_differs_as_the_paper_says() {
        for rows in &SHARES {
            let tests = t_tests(rows);
            let [pooled, welch, corrected] = [0, 1, 2].map(|quantity| numbers(&tests, quantity)[0]);
            assert!((pooled - welch).abs() < 0.001 && corrected > 0.05, "{pooled} {welch} {corrected}");
            assert!(pooled > 0.05, "{pooled}");
        }
        // With 25 times the games the same shares would differ.
        let rows = SHARES[0].map(|row| row.map(|count| count * 25));
        assert!(numbers(&t_tests(&rows), 2)[0] < 1e-6);
    }
}
