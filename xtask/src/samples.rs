//! Checks that the Rust code in the documents is quoted from the example, which is compiled and tested.

use std::fs;

use crate::{console, tool};

/// The example's own sources.
const SOURCES: [&str; 4] = ["src/main.rs", "src/tictactoe.rs", "src/rule.rs", "src/laws.rs"];

/// The lines without their indentation: a quotation may be indented differently.
fn flush(text: &str) -> String {
    text.lines().map(|line| line.trim().to_owned() + "\n").collect()
}

#[test]
fn the_documents_quote_the_example() {
    let folder = tool::root().join("examples/tictactoe");
    let sources = SOURCES.map(|name| flush(&fs::read_to_string(folder.join(name)).expect(name)));
    let mut quotes = 0;
    for document in console::documents() {
        let text = fs::read_to_string(&document).expect("a document is text");
        for block in text.split("```rust").skip(1) {
            let (code, _) = block.split_once("```").expect("a block has an end");
            let quote = flush(code.split_once('\n').map_or("", |(_, code)| code));
            assert!(
                sources.iter().any(|source| source.contains(&quote)),
                "{}: this code is not in {}:\n{code}",
                document.display(),
                folder.display()
            );
            quotes += 1;
        }
    }
    assert!(quotes > 0, "the documents show how a game is added");
}
