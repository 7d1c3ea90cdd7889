//! The protocols over which other programs use our engines.
//!
//! An input is the text that a program sends, line by line. The player is the random one, which answers at once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use banmen_catalog::AnyGame;
use banmen_protocol::{
    Conversation, FptEngine, GtpEngine, Lines, NBoardEngine, RiddlesEngine, TextEngine, TextProtocol, TubstapEngine,
    fpt as contest, tubstap as actions,
};

use crate::{blokus, dobutsu, golad, othello, tubstap};

/// Collects lines.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<String>>>);

impl Output {
    fn sink(&self) -> Lines {
        let lines = Arc::clone(&self.0);
        Arc::new(move |line| lines.lock().unwrap_or_else(PoisonError::into_inner).push(line))
    }

    fn lines(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The number of lines of an input that are sent: more lines take longer, and reach no more code.
const MAX_LINES: usize = 32;

/// Sends the lines of an input until one ends the session, and returns those that were sent.
fn converse(mut engine: Box<dyn Conversation>, text: &str) -> Vec<&str> {
    let mut sent = Vec::new();
    for line in text.lines().take(MAX_LINES) {
        sent.push(line);
        if !engine.read(line) {
            break;
        }
    }
    engine.end(Duration::MAX);
    sent
}

/// Output lines contain no line ends.
fn check_lines(lines: &[String]) {
    for line in lines {
        assert!(!line.contains('\n'), "{line:?} is one line");
    }
}

/// Every search is answered by one `bestmove`.
fn text_engine(protocol: TextProtocol, data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let output = Output::default();
    let engine = TextEngine::new(Arc::clone(dobutsu()), None, "random", protocol, output.sink());
    let sent = converse(Box::new(engine.unwrap_or_else(|error| panic!("{error}"))), text);
    let lines = output.lines();
    check_lines(&lines);
    let asked = sent.iter().filter(|line| line.split_whitespace().next().is_some_and(|word| word == "go")).count();
    let hits = sent.iter().filter(|line| line.trim() == "ponderhit").count();
    let answered = lines.iter().filter(|line| line.starts_with("bestmove")).count();
    assert!(answered <= asked + hits, "{answered} answers to {asked} questions: {lines:?}");
}

pub(crate) fn usi(data: &[u8]) {
    text_engine(TextProtocol::Usi, data);
}

pub(crate) fn uci(data: &[u8]) {
    text_engine(TextProtocol::Uci, data);
}

/// Every answer has the form of the protocol, and no command has more than one.
pub(crate) fn gtp(game: &Arc<dyn AnyGame>, data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let output = Output::default();
    let engine = GtpEngine::new(Arc::clone(game), None, "random", output.sink());
    let sent = converse(Box::new(engine.unwrap_or_else(|error| panic!("{error}"))), text);
    let answers = output.lines();
    assert!(answers.len() <= sent.len(), "{} answers to {} lines", answers.len(), sent.len());
    for answer in answers {
        assert!(answer.starts_with(['=', '?']), "{answer:?} begins with its kind");
        // An empty line ends an answer, so that none may be inside it.
        assert!(!answer.trim_end_matches('\n').contains("\n\n"), "{answer:?} is one answer");
    }
}

pub(crate) fn nboard(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let output = Output::default();
    let engine = NBoardEngine::new(Arc::clone(othello()), None, "random", output.sink());
    converse(Box::new(engine.unwrap_or_else(|error| panic!("{error}"))), text);
    check_lines(&output.lines());
}

/// Every request for a move is answered by one line, whatever was sent before it.
pub(crate) fn riddles(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let (output, log) = (Output::default(), Output::default());
    let engine = RiddlesEngine::new(Arc::clone(golad()), None, "random", output.sink(), log.sink());
    let sent = converse(Box::new(engine.unwrap_or_else(|error| panic!("{error}"))), text);
    let asks = |line: &&&str| line.split_whitespace().take(2).eq(["action", "move"]);
    let asked = sent.iter().filter(asks).count();
    let lines = output.lines();
    check_lines(&lines);
    assert_eq!(lines.len(), asked, "{lines:?}");
}

/// Every answer is the name of the team or a code, and there is one for each request but the end.
pub(crate) fn fpt(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let (output, log) = (Output::default(), Output::default());
    let engine = FptEngine::new(Arc::clone(blokus()), None, "random", output.sink(), log.sink());
    let sent = converse(Box::new(engine.unwrap_or_else(|error| panic!("{error}"))), text);
    let answers = output.lines();
    for answer in &answers {
        assert!(answer.len() == contest::NAME_LENGTH || contest::is_code(answer), "{answer:?}");
    }
    let requests = sent.concat().chars().filter(|c| matches!(c, '0' | '2'..='4')).count();
    assert!(answers.len() <= requests, "{answers:?}");
    check_lines(&log.lines());
}

/// Every line that is not empty has one answer in the form of the protocol, and that to `Genmove` is an action.
pub(crate) fn network(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let (output, log) = (Output::default(), Output::default());
    let engine = TubstapEngine::new(Arc::clone(tubstap()), None, "random", output.sink(), log.sink());
    let sent = converse(Box::new(engine.unwrap_or_else(|error| panic!("{error}"))), text);
    let commands: Vec<&str> = sent.into_iter().map(str::trim).filter(|line| !line.is_empty()).collect();
    let answers = output.lines();
    assert_eq!(answers.len(), commands.len(), "{answers:?}");
    for (command, answer) in commands.iter().zip(&answers) {
        let text = answer.strip_prefix("= ").and_then(|answer| answer.strip_suffix("\r\n\r"));
        let text = text.unwrap_or_else(|| panic!("{answer:?}"));
        assert!(!text.contains(char::is_control), "{answer:?} is one line");
        let word = command.split_whitespace().next().unwrap_or_default();
        if word.eq_ignore_ascii_case("genmove") {
            assert!(actions::is_action(text) && !actions::is_surrender(text), "{text}");
        }
    }
    check_lines(&log.lines());
}
