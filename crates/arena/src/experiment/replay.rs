//! Games of a reproduction in its report: each can be stepped through on a board, without a server.

use std::collections::BTreeMap;
use std::io::Write as _;

use banmen_catalog::{AnyGame, AnyState, Board, Cell, Error, ErrorCode, SideName};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use serde_json::json;

use super::{Experiment, Reproduction};
use crate::{GameRecord, Store};

/// The largest size of the games of one cell in a report, compressed, in bytes. Further games are only in the store. A thousand
/// games between random players take 0.1 MB in Dobutsu shogi, 0.3 in Othello, 0.4 in Blokus Duo, 0.8 in TUBSTAP and 1.4 in the
/// Game of Life and Death.
const CELL_BYTES: u64 = 3 << 19;

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
    pub(crate) id: i64,
    /// Its two players.
    players: [String; 2],
    /// Games of the cell.
    #[serde(skip)]
    pub(crate) of: usize,
    /// How many of them the report has: the first ones.
    #[serde(skip)]
    pub(crate) count: usize,
    /// These games and the looks of their cells, as JSON in the format of zlib (RFC 1950).
    #[serde(skip)]
    pub(crate) packed: Vec<u8>,
}

/// The look of a cell of the board: the piece and its owner (0, 1 or none), the terrain and the label.
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
    /// Columns and rows of the board.
    size: [usize; 2],
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
        size: [board.width, board.height],
        start,
        changes,
        hands: held,
    })
}

/// Packs the games of a cell, one after the other.
struct Packer {
    to: ZlibEncoder<Vec<u8>>,
    looks: Looks,
    count: usize,
}

impl Packer {
    fn new() -> Packer {
        Packer { to: ZlibEncoder::new(Vec::new(), Compression::default()), looks: Looks::default(), count: 0 }
    }

    fn add(&mut self, state: Box<dyn AnyState>, record: &GameRecord) -> Result<(), Error> {
        let replay = replay(state, record, &mut self.looks)?;
        let before = if self.count == 0 { "{\"games\":[" } else { "," };
        self.count += 1;
        self.write(&format!("{before}{}", json!(replay)))
    }

    fn finish(mut self) -> Result<Vec<u8>, Error> {
        let looks = json!(self.looks.all);
        self.write(&format!("],\"looks\":{looks}}}"))?;
        self.to.finish().map_err(|error| unpackable(&error))
    }

    fn write(&mut self, text: &str) -> Result<(), Error> {
        self.to.write_all(text.as_bytes()).map_err(|error| unpackable(&error))
    }
}

fn unpackable(error: &std::io::Error) -> Error {
    Error::new(ErrorCode::Unwritable, format!("games cannot be compressed: {error}"))
}

/// Bytes in Base64 (RFC 4648).
pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | usize::from(chunk.get(at).copied().unwrap_or_default()));
        for digit in 0..4 {
            let sign = if digit > chunk.len() { b'=' } else { DIGITS[bits >> (18 - 6 * digit) & 63] };
            text.push(sign.into());
        }
    }
    text
}

impl Reproduction {
    /// Adds the games of each cell, which the report then shows on a board: all of them, or the first ones where they are more
    /// than a page can hold.
    ///
    /// # Errors
    /// An error of the store, or of a game that cannot be replayed.
    pub fn add_games(&mut self, store: &Store, game: &dyn AnyGame, event: Option<i64>) -> Result<(), Error> {
        self.add_games_within(store, game, event, self.scale, CELL_BYTES, &|| false)
    }

    /// Adds the games of each cell that belong to the run of this scale, up to about this number of bytes.
    ///
    /// # Errors
    /// As for [`Reproduction::add_games`]; `stopped` when `halt` says so.
    pub(crate) fn add_games_within(
        &mut self,
        store: &Store,
        game: &dyn AnyGame,
        event: Option<i64>,
        scale: f64,
        bytes: u64,
        halt: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        let experiment: &Experiment = &self.experiment;
        let mut all = Vec::new();
        for (cell, matchup, pairs) in experiment.matches(game, self.seed, scale) {
            let Some(id) = store.match_of(&matchup, event)? else { continue };
            let rules = matchup.spec.rules.clone();
            let (mut packer, mut of) = (Packer::new(), 0);
            store.visit_games(id, &mut |record| {
                if halt() {
                    return Err(Error::new(ErrorCode::Stopped, "the report was stopped"));
                }
                if record.pair >= pairs {
                    return Ok(());
                }
                of += 1;
                if packer.to.total_out() >= bytes.min(CELL_BYTES) {
                    return Ok(());
                }
                packer.add(game.state(rules.as_deref(), record.position.as_deref())?, &record)
            })?;
            let players = matchup.spec.sides().map(|side| side.player.clone());
            if packer.count > 0 {
                let count = packer.count;
                all.push(CellGames { cell, id, players, of, count, packed: packer.finish()? });
            }
        }
        self.games = all;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let vectors =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")];
        for (text, encoded) in vectors {
            assert_eq!(base64(text.as_bytes()), encoded);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xbf]), "+/+/");
    }
}
