//! `engine`: a player as an engine of another protocol.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_programs::{Endpoint, accept, is_program};
use banmen_protocol::{
    Conversation, FptEngine, GtpEngine, NBoardEngine, RiddlesEngine, TextEngine, TextProtocol, TubstapEngine,
};
use banmen_search::StopFlag;
use banmen_search::threads::lock;
use clap::ValueEnum;

use super::{Ask, Done};
use crate::args::{Engine, ProtocolArg};
use crate::failure::Failure;
use crate::output::{remark, reply};

/// The longest line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// How long the other program may take to accept a connection, or to connect.
const PATIENCE: Duration = Duration::from_secs(365 * 24 * 3600);

/// How long the other program may take to accept the connection of the next game.
const BETWEEN_GAMES: Duration = Duration::from_secs(10);

/// How long a search may go on after the other program has closed its end of a connection.
const GRACE: Duration = Duration::from_secs(10);

/// Interval between attempts to connect.
const RETRY: Duration = Duration::from_millis(50);

pub(crate) fn run(args: &Engine, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.game)?;
    if is_program(game.as_ref(), &args.player) {
        let message = format!("`{}` is an external program; only the game's own players run as engines", args.player);
        return Err(Error::new(ErrorCode::ProgramsNotAllowed, message).into());
    }
    if args.time.is_some() && !matches!(args.protocol, ProtocolArg::Fpt | ProtocolArg::Tubstap) {
        let protocol = args.protocol.to_possible_value();
        let name = protocol.as_ref().map_or("", |value| value.get_name());
        let message = format!("`--time` is for `fpt` and `tubstap`: in `{name}` the other program states the limits");
        return Err(Error::new(ErrorCode::Unsupported, message).into());
    }
    if args.connect.or(args.listen).is_some() {
        // A player that cannot be made is refused now, and not when there is a connection.
        drop(engine(args, game, |_| {})?);
    }
    // An interrupt ends the program.
    let never = StopFlag::default();
    match (args.connect, args.listen) {
        (Some(address), _) => {
            let opened = Endpoint::Connect(address).open(PATIENCE, &never);
            let mut stream = opened.map_err(|error| failed(address, error))?;
            loop {
                let served = serve(args, game, stream, address);
                // In the other protocols one connection is used for all games.
                if !matches!(args.protocol, ProtocolArg::Fpt | ProtocolArg::Tubstap) {
                    return served.map(|()| 0);
                }
                if let Err(failure) = served {
                    remark(&failure.to_string());
                }
                match reconnected(address, &never) {
                    Some(next) => stream = next,
                    None => return Ok(0),
                }
            }
        }
        (None, Some(address)) => {
            let listener = TcpListener::bind(address).map_err(|error| failed(address, error))?;
            let address = listener.local_addr().map_err(|error| failed(address, error))?;
            remark(&format!("listening on {address}"));
            loop {
                let stream = accept(&listener, PATIENCE, &never).map_err(|error| failed(address, error))?;
                if let Err(failure) = serve(args, game, stream, address) {
                    remark(&failure.to_string());
                }
            }
        }
        (None, None) => {
            let engine = engine(args, game, reply)?;
            converse(engine, io::stdin().lock(), Duration::MAX)
                .map_err(|error| Failure::System("standard input".to_owned(), error))?;
            Ok(0)
        }
    }
}

/// The engine, whose texts are written by `write`.
fn engine(
    args: &Engine,
    game: &Arc<dyn AnyGame>,
    write: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Box<dyn Conversation>, Failure> {
    let game = Arc::clone(game);
    // The contests' protocol has no lines.
    let end = if matches!(args.protocol, ProtocolArg::Fpt) { "" } else { "\n" };
    let out = Arc::new(move |text: String| write(&format!("{text}{end}")));
    let log = Arc::new(|line: String| remark(&line));
    let (rules, player) = (args.rules.as_deref(), args.player.as_str());
    let mut engine: Box<dyn Conversation> = match args.protocol {
        ProtocolArg::Usi => Box::new(TextEngine::new(game, rules, player, TextProtocol::Usi, out)?),
        ProtocolArg::Uci => Box::new(TextEngine::new(game, rules, player, TextProtocol::Uci, out)?),
        ProtocolArg::Gtp => Box::new(GtpEngine::new(game, rules, player, out)?),
        ProtocolArg::Nboard => Box::new(NBoardEngine::new(game, rules, player, out)?),
        ProtocolArg::Riddles => Box::new(RiddlesEngine::new(game, rules, player, out, log)?),
        ProtocolArg::Fpt => {
            let time = args.time.unwrap_or(FptEngine::TIME);
            Box::new(FptEngine::new(game, rules, player, out, log)?.with_time(time))
        }
        ProtocolArg::Tubstap => {
            let time = args.time.unwrap_or(TubstapEngine::TIME);
            Box::new(TubstapEngine::new(game, rules, player, out, log)?.with_time(time))
        }
    };
    engine.set_threads(args.threads.threads);
    Ok(engine)
}

/// Serves one connection, and closes it.
fn serve(args: &Engine, game: &Arc<dyn AnyGame>, stream: TcpStream, address: SocketAddr) -> Result<(), Failure> {
    let output = Mutex::new(stream.try_clone().map_err(|error| failed(address, error))?);
    let write = move |text: &str| {
        // When the reader has closed the connection, its input ends too.
        let _ = lock(&output).write_all(text.as_bytes());
    };
    let held = converse(engine(args, game, write)?, BufReader::new(&stream), GRACE);
    // A search that still runs uses the connection, too.
    let _ = stream.shutdown(Shutdown::Both);
    held.map_err(|error| failed(address, error))
}

/// Connects for the next game; `None` when no program accepts.
fn reconnected(address: SocketAddr, never: &StopFlag) -> Option<TcpStream> {
    let until = Instant::now() + BETWEEN_GAMES;
    loop {
        let left = until.checked_duration_since(Instant::now())?;
        // If no program listens, the system may choose the destination's port for this end too, which connects the
        // socket to itself.
        let other_end = |stream: &TcpStream| stream.local_addr().ok() != stream.peer_addr().ok();
        if let Some(stream) = Endpoint::Connect(address).open(left, never).ok().filter(other_end) {
            return Some(stream);
        }
        std::thread::sleep(RETRY);
    }
}

/// Passes the input to the engine until the input or the engine ends the session. After the input its search may go on for
/// `patience`.
fn converse(mut engine: Box<dyn Conversation>, mut input: impl BufRead, patience: Duration) -> io::Result<()> {
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
            engine.end(patience);
            return Ok(());
        }
        if !engine.read(&String::from_utf8_lossy(&text)) {
            return Ok(());
        }
    }
}

fn failed(address: SocketAddr, error: io::Error) -> Failure {
    Failure::System(address.to_string(), error)
}
