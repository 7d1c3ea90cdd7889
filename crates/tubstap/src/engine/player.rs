//! The player `engine`.

use std::time::Duration;

use banmen_catalog::{Options, PlayerEntry};
use banmen_game::{Game, GameState, Rng, mix};
use banmen_search::{Budget, Eval, Limits, Line, Player, Report, Task};

use super::level::{Errors, LEVELS, Level};
use super::settings::{KEYS, Settings};
use super::tree::{Tree, Variation};
use crate::game::Tubstap;
use crate::moves::Move;

/// The player's entry in the catalog.
pub(crate) const ENTRY: PlayerEntry<Tubstap> = PlayerEntry {
    name: "engine",
    summary: "our strongest: tree search over plans for whole turns",
    source: "own",
    keys: KEYS,
    make: |_, options, seed, _| Ok(Box::new(Engine::new(options, seed))),
};

/// The engine. It plans the whole turn at its first decision, with the time of the whole turn, and plays the rest of the plan
/// without searching. Its nodes are positions valued.
pub(crate) struct Engine {
    settings: Settings,
    /// Set below level 10.
    level: Option<Level>,
    rng: Rng,
    rest: Option<Rest>,
}

/// What is left of a plan.
struct Rest {
    /// The key of the position in which the next move is played.
    key: u64,
    /// The moves of the plan that are left, and those expected after it.
    variation: Variation,
    /// The depth of its search.
    depth: u32,
    /// The plan is proven to win.
    proven: bool,
}

impl Engine {
    /// The player with these settings. The seed determines the playouts, and the errors of levels below 10.
    pub(crate) fn new(options: &Options, seed: u64) -> Self {
        let level = options.level(&LEVELS);
        let mut settings = Settings::new(options);
        if let Some(level) = level {
            level.narrow(&mut settings);
        }
        Engine { settings, level, rng: Rng::new(seed), rest: None }
    }

    /// Searches for a plan, and keeps it.
    fn search(&mut self, task: &mut Task<'_, Tubstap>) -> Report<Move> {
        let (game, position) = (task.state.game(), task.state.position());
        // Playouts are counted by the tree.
        let limits = Limits { playouts: None, ..task.limits };
        let mut budget = Budget::start(&limits, task.clock, task.stop);
        let salt = mix(self.rng.bits() ^ position.key());
        let level = self.level;
        let errors = level.map(|level| Errors { level, salt });
        let mut tree = Tree::new(game, &self.settings, *position, Rng::new(salt), errors);
        let report = |variations: &[Variation], tree: &Tree<'_>, budget: &Budget<'_>| Report {
            lines: variations.iter().map(line).collect(),
            nodes: budget.count(),
            playouts: Some(tree.playouts()),
            depth: tree.depth() as u32,
            time: budget.elapsed(),
            proven: tree.won,
            ..Report::default()
        };
        tree.begin(&mut budget);
        let lines = task.lines;
        let playouts = task.limits.playouts.unwrap_or(u64::MAX);
        let (mut reported, mut next_report) = (Vec::new(), Duration::ZERO);
        for step in 0..level.map_or(u32::MAX, |level| level.steps) {
            let deep = task.limits.depth.is_some_and(|depth| tree.depth() >= depth as usize || tree.is_exhausted());
            if budget.over() || deep || tree.playouts() >= playouts || !tree.step(&mut budget) {
                break;
            }
            if task.progress.is_some() && step % REPORT_STEPS == 0 && next_report <= budget.elapsed() {
                next_report = budget.elapsed() + REPORT_PERIOD;
                let best = tree.best(lines);
                if best[0].moves != reported {
                    reported.clone_from(&best[0].moves);
                    task.report(|| report(&best, &tree, &budget));
                }
            }
        }
        let mut best = tree.best(lines);
        let report = report(&best, &tree, &budget);
        let (depth, proven) = (report.depth, report.proven);
        self.rest = Some(Rest { key: position.key(), variation: best.swap_remove(0), depth, proven });
        report
    }
}

/// Whether progress is to be reported is looked at every so many steps.
const REPORT_STEPS: u32 = 64;

/// The least time between reports of progress, which are made if the best plan has changed.
const REPORT_PERIOD: Duration = Duration::from_millis(100);

impl Player<Tubstap> for Engine {
    fn new_game(&mut self, _: &GameState<Tubstap>, seed: u64) {
        self.rng = Rng::new(seed);
        self.rest = None;
    }

    fn think(&mut self, mut task: Task<'_, Tubstap>) -> Report<Move> {
        let (game, position) = (task.state.game(), *task.state.position());
        let key = position.key();
        let known = self.rest.take().filter(|rest| rest.key == key && task.lines == 1);
        let report = match known {
            Some(rest) => {
                let report = Report {
                    lines: vec![line(&rest.variation)],
                    playouts: Some(0),
                    depth: rest.depth,
                    proven: rest.proven,
                    ..Report::default()
                };
                self.rest = Some(rest);
                report
            }
            None => self.search(&mut task),
        };
        // The next decision of the turn, if there is one.
        self.rest = self.rest.take().filter(|rest| rest.variation.first > 1).map(|mut rest| {
            let mut next = position;
            game.play(&mut next, rest.variation.moves.remove(0));
            rest.variation.first -= 1;
            rest.key = next.key();
            rest
        });
        report
    }
}

fn line(variation: &Variation) -> Line<Move> {
    let eval = variation.lead.map(|lead| Eval { n: lead.into(), unit: "hit points" });
    Line { moves: variation.moves.clone(), value: variation.score.into(), eval }
}
