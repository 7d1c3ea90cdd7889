//! One connection: reads requests, runs searches concurrently, sends answers.

use std::collections::HashMap;
use std::str::Utf8Error;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use banmen_catalog::{Error, ErrorCode};
use banmen_search::StopFlag;
use banmen_search::threads::{lock, search_thread};
use serde_json::{Map, Value, json};

use crate::{AddressLimiter, Call, Request, Service, SessionCache, Sessions, Work};

/// Receives the answers of a connection, on any thread.
pub type Sink = Arc<dyn Fn(Value) + Send + Sync>;

/// Serves one connection. Short operations are answered at once, searches on threads of their own. Dropping the
/// connection stops its searches.
pub struct Connection {
    service: Arc<Service>,
    limiter: Option<AddressLimiter>,
    sink: Sink,
    sessions: Arc<Sessions>,
    running: Arc<Mutex<HashMap<String, Running>>>,
    threads: Vec<JoinHandle<()>>,
}

/// How long a search without limits may go on when no request can come any more.
const GRACE: Duration = Duration::from_secs(10);

/// What runs on a thread of its own.
struct Running {
    work: Work,
    stop: StopFlag,
    /// Whether the search ends only when it is stopped.
    endless: bool,
}

impl Connection {
    /// A connection whose answers go to `sink`. With a limiter, each search waits until the limiter admits it.
    pub fn new(service: Arc<Service>, limiter: Option<AddressLimiter>, sink: Sink) -> Self {
        Connection { service, limiter, sink, sessions: Arc::default(), running: Arc::default(), threads: Vec::new() }
    }

    /// Keeps the sessions in a cache shared with other connections. Sessions that this connection opened before are
    /// dropped.
    #[must_use]
    pub fn with_session_cache(mut self, cache: &Arc<SessionCache>) -> Self {
        self.sessions = Arc::new(Sessions::new(cache));
        self
    }

    /// Answers the text of one request.
    pub fn read(&mut self, text: &str) {
        let policy = &self.service.policy;
        let too_long = |most| {
            Error::new(ErrorCode::TooLarge, format!("a request has at most {most} bytes, this one {}", text.len()))
        };
        if text.len() > policy.import_bytes {
            return self.answer(&Value::Null, Err(too_long(policy.import_bytes)));
        }
        let (id, request) = Request::parse(text);
        let known = request.and_then(|request| Ok((self.service.operation(&request.op)?.work, request)));
        let large = text.len() > policy.request_bytes && !matches!(known, Ok((Work::Import, _)));
        match if large { Err(too_long(policy.request_bytes)) } else { known } {
            Ok((work, request)) => self.take(id, work, request),
            Err(error) => self.answer(&id, Err(error)),
        }
    }

    /// Answers a request that is not UTF-8.
    pub fn refuse_bytes(&self, error: Utf8Error) {
        self.answer(&Value::Null, Err(not_utf8(error)));
    }

    fn take(&mut self, id: Value, work: Work, request: Request) {
        match work {
            Work::Search | Work::Build => self.start(id, work, request),
            Work::Short | Work::Import => {
                let running = Arc::clone(&self.running);
                let result = self.service.handle(
                    request,
                    &mut Call {
                        sessions: &self.sessions,
                        stop: &StopFlag::default(),
                        clock: (self.service.clock)().as_ref(),
                        info: Mutex::new(&mut |_| {}),
                        stop_other: &|target| match lock(&running).get(&name(target)) {
                            Some(running) => {
                                running.stop.stop();
                                true
                            }
                            None => false,
                        },
                        permit: None,
                    },
                );
                self.answer(&id, result);
            }
        }
    }

    /// Starts a search, or a build, on a thread of its own.
    fn start(&mut self, id: Value, work: Work, request: Request) {
        self.threads.retain(|thread| !thread.is_finished());
        let stop = StopFlag::default();
        {
            let mut running = lock(&self.running);
            if running.contains_key(&name(&id)) {
                drop(running);
                let error = Error::new(ErrorCode::BadRequest, "a search with this id is still running");
                return self.answer(&id, Err(error));
            }
            let searches = running.values().filter(|other| other.work == Work::Search).count();
            if work == Work::Search && searches >= self.service.policy.searches {
                drop(running);
                let message = format!("{} searches of this connection are running", self.service.policy.searches);
                return self.answer(&id, Err(Error::new(ErrorCode::Busy, message)));
            }
            running.insert(name(&id), Running { work, stop: stop.clone(), endless: is_endless(&request) });
        }
        let limiter = self.limiter.clone().filter(|_| work == Work::Search);
        let (service, sink) = (Arc::clone(&self.service), Arc::clone(&self.sink));
        let own = id.clone();
        let (sessions, running) = (Arc::clone(&self.sessions), Arc::clone(&self.running));
        let search = move || {
            let permit = limiter.map(|limiter| limiter.enter(&stop)).transpose();
            let result = permit.and_then(|permit| {
                service.handle(
                    request,
                    &mut Call {
                        sessions: &sessions,
                        stop: &stop,
                        clock: (service.clock)().as_ref(),
                        info: Mutex::new(&mut |info| sink(message(&id, "info", info))),
                        stop_other: &|_| false,
                        permit: permit.as_ref(),
                    },
                )
            });
            lock(&running).remove(&name(&id));
            sink(envelope(&id, result));
        };
        match start_search(search) {
            Ok(thread) => self.threads.push(thread),
            Err(error) => {
                lock(&self.running).remove(&name(&own));
                self.answer(&own, Err(error));
            }
        }
    }

    fn answer(&self, id: &Value, result: Result<Value, Error>) {
        (self.sink)(envelope(id, result));
    }

    /// Waits until every request has been answered. Nobody is left to stop a `think` without limits: it is stopped after 10 s,
    /// in which a player with limits of its own may end. Other operations end by themselves, however long they take.
    pub fn finish(mut self) {
        let endless = || lock(&self.running).values().any(|running| running.endless);
        let start = Instant::now();
        while endless() && start.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(10));
        }
        for running in lock(&self.running).values().filter(|running| running.endless) {
            running.stop.stop();
        }
        for thread in std::mem::take(&mut self.threads) {
            // A search catches its panics.
            let _ = thread.join();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        for running in lock(&self.running).values() {
            running.stop.stop();
        }
    }
}

/// The error for a request that is not UTF-8, with the place.
#[must_use]
pub fn not_utf8(error: Utf8Error) -> Error {
    let at = error.valid_up_to();
    Error::new(ErrorCode::BadJson, format!("byte {}: not UTF-8", at + 1)).at(at)
}

/// Whether a request is for a player's search without limits. What the turn has used is none.
fn is_endless(request: &Request) -> bool {
    let limits = request.body.get("limits").and_then(Value::as_object);
    let is_limit = |(name, value): (&String, &Value)| name != "turn_used_ms" && !value.is_null();
    request.op == "think" && limits.is_none_or(|limits| !limits.iter().any(is_limit))
}

/// Starts a thread for a search.
///
/// # Errors
/// `busy` when the system starts no thread.
pub(crate) fn start_search(search: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Error> {
    let failed = |error| Error::new(ErrorCode::Busy, format!("cannot start a thread for the search: {error}"));
    search_thread().spawn(search).map_err(failed)
}

/// The final answer to the request `id`, as an interface sends it.
#[must_use]
pub fn envelope(id: &Value, result: Result<Value, Error>) -> Value {
    match result {
        Ok(value) => message(id, "ok", value),
        Err(error) => message(id, "error", json!(error)),
    }
}

/// A response to the request `id`: its `info`, `ok` or `error`. `json!` would copy the content.
#[must_use]
pub fn message(id: &Value, kind: &str, content: Value) -> Value {
    Value::Object(Map::from_iter([("id".to_owned(), id.clone()), (kind.to_owned(), content)]))
}

/// An id as a key: `1` and `"1"` differ.
fn name(id: &Value) -> String {
    id.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_limits_is_endless_whatever_its_turn_has_used() {
        let of = |text: &str| is_endless(&Request::parse(text).1.expect("a request"));
        assert!(of(r#"{"op":"think"}"#));
        assert!(of(r#"{"op":"think","limits":{"time_ms":null,"clock":null,"turn_used_ms":0}}"#));
        assert!(!of(r#"{"op":"think","limits":{"time_ms":null,"nodes":7,"turn_used_ms":0}}"#));
        assert!(!of(r#"{"op":"solve"}"#));
    }
}
