//! Games that end before their rules say so. Off by default: what players say of a game is no result.

use serde::Serialize;

/// When a game is ended by what both players say of it, or by its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Adjudication {
    /// A side has lost when for so many moves of its own it expected at most this score (0 to 1), and its opponent at
    /// least as much as is left.
    pub resign: Option<Stretch>,
    /// The game is drawn when for so many moves of either side both expected a score within this distance of ½.
    pub draw: Option<Stretch>,
    /// The game is drawn after so many plies, the opening's counted.
    pub plies: Option<usize>,
}

/// An expectation that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// The bound of the expected score, or of its distance from ½.
    pub value: f64,
    /// Moves of each side in a row, at least 1.
    pub moves: u32,
}

/// What an adjudicator found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The player of this index, 0 or 1, has lost.
    Lost(usize),
    /// Nobody wins.
    Drawn(&'static str),
}

/// What both players said so far.
#[derive(Default)]
pub(crate) struct Adjudicator {
    /// Moves in a row that each player expected to lose, to win, to draw.
    losing: [u32; 2],
    winning: [u32; 2],
    even: [u32; 2],
}

impl Adjudicator {
    /// Player `mover` expects `value`, 0 to 1, or says nothing, and has made the game `plies` long. What is not said
    /// neither counts nor breaks a stretch.
    pub(crate) fn hear(
        &mut self,
        rule: &Adjudication,
        mover: usize,
        value: Option<f64>,
        plies: usize,
    ) -> Option<Verdict> {
        let long = rule.plies.filter(|&most| plies >= most).map(|_| Verdict::Drawn("length"));
        let Some(value) = value else { return long };
        let count = |counter: &mut u32, holds: bool| *counter = if holds { *counter + 1 } else { 0 };
        if let Some(rule) = rule.resign {
            count(&mut self.losing[mover], value <= rule.value);
            count(&mut self.winning[mover], value >= 1.0 - rule.value);
            for loser in [0, 1] {
                if self.losing[loser] >= rule.moves && self.winning[1 - loser] >= rule.moves {
                    return Some(Verdict::Lost(loser));
                }
            }
        }
        if let Some(rule) = rule.draw {
            count(&mut self.even[mover], (value - 0.5).abs() <= rule.value);
            if self.even.iter().all(|&moves| moves >= rule.moves) {
                return Some(Verdict::Drawn("both expect a draw"));
            }
        }
        long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(rule: Adjudication, values: &[f64]) -> Option<(usize, Verdict)> {
        let mut adjudicator = Adjudicator::default();
        values.iter().enumerate().find_map(|(ply, &value)| {
            adjudicator.hear(&rule, ply % 2, Some(value), ply + 1).map(|verdict| (ply + 1, verdict))
        })
    }

    #[test]
    fn a_side_that_gives_up_has_lost_when_its_opponent_agrees() {
        let rule = Adjudication { resign: Some(Stretch { value: 0.05, moves: 2 }), ..Default::default() };
        assert_eq!(verdict(rule, &[0.01, 0.99, 0.02, 0.97]), Some((4, Verdict::Lost(0))));
        assert_eq!(verdict(rule, &[0.99, 0.01, 0.97, 0.02]), Some((4, Verdict::Lost(1))));
        assert_eq!(verdict(rule, &[0.01, 0.5, 0.02, 0.5, 0.01, 0.5]), None, "one side alone decides nothing");
        assert_eq!(verdict(rule, &[0.01, 0.99, 0.3, 0.99, 0.01, 0.99]), None, "not in a row");
    }

    #[test]
    fn a_draw_takes_both_and_a_long_game_is_one() {
        let rule = Adjudication { draw: Some(Stretch { value: 0.01, moves: 2 }), ..Default::default() };
        assert_eq!(verdict(rule, &[0.5, 0.7, 0.5, 0.505, 0.5, 0.495]), Some((6, Verdict::Drawn("both expect a draw"))));
        let rule = Adjudication { plies: Some(3), ..Default::default() };
        assert_eq!(verdict(rule, &[0.9, 0.1, 0.9, 0.1]), Some((3, Verdict::Drawn("length"))));
        assert_eq!(verdict(Adjudication::default(), &[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]), None, "off by default");
        let rule = Adjudication { draw: Some(Stretch { value: 0.1, moves: 1 }), ..Default::default() };
        let mut silent = Adjudicator::default();
        assert!((1..9).all(|ply| silent.hear(&rule, ply % 2, None, ply).is_none()), "silence is no opinion");
    }
}
