//! One game of a match.

use std::time::{Duration, Instant};

use banmen_catalog::{AnyPlayer, AnyTask, CpuClock, Error, ErrorCode, FaultCost, LostTurn, WallClock};
use banmen_game::{Outcome, Side, mix};
use banmen_protocol::{Charge, Programs};
use banmen_search::{Clock, Limits, StopFlag, TimeControl};

use crate::adjudication::{Adjudicator, Verdict};
use crate::opening::Opening;
use crate::{Contestant, GameRecord, Match, SideClock, Spent};

/// A player of the house may overdraw its clock by this much: between the end of a thought and its being seen some time
/// passes. A program has the margin of [`banmen_protocol::Programs`].
const MARGIN: Duration = Duration::from_millis(10);

/// How a game ended.
struct End {
    /// The score of `a`.
    score: f64,
    margin: Option<i32>,
    by: String,
}

/// Why a player made no move.
struct Failure {
    /// The word for the record.
    by: &'static str,
    complaint: Option<String>,
    /// It makes no further one either.
    silences: bool,
}

impl Failure {
    /// More time was used than the clock held.
    fn overdrawn(name: &str) -> Failure {
        Failure { by: "time", complaint: Some(format!("{name} overdrew its clock")), silences: true }
    }
}

/// The word for a player that gave up.
const RESIGNATION: &str = "resignation";

/// The clocks of a game.
struct Clocks([Option<TimeControl>; 2]);

impl Clocks {
    /// What the limits of `player` are now.
    fn limits(&self, player: usize, limits: Limits) -> Limits {
        Limits { clock: self.0[player], ..limits }
    }

    /// Takes the time of a move off the clock. Whether it was there.
    fn spend(&mut self, player: usize, used: Duration, margin: Duration) -> bool {
        let Some(clock) = &mut self.0[player] else { return true };
        let in_time = used <= clock.main + clock.byoyomi + margin;
        let left = clock.main.saturating_sub(used) + clock.increment;
        clock.main = clock.cap.map_or(left, |cap| left.min(cap));
        in_time
    }
}

impl Match<'_> {
    /// The seed of a game.
    fn game_seed(&self, pair: usize, game: usize) -> u64 {
        mix(self.seed ^ mix((pair as u64) << 1 | game as u64))
    }

    /// Plays one game; `None` when it was stopped before its end. The players come from game to game, so that tables are
    /// made and programs are started once. The error of a player names its `seat`, 0 for `a`.
    pub(crate) fn play_game(
        &self,
        pair: usize,
        game: usize,
        opening: &Opening,
        players: &mut [Box<dyn AnyPlayer>; 2],
        stop: &StopFlag,
    ) -> Result<Option<GameRecord>, Error> {
        let seed = self.game_seed(pair, game);
        let mut state = opening.state.copy();
        let begun = state.moves().len();
        for (index, player) in (1..).zip(players.iter_mut()) {
            player.new_game(state.as_ref(), mix(seed ^ index)).map_err(|error| seated(error, index as usize - 1))?;
        }
        let clock: &dyn Clock = match self.clock {
            SideClock::Cpu => &CpuClock::default(),
            SideClock::Wall => &WallClock::default(),
        };
        let mut clocks = Clocks(self.sides().map(|side| side.limits.clock));
        let programs = self.sides().map(|side| banmen_protocol::is_program(self.game, &side.player));
        let margins = programs.map(|program| if program { self.programs.margin } else { MARGIN });
        let mut adjudicator = Adjudicator::default();
        let mut spent = [Spent::default(); 2];
        let mut times = Vec::new();
        let costs_turn = self.game.info().fault_costs == FaultCost::Turn;
        let mut lost_turns: Vec<LostTurn> = Vec::new();
        let (mut fault, mut complaint) = (None, None);
        // By what those were silenced who choose no further move.
        let mut silenced: [Option<&'static str>; 2] = [None; 2];
        let end = loop {
            if let Some(outcome) = state.outcome() {
                break ended(outcome, game);
            }
            if stop.stopped() {
                break None;
            }
            let mover = seat(state.side_to_move(), game);
            let name = &self.sides()[mover].player;
            let (start, wall) = (clock.now(), Instant::now());
            let choice = match silenced[mover] {
                Some(by) => {
                    times.push(Duration::ZERO);
                    Err(Failure { by, complaint: None, silences: true })
                }
                None => match players[mover].think(AnyTask {
                    state: state.as_ref(),
                    limits: clocks.limits(mover, self.sides()[mover].limits),
                    clock,
                    stop,
                    threads: 1,
                    lines: 1,
                    progress: None,
                }) {
                    Ok(report) => {
                        // What was cut short is no choice of the player's.
                        if stop.stopped() {
                            break None;
                        }
                        // A program's time is told by whoever asks it: what it takes to start anew is not counted.
                        let used = if programs[mover] { report.time } else { clock.now() - start };
                        spent[mover].add(used, report.nodes, report.depth);
                        times.push(used);
                        if clocks.spend(mover, used, margins[mover]) {
                            Ok(report)
                        } else {
                            Err(Failure::overdrawn(name))
                        }
                    }
                    // Who was told to stop need not have answered.
                    Err(_) if stop.stopped() => break None,
                    Err(error) => match error.forfeit() {
                        // A program that does not even come up says nothing about its strength.
                        Some(by) if error.code != ErrorCode::ProgramStart => {
                            let used = wall.elapsed();
                            times.push(used);
                            clocks.spend(mover, used, margins[mover]);
                            let silences = error.silences();
                            Err(Failure { by, complaint: Some(error.message), silences })
                        }
                        _ => return Err(seated(error, mover)),
                    },
                },
            };
            let (best, said) = match choice {
                Ok(report) => {
                    let no_move = || seated(Error::new(ErrorCode::NoMove, format!("{name} gave no move")), mover);
                    // Who looked at nothing says nothing.
                    let said = (report.nodes > 0 || report.depth > 0).then(|| report.value());
                    (report.best().ok_or_else(no_move)?, said)
                }
                Err(failure) => {
                    // Who gives up has failed in nothing.
                    let failed = failure.by != RESIGNATION;
                    if failed && fault.is_none() {
                        (fault, complaint) = (Some(mover), failure.complaint);
                    }
                    let Some(pass) = state.pass().filter(|_| costs_turn && failed) else {
                        break Some(forfeited(mover, failure.by));
                    };
                    let ply = state.moves().len();
                    lost_turns.push(LostTurn { ply, by: failure.by.to_owned() });
                    silenced[mover] = failure.silences.then_some(failure.by);
                    players.iter_mut().for_each(|player| player.lost_turn(ply));
                    (pass, None)
                }
            };
            state.play(best).map_err(|error| {
                let message = format!("{name}: {}", error.message);
                seated(Error { message, ..error }, mover)
            })?;
            let verdict = adjudicator.hear(&self.adjudication, mover, said, state.moves().len());
            if let Some(verdict) = verdict.filter(|_| state.outcome().is_none()) {
                break Some(adjudicated(verdict));
            }
        };
        Ok(end.map(|End { score, margin, by }| GameRecord {
            pair,
            game,
            seed,
            position: opening.position.clone(),
            moves: state.move_texts(""),
            opening: begun,
            score,
            margin,
            by,
            fault,
            lost_turns,
            complaint,
            times,
            spent,
        }))
    }
}

impl Match<'_> {
    /// Makes both players.
    pub(crate) fn players(&self) -> Result<[Box<dyn AnyPlayer>; 2], Error> {
        Ok([self.player(0)?, self.player(1)?])
    }

    /// Makes the player of one side, 0 for `a`, if it can play by its clock. Its seed comes with each game. An error names
    /// the `seat`.
    pub(crate) fn player(&self, index: usize) -> Result<Box<dyn AnyPlayer>, Error> {
        let charge = match self.clock {
            SideClock::Cpu => Charge::Cpu,
            SideClock::Wall => Charge::Wall,
        };
        let programs = Programs { charge, ..self.programs.clone() };
        let Contestant { player, limits } = self.sides()[index];
        banmen_protocol::check_limits(self.game, player, limits)
            .and_then(|()| banmen_protocol::player(self.game, self.rules.as_deref(), player, 0, &programs))
            .map_err(|error| seated(error, index))
    }
}

/// An error of the player of one side.
fn seated(error: Error, index: usize) -> Error {
    error.arg("seat", index)
}

/// A game that its rules ended.
fn ended(outcome: Outcome, game: usize) -> Option<End> {
    let side = if game == 0 { Side::First } else { Side::Second };
    Some(End {
        score: outcome.score(side),
        margin: outcome.margin.map(|_| outcome.signed_margin(side)),
        by: outcome.by.to_owned(),
    })
}

/// A game that a player lost by a fault, or gave up.
fn forfeited(player: usize, by: &str) -> End {
    End { score: player as f64, margin: None, by: by.to_owned() }
}

fn adjudicated(verdict: Verdict) -> End {
    let (score, by) = match verdict {
        Verdict::Lost(loser) => (loser as f64, "both expect this result"),
        Verdict::Drawn(by) => (0.5, by),
    };
    End { score, margin: None, by: by.to_owned() }
}

/// Which player, 0 for `a`, has this side in game `game` of a pair.
fn seat(side: Side, game: usize) -> usize {
    side.index() ^ game
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_runs_down_and_is_filled_up() {
        let ms = Duration::from_millis;
        let control = TimeControl { main: ms(1_000), increment: ms(100), cap: Some(ms(1_000)), byoyomi: ms(0) };
        let mut clocks = Clocks([Some(control), None]);
        let left = |clocks: &Clocks| clocks.0[0].expect("a clock").main;
        assert!(clocks.spend(0, ms(50), MARGIN));
        assert_eq!(left(&clocks), ms(1_000), "no more than the cap");
        assert!(clocks.spend(0, ms(600), MARGIN));
        assert_eq!(left(&clocks), ms(500));
        assert!(clocks.spend(1, ms(1_000_000), MARGIN), "without a clock nothing runs down");
        assert!(!clocks.spend(0, ms(511), MARGIN), "overdrawn by more than the margin");
    }
}
