//! The vectors made by the original's own C# classes: see `data/README.md`.

use banmen_game::{Game, GameState, Notation, Side};
use banmen_tubstap::{Kind, Move, Tubstap, maps};

/// The state that a text of the vectors gives, with the rules of the text before it.
fn read(rules: &Tubstap, text: &str) -> (Tubstap, banmen_tubstap::Position) {
    rules.parse_position(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn parsed(game: &Tubstap, position: &banmen_tubstap::Position, text: &str) -> Move {
    game.parse_move(position, text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn result(game: &Tubstap, position: &banmen_tubstap::Position) -> &'static str {
    match game.outcome(position, &()).map(|outcome| outcome.winner) {
        None => "running",
        Some(Some(Side::First)) => "red",
        Some(Some(Side::Second)) => "blue",
        Some(None) => "draw",
    }
}

#[test]
fn damage_is_that_of_the_original() {
    let mut lines = 0;
    for line in include_str!("data/damage.txt").lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let kind = |word: &str| word.chars().next().and_then(Kind::of_letter).expect("a kind");
        let number = |word: &str| word.parse::<u32>().expect("a number");
        let (attacker, hp, stars) = (kind(words[0]), number(words[1]), number(words[2]));
        let (target, target_hp, target_stars) = (kind(words[3]), number(words[4]), number(words[5]));
        let damage = attacker.damage(hp, target, target_hp, target_stars);
        assert_eq!(damage, number(words[6]), "damage of {line}");
        let strikes_back = damage < target_hp && attacker.is_direct() && target.is_direct();
        let counter = if strikes_back { target.damage(target_hp - damage, attacker, hp, stars) } else { 0 };
        assert_eq!(counter, number(words[7]), "counter of {line}");
        lines += 1;
    }
    assert_eq!(lines, 120);
}

/// The lines of a block by their first word.
fn blocks(text: &str) -> Vec<Vec<(&str, &str)>> {
    let block = |block| str::lines(block).filter_map(|line| line.split_once(' ')).collect();
    text.split("END\n").filter(|text| !text.trim().is_empty()).map(block).collect()
}

/// The position of a block: its lines but for the first words.
fn position_of(block: &[(&str, &str)]) -> (Tubstap, banmen_tubstap::Position) {
    let line = |name: &str| block.iter().find(|(word, _)| *word == name).map(|(word, rest)| format!("{word} {rest} "));
    let text: String = ["SIZE", "TERRAIN", "TURN", "UNITS"].into_iter().filter_map(line).collect();
    read(&maps::standard(), &text)
}

#[test]
fn positions_have_the_moves_and_results_of_the_original() {
    let blocks = blocks(include_str!("data/positions.txt"));
    assert_eq!(blocks.len(), 12);
    for block in &blocks {
        let (game, position) = position_of(block);
        let moves = game.moves(&position);
        let mut listed = 0;
        let mut before = ("", (0, 0));
        for &(word, rest) in block {
            let (unit, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            let texts = |attacks: bool| {
                let of_unit = |m: &&Move| m.unit() == unit.parse().ok() && m.target().is_some() == attacks;
                let mut texts: Vec<String> = moves.iter().filter(of_unit).map(ToString::to_string).collect();
                texts.sort();
                texts
            };
            let mut expected: Vec<String> = rest.split_whitespace().map(|action| format!("{unit}@{action}")).collect();
            expected.sort();
            match word {
                "MOVES" => assert_eq!(texts(false), expected),
                "ATTACKS" => assert_eq!(texts(true), expected),
                "ZERODMG" => {
                    let unit: usize = unit.parse().expect("a number");
                    let count = |zero_damage| {
                        let mut count = 0;
                        let listed = banmen_tubstap::Listed { units: 1 << unit, zero_damage };
                        let _ = game.visit_listed(&position, listed, |m| {
                            assert_eq!(game.check(&position, m), Ok(()));
                            count += usize::from(m.target().is_some());
                            std::ops::ControlFlow::<()>::Continue(())
                        });
                        count
                    };
                    assert_eq!((count(true) - count(false)).to_string(), rest, "unit {unit}");
                    continue;
                }
                "DO" => {
                    let numbers: Vec<u32> = rest.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                    let m = parsed(&game, &position, unit);
                    let dealt = m
                        .target()
                        .map_or((0, 0), |target| game.exchange(&position, m.unit().expect("a unit"), m.to(), target));
                    assert_eq!(dealt, (numbers[0], numbers[1]), "{unit}");
                    before = (unit, dealt);
                    continue;
                }
                "AFTER" => {
                    let mut state = GameState::from(game.clone(), position);
                    state.play(parsed(&game, &position, before.0));
                    // TURN n SIDE s RESULT r UNITS …, of which `unit` is the first word.
                    let (head, units) = rest.split_once(" UNITS ").expect("units");
                    let (turn, expected) = head.split_once(" RESULT ").expect("a result");
                    let (_, after) = read(&game, &format!("{unit} {turn} UNITS {units}"));
                    assert_eq!(*state.position(), after, "after {}", before.0);
                    assert_eq!(result(&game, &after), expected);
                    continue;
                }
                _ => continue,
            }
            listed += expected.len();
        }
        assert_eq!(listed, moves.len());
    }
}

#[test]
fn games_end_as_in_the_original() {
    let text = include_str!("data/games.txt");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 36);
    for game in lines.chunks(3) {
        let words: Vec<&str> = game[0].split_whitespace().collect();
        let rules = maps::named(words[2]).expect("a map");
        let mut state = GameState::new(rules.clone());
        let moves: Vec<&str> = game[1].split_whitespace().skip(1).collect();
        assert_eq!(moves.len().to_string(), words[4]);
        for text in moves {
            assert_eq!(state.outcome(), None, "{} goes on", words[2]);
            let m = parsed(&rules, state.position(), text);
            state.play(m);
        }
        let (head, units) = game[2].split_once(" UNITS ").expect("units");
        let words: Vec<&str> = head.split_whitespace().collect();
        assert_eq!(state.position().turn().to_string(), words[2]);
        assert_eq!(result(&rules, state.position()), words[4]);
        let shown = rules.format_position(state.position(), "");
        assert!(shown.ends_with(&format!(" UNITS {units}")), "{shown}\n{units}");
    }
}
