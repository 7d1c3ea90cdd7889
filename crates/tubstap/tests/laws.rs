//! The laws of `banmen-game`, on maps of both forms.

use banmen_game::laws::{Laws, assert_golden};
use banmen_game::{Game, Notation, PassCost};
use banmen_tubstap::reference::Reference;
use banmen_tubstap::{Tubstap, maps};

/// A map of 14 by 12 cells inside, too large for one word, with units of every kind and terrain of every sort.
const LARGE: &str = "SIZE 16 14 LIMIT 12 THRESHOLD 3 TERRAIN \
    0000000000000000/0111331144411110/0113331222411550/0111111222111510/0444113331115510/0111116111115110/\
    0122255555555110/0122213311335110/0111113344335110/0111663341111110/0115513311444110/0115111122244110/\
    0115555122211110/0000000000000000 TURN 0 SIDE 0 UNITS 0:I:0:1,1:10:0 1:I:0:2,1:9:0 2:P:0:3,1:10:0 3:U:0:1,2:10:1 \
    4:R:0:2,3:7:0 5:A:0:7,2:10:0 6:F:0:8,3:10:0 7:I:1:14,12:10:0 8:P:1:13,12:8:0 9:U:1:12,12:10:0 10:R:1:14,11:10:0 \
    11:A:1:9,11:10:0 12:F:1:10,12:9:0 13:P:1:9,9:10:1";

fn large() -> Tubstap {
    Tubstap::parse_position(&maps::standard(), LARGE).expect("a position").0
}

fn games() -> Vec<Tubstap> {
    let named = ["map01", "map02", "map05", "GAT_masuda", "genmap-4u-1", "select_A1"];
    named.into_iter().map(|name| maps::named(name).expect("a map")).chain([large()]).collect()
}

const LAWS: Laws = Laws { games: 6, moves: 30, seed: 1 };

#[test]
fn keeps_the_laws_of_rules() {
    games().iter().for_each(|game| LAWS.rules(game));
}

#[test]
fn keeps_the_laws_of_notation() {
    games().iter().for_each(|game| Laws { games: 2, moves: 5, ..LAWS }.notation(game));
}

#[test]
fn fast_rules_equal_the_reference() {
    maps::all().for_each(|(_, map)| Laws { games: 2, ..LAWS }.reference::<_, Reference>(&map.game));
    Laws { games: 10, ..LAWS }.reference::<_, Reference>(&large());
}

/// Update the file with `UPDATE_GOLDEN=1 cargo test -p banmen-tubstap --test laws`, and review its diff.
#[test]
fn golden_playthroughs() {
    let short = |text| Tubstap::parse_position(&maps::standard(), text).expect("a position").0;
    let games = ["map01 LIMIT 4 THRESHOLD 0", "select_A1"].map(short);
    let played = games.map(|game| LAWS.playthrough(&game)).concat();
    assert_golden(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/playthrough.txt"), &played);
}

/// The counts of `data/perft.txt`, of every map.
#[test]
fn perft_gives_the_counts_of_the_original() {
    let lines: Vec<&str> = include_str!("data/perft.txt").lines().collect();
    assert_eq!(lines.len(), 55);
    for line in lines {
        let mut words = line.split_whitespace();
        let game = maps::named(words.next().expect("a name")).expect("a map");
        let counts: Vec<u64> = words.map(|word| word[3..].parse().expect("a count")).collect();
        Laws::default().perft(&game, PassCost::Ply, &counts);
    }
    Laws::default().perft(&maps::standard(), PassCost::Ply, &[73, 4_361, 205_220]);
}

#[test]
fn decisions_left_count_the_units_that_can_act() {
    let game = maps::named("map04").expect("a map");
    let mut position = game.start();
    // Red has five units, of which one has acted.
    let able = position.units().filter(|(_, unit)| unit.side == position.side() && !unit.acted).count();
    assert_eq!(game.decisions_left(&position) as usize, able);
    let side = position.side();
    for left in (1..able).rev() {
        let m = game.moves(&position)[0];
        game.play(&mut position, m);
        assert_eq!((position.side(), game.decisions_left(&position) as usize), (side, left));
    }
}
