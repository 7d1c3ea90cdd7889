//! Datasets: the positions of stored games as a Parquet file, with the values of searches or of an exact solver, and a data
//! card beside it.
//!
//! | file | contents |
//! |---|---|
//! | `columns` | the columns of the file |
//! | `table` | writing rows, and what the card states of the columns |
//! | `label` | what is computed of a position |
//! | `labels` | values of searches and of solvers, kept so that an interrupted export resumes |
//! | `job` | the positions of a game as a job for another machine |
//! | `remote` | games that other machines label |
//! | `card` | the data card |

mod card;
mod columns;
mod job;
mod label;
mod labels;
mod remote;
mod table;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use banmen_catalog::{AnyGame, Catalog, Error, ErrorCode};
use banmen_game::{Rng, mix};
use banmen_search::{Limits, StopFlag};

use crate::play::player_index;
use crate::rerun::imported;
use crate::store::beside;
use crate::{Contestant, GameRecord, MatchFilter, MatchInfo, Store, Workers};
use card::Card;
use columns::Row;
use labels::{Kept, Labeller};
use table::Table;

pub use job::{LabelSearch, LabelTruth, LabelsJob};
pub use label::{ExactValue, Label, SearchValue};
pub use labels::count_labels;

/// Games of a match that are read from the store at once.
const BATCH: usize = 256;

/// Which searches give the values of positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Values {
    /// None.
    #[default]
    None,
    /// Those that chose the moves, made again. Imported games have none.
    Own,
    /// A search of each position by this player, which begins anew at each.
    By(Contestant),
}

/// What a dataset contains.
#[derive(Clone, Debug, Default)]
pub struct DatasetOptions {
    /// The matches.
    pub matches: MatchFilter,
    /// Only games with this score of a player of their match, 0 for `a`.
    pub result: Option<(usize, f64)>,
    /// At most this many positions of each game, drawn from those at which a player decided; `None` for all positions.
    pub per_game: Option<usize>,
    /// The seed of the draw and of the searches of [`Values::By`].
    pub seed: u64,
    /// The searches that give values.
    pub values: Values,
    /// The limits of the game's exact solver for each position; `None` for no exact values. A game that is solved by a table
    /// takes none.
    pub truth: Option<Limits>,
    /// Who searches: threads of this process, each a game at once, or other machines.
    pub workers: Workers,
    /// The identifier of the licence, as in SPDX's list, for the card.
    pub licence: Option<String>,
    /// The command that was run, for the card.
    pub command: String,
    /// The machine, for the card.
    pub machine: String,
}

impl DatasetOptions {
    /// Whether positions are searched or solved.
    fn labelled(&self) -> bool {
        self.values != Values::None || self.truth.is_some()
    }
}

/// A dataset that was written.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Rows of the file.
    pub rows: u64,
    /// Games that they are of.
    pub games: u64,
    /// Matches of these games.
    pub matches: u64,
    /// The card.
    pub card: PathBuf,
}

/// A match of the dataset, and its game.
struct Chosen<'g> {
    game: &'g dyn AnyGame,
    found: MatchInfo,
}

/// Writes the positions of stored games to a Parquet file, and a card to `FILE.md`. Values of searches and solvers are kept in
/// `FILE.labels` until the dataset is complete: the same call resumes an export that was stopped. `progress` receives the
/// numbers of games that are done and of all.
///
/// # Errors
/// `unknown_match` and `unknown_record` where nothing is selected, or no match has searches; `unsupported` where a game has
/// no exact solver; `unwritable`; `stopped`; an error of the store, of a player or of a solver.
pub fn export_dataset(
    store: &Store,
    catalog: &Catalog,
    options: &DatasetOptions,
    file: &Path,
    stop: &StopFlag,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Dataset, Error> {
    if file.is_dir() {
        return Err(unwritable(file, &"it is a folder"));
    }
    let chosen = choose(store, catalog, options)?;
    let mut labellers = BTreeMap::new();
    if options.labelled() {
        for Chosen { game, found } in &chosen {
            labellers.extend(Labeller::new(*game, found, options)?.map(|labeller| (found.id, labeller)));
        }
        let searches = labellers.values().any(|labeller| labeller.search().is_some());
        if let ([first, ..], Values::Own, false) = (chosen.as_slice(), &options.values, searches) {
            return Err(imported(&first.found));
        }
    }
    let of: u64 = chosen.iter().map(|one| one.found.games).sum();
    let versions = labellers.iter().filter_map(|(id, labeller)| Some((*id, labeller.versions()?))).collect();
    let mut kept =
        if options.labelled() { Some(Kept::open(&beside(file, ".labels"), options, versions)?) } else { None };
    let unfinished = beside(file, ".unfinished");
    let out = File::create(&unfinished).map_err(|error| unwritable(file, &error))?;
    let progress = &mut |done| progress(done, of);
    let labelled = match (&options.workers.fleet, &mut kept) {
        (Some(fleet), Some(kept)) => {
            remote::label(fleet.as_ref(), store, &chosen, &labellers, options, kept, stop, progress)
        }
        _ => Ok(()),
    };
    let written =
        labelled.and_then(|()| write(store, &chosen, &labellers, options, out, kept.as_mut(), stop, progress));
    let mut card = match written {
        Ok(card) => card,
        Err(error) => {
            // A part of a dataset looks like a whole one.
            let _ = std::fs::remove_file(&unfinished);
            return Err(error);
        }
    };
    let path = beside(file, ".md");
    card.file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    card.bytes = std::fs::metadata(&unfinished).map_err(|error| unwritable(file, &error))?.len();
    std::fs::write(&path, card.text(options)).map_err(|error| unwritable(&path, &error))?;
    // Before the labels go, of which it was made.
    let synced = std::fs::File::open(&unfinished).and_then(|dataset| dataset.sync_all());
    synced.and_then(|()| std::fs::rename(&unfinished, file)).map_err(|error| unwritable(file, &error))?;
    if let Some(kept) = kept {
        kept.remove();
    }
    Ok(Dataset { rows: card.rows(), games: card.games(), matches: card.matches(), card: path })
}

/// The matches with games, by their numbers.
fn choose<'g>(store: &Store, catalog: &'g Catalog, options: &DatasetOptions) -> Result<Vec<Chosen<'g>>, Error> {
    if let Some(id) = options.matches.id {
        // Says that there is no such match.
        store.one_match(id)?;
    }
    let mut chosen = Vec::new();
    for found in store.matches(&options.matches)?.into_iter().filter(|found| found.games > 0) {
        let game = catalog.game(&found.game)?.as_ref();
        chosen.push(Chosen { game, found });
    }
    if chosen.is_empty() {
        return Err(Error::new(ErrorCode::UnknownRecord, "the store has no games that are selected"));
    }
    chosen.sort_by_key(|one| one.found.id);
    Ok(chosen)
}

#[expect(clippy::too_many_arguments, reason = "the parts of one call, which the caller cleans up after")]
fn write<'g>(
    store: &Store,
    chosen: &[Chosen<'g>],
    labellers: &BTreeMap<i64, Labeller<'g>>,
    options: &DatasetOptions,
    out: File,
    mut kept: Option<&mut Kept>,
    stop: &StopFlag,
    progress: &mut dyn FnMut(u64),
) -> Result<Card, Error> {
    let mut table = Table::new(out)?;
    let mut card = Card::default();
    let mut done = 0;
    for one in chosen {
        let labeller = labellers.get(&one.found.id);
        let mut after = None;
        while let Some(Batch { mut games, read, last }) = read_batch(store, one, after, options)? {
            after = Some(last);
            done += read;
            if let (Some(labeller), Some(kept)) = (labeller, kept.as_deref_mut()) {
                labeller.label(&mut games, kept, options, stop, &mut |left| progress(done - left))?;
            }
            if stop.stopped() {
                return Err(Error::new(ErrorCode::Stopped, "stopped before the dataset was complete"));
            }
            for picked in &games {
                rows(one, picked, labeller, &mut |row| {
                    card.add(&row);
                    table.add(&row)
                })?;
            }
            progress(done);
        }
    }
    if card.rows() == 0 {
        return Err(Error::new(ErrorCode::UnknownRecord, "the store has no games that are selected"));
    }
    table.finish(card.summary(options))?;
    card.ranges = table.ranges();
    Ok(card)
}

/// Games of a match that were read at once.
struct Batch {
    /// Those of the dataset.
    games: Vec<Picked>,
    /// The number of all.
    read: u64,
    /// The pair and game of the last one.
    last: (usize, usize),
}

/// The next games of a match; `None` at its end.
fn read_batch(
    store: &Store,
    one: &Chosen<'_>,
    after: Option<(usize, usize)>,
    options: &DatasetOptions,
) -> Result<Option<Batch>, Error> {
    let records = store.games_after(one.found.id, after, BATCH)?;
    let Some(last) = records.last().map(|last| (last.pair, last.game)) else { return Ok(None) };
    let read = records.len() as u64;
    let chosen = |record: &GameRecord| {
        let score_of = |player| if player == 0 { record.score } else { 1.0 - record.score };
        options.result.is_none_or(|(player, score)| score == score_of(player))
    };
    let games = records.into_iter().filter(chosen).map(|record| Picked::new(record, options)).collect();
    Ok(Some(Batch { games, read, last }))
}

/// A game of the dataset, and the positions that are taken from it.
struct Picked {
    record: GameRecord,
    /// The numbers of the moves that are made at these positions, from 0, ascending.
    plies: Vec<usize>,
    /// What was computed of these positions; empty without searches.
    labels: Vec<Label>,
}

impl Picked {
    fn new(record: GameRecord, options: &DatasetOptions) -> Self {
        let plies = match options.per_game {
            None => (0..record.moves.len()).collect(),
            Some(count) => {
                let lost: Vec<usize> = record.lost_turns.iter().map(|lost| lost.ply).collect();
                let mut plies: Vec<usize> =
                    (record.opening..record.moves.len()).filter(|ply| !lost.contains(ply)).collect();
                let mut rng = Rng::new(mix(options.seed ^ mix(record.digest() ^ record.seed)));
                for at in 0..count.min(plies.len()) {
                    let other = at + rng.index(plies.len() - at);
                    plies.swap(at, other);
                }
                plies.truncate(count);
                plies.sort_unstable();
                plies
            }
        };
        Picked { record, plies, labels: Vec::new() }
    }
}

/// Replays a game, and calls `add` for each of its rows.
fn rows(
    one: &Chosen<'_>,
    picked: &Picked,
    labeller: Option<&Labeller<'_>>,
    add: &mut dyn FnMut(Row<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (found, record) = (&one.found, &picked.record);
    let unplayable = |error: Error| {
        let place = format!("game {}.{}.{}", found.id, record.pair, record.game);
        Error { message: format!("{place} cannot be replayed: {}", error.message), ..error }
    };
    let mut state = one.game.state(Some(&found.rules), record.position.as_deref()).map_err(unplayable)?;
    // No move of any game contains a semicolon; those of some contain spaces and commas.
    let moves = record.moves.join(";");
    let none = Label::default();
    let mut wanted = picked.plies.iter().enumerate().peekable();
    for (ply, text) in record.moves.iter().enumerate() {
        if let Some((index, _)) = wanted.next_if(|(_, wanted)| **wanted == ply) {
            let side = state.side_to_move();
            let mover = player_index(side, record.game);
            add(Row {
                found,
                record,
                moves: &moves,
                ply,
                side,
                mover,
                position: state.position(""),
                class: one.game.symmetry_class(state.as_ref()).unwrap_or_else(|| state.key()),
                key: state.key(),
                searched_by: labeller.and_then(|labeller| labeller.searched_by(mover)),
                label: picked.labels.get(index).unwrap_or(&none),
            })?;
        }
        let m = state.read(text).map_err(unplayable)?;
        state.play(m).map_err(unplayable)?;
    }
    Ok(())
}

fn unwritable(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorCode::Unwritable, format!("{} cannot be written: {error}", path.display()))
}
