//! The operations on board games as a WebAssembly module, for a page without a server.
//!
//! The module has the games of its features, and a page loads one module for each game that it plays. It depends on nothing
//! but five functions of its host, in the import module `host`:
//!
//! | import | meaning |
//! |---|---|
//! | `now() -> f64` | milliseconds since 1970; never goes back |
//! | `stopped() -> i32` | whether the search is asked to stop: not 0. Called as often as a search reads the clock |
//! | `say(at, length)` | receives one response, or a panic's message as `{"panic": TEXT}`: JSON in UTF-8, in memory that the call alone may read |
//! | `load_table(name, length, to) -> i32` | the size in bytes of the table with this name, 0 if there is none. Copies it to `to` if that is not 0 |
//! | `keep_table(name, length, at, bytes)` | receives a table that was built, in memory that the call alone may read |
//!
//! Its exports are the `memory` and two functions:
//!
//! | export | meaning |
//! |---|---|
//! | `alloc(length) -> at` | allocates memory for a request of so many bytes; 0 where it is longer than the module takes |
//! | `ask()` | answers the request that was written there: calls `say` for each report and then for the answer |
//!
//! With the feature `laboratory` it also has the operations on experiments and on the games that were played for them, which it
//! keeps in its memory, and three by which its host plays them: `tasks`, `work` and `take` (`banmen_arena::Laboratory`). Several
//! instances can do the tasks of one.
//!
//! With the feature `threads` and a build with atomic instructions (`xtask/src/modules.rs` has the flags) it imports its
//! memory, which is shared, as `memory` of the import module `env`. Several instances on threads of the host then have one memory: one of
//! them is asked, the others call the export `serve()`, which does not return, and run helpers of its searches. Before that each of them
//! needs thread variables, by `__wasm_init_tls(at)` in room of `__tls_size` bytes, and all but the first a stack, by setting the global
//! `__stack_pointer` to its end. `web/instance.js` does that.
//!
//! Requests and responses are those of every other interface. `stop` is for the host, which answers `stopped`: a module
//! does one thing at a time. After a panic, which is a bug, the module traps; its host makes a new one.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unreachable)
)]

#[cfg(target_family = "wasm")]
mod exports;

use std::sync::Mutex;

use banmen_catalog::{Catalog, Data, Error, ErrorCode};
use banmen_protocol::{Call, Policy, Request, Service, Sessions, envelope, message};
use banmen_search::{Clock, StopFlag};
use serde_json::Value;

/// The games of this build, with the tables in this data.
#[must_use]
pub fn catalog(data: Data) -> Catalog {
    let catalog = Catalog::new(data);
    #[cfg(feature = "othello")]
    let catalog = catalog.with(banmen_othello::entry());
    #[cfg(feature = "dobutsu")]
    let catalog = catalog.with(banmen_dobutsu::entry()).with(banmen_dobutsu::article::entry());
    #[cfg(feature = "golad")]
    let catalog = catalog.with(banmen_golad::entry());
    #[cfg(feature = "blokus")]
    let catalog = catalog.with(banmen_blokus::entry());
    #[cfg(feature = "tubstap")]
    let catalog = catalog.with(banmen_tubstap::entry());
    catalog
}

/// The operations on positions and players.
#[cfg(not(feature = "laboratory"))]
fn service(catalog: Catalog) -> Service {
    Service::new(catalog, Policy::PAGE)
}

/// The same, and those on experiments, whose games are kept in memory.
#[cfg(feature = "laboratory")]
fn service(catalog: Catalog) -> Service {
    let store = std::path::PathBuf::from("experiments");
    let laboratory = banmen_arena::Laboratory::by_tasks(store.clone());
    Service::new(catalog, Policy { experiments: true, ..Policy::PAGE })
        .with(banmen_arena::operations(Some(store)))
        .with(laboratory.operations())
        .with(laboratory.task_operations())
}

/// The operations, and the players that they keep for one page.
pub struct Module {
    service: Service,
    sessions: Sessions,
}

impl Module {
    /// With these games.
    #[must_use]
    pub fn new(catalog: Catalog) -> Self {
        Module { service: service(catalog), sessions: Sessions::default() }
    }

    /// The longest request, in bytes.
    #[must_use]
    pub fn request_bytes(&self) -> usize {
        self.service.policy.request_bytes
    }

    /// Answers a request, JSON in UTF-8: `say` receives each report of a search, and then the answer. Bytes that are no
    /// request are answered with an error.
    pub fn ask(&self, request: &[u8], clock: &dyn Clock, stop: &StopFlag, say: &mut (dyn FnMut(Value) + Send)) {
        let text = str::from_utf8(request)
            .map_err(|error| Error::new(ErrorCode::BadJson, format!("the request is not UTF-8: {error}")));
        let (id, request) = match text {
            Ok(text) => Request::parse(text),
            Err(error) => (Value::Null, Err(error)),
        };
        let answer = request.and_then(|request| {
            let mut report = |info| say(message(&id, "info", info));
            let mut call = Call {
                sessions: &self.sessions,
                stop,
                clock,
                info: Mutex::new(&mut report),
                stop_other: &|_| false,
                permit: None,
            };
            self.service.handle(request, &mut call)
        });
        say(envelope(&id, answer));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    struct Still;

    impl Clock for Still {
        fn now(&self) -> Duration {
            Duration::ZERO
        }
    }

    fn answers(request: &[u8]) -> Vec<Value> {
        let mut said = Vec::new();
        let module = Module::new(Catalog::new(Data::in_memory()));
        module.ask(request, &Still, &StopFlag::default(), &mut |response| said.push(response));
        said
    }

    #[test]
    fn answers_what_is_asked_under_its_id() {
        assert_eq!(
            answers(br#"{"id":7,"op":"games"}"#),
            [json!({ "id": 7, "ok": { "games": [], "builds_tables": true } })]
        );
    }

    #[test]
    fn answers_bad_input_once_with_an_error() {
        for (request, code, id) in [
            (&b"\xff\xfe"[..], "bad_json", Value::Null),
            (b"", "bad_json", Value::Null),
            (b"{", "bad_json", Value::Null),
            (b"[]", "bad_request", Value::Null),
            (br#"{"id":[]}"#, "bad_request", Value::Null),
            (br#"{"id":1}"#, "bad_request", json!(1)),
            (br#"{"id":"a","op":"nothing"}"#, "unknown_op", json!("a")),
            (br#"{"id":2,"op":"show","game":"none"}"#, "unknown_game", json!(2)),
        ] {
            let said = answers(request);
            assert!(matches!(&said[..], [only] if only["error"]["code"] == code && only["id"] == id), "{said:?}");
        }
    }
}
