//! `tournament` and `ladder`: several players and their cross-table.

use banmen_arena::{
    Contestant, Match, Rating, Standings, State, Store, Tournament, TournamentProgress, signed, standings,
};
use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_programs::Programs;
use serde_json::{Value, json};

use super::match_cmd::{describe_conditions, describe_limits, limits_of, spec_of, workers_of};
use super::{Ask, Done};
use crate::args::{Conditions, Ladder as LadderArgs, Tournament as Args};
use crate::failure::Failure;
use crate::output::{bar, columns, paragraph, remark, say, say_json, table};

pub(crate) fn tournament(args: &Args, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.game)?.as_ref();
    let conditions = conditions_of(&args.conditions, args.programs.programs().stopped_by(&ask.stop), game)?;
    let players = args.players.clone();
    let made = if args.gauntlet {
        Tournament::gauntlet(conditions, players)
    } else {
        Tournament::round_robin(conditions, players)
    };
    let name = args.name.clone().unwrap_or_else(|| made.name.clone());
    let tournament = Tournament { name, ..made };
    let anchor = args.anchor.as_deref().map(|text| anchor(text, &args.players)).transpose()?;
    let found = played(&tournament, args.games, &args.conditions, anchor, ask)?;
    if args.json.json {
        say_json(&found.as_json(&tournament)?);
    } else {
        say(&format!("{}\n\n{}", describe(&tournament), found.table()));
    }
    ended(ask)
}

pub(crate) fn ladder(args: &LadderArgs, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.game)?.as_ref();
    let conditions = conditions_of(&args.conditions, Programs::REFUSED, game)?;
    let tournament = Tournament::ladder(conditions, args.levels.0..=args.levels.1);
    let found = played(&tournament, args.games, &args.conditions, Some(("random", 0.0)), ask)?;
    let steps = steps(&tournament.players, &found.standings);
    if args.json.json {
        let mut value = found.as_json(&tournament)?;
        value["steps"] = steps.iter().map(Step::as_json).collect();
        say_json(&value);
    } else {
        say(&format!("{}\n\n{}\n{}", describe(&tournament), found.table(), describe_steps(&steps)));
    }
    ended(ask)
}

/// The conditions of the games, with placeholders for the players.
pub(crate) fn conditions_of<'g>(
    conditions: &Conditions,
    programs: Programs,
    game: &'g dyn AnyGame,
) -> Result<Match<'g>, Failure> {
    let placeholder = Contestant::new("random", limits_of(conditions));
    Ok(Match::new(game, spec_of(conditions, game, placeholder.clone(), placeholder)?).with_programs(programs))
}

/// Parses PLAYER or PLAYER=ELO; a player's text may contain equals signs.
fn anchor<'t>(text: &'t str, players: &[String]) -> Result<(&'t str, f64), Failure> {
    if players.iter().any(|player| player == text) {
        return Ok((text, 0.0));
    }
    let rated = text.rsplit_once('=').filter(|(name, _)| players.iter().any(|player| player == name));
    let Some((name, elo)) = rated else {
        let known = players.iter().map(String::as_str);
        let name = text.rsplit_once('=').filter(|(_, elo)| elo.parse::<f64>().is_ok()).map_or(text, |(name, _)| name);
        return Err(Error::unknown(ErrorCode::UnknownPlayer, "player", name, known).into());
    };
    let elo = elo.parse().ok().filter(|elo: &f64| elo.abs() <= 100_000.0).ok_or_else(|| {
        let message = format!("the anchor `{text}` has no rating from −100000 to 100000 after its equals sign");
        Error::new(ErrorCode::OutOfRange, message).arg("key", "anchor")
    })?;
    Ok((name, elo))
}

/// A tournament that was played, with its standings.
struct Played {
    event: i64,
    planned: usize,
    standings: Standings,
}

/// Plays, with a progress bar.
fn played(
    tournament: &Tournament<'_>,
    games: usize,
    conditions: &Conditions,
    anchor: Option<(&str, f64)>,
    ask: &Ask,
) -> Result<Played, Failure> {
    let about = format!("{} {}", tournament.kind, tournament.name);
    let players: Vec<&str> = tournament.players.iter().map(String::as_str).collect();
    let workers = workers_of(conditions, tournament.conditions.game, &players, &about, ask)?;
    let store: Store = ask.store()?;
    ask.on_interrupt();
    // Too many games are refused below.
    let planned = games.saturating_mul(tournament.pairings.len());
    let bar = bar(planned as u64, "{bar:30} {pos}/{len} games  {msg}  eta {eta}");
    let done = tournament.play(&store, games, workers, &ask.stop, &mut |round: TournamentProgress<'_>| {
        match round.game {
            None => {
                bar.reset_eta();
                if round.games > 0 {
                    bar.suspend(|| remark(&format!("{} games were in the store", round.games)));
                }
            }
            Some((_, [a, b])) => bar.set_message(format!("{a} - {b}")),
        }
        bar.set_position(round.games as u64);
    });
    bar.finish_and_clear();
    done?;
    let event = tournament.enter(&store)?;
    Ok(Played { event, planned, standings: standings(&store, event, anchor)? })
}

fn ended(ask: &Ask) -> Done {
    if ask.stop.stopped() {
        return Err(Failure::Resumable("games"));
    }
    Ok(0)
}

fn describe(tournament: &Tournament<'_>) -> String {
    let conditions = &tournament.conditions;
    let limits = describe_limits(&conditions.spec.a.limits, conditions.spec.clock);
    let Tournament { kind, name, .. } = tournament;
    format!("{kind} {name}: {limits}, {}", describe_conditions(&conditions.spec))
}

impl Played {
    fn as_json(&self, tournament: &Tournament<'_>) -> Result<Value, Error> {
        let spec = &tournament.conditions.spec;
        Ok(json!({
            "event": self.event, "kind": tournament.kind, "name": tournament.name, "planned": self.planned,
            "game": spec.game, "rules": tournament.conditions.rules_name()?,
            "limits": banmen_arena::limits(&spec.a.limits), "clock": spec.clock,
            "openings": spec.openings.name(), "seed": spec.seed,
            "adjudication": spec.adjudication, "threads": spec.threads,
            "standings": self.standings,
        }))
    }

    fn table(&self) -> String {
        ranking(&self.standings)
    }
}

/// An Elo with its interval.
fn elo(rating: Rating) -> String {
    let [value, low, high] = [rating.value, rating.low, rating.high].map(|elo| signed(elo, 0));
    format!("{value}  [{low}, {high}]")
}

/// The ranking with its cross-table and notes.
pub(crate) fn ranking(standings: &Standings) -> String {
    // The largest number of players for which a cross-table is printed.
    const MAX_CROSS_TABLE: usize = 12;
    let players = &standings.players;
    let crossed = players.len() <= MAX_CROSS_TABLE;
    let mut head = ["", "player", "Elo", "games", "won-drawn-lost", "score"].map(str::to_owned).to_vec();
    if crossed {
        head.extend((1..=players.len()).map(|number| number.to_string()));
    }
    let mut rows = Vec::new();
    for player in players {
        let [won, drawn, lost] = player.results;
        let mut name = player.entrant.name.clone();
        if player.entrant.state != State::Playing {
            name.push_str(&format!(" ({:?})", player.entrant.state).to_lowercase());
        }
        if player.faults > 0 {
            name.push_str(&format!(", {} faults", player.faults));
        }
        let mut row = vec![
            player.rank.map_or_else(String::new, |rank| rank.to_string()),
            name,
            player.elo.map_or_else(|| "n/a".to_owned(), elo),
            player.games().to_string(),
            format!("{won}-{drawn}-{lost}"),
            player.score.map_or_else(|| "n/a".to_owned(), |score| format!("{:.1} %", score * 100.0)),
        ];
        if crossed {
            row.extend(players.iter().map(|other| match standings.between(player.entrant.id, other.entrant.id) {
                [0, 0, 0] => "·".to_owned(),
                [won, drawn, lost] => format!("{won}-{drawn}-{lost}"),
            }));
        }
        rows.push(row);
    }
    let mut text = table(&head, &rows);
    let mut notes = Vec::new();
    if let Some(advantage) = standings.advantage {
        notes.push(vec!["moving first".to_owned(), format!("{} Elo", elo(advantage))]);
    }
    if let Some(draws) = standings.draws {
        let interval = if draws.high > 0.0 {
            format!("[{:.2}, {:.2}]", draws.low, draws.high)
        } else {
            "no game was drawn".to_owned()
        };
        notes.push(vec!["draws, ν".to_owned(), format!("{:.2}  {interval}", draws.value)]);
    }
    text.push_str(&format!("\n{}", columns(&notes)));
    if !standings.separate.is_empty() {
        let name = |id: &i64| {
            let found = players.iter().find(|player| player.entrant.id == *id);
            found.map_or_else(String::new, |player| player.entrant.name.clone())
        };
        let parts: Vec<String> =
            standings.separate.iter().map(|part| part.iter().map(name).collect::<Vec<_>>().join(", ")).collect();
        text.push_str(&paragraph(&format!(
            "{}, so the rating difference depends on one virtual win and loss of each player: {}",
            unconnected(standings),
            parts.join(" | ")
        )));
    }
    text
}

/// Why the results do not connect the groups of players.
fn unconnected(standings: &Standings) -> &'static str {
    let groups = &standings.separate;
    let met = |one: &[i64], other: &[i64]| {
        one.iter().any(|&a| other.iter().any(|&b| standings.between(a, b).iter().sum::<u64>() > 0))
    };
    let pairs = groups.iter().enumerate().flat_map(|(at, one)| groups[at + 1..].iter().map(move |other| (one, other)));
    let pairs: Vec<bool> = pairs.map(|(one, other)| met(one, other)).collect();
    match (pairs.contains(&true), pairs.contains(&false)) {
        (true, false) => "points between these groups went one way only",
        (false, _) => "no games were played between these groups",
        (true, true) => "between these groups points went one way only, or no games were played",
    }
}

/// The comparison of a level with the one below.
struct Step {
    above: String,
    below: String,
    difference: Rating,
    superiority: f64,
}

impl Step {
    fn verdict(&self) -> &'static str {
        if self.difference.low > 0.0 {
            "stronger"
        } else if self.difference.high < 0.0 {
            "weaker"
        } else {
            "undecided"
        }
    }

    fn as_json(&self) -> Value {
        json!({
            "above": self.above, "below": self.below, "elo": self.difference, "superiority": self.superiority,
            "verdict": self.verdict(),
        })
    }
}

fn steps(players: &[String], standings: &Standings) -> Vec<Step> {
    let number = |name: &String| {
        standings.players.iter().find(|player| player.entrant.name == *name).map(|player| player.entrant.id)
    };
    let step = |two: &[String]| {
        let [below, above] = two else { return None };
        let (difference, superiority) = standings.difference(number(above)?, number(below)?)?;
        Some(Step { above: above.clone(), below: below.clone(), difference, superiority })
    };
    players.windows(2).filter_map(step).collect()
}

/// Whether each level is stronger than the one below.
fn describe_steps(steps: &[Step]) -> String {
    let head = ["level", "above the one below", "LOS", ""].map(str::to_owned);
    let rows: Vec<Vec<String>> = steps
        .iter()
        .map(|step| {
            let los = format!("{:.1} %", step.superiority * 100.0);
            vec![step.above.clone(), elo(step.difference), los, step.verdict().to_owned()]
        })
        .collect();
    table(&head, &rows).trim_end().to_owned()
}
