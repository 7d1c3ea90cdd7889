//! What is refused, and why: the same on every door.

use std::fmt;

use banmen_game::{Fault, TextError};
use serde::Serialize;
use serde_json::{Map, Value};

/// A refusal: a code and a reason for programs, a sentence for people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Error {
    /// What kind of thing went wrong, such as `illegal_move` or `unknown_game`.
    pub code: &'static str,
    /// Why, in one word; `null` where the code says all.
    pub reason: Option<&'static str>,
    /// The things that the sentence speaks of, for translation.
    pub args: Map<String, Value>,
    /// The whole in one English sentence, with the place.
    pub message: String,
    /// Where: the number of the move (from 1) in a list, the character (from 0) in a text.
    pub at: Option<usize>,
}

impl Error {
    /// An error without further particulars.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Error { code, reason: None, args: Map::new(), message: message.into(), at: None }
    }

    /// With the reason in one word.
    #[must_use]
    pub fn reason(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// With something that the sentence speaks of.
    #[must_use]
    pub fn arg(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.args.insert(name.to_owned(), value.into());
        self
    }

    /// With the place.
    #[must_use]
    pub fn at(mut self, at: usize) -> Self {
        self.at = Some(at);
        self
    }

    /// What ends a game, or costs a turn ([`crate::FaultCost`]), when a player fails with this error: the word for the
    /// record's `by`. `None` where the error is not the player's doing.
    ///
    /// A player that gives up, `resigned`, is an outside program, and so is one that fails with a code that begins with
    /// `program_`.
    #[must_use]
    pub fn forfeit(&self) -> Option<&'static str> {
        match self.code {
            "program_start" => Some("no start"),
            "program_exit" => Some("crash"),
            "program_silent" => Some("silence"),
            "program_late" => Some("time"),
            "program_illegal" => Some("illegal move"),
            "program_garbage" => Some("garbage"),
            "resigned" => Some("resignation"),
            _ => None,
        }
    }

    /// Whether a player that fails so chooses no further move in a game that goes on: it overdrew its time, said nothing,
    /// or ended.
    #[must_use]
    pub fn silences(&self) -> bool {
        matches!(self.code, "program_exit" | "program_silent" | "program_late")
    }

    /// A name that is not among `known`: `what` is the kind of name, such as `game`. Offers the nearest one.
    pub fn unknown<'a>(code: &'static str, what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let shown = quote(name);
        let nearest = known
            .into_iter()
            .map(|known| (strsim::damerau_levenshtein(&known.to_lowercase(), &name.to_lowercase()), known))
            .min();
        let error = Error::new(code, format!("there is no {what} {shown}")).arg("name", clip(name));
        match nearest {
            Some((_, nearest)) => {
                let message = format!("{}; the nearest name is `{nearest}`", error.message);
                Error { message, ..error }.arg("nearest", nearest)
            }
            None => error,
        }
    }

    /// A position's text that was refused.
    #[must_use]
    pub fn position(error: &TextError) -> Self {
        Error::new("bad_position", format!("character {}: {}", error.at + 1, error.message))
            .reason(error.reason)
            .at(error.at)
    }

    /// Move number `number` of a list, from 1, that was refused.
    #[must_use]
    pub fn listed_move(number: usize, text: &str, error: &TextError) -> Self {
        let code = match error.fault {
            Fault::Illegal => "illegal_move",
            Fault::Unreadable | Fault::Impossible => "bad_move",
        };
        Error::new(code, format!("move {number}: {}", error.message))
            .reason(error.reason)
            .arg("move", clip(text))
            .at(number)
    }
}

/// Text from outside as it may be shown: short, in backquotes, without control characters.
#[must_use]
pub fn quote(text: &str) -> String {
    format!("`{}`", clip(text))
}

fn clip(text: &str) -> String {
    const LONGEST: usize = 40;
    let clean: String = text.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() { clean + "…" } else { clean }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered() {
        let error = Error::unknown("unknown_game", "game", "Otelo", ["dobutsu", "othello"]);
        assert_eq!(error.message, "there is no game `Otelo`; the nearest name is `othello`");
        assert_eq!(error.args["nearest"], "othello");
    }

    #[test]
    fn text_from_outside_is_shown_short_and_clean() {
        assert_eq!(quote("a\u{1b}[31mb"), "`a\u{fffd}[31mb`");
        assert_eq!(quote(&"x".repeat(1000)).chars().count(), 43);
    }
}
