//! Requests that name external programs as players.

use std::sync::Mutex;
use std::time::Duration;

use banmen_catalog::{Catalog, WallClock};
use banmen_programs::{Programs, factory};
use banmen_protocol::{Call, Policy, Request, Service, Sessions};
use banmen_search::StopFlag;
use serde_json::{Value, json};

fn service(programs: Programs) -> Service {
    let catalog = Catalog::default().with(banmen_othello::entry());
    Service::new(catalog, Policy::LOCAL).with_players(factory(programs))
}

/// The error of a `think` request with this player.
fn error(service: &Service, player: &str, session: Option<&str>) -> Value {
    error_until(&StopFlag::default(), service, player, session)
}

fn error_until(stop: &StopFlag, service: &Service, player: &str, session: Option<&str>) -> Value {
    let body = json!({ "game": "othello", "player": player, "session": session });
    let request = Request { op: "think".to_owned(), body: body.as_object().expect("an object").clone() };
    let mut ignore = |_| {};
    let mut call = Call {
        sessions: &Sessions::default(),
        stop,
        clock: &WallClock::default(),
        info: Mutex::new(&mut ignore),
        stop_other: &|_| false,
        permit: None,
    };
    let error = service.handle(request, &mut call).expect_err(player);
    serde_json::to_value(error).expect("an object")
}

#[test]
fn programs_are_refused_where_they_are_not_allowed() {
    let refused = service(Programs::REFUSED);
    for player in ["rpc:/bin/sh", "rpc:", "rpc", " rpc :a"] {
        for session in [None, Some("a")] {
            let error = error(&refused, player, session);
            assert_eq!(error["code"], "programs_not_allowed", "{player}: {error}");
            assert_eq!(error["message"], "external programs are not allowed here", "{player}");
        }
    }
}

#[test]
fn a_stop_ends_the_wait_for_a_program_that_starts() {
    let allowed = service(Programs::ALLOWED);
    for session in [None, Some("a")] {
        let stop = StopFlag::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                stop.stop();
            });
            assert_eq!(error_until(&stop, &allowed, "rpc:sleep 1000", session)["code"], "stopped");
        });
    }
}

#[test]
fn bad_commands_and_names_are_reported() {
    let allowed = service(Programs::ALLOWED);
    for (player, code, at, words) in [
        ("rpc:", "bad_command", Some(4), "character 5: a command is missing"),
        ("rpc:a 'b", "bad_command", Some(6), "character 7: the quote ' is not closed"),
        ("rpc:/no/such/program", "program_start", None, "`/no/such/program` did not start: "),
        (
            "riddle:python3 bot.py",
            "unknown_player",
            None,
            "no player or protocol `riddle`; the nearest name is `riddles`",
        ),
        ("engin:level=3", "unknown_player", None, "no player or protocol `engin`; the nearest name is `engine`"),
        ("engin", "unknown_player", None, "there is no player `engin`; the nearest name is `engine`"),
        ("engine:level=1,level=10", "bad_player", None, "`level` is given twice"),
    ] {
        let error = error(&allowed, player, None);
        assert_eq!((error["code"].as_str(), error["at"].as_u64()), (Some(code), at), "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(words)), "{error}");
    }
}
