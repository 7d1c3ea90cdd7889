//! The format of an experiment file. `docs/experiments.md` describes its keys.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use banmen_catalog::{Error, ErrorCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A parsed file, not yet checked against the games.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) id: Spanned<String>,
    pub(crate) title: String,
    pub(crate) question: String,
    pub(crate) kind: Spanned<Kind>,
    pub(crate) game: Spanned<String>,
    pub(crate) rules: Option<Spanned<String>>,
    pub(crate) minutes: Spanned<f64>,
    pub(crate) margin: Option<Spanned<f64>>,
    pub(crate) ratio: Option<Spanned<f64>>,
    pub(crate) plot: Option<Spanned<String>>,
    pub(crate) compare: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    // Keys of matches.
    pub(crate) player: Option<Spanned<String>>,
    pub(crate) opponent: Option<Spanned<String>>,
    pub(crate) openings: Option<Spanned<OpeningsText>>,
    pub(crate) games: Option<Spanned<u32>>,
    // Keys of measurements.
    pub(crate) measure: Option<Spanned<String>>,
    pub(crate) samples: Option<Spanned<u32>>,
    pub(crate) quantity: Option<Spanned<String>>,

    pub(crate) source: Source,
    #[serde(default)]
    pub(crate) factors: Vec<FactorText>,
    #[serde(default)]
    pub(crate) budgets: Vec<Spanned<BudgetText>>,
    #[serde(default)]
    pub(crate) skip: Vec<Spanned<BTreeMap<String, Scalar>>>,
    #[serde(default)]
    pub(crate) published: Vec<Spanned<FigureText>>,
}

/// The kind of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ExperimentKind")]
pub enum Kind {
    /// Plays matches.
    Match,
    /// Takes samples of a measurement of the game.
    Measure,
}

/// The source of a claim.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExperimentSource")]
pub struct Source {
    /// Author, title, year.
    pub text: String,
    /// The section.
    pub section: Option<String>,
    /// The table.
    pub table: Option<String>,
    /// The figure.
    pub figure: Option<String>,
    /// The claim.
    pub claim: String,
}

/// The source with its section, table and figure.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        for (word, part) in [("", &self.section), ("table ", &self.table), ("figure ", &self.figure)] {
            part.as_ref().map_or(Ok(()), |part| write!(f, ", {word}{part}"))?;
        }
        Ok(())
    }
}

/// A factor and its values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FactorText {
    pub(crate) name: Spanned<String>,
    pub(crate) values: Spanned<Vec<ValueText>>,
}

/// A value of a factor: the text that is substituted, and its label.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number, a text, or { name = …, value = … }")]
pub(crate) enum ValueText {
    Plain(Scalar),
    Named { name: String, value: Scalar },
}

/// A number or a text.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number or a text")]
pub(crate) enum Scalar {
    Integer(i64),
    Number(f64),
    Text(String),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Integer(number) => number.fmt(f),
            Scalar::Number(number) => number.fmt(f),
            Scalar::Text(text) => text.fmt(f),
        }
    }
}

/// The openings.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "starts, random:PLIES, balanced:PLIES, or a list of openings")]
pub(crate) enum OpeningsText {
    Kind(String),
    Lines(Vec<String>),
}

/// The budget of a move.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BudgetText {
    pub(crate) name: Option<String>,
    pub(crate) nodes: Option<u64>,
    pub(crate) playouts: Option<u64>,
    pub(crate) time_ms: Option<u64>,
    pub(crate) depth: Option<u32>,
    #[serde(default)]
    pub(crate) paper: bool,
    pub(crate) games: Option<u32>,
    pub(crate) samples: Option<u32>,
    pub(crate) opponent: Option<OtherBudget>,
}

/// The budget of the opponent, if it is different.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OtherBudget {
    pub(crate) nodes: Option<u64>,
    pub(crate) playouts: Option<u64>,
    pub(crate) time_ms: Option<u64>,
    pub(crate) depth: Option<u32>,
}

/// A published figure, or several along a factor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FigureText {
    #[serde(default)]
    pub(crate) at: BTreeMap<String, Scalar>,
    pub(crate) quantity: Option<String>,
    pub(crate) value: Option<f64>,
    pub(crate) along: Option<String>,
    pub(crate) values: Option<Vec<f64>>,
    pub(crate) won: Option<u64>,
    pub(crate) drawn: Option<u64>,
    pub(crate) lost: Option<u64>,
    pub(crate) sample: Option<u64>,
    pub(crate) within: Option<f64>,
    pub(crate) margin: Option<f64>,
    pub(crate) by: Option<String>,
}

/// The text of a file, with which errors get line numbers.
#[derive(Clone, Copy)]
pub(crate) struct Text<'t> {
    pub(crate) name: &'t str,
    pub(crate) text: &'t str,
}

impl Text<'_> {
    /// Reads the file.
    pub(crate) fn read(self) -> Result<File, Error> {
        toml::from_str(self.text).map_err(|error| {
            // An error without a place is about the whole file.
            self.wrong(error.span().unwrap_or(0..0), error.message().trim_end())
        })
    }

    /// An error at this place of the file.
    pub(crate) fn wrong(self, span: Range<usize>, why: impl fmt::Display) -> Error {
        let line = self.text.get(..span.start).map_or(1, |before| before.matches('\n').count() + 1);
        Error::new(ErrorCode::BadExperiment, format!("{}, line {line}: {why}", self.name)).at(line)
    }
}
