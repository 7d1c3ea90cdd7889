//! A player with a selection rule of its own: tree search with uniform playouts, for any game.

use banmen_catalog::{Key, Kind, PlayerEntry, mcts_settings};
use banmen_game::{Game, Rng};
use banmen_search::mcts::{Candidate, Mcts, Selection, SelectionRule, Settings, Uniform};

/// UCB1 with a cube root in place of the square root: `q + c ∛(ln N / n)`. The functions of `libm` give the same numbers
/// on every machine, those of the standard library need not.
const RULE: SelectionRule = SelectionRule { name: "cube-root", term };

fn term(child: &Candidate, _: &mut Rng) -> f64 {
    // A child without visits is visited before any other, and not asked for.
    child.c * libm::cbrt(libm::log(child.total) / child.visits)
}

/// The keys. `mcts_settings` reads those that it knows.
const KEYS: &[Key] =
    &[Key { name: "c", kind: Kind::Number(0.0, 100.0), default: "1", summary: "weight of exploration", source: "own" }];

/// The player.
pub fn player<G: Game + 'static>() -> PlayerEntry<G> {
    PlayerEntry {
        name: "cube-root",
        summary: "tree search with a selection rule of its own",
        source: "own",
        keys: KEYS,
        make: |game, options, seed, _| {
            let selection = Selection::Custom { rule: RULE, c: 1.0, e: 0.0 };
            let settings = mcts_settings(Settings { selection, solver: true, ..Settings::default() }, options);
            Ok(Box::new(Mcts::<G, Uniform>::new(game, settings, Uniform::default(), seed)?))
        },
    }
}
