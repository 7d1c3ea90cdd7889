//! The server between a coordinator and its workers.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::context::CreateStreamErrorKind;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use banmen_catalog::{Error, ErrorCode};
use tokio::sync::mpsc::UnboundedSender;

use crate::messages::clean;

/// How long a connection may take.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest pause between two attempts to connect again.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// The consumer of all workers, and that of the coordinator.
pub(crate) const WORKERS: &str = "workers";
pub(crate) const COORDINATOR: &str = "coordinator";

/// More workers than any server carries: the defaults of NATS are 512 and 1,000.
const MAX_WORKERS: i64 = 1_000_000;

/// A NATS server, and how to sign in.
#[derive(Clone, Debug)]
pub struct Queue {
    server: ServerAddr,
    /// A file with credentials, as `nsc` writes it.
    pub credentials: Option<PathBuf>,
    /// A file with the certificates that the server's is signed by, besides the system's.
    pub authority: Option<PathBuf>,
    /// The first word of all subjects and the beginning of the names of all streams: fleets with different prefixes do not
    /// see each other, and a server can give rights by it.
    pub prefix: String,
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without a password.
        write!(f, "{}:{}", self.server.host(), self.server.port())
    }
}

impl FromStr for Queue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is no address of a queue: nats://HOST[:PORT], or tls://HOST[:PORT]");
        let scheme = text.split_once("://").map_or("nats", |(scheme, _)| scheme);
        if !["nats", "tls"].contains(&scheme) {
            return Err(bad());
        }
        let server: ServerAddr = text.parse().map_err(|_| bad())?;
        if server.host().is_empty() {
            return Err(bad());
        }
        Ok(Queue { server, credentials: None, authority: None, prefix: "banmen".to_owned() })
    }
}

/// An error of a queue.
pub(crate) fn failed(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::QueueFailed, message)
}

/// An error of JetStream, with what it means where a server has no space.
pub(crate) fn in_words(error: &dyn fmt::Display) -> String {
    let text = clean(&error.to_string());
    if text.contains("insufficient") {
        return format!("{text} (its disk is full, or what it may use of it: `max_file_store`)");
    }
    text
}

/// The error of a server that keeps no streams.
pub(crate) fn without_jetstream(queue: &Queue) -> Error {
    failed(format!("the NATS server {queue} runs without JetStream: `nats-server -js` starts it with"))
}

impl Queue {
    /// The prefix, if it can be part of subjects and names of streams.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_prefix(text: &str) -> Result<String, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if (1..=32).contains(&text.len()) && text.chars().all(plain) {
            Ok(text.to_owned())
        } else {
            Err("a prefix is a word of up to 32 letters, digits and underscores".to_owned())
        }
    }

    /// Connects. `events` receives what becomes of the connection; when it is lost, it is made again.
    pub(crate) async fn connect(&self, name: &str, events: UnboundedSender<Event>) -> Result<Client, Error> {
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(CONNECTION_TIMEOUT)
            .reconnect_delay_callback(|attempts| {
                MAX_PAUSE.min(Duration::from_millis(50) * u32::try_from(attempts.min(100)).unwrap_or(100))
            })
            .event_callback(move |event| {
                let events = events.clone();
                async move {
                    // Whoever listened has ended.
                    let _ = events.send(event);
                }
            });
        if let (Some(user), password) = (self.server.username(), self.server.password()) {
            options = match password {
                Some(password) => options.user_and_password(user.to_owned(), password.to_owned()),
                None => options.token(user.to_owned()),
            };
        }
        if let Some(path) = &self.credentials {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|error| failed(format!("{} cannot be read: {error}", path.display())))?;
            let none = |error| failed(format!("{} is no file with credentials: {error}", path.display()));
            options = options.credentials(&text).map_err(none)?;
        }
        if let Some(path) = &self.authority {
            // The client reports a missing file as a fault of the server.
            std::fs::metadata(path).map_err(|error| failed(format!("{}: {error}", path.display())))?;
            options = options.add_root_certificates(path.clone());
        }
        options.connect(self.server.clone()).await.map_err(|error| {
            let why = match error.kind() {
                ConnectErrorKind::Dns => "there is no such host".to_owned(),
                ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                    let who = match &self.credentials {
                        Some(path) => format!("the user of {}", path.display()),
                        None => "this user".to_owned(),
                    };
                    let said = std::error::Error::source(&error).map(|error| format!(" ({error})"));
                    format!("it does not admit {who}{}", said.unwrap_or_default())
                }
                ConnectErrorKind::TimedOut => "it does not answer".to_owned(),
                _ => {
                    let text = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
                    if text.contains("invalid server operation") { "it is not a NATS server".to_owned() } else { text }
                }
            };
            failed(format!("the queue {self} cannot be used: {why}"))
        })
    }

    pub(crate) fn jetstream(&self, client: &Client) -> Context {
        jetstream::new(client.clone())
    }

    /// The subject of messages of this kind, such as `run`, about somebody; `*` for all.
    pub(crate) fn subject(&self, kind: &str, of: &str) -> String {
        format!("{}.{kind}.{of}", self.prefix)
    }

    /// The name of a stream of a run: of `jobs`, `results` or `files`.
    pub(crate) fn stream(&self, kind: &str, run: &str) -> String {
        format!("{}-{kind}-{run}", self.prefix)
    }

    /// The run of a stream of jobs with this name.
    pub(crate) fn run_of<'n>(&self, stream: &'n str) -> Option<&'n str> {
        stream.strip_prefix(&self.prefix)?.strip_prefix("-jobs-")
    }

    /// Opens a stream of a run, or creates it.
    ///
    /// # Errors
    /// `queue_refused` when there is another one of this name, or with its subjects; `queue_failed`.
    pub(crate) async fn open(&self, jetstream: &Context, kind: &str, run: &str) -> Result<Stream, Error> {
        let name = self.stream(kind, run);
        let (jobs, files) = (kind == "jobs", kind == "files");
        let config = Config {
            name: name.clone(),
            subjects: vec![self.subject(kind, &format!("{run}.>"))],
            // Files are read by all workers, and stay until the run ends.
            retention: if files { RetentionPolicy::Limits } else { RetentionPolicy::WorkQueue },
            storage: StorageType::File,
            discard: if files { DiscardPolicy::Old } else { DiscardPolicy::New },
            // However often a pair or a file is published, it is there once.
            max_messages_per_subject: if jobs || files { 1 } else { -1 },
            discard_new_per_subject: jobs,
            ..Config::default()
        };
        let refused = |why: String| Error::new(ErrorCode::QueueRefused, format!("the queue {self} {why}"));
        let opened = jetstream.get_or_create_stream(config.clone()).await;
        let stream = opened.map_err(|error| match error.kind() {
            CreateStreamErrorKind::JetStreamUnavailable => without_jetstream(self),
            CreateStreamErrorKind::JetStream(error) if error.error_code().0 == 10065 => {
                refused(format!("has another stream with the subjects of {name}: another prefix avoids it"))
            }
            CreateStreamErrorKind::TimedOut => failed(format!(
                "the queue {self} does not answer; its log says why: one whose disk was full has to be restarted"
            )),
            kind => failed(format!("the queue {self} creates no stream: {}", in_words(&kind))),
        })?;
        let found = &stream.cached_info().config;
        if found.subjects != config.subjects
            || found.retention != config.retention
            || found.max_messages_per_subject != config.max_messages_per_subject
        {
            return Err(refused(format!("has another stream called {name}: another prefix avoids it")));
        }
        Ok(stream)
    }

    /// The settings of the consumer of the workers: a pair is delivered again when its worker was silent for `ack_wait`.
    pub(crate) fn workers(ack_wait: Duration) -> pull::Config {
        pull::Config {
            durable_name: Some(WORKERS.to_owned()),
            deliver_policy: DeliverPolicy::All,
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            max_deliver: -1,
            max_ack_pending: MAX_WORKERS,
            max_waiting: MAX_WORKERS,
            ..pull::Config::default()
        }
    }

    /// The settings of the consumer of the results.
    pub(crate) fn results() -> pull::Config {
        pull::Config {
            durable_name: Some(COORDINATOR.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: Duration::from_secs(30),
            max_deliver: -1,
            max_ack_pending: MAX_WORKERS,
            ..pull::Config::default()
        }
    }
}
