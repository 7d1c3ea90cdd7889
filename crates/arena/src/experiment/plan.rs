//! The plan of an experiment: the size of the sample at which verdicts are given, written before the first game.

use banmen_catalog::{Error, ErrorCode};

use super::Experiment;
use crate::dates::date;
use crate::stored::PlanKey;
use crate::version::sha256;
use crate::{ExperimentPlan, Store, version};

impl ExperimentPlan {
    /// The plan in words.
    pub(crate) fn describe(&self) -> String {
        let size = if self.scale == 1.0 { "the full sample".to_owned() } else { format!("scale {}", self.scale) };
        let when = match self.stored {
            0 => "before the first game or sample".to_owned(),
            stored => format!("when {stored} games or samples were stored"),
        };
        let time = date(self.written);
        format!("Planned: {size}, written at {time}, {when}; SHA-256 of the file {}.", self.digest)
    }
}

/// What is planned and run of an experiment.
#[derive(Clone, Copy)]
pub(crate) struct Planned {
    /// Seed of everything random.
    pub(crate) seed: u64,
    /// The scale of the run; that of the plan by default.
    pub(crate) scale: Option<f64>,
    /// The scale of the plan, if there is none yet; 1 by default.
    pub(crate) planned: Option<f64>,
}

/// The plan of an experiment, which is written if there is none, and the scale of this run.
///
/// # Errors
/// `plan_changed` where the experiment, the planned scale or the scale of the run does not fit the plan.
pub(crate) fn plan(
    experiment: &Experiment,
    store: &Store,
    Planned { seed, scale, planned }: Planned,
) -> Result<(ExperimentPlan, f64), Error> {
    let id = &experiment.id;
    let key = PlanKey { experiment: id, seed, version: version() };
    let judged = experiment.judged().to_string();
    let changed =
        |why: String| Err(Error::new(ErrorCode::PlanChanged, format!("{id}: {why}; another seed has its own")));
    let plan = match store.plan(key)? {
        Some(plan) if plan.judged != judged => {
            return changed("its games, figures, margin or tests are not those of its plan".to_owned());
        }
        Some(plan) => plan,
        None => {
            let stored = stored(experiment, store, seed)?;
            let (run, scale) = (scale, planned.unwrap_or(1.0));
            // Before anything is written: a plan is never changed.
            if let Some(run) = run.filter(|&run| run > scale) {
                return Err(Error::new(
                    ErrorCode::BadRequest,
                    format!("{id}: the scale {run} is larger than that of the plan, {scale}"),
                ));
            }
            if stored > 0 && scale != 1.0 {
                return changed(format!(
                    "{stored} games or samples are stored, so that only the full sample can be planned"
                ));
            }
            let file = experiment.text.to_string();
            let digest = sha256(file.as_bytes());
            store.write_plan(key, ExperimentPlan { scale, digest, file, judged, stored, written: 0 })?
        }
    };
    if planned.is_some_and(|planned| planned != plan.scale) {
        return changed(format!("its plan has the scale {}", plan.scale));
    }
    let scale = scale.unwrap_or(plan.scale);
    if scale > plan.scale {
        return changed(format!("the scale {scale} is larger than that of its plan, {}", plan.scale));
    }
    store.write_run(key, scale)?;
    Ok((plan, scale))
}

/// Writes a plan that an earlier store had, with the time when it was written there, if there is none.
pub(crate) fn plan_again(
    experiment: &Experiment,
    store: &Store,
    seed: u64,
    (scale, written): (f64, i64),
) -> Result<(), Error> {
    let key = PlanKey { experiment: &experiment.id, seed, version: version() };
    if store.plan(key)?.is_some() {
        return Ok(());
    }
    let (file, judged) = (experiment.text.to_string(), experiment.judged().to_string());
    let digest = sha256(file.as_bytes());
    store.write_plan(key, ExperimentPlan { scale, digest, file, judged, stored: 0, written })?;
    Ok(())
}

/// The games and samples of an experiment that are stored.
pub(crate) fn stored(experiment: &Experiment, store: &Store, seed: u64) -> Result<u64, Error> {
    let mut stored = match experiment.stored_event(store, seed)? {
        Some(event) => store.games_of_version(event, version())?,
        None => 0,
    };
    for (_, spec, samples) in experiment.measures(seed, 1.0) {
        stored += store.count_samples(&spec, samples)?;
    }
    Ok(stored)
}
