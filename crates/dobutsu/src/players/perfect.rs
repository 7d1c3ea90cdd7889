//! The player `perfect`, which uses the table of the solved game.
//!
//! It wins in as few plies as possible and loses in as many as possible. In a drawn position it plays the drawing move
//! after which the largest share of the other side's moves loses value. It chooses at random among moves that are equal
//! by this measure.
//!
//! The table ignores the history, and the rules do not. A move to a position that occurs for the third time draws
//! whatever its value in the table: a losing side plays it, and a winning side avoids it. A winning move after which
//! the other side could reach such a position counts as a draw. The player does not search further ahead for positions
//! that have occurred twice, and if there are any it reports nothing as proven. A game that the player plays from the
//! start never repeats a position on the way to a win.
//!
//! Under the rules `legal` the player uses the table of `catch`, which has the same wins, draws and losses. It
//! considers only legal moves, and a mate is a win in one ply. The other distances of the table are those of `catch`, where
//! the lion has to be caught. They are not reported: a mate may be two plies closer, so the player's win need not be the
//! shortest, nor its loss the longest.

use std::sync::Arc;

use banmen_game::{Game, GameState, History, Rng};
use banmen_search::{Budget, Eval, Line, Player, Report, Task};

use crate::engine::features::wins_at_once;
use crate::game::{Dobutsu, Occurrences, Variant};
use crate::position::{Move, Position};
use crate::table::{Source, Value};

/// The maximum length of a reported line; a win can take 173 plies.
pub(super) const LINE_PLIES: usize = 40;

/// The player, for one session.
pub struct Perfect<S> {
    source: Arc<S>,
    rng: Rng,
}

/// A move with its value, and the share of the other side's replies that lose value.
struct Choice {
    m: Move,
    value: Value,
    traps: f64,
}

impl<S: Source<Rules = Variant>> Perfect<S> {
    /// Plays from `source`. The seed determines the choice among equal moves.
    ///
    /// If the source returns an error (a damaged block), or has the table of other rules than the game's (the table of
    /// `catch` also serves `legal`), the player chooses by the rules alone: a move that wins at once, else one that
    /// does not lose at once, else the first. Its report has the value ½ and is not proven.
    #[must_use]
    pub fn new(source: Arc<S>, seed: u64) -> Self {
        Perfect { source, rng: Rng::new(seed) }
    }

    /// Whether the source's rules fit the game.
    fn fits(&self, game: Dobutsu) -> bool {
        self.source.rules() == game.variant.solved_as()
    }

    /// All moves of a position, best first; equal moves keep the order of the rules.
    fn choices(
        &self,
        game: Dobutsu,
        position: &Position,
        history: &mut Occurrences,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<Choice>, S::Error> {
        history.push(position);
        let moves = game.moves(position).into_iter();
        let choices: Result<Vec<Choice>, S::Error> =
            moves.map(|m| self.choice(game, position, m, history, budget)).collect();
        history.pop();
        choices.map(|mut choices| {
            choices.sort_by(|a, b| b.value.rank().cmp(&a.value.rank()).then(b.traps.total_cmp(&a.traps)));
            choices
        })
    }

    /// The value of a move; `history` includes the position before it.
    fn choice(
        &self,
        game: Dobutsu,
        position: &Position,
        m: Move,
        history: &mut Occurrences,
        budget: &mut Budget<'_>,
    ) -> Result<Choice, S::Error> {
        let mut next = *position;
        next.play(m);
        budget.node();
        if let Some(outcome) = game.outcome(&next, history) {
            let value = match outcome.winner {
                None => Value::Draw,
                Some(winner) if winner == position.side() => Value::Win(1),
                Some(_) => Value::Loss(1),
            };
            return Ok(Choice { m, value, traps: 0.0 });
        }
        let mut value = self.source.value(&next)?.before();
        let mut traps = 0.0;
        if let Value::Win(_) = value {
            history.push(&next);
            let escapes = game.moves(&next).into_iter().any(|answer| {
                let mut after = next;
                after.play(answer);
                history.count(&after) >= 2
                    && game.outcome(&after, history).is_some_and(|outcome| outcome.winner.is_none())
            });
            history.pop();
            if escapes {
                value = Value::Draw;
            }
        } else if value == Value::Draw {
            let answers = game.moves(&next);
            let mut losing = 0;
            for &answer in &answers {
                let mut after = next;
                after.play(answer);
                budget.node();
                losing += u32::from(self.source.value(&after)?.score() > 0);
            }
            traps = f64::from(losing) / answers.len().max(1) as f64;
        }
        Ok(Choice { m, value, traps })
    }

    /// The line that starts with a move and continues with best moves of both sides, as far as the budget allows.
    fn line(
        &self,
        game: Dobutsu,
        position: &Position,
        first: Move,
        history: &Occurrences,
        budget: &mut Budget<'_>,
    ) -> Vec<Move> {
        let (mut position, mut history, mut line) = (*position, history.clone(), Vec::new());
        let mut m = first;
        loop {
            history.push(&position);
            position.play(m);
            line.push(m);
            if line.len() == LINE_PLIES || !budget.go_on() || game.outcome(&position, &history).is_some() {
                return line;
            }
            match self.choices(game, &position, &mut history, budget).ok().and_then(|choices| Some(choices.first()?.m))
            {
                Some(best) => m = best,
                None => return line,
            }
        }
    }

    /// The lines of the best moves; `None` if the source returns an error.
    fn best_lines(&mut self, task: &Task<'_, Dobutsu>, budget: &mut Budget<'_>) -> Option<Vec<Line<Move>>> {
        let (game, position) = (*task.state.game(), *task.state.position());
        if !self.fits(game) {
            return None;
        }
        let mut history = task.state.history().clone();
        let mut choices = self.choices(game, &position, &mut history, budget).ok()?;
        let best = choices.first()?;
        let equal = choices.iter().filter(|known| known.value == best.value && known.traps == best.traps).count();
        let chosen = self.rng.index(equal.max(1));
        choices.get_mut(..=chosen)?.rotate_right(1);
        let shown = choices.iter().take(task.lines.max(1));
        let lines = shown.map(|choice| Line {
            moves: self.line(game, &position, choice.m, &history, budget),
            value: f64::from(choice.value.score() + 1) / 2.0,
            eval: choice.value.plies().and_then(|plies| eval(game, f64::from(choice.value.score()) * f64::from(plies))),
        });
        Some(lines.collect())
    }
}

/// Plies to the end, negative where the side to move loses, by the table or by the lists. They are not those of the rules
/// `legal`, except for the last one.
pub(super) fn eval(game: Dobutsu, plies: f64) -> Option<Eval> {
    let known = game.variant != Variant::Legal || plies.abs() == 1.0;
    known.then_some(Eval { n: plies, unit: "plies" })
}

/// The plies to the end; where they are not known, those of the line of a win or a loss.
pub(super) fn depth(line: &Line<Move>) -> u32 {
    let decided = line.value == 0.0 || line.value == 1.0;
    line.eval.map_or(if decided { line.moves.len() as u32 } else { 0 }, |eval| eval.n.abs() as u32)
}

/// A move chosen by the rules alone.
fn unaided(game: Dobutsu, position: &Position) -> Option<Move> {
    let rank = |m: &Move| {
        let mut next = *position;
        next.play(*m);
        match game.lions_ended(&next) {
            Some((winner, _)) if winner == position.side() => 0,
            None if !wins_at_once(game.variant, &next) => 1,
            _ => 2,
        }
    };
    // Of equal moves, the first.
    game.moves(position).into_iter().min_by_key(rank)
}

impl<S: Source<Rules = Variant> + Send + Sync> Player<Dobutsu> for Perfect<S> {
    fn new_game(&mut self, _: &GameState<Dobutsu>, seed: u64) {
        self.rng = Rng::new(seed);
    }

    fn think(&mut self, task: Task<'_, Dobutsu>) -> Report<Move> {
        let mut budget = Budget::start(&task.limits, task.clock, task.stop);
        let lines = self.best_lines(&task, &mut budget);
        let proven = lines.is_some() && !task.state.history().has_twice(task.state.position());
        let lines = lines.unwrap_or_else(|| {
            let moves = unaided(*task.state.game(), task.state.position()).into_iter().collect();
            vec![Line { moves, value: 0.5, eval: None }]
        });
        let depth = lines.first().map_or(0, depth);
        Report { lines, nodes: budget.count(), depth, time: budget.elapsed(), proven, ..Report::default() }
    }
}
