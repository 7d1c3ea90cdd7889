//! The player `perfect` where the table is missing: it plays from the start, and short wins of either side.
//!
//! As the second side it wins in as few plies as the table says, against any play. As the first side, which is lost, it plays
//! the moves of [`Policy`]: it never loses what the second side gives it, a win or a draw. It knows when it may do so by
//! the moves of the game, which must begin at the start and whose moves of the first side must all be its own. In every other
//! position it lacks the table, and plays from it once it is built. So it does in other games in which a position has occurred
//! twice: on its own way to a win no position is repeated, and a third occurrence would draw.
//!
//! Under the rules `legal` its moves are those of `catch`, whose wins are the same. The distances are not, so they are
//! not reported.

use std::collections::BTreeMap;

use banmen_catalog::{Data, HasTablebase};
use banmen_game::{Game, GameState, Side};
use banmen_search::{Budget, Line, Player, Report, Task};

use super::perfect::{LINE_PLIES, Perfect, depth, eval};
use crate::engine::FixedNodes;
use crate::game::{Dobutsu, Occurrences, Variant};
use crate::position::{Move, Position};
use crate::strategy::{Answer, FIRST_SEARCHED, Policy, Strategy, Win, short_win};
use crate::table::PackedTable;

/// The player, for one session.
pub(crate) struct Winning {
    strategy: &'static Strategy,
    policy: &'static Policy,
    engine: FixedNodes,
    /// The first side's moves by the keys of the positions of this game.
    own: BTreeMap<u64, Option<Move>>,
    data: Data,
    seed: u64,
    /// The player that takes over once the table is there.
    perfect: Option<Perfect<PackedTable<Vec<u8>>>>,
}

impl Winning {
    /// Plays by the two lists, and from the table in the data once it is there.
    pub(crate) fn new(strategy: &'static Strategy, policy: &'static Policy, data: &Data, seed: u64) -> Self {
        let (engine, own) = (FixedNodes::default(), BTreeMap::new());
        Winning { strategy, policy, engine, own, data: data.clone(), seed, perfect: None }
    }

    /// The win in a game's position, if it is known and holds with the history of the game.
    fn win(&self, state: &GameState<Dobutsu>) -> Option<Win> {
        let (game, position) = (state.game(), state.position());
        if game.variant == Variant::AnyTry || state.history().has_twice(position) {
            return None;
        }
        self.strategy.win(position).filter(|win| game.is_legal(position, win.m))
    }

    /// The win that the first side plays in a position that it meets from the start.
    fn own_win(&self, position: &Position) -> Option<Win> {
        self.strategy.listed(position).or_else(|| short_win(position, FIRST_SEARCHED))
    }

    /// The first side's own move in a position that it meets from the start.
    fn own_move(&mut self, position: &Position) -> Option<Move> {
        let key = position.key();
        if let Some(&m) = self.own.get(&key) {
            return m;
        }
        let win = self.own_win(position).map(|win| win.m);
        let m = win.or_else(|| Some(self.policy.answer(position, &mut self.engine)?.m));
        self.own.insert(key, m);
        m
    }

    /// Whether the first side is to move, all its moves from the start were its own, and it has one here.
    fn has_followed(&mut self, state: &GameState<Dobutsu>) -> bool {
        let follows = state.game().variant != Variant::AnyTry && *state.origin() == Position::START;
        if !follows || state.position().side() != Side::First {
            return false;
        }
        let mut position = Position::START;
        let followed = state.moves().iter().all(|&m| {
            let own = position.side() == Side::Second || self.own_move(&position) == Some(m);
            position.play(m);
            own
        });
        followed && self.own_move(&position).is_some_and(|m| state.game().is_legal(&position, m))
    }

    /// The first side's own move, which the caller has found to be possible, with what is known of its value.
    fn own_line(&mut self, state: &GameState<Dobutsu>, budget: &mut Budget<'_>) -> Option<(Line<Move>, bool)> {
        let (game, position) = (*state.game(), state.position());
        // In a won position no later one has occurred before.
        if let Some(win) = self.own_win(position) {
            return Some((self.winning_line(game, position, win, budget), true));
        }
        let Answer { m, value, plies, known, nodes } = self.policy.answer(position, &mut self.engine)?;
        budget.nodes(nodes);
        let mut next = *position;
        next.play(m);
        let Some(win) = self.strategy.win(&next) else {
            let eval = plies.and_then(|plies| eval(game, plies));
            return Some((Line { moves: vec![m], value, eval }, known));
        };
        // The move would not give away a win or a draw.
        let eval = eval(game, -f64::from(win.plies + 1));
        let mut moves = self.line(game, &next, win.m, budget);
        moves.insert(0, m);
        moves.truncate(LINE_PLIES);
        Some((Line { moves, value: 0.0, eval }, true))
    }

    fn winning_line(&self, game: Dobutsu, position: &Position, win: Win, budget: &mut Budget<'_>) -> Line<Move> {
        let moves = self.line(game, position, win.m, budget);
        Line { moves, value: 1.0, eval: eval(game, f64::from(win.plies)) }
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
        self.own.clear();
        if let Some(perfect) = &mut self.perfect {
            perfect.new_game(start, seed);
        }
    }

    fn missing_table(&mut self, state: &GameState<Dobutsu>) -> Option<&'static str> {
        if self.perfect.is_some() || self.win(state).is_some() {
            return None;
        }
        let missing = self.table_for_any_game(state);
        missing.filter(|_| !self.has_followed(state))
    }

    fn table_for_any_game(&mut self, state: &GameState<Dobutsu>) -> Option<&'static str> {
        if self.perfect.is_some() {
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
        let found = match self.win(task.state) {
            Some(win) => Some((self.winning_line(game, position, win, &mut budget), true)),
            None => self.own_line(task.state, &mut budget),
        };
        // A third occurrence can turn a loss into a draw.
        let proven = found.as_ref().is_some_and(|(_, known)| *known) && !task.state.history().has_twice(position);
        let lines: Vec<Line<Move>> = found.map(|(line, _)| line).into_iter().collect();
        let depth = lines.first().map_or(0, depth);
        Report { proven, lines, nodes: budget.count(), depth, time: budget.elapsed(), ..Report::default() }
    }
}
