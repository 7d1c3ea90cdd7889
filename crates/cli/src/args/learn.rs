//! The options of `learn`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::{Json, LimitArgs, QueueArgs};

#[derive(Debug, ClapArgs)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Learn {
    #[command(subcommand)]
    pub(crate) what: LearnVerb,
}

/// What to learn.
#[derive(Debug, Subcommand)]
pub(crate) enum LearnVerb {
    /// Rate the features of moves by Bradley–Terry, from games of a player against itself; without limits it makes 1000
    /// playouts per move
    Ratings(LearnRatings),
    /// Learn the weights of the evaluation of Othello's engine, from nothing: in each generation the engine plays games with
    /// the weights of the generation before, and new ones are fitted to their positions. The last generation of the recipe
    /// is followed by others like it as long as a test finds each stronger than the one before
    Othello(LearnEvaluation),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct LearnRatings {
    /// The game
    pub(crate) game: String,
    /// The set of features, as `name` or `name:key=value,key=value` [default: the game's first set]
    #[arg(long, value_name = "FEATURES")]
    pub(crate) features: Option<String>,
    /// The player whose games are used [default: the one that the features name]
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Option<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Games to learn from, an even number of at least 2
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) games: usize,
    /// Further games that are only predicted, an even number
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) held_out: usize,
    /// Random plies before the player begins
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) random_plies: u32,
    /// The variant of the rules
    #[arg(long, value_name = "NAME")]
    pub(crate) rules: Option<String>,
    /// Games played at once; not with --queue, whose workers have their own number [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = super::limits::concurrency)]
    pub(crate) concurrency: Option<usize>,
    /// Seed of the games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    /// File for the strengths, as TOML
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct LearnEvaluation {
    /// Multiplies the recipe's numbers of games: 1 takes some hours, 0.001 with a few --generations shows that it runs
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(crate) scale: f64,
    /// Folder for games, weights and reports; a run that was interrupted continues there [default: a folder for this scale
    /// and seed in the data directory]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Seed of the games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The most games of each generation against the one before, an even number; a test (SPRT, 0 against 10 normalised Elo)
    /// ends the match. With 0 there are no matches, and no generations beyond the recipe
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) match_games: usize,
    /// The most generations [default: those of the recipe, and more as long as each is stronger]
    #[arg(long, value_name = "N")]
    pub(crate) generations: Option<usize>,
    /// Games played at once; not with --queue, whose workers have their own number [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = super::limits::concurrency)]
    pub(crate) concurrency: Option<usize>,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    #[command(flatten)]
    pub(crate) json: Json,
}
