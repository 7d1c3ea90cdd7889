//! The article's game and its player, held against the article's program.

mod game;
mod player;
mod program;
