//! The value of a position.

use banmen_game::Side;

use super::features::IncrementalFeatures;
use super::level::Errors;
use super::net::{NET, Output};
use crate::game::Tubstap;
use crate::position::Position;

/// Values are in thousandths of the natural logarithm of the odds of winning.
pub(super) type Value = i32;

/// A win by the rules is worth this, less the turns played, plus the lead in hit points if these decide.
pub(super) const WON: Value = 1_000_000;

/// The evaluation of the positions of one game. It is fastest when a position differs little from the one before.
pub(super) struct Evaluator<'g> {
    game: &'g Tubstap,
    /// None before the first position.
    incremental: Option<Box<IncrementalFeatures>>,
    output: Output,
    /// Those of a level below 10.
    errors: Option<Errors>,
}

impl<'g> Evaluator<'g> {
    pub(super) fn new(game: &'g Tubstap) -> Self {
        Evaluator { game, incremental: None, output: Output::new(&NET), errors: None }
    }

    /// The same evaluation with these errors.
    pub(super) fn with_errors(self, errors: Option<Errors>) -> Self {
        Evaluator { errors, ..self }
    }

    /// The value for `side`, which has its turn or has just had it.
    pub(super) fn value(&mut self, position: &Position, side: Side) -> Value {
        if self.game.is_over(position) {
            return self.ended(position, side);
        }
        let incremental = self.incremental.get_or_insert_with(|| IncrementalFeatures::new(self.game, position));
        // A conversion to an integer saturates.
        let value = (self.output.value(incremental.features(self.game, position, side)) * 1000.0) as Value;
        value.saturating_add(self.errors.map_or(0, |errors| errors.of(position, side)))
    }

    /// The value of an ended game for `side`: the earlier the end, the more; then the hit points count.
    fn ended(&self, position: &Position, side: Side) -> Value {
        let [own, other] = [side, side.other()].map(|side| position.hit_points(side) as Value);
        let late = Value::from(position.turn());
        if other == 0 {
            return WON - late;
        }
        if own == 0 {
            return late - WON;
        }
        let lead = own - other;
        let decided = lead.abs() > Value::from(self.game.threshold());
        if decided { lead.signum() * (WON - late) + lead } else { lead }
    }
}

/// The expected score at a value.
pub(super) fn score(value: Value) -> f32 {
    1.0 / (1.0 + libm::expf(-(value as f32) / 1000.0))
}
