//! `POST /api/OPERATION`: one request, its final answer.

use std::error::Error as StdError;
use std::sync::Arc;

use banmen_catalog::{Error, ErrorCode};
use banmen_protocol::{Request, search_thread};
use banmen_search::StopFlag;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::reply::{self, Reply, refusal};
use crate::server::{AppState, Stopping};

/// Stops a search when nobody waits for it any more: the connection's future is dropped when the client goes. A client
/// that goes after it sent the next request, too, is not seen to go; its search ends as if it had stayed.
struct Waiting(StopFlag);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Answers a request for `op`.
pub(crate) async fn post(house: &Arc<AppState>, op: &str, body: Incoming, mut stopping: Stopping) -> Reply {
    let operation = match house.service.operation(op) {
        Ok(operation) => operation,
        Err(error) => return reply::answer(&json!({ "error": error })),
    };
    let text = match read(house, body).await {
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
    let searches = operation.searches;
    let work = {
        let house = Arc::clone(house);
        move || {
            // Nobody may be left to take it.
            let _ = sender.send(run(&house, request, searches, &stop));
        }
    };
    if searches {
        if let Err(error) = search_thread().spawn(work) {
            let error = Error::new(ErrorCode::Busy, format!("no thread for the search: {error}"));
            return reply::answer(&json!({ "error": error }));
        }
    } else {
        tokio::task::spawn_blocking(work);
    }
    let answer = tokio::select! {
        answer = &mut answer => answer,
        () = stopping.stopped() => {
            // The search answers with what it has.
            waiting.0.stop();
            answer.await
        }
    };
    match answer {
        Ok(answer) => reply::answer(&answer),
        Err(_) => refusal(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, "the request was given up"),
    }
}

/// Answers a request on the calling thread, behind the gate if it searches.
fn run(house: &AppState, request: Request, searches: bool, stop: &StopFlag) -> Value {
    let permit = searches.then(|| house.gate.enter(stop)).transpose();
    match permit {
        Ok(permit) => house.service.answer(request, stop, permit.as_ref()),
        Err(error) => json!({ "error": error }),
    }
}

/// The body as text, or why it cannot be had.
async fn read(house: &AppState, body: Incoming) -> Result<String, Reply> {
    let most = house.service.policy.request_bytes;
    let bytes = match timeout(house.config.timeouts.body, Limited::new(body, most).collect()).await {
        Ok(Ok(collected)) => collected.to_bytes(),
        Ok(Err(error)) if too_long(error.as_ref()) => {
            let error = Error::new(ErrorCode::TooLarge, format!("a request has at most {most} bytes"));
            return Err(reply::answer(&json!({ "error": error })));
        }
        Ok(Err(_)) => return Err(refusal(StatusCode::BAD_REQUEST, ErrorCode::BadRequest, "the body broke off")),
        Err(_) => {
            return Err(refusal(StatusCode::REQUEST_TIMEOUT, ErrorCode::TooSlow, "the body took too long to come"));
        }
    };
    String::from_utf8(bytes.into()).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let error = Error::new(ErrorCode::BadJson, format!("byte {}: no UTF-8", at + 1)).at(at);
        reply::answer(&json!({ "error": error }))
    })
}

fn too_long(error: &(dyn StdError + 'static)) -> bool {
    error.is::<LengthLimitError>()
}
