//! The player `perfect` where the table is missing: it plays the second side's win from the start, and short wins of either side.
//!
//! It wins in as few plies as the table says, against any play, and knows nothing else. In every other position it lacks the
//! table, and plays from it once it is built. So it does in a game in which a position has occurred twice: on its own way to
//! a win no position is repeated, and a third occurrence would draw.
//!
//! Under the rules `legal` its moves are those of `catch`, whose wins are the same; the distances may be two plies longer.

use banmen_catalog::{Data, HasTablebase};
use banmen_game::{Game, GameState};
use banmen_search::{Budget, Eval, Line, Player, Report, Task};

use super::perfect::{LINE_PLIES, Perfect};
use crate::game::{Dobutsu, Occurrences, Variant};
use crate::position::{Move, Position};
use crate::strategy::{Strategy, Win};
use crate::table::PackedTable;

/// The player, for one session.
pub(crate) struct Winning {
    strategy: &'static Strategy,
    data: Data,
    seed: u64,
    /// The player that takes over once the table is there.
    perfect: Option<Perfect<PackedTable<Vec<u8>>>>,
}

impl Winning {
    /// Plays from this strategy, and from the table in the data once it is there.
    pub(crate) fn new(strategy: &'static Strategy, data: &Data, seed: u64) -> Self {
        Winning { strategy, data: data.clone(), seed, perfect: None }
    }

    /// The win in a game's position, if it is known and holds with the history of the game.
    fn win(&self, state: &GameState<Dobutsu>) -> Option<Win> {
        let (game, position) = (state.game(), state.position());
        if game.variant == Variant::AnyTry || state.history().has_twice(position) {
            return None;
        }
        self.strategy.win(position).filter(|win| game.is_legal(position, win.m))
    }

    /// The line that begins with this move and continues with the longest resistance, as far as the budget allows.
    fn line(&self, game: Dobutsu, position: &Position, first: Move, budget: &mut Budget<'_>) -> Vec<Move> {
        let (mut position, mut line) = (*position, vec![first]);
        position.play(first);
        while line.len() < LINE_PLIES && budget.go_on() && !is_over(game, &position) {
            let Some((answer, win)) = self.resistance(game, &position, budget) else { break };
            position.play(answer);
            line.push(answer);
            if line.len() == LINE_PLIES || is_over(game, &position) {
                break;
            }
            position.play(win.m);
            line.push(win.m);
        }
        line
    }

    /// The losing side's move after which it loses last, and the winner's answer; `None` if some move is not known to lose.
    fn resistance(&self, game: Dobutsu, position: &Position, budget: &mut Budget<'_>) -> Option<(Move, Win)> {
        let mut longest: Option<(Move, Win)> = None;
        for m in game.moves(position) {
            let mut next = *position;
            next.play(m);
            budget.node();
            // Positions that are not listed are won sooner than those that are.
            let listed = longest.is_some_and(|(_, win)| win.plies > crate::strategy::SEARCHED);
            let win = if listed { self.strategy.listed(&next) } else { self.strategy.win(&next) };
            let Some(win) = win else { if listed { continue } else { return None } };
            if longest.is_none_or(|(_, known)| win.plies > known.plies) {
                longest = Some((m, win));
            }
        }
        longest
    }
}

/// Whether the game is over, in a game without repetitions.
fn is_over(game: Dobutsu, position: &Position) -> bool {
    game.outcome(position, &Occurrences::default()).is_some()
}

impl Player<Dobutsu> for Winning {
    fn new_game(&mut self, start: &GameState<Dobutsu>, seed: u64) {
        self.seed = seed;
        if let Some(perfect) = &mut self.perfect {
            perfect.new_game(start, seed);
        }
    }

    fn missing_table(&mut self, state: &GameState<Dobutsu>) -> Option<&'static str> {
        if self.perfect.is_some() || self.win(state).is_some() {
            return None;
        }
        let solved = Dobutsu { variant: state.game().variant.solved_as() };
        match self.data.table(&solved) {
            Ok(table) => self.perfect = Some(Perfect::new(table, self.seed)),
            Err(_) => return solved.table_name().ok(),
        }
        None
    }

    fn think(&mut self, task: Task<'_, Dobutsu>) -> Report<Move> {
        if let Some(perfect) = &mut self.perfect {
            return perfect.think(task);
        }
        let mut budget = Budget::start(&task.limits, task.clock, task.stop);
        let (game, position) = (*task.state.game(), task.state.position());
        budget.node();
        let win = self.win(task.state);
        let line = |win: Win| Line {
            moves: self.line(game, position, win.m, &mut budget),
            value: 1.0,
            eval: Some(Eval { n: f64::from(win.plies), unit: "plies" }),
        };
        let lines: Vec<Line<Move>> = win.map(line).into_iter().collect();
        Report {
            proven: !lines.is_empty(),
            lines,
            nodes: budget.count(),
            playouts: None,
            depth: win.map_or(0, |win| win.plies),
            time: budget.elapsed(),
            confidence: None,
            trees: Vec::new(),
        }
    }
}
