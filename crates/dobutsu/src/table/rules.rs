//! The rules that a table is for.

use std::fmt::Debug;
use std::ops::ControlFlow;

use banmen_game::Side;

use super::build::BuildError;
use super::probe::Value;
use crate::article::Article;
use crate::board::{BOARD, Hen};
use crate::game::{Dobutsu, Variant};
use crate::moves;
use crate::position::{Move, Position};

/// Rules that ignore the history. In an unfinished stored position the lion of the side to move is never on its far
/// rank.
pub trait Rules: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// How a hen steps.
    const HEN: Hen;

    /// The value of having no legal move, for the side to move.
    const STUCK: Value;

    /// The name: that of the variant, or `article`.
    fn name(self) -> &'static str;

    /// Whether a lion on the far rank has won even if it is attacked.
    fn wins_by_any_try(self) -> bool;

    /// The code of the rules in the file.
    ///
    /// # Errors
    /// Fails if the rules have no table.
    fn code(self) -> Result<u8, BuildError>;

    /// Who has won by a lion's move or capture.
    fn lions_ended(self, position: &Position) -> Option<(Side, &'static str)>;

    /// The moves of a position that the lions have not ended, one drop per kind.
    fn visit<B>(self, position: &Position, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        moves::visit(position, Self::HEN, |_| BOARD, BOARD, visit)
    }
}

/// All variants but `legal`, whose wins and losses are those of `catch`.
impl Rules for Variant {
    const HEN: Hen = Hen::Six;
    const STUCK: Value = Value::Loss(0);

    fn name(self) -> &'static str {
        Variant::name(self)
    }

    fn wins_by_any_try(self) -> bool {
        self != Variant::Catch
    }

    fn code(self) -> Result<u8, BuildError> {
        match self {
            Variant::Catch => Ok(0),
            Variant::Legal => Err(BuildError::Variant(self)),
            Variant::AnyTry => Ok(2),
        }
    }

    #[inline]
    fn lions_ended(self, position: &Position) -> Option<(Side, &'static str)> {
        Dobutsu { variant: self }.lions_ended(position)
    }
}

/// The article's rules without the history: a position may occur any number of times. So this table does not decide
/// draws: a side that holds one by moving back and forth runs out of legal moves in the game itself.
impl Rules for Article {
    const HEN: Hen = Hen::Five;
    const STUCK: Value = Value::Draw;

    fn name(self) -> &'static str {
        "article"
    }

    fn wins_by_any_try(self) -> bool {
        true
    }

    fn code(self) -> Result<u8, BuildError> {
        Ok(3)
    }

    #[inline]
    fn lions_ended(self, position: &Position) -> Option<(Side, &'static str)> {
        Article::lions_ended(self, position)
    }
}

/// The name of the rules with this code.
pub(super) fn name_of(code: u8) -> Option<&'static str> {
    match code {
        0 => Some(Rules::name(Variant::Catch)),
        2 => Some(Rules::name(Variant::AnyTry)),
        3 => Some(Rules::name(Article)),
        _ => None,
    }
}
