//! The player `engine`.

use banmen_catalog::{Data, Error, Key, Kind, Options, PlayerEntry, mcts_settings};
use banmen_game::GameState;
use banmen_search::mcts::{
    AmafUpdates, Expansion, FinalMove, IndexedAmaf, Mcts, Selection, Settings, TreeQuery, VirtualVisits,
};
use banmen_search::{Budget, Eval, Limits, Line, Player, Report, Task};

use super::ending::{Solver, squares_left};
use super::knowledge::{Knowledge, Tuning};
use super::level::LEVELS;
use super::playout;
use super::solve::line;
use super::weights::Weights;
use crate::game::Blokus;
use crate::moves::Move;

const OURS: &str = "ours, set by hand; short matches in docs/measured.md";
const SWITCH: Kind = Kind::Choice(&["on", "off"]);

/// The keys of the player.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "level",
        Kind::Integer(1, 10),
        "10",
        "strength: below 10 it overlooks placements and makes few playouts",
        "graded by games: docs/measured.md",
    ),
    Key::new(
        "playouts",
        Kind::Maximum(1_000_000_000),
        "0",
        "maximum playouts per move, in addition to the limits of the match; 0: no maximum",
        "",
    ),
    Key::new("c", Kind::Number(0.0, 100.0), "0.2", "weight of exploration: c P √N ln(N + 1) / (1 + n)", OURS),
    Key::new("width", Kind::Integer(1, 1024), "50", "the most children of a node: those of the highest priors", OURS),
    Key::new(
        "prune",
        SWITCH,
        "on",
        "whether early placements of small pieces are left out of the tree: up to 6 placements only 5 squares, up to 8 at least 4, up to 12 at least 3",
        "after Pentobi; the steps are ours",
    ),
    Key::new(
        "priors",
        Kind::File(&["learned", "hand"]),
        "learned",
        "strengths of the features of placements: fitted to games, set by hand, or a file that `banmen learn ratings` wrote",
        "banmen learn ratings, docs/blokus.md; against hand: docs/measured.md",
    ),
    Key::new(
        "policy",
        SWITCH,
        "on",
        "whether a network and these strengths give the priors, not the strengths alone; levels below 10: always off",
        "fitted to games, docs/blokus.md; against off: docs/measured.md",
    ),
    Key::new(
        "threshold",
        Kind::Integer(1, 1_000_000),
        "4",
        "visits of a leaf before it is expanded; levels below 10: always 2",
        OURS,
    ),
    Key::new(
        "virtual",
        Kind::Number(0.0, 1e6),
        "0.7",
        "visits with which a child begins; its value follows from its prior",
        "Gelly and Silver 2007, section 6",
    ),
    Key::new(
        "virtual-low",
        Kind::Number(0.0, 1.0),
        "0.4",
        "the value of a child whose prior is 0; levels below 10: always 0.3",
        OURS,
    ),
    Key::new("virtual-high", Kind::Number(0.0, 1.0), "0.6", "the value of the child with the highest prior", OURS),
    Key::new(
        "amaf",
        Kind::Choice(&["path", "root", "off"]),
        "path",
        "where later moves of a simulation count as visits of their children: at every node of the path, the root, nowhere",
        "Gelly and Silver 2007",
    ),
    Key::new("amaf-weight", Kind::Number(0.001, 1.0), "0.5", "the weight of such a visit right after the node", OURS),
    Key::new(
        "amaf-decay",
        Kind::Number(0.0, 1.0),
        "0.5",
        "the part of it that is lost toward the end of the game",
        OURS,
    ),
    Key::new("amaf-parents", Kind::Maximum(1_000_000_000), "50000", "visits of a node up to which; 0: always", OURS),
    Key::new("amaf-children", Kind::Maximum(1_000_000_000), "500", "visits of a child up to which; 0: always", OURS),
    Key::new(
        "block",
        Kind::Integer(1, 1000),
        "16",
        "weight in playouts of covering a cell diagonal to the opponent's last piece",
        OURS,
    ),
    Key::new("square", Kind::Integer(1, 100), "3", "weight in playouts of a square more of a piece", OURS),
    Key::new(
        "draws",
        Kind::Integer(1, 8),
        "1",
        "placements drawn in playouts, of which the strongest by the priors' features is played",
        OURS,
    ),
    Key::new(
        "replies",
        SWITCH,
        "on",
        "whether playouts play last good replies where they are legal",
        "Drake 2009; Baier and Drake 2010",
    ),
    Key::new(
        "margin",
        Kind::Number(0.0, 1.0),
        "0.3",
        "part of a reward that depends on the margin",
        "Pepels et al. 2014; the form is ours",
    ),
    Key::new(
        "network",
        Kind::Number(0.0, 1.0),
        "0.9",
        "part of a reward that the network gives at an empty board, beside playouts; the fuller the board, the less",
        "fitted to games, docs/blokus.md; after Silver et al. 2016, which mixes both by halves",
    ),
    Key::new(
        "early-playouts",
        Kind::Number(0.0, 1.0),
        "0.25",
        "part of the leaves with fewer than 12 placements that get a playout; the network alone values the others; network=0: all do",
        OURS,
    ),
    Key::new(
        "exact",
        Kind::Integer(0, 178),
        "76",
        "squares that both sides can still place at most, at which the ending is solved exactly if limits allow; 0: never, as at levels below 10",
        OURS,
    ),
    Key::new(
        "choice",
        Kind::Choice(&["secure", "simulations", "visits"]),
        "secure",
        "which move is played: highest mean less 1/√visits, most visits without AMAF's (levels below 10 always), or most visits",
        "Chaslot et al. 2008; against simulations: docs/measured.md",
    ),
    Key::new(
        "early-stop",
        Kind::Number(0.0, 1.0),
        "0",
        "stops when the best move leads by more visits than this part of the playouts that are left; 0: never",
        "Baier and Winands 2012, STOP; above 0 it needs choice=simulations or visits; levels below 10 have 1",
    ),
    Key::new(
        "reuse",
        SWITCH,
        "on",
        "whether the subtree below the moves played is kept; levels below 10: always off",
        "",
    ),
    Key::new(
        "table",
        Kind::Integer(1, 4096),
        "64",
        "memory of the tree in MiB (levels below 10: at most 32); with each halving of what is free a leaf needs twice the visits before it is expanded",
        "64 bytes a node",
    ),
];

/// The settings of the search.
fn settings(options: &Options) -> Settings {
    let settings = Settings {
        selection: Selection::PuctLog { c: 0.0 },
        virtual_visits: Some(VirtualVisits { visits: 3.0, low: 0.0, high: 1.0 }),
        amaf: Some(AmafUpdates::default()),
        expansion: Expansion { thrifty: true, ..Expansion::default() },
        reuse: true,
        ..Settings::default()
    };
    let settings = mcts_settings(settings, options);
    if options.level(&LEVELS).is_none() {
        return settings;
    }
    // A kept tree has children that the next move may overlook, and few playouts need little memory. The early stop changes no
    // move.
    Settings {
        final_move: FinalMove::Simulations,
        early_stop: Some(1.0),
        reuse: false,
        bytes: settings.bytes.min(LEVEL_TABLE),
        // What suits priors without the policy network; the grades of the levels are of these.
        expansion: Expansion { threshold: 2, ..settings.expansion },
        virtual_visits: settings.virtual_visits.map(|visits| VirtualVisits { low: 0.3, ..visits }),
        ..settings
    }
}

/// What the keys say about the game.
fn tuning(options: &Options) -> Tuning {
    let switch = |name| options.chosen(name, &[("on", true), ("off", false)]);
    Tuning {
        width: options.integer("width") as usize,
        margin: options.number("margin"),
        network: options.number("network"),
        early_playouts: options.number("early-playouts"),
        prune: switch("prune"),
        exact: if options.level(&LEVELS).is_none() { options.integer("exact") as u32 } else { 0 },
        level: options.level(&LEVELS),
        policy: switch("policy") && options.level(&LEVELS).is_none(),
        playouts: playout::Policy {
            block: options.integer("block") as u32,
            square: options.integer("square") as u32,
            draws: options.integer("draws") as u32,
            replies: switch("replies"),
        },
    }
}

/// Bytes of the tree at levels below 10: their at most 4,000 playouts need less.
const LEVEL_TABLE: usize = 32 << 20;

/// The part of the limits that the exact search may use before the tree search.
const ENDING_SHARE: f64 = 0.3;

/// Positions that the exact search may visit for each playout of a limit of playouts: about as long as a playout takes.
const POSITIONS_PER_PLAYOUT: f64 = 20.0;

/// The most positions that the exact search visits before the tree search: some seconds.
const MAX_POSITIONS: u64 = 4_000_000;

/// The turns of a side that need a search, by the placements that it has made: the ending is solved within milliseconds from
/// some 11 placements on.
const SEARCHED_TURNS: u32 = 12;

/// A clock is always spread over so many turns at least: some endings are not solved.
const MIN_TURNS: u32 = 4;

/// Bytes of the table of the exact search.
const ENDING_TABLE: usize = 16 << 20;

/// The engine.
pub(super) struct Engine {
    search: Mcts<Blokus, Knowledge, IndexedAmaf>,
    /// Made when it is first needed.
    solver: Option<Solver>,
    /// The most squares left with which the ending is tried.
    exact: u32,
}

impl Engine {
    /// The player with these settings.
    ///
    /// # Errors
    /// `bad_player` when the settings contradict each other, and those of [`Weights::chosen`].
    pub(super) fn new(game: &Blokus, options: &Options, data: &Data, seed: u64) -> Result<Engine, Error> {
        let tuning = tuning(options);
        let knowledge = Knowledge::new(tuning, Weights::chosen(options, data)?);
        let mut search = Mcts::new(game, settings(options), knowledge, seed)?;
        let playouts =
            options.maximum("playouts").into_iter().chain(options.level(&LEVELS).map(|level| level.playouts)).min();
        search.limits = Limits { playouts, ..Limits::default() };
        Ok(Engine { search, solver: None, exact: tuning.exact })
    }

    /// Solves the ending.
    ///
    /// # Errors
    /// The positions visited, where the end is too far ahead, or the limits do not allow it.
    fn ending(&mut self, task: &mut Task<'_, Blokus>) -> Result<Report<Move>, u64> {
        let (game, position) = (task.state.game(), task.state.position());
        let limits = task.decision_limits(self.search.limits);
        if limits.depth.is_some() || squares_left(game, position) > self.exact {
            return Err(0);
        }
        let nodes = limits.nodes.map(|nodes| (nodes as f64 * ENDING_SHARE) as u64);
        let positions = |playouts| (playouts as f64 * ENDING_SHARE * POSITIONS_PER_PLAYOUT) as u64;
        let by_playouts = limits.playouts.map(positions);
        let part = Limits {
            time: limits.time.map(|time| time.mul_f64(ENDING_SHARE)),
            nodes: nodes.into_iter().chain(by_playouts).chain(Some(MAX_POSITIONS)).min(),
            playouts: None,
            ..limits
        };
        let mut budget = Budget::start(&part, task.clock, task.stop);
        let solver = self.solver.get_or_insert_with(|| Solver::new(ENDING_TABLE));
        let Some((m, winner)) = solver.result(game, position, &mut budget) else { return Err(budget.count()) };
        let mut found = match solver.best(game, position, &mut budget) {
            Some((m, score)) => vec![(m, winner, Some(score))],
            None if winner >= 0 => vec![(m, winner, None)],
            // Any move loses against best play: the tree search finds one that makes it hard.
            None => return Err(budget.count()),
        };
        let others = solver.others(game, position, found[0].0, task.lines.saturating_sub(1), &mut budget);
        found.extend(others.into_iter().flatten().map(|(m, score)| (m, score.signum(), Some(score))));
        let report_of = |(m, winner, score): (Move, i32, Option<i32>)| Line {
            moves: line(solver, game, position, m, &mut budget),
            value: 0.5 + 0.5 * f64::from(winner),
            eval: score.map(|score| Eval { n: score.into(), unit: "points" }),
        };
        let lines: Vec<Line<Move>> = found.into_iter().map(report_of).collect();
        let report = Report {
            depth: lines.iter().map(|line| line.moves.len() as u32).max().unwrap_or(0),
            lines,
            nodes: budget.count(),
            playouts: Some(0),
            time: budget.elapsed(),
            proven: true,
            ..Report::default()
        };
        task.report(|| report.clone());
        Ok(report)
    }
}

impl Player<Blokus> for Engine {
    fn new_game(&mut self, start: &GameState<Blokus>, seed: u64) {
        self.search.new_game(start, seed);
        self.solver = None;
    }

    /// An ending that is solved exactly has no tree.
    fn show_tree(&mut self, query: Option<TreeQuery>) -> bool {
        self.search.show_tree(query)
    }

    fn think(&mut self, mut task: Task<'_, Blokus>) -> Report<Move> {
        let start = task.clock.now();
        let position = task.state.position();
        let placed = position.placed(position.side()).count();
        task.limits = task.limits.spread_over(SEARCHED_TURNS.saturating_sub(placed).max(MIN_TURNS));
        let visited = match self.ending(&mut task) {
            Ok(report) => return report,
            Err(visited) => visited,
        };
        let used = task.clock.now().saturating_sub(start);
        task.limits.turn_used += used;
        task.limits.nodes = task.limits.nodes.map(|nodes| nodes.saturating_sub(visited));
        let report = self.search.think(task);
        Report { nodes: report.nodes + visited, time: report.time + used, ..report }
    }
}

/// The player's entry.
pub(crate) fn engine() -> PlayerEntry<Blokus> {
    PlayerEntry {
        name: "engine",
        summary: "the strongest player: tree search with priors and AMAF, playouts that know the game",
        source: "",
        keys: KEYS,
        make: |game, options, seed, data| Ok(Box::new(Engine::new(game, options, data, seed)?)),
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::{Game, Rng, Side};
    use banmen_search::StopFlag;

    use super::super::ending::INFINITE;
    use super::*;

    fn engine(pairs: &[(&str, &str)], seed: u64) -> Engine {
        let options = Options::new(KEYS, pairs).expect("values in range");
        Engine::new(&Blokus::STANDARD, &options, &Data::in_memory(), seed).expect("no contradiction")
    }

    fn think(engine: &mut Engine, state: &GameState<Blokus>, limits: Limits, threads: usize) -> Report<Move> {
        let (clock, stop) = (banmen_catalog::WallClock::default(), StopFlag::default());
        engine.think(Task { state, limits, clock: &clock, stop: &stop, threads, lines: 3, progress: None })
    }

    #[test]
    fn plays_legal_moves_to_the_end_under_all_rules() {
        for (seed, game) in [Blokus::STANDARD, Blokus::FREE_START, Blokus::CONTEST].into_iter().enumerate() {
            let mut engine = engine(&[("table", "8")], seed as u64);
            let (mut state, mut rng) = (GameState::new(game), Rng::new(seed as u64));
            engine.new_game(&state, 1);
            while state.outcome().is_none() {
                let report = think(&mut engine, &state, Limits { playouts: Some(60), ..Limits::default() }, 1);
                let m = report.best().expect("a move");
                assert!(game.is_legal(state.position(), m), "{m} in {:?}", state.position());
                assert!(report.lines.iter().all(|line| (0.0..=1.0).contains(&line.value)));
                // The opponent may play anything.
                let legal = game.moves(state.position());
                state.play(if rng.index(3) > 0 { m } else { legal[rng.index(legal.len())] });
            }
        }
    }

    #[test]
    fn same_seed_gives_the_same_report_and_threads_share_a_tree() {
        let state = GameState::new(Blokus::STANDARD);
        let limits = Limits { playouts: Some(400), ..Limits::default() };
        let report = |seed, threads| {
            let mut engine = engine(&[("table", "16")], seed);
            let report = think(&mut engine, &state, limits, threads);
            Report { time: Default::default(), ..report }
        };
        assert_eq!(report(1, 1), report(1, 1));
        assert_ne!(report(1, 1), report(2, 1));
        let shared = report(1, 2);
        assert!(Blokus::STANDARD.is_legal(state.position(), shared.best().expect("a move")));
        assert_eq!(shared.playouts, Some(400));
    }

    #[test]
    fn a_limit_of_nodes_holds_for_both_searches_together() {
        let (mut state, mut rng) = (GameState::new(Blokus::STANDARD), Rng::new(3));
        for _ in 0..12 {
            let legal = Blokus::STANDARD.moves(state.position());
            state.play(legal[rng.index(legal.len())]);
        }
        // The exact search is tried, and its part of the nodes is too small for it.
        let report = |exact| {
            let keys = [("table", "8"), ("exact", exact)];
            think(&mut engine(&keys, 1), &state, Limits::nodes(1_000), 1)
        };
        let (both, tree) = (report("178"), report("0"));
        assert_eq!((both.nodes, tree.nodes), (1_000, 1_000));
        assert!(Some(0) < both.playouts && both.playouts < tree.playouts, "{:?}, {:?}", both.playouts, tree.playouts);
    }

    /// The best lines of an ending are those of a search of every move, and the first is that of a search for one line.
    #[test]
    fn several_lines_of_an_ending_are_the_best_ones() {
        let game = Blokus::STANDARD;
        let mut compared = 0;
        for seed in 0..8 {
            let (mut state, mut rng) = (GameState::new(game), Rng::new(seed));
            while state.outcome().is_none() && squares_left(&game, state.position()) > 45 {
                let legal = game.moves(state.position());
                state.play(legal[rng.index(legal.len())]);
            }
            if state.outcome().is_some() || game.moves(state.position()).len() < 3 {
                continue;
            }
            let mut solver = Solver::new(1 << 20);
            let (clock, stop) = (banmen_catalog::WallClock::default(), StopFlag::default());
            let mut budget = Budget::start(&Limits::default(), &clock, &stop);
            let exact = |m| solver.after(&game, state.position(), m, -INFINITE, &mut budget).expect("no limit");
            let mut scores: Vec<i32> = game.moves(state.position()).into_iter().map(exact).collect();
            scores.sort_unstable_by_key(|&score| std::cmp::Reverse(score));
            let report = think(&mut engine(&[("table", "8")], 1), &state, Limits::default(), 1);
            assert!(report.proven);
            let evals: Vec<f64> = report.lines.iter().filter_map(|line| line.eval.map(|eval| eval.n)).collect();
            assert_eq!(evals, scores[..3].iter().map(|&score| f64::from(score)).collect::<Vec<_>>());
            compared += 1;
        }
        assert!(compared >= 6, "{compared}");
    }

    #[test]
    fn every_value_of_every_key_reaches_its_own_setting() {
        // The limit of playouts is no setting of the search, and the strengths are made apart from them.
        for key in KEYS.iter().filter(|key| !["playouts", "priors"].contains(&key.name)) {
            let texts = key.kind.extremes();
            let made: Vec<_> = texts
                .iter()
                .map(|text| Options::new(KEYS, &[(key.name, text)]).expect("a value in range"))
                .map(|options| (settings(&options), tuning(&options)))
                .collect();
            for (at, one) in made.iter().enumerate() {
                assert!(!made[..at].contains(one), "{}={} is like another value", key.name, texts[at]);
            }
        }
    }

    #[test]
    fn levels_search_as_when_they_were_graded() {
        for level in 1..=9 {
            let level = level.to_string();
            let keys = [("level", level.as_str()), ("policy", "on"), ("virtual-low", "0.4"), ("exact", "100")];
            let options = Options::new(KEYS, &[&keys[..], &[("reuse", "on"), ("table", "256")]].concat());
            let options = options.expect("values in range");
            let (settings, tuning) = (settings(&options), tuning(&options));
            assert_eq!((settings.expansion.threshold, tuning.policy), (2, false), "level {level}");
            assert_eq!(settings.virtual_visits.map(|initial| initial.low), Some(0.3), "level {level}");
            assert_eq!((tuning.exact, settings.reuse, settings.bytes), (0, false, 32 << 20), "level {level}");
        }
    }

    #[test]
    fn higher_levels_win() {
        let game = Blokus::STANDARD;
        let mut won = 0.0;
        let pairs = [("1", "3"), ("3", "5"), ("5", "7")];
        for (seed, levels) in (0..).zip(pairs.iter().flat_map(|pair| [pair; 4])) {
            let mut players = [levels.0, levels.1].map(|level| engine(&[("level", level), ("table", "4")], seed));
            let mut state = GameState::new(game);
            players.iter_mut().for_each(|player| player.new_game(&state, seed));
            while state.outcome().is_none() {
                // The higher level begins in every other game.
                let higher = usize::from((state.side_to_move() == Side::First) == (seed % 2 == 0));
                let m = think(&mut players[higher], &state, Limits::default(), 1).best();
                state.play(m.expect("a move"));
            }
            let higher = if seed % 2 == 0 { Side::First } else { Side::Second };
            won += state.outcome().map_or(0.0, |outcome| outcome.score(higher));
        }
        assert!(won >= 10.0, "{won} of 12 games");
    }

    #[test]
    fn some_early_leaves_have_no_playout() {
        let state = GameState::new(Blokus::STANDARD);
        let limits = Limits { playouts: Some(200), ..Limits::default() };
        // A playout from the start has some 30 plies, the way to a leaf a few.
        let nodes = |part, network| {
            let mut engine = engine(&[("table", "16"), ("early-playouts", part), ("network", network)], 6);
            let report = think(&mut engine, &state, limits, 1);
            assert_eq!(report.playouts, Some(200));
            report.nodes
        };
        let [none, some, all] = ["0", "0.25", "1"].map(|part| nodes(part, "0.9"));
        assert!(none < 200 * 8 && 2 * none < some && 2 * some < all, "{none}, {some} and {all} nodes");
        // Without the network nothing else values a leaf.
        assert!(nodes("0", "0") > 200 * 20);
    }

    #[test]
    fn leaves_out_small_pieces_early() {
        let mut engine = engine(&[("table", "16")], 4);
        let mut state = GameState::new(Blokus::STANDARD);
        for _ in 0..6 {
            let best = think(&mut engine, &state, Limits { playouts: Some(30), ..Limits::default() }, 1).best();
            let m = best.expect("a move");
            assert_eq!(m.cells().count(), 5, "{m}");
            state.play(m);
        }
    }
}
