//! The paper's features of moves: section 2.3.
//!
//! A move is a team of its piece and of the squares that it covers: 21 + 196 features, each with a strength of its own in
//! every one of three phases of the game. The strength of a move is the product of theirs.

use banmen_catalog::{FeatureGroup, FeatureSet, FeatureSetInfo, Key, Kind, MoveFeatures};
use banmen_game::{GameState, Side};

use super::SOURCE;
use crate::cells::Cell;
use crate::game::Blokus;
use crate::moves::Move;
use crate::piece::{PIECES, Piece};
use crate::position::Position;

/// Names of the phases.
const PHASES: [&str; 3] = ["opening", "middle", "end"];

const SQUARES: &[(&str, Squares)] = &[("own", Squares::Own), ("absolute", Squares::Absolute)];

/// Which square of the board is which feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Squares {
    /// The board as the side to move sees it: turned by half for the second side, so that each begins on e10.
    Own,
    /// The squares of the board, the same for both sides.
    Absolute,
}

/// How many plies have been played in a game that has led to this position. At most one side has passed in a game that goes
/// on, so the other has placed a piece in each of its turns.
fn plies(position: &Position) -> u32 {
    let [first, second] = Side::BOTH.map(|side| position.placed(side).count());
    match position.side() {
        Side::First => 2 * first.max(second),
        Side::Second => (2 * first).saturating_sub(1).max(2 * second + 1),
    }
}

/// The phase of the next move: plies 1 to 8, 9 to 16, and from 17 on. The paper counts move 16 to both the middle and the
/// end.
pub(crate) fn phase(position: &Position) -> usize {
    (plies(position) as usize / 8).min(PHASES.len() - 1)
}

impl Squares {
    /// The number of the square's feature, among the squares.
    fn feature(self, side: Side, cell: Cell) -> usize {
        match (self, side) {
            (Squares::Own, Side::Second) => cell.rotated().index(),
            _ => cell.index(),
        }
    }

    /// The features of a placement.
    fn team(self, side: Side, m: Move) -> impl Iterator<Item = usize> {
        let squares = m.cells().iter().map(move |cell| PIECES + self.feature(side, cell));
        m.piece().map(Piece::index).into_iter().chain(squares)
    }
}

impl MoveFeatures<Blokus> for Squares {
    fn phases(&self) -> Vec<String> {
        PHASES.map(str::to_owned).to_vec()
    }

    fn groups(&self) -> Vec<FeatureGroup> {
        let pieces = Piece::all().map(|piece| piece.name().to_owned()).collect();
        let squares = Cell::all().map(|cell| cell.to_string()).collect();
        vec![
            FeatureGroup { name: "piece".to_owned(), features: pieces, exclusive: true, columns: None },
            FeatureGroup { name: "square".to_owned(), features: squares, exclusive: false, columns: Some(14) },
        ]
    }

    fn phase(&self, state: &GameState<Blokus>) -> usize {
        phase(state.position())
    }

    fn team(&self, _: &Blokus, position: &Position, m: Move, team: &mut Vec<usize>) {
        team.extend(Squares::team(*self, position.side(), m));
    }
}

/// The paper's features, for `banmen learn ratings`.
pub(crate) const FEATURES: FeatureSet<Blokus> = FeatureSet {
    info: FeatureSetInfo {
        name: "paper",
        summary: "the piece and the squares that it covers, in three phases: plies 1 to 8, 9 to 16, from 17 on",
        source: SOURCE,
        keys: &[Key {
            name: "squares",
            kind: Kind::Choice(&["own", "absolute"]),
            default: "own",
            summary: "the board turned by half for the second side, or the same squares for both",
            source: "2.3: not stated",
        }],
        player: "uct",
    },
    make: |_, options| Ok(Box::new(options.chosen("squares", SQUARES))),
};

#[cfg(test)]
mod tests {
    use banmen_game::{Game, Rng};

    use super::*;

    #[test]
    fn move_is_a_team_of_its_piece_and_squares() {
        let game = Blokus::STANDARD;
        let (mut position, mut team) = (game.start(), Vec::new());
        for side in Side::BOTH {
            for m in game.moves(&position) {
                let wanted = |m: Move| {
                    let piece = m.piece().expect("a piece").index();
                    let square = |cell: Cell| 21 + 14 * usize::from(cell.y()) + usize::from(cell.x());
                    let mut squares: Vec<usize> = m.cells().iter().map(square).collect();
                    squares.push(piece);
                    squares.sort_unstable();
                    squares
                };
                for (squares, turned) in [(Squares::Own, side == Side::Second), (Squares::Absolute, false)] {
                    team.clear();
                    MoveFeatures::team(&squares, &game, &position, m, &mut team);
                    team.sort_unstable();
                    assert_eq!(team, wanted(if turned { m.rotated() } else { m }), "{m}");
                }
            }
            let first = game.moves(&position)[0];
            game.play(&mut position, first);
        }
        let groups = Squares::Own.groups();
        assert_eq!(groups.iter().map(|group| group.features.len()).sum::<usize>(), 217);
        let start = Cell::at(4, 4).expect("on the board").index();
        assert_eq!((groups[0].features[20].as_str(), groups[1].features[start].as_str()), ("X", "e10"));
    }

    #[test]
    fn phases_count_the_plies_of_both_sides() {
        let game = Blokus::STANDARD;
        for seed in 0..200 {
            let (mut state, mut rng) = (GameState::new(game), Rng::new(seed));
            while state.outcome().is_none() {
                let ply = state.moves().len();
                assert_eq!(plies(state.position()) as usize, ply, "seed {seed}");
                assert_eq!(Squares::Own.phase(&state), [0, 1, 2, 2, 2, 2][ply / 8]);
                let legal = game.moves(state.position());
                state.play(legal[rng.index(legal.len())]);
            }
        }
    }
}
