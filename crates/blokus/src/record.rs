//! Whole games in blksgf, the record format of Pentobi: an SGF tree with `GM[Blokus Duo]`.
//!
//! `(;GM[Blokus Duo];B[f9,e10,f10,g10,f11];W[i4,h5,i5,j5,i6])`
//!
//! `B` and `W` are the moves, as cells; passes are not written, but may be read. `AB` and `AW` add a whole piece with each
//! value, `AE` removes one, `PL` sets the side to move; all of them before the first move. A node may have several
//! continuations; the first one is the main line. Every other property (comments, players, dates) is kept as it is. The
//! property `ML`, of this program, names the sides whose set-up pieces include the monomino as the last of 21: `b`, `w` or
//! `bw`.
//!
//! `RE`, the result, must agree with the moves where the main line ends by the rules. What is written is UTF-8 and says so:
//! `CA[UTF-8]`. A text that is not UTF-8 is read as ISO-8859-1 if it states that.

use std::borrow::Cow;

use banmen_game::{Game, GameState, Outcome, Side};

use crate::cells::Cells;
use crate::game::{Blokus, IllegalMove};
use crate::moves::Move;
use crate::notation::{self, NotationError, characters, letter, parse_move, place, quote};
use crate::position::{Position, PositionError};

/// One game with its variations.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The rules under which every line of the tree is legal.
    game: Blokus,
    /// The position before the first move of the main line.
    start: Position,
    /// A tree: the first node is the root, and a node comes after its parent.
    nodes: Vec<Node>,
}

/// One node of the tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The nodes that continue this one, by number; the main line first.
    pub children: Vec<usize>,
    /// The placement, with the side that makes it. Passes are implied; one that a text states is kept, and not written again.
    pub placement: Option<(Side, Move)>,
    /// The other properties, in their order, without `GM` and `CA` of the root: these are always written.
    pub properties: Vec<Property>,
}

/// A property such as `C[comment]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The name, in upper case letters and digits.
    pub name: String,
    /// The texts in brackets, at least one, without escapes.
    pub values: Vec<String>,
}

/// Why a text is not a valid record, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {game}: {fault}")]
pub struct RecordError {
    /// Byte offset of the fault.
    pub at: usize,
    /// Number of the game in the text, from 1 on.
    pub game: usize,
    /// What is wrong there.
    pub fault: RecordFault,
}

/// The kinds of faults in a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// A move that cannot be read.
    #[error(transparent)]
    Notation(#[from] notation::Fault),
    /// A move that the rules forbid.
    #[error("move {number}, `{text}`: {why}")]
    Illegal {
        /// The number of the move on its line, from 1 on, without passes.
        number: usize,
        /// The move as written.
        text: String,
        /// The rule that forbids it.
        why: IllegalMove,
    },
    /// A set-up piece that lies on another one, or beside one of its colour.
    #[error("the set-up piece `{text}`: {why}")]
    SetUp {
        /// The cells as written.
        text: String,
        /// The rule that excludes it.
        why: IllegalMove,
    },
    /// Set-up pieces that are no position.
    #[error("the set-up pieces: {0}")]
    Impossible(#[from] PositionError),
    /// A piece to be removed that is not there.
    #[error("`{found}` is no piece on the board that could be removed")]
    NoSuchPiece {
        /// The cells as written.
        found: String,
    },
    /// Bytes that are not UTF-8, in a text that does not state ISO-8859-1.
    #[error("the text is not UTF-8, and does not state CA[ISO-8859-1]")]
    NotUtf8,
    /// Text where a tree should begin.
    #[error("`{found}` is no game: `(` is expected")]
    NotATree {
        /// The text.
        found: String,
    },
    /// Text where a node, a variation or the end of one should stand.
    #[error("`{found}` breaks the tree: {expected} is expected")]
    BrokenTree {
        /// The text.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// The text ends within a game.
    #[error("the text ends before the game does")]
    Unfinished,
    /// A property without a value.
    #[error("property {name} has no value in brackets")]
    NoValue {
        /// The name.
        name: String,
    },
    /// A root without the name of the game.
    #[error("the first node does not say GM[Blokus Duo]")]
    NoGame,
    /// Another game.
    #[error("`{found}` is not Blokus Duo")]
    OtherGame {
        /// The value of `GM`.
        found: String,
    },
    /// More than one move in a node, or more than one value in a move.
    #[error("a node has one move at most, and a move one value")]
    TwoMoves,
    /// A move of the side that is not to move.
    #[error("a move of {}, but it is the turn of {}", letter(*found), letter(found.other()))]
    WrongSide {
        /// The side that the property names.
        found: Side,
    },
    /// Set-up properties beside or after a move.
    #[error("{name} must stand before the first move")]
    LateSetup {
        /// The property.
        name: String,
    },
    /// A value that does not name a side, or sides.
    #[error("`{found}` is not a side: b or w is expected")]
    NotASide {
        /// The value.
        found: String,
    },
    /// A second side to move in one node.
    #[error("PL names the side to move a second time")]
    SecondSide,
    /// A result that the moves do not give.
    #[error("the result `{found}` is not that of the moves, {}", result_text(outcome))]
    WrongResult {
        /// The value of `RE`.
        found: String,
        /// The outcome by the rules.
        outcome: Outcome,
    },
}

impl RecordFault {
    /// The error code.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            RecordFault::Notation(fault) => fault.reason(),
            RecordFault::Illegal { why, .. } | RecordFault::SetUp { why, .. } => why.reason(),
            RecordFault::Impossible(why) => why.reason(),
            RecordFault::NoSuchPiece { .. } => "no_such_piece",
            RecordFault::NotUtf8 => "encoding",
            RecordFault::NotATree { .. } => "not_a_tree",
            RecordFault::BrokenTree { .. } => "broken_tree",
            RecordFault::Unfinished => "unfinished",
            RecordFault::NoValue { .. } => "no_value",
            RecordFault::NoGame => "no_game",
            RecordFault::OtherGame { .. } => "other_game",
            RecordFault::TwoMoves => "two_moves",
            RecordFault::WrongSide { .. } => "wrong_side",
            RecordFault::LateSetup { .. } => "late_setup",
            RecordFault::NotASide { .. } => "not_a_side",
            RecordFault::SecondSide => "twice",
            RecordFault::WrongResult { .. } => "wrong_result",
        }
    }
}

/// A fault and its offset, before the number of the game is known.
type Step<T> = Result<T, (usize, RecordFault)>;

/// Reads the games of a text, played under these rules. Every variation is checked.
///
/// # Errors
/// The first fault, with the number of the game and the offset in the text.
pub fn read(game: &Blokus, text: impl AsRef<[u8]>) -> Result<Vec<Record>, RecordError> {
    let mut records = Vec::new();
    let bytes = text.as_ref();
    let text = match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) if states_latin1(bytes) => bytes.iter().copied().map(char::from).collect(),
        Err(error) => return Err(not_utf8(game, bytes, error.valid_up_to())),
    };
    let at = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    let mut reader = Reader { game, text: &text, at, result: None };
    while reader.next().is_some() {
        let record = reader.tree().map_err(|(at, fault)| {
            // In ISO-8859-1 each character is a byte of the input.
            let at = if matches!(text, Cow::Owned(_)) { characters(&text, at) } else { at };
            RecordError { at, game: records.len() + 1, fault }
        })?;
        records.push(record);
    }
    Ok(records)
}

/// The first fault of a text that is not UTF-8 from this byte on.
fn not_utf8(game: &Blokus, bytes: &[u8], at: usize) -> RecordError {
    let number = match read(game, &bytes[..at]) {
        // The game in which these bytes lie does not end before them.
        Err(error) if error.at < at => return error,
        Err(error) => error.game,
        Ok(records) => records.len() + 1,
    };
    RecordError { at, game: number, fault: RecordFault::NotUtf8 }
}

/// Whether a text states the charset ISO-8859-1, under one of its usual names.
fn states_latin1(text: &[u8]) -> bool {
    ["CA[ISO-8859-1]", "CA[ISO8859-1]", "CA[LATIN-1]", "CA[LATIN1]"]
        .iter()
        .any(|stated| text.windows(stated.len()).any(|part| part.eq_ignore_ascii_case(stated.as_bytes())))
}

/// The result of a game that ended by the rules, as SGF writes it: the winner and the margin, such as `B+12`; `0` for a draw.
pub(crate) fn result_text(outcome: &Outcome) -> String {
    let margin = outcome.margin.unwrap_or_default();
    outcome.winner.map_or_else(|| "0".to_owned(), |winner| format!("{}+{margin}", letter(winner).to_ascii_uppercase()))
}

/// Whether a value of `RE` states another result than the outcome by the rules, or none that SGF knows. A value may leave
/// the result or the margin open, or say how the winner won.
fn contradicts(stated: &str, outcome: &Outcome) -> bool {
    let stated = stated.trim().to_ascii_lowercase();
    let Some((winner, how)) = stated.split_once('+') else {
        return match stated.as_str() {
            "" | "?" | "void" => false,
            "0" | "draw" => outcome.winner.is_some(),
            _ => true,
        };
    };
    let winner = single(winner).and_then(notation::side);
    let agrees = match how.trim() {
        "" | "t" | "time" | "r" | "resign" | "f" | "forfeit" => true,
        margin => margin.parse::<f64>().is_ok_and(|margin| Some(margin) == outcome.margin.map(f64::from)),
    };
    winner.is_none() || winner != outcome.winner || !agrees
}

/// The state of a line of play while it is read.
#[derive(Clone)]
struct Line {
    position: Position,
    /// How many placements were made.
    placements: usize,
    /// Whether a move was made, a pass that is written too.
    begun: bool,
}

/// A property as it stands in the text: its offset, and the offsets of its values.
struct Written {
    at: usize,
    property: Property,
    places: Vec<usize>,
}

struct Reader<'a> {
    game: &'a Blokus,
    text: &'a str,
    at: usize,
    /// The offset of the result that the root of the game states.
    result: Option<usize>,
}

impl Reader<'_> {
    /// Skips blanks; the character that follows, if any.
    fn next(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn rest(&self) -> String {
        quote(self.text[self.at..].split_whitespace().next().unwrap_or_default())
    }

    /// Reads one game, from `(` to `)`.
    fn tree(&mut self) -> Step<Record> {
        if self.next() != Some('(') {
            return Err((self.at, RecordFault::NotATree { found: self.rest() }));
        }
        self.result = None;
        let mut nodes: Vec<Node> = Vec::new();
        let mut lines: Vec<Line> = Vec::new();
        // Where each open variation branches off; none for the game itself.
        let mut open: Vec<Option<usize>> = Vec::new();
        let mut last = None;
        // What the grammar allows next: a variation begins with a node, and after one that ended another may follow.
        let (mut begins, mut ended) = (false, false);
        loop {
            let found = self.next();
            match found {
                Some('(') if !begins && (open.is_empty() || last.is_some()) => {
                    open.push(last);
                    (begins, ended) = (true, false);
                    self.at += 1;
                }
                Some(';') if !ended => {
                    self.at += 1;
                    let mut line = match last {
                        None => Line { position: Position::START, placements: 0, begun: false },
                        Some(parent) => Line::clone(&lines[parent]),
                    };
                    let node = self.node(&mut line, last.is_none())?;
                    if let Some(parent) = last {
                        let number = nodes.len();
                        nodes[parent].children.push(number);
                    }
                    last = Some(nodes.len());
                    nodes.push(node);
                    lines.push(line);
                    begins = false;
                }
                Some(')') if !begins => {
                    self.at += 1;
                    ended = true;
                    match open.pop().flatten() {
                        Some(branch) => last = Some(branch),
                        None => {
                            let mut record = Record { game: *self.game, start: Position::START, nodes };
                            let before =
                                record.main_line().take_while(|&number| record.nodes[number].placement.is_none());
                            if let Some(last) = before.last() {
                                record.start = lines[last].position;
                            }
                            return self.with_result(record);
                        }
                    }
                }
                None => return Err((self.text.len(), RecordFault::Unfinished)),
                Some(_) => {
                    let expected = match (begins, ended) {
                        (true, _) => "`;`",
                        (_, true) => "`(` or `)`",
                        _ => "`;`, `(`, `)` or a property",
                    };
                    return Err((self.at, RecordFault::BrokenTree { found: self.rest(), expected }));
                }
            }
        }
    }

    /// The record, whose stated result agrees with the outcome by the rules.
    fn with_result(&self, record: Record) -> Step<Record> {
        if let (Some(at), Some(stated)) = (self.result, record.property("RE"))
            && let Some(outcome) = record.state().outcome()
            && contradicts(stated, &outcome)
        {
            return Err((at, RecordFault::WrongResult { found: quote(stated.trim()), outcome }));
        }
        Ok(record)
    }

    /// Reads the properties of a node, and follows them in `line`.
    fn node(&mut self, line: &mut Line, root: bool) -> Step<Node> {
        let begin = self.at;
        let mut node = Node::default();
        let mut setup: Vec<Written> = Vec::new();
        let mut named = false;
        while self.next().is_some_and(|c| c.is_ascii_alphabetic()) {
            let written = self.property()?;
            let Property { name, values } = &written.property;
            match name.as_str() {
                "B" | "W" => {
                    if node.placement.is_some() || values.len() > 1 {
                        return Err((written.at, RecordFault::TwoMoves));
                    }
                    if let Some(written) = setup.first() {
                        return Err((written.at, RecordFault::LateSetup { name: written.property.name.clone() }));
                    }
                    let side = if name == "B" { Side::First } else { Side::Second };
                    node.placement = Some((side, self.placement(line, side, &written)?));
                    continue;
                }
                "GM" if root => {
                    if let Some(other) = values.iter().find(|value| !value.trim().eq_ignore_ascii_case("blokus duo")) {
                        return Err((written.places[0], RecordFault::OtherGame { found: quote(other.trim()) }));
                    }
                    named = true;
                    continue;
                }
                "CA" if root => continue,
                "RE" if root => {
                    self.result.get_or_insert(written.places[0]);
                }
                "AB" | "AW" | "AE" | "PL" | "ML" => {
                    if line.begun {
                        return Err((written.at, RecordFault::LateSetup { name: name.clone() }));
                    }
                    node.properties.push(written.property.clone());
                    setup.push(written);
                    continue;
                }
                _ => {}
            }
            node.properties.push(written.property);
        }
        if root && !named {
            return Err((begin, RecordFault::NoGame));
        }
        if !setup.is_empty() {
            line.position = self.set_up(&line.position, &setup)?;
        }
        Ok(node)
    }

    /// Plays the move of a property, and the pass before it where the side to move is stuck.
    fn placement(&self, line: &mut Line, side: Side, written: &Written) -> Step<Move> {
        let (at, text) = (written.places[0], &written.property.values[0]);
        // Escapes shift what follows them; a move has none.
        let m = parse_move(text).map_err(|NotationError { at: skip, fault }| (at + skip, fault.into()))?;
        if line.position.side() != side {
            if !self.game.must_pass(&line.position) {
                return Err((written.at, RecordFault::WrongSide { found: side }));
            }
            self.game.play(&mut line.position, Move::PASS);
        }
        if let Err(why) = self.game.check(&line.position, m) {
            let number = line.placements + 1;
            return Err((at + place(text, why), RecordFault::Illegal { number, text: quote(text), why }));
        }
        self.game.play(&mut line.position, m);
        line.begun = true;
        line.placements += usize::from(m != Move::PASS);
        Ok(m)
    }

    /// Adds and removes pieces.
    fn set_up(&self, position: &Position, setup: &[Written]) -> Step<Position> {
        let mut cells = Side::BOTH.map(|side| position.cells(side));
        let mut last = Side::BOTH.map(|side| position.monomino_last(side));
        let (mut to_move, mut named_last) = (None, None);
        // The pieces added, with their places.
        let mut added: Vec<(Cells, usize)> = Vec::new();
        for Written { property, places, .. } in setup {
            for (value, &at) in property.values.iter().zip(places) {
                let piece = || {
                    let m = parse_move(value).map_err(|error| (at + error.at, error.fault.into()))?;
                    let no_piece = notation::Fault::NotACell { found: quote(value) };
                    if m == Move::PASS { Err((at, no_piece.into())) } else { Ok(m.cells()) }
                };
                let not_a_side = || (at, RecordFault::NotASide { found: quote(value) });
                match property.name.as_str() {
                    "AE" => {
                        let piece = piece()?;
                        let there =
                            |cells: Cells| cells & piece == piece && !(piece.edges() & !piece).intersects(cells);
                        let Some(owner) = cells.iter_mut().find(|cells| there(**cells)) else {
                            return Err((at, RecordFault::NoSuchPiece { found: quote(value) }));
                        };
                        *owner = *owner & !piece;
                    }
                    "PL" if to_move.is_some() => return Err((at, RecordFault::SecondSide)),
                    "PL" => to_move = Some(single(value).and_then(notation::side).ok_or_else(not_a_side)?),
                    "ML" => {
                        named_last = Some(at);
                        for letter in value.trim().chars() {
                            last[notation::side(letter).ok_or_else(not_a_side)?.index()] = true;
                        }
                    }
                    name => {
                        let piece = piece()?;
                        let own = usize::from(name == "AW");
                        let occupied =
                            (piece & (cells[0] | cells[1])).first().map(|cell| IllegalMove::Occupied { cell });
                        let edge = (piece & cells[own].edges()).first().map(|cell| IllegalMove::Edge { cell });
                        if let Some(why) = occupied.or(edge) {
                            return Err((at + place(value, why), RecordFault::SetUp { text: quote(value), why }));
                        }
                        cells[own] |= piece;
                        added.push((piece, at));
                    }
                }
            }
        }
        let to_move = to_move.unwrap_or(position.side());
        Position::new(cells, to_move, last, self.game.starts()).map_err(|why| {
            let of_cell = |cell| added.iter().rev().find(|(piece, _)| piece.contains(cell)).map(|&(_, at)| at);
            let at = why.cell().map_or(named_last, of_cell);
            (at.or_else(|| setup.first().map(|written| written.at)).unwrap_or_default(), why.into())
        })
    }

    /// Reads a name and its values.
    fn property(&mut self) -> Step<Written> {
        let at = self.at;
        let rest = &self.text[at..];
        let name = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())];
        self.at += name.len();
        let name = name.to_ascii_uppercase();
        let (mut values, mut places) = (Vec::new(), Vec::new());
        while self.next() == Some('[') {
            self.at += 1;
            places.push(self.at);
            values.push(self.value()?);
        }
        if values.is_empty() {
            let end = self.at == self.text.len();
            return Err(if end { (self.at, RecordFault::Unfinished) } else { (at, RecordFault::NoValue { name }) });
        }
        Ok(Written { at, property: Property { name, values }, places })
    }

    /// Reads a value up to its bracket. A backslash makes the next character a plain one, and a line break nothing.
    fn value(&mut self) -> Step<String> {
        let mut value = String::new();
        let mut characters = self.text[self.at..].char_indices().peekable();
        while let Some((skip, c)) = characters.next() {
            match c {
                ']' => {
                    self.at += skip + 1;
                    return Ok(value);
                }
                '\\' => match characters.next() {
                    Some((_, '\r')) => {
                        characters.next_if(|&(_, next)| next == '\n');
                    }
                    Some((_, '\n')) | None => {}
                    Some((_, escaped)) => value.push(escaped),
                },
                _ => value.push(c),
            }
        }
        Err((self.text.len(), RecordFault::Unfinished))
    }
}

/// The only character of a text.
pub(crate) fn single(text: &str) -> Option<char> {
    let mut characters = text.trim().chars();
    characters.next().filter(|_| characters.next().is_none())
}

impl Record {
    /// A game without annotations.
    #[must_use]
    pub fn new(state: &GameState<Blokus>) -> Record {
        let property = |name: &str, values: Vec<String>| Property { name: name.to_owned(), values };
        let mut properties = Vec::new();
        let origin = state.origin();
        for (side, name) in Side::BOTH.into_iter().zip(["AB", "AW"]) {
            let pieces = origin.pieces(side).filter_map(Move::covering).map(|m| m.to_string());
            properties.push(property(name, pieces.collect()));
        }
        let last: String = Side::BOTH.into_iter().filter(|&side| origin.monomino_last(side)).map(letter).collect();
        properties.push(property("ML", if last.is_empty() { Vec::new() } else { vec![last] }));
        let second = origin.side() == Side::Second;
        properties.push(property("PL", if second { vec!["W".to_owned()] } else { Vec::new() }));
        properties.retain(|property| !property.values.is_empty());
        let mut nodes = vec![Node { properties, ..Node::default() }];
        let mut side = origin.side();
        for &m in state.moves() {
            if m != Move::PASS {
                let number = nodes.len();
                nodes[number - 1].children.push(number);
                nodes.push(Node { placement: Some((side, m)), ..Node::default() });
            }
            side = side.other();
        }
        Record { game: *state.game(), start: *origin, nodes }
    }

    /// The nodes: the first one is the root, and a node comes after its parent.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The text of the first value of a property of the root, such as `PB`.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&str> {
        let properties = self.nodes.first().map_or(&[][..], |root| &root.properties);
        let property = properties.iter().find(|property| property.name == name)?;
        property.values.first().map(String::as_str)
    }

    /// Adds a property to the root.
    pub fn add_property(&mut self, name: &str, value: impl Into<String>) {
        if let Some(root) = self.nodes.first_mut() {
            root.properties.push(Property { name: name.to_owned(), values: vec![value.into()] });
        }
    }

    /// The numbers of the nodes of the main line.
    fn main_line(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(0), |&number: &usize| self.nodes[number].children.first().copied())
    }

    /// The main line as a game, with its passes; a pass that is forced at its end too.
    #[must_use]
    pub fn state(&self) -> GameState<Blokus> {
        let mut state = GameState::from(self.game, self.start);
        for (side, m) in self.main_line().filter_map(|number| self.nodes[number].placement) {
            if state.side_to_move() != side {
                state.play(Move::PASS);
            }
            state.play(m);
        }
        if self.game.must_pass(state.position()) {
            state.play(Move::PASS);
        }
        state
    }

    /// The game with its variations as blksgf, on one line.
    #[must_use]
    pub fn blksgf(&self) -> String {
        let mut text = String::new();
        // What is still to be written, in reverse: nodes and closing brackets.
        let mut rest = vec![Part::Close, Part::Node(0), Part::Open];
        while let Some(part) = rest.pop() {
            match part {
                Part::Open => text.push('('),
                Part::Close => text.push(')'),
                Part::Node(number) => {
                    let node = &self.nodes[number];
                    // A node that says only that a side passes is left out.
                    let says = node.placement.is_none_or(|(_, m)| m != Move::PASS) || !node.properties.is_empty();
                    text.push_str(if says || node.children.len() > 1 { ";" } else { "" });
                    if number == 0 {
                        text.push_str("GM[Blokus Duo]CA[UTF-8]");
                    }
                    write_node(&mut text, node);
                    match node.children[..] {
                        [only] => rest.push(Part::Node(only)),
                        ref several => {
                            rest.extend(
                                several.iter().rev().flat_map(|&child| [Part::Close, Part::Node(child), Part::Open]),
                            );
                        }
                    }
                }
            }
        }
        text
    }
}

/// A part of a text that is being written.
enum Part {
    Open,
    Close,
    Node(usize),
}

/// Writes the move and the properties of a node.
fn write_node(text: &mut String, node: &Node) {
    if let Some((side, m)) = node.placement.filter(|&(_, m)| m != Move::PASS) {
        text.extend([letter(side).to_ascii_uppercase(), '[']);
        text.push_str(&m.to_string());
        text.push(']');
    }
    for Property { name, values } in &node.properties {
        text.push_str(name);
        for value in values {
            text.push('[');
            text.push_str(&value.replace('\\', "\\\\").replace(']', "\\]"));
            text.push(']');
        }
    }
}
