//! `POST /api/OPERATION`: one request, its final answer.

use std::error::Error as StdError;
use std::sync::Arc;

use banmen_catalog::{Error, ErrorCode};
use banmen_protocol::{AddressLimiter, Request, Work, not_utf8};
use banmen_search::StopFlag;
use banmen_search::threads::search_thread;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::reply::{self, Reply, refusal};
use crate::route::Peer;
use crate::server::AppState;

/// Stops a search when no client waits for it any more: the connection's future is dropped when the client disconnects.
/// If the client has already sent another request, its disconnection is not noticed, and the search runs to its limits.
struct Waiting(StopFlag);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Answers a request for `op`.
pub(crate) async fn post(app: &Arc<AppState>, op: &str, body: Incoming, peer: Peer) -> Reply {
    let operation = match app.service.operation(op) {
        Ok(operation) => operation,
        Err(error) => return reply::answer(&json!({ "error": error })),
    };
    let work = operation.work;
    let policy = &app.service.policy;
    let most = if work == Work::Import { policy.import_bytes } else { policy.request_bytes };
    let text = match read(app, body, most).await {
        Ok(text) => text,
        Err(reply) => return reply,
    };
    let request = match Request::body(op, &text) {
        Ok(request) => request,
        Err(error) => return reply::answer(&json!({ "error": error })),
    };
    let stop = StopFlag::default();
    let waiting = Waiting(stop.clone());
    let (sender, mut answer) = oneshot::channel();
    let Peer { ticket, mut stopping, .. } = peer;
    let start = {
        let (app, limiter) = (Arc::clone(app), app.limiter.of(ticket.peer()));
        move || {
            // Fails when no client waits for the answer any more.
            let _ = sender.send(run(&app, &limiter, request, work, &stop));
        }
    };
    if work.takes_time() {
        if let Err(error) = search_thread().spawn(start) {
            let error = Error::new(ErrorCode::Busy, format!("cannot start a thread for the search: {error}"));
            return reply::answer(&json!({ "error": error }));
        }
    } else {
        (app.start_operation)(Box::new(start));
    }
    let answer = tokio::select! {
        answer = &mut answer => answer,
        () = stopping.stopped() => {
            // The search answers with its best result so far.
            waiting.0.stop();
            answer.await
        }
    };
    match answer {
        Ok(answer) => reply::answer(&answer),
        Err(_) => refusal(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, "the request was abandoned"),
    }
}

/// Answers a request on the calling thread, admitted by the limiter if it searches.
fn run(app: &AppState, limiter: &AddressLimiter, request: Request, work: Work, stop: &StopFlag) -> Value {
    let permit = (work == Work::Search).then(|| limiter.enter(stop)).transpose();
    match permit {
        Ok(permit) => app.service.answer(request, stop, permit.as_ref()),
        Err(error) => json!({ "error": error }),
    }
}

/// The body as text, of at most this many bytes, or the refusal.
async fn read(app: &AppState, body: Incoming, most: usize) -> Result<String, Reply> {
    let bytes = match timeout(app.config.timeouts.body, Limited::new(body, most).collect()).await {
        Ok(Ok(collected)) => collected.to_bytes(),
        Ok(Err(error)) if too_long(error.as_ref()) => {
            let error = Error::new(ErrorCode::TooLarge, format!("a request has at most {most} bytes"));
            return Err(reply::answer(&json!({ "error": error })));
        }
        Ok(Err(_)) => {
            return Err(refusal(
                StatusCode::BAD_REQUEST,
                ErrorCode::BadRequest,
                "the connection ended within the body",
            ));
        }
        Err(_) => {
            return Err(refusal(StatusCode::REQUEST_TIMEOUT, ErrorCode::TooSlow, "the body was not received in time"));
        }
    };
    String::from_utf8(bytes.into()).map_err(|error| reply::answer(&json!({ "error": not_utf8(error.utf8_error()) })))
}

fn too_long(error: &(dyn StdError + 'static)) -> bool {
    error.is::<LengthLimitError>()
}
