//! The win rate that is reported for a value.

use super::search::DECIDED;
use crate::trial::{UNIT, WON};

/// The logarithm of the odds of a win to a draw is the first of these, plus the second times the balance, plus the third times
/// its square with its sign, plus the fourth times the logarithm of the turns after this one; the same of the other side's
/// balance gives those of a loss. The balance is 1 where all cells are the mover's. Fitted to results of games by the
/// example `golad_win_rate`; docs/measured.md says how well it predicts others.
const FITTED: [f64; 4] = [-12.585, 1.067, 9.229, 2.212];

/// The bound of win rates that follow from a balance.
const BOUND: f64 = 0.99;

/// The win rate of a win in more than one ply, which is certain only against the moves that were searched. In 960 games all
/// 1,153 such wins and losses came true.
const FOUND: f64 = 0.995;

/// The expected score of the side to move, who has `turns` turns of both sides to come, this one included. It never falls as
/// the value rises, and the two sides' expected scores for a balance sum to 1; after the last turn only an elimination
/// that was found is more or less than a half.
pub(super) fn win_rate(value: i32, turns: u16) -> f64 {
    match value {
        _ if value >= WON => 1.0,
        _ if value > DECIDED => FOUND,
        _ if value < -DECIDED => 1.0 - FOUND,
        _ => {
            let balance = f64::from(value) / f64::from(UNIT);
            let [constant, linear, square, turn] = FITTED;
            // No turn after this one: no odds at all.
            let time = constant + turn * libm::log(f64::from(turns.saturating_sub(1)));
            let odds = |balance: f64| libm::exp(time + balance * (linear + square * balance.abs()));
            let (win, loss) = (odds(balance), odds(-balance));
            (0.5 + (win - loss) / (1.0 + win + loss) / 2.0).clamp(1.0 - BOUND, BOUND)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_cells_never_lower_the_expected_score() {
        for turns in [0, 1, 2, 3, 10, 50, 200, u16::MAX] {
            let values = (-UNIT..=UNIT).chain([DECIDED + 1, WON - 1, WON]);
            let rates: Vec<f64> = values.map(|value| win_rate(value, turns)).collect();
            assert!(rates.is_sorted() && rates.iter().all(|rate| (0.0..=1.0).contains(rate)), "{turns} turns");
            assert!(win_rate(-WON + 1, turns) < rates[0], "{turns} turns");
        }
    }

    #[test]
    fn the_sides_expected_scores_sum_to_one() {
        for turns in [1, 2, 20, 200] {
            for value in (0..=UNIT).chain([WON - 1, WON - 10]) {
                let sum = win_rate(value, turns) + win_rate(-value, turns);
                assert!((sum - 1.0).abs() < 1e-12, "{value}, {turns} turns: {sum}");
            }
        }
    }

    #[test]
    fn a_lead_is_worth_less_the_fewer_turns_are_left() {
        let rates = [1, 3, 10, 30, 100, 200].map(|turns| win_rate(UNIT * 6 / 10, turns));
        assert_eq!(rates[0], 0.5, "nobody can be eliminated");
        assert!(rates.is_sorted() && rates[2] < 0.52 && rates[5] > 0.9, "{rates:?}");
        assert_eq!(win_rate(0, 200), 0.5);
    }
}
