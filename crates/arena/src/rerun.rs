//! Searching again: a decision of a stored game.

use std::num::NonZeroUsize;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, CpuClock, Error, ErrorCode, WallClock};
use banmen_programs::Programs;
use banmen_search::{Clock, Report, StopFlag};

use crate::play::{GameClocks, player_index};
use crate::{GameRecord, Job, Match, MatchInfo, Opening, SideClock};

/// A decision of a stored game that was searched again.
pub struct Rerun {
    /// The game before the decision.
    pub state: Box<dyn AnyState>,
    /// The player that decided.
    pub player: String,
    /// The version of this player when the game was played, and its version now: another one may decide otherwise.
    pub versions: [String; 2],
    /// Whether its moves depend on the machine, because its limit is a time.
    pub timed: bool,
    /// The search.
    pub report: Report<u32>,
    /// The move that was played then.
    pub played: String,
    /// The move that was chosen now.
    pub chosen: String,
}

impl Rerun {
    /// Whether the same move was chosen.
    #[must_use]
    pub fn same(&self) -> bool {
        self.chosen == self.played
    }
}

/// What a search that is made again may use.
#[derive(Clone, Debug)]
pub struct RerunBounds {
    /// Whether it may start external programs.
    pub programs: Programs,
    /// The most threads: a search that had more gets these.
    pub threads: NonZeroUsize,
}

/// Searches for a move of a stored game again, with the player, limits, threads and seed of then. What the player keeps between
/// its moves is there: it makes its earlier decisions of the game first. `ply` counts the moves of the game from 0.
///
/// # Errors
/// `unknown_record` where the game has no such move, for moves of the opening, imported games and lost turns, of which there is
/// no search; an error of the player.
pub fn rerun(
    game: &dyn AnyGame,
    found: &MatchInfo,
    record: &GameRecord,
    ply: usize,
    bounds: &RerunBounds,
    stop: &StopFlag,
) -> Result<Rerun, Error> {
    let none = |why: String| Error::new(ErrorCode::UnknownRecord, why);
    let mut matchup = match_of(game, found)?;
    matchup.programs = bounds.programs.clone();
    matchup.spec.threads = matchup.spec.threads.min(bounds.threads);
    if ply < record.opening || ply >= record.moves.len() {
        let (first, last) = (record.opening + 1, record.moves.len());
        let chosen =
            if first > last { "the game has none".to_owned() } else { format!("those are moves {first} to {last}") };
        let message = format!("move {} is not one that a player chose: {chosen}", ply + 1);
        return Err(none(message));
    }
    let opening = Opening { position: record.position.clone(), moves: record.moves[..ply].to_vec() };
    // The player is known when the moves before its decision are played.
    let mover = player_index(opening.state(game, matchup.spec.rules.as_deref())?.side_to_move(), record.game);
    if record.lost_turns.iter().any(|lost| lost.ply == ply) {
        return Err(none(format!("move {} is a lost turn: it was not searched", ply + 1)));
    }
    let side = matchup.spec.sides()[mover].clone();
    let mut players = [None, None];
    players[mover] = Some(matchup.player(mover)?);
    let mut found_again = None;
    search_again(&matchup, record, &mut players, stop, &mut |number, state, report| {
        if number == ply {
            found_again = Some((state.copy(), report));
        }
        number < ply
    })?;
    let (state, report) = found_again.ok_or_else(|| none(format!("the game has no move {}", ply + 1)))?;
    let no_move = || Error::new(ErrorCode::NoMove, format!("{} gave no move", side.player));
    let chosen = state.write(report.best().ok_or_else(no_move)?, "");
    Ok(Rerun {
        versions: [found.versions[mover].clone(), matchup.version(&side.player)],
        timed: side.limits.time.is_some() || side.limits.clock.is_some(),
        player: side.player,
        played: record.moves[ply].clone(),
        state,
        report,
        chosen,
    })
}

/// The match of a stored game, ready to search in.
///
/// # Errors
/// `unknown_record` for imported games, of which there are no searches.
pub(crate) fn match_of<'g>(game: &'g dyn AnyGame, found: &MatchInfo) -> Result<Match<'g>, Error> {
    Ok(Match::new(game, found.match_spec(game)?.ok_or_else(|| imported(found))?))
}

/// The error of imported games, of which there are no searches.
pub(crate) fn imported(found: &MatchInfo) -> Error {
    Error::new(ErrorCode::UnknownRecord, format!("match {} was imported: it has no searches", found.id))
}

/// Receives a search that was made again; returns whether to go on.
type VisitSearch<'a> = dyn FnMut(usize, &dyn AnyState, Report<u32>) -> bool + 'a;

/// Makes the decisions of a stored game again, those of the players (of `a` and of `b`) that are given. `visit` receives the
/// number of each move, from 0, the game before it, and the report of its search; it returns whether to go on.
///
/// # Errors
/// `stopped`; an error of a player.
pub(crate) fn search_again(
    matchup: &Match<'_>,
    record: &GameRecord,
    players: &mut [Option<Box<dyn AnyPlayer>>; 2],
    stop: &StopFlag,
    visit: &mut VisitSearch<'_>,
) -> Result<(), Error> {
    let opening = Opening { position: record.position.clone(), moves: record.moves[..record.opening].to_vec() };
    let mut state = opening.state(matchup.game, matchup.spec.rules.as_deref())?;
    let job = Job { spec: String::new(), pair: record.pair, game: record.game, seed: record.seed, opening };
    for (player, seed) in players.iter_mut().zip(job.player_seeds()) {
        if let Some(player) = player {
            player.new_game(state.as_ref(), seed)?;
        }
    }
    let clock: &dyn Clock = match matchup.spec.clock {
        SideClock::Cpu => &CpuClock::default(),
        SideClock::Wall => &WallClock::default(),
    };
    let sides = matchup.spec.sides();
    let mut clocks = GameClocks::new(sides.map(|side| side.limits.clock));
    for (number, played) in record.moves.iter().enumerate().skip(record.opening) {
        let lost = record.lost_turns.iter().any(|lost| lost.ply == number);
        let mover = player_index(state.side_to_move(), record.game);
        if let Some(player) = players[mover].as_mut().filter(|_| !lost) {
            let report = player.think(AnyTask {
                state: state.as_ref(),
                limits: clocks.limits(mover, sides[mover].limits),
                clock,
                stop,
                threads: matchup.spec.threads.get(),
                lines: 1,
                progress: None,
            })?;
            if stop.stopped() {
                return Err(Error::new(ErrorCode::Stopped, "stopped before the move was found"));
            }
            if !visit(number, state.as_ref(), report) {
                return Ok(());
            }
        }
        let m = state.read(played)?;
        state.play(m)?;
        // The time that the decision took then.
        let used = record.times.get(number - record.opening).copied().unwrap_or_default();
        clocks.add_decision(mover, used, Duration::ZERO);
        if player_index(state.side_to_move(), record.game) != mover {
            clocks.end_turn(mover);
        }
        if lost {
            players.iter_mut().flatten().for_each(|player| player.lost_turn(number));
        }
    }
    Ok(())
}
