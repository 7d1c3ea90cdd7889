//! The ranking of a league, as files in its folder.

use std::path::Path;

use banmen_catalog::{Error, ErrorCode, replace_file};
use serde_json::json;

use crate::store::{State, Store, now};
use crate::{Match, Standings, limits};

/// The number of latest games in the ranking.
const RECENT: usize = 50;

/// The largest number of program logs that are kept; the size of each is bounded.
const MAX_LOGS: usize = 200;

/// The folder of the programs' logs, below the league's folder.
pub(crate) const LOG_FOLDER: &str = "logs";

/// Writes `ranking.json` and `ranking.md`. Each is replaced as a whole, so that readers always find a complete file.
pub(crate) fn write(
    folder: &Path,
    store: &Store,
    event: i64,
    conditions: &Match<'_>,
    standings: &Standings,
) -> Result<(), Error> {
    let spec = &conditions.spec;
    let json = json!({
        "schema": 1, "event": event, "game": conditions.game.info().name, "written": now(),
        "limits": limits(&spec.a.limits), "clock": spec.clock, "openings": spec.openings.name(),
        "standings": standings, "recent": store.recent(event, RECENT)?,
    });
    let replace = |name: &str, text: &str| {
        let path = folder.join(name);
        replace_file(&path, text.as_bytes())
            .map_err(|error| Error::new(ErrorCode::Folder, format!("{}: {error}", path.display())))
    };
    replace("ranking.json", &format!("{json}\n"))?;
    replace("ranking.md", &markdown(conditions, standings))
}

fn markdown(conditions: &Match<'_>, standings: &Standings) -> String {
    let mut text = format!("# {}\n\n", conditions.game.info().title.en);
    text.push_str(
        "| # | bot | Elo | 95 % | games | won-drawn-lost | score | faults | |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for player in &standings.players {
        let [won, drawn, lost] = player.results;
        let rank = player.rank.map_or_else(String::new, |rank| rank.to_string());
        let none = || "n/a".to_owned();
        let score = player.score.map_or_else(none, |score| format!("{:.1} %", score * 100.0));
        let elo = player.elo.map_or_else(none, |elo| signed(elo.value, 0));
        let interval = player.elo.map_or_else(none, |elo| format!("{} to {}", signed(elo.low, 0), signed(elo.high, 0)));
        let state = match (player.entrant.state, &player.entrant.reason) {
            (State::Playing, _) => String::new(),
            (State::Suspended, reason) => format!("suspended: {}", reason.as_deref().unwrap_or_default()),
            (State::Retired, reason) => format!("retired: {}", reason.as_deref().unwrap_or_default()),
        };
        text.push_str(&format!(
            "| {rank} | {} | {elo} | {interval} | {} | {won}-{drawn}-{lost} | {score} | {} | {} |\n",
            cell(&player.entrant.name),
            player.games(),
            player.faults,
            cell(&state),
        ));
    }
    text.push_str(&format!("\n{} games", standings.games));
    if let Some(first) = standings.advantage {
        let [value, low, high] = [first.value, first.low, first.high].map(|elo| signed(elo, 0));
        text.push_str(&format!("; moving first is worth {value} Elo ({low} to {high})"));
    }
    text.push_str(".\n");
    text
}

/// A number with its sign and this many digits after the point; what is rounded to zero has the sign `+`.
#[must_use]
pub fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => format!("+{rest}"),
        _ => text,
    }
}

/// Untrusted text as a cell of a table.
fn cell(text: &str) -> String {
    text.chars().map(|c| if c == '|' || c.is_control() { ' ' } else { c }).collect()
}

/// Whether a file name has the form of a program's log: NAME-PROCESS-NUMBER.log.
fn is_log(name: &str) -> bool {
    let parts = name.strip_suffix(".log").map(|name| name.rsplitn(3, '-').collect::<Vec<_>>());
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    matches!(parts.as_deref(), Some([last, process, _]) if number(last) && number(process))
}

/// Removes the oldest logs. Errors are ignored.
pub(crate) fn prune_logs(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder.join(LOG_FOLDER)) else { return };
    let mut logs: Vec<_> = entries
        .flatten()
        .filter(|entry| is_log(&entry.file_name().to_string_lossy()))
        .filter_map(|entry| Some((entry.metadata().and_then(|data| data.modified()).ok()?, entry.path())))
        .collect();
    logs.sort();
    for (_, path) in logs.iter().take(logs.len().saturating_sub(MAX_LOGS)) {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_minus() {
        let written = [(-0.3, 0), (-0.0, 0), (0.2, 0), (-0.6, 0), (-0.04, 1), (-0.05, 1), (f64::NEG_INFINITY, 0)]
            .map(|(value, digits)| signed(value, digits));
        assert_eq!(written, ["+0", "+0", "+0", "-1", "+0.0", "-0.1", "-inf"]);
    }
}
