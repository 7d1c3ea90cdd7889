//! What the program prints: answers on standard output, everything else on standard error.

use std::io::{self, ErrorKind, IsTerminal, Write};

pub(crate) use banmen_arena::{counted, grouped as thousands, program};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::{Value, json};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::failure::Failure;

/// Prints a line of an answer. When the reader has closed the pipe, the program exits without a message; when the line
/// cannot be written for another reason, such as a full disk, it says so and exits with the code of a system failure.
pub(crate) fn say(text: &str) {
    say_bytes(text.as_bytes());
}

/// Prints a line of another encoding than UTF-8.
pub(crate) fn say_bytes(line: &[u8]) {
    let mut out = io::stdout().lock();
    match out.write_all(line).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => unwritten(error),
    }
}

/// Prints a text to a program that this one is talking with. When the reader has closed the pipe, the text is lost, and the
/// program ends with its input; when the text cannot be written for another reason, it exits as [`say`] does.
pub(crate) fn reply(text: &str) {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => unwritten(error),
        _ => {}
    }
}

/// Exits because standard output cannot be written.
fn unwritten(error: io::Error) -> ! {
    let failure = Failure::System("standard output".to_owned(), error);
    complain(&failure.to_string());
    std::process::exit(failure.code().into());
}

/// Prints a JSON answer with the version of its schema.
pub(crate) fn say_json(value: &impl Serialize) {
    let mut value = json!(value);
    if let Value::Object(fields) = &mut value {
        fields.insert("schema".to_owned(), 1.into());
    }
    say(&value.to_string());
}

/// Prints an error message.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{}: {text}", program());
}

/// Prints a remark.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// A progress bar on standard error, hidden if that is not a terminal.
pub(crate) fn bar(length: u64, template: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if !io::stderr().is_terminal() {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    // The templates are constants of this crate; a wrong one shows the default bar.
    bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Whether a terminal obeys a character instead of showing it, or writes what follows from right to left.
fn commands_terminal(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Lays rows out in columns; the last column is not padded. Characters that would command the terminal, as names in imported
/// records may have them, are blank.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| cell.replace(commands_terminal, " ")).collect()).collect();
    // Japanese characters are two columns wide.
    let wide = |text: &str| text.width();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|at| rows.iter().filter_map(|row| row.get(at)).map(|cell| wide(cell)).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (at, cell) in row.iter().enumerate() {
            line.push_str(cell);
            if at + 1 < row.len() {
                line.push_str(&" ".repeat(widths[at] - wide(cell) + 2));
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Joins words into lines of at most 80 columns; each further line begins with `indent` spaces, which the first one has room for.
pub(crate) fn wrapped(words: &[impl AsRef<str>], gap: &str, indent: usize) -> String {
    const COLUMNS: usize = 80;
    let (mut text, mut column) = (String::new(), indent);
    for word in words.iter().map(AsRef::as_ref) {
        if !text.is_empty() {
            if column + gap.width() + word.width() > COLUMNS {
                text.truncate(text.trim_end().len());
                text.push('\n');
                text.push_str(&" ".repeat(indent));
                column = indent;
            } else {
                text.push_str(gap);
                column += gap.width();
            }
        }
        text.push_str(word);
        column += word.width();
    }
    text
}

/// The number of columns of a line where standard output is no terminal.
const LINE: usize = 100;

/// The largest number of columns of a word that is never broken.
const WORD: usize = 24;

/// The opening brackets of texts that are not broken if they are short.
const BRACKETS: &str = "[(";

/// The number of columns of a line.
fn line_width() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(LINE, |(terminal_size::Width(columns), _)| columns.into())
}

/// The parts between which a text may be broken: after spaces, though not within a short bracket, such as an interval, and
/// in long words after punctuation and between Japanese characters. `kept` are the opening brackets of which this holds.
fn pieces<'t>(text: &'t str, kept: &str) -> Vec<&'t str> {
    let (mut words, mut begin, mut closed, mut before) = (Vec::new(), 0, 0, None);
    for (at, c) in text.char_indices() {
        if before == Some(' ') && c != ' ' && at >= closed {
            words.push(&text[begin..at]);
            begin = at;
        }
        let closing = match c {
            _ if !kept.contains(c) => None,
            '[' => Some(']'),
            '(' => Some(')'),
            _ => None,
        };
        let end = closing.and_then(|closing| text[at..].find(closing)).filter(|&end| end <= WORD);
        closed = end.map_or(closed, |end| closed.max(at + end));
        before = Some(c);
    }
    words.push(&text[begin..]);
    words.into_iter().flat_map(|word| if word.trim_end().width() > WORD { parts(word) } else { vec![word] }).collect()
}

/// The parts of a long word.
fn parts(word: &str) -> Vec<&str> {
    let wide = |c: char| c.width() == Some(2);
    let (mut parts, mut begin, mut before) = (Vec::new(), 0, None);
    for (at, c) in word.char_indices() {
        let breaks = |before: char| {
            (wide(before) && wide(c) && !"、。，）」ー".contains(c))
                || (",/:;=".contains(before) && c.is_alphanumeric())
        };
        if before.is_some_and(breaks) {
            parts.push(&word[begin..at]);
            begin = at;
        }
        before = Some(c);
    }
    parts.push(&word[begin..]);
    parts
}

/// Breaks a text into lines of at most so many columns, where it may be broken.
fn folded(text: &str, columns: usize, kept: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces(text, kept) {
        match lines.last_mut() {
            Some(line) if line.width() + piece.trim_end().width() <= columns => line.push_str(piece),
            _ => lines.push(piece.to_owned()),
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// A text in lines that fit; each further line is indented.
pub(crate) fn paragraph(text: &str) -> String {
    const INDENT: usize = 2;
    let lines = folded(text, line_width().min(LINE).saturating_sub(INDENT), BRACKETS);
    lines.join(&format!("\n{}", " ".repeat(INDENT))) + "\n"
}

/// Names and texts in two columns, the texts in lines that fit.
pub(crate) fn facts(facts: &[(&str, &str)]) -> String {
    let names = facts.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let space = line_width().min(LINE).saturating_sub(names + 2);
    let rows: Vec<Vec<String>> = facts
        .iter()
        .flat_map(|(name, text)| {
            let names = std::iter::once(*name).chain(std::iter::repeat(""));
            names.zip(folded(text, space, BRACKETS)).map(|(name, line)| vec![name.to_owned(), line]).collect::<Vec<_>>()
        })
        .collect();
    columns(&rows)
}

/// A table with a heading and a rule below it. Where it is too wide for a line, columns that are empty in all rows are left
/// out, and cells are broken into several lines if that suffices.
pub(crate) fn table(head: &[String], rows: &[Vec<String>]) -> String {
    table_within(head, rows, line_width())
}

fn table_within(head: &[String], rows: &[Vec<String>], line: usize) -> String {
    let mut all = vec![head.to_vec()];
    all.extend_from_slice(rows);
    let mut headings = 1;
    if columns(&all).lines().any(|text| text.width() > line)
        && let Some((lines, fitted)) = fitted(&all, line, BRACKETS).or_else(|| fitted(&all, line, "["))
    {
        (headings, all) = (lines, fitted);
    }
    let text = columns(&all);
    let rule = text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
    let mut lines: Vec<&str> = text.lines().collect();
    let rule = "─".repeat(rule);
    lines.insert(headings.min(lines.len()), &rule);
    lines.join("\n") + "\n"
}

/// The rows of a table, of which the first is its heading, as rows that fit into a line, and the number of those that are
/// its heading; `None` where that is not possible.
fn fitted(rows: &[Vec<String>], line: usize, kept: &str) -> Option<(usize, Vec<Vec<String>>)> {
    let (head, body) = rows.split_first()?;
    let cell = |row: &Vec<String>, at: usize| row.get(at).map_or("", String::as_str).to_owned();
    let used: Vec<usize> =
        (0..head.len()).filter(|&at| body.is_empty() || body.iter().any(|row| !cell(row, at).is_empty())).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| used.iter().map(|&at| cell(row, at)).collect()).collect();
    let widest = |rows: &[Vec<String>], width: &dyn Fn(&str) -> usize| -> Vec<usize> {
        (0..used.len()).map(|at| rows.iter().map(|row| width(&row[at])).max().unwrap_or(0)).collect()
    };
    let least =
        widest(&rows, &|cell| pieces(cell, kept).iter().map(|piece| piece.trim_end().width()).max().unwrap_or(0));
    let below_heading = widest(&rows[1..], &UnicodeWidthStr::width);
    let mut widths = widest(&rows, &UnicodeWidthStr::width);
    while widths.iter().sum::<usize>() + 2 * used.len().saturating_sub(1) > line {
        // Headings are broken first.
        let widest_above = |least: &dyn Fn(usize) -> usize| {
            (0..widths.len()).filter(|&at| widths[at] > least(at)).max_by_key(|&at| widths[at])
        };
        let column = widest_above(&|at| least[at].max(below_heading[at])).or_else(|| widest_above(&|at| least[at]))?;
        widths[column] -= 1;
    }
    let mut headings = 1;
    let mut fitted = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let cells: Vec<Vec<String>> = row.iter().zip(&widths).map(|(cell, &width)| folded(cell, width, kept)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(1);
        if number == 0 {
            headings = height;
        }
        fitted.extend(
            (0..height).map(|at| cells.iter().map(|lines| lines.get(at).cloned().unwrap_or_default()).collect()),
        );
    }
    Some((headings, fitted))
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:=,/+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_are_too_wide_get_narrower_cells() {
        let cells = |row: [&str; 4]| row.map(str::to_owned).to_vec();
        let head = cells(["id", "limits", "", "player"]);
        let player = "gtp:/usr/games/gtp-rhino --level=4,book=on";
        let rows = [cells(["1", "+264  [+49, +479]", "", player]), cells(["12", "2,753,242 nodes", "", "greedy"])];
        let wide = table_within(&head, &rows, 80);
        assert_eq!(wide.lines().count(), 4, "{wide}");
        let narrow = table_within(&head, &rows, 48);
        let expected = "\
id  limits             player
───────────────────────────────────────────────
1   +264  [+49, +479]  gtp:/usr/games/gtp-rhino
                       --level=4,book=on
12  2,753,242 nodes    greedy
";
        assert_eq!(narrow, expected);
        assert_eq!(table_within(&head, &rows, 20), wide, "nothing is broken in vain");
        let headings =
            table_within(&["95 % interval", "of them"].map(str::to_owned), &[cells(["12", "3", "", ""])], 16);
        assert_eq!(columns(&[cells(["a\u{1b}[2J", "\u{202e}b", "c", "d"])]), "a [2J   b  c  d\n", "nothing is obeyed");
        assert!(headings.starts_with("95 %      of\ninterval  them\n──────────────\n12        3\n"), "{headings}");
    }

    #[test]
    fn texts_are_broken_into_lines() {
        let text =
            "モンテカルロ木探索でどうぶつしょうぎのゲームAIを作る, an interval [+62, +485] and engine:level=1,book=on";
        let lines = folded(text, 30, BRACKETS);
        assert!(lines.iter().all(|line| line.width() <= 30), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("[+62, +485]")), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        assert_eq!(folded("", 30, BRACKETS), [""]);
        assert_eq!(facts(&[("asks", "why"), ("is", "so")]), "asks  why\nis    so\n");
    }

    #[test]
    fn wraps_between_words_alone() {
        let words = vec!["a".repeat(30); 5];
        let text = wrapped(&words, " ", 10);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines.iter().skip(1).all(|line| line.starts_with(&" ".repeat(10)) && line.len() <= 80), "{text}");
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), words);
        assert_eq!(wrapped(&["birth 0,0", "pass"], ", ", 0), "birth 0,0, pass");
        assert_eq!(wrapped(&[] as &[&str], " ", 0), "");
    }
}
