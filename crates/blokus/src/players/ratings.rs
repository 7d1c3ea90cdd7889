//! The strengths of moves: by the paper's features, as a table of placements (section 2.3), or by those of the engine's
//! priors.
//!
//! In the paper a move is a team of its piece and of the squares that it covers: 21 + 196 features, each with a strength of
//! its own in every one of three phases of the game. The strength of a move is the product of theirs.

use std::sync::{Arc, OnceLock};

use banmen_catalog::{
    Data, Error, ErrorCode, FeatureGroup, FeatureSet, FeatureSetInfo, GammaTable, Key, Kind, MoveFeatures, Options,
    PlayerText, WordOrFile,
};
use banmen_game::{GameState, Side};

use super::SOURCE;
use crate::cells::Cell;
use crate::engine::{PRIORS, Weights};
use crate::game::Blokus;
use crate::moves::Move;
use crate::piece::{ORIENTATIONS, PIECES, Piece};
use crate::position::Position;

/// Names of the phases.
const PHASES: [&str; 3] = ["opening", "middle", "end"];

/// The strengths that come with the program, with the words that name them. `banmen learn ratings blokus --features FEATURES
/// --player uct:c=0.5 --games GAMES --seed 1 --out FILE` wrote them: `own` is `paper`, `absolute` is
/// `paper:squares=absolute`, and those without a number are of 40 games, as in the paper. Today's fit finds the same counts, and
/// strengths that differ from the tenth digit on.
const EMBEDDED: [(&str, &str); 7] = [
    ("own", include_str!("ratings-own.toml")),
    ("own-400", include_str!("ratings-own-400.toml")),
    ("absolute", include_str!("ratings-absolute.toml")),
    ("absolute-400", include_str!("ratings-absolute-400.toml")),
    ("priors", include_str!("ratings-priors.toml")),
    ("priors-400", include_str!("ratings-priors-400.toml")),
    ("priors-4000", include_str!("ratings-priors-4000.toml")),
];

/// The names of [`EMBEDDED`].
pub(super) const NAMES: &[&str] = &{
    let mut names = [""; EMBEDDED.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = EMBEDDED[at].0;
        at += 1;
    }
    names
};

const SQUARES: &[(&str, Squares)] = &[("own", Squares::Own), ("absolute", Squares::Absolute)];

/// Which square of the board is which feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Squares {
    /// The board as the side to move sees it: rotated by 180° for the second side, so that each begins on e10.
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

    fn team(&self, state: &GameState<Blokus>, m: Move, team: &mut Vec<usize>) {
        team.extend(Squares::team(*self, state.position().side(), m));
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
        // The default of c may change, and the strengths that come with the program are to stay reproducible.
        player: "uct:c=0.5",
    },
    make: |_, options| Ok(Box::new(options.chosen("squares", SQUARES))),
};

/// A row for each orientation: a strength for each corner of the bounding box, by the bit of its cell.
type Rows = [[f32; 256]; ORIENTATIONS];

/// The strength of every placement, for each side and phase.
#[derive(Debug)]
pub(crate) struct Strengths {
    rows: Box<[[Rows; PHASES.len()]]>,
}

impl Strengths {
    /// From the strengths of the features of each phase.
    fn new(squares: Squares, gammas: &[Vec<f64>]) -> Strengths {
        let mut rows = vec![[[[0.0; 256]; ORIENTATIONS]; PHASES.len()]; 2].into_boxed_slice();
        for m in Move::placements() {
            let Some((orientation, corner)) = m.parts() else { continue };
            for side in Side::BOTH {
                for (rows, gammas) in rows[side.index()].iter_mut().zip(gammas) {
                    let strength: f64 = squares.team(side, m).map(|feature| gammas[feature]).product();
                    // Sums of a thousand stay finite and above 0.
                    rows[orientation.index()][usize::from(corner.bit())] = strength.clamp(1e-30, 1e30) as f32;
                }
            }
        }
        Strengths { rows }
    }

    /// The strengths in a file that [`FEATURES`] were fitted to.
    ///
    /// # Errors
    /// `bad_ratings` for a file of other features.
    fn read(text: &str) -> Result<Strengths, Error> {
        let table = GammaTable::read(text)?;
        let features = PlayerText::parse(&table.features)?;
        if (table.game.as_str(), features.name) != ("blokus", FEATURES.info.name) {
            let message =
                format!("the ratings are of {}, {}, not of blokus, paper or priors", table.game, table.features);
            return Err(Error::new(ErrorCode::BadRatings, message));
        }
        let squares = Options::new(FEATURES.info.keys, &features.pairs)?.chosen("squares", SQUARES);
        Ok(Strengths::new(squares, &table.gammas(&squares.phases(), &squares.groups())?))
    }

    /// The strengths of all placements.
    #[inline]
    pub(crate) fn rows(&self, side: Side, phase: usize) -> &Rows {
        &self.rows[side.index()][phase]
    }

    /// The strength of a placement; 0 of the pass.
    #[inline]
    pub(crate) fn of(&self, side: Side, phase: usize, m: Move) -> f32 {
        let strength = |(orientation, corner): (crate::Orientation, Cell)| {
            self.rows(side, phase)[orientation.index()][usize::from(corner.bit())]
        };
        m.parts().map_or(0.0, strength)
    }
}

/// The strengths that a player chooses moves by.
#[derive(Debug)]
pub(crate) enum Ratings {
    /// Of the pieces and squares.
    Squares(Strengths),
    /// Of the features of the engine's priors, which depend on the position.
    Features(Weights),
}

impl Ratings {
    /// Those in a file.
    ///
    /// # Errors
    /// `bad_ratings` for a file of features that are neither [`FEATURES`] nor [`PRIORS`].
    fn read(text: &str) -> Result<Ratings, Error> {
        if GammaTable::read(text)?.features == PRIORS.info.name {
            Weights::read(text).map(Ratings::Features)
        } else {
            Strengths::read(text).map(Ratings::Squares)
        }
    }

    /// Those of this name that come with the program, read once; of an unknown name the first ones.
    ///
    /// # Errors
    /// None that a test would not find: the files are part of the program.
    pub(super) fn embedded(name: &str) -> Result<Arc<Ratings>, Error> {
        static READ: [OnceLock<Arc<Ratings>>; EMBEDDED.len()] = [const { OnceLock::new() }; EMBEDDED.len()];
        let at = NAMES.iter().position(|known| *known == name).unwrap_or(0);
        if let Some(read) = READ[at].get() {
            return Ok(Arc::clone(read));
        }
        let read = Arc::new(Ratings::read(EMBEDDED[at].1)?);
        Ok(Arc::clone(READ[at].get_or_init(|| read)))
    }

    /// Those that a player's key `ratings` names.
    ///
    /// # Errors
    /// For a file those of [`Data::parse_file`] and [`Ratings::read`].
    pub(crate) fn chosen(options: &Options, data: &Data) -> Result<Arc<Ratings>, Error> {
        match options.word_or_file("ratings") {
            WordOrFile::Word(name) => Ratings::embedded(name),
            WordOrFile::File(path) => data.parse_file(path, Ratings::read).map(Arc::new),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use banmen_game::{Game, Rng};

    use super::*;

    fn gammas() -> Vec<Vec<f64>> {
        let mut rng = Rng::new(4);
        (0..3).map(|_| (0..217).map(|_| 0.25 + 3.0 * rng.unit()).collect()).collect()
    }

    /// Strengths that are all different, as in no file.
    pub(crate) fn made_up(squares: Squares) -> Strengths {
        Strengths::new(squares, &gammas())
    }

    #[test]
    fn placement_has_the_product_of_its_piece_and_squares() {
        let gammas = gammas();
        let (own, absolute) = (made_up(Squares::Own), made_up(Squares::Absolute));
        for m in Move::placements().step_by(7) {
            for (phase, gammas) in gammas.iter().enumerate() {
                let piece = gammas[m.piece().expect("a piece").index()];
                let product = |m: Move| {
                    let squares =
                        m.cells().iter().map(|cell| gammas[21 + 14 * usize::from(cell.y()) + usize::from(cell.x())]);
                    (piece * squares.product::<f64>()) as f32
                };
                let close = |a: f32, b: f32| (a - b).abs() <= 1e-5 * a;
                assert!(close(own.of(Side::First, phase, m), product(m)), "{m}");
                assert!(close(own.of(Side::Second, phase, m), product(m.rotated())), "{m}");
                assert!(close(absolute.of(Side::First, phase, m), product(m)), "{m}");
                assert!(close(absolute.of(Side::Second, phase, m), product(m)), "{m}");
            }
        }
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

    #[test]
    fn embedded_files_are_those_of_their_names() {
        for (name, text) in EMBEDDED {
            let (features, games) = name.split_once('-').unwrap_or((name, "40"));
            let table = GammaTable::read(text).expect("a file");
            let features = match features {
                "own" => "paper",
                "absolute" => "paper:squares=absolute",
                other => other,
            };
            assert_eq!((table.features.as_str(), table.games.to_string().as_str()), (features, games));
            assert_eq!((table.seed, table.player.as_str()), (1, FEATURES.info.player));
            match &*Ratings::embedded(name).expect("the names of the features") {
                Ratings::Squares(strengths) => {
                    let groups = table.phases.iter().flat_map(|phase| &phase.groups);
                    assert_eq!(groups.map(|group| group.features.len()).sum::<usize>(), 651);
                    let start = Blokus::STANDARD.moves(&Blokus::STANDARD.start());
                    assert!(start.iter().all(|&m| strengths.of(Side::First, 0, m) > 0.0));
                }
                Ratings::Features(_) => assert_eq!(features, "priors"),
            }
        }
        let own = EMBEDDED[0].1;
        let error = Ratings::read(&own.replace("\"blokus\"", "\"othello\"")).expect_err("another game");
        assert_eq!(error.message, "the ratings are of othello, paper, not of blokus, paper or priors");
        let error = Ratings::read(&own.replace("\"paper\"", "\"corners\"")).expect_err("other features");
        assert_eq!(error.code, ErrorCode::BadRatings);
        let error = Ratings::read(&own.replace("name = \"X\"", "name = \"Q\"")).expect_err("no such piece");
        assert!(error.message.contains("`Q`, not `X`"), "{error}");
    }
}
