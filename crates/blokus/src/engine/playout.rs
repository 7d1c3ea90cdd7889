//! Playouts that know the game: good replies, answers to the opponent's last placement, large pieces.

use banmen_game::{PlayoutEnd, Rng, Side};

use super::features::{Features, phase};
use super::replies::Replies;
use super::weights::Weights;
use crate::cells::{CellCount, Cells};
use crate::game::Blokus;
use crate::moves::{Move, Reach, shifted};
use crate::piece::{ORIENTATIONS, Orientation, PIECES, PieceSet};
use crate::position::Position;

/// How playouts choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Policy {
    /// The weight of a placement that covers a free cell diagonal to a cell of the opponent's last piece, against one of the same
    /// size that does not; at least 1.
    pub(super) block: u32,
    /// The weight of a square more of a piece; at least 1.
    pub(super) square: u32,
    /// How many placements are drawn; the one with the highest strength by the priors' features is played.
    pub(super) draws: u32,
    /// Whether last good replies are played where they are legal.
    pub(super) replies: bool,
}

/// All placements of a side, and those of them that cover a marked cell.
#[derive(Clone, Debug)]
pub(super) struct MarkedMoves {
    /// Those of the pieces of `pieces` are up to date, as are all below.
    corners: [Cells; ORIENTATIONS],
    /// Up to date only for pieces with a marked placement.
    marked: [Cells; ORIENTATIONS],
    counts: [(u32, u32); PIECES],
    pieces: PieceSet,
    /// The weight of all placements.
    total: u64,
}

impl Default for MarkedMoves {
    fn default() -> Self {
        MarkedMoves {
            corners: [Cells::EMPTY; ORIENTATIONS],
            marked: [Cells::EMPTY; ORIENTATIONS],
            counts: [(0, 0); PIECES],
            pieces: PieceSet::EMPTY,
            total: 0,
        }
    }
}

impl MarkedMoves {
    /// Finds the placements of a side and those that cover one of `marks`. `weights`: of a placement of each size, and how
    /// many times that a marked one has more.
    #[inline]
    fn fill(&mut self, reach: &Reach, marks: Cells, weights: &SizeWeights) {
        self.total = 0;
        self.pieces = if reach.attach.is_empty() { PieceSet::EMPTY } else { reach.pieces };
        let places = reach.shifted();
        let marks = marks & reach.free;
        if marks.is_empty() {
            for piece in self.pieces.iter() {
                let mut count = CellCount::default();
                for orientation in piece.orientation_range() {
                    let corners = places.corners(orientation);
                    self.corners[orientation] = corners;
                    count.add(corners);
                }
                let count = count.total();
                self.counts[piece.index()] = (count as u32, 0);
                self.total += weights.of[piece.size() as usize - 1] * count;
            }
            return;
        }
        let marks = shifted(marks);
        for piece in self.pieces.iter() {
            let (mut all, mut all_marked) = (CellCount::default(), CellCount::default());
            for orientation in piece.orientation_range() {
                let corners = places.corners(orientation);
                let [a, b, c, d, e] = Orientation::steps(orientation);
                let marked = corners & (marks[a] | marks[b] | marks[c] | marks[d] | marks[e]);
                self.corners[orientation] = corners;
                self.marked[orientation] = marked;
                all.add(corners);
                all_marked.add(marked);
            }
            let (all, marked) = (all.total(), all_marked.total());
            self.counts[piece.index()] = (all as u32, marked as u32);
            self.total += weights.of[piece.size() as usize - 1] * (all + marked * weights.block);
        }
    }

    /// Draws a placement by weight; there is one.
    #[inline]
    fn draw(&self, weights: &SizeWeights, rng: &mut Rng) -> Move {
        let mut rest = rng.below(self.total);
        for piece in self.pieces.iter() {
            let (all, marked) = self.counts[piece.index()];
            let weight = weights.of[piece.size() as usize - 1];
            let (all, marked) = (weight * u64::from(all), weight * u64::from(marked) * weights.block);
            if rest < all {
                return nth(&self.corners, piece.orientation_range(), rest / weight);
            }
            rest -= all;
            if rest < marked {
                return nth(&self.marked, piece.orientation_range(), rest / (weight * weights.block));
            }
            rest -= marked;
        }
        Move::PASS
    }
}

/// The placement of this rank in the sets of these orientations.
#[inline]
fn nth(sets: &[Cells; ORIENTATIONS], orientations: std::ops::Range<usize>, rank: u64) -> Move {
    let mut rank = rank as u32;
    for orientation in orientations {
        let count = sets[orientation].count();
        if rank < count {
            return Move::placement(orientation, sets[orientation].nth(rank));
        }
        rank -= count;
    }
    Move::PASS
}

/// The weights of a [`Policy`] as numbers to draw by.
#[derive(Clone, Copy, Debug)]
struct SizeWeights {
    /// Of a placement with one to five squares.
    of: [u64; 5],
    /// Added for a marked one, as a multiple of it.
    block: u64,
}

impl Policy {
    fn weights(&self) -> SizeWeights {
        let square = u64::from(self.square);
        SizeWeights { of: [0, 1, 2, 3, 4].map(|more| square.pow(more)), block: u64::from(self.block.max(1)) - 1 }
    }
}

/// The replies, and the playout that they learn from next.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) replies: Replies,
    /// The last two moves before the playout, the earlier one first; a pass where there was none.
    pub(super) before: (Move, Move),
    /// The side of the first move; from then on the sides alternate.
    first: Side,
    moves: Vec<Move>,
}

impl Default for Memory {
    fn default() -> Self {
        let before = (Move::PASS, Move::PASS);
        Memory { replies: Replies::default(), before, first: Side::First, moves: Vec::new() }
    }
}

impl Memory {
    /// Learns from the last playout, which `winner` has won.
    pub(super) fn learn(&mut self, winner: Side) {
        let (mut key, mut side) = (self.before, self.first);
        for &m in &self.moves {
            if m != Move::PASS && key.1 != Move::PASS {
                self.replies.learn(side, key, m, side == winner);
            }
            (key, side) = ((key.1, m), side.other());
        }
    }
}

/// Whether a placement is legal for a side with this reach.
#[inline]
fn fits(reach: &Reach, m: Move) -> bool {
    let Some((orientation, corner)) = m.parts() else { return false };
    let cells = orientation.at(corner);
    reach.pieces.contains(orientation.piece()) && (cells & !reach.free).is_empty() && cells.intersects(reach.attach)
}

/// The inputs of a playout.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayoutContext<'a> {
    pub(super) game: &'a Blokus,
    pub(super) policy: &'a Policy,
    pub(super) weights: &'a Weights,
}

/// Plays from `position` to the end, and leaves it there.
#[inline]
pub(super) fn run(
    context: PlayoutContext<'_>,
    position: &mut Position,
    memory: &mut Memory,
    moves: &mut MarkedMoves,
    rng: &mut Rng,
    mut played: impl FnMut(Side, Move),
) -> PlayoutEnd {
    let PlayoutContext { game, policy, .. } = context;
    let weights = policy.weights();
    let mut plies = 0;
    let mut key = memory.before;
    memory.first = position.side();
    memory.moves.clear();
    // A side without a move never has one again: new corners of its colour come from its own moves only.
    let mut stuck = [false; 2];
    loop {
        if game.ended_early(position) {
            return PlayoutEnd { outcome: Some(Blokus::by_points(position)), plies };
        }
        let side = position.side();
        let mut m = Move::PASS;
        if !stuck[side.index()] {
            let reach = game.reach(position, side);
            if policy.replies && key.1 != Move::PASS {
                let known = memory.replies.to(side, key);
                m = known.into_iter().find(|&m| fits(&reach, m)).unwrap_or(Move::PASS);
            }
            if m == Move::PASS {
                moves.fill(&reach, marks(position, key.1), &weights);
                if moves.total > 0 {
                    m = choose(context, position, &reach, key.1, moves, &weights, rng);
                }
            }
        }
        if m == Move::PASS {
            let other = side.other();
            stuck[side.index()] = true;
            stuck[other.index()] = stuck[other.index()] || !game.reach(position, other).any();
            if stuck == [true; 2] {
                return PlayoutEnd { outcome: Some(Blokus::by_points(position)), plies };
            }
        }
        played(side, m);
        memory.moves.push(m);
        position.play(m);
        key = (key.1, m);
        plies += 1;
    }
}

/// The free cells diagonal to a cell of the opponent's last piece.
#[inline]
fn marks(position: &Position, last: Move) -> Cells {
    last.cells().corners() & !position.occupied()
}

/// Draws placements, and takes the strongest; of equals the first.
#[inline]
fn choose(
    context: PlayoutContext<'_>,
    position: &Position,
    reach: &Reach,
    last: Move,
    moves: &MarkedMoves,
    weights: &SizeWeights,
    rng: &mut Rng,
) -> Move {
    let first = moves.draw(weights, rng);
    if context.policy.draws == 1 {
        return first;
    }
    let features = Features::new(context.game, position, reach, last);
    let strengths = context.weights.of_phase(phase(position));
    let judge = |m: Move| {
        m.parts().map_or(0.0, |(orientation, corner)| strengths.strength(&features, orientation.index(), corner))
    };
    let (mut best, mut most) = (first, judge(first));
    for _ in 1..context.policy.draws {
        let m = moves.draw(weights, rng);
        let strength = judge(m);
        if strength > most {
            (best, most) = (m, strength);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use banmen_game::Game;

    use super::*;
    use crate::cells::Cell;
    use crate::engine::features::tests::positions;

    const POLICY: Policy = Policy { block: 5, square: 2, draws: 1, replies: true };

    /// The marks, found cell by cell.
    fn diagonal_cells(position: &Position, last: Move) -> Cells {
        let beside = |a: u8, b: u8| a.abs_diff(b) == 1;
        let diagonal = |a: Cell, b: Cell| beside(a.x(), b.x()) && beside(a.y(), b.y());
        let marked = |&cell: &Cell| last.cells().iter().any(|of| diagonal(cell, of));
        let free = Cell::all().filter(|&cell| !position.occupied().contains(cell));
        free.filter(marked).collect()
    }

    #[test]
    fn placements_have_their_weights() {
        let game = Blokus::STANDARD;
        let (weights, mut moves, mut rng) = (POLICY.weights(), MarkedMoves::default(), Rng::new(3));
        let (mut drawn, mut expected, mut marked_moves) = (0.0, 0.0, 0);
        for (position, last) in positions(3) {
            let reach = game.reach(&position, position.side());
            let marks = marks(&position, last);
            assert_eq!(marks, diagonal_cells(&position, last));
            moves.fill(&reach, marks, &weights);
            let legal: Vec<Move> = game.moves(&position).into_iter().filter(|&m| m != Move::PASS).collect();
            let marked = |m: &Move| m.cells().intersects(marks);
            let weight = |m: &Move| (if marked(m) { 5 } else { 1 }) << (m.cells().count() - 1);
            assert_eq!(moves.total, legal.iter().map(weight).sum::<u64>(), "{position:?}");
            if moves.total == 0 {
                continue;
            }
            // The part of the marked ones, and each drawn is legal.
            let part = legal.iter().filter(|m| marked(m)).map(weight).sum::<u64>() as f64 / moves.total as f64;
            marked_moves += legal.iter().filter(|m| marked(m)).count();
            for _ in 0..50 {
                let m = moves.draw(&weights, &mut rng);
                assert!(legal.contains(&m), "{m} in {position:?}");
                drawn += f64::from(u8::from(marked(&m)));
            }
            expected += 50.0 * part;
        }
        assert!(marked_moves > 1_000, "{marked_moves}");
        assert!((drawn - expected).abs() < 4.0 * expected.sqrt(), "{drawn} of {expected}");
    }

    #[test]
    fn playouts_end_like_the_game_and_replies_are_legal() {
        let (game, weights) = (Blokus::STANDARD, Weights::by_hand());
        let (mut moves, mut memory, mut rng) = (MarkedMoves::default(), Memory::default(), Rng::new(8));
        for draws in [1, 3] {
            for _ in 0..200 {
                let mut position = game.start();
                let mut checked = position;
                let policy = Policy { draws, ..POLICY };
                memory.before = (Move::PASS, Move::PASS);
                let end = run(
                    PlayoutContext { game: &game, policy: &policy, weights: &weights },
                    &mut position,
                    &mut memory,
                    &mut moves,
                    &mut rng,
                    |side, m| {
                        assert_eq!((side, game.check(&checked, m)), (checked.side(), Ok(())), "{m} in {checked:?}");
                        checked.play(m);
                    },
                );
                assert_eq!((checked, end.outcome), (position, game.outcome(&position, &())));
                assert_eq!(end.plies as usize, memory.moves.len());
                if let Some(winner) = end.outcome.and_then(|outcome| outcome.winner) {
                    memory.learn(winner);
                }
            }
        }
        // The reply that won last is played again.
        let (first, reply) = (memory.moves[0], memory.moves[1]);
        memory.replies.learn(Side::Second, (Move::PASS, first), reply, true);
        let mut position = game.start();
        position.play(first);
        memory.before = (Move::PASS, first);
        run(
            PlayoutContext { game: &game, policy: &POLICY, weights: &weights },
            &mut position,
            &mut memory,
            &mut moves,
            &mut rng,
            |_, _| (),
        );
        assert_eq!(memory.moves[0], reply);
    }

    #[test]
    fn more_draws_play_stronger_moves() {
        let (game, weights) = (Blokus::STANDARD, Weights::by_hand());
        let mut total = [0; 2];
        for (draws, total) in [1, 4].into_iter().zip(&mut total) {
            let (mut moves, mut memory, mut rng) = (MarkedMoves::default(), Memory::default(), Rng::new(8));
            let policy = Policy { draws, replies: false, square: 1, ..POLICY };
            let context = PlayoutContext { game: &game, policy: &policy, weights: &weights };
            for _ in 0..200 {
                let mut position = game.start();
                run(context, &mut position, &mut memory, &mut moves, &mut rng, |_, _| ());
                *total += position.occupied().count();
            }
        }
        assert!(total[1] > total[0] + 200 * 5, "squares covered in 200 games: {total:?}");
    }
}
