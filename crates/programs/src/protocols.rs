//! The protocols in which programs are asked, one row each: what is known of a program before it runs.

use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, Error, ErrorCode, PlayerText};
use banmen_search::{Limits, TimeControl};

use crate::player::EngineProtocol;
use crate::{fpt, gtp, nboard, riddles, rpc, tubstap, usi};

/// Makes the client side of a protocol for a game under the named rules, with a seed.
type MakeClient = fn(&dyn AnyGame, Option<&str>, u64) -> Result<Box<dyn EngineProtocol>, Error>;

/// Refuses the first position of a match, after its opening.
type CheckOpening = fn(&dyn AnyGame, Option<&str>, &dyn AnyState) -> Result<(), Error>;

/// A protocol in which programs are asked.
pub(crate) struct Protocol {
    /// The word before the colon in a player's text.
    pub(crate) name: &'static str,
    /// The player that its programs become.
    pub(crate) kind: Kind,
    /// The limits that it can send.
    sends: Sends,
    /// Where a program plays whole games only: refuses a position from which it could not play.
    whole_games: Option<CheckOpening>,
}

/// The kinds of players that programs become.
pub(crate) enum Kind {
    /// One that is asked by this client.
    Engine(MakeClient),
    /// A bot of riddles.io, with a bank and lost turns.
    Bot,
}

/// The limits that a protocol can send. Times are enforced in all but the last.
enum Sends {
    All,
    TimesAndDepth,
    Times,
    /// A clock alone: this one if the match has none.
    Clock(TimeControl),
}

/// All of them, in the order in which errors name them.
const PROTOCOLS: &[Protocol] = &[
    Protocol { name: "rpc", kind: Kind::Engine(rpc::make), sends: Sends::All, whole_games: None },
    Protocol { name: "gtp", kind: Kind::Engine(gtp::make), sends: Sends::Times, whole_games: None },
    Protocol { name: "nboard", kind: Kind::Engine(nboard::make), sends: Sends::TimesAndDepth, whole_games: None },
    Protocol { name: "usi", kind: Kind::Engine(usi::usi), sends: Sends::All, whole_games: None },
    Protocol { name: "uci", kind: Kind::Engine(usi::uci), sends: Sends::All, whole_games: None },
    Protocol { name: "fpt", kind: Kind::Engine(fpt::make), sends: Sends::Times, whole_games: Some(fpt::check_opening) },
    Protocol {
        name: "tubstap",
        kind: Kind::Engine(tubstap::make),
        sends: Sends::Times,
        whole_games: Some(tubstap::check_opening),
    },
    Protocol { name: "riddles", kind: Kind::Bot, sends: Sends::Clock(riddles::SITE), whole_games: None },
];

impl Protocol {
    /// The protocol of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Protocol> {
        PROTOCOLS.iter().find(|protocol| protocol.name == name)
    }

    /// The protocol of a player's text that names an external program: no player of the game has the protocol's name.
    pub(crate) fn of(game: &dyn AnyGame, text: &str) -> Option<&'static Protocol> {
        let name = PlayerText::name_of(text);
        Protocol::named(name).filter(|_| game.players().iter().all(|player| player.name != name))
    }

    /// The names of all protocols.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        PROTOCOLS.iter().map(|protocol| protocol.name)
    }

    /// Whether its programs play whole games only.
    pub(crate) fn plays_whole_games(&self) -> bool {
        self.whole_games.is_some()
    }

    /// Refuses the text of a program that cannot play the game under the named rules.
    ///
    /// # Errors
    /// `unsupported`, and those of [`AnyGame::state`] for the rules.
    pub(crate) fn check(&self, game: &dyn AnyGame, rules: Option<&str>) -> Result<(), Error> {
        game.state(rules, None)?;
        match self.kind {
            Kind::Engine(make) => make(game, rules, 0).map(drop),
            Kind::Bot => banmen_protocol::riddles::check(game),
        }
    }

    /// Refuses the first position of a match, after its opening, from which a program could not play.
    ///
    /// # Errors
    /// `unsupported`, and those of [`AnyGame::state`] for the rules.
    pub(crate) fn check_opening(
        &self,
        game: &dyn AnyGame,
        rules: Option<&str>,
        state: &dyn AnyState,
    ) -> Result<(), Error> {
        self.whole_games.map_or(Ok(()), |check| check(game, rules, state))
    }

    /// Refuses limits by which a program cannot play.
    ///
    /// # Errors
    /// `out_of_range` for a bank of a bot that is empty before its first move.
    pub(crate) fn check_limits(&self, limits: &Limits) -> Result<(), Error> {
        match (&self.sends, limits.clock) {
            (Sends::Clock(_), Some(clock)) if clock.main < Duration::from_millis(1) => {
                let message = "a bot of riddles.io plays with a time bank in milliseconds, which must begin above 0";
                Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "clock"))
            }
            _ => Ok(()),
        }
    }

    /// The part of these limits that bounds a program.
    pub(crate) fn effective_limits(&self, limits: &Limits) -> Limits {
        match self.sends {
            Sends::All => *limits,
            Sends::TimesAndDepth => Limits { nodes: None, playouts: None, ..*limits },
            Sends::Times => Limits { nodes: None, playouts: None, depth: None, ..*limits },
            Sends::Clock(own) => Limits { clock: limits.clock.or(Some(own)), ..Limits::default() },
        }
    }
}
