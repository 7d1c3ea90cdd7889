//! The messages that wait to be sent on a WebSocket.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use banmen_search::threads::lock;
use serde_json::Value;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// Time between two progress messages: faster ones cannot be read.
const INFO_EVERY: Duration = Duration::from_millis(50);

/// The queue of messages to a client. It keeps every answer, and of each running search the latest progress message. So
/// its size is bounded by the number of the client's requests.
#[derive(Default)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    filled: Notify,
}

#[derive(Default)]
struct State {
    answers: VecDeque<String>,
    infos: VecDeque<(Value, String)>,
    next_info: Option<Instant>,
}

/// What can be sent now.
enum Next {
    Message(String),
    /// Not before this moment, where one is known.
    Wait(Option<Instant>),
}

impl Outbox {
    /// Queues a message. Never blocks: searches call it.
    pub(crate) fn put(&self, message: &Value) {
        let text = message.to_string();
        let id = message.get("id").unwrap_or(&Value::Null);
        let mut state = self.lock();
        let older = state.infos.iter_mut().find(|(known, _)| known == id);
        match (message.get("info").is_some(), older) {
            (true, Some((_, older))) => *older = text,
            (true, None) => state.infos.push_back((id.clone(), text)),
            (false, _) => {
                state.infos.retain(|(known, _)| known != id);
                state.answers.push_back(text);
            }
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Waits for the next message. Answers go first.
    pub(crate) async fn take(&self) -> String {
        loop {
            match self.next() {
                Next::Message(text) => return text,
                Next::Wait(None) => self.filled.notified().await,
                Next::Wait(Some(moment)) => {
                    let _ = timeout_at(moment, self.filled.notified()).await;
                }
            }
        }
    }

    fn next(&self) -> Next {
        let mut state = self.lock();
        if let Some(text) = state.answers.pop_front() {
            return Next::Message(text);
        }
        if state.infos.is_empty() {
            return Next::Wait(None);
        }
        let now = Instant::now();
        match state.next_info {
            Some(moment) if moment > now => Next::Wait(Some(moment)),
            _ => {
                state.next_info = Some(now + INFO_EVERY);
                let info = state.infos.pop_front();
                info.map_or(Next::Wait(None), |(_, text)| Next::Message(text))
            }
        }
    }

    /// Answers not sent yet.
    pub(crate) fn answers(&self) -> usize {
        self.lock().answers.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn now(outbox: &Outbox) -> Option<Value> {
        match outbox.next() {
            Next::Message(text) => Some(serde_json::from_str(&text).expect("JSON")),
            Next::Wait(_) => None,
        }
    }

    #[test]
    fn keeps_every_answer_and_the_latest_info() {
        let outbox = Outbox::default();
        for depth in 0..1000 {
            outbox.put(&json!({ "id": 1, "info": { "depth": depth } }));
            outbox.put(&json!({ "id": 2, "info": { "depth": depth } }));
        }
        assert_eq!(outbox.lock().infos.len(), 2);
        outbox.put(&json!({ "id": 3, "ok": 1 }));
        outbox.put(&json!({ "id": 2, "ok": 2 }));
        assert_eq!(now(&outbox), Some(json!({ "id": 3, "ok": 1 })));
        assert_eq!(now(&outbox), Some(json!({ "id": 2, "ok": 2 })));
        assert_eq!(now(&outbox), Some(json!({ "id": 1, "info": { "depth": 999 } })));
        assert_eq!(now(&outbox), None, "no info is sent after its search's answer");
    }

    #[test]
    fn spaces_infos_and_sends_answers_at_once() {
        let outbox = Outbox::default();
        outbox.put(&json!({ "id": 1, "info": 1 }));
        assert!(now(&outbox).is_some());
        outbox.put(&json!({ "id": 1, "info": 2 }));
        assert!(matches!(outbox.next(), Next::Wait(Some(_))));
        outbox.put(&json!({ "id": 1, "ok": 3 }));
        assert_eq!(now(&outbox), Some(json!({ "id": 1, "ok": 3 })), "an answer does not wait");
    }
}
