//! `convert`: positions and whole games in other notations.

use std::io::{self, Read as _};
use std::path::Path;

use banmen_catalog::{AnyGame, AnyRecord, AnyState, Error, ErrorCode, Header, RecordFormats, quote};
use encoding_rs::SHIFT_JIS;
use serde_json::json;

use super::{Ask, Done, reads_back};
use crate::args::{Convert, Encoding};
use crate::failure::Failure;
use crate::output::{say, say_bytes, say_json};

pub(crate) fn run(args: &Convert, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.game)?.as_ref();
    let conversion = Conversion::new(game, args)?;
    let mut inputs = Vec::new();
    if args.positions.is_empty() {
        let (name, text) = read(args.file.as_deref())?;
        let in_file = |error: Error| match args.file {
            Some(_) => Error { message: format!("{name}: {}", error.message), ..error },
            None => error,
        };
        inputs.extend(conversion.text(&text).map_err(in_file)?);
        if inputs.is_empty() {
            let error = Error::record(&text, 0, "no_games", "there is no position and no game in this text");
            return Err(in_file(error).into());
        }
    } else {
        let several = args.positions.len() > 1;
        for (number, text) in (1..).zip(&args.positions) {
            let in_argument = |error: Error| match several {
                true => Error { message: format!("text {number}: {}", error.message), ..error },
                false => error,
            };
            inputs.extend(conversion.argument(text).map_err(in_argument)?);
        }
    }
    for input in &inputs {
        let (name, text) = conversion.written(input)?;
        match args.encoding {
            Encoding::Utf8 if args.json.json => say_json(&json!({ name: text })),
            Encoding::Utf8 => say(&text),
            Encoding::ShiftJis => say_bytes(&shift_jis(&text)?),
        }
    }
    Ok(0)
}

/// The bytes of the file, or of standard input without a file or for `-`, and a name for them.
fn read(file: Option<&Path>) -> Result<(String, Vec<u8>), Failure> {
    let (name, text) = match file.filter(|path| *path != Path::new("-")) {
        Some(path) => (path.display().to_string(), std::fs::read(path)),
        None => {
            let mut text = Vec::new();
            let read = io::stdin().read_to_end(&mut text);
            ("standard input".to_owned(), read.map(|_| text))
        }
    };
    match text {
        Ok(text) => Ok((name, text)),
        Err(error) => Err(Failure::System(name, error)),
    }
}

/// A text in Shift-JIS.
fn shift_jis(text: &str) -> Result<Vec<u8>, Error> {
    let missing = |c: char| SHIFT_JIS.encode(c.encode_utf8(&mut [0; 4])).2;
    match text.chars().position(missing) {
        None => Ok(SHIFT_JIS.encode(text).0.into_owned()),
        Some(at) => {
            let shown = quote(&text.chars().skip(at).take(1).collect::<String>());
            Err(Error::new(ErrorCode::Unsupported, format!("{shown} cannot be written in Shift-JIS")).at(at))
        }
    }
}

/// What was read.
enum Input {
    /// A position, without moves.
    Position(Box<dyn AnyState>),
    /// A game of a record.
    Game(AnyRecord),
    /// A game in the format that is written, with what the format holds besides its moves and the usual facts.
    Rewritten(String),
}

/// What is written. A name may be both a dialect and a format.
struct Target<'a> {
    /// The dialect, for positions; empty for the canonical one.
    dialect: Option<&'a str>,
    /// The format, for whole games.
    format: Option<(&'a dyn RecordFormats, &'a str)>,
}

struct Conversion<'a> {
    game: &'a dyn AnyGame,
    rules: Option<&'a str>,
    target: Target<'a>,
}

impl<'a> Conversion<'a> {
    fn new(game: &'a dyn AnyGame, args: &'a Convert) -> Result<Self, Error> {
        let dialects = game.info().dialects;
        let formats = game.record_formats();
        let target = match args.to.as_deref() {
            None => Target { dialect: Some(""), format: None },
            Some(name) => Target {
                dialect: dialects.contains(&name).then_some(name),
                format: formats.filter(|formats| formats.names().contains(&name)).map(|formats| (formats, name)),
            },
        };
        if let (Some(name), None, None) = (args.to.as_deref(), target.dialect, target.format) {
            let formats = formats.map_or_else(Vec::new, |formats| formats.names());
            let known = dialects.iter().chain(&formats).copied();
            let error = Error::unknown(ErrorCode::UnknownDialect, "dialect or format called", name, known);
            let listed = |kind: &str, names: &[&str]| match names {
                [] => format!("no {kind}"),
                names => format!("the {kind} {}", names.join(", ")),
            };
            let (dialects, formats) = (listed("dialects", dialects), listed("formats of whole games", &formats));
            let (shown, title) = (quote(name), game.info().name);
            let message = format!("there is no dialect or format called {shown}; {title} has {dialects} and {formats}");
            return Err(Error { message, ..error });
        }
        Ok(Conversion { game, rules: args.rules.as_deref(), target })
    }

    fn position(&self, text: &str) -> Result<Input, Error> {
        self.game.state(self.rules, Some(text)).map(Input::Position)
    }

    /// The games of a text in one of the game's formats; otherwise the error, or `None` if the game has no formats.
    fn games(&self, text: &[u8]) -> Result<Vec<Input>, Option<Error>> {
        let Some(formats) = self.game.record_formats() else { return Err(None) };
        if let Some((_, name)) = self.target.format
            && let Ok(games) = formats.rewrite(name, self.rules, text)
            && !games.is_empty()
        {
            return Ok(games.into_iter().map(Input::Rewritten).collect());
        }
        Ok(formats.read_any(self.rules, text)?.into_iter().map(Input::Game).collect())
    }

    /// Reads a text that is a position. If it is also a game, and a format of whole games is written, its moves are
    /// kept.
    fn one(&self, text: &str) -> Result<Vec<Input>, Error> {
        let position = self.position(text)?;
        let games = self.target.format.and_then(|_| self.games(text.as_bytes()).ok());
        Ok(games.unwrap_or_else(|| vec![position]))
    }

    /// A position or a record on the command line.
    fn argument(&self, text: &str) -> Result<Vec<Input>, Error> {
        self.one(text).or_else(|error| {
            let refused = match self.games(text.as_bytes()) {
                Ok(games) => return Ok(games),
                Err(record) => further(error.at.unwrap_or(0), false, error, record),
            };
            if !Path::new(text).is_file() {
                return Err(refused);
            }
            Err(Error { message: format!("{}; `--file {text}` reads that file", refused.message), ..refused })
        })
    }

    /// Positions, one on each line, or else a record, or else one position of several lines.
    fn text(&self, text: &[u8]) -> Result<Vec<Input>, Error> {
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        // Tags of several lines are those of a record or a map, and not positions of one line each.
        let tagged = text.contains(&b'[') && text.trim_ascii().contains(&b'\n');
        self.lines(text).or_else(|(place, error)| {
            self.games(text).or_else(|record| {
                let whole =
                    std::str::from_utf8(text).ok().and_then(|text| self.position(text.trim_matches(['\r', '\n'])).ok());
                whole.map(|position| vec![position]).ok_or_else(|| further(place, tagged, error, record))
            })
        })
    }

    /// Reads each line as a position. The error comes with its place in the text; one at the end of a line that others follow
    /// counts as at the beginning, since a text of several lines may go on there.
    fn lines(&self, text: &[u8]) -> Result<Vec<Input>, (usize, Error)> {
        let mut inputs = Vec::new();
        let mut begin = 0;
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            let visible = line.trim_ascii();
            if !visible.is_empty() {
                let read = std::str::from_utf8(visible)
                    .map_err(|_| Error::new(ErrorCode::BadPosition, "the line is not UTF-8").at(0))
                    .and_then(|line| self.one(line));
                inputs.extend(read.map_err(|error| {
                    let characters = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count();
                    let at = error.at.unwrap_or(0);
                    let goes_on = !text[begin + line.len()..].trim_ascii().is_empty();
                    let place = if goes_on && at >= characters(visible) { 0 } else { characters(&text[..begin]) + at };
                    (place, Error { message: format!("line {number}: {}", error.message), ..error })
                })?);
            }
            begin += line.len() + 1;
        }
        Ok(inputs)
    }

    /// The output for an input, with the name of its field in JSON. In a dialect of positions a game is written as the
    /// position at its end.
    fn written(&self, input: &Input) -> Result<(&'static str, String), Error> {
        let none = Header::default();
        let (header, state) = match input {
            Input::Position(state) => (&none, state.as_ref()),
            Input::Game(AnyRecord { header, state }) => (header, state.as_ref()),
            Input::Rewritten(text) => return Ok(("record", text.trim_end().to_owned())),
        };
        let whole = matches!(input, Input::Game(_)) || self.target.dialect.is_none();
        match self.target.format.filter(|_| whole) {
            Some((formats, name)) => Ok(("record", formats.write(name, header, state)?.trim_end().to_owned())),
            None => Ok(("position", self.text_of(state)?)),
        }
    }

    /// The position in the dialect. One that would not be read there as the same position is refused.
    fn text_of(&self, state: &dyn AnyState) -> Result<String, Error> {
        let dialect = self.target.dialect.unwrap_or_default();
        let text = state.position(dialect);
        let holds = |dialect| reads_back(self.game, self.rules, state, dialect);
        // Some ends of games are no positions to begin with, in no dialect.
        let same = holds(dialect).unwrap_or_else(|_| state.outcome().is_some() && holds("").is_err());
        if same {
            return Ok(text);
        }
        let why = "it would be read as another one, or not at all";
        let message = format!("the dialect {} cannot hold this position: {why}", quote(dialect));
        Err(Error::new(ErrorCode::Unsupported, message))
    }
}

/// Of the errors of a text as a position, at this place in characters, and as a record, the one at the later place; at equal
/// places the record's in a text of several tags.
fn further(place: usize, tagged: bool, position: Error, record: Option<Error>) -> Error {
    record.filter(|record| record.at.is_some_and(|at| at > place || (tagged && at == place))).unwrap_or(position)
}
