//! What a person is told before a game in the terminal: who plays, what the letters mean, how a move is typed.

use banmen_catalog::{Board, SideName, Sides};
use banmen_protocol::messages::{LegalAnswer, LegalRequest};
use banmen_protocol::operations;

use super::question::name;
use super::{Ask, about};
use crate::args::Place;
use crate::draw::{Colours, kinds, painted, side_sign};
use crate::failure::Failure;

/// As many examples of moves are given.
const MAX_EXAMPLES: usize = 3;

/// Longer examples leave no space for the next sentence on their line.
const SHORT: usize = 60;

/// Two or three lines: who plays which side, the letters of the pieces where they are not obvious, and how a move is typed, by
/// examples that are legal here. `players` are the texts of the command line.
pub(super) fn instructions(
    ask: &Ask,
    place: &Place,
    board: &Board,
    sides: &Sides,
    players: [&str; 2],
    colours: Option<Colours>,
) -> Result<String, Failure> {
    let side = |index: usize| {
        let side = [SideName::First, SideName::Second][index];
        let text = format!("{} ({})", name(side, sides), side_sign(board, side));
        painted(&text, colours.map(|colours| colours.side(Some(side))))
    };
    let mut text = match players.map(|player| player == "human") {
        [true, true] => format!("Two people play: {} and {}.", side(0), side(1)),
        [true, false] => format!("You are {}; {} is {}.", side(0), side(1), player(players[1])),
        _ => format!("You are {}; {} is {}.", side(1), side(0), player(players[0])),
    };
    let letters = kinds(board);
    if !letters.is_empty() {
        text.push_str(&format!("\nPieces: {letters}."));
    }
    let examples = examples(ask, place)?;
    if !examples.is_empty() {
        let typed = typed(board, &examples);
        let gap = if typed.len() > SHORT { '\n' } else { ' ' };
        text.push_str(&format!("\n{typed}.{gap}`help` says what else you can type."));
    }
    Ok(text)
}

/// A player's text in words: `engine:level=5` as "the engine, level 5".
fn player(text: &str) -> String {
    let (name, keys) = text.split_once(':').unwrap_or((text, ""));
    let level = keys.strip_prefix("level=").filter(|level| level.chars().all(|c| c.is_ascii_digit()));
    match (name, keys, level) {
        ("engine", "", _) => "the engine at full strength".to_owned(),
        ("engine", _, Some(level)) => format!("the engine, level {level}"),
        _ => format!("`{text}`"),
    }
}

/// How a move is typed, without a full stop.
pub(super) fn typed(board: &Board, examples: &[String]) -> String {
    let quoted: Vec<String> = examples
        .iter()
        .map(|example| match meaning(board, example) {
            Some(meaning) => format!("`{example}` ({meaning})"),
            None => format!("`{example}`"),
        })
        .collect();
    let parts = if examples.iter().any(|example| example.contains(' ')) { ", whole or part by part" } else { "" };
    match quoted.as_slice() {
        [] => String::new(),
        [one] => format!("A move is typed as {one}{parts}"),
        [most @ .., last] => format!("A move is typed as {} or {last}{parts}", most.join(", ")),
    }
}

/// What a move says, where it is written by the names of cells, or by the number of a unit.
fn meaning(board: &Board, text: &str) -> Option<String> {
    let is_cell = |name: &str| board.cells.iter().any(|cell| cell.at == name);
    if let Some((from, to)) =
        (1..text.len()).filter_map(|at| text.split_at_checked(at)).find(|(a, b)| is_cell(a) && is_cell(b))
    {
        return Some(format!("from {from} to {to}"));
    }
    if let Some((piece, to)) = text.split_once('*').filter(|(_, to)| is_cell(to)) {
        return Some(format!("{piece} from the hand to {to}"));
    }
    if text.contains(',') && text.split(',').all(is_cell) {
        return Some("the cells of the piece".to_owned());
    }
    let (unit, rest) = text.split_once('@').filter(|_| board.extra.contains_key("units"))?;
    let (to, target) = rest.split_once('>').map_or((rest, None), |(to, target)| (to, Some(target)));
    let attack = target.map(|target| format!(", and attacks unit {target}")).unwrap_or_default();
    Some(format!("unit {unit} goes to {to}{attack}"))
}

/// Legal moves that are written in different ways, such as a birth, a kill and a pass.
pub(super) fn examples(ask: &Ask, place: &Place) -> Result<Vec<String>, Failure> {
    /// Where there are more moves, one is taken for each way in which moves begin.
    const MAX_LISTED: usize = 200;
    let legal = |prefix: &str, limit: usize| {
        ask.ask(operations::legal, about(place, LegalRequest { prefix: prefix.to_owned(), limit }))
    };
    let LegalAnswer { count, moves, next } = legal("", MAX_LISTED)?;
    let mut examples: Vec<String> = Vec::new();
    let mut take = |text: &str| {
        if examples.len() < MAX_EXAMPLES && examples.iter().all(|other| form(other) != form(text)) {
            examples.push(text.to_owned());
        }
    };
    if count <= MAX_LISTED {
        moves.iter().for_each(|text| take(text));
    } else {
        for beginning in next.iter().take(MAX_EXAMPLES) {
            legal(beginning, 1)?.moves.iter().for_each(|text| take(text));
        }
    }
    Ok(examples)
}

/// The form of a move: words stay, letters that stand alone and numbers become one sign each, and a list of cells is as good as
/// another.
fn form(text: &str) -> String {
    let mut form = String::new();
    let mut letters = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_alphabetic() {
            letters.push(c);
            continue;
        }
        form.push_str(if letters.chars().count() == 1 { "a" } else { &letters });
        letters.clear();
        match c {
            c if c.is_ascii_digit() && form.ends_with('0') => {}
            c if c.is_ascii_digit() => form.push('0'),
            c => form.push(c),
        }
    }
    let mut cells: Vec<&str> = form.trim_end().split(',').collect();
    let all = cells.len();
    cells.dedup();
    if cells.len() < all {
        cells.push("…");
    }
    cells.join(",")
}

#[cfg(test)]
mod tests {
    use banmen_catalog::Cell;

    use super::*;

    #[test]
    fn moves_of_one_form_are_one_example() {
        assert_eq!(form("d3"), form("c4"));
        assert_eq!(form("i10"), form("i9"));
        assert_eq!(form("e9,e10"), form("e9,f9,e10,f10,g10"));
        assert_ne!(form("e9,e10"), form("e10"));
        assert_ne!(form("2c2b"), form("C*2b"));
        assert_ne!(form("kill 4,0"), form("birth 4,0 5,0 6,0"));
        assert_ne!(form("0@2,4"), form("10@2,4>7"));
        assert_ne!(form("end"), form("pass"));
    }

    #[test]
    fn players_are_named_in_words() {
        assert_eq!(player("engine:level=5"), "the engine, level 5");
        assert_eq!(player("engine"), "the engine at full strength");
        assert_eq!(player("mcts:playouts=200"), "`mcts:playouts=200`");
        assert_eq!(player("engine:level=5,book=on"), "`engine:level=5,book=on`");
    }

    #[test]
    fn examples_say_what_they_mean() {
        let cells = ["2b", "2c"].map(|at| Cell { at: at.to_owned(), ..Cell::default() }).to_vec();
        let mut board = Board { width: 1, height: 2, cells, ..Board::default() };
        let typed = |board: &Board, text: &str| typed(board, &[text.to_owned()]);
        assert_eq!(typed(&board, "2c2b"), "A move is typed as `2c2b` (from 2c to 2b)");
        assert_eq!(typed(&board, "C*2b"), "A move is typed as `C*2b` (C from the hand to 2b)");
        assert_eq!(typed(&board, "2b"), "A move is typed as `2b`");
        assert_eq!(typed(&board, "2b,2c"), "A move is typed as `2b,2c` (the cells of the piece)");
        assert_eq!(typed(&board, "é2"), "A move is typed as `é2`");
        board.extra.insert("units".to_owned(), serde_json::json!({}));
        let attack = typed(&board, "0@2,4>7");
        assert_eq!(attack, "A move is typed as `0@2,4>7` (unit 0 goes to 2,4, and attacks unit 7)");
    }
}
