//! `games`, `players`.

use banmen_protocol::messages::{GamesRequest, PlayersRequest};
use banmen_protocol::operations;

use super::{Ask, Done};
use crate::args::{Json, Players};
use crate::output::{columns, say, say_json};

pub(crate) fn games(json: Json, ask: &Ask) -> Done {
    let answer = ask.ask(operations::games, GamesRequest {})?;
    if json.json {
        say_json(&answer);
        return Ok(0);
    }
    let rows: Vec<Vec<String>> = answer
        .games
        .iter()
        .map(|info| {
            let variants = if info.rules.len() > 1 { format!(" ({})", info.rules.join(", ")) } else { String::new() };
            vec![info.name.to_owned(), info.title.ja.to_owned(), format!("{}{variants}", info.summary)]
        })
        .collect();
    say(columns(&rows).trim_end());
    Ok(0)
}

pub(crate) fn players(args: &Players, ask: &Ask) -> Done {
    let answer = ask.ask(operations::players, PlayersRequest { game: args.game.clone() })?;
    if args.json.json {
        say_json(&answer);
        return Ok(0);
    }
    let mut text = String::new();
    for player in &answer.players {
        text.push_str(&format!("{}  {}", player.name, player.summary));
        if !player.source.is_empty() {
            text.push_str(&format!(" ({})", player.source));
        }
        text.push('\n');
        let rows: Vec<Vec<String>> = player
            .keys
            .iter()
            .map(|key| vec![format!("    {}={}", key.name, key.default), key.kind.describe(), key.summary.to_owned()])
            .collect();
        text.push_str(&columns(&rows));
        text.push('\n');
    }
    say(text.trim_end());
    Ok(0)
}
