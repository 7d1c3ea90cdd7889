//! `rpc`: the protocol over standard input and output.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use banmen_programs::factory;
use banmen_protocol::Connection;
use banmen_search::Clock;
use serde_json::{Value, json};

use super::{Ask, Done};
use crate::args::{ClockArg, Rpc};
use crate::failure::Failure;
use crate::output::{reply, say};

pub(crate) fn run(args: &Rpc, ask: Ask) -> Done {
    if args.schema {
        say(&format!("{:#}", json!(ask.service.schema())));
        return Ok(0);
    }
    let programs = args.programs.allowed_if(args.allow_programs)?;
    ask.end_on_interrupt();
    ask.store_to_read();
    let clock: fn() -> Box<dyn Clock> = match args.clock {
        ClockArg::Cpu => || ClockArg::Cpu.clock(),
        ClockArg::Wall => || ClockArg::Wall.clock(),
    };
    let service = ask.service.with_players(factory(programs)).with_clock(clock);
    let most = service.policy.request_bytes as u64;
    let sink = Arc::new(|answer: Value| reply(&format!("{answer}\n")));
    let mut connection = Connection::new(Arc::new(service), None, sink);
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        // Reads one byte more than a request may have, so that the connection refuses it as too long.
        let read = input.by_ref().take(most + 1).read_until(b'\n', &mut line);
        if read.map_err(|error| Failure::System("standard input".to_owned(), error))? == 0 {
            break;
        }
        if line.len() as u64 > most && line.last() != Some(&b'\n') {
            skip_line(&mut input)?;
        }
        match std::str::from_utf8(&line) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => connection.read(text.trim()),
            Err(error) => connection.refuse_bytes(error),
        }
    }
    connection.finish();
    Ok(0)
}

/// Skips the rest of the line.
fn skip_line(input: &mut impl BufRead) -> Result<(), Failure> {
    loop {
        let buffer = input.fill_buf().map_err(|error| Failure::System("standard input".to_owned(), error))?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let used = end.map_or(buffer.len(), |at| at + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}
