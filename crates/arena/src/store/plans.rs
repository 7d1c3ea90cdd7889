//! The plans of experiments.

use banmen_catalog::Error;
use rusqlite::{OptionalExtension, Row, params};

use super::{Store, failed, now};
use crate::stored::{ExperimentPlan, PlanKey};
use crate::version::sha256;

/// The last run of an experiment.
pub(crate) struct Run {
    pub(crate) experiment: String,
    pub(crate) seed: u64,
    /// The text of the experiment's file.
    pub(crate) file: String,
    pub(crate) scale: f64,
}

impl ExperimentPlan {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<ExperimentPlan> {
        Ok(ExperimentPlan {
            scale: row.get(0)?,
            digest: sha256(row.get_ref(1)?.as_bytes()?),
            file: row.get(1)?,
            judged: row.get(2)?,
            stored: row.get::<_, i64>(3)?.unsigned_abs(),
            written: row.get(4)?,
        })
    }
}

impl Store {
    /// The plan of an experiment, if it has one.
    pub(crate) fn plan(&self, key: PlanKey<'_>) -> Result<Option<ExperimentPlan>, Error> {
        self.connection()
            .prepare_cached(
                "SELECT scale, file, judged, stored, written FROM plan
                 WHERE experiment = ?1 AND seed = ?2 AND version = ?3",
            )
            .and_then(|mut select| {
                let key = params![key.experiment, key.seed as i64, key.version];
                select.query_row(key, ExperimentPlan::read).optional()
            })
            .map_err(|error| failed(&error))
    }

    /// Writes the plan of an experiment that has none, with the time of now if it has none. Returns it.
    pub(crate) fn write_plan(&self, key: PlanKey<'_>, plan: ExperimentPlan) -> Result<ExperimentPlan, Error> {
        let written = if plan.written == 0 { now() } else { plan.written };
        let plan = ExperimentPlan { written, ..plan };
        self.connection()
            .prepare_cached(
                "INSERT INTO plan (experiment, seed, version, scale, file, judged, stored, written, run)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)",
            )
            .and_then(|mut insert| {
                let ExperimentPlan { scale, file, judged, stored, written, .. } = &plan;
                insert.execute(params![
                    key.experiment,
                    key.seed as i64,
                    key.version,
                    scale,
                    file,
                    judged,
                    *stored as i64,
                    written
                ])
            })
            .map_err(|error| failed(&error))?;
        Ok(plan)
    }

    /// Writes the scale of a run.
    pub(crate) fn write_run(&self, key: PlanKey<'_>, scale: f64) -> Result<(), Error> {
        self.connection()
            .prepare_cached("UPDATE plan SET run = ?4 WHERE experiment = ?1 AND seed = ?2 AND version = ?3")
            .and_then(|mut update| update.execute(params![key.experiment, key.seed as i64, key.version, scale]))
            .map(drop)
            .map_err(|error| failed(&error))
    }

    /// The last runs of all experiments with a plan of this version of the program.
    pub(crate) fn runs(&self, version: &str) -> Result<Vec<Run>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<Run>> {
            let mut select = connection.prepare_cached(
                "SELECT experiment, seed, file, run FROM plan WHERE version = ?1 ORDER BY experiment, seed",
            )?;
            let row = |row: &Row<'_>| {
                Ok(Run {
                    experiment: row.get(0)?,
                    seed: row.get::<_, i64>(1)? as u64,
                    file: row.get(2)?,
                    scale: row.get(3)?,
                })
            };
            select.query_map([version], row)?.collect()
        };
        read().map_err(|error| failed(&error))
    }

    /// The number of games of an event whose first player has this version of the program.
    pub(crate) fn games_of_version(&self, event: i64, version: &str) -> Result<u64, Error> {
        self.connection()
            .prepare_cached(
                "SELECT count(*) FROM game g JOIN match m ON m.id = g.match JOIN player a ON a.id = m.a
                 WHERE m.event = ?1 AND substr(a.version, 1, length(?2)) = ?2",
            )
            .and_then(|mut select| select.query_row(params![event, version], |row| row.get::<_, i64>(0)))
            .map(i64::unsigned_abs)
            .map_err(|error| failed(&error))
    }
}
