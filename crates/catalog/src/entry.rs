//! The builder by which a game is registered.

use std::sync::Arc;

use banmen_game::{Game, Notation, PassCost, Symmetries};
use banmen_search::alphabeta::{AlphaBeta, NoEvaluation};
use banmen_search::mcts::{Amaf, Uniform};
use banmen_search::{Limits, Player, RandomPlayer};

use crate::erased_game::ErasedGame;
use crate::measure::ErasedMeasures;
use crate::ratings::ErasedRatings;
use crate::record::ErasedFormats;
use crate::solver::ErasedSolver;
use crate::tablebase::ErasedTablebases;
use crate::variants::Variants;
use crate::{
    AnyGame, Bench, Data, Error, FaultCost, FeatureSet, Format, GtpRules, HasTablebase, Info, Key, Kind, Learning,
    LocalizedName, Measure, Options, Sides, SolveFn, Tablebases, View,
};

/// A player in a game's entry.
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

/// Makes a player of a game under the rules that it will play by, from the values of its keys, a seed, and the data
/// directory.
pub type MakeFn<G> = fn(&G, &Options, u64, &Data) -> Result<Box<dyn Player<G>>, Error>;

/// The text of a start position, by the number of a series and the number of the position in it.
pub type StartFn = fn(series: u64, number: usize) -> String;

/// Counts move sequences faster than the generic perft.
pub type PerftFn<G> = fn(&G, &<G as Game>::Position, u32, PassCost, &dyn Fn() -> bool) -> Option<u64>;

/// The position with the other side to move.
pub type OtherSideFn<G> = fn(&<G as Game>::Position) -> <G as Game>::Position;

/// The points by which the first side leads in a position, below 0 if it does not lead.
pub type LeadFn<G> = fn(&<G as Game>::Position) -> i64;

/// The number of a position's class under the symmetries of the game.
pub(crate) type ClassFn<G> = fn(&G, &<G as Game>::Position) -> u64;

/// Makes the object of a game's tables.
type TablebasesFn<G> = fn(&Arc<Variants<G>>) -> Box<dyn Tablebases>;

/// Registers a game with the catalog: its rules, names, players and abilities.
///
/// It starts with the three players that every game has: `random`, `mcts`, and `engine`, the generic alpha-beta without
/// knowledge of the game. A player of the same name replaces them.
pub struct Entry<G: Game> {
    info: Info,
    rules: Vec<(&'static str, G)>,
    players: Vec<PlayerEntry<G>>,
    trees: Vec<&'static str>,
    windows: Vec<&'static str>,
    perft: PerftFn<G>,
    solver: Option<SolveFn<G>>,
    suite: &'static [(&'static str, &'static str)],
    table_name: fn(&G) -> Option<&'static str>,
    tablebases: Option<TablebasesFn<G>>,
    measures: Vec<Measure<G>>,
    formats: Vec<Format<G>>,
    ratings: Vec<FeatureSet<G>>,
    learning: Option<Box<dyn Learning>>,
    starts: Option<StartFn>,
    gtp: Option<GtpRules>,
    other_side: Option<OtherSideFn<G>>,
    lead: Option<LeadFn<G>>,
    class: ClassFn<G>,
    bench: Bench,
}

/// Keys of the generic engine.
const ENGINE_KEYS: &[Key] = &[
    Key {
        name: "level",
        kind: Kind::Integer(1, 10),
        default: "10",
        summary: "strength: search depth in plies, unlimited at 10",
        source: "one ply per level",
    },
    Key {
        name: "table",
        kind: Kind::Integer(1, 4096),
        default: "16",
        summary: "transposition table in MiB",
        source: "holds a million positions",
    },
];

impl<G: Notation + View> Entry<G> {
    /// A game under its default rules. `name` is its identifier: lower case, one word.
    pub fn new(name: &'static str, game: G) -> Self {
        let info = Info {
            name,
            title: LocalizedName { en: name, ja: name },
            summary: "",
            rules: Vec::new(),
            dialects: game.dialects(),
            formats: Vec::new(),
            view: "grid",
            positions: Vec::new(),
            seeded_positions: None,
            sides: Sides {
                first: LocalizedName { en: "First", ja: "先手" },
                second: LocalizedName { en: "Second", ja: "後手" },
            },
            solvable: false,
            remembers: false,
            fault_costs: FaultCost::default(),
        };
        let random = PlayerEntry {
            name: "random",
            summary: "each legal move with the same probability",
            source: "",
            keys: &[],
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
            rules: vec![("default", game)],
            players: vec![engine, crate::mcts::<G, Uniform, Amaf>(), random],
            trees: vec!["mcts"],
            windows: vec!["engine"],
            perft: banmen_game::perft::<G>,
            solver: None,
            suite: &[],
            table_name: |_| None,
            tablebases: None,
            measures: Vec::new(),
            formats: Vec::new(),
            ratings: Vec::new(),
            learning: None,
            starts: None,
            gtp: None,
            other_side: None,
            lead: None,
            class: G::key,
            bench: Bench::default(),
        }
    }

    /// Sets the name shown to people, in English and Japanese.
    #[must_use]
    pub fn title(mut self, en: &'static str, ja: &'static str) -> Self {
        self.info.title = LocalizedName { en, ja };
        self
    }

    /// Sets the description of the game, in a line.
    #[must_use]
    pub fn summary(mut self, summary: &'static str) -> Self {
        self.info.summary = summary;
        self
    }

    /// Sets the names of the two sides, in English and Japanese.
    #[must_use]
    pub fn sides(mut self, first: (&'static str, &'static str), second: (&'static str, &'static str)) -> Self {
        let name = |(en, ja)| LocalizedName { en, ja };
        self.info.sides = Sides { first: name(first), second: name(second) };
        self
    }

    /// Sets the page's descriptor for the board, in place of `grid`.
    #[must_use]
    pub fn view(mut self, view: &'static str) -> Self {
        self.info.view = view;
        self
    }

    /// Sets the named positions that games can begin with, the usual one first, under the default rules.
    #[must_use]
    pub fn positions(mut self, names: impl IntoIterator<Item = &'static str>) -> Self {
        self.info.positions = names.into_iter().collect();
        self
    }

    /// Declares that this text, completed by a seed below 2³², is a random position to begin with. Without
    /// [`positions`](Entry::positions), the page begins a new game with one.
    #[must_use]
    pub fn seeded_positions(mut self, prefix: &'static str) -> Self {
        self.info.seeded_positions = Some(prefix);
        self
    }

    /// Declares that positions hold more than their text says; see [`Info::remembers`].
    #[must_use]
    pub fn remembers(mut self) -> Self {
        self.info.remembers = true;
        self
    }

    /// An illegal or a late move costs the turn, not the game: see [`FaultCost::Turn`].
    #[must_use]
    pub fn fault_costs_turn(mut self) -> Self {
        self.info.fault_costs = FaultCost::Turn;
        self
    }

    /// Sets the name of the default rules, in place of `default`.
    #[must_use]
    pub fn default_rules(mut self, name: &'static str) -> Self {
        self.rules[0].0 = name;
        self
    }

    /// Adds a variant of the rules.
    #[must_use]
    pub fn rules(mut self, name: &'static str, game: G) -> Self {
        self.rules.push((name, game));
        self
    }

    /// Adds a player. One of the same name is replaced.
    #[must_use]
    pub fn player(mut self, player: PlayerEntry<G>) -> Self {
        self.trees.retain(|name| *name != player.name);
        self.windows.retain(|name| *name != player.name);
        match self.players.iter_mut().find(|known| known.name == player.name) {
            Some(known) => *known = player,
            None => self.players.push(player),
        }
        self
    }

    /// Adds a player that searches a tree that it can show: one whose [`Player::show_tree`] returns true.
    #[must_use]
    pub fn tree_player(mut self, player: PlayerEntry<G>) -> Self {
        let name = player.name;
        self = self.player(player);
        self.trees.push(name);
        self
    }

    /// Adds a player whose alpha-beta search can be seen: one whose [`Player::record_windows`] returns true.
    #[must_use]
    pub fn window_player(mut self, player: PlayerEntry<G>) -> Self {
        let name = player.name;
        self = self.player(player);
        self.windows.push(name);
        self
    }

    /// Sets a perft faster than the generic one.
    #[must_use]
    pub fn perft(mut self, perft: PerftFn<G>) -> Self {
        self.perft = perft;
        self
    }

    /// Sets the exact solver.
    #[must_use]
    pub fn solver(mut self, solve: SolveFn<G>) -> Self {
        self.solver = Some(solve);
        self
    }

    /// Sets the positions to test the solver with, under the default rules: names and positions.
    #[must_use]
    pub fn solver_suite(mut self, suite: &'static [(&'static str, &'static str)]) -> Self {
        self.suite = suite;
        self
    }

    /// Declares that the game is solved by tables.
    #[must_use]
    pub fn tablebases(mut self) -> Self
    where
        G: HasTablebase,
    {
        self.table_name = |game| game.table_name().ok();
        self.tablebases = Some(|variants| Box::new(ErasedTablebases(Arc::clone(variants))));
        self
    }

    /// Adds a measurement.
    #[must_use]
    pub fn measure(mut self, measure: Measure<G>) -> Self {
        self.measures.push(measure);
        self
    }

    /// Adds a measurement that the benchmark shows beside the searches.
    #[must_use]
    pub fn bench_measure(mut self, measure: Measure<G>) -> Self {
        self.bench.measures.push(measure.info.name);
        self.measure(measure)
    }

    /// Adds a format of whole games.
    #[must_use]
    pub fn format(mut self, format: Format<G>) -> Self {
        self.info.formats.push(format.name);
        self.formats.push(format);
        self
    }

    /// Adds a set of features by which moves can be rated. The first one is the usual one.
    #[must_use]
    pub fn ratings(mut self, set: FeatureSet<G>) -> Self {
        self.ratings.push(set);
        self
    }

    /// Declares how the evaluation of the game's engine is learned.
    #[must_use]
    pub fn learning(mut self, learning: impl Learning + 'static) -> Self {
        self.learning = Some(Box::new(learning));
        self
    }

    /// Declares that games begin from many start positions: by default matches begin with them.
    #[must_use]
    pub fn starts(mut self, start: StartFn) -> Self {
        self.starts = Some(start);
        self
    }

    /// Declares how the game is played over GTP.
    #[must_use]
    pub fn gtp(mut self, rules: GtpRules) -> Self {
        self.gtp = Some(rules);
        self
    }

    /// Declares that every position stays one when the other side is to move: see [`AnyGame::other_side`].
    #[must_use]
    pub fn other_side(mut self, other_side: OtherSideFn<G>) -> Self {
        self.other_side = Some(other_side);
        self
    }

    /// Declares that the game is played for points that are counted at any time: see [`AnyGame::lead`].
    #[must_use]
    pub fn lead(mut self, lead: LeadFn<G>) -> Self {
        self.lead = Some(lead);
        self
    }

    /// Declares that the game has symmetries: see [`AnyGame::symmetry_class`].
    #[must_use]
    pub fn symmetries(mut self) -> Self
    where
        G: Symmetries,
    {
        self.class = |game, position| {
            let images = (1..game.symmetry_count()).map(|symmetry| game.key(&game.transform(position, symmetry)));
            images.fold(game.key(position), u64::min)
        };
        self
    }

    /// Sets the positions of the benchmark, in place of the start alone.
    #[must_use]
    pub fn bench_positions(mut self, positions: &'static [&'static str]) -> Self {
        self.bench.positions = positions;
        self
    }

    /// Sets the plies that the engine looks ahead in the benchmark, in place of 8. It should take some seconds at most.
    #[must_use]
    pub fn bench_depth(mut self, depth: u32) -> Self {
        self.bench.depth = depth;
        self
    }

    /// The game, with its data in memory.
    pub fn in_memory(self) -> impl AnyGame + use<G> {
        self.build(&Data::in_memory())
    }

    /// The game, with its tables in `data`.
    pub fn build(mut self, data: &Data) -> impl AnyGame + use<G> {
        self.info.rules = self.rules.iter().map(|(name, _)| *name).collect();
        self.info.solvable = self.solver.is_some();
        let variants = Arc::new(Variants {
            name: self.info.name,
            rules: self.rules,
            table_name: self.table_name,
            data: data.clone(),
        });
        let (measures, formats, perft, sets) = (self.measures, self.formats, self.perft, self.ratings);
        ErasedGame {
            solver: self.solver.map(|solve| ErasedSolver { variants: Arc::clone(&variants), solve, suite: self.suite }),
            tablebases: self.tablebases.map(|make| make(&variants)),
            measures: (!measures.is_empty()).then(|| ErasedMeasures { variants: Arc::clone(&variants), measures }),
            formats: (!formats.is_empty()).then(|| ErasedFormats { variants: Arc::clone(&variants), formats, perft }),
            ratings: (!sets.is_empty()).then(|| ErasedRatings { variants: Arc::clone(&variants), sets }),
            info: self.info,
            variants,
            players: self.players,
            trees: self.trees,
            windows: self.windows,
            perft,
            learning: self.learning,
            starts: self.starts,
            gtp: self.gtp,
            other_side: self.other_side,
            lead: self.lead,
            class: self.class,
            bench: self.bench,
        }
    }
}
