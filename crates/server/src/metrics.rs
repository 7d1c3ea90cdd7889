//! What the server has done so far, in the text form of Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::StatusCode;

use crate::admission::Refused;
use crate::server::AppState;

/// Media type of the text form, version 0.0.4 (Prometheus, "Exposition formats").
pub(crate) const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The classes of status codes that the server answers with.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Counts since the start of the server.
#[derive(Default)]
pub(crate) struct Metrics {
    accepted: AtomicU64,
    full: AtomicU64,
    peer: AtomicU64,
    responses: [AtomicU64; CLASSES.len()],
    messages: AtomicU64,
}

impl Metrics {
    /// Counts a connection that was admitted or refused.
    pub(crate) fn connection<T>(&self, admitted: &Result<T, Refused>) {
        let counter = match admitted {
            Ok(_) => &self.accepted,
            Err(Refused::Full) => &self.full,
            Err(Refused::Peer) => &self.peer,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a response.
    pub(crate) fn response(&self, status: StatusCode) {
        if let Some(counter) = self.responses.get(usize::from(status.as_u16() / 100).wrapping_sub(1)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a message received on a WebSocket.
    pub(crate) fn message(&self) {
        self.messages.fetch_add(1, Ordering::Relaxed);
    }
}

/// The text form of all metrics.
pub(crate) fn text(app: &AppState) -> String {
    let (running, waiting) = app.limiter.load();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let metrics = &app.metrics;
    let mut text = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, values: &[(String, u64)]| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in values {
            let _ = writeln!(text, "{name}{labels} {value}");
        }
    };
    let plain = |value| [(String::new(), value)];
    metric("banmen_connections", "gauge", "Open connections.", &plain(app.admission.open() as u64));
    metric("banmen_searches_running", "gauge", "Searches that run.", &plain(running as u64));
    metric("banmen_searches_waiting", "gauge", "Searches that wait for one that runs.", &plain(waiting as u64));
    metric("banmen_connections_total", "counter", "Connections admitted.", &plain(count(&metrics.accepted)));
    let refused = [("full", &metrics.full), ("peer", &metrics.peer)];
    metric(
        "banmen_connections_refused_total",
        "counter",
        "Connections refused: the server was full, or the peer had as many as it may.",
        &refused.map(|(reason, counter)| (format!("{{reason=\"{reason}\"}}"), count(counter))),
    );
    let responses = CLASSES.iter().zip(&metrics.responses);
    metric(
        "banmen_http_responses_total",
        "counter",
        "HTTP responses by the class of their status; a WebSocket is a 1xx.",
        &responses.map(|(class, counter)| (format!("{{class=\"{class}\"}}"), count(counter))).collect::<Vec<_>>(),
    );
    metric(
        "banmen_websocket_messages_total",
        "counter",
        "Messages received on WebSockets.",
        &plain(count(&metrics.messages)),
    );
    text
}
