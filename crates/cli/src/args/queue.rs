//! The options of queues: which server, how to sign in, and how games are handed out.

use std::path::PathBuf;
use std::time::Duration;

use banmen_fleet::Queue;
use clap::{Args as ClapArgs, Subcommand};

use super::limits::{concurrency, duration};
use super::{Json, ProgramArgs};

/// The heading of these options in help texts.
const HEADING: &str = "Queue";

/// How to sign in at a queue.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct SignIn {
    /// File with the credentials of a NATS user
    #[arg(long, value_name = "FILE", requires = "queue", help_heading = HEADING)]
    creds: Option<PathBuf>,
    /// File with the certificates that the queue's own may be signed by, besides those of the system
    #[arg(long, value_name = "FILE", requires = "queue", help_heading = HEADING)]
    ca: Option<PathBuf>,
    /// First word of all subjects and streams; fleets with different ones share a server without seeing each other
    #[arg(
        long, value_name = "WORD", default_value = "banmen", value_parser = Queue::check_prefix, requires = "queue",
        help_heading = HEADING
    )]
    prefix: String,
}

impl SignIn {
    /// The queue with these credentials.
    pub(crate) fn at(&self, queue: &Queue) -> Queue {
        let mut queue = queue.clone();
        (queue.credentials, queue.authority, queue.prefix) = (self.creds.clone(), self.ca.clone(), self.prefix.clone());
        queue
    }
}

/// Where games are played, if not here.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct QueueArgs {
    /// Leave the games, or the positions to search, to the workers (`banmen worker`) at this NATS server with JetStream, as
    /// nats://HOST:PORT, nats://USER:PASSWORD@HOST or tls://…
    #[arg(long, value_name = "QUEUE", help_heading = HEADING)]
    pub(crate) queue: Option<Queue>,
    #[command(flatten)]
    pub(crate) sign_in: SignIn,
    /// Share of the jobs that a second worker does too, where every machine plays the same moves
    #[arg(
        long, value_name = "SHARE", default_value_t = 0.01, value_parser = share, requires = "queue", help_heading = HEADING
    )]
    pub(crate) audit: f64,
    /// How long a worker may be silent before its jobs go to another one
    #[arg(
        long, value_name = "TIME", default_value = "30s", value_parser = duration, requires = "queue", help_heading = HEADING
    )]
    pub(crate) worker_timeout: Duration,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".to_owned()),
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Worker {
    /// The NATS server, as nats://HOST:PORT, nats://USER:PASSWORD@HOST or tls://…
    pub(crate) queue: Queue,
    /// Pairs of games played at once [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = concurrency)]
    pub(crate) concurrency: Option<usize>,
    /// Name of this worker, different from those of all others [default: the machine's, and a random number]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Start external programs that matches name
    #[arg(long)]
    pub(crate) allow_programs: bool,
    #[command(flatten)]
    pub(crate) sign_in: SignIn,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct QueueVerbs {
    #[command(subcommand)]
    pub(crate) what: QueueVerb,
}

/// What to do with a queue.
#[derive(Debug, Subcommand)]
pub(crate) enum QueueVerb {
    /// Show what is played at a queue, and by whom
    Status(QueueStatus),
    /// Remove what killed commands left at a queue
    Clear(QueueStatus),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct QueueStatus {
    /// The NATS server, as nats://HOST:PORT, nats://USER:PASSWORD@HOST or tls://…
    pub(crate) queue: Queue,
    #[command(flatten)]
    pub(crate) sign_in: SignIn,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// As [`super::parse_values`].
pub(super) fn parse_values(text: &str) -> Vec<String> {
    let queue = text.parse::<Queue>().err();
    [queue, Queue::check_prefix(text).err(), share(text).err()].into_iter().flatten().collect()
}
