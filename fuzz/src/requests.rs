//! The JSON protocol.

use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use banmen_arena::operations;
use banmen_catalog::{Error, ErrorCode, WallClock};
use banmen_protocol::{Call, Policy, Request, Service, Sessions};
use banmen_search::StopFlag;
use serde_json::{Value, json};

use crate::catalog;

/// The envelope of a request: what is accepted is written as JSON and read as the same request again.
pub(crate) fn request(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let (id, request) = Request::parse(text);
    match request {
        Ok(request) => {
            let mut object = request.body.clone();
            object.insert("id".to_owned(), id.clone());
            object.insert("op".to_owned(), json!(request.op));
            let (again_id, again) = Request::parse(&Value::Object(object).to_string());
            assert_eq!((again_id, again), (id, Ok(request)));
        }
        Err(error) => check_error(&error, text),
    }
    if let Err(error) = Request::body("show", text) {
        check_error(&error, text);
    }
}

fn check_error(error: &Error, text: &str) {
    assert!(!error.message.is_empty(), "{error:?}");
    if let Some(at) = error.at {
        assert!(at <= text.chars().count(), "character {at} of `{text}`: {error}");
    }
}

/// A service as the server's, whose searches end at once.
fn service_under_test() -> &'static Service {
    static SERVICE: OnceLock<Service> = OnceLock::new();
    SERVICE.get_or_init(|| {
        let policy = Policy { time: Some(Duration::from_millis(1)), table_mib: Some(1), ..Policy::SERVER };
        Service::new(catalog().clone(), policy).with(operations(None))
    })
}

/// Requests of one connection, a line each: each is answered, and no answer says that the program made a mistake.
pub(crate) fn service(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let service = service_under_test();
    let (sessions, stop) = (Sessions::default(), StopFlag::default());
    for line in text.lines() {
        let (_, Ok(request)) = Request::parse(line) else { continue };
        let mut info = |info| check_json(&info);
        let mut call = Call {
            sessions: &sessions,
            stop: &stop,
            clock: &WallClock::default(),
            info: Mutex::new(&mut info),
            stop_other: &|_| false,
            permit: None,
        };
        match service.handle(request, &mut call) {
            Ok(answer) => check_json(&answer),
            Err(error) => {
                assert_ne!(error.code, ErrorCode::Internal, "{line}: {error}");
                assert!(!error.message.is_empty(), "{line}: {error:?}");
            }
        }
    }
}

/// An answer is an object, on one line, and reads as itself.
fn check_json(answer: &Value) {
    assert!(answer.is_object(), "{answer}");
    let text = answer.to_string();
    assert!(!text.contains('\n'), "{text}");
    let again: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(&again, answer);
}
