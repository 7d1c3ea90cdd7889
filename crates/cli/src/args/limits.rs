//! Options of limits: of searches and solvers, of threads, and of clocks.

use std::num::NonZeroUsize;
use std::time::Duration;

use banmen_arena::MAX_TIME;
use banmen_catalog::{CpuClock, WallClock};
use banmen_protocol::MAX_THREADS;
use banmen_search::{Clock, Limits, TimeControl};
use clap::{Args as ClapArgs, ValueEnum};

/// Limits of a search; the first that is reached ends it.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub(crate) struct LimitArgs {
    /// Time per move, for example 500ms or 2s
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// Positions searched per move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Playouts per move; for players without playouts, positions per move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) playouts: Option<u64>,
    /// Depth in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: Option<u32>,
}

impl From<LimitArgs> for Limits {
    fn from(args: LimitArgs) -> Self {
        Limits { time: args.time, nodes: args.nodes, playouts: args.playouts, depth: args.depth, ..Limits::default() }
    }
}

/// Threads of a search.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub(crate) struct ThreadArgs {
    /// Threads of each search; a player that cannot use so many uses fewer
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count)]
    pub(crate) threads: usize,
}

pub(super) fn match_threads(text: &str) -> Result<NonZeroUsize, String> {
    NonZeroUsize::try_from(thread_count(text)?).map_err(|error| error.to_string())
}

pub(super) fn thread_count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MAX_THREADS).contains(count));
    count.ok_or_else(|| format!("a number from 1 to {MAX_THREADS}"))
}

/// The most games played at once: each has a thread, with players of its own.
const MAX_CONCURRENCY: usize = 1024;

pub(super) fn concurrency(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MAX_CONCURRENCY).contains(count));
    count.ok_or_else(|| format!("a number from 1 to {MAX_CONCURRENCY}"))
}

pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|&count| count >= 1);
    count.ok_or_else(|| "a number of at least 1".to_owned())
}

/// Limits of a solver; the first that is reached ends it.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub(crate) struct SolveLimits {
    /// Time per position, for example 500ms or 2s
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["build", "census"])]
    pub(crate) time: Option<Duration>,
    /// Positions searched per position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(conflicts_with_all = ["build", "census"])]
    pub(crate) nodes: Option<u64>,
}

impl From<SolveLimits> for LimitArgs {
    fn from(SolveLimits { time, nodes }: SolveLimits) -> Self {
        LimitArgs { time, nodes, ..LimitArgs::default() }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockArg {
    /// Processor time of the player's threads
    #[default]
    Cpu,
    /// Wall time
    Wall,
}

impl ClockArg {
    /// A clock of this kind, started now.
    pub(crate) fn clock(self) -> Box<dyn Clock> {
        match self {
            ClockArg::Cpu => Box::new(CpuClock::default()),
            ClockArg::Wall => Box::new(WallClock::default()),
        }
    }
}

/// Parses a time, such as `10s` or `1m 30s`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time <= MAX_TIME => Ok(time),
        Ok(_) => Err("a time is at most a year".to_owned()),
        Err(_) if text.starts_with('-') => Err("a time is not below 0".to_owned()),
        Err(_) => Err("a time is a number with a unit, such as 500ms, 2s or 1m 30s".to_owned()),
    }
}

/// Parses the time control of a game, as `10s`, `10s+100ms`, `10s+100ms/10s` or `10m byoyomi 30s`: initial time, increment,
/// the largest time that the clock may show, which must not be below the initial time, and the time of each turn after it.
pub(super) fn time_control(text: &str) -> Result<TimeControl, String> {
    let (rest, byoyomi) =
        text.split_once("byoyomi").map_or((text, None), |(rest, time)| (rest.trim(), Some(time.trim())));
    let (rest, cap) = rest.split_once('/').map_or((rest, None), |(rest, cap)| (rest, Some(cap)));
    let (main, increment) = rest.split_once('+').map_or((rest, None), |(main, increment)| (main, Some(increment)));
    let read = |text: &str| duration(text).map_err(|error| format!("`{text}`: {error}"));
    let control = TimeControl {
        main: read(main)?,
        increment: increment.map_or(Ok(Duration::ZERO), read)?,
        cap: cap.map(read).transpose()?,
        byoyomi: byoyomi.map_or(Ok(Duration::ZERO), read)?,
    };
    match cap {
        Some(cap) if control.cap.is_some_and(|most| control.main > most) => {
            Err(format!("the initial time {main} is above the clock's maximum {cap}"))
        }
        _ => Ok(control),
    }
}

/// As [`super::parse_values`].
pub(super) fn parse_values(text: &str) -> Vec<String> {
    [duration(text).err(), time_control(text).err(), thread_count(text).err(), at_least_one(text).err()]
        .into_iter()
        .flatten()
        .collect()
}
