//! `engine`: a player behind the protocol of another program.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use banmen_protocol::{TextEngine, TextProtocol};

use super::{Ask, Done};
use crate::args::{Engine, ProtocolArg};
use crate::failure::Failure;

pub(crate) fn run(args: &Engine, ask: &Ask) -> Done {
    let game = Arc::clone(ask.service.catalog.game(&args.game)?);
    let protocol = match args.protocol {
        ProtocolArg::Usi => TextProtocol::Usi,
        ProtocolArg::Uci => TextProtocol::Uci,
    };
    let out = Arc::new(|line: String| {
        let mut out = io::stdout().lock();
        // When nobody reads any more the program ends with its input.
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    });
    let mut engine = TextEngine::new(game, args.rules.as_deref(), &args.player, protocol, out)?;
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        if read.map_err(|error| Failure::System("standard input".to_owned(), error))? == 0 {
            engine.end();
            return Ok(0);
        }
        if !engine.read(&String::from_utf8_lossy(&line)) {
            return Ok(0);
        }
    }
}
