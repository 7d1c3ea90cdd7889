//! Monte-Carlo tree search: one tree, whose choices are settings.
//!
//! A simulation descends the tree by [`Selection`], expands a leaf that has enough visits and goes on, plays a playout from
//! the leaf, and adds the reward to every node of its path. What shapes the memory and the inner loop is a type: the
//! [`Guide`] (playouts, priors, values, filters, candidates, rewards) and the [`Payload`] of nodes (nothing, or AMAF
//! counters). Everything else is a value of [`Settings`], checked as a whole by [`Mcts::new`].
//!
//! Rewards are in [0, 1] and from the view of the first side everywhere in the tree. The tree is kept in one arena of fixed
//! size, 48 bytes a node (64 with AMAF counters); when it is full the search goes on without growing, and
//! [`Statistics::refused`] counts it. Moves are listed no further than there is space, so that a position of 10^6 moves
//! takes no more memory than the tree has. If the children of the root do not fit, the search has no answer of its own:
//! then [`Mcts::best`] is the first move that the game lists. Each node is reached by one line only, so the
//! [`History`](banmen_game::History) of the game counts on every descent.
//!
//! [`Mcts`] is a [`Player`]. To divide a decision in another way, call [`Mcts::begin`], [`Mcts::run`], [`Mcts::advance`] and
//! [`Mcts::best`], which is all that `think` does. [`StagedMcts`] divides it among the stages of a move.
//!
//! One thread, limits of nodes or playouts, and the same seed give the same tree on every machine. The logarithm is
//! `libm`'s.

mod amaf;
mod delayed;
mod guide;
mod interrupt;
mod node;
mod playout;
mod run;
mod select;
mod settings;
mod snapshot;
mod solve;
mod stages;
mod stats;
mod tree;
mod worker;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use banmen_game::{Game, GameState};

pub use self::amaf::{Amaf, IndexedAmaf, Payload};
pub use self::guide::{AmafUpdate, Guide, NewChildren, SearchPosition};
use self::interrupt::Interrupt;
pub use self::playout::{Fast, Uniform};
pub use self::select::SelectionScore;
pub use self::settings::{
    AmafUpdates, Candidate, Expansion, FinalMove, Opponent, Order, Parallel, Rave, Selection, SelectionRule, Settings,
    SettingsError, TerminalCheck, Total, Unvisited, VirtualVisits, Widening,
};
pub use self::snapshot::{LastSimulation, MAX_RECORDED_PLIES, NodeSelection, SearchTree, Step, TreeNode, TreeQuery};
pub use self::stages::{Completion, InStages, StagedMcts};
pub use self::stats::{NodeStats, Statistics};
use self::tree::Tree;
use self::worker::{SearchContext, Worker};
use crate::threads;
use crate::{Budget, Limits, Player, Report, Task};

/// One simulation, as [`Mcts::run`] and [`Guide::finished`] report it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Simulation<'a, M> {
    /// The moves in the tree.
    pub line: &'a [M],
    /// The result for the first side.
    pub reward: f64,
    /// The number of moves of the playout.
    pub plies: u32,
}

/// The search and its tree, one session.
pub struct Mcts<G: Game, K: Guide<G>, X: Payload<G> = ()> {
    /// Bounds of its own, which hold beside those of a task.
    pub limits: Limits,
    settings: Settings,
    guide: K,
    seed: u64,
    /// One; with [`Parallel::Root`] one for each thread.
    trees: Vec<Tree<X>>,
    /// For as many threads as were ever asked for.
    workers: Vec<Worker<G, K, X>>,
    /// How many of them search.
    threads: usize,
    /// The root, and the moves that led to it.
    state: GameState<G>,
    /// How much of the tree reports contain.
    query: Option<TreeQuery>,
}

/// More threads than this are never used.
const MAX_THREADS: usize = 256;

/// The first progress report is made after so many simulations.
const FIRST_SLICE: u64 = 256;

/// Progress reports back off to this interval.
const REPORT_PERIOD: Duration = Duration::from_millis(250);

/// An early stop is considered again when one in so many of the simulations that were left has been made.
const EARLY_STOP_CHECKS: f64 = 32.0;

/// More simulations than this are never made below one root: sums stay exact.
const MAX_SIMULATIONS: u64 = 1 << 31;

impl<G: Game, K: Guide<G>, X: Payload<G>> Mcts<G, K, X> {
    /// A search with these choices, on one thread. Everything random follows from the seed. The memory is allocated at once.
    ///
    /// # Errors
    /// When the settings contradict each other, the guide or the payload.
    pub fn new(game: &G, settings: Settings, guide: K, seed: u64) -> Result<Self, SettingsError> {
        settings.check::<G, K, X>()?;
        let mut mcts = Mcts {
            limits: Limits::default(),
            settings,
            guide,
            seed,
            trees: vec![Tree::new(settings.bytes)],
            workers: Vec::new(),
            threads: 1,
            state: GameState::new(game.clone()),
            query: None,
        };
        mcts.reset_workers();
        Ok(mcts)
    }

    /// Searches on so many threads from the next [`Mcts::run`] on, the calling one included: on at most 256, and on fewer
    /// where [`Parallel::Root`] divides the memory into trees that are too small, and on one in a build without the feature
    /// `threads`. Each thread has a random stream of its own, which it keeps. With [`Parallel::Root`] another number of
    /// threads means new trees, and the old ones are discarded.
    pub fn set_threads(&mut self, threads: usize) {
        let mut threads = threads.clamp(1, MAX_THREADS).min(threads::most());
        if self.settings.parallel == Parallel::Root {
            threads = threads.min(self.settings.bytes / Tree::<X>::MIN_BYTES);
            if threads != self.trees.len() {
                self.trees = Vec::new();
                self.trees.extend((0..threads).map(|_| Tree::new(self.settings.bytes / threads)));
            }
        }
        self.threads = threads;
        self.add_workers();
    }

    /// Makes the workers that are missing.
    fn add_workers(&mut self) {
        for index in self.workers.len()..self.threads {
            let mut worker = Worker::new(self.state.game(), self.guide.clone(), self.seed, index as u64);
            worker.begin_decision(&self.state);
            self.workers.push(worker);
        }
    }

    /// Recreates all workers, with their random streams at the beginning.
    fn reset_workers(&mut self) {
        self.workers.clear();
        self.add_workers();
    }

    /// Clears the trees and sets another root.
    fn reset_root(&mut self, state: GameState<G>) {
        self.trees.iter_mut().for_each(Tree::clear);
        self.workers.iter_mut().for_each(Worker::drop_chunk);
        self.state = state;
    }

    /// Makes the current position of a game the root of the next [`Mcts::run`], and resets the counters. What lies
    /// below it in the tree is kept when the settings want that and the game has gone on from the old root.
    pub fn begin(&mut self, state: &GameState<G>) {
        let old = &self.state;
        let same = self.settings.reuse && state.game() == old.game() && state.origin() == old.origin();
        match state.moves().strip_prefix(old.moves()) {
            Some(since) if same => {
                for &m in since {
                    self.advance(m);
                }
            }
            _ => self.reset_root(state.clone()),
        }
        for tree in &mut self.trees {
            tree.outside = 0;
        }
        for worker in &mut self.workers {
            worker.begin_decision(&self.state);
        }
    }

    /// Allocates the memory of the trees, once. It can take longer than a decision, so that it is no part of one's time.
    fn reserve(&mut self) {
        self.trees.iter_mut().for_each(Tree::reserve);
    }

    /// Plays a legal move at the root and keeps what lies below it. False when no tree had a node for it.
    pub fn advance(&mut self, m: G::Move) -> bool {
        let mut kept = false;
        for tree in &mut self.trees {
            let before = tree.node(0).weight.load(Relaxed);
            match stats::child(tree, tree.node(0), X::pack(self.state.game(), m)) {
                Some(index) => {
                    tree.advance(index);
                    kept = true;
                }
                None => tree.clear(),
            }
            tree.outside += before.saturating_sub(tree.node(0).weight.load(Relaxed));
        }
        for worker in &mut self.workers {
            worker.drop_chunk();
            // A ply of the descents so far is played.
            worker.deepest = worker.deepest.saturating_sub(1);
            worker.last_open = worker.simulations;
        }
        self.state.play(m);
        kept
    }

    /// Makes simulations until `limits.playouts` of them are made, one has descended `limits.depth` plies, the budget
    /// is over, or the solver has proven the root's value. A limit of depth also ends the search where simulations only
    /// lead to ends of the game in the tree. Returns how many it made. The budget counts the positions visited, in the
    /// tree and in playouts; it bounds nodes and time. `observe` sees every simulation of the calling thread.
    pub fn run(
        &mut self,
        budget: &mut Budget<'_>,
        limits: &Limits,
        mut observe: impl FnMut(&Simulation<'_, G::Move>),
    ) -> u64 {
        if self.state.outcome().is_some() {
            return 0;
        }
        self.reserve();
        let Mcts { settings, trees, workers, state, threads, query, .. } = self;
        let (settings, trees, state) = (&*settings, &*trees, &*state);
        let workers = &mut workers[..*threads];
        if let Some(first) = workers.first_mut() {
            first.record(query.as_ref().is_some_and(|query| query.last));
        }
        let (shared, virtual_loss) = match settings.parallel {
            Parallel::Tree { virtual_loss } if *threads > 1 => (true, node::ONE * u64::from(virtual_loss)),
            _ => (false, 0),
        };
        let halt = AtomicBool::new(false);
        let own_interrupt = Interrupt::calling(budget, &halt);
        let context = |index: usize| SearchContext {
            game: state.game(),
            root: state.position(),
            side: state.side_to_move(),
            settings,
            tree: &trees[if trees.len() == 1 { 0 } else { index }],
            shared,
            virtual_loss,
            interrupt: if index == 0 { own_interrupt } else { Interrupt::helper(&halt) },
        };
        let before: u64 = workers.iter().map(|worker| worker.simulations).sum();
        for (index, worker) in workers.iter_mut().enumerate() {
            worker.begin(&SearchContext { interrupt: own_interrupt, ..context(index) }, state.history());
        }
        let visits = trees.iter().map(|tree| tree.node(0).visits()).max().unwrap_or(0);
        let most = MAX_SIMULATIONS.saturating_sub(visits);
        let limits = Limits { playouts: Some(limits.playouts.map_or(most, |wanted| wanted.min(most))), ..*limits };
        let solved = settings.solver && trees.iter().any(|tree| solve::is_solved(tree.node(0)));
        if !solved {
            run::run(workers, context, &limits, budget, &halt, &mut observe);
        }
        workers.iter().map(|worker| worker.simulations).sum::<u64>() - before
    }
}

impl<G: Game, K: Guide<G>, X: Payload<G>> Mcts<G, K, X> {
    /// Simulations that are left after the first `made` of at most `all`, at the speed so far.
    fn simulations_left(made: u64, all: u64, budget: &Budget<'_>) -> f64 {
        let by_count = (all - made) as f64;
        match (budget.left(), budget.elapsed()) {
            (Some(left), spent) if !spent.is_zero() => by_count.min(made as f64 * left.div_duration_f64(spent)),
            _ => by_count,
        }
    }

    /// Whether the settings say to stop, because the simulations that are left are not enough to change the best move.
    fn is_decided(&self, made: u64, all: u64, budget: &Budget<'_>) -> bool {
        let Some(part) = self.settings.early_stop else { return false };
        self.lead().is_none_or(|lead| lead > part * Self::simulations_left(made, all, budget))
    }
}

impl<G: Game, K: Guide<G>, X: Payload<G>> Player<G> for Mcts<G, K, X> {
    fn new_game(&mut self, start: &GameState<G>, seed: u64) {
        self.seed = seed;
        self.reserve();
        self.reset_root(start.clone());
        self.reset_workers();
    }

    fn show_tree(&mut self, query: Option<TreeQuery>) -> bool {
        self.query = query;
        true
    }

    fn think(&mut self, mut task: Task<'_, G>) -> Report<G::Move> {
        let limits = task.decision_limits(self.limits);
        self.set_threads(task.threads);
        self.reserve();
        let mut budget = Budget::start(&Limits { playouts: None, ..limits }, task.clock, task.stop);
        self.begin(task.state);
        let all = limits.playouts.unwrap_or(u64::MAX);
        let lines = task.lines;
        let finish = |mcts: &Self, made: u64, budget: &Budget<'_>| {
            let trees = mcts.query.iter().map(|query| mcts.snapshot(query)).collect();
            let report = mcts.report(lines);
            Report { nodes: budget.count(), playouts: Some(made), time: budget.elapsed(), trees, ..report }
        };
        if budget.left().is_some() {
            // The time limit covers the final report, whose lines will be longer than those of the root alone.
            self.run(&mut budget, &Limits { playouts: Some(0), ..limits }, |_| {});
            let cost = time(&budget, || finish(self, 0, &budget));
            budget.reserve(2 * cost);
        }
        let (mut made, mut slice, mut last) = (0, FIRST_SLICE, budget.elapsed());
        // Where the slice ends, and with an early stop the number of simulations at which it is considered. Slices follow the
        // clock, and must not decide: with a limit of playouts the search is the same on every machine.
        let (mut end, mut check) = (slice, self.settings.early_stop.map_or(u64::MAX, |_| FIRST_SLICE));
        loop {
            let wanted = end.min(all).min(check) - made;
            let part = self.run(&mut budget, &Limits { playouts: Some(wanted), ..limits }, |_| {});
            made += part;
            if part < wanted || made == all {
                return finish(self, made, &budget);
            }
            if made == check {
                if self.is_decided(made, all, &budget) {
                    return finish(self, made, &budget);
                }
                let left = Self::simulations_left(made, all, &budget);
                check = made.saturating_add(((left / EARLY_STOP_CHECKS) as u64).max(FIRST_SLICE));
            }
            if made < end {
                continue;
            }
            task.report(|| finish(self, made, &budget));
            let now = budget.elapsed();
            if now - last < REPORT_PERIOD {
                slice *= 2;
            }
            (end, last) = (made.saturating_add(slice), now);
        }
    }
}

/// How long `job` takes by the budget's clock.
fn time<T>(budget: &Budget<'_>, job: impl FnOnce() -> T) -> Duration {
    let start = budget.elapsed();
    job();
    budget.elapsed().saturating_sub(start)
}
