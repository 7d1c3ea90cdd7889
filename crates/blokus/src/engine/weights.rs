//! The strengths of the features, as tables.

use std::sync::{Arc, OnceLock};

use banmen_catalog::{FeatureGroup, FeatureSet, FeatureSetInfo, MoveFeatures};
use banmen_game::GameState;

use super::features::{COUNTED, FEATURES, Features, GROUPS, MOST, PHASES, PLACED, phase, placed};
use crate::cells::Cell;
use crate::game::Blokus;
use crate::moves::Move;
use crate::piece::{ORIENTATIONS, PIECES, Piece};

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
pub(super) struct Weights(Vec<PhaseWeights>);

/// Products of strengths are clamped to this range, so that sums of a thousand stay finite and above 0.
const RANGE: (f32, f32) = (1e-30, 1e30);

impl PhaseWeights {
    /// From a strength for each feature, in the order of [`groups`].
    fn new(gammas: &[f64]) -> PhaseWeights {
        let mut base = Box::new([[1.0; 256]; ORIENTATIONS]);
        let (centre, border) = (PIECES, PIECES + PLACED[0].1);
        for m in Move::placements() {
            let Some((orientation, corner)) = m.parts() else { continue };
            let [ring, beside] = placed(orientation, corner);
            let strength = gammas[orientation.piece().index()] * gammas[centre + ring] * gammas[border + beside];
            base[orientation.index()][usize::from(corner.bit())] = strength as f32;
        }
        let mut counted = [[1.0; MOST]; COUNTED];
        let mut next = border + PLACED[1].1;
        for (row, (_, count, _)) in counted.iter_mut().zip(GROUPS) {
            for strength in &mut row[..count] {
                *strength = gammas[next] as f32;
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
        let Some((orientation, corner)) = m.parts() else { return };
        let last = state.moves().last().copied().unwrap_or(Move::PASS);
        let features = Features::new(game, position, &game.reach(position, position.side()), last);
        team.push(orientation.piece().index());
        let mut next = PIECES;
        let counts = placed(orientation, corner).into_iter().chain(features.of(orientation.index(), corner));
        for ((_, size, _), feature) in PLACED.iter().chain(&GROUPS).zip(counts) {
            team.push(next + feature);
            next += size;
        }
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
