//! The pieces with their published counts, and the rules one by one.

use banmen_blokus::reference::{DRAWINGS, orientations};
use banmen_blokus::{
    Blokus, Cell, Cells, IllegalMove, Move, MoveSet, ORIENTATIONS, PLACEMENTS, Piece, PieceSet, Position, PositionError,
};
use banmen_game::{Game, GameState, Outcome, Rng, Side};

/// Name, letter, orientations, placements and first moves of each piece: counted by an independent program, and in total
/// by Pentobi.
const PIECES: [(&str, char, usize, usize, usize); 21] = [
    ("1", 'a', 1, 196, 1),
    ("2", 'b', 2, 364, 4),
    ("I3", 'c', 2, 336, 6),
    ("V3", 'd', 4, 676, 12),
    ("I4", 'e', 2, 308, 8),
    ("L4", 'f', 8, 1248, 32),
    ("T4", 'g', 4, 624, 16),
    ("O", 'h', 1, 169, 4),
    ("Z4", 'i', 4, 624, 16),
    ("I5", 'j', 2, 280, 10),
    ("L5", 'k', 8, 1144, 40),
    ("N", 'l', 8, 1144, 40),
    ("P", 'm', 8, 1248, 40),
    ("U", 'n', 4, 624, 20),
    ("Y", 'o', 8, 1144, 40),
    ("T5", 'p', 4, 576, 20),
    ("V5", 'q', 4, 576, 20),
    ("W", 'r', 4, 576, 20),
    ("Z5", 's', 4, 576, 20),
    ("F", 't', 8, 1152, 40),
    ("X", 'u', 1, 144, 5),
];

fn cell(x: u8, y: u8) -> Cell {
    Cell::at(x, y).expect("on the board")
}

/// The cells of a piece drawn as in `DRAWINGS`, with its upper left corner at (x, y).
fn drawn(x: u8, y: u8, drawing: &str) -> Cells {
    let rows = (0..).zip(drawing.split('/'));
    let marks = rows.flat_map(|(dy, row)| (0..).zip(row.chars()).map(move |(dx, mark)| (dx, dy, mark)));
    marks.filter(|&(_, _, mark)| mark == '#').map(|(dx, dy, _)| cell(x + dx, y + dy)).collect()
}

fn placed(x: u8, y: u8, drawing: &str) -> Move {
    Move::covering(drawn(x, y, drawing)).expect("a piece")
}

#[test]
fn pieces_have_their_counts() {
    let first: Vec<Move> = Blokus::STANDARD.moves(&Position::START);
    let placements: Vec<Move> = Move::placements().collect();
    for (piece, (name, letter, orientations, places, opening)) in Piece::all().zip(PIECES) {
        assert_eq!((piece.name(), piece.letter()), (name, letter));
        assert_eq!(Piece::of_letter(letter.to_ascii_uppercase()), Some(piece));
        assert_eq!(piece.orientations().count(), orientations, "{name}");
        let of = |moves: &[Move]| moves.iter().filter(|m| m.piece() == Some(piece)).count();
        assert_eq!((of(&placements), of(&first)), (places, opening), "{name}");
    }
    assert_eq!((placements.len(), first.len()), (PLACEMENTS, 414));
    assert_eq!(Piece::all().map(|piece| piece.orientations().count()).sum::<usize>(), ORIENTATIONS);
    assert_eq!(Piece::all().map(Piece::size).sum::<u32>(), 89);
    let large = |m: &&Move| m.piece().is_some_and(|piece| piece.size() == 5);
    assert_eq!(first.iter().filter(large).count(), 315);
    // Up to the reflection that fixes the start cells.
    assert_eq!(first.iter().filter(|m| m.index() <= m.transposed().index()).count(), 212);
    assert_eq!((Piece::of_letter('v'), Piece::of_letter('`'), Piece::of_index(21)), (None, None, None));
}

#[test]
fn orientations_are_those_of_the_drawings() {
    for (piece, (name, drawing)) in Piece::all().zip(DRAWINGS) {
        assert_eq!(piece.name(), name);
        let mut expected = orientations(drawing);
        for orientation in piece.orientations() {
            let cells = Move::place(orientation, cell(0, 0)).expect("on the board").cells();
            let shape: Vec<(i8, i8)> = cells.iter().map(|cell| (cell.x() as i8, cell.y() as i8)).collect();
            assert_eq!((orientation.piece(), shape.len() as u32), (piece, piece.size()));
            assert_eq!(shape.iter().map(|&(x, _)| x as u8 + 1).max(), Some(orientation.width()));
            assert_eq!(shape.iter().map(|&(_, y)| y as u8 + 1).max(), Some(orientation.height()));
            assert!(expected.remove(&shape.into_iter().collect()), "{orientation:?} is no orientation, or there twice");
        }
        assert!(expected.is_empty(), "{name} lacks {expected:?}");
    }
}

#[test]
fn placements_are_distinct_and_numbered() {
    let cells: std::collections::HashSet<Cells> = Move::placements().map(Move::cells).collect();
    assert_eq!(cells.len(), PLACEMENTS);
    for (index, m) in Move::placements().enumerate() {
        assert_eq!(m.index(), index);
        assert_eq!(Move::covering(m.cells()), Some(m));
        assert_eq!(Move::unpack(m.pack()), Some(m));
        assert_eq!((m.transposed().transposed(), m.rotated().rotated()), (m, m));
    }
    assert_eq!((0..=u32::from(u16::MAX)).filter(|&bits| Move::unpack(bits).is_some()).count(), Move::COUNT);
    assert_eq!((Move::of_index(PLACEMENTS), Move::of_index(PLACEMENTS + 1)), (Some(Move::PASS), None));
    assert_eq!(
        (Move::PASS.index(), Move::PASS.cells(), Move::PASS.transposed()),
        (PLACEMENTS, Cells::EMPTY, Move::PASS)
    );
    assert_eq!(Move::covering(Cells::EMPTY), None);
    assert_eq!(Move::covering(drawn(3, 3, "#.#")), None);
}

#[test]
fn refuses_each_kind_of_illegal_move() {
    let game = Blokus::STANDARD;
    let mut state = GameState::new(game);
    let check = |state: &GameState<Blokus>, m| game.check(state.position(), m);
    assert_eq!(check(&state, placed(9, 9, "##")), Err(IllegalMove::NoStart { cell: cell(4, 4), other: None }));
    let free = Blokus::FREE_START.check(&Position::START, placed(0, 0, "##"));
    let refusal = free.expect_err("it covers neither start cell");
    assert_eq!(refusal, IllegalMove::NoStart { cell: cell(4, 4), other: Some(cell(9, 9)) });
    assert_eq!(refusal.to_string(), "the first piece must cover e10 or j5");
    let pass = check(&state, Move::PASS);
    assert!(
        matches!(pass, Err(IllegalMove::PassNotAllowed { placement }) if check(&state, placement).is_ok()),
        "{pass:?}"
    );
    state.play(placed(4, 4, "##/##"));
    state.play(placed(9, 9, "#"));
    assert_eq!(
        check(&state, placed(6, 6, "##/##")),
        Err(IllegalMove::PieceUsed { piece: Piece::of_letter('h').unwrap() })
    );
    assert_eq!(check(&state, placed(3, 5, "##")), Err(IllegalMove::Occupied { cell: cell(4, 5) }));
    assert_eq!(check(&state, placed(6, 5, "#/#")), Err(IllegalMove::Edge { cell: cell(6, 5) }));
    assert_eq!(check(&state, placed(7, 7, "##")), Err(IllegalMove::NoCorner));
    assert_eq!(check(&state, placed(6, 6, "##")), Ok(()));
    // Contact with the other colour is free.
    state.play(placed(6, 6, "###/..#/..#"));
    assert_eq!(check(&state, placed(8, 9, "#/#")), Err(IllegalMove::Edge { cell: cell(8, 9) }));
    assert_eq!(check(&state, placed(10, 8, "##")), Ok(()));
    state.play(placed(10, 10, "##/#."));
    assert_eq!(check(&state, placed(9, 8, "#")), Err(IllegalMove::Edge { cell: cell(9, 8) }));
    assert_eq!(check(&state, placed(9, 9, "#")), Err(IllegalMove::Occupied { cell: cell(9, 9) }));
}

#[test]
fn first_pieces_cover_start_cells() {
    let covers = |game: Blokus, position: &Position| {
        let moves = game.moves(position);
        [cell(4, 4), cell(9, 9)].map(|start| moves.iter().filter(|m| m.cells().contains(start)).count())
    };
    assert_eq!(covers(Blokus::STANDARD, &Position::START), [414, 0]);
    assert_eq!(covers(Blokus::FREE_START, &Position::START), [414, 414]);
    for (game, x, expected) in
        [(Blokus::STANDARD, 4, [0, 414]), (Blokus::FREE_START, 4, [0, 414]), (Blokus::FREE_START, 9, [414, 0])]
    {
        let mut position = Position::START;
        game.play(&mut position, placed(x, x, "#"));
        assert_eq!(covers(game, &position), expected);
    }
}

/// The end of a random game in which each side places one of its largest pieces that fit.
fn end_of_game(seed: u64) -> Position {
    let game = Blokus::STANDARD;
    let mut rng = Rng::new(seed);
    let mut state = GameState::new(game);
    while state.outcome().is_none() {
        let moves = game.moves(state.position());
        let size = |m: &Move| m.piece().map_or(0, Piece::size);
        let largest = moves.iter().map(size).max().unwrap_or(0);
        let moves: Vec<Move> = moves.into_iter().filter(|m| size(m) == largest).collect();
        state.play(moves[rng.index(moves.len())]);
    }
    *state.position()
}

#[test]
fn points_are_squares_and_bonuses() {
    for seed in 0..50 {
        let end = end_of_game(seed);
        let squares = |side| end.placed(side).iter().map(Piece::size).sum::<u32>();
        for side in Side::BOTH {
            assert_eq!(end.cells(side).count(), squares(side), "the cells are those of the pieces placed");
            let bonus = if end.placed(side) == PieceSet::ALL { 15 + 5 * u32::from(end.monomino_last(side)) } else { 0 };
            assert_eq!(end.score(side), squares(side) + bonus);
        }
        let margin = end.score(Side::First) as i32 - end.score(Side::Second) as i32;
        let outcome = Blokus::STANDARD.outcome(&end, &()).expect("over");
        assert_eq!((outcome.signed_margin(Side::First), outcome.by), (margin, "points"));
    }
}

/// A board on which the first side alone has placed all 21 pieces, at random among the largest that fit.
const COMPLETE: [&str; 14] = [
    "...bb.bb....b.",
    "...bb..bb.b.bb",
    "b.b...b.b.b.b.",
    ".bb.bbb..bbb.b",
    "b.b.b..bb...bb",
    "b.b....b.bb.bb",
    "bb.bbb.b...b..",
    "..bb...b..bb..",
    ".b..bbb.bb.bb.",
    "bb..b...b....b",
    "b.b.b...bb..bb",
    ".bbb.bbb......",
    "..b.....bbbb..",
    "...bbbbb......",
];

fn complete(without: &[Cell]) -> Cells {
    let rows = (0..).zip(COMPLETE);
    let marks = rows.flat_map(|(y, row)| (0..).zip(row.chars()).map(move |(x, mark)| (x, y, mark)));
    marks
        .filter(|&(_, _, mark)| mark == 'b')
        .map(|(x, y, _)| cell(x, y))
        .filter(|cell| !without.contains(cell))
        .collect()
}

#[test]
fn placing_all_pieces_scores_the_bonuses() {
    let starts = Blokus::STANDARD.starts();
    let position = |cells, last| Position::new([cells, Cells::EMPTY], Side::First, [last, false], starts);
    let all = position(complete(&[]), false).expect("all pieces");
    assert_eq!((all.placed(Side::First), all.score(Side::First)), (PieceSet::ALL, 104));
    assert_eq!(position(complete(&[]), true).expect("all pieces").score(Side::First), 109);
    let monomino = Move::placements()
        .filter(|m| m.piece() == Some(Piece::MONOMINO))
        .find(|m| m.cells().intersects(complete(&[])) && !m.cells().edges().intersects(complete(&[])))
        .and_then(|m| m.cells().first())
        .expect("the monomino lies alone");
    let mut before = position(complete(&[monomino]), false).expect("20 pieces");
    assert_eq!((before.score(Side::First), before.hand(Side::First).count()), (88, 1));
    assert_eq!(position(complete(&[monomino]), true), Err(PositionError::NotLast { side: Side::First }));
    Blokus::STANDARD.play(&mut before, Move::covering([monomino].into_iter().collect()).expect("the monomino"));
    assert!(before.monomino_last(Side::First) && before.score(Side::First) == 109);
    let other =
        |last| Position::new([complete(&[]), Cells::EMPTY], Side::Second, [last, false], starts).expect("all pieces");
    assert_eq!(before, other(true));
    assert_ne!(other(true).key(), other(false).key());
    // The other side plays on, but in the contests the game is over.
    assert_eq!(
        Blokus::CONTEST.outcome(&before, &()),
        Some(Outcome { winner: Some(Side::First), margin: Some(109), by: "points" })
    );
    assert!(Blokus::CONTEST.moves(&before).is_empty() && Blokus::CONTEST.count_moves(&before) == 0);
    assert_eq!(Blokus::CONTEST.check(&before, Move::PASS), Err(IllegalMove::GameOver));
    assert_eq!(Blokus::STANDARD.count_moves(&before), Blokus::STANDARD.moves(&before).len());
}

#[test]
fn refuses_impossible_positions() {
    let starts = Blokus::STANDARD.starts();
    let first = |cells| Position::new([cells, Cells::EMPTY], Side::First, [false; 2], starts);
    let both = Position::new([drawn(4, 4, "#"), drawn(4, 4, "#")], Side::First, [false; 2], starts);
    assert_eq!(both, Err(PositionError::Overlap { cell: cell(4, 4) }));
    assert_eq!(first(drawn(4, 4, "######")), Err(PositionError::NoPiece { cell: cell(4, 4) }));
    let twice = PositionError::PieceTwice { piece: Piece::MONOMINO, cell: cell(5, 5) };
    assert_eq!(first(drawn(4, 4, "#./.#")), Err(twice));
    assert_eq!(first(drawn(4, 4, "#..##")), Err(PositionError::Apart { cell: cell(7, 4) }));
    assert_eq!(first(drawn(5, 4, "##")), Err(PositionError::NoStart { side: Side::First, cell: cell(5, 4) }));
    let free = Position::new([drawn(9, 9, "##"), Cells::EMPTY], Side::Second, [false; 2], Blokus::FREE_START.starts());
    assert_eq!(free.map(|position| position.placements()), Ok(1));
    assert_eq!(first(Cells::EMPTY), Ok(Position::START));
}

#[test]
fn positions_of_games_are_rebuilt_from_their_cells() {
    let game = Blokus::STANDARD;
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let mut state = GameState::new(game);
        while state.outcome().is_none() {
            let moves = game.moves(state.position());
            state.play(moves[rng.index(moves.len())]);
            let position = state.position();
            let built =
                Position::new(Side::BOTH.map(|side| position.cells(side)), position.side(), [false; 2], game.starts());
            assert_eq!(built, Ok(*position));
        }
    }
}

#[test]
fn move_sets_list_what_the_rules_list() {
    let game = Blokus::STANDARD;
    let mut set = MoveSet::default();
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let mut state = GameState::new(game);
        while state.outcome().is_none() {
            let position = state.position();
            let count = set.fill(&game.reach(position, position.side()));
            let moves = game.moves(position);
            if moves != [Move::PASS] {
                assert!(set.iter().eq(moves.iter().copied()) && count == moves.len());
                assert!((0..count).map(|rank| set.nth(rank)).eq(moves.iter().copied().map(Some)));
            }
            assert_eq!((set.nth(count), set.len(), set.is_empty()), (None, count, count == 0));
            state.play(moves[rng.index(moves.len())]);
        }
    }
}
