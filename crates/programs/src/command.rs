//! Splits a command line into words without a shell.

use banmen_catalog::{Error, ErrorCode, quote};

/// Splits a command into the program and its arguments: at whitespace outside quotes. Nothing is special between single
/// quotes; between double quotes a backslash escapes `"` and `\`, outside quotes any character.
/// `before` is the number of characters before the command in the whole text: error places count from its start.
///
/// # Errors
/// `bad_command`, with the place, for a quote that is not closed, a backslash at the end, a zero byte, or no word at
/// all.
pub(crate) fn split(command: &str, before: usize) -> Result<Vec<String>, Error> {
    let bad = |at: usize, why: &str| {
        let at = before + at;
        Error::new(ErrorCode::BadCommand, format!("character {}: {why}", at + 1)).arg("command", command).at(at)
    };
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.chars().enumerate();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        None => return Err(bad(at, &format!("the quote {c} is not closed"))),
                        Some((_, end)) if end == c => break,
                        Some((_, '\\')) if c == '"' => match chars.next() {
                            None => return Err(bad(at, &format!("the quote {c} is not closed"))),
                            Some((_, plain @ ('"' | '\\'))) => word.push(plain),
                            Some((_, other)) => word.extend(['\\', other]),
                        },
                        Some((_, inside)) => word.push(inside),
                    }
                }
            }
            '\\' => match chars.next() {
                None => return Err(bad(at, "nothing follows the backslash")),
                Some((_, plain)) => word.get_or_insert_default().push(plain),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match words.first() {
        None => Err(bad(0, "a command is missing")),
        Some(program) if program.is_empty() => Err(bad(0, "the program has no name")),
        Some(_) if command.contains('\0') => {
            let at = command.chars().take_while(|&c| c != '\0').count();
            Err(bad(at, &format!("{} holds a zero byte", quote(command))))
        }
        Some(_) => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_words_as_a_shell_does() {
        for (command, words) in [
            ("python3 bot.py", &["python3", "bot.py"][..]),
            ("  a\tb  ", &["a", "b"]),
            ("'a b' \"c d\"e", &["a b", "c de"]),
            (r#"a\ b 'c\' "d\"\\\n""#, &["a b", r"c\", r#"d"\\n"#]),
            ("a '' \"\"", &["a", "", ""]),
            ("echo $HOME;ls|wc *", &["echo", "$HOME;ls|wc", "*"]),
            ("盤 '面 目'", &["盤", "面 目"]),
        ] {
            assert_eq!(split(command, 0).expect(command), words, "{command}");
        }
    }

    #[test]
    fn reports_the_place_of_an_unclosed_quote() {
        for (command, at, why) in [
            ("", 0, "a command is missing"),
            ("   ", 0, "a command is missing"),
            ("''", 0, "no name"),
            ("a 'b", 2, "the quote ' is not closed"),
            ("盤面 \"b", 3, "the quote \" is not closed"),
            ("a \"b\\", 2, "the quote \" is not closed"),
            ("a\\", 1, "nothing follows"),
            ("a\0b", 1, "zero byte"),
        ] {
            let error = split(command, 4).expect_err(command);
            assert_eq!((error.code, error.at), (ErrorCode::BadCommand, Some(at + 4)), "{command:?}");
            assert!(error.message.contains(why), "{command:?}: {error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn quoted_words_round_trip(words in proptest::collection::vec("[^']{1,12}", 1..5)) {
            let words: Vec<String> = words.into_iter().map(|word| word.replace('\0', "0")).collect();
            let command = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
            proptest::prop_assert_eq!(split(&command, 0).expect("closed quotes"), words);
        }

        #[test]
        fn never_panics(command in ".*") {
            let _ = split(&command, 0);
        }
    }
}
