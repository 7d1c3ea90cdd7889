//! Ratings of moves: the features by which a game describes its moves.
//!
//! A move is a team of features, and each feature has a strength γ: in the model of Bradley and Terry a move is chosen with
//! the probability of its product of strengths among those of all legal moves (Coulom 2007, "Computing Elo ratings of
//! move patterns in the game of Go"). A game says which features its moves have; the crate `learn` fits the strengths.

use std::sync::Arc;

use banmen_game::{Game, GameState};
use serde::Serialize;

use crate::erased_state::typed;
use crate::variants::Variants;
use crate::{AnyState, Error, ErrorCode, Key, Options, PlayerText};

/// A group of features of the same kind, such as all pieces, or all squares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FeatureGroup {
    /// The name, unique among the groups.
    pub name: String,
    /// The names of its features, unique in the group.
    pub features: Vec<String>,
    /// Whether a move has at most one feature of the group. Such features are fitted together, which is faster.
    pub exclusive: bool,
    /// Columns, where the features are the squares of a board, row by row from the top: then they are shown as a map.
    pub columns: Option<usize>,
}

/// The features of a game's moves.
pub trait MoveFeatures<G: Game>: Send + Sync {
    /// The names of the phases of a game, at least one. In each phase the features have strengths of their own.
    fn phases(&self) -> Vec<String>;

    /// The groups of features. The features of all groups are numbered consecutively from 0, in the order of the
    /// groups.
    fn groups(&self) -> Vec<FeatureGroup>;

    /// The number of the phase that an unfinished game is in.
    fn phase(&self, state: &GameState<G>) -> usize;

    /// Adds the features of a legal move of an unfinished game to the empty `team`, each once.
    fn team(&self, state: &GameState<G>, m: G::Move, team: &mut Vec<usize>);
}

/// The description of a set of features.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FeatureSetInfo {
    /// The name in the set's text.
    pub name: &'static str,
    /// What the features are, in a line.
    pub summary: &'static str,
    /// The paper that they come from.
    pub source: &'static str,
    /// Everything that can be set.
    pub keys: &'static [Key],
    /// The player whose games the strengths are fitted to, if no other is named.
    pub player: &'static str,
}

/// Makes features from the values of their keys.
pub type FeaturesFn<G> = fn(&G, &Options) -> Result<Box<dyn MoveFeatures<G>>, Error>;

/// A set of features, named by a text as a player is: `name` or `name:key=value,key=value`.
pub struct FeatureSet<G> {
    /// The description.
    pub info: FeatureSetInfo,
    /// Makes the features from the values of the keys.
    pub make: FeaturesFn<G>,
}

/// A choice among the legal moves of a position, as features describe it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The number of the phase.
    pub phase: usize,
    /// The legal moves, packed.
    pub moves: Vec<u32>,
    /// The features of each of them.
    pub teams: Vec<Vec<usize>>,
}

/// The features of a game of any type.
pub trait AnyFeatures: Send + Sync {
    /// The names of the phases.
    fn phases(&self) -> Vec<String>;

    /// The groups of features.
    fn groups(&self) -> Vec<FeatureGroup>;

    /// The choice that the side to move has; without moves once the game is over.
    ///
    /// # Errors
    /// `foreign_state` for a state of another game; `internal` for features or phases that the groups do not have.
    fn choice(&self, state: &dyn AnyState) -> Result<Choice, Error>;
}

/// The sets of features of a game.
pub trait Ratings: Send + Sync {
    /// All sets, the usual one first.
    fn list(&self) -> Vec<FeatureSetInfo>;

    /// The set that a text names, with its keys checked, for games under the named rules (`None`: the default ones).
    ///
    /// # Errors
    /// `unknown_rules`, `unsupported` for a set that the game does not have, or the key that does not fit.
    fn features(&self, rules: Option<&str>, text: &str) -> Result<Box<dyn AnyFeatures>, Error>;
}

/// The sets of features of a game of type `G`.
pub(crate) struct ErasedRatings<G: Game> {
    pub(crate) variants: Arc<Variants<G>>,
    pub(crate) sets: Vec<FeatureSet<G>>,
}

impl<G: Game> Ratings for ErasedRatings<G> {
    fn list(&self) -> Vec<FeatureSetInfo> {
        self.sets.iter().map(|set| set.info).collect()
    }

    fn features(&self, rules: Option<&str>, text: &str) -> Result<Box<dyn AnyFeatures>, Error> {
        let game = self.variants.get(rules)?;
        let name = PlayerText::name_of(text);
        let Some(set) = self.sets.iter().find(|set| set.info.name == name) else {
            let known = self.sets.iter().map(|set| set.info.name);
            return Err(Error::unknown(ErrorCode::Unsupported, "set of move features called", name, known));
        };
        let text = PlayerText::parse(text)?;
        let features = (set.make)(game, &Options::new(set.info.keys, &text.pairs)?)?;
        Ok(Box::new(ErasedFeatures { features }))
    }
}

struct ErasedFeatures<G> {
    features: Box<dyn MoveFeatures<G>>,
}

impl<G: Game> AnyFeatures for ErasedFeatures<G> {
    fn phases(&self) -> Vec<String> {
        self.features.phases()
    }

    fn groups(&self) -> Vec<FeatureGroup> {
        self.features.groups()
    }

    fn choice(&self, state: &dyn AnyState) -> Result<Choice, Error> {
        let state = typed::<G>(state)?;
        if state.outcome().is_some() {
            return Ok(Choice::default());
        }
        let (game, position) = (state.game(), state.position());
        let mut choice = Choice { phase: self.features.phase(state), ..Choice::default() };
        for m in game.moves(position) {
            let mut team = Vec::new();
            self.features.team(state, m, &mut team);
            choice.moves.push(game.pack(m));
            choice.teams.push(team);
        }
        let count: usize = self.features.groups().iter().map(|group| group.features.len()).sum();
        let unknown = choice.teams.iter().flatten().find(|&&feature| feature >= count);
        if let Some(feature) = unknown {
            return Err(Error::new(
                ErrorCode::Internal,
                format!("there are {count} move features, none has number {feature}"),
            ));
        }
        if choice.phase >= self.features.phases().len() {
            return Err(Error::new(ErrorCode::Internal, format!("there is no phase number {}", choice.phase)));
        }
        Ok(choice)
    }
}
