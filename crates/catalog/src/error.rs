//! Errors: the same for every interface.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use banmen_game::{Fault, TextError};
use banmen_search::mcts::SettingsError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The kind of an error. The set is closed: what is particular to a game is in the error's `reason`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum ErrorCode {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl ErrorCode {
            /// Every code, in the order of their texts.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name,)*];

            /// The code as interfaces write it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(ErrorCode::$name => $text,)*
                }
            }
        }
    };
}

codes! {
    /// A bundle of an experiment cannot be read, or was changed.
    BadBundle = "bad_bundle",
    /// The command of an external program cannot be split into words.
    BadCommand = "bad_command",
    /// Positions of training games cannot be read, or are not those that were asked for.
    BadExamples = "bad_examples",
    /// An experiment file breaks its format.
    BadExperiment = "bad_experiment",
    /// A request is no JSON.
    BadJson = "bad_json",
    /// The text of a move cannot be read.
    BadMove = "bad_move",
    /// A line of an opening file cannot be read.
    BadOpening = "bad_opening",
    /// The text of a player cannot be read, or its values exclude each other.
    BadPlayer = "bad_player",
    /// The text of a position cannot be read or breaks the game's rules.
    BadPosition = "bad_position",
    /// A file of move ratings cannot be read, or belongs to other features.
    BadRatings = "bad_ratings",
    /// The text of a game record cannot be read.
    BadRecord = "bad_record",
    /// A request's fields are missing, unknown or of another type.
    BadRequest = "bad_request",
    /// A key cannot be tuned.
    BadTunable = "bad_tunable",
    /// A value of a player's key has another type.
    BadValue = "bad_value",
    /// A file of weights of an evaluation cannot be read, or belongs to another version.
    BadWeights = "bad_weights",
    /// Too many searches run or wait.
    Busy = "busy",
    /// There is no data folder, or it cannot be written.
    DataFolder = "data_folder",
    /// Experiments are not run here.
    ExperimentsNotAllowed = "experiments_not_allowed",
    /// A player's key names a file where players may not read files.
    FilesNotAllowed = "files_not_allowed",
    /// A folder or a file cannot be read or written.
    Folder = "folder",
    /// A game state belongs to another game.
    ForeignState = "foreign_state",
    /// The game is over, so there is no move to choose.
    GameOver = "game_over",
    /// A move is not legal.
    IllegalMove = "illegal_move",
    /// A bug: the request panicked.
    Internal = "internal",
    /// Another process plays this match.
    MatchBusy = "match_busy",
    /// A player returned no move.
    NoMove = "no_move",
    /// HTTP: the request is no WebSocket handshake.
    NotAWebsocket = "not_a_websocket",
    /// HTTP: no such path.
    NotFound = "not_found",
    /// A number is outside its range.
    OutOfRange = "out_of_range",
    /// An experiment does not fit its plan, or a match its sequential test, which were written before the first game.
    PlanChanged = "plan_changed",
    /// An external program ended.
    ProgramExit = "program_exit",
    /// An external program violated its protocol.
    ProgramGarbage = "program_garbage",
    /// An external program returned an illegal move.
    ProgramIllegal = "program_illegal",
    /// An external program exceeded its time.
    ProgramLate = "program_late",
    /// An external program did not answer.
    ProgramSilent = "program_silent",
    /// An external program did not start.
    ProgramStart = "program_start",
    /// External programs are not allowed here.
    ProgramsNotAllowed = "programs_not_allowed",
    /// A queue cannot be reached, or fails.
    QueueFailed = "queue_failed",
    /// A queue is used by something else.
    QueueRefused = "queue_refused",
    /// A player resigned.
    Resigned = "resigned",
    /// A self-test failed.
    Selftest = "selftest",
    /// The work was stopped before it had a result.
    Stopped = "stopped",
    /// Another process writes to the store of matches.
    StoreBusy = "store_busy",
    /// The store of matches is damaged.
    StoreDamaged = "store_damaged",
    /// The store of matches cannot be read or written.
    StoreFailed = "store_failed",
    /// The disk of the store is full.
    StoreFull = "store_full",
    /// The file is no store of this version.
    StoreRefused = "store_refused",
    /// The table of solved positions has not been built.
    TableMissing = "table_missing",
    /// The table of solved positions is damaged or of another version.
    TableRefused = "table_refused",
    /// A request exceeds the size limit.
    TooLarge = "too_large",
    /// HTTP: too many connections.
    TooManyConnections = "too_many_connections",
    /// HTTP: the request did not arrive in time.
    TooSlow = "too_slow",
    /// No such dialect of the game's notation.
    UnknownDialect = "unknown_dialect",
    /// No such event in the store.
    UnknownEvent = "unknown_event",
    /// No such experiment.
    UnknownExperiment = "unknown_experiment",
    /// No such record format.
    UnknownFormat = "unknown_format",
    /// No such game.
    UnknownGame = "unknown_game",
    /// No such key of the player.
    UnknownKey = "unknown_key",
    /// No such match in the store.
    UnknownMatch = "unknown_match",
    /// No such measure of the game.
    UnknownMeasure = "unknown_measure",
    /// No such operation.
    UnknownOp = "unknown_op",
    /// No such player of the game.
    UnknownPlayer = "unknown_player",
    /// No such game in the match.
    UnknownRecord = "unknown_record",
    /// No such rules of the game.
    UnknownRules = "unknown_rules",
    /// The game or protocol lacks what was asked for.
    Unsupported = "unsupported",
    /// An output file cannot be written.
    Unwritable = "unwritable",
    /// HTTP: the host is not served.
    WrongHost = "wrong_host",
    /// HTTP: the path does not take this method.
    WrongMethod = "wrong_method",
    /// HTTP: requests from this origin are refused.
    WrongOrigin = "wrong_origin",
}

impl ErrorCode {
    /// Whether an external program failed: the codes that begin with `program_`.
    #[must_use]
    pub const fn is_program_fault(self) -> bool {
        use ErrorCode::{ProgramExit, ProgramGarbage, ProgramIllegal, ProgramLate, ProgramSilent, ProgramStart};
        matches!(self, ProgramExit | ProgramGarbage | ProgramIllegal | ProgramLate | ProgramSilent | ProgramStart)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error: a code and a reason for programs, a sentence for people.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Error {
    /// The kind of the error.
    pub code: ErrorCode,
    /// The reason, in one word of the game's own; `null` where the code is enough.
    pub reason: Option<&'static str>,
    /// The names and values in the sentence, for translation.
    pub args: Map<String, Value>,
    /// One English sentence, with the place.
    #[schemars(length(min = 1))]
    pub message: String,
    /// The place: the number of the move (from 1) in a list, the character (from 0) in a text.
    pub at: Option<usize>,
    /// For the fault of an external program that was asked for a move: the time until the fault, by the clock that the
    /// program is charged. It is not sent.
    #[serde(skip)]
    pub time: Option<Duration>,
}

impl Error {
    /// An error without reason, arguments and place. Control characters of the message other than line breaks are
    /// replaced, since it may contain text from outside, and terminals and protocols of lines act on them.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Error { code, reason: None, args: Map::new(), message: without_control(message.into()), at: None, time: None }
    }

    /// Adds the reason, in one word.
    #[must_use]
    pub fn reason(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Adds a name or value of the sentence.
    #[must_use]
    pub fn arg(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.args.insert(name.to_owned(), value.into());
        self
    }

    /// Adds the place.
    #[must_use]
    pub fn at(mut self, at: usize) -> Self {
        self.at = Some(at);
        self
    }

    /// Adds the time until the fault.
    #[must_use]
    pub fn after(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// The word for a record's `by` when a player fails with this error, which ends the game or costs a turn
    /// ([`crate::FaultCost`]). `None` where the error is no fault of the player.
    ///
    /// Only external programs fail in such a way: they resign, or fail with a code that begins with `program_`.
    #[must_use]
    pub fn forfeit(&self) -> Option<&'static str> {
        match self.code {
            ErrorCode::ProgramStart => Some("no start"),
            ErrorCode::ProgramExit => Some("crash"),
            ErrorCode::ProgramSilent => Some("silence"),
            ErrorCode::ProgramLate => Some("time"),
            ErrorCode::ProgramIllegal => Some("illegal move"),
            ErrorCode::ProgramGarbage => Some("garbage"),
            ErrorCode::Resigned => Some("resignation"),
            _ => None,
        }
    }

    /// Whether a player that fails with this error chooses no further move of the game, if the game continues: it
    /// exceeded its time, did not answer, or exited.
    #[must_use]
    pub fn silences(&self) -> bool {
        matches!(self.code, ErrorCode::ProgramExit | ErrorCode::ProgramSilent | ErrorCode::ProgramLate)
    }

    /// The error of a name that is not among `known`, with the nearest of these if one is near (see [`nearest`]).
    /// Otherwise the message lists the known names, each once. `what` is the kind of name, such as `game`.
    pub fn unknown<'a>(code: ErrorCode, what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let mut seen = HashSet::new();
        let known: Vec<&str> = known.into_iter().filter(|name| seen.insert(*name)).collect();
        let error = Error::new(code, format!("there is no {what} {}", quote(name))).arg("name", clip(name));
        if let Some(nearest) = nearest(name, known.iter().copied()) {
            let message = format!("{}; the nearest name is `{nearest}`", error.message);
            return Error { message, ..error }.arg("nearest", nearest);
        }
        let message = match known.as_slice() {
            [] => return error,
            [one] => format!("{}; the only name is `{one}`", error.message),
            names => format!("{}; the names are {}", error.message, listed(names)),
        };
        Error { message, ..error }
    }

    /// The error of a text that is no position. The message begins with the place, in a text of several lines with its line
    /// and the character in it, from 1.
    #[must_use]
    pub fn position(text: &str, error: &TextError) -> Self {
        let (mut line, mut character) = (1, 1);
        for c in text.chars().take(error.at) {
            (line, character) = if c == '\n' { (line + 1, 1) } else { (line, character + 1) };
        }
        let place = if text.trim_end().contains('\n') {
            format!("line {line}, character {character}")
        } else {
            format!("character {}", error.at + 1)
        };
        Error::new(ErrorCode::BadPosition, format!("{place}: {}", error.message)).reason(error.reason).at(error.at)
    }

    /// The error of move `number` of a list, from 1.
    #[must_use]
    pub(crate) fn listed_move(number: usize, text: &str, error: &TextError) -> Self {
        let code = match error.fault {
            Fault::Illegal => ErrorCode::IllegalMove,
            Fault::Unreadable | Fault::Impossible => ErrorCode::BadMove,
        };
        Error::new(code, format!("move {number}: {}", error.message))
            .reason(error.reason)
            .arg("move", clip(text))
            .at(number)
    }
}

/// The known name that is nearest to `name`, in either case, if one is near: if the edits between both
/// are at most a third of the letters of the longer name, or one, but not all its letters.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The distance takes time and memory in proportion to both lengths, and a name from outside may have megabytes.
    let asked = clip(name).to_lowercase();
    let near = |known: &'a str| {
        let distance = strsim::damerau_levenshtein(&known.to_lowercase(), &asked);
        let letters = asked.chars().count().max(known.chars().count());
        (distance <= (letters / 3).max(1) && distance < letters).then_some((distance, known))
    };
    known.into_iter().filter_map(near).min().map(|(_, nearest)| nearest)
}

/// Names one after the other, in backquotes: the first ones if they are many.
fn listed(names: &[&str]) -> String {
    const MAX_LISTED: usize = 32;
    let shown: Vec<String> = names.iter().take(MAX_LISTED).map(|name| quote(name)).collect();
    match names.len().checked_sub(MAX_LISTED) {
        None | Some(0) => shown.join(", "),
        Some(more) => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Text from outside, made safe to show: short, in backquotes, without control characters.
#[must_use]
pub fn quote(text: &str) -> String {
    format!("`{}`", clip(text))
}

/// The text with U+FFFD in place of control characters; line breaks stay.
pub(crate) fn without_control(text: String) -> String {
    let is_bad = |c: char| c.is_control() && c != '\n';
    if text.contains(is_bad) { text.replace(is_bad, "\u{fffd}") } else { text }
}

fn clip(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let clean: String = text.chars().take(MAX_CHARS).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(MAX_CHARS).is_some() { clean + "…" } else { clean }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The values of a player's keys exclude each other. The message names the keys that [`mcts_settings`](crate::mcts_settings())
/// reads, and values that go together.
impl From<SettingsError> for Error {
    fn from(conflict: SettingsError) -> Self {
        let remedy = match conflict {
            SettingsError::SolverNeedsMinimising => ": another `opponent` needs `solver=off`",
            SettingsError::RaveOrAmaf => ": AMAF means of their own need `amaf=off`",
            SettingsError::EarlyStopNeedsVisits => {
                ": `early-stop` above 0 needs `choice=visits` or `choice=simulations`"
            }
            _ => "",
        };
        Error::new(ErrorCode::BadPlayer, format!("{conflict}{remedy}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_serialise_as_their_unique_texts() {
        for &code in ErrorCode::ALL {
            assert_eq!(serde_json::to_value(code).expect("a string"), code.as_str());
            let read: ErrorCode = serde_json::from_value(code.as_str().into()).expect("a known code");
            assert_eq!((read, code.to_string().as_str()), (code, code.as_str()));
            assert_eq!(code.is_program_fault(), code.as_str().starts_with("program_"), "{code}");
        }
        let texts = ErrorCode::ALL.iter().map(|code| code.as_str());
        assert!(texts.is_sorted_by(|a, b| a < b), "sorted, so each once");
    }

    #[test]
    fn unknown_names_come_with_the_nearest() {
        let error = Error::unknown(ErrorCode::UnknownGame, "game", "Otelo", ["dobutsu", "othello"]);
        assert_eq!(error.message, "there is no game `Otelo`; the nearest name is `othello`");
        assert_eq!(error.args["nearest"], "othello");
    }

    #[test]
    fn unknown_names_far_from_all_come_with_the_list() {
        let games = ["blokus", "dobutsu", "othello"];
        for (name, known, rest) in [
            ("reversi", &games[..], "names are `blokus`, `dobutsu`, `othello`"),
            ("chess", &games, "names are `blokus`, `dobutsu`, `othello`"),
            ("7", &["1", "2"], "names are `1`, `2`"),
            ("xyz", &["default"], "only name is `default`"),
            ("xyz", &["default", "default"], "only name is `default`"),
        ] {
            let error = Error::unknown(ErrorCode::UnknownGame, "game", name, known.iter().copied());
            assert_eq!(error.message, format!("there is no game `{name}`; the {rest}"));
            assert!(!error.args.contains_key("nearest"), "{name}");
        }
        let near = |name| nearest(name, ["k", "won", "ggf", "selfplay", "time"]);
        assert_eq!(["kk", "win", "GFG", "selfpaly"].map(near), ["k", "won", "ggf", "selfplay"].map(Some));
        assert_eq!(["selection", "z", ""].map(near), [None; 3]);
        assert_eq!(Error::unknown(ErrorCode::UnknownGame, "game", "x", []).message, "there is no game `x`");
    }

    /// Found by fuzzing: the search took time and memory in proportion to the length of the name, here hours.
    #[test]
    fn a_long_name_is_compared_with_many_at_once() {
        let name = "othelo".repeat(1 << 20);
        let known: Vec<String> = (0..1 << 16).map(|n| format!("othello-{n}")).collect();
        let error = Error::unknown(ErrorCode::UnknownGame, "game", &name, known.iter().map(String::as_str));
        assert!(error.message.ends_with("`othello-31` and 65504 more") && error.message.len() < 1000, "{error}");
    }

    #[test]
    fn places_in_positions_of_several_lines_have_their_line() {
        let place = |text: &str, at| Error::position(text, &TextError::unreadable("", at, "")).message;
        assert_eq!(place("abc\n", 1), "character 2: ");
        let text = "aあ\nb\n\ncd";
        let expected =
            ["line 1, character 2: ", "line 2, character 1: ", "line 3, character 1: ", "line 4, character 2: "];
        assert_eq!([1, 3, 5, 7].map(|at| place(text, at)), expected);
    }

    /// Found by fuzzing: the messages of several parsers contain pieces of the text as they are.
    #[test]
    fn messages_have_no_control_characters_of_the_text() {
        let error = TextError::unreadable("not_a_cell", 0, "`a\u{1b}[31m\rb` is not a cell");
        let clean = "`a\u{fffd}[31m\u{fffd}b` is not a cell";
        assert_eq!(Error::position("x", &error).message, format!("character 1: {clean}"));
        assert_eq!(Error::listed_move(2, "x", &error).message, format!("move 2: {clean}"));
        assert_eq!(Error::new(ErrorCode::BadRecord, "line 1\nline 2").message, "line 1\nline 2");
    }

    #[test]
    fn quotes_are_short_and_without_control_characters() {
        assert_eq!(quote("a\u{1b}[31mb"), "`a\u{fffd}[31mb`");
        assert_eq!(quote(&"x".repeat(1000)).chars().count(), 43);
    }
}
