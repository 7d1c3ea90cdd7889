//! Bradley–Terry with teams: the strengths of members, from competitions between teams of members.
//!
//! The model of Coulom 2007, *Computing Elo Ratings of Move Patterns in the Game of Go*. A team's strength is the product
//! of its members' γ, and a team wins a competition with the probability of its share of all strengths. A position is
//! a competition, each legal move a team of its features, the move played the winner; a game between players is a
//! competition of two teams of one. Fitted by minorization and maximization (Hunter 2004), so the likelihood never falls.

/// Why a competition is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamsError {
    /// The winner is not among the teams.
    NoWinner,
    /// This member is not among the features.
    UnknownMember(usize),
    /// This member occurs twice in one team, which the fit does not support.
    TwiceInTeam(usize),
}

/// Competitions between teams of features, which are numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Competitions {
    features: usize,
    /// Members of all teams, one team after the other.
    members: Vec<u32>,
    /// The end of each team in `members`.
    teams: Vec<usize>,
    contests: Vec<Contest>,
}

#[derive(Clone, Copy, Debug)]
struct Contest {
    /// The end of its teams in `teams`.
    end: usize,
    /// Its winner, among all teams.
    winner: usize,
    times: f64,
}

/// The result of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct TeamStrengths {
    /// The strength of each feature, above 0. Elo is 400 log₁₀ γ.
    pub gamma: Vec<f64>,
    /// Log-likelihood, or log-posterior with a prior.
    pub log_likelihood: f64,
    /// Sweeps over all features.
    pub sweeps: u32,
    /// Largest difference between the wins of a feature and its expected wins, including virtual ones: 0 at the maximum.
    pub gap: f64,
    /// Whether the last sweep changed no log γ by 10⁻¹⁰ and the gap is below 10⁻¹⁰ (or a millionth of a millionth of the
    /// most wins, which rounding alone may take).
    pub converged: bool,
}

/// The options of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions<'g> {
    /// Coulom's prior: each feature wins once and loses once against a strength of 1. In log γ that is the logistic
    /// distribution, with a standard deviation of 315 Elo. With it every γ is finite and above 0.
    pub prior: bool,
    /// Groups of features of which each team has at most one, such as all pieces, or all cells: the features of a group are
    /// updated at once. Features in no group are updated one by one, after the groups.
    pub groups: &'g [Vec<usize>],
    /// The largest number of sweeps. Sparse data need hundreds.
    pub sweeps: u32,
}

impl Competitions {
    /// No competitions yet, between teams of so many features.
    pub fn new(features: usize) -> Self {
        Competitions { features, ..Competitions::default() }
    }

    /// A competition that happened `times` times, and was won by team number `winner` each time. A team without
    /// members has strength 1.
    ///
    /// # Errors
    /// See [`TeamsError`]; nothing is added then.
    pub fn add<T: AsRef<[usize]>>(&mut self, teams: &[T], winner: usize, times: u32) -> Result<(), TeamsError> {
        if winner >= teams.len() {
            return Err(TeamsError::NoWinner);
        }
        for team in teams {
            let team = team.as_ref();
            for (at, &member) in team.iter().enumerate() {
                if member >= self.features || u32::try_from(member).is_err() {
                    return Err(TeamsError::UnknownMember(member));
                }
                if team[..at].contains(&member) {
                    return Err(TeamsError::TwiceInTeam(member));
                }
            }
        }
        let winner = self.teams.len() + winner;
        for team in teams {
            self.members.extend(team.as_ref().iter().map(|&member| member as u32));
            self.teams.push(self.members.len());
        }
        self.contests.push(Contest { end: self.teams.len(), winner, times: f64::from(times) });
        Ok(())
    }

    /// The number of features.
    pub(crate) fn features(&self) -> usize {
        self.features
    }

    /// The competitions that happened: their teams, and how often.
    pub(crate) fn contests(&self) -> impl Iterator<Item = (std::ops::Range<usize>, f64)> {
        let all = self.contests.iter().enumerate();
        all.filter(|(_, contest)| contest.times > 0.0).map(|(at, contest)| (self.range(at), contest.times))
    }

    /// The members of a team.
    pub(crate) fn team(&self, team: usize) -> &[u32] {
        let start = if team == 0 { 0 } else { self.teams[team - 1] };
        &self.members[start..self.teams[team]]
    }

    /// The teams of a contest.
    fn range(&self, contest: usize) -> std::ops::Range<usize> {
        let start = if contest == 0 { 0 } else { self.contests[contest - 1].end };
        start..self.contests[contest].end
    }

    /// The log-likelihood of these strengths, with the prior where `prior` says so. `None` where there are not as many
    /// as features.
    pub fn log_likelihood(&self, gamma: &[f64], prior: bool) -> Option<f64> {
        (gamma.len() == self.features).then(|| {
            let state = State::new(self, gamma.to_vec());
            state.log_likelihood(prior)
        })
    }

    /// The probability of each team of a competition between `teams`, by these strengths. `None` where there are no
    /// teams, a member has no strength, or the strengths overflow or underflow.
    pub fn probabilities<T: AsRef<[usize]>>(gamma: &[f64], teams: &[T]) -> Option<Vec<f64>> {
        let strength = |team: &T| team.as_ref().iter().map(|&member| gamma.get(member).copied()).product();
        shares(teams.iter().map(strength).collect::<Option<_>>()?)
    }

    /// For each competition, in the order in which they were added: the probability of each of its teams by these strengths,
    /// and the number of the winner among them. `None` as for [`probabilities`](Self::probabilities).
    pub fn predictions(&self, gamma: &[f64]) -> impl Iterator<Item = Option<(Vec<f64>, usize)>> {
        self.contests.iter().enumerate().map(move |(at, contest)| {
            let teams = self.range(at);
            let winner = contest.winner - teams.start;
            let strength = |team| self.team(team).iter().map(|&member| gamma.get(member as usize).copied()).product();
            Some((shares(teams.map(strength).collect::<Option<_>>()?)?, winner))
        })
    }

    /// Fits the strengths, from all 1. Sweeps alone converge slowly where the data say little. The common scale of a group of
    /// features of which every team has one depends on the prior alone, so each update of such a group also sets its scale
    /// to the likeliest one. And after the first sweeps every third one is followed by a step along the
    /// path of the last ones: squared extrapolation (Varadhan and Roland 2008, "Simple and globally convergent methods for
    /// accelerating the convergence of any EM algorithm", scheme S3), on log γ, and taken only where it does not lower the
    /// likelihood.
    ///
    /// One update sets γ of a feature to its wins over Σ C/E, where E is a competition's total strength and C the
    /// part of it that the feature multiplies. It never lowers the likelihood if the features that are updated at once share
    /// no team.
    ///
    /// Without a prior some changes of the strengths change no probability: the common scale of features of which the teams of
    /// a competition always have equally many, or the shares of two features that always go together. Of equally likely
    /// strengths the fit returns those with the smallest sum of squares of log γ: the geometric mean of such a group of
    /// features is 1, and features that always go together have equal strengths. With the prior nothing is free.
    ///
    /// `None` where no maximum exists (without a prior, a feature that never wins, or whose γ goes beyond 10^±100),
    /// where a group has an unknown feature, or two of one team, and where there are more than 2³² teams.
    pub fn fit(&self, fitting: &FitOptions<'_>) -> Option<TeamStrengths> {
        let groups = self.groups(fitting.groups)?;
        let wins = self.wins();
        let mut state = State::new(self, vec![1.0; self.features]);
        let mut sweeps = 0;
        let mut converged = false;
        let mut gap = state.gap(&wins, fitting.prior);
        let mut path = Vec::new();
        while sweeps < fitting.sweeps && !converged {
            let mut change: f64 = 0.0;
            for group in &groups {
                change = change.max(state.update(group, &wins, fitting.prior)?);
            }
            state.sum();
            sweeps += 1;
            if sweeps > PLAIN_SWEEPS {
                path.push(state.gamma.iter().map(|gamma| gamma.ln()).collect::<Vec<f64>>());
                if let [first, second, third] = &path[..] {
                    if let Some(further) = state.extrapolate([first, second, third], fitting.prior) {
                        state = further;
                        // The gap of these strengths is not known, so there is a sweep after it.
                        change = f64::INFINITY;
                    }
                    path.clear();
                }
            }
            // The gap needs a separate pass, so it is computed only when the sweep may be the last.
            if change < 1e-10 || sweeps == fitting.sweeps {
                // Without the rounding of the updates, which multiply.
                state = State::new(self, state.gamma);
                gap = state.gap(&wins, fitting.prior);
                let most = wins.iter().copied().fold(0.0, f64::max);
                converged = change < 1e-10 && gap < 1e-10 + 1e-12 * most;
            }
        }
        let log_likelihood = state.log_likelihood(fitting.prior);
        let mut strengths = TeamStrengths { gamma: state.gamma, log_likelihood, sweeps, gap, converged };
        if !fitting.prior {
            strengths.centre(&self.free());
        }
        Some(strengths)
    }

    /// The wins of each feature: competitions won by a team that has it.
    fn wins(&self) -> Vec<f64> {
        let mut wins = vec![0.0; self.features];
        for contest in &self.contests {
            for &member in self.team(contest.winner) {
                wins[member as usize] += contest.times;
            }
        }
        wins
    }

    /// The groups that are updated in turn. `None` where a group is invalid.
    fn groups(&self, given: &[Vec<usize>]) -> Option<Vec<Group>> {
        let mut of = vec![usize::MAX; self.features];
        for (number, features) in given.iter().enumerate() {
            for &feature in features {
                let place = of.get_mut(feature)?;
                if *place != usize::MAX {
                    return None;
                }
                *place = number;
            }
        }
        let mut groups = vec![Group::default(); given.len()];
        for (feature, of) in of.iter_mut().enumerate() {
            if *of == usize::MAX {
                *of = groups.len();
                groups.push(Group::default());
            }
            groups[*of].features.push(feature);
        }
        // The places take most of the memory of a fit.
        let mut places = vec![0; groups.len()];
        self.members.iter().for_each(|&member| places[of[member as usize]] += 1);
        groups.iter_mut().zip(places).for_each(|(group, places)| group.places.reserve_exact(places));
        for contest in 0..self.contests.len() {
            for team in self.range(contest) {
                let members = self.team(team);
                let (contest, team) = (u32::try_from(contest).ok()?, u32::try_from(team).ok()?);
                for &member in members {
                    let group = &mut groups[of[member as usize]];
                    // The teams come in order, so a second feature of the group in this team comes next to the first.
                    if group.places.last().is_some_and(|place| place.team == team) {
                        return None;
                    }
                    group.places.push(Place { contest, team, feature: member });
                }
            }
        }
        for group in &mut groups {
            group.everywhere = !self.teams.is_empty() && group.places.len() == self.teams.len();
        }
        Some(groups)
    }
}

/// The share of each strength in their sum. `None` where the sum is 0 or no finite number.
fn shares(strengths: Vec<f64>) -> Option<Vec<f64>> {
    let total: f64 = strengths.iter().sum();
    (total > 0.0 && total.is_finite()).then(|| strengths.iter().map(|strength| strength / total).collect())
}

/// Features that are updated at once, and where they are.
#[derive(Clone, Debug, Default)]
struct Group {
    features: Vec<usize>,
    places: Vec<Place>,
    /// Whether every team has one of them, so that their common scale changes no probability.
    everywhere: bool,
}

/// A team that has a feature. A fit has as many of these as the teams have members.
#[derive(Clone, Copy, Debug)]
struct Place {
    contest: u32,
    team: u32,
    feature: u32,
}

/// The current strengths of a fit.
struct State<'c> {
    competitions: &'c Competitions,
    gamma: Vec<f64>,
    /// Of each team.
    strength: Vec<f64>,
    /// Of each competition.
    total: Vec<f64>,
}

/// Sweeps before the first extrapolation.
const PLAIN_SWEEPS: u32 = 16;

/// A strength that falls to less than this part may leave a total that is mostly rounding.
const CANCELS: f64 = 1e-6;

/// The largest change of scale in one sweep, as a logarithm.
const SCALE: f64 = 32.0;

/// Extrapolations that are tried, each shorter than the last, before none is made.
const EXTRAPOLATIONS: u32 = 5;

impl<'c> State<'c> {
    /// A state further along the path of three successive ones, the current one last, given by log γ. `None` where none is
    /// found that is as likely as the current one.
    fn extrapolate(&self, [first, second, third]: [&Vec<f64>; 3], prior: bool) -> Option<State<'c>> {
        let bends = first.iter().zip(second).zip(third).map(|((a, b), c)| (a, b - a, c - 2.0 * b + a));
        let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>().sqrt();
        let mut step = norm(&mut bends.clone().map(|(_, r, _)| r)) / norm(&mut bends.clone().map(|(_, _, v)| v));
        let own = self.log_likelihood(prior);
        // Rounding of the sum.
        let slack = 1e-14 * (1.0 + own.abs());
        for _ in 0..EXTRAPOLATIONS {
            // With a step of 1 this is the current state.
            if !(step.is_finite() && step > 1.0) {
                return None;
            }
            let gamma: Vec<f64> = bends.clone().map(|(a, r, v)| (a + 2.0 * step * r + step * step * v).exp()).collect();
            if gamma.iter().all(|gamma| (1e-100..1e100).contains(gamma)) {
                let further = State::new(self.competitions, gamma);
                if further.log_likelihood(prior) >= own - slack {
                    return Some(further);
                }
            }
            step = (step + 1.0) / 2.0;
        }
        None
    }

    fn new(competitions: &'c Competitions, gamma: Vec<f64>) -> Self {
        let strength = |team| competitions.team(team).iter().map(|&member| gamma[member as usize]).product();
        let strength: Vec<f64> = (0..competitions.teams.len()).map(strength).collect();
        let mut state = State { competitions, gamma, strength, total: vec![0.0; competitions.contests.len()] };
        state.sum();
        state
    }

    /// Computes the totals from the strengths, without the rounding of the updates, which add differences.
    fn sum(&mut self) {
        for (contest, total) in self.total.iter_mut().enumerate() {
            *total = self.strength[self.competitions.range(contest)].iter().sum();
        }
    }

    /// Updates a group; the largest change of a log γ, or `None` where a γ goes beyond 10^±100.
    fn update(&mut self, group: &Group, wins: &[f64], prior: bool) -> Option<f64> {
        let rates = self.rates(group);
        let before = self.gamma.clone();
        for &feature in &group.features {
            let (mut above, mut below) = (wins[feature], rates[feature]);
            if prior {
                above += 1.0;
                below += 2.0 / (1.0 + self.gamma[feature]);
            } else if below == 0.0 {
                // In no competition: its strength is not determined.
                continue;
            }
            let gamma = above / below;
            if !(gamma > 1e-100 && gamma < 1e100) {
                return None;
            }
            self.gamma[feature] = gamma;
        }
        if prior && group.everywhere {
            self.rescale(group);
        }
        let mut ratio = vec![1.0; self.gamma.len()];
        let mut change: f64 = 0.0;
        for &feature in &group.features {
            ratio[feature] = self.gamma[feature] / before[feature];
            change = change.max(ratio[feature].ln().abs());
        }
        for place in &group.places {
            let strength = &mut self.strength[place.team as usize];
            let before = *strength;
            *strength *= ratio[place.feature as usize];
            self.total[place.contest as usize] += *strength - before;
        }
        if group.features.iter().any(|&feature| ratio[feature] < CANCELS) {
            self.sum();
        }
        Some(change)
    }

    /// Multiplies the strengths of a group that is everywhere by the number that makes them likeliest. Only the prior
    /// depends on their scale, which sweeps alone find slowly.
    fn rescale(&mut self, group: &Group) {
        // The derivative by the logarithm of the number, which falls as that grows.
        let slope = |log: f64| -> f64 {
            let terms = group.features.iter().map(|&feature| 1.0 - 2.0 / (1.0 + (-log).exp() / self.gamma[feature]));
            terms.sum()
        };
        let (mut low, mut high) = (-SCALE, SCALE);
        while high - low > 1e-13 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        let scale = (0.5 * (low + high)).exp();
        group.features.iter().for_each(|&feature| self.gamma[feature] *= scale);
    }

    /// Σ C/E of each feature of a group.
    fn rates(&self, group: &Group) -> Vec<f64> {
        let mut rates = vec![0.0; self.gamma.len()];
        for place in &group.places {
            let contest = place.contest as usize;
            let share = self.competitions.contests[contest].times / self.total[contest];
            rates[place.feature as usize] += self.strength[place.team as usize] * share;
        }
        // The strengths have γ as a factor, C has not.
        rates.iter_mut().zip(&self.gamma).for_each(|(rate, gamma)| *rate /= gamma);
        rates
    }

    /// Largest difference of wins and expected wins.
    fn gap(&self, wins: &[f64], prior: bool) -> f64 {
        let mut expected = vec![0.0; self.gamma.len()];
        for (at, contest) in self.competitions.contests.iter().enumerate() {
            for team in self.competitions.range(at) {
                for &member in self.competitions.team(team) {
                    expected[member as usize] += contest.times * self.strength[team] / self.total[at];
                }
            }
        }
        let virtual_gap = |gamma: f64| if prior { 1.0 - 2.0 * gamma / (1.0 + gamma) } else { 0.0 };
        let gaps = wins.iter().zip(&expected).zip(&self.gamma);
        gaps.map(|((wins, expected), &gamma)| (wins - expected + virtual_gap(gamma)).abs()).fold(0.0, f64::max)
    }

    fn log_likelihood(&self, prior: bool) -> f64 {
        let contests = self.competitions.contests.iter().zip(&self.total);
        let data: f64 = contests.map(|(c, total)| c.times * (self.strength[c.winner] / total).ln()).sum();
        let virtual_games = |gamma: &f64| gamma.ln() - 2.0 * (1.0 + gamma).ln();
        if prior { data + self.gamma.iter().map(virtual_games).sum::<f64>() } else { data }
    }
}

impl TeamStrengths {
    /// Elo of each feature, 400 log₁₀ γ.
    pub fn elo(&self) -> Vec<f64> {
        self.gamma.iter().map(|gamma| 400.0 * gamma.log10()).collect()
    }
}
