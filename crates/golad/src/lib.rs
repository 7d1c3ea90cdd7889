//! The Game of Life and Death (GOLAD) by the rules of the official engine of 2017: after each move, a bounded board of
//! two colours advances by one generation of Conway's Life. A side wins when only it has cells left.
//!
//! | file | contents |
//! |---|---|
//! | `board` | the two colours as rows of bits |
//! | `step` | one generation, in formulas and in plain rows |
//! | `lanes`, `simd` | the cells of a colour as one word, as rows or in vector registers; the choice of the form |
//! | `position` | the board, the side to move and the number of generations; playing a move |
//! | `moves` | moves: which are legal, and why others are not |
//! | `game` | the implementation of `banmen_game::Game` |
//! | `start` | the official start positions from a seed's text |
//! | `notation` | positions and moves as text |
//! | `record` | whole games as the official engine writes them |
//! | `speed` | how fast the kernels are |
//! | `view` | the board as data to draw |
//! | `entry` | the entry in the catalog |
//! | `wide` | the values of all moves, and the best of them |
//! | `trial` | trials of changes of a board: the cells counted, or the balance over some generations |
//! | `parts` | good moves, composed of their parts |
//! | `players/`, `engine/` | the paper's agents and a reference player; the strongest player |
//! | `measures` | measurements beside matches |
//! | `reference` | the slow, obvious rules, for the tests |

mod board;
pub mod engine;
mod entry;
mod game;
mod lanes;
mod measures;
mod moves;
mod notation;
mod parts;
pub mod players;
mod position;
mod record;
pub mod reference;
mod simd;
mod speed;
mod start;
pub mod step;
mod trial;
mod view;
mod wide;

pub use board::{Board, Cell, HEIGHT, ROWS, WIDTH};
pub use entry::entry;
pub use game::{Golad, IllegalMove};
pub use moves::Move;
pub use position::Position;
#[doc(hidden)]
pub use simd::Form;
pub use start::start;
pub use wide::Wide;
