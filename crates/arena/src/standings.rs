//! The standings of an event: ratings, ranks, and the results of each two players against each other.

use std::collections::HashMap;

use banmen_catalog::{Error, ErrorCode};
use banmen_stats::{Anchor, Draws, Estimate, Meeting, RatingModel, Ratings, rating_groups};
use schemars::JsonSchema;
use serde::Serialize;

use crate::store::{Entrant, HeadToHead, State, Store};

/// The confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

/// Ratings with Davidson's draws and the advantage of moving first. The prior is one virtual win and one virtual loss of
/// each player against the strength 1 (Coulom 2007), so that a player that won or lost all games has a rating too. Its
/// weight is small against some dozens of games.
pub(crate) const MODEL: RatingModel = RatingModel { draws: Draws::Davidson, advantage: true, prior: 1.0 };

/// An Elo rating, or another value, with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
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

/// A row of the standings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StandingsRow {
    /// Its rank among the players that are not retired and have games; `None` for others.
    pub rank: Option<usize>,
    /// The player.
    #[serde(flatten)]
    pub entrant: Entrant,
    /// Its Elo rating; `None` without games.
    pub elo: Option<Rating>,
    /// Games won, drawn and lost.
    pub results: [u64; 3],
    /// Points for each game, 0 to 1; `None` without games.
    pub score: Option<f64>,
    /// Games in which it failed; where both players failed, those in which it failed first.
    pub faults: u64,
}

impl StandingsRow {
    /// The row of an entrant, without a rating.
    fn new(entrant: &Entrant, encounters: &[HeadToHead]) -> Self {
        let (mut results, mut faults) = ([0; 3], 0);
        for encounter in encounters {
            for (side, _) in encounter.players.iter().enumerate().filter(|(_, player)| **player == entrant.id) {
                for both in encounter.results {
                    let own = if side == 0 { both } else { swapped(both) };
                    results.iter_mut().zip(own).for_each(|(all, more)| *all += more);
                }
                faults += encounter.faults[side];
            }
        }
        let [won, drawn, lost] = results;
        let games = won + drawn + lost;
        let score = (games > 0).then(|| (won as f64 + 0.5 * drawn as f64) / games as f64);
        StandingsRow { rank: None, entrant: entrant.clone(), elo: None, results, score, faults }
    }

    /// Games played.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }
}

/// The standings of an event, computed from its games only.
///
/// The rating model treats games as independent. The two games of a pair share an opening, and where the opening favours
/// one side their results cancel: the intervals are then wider than necessary.
#[derive(Clone, Debug, Serialize)]
pub struct Standings {
    /// The players, the strongest first; retired ones come last.
    pub players: Vec<StandingsRow>,
    /// The results of each two players against each other, one entry for each match.
    pub encounters: Vec<HeadToHead>,
    /// The advantage of moving first, in Elo.
    pub advantage: Option<Rating>,
    /// ν of Davidson's model: the tendency to draw.
    pub draws: Option<Rating>,
    /// Games counted.
    pub games: u64,
    /// If the results do not connect all players: the groups of players, as lists of their numbers, the strongest group
    /// first. Between two groups one won every game or no games were played, so that their difference depends on the
    /// prior alone. Empty if all are connected.
    pub separate: Vec<Vec<i64>>,
    /// The ratings of the players with games, by index.
    #[serde(skip)]
    ratings: Option<Ratings>,
    #[serde(skip)]
    places: HashMap<i64, usize>,
}

/// The standings of an event of the store. The mean rating of the players with games is 0, unless `anchor` gives the name
/// of one of them and its rating. Of several players with this name the newest one counts that is not retired, or else
/// the newest.
///
/// # Errors
/// `unknown_player` when the anchor has no games; an error of the store.
pub fn standings(store: &Store, event: i64, anchor: Option<(&str, f64)>) -> Result<Standings, Error> {
    let mut entrants = store.entrants(event)?;
    let named: Vec<i64> = entrants.iter().map(|entrant| entrant.id).collect();
    entrants.extend(store.players_of(event)?.into_iter().filter(|player| !named.contains(&player.id)));
    Standings::new(&entrants, store.head_to_head(event)?, anchor)
}

/// The results of players, by their indices, as input of the rating model.
pub(crate) fn meetings(places: &HashMap<i64, usize>, encounters: &[HeadToHead]) -> Vec<Meeting> {
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
    /// The standings of these players. Results of other players are left out.
    pub(crate) fn new(
        entrants: &[Entrant],
        encounters: Vec<HeadToHead>,
        anchor: Option<(&str, f64)>,
    ) -> Result<Self, Error> {
        let mut players: Vec<StandingsRow> =
            entrants.iter().map(|entrant| StandingsRow::new(entrant, &encounters)).collect();
        // Players without games have no rating, and do not count in the mean.
        let (mut rated, unrated): (Vec<StandingsRow>, Vec<StandingsRow>) =
            players.drain(..).partition(|player| player.score.is_some());
        let places: HashMap<i64, usize> =
            rated.iter().enumerate().map(|(at, player)| (player.entrant.id, at)).collect();
        let meetings = meetings(&places, &encounters);
        let zero = match anchor {
            None => Anchor::Mean(0.0),
            Some((name, elo)) => {
                let names = rated.iter().map(|player| player.entrant.name.as_str());
                let called = rated.iter().enumerate().filter(|(_, player)| player.entrant.name == name);
                // The last of the largest: entrants are in the order in which they joined.
                let newest = called.max_by_key(|(_, player)| player.entrant.state != State::Retired);
                let (place, _) =
                    newest.ok_or_else(|| Error::unknown(ErrorCode::UnknownPlayer, "player", name, names))?;
                Anchor::Player(place, elo)
            }
        };
        // If the fit fails there are only scores.
        let ratings = Ratings::fit(rated.len(), &meetings, MODEL).ok().filter(|_| !rated.is_empty());
        if let Some(elo) = ratings.as_ref().and_then(|ratings| ratings.elo(zero, CONFIDENCE)) {
            rated.iter_mut().zip(elo).for_each(|(player, elo)| player.elo = Some(elo.into()));
        }
        let separate = separate(&rated, &meetings);
        players = rated;
        players.extend(unrated);
        // Players that play come before retired ones, and those with games before those without.
        let kind = |player: &StandingsRow| (player.entrant.state == State::Retired, player.score.is_none());
        let elo = |player: &StandingsRow| player.elo.map_or(player.score.unwrap_or(0.0), |elo| elo.value);
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

    /// Games that one player won, drew and lost against another; both are numbers of players.
    #[must_use]
    pub fn between(&self, player: i64, other: i64) -> [u64; 3] {
        let mut sum = [0; 3];
        for encounter in &self.encounters {
            for results in encounter.results {
                let own = match encounter.players {
                    [a, b] if (a, b) == (player, other) => results,
                    [a, b] if (b, a) == (player, other) => swapped(results),
                    _ => continue,
                };
                sum.iter_mut().zip(own).for_each(|(all, more)| *all += more);
            }
        }
        sum
    }

    /// The Elo difference of two players, given by number, with its interval, and the probability that the first is the
    /// stronger one. `None` if one of them has no games, and for a player and itself.
    #[must_use]
    pub fn difference(&self, player: i64, other: i64) -> Option<(Rating, f64)> {
        let (a, b) = (*self.places.get(&player)?, *self.places.get(&other)?);
        let ratings = self.ratings.as_ref()?;
        Some((ratings.difference(a, b, CONFIDENCE)?.into(), ratings.superiority(a, b)?))
    }
}

/// The groups of players between which one side won every game, or no games were played; none if all are connected.
fn separate(players: &[StandingsRow], meetings: &[Meeting]) -> Vec<Vec<i64>> {
    let groups = rating_groups(players.len(), meetings);
    if groups.len() < 2 {
        return Vec::new();
    }
    groups.into_iter().map(|group| group.into_iter().map(|at| players[at].entrant.id).collect()).collect()
}

/// Wins, draws and losses from the view of the opponent.
pub(crate) fn swapped([won, drawn, lost]: [u64; 3]) -> [u64; 3] {
    [lost, drawn, won]
}
