//! Turns of several decisions: a game of five decisions a turn, against the same game whose turns are one move.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Duration;

use banmen_game::{Game, GameState, Outcome, Rng, Side, mix};
use banmen_search::alphabeta::{AlphaBeta, NoEvaluation};
use banmen_search::mcts::{Mcts, Settings, Uniform};
use banmen_search::{Clock, Limits, Player, StopFlag, Task, TimeControl};

/// Decisions of a turn where it is not one move.
const DECISIONS: u32 = 5;

/// Turns of a game, of both sides together.
const TURNS: u32 = 6;

thread_local! {
    /// Bits decided on this thread.
    static DECIDED: Cell<u64> = const { Cell::new(0) };
}

/// Time is work: a microsecond for each bit decided on the calling thread.
struct Work;

impl Clock for Work {
    fn now(&self) -> Duration {
        Duration::from_micros(DECIDED.get())
    }
}

/// Each turn draws five bits, and each pair of turns in a row has a value. The sum decides who wins.
#[derive(Clone, Debug, PartialEq)]
struct Bits {
    seed: u64,
    /// A turn is one move of five bits instead of five moves of one bit.
    whole: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    /// The bits of the last turn, then those of this turn so far.
    last: u8,
    now: u8,
    /// Decisions made, counted as if all of them were of one bit.
    made: u32,
    /// The sum for the first side.
    sum: i32,
}

impl Game for Bits {
    type Position = Place;
    type Move = u8;
    type History = ();

    fn start(&self) -> Place {
        Place { last: 0, now: 0, made: 0, sum: 0 }
    }

    fn side_to_move(&self, place: &Place) -> Side {
        if (place.made / DECISIONS).is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn decisions_left(&self, place: &Place) -> u32 {
        if self.whole { 1 } else { DECISIONS - place.made % DECISIONS }
    }

    fn outcome(&self, place: &Place, (): &()) -> Option<Outcome> {
        let winner = match place.sum {
            0 => None,
            sum => Some(if sum > 0 { Side::First } else { Side::Second }),
        };
        (place.made == DECISIONS * TURNS).then_some(Outcome { winner, margin: None, by: "sum" })
    }

    fn visit_moves<B>(&self, place: &Place, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        let over = place.made == DECISIONS * TURNS;
        let count = if self.whole { 1 << DECISIONS } else { 2 };
        (0..if over { 0 } else { count }).try_for_each(visit)
    }

    fn play(&self, place: &mut Place, m: u8) {
        let bits = if self.whole { DECISIONS } else { 1 };
        DECIDED.set(DECIDED.get() + u64::from(bits));
        (place.now, place.made) = (place.now << (bits % DECISIONS) | m, place.made + bits);
        if place.made.is_multiple_of(DECISIONS) {
            let pair = u64::from(place.last) << 8 | u64::from(place.now);
            place.sum += (mix(self.seed ^ mix(pair ^ u64::from(place.made) << 16)) % 201) as i32 - 100;
            (place.last, place.now) = (place.now, 0);
        }
    }

    fn key(&self, place: &Place) -> u64 {
        mix(u64::from(place.made) ^ mix((place.sum as u64) << 16 ^ u64::from(place.last) << 8 ^ u64::from(place.now)))
    }

    fn max_plies(&self) -> usize {
        (TURNS * DECISIONS) as usize
    }

    fn pack(&self, m: u8) -> u32 {
        m.into()
    }

    fn unpack(&self, bits: u32) -> Option<u8> {
        bits.try_into().ok().filter(|&m: &u8| m < 1 << DECISIONS)
    }
}

/// A player that plays the game in one of its two forms.
struct Opponent {
    player: Box<dyn Player<Bits>>,
    state: GameState<Bits>,
}

impl Opponent {
    fn new(player: Box<dyn Player<Bits>>, seed: u64, whole: bool) -> Self {
        Opponent { player, state: GameState::new(Bits { seed, whole }) }
    }

    fn mcts(seed: u64, whole: bool) -> Self {
        let settings = Settings { reuse: true, bytes: 4 << 20, ..Settings::default() };
        let state = Bits { seed, whole };
        let mcts: Mcts<_, _> = Mcts::new(&state, settings, Uniform::default(), seed).expect("it is sound");
        Opponent::new(Box::new(mcts), seed, whole)
    }

    /// Decides a whole turn: its bits, and the time that it took.
    fn turn(&mut self, limits: Limits) -> (u8, Duration) {
        let (start, side, mut bits) = (Work.now(), self.state.side_to_move(), 0);
        while self.state.outcome().is_none() && self.state.side_to_move() == side {
            let task = Task {
                state: &self.state,
                limits: Limits { turn_used: Work.now() - start, ..limits },
                clock: &Work,
                stop: &StopFlag::default(),
                threads: 1,
                lines: 1,
                progress: None,
            };
            let m = self.player.think(task).best().expect("the game goes on");
            self.state.play(m);
            bits = bits << 1 | m;
        }
        (bits, Work.now() - start)
    }

    /// Plays a turn that somebody else decided, such as the other side's.
    fn play_turn(&mut self, bits: u8) {
        if self.state.game().whole {
            self.state.play(bits);
        } else {
            (0..DECISIONS).rev().for_each(|bit| self.state.play(bits >> bit & 1));
        }
    }
}

const MS: Duration = Duration::from_millis(1);

/// By how much a search may exceed its time: it reads the clock about twice a millisecond.
const TOLERANCE: Duration = MS;

fn random_bits(rng: &mut Rng) -> u8 {
    rng.index(1 << DECISIONS) as u8
}

#[test]
fn decisions_of_a_turn_share_its_time() {
    let time = 40 * MS;
    for (seed, whole) in [(1, false), (2, false), (3, true)] {
        let alphabeta = AlphaBeta::new(NoEvaluation, 1 << 20, Limits::default());
        for mut player in [Opponent::mcts(seed, whole), Opponent::new(Box::new(alphabeta), seed, whole)] {
            // The player decides for both sides.
            for turn in 0..TURNS {
                let (_, used) = player.turn(Limits::time(time));
                assert!(used <= time + TOLERANCE, "turn {turn} took {used:?}");
                // Later the rest of the game is searched in less.
                assert!(used >= time - TOLERANCE || turn > 1, "turn {turn} took {used:?} only");
            }
        }
    }
}

#[test]
fn no_clock_is_overdrawn() {
    let ms = |main: u32, increment: u32, byoyomi: u32| TimeControl {
        main: main * MS,
        increment: increment * MS,
        cap: None,
        byoyomi: byoyomi * MS,
    };
    for control in [ms(500, 0, 0), ms(12, 0, 0), ms(100, 20, 0), ms(0, 0, 30), ms(50, 0, 20)] {
        let (mut player, mut clock) = (Opponent::mcts(5, false), control);
        let mut rng = Rng::new(5);
        for turn in 0..TURNS {
            if turn % 2 == 1 {
                player.play_turn(random_bits(&mut rng));
                continue;
            }
            let (_, used) = player.turn(Limits { clock: Some(clock), ..Limits::default() });
            assert!(used <= clock.main + clock.byoyomi, "{used:?} of {clock:?}");
            assert!(used <= clock.share() + TOLERANCE, "{used:?} of {clock:?}");
            clock.main = clock.main.saturating_sub(used) + clock.increment;
        }
    }
}

/// One side decides its turns bit by bit, the other in one move, with the same time for a turn.
#[test]
fn turn_of_five_decisions_plays_as_well_as_turn_of_one() {
    let limits = Limits::time(30 * MS);
    let (mut score, games) = (0.0, 60);
    for game in 0..games {
        let (seed, split) = (game / 2, Side::BOTH[game as usize % 2]);
        let mut players = Side::BOTH.map(|side| Opponent::mcts(seed, side != split));
        for turn in 0..TURNS as usize {
            let (bits, _) = players[turn % 2].turn(limits);
            players[1 - turn % 2].play_turn(bits);
        }
        let outcome = players[0].state.outcome().expect("all turns are played");
        assert_eq!(Some(outcome), players[1].state.outcome(), "both forms are the same game");
        score += outcome.score(split);
    }
    let score = score / f64::from(games as u32);
    assert!((0.35..=0.65).contains(&score), "the side of five decisions scored {score}");
}
