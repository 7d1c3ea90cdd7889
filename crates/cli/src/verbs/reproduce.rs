//! `reproduce`: re-runs published experiments.

use std::fs;
use std::path::Path;

use banmen_arena::{
    Conditions, Experiment, Page, Reproduction, Verified, find, library, read_own, report, reported, reproduce,
    verify_bundle, version,
};
use banmen_catalog::{Error, ErrorCode};
use serde_json::json;

use super::queue::workers;
use super::{Ask, Done, processors};
use crate::args::Reproduce;
use crate::failure::Failure;
use crate::output::{bar, facts, paragraph, program, quoted, remark, say, say_json, table, thousands};

pub(crate) fn run(args: &Reproduce, ask: &Ask) -> Done {
    if let Some(file) = &args.verify {
        return verify(file, args, ask);
    }
    let Some(what) = &args.what else {
        if args.queue.queue.is_some() {
            let message = "--queue goes with an experiment, whose games are played there";
            return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "queue").into());
        }
        return list(args, ask);
    };
    let experiments = named(what, ask)?;
    let store = ask.store()?;
    if let Some(folder) = &args.report {
        // An unwritable folder is reported before hours of play.
        if folder.is_file() {
            let message = format!("{} is a file, and a report needs a folder", folder.display());
            return Err(Error::new(ErrorCode::Unwritable, message).into());
        }
        fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
        keep_others(folder, &experiments)?;
    }
    ask.on_interrupt();
    let conditions = Conditions {
        store: &store,
        scale: args.scale,
        planned: args.plan,
        seed: args.seed,
        workers: workers(&args.queue, args.concurrency.unwrap_or_else(processors), &format!("reproduce {what}"), ask)?,
        stop: &ask.stop,
    };
    let mut done: Vec<Reproduction> = Vec::new();
    for experiment in &experiments {
        let game = ask.service.catalog.game(&experiment.game)?;
        let bar = bar(1000, "{prefix} {bar:30} {percent} %  eta {eta}").with_prefix(experiment.id.clone());
        let reproduction = reproduce(game.as_ref(), experiment, &conditions, &mut |share| {
            bar.set_position((share * 1000.0) as u64);
        });
        bar.finish_and_clear();
        let mut reproduction = reproduction?;
        if args.report.is_some() {
            reproduction.add_games(&store, game.as_ref(), experiment.event(&conditions)?)?;
        }
        let json =
            args.json.json.then(|| json!({ "reproduction": reproduction, "preliminary": reproduction.preliminary() }));
        let table = described(&reproduction);
        done.push(reproduction);
        // Before the table, whose reader may be gone.
        if let Some(folder) = &args.report {
            let machine = args.machine.clone().unwrap_or_else(machine);
            write(folder, &report(&done, &command(&done, what), Some(&machine), Some(&args.site)))?;
        }
        match json {
            Some(json) => say_json(&json),
            None => say(&table),
        }
        if ask.stop.stopped() {
            break;
        }
    }
    if let Some(folder) = &args.report {
        remark(&format!("report: {}", folder.join("index.html").display()));
    }
    if ask.stop.stopped() {
        return Err(Failure::Resumable("games"));
    }
    Ok(0)
}

/// Plays the games of a bundle again, and compares them.
fn verify(file: &Path, args: &Reproduce, ask: &Ask) -> Done {
    let failed = |error| Failure::System(file.display().to_string(), error);
    let mut from = std::io::BufReader::new(fs::File::open(file).map_err(failed)?);
    ask.on_interrupt();
    let bar = bar(1000, "{prefix} {bar:30} {percent} %  eta {eta}");
    let concurrency = args.concurrency.unwrap_or_else(processors);
    let verified = verify_bundle(&mut from, &ask.service.catalog, concurrency, &ask.stop, &mut |id, share| {
        bar.set_prefix(id.to_owned());
        bar.set_position((share * 1000.0) as u64);
    });
    bar.finish_and_clear();
    if ask.stop.stopped() {
        return Err(Failure::Interrupted);
    }
    let (played_by, verified) =
        verified.map_err(|error| Error { message: format!("{}: {}", file.display(), error.message), ..error })?;
    let same = verified.iter().all(Verified::same);
    if args.json.json {
        say_json(&json!({ "verified": verified, "version": played_by, "same": same }));
        return Ok(u8::from(!same));
    }
    if played_by != version() {
        remark(&format!("played by version {played_by}; this is version {}", version()));
    }
    for Verified { experiment, replayed, checked, differences, different, table } in &verified {
        let mut line =
            format!("{}, seed {}: {} games played again", experiment.id, experiment.seed, thousands(*replayed));
        if *checked > 0 {
            line.push_str(&format!(", {} with limits of time checked by the rules", thousands(*checked)));
        }
        if experiment.samples > 0 {
            line.push_str(&format!(", {} samples not taken again", thousands(experiment.samples)));
        }
        line.push_str(match (different, table) {
            (0, true) => ": all games are the same, and so is the table",
            (0, false) => ": all games are the same, but the table is another one",
            (_, true) => ": not all games are the same, but the table is",
            (_, false) => ": neither all games nor the table are the same",
        });
        say(&line);
        differences.iter().for_each(|line| say(&format!("  {line}")));
        if *different > differences.len() as u64 {
            say(&format!("  and {} more", thousands(different - differences.len() as u64)));
        }
    }
    Ok(u8::from(!same))
}

/// The experiments of a name or a file.
fn named(what: &str, ask: &Ask) -> Result<Vec<Experiment>, Failure> {
    let games = &ask.service.catalog;
    if Path::new(what).extension().is_none_or(|extension| extension != "toml") {
        return find(what, games).map_err(|error| match Path::new(what).is_file() {
            true => Error { message: format!("{}; the name of a file ends with .toml", error.message), ..error }.into(),
            false => error.into(),
        });
    }
    let text = fs::read_to_string(what)
        .map_err(|error| Error::new(ErrorCode::BadExperiment, format!("{what} cannot be read: {error}")))?;
    Ok(vec![read_own(what, &text, games)?])
}

/// Lists all experiments, those of a source together.
fn list(args: &Reproduce, ask: &Ask) -> Done {
    let known = library(&ask.service.catalog)?;
    if args.json.json {
        say_json(&json!({ "experiments": known }));
        return Ok(0);
    }
    let row = |experiment: &Experiment| {
        let minutes = experiment.minutes * args.scale.unwrap_or(1.0);
        let cost = if minutes < 1.0 { "< 1 min".to_owned() } else { format!("{minutes:.0} min") };
        let source = experiment.source.to_string();
        let place = source.strip_prefix(&experiment.source.text).unwrap_or_default().trim_start_matches(", ");
        vec![experiment.id.clone(), cost, experiment.title.clone(), place.to_owned()]
    };
    // The experiments of a source, by the order in which the sources first occur.
    let mut sources: Vec<(&str, Vec<&Experiment>)> = Vec::new();
    for experiment in &known {
        let source = experiment.source.text.as_str();
        match sources.iter_mut().find(|(text, _)| *text == source) {
            Some((_, of_source)) => of_source.push(experiment),
            None => sources.push((source, vec![experiment])),
        }
    }
    let head = ["experiment", "CPU time", "what", "where"].map(str::to_owned);
    let rows: Vec<Vec<String>> = sources.iter().flat_map(|(_, of_source)| of_source).map(|one| row(one)).collect();
    let mut text = String::new();
    for line in table(&head, &rows).lines() {
        // A source is written above its experiments. Identifiers are never broken.
        let id = line.split(' ').next();
        if let Some((source, _)) =
            sources.iter().find(|(_, of_source)| id == of_source.first().map(|one| one.id.as_str()))
        {
            text.push_str(&format!("\n{}", paragraph(source)));
        }
        text.push_str(line);
        text.push('\n');
    }
    say(text.trim_end());
    Ok(0)
}

/// Formats an experiment and its table.
fn described(reproduction: &Reproduction) -> String {
    let experiment = &reproduction.experiment;
    let mut text = format!("{}: {}\n", experiment.id, experiment.title);
    let source = experiment.source.to_string();
    text.push_str(&facts(&[("asks", &experiment.question), ("source", &source), ("claims", &experiment.source.claim)]));
    let measured = reproduction.table();
    text.push('\n');
    text.push_str(&table(&measured.columns, &measured.rows));
    measured.notes.iter().for_each(|note| text.push_str(&paragraph(note)));
    text
}

/// The commands that create this report again: one where all plans are alike.
fn command(done: &[Reproduction], what: &str) -> String {
    match done {
        [first, others @ ..] if others.iter().all(|other| other.options() == first.options()) => {
            format!("{} reproduce {}{}", program(), quoted(what), first.options())
        }
        _ => done.iter().map(Reproduction::command).collect::<Vec<_>>().join(" && "),
    }
}

/// This machine in words: its processor, as far as the system says, and the number of its cores.
pub(super) fn machine() -> String {
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = known.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model.trim());
    let cores = match processors() {
        1 => "1 core".to_owned(),
        count => format!("{count} cores"),
    };
    format!("{model}, {cores}, {}", std::env::consts::OS)
}

/// Refuses a folder whose page would be lost: a report that has an experiment beside these, or a page that is no
/// report. A report of these experiments is replaced.
fn keep_others(folder: &Path, experiments: &[Experiment]) -> Result<(), Failure> {
    let path = folder.join("index.html");
    let page = match fs::read(&path) {
        Ok(page) => page,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::System(path.display().to_string(), error)),
    };
    let page = String::from_utf8_lossy(&page);
    let known = reported(&page);
    let others = known.iter().filter(|id| experiments.iter().all(|experiment| experiment.id != **id));
    let what = match others.copied().collect::<Vec<_>>().as_slice() {
        [] if known.is_empty() => "a page of something else".to_owned(),
        [] => return Ok(()),
        [one] => format!("the report of {one}"),
        [one, more @ ..] => format!("the report of {one} and {} more", more.len()),
    };
    let message = format!("{} is {what}, which would be lost: give another folder", path.display());
    Err(Error::new(ErrorCode::Unwritable, message).into())
}

/// Writes a report into a folder.
fn write(folder: &Path, page: &Page) -> Result<(), Failure> {
    let whole = [("index.html", &page.html), ("report.md", &page.markdown)];
    let pictures = page.pictures.iter().map(|(name, svg)| (name.as_str(), svg));
    for (name, text) in whole.into_iter().chain(pictures) {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| unwritten(&path, &error))?;
    }
    Ok(())
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Error::new(ErrorCode::Unwritable, format!("{} cannot be written: {error}", path.display())).into()
}
