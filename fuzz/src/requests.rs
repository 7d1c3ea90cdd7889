//! The JSON protocol.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use banmen_arena::{Laboratory, operations};
use banmen_catalog::{AnyGame, AnyPlayer, Error, ErrorCode, Kind, Options, PlayerInfo, PlayerText, WallClock};
use banmen_protocol::{Call, MakePlayer, Permit, Policy, Request, SearchLimiter, Service, Sessions};
use banmen_search::StopFlag;
use serde_json::{Value, json};

use crate::{catalog, is_clean};

/// The envelope of a request: an accepted one can be written as JSON and is read as the same request again.
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
    assert!(is_clean(&error.message), "{error:?}");
    if let Some(at) = error.at {
        assert!(at <= text.chars().count(), "character {at} of `{text}`: {error}");
    }
}

/// Values of the command line's options: every refusal has a reason.
pub(crate) fn option_values(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    // The command line shows the text as it was typed.
    if text.contains(char::is_control) {
        return;
    }
    assert!(banmen::parse_values(text).iter().all(|why| is_clean(why)), "{text:?}");
}

/// The player that plays for every accepted text: the choice of a real one would take most of the time.
fn quick_player(
    game: &dyn AnyGame,
    rules: Option<&str>,
    text: &str,
    seed: u64,
    _: &StopFlag,
) -> Result<Box<dyn AnyPlayer>, Error> {
    let name = PlayerText::name_of(text);
    let players = game.players();
    let known = players.iter().find(|player| player.name == name);
    let Some(info) = known else { return game.player(rules, text, seed) };
    Options::new(info.keys, &PlayerText::parse(text)?.pairs)?;
    game.player(rules, "random", seed)
}

/// The player of a text, with the smallest table unless the text says otherwise: the usual ones take longer to allocate
/// than a short search takes.
fn small_player(
    game: &dyn AnyGame,
    rules: Option<&str>,
    text: &str,
    seed: u64,
    _: &StopFlag,
) -> Result<Box<dyn AnyPlayer>, Error> {
    let name = PlayerText::name_of(text);
    let has_table = |player: &PlayerInfo| {
        player.keys.iter().any(|key| key.name == "table" && matches!(key.kind, Kind::Integer(1, _)))
    };
    let read = PlayerText::parse(text)?;
    let given = read.pairs.iter().any(|(key, _)| *key == "table");
    if given || !game.players().iter().any(|player| player.name == name && has_table(player)) {
        return game.player(rules, text, seed);
    }
    let pairs = read.pairs.into_iter().chain([("table", "1")]);
    game.player(rules, &PlayerText::write(name, pairs), seed)
}

/// A service as the server's, without a store.
fn server(policy: Policy, player: Box<MakePlayer>) -> Service {
    let laboratory = Laboratory::new(None);
    let service = Service::new(catalog().clone(), policy).with(operations(None)).with(laboratory.operations());
    service.with_players(player)
}

/// A service as the server's, in which every player is the random one.
static QUICK: LazyLock<Service> = LazyLock::new(|| {
    let policy = Policy { time: Some(Duration::ZERO), table_mib: Some(1), ..Policy::SERVER };
    server(policy, Box::new(quick_player))
});

/// A service as the server's, whose searches are very short.
static SEARCHING: LazyLock<Service> = LazyLock::new(|| {
    let policy = Policy { time: Some(Duration::from_micros(100)), table_mib: Some(1), ..Policy::SERVER };
    server(policy, Box::new(small_player))
});

/// Requests of one connection, one per line, with searches that are stopped before they begin.
pub(crate) fn service(data: &[u8]) {
    let stop = StopFlag::default();
    stop.stop();
    answer_all(&QUICK, &stop, None, data);
}

/// Searches of one thread: it takes longer to stop other threads than to search.
static ONE_THREAD: LazyLock<Arc<SearchLimiter>> = LazyLock::new(|| SearchLimiter::new(1, 0, 1, Duration::ZERO));

/// Requests of one connection, one per line, with the players that they name.
pub(crate) fn service_search(data: &[u8]) {
    let stop = StopFlag::default();
    let permit = ONE_THREAD.of(IpAddr::from([127, 0, 0, 1])).enter(&stop).unwrap_or_else(|error| panic!("{error}"));
    answer_all(&SEARCHING, &stop, Some(&permit), data);
}

/// Each request is answered, and no answer is an internal error.
fn answer_all(service: &Service, stop: &StopFlag, permit: Option<&Permit>, data: &[u8]) {
    /// Requests of an input.
    const MAX_REQUESTS: usize = 4;
    let Ok(text) = str::from_utf8(data) else { return };
    let sessions = Sessions::default();
    for line in text.lines().take(MAX_REQUESTS) {
        let (_, Ok(request)) = Request::parse(line) else { continue };
        let mut info = |info| check_json(&info);
        let mut call = Call {
            sessions: &sessions,
            stop,
            clock: &WallClock::default(),
            info: Mutex::new(&mut info),
            stop_other: &|_| false,
            permit,
        };
        match service.handle(request, &mut call) {
            Ok(answer) => check_json(&answer),
            Err(error) => {
                assert_ne!(error.code, ErrorCode::Internal, "{line}: {error}");
                assert!(is_clean(&error.message), "{line}: {error:?}");
            }
        }
    }
}

/// An answer is a JSON object on one line, and is read as the same value again.
pub(crate) fn check_json(answer: &Value) {
    assert!(answer.is_object(), "{answer}");
    let text = answer.to_string();
    assert!(!text.contains('\n'), "{text}");
    let again: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(&again, answer);
}
