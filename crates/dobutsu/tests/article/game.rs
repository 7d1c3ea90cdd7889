//! The article's game: the laws, its move counts, and the differences from the other rules.
//!
//! It is exempt from two laws by name. `notation`: twins share one text, and a text holds neither earlier occurrences
//! nor the order of a hand. The tests below check what holds for its texts. `symmetries`: the mirror does not preserve
//! the order of the moves, and the game offers no symmetries.

use crate::program::Board;
use banmen_catalog::{AnyGame, View};
use banmen_dobutsu::article::{Article, Move, Position};
use banmen_dobutsu::board::{Piece, Square};
use banmen_dobutsu::position;
use banmen_game::laws::Laws;
use banmen_game::{FastPlayout, Fault, Game, GameState, Notation, Outcome, PassCost, Rng, Side};

fn read(text: &str) -> Position {
    Article.parse_position(text).unwrap_or_else(|error| panic!("{text}: {error}")).1
}

fn texts(position: &Position) -> Vec<String> {
    Article.moves(position).into_iter().map(|m| Article.format_move(position, m, "sfen")).collect()
}

#[test]
fn laws() {
    Laws { games: 1_000, ..Laws::default() }.rules(&Article);
    Laws { games: 2_000, ..Laws::default() }.playout(&Article);
    Laws { games: 300, ..Laws::default() }.reference::<_, Board>(&Article);
}

#[test]
fn sequences_are_counted_as_by_the_articles_program() {
    let counts = [4, 17, 123, 976, 8_113, 70_942, 627_845, 5_700_326];
    Laws::default().perft(&Article, PassCost::Ply, &counts);
}

#[test]
fn with_a_hen_of_six_squares_there_are_more() {
    let start = Article.start();
    for (depth, (five, six)) in (1..).zip([(4, 4), (17, 17), (123, 123), (976, 976), (8_113, 8_122), (70_942, 71_051)])
    {
        assert_eq!((Board::new(&start, 5).perft(depth), Board::new(&start, 6).perft(depth)), (five, six), "{depth}");
    }
}

/// The laws' reference compares sets; the article's player depends on the order.
#[test]
fn moves_stand_in_the_articles_order() {
    let mut rng = Rng::new(7);
    let mut twins = 0;
    for _ in 0..300 {
        let mut state = GameState::new(Article);
        let mut plain = Board::new(state.position(), 5);
        while state.outcome().is_none() {
            let (moves, mut plainly) = (Article.moves(state.position()), plain.successors());
            let expected: Vec<Move> = plainly.iter().map(|(m, _)| *m).collect();
            assert_eq!(moves, expected, "{:?}", state.position());
            twins += moves.iter().filter(|m| m.twin).count();
            let drawn = rng.index(moves.len());
            state.play(moves[drawn]);
            plain = plainly.swap_remove(drawn).1;
        }
    }
    assert!(twins > 100, "{twins}");
}

#[test]
fn twins_lead_to_the_same_position() {
    let position = read("1l1/3/2G/EL1 b 2CEg 1");
    let drops: Vec<Move> = Article.moves(&position).into_iter().take(24).collect();
    for (first, second) in drops[..8].iter().zip(&drops[8..16]) {
        assert_eq!((first.played, first.twin, second.twin), (second.played, false, true));
        let after = |m: Move| {
            let mut next = position.clone();
            Article.play(&mut next, m);
            next
        };
        assert_eq!(after(*first), after(*second));
        assert_ne!(Article.pack(*first), Article.pack(*second));
    }
    let twin = Move { twin: true, ..drops[16] };
    assert!(!Article.is_legal(&position, twin), "one elephant has no twin");
}

#[test]
fn the_fourth_occurrence_is_not_listed() {
    let round = ["1d1c", "3a3b", "1c1d", "3b3a"];
    let mut state = GameState::new(Article);
    for text in round.iter().cycle().take(12) {
        let m = Article.parse_move(state.position(), text).unwrap_or_else(|error| panic!("{text}: {error}"));
        state.play(m);
        assert_eq!(state.outcome(), None);
    }
    // The start has returned three times; its occurrence at the beginning does not count.
    assert_eq!(state.position().occurrences(&position::Position::START), 3);
    let error = Article.parse_move(state.position(), round[0]).expect_err("a fourth time");
    assert_eq!((error.fault, error.reason), (Fault::Illegal, "fourth_occurrence"));
    let fresh = texts(&Article.start());
    let left = texts(state.position());
    assert_eq!(fresh.len(), left.len() + 1);
    assert!(fresh.contains(&round[0].to_owned()) && !left.contains(&round[0].to_owned()));
    assert_eq!(Article.count_moves(state.position()), left.len());
    // A parsed position has no history.
    let again = read(&Article.format_position(state.position(), "sfen"));
    assert_ne!(&again, state.position());
    assert_eq!(again, Article.start());
}

/// The laws' random games rarely reach a third occurrence. After it the playout draws from the listed moves, like any
/// other.
#[test]
fn playouts_keep_to_the_fourth_occurrence() {
    let mut state = GameState::new(Article);
    for text in ["1d1c", "3a3b", "1c1d", "3b3a"].iter().cycle().take(12) {
        state.play(Article.parse_move(state.position(), text).unwrap_or_else(|error| panic!("{text}: {error}")));
    }
    for seed in 0..500 {
        let (mut fast, mut line) = (state.position().clone(), Vec::new());
        let end = Article.playout(&mut fast, &mut (), 40, &mut Rng::new(seed), &mut (), |_, m| line.push(m));
        let (mut slow, mut rng) = (state.position().clone(), Rng::new(seed));
        for &played in &line {
            let moves = Article.moves(&slow);
            assert_eq!(moves.get(if moves.len() > 1 { rng.index(moves.len()) } else { 0 }), Some(&played));
            Article.play(&mut slow, played);
        }
        assert_eq!((end.plies as usize, end.outcome, &fast), (line.len(), Article.outcome(&slow, &()), &slow));
    }
}

#[test]
fn a_side_without_a_move_draws() {
    let drawn = Some(Outcome { winner: None, margin: None, by: "stuck" });
    assert_eq!(Article.outcome(&read("GEl/LGE/CC1/3 b - 1"), &()), drawn);
    // The giraffe and the other lion move back and forth; the positions after the giraffe's next moves have occurred
    // three times.
    let mut state = GameState::from(Article, read("1C1/lC1/EGE/1GL b - 1"));
    for text in ["2d3d", "3b3a", "3d2d", "3a3b"].iter().cycle().take(12) {
        assert_eq!(state.outcome(), None);
        state.play(Article.parse_move(state.position(), text).unwrap_or_else(|error| panic!("{text}: {error}")));
    }
    assert_eq!((state.outcome(), state.position().board()), (drawn, state.origin().board()));
    assert!(!Article.moves(state.origin()).is_empty());
}

#[test]
fn lions_and_hens_follow_the_article() {
    let outcome = |text: &str| Article.outcome(&read(text), &()).map(|outcome| (outcome.winner, outcome.by));
    let (first, second) = (Some(Side::First), Some(Side::Second));
    assert_eq!(outcome("Lg1/3/1l1/3 w 2C2EG 1"), Some((first, "try")), "even if it is attacked");
    assert_eq!(outcome("3/1L1/3/2l b 2C2E2G 1"), Some((second, "try")));
    assert_eq!(outcome("L2/3/3/2l w 2C2E2G 1"), Some((first, "try")), "the upper rank is checked first");
    assert_eq!(outcome("3/1L1/3/3 w L2C2E2G 1"), Some((first, "catch")));
    // A hen in the middle reaches five squares, and gives no check straight behind it.
    let position = read("l2/1+C1/3/1L1 b C2E2G 1");
    let steps = |m: &Move| matches!(m.played, position::Move::Step { from, .. } if from.index() == 4);
    assert_eq!(Article.moves(&position).iter().filter(|m| steps(m)).count(), 5);
    let error = Article.parse_move(&position, "2b2c").expect_err("straight back");
    assert_eq!((error.fault, error.reason), (Fault::Illegal, "unreachable"));
    let tags = |text: &str| {
        let board = Article.board(&GameState::from(Article, read(text)));
        board.cells.iter().map(|cell| cell.tags.len()).sum::<usize>()
    };
    assert_eq!((tags("1+C1/1l1/3/1L1 w C2E2G 1"), tags("3/1l1/1+C1/1L1 w C2E2G 1")), (0, 1));
}

#[test]
fn texts_are_read_in_every_dialect() {
    let mut rng = Rng::new(3);
    for _ in 0..60 {
        let mut state = GameState::new(Article);
        while state.outcome().is_none() {
            let position = state.position();
            let moves = Article.moves(position);
            for dialect in Article.dialects() {
                let text = Article.format_position(position, dialect);
                assert_eq!(read(&text).board(), position.board(), "{dialect}: {text}");
                for m in &moves {
                    let text = Article.format_move(position, *m, dialect);
                    assert_eq!(Article.parse_move(position, &text), Ok(Move::first(m.played)), "{dialect}: {text}");
                }
            }
            state.play(moves[rng.index(moves.len())]);
        }
    }
}

#[test]
fn bad_texts_are_refused_with_the_reason() {
    for (text, reason) in [
        ("gle/1c1/1C1/E1G b - 1", "no_lion"),
        ("gle/1c1/1C1/LLG b - 1", "two_lions"),
        ("gle/1c1/1C1/ELG b C 1", "wrong_count"),
        ("gle/1c1/1C1 b - 1", "row_count"),
        ("gle/1c1/1C/ELG b - 1", "row_length"),
        ("gle/1x1/1C1/ELG b - 1", "bad_piece"),
        ("", "row_length"),
    ] {
        assert_eq!(Article.parse_position(text).expect_err(text).reason, reason, "{text}");
    }
    let start = Article.start();
    for (text, reason) in [
        ("C*2b", "not_in_hand"),
        ("1c1b", "empty_square"),
        ("2b2c", "not_yours"),
        ("1d2d", "occupied"),
        ("1d1b", "unreachable"),
        ("9z9z", "off_the_board"),
        ("hello", "not_a_move"),
    ] {
        assert_eq!(Article.parse_move(&start, text).expect_err(text).reason, reason, "{text}");
    }
    let over = read("L2/3/1l1/3 w 2C2E2G 1");
    assert_eq!(Article.parse_move(&over, "2c2d").expect_err("over").reason, "game_over");
    assert_eq!(Article.unpack(1 << 8 | 0x35), None, "a step has no twin");
    let square = Square::new(5).expect("a square");
    let drop = Move::first(position::Move::Drop { piece: Piece::Chick, to: square });
    assert!(!Article.is_legal(&start, drop));
}

#[test]
fn the_entry_is_complete() {
    let entry: &dyn AnyGame = &banmen_dobutsu::article::entry().in_memory();
    let names: Vec<&str> = entry.players().iter().map(|player| player.name).collect();
    assert_eq!(entry.info().name, "dobutsu-article");
    assert!(["engine", "random", "article"].iter().all(|name| names.contains(name)), "{names:?}");
    for text in entry.bench().positions {
        assert!(entry.state(None, Some(text)).is_ok(), "{text}");
    }
}
