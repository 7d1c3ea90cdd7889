//! A reference player: three plies over composed moves, valued by the balance of the cells.
//!
//! Built from a description of the strongest public bot (Gnivom/GOLAD_NeuralNet, second of the site's 2018 finals): its
//! methods and figures, none of its code. Its value of a position is the weighted mean of the balances after 0, 1 and 2
//! generations of passes; births are composed of the best single changes, some 600 at the root, 100 and 25 at the
//! lower plies; a broad list of 200, 20 and 1 moves is ranked again by a shallower search, and alpha-beta searches the
//! best 30, 15 and 1. The bot scales these sizes by its time. So does this player: it searches with a tenth of them
//! first, and then with longer and longer lists while there is time.
//!
//! It departs from the bot where the faster step of this crate allows, and runs on one thread.

use std::cmp::Reverse;

use banmen_catalog::{Error, Key, Kind, Options};
use banmen_game::Game;
use banmen_search::{Budget, Eval, Line, Player, Report, Task};

use crate::Golad;
use crate::moves::Move;
use crate::parts::{Parts, TrialContext, Valued};
use crate::position::Position;
use crate::trial::{UNIT, WON, Weights};

/// Everything that can be set.
pub const KEYS: &[Key] = &[
    Key {
        name: "weights",
        kind: Kind::Integers(3, 0, 10_000),
        default: "1260/946/610",
        summary: "weights of the balances after 0, 1 and 2 generations of passes",
        source: "the bot: 1.260, 0.946, 0.610",
    },
    Key {
        name: "samples",
        kind: Kind::Integers(3, 1, 4000),
        default: "600/100/25",
        summary: "births composed at each ply",
        source: "the bot",
    },
    Key {
        name: "broad",
        kind: Kind::Integers(2, 1, 4000),
        default: "200/20",
        summary: "moves ranked again by a search one ply shallower, at the root and after it",
        source: "the bot",
    },
    Key {
        name: "best",
        kind: Kind::Integers(2, 1, 4000),
        default: "30/15",
        summary: "moves searched, at the root and after it",
        source: "the bot",
    },
    Key {
        name: "first",
        kind: Kind::Number(0.01, 100.0),
        default: "0.1",
        summary: "factor of the sizes in the first search",
        source: "ours: a first answer within a millisecond",
    },
    Key {
        name: "growth",
        kind: Kind::Number(1.1, 10.0),
        default: "1.4",
        summary: "growth of the sizes from one search to the next, until the time is up",
        source: "ours: the next search takes about three times as long",
    },
];

/// The longest lists, independently of the time.
const LONGEST: f64 = 4000.0;

/// The largest number of cells of each kind of which births are composed.
const RANKS: usize = 40;

/// Larger than every value.
const INFINITE: i32 = WON + UNIT;

/// The settings read from the keys.
#[derive(Clone, Debug)]
struct Settings {
    weights: Weights,
    samples: Vec<f64>,
    broad: Vec<f64>,
    best: Vec<f64>,
    first: f64,
    growth: f64,
}

/// The reference player. Its nodes are trials: changes of a board that were valued.
pub struct Balance3 {
    settings: Settings,
    parts: Parts,
    /// The ranks of the birth and of the two sacrifices, the smallest products of ranks first.
    ranks: Vec<[usize; 3]>,
}

impl Balance3 {
    /// The player with these settings.
    ///
    /// # Errors
    /// `bad_player` where all weights are 0.
    pub fn new(options: &Options) -> Result<Self, Error> {
        let list = |name| options.integers(name).iter().map(|&size| size as f64).collect::<Vec<_>>();
        let settings = Settings {
            weights: Weights::new("weights", &list("weights"), 0.0, 1)?,
            samples: list("samples"),
            broad: list("broad"),
            best: list("best"),
            first: options.number("first"),
            growth: options.number("growth"),
        };
        let mut ranks = Vec::new();
        for birth in 0..RANKS {
            for second in 1..RANKS {
                ranks.extend((0..second).map(|first| [birth, first, second]));
            }
        }
        ranks.sort_by_key(|&[birth, first, second]| ((birth + 1) * (first + 1) * second, birth));
        ranks.truncate(LONGEST as usize);
        Ok(Balance3 { settings, parts: Parts::default(), ranks })
    }
}

impl Player<Golad> for Balance3 {
    fn think(&mut self, mut task: Task<'_, Golad>) -> Report<Move> {
        let limits = task.limits;
        let mut budget = Budget::start(&limits, task.clock, task.stop);
        let position = *task.state.position();
        let depth = limits.depth.unwrap_or(3).min(3);
        let mut search = Search {
            game: *task.state.game(),
            settings: &self.settings,
            parts: &mut self.parts,
            budget: &mut budget,
            ranks: &self.ranks,
            scale: self.settings.first,
        };
        // Without a limit one search with the bot's own sizes is enough.
        let endless = limits.budget().is_none() && limits.nodes.is_none() && limits.playouts.is_none();
        if endless {
            search.scale = 1.0;
        }
        search.rank(&position, 0);
        let mut best = search.parts.best(1)[0];
        let mut reached = 1;
        while depth > 1 && best.1 < WON {
            let (found, finished) = search.root(&position, depth, best.0);
            if let Some(found) = found {
                best = found;
            }
            if !finished {
                break;
            }
            reached = depth;
            task.report(|| report(best, reached, search.budget));
            // Longer lists change nothing.
            if endless || search.scale > LONGEST {
                break;
            }
            search.scale *= self.settings.growth;
        }
        report(best, reached, &budget)
    }
}

fn report((m, value): Valued, depth: u32, budget: &Budget<'_>) -> Report<Move> {
    let balance = f64::from(value.clamp(-UNIT, UNIT)) / f64::from(UNIT);
    let line = Line {
        moves: vec![m],
        value: 0.5 + balance / 2.0,
        eval: Some(Eval { n: 100.0 * balance, unit: "% of the cells" }),
    };
    Report { lines: vec![line], nodes: budget.count(), depth, time: budget.elapsed(), ..Report::of(m, 0.5) }
}

struct Search<'s, 'w, 'a> {
    game: Golad,
    settings: &'s Settings,
    parts: &'s mut Parts,
    budget: &'w mut Budget<'a>,
    ranks: &'s [[usize; 3]],
    scale: f64,
}

impl Search<'_, '_, '_> {
    fn size(&self, whole: f64) -> usize {
        (whole * self.scale).clamp(1.0, LONGEST) as usize
    }

    /// Ranks the moves of a position `ply` plies after the root into `parts`. False when the search must stop.
    fn rank(&mut self, position: &Position, ply: usize) -> bool {
        let samples = self.size(self.settings.samples[ply]);
        let context = TrialContext { board: &position.board, side: position.side, weights: &self.settings.weights };
        let parts = &mut *self.parts;
        parts.single(context, [RANKS; 2], self.budget);
        let (births, sacrifices) = (std::mem::take(&mut parts.births), std::mem::take(&mut parts.sacrifices));
        let together = self.ranks.iter().filter_map(|&[birth, first, second]| {
            Some(Move::birth(births.get(birth)?.1, sacrifices.get(first)?.1, sacrifices.get(second)?.1))
        });
        parts.add(context, together.take(samples), self.budget);
        (parts.births, parts.sacrifices) = (births, sacrifices);
        !self.budget.over()
    }

    /// The best moves of a position, ranked again by a search of one ply less. `None` when the search must stop.
    fn choice(&mut self, position: &Position, ply: usize, depth: u32) -> Option<Vec<Valued>> {
        if !self.rank(position, ply) {
            return None;
        }
        let broad = self.size(self.settings.broad[ply]);
        let mut moves = self.parts.best(broad).to_vec();
        if depth > 2 {
            for (m, value) in &mut moves {
                *value = self.after(position, *m, ply, depth - 1, -INFINITE, INFINITE)?;
            }
            moves.sort_by_key(|&(_, value)| Reverse(value));
        }
        moves.truncate(self.size(self.settings.best[ply]));
        Some(moves)
    }

    /// The best move of one search, if it found one at least as good as `known`, and whether the search finished.
    fn root(&mut self, position: &Position, depth: u32, known: Move) -> (Option<Valued>, bool) {
        let Some(mut moves) = self.choice(position, 0, depth) else { return (None, false) };
        // The best move of the last search comes first, so that an unfinished search has a value to exceed.
        match moves.iter().position(|&(m, _)| m == known) {
            Some(at) => moves[..=at].rotate_right(1),
            None => moves.insert(0, (known, 0)),
        }
        let mut best: Option<Valued> = None;
        for (m, _) in moves {
            let alpha = best.map_or(-INFINITE, |(_, value)| value);
            let Some(value) = self.after(position, m, 0, depth, alpha, INFINITE) else { return (best, false) };
            if value > alpha {
                best = Some((m, value));
            }
        }
        (best, true)
    }

    /// The value of a move for the side that makes it, `depth` plies deep including this one.
    fn after(&mut self, position: &Position, m: Move, ply: usize, depth: u32, alpha: i32, beta: i32) -> Option<i32> {
        let mut next = *position;
        next.play(m);
        match self.game.outcome(&next, &()) {
            Some(outcome) => Some(outcome.winner.map_or(0, |winner| if winner == position.side { WON } else { -WON })),
            None => self.value(&next, ply + 1, depth - 1, -beta, -alpha).map(|value| -value),
        }
    }

    fn value(&mut self, position: &Position, ply: usize, depth: u32, mut alpha: i32, beta: i32) -> Option<i32> {
        if depth == 1 {
            let go_on = self.rank(position, 2);
            return go_on.then(|| self.parts.first().1);
        }
        let mut best = -INFINITE;
        for (m, _) in self.choice(position, ply, depth)? {
            best = best.max(self.after(position, m, ply, depth, alpha, beta)?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }
}
