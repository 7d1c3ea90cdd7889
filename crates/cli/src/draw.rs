//! A board in the terminal.

use serde_json::Value;

/// Draws the `board` of a `show` answer: pieces as letters, upper case the first side's, legal cells as dots, the last
/// move in brackets.
pub(crate) fn board(board: &Value) -> String {
    let (Some(width), Some(cells)) = (board["width"].as_u64(), board["cells"].as_array()) else {
        return String::new();
    };
    let width = width as usize;
    let name = |cell: &Value| cell["at"].as_str().unwrap_or_default().to_owned();
    let part = |text: String, keep: fn(char) -> bool| text.chars().filter(|&c| keep(c)).collect::<String>();
    let mut text = String::from("   ");
    for cell in cells.iter().take(width) {
        text.push_str(&format!(" {:<2}", part(name(cell), |c| c.is_alphabetic())));
    }
    for row in cells.chunks(width.max(1)) {
        let rank = row.first().map(|cell| part(name(cell), |c| c.is_ascii_digit())).unwrap_or_default();
        text.push_str(&format!("\n{rank:>2} "));
        for cell in row {
            let tagged = |tag: &str| cell["tags"].as_array().is_some_and(|tags| tags.iter().any(|t| t == tag));
            let (open, close) = if tagged("last") { ('[', ']') } else { (' ', ' ') };
            text.push_str(&format!("{open}{}{close}", symbol(cell, tagged("legal"))));
        }
    }
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn symbol(cell: &Value, legal: bool) -> char {
    match (cell["piece"].as_str(), cell["owner"].as_str()) {
        // Games with one kind of piece draw them as the world does.
        (Some("disc" | "stone" | "mark"), Some("first")) => 'X',
        (Some("disc" | "stone" | "mark"), _) => 'O',
        (Some(piece), owner) => {
            let letter = piece.chars().next().unwrap_or('?');
            if owner == Some("first") { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
        }
        (None, _) if legal => '·',
        (None, _) => '-',
    }
}
