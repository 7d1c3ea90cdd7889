//! Games of a reproduction in its report: each can be stepped through on a board, without a server.

use std::collections::BTreeMap;

use banmen_catalog::{AnyGame, AnyState, Board, Cell, Error, SideName};
use serde::Serialize;

use super::{Experiment, Reproduction};
use crate::{GameRecord, Store};

/// The largest size of the games of one cell in a report, as JSON in bytes. Further games are only in the store.
const CELL_BYTES: usize = 150_000;

/// The script that draws the games.
pub(super) const SCRIPT: &str = include_str!("replay.js");

/// The games of a cell of the grid.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CellGames {
    /// The number of the cell.
    #[serde(skip)]
    pub(crate) cell: usize,
    /// Its match in the store.
    #[serde(rename = "match")]
    id: i64,
    /// Its two players.
    players: [String; 2],
    /// Games of the match, of which the report may have only the first ones.
    pub(crate) of: usize,
    /// Columns and rows of the board.
    size: [usize; 2],
    /// The looks of cells: the piece and its owner (0, 1 or none), the terrain and the label.
    looks: Vec<Look>,
    /// The games.
    pub(crate) games: Vec<Replay>,
}

/// The look of a cell.
type Look = (Option<&'static str>, Option<u8>, Option<&'static str>, Option<String>);

/// A game, as differences between its boards.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Replay {
    /// The number of its pair, and its own in the pair.
    number: [usize; 2],
    /// How it ended, for the first player of the match.
    result: String,
    /// Moves of the opening.
    opening: usize,
    /// The moves.
    moves: Vec<String>,
    /// The look of each cell at the start.
    start: Vec<usize>,
    /// After each move the cells that changed, and their new looks: cell, look, cell, look …
    changes: Vec<Vec<usize>>,
    /// What the sides have in hand at the start and after each move; empty in games without hands.
    hands: Vec<String>,
}

/// Collects looks, each once.
#[derive(Default)]
struct Looks {
    known: BTreeMap<Look, usize>,
    all: Vec<Look>,
}

impl Looks {
    fn number(&mut self, cell: &Cell) -> usize {
        let owner = cell.owner.map(|owner| u8::from(owner == SideName::Second));
        let look = (cell.piece, owner, cell.terrain, cell.label.clone());
        *self.known.entry(look.clone()).or_insert_with(|| {
            self.all.push(look);
            self.all.len() - 1
        })
    }

    fn of(&mut self, board: &Board) -> Vec<usize> {
        board.cells.iter().map(|cell| self.number(cell)).collect()
    }
}

fn hands(board: &Board) -> String {
    board.hands.iter().map(|hand| hand.join(" ")).collect::<Vec<_>>().join(" | ")
}

fn replay(mut state: Box<dyn AnyState>, record: &GameRecord, looks: &mut Looks) -> Result<Replay, Error> {
    let board = state.board();
    let start = looks.of(&board);
    let with_hands = !board.hands.is_empty();
    let mut held: Vec<String> = with_hands.then(|| hands(&board)).into_iter().collect();
    let (mut now, mut changes) = (start.clone(), Vec::new());
    for text in &record.moves {
        let m = state.read(text)?;
        state.play(m)?;
        let board = state.board();
        let next = looks.of(&board);
        changes.push((0..next.len()).filter(|&at| next[at] != now[at]).flat_map(|at| [at, next[at]]).collect());
        held.extend(with_hands.then(|| hands(&board)));
        now = next;
    }
    let margin = record.margin.map_or_else(String::new, |margin| format!(" by {margin:+}"));
    let result = match record.score {
        1.0 => "won",
        0.0 => "lost",
        _ => "drawn",
    };
    Ok(Replay {
        number: [record.pair, record.game],
        result: format!("{result}{margin} ({})", record.by),
        opening: record.opening,
        moves: record.moves.clone(),
        start,
        changes,
        hands: held,
    })
}

impl Reproduction {
    /// Adds the first games of each cell, which the report then shows on a board.
    ///
    /// # Errors
    /// An error of the store, or of a game that cannot be replayed.
    pub fn add_games(&mut self, store: &Store, game: &dyn AnyGame, event: Option<i64>) -> Result<(), Error> {
        let experiment: &Experiment = &self.experiment;
        let mut all = Vec::new();
        for (cell, matchup, pairs) in experiment.matches(game, self.seed, self.scale) {
            let Some(id) = store.match_of(&matchup, event)? else { continue };
            let rules = matchup.spec.rules.clone();
            let (mut looks, mut games, mut bytes, mut of, mut size) = (Looks::default(), Vec::new(), 0, 0, [0, 0]);
            store.visit_games(id, &mut |record| {
                if record.pair >= pairs {
                    return Ok(());
                }
                of += 1;
                if bytes >= CELL_BYTES {
                    return Ok(());
                }
                let state = game.state(rules.as_deref(), record.position.as_deref())?;
                let Board { width, height, .. } = state.board();
                // The maps of a match may differ in size.
                if size == [0, 0] {
                    size = [width, height];
                }
                if size == [width, height] {
                    let replay = replay(state, &record, &mut looks)?;
                    bytes += serde_json::to_string(&replay).map_or(0, |text| text.len());
                    games.push(replay);
                }
                Ok(())
            })?;
            let players = matchup.spec.sides().map(|side| side.player.clone());
            if !games.is_empty() {
                all.push(CellGames { cell, id, players, of, size, looks: looks.all, games });
            }
        }
        self.games = all;
        Ok(())
    }
}
