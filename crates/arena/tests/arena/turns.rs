//! Games whose turns have several decisions: clocks, time limits and records count them as one turn.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

use banmen_arena::{
    Contestant, GameFilter, GameRecord, Match, MatchSpec, Openings, Plan, RerunBounds, Score, Store, rerun,
};
use banmen_catalog::{Board, Catalog, Entry, Key, Kind, PlayerEntry, View};
use banmen_game::{Game, GameState, Notation, Outcome, Side, TextError};
use banmen_programs::Programs;
use banmen_search::{Limits, Player, Report, StopFlag, Task, TimeControl};

/// Time that counts as one point.
const SLOT: Duration = Duration::from_millis(2);

/// The largest move.
const MAX_POINTS: u32 = 99;

/// Turns of each side.
const TURNS: u32 = 4;

/// Each side has four turns of a fixed number of decisions. A decision names a number of points, and the larger sum wins.
/// Players name the time for which they thought, so that the margin is the difference of the thinking times.
#[derive(Clone, Debug, PartialEq)]
struct Patience {
    decisions: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sums {
    made: u32,
    points: [u32; 2],
}

impl Patience {
    /// The number of the current decision in its turn, from 0.
    fn step(&self, position: &Sums) -> u32 {
        position.made % self.decisions
    }
}

impl Game for Patience {
    type Position = Sums;
    type Move = u32;
    type History = ();

    fn start(&self) -> Sums {
        Sums { made: 0, points: [0; 2] }
    }

    fn side_to_move(&self, position: &Sums) -> Side {
        if (position.made / self.decisions).is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn decisions_left(&self, position: &Sums) -> u32 {
        self.decisions - self.step(position)
    }

    fn outcome(&self, position: &Sums, (): &()) -> Option<Outcome> {
        let [first, second] = position.points;
        let winner = match first.cmp(&second) {
            std::cmp::Ordering::Greater => Some(Side::First),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(Side::Second),
        };
        let over = position.made == 2 * TURNS * self.decisions;
        over.then_some(Outcome { winner, margin: Some(first.abs_diff(second)), by: "points" })
    }

    fn visit_moves<B>(&self, position: &Sums, mut visit: impl FnMut(u32) -> ControlFlow<B>) -> ControlFlow<B> {
        let moves = if self.outcome(position, &()).is_some() { 0 } else { MAX_POINTS + 1 };
        (0..moves).try_for_each(&mut visit)
    }

    fn play(&self, position: &mut Sums, m: u32) {
        position.points[self.side_to_move(position).index()] += m;
        position.made += 1;
    }

    fn key(&self, position: &Sums) -> u64 {
        let [first, second] = position.points.map(u64::from);
        u64::from(position.made) << 40 | first << 20 | second
    }

    fn max_plies(&self) -> usize {
        (2 * TURNS * self.decisions) as usize
    }

    fn pack(&self, m: u32) -> u32 {
        m
    }

    fn unpack(&self, bits: u32) -> Option<u32> {
        (bits <= MAX_POINTS).then_some(bits)
    }
}

impl Notation for Patience {
    fn dialects(&self) -> &'static [&'static str] {
        &["numbers"]
    }

    fn parse_position(&self, text: &str) -> Result<(Self, Sums), TextError> {
        let numbers: Vec<u32> = text.split(' ').filter_map(|number| number.parse().ok()).collect();
        match numbers[..] {
            [made, first, second] => Ok((self.clone(), Sums { made, points: [first, second] })),
            _ => Err(TextError::unreadable("numbers", 0, "a position is three numbers")),
        }
    }

    fn format_position(&self, position: &Sums, _: &str) -> String {
        let Sums { made, points: [first, second] } = position;
        format!("{made} {first} {second}")
    }

    fn parse_move(&self, _: &Sums, text: &str) -> Result<u32, TextError> {
        let points = text.parse().ok().filter(|points| *points <= MAX_POINTS);
        points.ok_or_else(|| TextError::unreadable("number", 0, "a move is a number up to 99"))
    }

    fn format_move(&self, _: &Sums, m: u32, _: &str) -> String {
        m.to_string()
    }
}

impl View for Patience {
    fn board(&self, _: &GameState<Self>) -> Board {
        Board::empty(1, 1, |_, _| "a1".to_owned())
    }
}

/// Thinks for the time of its decision, and names the time as its move.
struct Pacer;

impl Player<Patience> for Pacer {
    fn think(&mut self, task: Task<'_, Patience>) -> Report<u32> {
        let start = task.clock.now();
        let share = task.decision_limits(Limits::default()).time.expect("a limit of time");
        while task.clock.now() - start < share {
            std::hint::spin_loop();
        }
        let points = (share.as_micros() / SLOT.as_micros()) as u32;
        Report { nodes: 1, ..Report::of(points.min(MAX_POINTS), 0.5) }
    }
}

/// What [`Probe`] was given, decision by decision: the number of the decision in its turn, the main time, the time used.
static SEEN: Mutex<Vec<(u32, Duration, Duration)>> = Mutex::new(Vec::new());

/// Thinks for a fixed time, and notes the clock that it was given.
struct Probe(Duration, bool);

impl Player<Patience> for Probe {
    fn think(&mut self, task: Task<'_, Patience>) -> Report<u32> {
        let Limits { clock, turn_used, .. } = task.limits;
        let step = task.state.game().step(task.state.position());
        if self.1 {
            let main = clock.expect("a clock").main;
            SEEN.lock().expect("no panic").push((step, main, turn_used));
        }
        let start = task.clock.now();
        while task.clock.now() - start < self.0 {
            std::hint::spin_loop();
        }
        Report::of(0, 0.5)
    }
}

const PROBE_KEYS: &[Key] = &[
    Key { name: "ms", kind: Kind::Integer(0, 1_000), default: "1", summary: "time of a decision", source: "" },
    Key { name: "note", kind: Kind::Integer(0, 1), default: "0", summary: "whether to note the clock", source: "" },
];

fn catalog() -> Catalog {
    let entry = |name, decisions| {
        Entry::new(name, Patience { decisions })
            .player(PlayerEntry {
                name: "pacer",
                summary: "",
                source: "",
                keys: &[],
                make: |_, _, _, _| Ok(Box::new(Pacer)),
            })
            .player(PlayerEntry {
                name: "probe",
                summary: "",
                source: "",
                keys: PROBE_KEYS,
                make: |_, options, _, _| {
                    let time = Duration::from_millis(options.integer("ms") as u64);
                    Ok(Box::new(Probe(time, options.integer("note") == 1)))
                },
            })
    };
    Catalog::default().with(entry("one-decision", 1)).with(entry("five-decisions", 5))
}

/// Two games of `a` against `b`, the record of both, and what the store returns of them.
fn play(game: &str, a: (&str, Limits), b: (&str, Limits)) -> (Score, Vec<GameRecord>, Vec<GameRecord>) {
    play_in(&Store::memory().expect("memory"), game, a, b)
}

fn play_in(
    store: &Store,
    game: &str,
    a: (&str, Limits),
    b: (&str, Limits),
) -> (Score, Vec<GameRecord>, Vec<GameRecord>) {
    let catalog = catalog();
    let game = catalog.game(game).expect("a game").as_ref();
    let [a, b] = [a, b].map(|(player, limits)| Contestant::new(player, limits));
    let matchup = Match::new(game, MatchSpec { openings: Openings::Random(0), ..MatchSpec::new(game, a, b) });
    let (mut games, mut id) = (Vec::new(), 0);
    let score = matchup
        .play(store, &Plan::games(2, 1), &StopFlag::default(), &mut |progress| {
            id = progress.id;
            games.extend(progress.game.cloned());
        })
        .expect("a match");
    let stored = store.games(id, GameFilter::default()).expect("games");
    (score, games, stored)
}

/// The times of the turns of player 0 or 1 in a game.
fn turn_times(game: &GameRecord, decisions: usize, player: usize) -> Vec<Duration> {
    let own = |(turn, _): &(usize, _)| turn % 2 == player ^ game.game;
    let turns = game.times.chunks(decisions).map(|times| times.iter().sum()).enumerate();
    turns.filter(own).map(|(_, time)| time).collect()
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn a_time_limit_holds_for_the_turn_and_strength_does_not_depend_on_its_decisions() {
    let mut margins = Vec::new();
    for (game, decisions) in [("one-decision", 1), ("five-decisions", 5)] {
        let (score, games, _) = play(game, ("pacer", Limits::time(ms(60))), ("pacer", Limits::time(ms(20))));
        assert_eq!((score.wins, score.losses), (2, 0), "{game}: three times as much time wins");
        for record in &games {
            assert_eq!(record.times.len(), record.moves.len(), "a time for each decision");
            for (player, limit) in [(0, ms(60)), (1, ms(20))] {
                for time in turn_times(record, decisions, player) {
                    assert!(time >= limit.mul_f64(0.9) && time <= limit + ms(10), "{game}, {player}: {time:?}");
                }
            }
            margins.push(record.margin.expect("a margin"));
        }
    }
    // 40 ms a turn more are 20 points a turn; a decision may lose less than one point to rounding.
    assert!(margins.iter().all(|margin| (80 - 12..=80 + 12).contains(margin)), "{margins:?}");
}

#[test]
fn a_clock_is_charged_once_a_turn_and_not_overdrawn() {
    let control = TimeControl { main: ms(200), increment: ms(20), ..TimeControl::default() };
    let limits = Limits { clock: Some(control), ..Limits::default() };
    for (game, decisions) in [("one-decision", 1), ("five-decisions", 5)] {
        let (score, games, _) = play(game, ("pacer", limits), ("pacer", limits));
        assert_eq!(score.totals.map(|totals| totals.faults), [0, 0], "{game}");
        for record in &games {
            for player in [0, 1] {
                let used: Duration = turn_times(record, decisions, player).iter().sum();
                // An increment a decision would have given the five decisions five times as much.
                assert!(used <= control.main + 3 * control.increment + ms(10), "{game}: {used:?}");
                assert!(used >= ms(80), "{game}: {used:?}");
            }
        }
    }
}

#[test]
fn a_player_is_given_the_time_that_its_turn_has_used() {
    let control = TimeControl { main: ms(500), increment: ms(3), ..TimeControl::default() };
    let limits = Limits { clock: Some(control), ..Limits::default() };
    let store = Store::memory().expect("memory");
    let (.., stored) = play_in(&store, "five-decisions", ("probe:ms=4,note=1", limits), ("random", limits));
    let seen = std::mem::take(&mut *SEEN.lock().expect("no panic"));
    assert_eq!(seen.len(), 2 * (TURNS * 5) as usize);
    for game in seen.chunks((TURNS * 5) as usize) {
        let mut main = control.main;
        for (number, turn) in (1..).zip(game.chunks(5)) {
            for (decision, &(step, given, used)) in (0..).zip(turn) {
                assert_eq!((step, given), (decision, main), "one clock for the turn: {turn:?}");
                assert!(used >= ms(4) * decision && used < ms(4) * decision + ms(10), "{turn:?}");
            }
            let (_, _, before_last) = turn[4];
            // The last decision takes 4 ms or a little more.
            let next = main - before_last - ms(4) + control.increment;
            let Some(&(_, given, _)) = game.get(number * 5) else { continue };
            assert!(given <= next && next - given < ms(5), "{given:?} after {next:?}");
            main = given;
        }
    }
    // A search that is made again has the clock of then: here in the last turn of the player in the first game.
    let (catalog, bounds) = (catalog(), RerunBounds { programs: Programs::REFUSED, threads: NonZeroUsize::MIN });
    let game = catalog.game("five-decisions").expect("a game").as_ref();
    let found = store.one_match(1).expect("a match");
    let last = stored[0].moves.len() - 6;
    rerun(game, &found, &stored[0], last, &bounds, &StopFlag::default()).expect("a search");
    let again = SEEN.lock().expect("no panic");
    assert_eq!(again.len(), (TURNS * 5) as usize);
    for (&(step, main, used), &(step_then, main_then, used_then)) in again.iter().zip(&seen) {
        assert_eq!(step, step_then);
        // The store keeps microseconds.
        let near = |a: Duration, b: Duration| a.abs_diff(b) < ms(1);
        assert!(near(main, main_then) && near(used, used_then), "{main:?} {main_then:?}, {used:?} {used_then:?}");
    }
}

#[test]
fn byoyomi_is_for_the_turn_and_not_for_each_decision() {
    let control = TimeControl { byoyomi: ms(50), ..TimeControl::default() };
    let limits = Limits { clock: Some(control), ..Limits::default() };
    // Five decisions of 8 ms are 40 ms; of 14 ms, each within the byoyomi, 70 ms.
    let (score, ..) = play("five-decisions", ("probe:ms=8", limits), ("random", limits));
    assert_eq!(score.totals[0].faults, 0);
    let (score, games, _) = play("five-decisions", ("probe:ms=14", limits), ("random", limits));
    assert_eq!((score.losses, score.totals[0].faults), (2, 2));
    for game in &games {
        assert_eq!((game.by.as_str(), game.fault), ("time", Some(0)));
        // The decision that overdraws the clock is the fifth of its first turn, and is not played.
        let before = if game.game == 0 { 0 } else { 5 };
        assert_eq!((game.moves.len(), game.times.len()), (before + 4, before + 5), "{game:?}");
    }
}

#[test]
fn the_store_keeps_the_time_of_each_decision() {
    let limits = Limits::time(ms(10));
    let (_, played, stored) = play("five-decisions", ("probe:ms=2", limits), ("random", limits));
    assert_eq!((played.len(), stored.len()), (2, 2));
    for (played, stored) in played.iter().zip(&stored) {
        assert_eq!((stored.moves.len(), stored.times.len()), (40, 40));
        assert_eq!(stored.moves, played.moves);
        let micros = |times: &[Duration]| times.iter().map(Duration::as_micros).collect::<Vec<_>>();
        assert_eq!(micros(&stored.times), micros(&played.times));
        let own = (0..40).filter(|ply| (ply / 5) % 2 == stored.game);
        assert!(own.into_iter().all(|ply| stored.times[ply] >= ms(2)), "{:?}", stored.times);
        assert_eq!(stored.spent[0].moves, 20);
    }
}
