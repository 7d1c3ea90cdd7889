//! Completions, the manual page and the Markdown reference, generated from the table of verbs.

use std::io;

use clap::{Command, CommandFactory};

use super::Done;
use crate::args::{Args, Completions};
use crate::failure::Failure;
use crate::output::say;

pub(crate) fn completions(args: &Completions) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "banmen", &mut script);
    say(String::from_utf8_lossy(&script).trim_end());
    Ok(0)
}

pub(crate) fn man() -> Done {
    let mut page = Vec::new();
    let written = write_man(&Args::command(), &mut page);
    written.map_err(|error| Failure::System("the manual page".to_owned(), error))?;
    say(String::from_utf8_lossy(&page).trim_end());
    Ok(0)
}

/// The page of the program with a section for each verb.
fn write_man(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let command = command.clone().disable_help_subcommand(true);
    let man = clap_mangen::Man::new(command.clone());
    man.render(page)?;
    for (name, verb) in verbs(&command, "banmen") {
        let man = clap_mangen::Man::new(verb.clone().name(name));
        man.render_synopsis_section(page)?;
        man.render_options_section(page)?;
    }
    Ok(())
}

/// All verbs with their full names; each verb is followed by its subcommands.
fn verbs<'c>(command: &'c Command, above: &str) -> Vec<(String, &'c Command)> {
    let mut all = Vec::new();
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help") {
        let name = format!("{above} {}", verb.get_name());
        let below = verbs(verb, &name);
        all.push((name, verb));
        all.extend(below);
    }
    all
}

pub(crate) fn markdown() -> Done {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let mut text = String::from(
        "# The command line\n\nPrinted by the hidden command `banmen docs` from the program's own table; `cargo xtask docs` renews it.\n",
    );
    for (name, verb) in verbs(&command, "banmen") {
        let help = verb.clone().term_width(100).render_long_help();
        text.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help.to_string().trim_end()));
    }
    say(text.trim_end());
    Ok(0)
}
