//! Players as text, and the keys that they take.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Number;

use crate::error::quote;
use crate::{Error, ErrorCode};

/// The values that a key takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A whole number in a range, both ends included.
    Integer(i64, i64),
    /// A maximum: a whole number from 1 to this, or 0 for none. [`Options::maximum`] reads it.
    Maximum(i64),
    /// A number in a range, both ends included.
    Number(f64, f64),
    /// One of some words.
    Choice(&'static [&'static str]),
    /// A fixed count of whole numbers in a range, separated by `/`.
    Integers(usize, i64, i64),
    /// One of some words, or a file: a path with a `.`, `/` or `\`. Files are read where [`Data`](crate::Data) allows it.
    File(&'static [&'static str]),
}

/// One setting of a player. Command line, documentation, tuner and page all read it from here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// The name in a player's text.
    pub name: &'static str,
    /// The values that it takes.
    pub kind: Kind,
    /// The value where the text has none, as text.
    pub default: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The paper, section or measurement that the default comes from.
    pub source: &'static str,
}

impl Key {
    /// A key from its parts, in the order of the fields.
    #[must_use]
    pub const fn new(
        name: &'static str,
        kind: Kind,
        default: &'static str,
        summary: &'static str,
        source: &'static str,
    ) -> Key {
        Key { name, kind, default, summary, source }
    }
}

impl Kind {
    /// The least and the greatest value as texts, or all words: what a test of a player's keys tries. A list is of one of them
    /// throughout.
    #[must_use]
    pub fn extremes(&self) -> Vec<String> {
        match self {
            Kind::Integer(min, max) => vec![min.to_string(), max.to_string()],
            Kind::Maximum(max) => vec!["0".to_owned(), max.to_string()],
            Kind::Number(min, max) => vec![min.to_string(), max.to_string()],
            Kind::Choice(words) | Kind::File(words) => words.iter().map(ToString::to_string).collect(),
            Kind::Integers(count, min, max) => {
                [min, max].map(|value| vec![value.to_string(); *count].join("/")).to_vec()
            }
        }
    }

    /// The kind and its range in words: `integer 1..10`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Kind::Integer(min, max) => format!("integer {min}..{max}"),
            Kind::Maximum(max) => format!("integer 0..{max}"),
            Kind::Number(min, max) => format!("number {min}..{max}"),
            Kind::Choice(words) => words.join("|"),
            Kind::Integers(count, min, max) => format!("{count} integers {min}..{max}, separated by /"),
            Kind::File(words) => format!("{}|FILE", words.join("|")),
        }
    }

    /// What a value has to be, as a noun phrase: `an integer from 1 to 10`.
    fn requirement(&self) -> String {
        match self {
            Kind::Integer(min, max) => format!("an integer from {min} to {max}"),
            Kind::Maximum(max) => format!("an integer from 0 to {max}"),
            Kind::Number(min, max) => format!("a number from {min} to {max}"),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Integers(count, min, max) => format!("{count} integers from {min} to {max}, separated by `/`"),
            Kind::File(words) => format!("one of {} or the path of a file", words.join(", ")),
        }
    }
}

/// The kinds of values that a key takes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum KindName {
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// One of some words.
    Choice,
    /// A fixed count of whole numbers, separated by `/`.
    Integers,
    /// One of some words, or the path of a file. Only programs that their user starts read files.
    File,
}

/// A key in a player's text.
#[derive(Serialize, JsonSchema)]
struct KeyJson {
    /// The name before the equals sign.
    name: &'static str,
    /// The values that it takes.
    kind: KindName,
    /// The smallest value; null for a choice.
    min: Option<Number>,
    /// The largest value; null for a choice.
    max: Option<Number>,
    /// The words of a choice, or in place of a file; null for others.
    values: Option<&'static [&'static str]>,
    /// How many integers; null for others.
    count: Option<usize>,
    /// The value where the text has none, as text.
    default: &'static str,
    /// What it does.
    summary: &'static str,
    /// The paper, section or measurement that the default comes from.
    source: &'static str,
}

impl From<&Key> for KeyJson {
    fn from(key: &Key) -> Self {
        let (kind, min, max, values, count) = match key.kind {
            Kind::Integer(min, max) => (KindName::Integer, Some(min.into()), Some(max.into()), None, None),
            Kind::Maximum(max) => (KindName::Integer, Some(0.into()), Some(max.into()), None, None),
            Kind::Number(min, max) => (KindName::Number, Number::from_f64(min), Number::from_f64(max), None, None),
            Kind::Choice(words) => (KindName::Choice, None, None, Some(words), None),
            Kind::File(words) => (KindName::File, None, None, Some(words), None),
            Kind::Integers(count, min, max) => {
                (KindName::Integers, Some(min.into()), Some(max.into()), None, Some(count))
            }
        };
        let Key { name, default, summary, source, .. } = *key;
        KeyJson { name, kind, min, max, values, count, default, summary, source }
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        KeyJson::from(self).serialize(serializer)
    }
}

impl JsonSchema for Key {
    fn schema_name() -> Cow<'static, str> {
        "Key".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        KeyJson::json_schema(generator)
    }
}

/// A player's text, split: `name` or `name:key=value,key=value`. A value between double quotes may hold commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerText<'t> {
    /// The part before the colon.
    pub name: &'t str,
    /// The keys and values, in order.
    pub pairs: Vec<(&'t str, &'t str)>,
}

impl<'t> PlayerText<'t> {
    /// The name in a player's text. The rest is not checked: after an unknown name it need not be keys.
    #[must_use]
    pub fn name_of(text: &'t str) -> &'t str {
        text.split(':').next().unwrap_or_default().trim()
    }

    /// The text of a player with these values, in order. A value with a comma is written between quotes.
    #[must_use]
    pub fn write<'p>(name: &str, pairs: impl IntoIterator<Item = (&'p str, &'p str)>) -> String {
        let mut text = name.to_owned();
        for (number, (key, value)) in pairs.into_iter().enumerate() {
            let quote = if value.contains(',') { "\"" } else { "" };
            text.extend([if number == 0 { ":" } else { "," }, key, "=", quote, value, quote]);
        }
        text
    }

    /// Splits a player's text.
    ///
    /// # Errors
    /// `bad_player` when a part after the colon is no `key=value`, a quote is not closed, or a key is given twice.
    pub fn parse(text: &'t str) -> Result<Self, Error> {
        let mut rest = text.split_once(':').map_or("", |(_, rest)| rest);
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        let bad = |part: &str, why: &str| {
            Error::new(ErrorCode::BadPlayer, format!("{} {why}", quote(part))).arg("part", part.trim())
        };
        while !rest.trim().is_empty() {
            let (part, after) = rest.split_once(',').unwrap_or((rest, ""));
            let quoted = rest.split_once('=').filter(|(key, _)| !key.contains(','));
            let quoted = quoted.and_then(|(key, value)| Some((key, value.trim_start().strip_prefix('"')?)));
            rest = match (quoted, part.split_once('=')) {
                (Some((key, value)), _) => {
                    let closed = value.split_once('"').ok_or_else(|| bad(part, "has a quote that is not closed"))?;
                    let (value, after) = closed;
                    let (between, after) = after.split_once(',').unwrap_or((after, ""));
                    if !between.trim().is_empty() {
                        return Err(bad(between, "follows a value between quotes"));
                    }
                    pairs.push((key.trim(), value));
                    after
                }
                (None, Some((key, value))) => {
                    pairs.push((key.trim(), value.trim()));
                    after
                }
                (None, None) if part.trim().is_empty() => after,
                (None, None) => return Err(bad(part, "is not of the form key=value")),
            };
        }
        let mut seen = HashSet::with_capacity(pairs.len());
        if let Some(&(key, _)) = pairs.iter().find(|(key, _)| !seen.insert(*key)) {
            return Err(Error::new(ErrorCode::BadPlayer, format!("{} is given twice", quote(key))).arg("key", key));
        }
        Ok(PlayerText { name: PlayerText::name_of(text), pairs })
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Setting {
    Integer(i64),
    Number(f64),
    Choice(&'static str),
    Integers(Vec<i64>),
    File(PathBuf),
}

/// The value of a key that takes a word or a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordOrFile<'o> {
    /// One of the words.
    Word(&'static str),
    /// The path of a file.
    File(&'o Path),
}

/// The values of all keys of a player, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Options(Vec<(&'static str, Setting)>);

impl Options {
    /// The values of `pairs`, and the defaults of all other keys. Of equal keys the last one counts.
    ///
    /// # Errors
    /// `unknown_key` with the nearest name or all names, `out_of_range` with the range, `bad_value` for a text that is no value.
    pub fn new(keys: &'static [Key], pairs: &[(&str, &str)]) -> Result<Self, Error> {
        for (name, _) in pairs {
            if keys.iter().all(|key| key.name != *name) {
                return Err(Error::unknown(ErrorCode::UnknownKey, "key", name, keys.iter().map(|key| key.name)));
            }
        }
        let read = |key: &'static Key| {
            let given = pairs.iter().rev().find(|(name, _)| *name == key.name);
            setting(key, given.map_or(key.default, |(_, value)| value)).map(|setting| (key.name, setting))
        };
        keys.iter().map(read).collect::<Result<_, _>>().map(Options)
    }

    fn get(&self, name: &str) -> &Setting {
        let found = self.0.iter().find(|(key, _)| *key == name);
        &found.unwrap_or_else(|| panic!("the player reads the key `{name}` that its table does not list")).1
    }

    /// Whether the player's table has a key of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| *key == name)
    }

    /// The value that `values` pairs with the word of a choice key.
    ///
    /// # Panics
    /// As [`Options::integer`], and when `values` does not list the word.
    #[must_use]
    pub fn chosen<T: Copy>(&self, name: &str, values: &[(&str, T)]) -> T {
        let word = self.choice(name);
        let found = values.iter().find(|(known, _)| *known == word);
        found.unwrap_or_else(|| panic!("the value {word} of the key `{name}` has no meaning")).1
    }

    /// The value of an integer key of the player's table.
    ///
    /// # Panics
    /// When the table has no such integer key: a mistake in the player, not in its text.
    #[must_use]
    pub fn integer(&self, name: &str) -> i64 {
        match self.get(name) {
            Setting::Integer(value) => *value,
            other => panic!("the key `{name}` is not an integer but {other:?}"),
        }
    }

    /// The value of a key of the kind [`Kind::Maximum`]; `None` for no maximum.
    ///
    /// # Panics
    /// As [`Options::integer`].
    #[must_use]
    pub fn maximum(&self, name: &str) -> Option<u64> {
        u64::try_from(self.integer(name)).ok().filter(|&maximum| maximum > 0)
    }

    /// The restrictions of the chosen `level`, of which 1 is the first of `levels`. `None` above the last one: a level without
    /// restrictions.
    ///
    /// # Panics
    /// As [`Options::integer`].
    #[must_use]
    pub fn level<L: Copy>(&self, levels: &[L]) -> Option<L> {
        usize::try_from(self.integer("level") - 1).ok().and_then(|level| levels.get(level)).copied()
    }

    /// The value of a number key of the player's table.
    ///
    /// # Panics
    /// As [`Options::integer`].
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Setting::Number(value) => *value,
            other => panic!("the key `{name}` is not a number but {other:?}"),
        }
    }

    /// The value of a choice key of the player's table.
    ///
    /// # Panics
    /// As [`Options::integer`].
    #[must_use]
    pub fn choice(&self, name: &str) -> &'static str {
        match self.get(name) {
            Setting::Choice(value) => value,
            other => panic!("the key `{name}` is not a choice but {other:?}"),
        }
    }

    /// The value of a key that takes a word or a file.
    ///
    /// # Panics
    /// As [`Options::integer`].
    #[must_use]
    pub fn word_or_file(&self, name: &str) -> WordOrFile<'_> {
        match self.get(name) {
            Setting::Choice(word) => WordOrFile::Word(word),
            Setting::File(path) => WordOrFile::File(path),
            other => panic!("the key `{name}` is not a file but {other:?}"),
        }
    }

    /// The values of a key of several integers.
    ///
    /// # Panics
    /// As [`Options::integer`].
    #[must_use]
    pub fn integers(&self, name: &str) -> &[i64] {
        match self.get(name) {
            Setting::Integers(values) => values,
            other => panic!("the key `{name}` is not a list but {other:?}"),
        }
    }
}

fn setting(key: &'static Key, text: &str) -> Result<Setting, Error> {
    let refused = |code, why: &str| {
        let message = format!("`{}` must be {}, {why}", key.name, key.kind.requirement());
        Error::new(code, message).arg("key", key.name).arg("range", key.kind.describe())
    };
    let bad = || refused(ErrorCode::BadValue, &format!("not {}", quote(text)));
    let outside = || refused(ErrorCode::OutOfRange, &format!("not {}", quote(text)));
    let integer = |text: &str, min: i64, max: i64| {
        let value: i64 = text.parse().map_err(|_| bad())?;
        if (min..=max).contains(&value) { Ok(value) } else { Err(outside()) }
    };
    match key.kind {
        Kind::Integer(min, max) => integer(text, min, max).map(Setting::Integer),
        Kind::Maximum(max) => integer(text, 0, max).map(Setting::Integer),
        Kind::Number(min, max) => {
            let value: f64 = text.parse().map_err(|_| bad())?;
            // NaN is in no range.
            if (min..=max).contains(&value) { Ok(Setting::Number(value)) } else { Err(outside()) }
        }
        Kind::Choice(words) | Kind::File(words) => match words.iter().find(|word| **word == text) {
            Some(word) => Ok(Setting::Choice(word)),
            None if matches!(key.kind, Kind::File(_)) && text.contains(['.', '/', '\\']) => {
                Ok(Setting::File(PathBuf::from(text)))
            }
            None => {
                let mut error =
                    Error::unknown(ErrorCode::BadValue, &format!("{} value", key.name), text, words.iter().copied());
                if matches!(key.kind, Kind::File(_)) {
                    error.message += "; the path of a file has a `.` or a `/`, as `./NAME` has";
                }
                Err(error.arg("key", key.name).arg("range", key.kind.describe()))
            }
        },
        Kind::Integers(count, min, max) => {
            let values: Vec<i64> = text.split('/').map(|part| integer(part, min, max)).collect::<Result<_, _>>()?;
            let wrong_count = || refused(ErrorCode::BadValue, &format!("but {} has {}", quote(text), values.len()));
            if values.len() == count { Ok(Setting::Integers(values)) } else { Err(wrong_count()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &[Key] = &[
        Key { name: "level", kind: Kind::Integer(1, 10), default: "10", summary: "", source: "" },
        Key { name: "k", kind: Kind::Number(0.0, 9.0), default: "1", summary: "", source: "" },
        Key { name: "board", kind: Kind::Choice(&["words", "lines"]), default: "words", summary: "", source: "" },
        Key { name: "table", kind: Kind::File(&["own", "none"]), default: "own", summary: "", source: "" },
        Key { name: "corners", kind: Kind::Integers(3, -9, 9), default: "1/2/3", summary: "", source: "" },
    ];

    fn options(text: &str) -> Result<Options, Error> {
        Options::new(KEYS, &PlayerText::parse(text)?.pairs)
    }

    #[test]
    fn reads_values_and_defaults() {
        let options = options("engine:level=3, k=2.5,board=lines,corners=-1/0/1").expect("good keys");
        assert_eq!((options.integer("level"), options.number("k")), (3, 2.5));
        assert_eq!((options.choice("board"), options.integers("corners")), ("lines", &[-1, 0, 1][..]));
        assert_eq!(self::options("engine").expect("defaults").integer("level"), 10);
    }

    #[test]
    fn a_level_above_the_list_has_no_restrictions_and_a_maximum_of_zero_is_none() {
        let level = |text: &str| options(text).expect("a level").level(&['a', 'b', 'c']);
        assert_eq!([1, 3, 4, 10].map(|at| level(&format!("engine:level={at}"))), [Some('a'), Some('c'), None, None]);
        const BOUNDS: &[Key] = &[Key::new("most", Kind::Maximum(9), "0", "", "")];
        for (value, maximum) in [("0", None), ("1", Some(1)), ("9", Some(9))] {
            let options = Options::new(BOUNDS, &[("most", value)]).expect("an integer");
            assert_eq!(options.maximum("most"), maximum, "{value}");
        }
        for value in ["-1", "10"] {
            let refused = Options::new(BOUNDS, &[("most", value)]).expect_err(value);
            assert_eq!(refused.message, format!("`most` must be an integer from 0 to 9, not `{value}`"));
        }
    }

    #[test]
    fn reads_words_and_files_also_between_quotes() {
        for (text, table) in [
            ("engine", WordOrFile::Word("own")),
            ("engine:table=none", WordOrFile::Word("none")),
            ("engine:table=a.toml,level=3", WordOrFile::File(Path::new("a.toml"))),
            ("engine:level=3, table=/a b/c=d ,", WordOrFile::File(Path::new("/a b/c=d"))),
            ("engine: table = \"a, b.toml\" ,level=3", WordOrFile::File(Path::new("a, b.toml"))),
            ("engine:table=\"none\"", WordOrFile::Word("none")),
        ] {
            let options = options(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(options.word_or_file("table"), table, "{text}");
            let parsed = PlayerText::parse(text).expect("it was read before");
            let written = PlayerText::write(parsed.name, parsed.pairs.iter().copied());
            assert_eq!(PlayerText::parse(&written), Ok(PlayerText { name: parsed.name, pairs: parsed.pairs }));
            assert_eq!(options.integer("level"), if text.contains("level") { 3 } else { 10 }, "{text}");
        }
    }

    /// Comparing each key with all others would take minutes.
    #[test]
    fn splits_a_text_with_very_many_keys() {
        let mut text = PlayerText::write(
            "engine",
            (0..200_000).map(|n| n.to_string()).collect::<Vec<_>>().iter().map(|key| (key.as_str(), "1")),
        );
        assert_eq!(PlayerText::parse(&text).map(|read| read.pairs.len()), Ok(200_000));
        text.push_str(",7=2");
        let error = PlayerText::parse(&text).expect_err("a key is repeated");
        assert_eq!(error.message, "`7` is given twice");
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_reads_only_values_in_range(text in "[a-z:=,/.0-9 -]{0,40}|engine:.*") {
            if let Ok(options) = options(&text) {
                proptest::prop_assert!((1..=10).contains(&options.integer("level")));
                proptest::prop_assert!((0.0..=9.0).contains(&options.number("k")));
                proptest::prop_assert_eq!(options.integers("corners").len(), 3);
            }
        }

        #[test]
        fn reads_back_every_value(level in 1i64..=10, k in 0.0f64..=9.0, corner in -9i64..=9) {
            let text = format!("engine:corners={corner}/0/1,k={k},level={level}");
            let options = options(&text).expect("values in range");
            proptest::prop_assert_eq!((options.integer("level"), options.number("k")), (level, k));
            proptest::prop_assert_eq!(options.integers("corners"), &[corner, 0, 1]);
        }
    }

    #[test]
    fn rejects_bad_values_with_the_range() {
        for (text, code, words) in [
            ("engine:level=11", ErrorCode::OutOfRange, "`level` must be an integer from 1 to 10, not `11`"),
            ("engine:level=x", ErrorCode::BadValue, "`level` must be an integer from 1 to 10, not `x`"),
            ("engine:k=NaN", ErrorCode::OutOfRange, "`k` must be a number from 0 to 9, not `NaN`"),
            ("engine:levle=1", ErrorCode::UnknownKey, "the nearest name is `level`"),
            ("engine:board=line", ErrorCode::BadValue, "the nearest name is `lines`"),
            ("engine:board=7", ErrorCode::BadValue, "no board value `7`; the names are `words`, `lines`"),
            (
                "engine:corners=1/2",
                ErrorCode::BadValue,
                "`corners` must be 3 integers from -9 to 9, separated by `/`, but `1/2` has 2",
            ),
            (
                "engine:corners=1/2/10",
                ErrorCode::OutOfRange,
                "`corners` must be 3 integers from -9 to 9, separated by `/`, not `1/2/10`",
            ),
            ("engine:level", ErrorCode::BadPlayer, "key=value"),
            (
                "engine:table=owm",
                ErrorCode::BadValue,
                "no table value `owm`; the nearest name is `own`; the path of a file has a `.` or a `/`, as `./NAME` has",
            ),
            ("engine:table=\"a,b.toml", ErrorCode::BadPlayer, "`table=\"a` has a quote that is not closed"),
            ("engine:table=\"a.toml\" b,level=1", ErrorCode::BadPlayer, "` b` follows a value between quotes"),
            ("engine:level,table=\"a.toml\"", ErrorCode::BadPlayer, "`level` is not of the form key=value"),
            ("engine:level=1,level=10", ErrorCode::BadPlayer, "`level` is given twice"),
            ("engine:k=1, level=2,k=1", ErrorCode::BadPlayer, "`k` is given twice"),
        ] {
            let error = options(text).expect_err(text);
            assert_eq!(error.code, code, "{text}");
            assert!(error.message.contains(words), "{text}: {}", error.message);
        }
    }
}
