//! Files and texts that the arena reads.

use std::io::Write;

use banmen_arena::{
    Experiment, OpeningList, SequentialTest, count_labels, parse_bot, tunables as read_tunables, verify_bundle,
};
use banmen_catalog::GammaTable;
use banmen_search::StopFlag;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{catalog, first_line, is_clean, othello};

/// Lists of openings. The first line of an input names the game; an unknown name means Othello.
pub(crate) fn openings(data: &[u8]) {
    let Ok(input) = str::from_utf8(data) else { return };
    let (name, text) = first_line(input);
    let game = name.and_then(|name| catalog().game(name).ok()).unwrap_or_else(othello).as_ref();
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
            assert!(is_clean(&error.message), "{error:?}");
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
                assert!(figure.cell < experiment.cells.len(), "a figure has a cell");
            }
        }
        Err(error) => assert!(is_clean(&error.message), "{error:?}"),
    }
}

/// Files of move ratings: a table that is accepted can be written, and is read as the same table again.
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

/// Sequential tests as text: an accepted test can start.
pub(crate) fn sequential_test(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match text.parse::<SequentialTest>() {
        Ok(test) => assert!(test.start().is_some(), "`{text}` is a test that can start"),
        Err(why) => assert!(is_clean(&why), "a refusal of `{text}` says why: {why:?}"),
    }
}

/// Lists of tunable numbers: the first line is a player, each further line one of its numbers. An accepted number
/// starts at a value of its key, and its name selects it again.
pub(crate) fn tunables(data: &[u8]) {
    let Ok(input) = str::from_utf8(data) else { return };
    let (player, wanted) = first_line(input);
    let player = player.unwrap_or_default();
    let wanted: Vec<String> = wanted.lines().map(str::to_owned).collect();
    for game in catalog().games() {
        match read_tunables(game.as_ref(), player, &wanted) {
            Ok(found) => {
                assert!(!found.is_empty(), "an empty list is refused");
                for tunable in &found {
                    assert!(tunable.start.is_finite() && tunable.step > 0.0 && tunable.step.is_finite(), "{tunable:?}");
                    let named = format!("{}:{}", tunable.name(), tunable.step);
                    let again = read_tunables(game.as_ref(), player, &[named]);
                    assert_eq!(again.as_deref(), Ok(std::slice::from_ref(tunable)));
                }
            }
            Err(error) => assert!(is_clean(&error.message), "{error:?}"),
        }
    }
}

/// Files of bots: an accepted one names its player on one line of the text.
pub(crate) fn bot(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match parse_bot(text) {
        Ok((player, number)) => {
            let line = text.lines().nth(number - 1).expect("the line is there");
            assert!(!player.is_empty() && line.trim_end().ends_with(&player), "{player} is on line {number}: `{line}`");
        }
        Err((number, why)) => {
            assert!(is_clean(&why), "{why:?}");
            assert!(number.is_none_or(|number| (1..=text.lines().count()).contains(&number)), "line {number:?}");
        }
    }
}

/// Bundles of experiments, as they are and compressed: an input hardly ever has the checksum of gzip. The search is stopped
/// before it begins, so that nothing is ever found to be the same.
pub(crate) fn bundle(data: &[u8]) {
    let stop = StopFlag::default();
    stop.stop();
    let mut compressed = GzEncoder::new(Vec::new(), Compression::fast());
    compressed.write_all(data).expect("memory takes it");
    let compressed = compressed.finish().expect("memory takes it");
    for mut bytes in [data, &compressed] {
        match verify_bundle(&mut bytes, catalog(), 1, &stop, &mut |_, _| {}) {
            Ok((_, verified)) => assert!(verified.is_empty(), "no experiment is verified without playing"),
            Err(error) => assert!(is_clean(&error.message), "{error:?}"),
        }
    }
}

/// Files of labels of a dataset. What follows a damaged line is not read, and a part has no more games than the whole.
pub(crate) fn labels(data: &[u8]) {
    let all = count_labels(data);
    assert!(all < data.iter().filter(|byte| **byte == b'\n').count().max(1), "a line is the head");
    assert!(count_labels(&data[..data.len() / 2]) <= all);
}
