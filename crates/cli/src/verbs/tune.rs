//! `tune`: a player's keys, tuned by games.

use banmen_arena::{Contestant, Match, Tuned, Tuning, tunables};
use banmen_catalog::Error;
use banmen_protocol::Programs;
use serde_json::json;

use super::bout::{adjudication_of, clock_of, limits_of, openings_of};
use super::{Ask, Done, processors};
use crate::args::Tune;
use crate::failure::Failure;
use crate::output::{bar, remark, say, say_json, table};

pub(crate) fn run(args: &Tune, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.game)?.as_ref();
    if args.steps == 0 || args.pairs == 0 {
        return Err(Error::new("out_of_range", "a tuning takes at least one step of one pair").into());
    }
    let conditions = &args.conditions;
    let player = Contestant::new(&args.player, limits_of(conditions));
    let bout = Match {
        rules: conditions.rules.clone(),
        openings: openings_of(conditions, game)?,
        clock: clock_of(conditions),
        adjudication: adjudication_of(conditions),
        seed: conditions.seed,
        programs: Programs::REFUSED,
        ..Match::new(game, player.clone(), player)
    };
    let tunables = tunables(game, &args.player, &args.keys)?;
    let tuning = Tuning { bout, tunables, steps: args.steps, pairs: args.pairs };
    let store = ask.store()?;
    ask.on_interrupt();
    let bar = bar(args.steps as u64, "{bar:30} {pos}/{len} steps  eta {eta}  {msg}");
    let tuned = tuning.run(&store, conditions.concurrency.unwrap_or_else(processors), &ask.stop, &mut |tuned| {
        bar.set_position(tuned.steps as u64);
        bar.set_message(tuned.mean.iter().map(|value| format!("{value:.2}")).collect::<Vec<_>>().join(" "));
    })?;
    bar.finish_and_clear();
    report(&tuning, &tuned, args)?;
    if tuned.steps < args.steps {
        remark("interrupted: the steps made are stored; the same command goes on from here");
        return Err(Failure::Interrupted);
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
    say(&format!(
        "{} steps of {} pairs, {} games\n\n{}\n{player}\n\nwhether it is stronger: banmen match {} '{player}' '{}' --sprt 0,10",
        tuned.steps,
        tuning.pairs,
        2 * tuned.steps * tuning.pairs,
        table(&head, &rows),
        args.game,
        args.player,
    ));
    Ok(())
}
