//! GTP as Pentobi speaks it.

use std::time::Duration;

use banmen_catalog::ErrorCode;
use banmen_search::{Limits, TimeControl};

use crate::fake::{Fake, NONE, PATIENT, game, until};

#[test]
fn sends_pentobi_only_commands_that_it_knows() {
    let mut fake = Fake::start("pentobi", "logs its input", PATIENT);
    // A game in which one side has to pass, and the other one goes on.
    let game = game("blokus");
    let mut state = game.state(None, None).expect("the start");
    let mut rng = banmen_game::Rng::new(1);
    while state.legal() != [state.pass().unwrap_or(u32::MAX)] {
        if state.outcome().is_some() {
            state = game.state(None, None).expect("the start");
        }
        let legal = state.legal();
        state.play(legal[rng.index(legal.len())]).expect("a legal move");
    }
    let placed = state.move_texts("text");
    let other = if placed.len() % 2 == 0 { "w" } else { "b" };
    let clock = TimeControl { main: Duration::from_secs(60), ..TimeControl::default() };
    let limits = Limits { time: Some(Duration::from_secs(50)), clock: Some(clock), ..NONE };
    // It plays its opening move, which is not legal there.
    let mut moves: Vec<&str> = placed.iter().map(String::as_str).collect();
    moves.push("pass");
    assert!(fake.ask(limits).is_ok());
    assert_eq!(fake.ask_after(&moves, limits).expect_err("an opening move").code, ErrorCode::ProgramIllegal);
    until(|| {
        fake.inputs().last().is_some_and(|input| input.iter().filter(|line| line.contains("genmove")).count() == 2)
    });
    let input = fake.inputs().concat();
    let commands: Vec<&str> = input.iter().map(|line| line.split_once(' ').expect("an id").1).collect();
    assert_eq!(
        commands[..6],
        [
            "list_commands",
            "set_game Blokus Duo",
            "clear_board",
            &format!("set_random_seed {}", 1u64 >> 33),
            "genmove b",
            "clear_board"
        ]
    );
    let mut plays: Vec<String> =
        placed.iter().enumerate().map(|(at, text)| format!("play {} {text}", ["b", "w"][at % 2])).collect();
    assert!(plays.last().is_some_and(|play| play.starts_with(&format!("play {other} "))), "{plays:?}");
    plays.push(format!("genmove {other}"));
    assert_eq!(commands[7..], plays, "no pass, and no time");
}
