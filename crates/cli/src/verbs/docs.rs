//! Completions and the manual page, generated from the table of verbs, and pages of the documents, from it and from the players.

use std::io;

use banmen_catalog::Key;
use banmen_protocol::messages::{GamesRequest, PlayersRequest};
use banmen_protocol::operations;
use clap::{Command, CommandFactory};

use super::{Ask, Done};
use crate::args::{Args, Completions, DocsPage};
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

pub(crate) fn markdown(page: DocsPage, ask: &Ask) -> Done {
    let text = match page {
        DocsPage::Cli => verbs_page(),
        DocsPage::Players => players_page(ask)?,
    };
    say(text.trim_end());
    Ok(0)
}

fn verbs_page() -> String {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let mut text = String::from(
        "# The command line\n\nPrinted by the hidden command `banmen docs` from the program's own table; `cargo xtask docs` renews it.\n",
    );
    for (name, verb) in verbs(&command, "banmen") {
        let help = verb.clone().term_width(100).render_long_help();
        text.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help.to_string().trim_end()));
    }
    text
}

/// The players of all games with their keys; a player that another game has too is described there.
fn players_page(ask: &Ask) -> Result<String, Failure> {
    let mut text = String::from(
        "# The players\n\nPrinted by the hidden command `banmen docs players` from the program's own tables; `cargo xtask docs` renews it. \
         A player\nis written `name:key=value,key=value`; `banmen players GAME` lists the same. The documents of the games say how their \
         players work.\n",
    );
    let mut described: Vec<(String, &'static str)> = Vec::new();
    for game in ask.ask(operations::games, GamesRequest {})?.games {
        let title = game.title.en;
        text.push_str(&format!("\n## {title}\n"));
        for player in ask.ask(operations::players, PlayersRequest { game: game.name.to_owned() })?.players {
            let keys: String = player.keys.iter().map(key_row).collect();
            let head = "| key | values | default | meaning | source |\n|---|---|---|---|---|\n";
            let keys = if keys.is_empty() { keys } else { format!("\n{head}{keys}") };
            let source = if player.source.is_empty() { String::new() } else { format!(" ({})", player.source) };
            let entry = format!("\n**`{}`**: {}{source}.\n{keys}", player.name, player.summary);
            match described.iter().find(|(known, _)| *known == entry) {
                Some((_, other)) => text.push_str(&format!("\n**`{}`**: as in {other}, above.\n", player.name)),
                None => {
                    text.push_str(&entry);
                    described.push((entry, title));
                }
            }
        }
    }
    Ok(text)
}

fn key_row(key: &Key) -> String {
    // A bar ends a cell.
    let cell = |text: &str| text.replace('|', "\\|");
    let [values, summary, source] = [&key.kind.describe(), key.summary, key.source].map(cell);
    format!("| `{}` | {values} | `{}` | {summary} | {source} |\n", key.name, key.default)
}
