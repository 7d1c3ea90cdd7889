//! The variants of a game's rules with the data directory: what the erased objects of one game share.

use crate::{Data, Error, ErrorCode};

/// The rules of one game by their names, and where its data is.
pub(crate) struct Variants<G> {
    /// The name of the game.
    pub(crate) name: &'static str,
    /// Name and value of each variant, the default one first; never empty.
    pub(crate) rules: Vec<(&'static str, G)>,
    /// The name of the table that solves a variant; `None` for variants without one.
    pub(crate) table_name: fn(&G) -> Option<&'static str>,
    /// The data of all games.
    pub(crate) data: Data,
}

impl<G> Variants<G> {
    /// The rules of this name; without a name the default ones.
    pub(crate) fn get(&self, name: Option<&str>) -> Result<&G, Error> {
        let Some(name) = name else { return Ok(&self.rules[0].1) };
        match self.rules.iter().find(|(known, _)| *known == name) {
            Some((_, game)) => Ok(game),
            None => Err(Error::unknown(
                ErrorCode::UnknownRules,
                "variant of the rules called",
                name,
                self.rules.iter().map(|(known, _)| *known),
            )),
        }
    }

    /// The error of a missing or unreadable table with the game and the rules that the table belongs to: its arguments
    /// `game` and, unless they are the default ones, `rules`. Other errors are returned as they are.
    pub(crate) fn locate(&self, error: Error) -> Error {
        if !matches!(error.code, ErrorCode::TableMissing | ErrorCode::TableRefused) {
            return error;
        }
        let table = error.args.get("table").and_then(serde_json::Value::as_str);
        let at = self.rules.iter().position(|(_, game)| table.is_some() && (self.table_name)(game) == table);
        let error = error.arg("game", self.name);
        match at.filter(|&at| at > 0) {
            Some(at) => error.arg("rules", self.rules[at].0),
            None => error,
        }
    }
}
