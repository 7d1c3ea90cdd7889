//! Match statistics: numbers in, numbers out.
//!
//! A match between two players is counted as a [`Tally`]: [`Pairs`] where each opening was played twice with the
//! sides swapped (the rule in this project), [`Games`] where games stand alone, as in most published tables. From a
//! tally come the score and its interval, Elo ratings, and the log-likelihood ratio of a sequential test.
//!
//! ```
//! use banmen_stats::{Bounds, EloEstimate, Pairs, llr_normalised};
//!
//! // Pairs that brought the player 0, 1/2, 1, 3/2 and 2 points.
//! let pairs = Pairs { counts: [10, 20, 40, 25, 15] };
//! assert_eq!(pairs.total(), 110);
//!
//! // Every bar and every verdict is made of this interval, sound for small and for one-sided matches too.
//! let interval = pairs.interval(0.95).unwrap();
//! assert!(interval.contains(0.5));
//! let elo = EloEstimate::new(pairs.score().unwrap(), interval);
//! assert_eq!(format!("{:.1}", elo.value.unwrap()), "23.7");
//!
//! // Is it rather 10 normalised Elo than none? Not decided yet.
//! let llr = llr_normalised(&pairs, 0.0, 10.0).unwrap();
//! assert_eq!(Bounds::new(0.05, 0.05).unwrap().decide(llr), None);
//!
//! // What does not exist is `None`, never a NaN or an infinity.
//! let swept = Pairs { counts: [0, 0, 0, 0, 20] };
//! let elo = EloEstimate::new(1.0, swept.interval(0.95).unwrap());
//! assert_eq!((elo.value, elo.high), (None, None));
//! assert_eq!(format!("{:.0}", elo.low.unwrap()), "287");
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `score` | the counts of a match: score, variance, ratios |
//! | `interval` | intervals for a score, and for a proportion |
//! | `elo` | Elo, normalised Elo, likelihood of superiority |
//! | `sprt` | sequential tests: bounds and log-likelihood ratios |
//! | `sequential` | sequential tests under way, what they will take, and the difference after them |
//! | `equivalence` | the difference of two scores, and the claim that they are the same |
//! | `ratings` | ratings of many players: Bradley–Terry with draws and the advantage of moving first |
//! | `teams` | Bradley–Terry with teams, by minorization and maximization |
//! | `glicko` | ratings that are carried on from period to period: Glicko and Glicko-2 |
//! | `hypothesis` | t tests, sign test, Holm's correction, the size of a match |
//! | `difference` | the difference of two estimates of any kind |
//! | `likelihood` | the constrained maximum that `interval` and `sprt` stand on |
//! | `brownian` | the crossing law that `sequential` stands on |
//! | `components`, `matrix` | the graph and the algebra that `ratings` stands on |
//! | `special` | the normal, beta and Student distributions |
//!
//! The crate depends on nothing, reads nothing and prints nothing.

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
mod ratings;
mod score;
mod sequential;
mod special;
mod sprt;
mod teams;

pub use difference::{Estimated, difference_interval, difference_p_value};
pub use elo::{EloEstimate, NormalisedElo, elo_from_score, exact_superiority, score_from_elo};
pub use equivalence::Difference;
pub use glicko::{Glicko, Glicko2, Opponent};
pub use hypothesis::{Sample, TTest, holm, one_sample_t, pooled_t, sample_size, sign_test, welch_t};
pub use interval::{Interval, clopper_pearson, wilson};
pub use ratings::{Anchor, Draws, Estimate, Meeting, RatingModel, Ratings, Unrated};
pub use score::{Games, Pairs, Tally};
pub use sequential::{Expectation, Plan, Scale, SequentialEstimate, Sprt};
pub use sprt::{Bounds, Decision, draw_elo, llr_bayes_elo, llr_logistic, llr_normalised};
pub use teams::{Competitions, Fitting, TeamsError, Worth};
