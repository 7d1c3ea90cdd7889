//! Routing of HTTP requests.

use std::net::IpAddr;
use std::sync::Arc;

use banmen_catalog::ErrorCode;
use hyper::body::Incoming;
use hyper::header::{
    ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::{HeaderMap, Method, Request, StatusCode};
use serde_json::json;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::admission::Ticket;
use crate::reply::{self, Reply, refusal, reply};
use crate::server::{AppState, Stopping};
use crate::{api, assets, metrics, origin, socket};

/// The other end of a connection.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    pub(crate) ticket: Arc<Ticket>,
    pub(crate) stopping: Stopping,
}

/// Answers a request.
pub(crate) async fn route(app: Arc<AppState>, peer: Peer, request: Request<Incoming>) -> Reply {
    if !origin::host_allowed(request.headers(), &app.config) {
        let message = "this host name is not allowed: use the server's address, or add the name to its configuration";
        return refusal(StatusCode::MISDIRECTED_REQUEST, ErrorCode::WrongHost, message);
    }
    let path = request.uri().path().to_owned();
    if let Some(op) = path.strip_prefix("/api/") {
        return match *request.method() {
            Method::POST if origin::post_allowed(request.headers(), &app.config) => {
                api::post(&app, op, request.into_body(), peer).await
            }
            Method::POST => wrong_origin(),
            _ => wrong_method("POST"),
        };
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return wrong_method("GET, HEAD");
    }
    match path.as_str() {
        "/ws" => upgrade(app, peer, request),
        "/healthz" => {
            let (running, waiting) = app.limiter.load();
            let load = json!({ "connections": app.admission.open(), "running": running, "waiting": waiting });
            reply::json(StatusCode::OK, &json!({ "ok": load }))
        }
        "/metrics" if app.config.metrics => {
            let mut reply = reply(StatusCode::OK, metrics::text(&app));
            reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(metrics::MEDIA_TYPE));
            reply
        }
        path => assets::find(path, request.headers())
            .unwrap_or_else(|| refusal(StatusCode::NOT_FOUND, ErrorCode::NotFound, "not found")),
    }
}

fn wrong_method(allowed: &'static str) -> Reply {
    let mut reply = refusal(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::WrongMethod, format!("use {allowed}"));
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    reply
}

fn wrong_origin() -> Reply {
    refusal(StatusCode::FORBIDDEN, ErrorCode::WrongOrigin, "pages of other origins may not use this server")
}

/// Turns a connection into a WebSocket.
fn upgrade(app: Arc<AppState>, peer: Peer, mut request: Request<Incoming>) -> Reply {
    if !origin::socket_allowed(request.headers(), &app.config, peer.address) {
        return wrong_origin();
    }
    let headers = request.headers();
    let wanted = *request.method() == Method::GET
        && lists(headers, CONNECTION, "upgrade")
        && lists(headers, UPGRADE, "websocket")
        && lists(headers, SEC_WEBSOCKET_VERSION, "13");
    let Some(key) = headers.get(SEC_WEBSOCKET_KEY).filter(|_| wanted).map(|key| derive_accept_key(key.as_bytes()))
    else {
        let mut reply = refusal(
            StatusCode::UPGRADE_REQUIRED,
            ErrorCode::NotAWebsocket,
            "expected a WebSocket handshake, version 13",
        );
        reply.headers_mut().insert(UPGRADE, HeaderValue::from_static("websocket"));
        reply.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        return reply;
    };
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let Peer { ticket, stopping, .. } = peer;
        if let Ok(upgraded) = upgraded.await {
            socket::serve(upgraded, app, ticket.peer(), stopping).await;
        }
        drop(ticket);
    });
    let mut reply = reply(StatusCode::SWITCHING_PROTOCOLS, "");
    let headers = reply.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    if let Ok(key) = HeaderValue::from_str(&key) {
        headers.insert(SEC_WEBSOCKET_ACCEPT, key);
    }
    reply
}

/// Whether a header's comma-separated values contain this word.
fn lists(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|value| value.trim().eq_ignore_ascii_case(word))
}
