//! Checks the article's game and its player against the article's program.

mod game;
mod player;
mod program;
