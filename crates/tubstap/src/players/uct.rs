//! M-UCT and S-UCT: a tree of unit actions, or of units and their actions.
//!
//! Muto's M-UCT as in the source of TUBSTAP 0108 with bundled programs, and S-UCT of Sagehashi, Tsubokura and Nishino 2018,
//! "Effect of Multistage Search Tree in Turn-Based Strategy Games", which divides M-UCT's actions into two stages. Both are
//! settings of the one tree search; what is unusual in the original is a key:
//!
//! | key | the original | usual |
//! |---|---|---|
//! | `opponent` | the other side selects like the own side: there is no change of sign | it selects what is best for itself |
//! | `total` | ln N counts the playouts of the decision, at every node | N is the visits of the parent |
//! | `at-threshold` | a difference of hit points that equals the threshold decides | it is a draw, as by the rules |
//! | `playouts` | at most 2,000 a decision | no bound |
//! | `reuse` | every decision begins with an empty tree | the part below what was played is kept |
//! | `choice` | the highest mean; the first of equals | most visits |
//!
//! Left out: in the original a playout that begins in the other side's turn counts one turn too many.

use std::time::Duration;

use banmen_catalog::{Error, Key, Kind, Options, PlayerEntry, mcts_settings};
use banmen_game::{GameState, Outcome, PlayoutEnd, Rng, Side};
use banmen_search::mcts::{
    Completion, Expansion, FinalMove, Guide, InStages, Mcts, Opponent, SearchPosition, Selection, Settings, StagedMcts,
    Total,
};
use banmen_search::{Limits, MAX_STAGES, Player, Staged};

use super::stages::UnitStages;
use crate::game::Tubstap;
use crate::moves::Move;
use crate::playout::{AttackLeaning, Reward};
use crate::position::Position;

const M_SOURCE: &str = "Muto, M-UCT, in TUBSTAP 0108";
const S_SOURCE: &str =
    "Sagehashi, Tsubokura and Nishino 2018, Effect of Multistage Search Tree in Turn-Based Strategy Games";

const PLAYOUTS: Key = Key::new(
    "playouts",
    Kind::Maximum(1_000_000_000),
    "2000",
    "maximum playouts per action, in addition to the limits of the match; 0: no maximum",
    "M-UCT's source",
);
const TIME: Key = Key::new(
    "time",
    Kind::Maximum(3_600_000),
    "9700",
    "maximum time per turn in ms, in addition to the limits of the match; 0: no maximum",
    "M-UCT's source",
);
const C: Key = Key::new("c", Kind::Number(0.0, 100.0), "0.15", "weight of exploration", "M-UCT's source");
const THRESHOLD: Key = Key::new(
    "threshold",
    Kind::Integer(0, 1_000_000),
    "10",
    "a child with more visits is expanded",
    "M-UCT's source; the S-UCT paper has 5",
);
const ATTACK: Key = Key::new(
    "attack",
    Kind::Number(0.0, 1.0),
    "0.8",
    "probability with which a playout attacks if it can",
    "M-UCT's source",
);
const OPPONENT: Key = Key::new(
    "opponent",
    Kind::Choice(&["cooperating", "minimising", "random"]),
    "cooperating",
    "how the other side selects in the tree; the original has no change of sign",
    "M-UCT's source",
);
const TOTAL: Key = Key::new(
    "total",
    Kind::Choice(&["root", "parent"]),
    "root",
    "N of the selection: playouts of the decision, or visits of the parent",
    "M-UCT's source",
);
const AT_THRESHOLD: Key = Key::new(
    "at-threshold",
    Kind::Choice(&["decided", "draw"]),
    "decided",
    "what a playout is whose difference of hit points equals the threshold; the rules say a draw",
    "M-UCT's source",
);
const CHOICE: Key = Key::new(
    "choice",
    Kind::Choice(&["first-mean", "mean", "visits"]),
    "first-mean",
    "action played: highest mean (the first of equals, or most visits of equals), or most visits",
    "M-UCT's source",
);
const REUSE: Key = Key::new(
    "reuse",
    Kind::Choice(&["off", "on"]),
    "off",
    "whether the tree below the action played is kept for the next decision",
    "M-UCT's source",
);
const TABLE: Key = Key::new(
    "table",
    Kind::Integer(1, 4096),
    "16",
    "memory of the tree in MiB; when it is full the search continues without adding nodes",
    "own: 20,000 playouts per action need less than half of it",
);
const R: Key = Key::new(
    "r",
    Kind::Number(0.0, 1.0),
    "0.5",
    "share of the budget for the choice of the unit; what is left is divided equally among the other stages",
    "4.1: 0.1 to 0.5",
);
const STAGES: Key = Key::new(
    "stages",
    Kind::Integer(2, 3),
    "2",
    "stages of an action: unit and action, or unit, cell and target",
    "section 3: two",
);
const FACTOR: Key = Key::new(
    "c-factor",
    Kind::Number(0.0, 100.0),
    "1",
    "factor of c at the stages after the choice of the unit",
    "section 3: the same c",
);
const BEGUN: Key = Key::new(
    "begun",
    Kind::Choice(&["completed", "ignored"]),
    "completed",
    "a playout from where only a part of an action is decided completes it, or begins before it",
    "the paper does not say; docs/reproductions.md",
);

/// The keys of `m-uct`.
pub(crate) const M_UCT: &[Key] =
    &[PLAYOUTS, TIME, C, THRESHOLD, ATTACK, OPPONENT, TOTAL, AT_THRESHOLD, CHOICE, REUSE, TABLE];

/// Those of `m-uct-plus`.
pub(crate) const M_UCT_PLUS: &[Key] = &[
    Key { default: "0", source: "own", ..PLAYOUTS },
    Key { default: "0", source: "own", ..TIME },
    C,
    THRESHOLD,
    Key {
        default: "0.98",
        source: "Okuda, Ikeda and Hashimoto 2022, IPSJ GI: playouts that attack more often",
        ..ATTACK
    },
    Key { default: "minimising", source: "own", ..OPPONENT },
    Key { default: "parent", source: "own", ..TOTAL },
    Key { default: "draw", source: "the rules", ..AT_THRESHOLD },
    Key { default: "visits", source: "own", ..CHOICE },
    Key { default: "on", source: "own", ..REUSE },
    Key { default: "64", source: "own", ..TABLE },
];

/// Those of `s-uct`.
pub(crate) const S_UCT: &[Key] = &[
    PLAYOUTS,
    Key { default: "5000", source: "4.1", ..TIME },
    Key { source: "4.1", ..C },
    Key { default: "5", source: "4.1", ..THRESHOLD },
    R,
    STAGES,
    FACTOR,
    BEGUN,
    ATTACK,
    OPPONENT,
    TOTAL,
    AT_THRESHOLD,
    CHOICE,
    REUSE,
    TABLE,
];

/// Playouts that attack if they can, and their rewards.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AttackFirst {
    playouts: AttackLeaning,
    /// The probability of an attack where there is one.
    attack: f64,
    /// Whether playouts complete an action that is decided in part.
    completes: bool,
}

impl AttackFirst {
    pub(crate) fn new(options: &Options) -> AttackFirst {
        let attack = options.number("attack");
        let reward = options.chosen("at-threshold", &[("decided", Reward::Original), ("draw", Reward::Rules)]);
        AttackFirst {
            playouts: AttackLeaning::new(attack, reward),
            attack,
            completes: !options.has("begun") || options.chosen("begun", &[("completed", true), ("ignored", false)]),
        }
    }
}

impl Guide<Tubstap> for AttackFirst {
    type Scratch = ();

    fn begin(&mut self, root: &GameState<Tubstap>) {
        self.playouts.begin(root.side_to_move());
    }

    fn playout(
        &mut self,
        game: &Tubstap,
        position: &mut Position,
        (): &mut (),
        rng: &mut Rng,
        (): &mut (),
        played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        self.playouts.run(game, position, u32::MAX, rng, played)
    }

    fn ended(&mut self, at: &SearchPosition<'_, Tubstap>, outcome: &Outcome) -> f64 {
        self.playouts.reward(at.game, at.position, outcome)
    }
}

impl Completion<Tubstap> for AttackFirst {
    /// With the probability of an attack one of the attacks, else one of all actions, as a playout chooses.
    fn complete(&mut self, _: &Tubstap, _: &Position, moves: &[Move], rng: &mut Rng) -> Option<Move> {
        if !self.completes {
            return None;
        }
        let attacks = moves.iter().filter(|m| m.target().is_some()).count();
        if attacks > 0 && rng.unit() < self.attack {
            return moves.iter().copied().filter(|m| m.target().is_some()).nth(rng.index(attacks));
        }
        Some(moves[rng.index(moves.len())])
    }
}

/// The settings that a player's keys give.
fn settings(options: &Options) -> Settings {
    let original = Settings {
        selection: Selection::Ucb1 { c: 0.15 },
        total: Total::Root,
        opponent: Opponent::Cooperating,
        final_move: FinalMove::FirstMean,
        ..Settings::default()
    };
    let settings = mcts_settings(original, options);
    // More visits than the threshold are at least one more.
    let threshold = settings.expansion.threshold + 1;
    Settings { expansion: Expansion { threshold, ..settings.expansion }, ..settings }
}

/// The limits that the keys `playouts` and `time` add to those of the match.
pub(super) fn own_limits(options: &Options) -> Limits {
    let time = options.maximum("time").map(Duration::from_millis);
    Limits { playouts: options.maximum("playouts"), time, ..Limits::default() }
}

fn make_m_uct(game: &Tubstap, options: &Options, seed: u64) -> Result<Mcts<Tubstap, AttackFirst>, Error> {
    let mut player = Mcts::new(game, settings(options), AttackFirst::new(options), seed)?;
    player.limits = own_limits(options);
    Ok(player)
}

/// The factors of c at the stages.
fn exploration(options: &Options) -> [f64; MAX_STAGES] {
    let mut factors = [options.number("c-factor"); MAX_STAGES];
    factors[0] = 1.0;
    factors
}

/// The parts of the budget that the stages get.
fn shares(options: &Options) -> Vec<f64> {
    let (first, others) = (options.number("r"), options.integer("stages") - 1);
    let rest = (0..others).map(|_| (1.0 - first) / others as f64);
    std::iter::once(first).chain(rest).collect()
}

fn make_s_uct(
    game: &Tubstap,
    options: &Options,
    seed: u64,
) -> Result<StagedMcts<Tubstap, UnitStages, InStages<AttackFirst>>, Error> {
    let stages = if options.integer("stages") == 2 { UnitStages::Two } else { UnitStages::Three };
    let view = Staged::new(game.clone(), stages);
    let guide = InStages::new(AttackFirst::new(options)).exploring(exploration(options));
    let mut player = StagedMcts::new(view, settings(options), guide, &shares(options), seed)?;
    player.limits = own_limits(options);
    Ok(player)
}

fn boxed(player: impl Player<Tubstap> + 'static) -> Box<dyn Player<Tubstap>> {
    Box::new(player)
}

/// M-UCT.
pub(crate) fn m_uct() -> PlayerEntry<Tubstap> {
    PlayerEntry {
        name: "m-uct",
        summary: "Muto's M-UCT: a tree of unit actions, playouts that attack",
        source: M_SOURCE,
        keys: M_UCT,
        make: |game, options, seed, _| make_m_uct(game, options, seed).map(boxed),
    }
}

/// M-UCT with its non-standard choices replaced by the usual ones.
pub(crate) fn m_uct_plus() -> PlayerEntry<Tubstap> {
    PlayerEntry {
        name: "m-uct-plus",
        summary: "M-UCT with an opponent that plays for itself, a kept tree, and more attacks in playouts",
        source: "own, after M-UCT",
        keys: M_UCT_PLUS,
        make: |game, options, seed, _| make_m_uct(game, options, seed).map(boxed),
    }
}

/// S-UCT.
pub(crate) fn s_uct() -> PlayerEntry<Tubstap> {
    PlayerEntry {
        name: "s-uct",
        summary: "S-UCT: M-UCT with a tree of two stages, the unit and its action",
        source: S_SOURCE,
        keys: S_UCT,
        make: |game, options, seed, _| make_s_uct(game, options, seed).map(boxed),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use banmen_catalog::WallClock;
    use banmen_game::Game;
    use banmen_search::{Budget, Clock, StopFlag, Task};

    use super::*;
    use crate::maps;

    fn read(keys: &'static [Key], pairs: &[(&str, &str)]) -> Options {
        Options::new(keys, pairs).expect("values in range")
    }

    #[test]
    fn every_value_of_every_key_reaches_its_own_setting() {
        for keys in [M_UCT, M_UCT_PLUS, S_UCT] {
            for key in keys {
                let texts = key.kind.extremes();
                let made: Vec<_> = texts
                    .iter()
                    .map(|text| {
                        let options = read(keys, &[(key.name, text)]);
                        let staged = options.has("r").then(|| (shares(&options), exploration(&options)));
                        (settings(&options), own_limits(&options), AttackFirst::new(&options), staged)
                    })
                    .collect();
                for (at, one) in made.iter().enumerate() {
                    assert!(!made[..at].contains(one), "{}={} is like another value", key.name, texts[at]);
                }
            }
        }
    }

    #[test]
    fn defaults_are_those_of_the_sources() {
        let m_uct = settings(&read(M_UCT, &[]));
        let original = Settings {
            selection: Selection::Ucb1 { c: 0.15 },
            total: Total::Root,
            opponent: Opponent::Cooperating,
            final_move: FinalMove::FirstMean,
            reuse: false,
            // More than 10 visits.
            expansion: Expansion { threshold: 11, ..Expansion::default() },
            bytes: 16 << 20,
            ..Settings::default()
        };
        assert_eq!(m_uct, original);
        assert_eq!(
            own_limits(&read(M_UCT, &[])),
            Limits { playouts: Some(2000), ..Limits::time(Duration::from_millis(9700)) }
        );
        let s_uct = read(S_UCT, &[]);
        let expansion = Expansion { threshold: 6, ..original.expansion };
        assert_eq!(settings(&s_uct), Settings { expansion, ..original });
        assert_eq!(shares(&s_uct), [0.5, 0.5]);
        assert_eq!(shares(&read(S_UCT, &[("stages", "3"), ("r", "0.2")])), [0.2, 0.4, 0.4]);
    }

    #[test]
    fn keys_reach_the_playouts() {
        for (pairs, attack, reward) in [
            (&[][..], 0.8, Reward::Original),
            (&[("at-threshold", "decided")], 0.8, Reward::Original),
            (&[("at-threshold", "draw")], 0.8, Reward::Rules),
            (&[("attack", "0.25")], 0.25, Reward::Original),
        ] {
            assert_eq!(AttackFirst::new(&read(M_UCT, pairs)).playouts, AttackLeaning::new(attack, reward), "{pairs:?}");
        }
    }

    fn think(
        player: &mut impl Player<Tubstap>,
        state: &GameState<Tubstap>,
        limits: Limits,
    ) -> banmen_search::Report<Move> {
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        player.think(Task { state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None })
    }

    #[test]
    fn trees_have_the_actions_of_all_units_or_the_units_first() {
        let state = GameState::new(maps::standard());
        let mut m_uct =
            make_m_uct(state.game(), &read(M_UCT, &[("playouts", "73"), ("time", "0")]), 1).expect("a player");
        let report = think(&mut m_uct, &state, Limits::default());
        assert_eq!(report.playouts, Some(73));
        // 73 actions, each visited once in the order of their list.
        let children = m_uct.children(&[]);
        assert_eq!(children.iter().map(|(m, _)| *m).collect::<Vec<_>>(), state.game().moves(state.position()));
        assert!(children.len() == 73 && children.iter().all(|(_, child)| child.visits == 1.0));

        let keys = [("playouts", "400"), ("time", "0"), ("r", "0.25")];
        let mut s_uct = make_s_uct(state.game(), &read(S_UCT, &keys), 1).expect("a player");
        let report = think(&mut s_uct, &state, Limits::default());
        assert_eq!(report.playouts, Some(400));
        let best = report.best().expect("an action");
        let root = s_uct.search().node_stats(&[]).expect("a root").visits;
        assert!((300.0..=400.0).contains(&root), "300 playouts below the unit, and some of the 100 before: {root}");
        let unit = best.unit().expect("a unit");
        let own: Vec<Move> =
            state.game().moves(state.position()).into_iter().filter(|m| m.unit() == Some(unit)).collect();
        let search = s_uct.search();
        let children: Vec<Option<Move>> =
            search.children(&[]).iter().map(|(part, _)| state.game().unpack(part.0)).collect();
        assert_eq!(children, own.into_iter().map(Some).collect::<Vec<_>>());
    }

    /// Ten microseconds pass from one reading to the next.
    #[derive(Default)]
    struct Readings(AtomicU64);

    impl Clock for Readings {
        fn now(&self) -> Duration {
            Duration::from_micros(10 * self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[test]
    fn s_uct_divides_time_among_units_and_stages() {
        let (state, clock, stop) = (GameState::new(maps::standard()), Readings::default(), StopFlag::default());
        let limits = Limits::time(Duration::from_millis(12));
        let mut made = Vec::new();
        for keys in [[("r", "0.25"), ("playouts", "0"), ("c", "100")], [("r", "0.75"), ("playouts", "0"), ("c", "100")]]
        {
            let mut player = make_s_uct(state.game(), &read(S_UCT, &keys), 1).expect("a player");
            let task = Task { state: &state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
            let report = player.think(task);
            // A sixth of the turn's time, as six units can act.
            let time = report.time.as_micros();
            assert!((2_000..2_200).contains(&time), "{time} µs");
            let below = player.search().node_stats(&[]).expect("a root").visits;
            made.push(below / report.playouts.expect("playouts") as f64);
        }
        // With so large a weight of exploration a sixth of the first stage, and all of the second one.
        assert!((made[0] - 0.79).abs() < 0.1 && (made[1] - 0.375).abs() < 0.1, "{made:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_search() {
        let state = GameState::new(maps::named("map03").expect("a map"));
        for begun in ["completed", "ignored"] {
            let make = |seed| {
                let keys = [("playouts", "300"), ("time", "0"), ("begun", begun)];
                let mut player = make_s_uct(state.game(), &read(S_UCT, &keys), seed).expect("a player");
                let report = think(&mut player, &state, Limits::default());
                (report.lines, report.nodes)
            };
            assert_eq!(make(7), make(7));
            assert_ne!(make(7), make(8));
        }
    }

    #[test]
    fn twenty_thousand_playouts_fit_into_less_than_half_of_the_tree() {
        for name in ["map01", "map03"] {
            let state = GameState::new(maps::named(name).expect("a map"));
            let options = read(M_UCT, &[("playouts", "20000"), ("time", "0"), ("threshold", "5")]);
            let mut player = make_m_uct(state.game(), &options, 1).expect("a player");
            think(&mut player, &state, Limits::default());
            let statistics = player.statistics();
            assert!(statistics.refused == 0 && 2 * statistics.nodes < statistics.capacity, "{name}: {statistics:?}");
        }
    }

    #[test]
    fn searches_are_as_shallow_as_the_original() {
        // The original's mean depth at about 2,000 playouts per action is 1.9.
        let state = GameState::new(maps::standard());
        let mut player = make_m_uct(state.game(), &read(M_UCT, &[]), 1).expect("a player");
        player.begin(&state);
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let mut depth = 0;
        let limits = Limits { playouts: Some(2000), ..Limits::default() };
        player.run(&mut Budget::start(&Limits::default(), &clock, &stop), &limits, |simulation| {
            depth += simulation.line.len();
        });
        let mean = depth as f64 / 2000.0;
        assert!((1.6..2.4).contains(&mean), "{mean}");
    }
}
