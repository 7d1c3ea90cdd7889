//! Learning from games that players play against themselves.
//!
//! | file | contents |
//! |---|---|
//! | `training` | the games |
//! | `choices` | the choices made in them, as competitions between teams of move features |
//! | `ratings` | strengths of move features, fitted to these choices |
//! | `evaluation` | weights of an engine's evaluation, in generations of games |
//! | `shards` | their games, played on other machines |
//!
//! ```no_run
//! use banmen_arena::{Contestant, Store};
//! use banmen_catalog::Catalog;
//! use banmen_learn::{RatingSpec, Training};
//! use banmen_search::{Limits, StopFlag};
//!
//! # fn learn(catalog: &Catalog) -> Result<(), banmen_catalog::Error> {
//! let game = catalog.game("blokus")?.as_ref();
//! let player = Contestant::new("uct", Limits { playouts: Some(500), ..Limits::default() });
//! let training = Training { games: 40, held_out: 10, ..Training::new(player) };
//! let spec = RatingSpec { features: "paper".to_owned(), training };
//! let learned = spec.learn(game, &Store::memory()?, 2, &StopFlag::default(), &mut |_| {})?;
//! println!("{}", learned.table.write());
//! # Ok(())
//! # }
//! ```

mod choices;
mod evaluation;
mod ratings;
mod shards;
mod training;

pub use evaluation::{EvaluationSpec, GenerationReport, MatchResult, Stage, fitted, strongest};
pub use ratings::{Learned, PhaseFit, Quality, RatingSpec};
pub use training::Training;
