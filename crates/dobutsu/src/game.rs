//! Dobutsu shogi as a `Game` of `banmen-game`, its variants, and the board as data for drawing.

use std::fmt;
use std::ops::ControlFlow;

use banmen_catalog::{Board, View};
use banmen_game::{Game, GameState, History, MoveIndex, Outcome, Side, Symmetries};

use crate::board::{BOARD, Hen, Piece, squares};
use crate::moves;
use crate::notation::{SquareNames, usi};
use crate::position::{Move, Position};

/// The rules in public use. They differ in what a lion may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// A side may leave its lion to be captured, and then loses it and the game. A lion on the far rank that is not
    /// attacked has won; every position is checked for both sides. These are Fairy-Stockfish's rules since March 2026.
    /// Wins and losses are the same as under the official rules and in Tanaka's analysis.
    #[default]
    Catch,
    /// A side may not leave its lion to be captured, and has lost if it cannot avoid that. A lion on the far rank has
    /// won. These are the rules of Pgx, and of Fairy-Stockfish until 2025.
    Legal,
    /// As [`Variant::Catch`], but a lion on the far rank has won even if it is attacked.
    AnyTry,
}

impl Variant {
    /// All three variants.
    pub const ALL: [Variant; 3] = [Variant::Catch, Variant::Legal, Variant::AnyTry];

    /// The name: `catch`, `legal`, `any-try`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Variant::Catch => "catch",
            Variant::Legal => "legal",
            Variant::AnyTry => "any-try",
        }
    }

    /// The variant whose table holds the results for this one. Wins, draws and losses of `legal` are those of `catch`.
    #[inline]
    pub(crate) fn solved_as(self) -> Variant {
        if self == Variant::Legal { Variant::Catch } else { self }
    }
}

/// The rules of Dobutsu shogi on the board of 3 by 4. In every variant the third occurrence of a position (board, hands
/// and side to move) is a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dobutsu {
    /// What a lion may do.
    pub variant: Variant,
}

/// Why the rules forbid a move. Displayed, it names squares as USI does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalMove {
    /// The start square of the move is empty.
    EmptySquare {
        /// The start of the move.
        from: crate::board::Square,
    },
    /// The piece belongs to the other side.
    NotYours {
        /// The start of the move.
        from: crate::board::Square,
    },
    /// The piece does not move that way.
    Unreachable {
        /// The piece.
        piece: Piece,
        /// The start of the move.
        from: crate::board::Square,
        /// Its end.
        to: crate::board::Square,
    },
    /// The target holds a piece of the same side, or, for a drop, any piece.
    Occupied {
        /// The end of the move.
        to: crate::board::Square,
    },
    /// There is no such piece in hand.
    NotInHand {
        /// The piece.
        piece: Piece,
    },
    /// The lion could be captured after the move, which the variant `legal` forbids.
    LeavesLion,
    /// The position after the move would occur for the fourth time, which the article's game forbids.
    FourthOccurrence,
    /// The game has ended.
    GameOver,
}

impl IllegalMove {
    /// An identifier for programs, such as `empty_square` or `not_in_hand`.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            IllegalMove::EmptySquare { .. } => "empty_square",
            IllegalMove::NotYours { .. } => "not_yours",
            IllegalMove::Unreachable { .. } => "unreachable",
            IllegalMove::Occupied { .. } => "occupied",
            IllegalMove::NotInHand { .. } => "not_in_hand",
            IllegalMove::LeavesLion => "leaves_lion",
            IllegalMove::FourthOccurrence => "fourth_occurrence",
            IllegalMove::GameOver => "game_over",
        }
    }

    /// The reason in a sentence that names squares in this way.
    #[must_use]
    pub fn message(self, names: SquareNames) -> String {
        let name = |square| names.of(square);
        match self {
            IllegalMove::EmptySquare { from } => format!("no piece stands on {}", name(from)),
            IllegalMove::NotYours { from } => format!("the piece on {} is the other side's", name(from)),
            IllegalMove::Unreachable { piece, from, to } => {
                format!("the {} does not move from {} to {}", piece.name(), name(from), name(to))
            }
            IllegalMove::Occupied { to } => format!("{} is occupied", name(to)),
            IllegalMove::NotInHand { piece } => format!("there is no {} in hand", piece.name()),
            IllegalMove::LeavesLion => "the lion could be captured after this move".to_owned(),
            IllegalMove::FourthOccurrence => "the position would occur for the fourth time".to_owned(),
            IllegalMove::GameOver => "the game is over".to_owned(),
        }
    }
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(SquareNames::Usi))
    }
}

impl std::error::Error for IllegalMove {}

impl Dobutsu {
    /// The default rules.
    pub const CATCH: Dobutsu = Dobutsu { variant: Variant::Catch };
    /// The rules under which a side may not leave its lion to be captured.
    pub const LEGAL: Dobutsu = Dobutsu { variant: Variant::Legal };
    /// The rules under which every try wins.
    pub const ANY_TRY: Dobutsu = Dobutsu { variant: Variant::AnyTry };

    /// Who has won by a lion's move or capture, and by which of `catch` and `try`. If both lions have arrived, the side
    /// to move's arrived first: it was there before the last move.
    #[inline]
    #[must_use]
    pub(crate) fn lions_ended(self, position: &Position) -> Option<(Side, &'static str)> {
        let (mover, other) = (position.side(), position.side().other());
        if position.is_caught(mover) {
            return Some((other, "catch"));
        }
        let settled =
            |side| position.is_on_far_rank(side) && (self.variant != Variant::Catch || !position.is_in_check(side));
        [mover, other].into_iter().find(|&side| settled(side)).map(|side| (side, "try"))
    }

    /// Checks whether a move is allowed.
    ///
    /// # Errors
    /// Returns the first rule that forbids it.
    pub fn check(self, position: &Position, m: Move) -> Result<(), IllegalMove> {
        let side = position.side();
        if self.lions_ended(position).is_some() {
            return Err(IllegalMove::GameOver);
        }
        match m {
            Move::Step { from, to } => match position.cell(from) {
                None => return Err(IllegalMove::EmptySquare { from }),
                Some((owner, _)) if owner != side => return Err(IllegalMove::NotYours { from }),
                Some((_, piece)) => {
                    if piece.reach(side, from) & to.mask() == 0 {
                        return Err(IllegalMove::Unreachable { piece, from, to });
                    }
                    if position.occupied(side) & to.mask() != 0 {
                        return Err(IllegalMove::Occupied { to });
                    }
                }
            },
            Move::Drop { piece, to } => {
                if !Piece::DROPPED.contains(&piece) || position.hand(side).count(piece) == 0 {
                    return Err(IllegalMove::NotInHand { piece });
                }
                if position.empty() & to.mask() == 0 {
                    return Err(IllegalMove::Occupied { to });
                }
            }
        }
        if self.is_legal(position, m) { Ok(()) } else { Err(IllegalMove::LeavesLion) }
    }

    /// The squares to which the side to move may move under [`Variant::Legal`] so that its lion is safe: for the lion,
    /// for other pieces, and for drops. No piece moves further than one step, so no piece is pinned and no check can be
    /// blocked.
    fn safe_targets(position: &Position) -> (u16, u16, u16) {
        let side = position.side();
        let lion = !position.attacked_by(side.other());
        let Some(square) = squares(position.mask(side, Piece::Lion)).next() else { return (0, 0, 0) };
        let checkers = position.attackers(side.other(), square);
        match checkers.count_ones() {
            0 => (lion, BOARD, BOARD),
            1 => (lion, checkers, 0),
            _ => (lion, 0, 0),
        }
    }
}

impl Game for Dobutsu {
    type Position = Position;
    type Move = Move;
    type History = Occurrences;

    fn start(&self) -> Position {
        Position::START
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side()
    }

    /// Ended `by` a `catch`, a `try`, a `mate` (rules `legal`), `stuck` (no legal move), or `repetition`.
    fn outcome(&self, position: &Position, history: &Occurrences) -> Option<Outcome> {
        let won = |winner, by| Some(Outcome { winner: Some(winner), margin: None, by });
        if let Some((winner, by)) = self.lions_ended(position) {
            return won(winner, by);
        }
        if self.count_moves(position) == 0 {
            let by = if self.variant == Variant::Legal { "mate" } else { "stuck" };
            return won(position.side().other(), by);
        }
        (history.count(position) >= 2).then_some(Outcome { winner: None, margin: None, by: "repetition" })
    }

    #[inline]
    fn visit_moves<B>(&self, position: &Position, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.lions_ended(position).is_some() {
            return ControlFlow::Continue(());
        }
        if self.variant == Variant::Legal {
            let (lion, others, drops) = Dobutsu::safe_targets(position);
            let targets = |piece| if piece == Piece::Lion { lion } else { others };
            return moves::visit(position, Hen::Six, targets, drops, visit);
        }
        moves::visit(position, Hen::Six, |_| BOARD, BOARD, visit)
    }

    #[inline]
    fn play(&self, position: &mut Position, m: Move) {
        debug_assert!(self.is_legal(position, m), "{m:?} is not legal in {position:?}");
        position.play(m);
    }

    fn key(&self, position: &Position) -> u64 {
        position.key()
    }

    /// Each of the 1,567,925,964 arrangements, counted for one side to move (Tanaka 2009, figure by pieces in hand),
    /// occurs at most twice for each side to move before the third occurrence ends the game.
    fn max_plies(&self) -> usize {
        usize::try_from(4 * 1_567_925_964_u64 + 1).unwrap_or(usize::MAX)
    }

    fn pack(&self, m: Move) -> u32 {
        m.pack()
    }

    fn unpack(&self, bits: u32) -> Option<Move> {
        Move::unpack(bits)
    }

    #[inline]
    fn count_moves(&self, position: &Position) -> usize {
        if self.lions_ended(position).is_some() {
            return 0;
        }
        if self.variant != Variant::Legal {
            return moves::count(position, Hen::Six) as usize;
        }
        let (lion, others, drops) = Dobutsu::safe_targets(position);
        if drops == 0 {
            let mut count = 0;
            let targets = |piece| if piece == Piece::Lion { lion } else { others };
            let _ = moves::visit(position, Hen::Six, targets, drops, |_| {
                count += 1;
                ControlFlow::<()>::Continue(())
            });
            return count;
        }
        let side = position.side();
        let steps = squares(position.mask(side, Piece::Lion)).map(|square| Piece::Lion.reach(side, square));
        let unsafe_steps = steps.fold(0, |all, mask| all | mask) & !position.occupied(side) & !lion;
        (moves::count(position, Hen::Six) - unsafe_steps.count_ones()) as usize
    }

    fn is_legal(&self, position: &Position, m: Move) -> bool {
        if self.lions_ended(position).is_some() || !moves::is_possible(position, m) {
            return false;
        }
        if self.variant != Variant::Legal {
            return true;
        }
        let mut next = *position;
        next.play(m);
        !next.is_in_check(position.side())
    }
}

/// The keys of the earlier positions of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Occurrences(Vec<u64>);

impl Occurrences {
    /// How often the position occurred before.
    #[must_use]
    pub fn count(&self, position: &Position) -> usize {
        if self.0.is_empty() {
            return 0;
        }
        // No move is irreversible, because a captured piece can be dropped again. So the whole history counts.
        let key = position.key();
        self.0.iter().filter(|&&known| known == key).count()
    }

    /// The keys of the positions that occurred at least twice. A move to one of them draws.
    pub(crate) fn twice(&self) -> Vec<u64> {
        let mut keys = self.0.clone();
        keys.sort_unstable();
        let mut twice: Vec<u64> = keys.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        twice.dedup();
        twice
    }
}

impl Occurrences {
    /// Whether some position has occurred twice, the current one included.
    #[must_use]
    pub(crate) fn has_twice(&self, position: &Position) -> bool {
        let mut keys = self.0.clone();
        keys.push(position.key());
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair[0] == pair[1])
    }
}

impl History<Position> for Occurrences {
    fn push(&mut self, position: &Position) {
        self.0.push(position.key());
    }

    fn pop(&mut self) {
        self.0.pop();
    }
}

/// Twelve target squares for each origin. The origins are the twelve squares, then a chick, an elephant and a giraffe
/// in hand.
impl MoveIndex for Dobutsu {
    fn move_count(&self) -> usize {
        15 * 12
    }

    fn move_index(&self, m: Move) -> usize {
        let bits = m.pack() as usize;
        (bits >> 4) * 12 + (bits & 15)
    }

    fn indexed_move(&self, index: usize) -> Option<Move> {
        let (origin, to) = (index / 12, index % 12);
        Move::unpack(u32::try_from(origin << 4 | to).ok()?)
    }
}

impl Symmetries for Dobutsu {
    fn symmetry_count(&self) -> usize {
        2
    }

    fn transform(&self, position: &Position, symmetry: usize) -> Position {
        if symmetry == 0 { *position } else { position.mirrored() }
    }

    fn transform_move(&self, m: Move, symmetry: usize) -> Move {
        if symmetry == 0 { m } else { m.mirrored() }
    }
}

impl View for Dobutsu {
    fn board(&self, state: &GameState<Self>) -> Board {
        let position = state.position();
        picture(position, state.moves().last().copied(), Side::BOTH.map(|side| position.is_in_check(side)))
    }
}

/// The data to draw a position. Cells are named as in USI (`2c`). A hand lists one word for each piece: chicks,
/// elephants, giraffes, a caught lion. `check` says whether the first side's and the second side's lion are in check;
/// such a lion is tagged `check`. The squares of the last move are tagged `last`.
pub(crate) fn picture(position: &Position, last: Option<Move>, check: [bool; 2]) -> Board {
    let mut board = Board::empty(3, 4, |column, row| usi::square(3 * row + column));
    for square in squares(BOARD) {
        if let Some((owner, piece)) = position.cell(square) {
            board.put(square.index(), piece.name(), owner);
        }
    }
    for side in Side::BOTH {
        let held = Piece::ALL.iter().take(4);
        let words = held
            .flat_map(|&piece| std::iter::repeat_n(piece.name().to_owned(), position.hand(side).count(piece) as usize));
        board.hands.push(words.collect());
        if check[side.index()] {
            for square in squares(position.mask(side, Piece::Lion)) {
                board.tag(square.index(), "check");
            }
        }
    }
    if let Some(last) = last {
        if let Move::Step { from, .. } = last {
            board.tag(from.index(), "last");
        }
        board.tag(last.to().index(), "last");
    }
    board
}
