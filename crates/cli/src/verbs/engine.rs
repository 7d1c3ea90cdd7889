//! `engine`: a player as an engine of another protocol.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use banmen_programs::{Endpoint, accept};
use banmen_protocol::{
    Conversation, FptEngine, GtpEngine, NBoardEngine, RiddlesEngine, TextEngine, TextProtocol, TubstapEngine,
};

use super::{Ask, Done};
use crate::args::{Engine, ProtocolArg};
use crate::failure::Failure;
use crate::output::remark;

/// The longest line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// How long the other program may take to accept a connection, or to connect.
const PATIENCE: Duration = Duration::from_secs(365 * 24 * 3600);

pub(crate) fn run(args: &Engine, ask: &Ask) -> Done {
    let game = Arc::clone(ask.service.catalog.game(&args.game)?);
    let stream = connection(args)?;
    // The contests' protocol has no lines.
    let end = if matches!(args.protocol, ProtocolArg::Fpt) { "" } else { "\n" };
    let output: Mutex<Box<dyn Write + Send>> = Mutex::new(match &stream {
        Some((stream, address)) => Box::new(stream.try_clone().map_err(|error| failed(*address, error))?),
        None => Box::new(io::stdout()),
    });
    let out = Arc::new(move |text: String| {
        let mut out = output.lock().unwrap_or_else(PoisonError::into_inner);
        // When the reader has closed the output, the program ends with its input.
        let _ = out.write_all(format!("{text}{end}").as_bytes()).and_then(|()| out.flush());
    });
    let log = Arc::new(|line: String| remark(&line));
    let (rules, player) = (args.rules.as_deref(), args.player.as_str());
    let mut engine: Box<dyn Conversation> = match args.protocol {
        ProtocolArg::Usi => Box::new(TextEngine::new(game, rules, player, TextProtocol::Usi, out)?),
        ProtocolArg::Uci => Box::new(TextEngine::new(game, rules, player, TextProtocol::Uci, out)?),
        ProtocolArg::Gtp => Box::new(GtpEngine::new(game, rules, player, out)?),
        ProtocolArg::Nboard => Box::new(NBoardEngine::new(game, rules, player, out)?),
        ProtocolArg::Riddles => Box::new(RiddlesEngine::new(game, rules, player, out, log)?),
        ProtocolArg::Fpt => Box::new(FptEngine::new(game, rules, player, out, log)?),
        ProtocolArg::Tubstap => Box::new(TubstapEngine::new(game, rules, player, out, log)?),
    };
    engine.set_threads(args.threads.threads);
    match stream {
        Some((stream, address)) => converse(engine, BufReader::new(stream)).map_err(|error| failed(address, error))?,
        None => {
            converse(engine, io::stdin().lock()).map_err(|error| Failure::System("standard input".to_owned(), error))?
        }
    }
    Ok(0)
}

/// Hands the input to the engine until either ends the session.
fn converse(mut engine: Box<dyn Conversation>, mut input: impl BufRead) -> io::Result<()> {
    let mut text = Vec::new();
    loop {
        text.clear();
        if engine.reads_lines() {
            input.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut text)?;
            if text.len() as u64 > MAX_LINE_BYTES {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a line is longer than 1 MiB"));
            }
        } else {
            text.extend_from_slice(input.fill_buf()?);
            input.consume(text.len());
        }
        if text.is_empty() {
            engine.end();
            return Ok(());
        }
        if !engine.read(&String::from_utf8_lossy(&text)) {
            return Ok(());
        }
    }
}

/// The connection in place of standard input and output, with the address of this end or the other one.
fn connection(args: &Engine) -> Result<Option<(TcpStream, SocketAddr)>, Failure> {
    let stream = match (args.connect, args.listen) {
        (Some(address), _) => Some((Endpoint::Connect(address).open(PATIENCE), address)),
        (None, Some(address)) => {
            let listener = TcpListener::bind(address).map_err(|error| failed(address, error))?;
            let address = listener.local_addr().map_err(|error| failed(address, error))?;
            remark(&format!("listening on {address}"));
            Some((accept(&listener, PATIENCE), address))
        }
        (None, None) => None,
    };
    stream
        .map(|(stream, address)| stream.map(|stream| (stream, address)).map_err(|error| failed(address, error)))
        .transpose()
}

fn failed(address: SocketAddr, error: io::Error) -> Failure {
    Failure::System(address.to_string(), error)
}
