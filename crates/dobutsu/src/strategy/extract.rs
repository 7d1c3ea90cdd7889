//! Extracts the winning side's strategy from the table.

use std::collections::{BTreeMap, HashSet, VecDeque};

use banmen_game::Game;

use super::{Entry, SEARCHED, form, pack};
use crate::game::Dobutsu;
use crate::position::{Move, Position};
use crate::table::{Source, Value};

/// The file with the second side's win from the start, by the table of the rules `catch`. The winner takes the shortest way; of
/// equal moves the one after which the fewest positions need a further entry, in the order in which positions are met.
///
/// # Errors
/// Those of the table. Of another table than that of these rules, `None`.
pub fn extract<S: Source>(table: &S) -> Result<Option<Vec<u8>>, S::Error> {
    let index = table.index();
    let mut met = HashSet::new();
    let mut waiting = VecDeque::new();
    let mut entries = BTreeMap::new();
    for next in new_positions(table, &Position::START, &met)? {
        met.insert(next);
        waiting.push_back(next);
    }
    while let Some(number) = waiting.pop_front() {
        let position = form(index, number);
        let Some((position, Value::Win(plies))) =
            position.map(|position| Ok((position, table.value(&position)?))).transpose()?
        else {
            return Ok(None);
        };
        let mut best: Option<(usize, Vec<u32>)> = None;
        for (place, &m) in Dobutsu::CATCH.moves(&position).iter().enumerate() {
            let next = after(&position, m);
            if table.value(&next)? != Value::Loss(plies - 1) {
                continue;
            }
            let new = new_positions(table, &next, &met)?;
            if best.as_ref().is_none_or(|(_, fewest)| new.len() < fewest.len()) {
                best = Some((place, new));
            }
        }
        let Some((place, new)) = best else { return Ok(None) };
        let (Ok(place), Ok(plies)) = (u8::try_from(place), u8::try_from(plies)) else { return Ok(None) };
        entries.insert(number, Entry { number, place, plies });
        for next in new {
            met.insert(next);
            waiting.push_back(next);
        }
    }
    Ok(Some(pack(&entries.into_values().collect::<Vec<_>>())))
}

fn after(position: &Position, m: Move) -> Position {
    let mut next = *position;
    next.play(m);
    next
}

/// The numbers of the positions after the other side's moves that were not met and that a search does not win.
fn new_positions<S: Source>(table: &S, position: &Position, met: &HashSet<u32>) -> Result<Vec<u32>, S::Error> {
    let mut new = Vec::new();
    for m in Dobutsu::CATCH.moves(position) {
        let next = after(position, m);
        if matches!(table.value(&next)?, Value::Win(0..=SEARCHED)) {
            continue;
        }
        // A position without a number is won at once, or its side has its lion on the far rank: the winner's never is.
        if let Some(slot) =
            table.index().slot(&next).filter(|slot| !met.contains(&slot.number) && !new.contains(&slot.number))
        {
            new.push(slot.number);
        }
    }
    Ok(new)
}
