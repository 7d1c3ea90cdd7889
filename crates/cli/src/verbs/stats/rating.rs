//! Ratings of many players from a file of results, and Glicko-2.

use banmen_arena::signed;
use banmen_stats::{
    Anchor, Competitions, Draws, Estimate, FitOptions, Glicko, Glicko2 as Rated, Meeting, Opponent, RatingError,
    RatingModel, Ratings, TeamRatingError, TeamsError,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{answer, read, refused, row};
use crate::args::{Bt, DrawsArg, Glicko2};
use crate::failure::Failure;
use crate::verbs::Done;

/// A file of results.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    games: Vec<Game>,
    #[serde(default)]
    competitions: Vec<Competition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Game {
    first: String,
    second: String,
    wdl: [u64; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Competition {
    teams: Vec<Vec<String>>,
    winner: usize,
    #[serde(default = "once")]
    times: u32,
}

fn once() -> u32 {
    1
}

/// Names and their numbers in the fit, in the order of their first occurrence.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    numbers: std::collections::HashMap<String, usize>,
}

impl Names {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.list.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.list.len() - 1);
        self.list.len() - 1
    }
}

pub(super) fn bt(args: &Bt) -> Done {
    let file: File = read(&args.file)?;
    match (file.games.is_empty(), file.competitions.is_empty()) {
        (false, true) => players(args, &file.games),
        (true, false) => teams(args, &file.competitions),
        _ => Err(refused("the file holds either `games` or `competitions`")),
    }
}

fn players(args: &Bt, games: &[Game]) -> Done {
    if !(args.prior >= 0.0 && args.prior.is_finite()) {
        return Err(refused(format!("the prior {} is below 0", args.prior)));
    }
    let mut names = Names::default();
    let mut meetings = Vec::new();
    for (number, game) in (1..).zip(games) {
        if game.first == game.second {
            return Err(refused(format!("game {number}: `{}` plays itself", game.first)));
        }
        if game.wdl.iter().any(|&count| count > 1 << 50) {
            return Err(refused(format!("game {number}: {:?} are not counts of games", game.wdl)));
        }
        let [wins, draws, losses] = game.wdl;
        let (first, second) = (names.number(&game.first), names.number(&game.second));
        meetings.push(Meeting { first, second, wins, draws, losses });
    }
    let draws = match args.draws.unwrap_or_default() {
        DrawsArg::Davidson => Draws::Davidson,
        DrawsArg::Halves => Draws::Halves,
        DrawsArg::RaoKupper => Draws::RaoKupper,
    };
    let model = RatingModel { draws, advantage: args.advantage, prior: args.prior };
    let ratings =
        Ratings::fit(names.list.len(), &meetings, model).map_err(|reason| refused(explain(&reason, &names.list)))?;
    let anchor = anchor(args.anchor.as_deref(), &names)?.map_or(Anchor::Mean(0.0), |(at, elo)| Anchor::Player(at, elo));
    let level = args.confidence.level;
    let elo = ratings.elo(anchor, level).ok_or_else(|| refused("the method finds no ratings for these results"))?;

    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut order: Vec<usize> = (0..elo.len()).collect();
    order.sort_by(|&a, &b| elo[b].value.total_cmp(&elo[a].value));
    for &player in &order {
        rows.push(row(&names.list[player], estimate_text(elo[player])));
    }
    let advantage = ratings.advantage(level);
    let parameter = ratings.draw_parameter(level);
    let drawn = meetings.iter().any(|meeting| meeting.draws > 0);
    if let Some(advantage) = advantage {
        rows.push(row("advantage of the first", estimate_text(advantage)));
    }
    if let Some(parameter) = parameter {
        let Estimate { value, low, high } = parameter;
        let name = if draws == Draws::Davidson { "draws, ν" } else { "draws, θ" };
        let interval = if drawn { format!("[{low:.4}, {high:.4}]") } else { "no game was drawn".to_owned() };
        rows.push(row(name, format!("{value:.6}  {interval}")));
    }
    rows.push(row(likelihood_name(args.prior), format!("{:.6}", ratings.log_likelihood())));
    let value = json!({
        "players": order.iter().map(|&player| {
            let mut fields = estimate_json(elo[player]);
            fields["player"] = names.list[player].as_str().into();
            fields
        }).collect::<Vec<_>>(),
        "advantage": advantage.map(estimate_json), "draws": parameter.map(|parameter| {
            // Without draws there is no interval.
            if drawn { estimate_json(parameter) } else { json!({ "value": parameter.value, "low": null, "high": null }) }
        }),
        "log_likelihood": ratings.log_likelihood(), "confidence": level,
    });
    answer(args.json, &value, &rows)
}

/// What is maximised: with a prior its virtual games count.
fn likelihood_name(prior: f64) -> &'static str {
    if prior == 0.0 { "log-likelihood" } else { "log-posterior" }
}

fn estimate_text(estimate: Estimate) -> String {
    format!("{}  [{}, {}]", signed(estimate.value, 3), signed(estimate.low, 1), signed(estimate.high, 1))
}

fn estimate_json(estimate: Estimate) -> Value {
    json!({ "value": estimate.value, "low": estimate.low, "high": estimate.high })
}

/// Reads NAME or NAME=ELO. A name may itself hold an equals sign.
fn anchor(text: Option<&str>, names: &Names) -> Result<Option<(usize, f64)>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let (name, elo) = match text.rsplit_once('=') {
        _ if names.numbers.contains_key(text) => (text, 0.0),
        Some((name, elo)) => {
            let elo = elo.parse().ok().filter(|elo: &f64| elo.abs() <= 100_000.0);
            let why =
                || refused(format!("the anchor `{text}` has no rating from −100000 to 100000 after its equals sign"));
            (name, elo.ok_or_else(why)?)
        }
        None => (text, 0.0),
    };
    let number = names.numbers.get(name).ok_or_else(|| refused(format!("the anchor `{name}` has no games")))?;
    Ok(Some((*number, elo)))
}

/// Why there are no ratings, with names.
fn explain(reason: &RatingError, names: &[String]) -> String {
    let name = |&number: &usize| names.get(number).map_or("?", String::as_str);
    match reason {
        RatingError::Meeting(at) => format!("game {}: it has no two players", at + 1),
        RatingError::Disconnected(parts) => {
            let parts: Vec<String> =
                parts.iter().map(|part| part.iter().map(name).collect::<Vec<_>>().join(", ")).collect();
            format!(
                "no finite ratings: between these groups one side won every game, or there were no games: {}; \
                 --prior 1 gives ratings nevertheless",
                parts.join(" | ")
            )
        }
        RatingError::Advantage => {
            "no finite advantage of moving first: no game speaks against an infinite one, or the same one of any two players \
             always moved first; --prior 1 gives one"
                .to_owned()
        }
        RatingError::Draws => {
            "no finite tendency to draw: no game speaks against an infinite one; --draws halves leaves it out".to_owned()
        }
        RatingError::Range => "the method finds no ratings for these results".to_owned(),
    }
}

fn teams(args: &Bt, competitions: &[Competition]) -> Done {
    let mut names = Names::default();
    let numbered: Vec<Vec<Vec<usize>>> = competitions
        .iter()
        .map(|c| c.teams.iter().map(|team| team.iter().map(|name| names.number(name)).collect()).collect())
        .collect();
    let mut all = Competitions::new(names.list.len());
    for ((number, competition), teams) in (1..).zip(competitions).zip(&numbered) {
        if competition.times == 0 {
            return Err(refused(format!("competition {number}: it happened 0 times; `times` is at least 1")));
        }
        all.add(teams, competition.winner, competition.times).map_err(|error| {
            let reason = match error {
                TeamsError::NoWinner => format!("there is no team {}; they count from 0", competition.winner),
                TeamsError::UnknownMember(_) => "a member has no name".to_owned(),
                TeamsError::TwiceInTeam(member) => format!("`{}` is twice in a team", names.list[member]),
            };
            refused(format!("competition {number}: {reason}"))
        })?;
    }
    if args.prior != 0.0 && args.prior != 1.0 {
        return Err(refused("the prior of teams is 0 or 1"));
    }
    if args.advantage {
        return Err(refused("--advantage is for `games`: no team of a competition moves first"));
    }
    if args.draws.is_some() {
        return Err(refused("--draws is for `games`: a competition has one winner"));
    }
    let anchor = anchor(args.anchor.as_deref(), &names)?;
    let fitting = FitOptions { prior: args.prior == 1.0, groups: &[], sweeps: 100_000 };
    let worth = all.fit(&fitting).filter(|worth| worth.converged).ok_or_else(|| {
        refused(
            "no finite ratings: all or none of the competitions of a member's teams were won; --prior 1 gives ratings",
        )
    })?;
    let level = args.confidence.level;
    let elo = all.elo(&worth, fitting.prior, anchor, level).map_err(|error| {
        refused(match error {
            TeamRatingError::Determined(member) => {
                format!("the results determine the strength of `{}`, so it cannot be the anchor", names.list[member])
            }
            TeamRatingError::UnknownMember(_) | TeamRatingError::Range => {
                "the method finds no intervals for these results".to_owned()
            }
        })
    })?;
    // An anchor moves the strengths.
    let gamma = |m: usize| 10f64.powf(elo[m].value / 400.0);
    let mut order: Vec<usize> = (0..elo.len()).collect();
    order.sort_by(|&a, &b| elo[b].value.total_cmp(&elo[a].value));
    let mut rows: Vec<Vec<String>> = order
        .iter()
        .map(|&m| vec![names.list[m].clone(), estimate_text(elo[m]), format!("γ {:.8}", gamma(m))])
        .collect();
    rows.push(row(likelihood_name(args.prior), format!("{:.9}", worth.log_likelihood)));
    let member = |&m: &usize| {
        let Estimate { value, low, high } = elo[m];
        json!({ "member": names.list[m], "elo": value, "low": low, "high": high, "gamma": gamma(m) })
    };
    let value = json!({
        "members": order.iter().map(member).collect::<Vec<_>>(),
        "log_likelihood": worth.log_likelihood, "sweeps": worth.sweeps, "gap": worth.gap, "confidence": level,
    });
    answer(args.json, &value, &rows)
}

/// A file of a period.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Period {
    player: [f64; 3],
    games: Vec<[f64; 3]>,
}

pub(super) fn glicko2(args: &Glicko2) -> Done {
    let Period { player, games } = match &args.file {
        Some(file) => read(file)?,
        None => Period { player: args.player, games: args.game.clone() },
    };
    for (number, [_, deviation, score]) in (1..).zip(&games) {
        if *deviation <= 0.0 {
            return Err(refused(format!("game {number}: the deviation {deviation} is not above 0")));
        }
        if !(0.0..=1.0).contains(score) {
            return Err(refused(format!("game {number}: the score {score} is not within 0 and 1")));
        }
    }
    let games: Vec<Opponent> =
        games.iter().map(|&[rating, deviation, score]| Opponent { rating, deviation, score }).collect();
    let [rating, deviation, volatility] = player;
    for (name, number, valid, range) in [
        ("deviation", deviation, deviation > 0.0, "above 0"),
        ("volatility", volatility, volatility > 0.0 && volatility < 10.0, "above 0 and below 10"),
        ("tau", args.tau, args.tau >= 1e-6, "at least 0.000001"),
    ] {
        if !valid {
            return Err(refused(format!("the {name} {number} is not {range}")));
        }
    }
    let wrong = || refused("the numbers are too large or too small to compute with");
    let after = Rated { rating, deviation, volatility }.after(&games, args.tau).ok_or_else(wrong)?;
    let first = Glicko { rating, deviation }.after(&games).ok_or_else(wrong)?;
    let rows = [
        row(
            "Glicko-2",
            format!("{:.4}, deviation {:.4}, volatility {:.7}", after.rating, after.deviation, after.volatility),
        ),
        row("Glicko", format!("{:.4}, deviation {:.4}", first.rating, first.deviation)),
    ];
    let value = json!({
        "rating": after.rating, "deviation": after.deviation, "volatility": after.volatility, "tau": args.tau,
        "glicko": { "rating": first.rating, "deviation": first.deviation },
    });
    answer(args.json, &value, &rows)
}
