//! Files and texts that the arena reads.

use banmen_arena::{Experiment, OpeningList, SequentialTest};
use banmen_catalog::GammaTable;

use crate::{catalog, first_line, game};

/// Lists of openings. The first line of an input names the game; Othello stands for an unknown one.
pub(crate) fn openings(data: &[u8]) {
    let Ok(input) = str::from_utf8(data) else { return };
    let (name, text) = first_line(input);
    let game = name.and_then(|name| catalog().game(name).ok()).map_or(game("othello"), AsRef::as_ref);
    match OpeningList::read("openings", text, game, None) {
        Ok(list) => {
            assert!(!list.lines.is_empty(), "an empty list is refused");
            // Written in the same form, it is the same list.
            let line = |(position, moves): &(Option<String>, String)| match position {
                Some(position) => format!("\"{position}\" {moves}\n"),
                None => format!("{moves}\n"),
            };
            let written: String = list.lines.iter().map(line).collect();
            assert_eq!(OpeningList::read("openings", &written, game, None).as_ref(), Ok(&list), "{written}");
        }
        Err(error) => {
            assert!(!error.message.is_empty());
            if let Some(at) = error.at {
                assert!((1..=text.lines().count()).contains(&at), "line {at} of `{text}`");
            }
        }
    }
}

/// Experiment files, checked against the games.
pub(crate) fn experiment(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match Experiment::read("file", text, catalog()) {
        Ok(experiment) => {
            assert!(!experiment.cells.is_empty(), "an experiment has a cell");
            for cell in &experiment.cells {
                assert_eq!(cell.labels.len(), experiment.factors.len(), "a value for each factor");
            }
            for figure in &experiment.figures {
                assert!(figure.cell < experiment.cells.len(), "a figure stands on a cell");
            }
        }
        Err(error) => assert!(!error.message.is_empty(), "{error:?}"),
    }
}

/// Files of move ratings: what is read is written, and read as the same table again.
pub(crate) fn ratings(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match GammaTable::read(text) {
        Ok(table) => {
            let written = table.write();
            assert_eq!(GammaTable::read(&written), Ok(table), "{written}");
        }
        Err(error) => {
            assert!(!error.message.is_empty(), "{error:?}");
            assert!(error.at.is_none_or(|line| line <= text.matches('\n').count() + 1), "{error:?}");
        }
    }
}

/// Sequential tests as text: what is accepted can start.
pub(crate) fn sequential_test(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match text.parse::<SequentialTest>() {
        Ok(test) => assert!(test.start().is_some(), "`{text}` is a test that can start"),
        Err(why) => assert!(!why.is_empty(), "a refusal of `{text}` says why"),
    }
}
