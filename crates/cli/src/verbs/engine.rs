//! `engine`: a player as an engine of another protocol.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use banmen_protocol::{Conversation, GtpEngine, NBoardEngine, RiddlesEngine, TextEngine, TextProtocol};

use super::{Ask, Done};
use crate::args::{Engine, ProtocolArg};
use crate::failure::Failure;
use crate::output::remark;

pub(crate) fn run(args: &Engine, ask: &Ask) -> Done {
    let game = Arc::clone(ask.service.catalog.game(&args.game)?);
    let out = Arc::new(|line: String| {
        let mut out = io::stdout().lock();
        // When the reader has closed the output, the program ends with its input.
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    });
    let (rules, player) = (args.rules.as_deref(), args.player.as_str());
    let mut engine: Box<dyn Conversation> = match args.protocol {
        ProtocolArg::Usi => Box::new(TextEngine::new(game, rules, player, TextProtocol::Usi, out)?),
        ProtocolArg::Uci => Box::new(TextEngine::new(game, rules, player, TextProtocol::Uci, out)?),
        ProtocolArg::Gtp => Box::new(GtpEngine::new(game, rules, player, out)?),
        ProtocolArg::Nboard => Box::new(NBoardEngine::new(game, rules, player, out)?),
        ProtocolArg::Riddles => Box::new(RiddlesEngine::new(game, rules, player, out, Arc::new(|line| remark(&line)))?),
    };
    engine.set_threads(args.threads.threads);
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
