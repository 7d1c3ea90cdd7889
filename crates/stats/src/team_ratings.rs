//! Ratings of the members of teams: what the results leave free, anchors, and intervals.

use std::collections::BTreeSet;

use crate::matrix::Matrix;
use crate::ratings::{ELO, Estimate};
use crate::special::two_sided_z;
use crate::teams::{Competitions, TeamStrengths};

/// Why there are no ratings of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamRatingError {
    /// The anchor is not among the features.
    UnknownMember(usize),
    /// The results determine the strength of the anchor, so it cannot be chosen: its teams met teams of known strength, such
    /// as the empty team.
    Determined(usize),
    /// The anchor's rating is not finite, the confidence is not strictly between 0 and 1, there are not as many strengths as
    /// features, or the curvature of the likelihood cannot be inverted.
    Range,
}

impl Competitions {
    /// Elo of each feature, 400 log₁₀ γ, with intervals at `confidence`: Wald's, from the curvature of the log-likelihood, or
    /// of the posterior with the prior, of `strengths`, which [`fit`](Self::fit) found with the same `prior`.
    ///
    /// An `anchor`, a feature and its Elo, moves the strengths along what the results leave free: all that were compared with
    /// it, but no others; no probability changes. Without an anchor the interval of a feature is that of the strength as
    /// `fit` returns it: from the common scale of its features, where that is free and there is no prior.
    ///
    /// # Errors
    /// See [`TeamRatingError`].
    pub fn elo(
        &self,
        strengths: &TeamStrengths,
        prior: bool,
        anchor: Option<(usize, f64)>,
        confidence: f64,
    ) -> Result<Vec<Estimate>, TeamRatingError> {
        let count = self.features();
        if let Some((member, _)) = anchor.filter(|(member, _)| *member >= count) {
            return Err(TeamRatingError::UnknownMember(member));
        }
        let z = two_sided_z(confidence).ok_or(TeamRatingError::Range)?;
        let finite = anchor.is_none_or(|(_, elo)| elo.is_finite());
        if strengths.gamma.len() != count || !finite {
            return Err(TeamRatingError::Range);
        }
        let free = if anchor.is_some() || !prior { self.free() } else { Matrix::zero(count) };
        let covariance = self.covariance(&strengths.gamma, prior, &free).ok_or(TeamRatingError::Range)?;
        let elo = strengths.elo();
        let Some((member, zero)) = anchor else {
            let deviation = |at| ELO * covariance.at(at, at).max(0.0).sqrt();
            return Ok(elo.iter().enumerate().map(|(at, &value)| Estimate::around(value, z * deviation(at))).collect());
        };
        let own = free.at(member, member);
        if own < SMALL {
            return Err(TeamRatingError::Determined(member));
        }
        let estimate = |at: usize| {
            // How far this feature moves with the anchor.
            let share = free.at(at, member) / own;
            let variance = covariance.at(at, at) - 2.0 * share * covariance.at(at, member)
                + share * share * covariance.at(member, member);
            Estimate::around(elo[at] + share * (zero - elo[member]), z * ELO * variance.max(0.0).sqrt())
        };
        Ok((0..count).map(estimate).collect())
    }

    /// The projection onto what the results leave free: the changes of log γ that change no probability.
    pub(crate) fn free(&self) -> Matrix {
        let count = self.features();
        // The differences of the teams of each competition span what the results determine.
        let mut differences = BTreeSet::new();
        for (contest, _) in self.contests() {
            let mut teams = contest.clone().map(|team| self.team(team));
            let Some(first) = teams.next() else { continue };
            for other in teams {
                let only = |these: &[u32], those: &[u32]| {
                    let mut only: Vec<u32> = these.iter().copied().filter(|member| !those.contains(member)).collect();
                    only.sort_unstable();
                    only
                };
                differences.insert((only(first, other), only(other, first)));
            }
        }
        let mut free = Matrix::zero(count);
        (0..count).for_each(|at| free.add(at, at, 1.0));
        // What is left of each difference is taken out (Gram and Schmidt; the projection is updated in place).
        for (plus, minus) in differences {
            let size = ((plus.len() + minus.len()) as f64).sqrt();
            let part = |row: usize| {
                let sum = |members: &[u32]| members.iter().map(|&member| free.at(row, member as usize)).sum::<f64>();
                sum(&plus) - sum(&minus)
            };
            let rest: Vec<f64> = (0..count).map(part).collect();
            let square: f64 = rest.iter().map(|x| x * x).sum();
            if square.sqrt() > SMALL * size {
                let own: Vec<usize> = (0..count).filter(|&at| rest[at] != 0.0).collect();
                for &row in &own {
                    for &column in &own {
                        free.add(row, column, -rest[row] * rest[column] / square);
                    }
                }
            }
        }
        free
    }

    /// The covariance of log γ; without a prior that of the part which the results determine, and 0 for the part `free`.
    fn covariance(&self, gamma: &[f64], prior: bool, free: &Matrix) -> Option<Matrix> {
        let count = self.features();
        let mut information = Matrix::zero(count);
        let mut expected = vec![0.0; count];
        for (contest, times) in self.contests() {
            let teams: Vec<&[u32]> = contest.map(|team| self.team(team)).collect();
            let strength = |team: &&[u32]| team.iter().map(|&member| gamma[member as usize]).product::<f64>();
            let strengths: Vec<f64> = teams.iter().map(strength).collect();
            let total: f64 = strengths.iter().sum();
            let mut members = Vec::new();
            for (team, strength) in teams.iter().zip(&strengths) {
                let share = strength / total;
                for &row in *team {
                    for &column in *team {
                        information.add(row as usize, column as usize, times * share);
                    }
                    expected[row as usize] += share;
                }
                members.extend_from_slice(team);
            }
            members.sort_unstable();
            members.dedup();
            for &row in &members {
                for &column in &members {
                    let both = expected[row as usize] * expected[column as usize];
                    information.add(row as usize, column as usize, -times * both);
                }
            }
            members.iter().for_each(|&member| expected[member as usize] = 0.0);
        }
        if prior {
            for (at, gamma) in gamma.iter().enumerate() {
                information.add(at, at, 2.0 * gamma / (1.0 + gamma).powi(2));
            }
            return Some(information.cholesky()?.inverse());
        }
        // Positive definite with the free part, which is then taken out again.
        let add = |to: &mut Matrix, factor: f64| {
            for row in 0..count {
                for column in 0..count {
                    to.add(row, column, factor * free.at(row, column));
                }
            }
        };
        add(&mut information, 1.0);
        let mut covariance = information.cholesky()?.inverse();
        add(&mut covariance, -1.0);
        Some(covariance)
    }
}

/// A part of a difference of teams, or of a feature, that is smaller is rounding.
const SMALL: f64 = 1e-7;

impl TeamStrengths {
    /// Chooses among equally likely strengths those with the smallest sum of squares of log γ.
    pub(crate) fn centre(&mut self, free: &Matrix) {
        let logs: Vec<f64> = self.gamma.iter().map(|gamma| gamma.ln()).collect();
        for (row, gamma) in self.gamma.iter_mut().enumerate() {
            let part: f64 = logs.iter().enumerate().map(|(column, log)| free.at(row, column) * log).sum();
            *gamma = (logs[row] - part).exp();
        }
    }
}
