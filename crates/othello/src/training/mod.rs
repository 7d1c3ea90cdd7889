//! Learning the evaluation from the engine's own games.
//!
//! | file | contents |
//! |---|---|
//! | `games` | games of the engine against itself, as examples |
//! | `fit` | the fit of the weights |
//! | `network` | the fit of the network |
//! | `learning` | the recipe, and both for the crate `learn` |

mod fit;
mod games;
mod learning;
mod network;

pub use fit::Fit;
use games::held_out;
pub use games::{EXAMPLE_BYTES, Example, Generator};
pub use learning::OthelloLearning;
pub use network::NetworkFit;
