//! The openings of a match.

use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use banmen_catalog::{AnyGame, AnyState, AnyTask, CpuClock, Error, ErrorCode, StartFn};
use banmen_game::{Rng, digest, mix};
use banmen_search::{Limits, StopFlag};
use serde::{Deserialize, Serialize};

use crate::store::Store;
use crate::version::version;
use crate::{Match, Opening};

/// Where the openings of a match come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Openings {
    /// The game's own start positions: each pair gets the next one of the series that the match's seed selects.
    Starts,
    /// This number of random plies from the start.
    Random(u32),
    /// A number of random plies from a position; with 0 every game begins there.
    From {
        /// The position, in any notation of the game.
        position: String,
        /// The plies.
        plies: u32,
    },
    /// The openings of a list, in order; after the last one the list starts again.
    Listed(Arc<OpeningList>),
    /// This number of random plies from the start, if the game's engine finds the position [even](EVEN). Openings that
    /// are found are kept in the store.
    Balanced(u32),
}

/// The openings of a file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningList {
    /// The name of the list.
    pub name: String,
    /// The lines: a position, `None` for the start, and the moves from there.
    pub lines: Vec<(Option<String>, String)>,
}

/// An opening is even when the engine expects a score within this distance of ½.
pub const EVEN: f64 = 0.1;

/// The node limit of the engine's search that judges an opening.
const JUDGE_NODES: u64 = 20_000;

/// How many openings are drawn to find one that has not occurred before: small games have few openings.
const MAX_DRAWS: usize = 100;

/// How many random openings are judged to find an even one.
const MAX_JUDGED: usize = 1_000;

/// How many past openings are remembered to avoid repetitions; bounds the memory of long matches.
const MAX_REMEMBERED: usize = 1 << 16;

impl OpeningList {
    /// Reads a list. Each line has moves from the start, or a position in quotation marks and moves from there. Blank lines,
    /// text after `#` and a byte order mark are ignored.
    ///
    /// # Errors
    /// `bad_opening`: the number of the first line that cannot be read or played, and why; `out_of_range` for an empty list.
    pub fn read(name: &str, text: &str, game: &dyn AnyGame, rules: Option<&str>) -> Result<OpeningList, Error> {
        OpeningList::read_lines(name, text, "line", game, rules)
    }

    /// Reads a list; error messages call its lines `word`.
    pub(crate) fn read_lines(
        name: &str,
        text: &str,
        word: &str,
        game: &dyn AnyGame,
        rules: Option<&str>,
    ) -> Result<OpeningList, Error> {
        let in_line = |number: usize, reason: &str| {
            Error::new(ErrorCode::BadOpening, format!("{name}, {word} {number}: {reason}")).at(number)
        };
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (position, moves) = match line.strip_prefix('"').map(|rest| rest.split_once('"')) {
                None => (None, line.to_owned()),
                Some(Some((position, moves))) => (Some(position.to_owned()), moves.trim().to_owned()),
                Some(None) => return Err(in_line(number, "the quotation mark is not closed")),
            };
            let state = begin(game, rules, position.as_deref(), &moves);
            let state = state.map_err(|error| in_line(number, &error.message))?;
            if state.outcome().is_some() {
                return Err(in_line(number, "the game is over after this opening"));
            }
            lines.push((position, moves));
        }
        if lines.is_empty() {
            return Err(Error::new(ErrorCode::OutOfRange, format!("{name} holds no opening")).arg("key", "openings"));
        }
        Ok(OpeningList { name: name.to_owned(), lines })
    }
}

/// A game state at a position with moves played.
pub(crate) fn begin(
    game: &dyn AnyGame,
    rules: Option<&str>,
    position: Option<&str>,
    moves: &str,
) -> Result<Box<dyn AnyState>, Error> {
    let mut state = game.state(rules, position)?;
    state.play_texts(&[moves])?;
    Ok(state)
}

/// The start positions of a game.
///
/// # Errors
/// `out_of_range` where all its games begin from the same one.
fn starts(game: &dyn AnyGame) -> Result<StartFn, Error> {
    game.starts().ok_or_else(|| {
        let message = format!("all games of {} begin from the same start", game.info().name);
        Error::new(ErrorCode::OutOfRange, message).arg("key", "openings")
    })
}

/// Plays random moves until so many plies are played or the game is over, and returns how many they were.
fn play_random(state: &mut dyn AnyState, plies: u32, rng: &mut Rng) -> u32 {
    let one = |_: &u32| {
        let legal = state.legal();
        !legal.is_empty() && state.play(legal[rng.index(legal.len())]).is_ok()
    };
    (0..plies).take_while(one).count() as u32
}

/// A random opening, one of `seen` only where the draws find no other.
///
/// # Errors
/// `out_of_range` where no draw is a game of so many plies that goes on after them.
fn random(start: &dyn AnyState, plies: u32, seed: u64, seen: &HashSet<u64>) -> Result<Box<dyn AnyState>, Error> {
    let mut repeated = None;
    for attempt in 0..MAX_DRAWS {
        let mut rng = Rng::new(mix(seed ^ attempt as u64));
        let mut state = start.copy();
        if play_random(state.as_mut(), plies, &mut rng) < plies || state.outcome().is_some() {
            continue;
        }
        if !seen.contains(&state.key()) {
            return Ok(state);
        }
        repeated = Some(state);
    }
    repeated.ok_or_else(|| {
        let message = if start.outcome().is_some() {
            "the game is over in the position that games begin at".to_owned()
        } else {
            format!("no random game goes on after {plies} plies: random:N begins after fewer")
        };
        Error::new(ErrorCode::OutOfRange, message).arg("key", "openings").arg("value", plies)
    })
}

/// Random plies before the players begin, where games are long.
const USUAL_PLIES: u32 = 8;

impl Openings {
    /// Whether games can begin with these openings, before the first one is wanted.
    ///
    /// # Errors
    /// `out_of_range` where all games begin from the same start, or no random game goes on after so many plies;
    /// `unknown_player` where the game has no engine that finds even positions.
    pub(crate) fn check(&self, game: &dyn AnyGame, rules: Option<&str>) -> Result<(), Error> {
        match self {
            Openings::Starts => starts(game).map(drop),
            Openings::Random(plies) | Openings::From { plies, .. } => {
                random(game.state(rules, self.position())?.as_ref(), *plies, 0, &HashSet::new()).map(drop)
            }
            Openings::Balanced(plies) => {
                game.player(rules, "engine", 0)?;
                random(game.state(rules, None)?.as_ref(), *plies, 0, &HashSet::new()).map(drop)
            }
            Openings::Listed(_) => Ok(()),
        }
    }

    /// The default openings of a game: its own starts if it has many, else eight random plies, or as many as are a third of the
    /// longest of some random games.
    #[must_use]
    pub fn usual(game: &dyn AnyGame) -> Openings {
        if game.starts().is_some() {
            return Openings::Starts;
        }
        let plies = |seed| {
            let mut state = game.state(None, None).ok()?;
            Some(play_random(state.as_mut(), 3 * USUAL_PLIES, &mut Rng::new(seed)))
        };
        Openings::Random((0..8).filter_map(plies).max().map_or(USUAL_PLIES, |longest| longest / 3))
    }

    /// The position that all games begin at, where it is not the game's start.
    fn position(&self) -> Option<&str> {
        match self {
            Openings::From { position, .. } => Some(position),
            _ => None,
        }
    }

    /// A text that differs for different openings.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Openings::Starts => "starts".to_owned(),
            Openings::Random(plies) => format!("random:{plies}"),
            Openings::From { position, plies: 0 } => format!("position:{position}"),
            Openings::From { position, plies } => format!("random:{plies} from position:{position}"),
            Openings::Balanced(plies) => format!("balanced:{plies}"),
            Openings::Listed(list) => {
                let text: Vec<String> =
                    list.lines.iter().map(|(position, moves)| format!("{position:?} {moves}")).collect();
                // The folder is not part of the name: a list that was moved is the same list.
                let name = Path::new(&list.name).file_name().unwrap_or_default().to_string_lossy();
                format!("file:{name}#{:016x}", digest(text.join("\n").as_bytes()))
            }
        }
    }
}

/// The openings of a match in the order of its pairs. The opening of a pair depends only on the match and the number of the
/// pair.
pub(crate) struct OpeningSequence<'a> {
    game: &'a dyn AnyGame,
    rules: Option<&'a str>,
    openings: &'a Openings,
    seed: u64,
    store: &'a Store,
    start: Box<dyn AnyState>,
    /// How many openings have been returned.
    count: usize,
    /// The keys of the positions after them, and their order.
    seen: HashSet<u64>,
    order: VecDeque<u64>,
}

impl<'a> OpeningSequence<'a> {
    pub(crate) fn new(matchup: &'a Match<'_>, store: &'a Store) -> Result<Self, Error> {
        let (game, rules) = (matchup.game, matchup.spec.rules.as_deref());
        Ok(OpeningSequence {
            game,
            rules,
            openings: &matchup.spec.openings,
            seed: matchup.spec.seed,
            store,
            start: game.state(rules, matchup.spec.openings.position())?,
            count: 0,
            seen: HashSet::new(),
            order: VecDeque::new(),
        })
    }

    /// The opening of the next pair.
    pub(crate) fn next_opening(&mut self, stop: &StopFlag) -> Result<Opening, Error> {
        let index = self.count;
        self.count += 1;
        match self.openings {
            Openings::Starts => {
                let position = starts(self.game)?(self.seed, index + 1);
                let state = self.game.state(self.rules, Some(&position))?;
                Ok(Opening::of(Some(position), state.as_ref()))
            }
            Openings::Random(plies) | Openings::From { plies, .. } => {
                let state = random(self.start.as_ref(), *plies, mix(self.seed ^ mix(index as u64)), &self.seen)?;
                self.remember(state.as_ref());
                Ok(Opening::of(self.openings.position().map(str::to_owned), state.as_ref()))
            }
            Openings::Listed(list) => {
                let (position, moves) = &list.lines[index % list.lines.len()];
                let state = begin(self.game, self.rules, position.as_deref(), moves)?;
                Ok(Opening::of(position.clone(), state.as_ref()))
            }
            Openings::Balanced(plies) => {
                let state = self.balanced(*plies, index, stop)?;
                self.remember(state.as_ref());
                Ok(Opening::of(None, state.as_ref()))
            }
        }
    }

    /// Remembers a position, so that it is not returned again soon.
    fn remember(&mut self, state: &dyn AnyState) {
        if self.seen.insert(state.key()) {
            self.order.push_back(state.key());
            if self.order.len() > MAX_REMEMBERED {
                self.order.pop_front().map(|oldest| self.seen.remove(&oldest));
            }
        }
    }

    /// Even opening number `index`: from the store, or searched for and stored. All matches with the same game, rules,
    /// engine and number of plies share these openings, whatever their seeds.
    fn balanced(&mut self, plies: u32, index: usize, stop: &StopFlag) -> Result<Box<dyn AnyState>, Error> {
        let rules = self.rules.or_else(|| self.game.info().rules.first().copied()).unwrap_or_default();
        let family = format!("{} {rules} balanced:{plies} {}", self.game.info().name, version());
        if let Some(moves) = self.store.opening(&family, index)? {
            return begin(self.game, self.rules, None, &moves);
        }
        let mut engine = self.game.player(self.rules, "engine", 0)?;
        for candidate in 0..MAX_JUDGED {
            let seed = mix(mix(index as u64) ^ (candidate as u64) << 32);
            let state = random(self.start.as_ref(), plies, seed, &self.seen)?;
            engine.new_game(state.as_ref(), 0)?;
            let report = engine.think(AnyTask {
                state: state.as_ref(),
                limits: Limits::nodes(JUDGE_NODES),
                clock: &CpuClock::default(),
                stop,
                threads: 1,
                lines: 1,
                progress: None,
            })?;
            if stop.stopped() {
                return Err(Error::new(ErrorCode::Stopped, "stopped during the search for openings"));
            }
            if (report.value() - 0.5).abs() <= EVEN {
                // Another match may have stored one at the same time: the first one is kept.
                let moves = self.store.save_opening(&family, index, &state.move_texts("").join(" "), report.value())?;
                return begin(self.game, self.rules, None, &moves);
            }
        }
        let message = format!("of {MAX_JUDGED} random openings of {plies} plies none is even for the engine");
        Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "openings"))
    }
}
