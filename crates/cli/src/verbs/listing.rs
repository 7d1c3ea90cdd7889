//! `games`, `players`, `convert`.

use std::io::{self, BufRead};

use banmen_protocol::messages::{GamesRequest, Place, PlayersRequest, PositionRequest, ShowRequest};
use banmen_protocol::operations;
use serde_json::json;

use super::{Ask, Done};
use crate::args::{Convert, Json, Players};
use crate::failure::Failure;
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

pub(crate) fn convert(args: &Convert, ask: &Ask) -> Done {
    let convert = |text: &str| -> Result<(), Failure> {
        let place = Place {
            game: args.game.clone(),
            rules: args.rules.clone(),
            position: Some(text.to_owned()),
            ..Place::default()
        };
        let own = ShowRequest { dialect: args.to.clone() };
        let answer = ask.ask(operations::show, PositionRequest { place, own })?;
        if args.json.json {
            say_json(&json!({ "position": answer.position }));
        } else {
            say(&answer.position);
        }
        Ok(())
    };
    if args.positions.is_empty() {
        for (number, line) in (1..).zip(io::stdin().lock().lines()) {
            let line = line.map_err(|error| Failure::System(format!("line {number}"), error))?;
            if !line.trim().is_empty() {
                convert(&line).map_err(|failure| in_line(number, failure))?;
            }
        }
    } else {
        for text in &args.positions {
            convert(text)?;
        }
    }
    Ok(0)
}

fn in_line(number: usize, failure: Failure) -> Failure {
    match failure {
        Failure::Refused(mut error) => {
            error.message = format!("line {number}: {}", error.message);
            Failure::Refused(error)
        }
        other => other,
    }
}
