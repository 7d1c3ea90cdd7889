//! A match and its games.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyTask, AnyWalk, CpuClock, Error, WallClock};
use banmen_game::{Outcome, Side, mix};
use banmen_search::{Clock, Limits, StopFlag};
use serde::Serialize;

use crate::{Opening, Score, openings};

/// What the time of a move is measured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SideClock {
    /// Processor time of the thinking thread: fair on a machine that has other things to do.
    #[default]
    Cpu,
    /// Wall time.
    Wall,
}

/// A match: `a` against `b`, each opening twice with the sides swapped.
#[derive(Clone)]
pub struct Match<'g> {
    /// The game.
    pub game: &'g dyn AnyGame,
    /// The rules' variant; `None` for the default one.
    pub rules: Option<String>,
    /// The player whose score is given, as text.
    pub a: String,
    /// Its opponent, as text.
    pub b: String,
    /// Games: an even number, two for each opening.
    pub games: usize,
    /// Limits of each move, the same for both.
    pub limits: Limits,
    /// Random plies of each opening.
    pub plies: u32,
    /// Games played at once.
    pub concurrency: usize,
    /// What time is measured by.
    pub clock: SideClock,
    /// Openings and players follow from it.
    pub seed: u64,
}

/// A game that was played.
#[derive(Clone, Debug, Serialize)]
pub struct GameRecord {
    /// The number of the pair, from 0.
    pub pair: usize,
    /// 0: `a` is first; 1: `b` is first.
    pub game: usize,
    /// The moves, written, those of the opening first.
    pub moves: Vec<String>,
    /// How many of them are the opening's.
    pub opening: usize,
    /// The score of `a`: 1, ½ or 0.
    pub score: f64,
    /// The winner's margin as `a` sees it, where the game has margins.
    pub margin: Option<i32>,
    /// What ended the game.
    pub by: &'static str,
    /// What `a` and `b` spent.
    pub spent: [Spent; 2],
    #[serde(skip)]
    pub(crate) packed: Vec<u32>,
}

/// What a player spent in a game.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Spent {
    /// Moves that it chose.
    pub moves: u64,
    /// Positions that it visited.
    pub nodes: u64,
    /// Sum of the depths that it finished.
    pub depth: u64,
    /// Time of all its moves, in seconds.
    pub seconds: f64,
    /// Time of its longest move, in seconds.
    pub longest: f64,
}

/// How far a match is.
pub struct Progress<'a> {
    /// The score so far.
    pub score: &'a Score,
    /// The game that was just finished.
    pub game: &'a GameRecord,
}

impl Match<'_> {
    /// Plays the match. `progress` hears of every finished game; `stop` ends it after the moves now thought about,
    /// with the games finished so far.
    ///
    /// # Errors
    /// What does not fit in the match, before the first game; or what a player failed with.
    pub fn play(&self, stop: &StopFlag, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Score, Error> {
        if self.games < 2 || !self.games.is_multiple_of(2) {
            return Err(Error::new(
                "out_of_range",
                format!("games={} is no even number from 2 on: every opening is played twice", self.games),
            )
            .arg("key", "games"));
        }
        let openings = openings(self.game, self.rules.as_deref(), self.plies, self.games / 2, self.seed)?;
        for text in [&self.a, &self.b] {
            self.game.player(self.rules.as_deref(), text, 0)?;
        }

        let next = AtomicUsize::new(0);
        let (sender, finished) = mpsc::channel();
        let mut score = Score::new(&self.a, &self.b, self.games, &openings);
        let mut failure = None;
        std::thread::scope(|scope| {
            for _ in 0..self.concurrency.clamp(1, self.games) {
                let (sender, next, openings) = (sender.clone(), &next, &openings);
                scope.spawn(move || {
                    while !stop.stopped() {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(opening) = openings.get(index / 2) else { break };
                        match self.play_game(index / 2, index % 2, opening, stop) {
                            Ok(Some(record)) => {
                                if sender.send(Ok(record)).is_err() {
                                    break;
                                }
                            }
                            Ok(None) => break,
                            Err(error) => {
                                // The match is over when a player fails: what it would score is not its strength.
                                stop.stop();
                                let _ = sender.send(Err(error));
                                break;
                            }
                        }
                    }
                });
            }
            drop(sender);
            for result in finished {
                match result {
                    Ok(record) => {
                        score.add(&record);
                        progress(Progress { score: &score, game: &record });
                    }
                    Err(error) => failure = failure.take().or(Some(error)),
                }
            }
        });
        failure.map_or(Ok(score), Err)
    }

    /// Plays one game; `None` when it was stopped before its end.
    fn play_game(
        &self,
        pair: usize,
        game: usize,
        opening: &Opening,
        stop: &StopFlag,
    ) -> Result<Option<GameRecord>, Error> {
        let mut walk = self.game.walk(self.rules.as_deref(), None)?;
        for &m in opening {
            walk.play(m)?;
        }
        let seed = |player: u64| mix(self.seed ^ mix((pair as u64) << 2 | (game as u64) << 1 | player));
        let player = |text: &str, index| self.game.player(self.rules.as_deref(), text, seed(index));
        let mut players = [player(&self.a, 0)?, player(&self.b, 1)?];
        let clock: &dyn Clock = match self.clock {
            SideClock::Cpu => &CpuClock::default(),
            SideClock::Wall => &WallClock::default(),
        };
        let mut spent = [Spent::default(); 2];
        let outcome = loop {
            if let Some(outcome) = walk.outcome() {
                break outcome;
            }
            if stop.stopped() {
                return Ok(None);
            }
            let mover = seat(walk.side_to_move(), game);
            let start = clock.now();
            let report = players[mover].think(AnyTask {
                walk: walk.as_ref(),
                limits: self.limits,
                clock,
                stop,
                lines: 1,
                progress: &mut |_| {},
            })?;
            spent[mover].add(clock.now() - start, report.nodes, report.depth);
            let Some(best) = report.best() else {
                let name = if mover == 0 { &self.a } else { &self.b };
                return Err(Error::new("no_move", format!("{name} gave no move")).arg("player", name.as_str()));
            };
            walk.play(best)?;
        };
        Ok(Some(self.record(pair, game, opening.len(), walk.as_ref(), outcome, spent)))
    }

    fn record(
        &self,
        pair: usize,
        game: usize,
        opening: usize,
        walk: &dyn AnyWalk,
        outcome: Outcome,
        spent: [Spent; 2],
    ) -> GameRecord {
        let side = if game == 0 { Side::First } else { Side::Second };
        GameRecord {
            pair,
            game,
            moves: walk.move_texts(""),
            opening,
            score: outcome.score(side),
            margin: outcome.margin.map(|_| outcome.signed_margin(side)),
            by: outcome.by,
            spent,
            packed: walk.moves(),
        }
    }
}

impl Spent {
    fn add(&mut self, time: Duration, nodes: u64, depth: u32) {
        let seconds = time.as_secs_f64();
        self.moves += 1;
        self.nodes += nodes;
        self.depth += u64::from(depth);
        self.seconds += seconds;
        self.longest = self.longest.max(seconds);
    }
}

/// Which player, 0 for `a`, has this side in game `game` of a pair.
fn seat(side: Side, game: usize) -> usize {
    side.index() ^ game
}
