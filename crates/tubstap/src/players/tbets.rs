//! TBETS: a tree whose nodes are starts of turns and whose edges are plans of whole turns, made by evolution. Neller, Huang
//! and Cho, Advances in Computer Games (Springer, 978-3-032-23657-9), chapter 12, and the source beside RHEA's.
//!
//! A simulation descends by UCB1. A node with `n` visits has at most `⌈width · n^growth⌉` plans; a new one is the next of
//! the plans that were drawn at random when the node was made, the best by their evaluation first, and when these are used
//! up a plan of the node changed, or two crossed. From the end of the new turn the rule-based player makes two turns, and
//! the evaluation of what follows is the result.
//!
//! Depth is counted in turns.

use banmen_catalog::{Key, Kind, Options, PlayerEntry};
use banmen_game::{Game, GameState, Side};
use banmen_search::{Budget, Limits, Player, Report, Task, seems_exhausted};

use super::plan::{self, BIAS, Planner, RestOfTurn, TIME};
use super::smaef;
use super::uct::own_limits;
use crate::game::Tubstap;
use crate::moves::Move;
use crate::position::Position;

const SOURCE: &str = "Neller, Huang and Cho, TBETS";

const fn number(name: &'static str, most: f64, default: &'static str, summary: &'static str) -> Key {
    Key { name, kind: Kind::Number(0.0, most), default, summary, source: SOURCE }
}

pub(crate) const KEYS: &[Key] = &[
    number("c", 100.0, "1.414", "weight of exploration"),
    number("width", 100.0, "2", "plans of a node, for one visit"),
    number("growth", 1.0, "0.4", "power of the visits with which the number of plans grows"),
    number("mutation", 1.0, "0.3", "probability with which a new plan is one plan changed, not two crossed"),
    Key {
        name: "initial",
        kind: Kind::Integer(1, 1000),
        default: "20",
        summary: "random plans that a node begins with",
        source: SOURCE,
    },
    Key {
        name: "turns",
        kind: Kind::Integer(0, 100),
        default: "2",
        summary: "turns of the rule-based player before the evaluation",
        source: SOURCE,
    },
    BIAS,
    Key {
        name: "playouts",
        kind: Kind::Maximum(1_000_000_000),
        default: "0",
        summary: "maximum simulations per action of the turn, in addition to the limits of the match; 0: no maximum",
        source: "own",
    },
    TIME,
];

/// A plan and the node after it.
struct Edge {
    plan: Vec<Move>,
    node: usize,
}

/// The start of a turn.
struct Node {
    position: Position,
    visits: f64,
    /// For the first side.
    sum: f64,
    edges: Vec<Edge>,
    /// Random plans that are no edges yet, the best one last. Made at the second visit.
    initial: Option<Vec<Vec<Move>>>,
}

impl Node {
    fn new(position: Position) -> Node {
        Node { position, visits: 0.0, sum: 0.0, edges: Vec::new(), initial: None }
    }
}

/// The shape of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shape {
    c: f64,
    width: f64,
    growth: f64,
    mutation: f64,
    initial: usize,
    turns: usize,
    bias: f64,
}

struct Tbets {
    shape: Shape,
    planner: Planner,
    nodes: Vec<Node>,
    /// Turns looked ahead at most.
    deepest: u32,
    limits: Limits,
    rest: RestOfTurn,
}

/// No more nodes than this. A node has some 150 bytes; one that has been visited twice also holds up to `initial`
/// plans, each with 3 bytes for every unit.
const MAX_NODES: usize = 1 << 18;

impl Tbets {
    fn new(options: &Options, seed: u64) -> Tbets {
        let count = |name| options.integer(name) as usize;
        let shape = Shape {
            c: options.number("c"),
            width: options.number("width"),
            growth: options.number("growth"),
            mutation: options.number("mutation"),
            initial: count("initial"),
            turns: count("turns"),
            bias: options.number("bias"),
        };
        Tbets {
            shape,
            planner: Planner::new(shape.bias, seed),
            nodes: Vec::new(),
            deepest: 0,
            limits: own_limits(options),
            rest: RestOfTurn::default(),
        }
    }

    /// How many plans a node with so many visits has at most.
    fn most(&self, visits: f64) -> usize {
        (self.shape.width * libm::pow(visits.max(1.0), self.shape.growth)).ceil().max(1.0) as usize
    }

    /// Makes a plan for the node; its end. The actions that are played for it count as nodes. When the budget is over, no more
    /// random plans are drawn than one.
    fn widen(&mut self, game: &Tubstap, at: usize, budget: &mut Budget<'_>) -> (Vec<Move>, Position) {
        let Tbets { nodes, planner, shape, .. } = self;
        let node = &mut nodes[at];
        let (start, side) = (node.position, node.position.side());
        let initial = node.initial.get_or_insert_with(|| {
            let mut plans: Vec<(f64, Vec<Move>)> = Vec::with_capacity(shape.initial);
            while plans.is_empty() || (plans.len() < shape.initial && !budget.over()) {
                let mut end = start;
                let plan = planner.play(game, &mut end, []);
                budget.nodes(plan.len() as u64);
                let first = plan::evaluate(game, &end);
                plans.push((if side == Side::First { first } else { 1.0 - first }, plan));
            }
            plans.sort_by(|a, b| a.0.total_cmp(&b.0));
            plans.into_iter().map(|(_, plan)| plan).collect()
        });
        let mut end = start;
        let plan = match initial.pop() {
            Some(plan) => planner.play(game, &mut end, plan),
            None => {
                let edges = &node.edges;
                let one = planner.rng.index(edges.len());
                if edges.len() < 2 || planner.rng.unit() < shape.mutation {
                    planner.mutate(game, &mut end, &edges[one].plan)
                } else {
                    let two = (one + 1 + planner.rng.index(edges.len() - 1)) % edges.len();
                    planner.cross(game, &mut end, &edges[one].plan, &edges[two].plan)
                }
            }
        };
        budget.nodes(plan.len() as u64);
        (plan, end)
    }

    /// The edge to follow: the best for the side to move.
    fn choose(&self, node: &Node) -> Option<usize> {
        let ln = libm::log(node.visits.max(1.0));
        let score = |edge: &Edge| {
            let child = &self.nodes[edge.node];
            let mean = child.sum / child.visits.max(1.0);
            let mean = if node.position.side() == Side::First { mean } else { 1.0 - mean };
            mean + self.shape.c * (ln / child.visits.max(1.0)).sqrt()
        };
        (0..node.edges.len()).max_by(|&a, &b| score(&node.edges[a]).total_cmp(&score(&node.edges[b])))
    }

    /// One simulation, whose actions count as nodes; when the budget ends, the rule-based player stops where it is. Returns
    /// whether the tree has a new node at which the game goes on.
    fn simulate(&mut self, game: &Tubstap, budget: &mut Budget<'_>) -> bool {
        let (mut path, mut at, mut grown) = (vec![0], 0, false);
        budget.nodes(1);
        let end = loop {
            let node = &self.nodes[at];
            if game.outcome(&node.position, &()).is_some() {
                break node.position;
            }
            let wide = node.edges.len() >= self.most(node.visits) || self.nodes.len() >= MAX_NODES;
            if !wide {
                let (plan, end) = self.widen(game, at, budget);
                // A plan that the node already has is not another one.
                let known = self.nodes[at].edges.iter().find(|edge| edge.plan == plan).map(|edge| edge.node);
                let child = known.unwrap_or_else(|| {
                    grown = game.outcome(&end, &()).is_none();
                    self.nodes.push(Node::new(end));
                    let child = self.nodes.len() - 1;
                    self.nodes[at].edges.push(Edge { plan, node: child });
                    child
                });
                path.push(child);
                break end;
            }
            let Some(edge) = self.choose(node) else { break node.position };
            at = node.edges[edge].node;
            path.push(at);
        };
        self.deepest = self.deepest.max(path.len() as u32 - 1);
        let mut end = end;
        for _ in 0..self.shape.turns {
            let turn = end.turn();
            while game.outcome(&end, &()).is_none() && end.turn() == turn && !budget.over() {
                let m = smaef::choose(game, &end, &mut self.planner.rng);
                game.play(&mut end, m);
                budget.nodes(1);
            }
        }
        let value = plan::evaluate(game, &end);
        for at in path {
            self.nodes[at].visits += 1.0;
            self.nodes[at].sum += value;
        }
        grown
    }
}

impl Player<Tubstap> for Tbets {
    fn new_game(&mut self, _: &GameState<Tubstap>, seed: u64) {
        self.planner = Planner::new(self.shape.bias, seed);
        self.rest = RestOfTurn::default();
    }

    fn think(&mut self, task: Task<'_, Tubstap>) -> Report<Move> {
        if let Some(report) = self.rest.next(task.state) {
            return report;
        }
        let limits = plan::turn_limits(&task, self.limits);
        let mut budget = Budget::start(&Limits { playouts: None, ..limits }, task.clock, task.stop);
        let (game, most) = (task.state.game(), limits.playouts.unwrap_or(u64::MAX).max(1));
        self.nodes.clear();
        self.nodes.push(Node::new(*task.state.position()));
        self.deepest = 0;
        let (mut made, mut last_grown) = (0, 0);
        loop {
            let grown = self.simulate(game, &mut budget);
            made += 1;
            if grown {
                last_grown = made;
            }
            let deep = limits.depth.is_some_and(|depth| self.deepest >= depth || seems_exhausted(made, last_grown));
            if deep || made >= most || !budget.go_on() {
                break;
            }
        }
        // The first simulation has made a plan.
        let root = &self.nodes[0];
        let visits = |edge: &&Edge| self.nodes[edge.node].visits;
        let best = root.edges.iter().max_by(|a, b| visits(a).total_cmp(&visits(b)));
        let best = best.map_or((Vec::new(), 0.5), |edge| {
            let mean = self.nodes[edge.node].sum / self.nodes[edge.node].visits;
            (edge.plan.clone(), if root.position.side() == Side::First { mean } else { 1.0 - mean })
        });
        self.rest.begin(task.state, best, made, self.deepest, &budget)
    }
}

/// The player.
pub(crate) fn entry() -> PlayerEntry<Tubstap> {
    PlayerEntry {
        name: "tbets",
        summary: "a tree of whole turns, whose plans are made by evolution",
        source: SOURCE,
        keys: KEYS,
        make: |_, options, seed, _| Ok(Box::new(Tbets::new(options, seed))),
    }
}

#[cfg(test)]
mod tests {
    use banmen_catalog::WallClock;
    use banmen_search::StopFlag;

    use super::*;
    use crate::maps;
    use crate::notation::parse_position;

    fn tbets(pairs: &[(&str, &str)]) -> Tbets {
        Tbets::new(&Options::new(KEYS, pairs).expect("values in range"), 1)
    }

    fn think(player: &mut Tbets, state: &GameState<Tubstap>) -> Report<Move> {
        think_in(player, state, Limits::default())
    }

    fn think_in(player: &mut Tbets, state: &GameState<Tubstap>, limits: Limits) -> Report<Move> {
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        player.think(Task { state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None })
    }

    #[test]
    fn trees_widen_with_the_visits_and_hold_whole_turns() {
        let state = GameState::new(maps::named("map03").expect("a map"));
        let mut player = tbets(&[("playouts", "100"), ("time", "0")]);
        let report = think(&mut player, &state);
        assert_eq!(report.playouts, Some(100 * u64::from(state.decisions_left())));
        for node in &player.nodes {
            assert!(node.edges.len() <= player.most(node.visits), "{} plans", node.edges.len());
            for edge in &node.edges {
                let (mut end, side) = (node.position, node.position.side());
                for &m in &edge.plan {
                    assert_eq!(end.side(), side);
                    state.game().play(&mut end, m);
                }
                assert_eq!(end, player.nodes[edge.node].position);
            }
        }
        let root = &player.nodes[0];
        assert!(root.edges.len() >= 20, "{} plans", root.edges.len());
        let visits: f64 = root.edges.iter().map(|edge| player.nodes[edge.node].visits).sum();
        assert_eq!(visits, root.visits);
    }

    #[test]
    fn simulations_end_soon_after_the_budget() {
        let (state, clock, stop) = (GameState::new(maps::standard()), WallClock::default(), StopFlag::default());
        let simulate = |limits: Limits| {
            let mut budget = Budget::start(&limits, &clock, &stop);
            let mut player = tbets(&[]);
            player.nodes.push(Node::new(*state.position()));
            player.simulate(state.game(), &mut budget);
            (player.nodes.swap_remove(0), budget.over())
        };
        let (root, over) = simulate(Limits::default());
        assert_eq!((root.initial.map(|plans| plans.len()), over), (Some(19), false));
        // Of two plans one is an edge.
        let (root, over) = simulate(Limits::nodes(10));
        assert_eq!((root.initial.map(|plans| plans.len()), root.edges.len(), over), (Some(1), 1, true));
        stop.stop();
        let (root, over) = simulate(Limits::default());
        assert_eq!((root.initial.map(|plans| plans.len()), root.edges.len(), over), (Some(0), 1, true));
    }

    #[test]
    fn limits_of_depth_count_turns() {
        let standard = GameState::new(maps::standard());
        for depth in [1, 2, 3] {
            let report = think_in(&mut tbets(&[("time", "0")]), &standard, Limits::depth(depth));
            assert_eq!(report.depth, depth);
        }
        // Depths that no tree has: the next turn is the last one, and one unit has few plans.
        for text in ["map01 LIMIT 1", "TERRAIN 00000/01110/00000 UNITS 0:I:0:1,1:10:0 1:F:1:3,1:10:0"] {
            let (game, position) = parse_position(standard.game(), text).expect("a position");
            let report = think_in(&mut tbets(&[("time", "0")]), &GameState::from(game, position), Limits::depth(99));
            assert!((1..99).contains(&report.depth), "{text}: {}", report.depth);
        }
    }

    #[test]
    fn wins_in_one_turn_are_found_and_played() {
        let mut state = GameState::new(maps::named("select_A1").expect("a map"));
        let mut player = tbets(&[("playouts", "3000"), ("time", "0")]);
        while state.outcome().is_none() {
            let report = think(&mut player, &state);
            let m = report.best().expect("an action");
            assert!(state.game().is_legal(state.position(), m));
            state.play(m);
        }
        assert_eq!(
            state.outcome().map(|outcome| (outcome.winner, outcome.by)),
            Some((Some(Side::First), "annihilation"))
        );
    }

    #[test]
    fn the_same_seed_gives_the_same_plan() {
        let state = GameState::new(maps::standard());
        let plan = || think(&mut tbets(&[("playouts", "60"), ("time", "0")]), &state).lines;
        assert_eq!(plan(), plan());
    }
}
