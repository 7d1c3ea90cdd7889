//! Searching a game whose moves are made in stages: playouts by the rules of the game itself, and a part of the budget for
//! each stage.

use std::ops::ControlFlow;
use std::time::Duration;

use banmen_game::{Game, GameState, History, Outcome, PlayoutEnd, Rng, Side};

use super::{
    FIRST_SLICE, Guide, LastSimulation, Mcts, REPORT_PERIOD, SearchPosition, SearchTree, Settings, SettingsError, Step,
    TreeNode, TreeQuery, Uniform,
};
use crate::{
    Budget, Limits, Line, MAX_STAGES, Part, Player, Report, Staged, StagedHistory, StagedPosition, Stages, Task,
};

/// A guide whose playouts can begin where a move has been decided in part.
pub trait Completion<G: Game>: Guide<G> {
    /// The move that the playout makes first, one of `moves`: at least one, all that begin with the parts that have been
    /// decided, in the order in which the game lists them. By default each has the same chance. `None`: the playout begins
    /// before the move, as if nothing had been decided.
    fn complete(&mut self, game: &G, position: &G::Position, moves: &[G::Move], rng: &mut Rng) -> Option<G::Move> {
        let _ = (game, position);
        Some(if let [m] = *moves { m } else { moves[rng.index(moves.len())] })
    }
}

impl<G: Game> Completion<G> for Uniform {}

/// The playouts and the rewards of a guide of `G`, in the game whose moves are made in stages. Its other hooks, such as
/// priors and filters, are not called.
#[derive(Clone, Debug)]
pub struct InStages<K> {
    guide: K,
    exploration: [f64; MAX_STAGES],
}

impl<K> InStages<K> {
    /// With the same exploration at every stage.
    pub fn new(guide: K) -> Self {
        InStages { guide, exploration: [1.0; MAX_STAGES] }
    }

    /// With a factor of the exploration at each stage, at least 0; see [`Guide::exploration`].
    #[must_use]
    pub fn exploring(self, exploration: [f64; MAX_STAGES]) -> Self {
        InStages { exploration, ..self }
    }
}

/// A position of `G` at the end of a simulation.
fn base<'a, G: Game, S: Stages<G>>(at: &SearchPosition<'a, Staged<G, S>>) -> SearchPosition<'a, G> {
    SearchPosition::new(at.game.base(), at.position.base(), at.history.base(), at.plies, &[])
}

impl<G: Game, S: Stages<G>, K: Completion<G>> Guide<Staged<G, S>> for InStages<K> {
    type Scratch = (Vec<G::Move>, K::Scratch);

    const EXPLORES: bool = true;

    fn exploration(&self, _: &Staged<G, S>, position: &StagedPosition<G::Position>) -> f64 {
        self.exploration[position.parts().len() % MAX_STAGES]
    }

    fn begin(&mut self, root: &GameState<Staged<G, S>>) {
        let game = root.game();
        let mut state = GameState::from(game.base().clone(), root.origin().base().clone());
        let mut position = root.origin().clone();
        for &part in root.moves() {
            if let Some(m) = game.whole(&position, part) {
                state.play(m);
            }
            game.play(&mut position, part);
        }
        self.guide.begin(&state);
    }

    fn playout(
        &mut self,
        game: &Staged<G, S>,
        position: &mut StagedPosition<G::Position>,
        history: &mut StagedHistory<G::History>,
        rng: &mut Rng,
        (moves, scratch): &mut Self::Scratch,
        mut played: impl FnMut(Side, Part),
    ) -> PlayoutEnd {
        let rules = game.base();
        let mut first = None;
        if !position.parts().is_empty() {
            moves.clear();
            let _ = game.stages().visit_moves(rules, position.base(), position.parts(), |m| {
                moves.push(m);
                ControlFlow::<()>::Continue(())
            });
            first = self.guide.complete(rules, position.base(), moves, rng);
        }
        if let Some(m) = first {
            played(rules.side_to_move(position.base()), Part(rules.pack(m)));
            history.base_mut().push(position.base());
            rules.play(position.base_mut(), m);
        }
        let outcome = first.and_then(|_| rules.outcome(position.base(), history.base()));
        let mut end = PlayoutEnd { outcome, plies: 0 };
        if outcome.is_none() {
            let part = |side, m| played(side, Part(rules.pack(m)));
            end = self.guide.playout(rules, position.base_mut(), history.base_mut(), rng, scratch, part);
        }
        if first.is_some() {
            history.base_mut().pop();
            end.plies += 1;
        }
        end
    }

    fn ended(&mut self, at: &SearchPosition<'_, Staged<G, S>>, outcome: &Outcome) -> f64 {
        self.guide.ended(&base(at), outcome)
    }

    fn cut(&mut self, at: &SearchPosition<'_, Staged<G, S>>) -> f64 {
        self.guide.cut(&base(at))
    }
}

/// A player of `G` that searches the game whose moves are made in stages. It decides the stages one after the other, each
/// in a part of the budget of the decision, and keeps the tree below what it has decided.
///
/// With two stages this is Algorithm 1 of Sagehashi, Tsubokura and Nishino 2018, "Effect of Multistage Search Tree in
/// Turn-Based Strategy Games", whose `R` is the share of the first stage. A stage that leaves no choice is not searched, and
/// its part goes to the next one; that of the last one is not used.
///
/// Its nodes have no AMAF counters: the playouts report whole moves, and most nodes are reached by parts of moves.
pub struct StagedMcts<G: Game, S: Stages<G>, K: Guide<Staged<G, S>>> {
    /// Bounds of its own, which hold beside those of a task.
    pub limits: Limits,
    mcts: Mcts<Staged<G, S>, K>,
    /// For each stage the part of the budget that is spent when it ends; the last one is 1.
    until: Vec<f64>,
    /// The trees of the stages of this decision that are over, if they are wanted.
    earlier: Vec<SearchTree<G::Move>>,
}

impl<G: Game, S: Stages<G>, K: Guide<Staged<G, S>>> StagedMcts<G, S, K> {
    /// A search with these choices. `shares` are the parts of the budget that the stages get, one for each of them, at
    /// least 0; they need not add up to 1.
    ///
    /// # Errors
    /// When the settings contradict each other or the guide, or ask for RAVE, AMAF or an early stop, and when there are not
    /// as many shares as stages, one is negative, or all are 0.
    pub fn new(
        game: Staged<G, S>,
        settings: Settings,
        guide: K,
        shares: &[f64],
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let sum: f64 = shares.iter().sum();
        let sound = shares.len() == game.count() && shares.iter().all(|&share| share >= 0.0);
        if !(sound && sum > 0.0 && sum.is_finite()) {
            return Err(SettingsError::Range(
                "the share of a stage",
                "at least 0, one for each stage, not all of them 0",
            ));
        }
        if settings.early_stop.is_some() {
            return Err(SettingsError::StagesWithoutEarlyStop);
        }
        let mut until: Vec<f64> = shares
            .iter()
            .scan(0.0, |spent, share| {
                *spent += share;
                Some(*spent / sum)
            })
            .collect();
        if let Some(last) = until.last_mut() {
            *last = 1.0;
        }
        let mcts = Mcts::new(&game, settings, guide, seed)?;
        Ok(StagedMcts { limits: Limits::default(), mcts, until, earlier: Vec::new() })
    }

    /// The search. After a decision its root is where only the last stage is left.
    pub fn search(&self) -> &Mcts<Staged<G, S>, K> {
        &self.mcts
    }

    /// The same game state, with moves made in stages.
    fn staged(&self, state: &GameState<G>) -> GameState<Staged<G, S>> {
        Staged::new(state.game().clone(), self.mcts.state.game().stages().clone()).state(state)
    }

    /// The whole moves of a line from the root of the search.
    fn whole(&self, line: &[Part]) -> Vec<G::Move> {
        let game = self.mcts.state.game();
        let mut position = self.mcts.state.position().clone();
        let mut moves = Vec::new();
        for &part in line {
            moves.extend(game.whole(&position, part));
            game.play(&mut position, part);
        }
        moves
    }

    /// A part of the tree of the stage that is searched, with moves of `G`; nothing where none is wanted.
    fn tree(&self) -> Option<SearchTree<G::Move>> {
        let SearchTree { settings, size, capacity, nodes, last, .. } = self.mcts.snapshot(self.mcts.query.as_ref()?);
        let (game, root) = (self.mcts.state.game(), self.mcts.state.position());
        // The step of a decision, and the position after it.
        let decide = |position: &StagedPosition<G::Position>, step: &Step<Part>| {
            let mut next = position.clone();
            let Step::Move(part) = *step else { return None };
            game.play(&mut next, part);
            let made = game.whole(position, part).map(Step::Move);
            Some((made.or_else(|| game.label(&next).map(Step::Part))?, next))
        };
        let mut positions: Vec<StagedPosition<G::Position>> = Vec::with_capacity(nodes.len());
        let mut steps = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let made = node.parent.zip(node.step.as_ref()).and_then(|(parent, step)| decide(&positions[parent], step));
            let (step, position) = made.unzip();
            positions.push(position.unwrap_or_else(|| root.clone()));
            steps.push(step);
        }
        let nodes = nodes.into_iter().zip(steps).map(|(node, step)| {
            let TreeNode { parent, side, stats, ended, children, selection, score, .. } = node;
            TreeNode { parent, step, side, stats, ended, children, selection, score }
        });
        let last = last.map(|LastSimulation { line, expanded, playout, plies, reward }| {
            let mut position = root.clone();
            let line = line.iter().map_while(|step| {
                let (step, next) = decide(&position, step)?;
                position = next;
                Some(step)
            });
            let line = line.collect();
            // A playout by stages reports moves of the game.
            let playout = playout.into_iter().filter_map(|part| game.base().unpack(part.0)).collect();
            LastSimulation { line, expanded, playout, plies, reward }
        });
        Some(SearchTree { decided: game.label(root), settings, size, capacity, nodes: nodes.collect(), last })
    }

    /// What the search has found so far, as moves of `G`. The move begins with what has been decided.
    fn report(&self, lines: usize, made: u64, nodes: u64, time: Duration) -> Report<G::Move> {
        let report = self.mcts.report(lines);
        let (state, value) = (&self.mcts.state, report.value());
        let lines =
            report.lines.iter().map(|line| Line { moves: self.whole(&line.moves), value: line.value, eval: None });
        let mut lines: Vec<_> = lines.filter(|line| !line.moves.is_empty()).collect();
        if lines.is_empty() {
            let (game, position) = (state.game(), state.position());
            let first = game.stages().visit_moves(game.base(), position.base(), position.parts(), ControlFlow::Break);
            let moves = first.break_value().into_iter().collect();
            lines = vec![Line { moves, value, eval: None }];
        }
        let depth = lines.iter().map(|line| line.moves.len() as u32).max().unwrap_or(0);
        let trees = self.earlier.iter().cloned().chain(self.tree()).collect();
        Report { lines, nodes, playouts: Some(made), depth, time, proven: report.proven, confidence: None, trees }
    }
}

/// The part `until` of a limit that is a count.
fn part(limit: Option<u64>, until: f64) -> Option<u64> {
    limit.map(|limit| (limit as f64 * until).round() as u64)
}

impl<G: Game, S: Stages<G>, K: Guide<Staged<G, S>>> Player<G> for StagedMcts<G, S, K> {
    fn new_game(&mut self, start: &GameState<G>, seed: u64) {
        let start = self.staged(start);
        self.mcts.new_game(&start, seed);
    }

    fn show_tree(&mut self, query: Option<TreeQuery>) -> bool {
        // Its nodes are parts of moves.
        self.mcts.show_tree(query.map(|query| TreeQuery { path: Vec::new(), ..query }))
    }

    fn think(&mut self, mut task: Task<'_, G>) -> Report<G::Move> {
        let limits = task.decision_limits(self.limits);
        self.mcts.set_threads(task.threads);
        self.mcts.reserve();
        let whole = Budget::start(&Limits::default(), task.clock, task.stop);
        let root = self.staged(task.state);
        self.mcts.begin(&root);
        self.earlier.clear();
        let (lines, until) = (task.lines, self.until.clone());
        let (mut made, mut nodes, mut slice, mut last) = (0, 0, FIRST_SLICE, whole.elapsed());
        for (stage, &until) in until.iter().enumerate() {
            let is_last = stage + 1 == self.until.len();
            let decisions = self.mcts.state.game().count_moves(self.mcts.state.position());
            if decisions > 1 {
                let bounds = Limits {
                    time: limits.time.map(|time| time.mul_f64(until).saturating_sub(whole.elapsed())),
                    nodes: part(limits.nodes, until).map(|all| all.saturating_sub(nodes)),
                    depth: limits.depth.map(|depth| depth.saturating_mul(self.until.len() as u32)),
                    ..Limits::default()
                };
                let mut left = part(limits.playouts, until).map_or(u64::MAX, |all| all.saturating_sub(made));
                let mut budget = Budget::start(&bounds, task.clock, task.stop);
                loop {
                    let wanted = slice.min(left);
                    let run = self.mcts.run(&mut budget, &Limits { playouts: Some(wanted), ..bounds }, |_| {});
                    (made, left) = (made + run, left - run);
                    if run < wanted || left == 0 {
                        break;
                    }
                    task.report(|| self.report(lines, made, nodes + budget.count(), whole.elapsed()));
                    let now = whole.elapsed();
                    if now - last < REPORT_PERIOD {
                        slice *= 2;
                    }
                    last = now;
                }
                nodes += budget.count();
            }
            if !is_last && decisions > 1 {
                let tree = self.tree();
                self.earlier.extend(tree);
            }
            if let (false, Some(decided)) = (is_last, self.mcts.best()) {
                self.mcts.advance(decided);
            }
        }
        self.report(lines, made, nodes, whole.elapsed())
    }
}
