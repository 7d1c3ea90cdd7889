//! Limits of a search.

use std::fmt;
use std::time::Duration;

/// Limits of one search: it ends when it reaches one of those that are given. Without any it ends when it is stopped or
/// done.
///
/// `time`, `clock` and `turn_used` are those of the whole turn, which may be several decisions; [`Limits::decision`]
/// computes the part of one decision. `nodes`, `playouts` and `depth` are those of one decision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Time for the whole turn.
    pub time: Option<Duration>,
    /// The mover's clock as it stood when the turn began, from which the search computes a time for the turn.
    pub clock: Option<TimeControl>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Playouts of a tree search; positions visited by a search without playouts.
    pub playouts: Option<u64>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Time already spent on this turn by earlier decisions of it.
    pub turn_used: Duration,
}

/// The mover's clock: a time control and the time that is left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeControl {
    /// Time left.
    pub main: Duration,
    /// Added after each turn.
    pub increment: Duration,
    /// The most that the clock can hold, where it is bounded.
    pub cap: Option<Duration>,
    /// Time for each turn once `main` is used up.
    pub byoyomi: Duration,
}

/// As users write time controls: `10s+100ms`, `10s+100ms/10s`, `600s+0s byoyomi 30s`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |time: Duration| {
            let ns = time.as_nanos();
            let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
            let (size, unit) = units.into_iter().find(|&(size, _)| ns.is_multiple_of(size)).unwrap_or((1, "ns"));
            format!("{}{unit}", ns / size)
        };
        write!(f, "{}+{}", time(self.main), time(self.increment))?;
        if let Some(cap) = self.cap {
            write!(f, "/{}", time(cap))?;
        }
        if self.byoyomi.is_zero() { Ok(()) } else { write!(f, " byoyomi {}", time(self.byoyomi)) }
    }
}

/// A side rarely has more turns ahead that need a search.
const TURNS: u32 = 25;
/// Share of an increment that its turn may use.
const INCREMENT_SHARE: f64 = 0.9;
/// Never used: an answer needs time to arrive.
const OVERHEAD: Duration = Duration::from_millis(10);

impl TimeControl {
    /// The time for one turn of 25 that need a search: at most what is left on the clock, less 10 ms.
    #[must_use]
    pub fn share(&self) -> Duration {
        self.share_over(TURNS)
    }

    /// The same where so many turns need a search, this one counted.
    #[must_use]
    pub fn share_over(&self, turns: u32) -> Duration {
        let increment = self.increment.mul_f64(INCREMENT_SHARE);
        let wanted = (self.main / turns.max(1)).saturating_add(increment).saturating_add(self.byoyomi);
        // A full clock gains nothing from the increment: the turn uses what would exceed the cap.
        let overflow =
            self.cap.map_or(Duration::ZERO, |cap| self.main.saturating_add(self.increment).saturating_sub(cap));
        wanted.max(overflow).min(self.main.saturating_add(self.byoyomi).saturating_sub(OVERHEAD))
    }
}

impl Limits {
    /// A time limit only.
    #[must_use]
    pub fn time(time: Duration) -> Self {
        Limits { time: Some(time), ..Limits::default() }
    }

    /// A node limit only.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// A depth limit only.
    #[must_use]
    pub fn depth(depth: u32) -> Self {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// The bounds of one decision of a turn in which the mover makes at most `decisions_left` more, this one counted:
    /// an equal part of the time that the turn has left. The result has that time alone, no clock and nothing used.
    #[must_use]
    pub fn decision(self, decisions_left: u32) -> Limits {
        let time = self.budget().map(|budget| budget / decisions_left.max(1));
        Limits { time, clock: None, turn_used: Duration::ZERO, ..self }
    }

    /// The limits of this turn where so many turns need a search, this one counted: with a time in place of the clock.
    #[must_use]
    pub fn spread_over(self, turns: u32) -> Limits {
        let share = self.clock.map(|clock| clock.share_over(turns));
        let time = self.time.into_iter().chain(share).min();
        Limits { time, clock: None, ..self }
    }

    /// The time that the turn has left, from [`Limits::time`], the clock, and what the turn used so far.
    #[must_use]
    pub fn budget(&self) -> Option<Duration> {
        let budget = match (self.time, self.clock.map(|clock| clock.share())) {
            (Some(time), Some(share)) => Some(time.min(share)),
            (time, share) => time.or(share),
        };
        budget.map(|budget| budget.saturating_sub(self.turn_used))
    }

    /// Both limits: the smaller one of each kind, the clock of `self` if it has one, and the longer of the times used.
    #[must_use]
    pub fn and(self, other: Limits) -> Limits {
        fn smaller<T: PartialOrd>(a: Option<T>, b: Option<T>) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(if a < b { a } else { b }),
                (a, b) => a.or(b),
            }
        }
        Limits {
            time: smaller(self.time, other.time),
            clock: self.clock.or(other.clock),
            nodes: smaller(self.nodes, other.nodes),
            playouts: smaller(self.playouts, other.playouts),
            depth: smaller(self.depth, other.depth),
            turn_used: self.turn_used.max(other.turn_used),
        }
    }
}

/// Whether a tree seems not to become any deeper, which ends a search whose limit of depth it has not reached. Of `made`
/// simulations number `last_open` was the last to find a position in which the game goes on; those after it must be more than
/// all up to it, by a thousand.
#[must_use]
pub fn seems_exhausted(made: u64, last_open: u64) -> bool {
    const MIN_ENDED: u64 = 1_000;
    made - last_open > last_open + MIN_ENDED
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn and_keeps_the_smaller_limit() {
        let both = Limits::time(SECOND).and(Limits { nodes: Some(5), ..Limits::time(2 * SECOND) });
        assert_eq!(both, Limits { time: Some(SECOND), nodes: Some(5), ..Limits::default() });
    }

    #[test]
    fn share_never_exceeds_the_clock() {
        for main in [0, 5, 10, 11, 100, 10_000] {
            for increment in [0, 100, 5_000] {
                let main = Duration::from_millis(main);
                let clock = TimeControl { main, increment: Duration::from_millis(increment), ..Default::default() };
                assert!(clock.share() <= main.saturating_sub(OVERHEAD), "{clock:?}");
            }
        }
    }

    #[test]
    fn full_clock_uses_its_increment() {
        let clock =
            TimeControl { main: 10 * SECOND, increment: SECOND, cap: Some(10 * SECOND), byoyomi: Duration::ZERO };
        assert!(clock.share() >= SECOND);
    }

    #[test]
    fn clock_is_spread_over_the_turns() {
        let clock = TimeControl { main: 10 * SECOND, ..Default::default() };
        let turn = Limits { clock: Some(clock), ..Limits::nodes(7) };
        assert_eq!(turn.spread_over(50), Limits { time: Some(SECOND / 5), ..Limits::nodes(7) });
        assert_eq!(turn.spread_over(25).budget(), turn.budget());
        assert!(turn.spread_over(0).budget() < Some(10 * SECOND), "never the whole clock");
        assert_eq!(Limits { time: Some(SECOND / 10), ..turn }.spread_over(50).time, Some(SECOND / 10));
        assert_eq!(Limits::nodes(7).spread_over(50), Limits::nodes(7));
    }

    #[test]
    fn decision_gets_equal_part_of_the_rest_of_the_turn() {
        let clock = TimeControl { main: 10 * SECOND, increment: SECOND, ..Default::default() };
        let turn = Limits { clock: Some(clock), turn_used: SECOND / 2, ..Limits::nodes(7) };
        let rest = clock.share() - SECOND / 2;
        assert_eq!(turn.decision(1), Limits { time: Some(rest), ..Limits::nodes(7) });
        assert_eq!(turn.decision(4), Limits { time: Some(rest / 4), ..Limits::nodes(7) });
        assert_eq!(turn.decision(4).decision(1), turn.decision(4), "a decision is not divided again");
        assert_eq!(Limits::nodes(7).decision(4), Limits::nodes(7));
    }

    #[test]
    fn time_used_by_the_turn_is_subtracted() {
        let limits = Limits { turn_used: Duration::from_millis(700), ..Limits::time(SECOND) };
        assert_eq!(limits.budget(), Some(Duration::from_millis(300)));
        assert_eq!(Limits { turn_used: 2 * SECOND, ..limits }.budget(), Some(Duration::ZERO));
    }
}
