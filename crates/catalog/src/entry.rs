//! A game's entry: its types on the inside, [`AnyGame`] on the outside.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use banmen_game::{Game, GameState, MovePrefix, Notation, Outcome, PassCost, Side};
use banmen_search::alphabeta::{AlphaBeta, NoEvaluation};
use banmen_search::mcts::Uniform;
use banmen_search::{Limits, Player, RandomPlayer, Report, Task};

use crate::error::quote;
use crate::face::{Bounds, Sides};
use crate::{
    AnyGame, AnyPlayer, AnyRecord, AnyState, AnyTask, Board, Data, Error, ErrorCode, FaultCost, Format, Header, Info,
    Key, Kind, Labels, MAX_LISTED_MOVES, Measure, MeasureInfo, Observation, Options, PlayerInfo, PlayerText, Sampling,
    Solution, Table, TableFile, Tabled, View,
};

/// A player as a game's entry lists it.
pub struct PlayerEntry<G> {
    /// The name in a player's text.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The paper or measurement behind it.
    pub source: &'static str,
    /// Everything that can be set.
    pub keys: &'static [Key],
    /// Makes it.
    pub make: MakeFn<G>,
}

/// Makes a player of a game under the rules that it will play by, from the values of its keys, a seed, and what lies in
/// the data folder.
pub type MakeFn<G> = fn(&G, &Options, u64, &Data) -> Result<Box<dyn Player<G>>, Error>;

/// The text of a start position: of a series, the one of this number.
pub type StartFn = fn(series: u64, number: usize) -> String;

/// Counts move sequences faster than the generic perft.
pub type PerftFn<G> = fn(&G, &<G as Game>::Position, u32, PassCost, &dyn Fn() -> bool) -> Option<u64>;

/// Solves a position: all moves or only the best. It may look into the data folder.
pub type SolveFn<G> = fn(&GameState<G>, bool, &Bounds<'_>, &Data, &mut dyn FnMut(&Solution)) -> Result<Solution, Error>;

/// Tells the share that is done, and hears whether to break off.
type Progress<'a> = &'a (dyn Fn(f64) -> ControlFlow<()> + Sync);

/// What is done with the tables of a game.
struct TableFns<G> {
    build: fn(&G, &Data, bool, Progress<'_>) -> Result<TableFile, Error>,
    census: fn(&G, &Data, Progress<'_>) -> Result<Table, Error>,
}

/// What a game brings into the house. It starts with three players that every game has: `random`, `mcts`, and
/// `engine`, the generic alpha-beta without knowledge of the game; a game puts its own engine in its place.
pub struct Entry<G: Game> {
    info: Info,
    rules: Vec<G>,
    players: Vec<PlayerEntry<G>>,
    perft: PerftFn<G>,
    solve: Option<SolveFn<G>>,
    tables: Option<TableFns<G>>,
    measures: Vec<Measure<G>>,
    formats: Vec<Format<G>>,
    starts: Option<StartFn>,
    bench_positions: &'static [&'static str],
    bench_depth: u32,
    bench_measures: Vec<&'static str>,
    data: OnceLock<Data>,
}

const RANDOM_KEYS: &[Key] = &[];

/// Keys of the generic engine.
const ENGINE_KEYS: &[Key] = &[
    Key {
        name: "level",
        kind: Kind::Integer(1, 10),
        default: "10",
        summary: "strength for people: plies looked ahead, without bound at 10",
        source: "one ply a level",
    },
    Key {
        name: "table",
        kind: Kind::Integer(1, 4096),
        default: "16",
        summary: "transposition table in MiB",
        source: "holds a million positions",
    },
];

impl<G: Game + Notation + View> Entry<G> {
    /// A game under its default rules.
    pub fn new(name: &'static str, game: G) -> Self {
        let title = Labels { en: name, ja: name };
        let sides =
            Sides { first: Labels { en: "First", ja: "先手" }, second: Labels { en: "Second", ja: "後手" } };
        let info = Info {
            name,
            title,
            summary: "",
            rules: vec!["default"],
            dialects: game.dialects(),
            view: "grid",
            sides,
            solvable: false,
            remembers: false,
            fault_costs: FaultCost::default(),
        };
        let random = PlayerEntry {
            name: "random",
            summary: "each legal move with the same chance",
            source: "",
            keys: RANDOM_KEYS,
            make: |_: &G, _, seed, _| Ok(Box::new(RandomPlayer::new(seed))),
        };
        let engine = PlayerEntry {
            name: "engine",
            summary: "alpha-beta to the end of the game, without an evaluation",
            source: "",
            keys: ENGINE_KEYS,
            make: |_: &G, options, _, _| {
                let level = options.integer("level") as u32;
                let limits = if level == 10 { Limits::default() } else { Limits::depth(level) };
                Ok(Box::new(AlphaBeta::new(NoEvaluation, (options.integer("table") as usize) << 20, limits)))
            },
        };
        Entry {
            info,
            rules: vec![game],
            players: vec![engine, crate::mcts::<G, Uniform<G::Move>>(), random],
            perft: banmen_game::perft::<G>,
            solve: None,
            tables: None,
            measures: Vec::new(),
            formats: Vec::new(),
            starts: None,
            bench_positions: &["start"],
            bench_depth: 8,
            bench_measures: Vec::new(),
            data: OnceLock::new(),
        }
    }

    /// The name for people, in English and Japanese.
    #[must_use]
    pub fn title(mut self, en: &'static str, ja: &'static str) -> Self {
        self.info.title = Labels { en, ja };
        self
    }

    /// What the game is, in a line.
    #[must_use]
    pub fn summary(mut self, summary: &'static str) -> Self {
        self.info.summary = summary;
        self
    }

    /// What the two sides are called, in English and Japanese.
    #[must_use]
    pub fn sides(mut self, first: (&'static str, &'static str), second: (&'static str, &'static str)) -> Self {
        let labels = |(en, ja)| Labels { en, ja };
        self.info.sides = Sides { first: labels(first), second: labels(second) };
        self
    }

    /// The page's descriptor for the board.
    #[must_use]
    pub fn view(mut self, view: &'static str) -> Self {
        self.info.view = view;
        self
    }

    /// Positions hold more than their text says; see [`Info::remembers`].
    #[must_use]
    pub fn remembers(mut self) -> Self {
        self.info.remembers = true;
        self
    }

    /// An illegal or a late move costs the turn, for which the game's pass stands, and not the game.
    #[must_use]
    pub fn fault_costs_turn(mut self) -> Self {
        self.info.fault_costs = FaultCost::Turn;
        self
    }

    /// What the default rules are called, in place of `default`.
    #[must_use]
    pub fn default_rules(mut self, name: &'static str) -> Self {
        self.info.rules[0] = name;
        self
    }

    /// One more variant of the rules.
    #[must_use]
    pub fn rules(mut self, name: &'static str, game: G) -> Self {
        self.info.rules.push(name);
        self.rules.push(game);
        self
    }

    /// One more player; one of the same name is replaced.
    #[must_use]
    pub fn player(mut self, player: PlayerEntry<G>) -> Self {
        match self.players.iter_mut().find(|known| known.name == player.name) {
            Some(known) => *known = player,
            None => self.players.push(player),
        }
        self
    }

    /// A faster perft.
    #[must_use]
    pub fn perft(mut self, perft: PerftFn<G>) -> Self {
        self.perft = perft;
        self
    }

    /// An exact solver.
    #[must_use]
    pub fn solver(mut self, solve: SolveFn<G>) -> Self {
        self.solve = Some(solve);
        self.info.solvable = true;
        self
    }

    /// The tables by which the game is solved.
    #[must_use]
    pub fn tables(mut self) -> Self
    where
        G: Tabled,
    {
        self.tables = Some(TableFns {
            build: |game, data, anew, progress| data.build(game, anew, progress),
            census: |game, data, progress| {
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                game.census(data.table(game)?.as_ref(), threads, progress)
            },
        });
        self
    }

    /// One more measurement.
    #[must_use]
    pub fn measure(mut self, measure: Measure<G>) -> Self {
        self.measures.push(measure);
        self
    }

    /// One more measurement, which `banmen bench` shows beside the searches.
    #[must_use]
    pub fn bench_measure(mut self, measure: Measure<G>) -> Self {
        self.bench_measures.push(measure.info.name);
        self.measure(measure)
    }

    /// One more format of whole games.
    #[must_use]
    pub fn format(mut self, format: Format<G>) -> Self {
        self.formats.push(format);
        self
    }

    /// Games begin from many starts, told apart by number: what matches begin with unless told otherwise.
    #[must_use]
    pub fn starts(mut self, start: StartFn) -> Self {
        self.starts = Some(start);
        self
    }

    /// Positions for `banmen bench`, in place of the start alone.
    #[must_use]
    pub fn bench_positions(mut self, positions: &'static [&'static str]) -> Self {
        self.bench_positions = positions;
        self
    }

    /// How many plies the engine looks ahead in `banmen bench`, in place of 8: what takes it some seconds at most.
    #[must_use]
    pub fn bench_depth(mut self, depth: u32) -> Self {
        self.bench_depth = depth;
        self
    }

    /// The data folder; without one until [`AnyGame::lend`].
    fn data(&self) -> &Data {
        self.data.get_or_init(Data::default)
    }

    /// A complaint about a table, with the command that mends it.
    fn advise(&self, game: &G, error: Error) -> Error {
        let does = match error.code {
            ErrorCode::TableMissing => "builds it",
            ErrorCode::TableRefused => "makes it anew",
            _ => return error,
        };
        let variant = self.rules.iter().position(|known| known == game).filter(|&variant| variant > 0);
        let rules = variant.and_then(|variant| self.info.rules.get(variant));
        let rules = rules.map_or_else(String::new, |name| format!(" --rules {name}"));
        let message = format!("{}; `banmen solve {}{rules} --build` {does}", error.message, self.info.name);
        Error { message, ..error }
    }

    fn named_format(&self, name: &str) -> Result<&Format<G>, Error> {
        self.formats.iter().find(|format| format.name == name).ok_or_else(|| {
            Error::unknown(
                ErrorCode::UnknownFormat,
                "format called",
                name,
                self.formats.iter().map(|format| format.name),
            )
        })
    }

    fn tables_or_error(&self) -> Result<&TableFns<G>, Error> {
        let none = || Error::new(ErrorCode::Unsupported, format!("{} has no tables", self.info.name));
        self.tables.as_ref().ok_or_else(none)
    }

    fn named_rules(&self, name: Option<&str>) -> Result<&G, Error> {
        let Some(name) = name else { return Ok(&self.rules[0]) };
        let at = self.info.rules.iter().position(|known| *known == name);
        at.map(|at| &self.rules[at]).ok_or_else(|| {
            Error::unknown(
                ErrorCode::UnknownRules,
                "variant of the rules called",
                name,
                self.info.rules.iter().copied(),
            )
        })
    }

    /// A measurement from its text, with what it is taken on.
    fn named_measure(&self, rules: Option<&str>, text: &str) -> Result<(&G, &Measure<G>, Options), Error> {
        let game = self.named_rules(rules)?;
        let name = PlayerText::name_of(text);
        let Some(measure) = self.measures.iter().find(|measure| measure.info.name == name) else {
            let known = self.measures.iter().map(|measure| measure.info.name);
            return Err(Error::unknown(ErrorCode::UnknownMeasure, "measurement", name, known));
        };
        let text = PlayerText::parse(text)?;
        Ok((game, measure, Options::new(measure.info.keys, &text.pairs)?))
    }
}

impl<G: Game + Notation + View> AnyGame for Entry<G> {
    fn info(&self) -> &Info {
        &self.info
    }

    fn state(&self, rules: Option<&str>, position: Option<&str>) -> Result<Box<dyn AnyState>, Error> {
        let game = self.named_rules(rules)?;
        let state = match position {
            None | Some("start") => GameState::new(game.clone()),
            Some(text) => {
                let (game, position) = game.parse_position(text).map_err(|error| Error::position(&error))?;
                GameState::from(game, position)
            }
        };
        Ok(Box::new(ErasedState { state, perft: self.perft }))
    }

    fn players(&self) -> Vec<PlayerInfo> {
        self.players
            .iter()
            .map(|player| PlayerInfo {
                name: player.name,
                summary: player.summary,
                source: player.source,
                keys: player.keys,
            })
            .collect()
    }

    fn player(&self, rules: Option<&str>, text: &str, seed: u64) -> Result<Box<dyn AnyPlayer>, Error> {
        let game = self.named_rules(rules)?;
        let name = PlayerText::name_of(text);
        let Some(entry) = self.players.iter().find(|player| player.name == name) else {
            let known = self.players.iter().map(|player| player.name);
            return Err(Error::unknown(ErrorCode::UnknownPlayer, "player", name, known));
        };
        let text = PlayerText::parse(text)?;
        let options = Options::new(entry.keys, &text.pairs)?;
        let player = (entry.make)(game, &options, seed, self.data()).map_err(|error| self.advise(game, error))?;
        Ok(Box::new(ErasedPlayer { player }))
    }

    fn solve(
        &self,
        state: &dyn AnyState,
        all: bool,
        bounds: &Bounds<'_>,
        progress: &mut dyn FnMut(&Solution),
    ) -> Result<Solution, Error> {
        let Some(solve) = self.solve else {
            return Err(Error::new(ErrorCode::Unsupported, format!("{} has no solver", self.info.name)));
        };
        let state = inside::<G>(state)?;
        solve(state, all, bounds, self.data(), progress).map_err(|error| self.advise(state.game(), error))
    }

    fn lend(&self, data: &Data) {
        // Whoever lends first has lent: games do not move house.
        let _ = self.data.set(data.clone());
    }

    fn build_table(&self, rules: Option<&str>, anew: bool, progress: Progress<'_>) -> Result<TableFile, Error> {
        (self.tables_or_error()?.build)(self.named_rules(rules)?, self.data(), anew, progress)
    }

    fn census(&self, rules: Option<&str>, progress: Progress<'_>) -> Result<Table, Error> {
        let game = self.named_rules(rules)?;
        (self.tables_or_error()?.census)(game, self.data(), progress).map_err(|error| self.advise(game, error))
    }

    fn measures(&self) -> Vec<MeasureInfo> {
        self.measures.iter().map(|measure| measure.info).collect()
    }

    fn measure_info(&self, rules: Option<&str>, text: &str) -> Result<MeasureInfo, Error> {
        self.named_measure(rules, text).map(|(_, measure, _)| measure.info)
    }

    fn measure(&self, rules: Option<&str>, text: &str, sampling: &Sampling<'_>) -> Result<Vec<Observation>, Error> {
        let (game, measure, options) = self.named_measure(rules, text)?;
        (measure.sample)(game, &options, sampling)
            .ok_or_else(|| Error::new(ErrorCode::Stopped, "the measurement was stopped"))
    }

    fn formats(&self) -> Vec<&'static str> {
        self.formats.iter().map(|format| format.name).collect()
    }

    fn write_game(&self, format: &str, header: &Header, state: &dyn AnyState) -> Result<String, Error> {
        Ok((self.named_format(format)?.write)(header, inside::<G>(state)?))
    }

    fn read_games(&self, format: &str, rules: Option<&str>, text: &[u8]) -> Result<Vec<AnyRecord>, Error> {
        let games = (self.named_format(format)?.read)(self.named_rules(rules)?, text)?;
        let face = |state| Box::new(ErasedState { state, perft: self.perft });
        Ok(games.into_iter().map(|(header, state)| AnyRecord { header, state: face(state) }).collect())
    }

    fn start(&self, series: u64, number: usize) -> Option<String> {
        self.starts.map(|start| start(series, number))
    }

    fn bench_positions(&self) -> &'static [&'static str] {
        self.bench_positions
    }

    fn bench_depth(&self) -> u32 {
        self.bench_depth
    }

    fn bench_measures(&self) -> &[&'static str] {
        &self.bench_measures
    }
}

/// The game state behind a face, if it is one of this game.
fn inside<G: Game>(state: &dyn AnyState) -> Result<&GameState<G>, Error> {
    match state.as_any().downcast_ref::<ErasedState<G>>() {
        Some(face) => Ok(&face.state),
        None => Err(Error::new(ErrorCode::ForeignWalk, "the position belongs to another game")),
    }
}

/// A player behind its face.
struct ErasedPlayer<G: Game> {
    player: Box<dyn Player<G>>,
}

impl<G: Game> AnyPlayer for ErasedPlayer<G> {
    fn new_game(&mut self, start: &dyn AnyState, seed: u64) -> Result<(), Error> {
        self.player.new_game(inside::<G>(start)?, seed);
        Ok(())
    }

    fn think(&mut self, task: AnyTask<'_>) -> Result<Report<u32>, Error> {
        let state = inside::<G>(task.state)?;
        if state.outcome().is_some() {
            return Err(Error::new(ErrorCode::GameOver, "the game is over: there is no move to choose"));
        }
        let game = state.game();
        let mut listened =
            task.progress.map(|progress| move |report: &Report<G::Move>| progress(&report.map(|m| game.pack(m))));
        let report = self.player.think(Task {
            state,
            limits: task.limits,
            clock: task.clock,
            stop: task.stop,
            lines: task.lines.max(1),
            threads: task.threads.max(1),
            progress: listened.as_mut().map(|listened| listened as &mut dyn FnMut(&Report<G::Move>)),
        });
        Ok(report.map(|m| game.pack(m)))
    }
}

/// A game state behind its face.
struct ErasedState<G: Game> {
    state: GameState<G>,
    perft: PerftFn<G>,
}

impl<G: Game + Notation> ErasedState<G> {
    /// Reads one move, first playing the forced one that the text leaves out. Says whether one was played.
    fn read_implied(&mut self, text: &str) -> Result<G::Move, banmen_game::TextError> {
        let game = self.state.game();
        if let Some(implied) = game.implied_move(self.state.position(), text) {
            let mut next = self.state.position().clone();
            game.play(&mut next, implied);
            let m = game.parse_move(&next, text)?;
            self.state.play(implied);
            return Ok(m);
        }
        game.parse_move(self.state.position(), text)
    }
}

impl<G: Game + Notation + View> AnyState for ErasedState<G> {
    fn side_to_move(&self) -> Side {
        self.state.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.state.outcome()
    }

    fn legal(&self) -> Vec<u32> {
        if self.outcome().is_some() {
            return Vec::new();
        }
        let game = self.state.game();
        let mut moves = Vec::new();
        let _ = game.visit_moves(self.state.position(), |m| {
            moves.push(game.pack(m));
            ControlFlow::<()>::Continue(())
        });
        moves
    }

    fn visit_texts(&self, visit: &mut dyn FnMut(MovePrefix<'_>) -> bool) {
        if self.outcome().is_none() {
            self.state.game().visit_texts(self.state.position(), visit);
        }
    }

    fn legal_count(&self) -> usize {
        if self.outcome().is_some() { 0 } else { self.state.game().count_moves(self.state.position()) }
    }

    fn moves(&self) -> Vec<u32> {
        self.state.moves().iter().map(|&m| self.state.game().pack(m)).collect()
    }

    fn move_texts(&self, dialect: &str) -> Vec<String> {
        let game = self.state.game();
        let mut position = self.state.origin().clone();
        let write = |&m: &G::Move| {
            let text = game.format_move(&position, m, dialect);
            game.play(&mut position, m);
            text
        };
        self.state.moves().iter().map(write).collect()
    }

    fn play(&mut self, m: u32) -> Result<(), Error> {
        let game = self.state.game();
        match game.unpack(m) {
            Some(m) if self.outcome().is_none() && game.is_legal(self.state.position(), m) => {
                self.state.play(m);
                Ok(())
            }
            _ => Err(Error::new(ErrorCode::IllegalMove, "the move is not legal here").reason("not_a_move")),
        }
    }

    fn play_texts(&mut self, texts: &[&str]) -> Result<(), Error> {
        let split: Vec<&str> = texts.iter().flat_map(|text| self.state.game().split_moves(text)).collect();
        for (number, text) in (1..).zip(split) {
            if self.outcome().is_some() {
                return Err(Error::new(
                    ErrorCode::IllegalMove,
                    format!("move {number}: {} comes after the end of the game", quote(text)),
                )
                .reason("game_over")
                .arg("move", text)
                .at(number));
            }
            let m = self.read_implied(text).map_err(|error| Error::listed_move(number, text, &error))?;
            self.state.play(m);
        }
        Ok(())
    }

    fn pass(&self) -> Option<u32> {
        let game = self.state.game();
        let pass = game.pass().filter(|&pass| self.outcome().is_none() && game.is_legal(self.state.position(), pass));
        pass.map(|pass| game.pack(pass))
    }

    fn read(&self, text: &str) -> Result<u32, Error> {
        let game = self.state.game();
        let m = game.parse_move(self.state.position(), text).map_err(|error| {
            let listed = Error::listed_move(1, text, &error);
            Error { message: error.message, at: None, ..listed }
        })?;
        Ok(game.pack(m))
    }

    fn write(&self, m: u32, dialect: &str) -> String {
        let game = self.state.game();
        game.unpack(m)
            .filter(|&m| game.is_legal(self.state.position(), m))
            .map_or_else(|| "?".to_owned(), |m| game.format_move(self.state.position(), m, dialect))
    }

    fn write_line(&self, line: &[u32], dialect: &str) -> Vec<String> {
        let game = self.state.game();
        let mut position = self.state.position().clone();
        let mut texts = Vec::with_capacity(line.len());
        for &m in line {
            let Some(m) = game.unpack(m).filter(|&m| game.is_legal(&position, m)) else { break };
            texts.push(game.format_move(&position, m, dialect));
            game.play(&mut position, m);
        }
        texts
    }

    fn position(&self, dialect: &str) -> String {
        self.state.game().format_position(self.state.position(), dialect)
    }

    fn origin(&self, dialect: &str) -> String {
        self.state.game().format_position(self.state.origin(), dialect)
    }

    fn key(&self) -> u64 {
        self.state.game().key(self.state.position())
    }

    fn max_plies(&self) -> usize {
        self.state.game().max_plies()
    }

    fn board(&self) -> Board {
        let mut board = self.state.game().board(&self.state);
        if self.legal_count() > MAX_LISTED_MOVES {
            return board;
        }
        let dialect = self.state.game().dialects()[0];
        for m in self.legal() {
            let text = self.write(m, dialect);
            if let Some(cell) = board.cells.iter_mut().find(|cell| cell.at == text) {
                cell.tags.push("legal");
            }
        }
        board
    }

    fn perft(&self, depth: u32, passes: PassCost, stop: &dyn Fn() -> bool) -> Option<u64> {
        (self.perft)(self.state.game(), self.state.position(), depth, passes, stop)
    }

    fn copy(&self) -> Box<dyn AnyState> {
        Box::new(ErasedState { state: self.state.clone(), perft: self.perft })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
