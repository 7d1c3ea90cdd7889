//! Values of positions by searches and by exact solvers. They are kept in a file beside the dataset, a line of JSON for each
//! game, so that an export that was stopped resumes.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use banmen_catalog::{
    AnyGame, AnyPlayer, AnyState, AnyTask, CpuClock, Error, ErrorCode, SolveTask, Solver, replace_file,
};
use banmen_game::mix;
use banmen_programs::Programs;
use banmen_search::threads::spawn_search;
use banmen_search::{Limits, StopFlag};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::job::{LabelSearch, LabelsJob};
use super::label::{ExactValue, Label, SearchValue};
use super::{DatasetOptions, Picked, Values, unwritable};
use crate::rerun::search_again;
use crate::spec::{limits, limits_in_words};
use crate::version::version;
use crate::{GameRecord, Match, MatchInfo, MatchSpec, PlayerCache};

/// Computes the labels of the games of a match.
pub(super) struct Labeller<'g> {
    game: &'g dyn AnyGame,
    rules: String,
    id: i64,
    searches: Option<Searches<'g>>,
    truth: Option<(&'g dyn Solver, Limits)>,
}

/// The searches that give values.
struct Searches<'g> {
    /// The match of the games, or one of the player that searches all positions against itself.
    matchup: Match<'g>,
    /// Whether the searches are those of the match.
    own: bool,
    /// The players of the match in words, with their limits.
    by: [String; 2],
}

impl<'g> Searches<'g> {
    fn new(matchup: Match<'g>, own: bool) -> Self {
        let by =
            matchup.spec.sides().map(|side| format!("{}, {}", side.player, limits_in_words(&limits(&side.limits))));
        Searches { matchup, own, by }
    }
}

impl<'g> Labeller<'g> {
    /// Refuses what could not be searched or solved, before anything is. `None` where nothing is: of imported games there
    /// are no searches that chose the moves.
    pub(super) fn new(
        game: &'g dyn AnyGame,
        found: &MatchInfo,
        options: &DatasetOptions,
    ) -> Result<Option<Self>, Error> {
        let matchup = match &options.values {
            Values::None => None,
            Values::Own => found.match_spec(game)?.map(|spec| Match::new(game, spec)),
            Values::By(player) => {
                let spec = MatchSpec {
                    rules: Some(found.rules.clone()),
                    seed: options.seed,
                    ..MatchSpec::new(game, player.clone(), player.clone())
                };
                Some(Match::new(game, spec))
            }
        };
        let searches = matchup.map(|matchup| -> Result<Searches<'g>, Error> {
            matchup.players()?;
            Ok(Searches::new(matchup, options.values == Values::Own))
        });
        let truth = options.truth.map(|limits| -> Result<(&dyn Solver, Limits), Error> {
            let name = game.info().name;
            let none = || Error::new(ErrorCode::Unsupported, format!("match {}: {name} has no exact solver", found.id));
            let solver = game.solver().ok_or_else(none)?;
            let limits = if game.tablebases().is_some() { Limits::default() } else { limits };
            // Rules without a solver, and tables that are not built, are found here.
            let start = game.state(Some(&found.rules), None)?;
            let first = if game.tablebases().is_some() { limits } else { Limits::nodes(1) };
            solve(solver, start.as_ref(), first, &StopFlag::default())?;
            Ok((solver, limits))
        });
        let (searches, truth) = (searches.transpose()?, truth.transpose()?);
        let labels = searches.is_some() || truth.is_some();
        Ok(labels.then(|| Labeller { game, rules: found.rules.clone(), id: found.id, searches, truth }))
    }

    /// Labels a game that another machine sent.
    ///
    /// # Errors
    /// `unknown_match` where the players are of other versions here; `unsupported` where the game has no exact solver.
    pub(super) fn of(game: &'g dyn AnyGame, job: &LabelsJob, programs: &Programs) -> Result<Self, Error> {
        let searches = job.search.as_ref().map(|LabelSearch { digest, spec, own }| -> Result<Searches<'g>, Error> {
            let matchup = Match { programs: programs.clone(), ..Match::new(game, spec.clone()) };
            let found = matchup.digest()?;
            if found != *digest {
                let message = format!("searches of match {digest} were given as those of match {found}");
                return Err(Error::new(ErrorCode::UnknownMatch, message).arg("match", digest.as_str()));
            }
            Ok(Searches::new(matchup, *own))
        });
        let truth = job.truth.as_ref().map(|truth| -> Result<(&dyn Solver, Limits), Error> {
            let none = || Error::new(ErrorCode::Unsupported, format!("{} has no exact solver", job.game));
            Ok((game.solver().ok_or_else(none)?, truth.limits))
        });
        Ok(Labeller {
            game,
            rules: job.rules.clone(),
            id: 0,
            searches: searches.transpose()?,
            truth: truth.transpose()?,
        })
    }

    pub(super) fn game(&self) -> &'g dyn AnyGame {
        self.game
    }

    /// The match that is searched, and whether it is that of the games.
    pub(super) fn search(&self) -> Option<(&Match<'g>, bool)> {
        self.searches.as_ref().map(|searches| (&searches.matchup, searches.own))
    }

    /// The limits of the solver.
    pub(super) fn truth_limits(&self) -> Option<Limits> {
        self.truth.map(|(_, limits)| limits)
    }

    /// The players that search, kept from other games where they were.
    pub(super) fn take_players(&self, cache: &mut PlayerCache) -> Result<[Option<Box<dyn AnyPlayer>>; 2], Error> {
        let Some(searches) = &self.searches else { return Ok([None, None]) };
        Ok(cache.take(&searches.matchup)?.map(Some))
    }

    /// Keeps the players for other games.
    pub(super) fn put_back(&self, players: [Option<Box<dyn AnyPlayer>>; 2], cache: &mut PlayerCache) {
        if let (Some(searches), [Some(a), Some(b)]) = (&self.searches, players) {
            cache.put_back(&searches.matchup, [a, b]);
        }
    }

    /// The versions of the players that search, where they depend on more than this program: on files that the players
    /// name, or on external programs.
    pub(super) fn versions(&self) -> Option<[String; 2]> {
        let Searches { matchup, .. } = self.searches.as_ref()?;
        let versions = matchup.spec.sides().map(|side| matchup.version(&side.player));
        versions.iter().any(|of_player| of_player != version()).then_some(versions)
    }

    /// Who searches the positions of a player of the match, in words.
    pub(super) fn searched_by(&self, mover: usize) -> Option<&str> {
        self.searches.as_ref().map(|searches| searches.by[mover].as_str())
    }

    /// Labels the games that have no labels yet. `progress` receives the number of games that are left.
    pub(super) fn label(
        &self,
        games: &mut [Picked],
        kept: &mut Kept,
        options: &DatasetOptions,
        stop: &StopFlag,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), Error> {
        let mut open: Vec<usize> = Vec::new();
        for (index, picked) in games.iter_mut().enumerate() {
            match kept.take(self.id, picked) {
                Some(labels) => picked.labels = labels,
                None => open.push(index),
            }
        }
        let next = AtomicUsize::new(0);
        let (mut left, workers) = (open.len() as u64, options.workers.threads.max(1).min(open.len()));
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut first_error = None;
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let (sender, next, open, games) = (sender.clone(), &next, &open, &*games);
                spawn_search(scope, move || {
                    let mut players = [None, None];
                    while let Some(&index) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let labels = self.labels(&games[index], &mut players, options.seed, stop);
                        let failed = labels.is_err();
                        if sender.send((index, labels)).is_err() || failed {
                            // The others end after their games.
                            next.store(usize::MAX / 2, Ordering::Relaxed);
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut labelled = Vec::new();
            for (index, labels) in receiver {
                let stored = labels.and_then(|labels| {
                    kept.add(self.id, &games[index], &labels, None)?;
                    Ok(labels)
                });
                match stored {
                    Ok(labels) => labelled.push((index, labels)),
                    // Games that were stopped by an error say no more than that.
                    Err(error) => {
                        next.store(usize::MAX / 2, Ordering::Relaxed);
                        first_error =
                            first_error.take().filter(|first: &Error| first.code != ErrorCode::Stopped).or(Some(error));
                    }
                }
                left -= 1;
                progress(left);
            }
            labelled
        })
        .into_iter()
        .for_each(|(index, labels)| games[index].labels = labels);
        first_error.map_or(Ok(()), Err)
    }

    /// The labels of a game.
    pub(super) fn labels(
        &self,
        picked: &Picked,
        players: &mut [Option<Box<dyn AnyPlayer>>; 2],
        seed: u64,
        stop: &StopFlag,
    ) -> Result<Vec<Label>, Error> {
        let record = &picked.record;
        let mut labels = vec![Label::default(); picked.plies.len()];
        let place = |ply: usize| picked.plies.binary_search(&ply).ok();
        if let Some(Searches { matchup, own: true, .. }) = &self.searches {
            for (index, player) in players.iter_mut().enumerate().filter(|(_, player)| player.is_none()) {
                *player = Some(matchup.player(index)?);
            }
            let last = picked.plies.last().copied();
            search_again(matchup, record, players, stop, &mut |ply, state, report| {
                if let Some(at) = place(ply) {
                    labels[at].search = SearchValue::new(state, &report);
                }
                last.is_some_and(|last| ply < last)
            })?;
        }
        let mut state = self.game.state(Some(&self.rules), record.position.as_deref())?;
        for (ply, text) in record.moves.iter().enumerate() {
            if let Some(at) = place(ply) {
                if let Some(Searches { matchup, own: false, .. }) = &self.searches {
                    let player = match &mut players[0] {
                        Some(player) => player,
                        none => none.insert(matchup.player(0)?),
                    };
                    player.new_game(state.as_ref(), mix(seed ^ mix(record.digest() ^ ply as u64)))?;
                    let report = player.think(AnyTask {
                        state: state.as_ref(),
                        limits: matchup.spec.a.limits,
                        clock: &CpuClock::default(),
                        stop,
                        threads: 1,
                        lines: 1,
                        progress: None,
                    })?;
                    labels[at].search = SearchValue::new(state.as_ref(), &report);
                }
                if let Some((solver, limits)) = self.truth {
                    labels[at].truth = solve(solver, state.as_ref(), limits, stop)?;
                }
                if stop.stopped() {
                    return Err(Error::new(ErrorCode::Stopped, "stopped before the dataset was complete"));
                }
            }
            let m = state.read(text)?;
            state.play(m)?;
        }
        Ok(labels)
    }
}

/// The exact value of a position; `None` where it is not proven within the limits.
fn solve(
    solver: &dyn Solver,
    state: &dyn AnyState,
    limits: Limits,
    stop: &StopFlag,
) -> Result<Option<ExactValue>, Error> {
    let task = SolveTask { limits, clock: &CpuClock::default(), stop, threads: 1, table: SolveTask::TABLE };
    let solution = solver.solve(state, false, &task, &mut |_| {})?;
    Ok(solution.score.map(|score| ExactValue { score, distance: solution.distance }))
}

/// A game in the file of labels.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(rename = "match")]
    id: i64,
    pair: usize,
    game: usize,
    /// The digest of its moves.
    digest: u64,
    plies: Vec<usize>,
    labels: Vec<Label>,
    /// The versions of the players that searched, as [`Labeller::versions`] returns them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    versions: Option<[String; 2]>,
    /// The worker that found them, if another machine did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

impl Line {
    fn is_of(&self, picked: &Picked, versions: Option<&[String; 2]>) -> bool {
        let same = self.digest == picked.record.digest() && self.plies == picked.plies;
        same && self.labels.len() == self.plies.len() && self.versions.as_ref() == versions
    }
}

/// What [`Labeller::versions`] returns for each match, by its number.
pub(super) type Versions = HashMap<i64, [String; 2]>;

/// Match, pair and game.
type Place = (i64, usize, usize);

/// The file of labels, and the labels that it had.
pub(super) struct Kept {
    path: PathBuf,
    file: File,
    labels: HashMap<Place, Line>,
    versions: Versions,
}

impl Kept {
    /// Opens the file for these options, and creates it if it does not exist.
    pub(super) fn open(path: &Path, options: &DatasetOptions, versions: Versions) -> Result<Kept, Error> {
        let failed = |error: std::io::Error| unwritable(path, &error);
        let head = head(options);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let (found, lines, end) = read(&bytes);
        match found {
            Some(found) if found != head => {
                let message = format!(
                    "{} has labels of another export: finish that one with its own options, or delete the file",
                    path.display()
                );
                return Err(Error::new(ErrorCode::Unwritable, message));
            }
            Some(_) => {
                // What follows was not written to its end.
                file.set_len(end as u64).map_err(failed)?;
                file.seek(SeekFrom::End(0)).map_err(failed)?;
            }
            None if bytes.contains(&b'\n') => {
                let message = format!("{} is no file of labels", path.display());
                return Err(Error::new(ErrorCode::Unwritable, message));
            }
            None => {
                file.set_len(0).map_err(failed)?;
                file.seek(SeekFrom::Start(0)).map_err(failed)?;
                file.write_all(format!("{head}\n").as_bytes()).map_err(failed)?;
            }
        }
        let labels = lines.into_iter().map(|line| ((line.id, line.pair, line.game), line)).collect();
        Ok(Kept { path: path.to_owned(), file, labels, versions })
    }

    /// The labels of a game, if the file had them.
    fn take(&mut self, id: i64, picked: &Picked) -> Option<Vec<Label>> {
        let GameRecord { pair, game, .. } = picked.record;
        let line = self.labels.remove(&(id, pair, game))?;
        line.is_of(picked, self.versions.get(&id)).then_some(line.labels)
    }

    /// Whether the file had the labels of a game.
    pub(super) fn has(&self, id: i64, picked: &Picked) -> bool {
        let GameRecord { pair, game, .. } = picked.record;
        self.labels.get(&(id, pair, game)).is_some_and(|line| line.is_of(picked, self.versions.get(&id)))
    }

    /// Reads what was added.
    pub(super) fn reopen(&mut self, options: &DatasetOptions) -> Result<(), Error> {
        *self = Kept::open(&self.path, options, std::mem::take(&mut self.versions))?;
        Ok(())
    }

    /// Removes all labels of a worker, and returns the number of their games.
    pub(super) fn distrust(&mut self, worker: &str) -> Result<u64, Error> {
        let failed = |error: std::io::Error| unwritable(&self.path, &error);
        let (head, lines, _) = read(&std::fs::read(&self.path).map_err(failed)?);
        let mut text = head.unwrap_or_default() + "\n";
        let mut removed = 0;
        for line in lines {
            if line.by.as_deref() == Some(worker) {
                removed += 1;
            } else {
                text += &serde_json::to_string(&line).map_err(|error| unwritable(&self.path, &error))?;
                text.push('\n');
            }
        }
        if removed > 0 {
            replace_file(&self.path, text.as_bytes()).map_err(failed)?;
            self.file = OpenOptions::new().append(true).open(&self.path).map_err(failed)?;
            self.labels.retain(|_, line| line.by.as_deref() != Some(worker));
        }
        Ok(removed)
    }

    /// Adds the labels of a game. `by` is the worker that found them, if another machine did.
    pub(super) fn add(&mut self, id: i64, picked: &Picked, labels: &[Label], by: Option<&str>) -> Result<(), Error> {
        let GameRecord { pair, game, .. } = picked.record;
        let digest = picked.record.digest();
        let (plies, labels, by) = (picked.plies.clone(), labels.to_vec(), by.map(str::to_owned));
        let versions = self.versions.get(&id).cloned();
        let line = Line { id, pair, game, digest, plies, labels, versions, by };
        let failed = |error: &dyn std::fmt::Display| unwritable(&self.path, error);
        let text = serde_json::to_string(&line).map_err(|error| failed(&error))?;
        self.file.write_all((text + "\n").as_bytes()).map_err(|error| failed(&error))
    }

    /// Removes the file, when the dataset is complete.
    pub(super) fn remove(self) {
        let Kept { path, file, .. } = self;
        drop(file);
        let _ = std::fs::remove_file(path);
    }
}

/// The first line of the file: everything on which all labels depend.
fn head(options: &DatasetOptions) -> String {
    let values = match &options.values {
        Values::None => json!(null),
        Values::Own => json!("own"),
        Values::By(player) => json!({ "player": player.player, "limits": limits(&player.limits) }),
    };
    let (seed, truth) = (options.seed, options.truth.as_ref().map(limits));
    json!({ "labels": { "version": version(), "values": values, "truth": truth, "seed": seed } }).to_string()
}

/// Reads a file of labels: its first line, its games up to the first line that is damaged, and where they end.
fn read(bytes: &[u8]) -> (Option<String>, Vec<Line>, usize) {
    let (mut head, mut lines, mut end) = (None, Vec::new(), 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Some(text) = line.strip_suffix(b"\n") else { break };
        if head.is_none() {
            let Ok(text) = std::str::from_utf8(text) else { break };
            if !text.starts_with(r#"{"labels":"#) {
                break;
            }
            head = Some(text.to_owned());
        } else {
            let Ok(line) = serde_json::from_slice(text) else { break };
            lines.push(line);
        }
        end += line.len();
    }
    (head, lines, end)
}

/// The number of games in a file of labels.
#[must_use]
pub fn count_labels(bytes: &[u8]) -> usize {
    read(bytes).1.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_other_versions_do_not_count() {
        let path = std::env::temp_dir().join(format!("banmen-arena-labels-{}", std::process::id()));
        let picked = Picked { record: GameRecord::default(), plies: Vec::new(), labels: Vec::new() };
        let open = |version: Option<&str>| {
            let versions = version.map(|version| (1, [version, "1"].map(str::to_owned)));
            Kept::open(&path, &DatasetOptions::default(), versions.into_iter().collect()).expect("a file")
        };
        open(Some("1+a")).add(1, &picked, &[], None).expect("written");
        let there = [Some("1+a"), Some("1+b"), None].map(|version| open(version).has(1, &picked));
        open(None).remove();
        assert_eq!(there, [true, false, false]);
    }
}
