//! What is sent. All messages are JSON; they may come from anybody, and have bounds.

use std::collections::BTreeMap;

use banmen_arena::{FleetJob, FleetResult, GameRecord, Label, PlayedBy};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The size of the largest message, in bytes. NATS has the same bound unless it is set.
pub(crate) const MAX_MESSAGE: usize = 1 << 20;

/// The longest text of a message that is shown, in bytes.
const MAX_TEXT: usize = 300;

/// The size of the largest message that can be sent and is read, in bytes.
pub(crate) fn most_bytes(client: &async_nats::Client) -> usize {
    match client.server_info().max_payload {
        0 => MAX_MESSAGE,
        most => most.min(MAX_MESSAGE),
    }
}

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

/// A job for a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobMessage {
    pub(crate) job: FleetJob,
    /// The files that it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<SentFile>,
    /// The worker that did it already, and may not do it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) except: Option<String>,
}

/// A file that a coordinator sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SentFile {
    /// The name of its contents.
    pub(crate) name: String,
    /// Its length in bytes.
    pub(crate) bytes: usize,
}

/// The size of the parts in which files are sent, in bytes: the server answers with a third more, as text.
const PART: usize = 256 << 10;

/// The length of the longest file, in bytes: that of the longest one that players read.
const MAX_FILE: usize = 16 << 20;

impl SentFile {
    /// The numbers of its parts; `None` for a file that is too long.
    pub(crate) fn parts(&self) -> Option<std::ops::Range<usize>> {
        (self.bytes <= MAX_FILE).then(|| 0..self.bytes.div_ceil(PART).max(1))
    }
}

/// The parts in which a file is sent.
pub(crate) fn parts(contents: &[u8]) -> Vec<&[u8]> {
    if contents.is_empty() { vec![contents] } else { contents.chunks(PART).collect() }
}

/// What became of a job.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ResultMessage {
    pub(crate) by: PlayedBy,
    pub(crate) outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Done(FleetResult),
    /// It cannot be done.
    Failed {
        message: String,
        /// The side whose player is at fault, 0 for `a`.
        player: Option<u64>,
    },
}

/// The first line of a result. What is not text follows it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultHead {
    by: PlayedBy,
    outcome: OutcomeHead,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OutcomeHead {
    Games(Vec<GameRecord>),
    /// The examples follow.
    Examples,
    Labels(Vec<Label>),
    Failed {
        message: String,
        player: Option<u64>,
    },
}

impl ResultMessage {
    /// The message as it is sent.
    pub(crate) fn bytes(self) -> Vec<u8> {
        let mut after = None;
        let outcome = match self.outcome {
            Outcome::Done(FleetResult::Games(records)) => OutcomeHead::Games(records),
            Outcome::Done(FleetResult::Examples(examples)) => {
                after = Some(examples);
                OutcomeHead::Examples
            }
            Outcome::Done(FleetResult::Labels(labels)) => OutcomeHead::Labels(labels),
            Outcome::Failed { message, player } => OutcomeHead::Failed { message, player },
        };
        // JSON without line ends: those in texts are escaped.
        let mut bytes = serde_json::to_vec(&ResultHead { by: self.by, outcome }).unwrap_or_default();
        if let Some(after) = after {
            bytes.push(b'\n');
            bytes.extend(after);
        }
        bytes
    }

    /// Reads a message.
    ///
    /// # Errors
    /// Why it is none, in words.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (head, after) = match end {
            Some(end) if bytes.len() <= MAX_MESSAGE => bytes.split_at(end),
            _ => (bytes, &[][..]),
        };
        let ResultHead { by, outcome } = parse(head)?;
        let outcome = match outcome {
            OutcomeHead::Examples => Outcome::Done(FleetResult::Examples(after.get(1..).unwrap_or_default().to_vec())),
            _ if !after.is_empty() => return Err("a message with more than one line".to_owned()),
            OutcomeHead::Games(records) => Outcome::Done(FleetResult::Games(records)),
            OutcomeHead::Labels(labels) => Outcome::Done(FleetResult::Labels(labels)),
            OutcomeHead::Failed { message, player } => Outcome::Failed { message, player },
        };
        Ok(ResultMessage { by, outcome })
    }
}

/// Reads bytes as each of the messages, and returns how many kinds they are: for the tests of the parsers.
#[doc(hidden)]
#[must_use]
pub fn kinds_of(bytes: &[u8]) -> usize {
    let result = ResultMessage::read(bytes);
    if let Ok(message) = &result {
        assert_eq!(
            ResultMessage::read(&message.clone().bytes()).as_ref(),
            Ok(message),
            "a message is read as it was written"
        );
    }
    let job = parse::<JobMessage>(bytes);
    if let Ok(message) = &job {
        message.files.iter().for_each(|file| assert!(file.parts().is_none_or(|parts| parts.len() <= MAX_FILE / PART)));
    }
    let run = RunNews::read(bytes);
    if let Some(news) = &run {
        let _ = (news.hourly(), news.games_in(3));
    }
    let worker = WorkerNews::read(bytes);
    [result.is_ok(), job.is_ok(), run.is_some(), worker.is_some()].into_iter().filter(|read| *read).count()
}

/// What a coordinator says once a second. That of another version is read too, so that the difference can be reported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
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
    /// Reads news: each text is short and on one line. `None` if they cannot be read, or have no name of a run.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut news = parse::<Self>(bytes).ok().filter(|news| is_name(&news.run))?;
        news.version = clean(&news.version);
        news.about = clean(&news.about);
        news.distrusted.retain(|name| is_name(name));
        Some(news)
    }

    /// The games of a number of pairs that are out: a pair has two, or one where the other is stored.
    #[must_use]
    pub fn games_in(&self, pairs: u64) -> u64 {
        let each = if self.pairs == 0 { 2.0 } else { self.out as f64 / self.pairs as f64 };
        (pairs as f64 * each).ceil() as u64
    }

    /// The games stored in an hour, at the speed since the coordinator was started; `None` in its first seconds.
    #[must_use]
    pub fn hourly(&self) -> Option<u64> {
        (self.seconds > 2.0).then(|| (self.games as f64 * 3600.0 / self.seconds) as u64)
    }
}

/// What a worker says once a second. That of another version is read too, so that the difference can be reported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
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

impl WorkerNews {
    /// Reads news: each text is short and on one line. `None` if they cannot be read, or have no name of a worker.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut news = parse::<Self>(bytes).ok().filter(|news| is_name(&news.name))?;
        news.version = clean(&news.version);
        news.machine = clean(&news.machine);
        news.running.retain(|run, _| is_name(run));
        news.speeds.retain(|game, _| is_name(game));
        news.unable.retain(|run, _| is_name(run));
        news.unable.values_mut().for_each(|why| *why = clean(why));
        Some(news)
    }
}
