//! The agents of Suzuki and Ito 2019 as one configuration of the tree search. Their differences are keys, and so is
//! every point that the paper leaves open.

use banmen_catalog::{Error, ErrorCode, Key, Kind, Options, PlayerEntry, mcts_settings};
use banmen_game::{Outcome, PlayoutEnd, Rng, Side};
use banmen_search::Limits;
use banmen_search::mcts::{Guide, Mcts, SearchPosition, Selection, Settings, Unvisited};

use super::candidates::{Balance, Greedy, Sampled, Ties};
use super::cells::Cells;
use super::continuation::{AgentPlayout, Moves, Step, Steps};
use super::formulas::Formulas;
use crate::{Board, Golad, Move, Position};

/// The paper that describes the agents.
pub(crate) const SOURCE: &str =
    "Suzuki and Ito, MCTS および Bitboard 計算を用いた GOLAD をプレイする AI の提案, IPSJ SIG-GI 2019";

/// The differences between the agents: the defaults of these keys.
pub(crate) struct Agent {
    pub(crate) step: &'static str,
    pub(crate) playouts: &'static str,
    pub(crate) children: &'static str,
    pub(crate) selection: &'static str,
    pub(crate) unvisited: &'static str,
    pub(crate) playout: &'static str,
    pub(crate) length: &'static str,
}

/// The number of keys.
pub(crate) const COUNT: usize = 28;

/// Everything that can be set, with the defaults of an agent.
pub(crate) const fn keys(agent: &Agent) -> [Key; COUNT] {
    const ON: Kind = Kind::Choice(&["on", "off"]);
    const SILENT: &str = "the paper does not say";
    [
        Key::new(
            "playouts",
            Kind::Maximum(1_000_000_000),
            agent.playouts,
            "maximum playouts per move, in addition to the limits of the match; 0: no maximum",
            "4.1: 100; 4.3 (4): 50, what fits into 100 ms",
        ),
        Key::new(
            "step",
            Kind::Choice(&["cells", "rows", "vectors"]),
            agent.step,
            "how a generation is computed: cell by cell, by the paper's formulas on rows of bits, or by the fastest implementation",
            "AI1: 4.1; AI2 and AI3: 4.2; vectors: ours, the same moves in less time",
        ),
        Key::new(
            "children",
            Kind::Choice(&["sampled", "greedy"]),
            agent.children,
            "which moves enter the tree: random ones better than a pass, or four composed cell by cell",
            "sampled: 4.1; greedy: 4.3 (3)",
        ),
        Key::new("width", Kind::Integer(1, 1000), "15", "maximum number of sampled children of a node", "4.1: 15"),
        Key::new(
            "selection",
            Kind::Choice(&["ucb1", "newucb"]),
            agent.selection,
            "X + c √(2 ln N / n), or X + c √(2 ln(N + e) / (n + e)) + e times a random number",
            "ucb1: 3.1; newucb: 4.3 (2)",
        ),
        Key::new("c", Kind::Number(0.0, 100.0), "1", "weight of exploration", SILENT),
        Key::new("epsilon", Kind::Number(1e-6, 100.0), "1", "the e of newucb", "4.3 (2): 1.0"),
        Key::new(
            "total",
            Kind::Choice(&["parent", "root"]),
            "parent",
            "the N of the selection: the parent's visits, or all playouts of the decision",
            "3.1: \"the sum of all selections\", of the node or of the tree",
        ),
        Key::new(
            "unvisited",
            Kind::Choice(&["first", "value"]),
            agent.unvisited,
            "unvisited children: all before any other, or by the formula (newucb only)",
            "ucb1 is infinite for them, newucb is not",
        ),
        Key::new(
            "hope",
            Kind::Number(0.0, 1.0),
            "0",
            "the X of an unvisited child, with unvisited=value",
            "the paper does not say; 0: nothing has been won there yet",
        ),
        Key::new("threshold", Kind::Integer(1, 1_000_000), "1", "visits of a leaf before it is expanded", SILENT),
        Key::new(
            "order",
            Kind::Choice(&["shuffled", "listed"]),
            "shuffled",
            "order of new children: random, or as they were found",
            "3.1: which child is expanded is random",
        ),
        Key::new(
            "playout",
            Kind::Choice(&["random", "pass"]),
            agent.playout,
            "the moves of both sides in a playout",
            "random: 4.1; pass: 4.3 (1)",
        ),
        Key::new(
            "length",
            Kind::Integer(0, 200),
            agent.length,
            "maximum number of turns of a playout",
            "4.1: 10; 4.3 (1): 5",
        ),
        Key::new(
            "kinds",
            Kind::Choice(&["even", "moves"]),
            "even",
            "random turns: pass, kill and birth with the same probability, or every move",
            "4.1: the kind at random, then its cells",
        ),
        Key::new("stops", ON, "on", "whether the end of the game ends a playout", SILENT),
        Key::new(
            "ends",
            Kind::Choice(&["result", "share"]),
            "result",
            "value of a game that ended in the tree or in a playout: its result, or the share of the cells",
            "3.1: by winning and losing; a game of 100 rounds is a draw",
        ),
        Key::new(
            "cut",
            Kind::Choice(&["share", "majority"]),
            "share",
            "value of a playout that was cut off: the share of the cells, or a win for the side with more",
            "4.1: the proportion of both colours",
        ),
        Key::new(
            "gain",
            Kind::Choice(&["difference", "share"]),
            "difference",
            "what a sampled move must improve: own cells minus the other side's, or their share",
            "4.1: \"the number relative to the opponent's\"",
        ),
        Key::new(
            "births",
            Kind::Choice(&["drawn", "all"]),
            "drawn",
            "sampled births: combinations are tried until there are enough, or all are tried and some are drawn",
            "4.1: 15 are made at random; the times of 5.2 are nearer to all (golad-fig4)",
        ),
        Key::new(
            "enumerate",
            Kind::Integer(0, 1_000_000),
            "4096",
            "sampled births: up to this number of combinations all are tried, in random order, each once",
            SILENT,
        ),
        Key::new("tries", Kind::Integer(0, 1_000_000), "300", "where there are more, this number is drawn", SILENT),
        Key::new(
            "rank",
            Kind::Choice(&["share", "difference"]),
            "share",
            "what a greedy move maximises: the share of own cells, or own cells minus the other side's",
            "4.3 (3): the proportion of the colours",
        ),
        Key::new(
            "ahead",
            Kind::Integer(1, 100),
            "3",
            "generations after which a greedy birth is evaluated",
            "4.3 (3): 3 turns, all passed; here including the move's own",
        ),
        Key::new(
            "kill-ahead",
            Kind::Integer(1, 100),
            "4",
            "generations after which a greedy kill is evaluated",
            "4.3 (3): 4 turns; here including the move's own",
        ),
        Key::new(
            "ties",
            Kind::Choice(&["first", "random"]),
            "first",
            "which of equally good cells a greedy move takes: the first, row by row, or a random one",
            SILENT,
        ),
        Key::new(
            "choice",
            Kind::Choice(&["visits", "mean"]),
            "visits",
            "which move is played: most visits, ties by higher mean; or highest mean, ties by visits",
            SILENT,
        ),
        Key::new(
            "table",
            Kind::Integer(1, 4096),
            "16",
            "memory of the tree in MiB; when it is full the search continues without adding nodes",
            "300,000 nodes of 48 bytes",
        ),
    ]
}

/// Which children a node gets.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Children {
    Sampled(Sampled),
    Greedy(Greedy),
}

/// The agents' hooks of the tree search.
#[derive(Clone, Debug)]
pub(crate) struct AgentGuide {
    step: Step,
    children: Children,
    /// An ended game counts as the share of its cells.
    ends_by_share: bool,
    /// A playout that was cut off counts as won by the side with more cells.
    cut_by_majority: bool,
    continuation: AgentPlayout,
    steps: Steps,
}

impl AgentGuide {
    fn share(position: &Position) -> f64 {
        let [first, second] = [Side::First, Side::Second].map(|side| f64::from(position.board.count(side)));
        if first + second == 0.0 { 0.5 } else { first / (first + second) }
    }
}

impl Guide<Golad> for AgentGuide {
    type Scratch = ();

    const CANDIDATES: bool = true;

    fn candidates(&mut self, at: &SearchPosition<'_, Golad>, rng: &mut Rng, moves: &mut Vec<Move>) {
        let Position { board, side, .. } = at.position;
        let (board, side) = (board, *side);
        let must_stop: &dyn Fn() -> bool = &|| at.must_stop();
        let steps = match (&self.children, self.step) {
            (Children::Sampled(sampled), Step::Cells) => sampled.make::<Cells>(board, side, rng, moves, must_stop),
            (Children::Sampled(sampled), Step::Rows) => sampled.make::<Formulas>(board, side, rng, moves, must_stop),
            (Children::Sampled(sampled), Step::Vectors) => sampled.make::<Board>(board, side, rng, moves, must_stop),
            (Children::Greedy(greedy), Step::Cells) => greedy.make::<Cells>(board, side, rng, moves, must_stop),
            (Children::Greedy(greedy), Step::Rows) => greedy.make::<Formulas>(board, side, rng, moves, must_stop),
            (Children::Greedy(greedy), Step::Vectors) => greedy.make::<Board>(board, side, rng, moves, must_stop),
        };
        self.steps.add_for_candidates(steps);
    }

    fn playout(
        &mut self,
        game: &Golad,
        position: &mut Position,
        (): &mut (),
        rng: &mut Rng,
        (): &mut (),
        played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        self.continuation.run(game, position, rng, played)
    }

    fn ended(&mut self, at: &SearchPosition<'_, Golad>, outcome: &Outcome) -> f64 {
        if self.ends_by_share { Self::share(at.position) } else { outcome.score(Side::First) }
    }

    fn cut(&mut self, at: &SearchPosition<'_, Golad>) -> f64 {
        let share = Self::share(at.position);
        if !self.cut_by_majority {
            return share;
        }
        match share.total_cmp(&0.5) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 1.0,
        }
    }
}

/// The catalog entry of an agent.
pub(crate) fn entry(name: &'static str, summary: &'static str, keys: &'static [Key]) -> PlayerEntry<Golad> {
    PlayerEntry {
        name,
        summary,
        source: SOURCE,
        keys,
        make: |game, options, seed, _| Ok(Box::new(player(game, options, seed)?.0)),
    }
}

/// The tree search of an agent.
pub(crate) type Search = Mcts<Golad, AgentGuide>;

/// Reads the values of an agent's keys. The generations that the guide computes are added to `steps`.
fn read(options: &Options, steps: &Steps) -> Result<(Settings, AgentGuide), Error> {
    const BALANCE: &[(&str, Balance)] = &[("share", Balance::Share), ("difference", Balance::Difference)];
    let number = |name| options.integer(name) as usize;
    let switch = |name| options.chosen(name, &[("on", true), ("off", false)]);
    let mut settings = mcts_settings(Settings::default(), options);
    if let Selection::Ucb1 { c } = &mut settings.selection {
        if matches!(settings.unvisited, Unvisited::Value(_)) {
            let message = "ucb1 is infinite for a child without a visit: unvisited=value needs selection=newucb";
            return Err(Error::new(ErrorCode::BadPlayer, message).arg("key", "unvisited"));
        }
        // The paper has a factor 2 under the square root, the search has none.
        *c *= std::f64::consts::SQRT_2;
    }
    let step = options.chosen("step", &[("cells", Step::Cells), ("rows", Step::Rows), ("vectors", Step::Vectors)]);
    let random = options.chosen("kinds", &[("even", Moves::Kinds), ("moves", Moves::Uniform)]);
    let continuation = AgentPlayout {
        step,
        moves: options.chosen("playout", &[("random", random), ("pass", Moves::Passes)]),
        length: number("length") as u32,
        stops: switch("stops"),
        steps: steps.clone(),
    };
    let sampled = Children::Sampled(Sampled {
        width: number("width"),
        all: options.chosen("births", &[("drawn", false), ("all", true)]),
        enumerate: number("enumerate"),
        tries: number("tries"),
        balance: options.chosen("gain", BALANCE),
    });
    let greedy = Children::Greedy(Greedy {
        ahead: number("ahead") as u32,
        kill_ahead: number("kill-ahead") as u32,
        balance: options.chosen("rank", BALANCE),
        ties: options.chosen("ties", &[("first", Ties::First), ("random", Ties::Random)]),
    });
    let guide = AgentGuide {
        step,
        children: options.chosen("children", &[("sampled", sampled), ("greedy", greedy)]),
        ends_by_share: options.chosen("ends", &[("result", false), ("share", true)]),
        cut_by_majority: options.chosen("cut", &[("share", false), ("majority", true)]),
        continuation,
        steps: steps.clone(),
    };
    Ok((settings, guide))
}

/// Makes an agent from the values of its keys, and the count of the generations that it computes.
///
/// # Errors
/// When the settings contradict each other.
pub(crate) fn player(game: &Golad, options: &Options, seed: u64) -> Result<(Search, Steps), Error> {
    let steps = Steps::default();
    let (settings, guide) = read(options, &steps)?;
    let mut player = Mcts::new(game, settings, guide, seed)?;
    player.limits = Limits { playouts: options.maximum("playouts"), ..Limits::default() };
    Ok((player, steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::{ai1, ai3};

    #[test]
    fn every_value_of_every_key_reaches_its_own_setting() {
        // Sampled children go with one agent, greedy ones and newUCB with the other: a key of the one does nothing in
        // the other.
        let made = |key: &Key, value: &str| {
            [ai1::KEYS, ai3::KEYS].map(|keys| {
                let options = Options::new(keys, &[(key.name, value)]).expect("a value in range");
                read(&options, &Steps::default()).map(|made| format!("{made:?}")).map_err(|error| error.message)
            })
        };
        for key in ai1::KEYS.iter().filter(|key| key.name != "playouts") {
            let values = key.kind.extremes();
            let made: Vec<_> = values.iter().map(|value| made(key, value)).collect();
            for (at, one) in made.iter().enumerate() {
                assert!(!made[..at].contains(one), "{}={} is like another value", key.name, values[at]);
            }
        }
    }

    #[test]
    fn scales_exploration_to_the_formula_of_the_paper() {
        let settings = |keys, pairs: &[(&str, &str)]| {
            let options = Options::new(keys, pairs).expect("values in range");
            read(&options, &Steps::default()).map(|(settings, _)| settings)
        };
        let ucb1 = settings(ai1::KEYS, &[("c", "0.5")]).expect("no contradiction");
        assert_eq!(ucb1.selection, Selection::Ucb1 { c: 0.5 * std::f64::consts::SQRT_2 });
        let newucb = settings(ai3::KEYS, &[("c", "0.5"), ("hope", "0.25")]).expect("no contradiction");
        assert_eq!(newucb.selection, Selection::NewUcb { c: 0.5, e: 1.0 });
        assert_eq!(newucb.unvisited, Unvisited::Value(0.25));
        let error = settings(ai1::KEYS, &[("unvisited", "value")]).expect_err("ucb1 has no value without visits");
        assert_eq!(error.code, ErrorCode::BadPlayer);
    }
}
