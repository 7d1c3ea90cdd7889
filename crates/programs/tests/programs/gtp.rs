//! Times over GTP, with programs that refuse some of them.

use std::time::Duration;

use banmen_catalog::ErrorCode;
use banmen_search::Limits;

use crate::fake::{Fake, NONE, PATIENT, bank, until};

/// The commands with times that a program is sent, if it is asked with these milliseconds on its clock.
fn sent(fault: &str, clocks: &[u64]) -> Vec<String> {
    let mut fake = Fake::start("gtp", fault, PATIENT);
    for &ms in clocks {
        let limits = Limits { clock: Some(bank(ms)), ..NONE };
        assert!(fake.ask(limits).is_ok(), "{fault}, {ms} ms");
    }
    times(&fake, clocks.len())
}

/// The commands with times, once the program has logged this number of requests.
fn times(fake: &Fake, requests: usize) -> Vec<String> {
    let count = |input: &[String]| input.iter().filter(|line| line.contains("genmove ")).count();
    until(|| fake.inputs().last().is_some_and(|input| count(input) == requests));
    let input = fake.inputs().concat();
    let commands = input.iter().map(|line| line.split_once(' ').expect("an id").1);
    commands.filter(|command| command.starts_with("time_")).map(str::to_owned).collect()
}

#[test]
fn a_program_that_refuses_fractions_is_sent_whole_seconds() {
    let clocks = [10_000, 9_987, 9_500, 700];
    assert_eq!(
        sent("takes whole seconds", &clocks),
        ["time_settings 10 0 0", "time_left b 9.987 0", "time_left b 9 0", "time_left b 9 0", "time_left b 0 0"]
    );
    // Without `time_left` it is sent new settings, but none that would leave it no time.
    assert_eq!(
        sent("takes whole seconds of settings", &clocks),
        ["time_settings 10 0 0", "time_settings 9.987 0 0", "time_settings 9 0 0", "time_settings 0.700 0 0"]
    );
}

#[test]
fn a_refused_time_left_is_no_fault() {
    assert_eq!(
        sent("takes no time left", &[10_000, 9_987]),
        ["time_settings 10 0 0", "time_left b 9.987 0", "time_left b 9 0"]
    );
}

#[test]
fn limits_below_a_second_need_fractions() {
    let limits = |ms| Limits { time: Some(Duration::from_millis(ms)), ..NONE };
    let mut fake = Fake::start("gtp", "takes whole seconds", PATIENT);
    assert!(fake.ask(limits(60_500)).is_ok());
    assert_eq!(times(&fake, 1), ["time_settings 0 60.500 1", "time_settings 0 60 1"]);
    let error = fake.ask(limits(300)).expect_err("less than a second");
    assert_eq!(error.code, ErrorCode::Unsupported, "{error}");
    assert!(
        error.message.contains("refuses times with parts of a second, give it whole ones: `syntax error`"),
        "{error}"
    );
}
