//! What was measured in the cells of an experiment, from their games and samples.

use std::collections::BTreeMap;

use banmen_catalog::Observation;

use super::Experiment;
use super::evidence::{Collector, Evidence};
use crate::Score;

/// The measurement of one quantity at one point.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) cell: usize,
    pub(crate) point: usize,
    pub(crate) quantity: usize,
    pub(crate) evidence: Evidence,
    /// Additional values.
    pub(crate) others: Vec<(&'static str, f64)>,
}

impl Measured {
    /// The measurement of a match, with its number in the store.
    pub(crate) fn of_match(cell: usize, (id, score): &(i64, Score)) -> Measured {
        let [own, _] = &score.totals;
        let mut others = Vec::new();
        others.extend(score.mean_margin().map(|margin| ("margin", margin)));
        others.push(("nodes a move", own.nodes as f64 / own.moves.max(1) as f64));
        others.push(("ms a move", own.mean_ms));
        others.push(("repeated games", score.repeats.games as f64));
        others.push(("match", *id as f64));
        let evidence = Evidence::Match { pairs: score.pairs, won: score.wins, drawn: score.draws, lost: score.losses };
        Measured { cell, point: 0, quantity: 0, evidence, others }
    }

    /// The measurements of a cell, from the observations of its samples in their order.
    pub(crate) fn of_samples<'o>(
        experiment: &Experiment,
        cell: usize,
        observations: impl Iterator<Item = &'o Observation>,
    ) -> Vec<Measured> {
        let mut collected: BTreeMap<(usize, usize), Collector> = BTreeMap::new();
        for observation in observations {
            collected.entry((observation.point, observation.quantity)).or_default().add(observation);
        }
        let measured = |((point, quantity), collector): ((usize, usize), Collector)| {
            let evidence = collector.evidence(experiment.quantities.get(quantity)?)?;
            Some(Measured { cell, point, quantity, evidence, others: Vec::new() })
        };
        collected.into_iter().filter_map(measured).collect()
    }
}
