//! Where the pairs of a match begin.

use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use banmen_catalog::{AnyGame, AnyState, AnyTask, CpuClock, Error, ErrorCode};
use banmen_game::{Rng, mix};
use banmen_search::{Limits, StopFlag};

use crate::store::Store;
use crate::version::{digest, version};

/// What the pairs of a match begin with.
#[derive(Clone, Debug, PartialEq)]
pub enum Openings {
    /// The game's own starts: each pair gets the next one of the series that the seed names.
    Starts,
    /// So many random plies from the start.
    Random(u32),
    /// Openings of a list, in its order, and again from its beginning when it is at its end.
    Listed(Arc<OpeningList>),
    /// So many random plies from the start, kept where the game's engine finds them [even](EVEN). The arena looks for them once and keeps
    /// them in the store.
    Balanced(u32),
}

/// Openings as a file lists them.
#[derive(Debug, PartialEq)]
pub struct OpeningList {
    /// What the list is called.
    pub name: String,
    /// The lines: a position, if it is not the start, and moves from there.
    pub lines: Vec<(Option<String>, String)>,
}

/// An opening is even when the engine expects a score this near ½ of it.
pub const EVEN: f64 = 0.1;

/// Positions that the engine may look at to judge an opening.
const JUDGED_BY: u64 = 20_000;

/// How often another opening is drawn before a repeated one is taken: small games have few openings.
const TRIES: usize = 100;

/// Random openings that are looked at for one even one.
const LOOKED_AT: usize = 1_000;

/// Openings that are remembered to avoid repeating them. More would cost memory in long matches.
const REMEMBERED: usize = 1 << 16;

impl OpeningList {
    /// Reads a list: on each line moves from the start, or a position in quotation marks and moves from there. What
    /// follows a `#` and blank lines are passed over.
    ///
    /// # Errors
    /// The number of the first line that cannot be read or played, and why; `out_of_range` for an empty list.
    pub fn read(name: &str, text: &str, game: &dyn AnyGame, rules: Option<&str>) -> Result<OpeningList, Error> {
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (position, moves) = match line.strip_prefix('"').map(|rest| rest.split_once('"')) {
                None => (None, line.to_owned()),
                Some(Some((position, moves))) => (Some(position.to_owned()), moves.trim().to_owned()),
                Some(None) => return Err(in_line(name, number, "the quotation mark is not closed")),
            };
            let state = begin(game, rules, position.as_deref(), &moves);
            let state = state.map_err(|error| in_line(name, number, &error.message))?;
            if state.outcome().is_some() {
                return Err(in_line(name, number, "the game is over after this opening"));
            }
            lines.push((position, moves));
        }
        if lines.is_empty() {
            return Err(Error::new(ErrorCode::OutOfRange, format!("{name} holds no opening")).arg("key", "openings"));
        }
        Ok(OpeningList { name: name.to_owned(), lines })
    }
}

fn in_line(name: &str, number: usize, reason: &str) -> Error {
    Error::new(ErrorCode::BadOpening, format!("{name}, line {number}: {reason}")).at(number)
}

/// A game state at a position with moves played.
fn begin(
    game: &dyn AnyGame,
    rules: Option<&str>,
    position: Option<&str>,
    moves: &str,
) -> Result<Box<dyn AnyState>, Error> {
    let mut state = game.state(rules, position)?;
    state.play_texts(&[moves])?;
    Ok(state)
}

impl Openings {
    /// What a game's matches begin with unless told otherwise: its own starts, if it has many, or eight random plies.
    #[must_use]
    pub fn usual(game: &dyn AnyGame) -> Openings {
        if game.starts().is_some() { Openings::Starts } else { Openings::Random(8) }
    }

    /// What tells these openings from others.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Openings::Starts => "starts".to_owned(),
            Openings::Random(plies) => format!("random:{plies}"),
            Openings::Balanced(plies) => format!("balanced:{plies}"),
            Openings::Listed(list) => {
                let text: Vec<String> =
                    list.lines.iter().map(|(position, moves)| format!("{position:?} {moves}")).collect();
                // The same list is the same wherever it lies.
                let name = Path::new(&list.name).file_name().unwrap_or_default().to_string_lossy();
                format!("file:{name}#{:016x}", digest(text.join("\n").as_bytes()))
            }
        }
    }
}

/// The beginning of both games of a pair.
pub(crate) struct Opening {
    /// The position; `None` is the start.
    pub(crate) position: Option<String>,
    /// The game after the opening's moves.
    pub(crate) state: Box<dyn AnyState>,
}

/// Deals the openings of a match in order: which one a pair gets follows from the seed and its number alone.
pub(crate) struct Deck<'a> {
    game: &'a dyn AnyGame,
    rules: Option<&'a str>,
    openings: &'a Openings,
    seed: u64,
    store: &'a Store,
    start: Box<dyn AnyState>,
    dealt: usize,
    seen: HashSet<u64>,
    order: VecDeque<u64>,
}

impl<'a> Deck<'a> {
    pub(crate) fn new(
        game: &'a dyn AnyGame,
        rules: Option<&'a str>,
        openings: &'a Openings,
        seed: u64,
        store: &'a Store,
    ) -> Result<Self, Error> {
        let start = game.state(rules, None)?;
        Ok(Deck { game, rules, openings, seed, store, start, dealt: 0, seen: HashSet::new(), order: VecDeque::new() })
    }

    /// The next pair's opening.
    pub(crate) fn deal(&mut self, stop: &StopFlag) -> Result<Opening, Error> {
        let index = self.dealt;
        self.dealt += 1;
        match self.openings {
            Openings::Starts => {
                let name = self.game.info().name;
                let one = || {
                    Error::new(ErrorCode::OutOfRange, format!("all games of {name} begin from the same start"))
                        .arg("key", "openings")
                };
                let position = self.game.starts().ok_or_else(one)?(self.seed, index + 1);
                let state = self.game.state(self.rules, Some(&position))?;
                Ok(Opening { position: Some(position), state })
            }
            Openings::Random(plies) => {
                let state = self.random(*plies, mix(self.seed ^ mix(index as u64)))?;
                self.remember(state.as_ref());
                Ok(Opening { position: None, state })
            }
            Openings::Listed(list) => {
                let (position, moves) = &list.lines[index % list.lines.len()];
                let state = begin(self.game, self.rules, position.as_deref(), moves)?;
                Ok(Opening { position: position.clone(), state })
            }
            Openings::Balanced(plies) => {
                let state = self.balanced(*plies, index, stop)?;
                self.remember(state.as_ref());
                Ok(Opening { position: None, state })
            }
        }
    }

    /// Remembers what was dealt.
    fn remember(&mut self, state: &dyn AnyState) {
        if self.seen.insert(state.key()) {
            self.order.push_back(state.key());
            if self.order.len() > REMEMBERED {
                self.order.pop_front().map(|oldest| self.seen.remove(&oldest));
            }
        }
    }

    /// A random opening that was not dealt lately, if there is one.
    fn random(&self, plies: u32, seed: u64) -> Result<Box<dyn AnyState>, Error> {
        let mut repeated = None;
        for attempt in 0..TRIES {
            let mut rng = Rng::new(mix(seed ^ attempt as u64));
            let mut state = self.start.copy();
            let whole = (0..plies).all(|_| {
                let legal = state.legal();
                !legal.is_empty() && state.play(legal[rng.index(legal.len())]).is_ok()
            });
            if !whole || state.outcome().is_some() {
                continue;
            }
            if !self.seen.contains(&state.key()) {
                return Ok(state);
            }
            repeated = Some(state);
        }
        repeated.ok_or_else(|| {
            Error::new(ErrorCode::OutOfRange, format!("random games end before {plies} plies"))
                .arg("key", "openings")
                .arg("value", plies)
        })
    }

    /// Even opening number `index` of this game: from the store, or looked for and put there. All matches of a game,
    /// an engine and a number of plies share them, whatever their seeds.
    fn balanced(&mut self, plies: u32, index: usize, stop: &StopFlag) -> Result<Box<dyn AnyState>, Error> {
        let rules = self.rules.or_else(|| self.game.info().rules.first().copied()).unwrap_or_default();
        let family = format!("{} {rules} balanced:{plies} {}", self.game.info().name, version());
        if let Some(moves) = self.store.opening(&family, index)? {
            return begin(self.game, self.rules, None, &moves);
        }
        let mut engine = self.game.player(self.rules, "engine", 0)?;
        for look in 0..LOOKED_AT {
            let state = self.random(plies, mix(mix(index as u64) ^ (look as u64) << 32))?;
            engine.new_game(state.as_ref(), 0)?;
            let report = engine.think(AnyTask {
                state: state.as_ref(),
                limits: Limits::nodes(JUDGED_BY),
                clock: &CpuClock::default(),
                stop,
                threads: 1,
                lines: 1,
                progress: None,
            })?;
            if stop.stopped() {
                return Err(Error::new(ErrorCode::Stopped, "stopped while openings were looked for"));
            }
            if (report.value() - 0.5).abs() <= EVEN {
                // Another match may have found its own at the same time: the first one stands.
                let moves = self.store.keep_opening(&family, index, &state.move_texts("").join(" "), report.value())?;
                return begin(self.game, self.rules, None, &moves);
            }
        }
        let message = format!("of {LOOKED_AT} random openings of {plies} plies none is even for the engine");
        Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "openings"))
    }
}
