//! Responses, with the headers that all of them have.

use banmen_catalog::{Error, ErrorCode};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

/// A response with its whole body.
pub(crate) type Reply = Response<Full<Bytes>>;

/// The page may load its own scripts and styles and connect to its own server, nothing else; it may not be framed.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
     img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const SECURITY: [(HeaderName, HeaderValue); 5] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_POLICY)),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// Seconds after which a client of a full server should retry.
pub(crate) const RETRY_SECONDS: u64 = 2;

/// A response with the headers that all responses have.
pub(crate) fn reply(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Full::new(body.into()));
    *reply.status_mut() = status;
    for (name, value) in SECURITY {
        reply.headers_mut().insert(name, value);
    }
    reply
}

/// A JSON response that no cache stores.
pub(crate) fn json(status: StatusCode, value: &Value) -> Reply {
    let mut reply = reply(status, value.to_string());
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}

/// A refusal by the server itself, in the form of the operations' errors.
pub(crate) fn refusal(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Reply {
    json(status, &json!({ "error": Error::new(code, message) }))
}

/// The answer to a request as a response: its status follows from the error's code.
pub(crate) fn answer(value: &Value) -> Reply {
    let code = value.get("error").and_then(|error| serde_json::from_value(error.get("code")?.clone()).ok());
    let status = code.map_or(StatusCode::OK, status);
    let mut reply = json(status, value);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        reply.headers_mut().insert(RETRY_AFTER, HeaderValue::from(RETRY_SECONDS));
    }
    reply
}

fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::Busy | ErrorCode::Stopped | ErrorCode::StoreBusy => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Internal | ErrorCode::StoreDamaged | ErrorCode::StoreFailed | ErrorCode::StoreRefused => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        ErrorCode::ExperimentsNotAllowed | ErrorCode::ProgramsNotAllowed => StatusCode::FORBIDDEN,
        ErrorCode::MatchBusy | ErrorCode::PlanChanged => StatusCode::CONFLICT,
        ErrorCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::UnknownOp => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    }
}
