//! Matches between players: every opening is played twice with the sides swapped, and pairs are what is counted.
//!
//! [`Match`] says who plays whom, under which limits and from which openings; [`Match::play`] plays it on several
//! threads into a [`Store`] and gives a [`Score`]. Which games are played follows from the match alone, not from the
//! threads, and a match that was broken off goes on where it was.
//!
//! | file | what it holds |
//! |---|---|
//! | `contest` | what a match is |
//! | `opening` | where its pairs begin |
//! | `schedule` | which games are still to be played, and who plays them |
//! | `play` | one game, its clocks and its faults |
//! | `adjudication` | games that end early |
//! | `record` | a game that was played |
//! | `score`, `sequential` | what the games say |
//! | `tournament` | many players, each pairing a match |
//! | `league`, `bots`, `pairing`, `ranking` | bots of a folder, who play each other without end |
//! | `standings` | the table of an event: ratings, ranks, who did what against whom |
//! | `hall` | where games of many matches are played at once |
//! | `store/` | matches and games in a file |
//! | `tally` | the score of a stored match, kept up to date while it is played |
//! | `operations` | what the doors may ask of the store |
//! | `import` | games from elsewhere |
//! | `tune` | a player's keys, tuned by games |
//! | `experiment/` | experiments on published claims, as files |

mod adjudication;
mod bots;
mod contest;
mod experiment;
mod import;
mod league;
mod match_pool;
mod opening;
mod operations;
mod pairing;
mod play;
mod ranking;
mod record;
mod schedule;
mod score;
mod sequential;
mod standings;
mod store;
mod tally;
mod tournament;
mod tune;
mod version;

pub use adjudication::{Adjudication, Stretch};
pub use bots::Refused;
pub use contest::{Contestant, Match, SideClock, limits};
pub use experiment::{
    Budget, Cell, Comparison, Conditions, Evidence, Experiment, Factor, Figure, Kind, Page, PublishedSample,
    Reproduction, Row, Source, Verdict, Work, find, grouped, library, report, reproduce, rule,
};
pub use import::{Imported, import};
pub use league::{League, News};
pub use opening::{EVEN, OpeningList, Openings};
pub use operations::operations;
pub use record::{GameRecord, Spent};
pub use schedule::{Plan, Progress};
pub use score::{PlayerTotals, Repeats, Score};
pub use sequential::SequentialTest;
pub use standings::{Ranked, Rating, Standings, standings};
pub use store::{
    Encounter, Entrant, EventInfo, EventTotals, GameFilter, Lock, MatchFilter, MatchInfo, Outcome, RecentGame, State,
    Store, Window,
};
pub use tally::{Curve, Tally};
pub use tournament::{Round, Tournament};
pub use tune::{Tunable, Tuned, Tuning, tunables};
pub use version::version;
