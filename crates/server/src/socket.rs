//! Serves a WebSocket as a connection of the protocol.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use banmen_catalog::{Error, ErrorCode};
use banmen_protocol::{Connection, Sink};
use banmen_search::threads::lock;
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Message};

use crate::outbox::Outbox;
use crate::server::{AppState, Stopping};

/// No request is read while this many answers wait to be sent.
const MAX_ANSWERS: usize = 8;

/// Serves a WebSocket of `peer` until it closes. Its searches end with it.
pub(crate) async fn serve(upgraded: Upgraded, app: Arc<AppState>, peer: IpAddr, mut stopping: Stopping) {
    let most = app.service.policy.import_bytes;
    let config = WebSocketConfig::default()
        .read_buffer_size(8 << 10)
        .write_buffer_size(0)
        .max_message_size(Some(most))
        .max_frame_size(Some(most));
    let mut socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;

    let outbox = Arc::new(Outbox::default());
    let sink: Sink = {
        let outbox = Arc::clone(&outbox);
        Arc::new(move |message: Value| outbox.put(&message))
    };
    let connection =
        Connection::new(Arc::clone(&app.service), Some(app.limiter.of(peer)), sink).with_session_cache(&app.sessions);
    let connection = Arc::new(Mutex::new(connection));

    let every = app.config.timeouts.ping;
    let mut ping = interval(every);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut received_at = Instant::now();
    let mut work: Option<JoinHandle<()>> = None;
    let mut refused = false;
    loop {
        let free = work.is_none() && outbox.answers() < MAX_ANSWERS;
        let sent = tokio::select! {
            () = stopping.stopped() => {
                let _ = close(&mut socket, CloseCode::Away, "the server is shutting down").await;
                break;
            }
            text = outbox.take() => socket.send(Message::text(text)).await,
            () = done(&mut work) => {
                work = None;
                // Nothing was received meanwhile, since nothing was read.
                received_at = Instant::now();
                Ok(())
            }
            _ = ping.tick() => {
                if work.is_none() && received_at.elapsed() > every.mul_f64(2.5) {
                    break;
                }
                socket.send(Message::Ping(Default::default())).await
            }
            received = socket.next(), if free => {
                received_at = Instant::now();
                match received {
                    Some(Ok(Message::Text(text))) => {
                        app.metrics.message();
                        let connection = Arc::clone(&connection);
                        work = Some((app.start_operation)(Box::new(move || {
                            lock(&connection).read(text.as_str());
                        })));
                        Ok(())
                    }
                    Some(Ok(Message::Binary(_))) => {
                        refused = close(&mut socket, CloseCode::Unsupported, "requests are text").await.is_ok();
                        break;
                    }
                    // Pings are answered by the library; after a close frame the stream ends by itself.
                    Some(Ok(_)) => Ok(()),
                    Some(Err(tungstenite::Error::Capacity(_))) => {
                        let error = Error::new(ErrorCode::TooLarge, format!("a request has at most {most} bytes"));
                        let text = json!({ "id": null, "error": error }).to_string();
                        let _ = socket.send(Message::text(text)).await;
                        refused = close(&mut socket, CloseCode::Size, "the request is too large").await.is_ok();
                        break;
                    }
                    Some(Err(_)) | None => break,
                }
            }
        };
        if sent.is_err() {
            break;
        }
    }
    // Searches that run for the client end with it.
    drop((work, connection));
    if refused {
        tokio::select! {
            () = stopping.stopped() => {}
            _ = timeout(app.config.timeouts.body, drain(socket.get_mut())) => {}
        }
    }
}

/// Reads what a client still sends after it was refused, until it closes: closing a connection with unread bytes resets
/// it, and the client may not receive the reason.
async fn drain(stream: &mut TokioIo<Upgraded>) {
    let mut rest = [0; 4 << 10];
    if stream.shutdown().await.is_ok() {
        while matches!(stream.read(&mut rest).await, Ok(1..)) {}
    }
}

/// Waits for the operation that runs; forever without one.
async fn done(work: &mut Option<JoinHandle<()>>) {
    match work {
        // The service catches panics of its operations.
        Some(work) => drop(work.await),
        None => std::future::pending().await,
    }
}

async fn close(
    socket: &mut WebSocketStream<TokioIo<Upgraded>>,
    code: CloseCode,
    reason: &'static str,
) -> Result<(), tungstenite::Error> {
    socket.close(Some(CloseFrame { code, reason: reason.into() })).await
}
