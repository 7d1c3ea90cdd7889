//! Matches on many machines. A [`Coordinator`] hands out pairs of games over a [`Queue`], a NATS server with JetStream, and
//! [`work`] plays them on other machines.
//!
//! The queue is a hint, the store of the coordinator is the truth: what the store lacks is handed out again, and what comes
//! twice is stored once. So workers, the coordinator and the server may be killed at any time.
//!
//! For each command there are two streams: `PREFIX-jobs-RUN`, a work queue with a subject for each pair, so that no pair is
//! queued twice, and `PREFIX-results-RUN`. A worker takes one pair at a time, extends its deadline while it plays, publishes
//! the games, and then acknowledges the pair; a pair whose worker died is delivered again after that deadline. Besides,
//! coordinators and workers say once a second who they are, in messages that are not kept.
//!
//! | file | contents |
//! |---|---|
//! | `queue` | the server: its address, credentials, names of subjects and streams, errors |
//! | `messages` | what is sent |
//! | `files` | the files that jobs need |
//! | `coordinator` | hands out pairs, checks and stores what returns, and compares some of it with a second worker's |
//! | `failures` | when a pair at which workers failed is given up |
//! | `worker` | takes pairs, and plays them |
//! | `status` | who works for whom |

mod coordinator;
mod failures;
mod files;
mod messages;
mod queue;
mod status;
mod worker;

pub use coordinator::{Coordinator, Settings};
#[doc(hidden)]
pub use messages::kinds_of;
pub use messages::{RunNews, WorkerNews, parse};
pub use queue::Queue;
pub use status::{RunStatus, Status, clear, status};
pub use worker::{Played, Speeds, Worker, WorkerEvent, serve, work};
