//! The rules compared with boards of the official engine, and the fast step with the slow one.

use banmen_game::{Game, Notation, Rng, Side};
use banmen_golad::reference::{Naive, random_board};
use banmen_golad::step::{step, step_all};
use banmen_golad::{Board, Cell, Form, Golad, Move, Position, Wide, start};

const GOLAD: Golad = Golad::STANDARD;

fn position(text: &str) -> Position {
    GOLAD.parse_position(text).expect(text).1
}

fn rows(position: &Position) -> String {
    let text = GOLAD.format_position(position, "");
    text.split(' ').next().expect("rows").to_owned()
}

/// Boards of the official engine: before, the mover and its move, after the move, after the generation.
const VECTORS: &[(&str, &str, &str, &str, &str)] = &[
    ("...../..0../..0../..0../.....", "0", "pass", "...../..0../..0../..0../.....", "...../...../.000./...../....."),
    ("0.1..1/.10.../.0.1../......", "0", "pass", "0.1..1/.10.../.0.1../......", "..1.../0..1../.0..../......"),
    ("00../0.../..11/..1.", "0", "kill 2,2", "00../0.../...1/..1.", "00../00../..../...."),
];

#[test]
fn small_boards_match_the_official_engine() {
    for &(before, side, played, placed, after) in VECTORS {
        let text = format!("{before} {side} 0");
        let (game, mut position) = GOLAD.parse_position(&text).expect("a position");
        // The board continues even when only one side has cells and the game is over.
        let m = if played == "pass" { Move::Pass } else { game.parse_move(&position, played).expect("a move") };
        let mut halfway = position;
        halfway.place(m);
        assert_eq!(rows(&halfway), placed);
        game.play(&mut position, m);
        assert_eq!(rows(&position), after);
    }
}

#[test]
fn whole_boards_match_the_official_engine() {
    let mut cases = 0;
    for case in include_str!("data/steps.txt").split("case ").skip(1) {
        let mut lines = case.lines();
        let head: Vec<&str> = lines.next().expect("a head").splitn(5, ' ').collect();
        let (side, played) = (head[2], head[4]);
        let columns: Vec<Vec<&str>> = lines.by_ref().take(16).map(|line| line.split('|').collect()).collect();
        let board = |column: usize| columns.iter().map(|row| row[column]).collect::<Vec<_>>().join("/");
        let mut here = position(&format!("{} {side}", board(0)));
        let m = GOLAD.parse_move(&here, played).expect(played);
        let mut halfway = here;
        halfway.place(m);
        assert_eq!(rows(&halfway), board(1), "{head:?}");
        GOLAD.play(&mut here, m);
        assert_eq!(rows(&here), board(2), "{head:?}");
        let counts: Vec<u32> = lines.next().expect("counts").split(' ').filter_map(|word| word.parse().ok()).collect();
        assert_eq!([Side::First, Side::Second].map(|side| here.board.count(side)).to_vec(), counts);
        assert_eq!(GOLAD.outcome(&here, &()), None);
        cases += 1;
    }
    assert_eq!(cases, 3);
}

/// The upper halves of starts of the official generator, and the counts after generations of passes only.
#[test]
fn starts_match_the_official_generator() {
    let upper = |rules: &Golad, seed| {
        let text = rows(&Position::new(start(rules, seed).expect("a start")));
        text.split('/').take(8).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        upper(&Golad::STANDARD, "banmen-1"),
        "....00.....0...0.. .....0.0.0..0..00. 0.0.00..000.....0. ..0.0...0.....0... .0..0......0...... ....0.0.......0... ..0..0000......00. ....0...0.0..0.0.."
    );
    assert_eq!(
        upper(&Golad::STANDARD, "banmen-2"),
        "...............00. ..00......0.00.... 0.0..000..0....... 0.0...0...00...0.0 ...00.0.....0.0... ..0.....0....000.. 000..0.....0...0.. .......0....0...00"
    );
    assert_eq!(
        upper(&Golad::MIXED, "banmen-2"),
        "..01.0..1.00..1... .......11.01...... ..000.0.0.0....1.. ......0....0.1.... 1.0.1....1..1..... .......1..01.1.... ....0.0.........0. ..00.0..1...00..1."
    );
    let counted = |seed, marks: &[(u32, u32)]| {
        let mut board = start(&GOLAD, seed).expect("a start");
        let mut done = 0;
        for &(generation, count) in marks {
            while done < generation {
                step(&mut board);
                done += 1;
            }
            assert_eq!([Side::First, Side::Second].map(|side| board.count(side)), [count; 2], "{seed} {generation}");
        }
    };
    counted("banmen-1", &[(1, 36), (2, 34), (3, 27), (5, 18), (10, 5), (50, 5), (200, 5)]);
    counted("banmen-2", &[(1, 39), (2, 41), (3, 34), (5, 36), (10, 42), (50, 10), (200, 10)]);
}

#[test]
fn a_start_has_the_published_number_of_moves() {
    let here = Position::new(start(&GOLAD, "banmen-1").expect("a start"));
    assert_eq!((GOLAD.count_moves(&here), GOLAD.moves(&here).len()), (162_321, 162_321));
}

/// All 135 cases of a centre with so many neighbours of each colour, in the arrangements of random boards.
#[test]
fn every_form_of_the_step_matches_the_slow_one() {
    let mut rng = Rng::new(7);
    for (width, height, boards) in [
        (18, 16, 3_000),
        (32, 16, 300),
        (1, 1, 10),
        (3, 3, 500),
        (32, 32, 100),
        (17, 31, 100),
        (5, 17, 200),
        (1, 16, 100),
    ] {
        // A board of another size among equal ones: values kept from board to board must be replaced.
        let other = random_board(1 + height % 32, 1 + width % 16, 4, &mut rng);
        for _ in 0..boards {
            let board = random_board(width, height, 1 + rng.index(9), &mut rng);
            let expected = Naive::of(&board).step();
            for form in Form::ALL {
                let mut next = [board, board, other, board];
                step_all(&mut next, 1, form);
                for at in [0, 1, 3] {
                    assert_eq!(Naive::of(&next[at]), expected, "{form:?}, {width} by {height}, number {at}");
                }
                assert_eq!(Naive::of(&next[2]), Naive::of(&other).step(), "{form:?}");
            }
        }
    }
}

#[test]
fn vectors_agree_with_words_on_a_million_boards() {
    let mut rng = Rng::new(11);
    let mut boards: Vec<Board> = (0..1_000).map(|_| random_board(18, 16, 1 + rng.index(9), &mut rng)).collect();
    for _ in 0..1_000 {
        // Each generation is another board; extinct boards are filled again.
        let [plain, avx2, avx512] = Form::ALL.map(|form| {
            let mut boards = boards.clone();
            step_all(&mut boards, 1, form);
            boards
        });
        assert_eq!(avx2, plain);
        assert_eq!(avx512, plain);
        boards = plain;
        for board in &mut boards {
            if board.count(Side::First) + board.count(Side::Second) < 20 || rng.index(50) == 0 {
                *board = random_board(18, 16, 1 + rng.index(9), &mut rng);
            }
        }
    }
}

#[test]
fn every_move_has_the_value_of_the_board_after_it() {
    let mut rng = Rng::new(5);
    let mut wide = Wide::new();
    for (width, height, living) in [(6, 6, 8), (18, 16, 14), (5, 20, 9), (32, 3, 10)] {
        for side in [Side::First, Side::Second] {
            let rules = Golad { width, height, ..GOLAD };
            let mut board = Board::empty(width, height);
            for turn in 0..2 * living {
                let cell = Cell::new(rng.index(width.into()), rng.index(height.into())).expect("a cell");
                board.set(cell, Some([Side::First, Side::Second][turn % 2]));
            }
            let here = Position { board, side, generations: 0 };
            for generations in [1, 2] {
                let mut expected = Vec::new();
                for m in rules.moves(&here) {
                    let mut next = here;
                    next.play(m);
                    if generations == 2 {
                        step(&mut next.board);
                    }
                    expected.push((m, next.board.count(side) as i16 - next.board.count(side.other()) as i16));
                }
                for form in Form::ALL {
                    wide.rank_by(form, &board, side, generations);
                    let expected = expected.iter().map(|(_, value)| value);
                    assert!(wide.values().iter().eq(expected), "{form:?}, {width} by {height}");
                }
                // The best moves; of equal ones those listed first.
                expected.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
                assert!(wide.best(40).eq(expected.iter().copied().take(40)));
            }
        }
    }
    assert_eq!(Wide::new().best(3).count(), 0);
}

#[test]
fn games_end_by_the_rules() {
    let end = |text: &str| {
        let (game, position) = GOLAD.parse_position(text).expect(text);
        game.outcome(&position, &()).map(|outcome| (outcome.winner, outcome.by))
    };
    assert_eq!(end("00/.. 0 0"), Some((Some(Side::First), "extinction")));
    assert_eq!(end("../.1 0 8"), Some((Some(Side::Second), "extinction")));
    assert_eq!(end("../.. 1 3"), Some((None, "extinction")));
    assert_eq!(end("0./.1 0 200"), Some((None, "rounds")));
    assert_eq!(end("0./.1 1 199"), None);
    // Killing the last enemy cell wins only if an own one survives the generation.
    let (game, mut here) = GOLAD.parse_position("0..../...../....1 0 0").expect("a position");
    let kill = game.parse_move(&here, "kill 4,2").expect("a kill");
    game.play(&mut here, kill);
    assert_eq!(game.outcome(&here, &()).map(|outcome| outcome.winner), Some(None));
}

#[test]
fn the_longest_games_end() {
    for rounds in [Golad::MAX_ROUNDS, Golad::MAX_ROUNDS + 1, u16::MAX] {
        let rules = Golad { rounds, ..GOLAD };
        assert_eq!((rules.turns(), rules.max_plies()), (65_534, 65_534));
        // Two blocks, which no generation changes.
        let text = "00.11/00.11";
        let (rules, here) = rules.parse_position(&format!("{text} 0 65532")).expect("in the last round");
        let mut here = here;
        for _ in 0..2 {
            assert_eq!(rules.outcome(&here, &()), None);
            rules.play(&mut here, Move::Pass);
        }
        assert_eq!(rules.outcome(&here, &()).map(|outcome| (outcome.winner, outcome.by)), Some((None, "rounds")));
        assert_eq!(rules.parse_position(&format!("{text} 1 65535")).expect_err("too many").reason, "bad_generations");
    }
}

#[test]
fn rules_without_a_start_begin_with_a_drawn_game() {
    for rules in [Golad { height: 15, ..GOLAD }, Golad { cells: 87, ..GOLAD }] {
        assert!(start(&rules, "x").is_err());
        let here = rules.start();
        assert_eq!(rules.outcome(&here, &()).map(|outcome| outcome.winner), Some(None));
        assert_eq!(rules.count_moves(&here), 0);
    }
}

#[test]
fn rejects_moves_as_the_official_engine_does() {
    let here = position("start:banmen-1");
    for (text, reason) in [
        ("", "empty"),
        ("null", "unknown_verb"),
        ("burn 4,0", "unknown_verb"),
        ("kill", "wrong_count"),
        ("kill 4,0 5,0", "wrong_count"),
        ("kill  4,0", "wrong_count"),
        ("kill 4, 0", "wrong_count"),
        ("kill 4", "not_a_cell"),
        ("kill 4;0", "not_a_cell"),
        ("kill x,y", "not_a_cell"),
        ("kill -1,0", "off_board"),
        ("kill 18,0", "off_board"),
        ("kill 99,0", "off_board"),
        ("kill 0,0", "dead"),
        ("birth 4,0 5,0 11,0", "alive"),
        ("birth 0,0 1,0 5,0", "not_yours"),
        ("birth 0,0 4,0 2,8", "not_yours"),
        ("birth 0,0 4,0 4,0", "twice"),
        ("birth 0,0 4,0", "wrong_count"),
    ] {
        let refused = GOLAD.parse_move(&here, text).expect_err(text);
        assert_eq!(refused.reason, reason, "{text}: {refused}");
    }
    let [a, b] = [(4, 0), (5, 0)].map(|(x, y)| Cell::new(x, y).expect("a cell"));
    let birth = Move::birth(Cell::new(0, 0).expect("a cell"), a, b);
    for (text, m) in [
        ("pass", Move::Pass),
        ("PASS", Move::Pass),
        ("pass the salt", Move::Pass),
        ("no_moves", Move::Pass),
        ("Kill 4,0", Move::Kill(a)),
        ("kill 4,0   ", Move::Kill(a)),
        ("kill 4,0,9", Move::Kill(a)),
        ("kill +4,00", Move::Kill(a)),
        ("kill_4,0", Move::Kill(a)),
        ("birth 0,0 5,0 4,0", birth),
        ("birth_0,0_4,0_5,0", birth),
    ] {
        assert_eq!(GOLAD.parse_move(&here, text).expect(text), m, "{text}");
    }
}

#[test]
fn rejects_boards_with_the_place() {
    for (text, reason, at) in [
        ("", "bad_width", 0),
        ("0.x/... 0 0", "not_a_cell", 2),
        ("0../.. 0 0", "uneven_rows", 4),
        ("0.. 2 0", "bad_side", 4),
        ("0.. 0 x", "bad_generations", 6),
        ("0.. 0 201", "bad_generations", 6),
        ("0.. 0 0 0", "trailing", 8),
        ("start:", "no_seed", 6),
        ("start: x", "blank_in_seed", 6),
        ("start:x ", "blank_in_seed", 6),
        ("0.. 0 7", "bad_generations", 6),
        ("0.. 1 8", "bad_generations", 6),
        (".,0,1", "wrong_count", 5),
        (".................................", "bad_width", 0),
    ] {
        let refused = GOLAD.parse_position(text).expect_err(text);
        assert_eq!((refused.reason, refused.at), (reason, at), "{text}: {refused}");
    }
    let field = format!("{}:", vec!["."; 287].join(","));
    assert_eq!(GOLAD.parse_position(&field).expect_err("287 cells").reason, "wrong_count");
    let tall = vec!["."; 33].join("/");
    assert_eq!(GOLAD.parse_position(&tall).expect_err("33 rows").reason, "bad_height");
}

#[test]
fn reads_and_writes_the_board_of_the_site() {
    let here = position("start:banmen-2");
    let field = GOLAD.format_position(&here, "riddles");
    assert_eq!(field.split(' ').next().expect("cells").split(',').count(), 288);
    assert_eq!(position(&field), here);
    assert_eq!(position(field.split(' ').next().expect("cells")), here);
    let (small, here) = GOLAD.parse_position("0.1/... 1").expect("a small board");
    let field = small.format_position(&here, "riddles");
    assert_eq!(field, "0,.,1,.,.,. 1 1");
    // This form does not contain the length of a row: it is read only under rules of its size.
    assert_eq!(small.parse_position(&field), Ok((small, here)));
    assert_eq!(GOLAD.parse_position(&field).expect_err("another size").reason, "wrong_count");
}

#[test]
fn splits_moves_at_their_verbs() {
    for (text, parts) in [
        ("pass kill 4,0 birth 1,1 2,2 3,3", &["pass", "kill 4,0", "birth 1,1 2,2 3,3"][..]),
        ("kill a,b  pass", &["kill a,b", "pass"]),
        ("4,0 pass", &["4,0", "pass"]),
        ("birth_1,1_2,2_3,3 kill_4,0 pass", &["birth_1,1_2,2_3,3", "kill_4,0", "pass"]),
        (" kill　4,0\nPASS ", &["kill　4,0", "PASS"]),
    ] {
        assert_eq!(GOLAD.split_moves(text), parts, "{text}");
    }
}
