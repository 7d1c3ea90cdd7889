//! Monte-Carlo tree search: one tree, whose choices are settings.
//!
//! A simulation goes down the tree by [`Selection`], expands a leaf that has visits enough and goes on, plays a
//! [`Playout`] from the leaf, and adds the reward to every node it came through. What shapes the memory and the inner
//! loop is a type: the playout, the [`Guide`] (priors, filters, candidates, rewards), the [`Payload`] of nodes (nothing, or AMAF
//! counters). Everything else is a value of [`Settings`], checked as a whole by [`Mcts::new`].
//!
//! Rewards are in [0, 1] and seen by the first side everywhere in the tree. The tree stands in one arena of stated size,
//! 48 bytes a node (64 with AMAF counters); when it is full the search goes on without growing, and
//! [`Statistics::refused`] says so. Moves are listed no further than they would find room, so that a position of 10^6
//! moves takes no more memory than the tree has. A root whose children do not fit leaves the search without an answer of
//! its own: then [`Mcts::best`] is the first move that the game lists. A node is reached by one line only, so the [`History`](banmen_game::History) of the game
//! counts on every descent.
//!
//! [`Mcts`] is a [`Player`]. Whoever wants to divide a decision in another way calls [`Mcts::begin`], [`Mcts::run`],
//! [`Mcts::advance`] and [`Mcts::best`] alone: that is all that `think` does.
//!
//! One thread, limits of nodes or playouts, and the same seed give the same tree on every machine. The logarithm is
//! `libm`'s.

mod amaf;
mod delayed;
mod guide;
mod node;
mod playout;
mod run;
mod select;
mod settings;
mod solve;
mod stats;
mod tree;
mod worker;

use std::time::Duration;

use banmen_game::{Game, GameState};

pub use self::guide::{Guide, Rules};
pub use self::node::{Amaf, Payload};
pub use self::playout::{Fast, Playout, Uniform};
pub use self::settings::{
    Choice, Ends, Expansion, Opponent, Order, Rave, Selection, Settings, SettingsError, Threads, Total, Unvisited,
};
pub use self::stats::{NodeStats, Statistics};
use self::tree::Tree;
use self::worker::{SearchContext, Worker};
use crate::{Budget, Limits, Player, Report, Task};

/// What an observer is told of each simulation.
#[derive(Clone, Copy, Debug)]
pub struct Simulation<'a, M> {
    /// The moves in the tree.
    pub line: &'a [M],
    /// The result for the first side.
    pub reward: f64,
    /// The moves of the playout behind the tree.
    pub plies: u32,
}

/// The search and its tree, one session.
pub struct Mcts<G: Game, P, K = Rules, X = ()> {
    /// Bounds of its own, which hold beside those of a task.
    pub limits: Limits,
    settings: Settings,
    playout: P,
    guide: K,
    seed: u64,
    trees: Vec<Tree<X>>,
    workers: Vec<Worker<G, P>>,
    /// The way to the root.
    state: GameState<G>,
}

/// The first report comes after so many simulations.
const FIRST_SLICE: u64 = 256;

/// Reports come ever more rarely, until so much time lies between two.
const REPORT_PERIOD: Duration = Duration::from_millis(250);

/// More simulations than this are never made below one root: sums stay exact.
const MOST_SIMULATIONS: u64 = 1 << 31;

impl<G: Game, P: Playout<G>, K: Guide<G>, X: Payload> Mcts<G, P, K, X> {
    /// A search with these choices. Everything random follows from the seed. The memory is taken at once.
    ///
    /// # Errors
    /// When the settings contradict each other, the guide or the payload.
    pub fn new(game: &G, settings: Settings, playout: P, guide: K, seed: u64) -> Result<Self, SettingsError> {
        settings.check::<G, K, X>()?;
        let trees = settings.trees();
        let mut mcts = Mcts {
            limits: Limits::default(),
            settings,
            playout,
            guide,
            seed,
            trees: (0..trees).map(|_| Tree::new(settings.bytes / trees)).collect(),
            workers: Vec::new(),
            state: GameState::new(game.clone()),
        };
        mcts.reset_workers();
        Ok(mcts)
    }

    /// New workers, with their random streams at the beginning.
    fn reset_workers(&mut self) {
        let worker = |index| Worker::new(self.state.game(), self.playout.clone(), self.seed, index);
        self.workers = (0..self.settings.thread_count() as u64).map(worker).collect();
    }

    /// Forgets the tree and goes to another root.
    fn forget(&mut self, state: GameState<G>) {
        self.trees.iter_mut().for_each(Tree::clear);
        self.workers.iter_mut().for_each(Worker::drop_chunk);
        self.state = state;
    }

    /// Takes the place where a game stands as the root of the next [`Mcts::run`], and begins to count anew. What lies
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
            _ => self.forget(state.clone()),
        }
        for worker in &mut self.workers {
            worker.simulations = 0;
            worker.deepest = 0;
        }
    }

    /// Plays a legal move at the root and keeps what lies below it. False when nothing was known of it.
    pub fn advance(&mut self, m: G::Move) -> bool {
        let mut kept = false;
        for tree in &mut self.trees {
            match stats::child(self.state.game(), tree, tree.node(0), m) {
                Some(index) => {
                    tree.advance(index);
                    kept = true;
                }
                None => tree.clear(),
            }
        }
        self.workers.iter_mut().for_each(Worker::drop_chunk);
        self.state.play(m);
        kept
    }

    /// Makes simulations until `limits.playouts` of them are made, one has gone `limits.depth` plies down the tree, the
    /// watch says stop, or the solver knows the root's value. The budget counts the positions visited, in the tree and in
    /// playouts; it bounds nodes and time. `observe` sees every simulation of the calling thread.
    pub fn run(
        &mut self,
        budget: &mut Budget<'_>,
        limits: &Limits,
        mut observe: impl FnMut(&Simulation<'_, G::Move>),
    ) -> u64 {
        if self.state.outcome().is_some() {
            return 0;
        }
        let Mcts { settings, guide, trees, workers, state, .. } = self;
        let shared = matches!(settings.threads, Threads::Shared { .. });
        let (settings, guide, trees, state) = (&*settings, &*guide, &*trees, &*state);
        let context = |index: usize| SearchContext {
            game: state.game(),
            root: state.position(),
            side: state.side_to_move(),
            settings,
            guide,
            tree: &trees[if shared { 0 } else { index }],
            shared,
        };
        let before: u64 = workers.iter().map(|worker| worker.simulations).sum();
        for (index, worker) in workers.iter_mut().enumerate() {
            worker.begin(&context(index), state.history());
        }
        let visits = trees.iter().map(|tree| tree.node(0).visits()).max().unwrap_or(0);
        let most = MOST_SIMULATIONS.saturating_sub(visits);
        let limits = Limits { playouts: Some(limits.playouts.map_or(most, |wanted| wanted.min(most))), ..*limits };
        let solved = settings.solver && trees.iter().any(|tree| solve::is_solved(tree.node(0)));
        if !solved {
            run::run(workers, context, &limits, budget, &mut observe);
        }
        workers.iter().map(|worker| worker.simulations).sum::<u64>() - before
    }
}

impl<G: Game, P: Playout<G>, K: Guide<G>, X: Payload> Player<G> for Mcts<G, P, K, X> {
    fn new_game(&mut self, start: &GameState<G>, seed: u64) {
        self.seed = seed;
        self.forget(start.clone());
        self.reset_workers();
    }

    fn think(&mut self, mut task: Task<'_, G>) -> Report<G::Move> {
        let limits = task.decision_limits(self.limits);
        let mut budget = Budget::start(&Limits { playouts: None, ..limits }, task.clock, task.stop);
        self.begin(task.state);
        let all = limits.playouts.unwrap_or(u64::MAX);
        let (mut made, mut slice, mut last) = (0, FIRST_SLICE, budget.elapsed());
        let lines = task.lines;
        let finish = |mcts: &Self, made: u64, budget: &Budget<'_>| {
            let counts = (budget.count(), Some(made), budget.elapsed());
            Report { nodes: counts.0, playouts: counts.1, time: counts.2, ..mcts.report(lines) }
        };
        loop {
            let wanted = slice.min(all - made);
            let part = self.run(&mut budget, &Limits { playouts: Some(wanted), ..limits }, |_| {});
            made += part;
            if part < wanted || made == all {
                return finish(self, made, &budget);
            }
            task.report(|| finish(self, made, &budget));
            let now = budget.elapsed();
            if now - last < REPORT_PERIOD {
                slice *= 2;
            }
            last = now;
        }
    }
}
