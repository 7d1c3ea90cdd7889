//! Small games for the tests and the bench of the tree search, and a clock that does not advance.

#![allow(dead_code, unused_macros, reason = "each test uses its part")]

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

use banmen_game::{Game, GameState, History, MoveIndex, Outcome, Rng, Side, mix};
use banmen_search::{Budget, Clock, Limits, Stages, StopFlag};

/// Inside an implementation of `Guide<$game>`: uniform playouts of at most `$cap` moves.
macro_rules! uniform_playouts {
    ($game:ty, $cap:expr) => {
        type Scratch = Vec<<$game as banmen_game::Game>::Move>;

        fn playout(
            &mut self,
            game: &$game,
            position: &mut <$game as banmen_game::Game>::Position,
            history: &mut <$game as banmen_game::Game>::History,
            rng: &mut banmen_game::Rng,
            scratch: &mut Self::Scratch,
            played: impl FnMut(banmen_game::Side, <$game as banmen_game::Game>::Move),
        ) -> banmen_game::PlayoutEnd {
            banmen_search::mcts::Uniform::new($cap).playout(game, position, history, rng, scratch, played)
        }
    };
}

/// A clock that does not advance.
pub(crate) struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Runs `body` with a budget that only a node limit can end.
pub(crate) fn with_budget<T>(limits: Limits, body: impl FnOnce(&mut Budget<'_>) -> T) -> T {
    body(&mut Budget::start(&limits, &Still, &StopFlag::default()))
}

fn list<B>(moves: impl IntoIterator<Item = u8>, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
    moves.into_iter().try_for_each(visit)
}

/// Connect Four, 7 columns of 6.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConnectFour;

/// Stones in columns of 7 bits, the top one always empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Four {
    pub(crate) stones: [u64; 2],
    pub(crate) side: Side,
}

impl Four {
    fn height(self, column: u8) -> u32 {
        ((self.stones[0] | self.stones[1]) >> (7 * column) & 0x7F).count_ones()
    }

    fn winner(self) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| {
            let own = self.stones[side.index()];
            [1, 6, 7, 8].iter().any(|step| {
                let pairs = own & own >> step;
                pairs & pairs >> (2 * step) != 0
            })
        })
    }

    pub(crate) fn empty(self) -> u32 {
        42 - (self.stones[0] | self.stones[1]).count_ones()
    }
}

impl Game for ConnectFour {
    type Position = Four;
    type Move = u8;
    type History = ();

    fn start(&self) -> Four {
        Four { stones: [0, 0], side: Side::First }
    }

    fn side_to_move(&self, position: &Four) -> Side {
        position.side
    }

    fn outcome(&self, position: &Four, (): &()) -> Option<Outcome> {
        let winner = position.winner();
        (winner.is_some() || position.empty() == 0).then_some(Outcome { winner, margin: None, by: "line" })
    }

    fn visit_moves<B>(&self, position: &Four, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        if position.winner().is_some() {
            return ControlFlow::Continue(());
        }
        list((0..7).filter(|&column| position.height(column) < 6), visit)
    }

    fn play(&self, position: &mut Four, column: u8) {
        position.stones[position.side.index()] |= 1 << (u32::from(column) * 7 + position.height(column));
        position.side = position.side.other();
    }

    fn key(&self, position: &Four) -> u64 {
        mix(position.stones[0] ^ mix(position.stones[1] ^ mix(position.side as u64)))
    }

    fn max_plies(&self) -> usize {
        42
    }

    fn pack(&self, column: u8) -> u32 {
        column.into()
    }

    fn unpack(&self, bits: u32) -> Option<u8> {
        bits.try_into().ok().filter(|&column| column < 7)
    }
}

/// The numbers are in the reverse order of the packed moves.
impl MoveIndex for ConnectFour {
    fn move_count(&self) -> usize {
        7
    }

    fn move_index(&self, column: u8) -> usize {
        usize::from(6 - column)
    }

    fn indexed_move(&self, index: usize) -> Option<u8> {
        6u8.checked_sub(index.try_into().ok()?)
    }
}

/// A game drawn from a seed, with turns of several moves and forced ones: a position is its key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeededGame {
    pub(crate) seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    key: u64,
    ply: u8,
    side: Side,
}

impl Game for SeededGame {
    type Position = Place;
    type Move = u8;
    type History = ();

    fn start(&self) -> Place {
        Place { key: self.seed, ply: 0, side: Side::First }
    }

    fn side_to_move(&self, place: &Place) -> Side {
        place.side
    }

    fn decisions_left(&self, place: &Place) -> u32 {
        u32::from(9u8.saturating_sub(place.ply)).max(1)
    }

    fn outcome(&self, place: &Place, (): &()) -> Option<Outcome> {
        let over = place.ply >= 9 || (place.ply > 2 && mix(place.key ^ 1).is_multiple_of(12));
        over.then(|| {
            let margin = (mix(place.key ^ 2) % 9) as i32 - 4;
            let winner = match margin.signum() {
                0 => None,
                1 => Some(Side::First),
                _ => Some(Side::Second),
            };
            Outcome { winner, margin: Some(margin.unsigned_abs()), by: "end" }
        })
    }

    fn visit_moves<B>(&self, place: &Place, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.outcome(place, &()).is_some() {
            return ControlFlow::Continue(());
        }
        list(0..1 + (mix(place.key ^ 3) % 4) as u8, visit)
    }

    fn play(&self, place: &mut Place, m: u8) {
        place.key = mix(place.key ^ mix(u64::from(m) + 4));
        place.ply += 1;
        // One move in four keeps the turn.
        if !place.key.is_multiple_of(4) {
            place.side = place.side.other();
        }
    }

    fn key(&self, place: &Place) -> u64 {
        mix(place.key ^ place.side as u64)
    }

    fn max_plies(&self) -> usize {
        9
    }

    fn pack(&self, m: u8) -> u32 {
        m.into()
    }

    fn unpack(&self, bits: u32) -> Option<u8> {
        bits.try_into().ok()
    }
}

impl MoveIndex for SeededGame {
    fn move_count(&self) -> usize {
        4
    }

    fn move_index(&self, m: u8) -> usize {
        m.into()
    }

    fn indexed_move(&self, index: usize) -> Option<u8> {
        index.try_into().ok().filter(|&m| m < 4)
    }
}

/// Moves in so many stages, each of which decides one bit of the packed move and the first one what is above.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Halves(pub(crate) usize);

impl<G: Game> Stages<G> for Halves {
    fn count(&self) -> usize {
        self.0
    }

    fn part(&self, game: &G, _: &G::Position, m: G::Move, stage: usize) -> u32 {
        game.pack(m) >> (self.0 - 1 - stage)
    }
}

/// A token between two goals: the sides push it up or down by one or leave it; the third occurrence of a position draws.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Push {
    pub(crate) start: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Token {
    at: u8,
    side: Side,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen(Vec<Token>);

impl History<Token> for Seen {
    fn push(&mut self, token: &Token) {
        self.0.push(*token);
    }

    fn pop(&mut self) {
        self.0.pop();
    }
}

impl Game for Push {
    type Position = Token;
    type Move = u8;
    type History = Seen;

    fn start(&self) -> Token {
        Token { at: self.start, side: Side::First }
    }

    fn side_to_move(&self, token: &Token) -> Side {
        token.side
    }

    fn outcome(&self, token: &Token, history: &Seen) -> Option<Outcome> {
        let winner = match token.at {
            0 => Some(Side::Second),
            4 => Some(Side::First),
            _ if history.0.iter().filter(|seen| *seen == token).count() >= 2 => None,
            _ => return None,
        };
        Some(Outcome { winner, margin: None, by: "goal" })
    }

    fn visit_moves<B>(&self, token: &Token, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        // At 1 and 3 the side that is nearer its goal may not push on at once.
        let kept = |m: &u8| !(token.at == 3 && *m == 2 && token.side == Side::First && self.start == 2);
        list(if token.at == 0 || token.at == 4 { 0..0 } else { 0..3 }.filter(kept), visit)
    }

    fn play(&self, token: &mut Token, m: u8) {
        token.at = token.at + m - 1;
        token.side = token.side.other();
    }

    fn key(&self, token: &Token) -> u64 {
        mix(u64::from(token.at) << 1 | token.side as u64)
    }

    fn max_plies(&self) -> usize {
        13
    }

    fn pack(&self, m: u8) -> u32 {
        m.into()
    }

    fn unpack(&self, bits: u32) -> Option<u8> {
        bits.try_into().ok()
    }
}

/// Best play's reward for the first side, by trying everything.
pub(crate) fn truth<G: Game>(
    game: &G,
    position: &G::Position,
    history: &mut G::History,
    reward: &dyn Fn(&Outcome) -> f64,
) -> f64 {
    if let Some(outcome) = game.outcome(position, history) {
        return reward(&outcome);
    }
    history.push(position);
    let values: Vec<f64> = game
        .moves(position)
        .into_iter()
        .map(|m| {
            let mut next = position.clone();
            game.play(&mut next, m);
            truth(game, &next, history, reward)
        })
        .collect();
    history.pop();
    best(game.side_to_move(position), values)
}

/// The same where positions repeat along different lines and the history is empty.
pub(crate) fn truth_by_table<G: Game<History = ()>>(
    game: &G,
    position: &G::Position,
    table: &mut HashMap<G::Position, f64>,
) -> f64 {
    if let Some(outcome) = game.outcome(position, &()) {
        return outcome.score(Side::First);
    }
    if let Some(&known) = table.get(position) {
        return known;
    }
    let mut values = Vec::new();
    for m in game.moves(position) {
        let mut next = position.clone();
        game.play(&mut next, m);
        values.push(truth_by_table(game, &next, table));
    }
    let value = best(game.side_to_move(position), values);
    table.insert(position.clone(), value);
    value
}

fn best(side: Side, values: Vec<f64>) -> f64 {
    let highest = |values: Vec<f64>| values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    match side {
        Side::First => highest(values),
        Side::Second => -highest(values.into_iter().map(|value| -value).collect()),
    }
}

/// The states after `plies` random moves of `count` games, without those of games that are over by then.
pub(crate) fn random_states<G: Game>(game: &G, count: u64, plies: usize) -> impl Iterator<Item = GameState<G>> {
    (0..count).filter_map(move |seed| {
        let mut rng = Rng::new(seed);
        let mut state = GameState::new(game.clone());
        for _ in 0..plies {
            let moves = game.moves(state.position());
            state.play(*moves.get(rng.index(moves.len().max(1)))?);
            if state.outcome().is_some() {
                return None;
            }
        }
        Some(state)
    })
}
