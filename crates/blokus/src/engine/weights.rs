//! The strengths of the features, as tables.

use std::sync::{Arc, OnceLock};

use banmen_catalog::{
    Data, Error, ErrorCode, FeatureGroup, FeatureSet, FeatureSetInfo, GammaTable, MoveFeatures, Options, WordOrFile,
};
use banmen_game::GameState;

use super::features::{COUNTED, FEATURES, Features, GROUPS, MOST, PHASES, PLACED, phase, placed};
use crate::cells::Cell;
use crate::game::Blokus;
use crate::moves::Move;
use crate::piece::{ORIENTATIONS, PIECES, Piece};
use crate::position::Position;

/// The strengths that the engine uses.
const LEARNED: &str = include_str!("priors.toml");

/// The strengths of one phase.
#[derive(Clone, Debug)]
pub(super) struct PhaseWeights {
    /// The product of the strengths of piece and place, by orientation and bit of the corner.
    base: Box<[[f32; 256]; ORIENTATIONS]>,
    /// The strengths of the counted groups.
    counted: [[f32; MOST]; COUNTED],
}

/// The strengths of all phases.
#[derive(Clone, Debug)]
pub(crate) struct Weights(Vec<PhaseWeights>);

/// Strengths and their products are clamped to this range, so that sums of a thousand stay finite and above 0, and no product has the
/// factors 0 and infinity.
const RANGE: (f32, f32) = (1e-30, 1e30);

/// A strength of a file, or a product of such, in the range.
fn in_range(strength: f64) -> f32 {
    strength.clamp(RANGE.0.into(), RANGE.1.into()) as f32
}

impl PhaseWeights {
    /// From a strength for each feature, in the order of [`groups`].
    fn new(gammas: &[f64]) -> PhaseWeights {
        let mut base = Box::new([[1.0; 256]; ORIENTATIONS]);
        let (centre, border) = (PIECES, PIECES + PLACED[0].1);
        for m in Move::placements() {
            let Some((orientation, corner)) = m.parts() else { continue };
            let [ring, beside] = placed(orientation, corner);
            let strength = gammas[orientation.piece().index()] * gammas[centre + ring] * gammas[border + beside];
            base[orientation.index()][usize::from(corner.bit())] = in_range(strength);
        }
        let mut counted = [[1.0; MOST]; COUNTED];
        let mut next = border + PLACED[1].1;
        for (row, (_, count, _)) in counted.iter_mut().zip(GROUPS) {
            for strength in &mut row[..count] {
                *strength = in_range(gammas[next]);
                next += 1;
            }
        }
        PhaseWeights { base, counted }
    }

    /// The strength of a placement.
    #[inline]
    pub(super) fn strength(&self, features: &Features, orientation: usize, corner: Cell) -> f32 {
        let mut strength = self.base[orientation][usize::from(corner.bit())];
        for (row, feature) in self.counted.iter().zip(features.of(orientation, corner)) {
            strength *= row[feature % MOST];
        }
        strength.clamp(RANGE.0, RANGE.1)
    }
}

impl Weights {
    fn new(gammas: &[Vec<f64>]) -> Weights {
        Weights(gammas.iter().map(|gammas| PhaseWeights::new(gammas)).collect())
    }

    /// Those set by hand.
    pub(super) fn by_hand() -> Arc<Weights> {
        static MADE: OnceLock<Arc<Weights>> = OnceLock::new();
        Arc::clone(MADE.get_or_init(|| {
            let phases = 0..PHASES.len();
            Arc::new(Weights::new(&phases.map(|phase| by_hand(phase).to_vec()).collect::<Vec<_>>()))
        }))
    }

    /// The strengths in a file that [`PRIORS`] were fitted to.
    ///
    /// # Errors
    /// `bad_ratings` for a file of other features.
    pub(crate) fn read(text: &str) -> Result<Weights, Error> {
        let table = GammaTable::read(text)?;
        if (table.game.as_str(), table.features.as_str()) != ("blokus", PRIORS.info.name) {
            let message = format!("the ratings are of {}, {}, not of blokus, priors", table.game, table.features);
            return Err(Error::new(ErrorCode::BadRatings, message));
        }
        let phases = PHASES.map(str::to_owned);
        Ok(Weights::new(&table.gammas(&phases, &groups())?))
    }

    /// Those learned from games, which come with the program; read once.
    ///
    /// # Errors
    /// None that a test would not find: the file is part of the program.
    pub(super) fn learned() -> Result<Arc<Weights>, Error> {
        static READ: OnceLock<Arc<Weights>> = OnceLock::new();
        if let Some(read) = READ.get() {
            return Ok(Arc::clone(read));
        }
        let read = Arc::new(Weights::read(LEARNED)?);
        Ok(Arc::clone(READ.get_or_init(|| read)))
    }

    /// Those that the engine's key `priors` names.
    ///
    /// # Errors
    /// For a file those of [`Data::parse_file`] and [`Weights::read`].
    pub(super) fn chosen(options: &Options, data: &Data) -> Result<Arc<Weights>, Error> {
        match options.word_or_file("priors") {
            WordOrFile::Word("hand") => Ok(Weights::by_hand()),
            WordOrFile::Word(_) => Weights::learned(),
            WordOrFile::File(path) => data.parse_file(path, Weights::read).map(Arc::new),
        }
    }

    /// The strength of each placement of the side to move, and 0 of a pass. `last`: what the opponent placed last, or a pass.
    #[inline]
    pub(crate) fn strengths(&self, game: &Blokus, position: &Position, last: Move) -> impl Fn(Move) -> f32 {
        let features = Features::new(game, position, &game.reach(position, position.side()), last);
        let weights = self.of_phase(phase(position));
        move |m| m.parts().map_or(0.0, |(orientation, corner)| weights.strength(&features, orientation.index(), corner))
    }

    /// Those of one phase.
    #[inline]
    pub(super) fn of_phase(&self, phase: usize) -> &PhaseWeights {
        &self.0[phase]
    }
}

/// Strengths set by hand, before any were learned.
fn by_hand(phase: usize) -> [f64; FEATURES] {
    let mut gammas = [1.0; FEATURES];
    let mut next = 0;
    let mut put = |strength: f64| {
        gammas[next] = strength;
        next += 1;
    };
    let power = |base: f64, exponent: usize| (0..exponent).fold(1.0, |product, _| product * base);
    // A square more makes a piece stronger, the more so in the opening; the last pieces are placed where they fit.
    let square = [6.0, 5.0, 4.0, 3.0, 2.5][phase];
    Piece::all().for_each(|piece| put(power(square, piece.size() as usize - 1)));
    // Near the centre in the opening.
    let ring = [0.55, 0.75, 0.9, 1.0, 1.0][phase];
    (0..PLACED[0].1).for_each(|rings| put(power(ring, rings)));
    (0..PLACED[1].1).for_each(|edges| put(power(0.93, edges)));
    let bases = [2.6, 1.4, 1.3, 1.1, 1.35, 1.25, 0.6, 0.95, 1.15, 0.7, 0.8];
    for ((_, count, _), base) in GROUPS.iter().zip(bases) {
        (0..*count).for_each(|number| put(power(base, number)));
    }
    gammas
}

/// The groups of features of a placement.
fn groups() -> Vec<FeatureGroup> {
    let numbered = |name: &str, count: usize| FeatureGroup {
        name: name.to_owned(),
        features: (0..count).map(|number| number.to_string()).collect(),
        exclusive: true,
        columns: None,
    };
    let pieces = Piece::all().map(|piece| piece.name().to_owned()).collect();
    let mut groups = vec![FeatureGroup { name: "piece".to_owned(), features: pieces, exclusive: true, columns: None }];
    groups.extend(PLACED.iter().map(|(name, count, _)| numbered(name, *count)));
    groups.extend(GROUPS.iter().map(|(name, count, _)| numbered(name, *count)));
    groups
}

/// The features as the catalog knows them.
struct Priors;

impl MoveFeatures<Blokus> for Priors {
    fn phases(&self) -> Vec<String> {
        PHASES.map(str::to_owned).to_vec()
    }

    fn groups(&self) -> Vec<FeatureGroup> {
        groups()
    }

    fn phase(&self, state: &GameState<Blokus>) -> usize {
        phase(state.position())
    }

    fn team(&self, state: &GameState<Blokus>, m: Move, team: &mut Vec<usize>) {
        let (game, position) = (state.game(), state.position());
        let last = state.moves().last().copied().unwrap_or(Move::PASS);
        features_of(&Features::new(game, position, &game.reach(position, position.side()), last), m, team);
    }
}

/// Adds the numbers of the features of a placement; none of a pass.
fn features_of(features: &Features, m: Move, team: &mut Vec<usize>) {
    let Some((orientation, corner)) = m.parts() else { return };
    team.push(orientation.piece().index());
    let mut next = PIECES;
    let counts = placed(orientation, corner).into_iter().chain(features.of(orientation.index(), corner));
    for ((_, size, _), feature) in PLACED.iter().chain(&GROUPS).zip(counts) {
        team.push(next + feature);
        next += size;
    }
}

/// The features of the engine's priors, for `banmen learn ratings`.
pub(crate) const PRIORS: FeatureSet<Blokus> = FeatureSet {
    info: FeatureSetInfo {
        name: "priors",
        summary: "what the engine's priors count: points blocked, points made and lost, contact, place, in five phases",
        source: "ours, after Pentobi's kinds of features",
        keys: &[],
        player: "engine",
    },
    make: |_, _| Ok(Box::new(Priors)),
};

#[cfg(test)]
mod tests {
    use banmen_game::{Game, Rng};

    use super::*;
    use crate::engine::features::tests::positions;

    #[test]
    fn strength_is_the_product_over_the_team() {
        let game = Blokus::STANDARD;
        let mut rng = Rng::new(6);
        let gammas: Vec<Vec<f64>> = PHASES.iter().map(|_| (0..FEATURES).map(|_| 0.5 + rng.unit()).collect()).collect();
        let weights = Weights::new(&gammas);
        let mut team = Vec::new();
        for (position, last) in positions(2) {
            // The state after this last move, as far as features see it.
            let reach = game.reach(&position, position.side());
            let features = Features::new(&game, &position, &reach, last);
            let number = phase(&position);
            for m in game.moves(&position).into_iter().step_by(5) {
                let Some((orientation, corner)) = m.parts() else { continue };
                team.clear();
                features_of(&features, m, &mut team);
                let product: f64 = team.iter().map(|&feature| gammas[number][feature]).product();
                let strength = f64::from(weights.of_phase(number).strength(&features, orientation.index(), corner));
                assert!((strength / product - 1.0).abs() < 1e-5, "{m}: {strength} {product}");
            }
        }
    }

    #[test]
    fn strengths_of_any_file_are_numbers() {
        let game = Blokus::STANDARD;
        // A strength of a file is a finite number above 0, which need not fit 32 bits.
        let gammas = (0..FEATURES).map(|feature| [f64::MAX, f64::MIN_POSITIVE, 1.0][feature % 3]).collect();
        let weights = Weights::new(&vec![gammas; PHASES.len()]);
        for (position, last) in positions(2) {
            let strengths = weights.strengths(&game, &position, last);
            for m in game.moves(&position).into_iter().filter(|&m| m != Move::PASS) {
                let strength = strengths(m);
                assert!((RANGE.0..=RANGE.1).contains(&strength), "{m}: {strength}");
            }
        }
    }

    #[test]
    fn teams_have_a_feature_of_each_group() {
        let mut state = GameState::new(Blokus::STANDARD);
        let mut rng = Rng::new(2);
        while state.outcome().is_none() {
            let legal = Blokus::STANDARD.moves(state.position());
            for &m in legal.iter().filter(|&&m| m != Move::PASS) {
                let mut team = Vec::new();
                Priors.team(&state, m, &mut team);
                let mut next = 0;
                for (group, feature) in groups().iter().zip(&team) {
                    assert!((next..next + group.features.len()).contains(feature), "{}: {team:?}", group.name);
                    next += group.features.len();
                }
                assert_eq!((team.len(), next), (groups().len(), FEATURES));
            }
            state.play(legal[rng.index(legal.len())]);
        }
    }

    #[test]
    fn embedded_strengths_are_of_these_features() {
        assert!(Weights::learned().is_ok());
        let error = Weights::read(&LEARNED.replace("\"priors\"", "\"paper\"")).expect_err("other features");
        assert_eq!(error.code, ErrorCode::BadRatings);
    }

    #[test]
    fn the_key_names_the_strengths_or_their_file() {
        let named = |name: &str, file: &str| {
            let data = Data::in_memory();
            data.keep_file("my/priors.toml", file.as_bytes().into());
            let options = Options::new(crate::engine::player::KEYS, &[("priors", name)]).expect("a word or a file");
            Weights::chosen(&options, &data)
        };
        let chosen = |file: &str| named("my/priors.toml", file);
        let first = LEARNED.find("gamma = ").expect("a strength") + "gamma = ".len();
        let changed = format!("{}1{}", &LEARNED[..first], &LEARNED[first..]);
        let strength = |weights: &Weights| weights.of_phase(0).base[0][0];
        let embedded = Weights::learned().expect("it is of these features");
        assert_eq!(strength(&named("learned", "").expect("a word")), strength(&embedded));
        assert_ne!(strength(&named("hand", "").expect("a word")), strength(&embedded));
        assert_eq!(strength(&chosen(LEARNED).expect("the same file")), strength(&embedded));
        assert!(strength(&chosen(&changed).expect("another strength")) > 2.0 * strength(&embedded));
        let error = chosen(&LEARNED.replace("\"priors\"", "\"paper\"")).expect_err("other features");
        assert!(error.message.starts_with("my/priors.toml: the ratings are of blokus, paper"), "{error}");
    }
}
