//! Reproductions as an HTML page, and as Markdown.

use std::fmt::Write;

use banmen_catalog::ResultTable;

use super::Experiment;
use super::picture::escaped;
use super::plot::Plot;
use super::replay::{SCRIPT, base64};
use super::reproduction::{INTERVAL_COLUMN, Reproduction, SIZE_COLUMNS};
use crate::dates::date;

const STYLE: &str = include_str!("report.css");

/// The begin of the section of an experiment; its id follows.
const SECTION: &str = "<section id=\"";

/// The files of a report.
pub struct Page {
    /// A self-contained page.
    pub html: String,
    /// The same as Markdown, which refers to the pictures.
    pub markdown: String,
    /// The pictures: file names and SVG.
    pub pictures: Vec<(String, String)>,
}

/// Makes the report of reproductions. `command` is the command that was run, `machine` the machine, if it is known. `site` is the
/// address of the page that `serve` serves, to which games link; `None` for a report that is read elsewhere.
#[must_use]
pub fn report(reproductions: &[Reproduction], command: &str, machine: Option<&str>, site: Option<&str>) -> Page {
    let mut facts = vec![("command", command.to_owned()), ("date", minute())];
    facts.extend(machine.map(|machine| ("machine", machine.to_owned())));
    if let Some(first) = reproductions.first() {
        facts.push(("build", first.version.to_owned()));
        facts.push(("seed", first.seed.to_string()));
        let scale = if first.scale == 1.0 { "in full".to_owned() } else { format!("scale {}", first.scale) };
        facts.push(("size", scale));
    }
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Banmen: reproductions</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>Published, and measured</h1>\n<dl class=\"facts\">\n"
    );
    let mut markdown = "# Published, and measured\n\n".to_owned();
    for (name, fact) in &facts {
        let _ = writeln!(html, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(fact));
        let _ = writeln!(markdown, "- {name}: `{fact}`");
    }
    html.push_str("</dl>\n</header>\n<main>\n");
    if reproductions.len() > 1 {
        contents(reproductions, &mut html, &mut markdown);
    }
    let mut pictures = Vec::new();
    for reproduction in reproductions {
        let plots = reproduction.plots();
        section(reproduction, &plots, &mut html, &mut markdown, &mut pictures);
    }
    html.push_str("</main>\n");
    html.push_str(&replays(reproductions, site));
    html.push_str("</body>\n</html>\n");
    Page { html, markdown, pictures }
}

/// The ids of the experiments of a report, from the text of its page; none for another page.
#[must_use]
pub fn reported(html: &str) -> Vec<&str> {
    let id = |part| str::split_once(part, '"').map(|(id, _)| id);
    html.split(SECTION).skip(1).filter_map(id).collect()
}

/// The time of now, in UTC, to the minute.
fn minute() -> String {
    format!("{} UTC", date(crate::store::now())[..16].replace('T', " "))
}

/// The result of each reproduction, in a line.
fn contents(reproductions: &[Reproduction], html: &mut String, markdown: &mut String) {
    html.push_str(
        "<table class=\"contents\">\n<thead><tr><th>experiment</th><th>question</th>\
         <th>verdicts</th></tr></thead>\n<tbody>\n",
    );
    markdown.push_str("\n| experiment | question | verdicts |\n|---|---|---|\n");
    for reproduction in reproductions {
        let experiment = &reproduction.experiment;
        let verdicts = summary(reproduction);
        let _ = writeln!(
            html,
            "<tr><td><a href=\"#{0}\">{0}</a></td><td>{1}</td><td>{2}</td></tr>",
            experiment.id,
            escaped(&experiment.question),
            escaped(&verdicts)
        );
        let _ = writeln!(markdown, "| [{0}](#{0}) | {1} | {verdicts} |", experiment.id, cell(&experiment.question));
    }
    html.push_str("</tbody>\n</table>\n");
}

/// The number of figures with each verdict.
fn summary(reproduction: &Reproduction) -> String {
    let counts: Vec<String> = reproduction.verdicts().iter().map(|(word, count)| format!("{count} {word}")).collect();
    if counts.is_empty() { "no figure published".to_owned() } else { counts.join(", ") }
}

fn section(
    reproduction: &Reproduction,
    plots: &[Plot],
    html: &mut String,
    markdown: &mut String,
    pictures: &mut Vec<(String, String)>,
) {
    let experiment = &reproduction.experiment;
    let source = experiment.source.to_string();
    let _ = write!(
        html,
        "{SECTION}{0}\">\n<h2>{1} <code>{0}</code></h2>\n<p>{2}</p>\n<blockquote><p>{3}</p><footer>{4}</footer>\
         </blockquote>\n",
        experiment.id,
        escaped(&experiment.title),
        escaped(&experiment.question),
        escaped(&experiment.source.claim),
        escaped(&source)
    );
    let table = reproduction.table();
    let (results, others) = in_two(&table, experiment);
    // The number of games of a cell links to them.
    let links: Vec<Option<String>> = reproduction
        .rows
        .iter()
        .map(|row| {
            let found = reproduction.games.iter().find(|games| games.cell == row.cell)?;
            Some(games_id(experiment, found.cell))
        })
        .collect();
    html_table(&results, &links, html);
    let _ = write!(
        markdown,
        "\n## {}\n\n**{}** {}\n\nSource: {source}. It says: {}\n",
        experiment.id,
        ended(&experiment.title),
        experiment.question,
        ended(&experiment.source.claim)
    );
    for (number, plot) in plots.iter().enumerate() {
        let name = match plots.len() {
            1 => format!("{}.svg", experiment.id),
            _ => format!("{}-{}.svg", experiment.id, number + 1),
        };
        let _ = write!(
            html,
            "<figure>\n<div class=\"wide\">{}</div>\n<div class=\"narrow\">{}</div>\n<figcaption>{}</figcaption>\n</figure>\n",
            plot.svg,
            plot.narrow,
            escaped(&plot.title)
        );
        let _ = write!(markdown, "\n![{}]({name})\n", plot.title);
        pictures.push((name, plot.svg.clone()));
    }
    if let Some(others) = others {
        html.push_str("<h3>Measured beside it</h3>\n");
        html_table(&others, &[], html);
    }
    markdown_table(&table, markdown);
    html.push_str("<ul class=\"notes\">\n");
    markdown.push('\n');
    for note in &table.notes {
        let _ = writeln!(html, "<li>{}</li>", escaped(note));
        let _ = writeln!(markdown, "- {note}");
    }
    html.push_str("</ul>\n");
    cell_games(reproduction, html);
    html.push_str("</section>\n");
}

/// The table in two, so that neither is wider than the page: the results, with the number of observations beside their
/// interval, and the additional columns, if there are any. A table of exact values, which has neither, stays whole.
fn in_two(table: &ResultTable, experiment: &Experiment) -> (ResultTable, Option<ResultTable>) {
    let place = |name: &str| table.columns.iter().position(|column| column == name);
    let count = place(SIZE_COLUMNS[0]).or_else(|| place(SIZE_COLUMNS[1]));
    let (Some(interval), Some(count)) = (place(INTERVAL_COLUMN), count) else { return (table.clone(), None) };
    let results: Vec<usize> = (0..=interval).chain([count]).chain(interval + 1..count).collect();
    let labels = experiment.factors.len() + usize::from(experiment.axis.is_some());
    let others: Vec<usize> = (0..labels).chain(count + 1..table.columns.len()).collect();
    let part = |columns: &[usize]| {
        let pick = |row: &Vec<String>| columns.iter().map(|&column| row[column].clone()).collect();
        ResultTable {
            columns: pick(&table.columns),
            rows: table.rows.iter().map(pick).collect(),
            ..ResultTable::default()
        }
    };
    (part(&results), (others.len() > labels).then(|| part(&others)))
}

/// The id of the games of a cell.
fn games_id(experiment: &Experiment, cell: usize) -> String {
    format!("games-{}-{cell}", experiment.id)
}

/// The script that shows the games of all cells; empty where there are none.
fn replays(reproductions: &[Reproduction], site: Option<&str>) -> String {
    let cells: serde_json::Map<String, serde_json::Value> = reproductions
        .iter()
        .flat_map(|one| one.games.iter().map(|games| (games_id(&one.experiment, games.cell), serde_json::json!(games))))
        .collect();
    if cells.is_empty() {
        return String::new();
    }
    // Nothing in the data may end the script.
    let data = serde_json::json!({ "site": site, "cells": cells }).to_string().replace('<', "\\u003c");
    format!("<script type=\"module\">\nconst GAMES = {data};\n{SCRIPT}</script>\n")
}

/// The games of each cell, which the script fills in.
fn cell_games(reproduction: &Reproduction, html: &mut String) {
    if reproduction.games.is_empty() {
        return;
    }
    html.push_str("<h3>Games</h3>\n");
    for games in &reproduction.games {
        let labels =
            reproduction.experiment.cells.get(games.cell).map_or_else(String::new, |cell| cell.labels.join(", "));
        let count = match games.count {
            all if all == games.of => format!("{all} games"),
            some => format!("the first {some} of {} games", games.of),
        };
        let id = games_id(&reproduction.experiment, games.cell);
        let _ = writeln!(
            html,
            "<details id=\"{id}\"><summary>{}: {count}</summary>\n<script type=\"text/plain\">{}</script></details>",
            escaped(&labels),
            base64(&games.packed)
        );
    }
}

/// A text with a full stop at its end, added if there is none.
fn ended(text: &str) -> String {
    let closed = text.ends_with(['.', '?', '!', '。']);
    if closed { text.to_owned() } else { format!("{text}.") }
}

/// Whether a column has numbers, which are aligned to the right.
fn numeric(table: &ResultTable, column: usize) -> bool {
    let number = |word: &str| {
        matches!(word, "to" | "of" | "±" | "<" | "n/a" | "exact")
            || word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'))
                && !word.contains(|c: char| c.is_alphabetic() && c != 'e')
    };
    let mut filled = table.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty()).peekable();
    filled.peek().is_some() && filled.all(|cell| cell.split_whitespace().all(number))
}

/// The word of a verdict with a symbol before it, so that it does not depend on colour alone.
fn badge(cell: &str) -> Option<(&'static str, &'static str)> {
    match cell {
        "agrees" => Some(("agrees", "✓")),
        "differs" => Some(("differs", "≠")),
        "differs within the margin" => Some(("within", "≈")),
        _ if cell.starts_with("undecided") || cell == "too little" => Some(("undecided", "?")),
        "preliminary" => Some(("undecided", "…")),
        _ => None,
    }
}

/// `links`: for each row the id that its number of observations links to.
fn html_table(table: &ResultTable, links: &[Option<String>], html: &mut String) {
    let class: Vec<&str> =
        (0..table.columns.len()).map(|column| if numeric(table, column) { " class=\"n\"" } else { "" }).collect();
    html.push_str("<table class=\"results\">\n<thead><tr>");
    for (column, class) in table.columns.iter().zip(&class) {
        let _ = write!(html, "<th{class}>{}</th>", escaped(column));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    let verdicts = table.columns.iter().position(|column| column == "verdict");
    let counts = table.columns.iter().position(|column| SIZE_COLUMNS.contains(&column.as_str()));
    for (number, row) in table.rows.iter().enumerate() {
        html.push_str("<tr>");
        let link = links.get(number).and_then(Option::as_ref);
        for (at, (cell, class)) in row.iter().zip(&class).enumerate() {
            // On a narrow screen each cell has its heading before it.
            let head = escaped(&table.columns[at]);
            match badge(cell).filter(|_| Some(at) == verdicts) {
                Some((kind, sign)) => {
                    let cell = escaped(cell);
                    let _ = write!(html, "<td class=\"v {kind}\" data-head=\"{head}\"><b>{sign}</b> {cell}</td>");
                }
                None if Some(at) == counts && link.is_some() => {
                    let (id, cell) = (link.map_or("", String::as_str), escaped(cell));
                    let _ = write!(html, "<td{class} data-head=\"{head}\"><a href=\"#{id}\">{cell}</a></td>");
                }
                None => {
                    let _ = write!(html, "<td{class} data-head=\"{head}\">{}</td>", escaped(cell));
                }
            }
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n");
}

/// A cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn markdown_table(table: &ResultTable, markdown: &mut String) {
    let line = |cells: &mut dyn Iterator<Item = String>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
    markdown.push('\n');
    markdown.push_str(&line(&mut table.columns.iter().map(|column| cell(column))));
    let rule = |column| if numeric(table, column) { "---:" } else { "---" };
    markdown.push_str(&line(&mut (0..table.columns.len()).map(|column| rule(column).to_owned())));
    for row in &table.rows {
        markdown.push_str(&line(&mut row.iter().map(|text| cell(text))));
    }
}
