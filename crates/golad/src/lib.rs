//! The Game of Life and Death (GOLAD), as the official engine of 2017 plays it: after each move one generation of
//! Conway's Life passes over a bounded board of two colours, and who has cells alone has won.
//!
//! | file | what it holds |
//! |---|---|
//! | `board` | the two colours as rows of bits |
//! | `step` | one generation, in formulas and in plain rows |
//! | `lanes`, `simd` | the cells of a colour as one word, in forms for rows and registers; which form this machine has |
//! | `position` | a board, whose turn it is, how many generations have passed; playing |
//! | `moves` | moves, which are legal, and why another is not |
//! | `game` | the contract of `banmen-game` |
//! | `start` | the official start positions from a seed's text |
//! | `notation` | positions and moves as text |
//! | `record` | whole games as the official engine writes them |
//! | `speed` | how fast the kernels are |
//! | `view` | a position to be drawn |
//! | `entry` | what the game brings into the house |
//! | `wide` | the values of all moves, and the best of them |
//! | `trial` | changes of a board tried out: the counts, or the balance over some generations |
//! | `parts` | good moves put together from their parts |
//! | `players/`, `engine/` | the paper's agents and a yardstick; our strongest |
//! | `measures` | what experiments measure beside matches |
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
