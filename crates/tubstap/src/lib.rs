//! TUBSTAP, the turn-based strategy game that Japanese universities use for research: two sides move and fight with all
//! their units in turn, on a map of terrain, without production and chance.
//!
//! | file | contents |
//! |---|---|
//! | `kind` | the six kinds of units, and damage |
//! | `terrain` | the seven kinds of terrain |
//! | `cells` | cells, and sets of cells as bitboards |
//! | `field` | size and terrain of a map, and the tables that say where units can go on it |
//! | `position` | the units and the turn; acting, and passing the turn |
//! | `moves` | moves, the list of them, and why others are not legal |
//! | `game` | the rules with map and limits: the traits of `banmen-game` |
//! | `maps` | the maps that have names |
//! | `generator` | random fair maps |
//! | `notation/` | positions and moves as text, and the original's map files |
//! | `record`, `encoding` | whole games as the original writes them, and the encodings of its files |
//! | `playout` | the attack-leaning playouts of M-UCT, and their reward |
//! | `players/` | the published players |
//! | `speed` | how fast actions and playouts are |
//! | `measures` | what is computed from published tables |
//! | `view` | the board as data to draw |
//! | `engine/` | our strongest player |
//! | `entry` | the entry in the catalog |
//! | `reference` | the slow, obvious rules, for the tests |

mod cells;
pub mod encoding;
pub mod engine;
mod entry;
mod field;
mod game;
mod generator;
mod kind;
pub mod maps;
mod measures;
mod moves;
pub mod notation;
mod players;
mod playout;
mod position;
mod record;
pub mod reference;
mod speed;
mod terrain;
mod view;

pub use cells::Cell;
pub use entry::entry;
pub use field::{Field, FieldError};
pub use game::{SetupError, Tubstap};
pub use generator::random_map;
pub use kind::{Class, Kind};
pub use moves::{IllegalMove, Listed, Move, Options};
pub use playout::{AttackLeaning, Reward};
pub use position::{Position, PositionError, Unit};
pub use terrain::Terrain;
