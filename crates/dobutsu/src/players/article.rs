//! The article's player: UCT with an opponent that is assumed to move at random.
//!
//! It is the tree search of `banmen-search` with the article's settings. The side that searches selects by UCB1 with
//! `c = √2`. The other side's moves in the tree are drawn uniformly. A leaf with ten visits is expanded by two levels;
//! children of the first level that end the game are left out. The root has its children from the start. Playouts are
//! uniformly random to the end of the game.
//!
//! The article expands a node while it adds the tenth result; this search expands it when the eleventh descent reaches
//! it. Both descents see the same tree, and all its numbers are equal, except that unvisited children may be missing
//! here. The article's program trains one tree for the first side. The player instead starts a new search at every
//! move, for the side to move. The article gives no rule for the final choice; the player takes the most visited move.

use banmen_catalog::{Error, ErrorCode, Key, Kind, Options, mcts_settings};
use banmen_game::Game;
use banmen_search::Limits;
use banmen_search::mcts::{Guide, Mcts, Settings, TerminalCheck};

/// A one-line description of the player.
pub(crate) const SUMMARY: &str = "the article's program: UCT that assumes a random opponent";

/// Where the player was described.
pub const SOURCE: &str = "モンテカルロ木探索 (MCTS) でどうぶつしょうぎのゲームAIを作る, sambaiz";

/// All settings.
pub const KEYS: &[Key] = &[
    Key {
        name: "loops",
        kind: Kind::Integer(1, 100_000_000),
        default: "200000",
        summary: "maximum playouts per move",
        source: "the article: 200,000 loops until it wins 99 %",
    },
    Key {
        name: "opponent",
        kind: Kind::Choice(&["random", "minimising"]),
        default: "random",
        summary: "how the other side is assumed to move in the tree",
        source: "the article: Player 2 at random; UCT assumes its best move (Kocsis and Szepesvári 2006)",
    },
    Key {
        name: "ends",
        kind: Kind::Choice(&["skipped", "kept"]),
        default: "skipped",
        summary: "whether the first of two new levels leaves out moves that end the game",
        source: "the article's Expand leaves them out",
    },
    Key {
        name: "threshold",
        kind: Kind::Integer(1, 1_000_000),
        default: "10",
        summary: "visits after which a leaf is expanded",
        source: "the article: EXPANSION_THRESHOLD",
    },
    Key {
        name: "levels",
        kind: Kind::Integer(1, 2),
        default: "2",
        summary: "levels added by one expansion",
        source: "the article: the other side's moves and the searching side's",
    },
    Key {
        name: "c",
        kind: Kind::Number(0.0, 1000.0),
        default: "1.4142135623730951",
        summary: "weight of exploration in UCB1",
        source: "the article: √2",
    },
    Key {
        name: "table",
        kind: Kind::Integer(1, 4096),
        default: "64",
        summary: "memory of the tree in MiB; when it is full the search continues without adding nodes",
        source: "1.4 million nodes of 48 bytes",
    },
];

/// Parses the values of [`KEYS`].
#[must_use]
pub fn settings(options: &Options) -> Settings {
    let mut settings = mcts_settings(Settings::default(), options);
    settings.expansion.terminal =
        options.chosen("ends", &[("skipped", TerminalCheck::Skipped), ("kept", TerminalCheck::Visited)]);
    settings
}

/// The player, for any game with a uniformly random playout.
///
/// # Errors
/// Fails if the settings contradict each other.
pub fn player<G: Game, K: Guide<G>>(game: &G, playout: K, options: &Options, seed: u64) -> Result<Mcts<G, K>, Error> {
    let mcts = Mcts::new(game, settings(options), playout, seed);
    let mut mcts = mcts.map_err(|conflict| Error::new(ErrorCode::BadValue, conflict.to_string()))?;
    mcts.limits = Limits { playouts: Some(options.integer("loops") as u64), ..Limits::default() };
    Ok(mcts)
}

#[cfg(test)]
mod tests {
    use banmen_search::mcts::{Opponent, Selection};

    use super::*;

    #[test]
    fn every_value_of_every_key_reaches_its_own_setting() {
        let read = |pairs: &[(&str, &str)]| settings(&Options::new(KEYS, pairs).expect("values in range"));
        let article = read(&[]);
        assert_eq!(article.opponent, Opponent::Random);
        assert_eq!(article.selection, Selection::Ucb1 { c: std::f64::consts::SQRT_2 });
        let expansion = article.expansion;
        assert_eq!((expansion.terminal, expansion.threshold, expansion.levels), (TerminalCheck::Skipped, 10, 2));
        assert_eq!(article.bytes, 64 << 20);
        let with = |change: fn(&mut Settings)| {
            let mut settings = article;
            change(&mut settings);
            settings
        };
        for (key, value, expected) in [
            ("opponent", "random", article),
            ("opponent", "minimising", with(|settings| settings.opponent = Opponent::Minimising)),
            ("ends", "skipped", article),
            ("ends", "kept", with(|settings| settings.expansion.terminal = TerminalCheck::Visited)),
            ("threshold", "3", with(|settings| settings.expansion.threshold = 3)),
            ("levels", "1", with(|settings| settings.expansion.levels = 1)),
            ("c", "0.5", with(|settings| settings.selection = Selection::Ucb1 { c: 0.5 })),
            ("table", "2", with(|settings| settings.bytes = 2 << 20)),
        ] {
            assert_eq!(read(&[(key, value)]), expected, "{key}={value}");
        }
        let tested = ["loops", "opponent", "ends", "threshold", "levels", "c", "table"];
        assert_eq!(KEYS.iter().map(|key| key.name).collect::<Vec<_>>(), tested, "a key without a test");
    }

    #[test]
    fn loops_limit_the_playouts_of_a_move() {
        let options = Options::new(KEYS, &[("loops", "500"), ("table", "1")]).expect("values in range");
        let mcts =
            player(&crate::Dobutsu::CATCH, banmen_search::mcts::Uniform::default(), &options, 1).expect("a player");
        assert_eq!(mcts.limits, Limits { playouts: Some(500), ..Limits::default() });
    }
}
