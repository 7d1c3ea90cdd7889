//! What a match is: everything on which its games depend.

use std::time::Duration;

use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_programs::Programs;
use banmen_search::{Limits, TimeControl};
use serde::Serialize;
use serde_json::{Value, json};

use crate::version::{program_version, version};
use crate::{Adjudication, Openings};

/// What the time of a move is measured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SideClock {
    /// Processor time of the thinking thread: fair on a machine that has other things to do.
    #[default]
    Cpu,
    /// Wall time.
    Wall,
}

/// One side of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Contestant {
    /// The player, as text.
    pub player: String,
    /// Its limits. A [`Limits::clock`] is what its clock shows at the start of a game.
    pub limits: Limits,
}

impl Contestant {
    /// A player under limits.
    pub fn new(player: impl Into<String>, limits: Limits) -> Self {
        Contestant { player: player.into(), limits }
    }
}

/// A match: `a` against `b`, each opening twice with the sides swapped. How many games are played, and by how many
/// threads, is said when it is [played](Match::play): which games they are does not depend on it.
#[derive(Clone)]
pub struct Match<'g> {
    /// The game.
    pub game: &'g dyn AnyGame,
    /// The rules' variant; `None` for the default one.
    pub rules: Option<String>,
    /// The player whose score is given.
    pub a: Contestant,
    /// Its opponent.
    pub b: Contestant,
    /// What the pairs begin with.
    pub openings: Openings,
    /// What time is measured by.
    pub clock: SideClock,
    /// When a game ends before its rules say so.
    pub adjudication: Adjudication,
    /// Openings and players follow from it.
    pub seed: u64,
    /// What outside programs may use, and how long they are waited for. Time is charged to them by the match's clock.
    pub programs: Programs,
}

impl<'g> Match<'g> {
    /// A match under the default rules, from openings of eight random plies, by processor time, without adjudication.
    pub fn new(game: &'g dyn AnyGame, a: Contestant, b: Contestant) -> Self {
        Match {
            game,
            rules: None,
            a,
            b,
            openings: Openings::usual(game),
            clock: SideClock::default(),
            adjudication: Adjudication::default(),
            seed: 1,
            programs: Programs::ALLOWED,
        }
    }

    /// Both sides, `a` first.
    #[must_use]
    pub fn sides(&self) -> [&Contestant; 2] {
        [&self.a, &self.b]
    }

    /// The name of the rules' variant.
    ///
    /// # Errors
    /// `unknown_rules`.
    pub fn rules_name(&self) -> Result<&str, Error> {
        let rules = &self.game.info().rules;
        match self.rules.as_deref() {
            None => Ok(rules.first().copied().unwrap_or_default()),
            Some(name) if rules.contains(&name) => Ok(name),
            Some(name) => {
                Err(Error::unknown(ErrorCode::UnknownRules, "variant of the rules called", name, rules.iter().copied()))
            }
        }
    }

    /// The version of a player: of this program, or of the outside program that the player is.
    pub(crate) fn version(&self, player: &str) -> String {
        if banmen_programs::is_program(self.game, player) { program_version(player) } else { version().to_owned() }
    }

    /// What the games of an event have in common, whoever plays, under the limits of `a`.
    pub(crate) fn conditions(&self) -> Result<Value, Error> {
        Ok(json!({
            "game": self.game.info().name,
            "rules": self.rules_name()?,
            "limits": limits(&self.a.limits),
            "openings": self.openings.name(),
            "clock": self.clock,
            "adjudication": self.adjudication,
            "seed": self.seed,
        }))
    }

    /// All on which the games depend, as text: what tells one match from another in the store. The version of the
    /// players is part of it, since another build may play other moves, and so may another file of a program.
    pub(crate) fn spec(&self, event: Option<i64>) -> Result<String, Error> {
        let side = |side: &Contestant| {
            let version = self.version(&side.player);
            json!({ "player": side.player, "version": version, "limits": limits(&side.limits) })
        };
        let spec = json!({
            "game": self.game.info().name,
            "rules": self.rules_name()?,
            "a": side(&self.a),
            "b": side(&self.b),
            "openings": self.openings.name(),
            "clock": self.clock,
            "adjudication": self.adjudication,
            "seed": self.seed,
            "event": event,
        });
        Ok(spec.to_string())
    }
}

/// Limits as the store and the doors write them; what is not limited is left out.
#[must_use]
pub fn limits(limits: &Limits) -> Value {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let mut fields = serde_json::Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(name.to_owned(), value);
        }
    };
    put("time_ms", limits.time.map(|time| ms(time).into()));
    put("nodes", limits.nodes.map(Value::from));
    put("playouts", limits.playouts.map(Value::from));
    put("depth", limits.depth.map(Value::from));
    put(
        "clock",
        limits.clock.map(|TimeControl { main, increment, cap, byoyomi }| {
            json!({ "main_ms": ms(main), "increment_ms": ms(increment), "cap_ms": cap.map(ms), "byoyomi_ms": ms(byoyomi) })
        }),
    );
    Value::Object(fields)
}
