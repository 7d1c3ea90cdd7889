//! Blokus Duo: rules on bitboards of 14 by 14 cells, every move at once.
//!
//! | file | contents |
//! |---|---|
//! | `cells` | sets of cells as bitboards |
//! | `piece` | the 21 pieces and their 91 orientations |
//! | `moves` | moves, and the set of all legal placements |
//! | `position` | the position, and playing a move |
//! | `game` | the rules with their variants: the traits of `banmen-game` |
//! | `playout` | playouts of the tree search |
//! | `simd` | sets of cells moved by vector instructions |
//! | `notation/` | positions and moves as text: cells, and the codes of the FPGA design contests |
//! | `record`, `formats` | whole games in Pentobi's blksgf, and their conversion for the catalog |
//! | `view` | the board as data to draw |
//! | `players/` | the programs of Sasaki and Kotani, and their ratings of moves |
//! | `engine/` | the strongest player |
//! | `measures` | what the experiments of these programs measure beside matches |
//! | `speed` | how fast move generation and playouts are |
//! | `entry` | the entry in the catalog |
//! | `reference` | the slow, obvious rules, for the tests |

mod cells;
pub mod engine;
mod entry;
mod formats;
mod game;
mod measures;
mod moves;
pub mod notation;
mod piece;
mod players;
mod playout;
mod position;
pub mod record;
pub mod reference;
mod simd;
mod speed;
mod view;

pub use cells::{Cell, Cells, SIZE};
pub use entry::entry;
pub use game::{Blokus, IllegalMove};
pub use moves::{Move, MoveSet, Reach};
pub use piece::{ORIENTATIONS, Orientation, PIECES, PLACEMENTS, Piece, PieceSet};
pub use position::{Position, PositionError};
