//! The laws refuse games that break them: a made-up game with one fault at a time.

use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use banmen_game::laws::Laws;
use banmen_game::{Game, History, Notation, Outcome, Side, Symmetries, TextError};

/// Cells of the ring.
const CELLS: u8 = 5;

/// The sides take free cells of a ring in turn until none is free; nobody wins. With a fault, one law is broken.
///
/// `TURNS` counts the rotations that are declared as symmetries, the identity included.
#[derive(Clone, Debug, PartialEq)]
struct Ring<H, const TURNS: usize = { CELLS as usize }> {
    fault: Fault,
    history: std::marker::PhantomData<H>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// The key depends on how the position was reached.
    KeyOfPath,
    /// Different positions share a key.
    KeyOfSide,
    /// Turns have two decisions, and the game says one.
    LongTurn,
    /// A taken cell is a legal move.
    LegalUnlisted,
    /// The same, and the game says so.
    DeclaredUnlisted,
    /// A position that is parsed has another key.
    KeyWhenParsed,
    /// A taken cell is parsed as a move.
    ParsesUnlisted,
}

fn ring<H, const TURNS: usize>(fault: Fault) -> Ring<H, TURNS> {
    Ring { fault, history: std::marker::PhantomData }
}

#[derive(Clone, Copy, Debug)]
struct Position {
    /// Bit `n` for cell `n`.
    taken: u8,
    /// The cell taken last: how the position was reached, and no part of it.
    last: u8,
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.taken == other.taken
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.taken.hash(state);
    }
}

/// Remembers positions.
#[derive(Clone, Debug, Default, PartialEq)]
struct Stack(Vec<u8>);

impl History<Position> for Stack {
    fn push(&mut self, position: &Position) {
        self.0.push(position.taken);
    }

    fn pop(&mut self) {
        self.0.pop();
    }
}

/// Forgets all positions when one move is taken back.
#[derive(Clone, Debug, Default, PartialEq)]
struct Forgetful(Vec<u8>);

impl History<Position> for Forgetful {
    fn push(&mut self, position: &Position) {
        self.0.push(position.taken);
    }

    fn pop(&mut self) {
        self.0.clear();
    }
}

impl<H: History<Position>, const TURNS: usize> Game for Ring<H, TURNS>
where
    Self: Send + Sync,
{
    type Position = Position;
    type Move = u8;
    type History = H;

    fn start(&self) -> Position {
        Position { taken: 0, last: CELLS }
    }

    fn side_to_move(&self, position: &Position) -> Side {
        let decisions = if self.fault == Fault::LongTurn { 2 } else { 1 };
        if (position.taken.count_ones() / decisions).is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn outcome(&self, position: &Position, _: &H) -> Option<Outcome> {
        let full = position.taken.count_ones() == u32::from(CELLS);
        full.then_some(Outcome { winner: None, margin: None, by: "full" })
    }

    fn visit_moves<B>(&self, position: &Position, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        (0..CELLS).filter(|cell| position.taken >> cell & 1 == 0).try_for_each(visit)
    }

    fn play(&self, position: &mut Position, m: u8) {
        *position = Position { taken: position.taken | 1 << m, last: m };
    }

    fn key(&self, position: &Position) -> u64 {
        match self.fault {
            Fault::KeyOfPath => u64::from(position.taken) << 8 | u64::from(position.last),
            Fault::KeyOfSide => u64::from(position.taken.count_ones() % 2),
            Fault::KeyWhenParsed if position.last == u8::MAX => 1 << 32,
            _ => u64::from(position.taken),
        }
    }

    fn max_plies(&self) -> usize {
        CELLS.into()
    }

    fn pack(&self, m: u8) -> u32 {
        m.into()
    }

    fn unpack(&self, bits: u32) -> Option<u8> {
        u8::try_from(bits).ok().filter(|&m| m < CELLS)
    }

    fn is_legal(&self, position: &Position, m: u8) -> bool {
        let free = position.taken >> m & 1 == 0;
        m < CELLS && (free || matches!(self.fault, Fault::LegalUnlisted | Fault::DeclaredUnlisted))
    }

    fn accepts_unlisted(&self) -> bool {
        self.fault == Fault::DeclaredUnlisted
    }
}

impl<H: History<Position>, const TURNS: usize> Notation for Ring<H, TURNS> {
    fn dialects(&self) -> &'static [&'static str] {
        &["ring"]
    }

    fn parse_position(&self, text: &str) -> Result<(Self, Position), TextError> {
        let taken = text.parse().map_err(|_| TextError::unreadable("not_a_number", 0, "no number"))?;
        Ok((self.clone(), Position { taken, last: u8::MAX }))
    }

    fn format_position(&self, position: &Position, _: &str) -> String {
        position.taken.to_string()
    }

    fn parse_move(&self, position: &Position, text: &str) -> Result<u8, TextError> {
        let m: u8 = text.parse().map_err(|_| TextError::unreadable("not_a_number", 0, "no number"))?;
        if self.is_legal(position, m) || self.fault == Fault::ParsesUnlisted {
            return Ok(m);
        }
        Err(TextError::illegal("taken", "the cell is taken"))
    }

    fn format_move(&self, _: &Position, m: u8, _: &str) -> String {
        m.to_string()
    }
}

/// Rotations of the ring.
impl<H: History<Position>, const TURNS: usize> Symmetries for Ring<H, TURNS> {
    fn symmetry_count(&self) -> usize {
        TURNS
    }

    fn transform(&self, position: &Position, symmetry: usize) -> Position {
        let cells = (0..CELLS).filter(|cell| position.taken >> cell & 1 == 1);
        let taken = cells.fold(0, |taken, cell| taken | 1 << self.transform_move(cell, symmetry));
        Position { taken, ..*position }
    }

    fn transform_move(&self, m: u8, symmetry: usize) -> u8 {
        (m + symmetry as u8) % CELLS
    }
}

/// The message with which a law refuses the game, or `None`.
fn refusal(law: impl FnOnce()) -> Option<String> {
    let payload = catch_unwind(AssertUnwindSafe(law)).err()?;
    Some(payload.downcast_ref::<String>().cloned().unwrap_or_default())
}

const ALL: usize = CELLS as usize;

#[test]
fn a_game_without_fault_keeps_the_laws() {
    let (laws, game) = (Laws::default(), ring::<Stack, ALL>(Fault::None));
    laws.rules(&game);
    laws.notation(&game);
    laws.symmetries(&game);
    laws.rules(&ring::<Stack, ALL>(Fault::DeclaredUnlisted));
}

#[test]
fn rules_law_refuses_faulty_games() {
    for (fault, words) in [
        (Fault::KeyOfPath, "reached in two ways has two keys"),
        (Fault::KeyOfSide, "two positions share the key"),
        (Fault::LongTurn, "a turn has 2 decisions, but decisions_left() said 1"),
        (Fault::LegalUnlisted, "is legal, but not listed"),
    ] {
        let refusal = refusal(|| Laws::default().rules(&ring::<Stack, ALL>(fault))).expect(words);
        assert!(refusal.contains(words), "{fault:?}: {refusal}");
    }
}

#[test]
fn a_history_that_is_not_restored_is_refused() {
    let refusal = refusal(|| Laws::default().rules(&ring::<Forgetful, ALL>(Fault::None))).expect("a broken history");
    assert!(refusal.contains("taken back"), "{refusal}");
}

#[test]
fn notation_law_refuses_faulty_games() {
    for (fault, words) in
        [(Fault::KeyWhenParsed, "the key survives"), (Fault::ParsesUnlisted, "is read, but not legal")]
    {
        let refusal = refusal(|| Laws::default().notation(&ring::<Stack, ALL>(fault))).expect(words);
        assert!(refusal.contains(words), "{fault:?}: {refusal}");
    }
}

/// The identity and one rotation commute with playing, but the rotation back is not among them.
#[test]
fn a_symmetry_without_inverse_is_refused() {
    let refusal = refusal(|| Laws::default().symmetries(&ring::<Stack, 2>(Fault::None))).expect("no inverse");
    assert!(refusal.contains("symmetry 1 has no inverse"), "{refusal}");
}
