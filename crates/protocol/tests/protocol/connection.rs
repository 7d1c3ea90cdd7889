//! A test client: a connection and the messages that it sends back.

use std::cell::RefCell;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use banmen_catalog::Data;
use banmen_protocol::{Connection, Policy, Service, SessionCache, Sink};
use serde_json::{Value, json};

use crate::nim;

/// The timeout of a test for one answer, ample even on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    connection: Connection,
    answers: Receiver<Value>,
    /// Final answers that arrived before the awaited one.
    early: RefCell<Vec<Value>>,
}

pub(crate) fn service(policy: Policy) -> Arc<Service> {
    Arc::new(Service::new(nim::catalog(Data::in_memory()), policy))
}

impl Client {
    pub(crate) fn new(policy: Policy) -> Self {
        Client::of(service(policy))
    }

    /// A client of a service with this data directory.
    pub(crate) fn with_data(policy: Policy, data: Data) -> Self {
        Client::of(Arc::new(Service::new(nim::catalog(data), policy)))
    }

    /// A client of this service.
    pub(crate) fn of(service: Arc<Service>) -> Self {
        let (sender, answers) = channel();
        let sender = Mutex::new(sender);
        // Sending fails once the client is dropped, which is fine.
        let sink: Sink = Arc::new(move |answer| drop(sender.lock().expect("no panic").send(answer)));
        Client { connection: Connection::new(service, None, sink), answers, early: RefCell::default() }
    }

    pub(crate) fn with_session_cache(mut self, cache: &Arc<SessionCache>) -> Self {
        self.connection = self.connection.with_session_cache(cache);
        self
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.connection.read(text);
    }

    pub(crate) fn send(&mut self, request: &Value) {
        self.text(&request.to_string());
    }

    /// The next message.
    pub(crate) fn read(&self) -> Value {
        self.answers.recv_timeout(PATIENCE).expect("a message arrives")
    }

    /// The final answer to `id`, which may have arrived earlier: a stopped search may answer before the `stop` request
    /// is answered.
    pub(crate) fn answer(&self, id: &Value) -> Value {
        let early = self.early.borrow().iter().position(|answer| answer["id"] == *id);
        if let Some(at) = early {
            return self.early.borrow_mut().remove(at);
        }
        loop {
            let message = self.read();
            match message.get("info") {
                Some(_) => {}
                None if message["id"] == *id => return message,
                None => self.early.borrow_mut().push(message),
            }
        }
    }

    /// Sends a request and waits for the final answer.
    pub(crate) fn ask(&mut self, mut request: Value) -> Value {
        request["id"] = json!("asked");
        self.send(&request);
        let mut answer = self.answer(&json!("asked"));
        answer.as_object_mut().and_then(|answer| answer.remove("id"));
        answer
    }

    /// Ends the connection's input and waits for its searches; returns the remaining messages.
    pub(crate) fn finish(self) -> Vec<Value> {
        self.connection.finish();
        self.early.take().into_iter().chain(self.answers.iter()).collect()
    }

    /// Drops the connection, as a server does after a disconnect; returns the remaining messages until the last search
    /// has ended.
    pub(crate) fn leave(self) -> Vec<Value> {
        drop(self.connection);
        // Ends when all senders are dropped.
        self.answers.iter().collect()
    }
}

/// A request for a search that runs until it is stopped.
pub(crate) fn endless(id: impl Into<Value>) -> Value {
    json!({ "id": id.into(), "op": "think", "game": "nim", "player": "patient" })
}
