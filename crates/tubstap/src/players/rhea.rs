//! RHEA: rolling horizon evolution of plans for the turn, as in the programs that come with a source derived from TUBSTAP.
//!
//! No plan looks beyond the turn, so depth is one turn from the first generation on.

use banmen_catalog::{Error, ErrorCode, Key, Kind, Options, PlayerEntry};
use banmen_game::{GameState, Side};
use banmen_search::{Budget, Limits, Player, Report, Task};

use super::plan::{self, BIAS, Planner, RestOfTurn, TIME};
use super::uct::own_limits;
use crate::game::Tubstap;
use crate::moves::Move;

const SOURCE: &str = "TaylorNeller/TUBSTAP_Taylor, RHEA";

const fn number(name: &'static str, default: &'static str, summary: &'static str) -> Key {
    Key { name, kind: Kind::Number(0.0, 1.0), default, summary, source: SOURCE }
}

const fn count(name: &'static str, range: (i64, i64), default: &'static str, summary: &'static str) -> Key {
    Key { name, kind: Kind::Integer(range.0, range.1), default, summary, source: SOURCE }
}

pub(crate) const KEYS: &[Key] = &[
    count("population", (2, 1000), "30", "plans in a generation"),
    number("mutation", "0.4", "probability with which an action of a new plan is replaced"),
    number("crossover", "0.8", "probability with which a new plan has two parents"),
    count("tournament", (1, 1000), "3", "plans of which the best one becomes a parent"),
    count("elite", (0, 1000), "3", "best plans that stay in the next generation, fewer than population"),
    BIAS,
    Key {
        name: "playouts",
        kind: Kind::Maximum(1_000_000_000),
        default: "0",
        summary: "maximum plans evaluated per action of the turn, in addition to the limits of the match; 0: no maximum",
        source: "own",
    },
    TIME,
];

/// A plan and its value for the side that makes it.
type Valued = (Vec<Move>, f64);

struct Rhea {
    planner: Planner,
    bias: f64,
    population: usize,
    mutation: f64,
    crossover: f64,
    tournament: usize,
    elite: usize,
    limits: Limits,
    rest: RestOfTurn,
}

impl Rhea {
    /// Fails if the keys contradict each other.
    fn new(options: &Options, seed: u64) -> Result<Rhea, Error> {
        let count = |name| options.integer(name) as usize;
        let (population, elite) = (count("population"), count("elite"));
        if elite >= population {
            let message = format!("elite={elite} must be below population={population}");
            return Err(Error::new(ErrorCode::BadPlayer, message).arg("key", "elite"));
        }
        let bias = options.number("bias");
        Ok(Rhea {
            planner: Planner::new(bias, seed),
            bias,
            population,
            mutation: options.number("mutation"),
            crossover: options.number("crossover"),
            tournament: count("tournament"),
            elite,
            limits: own_limits(options),
            rest: RestOfTurn::default(),
        })
    }

    /// The best of some plans drawn at random.
    fn parent(&mut self, plans: &[Valued]) -> usize {
        // Plans are sorted, the best one first.
        (0..self.tournament).map(|_| self.planner.rng.index(plans.len())).min().unwrap_or(0)
    }

    fn child(&mut self, state: &GameState<Tubstap>, plans: &[Valued]) -> Valued {
        let game = state.game();
        let first = self.parent(plans);
        let (mut end, mut plan) = (*state.position(), Vec::new());
        if self.planner.rng.unit() < self.crossover {
            let second = self.parent(plans);
            plan = self.planner.cross(game, &mut end, &plans[first].0, &plans[second].0);
        } else {
            plan.clone_from(&plans[first].0);
            end = *state.position();
            plan = self.planner.play(game, &mut end, plan);
        }
        if self.planner.rng.unit() < self.mutation {
            end = *state.position();
            plan = self.planner.mutate(game, &mut end, &plan);
        }
        let value = value(state, &end);
        (plan, value)
    }

    /// The best plan and its value, and how many were evaluated.
    fn evolve(&mut self, state: &GameState<Tubstap>, budget: &mut Budget<'_>, most: u64) -> (Valued, u64) {
        let mut made = 0;
        let mut go_on = |plan: &[Move]| {
            made += 1;
            budget.nodes(plan.len() as u64) && budget.go_on() && made < most
        };
        let mut plans: Vec<Valued> = Vec::new();
        let mut running = true;
        while plans.len() < self.population && (running || plans.is_empty()) {
            let mut end = *state.position();
            let plan = self.planner.play(state.game(), &mut end, []);
            running = go_on(&plan);
            plans.push((plan, value(state, &end)));
        }
        let by_value = |a: &Valued, b: &Valued| b.1.total_cmp(&a.1);
        plans.sort_by(by_value);
        while running {
            let mut next: Vec<Valued> = plans.iter().take(self.elite).cloned().collect();
            while running && next.len() < self.population {
                let child = self.child(state, &plans);
                running = go_on(&child.0);
                next.push(child);
            }
            if next.len() < self.population {
                // The generation is incomplete: the best plan of the previous one still counts.
                next.extend(plans.first().cloned());
            }
            next.sort_by(by_value);
            plans = next;
        }
        (plans.swap_remove(0), made)
    }
}

/// The value of the end of a turn for the side that made it.
fn value(state: &GameState<Tubstap>, end: &crate::position::Position) -> f64 {
    let first = plan::evaluate(state.game(), end);
    if state.side_to_move() == Side::First { first } else { 1.0 - first }
}

impl Player<Tubstap> for Rhea {
    fn new_game(&mut self, _: &GameState<Tubstap>, seed: u64) {
        self.planner = Planner::new(self.bias, seed);
        self.rest = RestOfTurn::default();
    }

    fn think(&mut self, task: Task<'_, Tubstap>) -> Report<Move> {
        if let Some(report) = self.rest.next(task.state) {
            return report;
        }
        let limits = plan::turn_limits(&task, self.limits);
        let mut budget = Budget::start(&Limits { playouts: None, ..limits }, task.clock, task.stop);
        // The first generation is as deep as every later one.
        let most = limits.depth.map_or(u64::MAX, |_| self.population as u64).min(limits.playouts.unwrap_or(u64::MAX));
        let (best, made) = self.evolve(task.state, &mut budget, most);
        self.rest.begin(task.state, best, made, 1, &budget)
    }
}

/// The player.
pub(crate) fn entry() -> PlayerEntry<Tubstap> {
    PlayerEntry {
        name: "rhea",
        summary: "evolves plans for the turn: mutation, crossover, the balance of the units at its end",
        source: SOURCE,
        keys: KEYS,
        make: |_, options, seed, _| Ok(Box::new(Rhea::new(options, seed)?)),
    }
}

#[cfg(test)]
mod tests {
    use banmen_catalog::WallClock;
    use banmen_search::StopFlag;

    use super::*;
    use crate::maps;

    fn read(pairs: &[(&str, &str)]) -> Result<Rhea, Error> {
        Rhea::new(&Options::new(KEYS, pairs).expect("values in range"), 1)
    }

    fn rhea(pairs: &[(&str, &str)]) -> Rhea {
        read(pairs).expect("no contradiction")
    }

    #[test]
    fn an_elite_is_smaller_than_the_population() {
        assert_eq!(rhea(&[("population", "5"), ("elite", "4")]).elite, 4);
        for population in ["4", "3"] {
            let error = read(&[("population", population), ("elite", "4")]).err().expect("refused");
            assert_eq!(error.code, ErrorCode::BadPlayer);
            assert_eq!(error.message, format!("elite=4 must be below population={population}"));
        }
    }

    #[test]
    fn turns_are_planned_once_and_played_to_their_end() {
        let mut state = GameState::new(maps::standard());
        let mut player = rhea(&[("playouts", "50"), ("time", "0")]);
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let (mut planned, mut turns) = (Vec::new(), 0);
        while state.position().turn() < 6 {
            let limits = Limits::default();
            let task = Task { state: &state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
            let report = player.think(task);
            if planned.is_empty() {
                assert_eq!(report.playouts, Some(50 * u64::from(state.decisions_left())));
                planned.clone_from(&report.lines[0].moves);
                turns += 1;
            } else {
                assert_eq!((report.playouts, &report.lines[0].moves), (Some(0), &planned));
            }
            state.play(planned.remove(0));
        }
        assert_eq!(turns, 6);
    }

    #[test]
    fn limits_of_depth_end_the_first_generation() {
        let state = GameState::new(maps::standard());
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        for depth in [1, 9] {
            let limits = Limits::depth(depth);
            let task = Task { state: &state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
            let report = rhea(&[("population", "7"), ("time", "0")]).think(task);
            assert_eq!((report.playouts, report.depth), (Some(7), 1));
        }
    }

    #[test]
    fn evolution_finds_a_win_in_one_turn_that_random_plans_rarely_find() {
        let state = GameState::new(maps::named("select_A1").expect("a map"));
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::default(), &clock, &stop);
        let ((plan, value), made) = rhea(&[]).evolve(&state, &mut budget, 6_000);
        assert!(made <= 6_000);
        let mut end = state.clone();
        plan.iter().for_each(|&m| end.play(m));
        assert_eq!((end.outcome().map(|outcome| outcome.by), value), (Some("annihilation"), 1.0));
        let mut planner = Planner::new(0.8, 1);
        let won = (0..600).filter(|_| {
            let mut end = *state.position();
            planner.play(state.game(), &mut end, []);
            end.alive(Side::Second) == 0
        });
        assert!(won.count() < 60);
    }
}
