//! `bench`: signatures of the searches' behaviour.

use banmen_catalog::{AnyGame, AnyTask, CpuClock, Error, ErrorCode, Sampling, Value};
use banmen_game::mix;
use banmen_search::{Clock, Limits, StopFlag};
use serde_json::json;

use super::{Ask, Done};
use crate::args::BenchArgs;
use crate::output::{columns, say, say_json};

/// Playouts of the tree search for each position.
const PLAYOUTS: u64 = 10_000;

/// The searches of a player in the bench positions of the games.
#[derive(Default)]
struct Bench {
    games: Vec<Searched>,
    signature: u64,
}

/// The searches of one game.
struct Searched {
    game: &'static str,
    /// The depth limit in plies, if the searches have one.
    depth: Option<u32>,
    /// Positions visited, or playouts made.
    count: u64,
    seconds: f64,
}

/// Searches the bench positions of each game: with its engine to a fixed depth, and with the tree search for a fixed
/// number of playouts. A signature hashes counts, moves and values: a commit that changes no behaviour keeps it.
pub(crate) fn run(args: &BenchArgs, ask: &Ask) -> Done {
    let all = ask.service.catalog.games();
    let (games, tree_only, measured) = match args.what.as_deref() {
        None => (all.iter().collect(), false, None),
        Some("mcts") => (all.iter().collect(), true, None),
        Some(name) => {
            let game = ask.service.catalog.game(name)?;
            (vec![game], false, Some(game.as_ref()))
        }
    };
    if tree_only && args.depth.is_some() {
        let message = "--depth goes with the engines, not with the tree search alone";
        return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "depth").into());
    }
    let (mut engines, mut trees) = (Bench::default(), Bench::default());
    for game in games {
        if !tree_only {
            let limits = Limits::depth(args.depth.unwrap_or(game.bench().depth));
            engines.run(game.as_ref(), "engine", limits, |nodes, _| nodes)?;
        }
        let limits = Limits { playouts: Some(PLAYOUTS), ..Limits::default() };
        trees.run(game.as_ref(), "mcts", limits, |_, playouts| playouts)?;
    }
    let measured = measured.map_or(Ok(Vec::new()), measure)?;
    if args.json.json {
        let engines = (!tree_only).then(|| engines.json("nodes"));
        let measured: Vec<_> = measured
            .iter()
            .map(|Reading { measure, name, unit, value }| {
                json!({ "measure": measure, "name": name, "unit": unit, "value": value })
            })
            .collect();
        say_json(&json!({
            "engines": engines, "mcts": trees.json("playouts"), "measures": measured,
        }));
    } else {
        if !tree_only {
            engines.print("nodes", "nps");
        }
        trees.print("playouts", "pps");
        let row = |Reading { measure, name, unit, value }: &Reading| {
            let decimals = if *value < 10.0 { 2 } else { 1 };
            vec![(*measure).to_owned(), (*name).to_owned(), format!("{value:.decimals$} {unit}")]
        };
        let rows: Vec<_> = measured.iter().map(row).collect();
        if !rows.is_empty() {
            say(columns(&rows).trim_end());
        }
    }
    Ok(0)
}

/// One sample of a measurement.
struct Reading {
    measure: &'static str,
    name: &'static str,
    unit: &'static str,
    value: f64,
}

/// One sample of each of the measurements that a game shows in its bench.
fn measure(game: &dyn AnyGame) -> Result<Vec<Reading>, Error> {
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let mut readings = Vec::new();
    let Some(measures) = game.measures() else { return Ok(readings) };
    for &measure in &game.bench().measures {
        let quantities = measures.info(None, measure)?.quantities;
        for seen in measures.sample(None, measure, &Sampling { clock: &clock, seed: 1, stop: &stop })? {
            let value = match seen.value {
                Value::Number(value) => value,
                Value::Share { won, of } => 100.0 * won as f64 / of.max(1) as f64,
            };
            let Some(quantity) = quantities.get(seen.quantity) else { continue };
            readings.push(Reading { measure, name: quantity.name, unit: quantity.unit, value });
        }
    }
    Ok(readings)
}

impl Bench {
    fn run(
        &mut self,
        game: &dyn AnyGame,
        player: &str,
        limits: Limits,
        count: fn(u64, u64) -> u64,
    ) -> Result<(), Error> {
        let clock = CpuClock::default();
        let mut player = game.player(None, player, 1)?;
        let (start, mut own) = (clock.now(), 0);
        for position in game.bench().positions {
            let state = game.state(None, Some(position))?;
            player.new_game(state.as_ref(), 1)?;
            let report = player.think(AnyTask {
                state: state.as_ref(),
                limits,
                clock: &clock,
                stop: &StopFlag::default(),
                threads: 1,
                lines: 1,
                progress: None,
            })?;
            let counted = count(report.nodes, report.playouts.unwrap_or(0));
            own += counted;
            for part in [counted, u64::from(report.best().unwrap_or(u32::MAX)), report.value().to_bits()] {
                self.signature = mix(self.signature ^ part);
            }
        }
        let seconds = (clock.now() - start).as_secs_f64();
        self.games.push(Searched { game: game.info().name, depth: limits.depth, count: own, seconds });
        Ok(())
    }

    /// The last 48 bits: enough to distinguish behaviours, and short enough for a commit message.
    fn signature(&self) -> String {
        format!("{:012x}", self.signature & 0xFFFF_FFFF_FFFF)
    }

    /// The count in total, and per second.
    fn sum(&self) -> (u64, u64) {
        let (count, seconds) = self.games.iter().fold((0, 0.0), |sum, game| (sum.0 + game.count, sum.1 + game.seconds));
        (count, speed(count, seconds))
    }

    fn print(&self, unit: &str, speed_unit: &str) {
        let row = |&Searched { game, count, seconds, .. }: &Searched| {
            vec![game.to_owned(), format!("{count} {unit}"), format!("{} {speed_unit}", speed(count, seconds))]
        };
        say(columns(&self.games.iter().map(row).collect::<Vec<_>>()).trim_end());
        let (count, speed) = self.sum();
        say(&format!("{unit} {count} {speed_unit} {speed} signature {}", self.signature()));
    }

    fn json(&self, unit: &str) -> serde_json::Value {
        let (count, speed) = self.sum();
        let games = self.games.iter().map(|&Searched { game, depth, count, seconds }| {
            json!({ "game": game, "depth": depth, "count": count, "per_second": self::speed(count, seconds) })
        });
        json!({
            "counted": unit, "count": count, "per_second": speed, "signature": self.signature(),
            "games": games.collect::<Vec<_>>(),
        })
    }
}

fn speed(count: u64, seconds: f64) -> u64 {
    (count as f64 / seconds.max(1e-9)) as u64
}
