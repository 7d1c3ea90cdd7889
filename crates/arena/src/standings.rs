//! The table of an event: ratings, ranks, and who did what against whom.

use std::collections::HashMap;

use banmen_catalog::{Error, ErrorCode};
use banmen_stats::{Anchor, Draws, Estimate, Meeting, RatingModel, Ratings, RatingError};
use serde::Serialize;

use crate::store::{Encounter, Entrant, State, Store};

/// The confidence of every interval that is shown.
const CONFIDENCE: f64 = 0.95;

/// Ratings with Davidson's draws and the advantage of moving first. Each player has one virtual win and one virtual loss
/// against the strength 1 (Coulom 2007), so that who won or lost all games has a rating too; it weighs little beside
/// some dozens of games.
pub(crate) const MODEL: RatingModel = RatingModel { draws: Draws::Davidson, advantage: true, prior: 1.0 };

/// An Elo rating with its 95 % interval, or another value with its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The value.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl From<Estimate> for Rating {
    fn from(Estimate { value, low, high }: Estimate) -> Self {
        Rating { value, low, high }
    }
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// Its place among those that take part and have games; `None` for the others.
    pub rank: Option<usize>,
    /// Who.
    #[serde(flatten)]
    pub entrant: Entrant,
    /// Its Elo; `None` without games.
    pub elo: Option<Rating>,
    /// Games won, drawn and lost.
    pub results: [u64; 3],
    /// Points for each game, 0 to 1; `None` without games.
    pub score: Option<f64>,
    /// Games in which it failed, or failed first.
    pub faults: u64,
}

impl Ranked {
    /// What somebody did, not rated yet.
    fn new(entrant: &Entrant, encounters: &[Encounter]) -> Self {
        let (mut results, mut faults) = ([0; 3], 0);
        for encounter in encounters {
            for (side, _) in encounter.players.iter().enumerate().filter(|(_, player)| **player == entrant.id) {
                for both in encounter.results {
                    let seen = if side == 0 { both } else { turned(both) };
                    results.iter_mut().zip(seen).for_each(|(all, more)| *all += more);
                }
                faults += encounter.faults[side];
            }
        }
        let [won, drawn, lost] = results;
        let games = won + drawn + lost;
        let score = (games > 0).then(|| (won as f64 + 0.5 * drawn as f64) / games as f64);
        Ranked { rank: None, entrant: entrant.clone(), elo: None, results, score, faults }
    }

    /// Games played.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }
}

/// The table of an event, made from its games alone.
///
/// The model takes games for independent. The two games of a pair share their opening, which makes their results cancel
/// where the opening is one-sided: there the intervals are wider than they need be.
#[derive(Clone, Debug, Serialize)]
pub struct Standings {
    /// Who takes part, the strongest first; those that do no more come last.
    pub players: Vec<Ranked>,
    /// Who did what against whom, a line for each match.
    pub encounters: Vec<Encounter>,
    /// Elo that moving first is worth.
    pub advantage: Option<Rating>,
    /// ν of Davidson's model: the tendency to draw.
    pub draws: Option<Rating>,
    /// Games counted.
    pub games: u64,
    /// Where results do not join all players both ways: parts of them, by number, the strongest first, that only the
    /// virtual games set apart. Empty otherwise.
    pub separate: Vec<Vec<i64>>,
    /// The ratings of those that have games, by place.
    #[serde(skip)]
    ratings: Option<Ratings>,
    #[serde(skip)]
    places: HashMap<i64, usize>,
}

/// The table of an event as the store has it. The mean rating of those that have games is 0, or `anchor`, one of them by
/// name, has the rating given.
///
/// # Errors
/// `unknown_player` when the anchor has no games; what the store fails with.
pub fn standings(store: &Store, event: i64, anchor: Option<(&str, f64)>) -> Result<Standings, Error> {
    let mut entrants = store.entrants(event)?;
    let named: Vec<i64> = entrants.iter().map(|entrant| entrant.id).collect();
    entrants.extend(store.players_of(event)?.into_iter().filter(|player| !named.contains(&player.id)));
    Standings::new(&entrants, store.encounters(event)?, anchor)
}

/// The results of players, by their places, as the model of the ratings takes them.
pub(crate) fn meetings(places: &HashMap<i64, usize>, encounters: &[Encounter]) -> Vec<Meeting> {
    let mut meetings = Vec::with_capacity(2 * encounters.len());
    for encounter in encounters {
        let [Some(&a), Some(&b)] = encounter.players.map(|player| places.get(&player)) else { continue };
        let [[wins, draws, losses], [won_second, drawn_second, lost_second]] = encounter.results;
        meetings.push(Meeting { first: a, second: b, wins, draws, losses });
        meetings.push(Meeting { first: b, second: a, wins: lost_second, draws: drawn_second, losses: won_second });
    }
    meetings
}

impl Standings {
    /// The table of these players and what they did; who is not among them is left out.
    pub(crate) fn new(
        entrants: &[Entrant],
        encounters: Vec<Encounter>,
        anchor: Option<(&str, f64)>,
    ) -> Result<Self, Error> {
        let mut players: Vec<Ranked> = entrants.iter().map(|entrant| Ranked::new(entrant, &encounters)).collect();
        // Who has no games has no rating, and no part in the mean of those who have.
        let (mut rated, unrated): (Vec<Ranked>, Vec<Ranked>) =
            players.drain(..).partition(|player| player.score.is_some());
        let places: HashMap<i64, usize> =
            rated.iter().enumerate().map(|(at, player)| (player.entrant.id, at)).collect();
        let meetings = meetings(&places, &encounters);
        let zero = match anchor {
            None => Anchor::Mean(0.0),
            Some((name, elo)) => {
                let names = rated.iter().map(|player| player.entrant.name.as_str());
                let place = rated.iter().position(|player| player.entrant.name == name);
                Anchor::Player(
                    place.ok_or_else(|| Error::unknown(ErrorCode::UnknownPlayer, "player", name, names))?,
                    elo,
                )
            }
        };
        // Beyond the reach of the method there are scores alone.
        let ratings = Ratings::fit(rated.len(), &meetings, MODEL).ok().filter(|_| !rated.is_empty());
        if let Some(elo) = ratings.as_ref().and_then(|ratings| ratings.elo(zero, CONFIDENCE)) {
            rated.iter_mut().zip(elo).for_each(|(player, elo)| player.elo = Some(elo.into()));
        }
        let separate = separate(&rated, &meetings);
        players = rated;
        players.extend(unrated);
        // Those that play, those that have not played yet, those that play no more.
        let kind = |player: &Ranked| (player.entrant.state == State::Retired, player.score.is_none());
        let elo = |player: &Ranked| player.elo.map_or(player.score.unwrap_or(0.0), |elo| elo.value);
        players.sort_by(|a, b| kind(a).cmp(&kind(b)).then(elo(b).total_cmp(&elo(a))));
        for (rank, player) in (1..).zip(players.iter_mut().filter(|player| kind(player) == (false, false))) {
            player.rank = Some(rank);
        }
        let games = encounters.iter().flat_map(|encounter| encounter.results).flatten().sum();
        let value = |estimate: Option<Estimate>| estimate.map(Rating::from);
        Ok(Standings {
            players,
            encounters,
            advantage: value(ratings.as_ref().and_then(|ratings| ratings.advantage(CONFIDENCE))),
            draws: value(ratings.as_ref().and_then(|ratings| ratings.draw_parameter(CONFIDENCE))),
            games,
            separate,
            ratings,
            places,
        })
    }

    /// Games that one player won, drew and lost against another, both by number.
    #[must_use]
    pub fn between(&self, player: i64, other: i64) -> [u64; 3] {
        let mut sum = [0; 3];
        for encounter in &self.encounters {
            for results in encounter.results {
                let seen = match encounter.players {
                    [a, b] if (a, b) == (player, other) => results,
                    [a, b] if (b, a) == (player, other) => turned(results),
                    _ => continue,
                };
                sum.iter_mut().zip(seen).for_each(|(all, more)| *all += more);
            }
        }
        sum
    }

    /// The Elo of one player less that of another, both by number, with its interval; and the probability that the
    /// first is the stronger one. `None` for who has no games, and for one player twice.
    #[must_use]
    pub fn difference(&self, player: i64, other: i64) -> Option<(Rating, f64)> {
        let (a, b) = (*self.places.get(&player)?, *self.places.get(&other)?);
        let ratings = self.ratings.as_ref()?;
        Some((ratings.difference(a, b, CONFIDENCE)?.into(), ratings.superiority(a, b)?))
    }
}

/// The parts of the players between which points went one way only, or none at all.
fn separate(players: &[Ranked], meetings: &[Meeting]) -> Vec<Vec<i64>> {
    match Ratings::fit(players.len(), meetings, RatingModel { prior: 0.0, ..MODEL }) {
        Err(RatingError::Disconnected(parts)) => {
            parts.into_iter().map(|part| part.into_iter().map(|at| players[at].entrant.id).collect()).collect()
        }
        _ => Vec::new(),
    }
}

/// Wins, draws and losses as the other one sees them.
pub(crate) fn turned([won, drawn, lost]: [u64; 3]) -> [u64; 3] {
    [lost, drawn, won]
}
