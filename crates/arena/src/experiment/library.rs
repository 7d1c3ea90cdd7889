//! The built-in experiments: the files of the folder `experiments`.

use banmen_catalog::{Catalog, Error, ErrorCode, nearest};

use super::Experiment;
use super::file::Text;

macro_rules! files {
    ($($id:literal),* $(,)?) => {
        &[$(($id, include_str!(concat!("../../experiments/", $id, ".toml")))),*]
    };
}

/// The files by their ids, in the order in which they are listed.
const FILES: &[(&str, &str)] = files![
    "othello-budget",
    "othello-depth",
    "othello-strength",
    "othello-ending",
    "othello-boards",
    "dobutsu-random",
    "dobutsu-curve",
    "dobutsu-first",
    "dobutsu-kept",
    "dobutsu-trained",
    "dobutsu-uct",
    "dobutsu-tree",
    "golad-fig3",
    "golad-fig4",
    "golad-fig5",
    "golad-budget",
    "golad-time",
    "golad-playouts",
    "golad-factorial",
    "golad-undone",
    "golad-legal",
    "golad-reads",
    "golad-changes",
    "golad-slow",
    "golad-ai3",
    "golad-ai2",
    "golad-stopped",
    "blokus-c",
    "blokus-table1",
    "blokus-amaf",
    "blokus-table2",
    "blokus-speed",
    "blokus-table3",
    "blokus-table4",
    "blokus-training",
    "tubstap-table1",
    "tubstap-table4",
    "tubstap-begun",
    "tubstap-table2",
    "tubstap-table3",
    "tubstap-ttests",
    "tubstap-table5",
    "tubstap-table6",
    "tubstap-ten",
    "tubstap-shares",
    "tubstap-maps",
    "tubstap-oddities",
    "tubstap-stages",
    "tubstap-threshold",
    "tubstap-exploration",
];

/// The experiments on these games.
///
/// # Errors
/// `bad_experiment` if a file does not fit the games; a test checks that all files fit the built-in games.
pub fn library(games: &Catalog) -> Result<Vec<Experiment>, Error> {
    let mut known = Vec::new();
    for (id, text) in FILES {
        match Experiment::read(id, text, games) {
            // Another catalog need not have all games.
            Err(error) if error.reason == Some("unknown_game") => {}
            read => known.push(read?),
        }
    }
    Ok(known)
}

/// Reads an experiment of the user's own. Results are stored by the id, so it may not be the id of a built-in
/// experiment, unless the file is a copy of that experiment's.
///
/// # Errors
/// As for [`Experiment::read`]; `bad_experiment` with the line of an id that a built-in experiment has.
pub fn read_own(name: &str, text: &str, games: &Catalog) -> Result<Experiment, Error> {
    let experiment = Experiment::read(name, text, games)?;
    let id = experiment.id.as_str();
    if FILES.iter().any(|(known, built_in)| *known == id && *built_in != text) {
        let text = Text { name, text };
        let why = format!("`{id}` is the id of a built-in experiment, which has results of its own: give another id");
        return Err(text.wrong(text.read()?.id.span(), why));
    }
    Ok(experiment)
}

/// Whether an experiment of this id is built in.
pub(super) fn is_built_in(id: &str) -> bool {
    FILES.iter().any(|(known, _)| *known == id)
}

/// The experiment with this id, or all experiments on a game and those named after it.
///
/// # Errors
/// `unknown_experiment`, with the nearest name, or else with the experiments of the game with which the name begins, or
/// else with the games that have experiments; as for [`library`].
pub fn find(name: &str, games: &Catalog) -> Result<Vec<Experiment>, Error> {
    let known = library(games)?;
    let named = |experiment: &Experiment| {
        experiment.id == name
            || experiment.game == name
            || experiment.id.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
    };
    let found: Vec<Experiment> = known.iter().filter(|experiment| named(experiment)).cloned().collect();
    if found.is_empty() {
        if games.game(name).is_ok() {
            return Err(Error::new(ErrorCode::Unsupported, format!("{name} has no experiments")));
        }
        return Err(unknown(name, &known));
    }
    Ok(found)
}

/// The error of a name that no experiment and no game has.
fn unknown(name: &str, known: &[Experiment]) -> Error {
    let names = known.iter().flat_map(|experiment| [experiment.id.as_str(), experiment.game.as_str()]);
    if nearest(name, names.clone()).is_some() {
        return Error::unknown(ErrorCode::UnknownExperiment, "experiment or game", name, names);
    }
    fn family(id: &str) -> &str {
        id.split('-').next().unwrap_or_default()
    }
    let of_game = known.iter().filter(|experiment| family(&experiment.id) == family(name));
    let of_game: Vec<&str> = of_game.map(|experiment| experiment.id.as_str()).collect();
    if of_game.is_empty() {
        let games = known.iter().map(|experiment| family(&experiment.id));
        let error = Error::unknown(ErrorCode::UnknownExperiment, "experiment or game", name, games);
        let message = format!("{}, and GAME-NAME for an experiment on one", error.message);
        return Error { message, ..error };
    }
    Error::unknown(ErrorCode::UnknownExperiment, &format!("experiment on {}", family(name)), name, of_game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_all_files_of_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments");
        let mut lying: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder of experiments")
            .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
            .collect();
        let mut listed: Vec<String> = FILES.iter().map(|(id, _)| format!("{id}.toml")).collect();
        lying.sort();
        listed.sort();
        assert_eq!(lying, listed);
    }

    #[test]
    fn every_file_fits_the_games_and_has_the_name_of_its_experiment() {
        let games = Catalog::default()
            .with(banmen_othello::entry())
            .with(banmen_dobutsu::entry())
            .with(banmen_dobutsu::article::entry())
            .with(banmen_golad::entry())
            .with(banmen_blokus::entry())
            .with(banmen_tubstap::entry());
        let known = library(&games).unwrap_or_else(|error| panic!("{error}"));
        let ids: Vec<&str> = known.iter().map(|experiment| experiment.id.as_str()).collect();
        assert_eq!(ids, FILES.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        assert_eq!(find("dobutsu", &games).expect("experiments").len(), 7);
        assert_eq!(find("dobutsu-article", &games).expect("experiments").len(), 7);
        assert_eq!(find("othello-depth", &games).expect("an experiment").len(), 1);
        let refused = find("othello-dept", &games).expect_err("no such experiment");
        assert!(refused.message.contains("the nearest name is `othello-depth`"), "{refused}");
        let refused = find("othello-something-else", &games).expect_err("no such experiment");
        let expected = "there is no experiment on othello `othello-something-else`; the names are `othello-budget`, \
                        `othello-depth`, `othello-strength`, `othello-ending`, `othello-boards`";
        assert_eq!(refused.message, expected);
        let refused = find("chess", &games).expect_err("no such game");
        let expected = "there is no experiment or game `chess`; the names are `othello`, `dobutsu`, `golad`, `blokus`, \
                        `tubstap`, and GAME-NAME for an experiment on one";
        assert_eq!(refused.message, expected);
    }

    #[test]
    fn ids_of_built_in_experiments_are_refused_in_other_files() {
        let games = Catalog::default().with(banmen_othello::entry());
        let (id, text) = FILES[0];
        assert_eq!(read_own("copy.toml", text, &games).expect("a copy of the file").id, id);
        let changed = text.replacen("title = \"", "title = \"My ", 1);
        let refused = read_own("mine.toml", &changed, &games).expect_err("the id of another experiment");
        let expected = format!("mine.toml, line 2: `{id}` is the id of a built-in experiment");
        assert!(refused.message.starts_with(&expected) && refused.at == Some(2), "{refused}");
        let own = changed.replacen(id, "othello-mine", 1);
        assert_eq!(read_own("mine.toml", &own, &games).expect("an id of its own").id, "othello-mine");
    }
}
