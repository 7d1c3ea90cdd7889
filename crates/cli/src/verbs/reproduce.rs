//! `reproduce`: a game's experiments on published claims.

use banmen_arena::reproduce;
use banmen_catalog::{AnyGame, Bench, CpuClock, Error};
use serde_json::json;

use super::{Ask, Done, processors};
use crate::args::Reproduce;
use crate::failure::Failure;
use crate::output::{bar, say, say_json, table};

pub(crate) fn run(args: &Reproduce, ask: &Ask) -> Done {
    let (game, only) = find(args, ask)?;
    let store = ask.store()?;
    ask.on_interrupt();
    for experiment in game.experiments() {
        if only.is_some_and(|id| id != experiment.id) {
            continue;
        }
        let bar = bar(1000, "{prefix} {bar:30} {percent} %  eta {eta}").with_prefix(experiment.id);
        let mut bench = Bench {
            clock: &CpuClock::default(),
            scale: args.scale,
            seed: args.seed,
            progress: &mut |share| bar.set_position((share * 1000.0) as u64),
            stop: &ask.stop,
        };
        let result = reproduce(game, &experiment, &store, &mut bench, args.concurrency.unwrap_or_else(processors))?;
        bar.finish_and_clear();
        if args.json.json {
            say_json(&json!({ "experiment": result, "scale": args.scale, "seed": args.seed }));
        } else {
            let mut text = format!(
                "{}: {}\nsource: {}\npublished: {}\n\n",
                result.id, result.title, result.source, result.published
            );
            text.push_str(&table(&result.measured.columns, &result.measured.rows));
            for note in &result.measured.notes {
                text.push_str(note);
                text.push('\n');
            }
            say(&text);
        }
        if ask.stop.stopped() {
            return Err(Failure::Interrupted);
        }
    }
    Ok(0)
}

/// The game, and the one experiment when the id names one.
fn find<'a>(args: &'a Reproduce, ask: &'a Ask) -> Result<(&'a dyn AnyGame, Option<&'a str>), Failure> {
    let games = ask.service.catalog.games();
    if let Some(game) = games.iter().find(|game| game.info().name == args.id) {
        if game.experiments().is_empty() {
            return Err(Error::new("unsupported", format!("{} has no experiments", args.id)).into());
        }
        return Ok((game.as_ref(), None));
    }
    for game in games {
        if game.experiments().iter().any(|experiment| experiment.id == args.id) {
            return Ok((game.as_ref(), Some(&args.id)));
        }
    }
    let known: Vec<&str> = games
        .iter()
        .flat_map(|game| game.experiments().into_iter().map(|experiment| experiment.id).chain([game.info().name]))
        .collect();
    Err(Error::unknown("unknown_experiment", "experiment or game", &args.id, known).into())
}
