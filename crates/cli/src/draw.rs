//! A board in the terminal.

use banmen_catalog::{Board, Cell, SideName, Sides};

/// The colours of a terminal, as codes of "Select Graphic Rendition" (ECMA-48, 8.3.117). Signs differ without them, too.
#[derive(Clone, Copy)]
pub(crate) struct Colours {
    first: u8,
    second: u8,
}

impl Colours {
    const FAINT: u8 = 2;

    /// Those of the sides' names, where they are names of colours that can be seen on light and dark terminals.
    pub(crate) fn of(sides: &Sides) -> Self {
        let code = |name: &str, other| match name {
            "Red" => 31,
            "Blue" => 34,
            "Violet" => 35,
            "Orange" => 33,
            _ => other,
        };
        Colours { first: code(sides.first.en, 36), second: code(sides.second.en, 33) }
    }

    pub(crate) fn side(self, owner: Option<SideName>) -> u8 {
        if owner == Some(SideName::First) { self.first } else { self.second }
    }
}

/// The text in a colour, if there are colours.
pub(crate) fn painted(text: &str, code: Option<u8>) -> String {
    code.map_or_else(|| text.to_owned(), |code| format!("\x1b[{code}m{text}\x1b[0m"))
}

/// Draws the `board` of a `show` answer: pieces as letters, upper case the first side's, legal cells as dots, the last
/// move in brackets; cells that are about to die in parentheses, cells that are about to be born as a small digit of
/// their side. The hand of the second side is above the board, that of the first side below it.
///
/// On a map each cell begins with the symbol of its terrain, a piece is followed by its number, and `*` marks pieces
/// that have acted; a legend of the terrains and the pieces follows below.
pub(crate) fn board(board: &Board, colours: Option<Colours>) -> String {
    let width = board.width.max(1);
    let names: Vec<&str> = board.cells.iter().map(|cell| cell.at.as_str()).collect();
    let (columns, rows) = labels(&names, width).unwrap_or_default();
    let map = Map::of(board);
    let cell_width = map.as_ref().map_or(1, Map::cell_width);
    let mut lines =
        vec![columns.iter().fold("   ".to_owned(), |line, label| format!("{line} {label:<w$}", w = cell_width + 1))];
    for (y, row) in board.cells.chunks(width).enumerate() {
        let mut line = format!("{:>2} ", rows.get(y).copied().unwrap_or_default());
        for cell in row {
            let tagged = |tag: &str| cell.tags.contains(&tag);
            let (open, close) = match (tagged("last"), tagged("dies")) {
                (true, _) => ('[', ']'),
                (_, true) => ('(', ')'),
                _ => (' ', ' '),
            };
            let sign = match cell.piece {
                Some(piece) => symbol(piece, cell.owner),
                None if tagged("legal") => '·',
                None if tagged("born-first") => '₀',
                None if tagged("born-second") => '₁',
                None if map.is_some() => ' ',
                None => '-',
            };
            let colour = colours.filter(|_| !matches!(sign, ' ' | '-')).map(|colours| match cell.piece {
                Some(_) => colours.side(cell.owner),
                None => Colours::FAINT,
            });
            let sign = painted(&sign.to_string(), colour);
            line.push(open);
            match &map {
                Some(map) => line.push_str(&map.cell(cell, &sign)),
                None => line.push_str(&sign),
            }
            line.push(close);
        }
        lines.push(line);
    }
    let hand = |index: usize, owner| {
        let hand = hand(board.hands.get(index)?, owner)?;
        Some(painted(&hand, colours.map(|colours| colours.side(Some(owner)))))
    };
    lines.splice(0..0, hand(1, SideName::Second));
    lines.extend(hand(0, SideName::First));
    lines.extend(map.iter().flat_map(|map| map.legend(board)));
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// What is drawn on a board with terrain in addition to pieces.
struct Map<'b> {
    /// The numbers of the pieces, in order, with the names of their cells.
    units: Vec<(usize, &'b str)>,
    /// The characters of the longest number; 0 without numbers.
    digits: usize,
}

impl<'b> Map<'b> {
    /// `None` for a board without terrain. The numbers of the pieces are in the list `units` of `extra`.
    fn of(board: &'b Board) -> Option<Map<'b>> {
        board.cells.iter().find(|cell| cell.terrain.is_some())?;
        let listed = board.extra.get("units").and_then(|units| units.as_object());
        let numbered =
            listed.into_iter().flatten().filter_map(|(number, at)| Some((number.parse().ok()?, at.as_str()?)));
        let mut units: Vec<(usize, &str)> = numbered.collect();
        units.sort_unstable();
        let digits = units.last().map_or(0, |(number, _)| number.to_string().len());
        Some(Map { units, digits })
    }

    /// The terrain, the piece, its number, and whether it has acted.
    fn cell_width(&self) -> usize {
        3 + self.digits
    }

    fn cell(&self, cell: &Cell, sign: &str) -> String {
        let number = self.units.iter().find(|(_, at)| *at == cell.at).map(|(number, _)| number.to_string());
        let acted = if has_acted(cell) { '*' } else { ' ' };
        let ground = cell.terrain.map_or(' ', terrain_sign);
        format!("{ground}{sign}{:<1$}{acted}", number.unwrap_or_default(), self.digits)
    }

    /// The symbols of the terrains, with their defence stars if the board has them (`stars`), and the numbered pieces,
    /// those of the first side on the left: number, letter, cell, the cell's text, which is hit points, and whether
    /// they have acted.
    fn legend(&self, board: &Board) -> Vec<String> {
        let mut terrains: Vec<&str> = board.cells.iter().filter_map(|cell| cell.terrain).collect();
        terrains.sort_unstable();
        terrains.dedup();
        let stars = |name: &str| board.extra.get("stars").and_then(|stars| stars.get(name)?.as_u64());
        let has_stars = terrains.iter().any(|name| stars(name).is_some());
        let signs: Vec<String> = terrains
            .iter()
            .map(|name| match stars(name) {
                Some(stars) => format!("{} {name} {stars}", terrain_sign(name)),
                None => format!("{} {name}", terrain_sign(name)),
            })
            .collect();
        let note = if has_stars { " (defence stars)" } else { "" };
        let mut lines = vec![String::new(), format!("terrain   {}{note}", signs.join(", "))];
        let of = |owner| -> Vec<String> {
            let units = self.units.iter().filter_map(|&(number, at)| {
                let cell = board.cells.iter().find(|cell| cell.at == at && cell.owner == Some(owner))?;
                let hit_points = cell.label.as_ref().map(|label| format!(" hp {label:<2}")).unwrap_or_default();
                let acted = if has_acted(cell) { " * acted" } else { "" };
                Some(format!("{number:>2} {} {at:<5}{hit_points}{acted}", symbol(cell.piece?, cell.owner)))
            });
            units.collect()
        };
        let (first, second) = (of(SideName::First), of(SideName::Second));
        let column = first.iter().map(String::len).max().unwrap_or(0);
        for row in 0..first.len().max(second.len()) {
            let head = if row == 0 { "units" } else { "" };
            let unit = |units: &[String]| units.get(row).cloned().unwrap_or_default();
            lines.push(format!("{head:<9}{:<column$}   {}", unit(&first), unit(&second)));
        }
        lines
    }
}

fn has_acted(cell: &Cell) -> bool {
    cell.tags.contains(&"acted")
}

/// The symbol of a terrain, which is not a letter of a piece unless the terrain's name is unknown here.
fn terrain_sign(name: &str) -> char {
    match name {
        "plain" => '.',
        "sea" => '~',
        "forest" => '"',
        "mountain" => '^',
        "road" => '=',
        "fortress" => '#',
        "no-entry" => '/',
        other => other.chars().next().unwrap_or('?'),
    }
}

/// The names of the columns and of the rows: a cell's name has two halves, of which all cells of a column share one and
/// all cells of a row the other, in either order. `None` if the names do not have this form.
pub(crate) fn labels<'a>(names: &[&'a str], width: usize) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    let parts: Vec<(&str, &str)> = names.iter().copied().map(halves).collect::<Option<_>>()?;
    let (heads, tails): (Vec<&str>, Vec<&str>) = parts.into_iter().unzip();
    let columns = |parts: &[&'a str]| {
        let first = parts.get(..width)?;
        parts.chunks(width).all(|row| row == first).then(|| first.to_vec())
    };
    let rows = |parts: &[&'a str]| {
        parts
            .chunks(width)
            .map(|row| row.iter().all(|part| *part == row[0]).then_some(row[0]))
            .collect::<Option<Vec<_>>>()
    };
    let names = |across: &[&'a str], down: &[&'a str]| Some((columns(across)?, rows(down)?));
    names(&heads, &tails).or_else(|| names(&tails, &heads))
}

/// `d3` as `d` and `3`, `2c` as `2` and `c`, `4,11` as `4` and `11`.
fn halves(name: &str) -> Option<(&str, &str)> {
    let starts = name.starts_with(|c: char| c.is_ascii_digit());
    let (head, tail) = name
        .split_once(',')
        .or_else(|| name.find(|c: char| c.is_ascii_digit() != starts).map(|at| name.split_at(at)))?;
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    let letters = |part: &str| !part.is_empty() && part.chars().all(char::is_alphabetic);
    [head, tail].iter().all(|part| digits(part) || letters(part)).then_some((head, tail))
}

/// The sign of a side's pieces in words: `X` where all its pieces have one sign, else the case of their letters. A side
/// without pieces is drawn as the other one, so that an empty board has the signs that it will have.
pub(crate) fn side_sign(board: &Board, side: SideName) -> String {
    let other = if side == SideName::First { SideName::Second } else { SideName::First };
    let piece_of = |side| board.cells.iter().filter(|cell| cell.owner == Some(side)).find_map(|cell| cell.piece);
    let piece = piece_of(side).or_else(|| piece_of(other)).unwrap_or("disc");
    match symbol(piece, Some(side)) {
        sign @ ('X' | 'O' | '0' | '1') => sign.to_string(),
        _ if side == SideName::First => "upper case".to_owned(),
        _ => "lower case".to_owned(),
    }
}

/// What the letters of the pieces on the board and in the hands stand for, `L lion` or `I infantry`; empty where one sign stands
/// for a side. Names of kinds are in the list `kinds` of `extra` where pieces are named by a letter.
pub(crate) fn kinds(board: &Board) -> String {
    let placed = board.cells.iter().filter_map(|cell| cell.piece);
    let held = board.hands.iter().flatten().map(String::as_str);
    let listed = board.extra.get("kinds").and_then(|kinds| kinds.as_object());
    let mut kinds: Vec<String> = placed
        .chain(held)
        .filter_map(|piece| {
            let letter = symbol(piece, Some(SideName::First));
            let name = listed.and_then(|kinds| kinds.get(piece)?.as_str()).unwrap_or(piece);
            (letter.is_ascii_uppercase() && !matches!(letter, 'X' | 'O') && name.len() > 2)
                .then(|| format!("{letter} {name}"))
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.join(", ")
}

/// What the signs of this board mean, in one line: its pieces where one letter stands for a side, and its marks.
pub(crate) fn signs(board: &Board, sides: &Sides) -> String {
    let tagged = |tag: &str| board.cells.iter().any(|cell| cell.tags.contains(&tag));
    let named = [(SideName::First, sides.first.en), (SideName::Second, sides.second.en)];
    let mut signs: Vec<String> =
        named.iter().map(|(side, name)| format!("{} {name}", side_sign(board, *side))).collect();
    let marks = [("legal", "· a legal move"), ("born-first", "₀ ₁ born next"), ("dies", "( ) dies next")];
    signs.extend(marks.iter().filter(|(tag, _)| tagged(tag)).map(|(_, mark)| (*mark).to_owned()));
    signs.push("[ ] the last move".to_owned());
    let [first, second] = [sides.first.en, sides.second.en];
    if board.hands.iter().any(|hand| !hand.is_empty()) {
        signs.push(format!("hand: {second}'s above the board, {first}'s below"));
    }
    signs.join(", ")
}

/// The line of a hand; `None` if it is empty. Names of one or two characters (`W`, `I5`) are written in full.
fn hand(words: &[String], owner: SideName) -> Option<String> {
    let held = words.iter().map(|piece| match piece.chars().count() {
        1 | 2 => piece.to_owned(),
        _ => symbol(piece, Some(owner)).to_string(),
    });
    let line = held.fold("hand".to_owned(), |line, piece| format!("{line} {piece}"));
    (!words.is_empty()).then_some(line)
}

fn symbol(piece: &str, owner: Option<SideName>) -> char {
    match (piece, owner) {
        // Games with one kind of piece use the customary letters.
        ("disc" | "stone" | "mark" | "square", Some(SideName::First)) => 'X',
        ("disc" | "stone" | "mark" | "square", _) => 'O',
        ("cell", Some(SideName::First)) => '0',
        ("cell", _) => '1',
        (piece, owner) => {
            let letter = piece.chars().next().unwrap_or('?');
            if owner == Some(SideName::First) { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FIRST: Option<SideName> = Some(SideName::First);
    const SECOND: Option<SideName> = Some(SideName::Second);

    fn cell(at: &str, piece: Option<&'static str>, owner: Option<SideName>, tags: &[&'static str]) -> Cell {
        Cell { at: at.to_owned(), piece, owner, tags: tags.to_vec(), ..Cell::default() }
    }

    fn drawn(width: usize, hands: [&[&str]; 2], cells: &[Cell]) -> String {
        let hands = hands.map(|hand| hand.iter().map(|&piece| piece.to_owned()).collect()).to_vec();
        board(&Board { width, height: cells.len() / width, cells: cells.to_vec(), hands, ..Board::default() }, None)
    }

    #[test]
    fn labels_columns_by_letters_and_rows_by_digits() {
        let cells = [
            cell("a1", Some("disc"), FIRST, &["last"]),
            cell("b1", None, None, &["legal"]),
            cell("a2", Some("disc"), SECOND, &[]),
            cell("b2", None, None, &[]),
        ];
        assert_eq!(drawn(2, [&[], &[]], &cells), "    a  b\n 1 [X] ·\n 2  O  -");
    }

    #[test]
    fn labels_columns_by_digits_and_rows_by_letters_with_hands() {
        let cells = [
            cell("2a", Some("lion"), SECOND, &["check"]),
            cell("1a", Some("hen"), FIRST, &["last"]),
            cell("2b", Some("lion"), FIRST, &[]),
            cell("1b", None, None, &["last"]),
        ];
        let drawn = drawn(2, [&["chick", "chick", "giraffe"], &["elephant"]], &cells);
        assert_eq!(drawn, "hand e\n    2  1\n a  l [H]\n b  L [-]\nhand C C G");
    }

    #[test]
    fn distinguishes_deaths_and_births() {
        let cells = [
            cell("0,0", Some("cell"), FIRST, &["dies"]),
            cell("1,0", Some("cell"), SECOND, &[]),
            cell("2,0", None, None, &["born-first"]),
            cell("0,1", None, None, &["born-second", "last"]),
            cell("1,1", Some("cell"), SECOND, &["dies", "last"]),
            cell("2,1", None, None, &[]),
        ];
        assert_eq!(drawn(3, [&[], &[]], &cells), "    0  1  2\n 0 (0) 1  ₀\n 1 [₁][1] -");
    }

    #[test]
    fn writes_short_names_in_hands_in_full() {
        let cells = [cell("a1", Some("square"), SECOND, &[])];
        let hands: [&[&str]; 2] = [&["1", "I5"], &["W", "chick"]];
        assert_eq!(drawn(1, hands, &cells), "hand W c\n    a\n 1  O\nhand 1 I5");
    }

    #[test]
    fn omits_empty_hands() {
        assert_eq!(drawn(1, [&[], &[]], &[cell("1a", None, None, &[])]), "    1\n a  -");
    }

    #[test]
    fn labels_columns_by_either_half() {
        assert_eq!(labels(&["i9", "j9", "i10", "j10"], 2), Some((vec!["i", "j"], vec!["9", "10"])));
        assert_eq!(labels(&["2c", "1c", "2d", "1d"], 2), Some((vec!["2", "1"], vec!["c", "d"])));
        assert_eq!(labels(&["0,0", "1,0", "0,1", "1,1"], 2), Some((vec!["0", "1"], vec!["0", "1"])));
    }

    #[test]
    fn omits_labels_without_columns_and_rows() {
        let unnamed = [["p", "q", "r", "s"], ["a1", "b1", "a2", "c2"], ["a1x", "b1x", "a2x", "b2x"], ["", "", "", ""]];
        for names in unnamed {
            assert_eq!(labels(&names, 2), None, "{names:?}");
        }
    }

    #[test]
    fn draws_terrain_with_numbered_units_and_lists_both() {
        let ground = ["plain", "sea", "forest", "mountain"];
        let mut cells = vec![
            cell("1,1", Some("I"), FIRST, &["acted", "last"]),
            cell("2,1", None, None, &[]),
            cell("1,2", Some("P"), SECOND, &[]),
            cell("2,2", Some("F"), FIRST, &[]),
        ];
        for ((cell, terrain), hp) in cells.iter_mut().zip(ground).zip(["10", "", "4", "7"]) {
            cell.terrain = Some(terrain);
            cell.label = (!hp.is_empty()).then(|| hp.to_owned());
        }
        let mut map = Board { width: 2, height: 2, cells, ..Board::default() };
        let plain = "    1    2\n 1 [.I*] ~\n 2  \"p   ^F\n\nterrain   \" forest, ^ mountain, . plain, ~ sea";
        assert_eq!(board(&map, None), plain);
        map.extra.insert("units".to_owned(), json!({ "11": "1,2", "3": "2,2", "0": "1,1" }));
        map.extra.insert("stars".to_owned(), json!({ "plain": 1, "sea": 0, "forest": 3, "mountain": 4 }));
        let numbered = [
            "    1      2",
            " 1 [.I0 *] ~",
            " 2  \"p11   ^F3",
            "",
            "terrain   \" forest 3, ^ mountain 4, . plain 1, ~ sea 0 (defence stars)",
            "units     0 I 1,1   hp 10 * acted   11 p 1,2   hp 4",
            "          3 F 2,2   hp 7",
        ];
        assert_eq!(board(&map, None), numbered.join("\n"));
    }

    #[test]
    fn colours_change_nothing_else() {
        let cells = [cell("a1", Some("disc"), FIRST, &["last"]), cell("b1", None, None, &["legal"])];
        let hands = vec![vec!["chick".to_owned()], Vec::new()];
        let drawn = Board { width: 2, height: 1, cells: cells.to_vec(), hands, ..Board::default() };
        let colours = Colours::of(&sides("Red", "White"));
        let painted = board(&drawn, Some(colours));
        assert!(painted.contains("[\x1b[31mX\x1b[0m]") && painted.contains("\x1b[2m·\x1b[0m"), "{painted:?}");
        let mut plain = painted;
        for code in ["31", "2", "0"] {
            plain = plain.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(plain, board(&drawn, None));
    }

    fn sides(first: &'static str, second: &'static str) -> Sides {
        let name = |en| banmen_catalog::LocalizedName { en, ja: "" };
        Sides { first: name(first), second: name(second) }
    }

    #[test]
    fn an_empty_board_has_the_signs_that_its_pieces_will_have() {
        let empty = vec![cell("a1", None, None, &["legal"]), cell("b1", None, None, &[])];
        let mut drawn = Board { width: 2, height: 1, cells: empty, ..Board::default() };
        assert_eq!(signs(&drawn, &sides("Violet", "Orange")), "X Violet, O Orange, · a legal move, [ ] the last move");
        drawn.hands = vec![vec!["I5".to_owned()], Vec::new()];
        let with_hands = signs(&drawn, &sides("Violet", "Orange"));
        assert!(with_hands.ends_with("hand: Orange's above the board, Violet's below"), "{with_hands}");
        assert_eq!(kinds(&drawn), "", "names in full need no legend");
        drawn.cells[0] = cell("a1", Some("cell"), FIRST, &[]);
        assert_eq!([SideName::First, SideName::Second].map(|side| side_sign(&drawn, side)), ["0", "1"]);
    }

    #[test]
    fn letters_of_pieces_are_explained() {
        let cells = vec![cell("2a", Some("lion"), SECOND, &[]), cell("1a", Some("hen"), FIRST, &[])];
        let hands = vec![vec!["chick".to_owned(), "chick".to_owned()], Vec::new()];
        let drawn = Board { width: 2, height: 1, cells, hands, ..Board::default() };
        assert_eq!(kinds(&drawn), "C chick, H hen, L lion");
        assert!(signs(&drawn, &sides("Sente", "Gote")).starts_with("upper case Sente, lower case Gote"));
        let mut map =
            Board { width: 1, height: 1, cells: vec![cell("1,1", Some("I"), FIRST, &[])], ..Board::default() };
        assert_eq!(kinds(&map), "");
        map.extra.insert("kinds".to_owned(), json!({ "I": "infantry" }));
        assert_eq!(kinds(&map), "I infantry");
    }

    #[test]
    fn draws_nothing_for_a_board_without_cells() {
        assert_eq!(board(&Board::default(), None).trim(), "");
    }
}
