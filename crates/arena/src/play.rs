//! Playing one game of a match.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use banmen_catalog::{AnyPlayer, AnyTask, CpuClock, Error, ErrorCode, FaultCost, LostTurn, WallClock};
use banmen_game::{Outcome, Side};
use banmen_search::{Clock, Limits, Report, StopFlag, TimeControl};

use crate::adjudication::{Adjudicator, Verdict};
use crate::spec::of_player;
use crate::{GameRecord, Job, Match, MatchSpec, SideClock, Usage};

/// A built-in player may overdraw its clock by this much: some time passes between the end of a search and its
/// measurement. An external program has the margin of [`MatchSpec::program_margin`].
const CLOCK_MARGIN: Duration = Duration::from_millis(10);

/// The end of a game.
pub(crate) struct End {
    /// The score of `a`.
    pub(crate) score: f64,
    /// The margin from the view of `a`, where the game has margins.
    pub(crate) margin: Option<i32>,
    /// What ended it.
    pub(crate) by: String,
}

/// Why a player made no move.
struct Failure {
    /// The word in the record.
    by: &'static str,
    complaint: Option<String>,
    /// Whether the player makes no further move in this game.
    silences: bool,
}

/// What a player chose, or why it made no move.
type Choice = Result<Report<u32>, Failure>;

impl Failure {
    /// The player used more time than its clock had.
    fn overdrawn(name: &str) -> Failure {
        Failure { by: "time", complaint: Some(format!("{name} overdrew its clock")), silences: true }
    }
}

/// The word for a player that resigned.
pub(crate) const RESIGNATION: &str = "resignation";

/// The game clocks of both players. A clock is charged once a turn, when the side to move changes, however many decisions
/// the turn had.
pub(crate) struct GameClocks {
    controls: [Option<TimeControl>; 2],
    /// Time used by the mover's decisions of the current turn.
    turn_used: Duration,
}

impl GameClocks {
    pub(crate) fn new(controls: [Option<TimeControl>; 2]) -> Self {
        GameClocks { controls, turn_used: Duration::ZERO }
    }

    /// `limits` with the player's clock and the time that its turn has used so far.
    pub(crate) fn limits(&self, player: usize, limits: Limits) -> Limits {
        Limits { clock: self.controls[player], turn_used: self.turn_used, ..limits }
    }

    /// Adds the time of a decision to the turn. Returns whether the player's clock covers the turn so far.
    pub(crate) fn add_decision(&mut self, player: usize, used: Duration, margin: Duration) -> bool {
        self.turn_used = self.turn_used.saturating_add(used);
        let covered = |clock: TimeControl| clock.main.saturating_add(clock.byoyomi).saturating_add(margin);
        self.controls[player].is_none_or(|clock| self.turn_used <= covered(clock))
    }

    /// Ends the player's turn: takes its time off the clock and adds the increment.
    pub(crate) fn end_turn(&mut self, player: usize) {
        let used = std::mem::take(&mut self.turn_used);
        if let Some(clock) = &mut self.controls[player] {
            let left = clock.main.saturating_sub(used).saturating_add(clock.increment);
            clock.main = clock.cap.map_or(left, |cap| left.min(cap));
        }
    }
}

impl Match<'_> {
    /// Plays one game; returns `None` when `stop` was set before its end. The players are reused from game to game, so that
    /// tables are made and programs started once; after an error they are in no state to play again. The error of a player
    /// names it as `player`, 0 for `a`; `internal` is that of one that panicked.
    pub(crate) fn play_job(
        &self,
        job: &Job,
        players: &mut [Box<dyn AnyPlayer>; 2],
        stop: &StopFlag,
    ) -> Result<Option<GameRecord>, Error> {
        let MatchSpec { rules, clock, adjudication, threads, program_margin, .. } = &self.spec;
        let (sides, game) = (self.spec.sides(), job.game);
        if game > 1 {
            let message = format!("game {game} of a pair, which has games 0 and 1");
            return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "game"));
        }
        let mut state = job.opening.state(self.game, rules.as_deref())?;
        let opening = state.moves().len();
        for (index, (player, seed)) in players.iter_mut().zip(job.player_seeds()).enumerate() {
            self.caught(job, index, || player.new_game(state.as_ref(), seed))?;
        }
        let clock: &dyn Clock = match clock {
            SideClock::Cpu => &CpuClock::default(),
            SideClock::Wall => &WallClock::default(),
        };
        let mut clocks = GameClocks::new(sides.map(|side| side.limits.clock));
        let programs = sides.map(|side| banmen_programs::is_program(self.game, &side.player));
        let margins = programs.map(|program| if program { *program_margin } else { CLOCK_MARGIN });
        let mut adjudicator = Adjudicator::default();
        let mut spent = [Usage::default(); 2];
        let mut times = Vec::new();
        let fault_costs_turn = self.game.info().fault_costs == FaultCost::Turn;
        let mut lost_turns: Vec<LostTurn> = Vec::new();
        let (mut fault, mut complaint) = (None, None);
        // For a player that makes no further move: the word for the fault.
        let mut silenced: [Option<&'static str>; 2] = [None; 2];
        let end = loop {
            if let Some(outcome) = state.outcome() {
                break Some(ended(outcome, game));
            }
            if stop.stopped() {
                break None;
            }
            let mover = player_index(state.side_to_move(), game);
            let name = &sides[mover].player;
            let choice = match silenced[mover] {
                Some(by) => {
                    times.push(Duration::ZERO);
                    Err(Failure { by, complaint: None, silences: true })
                }
                None => {
                    let task = AnyTask {
                        state: state.as_ref(),
                        limits: clocks.limits(mover, sides[mover].limits),
                        clock,
                        stop,
                        threads: threads.get(),
                        lines: 1,
                        progress: None,
                    };
                    let player = players[mover].as_mut();
                    let decision = self.caught(job, mover, || decide(player, programs[mover], task))?;
                    let Some((used, choice)) = decision else { break None };
                    let (nodes, depth) = choice.as_ref().map_or((0, 0), |report| (report.nodes, report.depth));
                    spent[mover].add(used, nodes, depth);
                    times.push(used);
                    let in_time = clocks.add_decision(mover, used, margins[mover]);
                    choice.and_then(|report| if in_time { Ok(report) } else { Err(Failure::overdrawn(name)) })
                }
            };
            let (best, expected) = match choice {
                Ok(report) => {
                    let no_move = || of_player(Error::new(ErrorCode::NoMove, format!("{name} gave no move")), mover);
                    // A player that did not search has no expectation.
                    let expected = (report.nodes > 0 || report.depth > 0).then(|| report.value());
                    (report.best().ok_or_else(no_move)?, expected)
                }
                Err(failure) => {
                    // A resignation is not a fault.
                    let failed = failure.by != RESIGNATION;
                    if failed && fault.is_none() {
                        (fault, complaint) = (Some(mover), failure.complaint);
                    }
                    let Some(pass) = state.pass().filter(|_| fault_costs_turn && failed) else {
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
                of_player(Error { message, ..error }, mover)
            })?;
            if player_index(state.side_to_move(), game) != mover {
                clocks.end_turn(mover);
            }
            let verdict = adjudicator.record(adjudication, mover, expected, state.moves().len());
            if let Some(verdict) = verdict.filter(|_| state.outcome().is_none()) {
                break Some(adjudicated(verdict));
            }
        };
        Ok(end.map(|End { score, margin, by }| GameRecord {
            pair: job.pair,
            game,
            seed: job.seed,
            position: job.opening.position.clone(),
            moves: state.move_texts(""),
            opening,
            score,
            margin,
            by,
            fault,
            lost_turns,
            complaint,
            times,
            spent,
            source: None,
        }))
    }

    /// What a player does in a game. A panic of it is an error too, so that no other game is lost with it.
    fn caught<T>(&self, job: &Job, index: usize, run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let aborted = |_| {
            let name = &self.spec.sides()[index].player;
            let message = format!("internal error: {name} was aborted in game {}.{}", job.pair, job.game);
            Err(Error::new(ErrorCode::Internal, message))
        };
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(aborted).map_err(|error| of_player(error, index))
    }
}

/// Asks a player, which may be an external program, for a move. Returns the time that it took, with its report or its fault;
/// `None` when it was stopped.
///
/// # Errors
/// Those of the player that are no faults.
fn decide(player: &mut dyn AnyPlayer, program: bool, task: AnyTask<'_>) -> Result<Option<(Duration, Choice)>, Error> {
    let (clock, stop) = (task.clock, task.stop);
    let start = clock.now();
    let answer = player.think(task);
    // A search that was stopped has not chosen a move, and a player that was stopped need not answer.
    if stop.stopped() {
        return Ok(None);
    }
    let used = clock.now() - start;
    // A program's time is measured by its driver, also until a fault: without its restart.
    match answer {
        Ok(report) => Ok(Some((if program { report.time } else { used }, Ok(report)))),
        Err(error) => match error.forfeit() {
            // A program that does not start says nothing about its strength.
            Some(by) if error.code != ErrorCode::ProgramStart => {
                let silences = error.silences();
                let failure = Failure { by, complaint: Some(error.message), silences };
                Ok(Some((error.time.unwrap_or(used), Err(failure))))
            }
            _ => Err(error),
        },
    }
}

/// The end of a game by its rules.
pub(crate) fn ended(outcome: Outcome, game: usize) -> End {
    let side = if game == 0 { Side::First } else { Side::Second };
    End {
        score: outcome.score(side),
        margin: outcome.margin.map(|_| outcome.signed_margin(side)),
        by: outcome.by.to_owned(),
    }
}

/// The end of a game that a player lost by a fault or resigned.
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

/// The player, 0 for `a`, that plays this side in game `game` of a pair.
pub(crate) fn player_index(side: Side, game: usize) -> usize {
    side.index() ^ game
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn main_time(clocks: &GameClocks) -> Duration {
        clocks.controls[0].expect("a clock").main
    }

    #[test]
    fn charges_the_clock_and_adds_the_increment_up_to_the_cap() {
        let control = TimeControl { main: ms(1_000), increment: ms(100), cap: Some(ms(1_000)), byoyomi: ms(0) };
        let mut clocks = GameClocks::new([Some(control), None]);
        let turn = |clocks: &mut GameClocks, player, used| {
            let in_time = clocks.add_decision(player, used, CLOCK_MARGIN);
            clocks.end_turn(player);
            in_time
        };
        assert!(turn(&mut clocks, 0, ms(50)));
        assert_eq!(main_time(&clocks), ms(1_000), "no more than the cap");
        assert!(turn(&mut clocks, 0, ms(600)));
        assert_eq!(main_time(&clocks), ms(500));
        assert!(turn(&mut clocks, 1, ms(1_000_000)), "a player without a clock never overdraws it");
        assert!(!turn(&mut clocks, 0, ms(511)), "overdrawn by more than the margin");
    }

    #[test]
    fn a_turn_of_five_decisions_costs_the_clock_as_much_as_one() {
        let control = TimeControl { main: ms(1_000), increment: ms(100), cap: None, byoyomi: ms(50) };
        let [mut one, mut five] = [(); 2].map(|()| GameClocks::new([Some(control), None]));
        for _ in 0..7 {
            assert!(one.add_decision(0, ms(200), CLOCK_MARGIN));
            for decision in 0..5 {
                let limits = five.limits(0, Limits::default());
                assert_eq!((limits.clock, limits.turn_used), (one.controls[0], ms(40) * decision));
                assert!(five.add_decision(0, ms(40), CLOCK_MARGIN));
            }
            one.end_turn(0);
            five.end_turn(0);
            assert_eq!(one.controls, five.controls);
            assert_eq!(five.limits(0, Limits::default()).turn_used, Duration::ZERO);
        }
        assert_eq!(main_time(&five), ms(300), "seven increments, not thirty-five");
        // 300 ms and 50 ms of byoyomi hold for the whole turn.
        assert!((0..4).all(|_| five.add_decision(0, ms(87), CLOCK_MARGIN)));
        assert!(!five.add_decision(0, ms(87), CLOCK_MARGIN));
    }
}
