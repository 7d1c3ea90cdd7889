//! Whole games in blksgf.

use banmen_blokus::record::{self, Record};
use banmen_blokus::{Blokus, Move};
use banmen_game::{Game, GameState, Rng, Side};

/// The example of Pentobi's description of the format.
const EXAMPLE: &str = "(;GM[Blokus Duo];B[f9,e10,f10,g10,f11];W[i4,h5,i5,j5,i6])";

/// The example as this program writes it.
const WRITTEN: &str = "(;GM[Blokus Duo]CA[UTF-8];B[f9,e10,f10,g10,f11];W[i4,h5,i5,j5,i6])";

fn read(text: &str) -> Vec<Record> {
    record::read(&Blokus::STANDARD, text).unwrap_or_else(|error| panic!("{text}: {error} at {}", error.at))
}

#[test]
fn reads_pentobis_example_and_writes_it_again() {
    let [record] = &read(EXAMPLE)[..] else { panic!("one game") };
    let state = record.state();
    assert_eq!(state.moves().iter().map(Move::to_string).collect::<Vec<_>>(), ["f9,e10,f10,g10,f11", "i4,h5,i5,j5,i6"]);
    assert_eq!(record.blksgf(), WRITTEN);
    assert_eq!(Record::new(&state).blksgf(), WRITTEN);
    assert_eq!(read(WRITTEN)[0], *record);
}

#[test]
fn keeps_variations_and_comments() {
    let tree = "(;GM[Blokus Duo]C[a \\] b \\\\ (;W[\\]) \u{76e4}]AB[e10]PL[W];C[no move](;W[j5]TE[1];B[f11,g11](;W[k6,l6])(;W[h4,i4]))\
                (;W[i5,j5]BM[1]N[x][y]))";
    let [record] = &read(tree)[..] else { panic!("one game") };
    assert_eq!(record.blksgf(), tree.replacen(']', "]CA[UTF-8]", 1));
    assert_eq!(record.property("C"), Some("a ] b \\ (;W[]) \u{76e4}"));
    assert_eq!(record.nodes().len(), 7);
    let state = record.state();
    assert_eq!((state.origin().placements(), state.origin().side(), state.moves().len()), (1, Side::Second, 3));
    // Blanks and line breaks between the parts, and soft line breaks in texts, change nothing.
    let spaced = "( ; GM [Blokus Duo]\nC[a \\] b \\\\ (;W[\\]) \u{76e4}] ab[e10]PL[W] ;C[no \\\nmove](\r\n;W[ j5 ]TE[1];B[f11,g11]\
                  ( ;W[k6,l6])\t(;W[h4,i4] ) )(;W[J5, i5]BM[1]N[x] [y]))\n";
    assert_eq!(&read(spaced)[0], record);
    assert_eq!(&read(&spaced.replace("\\\n", "\\\r\n"))[0], record);
    assert_eq!(&read(&spaced.replace("\\\n", "\\\r"))[0], record);
}

#[test]
fn reads_set_up_pieces_and_removed_ones() {
    let state = |text: &str| read(text)[0].state();
    let both = state("(;GM[Blokus Duo]AB[e10][f11,g11]AW[j5])");
    assert_eq!((both.origin().placements(), both.side_to_move()), (3, Side::First));
    let fewer = state("(;GM[Blokus Duo]AB[e10][f11,g11]AW[j5];AE[f11,g11]PL[w];W[k6,l6])");
    assert_eq!((fewer.origin().placements(), fewer.moves().len(), fewer.side_to_move()), (2, 1, Side::First));
    assert_eq!(fewer.origin().to_string(), state("(;GM[Blokus Duo]AW[j5]AB[e10]PL[W])").origin().to_string());
}

/// Passes are not written, and are back when the game is read.
#[test]
fn random_games_survive() {
    let mut passes = 0;
    for (seed, game) in (0..60).zip([Blokus::STANDARD, Blokus::FREE_START, Blokus::CONTEST].into_iter().cycle()) {
        let mut rng = Rng::new(seed);
        let mut state = GameState::new(game);
        while state.outcome().is_none() {
            if seed % 2 == 1 && *state.origin() == game.start() && state.moves().len() == 9 {
                // The rest of the game begins from a set-up position.
                state = GameState::from(game, *state.position());
            }
            let moves = game.moves(state.position());
            state.play(moves[rng.index(moves.len())]);
        }
        passes += state.moves().iter().filter(|&&m| m == Move::PASS).count();
        let text = Record::new(&state).blksgf();
        assert!(!text.contains("pass"));
        let records = record::read(&game, &text).expect("a written game");
        assert_eq!((records.len(), records[0].state().moves()), (1, state.moves()));
        assert_eq!(records[0].state().origin(), state.origin());
        // Where another program writes the passes, the game is the same, and they are gone when it is written.
        let first = [";B[", ";W["].iter().filter_map(|name| text.find(name)).min().expect("a move");
        let (mut explicit, mut side) = (text[..first].to_owned(), state.origin().side());
        for m in state.moves() {
            explicit += &format!(";{}[{m}]", if side == Side::First { 'B' } else { 'W' });
            side = side.other();
        }
        let with_passes = record::read(&game, explicit + ")").expect("a game with passes");
        assert_eq!(with_passes[0].state().moves(), state.moves());
        assert_eq!(with_passes[0].blksgf(), text);
        assert_eq!(records[0].blksgf(), text);
    }
    assert!(passes > 60, "{passes}");
}

#[test]
fn reads_several_games() {
    let records = read(&format!("\u{feff}{EXAMPLE}\n\n (;GM[blokus duo])"));
    assert_eq!(records.iter().map(|record| record.nodes().len()).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(read(" \n").len(), 0);
}

#[test]
fn reads_stated_latin1_and_writes_utf8() {
    let record = |text: &[u8]| record::read(&Blokus::STANDARD, text);
    for stated in ["ISO-8859-1", "latin1"] {
        let text = [format!("(;CA[{stated}]GM[Blokus Duo]PB[").as_bytes(), b"Ren\xe9];B[e10])"].concat();
        let records = record(&text).expect("a stated charset");
        assert_eq!(records[0].property("PB"), Some("Ren\u{e9}"));
        assert_eq!(records[0].blksgf(), "(;GM[Blokus Duo]CA[UTF-8]PB[Ren\u{e9}];B[e10])");
        // The place counts bytes of the input.
        let end = text.len() - 1;
        let error = record(&[&text[..end], b";B[a1])"].concat()).expect_err("the wrong side");
        assert_eq!((error.at, error.fault.reason()), (end + 1, "wrong_side"));
    }
    // UTF-8 is read as such, whatever the text states.
    let records = record("(;CA[ISO-8859-1]GM[Blokus Duo]PB[Ren\u{e9}])".as_bytes()).expect("UTF-8");
    assert_eq!(records[0].property("PB"), Some("Ren\u{e9}"));
    let other = record(b"(;CA[Shift_JIS]GM[Blokus Duo]PB[\xe9])").expect_err("another charset");
    assert_eq!(other.fault.reason(), "encoding");
}

/// A game that ended by the rules has no result but its own.
#[test]
fn refuses_results_that_the_moves_do_not_give() {
    let mut state = GameState::new(Blokus::STANDARD);
    while state.outcome().is_none() {
        // The largest pieces for the first side, the smallest for the second.
        let moves = Blokus::STANDARD.moves(state.position());
        let m = if state.side_to_move() == Side::First { moves.last() } else { moves.first() };
        state.play(*m.expect("a move"));
    }
    let outcome = state.outcome().expect("the end");
    let margin = outcome.margin.expect("points");
    assert_eq!(outcome.winner, Some(Side::First));
    let stated = |result: &str| {
        let mut record = Record::new(&state);
        record.add_property("RE", result);
        let text = record.blksgf();
        let read = record::read(&Blokus::STANDARD, &text).map(|records| records[0].state().outcome());
        read.map_err(|error| {
            assert_eq!((error.at, error.fault.reason()), (text.find("RE[").expect("RE") + 3, "wrong_result"));
            error.to_string()
        })
    };
    let margins = [format!("B+{margin}"), format!("b + {margin}.0")];
    for agrees in ["", "?", "Void", "B+", "B+T", "B+Resign", &margins[0], &margins[1]] {
        assert_eq!(stated(agrees), Ok(Some(outcome)), "{agrees}");
    }
    let other = format!("B+{}", margin + 1);
    for contradicts in ["W+T", "W+", &margins[0].replace('B', "W"), &other, "0", "Draw", "B", "B+x", "X+3", "+3"] {
        let message = format!("game 1: the result `{contradicts}` is not that of the moves, B+{margin}");
        assert_eq!(stated(contradicts), Err(message));
    }
    // A game that goes on may end in any way.
    for open in ["W+T", "B+12", "x"] {
        assert_eq!(read(&EXAMPLE.replacen(';', &format!(";RE[{open}]"), 1)).len(), 1);
    }
}

#[test]
fn refuses_each_fault_with_its_place() {
    let fault = |text: &str| {
        let error = record::read(&Blokus::STANDARD, text).expect_err(text);
        assert!(error.to_string().starts_with("game 1: "), "{error}");
        (error.at, error.fault.reason())
    };
    // The rest of a record whose root is sound; places count from its end.
    let rest = |text: &str| {
        let root = "(;GM[Blokus Duo]";
        let (at, reason) = fault(&format!("{root}{text}"));
        (at - root.len(), reason)
    };
    assert_eq!(fault("(;GM[Go])"), (5, "other_game"));
    assert_eq!(fault("(;PB[x])"), (2, "no_game"));
    assert_eq!(fault("x"), (0, "not_a_tree"));
    assert_eq!(fault("()"), (1, "broken_tree"));
    assert_eq!(fault("((;GM[Blokus Duo]))"), (1, "broken_tree"));
    assert_eq!(fault("(GM[Blokus Duo])"), (1, "broken_tree"));
    assert_eq!(rest(""), (0, "unfinished"));
    assert_eq!(rest("C[x"), (3, "unfinished"));
    assert_eq!(rest("C[x\\]"), (5, "unfinished"));
    assert_eq!(rest("C"), (1, "unfinished"));
    assert_eq!(rest("C)"), (0, "no_value"));
    assert_eq!(rest("]"), (0, "broken_tree"));
    assert_eq!(rest("(;C[x]);C[y])"), (7, "broken_tree"));
    assert_eq!(rest(";B[f9,e10,f10,g10,f11,f9])"), (22, "cell_twice"));
    assert_eq!(rest(";B[e10,g10])"), (3, "no_piece"));
    assert_eq!(rest(";B[e10,o10])"), (7, "off_the_board"));
    assert_eq!(rest(";B[])"), (3, "not_a_cell"));
    assert_eq!(rest(";B[e10][f10])"), (1, "two_moves"));
    assert_eq!(rest(";B[e10]W[j5])"), (7, "two_moves"));
    assert_eq!(rest(";W[j5])"), (1, "wrong_side"));
    assert_eq!(rest(";B[e10];B[f11])"), (8, "wrong_side"));
    assert_eq!(rest(";B[pass])"), (3, "pass_not_allowed"));
    assert_eq!(rest(";B[a1])"), (3, "no_start"));
    assert_eq!(rest(";B[e10];W[j5];B[d11])"), (16, "piece_used"));
    assert_eq!(rest(";B[e10];W[j5];B[f11,f10])"), (20, "edge"));
    assert_eq!(rest(";B[e10];W[j5];B[d9,e9,f10,f9])"), (22, "edge"));
    assert_eq!(rest(";B[e10];W[j5];B[j4,j5])"), (19, "occupied"));
    assert_eq!(rest(";B[e10];W[j5];B[a1,b1])"), (16, "no_corner"));
    // A fault in a variation is a fault.
    assert_eq!(rest("(;B[e10])(;B[a1]))"), (13, "no_start"));
    assert_eq!(rest("AB[e10][e10])"), (8, "occupied"));
    assert_eq!(rest("AB[e10][f10,g10])"), (8, "edge"));
    assert_eq!(rest("AB[e10][d11])"), (3, "piece_twice"));
    assert_eq!(rest("AB[f10])"), (3, "no_start"));
    assert_eq!(rest("AB[e10]AW[a1])"), (10, "no_start"));
    assert_eq!(rest("AE[f10])"), (3, "no_such_piece"));
    assert_eq!(rest("AB[e10,f10]AE[f10])"), (14, "no_such_piece"));
    assert_eq!(rest("AB[pass])"), (3, "not_a_cell"));
    assert_eq!(rest("PL[x])"), (3, "not_a_side"));
    assert_eq!(rest("PL[b][w])"), (6, "twice"));
    assert_eq!(rest("PL[b]PL[b])"), (8, "twice"));
    assert_eq!(rest("ML[b])"), (3, "not_last"));
    assert_eq!(rest("AB[e10]ML[w])"), (10, "not_last"));
    assert_eq!(rest("ML[x])"), (3, "not_a_side"));
    assert_eq!(rest(";B[e10];AB[f11])"), (8, "late_setup"));
    assert_eq!(rest(";PL[B]B[e10])"), (1, "late_setup"));
    let bytes = record::read(&Blokus::STANDARD, b"(;GM[Blokus Duo]C[\xff])").expect_err("bytes");
    assert_eq!((bytes.at, bytes.fault.reason()), (18, "encoding"));
    // The first fault, and the game in which it is.
    for (text, at, game, reason) in [
        (&b"(;GM[Blokus Duo];B[e10])(;GM[Blokus Duo]C[\xff])"[..], 42, 2, "encoding"),
        (b"(;GM[Blokus Duo];B[e10])\xff", 24, 2, "encoding"),
        (b"(;GM[Blokus Duo];B[a1])(;GM[Blokus Duo]C[\xff])", 19, 1, "no_start"),
    ] {
        let error = record::read(&Blokus::STANDARD, text).expect_err("bytes");
        assert_eq!((error.at, error.game, error.fault.reason()), (at, game, reason));
    }
    let second = record::read(&Blokus::STANDARD, format!("{EXAMPLE}(;GM[Go])")).expect_err("a second game");
    assert_eq!((second.game, second.at), (2, EXAMPLE.len() + 5));
    assert_eq!(second.to_string(), "game 2: `Go` is not Blokus Duo");
}
