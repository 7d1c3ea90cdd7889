//! What is sent between machines.

use banmen_arena::{GameRecord, Label, LabelsJob, PairJob};

use crate::{catalog, is_clean};

/// Messages of every kind: one that is accepted is read as it was written.
pub(crate) fn message(data: &[u8]) {
    let kinds = banmen_fleet::kinds_of(data);
    assert!(kinds <= 1, "a message is of one kind");
}

/// A pair of games that another machine was asked for, and those that it sent: whatever they are, they are checked.
pub(crate) fn games(data: &[u8]) {
    let Ok((job, records)) = serde_json::from_slice::<(PairJob, Vec<GameRecord>)>(data) else { return };
    let Ok(game) = catalog().game(&job.spec.game) else { return };
    if let Err(why) = job.check(game.as_ref(), &records) {
        assert!(is_clean(&why), "{why:?}");
    }
}

/// Positions of a game that another machine was asked to search, and what it found: whatever it is, it is checked.
pub(crate) fn labels(data: &[u8]) {
    let Ok((job, labels)) = serde_json::from_slice::<(LabelsJob, Vec<Label>)>(data) else { return };
    let Ok(game) = catalog().game(&job.game) else { return };
    if let Err(why) = job.check(game.as_ref(), &labels) {
        assert!(is_clean(&why), "{why:?}");
    }
}
