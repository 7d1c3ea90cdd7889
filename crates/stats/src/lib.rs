//! Statistics of matches between players of board games: confidence intervals, Elo, sequential tests, ratings.
//!
//! The counts of a match are a [`Tally`]: [`Pairs`] where each opening was played twice with the sides swapped (pentanomial
//! counts), [`Games`] where games are independent (wins, draws, losses). A tally gives the score with its interval, the Elo
//! difference, and the log-likelihood ratio of a sequential test.
//!
//! # Example: the score of a match
//!
//! ```
//! use banmen_stats::{Bounds, EloEstimate, Pairs, llr_normalised};
//!
//! // Numbers of pairs in which the player scored 0, 1/2, 1, 3/2 and 2 points.
//! let pairs = Pairs { counts: [10, 20, 40, 25, 15] };
//! assert_eq!(pairs.total(), 110);
//!
//! // A confidence interval that is valid for small and for one-sided matches too.
//! let interval = pairs.interval(0.95).unwrap();
//! assert!(interval.contains(0.5));
//! let elo = EloEstimate::new(pairs.score().unwrap(), interval);
//! assert_eq!(format!("{:.1}", elo.value.unwrap()), "23.7");
//!
//! // A sequential test of 10 normalised Elo against 0: not decided yet.
//! let llr = llr_normalised(&pairs, 0.0, 10.0).unwrap();
//! assert_eq!(Bounds::new(0.05, 0.05).unwrap().decide(llr), None);
//!
//! // A value that does not exist is `None`, never NaN or an infinity.
//! let swept = Pairs { counts: [0, 0, 0, 0, 20] };
//! let elo = EloEstimate::new(1.0, swept.interval(0.95).unwrap());
//! assert_eq!((elo.value, elo.high), (None, None));
//! assert_eq!(format!("{:.0}", elo.low.unwrap()), "287");
//! ```
//!
//! # Modules
//!
//! | file | contents |
//! |---|---|
//! | `score` | the counts of a match: score, variance, ratios |
//! | `interval` | intervals for a score, and for a proportion |
//! | `elo` | Elo, normalised Elo, likelihood of superiority |
//! | `sprt` | sequential tests: bounds and log-likelihood ratios |
//! | `sequential` | running sequential tests, their expected length, and the estimate after them |
//! | `equivalence` | the difference of two scores, and tests of equivalence |
//! | `ratings` | ratings of many players: Bradley–Terry with draws and the advantage of moving first |
//! | `teams` | Bradley–Terry with teams, by minorization and maximization |
//! | `team_ratings` | ratings of the members of teams: what results leave free, anchors, intervals |
//! | `glicko` | ratings that are updated period by period: Glicko and Glicko-2 |
//! | `hypothesis` | t tests, sign test, Holm's correction, the size of a match |
//! | `difference` | the difference of two estimates of any kind |
//! | `likelihood` | constrained maximum likelihood, for `interval` and `sprt` |
//! | `brownian` | the crossing law of Brownian motion, for `sequential` |
//! | `maximum` | whether a likelihood has a maximum, for `ratings` |
//! | `components`, `matrix` | graph components and linear algebra, for `ratings` and `team_ratings` |
//! | `special` | the normal, beta and Student distributions |
//!
//! The crate has no dependencies, and does no input or output.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod brownian;
mod components;
mod difference;
mod elo;
mod equivalence;
mod glicko;
mod hypothesis;
mod interval;
mod likelihood;
mod matrix;
mod maximum;
mod ratings;
mod score;
mod sequential;
mod special;
mod sprt;
mod team_ratings;
mod teams;

pub use difference::{Estimated, difference_interval, difference_p_value};
pub use elo::{DecisiveSuperiority, EloEstimate, NormalisedElo, elo_from_score, score_from_elo};
pub use equivalence::Difference;
pub use glicko::{Glicko, Glicko2, Opponent};
pub use hypothesis::{Sample, TTest, equivalence_size, holm, one_sample_t, pooled_t, sample_size, sign_test, welch_t};
pub use interval::{Interval, clopper_pearson, wilson};
pub use ratings::{Anchor, Draws, Estimate, Meeting, RatingError, RatingModel, Ratings, rating_groups};
pub use score::{Games, Pairs, Tally};
pub use sequential::{Expectation, Plan, Scale, SequentialEstimate, Sprt};
pub use sprt::{Bounds, Decision, draw_elo, llr_bayes_elo, llr_logistic, llr_normalised};
pub use team_ratings::TeamRatingError;
pub use teams::{Competitions, FitOptions, TeamStrengths, TeamsError};
