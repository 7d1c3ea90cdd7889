//! Labels of games by other machines. Each game is a job; what returns is kept in the file of labels, so that the export then
//! finds all labels there.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};

use banmen_catalog::{Error, ErrorCode};
use banmen_game::digest;
use banmen_search::StopFlag;

use super::job::{LabelSearch, LabelTruth, LabelsJob};
use super::labels::{Kept, Labeller};
use super::{Chosen, DatasetOptions, Picked, read_batch};
use crate::fleet_jobs::{ContentFile, FleetJob, FleetResult};
use crate::version::version;
use crate::{Fleet, FleetJobs, FleetStatus, GameRecord, NamedJob, NextJob, PlayedBy, Store, Usage};

/// Has the games labelled that the file of labels lacks. `progress` receives the number of games that are done.
#[expect(clippy::too_many_arguments, reason = "the parts of one call")]
pub(super) fn label<'g>(
    fleet: &dyn Fleet,
    store: &Store,
    chosen: &[Chosen<'g>],
    labellers: &BTreeMap<i64, Labeller<'g>>,
    options: &DatasetOptions,
    kept: &mut Kept,
    stop: &StopFlag,
    progress: &mut dyn FnMut(u64),
) -> Result<(), Error> {
    loop {
        let mut jobs = RemoteLabels {
            store,
            chosen,
            labellers,
            options,
            kept,
            after: None,
            batch: VecDeque::new(),
            sent: HashMap::new(),
            out: HashMap::new(),
            done: 0,
            progress,
            again: false,
        };
        fleet.play(&mut jobs, stop)?;
        let again = jobs.again;
        kept.reopen(options)?;
        if stop.stopped() {
            return Err(Error::new(ErrorCode::Stopped, "stopped before the dataset was complete"));
        }
        if !again {
            return Ok(());
        }
    }
}

/// The games of a dataset, for a fleet.
struct RemoteLabels<'r, 'g> {
    store: &'r Store,
    /// The matches of which not all games were read.
    chosen: &'r [Chosen<'g>],
    labellers: &'r BTreeMap<i64, Labeller<'g>>,
    options: &'r DatasetOptions,
    kept: &'r mut Kept,
    /// The pair and game of the first of these matches that was read last.
    after: Option<(usize, usize)>,
    /// Games of it that were read and not given out.
    batch: VecDeque<Picked>,
    /// How the games of each match are labelled, and the files that this takes.
    sent: HashMap<i64, (LabelsJob, Vec<ContentFile>)>,
    /// The games that were given out, with their matches.
    out: HashMap<String, (i64, Picked, LabelsJob)>,
    done: u64,
    progress: &'r mut dyn FnMut(u64),
    /// Whether labels were removed, so that the games have to be read again.
    again: bool,
}

impl<'r, 'g> RemoteLabels<'r, 'g> {
    /// The next game without labels, and its match.
    fn next_game(&mut self) -> Result<Option<(&'r Chosen<'g>, Picked)>, Error> {
        while let Some(one) = self.chosen.first() {
            if !self.labellers.contains_key(&one.found.id) {
                self.done += one.found.games;
                self.chosen = &self.chosen[1..];
                continue;
            }
            let Some(picked) = self.batch.pop_front() else {
                match read_batch(self.store, one, self.after, self.options)? {
                    Some(batch) => {
                        self.done += batch.read - batch.games.len() as u64;
                        (self.after, self.batch) = (Some(batch.last), batch.games.into());
                    }
                    None => (self.after, self.chosen) = (None, &self.chosen[1..]),
                }
                continue;
            };
            if self.kept.has(one.found.id, &picked) {
                self.done += 1;
                (self.progress)(self.done);
            } else {
                return Ok(Some((one, picked)));
            }
        }
        Ok(None)
    }
}

/// How the games of a match are labelled, and the files that this takes: a job without a game.
fn sent(one: &Chosen<'_>, labeller: &Labeller<'_>, seed: u64) -> Result<(LabelsJob, Vec<ContentFile>), Error> {
    let (mut search, mut files) = (None, Vec::new());
    if let Some((matchup, own)) = labeller.search() {
        let (spec, digest, named) = matchup.by_contents()?;
        (search, files) = (Some(LabelSearch { digest, spec, own }), named);
    }
    let job = LabelsJob {
        game: one.game.info().name.to_owned(),
        rules: one.found.rules.clone(),
        search,
        truth: labeller.truth_limits().map(|limits| LabelTruth { limits }),
        seed,
        record: GameRecord::default(),
        plies: Vec::new(),
    };
    Ok((job, files))
}

impl FleetJobs for RemoteLabels<'_, '_> {
    fn next(&mut self) -> Result<NextJob, Error> {
        let (labellers, seed) = (self.labellers, self.options.seed);
        let Some((one, picked)) = self.next_game()? else { return Ok(NextJob::Done) };
        let (id, game) = (one.found.id, one.game);
        let Some(labeller) = labellers.get(&id) else { return Ok(NextJob::Done) };
        let (job, files) = match self.sent.entry(id) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(place) => place.insert(sent(one, labeller, seed)?),
        };
        let GameRecord { pair, game: number, .. } = picked.record;
        let spent = [Usage::default(); 2];
        let record = GameRecord { times: Vec::new(), spent, complaint: None, ..picked.record.clone() };
        let job = LabelsJob { record, plies: picked.plies.clone(), ..job.clone() };
        // Another game may have the number of one that was removed, and a file that a player names another content.
        let search = job.search.as_ref().map(|search| &search.digest);
        let what = digest(format!("{} {search:?} {} {:?}", version(), picked.record.digest(), picked.plies).as_bytes());
        let key = format!("{what:016x}-{id}-{pair}-{number}");
        let reproducible = job.is_reproducible(game);
        let (files, sent) = (files.clone(), FleetJob::Labels(Box::new(job.clone())));
        self.out.insert(key.clone(), (id, picked, job));
        Ok(NextJob::Do(Box::new(NamedJob { key, job: sent, files, reproducible })))
    }

    fn over(&self) -> bool {
        self.again
    }

    fn check(&self, key: &str, result: &FleetResult) -> Result<(), String> {
        let (id, _, job) = self.out.get(key).ok_or("nobody asked for it")?;
        let FleetResult::Labels(labels) = result else { return Err("these are no values of positions".to_owned()) };
        let labeller = self.labellers.get(id).ok_or("nobody asked for it")?;
        job.check(labeller.game(), labels)
    }

    fn on_result(&mut self, key: &str, result: FleetResult, by: &PlayedBy) -> Result<(), Error> {
        let FleetResult::Labels(labels) = result else { return Ok(()) };
        let Some((id, picked, _)) = self.out.remove(key) else { return Ok(()) };
        self.kept.add(id, &picked, &labels, Some(&by.worker))?;
        self.done += 1;
        (self.progress)(self.done);
        Ok(())
    }

    fn on_failure(&mut self, _: &str, error: Error) -> Result<(), Error> {
        Err(error)
    }

    fn do_here(&self, key: &str, stop: &StopFlag) -> Result<Option<FleetResult>, Error> {
        let Some((id, picked, _)) = self.out.get(key) else { return Ok(None) };
        let Some(labeller) = self.labellers.get(id) else { return Ok(None) };
        match labeller.labels(picked, &mut [None, None], self.options.seed, stop) {
            Err(error) if error.code == ErrorCode::Stopped => Ok(None),
            labels => Ok(Some(FleetResult::Labels(labels?))),
        }
    }

    fn distrust(&mut self, worker: &str, _: &str) -> Result<u64, Error> {
        let games = self.kept.distrust(worker)?;
        self.again |= games > 0;
        Ok(games)
    }

    fn on_status(&mut self, _: &FleetStatus) -> Result<(), Error> {
        Ok(())
    }
}
