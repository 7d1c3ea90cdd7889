//! Matches between players. Every opening is played twice with the sides swapped, and statistics count these pairs.
//!
//! [`MatchSpec`] says who plays whom, under which limits and from which openings. [`Match::play`] plays it on several threads
//! into a [`Store`] and returns a [`Score`]. Which games are played depends on the spec only, not on the threads, and a match
//! that was interrupted resumes where it was. A single game of it is a [`Job`], which [`MatchSpec::play`] plays on any machine
//! and answers with a [`GameRecord`]; both are values that serde can write.
//!
//! ```
//! use banmen_arena::{Contestant, Match, MatchSpec, Plan, Store};
//! use banmen_search::{Limits, StopFlag};
//!
//! let game = banmen_othello::entry().in_memory();
//! let [a, b] = ["engine:level=2", "random"].map(|player| Contestant::new(player, Limits::nodes(200)));
//! let spec = MatchSpec { seed: 7, ..MatchSpec::new(&game, a, b) };
//! let store = Store::memory()?;
//! let score = Match::new(&game, spec).play(&store, &Plan::games(6, 1), &StopFlag::default(), &mut |_| {})?;
//! assert_eq!(score.games(), 6);
//! assert!(score.score() > Some(0.5));
//! # Ok::<(), banmen_catalog::Error>(())
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `spec` | what a match is |
//! | `opening` | the openings of its pairs |
//! | `job`, `record` | one game to be played, and one that was played |
//! | `job_queue` | the games of a match that are still to be played |
//! | `play` | playing one game: clocks and faults |
//! | `adjudication` | games that end early |
//! | `schedule` | playing the missing games of one match |
//! | `match_pool` | playing games of many matches on one pool of threads |
//! | `fleet_jobs` | what other machines are asked to do, as values |
//! | `workers` | having it done by them: what these are given, and what becomes of their answers |
//! | `player_cache` | players kept from game to game |
//! | `score`, `sequential` | the score of a match, and tests that end it |
//! | `tournament` | round robins, gauntlets and ladders |
//! | `league`, `bots`, `pairing`, `ranking` | the bots of a folder, which play each other continuously |
//! | `standings` | the standings of an event: ratings, ranks, results |
//! | `store/` | matches and games in an SQLite file |
//! | `memory` | the store in memory, where there is no SQLite |
//! | `stored` | what both hold, as values |
//! | `rerun` | a decision of a stored game, searched again |
//! | `dataset/` | the positions of stored games as a Parquet file with a data card |
//! | `played` | whether a game that was played elsewhere can be one of its match |
//! | `check` | whether the stored games are sound; damaged ones are set aside |
//! | `tally` | the score of a stored match, updated while it is played |
//! | `operations`, `messages/` | the operations on the store that interfaces offer, their requests and answers |
//! | `laboratory` | the operations on experiments, and running one |
//! | `tasks` | an experiment as tasks for workers that share no memory |
//! | `import` | games of other programs |
//! | `tune` | tuning of a player's keys by games |
//! | `experiment/` | experiments on published claims, as files |
//! | `dates` | times as dates, also those of a damaged store |

// What plays matches into a store uses more of the parts than experiments alone do.
#![cfg_attr(not(feature = "store"), allow(dead_code))]

mod adjudication;
#[cfg(feature = "store")]
mod bots;
#[cfg(feature = "store")]
mod check;
#[cfg(feature = "store")]
mod dataset;
mod dates;
mod experiment;
#[cfg(feature = "store")]
mod fleet_jobs;
#[cfg(feature = "store")]
mod import;
mod job;
mod job_queue;
mod laboratory;
#[cfg(feature = "store")]
mod league;
#[cfg(feature = "store")]
mod match_pool;
mod messages;
mod opening;
mod operations;
#[cfg(feature = "store")]
mod pairing;
mod play;
mod played;
mod player_cache;
#[cfg(feature = "store")]
mod ranking;
mod record;
mod rerun;
#[cfg(feature = "store")]
mod schedule;
mod score;
mod sequential;
mod spec;
#[cfg(feature = "store")]
mod standings;
#[cfg(feature = "store")]
mod store;
#[cfg(not(feature = "store"))]
#[path = "memory.rs"]
mod store;
mod stored;
mod tally;
mod tasks;
#[cfg(feature = "store")]
mod tournament;
#[cfg(feature = "store")]
mod tune;
mod version;
#[cfg(feature = "store")]
mod workers;

pub use adjudication::{Adjudication, Threshold};
#[cfg(feature = "store")]
pub use bots::{RejectedFile, parse_bot};
#[cfg(feature = "store")]
pub use check::{Check, Damage, check, repair};
#[cfg(feature = "store")]
pub use dataset::{
    Dataset, DatasetOptions, ExactValue, Label, LabelSearch, LabelTruth, LabelsJob, SearchValue, Values, count_labels,
    export_dataset,
};
pub use dates::date;
pub use experiment::{
    Budget, Cell, Comparison, Deciding, Evidence, Experiment, Factor, Figure, Kind, MAX_TIME, Page, PublishedSample,
    Reproduction, Row, RowTest, Source, Verdict, Work, counted, find, grouped, library, read_own, report, reported,
};
#[cfg(feature = "store")]
pub use experiment::{Bundled, Conditions, ExportedBundle, Verified, export_bundle, reproduce, verify_bundle};
#[cfg(feature = "store")]
pub use fleet_jobs::{ContentFile, ExamplesJob, FleetJob, FleetResult, PairJob, content_digest, content_name};
#[cfg(feature = "store")]
pub use import::{Imported, import};
pub use job::{Job, Opening};
pub use laboratory::Laboratory;
#[cfg(feature = "store")]
pub use league::{League, LeagueEvent};
pub use opening::{EVEN, OpeningList, Openings};
pub use operations::operations;
pub use player_cache::PlayerCache;
#[cfg(feature = "store")]
pub use ranking::signed;
pub use record::{GameRecord, GameSource, Usage};
pub use rerun::{Rerun, RerunBounds, rerun};
#[cfg(feature = "store")]
pub use schedule::{Plan, Progress, check_games};
pub use score::{PlayerTotals, Repeats, Score};
pub use sequential::SequentialTest;
pub use spec::{Contestant, Match, MatchSpec, SideClock, limits};
#[cfg(feature = "store")]
pub use standings::{Rating, Standings, StandingsRow, standings};
pub use store::Store;
#[cfg(feature = "store")]
pub use store::{Entrant, HeadToHead, Lock, LostRows, RecentGame, State, WorkerGames};
pub use stored::{EventInfo, ExperimentPlan, GameFilter, LockName, MatchFilter, MatchInfo, Outcome, Window};
pub use tally::{Curve, Tally};
#[cfg(feature = "store")]
pub use tournament::{Tournament, TournamentProgress};
#[cfg(feature = "store")]
pub use tune::{Tunable, Tuned, Tuning, tunables};
pub use version::{program, version};
#[cfg(feature = "store")]
pub use workers::{Fleet, FleetJobs, FleetStatus, FleetWorker, NamedJob, NextJob, PlayedBy, Workers};
