//! What the program prints: answers on standard output, everything else on standard error.

use std::io::{self, ErrorKind, IsTerminal, Write};

pub(crate) use banmen_arena::grouped as thousands;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::failure::Failure;

/// Prints a line of an answer. When the reader has closed the pipe, the program exits without a message; when the line
/// cannot be written for another reason, such as a full disk, it says so and exits with the code of a system failure.
pub(crate) fn say(text: &str) {
    say_bytes(text.as_bytes());
}

/// Prints a line of another encoding than UTF-8.
pub(crate) fn say_bytes(line: &[u8]) {
    let mut out = io::stdout().lock();
    let Err(error) = out.write_all(line).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
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
    let _ = writeln!(io::stderr(), "banmen: {text}");
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

/// Lays rows out in columns; the last column is not padded.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    // Japanese characters are two columns wide.
    let wide = |text: &str| text.width();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|at| rows.iter().filter_map(|row| row.get(at)).map(|cell| wide(cell)).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
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

/// A table with a heading and a rule below it.
pub(crate) fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let mut all = vec![head.to_vec()];
    all.extend_from_slice(rows);
    let text = columns(&all);
    let rule = text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{first}\n{}\n{rest}", "─".repeat(rule))
}

#[cfg(test)]
mod tests {
    use super::*;

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
