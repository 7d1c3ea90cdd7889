//! `tune`: tunes a player's keys by playing games.

use banmen_arena::{Contestant, Match, Threshold, Tuned, Tuning, tunables};
use banmen_catalog::{Error, ErrorCode};
use banmen_programs::Programs;
use serde_json::json;

use super::match_cmd::{limits_of, spec_of, workers_of};
use super::{Ask, Done};
use crate::args::{ClockArg, LimitArgs, Tune};
use crate::failure::Failure;
use crate::output::{bar, counted, program, quoted, say, say_json, table};

pub(crate) fn run(args: &Tune, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.game)?.as_ref();
    if args.steps == 0 || args.pairs == 0 {
        return Err(Error::new(ErrorCode::OutOfRange, "a tuning needs at least one step of one pair").into());
    }
    let conditions = &args.conditions;
    let player = Contestant::new(&args.player, limits_of(conditions));
    let matchup = Match::new(game, spec_of(conditions, game, player.clone(), player)?).with_programs(Programs::REFUSED);
    let tunables = tunables(game, &args.player, &args.keys)?;
    let tuning = Tuning { conditions: matchup, tunables, steps: args.steps, pairs: args.pairs };
    let about = format!("tune {} {}", args.game, args.player);
    let workers = workers_of(conditions, game, &[], &about, ask)?;
    let store = ask.store()?;
    ask.on_interrupt();
    let bar = bar(args.steps as u64, "{bar:30} {pos}/{len} steps  eta {eta}  {msg}");
    let tuned = tuning.run(&store, workers, &ask.stop, &mut |tuned| {
        bar.set_position(tuned.steps as u64);
        bar.set_message(tuned.mean.iter().map(|value| format!("{value:.2}")).collect::<Vec<_>>().join(" "));
    });
    bar.finish_and_clear();
    let tuned = tuned?;
    report(&tuning, &tuned, args)?;
    if tuned.steps < args.steps {
        return Err(Failure::Resumable("steps"));
    }
    Ok(0)
}

fn report(tuning: &Tuning<'_>, tuned: &Tuned, args: &Tune) -> Result<(), Error> {
    let player = tuning.player(&tuned.mean)?;
    if args.json.json {
        let keys: Vec<_> = tuning
            .tunables
            .iter()
            .zip(&tuned.mean)
            .zip(&tuned.last)
            .map(|((number, mean), last)| {
                json!({ "key": number.name(), "before": number.start, "step": number.step, "after": mean, "last": last })
            })
            .collect();
        say_json(
            &json!({ "steps": tuned.steps, "games": 2 * tuned.steps * tuning.pairs, "player": player, "keys": keys }),
        );
        return Ok(());
    }
    let head = ["key", "before", "after", "last", "step"].map(str::to_owned);
    let rows: Vec<Vec<String>> = tuning
        .tunables
        .iter()
        .zip(&tuned.mean)
        .zip(&tuned.last)
        .map(|((number, mean), last)| {
            let step = number.step.to_string();
            vec![number.name(), number.start.to_string(), format!("{mean:.3}"), format!("{last:.3}"), step]
        })
        .collect();
    let before: Vec<f64> = tuning.tunables.iter().map(|number| number.start).collect();
    let next = if player == tuning.player(&before)? {
        "nothing changed: the rounded numbers are the same as before".to_owned()
    } else {
        let game = quoted(&args.game);
        let players = [&player, &args.player].map(|player| quoted(player)).join(" ");
        format!(
            "{player}\n\nto test whether it is stronger: {} match {game} {players}{} --sprt 0,10",
            program(),
            options(args)
        )
    };
    say(&format!(
        "{} of {}, {}\n\n{}\n{next}",
        counted(tuned.steps as u64, "step", "steps"),
        counted(tuning.pairs as u64, "pair", "pairs"),
        counted((2 * tuned.steps * tuning.pairs) as u64, "game", "games"),
        table(&head, &rows),
    ));
    Ok(())
}

/// The options of a match under the conditions of the tuning.
fn options(args: &Tune) -> String {
    let conditions = &args.conditions;
    let time = |time| humantime::format_duration(time).to_string().replace(' ', "");
    let threshold = |Threshold { value, moves }: Threshold| format!("{value}:{moves}");
    let LimitArgs { time: each, nodes, playouts, depth } = conditions.limits;
    let given = [
        ("rules", conditions.rules.clone()),
        ("position", conditions.position.clone()),
        ("openings", conditions.openings.as_ref().map(ToString::to_string)),
        ("time", each.map(time)),
        ("nodes", nodes.map(|nodes| nodes.to_string())),
        ("playouts", playouts.map(|playouts| playouts.to_string())),
        ("depth", depth.map(|depth| depth.to_string())),
        ("tc", conditions.tc.map(|control| control.to_string())),
        ("threads", (conditions.threads.get() > 1).then(|| conditions.threads.to_string())),
        ("resign", conditions.resign.map(threshold)),
        ("draw", conditions.draw.map(threshold)),
        ("max-plies", conditions.max_plies.map(|plies| plies.to_string())),
        ("clock", (conditions.clock == ClockArg::Wall).then(|| "wall".to_owned())),
    ];
    given.into_iter().filter_map(|(name, value)| Some(format!(" --{name} {}", quoted(&value?)))).collect()
}
