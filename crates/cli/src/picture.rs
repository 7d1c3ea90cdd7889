//! A board as a picture: self-contained SVG that follows the reader's light or dark colour scheme.
//!
//! The games of this project are drawn as on the page. Others are drawn plainly, with letters for pieces; their sides
//! differ by shape as well as by colour.

mod blokus;
mod dobutsu;
mod golad;
mod look;
mod othello;
mod tubstap;

use std::fmt::Write;

use banmen_catalog::{Board, Cell, SideName};

use self::look::Look;
use crate::draw::labels;

/// A cell's edge, in the picture's own units.
const CELL: usize = 100;
/// The frame around the cells, with the names of columns and rows.
const FRAME: usize = 80;
/// The number of distinct looks of terrain. If there are more terrains, some share a look and differ only by their
/// names.
const LOOKS: usize = 6;

const STYLE: &str = "<style>\
svg{color-scheme:light dark;font:600 44px system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}\
.frame{fill:#39424d}.label{fill:#dfe4ea;font-weight:400}.field{fill:#f7f5ee}.lines{stroke:#d5d0c0;stroke-width:2.5}\
.first{fill:#17191b}.second{fill:#fffdf6;stroke:#17191b;stroke-width:6}.nobody{fill:#8c8778}\
.letter{fill:#fff}.letter.second{fill:#17191b;stroke:none}\
.life.first{fill:#c2362b}.life.second{fill:#1d5ca6;stroke:none}.hollow{fill:#f7f5ee;stroke:none}\
.last{fill:none;stroke:#12813f;stroke-width:7}.legal{fill:#8c8778}\
.look-0{fill:#dfe8c8}.look-1{fill:#a9c79b}.look-2{fill:#cbb8a0}.look-3{fill:#b9d5e8}.look-4{fill:#e6dcc0}.look-5{fill:#d8c9de}\
.terrain{font-size:17px;font-weight:400;fill:#39424d}\
.cell-label{font-size:30px;text-anchor:end;fill:#17191b;stroke:#fffdf6;stroke-width:6;paint-order:stroke}\
@media(prefers-color-scheme:dark){.frame{fill:#14171b}.label{fill:#a9b2bc}.field,.hollow{fill:#1d2126}.lines{stroke:#2e343b}\
.disc.first{stroke:#8c8778;stroke-width:4}.life.first{fill:#f0796c}.life.second{fill:#72aef0}.last{stroke:#5ad08c}\
.look-0{fill:#39432c}.look-1{fill:#2c4a30}.look-2{fill:#4a3d30}.look-3{fill:#263f50}.look-4{fill:#4a4530}.look-5{fill:#413848}\
.terrain{fill:#c3cad1}}\
</style>";

/// The frame around a board with a look of its own, as a share of its longer edge.
const MARGIN: f64 = 0.058;
/// The width of a tray for the pieces in hand, and what is between it and the edge of the picture.
const TRAY: f64 = 92.0;
const RIM: f64 = 14.0;
/// The size in pixels of one of the picture's units, and the longer edge in pixels of a picture that would be smaller.
const SCALE: f64 = 0.4;
const LONGER_EDGE: f64 = 480.0;
/// The height of a count of pieces in hand, as a share of the piece's.
const COUNT: f64 = 0.27;

/// Draws the `board` of a `show` answer as the page does for games of this `view`, with the `side` to move; plainly if
/// there is no such view.
pub(crate) fn board(board: &Board, view: &str, side: SideName) -> String {
    match Look::of(view) {
        Some(look) if board.width > 0 => with_look(board, look, side),
        _ => plain(board),
    }
}

/// Draws a board as the page does. Pieces in hand are drawn in trays where pieces face their owners, the second side's on
/// the left; elsewhere they are named above and below the board.
fn with_look(board: &Board, look: &Look, side: SideName) -> String {
    let Board { width, height, cells, hands, .. } = board;
    let (across, down) = ((width * CELL) as f64, (height * CELL) as f64);
    let margin = across.max(down) * MARGIN;
    let trays = look.facing && !hands.is_empty();
    let named = !trays && hands.iter().any(|hand| !hand.is_empty());
    let beside = if trays { margin + TRAY + RIM } else { margin };
    let above = if named { 2.0 * margin } else { margin };
    let (wide, high) = (across + 2.0 * beside, down + 2.0 * above);
    let [x, y, w, h] = [-beside, -above, wide, high].map(number);
    let scale = (LONGER_EDGE / wide.max(high)).max(SCALE);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"banmen-{}\" viewBox=\"{x} {y} {w} {h}\" width=\"{:.0}\" \
         height=\"{:.0}\">{}\n<rect class=\"frame\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"{}\"/>",
        look.view,
        wide * scale,
        high * scale,
        look.sheet(),
        number(margin * 0.4),
    );
    if trays {
        for x in [-margin - TRAY, across + margin] {
            add(
                &mut svg,
                format_args!(
                    "<rect class=\"tray\" x=\"{}\" y=\"0\" width=\"{TRAY}\" height=\"{down}\" rx=\"8\"/>",
                    number(x)
                ),
            );
        }
    }
    svg += &(look.ground)(*width, *height);
    let at = |index: usize| (index % width * CELL + CELL / 2, index / width * CELL + CELL / 2);
    let terrain_at = |column: Option<usize>, row: Option<usize>| {
        let column = column.filter(|column| column < width)?;
        cells.get(row? * width + column)?.terrain
    };
    svg.push('\n');
    for (index, cell) in cells.iter().enumerate() {
        let Some(terrain) = cell.terrain else { continue };
        let (column, row) = (index % width, index / width);
        let near = [
            terrain_at(Some(column), row.checked_sub(1)),
            terrain_at(Some(column + 1), Some(row)),
            terrain_at(Some(column), Some(row + 1)),
            terrain_at(column.checked_sub(1), Some(row)),
        ];
        put(&mut svg, at(index), &(look.terrain)(terrain, near));
    }
    let lines = (1..*width)
        .map(|x| format!("M{} 0V{down}", x * CELL))
        .chain((1..*height).map(|y| format!("M0 {}H{across}", y * CELL)));
    add(&mut svg, format_args!("<path class=\"lines\" d=\"{}\"/>\n", lines.collect::<String>()));
    let mut label = |x: f64, y: f64, text: &str| {
        let (x, y, size) = (number(x), number(y), number(margin / 2.0));
        add(
            &mut svg,
            format_args!("<text class=\"label\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\">{}</text>", escaped(text)),
        );
    };
    let names: Vec<&str> = cells.iter().map(|cell| cell.at.as_str()).collect();
    if let Some((columns, rows)) = labels(&names, *width) {
        for (x, name) in columns.iter().enumerate() {
            label((x * CELL + CELL / 2) as f64, -margin / 2.0, name);
        }
        for (y, name) in rows.iter().enumerate() {
            label(-margin / 2.0, (y * CELL + CELL / 2) as f64, name);
        }
    }
    if named {
        for (hand, y) in hands.iter().zip([down + margin, -1.5 * margin]) {
            label(across / 2.0, y, &hand.join(" "));
        }
    }
    svg.push('\n');
    for (index, cell) in cells.iter().enumerate() {
        if let (Some(piece), Some(owner)) = (cell.piece, cell.owner) {
            let spent = if cell.tags.contains(&"acted") { " class=\"spent\"" } else { "" };
            let turned = if look.facing && owner == SideName::Second { " transform=\"rotate(180)\"" } else { "" };
            let shape = (look.piece)(piece, owner);
            put(&mut svg, at(index), &format!("<g{spent}><g{turned}>{shape}</g></g>"));
        }
    }
    for (index, cell) in cells.iter().enumerate() {
        let (x, y) = at(index);
        if let Some(label) = &cell.label {
            add(
                &mut svg,
                format_args!(
                    "<text class=\"cell-label\" x=\"{}\" y=\"{}\">{}</text>\n",
                    x + 44,
                    y + 42,
                    escaped(label)
                ),
            );
        }
    }
    if trays {
        svg += &in_trays(hands, look, down, across + margin + TRAY / 2.0, -margin - TRAY / 2.0);
    }
    for (index, cell) in cells.iter().enumerate() {
        let shapes: String = cell.tags.iter().filter_map(|tag| tagged(tag, cell, look, side)).collect();
        put(&mut svg, at(index), &shapes);
    }
    svg + "</svg>"
}

/// What marks a cell with a tag.
fn tagged(tag: &str, cell: &Cell, look: &Look, side: SideName) -> Option<String> {
    let down = look.facing && cell.owner == Some(SideName::Second);
    match tag {
        "last" => Some(look.last.to_owned()),
        "flipped" => Some("<circle class=\"flipped\" r=\"43.5\"/>".to_owned()),
        "legal" if look.legal => Some("<circle class=\"legal\" r=\"9\"/>".to_owned()),
        // In a corner that the piece leaves free, beside its point.
        "check" => Some(format!(
            "<g transform=\"translate(0 {})\"><path class=\"check\" d=\"M39.5-48.5 49-32.5H30z\"/>\
             <path class=\"bang\" d=\"M39.5-44v5m0 3v.5\"/></g>",
            if down { 81 } else { 0 }
        )),
        _ => (look.mark)(tag, cell, side),
    }
}

/// The pieces in hand: the first side's from below at `right`, the second side's from above at `left`, each kind once
/// with its count.
fn in_trays(hands: &[Vec<String>], look: &Look, high: f64, right: f64, left: f64) -> String {
    let mut svg = String::new();
    for (owner, hand) in [SideName::First, SideName::Second].into_iter().zip(hands) {
        let mut kinds: Vec<(&str, usize)> = Vec::new();
        for piece in hand {
            match kinds.iter_mut().find(|(kind, _)| kind == piece) {
                Some((_, count)) => *count += 1,
                None => kinds.push((piece, 1)),
            }
        }
        let size = TRAY.min(high / kinds.len() as f64 / (1.0 + COUNT));
        let (x, ahead, turned) = match owner {
            SideName::First => (right, -1.0, ""),
            SideName::Second => (left, 1.0, " rotate(180)"),
        };
        for (index, (piece, count)) in kinds.into_iter().enumerate() {
            let far = size * (index as f64 * (1.0 + COUNT) + 0.5);
            let y = if owner == SideName::First { high - far } else { far };
            let scale = number(size / CELL as f64 * 0.96);
            let face = (look.piece)(piece, owner);
            add(
                &mut svg,
                format_args!(
                    "<g transform=\"translate({} {})\"><g transform=\"scale({scale}){turned}\">{face}</g>",
                    number(x),
                    number(y)
                ),
            );
            if count > 1 {
                let at = number(ahead * size * (0.5 + COUNT / 2.0));
                add(
                    &mut svg,
                    format_args!(
                        "<circle class=\"badge\" cy=\"{at}\" r=\"13\"/><text class=\"count\" y=\"{at}\">{count}</text>"
                    ),
                );
            }
            svg += "</g>\n";
        }
    }
    svg
}

/// A number of the picture with at most two decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Adds shapes around the middle of a cell, if there are any.
fn put(svg: &mut String, (x, y): (usize, usize), shapes: &str) {
    if !shapes.is_empty() {
        add(svg, format_args!("<g transform=\"translate({x} {y})\">{shapes}</g>\n"));
    }
}

/// Draws a board of any game. The hand of the second side is above the cells, that of the first side below them.
fn plain(board: &Board) -> String {
    let Board { width, height, .. } = *board;
    let cells = &board.cells;
    let hands = [1, 0].map(|index| board.hands.get(index).map(|hand| hand.join(" ")).unwrap_or_default());
    // The height of the hands above and below.
    let band = if hands.iter().all(String::is_empty) { 0 } else { FRAME };
    let top = FRAME + band;
    let (wide, high) = (width * CELL + 2 * FRAME, height * CELL + 2 * top);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{}\" height=\"{}\">{STYLE}\n\
         <rect class=\"frame\" width=\"{wide}\" height=\"{high}\" rx=\"30\"/>\
         <rect class=\"field\" x=\"{FRAME}\" y=\"{top}\" width=\"{}\" height=\"{}\"/>\n",
        wide * 2 / 5,
        high * 2 / 5,
        width * CELL,
        height * CELL,
    );
    let across = |column: usize| FRAME + column * CELL + CELL / 2;
    let down = |row: usize| top + row * CELL + CELL / 2;
    let mut terrains: Vec<&str> = Vec::new();
    for (index, cell) in cells.iter().enumerate().filter(|_| width > 0) {
        let Some(terrain) = cell.terrain else { continue };
        let known = terrains.iter().position(|&known| known == terrain);
        let look = known.unwrap_or_else(|| {
            terrains.push(terrain);
            terrains.len() - 1
        }) % LOOKS;
        let (x, y) = (across(index % width), down(index / width));
        let half = CELL / 2;
        add(
            &mut svg,
            format_args!(
                "<g transform=\"translate({x} {y})\"><rect class=\"look-{look}\" x=\"-{half}\" y=\"-{half}\" \
                 width=\"{CELL}\" height=\"{CELL}\"/><text class=\"terrain\" y=\"-38\">{}</text></g>\n",
                escaped(terrain)
            ),
        );
    }
    let lines = (1..width)
        .map(|x| format!("M{} {top}v{}", FRAME + x * CELL, height * CELL))
        .chain((1..height).map(|y| format!("M{FRAME} {}h{}", top + y * CELL, width * CELL)));
    add(&mut svg, format_args!("<path class=\"lines\" d=\"{}\"/>\n", lines.collect::<String>()));
    let mut label = |x: usize, y: usize, text: &str| {
        add(&mut svg, format_args!("<text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text)));
    };
    let names: Vec<&str> = cells.iter().map(|cell| cell.at.as_str()).collect();
    if let Some((columns, rows)) = labels(&names, width.max(1)) {
        columns.iter().enumerate().for_each(|(x, name)| label(across(x), top - FRAME / 2, name));
        rows.iter().enumerate().for_each(|(y, name)| label(FRAME / 2, down(y), name));
    }
    for (hand, y) in hands.iter().zip([FRAME / 2, high - FRAME / 2]).filter(|(hand, _)| !hand.is_empty()) {
        label(wide / 2, y, hand);
    }
    svg.push('\n');
    for (index, cell) in cells.iter().enumerate().filter(|_| width > 0) {
        let shapes = marks(cell);
        if !shapes.is_empty() {
            let (x, y) = (across(index % width), down(index / width));
            add(&mut svg, format_args!("<g transform=\"translate({x} {y})\">{shapes}</g>\n"));
        }
    }
    svg + "</svg>"
}

/// The contents of a cell, drawn around its centre.
fn marks(cell: &Cell) -> String {
    let tagged = |tag: &str| cell.tags.contains(&tag);
    let owner = cell.owner.map_or("nobody", SideName::as_str);
    let mut shapes = String::new();
    match cell.piece {
        Some("cell") => {
            shapes += &sign(owner, 40, "life");
            if tagged("dies") {
                shapes += &sign(owner, 25, "hollow");
            }
        }
        // Squares of one piece touch.
        Some("square") => {
            shapes += &format!("<rect class=\"disc {owner}\" x=\"-47\" y=\"-47\" width=\"94\" height=\"94\"/>");
        }
        Some("disc" | "stone" | "mark") => shapes += &format!("<circle class=\"disc {owner}\" r=\"40\"/>"),
        Some(piece) => {
            let letter = piece.chars().take(1).flat_map(char::to_uppercase).collect::<String>();
            let letter = escaped(&letter);
            shapes +=
                &format!("<circle class=\"disc {owner}\" r=\"40\"/><text class=\"letter {owner}\">{letter}</text>");
        }
        None if tagged("born-first") => shapes += &sign("first", 15, "life"),
        None if tagged("born-second") => shapes += &sign("second", 15, "life"),
        None if tagged("legal") => shapes += "<circle class=\"legal\" r=\"9\"/>",
        None => {}
    }
    if let Some(label) = &cell.label {
        shapes += &format!("<text class=\"cell-label\" x=\"44\" y=\"36\">{}</text>", escaped(label));
    }
    if tagged("last") {
        shapes += "<rect class=\"last\" x=\"-46\" y=\"-46\" width=\"92\" height=\"92\" rx=\"8\"/>";
    }
    shapes
}

/// A disc for the first side, a square for the second.
fn sign(owner: &str, half: usize, class: &str) -> String {
    match owner {
        "second" => format!(
            "<rect class=\"{class} second\" x=\"-{half}\" y=\"-{half}\" width=\"{0}\" height=\"{0}\"/>",
            2 * half
        ),
        _ => format!("<circle class=\"{class} first\" r=\"{half}\"/>"),
    }
}

fn add(svg: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = svg.write_fmt(text);
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(width: usize, cells: Vec<Cell>, hands: Vec<Vec<String>>) -> String {
        plain(&Board { width, height: cells.len() / width, cells, hands, ..Board::default() })
    }

    #[test]
    fn draws_living_cells_by_shape_with_deaths_and_births() {
        let cell = |at: &str, owner: Option<SideName>, tags: &[&'static str]| {
            let piece = owner.map(|_| "cell");
            Cell { at: at.to_owned(), piece, owner, tags: tags.to_vec(), ..Cell::default() }
        };
        let cells = vec![
            cell("0,0", Some(SideName::First), &["dies"]),
            cell("1,0", Some(SideName::Second), &["last"]),
            cell("0,1", None, &["born-second"]),
            cell("1,1", None, &[]),
        ];
        let svg = drawn(2, cells, Vec::new());
        let groups: Vec<&str> = svg.lines().filter(|line| line.starts_with("<g ")).collect();
        assert_eq!(groups.len(), 3, "{svg}");
        assert!(groups[0].contains("circle class=\"life first\" r=\"40\"") && groups[0].contains("hollow first"));
        assert!(groups[1].contains("rect class=\"life second\"") && groups[1].contains("class=\"last\""));
        assert!(groups[1].contains("translate(230 130)") && groups[2].contains("x=\"-15\""));
        assert_eq!(svg.matches("class=\"label\"").count(), 4);
    }

    #[test]
    fn draws_terrain_below_the_pieces_and_labels_above() {
        let cell = |at: &str, terrain: Option<&'static str>, label: Option<&str>| Cell {
            at: at.to_owned(),
            piece: label.map(|_| "tank"),
            owner: Some(SideName::First),
            terrain,
            label: label.map(str::to_owned),
            ..Cell::default()
        };
        let cells = vec![
            cell("a1", Some("forest"), Some("1<0")),
            cell("b1", Some("sea"), None),
            cell("c1", Some("forest"), None),
            cell("d1", None, None),
        ];
        let svg = drawn(4, cells, Vec::new());
        let at = |text: &str| svg.find(text).unwrap_or_else(|| panic!("{text} in {svg}"));
        assert_eq!((svg.matches("class=\"look-0\"").count(), svg.matches("class=\"look-1\"").count()), (2, 1));
        assert!(at("translate(230 130)\"><rect class=\"look-1\"") < at("class=\"lines\""));
        assert!(svg.contains(">forest</text>") && at("class=\"look-0\"") < at("class=\"disc first\""));
        assert!(at("class=\"disc first\"") < at("class=\"cell-label\" x=\"44\" y=\"36\">1&lt;0</text>"));
        assert_eq!(svg.matches("class=\"cell-label\"").count(), 1);
    }

    #[test]
    fn draws_squares_that_fill_their_cells() {
        let owner = Some(SideName::Second);
        let cell = Cell { at: "a1".to_owned(), piece: Some("square"), owner, ..Cell::default() };
        let svg = drawn(1, vec![cell], Vec::new());
        assert!(svg.contains("<rect class=\"disc second\" x=\"-47\" y=\"-47\" width=\"94\" height=\"94\"/>"), "{svg}");
        assert!(!svg.contains("class=\"letter"));
    }

    #[test]
    fn draws_letters_and_escapes_text() {
        let cell = Cell {
            at: "a1".to_owned(),
            piece: Some("<x"),
            owner: Some(SideName::Second),
            tags: vec!["legal"],
            ..Cell::default()
        };
        let svg = drawn(1, vec![cell], vec![vec!["chick".to_owned(), "<b>".to_owned()], Vec::new()]);
        assert!(svg.contains("<text class=\"letter second\">&lt;</text>") && svg.contains(">chick &lt;b&gt;</text>"));
        assert!(!svg.contains("class=\"legal\"") && !svg.contains("<b>"));
        assert!(board(&Board::default(), "othello", SideName::First).ends_with("</svg>"));
    }
}
