//! Games that end before their rules say so. Off by default: what players expect is not a result.

use std::fmt;

use serde::{Deserialize, Serialize};

/// When a game ends because both players expect a result, or because of its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    /// A side has lost when, for this number of its moves in a row, it expected at most this score (0 to 1), and its
    /// opponent at least 1 minus this score.
    pub resign: Option<Threshold>,
    /// The game is drawn when, for this number of moves of each side in a row, both expected a score within this
    /// distance of ½.
    pub draw: Option<Threshold>,
    /// The game is drawn after this number of plies, including the opening.
    pub plies: Option<usize>,
}

/// A bound of an expectation, and how long it must hold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The bound of the expected score, 0 to 1, or of its distance from ½, 0 to ½.
    pub value: f64,
    /// Moves of each side in a row, at least 1.
    pub moves: u32,
}

/// The rules that hold, as the command line writes them; nothing where none does.
impl fmt::Display for Adjudication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threshold = |name: &str, rule: Option<Threshold>| {
            rule.map(|Threshold { value, moves }| format!("{name} {value}:{moves}"))
        };
        let plies = self.plies.map(|plies| format!("max-plies {plies}"));
        let parts = [threshold("resign", self.resign), threshold("draw", self.draw), plies];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// The words for the end of a game that was declared drawn: by its length, and by what both expect.
pub(crate) const DRAWN_WORDS: [&str; 2] = ["length", "both expect a draw"];

/// The result that an adjudicator declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The player of this index, 0 or 1, has lost.
    Lost(usize),
    /// The game is drawn, for this reason.
    Drawn(&'static str),
}

/// Counts how long each player's expectations have held.
#[derive(Default)]
pub(crate) struct Adjudicator {
    /// Moves in a row at which each player expected to lose, to win, to draw.
    losing: [u32; 2],
    winning: [u32; 2],
    even: [u32; 2],
}

impl Adjudicator {
    /// Records a move of player `mover`, which expects `value` (0 to 1) and has made the game `plies` long. A move without
    /// an expectation neither counts nor interrupts a row.
    pub(crate) fn record(
        &mut self,
        rule: &Adjudication,
        mover: usize,
        value: Option<f64>,
        plies: usize,
    ) -> Option<Verdict> {
        let long = rule.plies.filter(|&most| plies >= most).map(|_| Verdict::Drawn(DRAWN_WORDS[0]));
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
                return Some(Verdict::Drawn(DRAWN_WORDS[1]));
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
            adjudicator.record(&rule, ply % 2, Some(value), ply + 1).map(|verdict| (ply + 1, verdict))
        })
    }

    #[test]
    fn a_side_loses_when_both_expect_it() {
        let rule = Adjudication { resign: Some(Threshold { value: 0.05, moves: 2 }), ..Default::default() };
        assert_eq!(verdict(rule, &[0.01, 0.99, 0.02, 0.97]), Some((4, Verdict::Lost(0))));
        assert_eq!(verdict(rule, &[0.99, 0.01, 0.97, 0.02]), Some((4, Verdict::Lost(1))));
        assert_eq!(verdict(rule, &[0.01, 0.5, 0.02, 0.5, 0.01, 0.5]), None, "one side alone does not decide");
        assert_eq!(verdict(rule, &[0.01, 0.99, 0.3, 0.99, 0.01, 0.99]), None, "not in a row");
    }

    #[test]
    fn a_game_is_drawn_when_both_expect_it_or_it_is_long() {
        let rule = Adjudication { draw: Some(Threshold { value: 0.01, moves: 2 }), ..Default::default() };
        assert_eq!(verdict(rule, &[0.5, 0.7, 0.5, 0.505, 0.5, 0.495]), Some((6, Verdict::Drawn("both expect a draw"))));
        let rule = Adjudication { plies: Some(3), ..Default::default() };
        assert_eq!(verdict(rule, &[0.9, 0.1, 0.9, 0.1]), Some((3, Verdict::Drawn("length"))));
        assert_eq!(verdict(Adjudication::default(), &[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]), None, "off by default");
        let rule = Adjudication { draw: Some(Threshold { value: 0.1, moves: 1 }), ..Default::default() };
        let mut silent = Adjudicator::default();
        assert!((1..9).all(|ply| silent.record(&rule, ply % 2, None, ply).is_none()), "no expectation, no verdict");
    }
}
