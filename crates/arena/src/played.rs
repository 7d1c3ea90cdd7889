//! Whether a game that another machine or process played can have been played.

use banmen_catalog::AnyGame;

use crate::adjudication::{Adjudication, DRAWN_WORDS};
use crate::play::{RESIGNATION, ended, player_index};
use crate::{GameRecord, Job, MatchSpec, Opening, Usage};

/// The longest word for the end of a game, in bytes.
const MAX_WORD: usize = 100;

/// Why this cannot be the game of this job: its beginning, moves or result, or what cannot be stored.
///
/// # Errors
/// The reason, in words.
pub(crate) fn check_played(game: &dyn AnyGame, spec: &MatchSpec, job: &Job, record: &GameRecord) -> Result<(), String> {
    if (record.pair, record.game, record.seed) != (job.pair, job.game, job.seed) {
        return Err("it is another game than the one that was asked for".to_owned());
    }
    let rules = spec.rules.as_deref();
    let begun = job.opening.state(game, rules).map_err(|error| error.message)?.move_texts("");
    if record.position != job.opening.position || record.moves.get(..record.opening) != Some(&begun) {
        return Err("it does not begin with its opening".to_owned());
    }
    let words = record.lost_turns.iter().map(|lost| &lost.by).chain([&record.by]);
    if words.into_iter().any(|word| word.len() > MAX_WORD || word.contains(char::is_control)) {
        return Err("the word for its end, or for a lost turn, is too long".to_owned());
    }
    if record.fault.is_some_and(|fault| fault > 1) || ![0.0, 0.5, 1.0].contains(&record.score) {
        return Err("it has a result that no game has".to_owned());
    }
    check_spent(record)?;
    replay(game, rules, record, false, spec.adjudication != Adjudication::default())
}

/// Checks the times and counts of a game, whose sums over a match must not overflow.
pub(crate) fn check_spent(record: &GameRecord) -> Result<(), &'static str> {
    let hours = |seconds: f64| (0.0..1e8).contains(&seconds);
    let sound =
        |spent: &Usage| hours(spent.seconds) && hours(spent.longest) && spent.moves < 1 << 32 && spent.depth < 1 << 48;
    if record.spent.iter().all(sound) { Ok(()) } else { Err("it has times or counts that no game has") }
}

/// Replays a game, and compares its end with what its record says.
pub(crate) fn replay(
    game: &dyn AnyGame,
    rules: Option<&str>,
    record: &GameRecord,
    imported: bool,
    adjudicated: bool,
) -> Result<(), String> {
    let start = Opening { position: record.position.clone(), moves: record.moves.clone() };
    let state = start.state(game, rules).map_err(|error| format!("it cannot be replayed: {}", error.message))?;
    // A text of several moves, or of one that implies another, would play on.
    if state.move_texts("") != record.moves {
        return Err("its moves are not written one by one, as the game writes them".to_owned());
    }
    let stored = (record.score, record.margin, record.by.as_str());
    match state.outcome() {
        Some(outcome) if !imported || outcome.by == record.by => {
            let end = ended(outcome, record.game);
            if stored != (end.score, end.margin, end.by.as_str()) {
                let [is, was] = [(end.score, end.by.as_str()), (record.score, record.by.as_str())]
                    .map(|(score, by)| format!("{score} for the match's first player ({by})"));
                return Err(format!("its result is {is}, and {was} is stored"));
            }
        }
        _ if imported => {}
        _ if record.margin.is_some() => return Err("it has a margin, and its moves do not end it".to_owned()),
        _ => check_end(record, player_index(state.side_to_move(), record.game), adjudicated)?,
    }
    let played = record.moves.len().checked_sub(record.opening).ok_or("it has fewer moves than its opening")?;
    let decided = record.times.len();
    if !imported && decided != played && decided != played + 1 {
        return Err(format!("it has {played} moves after its opening, and the times of {decided}"));
    }
    if record.lost_turns.iter().any(|lost| lost.ply < record.opening || lost.ply >= record.moves.len()) {
        return Err("a turn was lost that it does not have".to_owned());
    }
    Ok(())
}

/// Checks the result of a game that its moves do not end: `mover` was to move.
fn check_end(record: &GameRecord, mover: usize, adjudicated: bool) -> Result<(), String> {
    let drawn = DRAWN_WORDS.contains(&record.by.as_str());
    let lost = |loser: usize| record.score == loser as f64;
    let ends = match (record.fault, adjudicated) {
        (Some(_), _) if record.lost_turns.is_empty() => record.fault == Some(mover) && lost(mover),
        _ if record.by == RESIGNATION => lost(mover),
        (_, true) if drawn => record.score == 0.5,
        (_, true) => record.score != 0.5,
        (Some(_), false) => lost(mover),
        (None, false) => false,
    };
    if ends {
        Ok(())
    } else {
        Err(format!("its moves do not end it, and {} ({}) does not follow", record.score, record.by))
    }
}
