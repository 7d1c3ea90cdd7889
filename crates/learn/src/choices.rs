//! The choices made in games, as teams of move features.

use banmen_arena::GameRecord;
use banmen_catalog::{AnyFeatures, AnyGame, Choice, Error, ErrorCode};

/// A choice that was made.
#[derive(Clone, Debug)]
pub(crate) struct MadeChoice {
    /// The number of the phase.
    pub(crate) phase: usize,
    /// The features of each legal move, at least two.
    pub(crate) teams: Vec<Vec<usize>>,
    /// The number of the move that was played.
    pub(crate) played: usize,
}

/// Calls `visit` with each choice of a game after the opening: where a side had at least two moves. A forced pass is
/// not a choice; a pass beside other moves is one of the moves.
///
/// # Errors
/// `bad_record` for a record that cannot be played, and what [`AnyFeatures::choice`] and `visit` refuse.
pub(crate) fn visit_choices(
    game: &dyn AnyGame,
    rules: Option<&str>,
    features: &dyn AnyFeatures,
    record: &GameRecord,
    visit: &mut dyn FnMut(MadeChoice) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut state = game.state(rules, record.position.as_deref())?;
    for (ply, text) in record.moves.iter().enumerate() {
        let bad = |why: &str| {
            let GameRecord { pair, game, .. } = record;
            let message = format!("pair {pair}, game {game}, move {}: `{text}`: {why}", ply + 1);
            Error::new(ErrorCode::BadRecord, message).at(ply + 1)
        };
        let m = state.read(text).map_err(|error| bad(&error.message))?;
        if ply >= record.opening {
            let Choice { phase, moves, teams } = features.choice(state.as_ref())?;
            let Some(played) = moves.iter().position(|&legal| legal == m) else {
                return Err(bad("it is not among the legal moves"));
            };
            if moves.len() > 1 {
                visit(MadeChoice { phase, teams, played })?;
            }
        }
        state.play(m).map_err(|error| bad(&error.message))?;
    }
    Ok(())
}
