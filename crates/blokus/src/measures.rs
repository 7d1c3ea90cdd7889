//! What the paper's tables measure beside matches: updates of statistics, and the speed of playouts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use banmen_catalog::{Axis, Data, Key, Kind, Measure, MeasureInfo, Observation, Options, Quantity, Sampling};
use banmen_game::{Game, GameState, Rng};
use banmen_search::mcts::{IndexedAmaf, Mcts, Payload};
use banmen_search::{Budget, Limits};

use crate::game::Blokus;
use crate::players::{AMAF, RatedGuide, UCT, search};
use crate::position::Position;

/// The plies after which table 1 is measured.
const PLIES: [&str; 13] = ["0", "2", "4", "6", "8", "10", "12", "14", "16", "18", "20", "22", "24"];

/// The playouts of the moves that lead to the positions of table 1.
const GAME_PLAYOUTS: u64 = 100;

/// Games of the measure `policy` from one check of the stop flag to the next: less than a millisecond of uniform ones.
const GAMES_PER_CHECK: u32 = 64;

/// Updates of statistics, with and without AMAF: table 1.
pub(crate) const UPDATES: Measure<Blokus> = Measure {
    info: MeasureInfo {
        name: "updates",
        summary: "the positions of one game of uct with 100 playouts per move: updates of statistics by a search",
        keys: &[
            Key {
                name: "amaf",
                kind: Kind::Choice(&["path", "root"]),
                default: "path",
                summary: "which nodes' children AMAF updates: as the key of the player `amaf`",
                source: "3.1.1 does not say; path grows with the plies as published",
            },
            Key {
                name: "playouts",
                kind: Kind::Integer(1, 1_000_000),
                default: "1680",
                summary: "playouts of each search",
                source: "table 1: 168, 298 and 872 per second without AMAF; 10 s per move",
            },
        ],
        quantities: &[
            Quantity::mean("updates per playout", ""),
            Quantity::mean("playouts without AMAF", "per s"),
            Quantity::mean("updates with AMAF", "per s"),
            Quantity::mean("ratio of both", ""),
            Quantity::mean("legal moves", ""),
        ],
        axis: Some(Axis { name: "ply", points: &PLIES }),
    },
    sample: updates,
};

/// The speed of playouts by a policy: the second column of table 2.
pub(crate) const POLICY: Measure<Blokus> = Measure {
    info: MeasureInfo {
        name: "policy",
        summary: "random games by a policy against random games with uniform moves: their speed, and their length",
        keys: &[
            crate::players::PLAYOUT,
            Key {
                name: "games",
                kind: Kind::Integer(1, 1_000_000),
                default: "2000",
                summary: "games of each",
                source: "own",
            },
        ],
        quantities: &[
            Quantity::mean("speed", "% of uniform"),
            Quantity::mean("moves", "million per s"),
            Quantity::mean("length", "plies"),
        ],
        axis: None,
    },
    sample: policy,
};

/// A search of a program.
fn program<X: Payload<Blokus>>(
    game: &Blokus,
    keys: &'static [Key],
    pairs: &[(&str, &str)],
    updates: Option<Arc<AtomicU64>>,
    seed: u64,
) -> Mcts<Blokus, RatedGuide, X> {
    let made = Options::new(keys, pairs).and_then(|options| search(game, &options, &Data::default(), updates, seed));
    made.expect("the settings of this file fit the programs' own keys")
}

/// Searches with so many playouts. The time that it took; `None` when it was asked to stop.
fn run<X: Payload<Blokus>>(
    search: &mut Mcts<Blokus, RatedGuide, X>,
    state: &GameState<Blokus>,
    playouts: u64,
    sampling: &Sampling<'_>,
) -> Option<Duration> {
    let before = sampling.clock.now();
    let mut budget = Budget::start(&Limits::default(), sampling.clock, sampling.stop);
    search.begin(state);
    search.run(&mut budget, &Limits { playouts: Some(playouts), ..Limits::default() }, |_| {});
    (!sampling.stop.stopped()).then(|| sampling.clock.now() - before)
}

fn updates(game: &Blokus, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let playouts = options.integer("playouts") as u64;
    let count = Arc::new(AtomicU64::new(0));
    let amaf = [("amaf", options.choice("amaf"))];
    let mut leader = program::<()>(game, UCT, &[], None, sampling.seed);
    let mut plain = program::<()>(game, UCT, &[], None, sampling.seed);
    let mut counting = program::<IndexedAmaf>(game, AMAF, &amaf, Some(Arc::clone(&count)), sampling.seed);
    let mut state = GameState::new(*game);
    let mut seen = Vec::new();
    for point in 0..PLIES.len() {
        if state.outcome().is_some() {
            break;
        }
        let without = run(&mut plain, &state, playouts, sampling)?.as_secs_f64();
        count.store(0, Ordering::Relaxed);
        let with = run(&mut counting, &state, playouts, sampling)?.as_secs_f64();
        // Each playout updates the move that it began with; AMAF adds the others.
        let updates = (playouts + count.load(Ordering::Relaxed)) as f64;
        let speeds = [playouts as f64 / without, updates / with];
        let numbers = [
            updates / playouts as f64,
            speeds[0],
            speeds[1],
            speeds[1] / speeds[0],
            game.count_moves(state.position()) as f64,
        ];
        let finite = numbers.into_iter().enumerate().filter(|(_, number)| number.is_finite());
        seen.extend(finite.map(|(quantity, number)| Observation::number(quantity, number).at(point)));
        for _ in 0..2 {
            if state.outcome().is_none() {
                run(&mut leader, &state, GAME_PLAYOUTS, sampling)?;
                state.play(leader.best()?);
            }
        }
    }
    Some(seen)
}

fn policy(game: &Blokus, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let games = options.integer("games") as u32;
    // Moves a second, and plies a game; `None` when it was asked to stop.
    let measured = |playout: &str| {
        let made = Options::new(UCT, &[("playout", playout)])
            .and_then(|options| RatedGuide::new(&options, &Data::default(), None));
        let guide = made.expect("the settings of this file fit the programs' own keys");
        let (mut rng, mut buffers, mut moves) = (Rng::new(sampling.seed), Default::default(), 0);
        let before = sampling.clock.now();
        for number in 0..games {
            if number % GAMES_PER_CHECK == 0 && sampling.stop.stopped() {
                return None;
            }
            let mut position = Position::START;
            moves += u64::from(guide.play_out(game, &mut position, &mut rng, &mut buffers, |_, _| ()).plies);
        }
        let time = (sampling.clock.now() - before).as_secs_f64();
        Some((moves as f64 / time, moves as f64 / f64::from(games)))
    };
    let (uniform, _) = measured("uniform")?;
    let (chosen, length) = measured(options.choice("playout"))?;
    let numbers = [100.0 * chosen / uniform, chosen / 1e6, length];
    let finite = numbers.into_iter().enumerate().filter(|(_, number)| number.is_finite());
    Some(finite.map(|(quantity, number)| Observation::number(quantity, number)).collect())
}

#[cfg(test)]
mod tests {
    use banmen_search::{Clock, StopFlag};

    use super::*;

    /// Counts how often it is read.
    #[derive(Default)]
    struct Counting(AtomicU64);

    impl Clock for Counting {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[test]
    fn policy_stops_between_games() {
        let games = u64::from(GAMES_PER_CHECK) * 2;
        let options = Options::new(POLICY.info.keys, &[("games", &games.to_string())]).expect("a value in range");
        let (clock, stop) = (Counting::default(), StopFlag::default());
        let sampling = Sampling { clock: &clock, seed: 1, stop: &stop };
        assert_eq!(policy(&Blokus::STANDARD, &options, &sampling).map(|seen| seen.len()), Some(3));
        assert_eq!(clock.0.swap(0, Ordering::Relaxed), 4, "the clock is read before and after each policy's games");
        stop.stop();
        assert_eq!(policy(&Blokus::STANDARD, &options, &sampling).map(|seen| seen.len()), None);
        assert_eq!(clock.0.load(Ordering::Relaxed), 1, "no game is played to its end");
    }
}
