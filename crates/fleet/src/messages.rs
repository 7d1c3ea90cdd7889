//! What is sent. All messages are JSON; they may come from anybody, and have bounds.

use std::collections::BTreeMap;

use banmen_arena::{GameRecord, PairJob, PlayedBy};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The size of the largest message, in bytes. NATS has the same bound unless it is set.
pub(crate) const MAX_MESSAGE: usize = 1 << 20;

/// The longest text of a message that is shown, in bytes.
const MAX_TEXT: usize = 300;

/// Reads a message.
///
/// # Errors
/// Why it is none, in words.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    if bytes.len() > MAX_MESSAGE {
        return Err(format!("a message of {} bytes", bytes.len()));
    }
    serde_json::from_slice(bytes).map_err(|error| format!("a message that cannot be read: {error}"))
}

/// Text from outside, short and on one line.
pub(crate) fn clean(text: &str) -> String {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].replace(char::is_control, " ")
}

/// Whether a name can be part of a subject.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (1..=80).contains(&text.len()) && text.chars().all(plain)
}

/// A pair of games for a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobMessage {
    pub(crate) job: PairJob,
    /// The worker that played it already, and may not play it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) except: Option<String>,
}

/// What became of a pair.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultMessage {
    pub(crate) by: PlayedBy,
    pub(crate) outcome: Outcome,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Games(Vec<GameRecord>),
    /// It cannot be played.
    Failed {
        message: String,
        /// The side whose player is at fault, 0 for `a`.
        seat: Option<u64>,
    },
}

/// What a coordinator says once a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunNews {
    /// The run: letters and digits.
    pub run: String,
    /// The version of the program, which its workers must have.
    pub version: String,
    /// What is played, in words.
    pub about: String,
    /// Games that were stored since the coordinator was started.
    pub games: u64,
    /// Pairs that were handed out and whose games have not returned.
    pub pairs: u64,
    /// The games of these pairs.
    pub out: u64,
    /// Seconds since the coordinator was started.
    pub seconds: f64,
    /// Workers whose games are not accepted.
    pub distrusted: Vec<String>,
}

impl RunNews {
    /// The games of a number of pairs that are out: a pair has two, or one where the other is stored.
    #[must_use]
    pub fn games_in(&self, pairs: u64) -> u64 {
        if self.pairs == 0 { 2 * pairs } else { (pairs * self.out).div_ceil(self.pairs) }
    }

    /// The games stored in an hour, at the speed since the coordinator was started; `None` in its first seconds.
    #[must_use]
    pub fn hourly(&self) -> Option<u64> {
        (self.seconds > 2.0).then(|| (self.games as f64 * 3600.0 / self.seconds) as u64)
    }
}

/// What a worker says once a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerNews {
    /// Its name: letters, digits and hyphens.
    pub name: String,
    /// The version of its program.
    pub version: String,
    /// Its machine: the name and the processor.
    pub machine: String,
    /// Pairs that it plays at the same time.
    pub threads: usize,
    /// Pairs that it plays now, by run.
    pub running: BTreeMap<String, usize>,
    /// Games that it has played.
    pub games: u64,
    /// Nodes that each game's engine searches there in a second of processor time.
    pub speeds: BTreeMap<String, f64>,
    /// The runs for which it cannot play, and why.
    pub unable: BTreeMap<String, String>,
}
