//! What a match is: everything on which its games depend.

use std::num::NonZeroUsize;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyPlayer, Catalog, Error, ErrorCode, quote};
use banmen_game::digest;
use banmen_programs::{Charge, Programs, is_program};
use banmen_search::{Limits, StopFlag, TimeControl};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::experiment::counted;
use crate::version::{files_version, program_version, version};
use crate::{Adjudication, GameRecord, Job, Opening, Openings, PlayerCache};

/// The keys under which the store has how long programs may take, in milliseconds.
pub(crate) const MARGIN: &str = "program_margin_ms";
pub(crate) const PATIENCE: &str = "program_patience_ms";

/// How the time of a move is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideClock {
    /// Processor time of the player: fair on a machine that runs other programs too.
    #[default]
    Cpu,
    /// Wall time.
    Wall,
}

/// One side of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contestant {
    /// The player, as text.
    pub player: String,
    /// Its limits. [`Limits::clock`] is its clock at the start of a game.
    #[serde(with = "limits_json")]
    pub limits: Limits,
}

impl Contestant {
    /// A player under limits.
    pub fn new(player: impl Into<String>, limits: Limits) -> Self {
        Contestant { player: player.into(), limits }
    }
}

/// What a match is, as a value that can be sent to another machine: `a` against `b`, each opening twice with the sides
/// swapped. The number of games and of threads that play them is not part of it: no game depends on them.
///
/// ```
/// use banmen_arena::{Contestant, MatchSpec};
/// use banmen_search::Limits;
///
/// let game = banmen_othello::entry().in_memory();
/// let [a, b] = ["engine:level=3", "random"].map(|player| Contestant::new(player, Limits::nodes(1_000)));
/// let spec = MatchSpec { seed: 7, ..MatchSpec::new(&game, a, b) };
/// let text = serde_json::to_string(&spec)?;
/// assert_eq!(serde_json::from_str::<MatchSpec>(&text)?, spec);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchSpec {
    /// The game's name in the catalog.
    pub game: String,
    /// The rules' variant; `None` for the default one.
    pub rules: Option<String>,
    /// The player from whose view the score is given.
    pub a: Contestant,
    /// Its opponent.
    pub b: Contestant,
    /// The openings of the pairs.
    pub openings: Openings,
    /// How time is measured.
    pub clock: SideClock,
    /// When a game ends before its rules say so.
    pub adjudication: Adjudication,
    /// Openings and the seeds of players are derived from it.
    pub seed: u64,
    /// Threads that each search may use.
    pub threads: NonZeroUsize,
    /// How much longer than its limit an external program may take for a move.
    #[serde(rename = "program_margin_ms", with = "ms_json")]
    pub program_margin: Duration,
    /// How long an external program may take to start, or to answer if it has no time limit.
    #[serde(rename = "program_patience_ms", with = "ms_json")]
    pub program_patience: Duration,
}

impl MatchSpec {
    /// A match under the default rules, from the game's [usual openings](Openings::usual), by processor time, with one
    /// thread a search and seed 1, without adjudication.
    pub fn new(game: &dyn AnyGame, a: Contestant, b: Contestant) -> Self {
        MatchSpec {
            game: game.info().name.to_owned(),
            rules: None,
            a,
            b,
            openings: Openings::usual(game),
            clock: SideClock::default(),
            adjudication: Adjudication::default(),
            seed: 1,
            threads: NonZeroUsize::MIN,
            program_margin: Programs::ALLOWED.margin,
            program_patience: Programs::ALLOWED.patience,
        }
    }

    /// Both sides, `a` first.
    #[must_use]
    pub fn sides(&self) -> [&Contestant; 2] {
        [&self.a, &self.b]
    }

    /// Whether every machine plays the same moves: searches have one thread, no limit is a time, and no player is an external
    /// program.
    #[must_use]
    pub fn is_reproducible(&self, game: &dyn AnyGame) -> bool {
        self.threads == NonZeroUsize::MIN
            && self.sides().iter().all(|side| {
                side.limits.time.is_none() && side.limits.clock.is_none() && !is_program(game, &side.player)
            })
    }

    /// Plays a game of this match, on any machine whose catalog has the game. Returns `None` when `stop` was set before
    /// the game ended. `players` keeps players from one game to the next; `programs` says what external programs may
    /// use on this machine, except for the times that the match sets.
    ///
    /// # Errors
    /// `unknown_game`; `unknown_match` for a job of another match, or of other versions of the players; why a player cannot
    /// be made or cannot play. The error of a player names it as `player`, 0 for `a`.
    pub fn play(
        &self,
        catalog: &Catalog,
        programs: &Programs,
        job: &Job,
        players: &mut PlayerCache,
        stop: &StopFlag,
    ) -> Result<Option<GameRecord>, Error> {
        let game = catalog.game(&self.game)?.as_ref();
        let matchup = Match { programs: programs.clone(), ..Match::new(game, self.clone()) };
        let own = matchup.digest()?;
        if own != job.spec {
            let message = format!("a game of match {} was given as one of match {own}", job.spec);
            return Err(Error::new(ErrorCode::UnknownMatch, message).arg("match", job.spec.as_str()));
        }
        let mut both = players.take(&matchup)?;
        let record = matchup.play_job(job, &mut both, stop)?;
        players.put_back(&matchup, both);
        Ok(record)
    }
}

/// A match with its game, ready to be [played](Match::play) on this machine.
#[derive(Clone)]
pub struct Match<'g> {
    /// The game, which [`MatchSpec::game`] names.
    pub game: &'g dyn AnyGame,
    /// Everything on which the games depend.
    pub spec: MatchSpec,
    /// What external programs may use on this machine. The spec sets how long the match waits for them.
    pub programs: Programs,
}

impl<'g> Match<'g> {
    /// A match of this game, in which external programs are allowed.
    pub fn new(game: &'g dyn AnyGame, spec: MatchSpec) -> Self {
        Match { game, spec, programs: Programs::ALLOWED }
    }

    /// The same match with these bounds of external programs, including how long the match waits for them.
    #[must_use]
    pub fn with_programs(mut self, programs: Programs) -> Self {
        (self.spec.program_margin, self.spec.program_patience) = (programs.margin, programs.patience);
        self.programs = programs;
        self
    }

    /// The same conditions for two other players.
    #[must_use]
    pub(crate) fn between(&self, a: Contestant, b: Contestant) -> Self {
        let mut other = self.clone();
        (other.spec.a, other.spec.b) = (a, b);
        other
    }

    /// The name of the rules' variant.
    ///
    /// # Errors
    /// `unknown_rules`.
    pub fn rules_name(&self) -> Result<&str, Error> {
        let rules = &self.game.info().rules;
        match self.spec.rules.as_deref() {
            None => Ok(rules.first().copied().unwrap_or_default()),
            Some(name) if rules.contains(&name) => Ok(name),
            Some(name) => {
                Err(Error::unknown(ErrorCode::UnknownRules, "variant of the rules called", name, rules.iter().copied()))
            }
        }
    }

    /// The version of a player: of this program, or of the external program that the player is.
    pub(crate) fn version(&self, player: &str) -> String {
        if is_program(self.game, player) {
            return program_version(player);
        }
        version().to_owned() + &files_version(self.game, player)
    }

    /// What the games of an event have in common, whoever plays, under the limits of `a`.
    pub(crate) fn conditions(&self) -> Result<Value, Error> {
        let MatchSpec { a, openings, clock, adjudication, seed, .. } = &self.spec;
        let mut conditions = json!({
            "game": self.game.info().name,
            "rules": self.rules_name()?,
            "limits": limits(&a.limits),
            "openings": openings.name(),
            "clock": clock,
            "adjudication": adjudication,
            "seed": seed,
        });
        self.put_threads(&mut conditions);
        // Programs may join later.
        self.put_program_times(&mut conditions);
        Ok(conditions)
    }

    /// Everything on which the games depend, as text: what distinguishes the matches of a store. The version of the players
    /// is part of it, since another build may play other moves, and so may another file of a program.
    pub(crate) fn identity(&self, event: Option<i64>) -> Result<String, Error> {
        let side = |side: &Contestant| {
            let version = self.version(&side.player);
            let bounds = banmen_programs::effective_limits(self.game, &side.player, &side.limits);
            json!({ "player": side.player, "version": version, "limits": limits(&bounds) })
        };
        let MatchSpec { a, b, openings, clock, adjudication, seed, .. } = &self.spec;
        let mut identity = json!({
            "game": self.game.info().name,
            "rules": self.rules_name()?,
            "a": side(a),
            "b": side(b),
            "openings": openings.name(),
            "clock": clock,
            "adjudication": adjudication,
            "seed": seed,
            "event": event,
        });
        self.put_threads(&mut identity);
        if self.spec.sides().iter().any(|side| is_program(self.game, &side.player)) {
            self.put_program_times(&mut identity);
        }
        Ok(identity.to_string())
    }

    /// One thread is not written, so that matches stored before threads could be chosen keep their identity.
    fn put_threads(&self, identity: &mut Value) {
        if self.spec.threads > NonZeroUsize::MIN {
            identity["threads"] = self.spec.threads.get().into();
        }
    }

    /// How long programs may take: this decides which of their games are lost on time. As with threads, the usual times
    /// are not written.
    fn put_program_times(&self, identity: &mut Value) {
        let MatchSpec { program_margin, program_patience, .. } = self.spec;
        for (key, time, usual) in [
            (MARGIN, program_margin, Programs::ALLOWED.margin),
            (PATIENCE, program_patience, Programs::ALLOWED.patience),
        ] {
            if time != usual {
                identity[key] = ms(time).into();
            }
        }
    }

    /// The name of the match in its [jobs](Job): a digest of everything on which the games depend, as 16 hexadecimal
    /// digits. The event is not part of it: no game depends on it.
    ///
    /// # Errors
    /// `unknown_rules`.
    pub fn digest(&self) -> Result<String, Error> {
        Ok(format!("{:016x}", digest(self.identity(None)?.as_bytes())))
    }

    /// Refuses an opening from which a player could not play.
    pub(crate) fn check_opening(&self, opening: &Opening) -> Result<(), Error> {
        let rules = self.spec.rules.as_deref();
        let state = opening.state(self.game, rules)?;
        (0..).zip(self.spec.sides()).try_for_each(|(index, side)| {
            banmen_programs::check_opening(self.game, rules, &side.player, state.as_ref())
                .map_err(|error| of_player(error, index))
        })
    }

    /// Makes both players.
    pub(crate) fn players(&self) -> Result<[Box<dyn AnyPlayer>; 2], Error> {
        Ok([self.player(0)?, self.player(1)?])
    }

    /// Makes the player of one side, 0 for `a`, if it can play by its clock. It is seeded at the start of each game. An error
    /// names it as `player`, and its message begins with the player's text, where it names neither that nor a program.
    pub(crate) fn player(&self, index: usize) -> Result<Box<dyn AnyPlayer>, Error> {
        self.rules_name()?;
        let charge = match self.spec.clock {
            SideClock::Cpu => Charge::Cpu,
            SideClock::Wall => Charge::Wall,
        };
        let (margin, patience) = (self.spec.program_margin, self.spec.program_patience);
        let programs = Programs { charge, margin, patience, ..self.programs.clone() };
        let Contestant { player, limits } = self.spec.sides()[index];
        banmen_programs::check_limits(self.game, player, limits)
            .and_then(|()| banmen_programs::player(self.game, self.spec.rules.as_deref(), player, 0, &programs))
            .map_err(|error| {
                // Errors of external programs name their program, except where it could not be one.
                let of_program = is_program(self.game, player)
                    && !matches!(error.code, ErrorCode::BadCommand | ErrorCode::Unsupported);
                let named = of_program || error.message.contains(&quote(player));
                let message = if named { error.message } else { format!("{player}: {}", error.message) };
                of_player(Error { message, ..error }, index)
            })
    }
}

/// An error of the player of one side, 0 for `a`.
pub(crate) fn of_player(error: Error, index: usize) -> Error {
    error.arg("player", index)
}

/// Limits as the store and the interfaces write them. Limits that are not set are left out.
#[must_use]
pub fn limits(limits: &Limits) -> Value {
    let mut fields = json!(LimitsFields::from(limits));
    if let Value::Object(fields) = &mut fields {
        fields.retain(|_, value| !value.is_null());
    }
    fields
}

/// Limits of a stored match; `None` where they cannot be read.
pub(crate) fn read_limits(limits: &Value) -> Option<Limits> {
    LimitsFields::deserialize(limits).ok()?.limits()
}

/// Limits of a stored match in words, such as `2,000 nodes`; `no limit` where there is none.
#[must_use]
pub(crate) fn limits_in_words(limits: &Value) -> String {
    let Ok(LimitsFields { time_ms, nodes, playouts, depth, clock }) = LimitsFields::deserialize(limits) else {
        return String::new();
    };
    let parts = [
        time_ms.map(|ms| format!("{ms} ms")),
        clock.and_then(ClockFields::control).map(|control| control.to_string()),
        nodes.map(|count| counted(count, "node", "nodes")),
        playouts.map(|count| counted(count, "playout", "playouts")),
        depth.map(|depth| format!("depth {depth}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "no limit".to_owned() } else { parts.join(", ") }
}

/// The limits of a player in a match; null for those that it does not have.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "StoredLimits")]
pub(crate) struct LimitsFields {
    /// Time for a move, in milliseconds.
    time_ms: Option<f64>,
    /// Positions visited.
    nodes: Option<u64>,
    /// Playouts.
    playouts: Option<u64>,
    /// Search depth in plies.
    depth: Option<u32>,
    /// The clock of a whole game.
    clock: Option<ClockFields>,
}

/// A clock, in milliseconds.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "StoredClock")]
pub(crate) struct ClockFields {
    /// At the start.
    main_ms: f64,
    /// Added after each turn.
    increment_ms: f64,
    /// The largest time on the clock.
    cap_ms: Option<f64>,
    /// For each turn once the main time is used up.
    byoyomi_ms: f64,
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A time from milliseconds; `None` for a number that is not a time.
pub(crate) fn from_ms(ms: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(ms / 1e3).ok()
}

/// [`from_ms`] of a time that may be missing.
fn optional_ms(ms: Option<f64>) -> Option<Option<Duration>> {
    ms.map_or(Some(None), |ms| from_ms(ms).map(Some))
}

impl From<&Limits> for LimitsFields {
    fn from(limits: &Limits) -> Self {
        let clock = |TimeControl { main, increment, cap, byoyomi }| ClockFields {
            main_ms: ms(main),
            increment_ms: ms(increment),
            cap_ms: cap.map(ms),
            byoyomi_ms: ms(byoyomi),
        };
        LimitsFields {
            time_ms: limits.time.map(ms),
            nodes: limits.nodes,
            playouts: limits.playouts,
            depth: limits.depth,
            clock: limits.clock.map(clock),
        }
    }
}

impl LimitsFields {
    /// The limits; `None` where a time is negative or too long.
    fn limits(self) -> Option<Limits> {
        let clock = match self.clock {
            None => None,
            Some(clock) => Some(clock.control()?),
        };
        let LimitsFields { time_ms, nodes, playouts, depth, .. } = self;
        Some(Limits { time: optional_ms(time_ms)?, clock, nodes, playouts, depth, ..Limits::default() })
    }
}

impl ClockFields {
    /// The time control; `None` where a time is negative or too long.
    fn control(self) -> Option<TimeControl> {
        let ClockFields { main_ms, increment_ms, cap_ms, byoyomi_ms } = self;
        Some(TimeControl {
            main: from_ms(main_ms)?,
            increment: from_ms(increment_ms)?,
            cap: optional_ms(cap_ms)?,
            byoyomi: from_ms(byoyomi_ms)?,
        })
    }
}

pub(crate) mod limits_json {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Limits, LimitsFields};

    pub(crate) fn serialize<S: Serializer>(limits: &Limits, to: S) -> Result<S::Ok, S::Error> {
        super::limits(limits).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Limits, D::Error> {
        let limits = LimitsFields::deserialize(from)?.limits();
        limits.ok_or_else(|| D::Error::custom("a time is a number of milliseconds of at least 0"))
    }
}

mod ms_json {
    use std::time::Duration;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(super::ms(*time))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let time = super::from_ms(f64::deserialize(from)?);
        time.ok_or_else(|| D::Error::custom("a time is a number of milliseconds of at least 0"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threshold;

    fn contestants() -> [Contestant; 2] {
        let clock = TimeControl {
            main: Duration::from_nanos(1_234_567_891),
            increment: Duration::from_micros(333_333),
            cap: Some(Duration::from_secs(100)),
            byoyomi: Duration::ZERO,
        };
        let limits = Limits { time: Some(Duration::from_millis(100)), depth: Some(4), ..Limits::nodes(300) };
        [Contestant::new("greedy", limits), Contestant::new("random", Limits { clock: Some(clock), ..limits })]
    }

    /// The default is part of what identifies a stored match.
    #[test]
    fn the_usual_openings_of_the_games_stay() {
        let entries: [Box<dyn AnyGame>; 5] = [
            Box::new(banmen_othello::entry().in_memory()),
            Box::new(banmen_dobutsu::entry().in_memory()),
            Box::new(banmen_blokus::entry().in_memory()),
            Box::new(banmen_tubstap::entry().in_memory()),
            Box::new(banmen_golad::entry().in_memory()),
        ];
        let names = entries.map(|game| Openings::usual(game.as_ref()).name());
        assert_eq!(names, ["random:8", "random:8", "random:8", "random:8", "starts"]);
    }

    #[test]
    fn the_identity_of_stored_matches_stays() {
        let game = banmen_othello::entry().in_memory();
        let [a, b] = contestants();
        let adjudication = Adjudication { draw: Some(Threshold { value: 0.01, moves: 8 }), ..Adjudication::default() };
        let spec = MatchSpec { seed: 5, adjudication, ..MatchSpec::new(&game, a, b) };
        let mut matchup = Match::new(&game, spec);
        // The text of the first version of the store: a killed match is found again by it.
        let version = version();
        let expected = format!(
            r#"{{"a":{{"limits":{{"depth":4,"nodes":300,"time_ms":100.0}},"player":"greedy","version":"{version}"}},"#
        ) + r#""adjudication":{"draw":{"moves":8,"value":0.01},"plies":null,"resign":null},"#
            + &format!(
                r#""b":{{"limits":{{"clock":{{"byoyomi_ms":0.0,"cap_ms":100000.0,"increment_ms":333.33299999999997,"main_ms":1234.567891}},"depth":4,"nodes":300,"time_ms":100.0}},"player":"random","version":"{version}"}},"#
            )
            + r#""clock":"cpu","event":3,"game":"othello","openings":"random:8","rules":"default","seed":5}"#;
        assert_eq!(matchup.identity(Some(3)).expect("rules"), expected);
        let digest = matchup.digest().expect("rules");
        matchup.spec.threads = NonZeroUsize::new(2).expect("two");
        let threads = matchup.identity(Some(3)).expect("rules");
        assert_eq!(threads, expected.replace(r#""seed":5}"#, r#""seed":5,"threads":2}"#));
        assert_ne!(matchup.digest().expect("rules"), digest);
        // How long programs may take matters where one plays, or may join.
        matchup.spec.threads = NonZeroUsize::MIN;
        matchup.spec.program_margin = Duration::from_millis(250);
        assert_eq!(matchup.identity(Some(3)).expect("rules"), expected);
        assert_eq!(matchup.conditions().expect("rules")[MARGIN], 250.0);
        matchup.spec.b.player = "nboard:missing".to_owned();
        let slow = matchup.identity(None).expect("rules");
        assert!(slow.contains(r#""program_margin_ms":250.0,"rules""#), "{slow}");
        assert!(!slow.contains(PATIENCE), "{slow}");
        let slow_digest = matchup.digest().expect("rules");
        matchup.spec.program_margin = Programs::ALLOWED.margin;
        assert_ne!(matchup.digest().expect("rules"), slow_digest);
    }

    #[test]
    fn only_searches_of_one_thread_without_a_clock_are_reproducible() {
        let game = banmen_othello::entry().in_memory();
        let player = Contestant::new("engine", Limits::nodes(300));
        let mut spec = MatchSpec::new(&game, player.clone(), player);
        assert!(spec.is_reproducible(&game));
        spec.threads = NonZeroUsize::new(2).expect("two");
        assert!(!spec.is_reproducible(&game), "threads search in different orders");
        spec.threads = NonZeroUsize::MIN;
        spec.b.limits.time = Some(Duration::from_millis(1));
        assert!(!spec.is_reproducible(&game));
    }

    #[test]
    fn limits_have_words() {
        let words = contestants().map(|side| limits_in_words(&limits(&side.limits)));
        assert_eq!(words[0], "100 ms, 300 nodes, depth 4");
        assert_eq!(words[1], "100 ms, 1234567891ns+333333us/100s, 300 nodes, depth 4");
        let byoyomi = json!({ "clock": { "main_ms": 0, "byoyomi_ms": 5000 } });
        assert_eq!(limits_in_words(&byoyomi), "0s+0s byoyomi 5s");
        assert_eq!(limits_in_words(&json!({ "nodes": 1, "playouts": 1000 })), "1 node, 1,000 playouts");
        assert_eq!(limits_in_words(&json!({})), "no limit");
        assert_eq!(limits_in_words(&Value::Null), "");
    }

    #[test]
    fn limits_come_back_from_their_json() {
        for Contestant { limits: given, .. } in contestants() {
            let fields: LimitsFields = serde_json::from_value(limits(&given)).expect("fields");
            assert_eq!(fields.limits(), Some(given));
        }
        for wrong in [json!({ "time_ms": -1 }), json!({ "clock": { "main_ms": 1e300 } })] {
            let fields: LimitsFields = serde_json::from_value(wrong).expect("fields");
            assert_eq!(fields.limits(), None);
        }
        for unknown in [json!({ "time": 100 }), json!({ "clock": { "main": 1000 } })] {
            assert!(serde_json::from_value::<LimitsFields>(unknown.clone()).is_err(), "{unknown}");
        }
    }
}
