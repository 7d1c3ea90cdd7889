//! The tree search as a player that every game has, and its keys.

use banmen_game::Game;
use banmen_search::mcts::{Guide, Mcts, Payload, Settings};
use banmen_search::{Limits, Player};

use crate::{Error, ErrorCode, Key, Kind, Options, PlayerEntry, mcts_settings};

const KEYS: &[Key] = &[
    Key {
        name: "playouts",
        kind: Kind::Maximum(1_000_000_000),
        default: "0",
        summary: "maximum playouts per move, in addition to the limits of the match; 0: no maximum",
        source: "",
    },
    Key {
        name: "selection",
        kind: Kind::Choice(&["ucb1", "ucb1-tuned", "puct", "alphazero"]),
        default: "ucb1",
        summary: "how a child is selected; puct and alphazero, whose weight of exploration grows, use uniform priors where \
                  there are none",
        source: "Auer, Cesa-Bianchi and Fischer 2002, sections 2 and 4; Silver et al. 2017; Silver et al. 2018",
    },
    Key {
        name: "c",
        kind: Kind::Number(0.0, 100.0),
        default: "1.4142135623730951",
        summary: "weight of exploration; the sources of ucb1-tuned and alphazero take 1 and 1.25",
        source: "Kocsis and Szepesvári 2006: √2 for rewards from 0 to 1",
    },
    Key {
        name: "unvisited",
        kind: Kind::Choice(&["first", "parent"]),
        default: "first",
        summary: "unvisited children: all before any other, or with the mean of their parent, which ucb1 and ucb1-tuned \
                  explore like those with one visit",
        source: "Gelly and Wang 2007",
    },
    Key {
        name: "threshold",
        kind: Kind::Integer(1, 1_000_000),
        default: "1",
        summary: "visits of a leaf before it is expanded",
        source: "Coulom 2006, section 3",
    },
    Key {
        name: "levels",
        kind: Kind::Integer(1, 2),
        default: "1",
        summary: "levels added by one expansion",
        source: "the Dobutsu shogi article makes 2",
    },
    Key {
        name: "terminal",
        kind: Kind::Choice(&["visited", "listed"]),
        default: "visited",
        summary: "when a child is checked for the end of the game: at its first visit, or when it is made",
        source: "",
    },
    Key {
        name: "opponent",
        kind: Kind::Choice(&["minimising", "random", "cooperating"]),
        default: "minimising",
        summary: "how the other side selects in the tree; all but minimising need solver=off",
        source: "random: the Dobutsu shogi article",
    },
    Key {
        name: "rave",
        kind: Kind::Number(0.0, 1e6),
        default: "0",
        summary: "parent visits at which a move's AMAF mean counts as much as its own; 0: off",
        source: "Gelly and Silver 2007",
    },
    Key {
        name: "rave-bias",
        kind: Kind::Number(0.0, 10.0),
        default: "0",
        summary: "assumed bias of AMAF means, for their weight by the least squared error; 0: off",
        source: "Gelly and Silver 2011, section 5",
    },
    Key {
        name: "amaf",
        kind: Kind::Choice(&["off", "path", "root"]),
        default: "off",
        summary: "later moves of a simulation count as visits of their children: at no node, every node of the path, the root",
        source: "Sasaki and Kotani, Monte-Carlo Tree Search in the Game of Blokus-Duo, section 3.1",
    },
    Key {
        name: "parallel",
        kind: Kind::Choice(&["tree", "root"]),
        default: "tree",
        summary: "several threads search on one tree, or each on its own, whose root statistics are added",
        source: "Chaslot, Winands and van den Herik 2008; Cazenave and Jouandeau 2007",
    },
    Key {
        name: "solver",
        kind: Kind::Choice(&["on", "off"]),
        default: "on",
        summary: "whether proven results are propagated in the tree",
        source: "Cazenave and Saffidine 2010",
    },
    Key {
        name: "choice",
        kind: Kind::Choice(&["visits", "simulations", "mean", "first-mean", "secure"]),
        default: "visits",
        summary: "which move is played: most visits, most of them without AMAF's, highest mean (then most visits), highest \
                  mean (then the first), highest mean less 1/√visits",
        source: "Chaslot et al. 2008",
    },
    Key {
        name: "early-stop",
        kind: Kind::Number(0.0, 1.0),
        default: "0",
        summary: "stops when the best move leads by more visits than this part of the playouts that are left; 0: never",
        source: "Baier and Winands 2012, STOP",
    },
    Key {
        name: "reuse",
        kind: Kind::Choice(&["on", "off"]),
        default: "on",
        summary: "whether the subtree below the moves played is kept",
        source: "",
    },
    Key {
        name: "table",
        kind: Kind::Integer(1, 4096),
        default: "64",
        summary: "memory of the tree in MiB; when it is full the search continues without adding nodes",
        source: "about a million nodes of 48 bytes",
    },
];

/// The player `mcts` with the playouts of the guide `K`, for a game whose own are faster than listing moves. `A` is the
/// payload of AMAF: [`Amaf`](banmen_search::mcts::Amaf), or [`IndexedAmaf`](banmen_search::mcts::IndexedAmaf) for a game
/// that numbers its moves.
#[must_use]
pub fn mcts<G: Game, K: Guide<G> + Default + 'static, A: Payload<G>>() -> PlayerEntry<G> {
    PlayerEntry {
        name: "mcts",
        summary: "Monte-Carlo tree search with uniform playouts, every choice a key",
        source: "Kocsis and Szepesvári 2006",
        keys: KEYS,
        make: |game, options, seed, _| {
            if options.number("rave") > 0.0 && options.number("rave-bias") > 0.0 {
                return Err(Error::new(
                    ErrorCode::BadPlayer,
                    "AMAF means have one weight: `rave-bias` above 0 needs `rave=0`",
                )
                .arg("key", "rave-bias"));
            }
            let settings = mcts_settings(Settings::default(), options);
            match (settings.rave, settings.amaf) {
                (None, None) => make::<G, K, ()>(game, settings, options, seed),
                _ => make::<G, K, A>(game, settings, options, seed),
            }
        },
    }
}

fn make<G: Game, K: Guide<G> + Default + 'static, X: Payload<G>>(
    game: &G,
    settings: Settings,
    options: &Options,
    seed: u64,
) -> Result<Box<dyn Player<G>>, Error> {
    let mut mcts = Mcts::<G, K, X>::new(game, settings, K::default(), seed)?;
    mcts.limits = Limits { playouts: options.maximum("playouts"), ..Limits::default() };
    Ok(Box::new(mcts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_game::Row;

    #[test]
    fn every_value_of_every_key_reaches_its_own_setting() {
        for key in KEYS.iter().filter(|key| key.name != "playouts") {
            let texts = key.kind.extremes();
            let settings: Vec<Settings> = texts
                .iter()
                .map(|text| Options::new(KEYS, &[(key.name, text)]).expect("a value in range"))
                .map(|options| mcts_settings(Settings::default(), &options))
                .collect();
            for (at, one) in settings.iter().enumerate() {
                assert!(!settings[..at].contains(one), "{}={} is like another value", key.name, texts[at]);
            }
        }
    }

    #[test]
    fn accepts_every_choice_and_rejects_contradictions() {
        let entry = mcts::<Row, banmen_search::mcts::Uniform, banmen_search::mcts::Amaf>();
        let make = |pairs: &[(&str, &str)]| {
            let options = Options::new(KEYS, pairs).expect("keys of the table");
            (entry.make)(&Row { cells: 1 }, &options, 1, &crate::Data::default())
                .map(drop)
                .map_err(|error| error.message)
        };
        assert_eq!(make(&[]), Ok(()));
        for key in KEYS {
            let Kind::Choice(words) = key.kind else { continue };
            for word in words {
                assert_eq!(make(&[(key.name, word), ("solver", "off")]), Ok(()), "{}={word}", key.name);
            }
        }
        assert_eq!(make(&[("rave", "300"), ("levels", "2"), ("threshold", "5")]), Ok(()));
        let both = make(&[("rave", "300"), ("amaf", "path")]).expect_err("two places for AMAF results");
        assert!(both.ends_with("not into both: AMAF means of their own need `amaf=off`"), "{both}");
        assert_eq!(make(&[("rave-bias", "0.1")]), Ok(()));
        let weights = make(&[("rave", "300"), ("rave-bias", "0.1")]).expect_err("two weights of AMAF means");
        assert!(weights.ends_with("`rave-bias` above 0 needs `rave=0`"), "{weights}");
        let contradiction = make(&[("opponent", "random")]).expect_err("the solver is on");
        assert!(
            contradiction.ends_with("has to be minimising: another `opponent` needs `solver=off`"),
            "{contradiction}"
        );
    }
}
