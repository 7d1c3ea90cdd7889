//! The verbs, which are the commands of the command line. A verb with a corresponding operation of the protocol calls
//! it and formats its answer.

mod bench;
mod convert;
mod docs;
mod engine;
mod instructions;
mod league;
mod learn;
mod listing;
mod match_cmd;
mod play;
mod question;
mod queue;
mod records;
mod reproduce;
mod rpc;
mod selftest;
mod serve;
mod solve;
mod stats;
mod tournament;
mod tune;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use banmen_arena::{Laboratory, Store};
use banmen_catalog::{AnyGame, AnyState, Catalog, Data, Error, ErrorCode, WallClock};
use banmen_programs::{Programs, factory, kill_programs};
use banmen_protocol::messages::{self, LimitsRequest, Milliseconds, NoInfo, PositionRequest};
use banmen_protocol::{Call, Policy, Service, Sessions};
use banmen_search::{Clock, StopFlag};

use crate::args::{Args, LimitArgs, Place, Serve, Verb};
use crate::failure::Failure;

/// The exit code, or the failure.
pub(crate) type Done = Result<u8, Failure>;

/// Runs the verb of the command line.
pub(crate) fn run(args: Args, catalog: impl FnOnce(Data) -> Catalog) -> Done {
    // Absolute paths, if they can be determined, since a league changes the working directory.
    let rooted = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    if let Some(path) = args.data.as_deref().filter(|path| path.exists() && !path.is_dir()) {
        let message = format!("--data {} is not a folder", path.display());
        return Err(Error::new(ErrorCode::DataFolder, message).into());
    }
    let data = args.data.map(rooted).map(Data::at).or_else(Data::platform).unwrap_or_else(Data::in_memory);
    // Requests to a server or `rpc` come from others than the user, so they may not name files.
    let data = match &args.verb {
        None | Some(Verb::Serve(_)) => data,
        // A worker is sent what players name.
        Some(Verb::Worker(_)) => data,
        Some(Verb::Rpc(rpc)) if !rpc.allow_programs => data,
        Some(_) => data.with_files(),
    };
    let named = args.store.map(rooted);
    let store = named.clone().or_else(|| data.folder().map(|folder| folder.join("banmen.sqlite")));
    let folder = data.folder().map(Path::to_owned);
    let ask = Ask { folder, names_store: named.is_some(), ..Ask::new(catalog(data), store) };
    match args.verb {
        None => serve::run(&Serve::default(), ask),
        Some(Verb::Serve(args)) => serve::run(&args, ask),
        Some(Verb::Play(args)) => play::run(&args, &ask),
        Some(Verb::Show(args)) => question::show(&args, &ask),
        Some(Verb::Perft(args)) => question::perft(&args, &ask),
        Some(Verb::Think(args)) => question::think(&args, &ask.allowing(args.programs.measured_by(args.clock))),
        Some(Verb::Solve(args)) => solve::run(&args, &ask),
        Some(Verb::Games(json)) => listing::games(json, &ask),
        Some(Verb::Players(args)) => listing::players(&args, &ask),
        Some(Verb::Convert(args)) => convert::run(&args, &ask),
        Some(Verb::Match(args)) => match_cmd::run(&args, &ask),
        Some(Verb::Tune(args)) => tune::run(&args, &ask),
        Some(Verb::Learn(args)) => learn::run(&args, &ask),
        Some(Verb::Tournament(args)) => tournament::tournament(&args, &ask),
        Some(Verb::Ladder(args)) => tournament::ladder(&args, &ask),
        Some(Verb::League(args)) => league::run(&args, &ask, named),
        Some(Verb::Worker(args)) => queue::worker(&args, &ask),
        Some(Verb::Queue(args)) => queue::queue(&args.what),
        Some(Verb::Records(args)) => records::run(&args.what, &ask),
        Some(Verb::Reproduce(args)) => reproduce::run(&args, &ask),
        Some(Verb::Stats(args)) => stats::run(&args),
        Some(Verb::Rpc(args)) => rpc::run(&args, ask),
        Some(Verb::Engine(args)) => engine::run(&args, &ask),
        Some(Verb::Bench(args)) => bench::run(&args, &ask),
        Some(Verb::Selftest(json)) => selftest::run(json, &ask),
        Some(Verb::Completions(args)) => docs::completions(&args),
        Some(Verb::Man) => docs::man(),
        Some(Verb::Docs(args)) => docs::markdown(args.page, &ask),
    }
}

/// Calls of the protocol's operations. An interrupt stops the running one; a second one ends the program.
pub(crate) struct Ask {
    pub(crate) service: Service,
    pub(crate) stop: StopFlag,
    /// The data directory; `None` where data is kept in memory and lost with this process.
    pub(crate) folder: Option<PathBuf>,
    /// The path of the store.
    store: Option<PathBuf>,
    /// Whether the command line names it.
    names_store: bool,
}

impl Ask {
    fn new(catalog: Catalog, store: Option<PathBuf>) -> Self {
        let service = Service::new(catalog, Policy::LOCAL)
            .with(banmen_arena::operations(store.clone()))
            .with(Laboratory::new(store.clone()).operations())
            .with_players(factory(Programs::REFUSED));
        Ask { service, stop: StopFlag::default(), folder: None, store, names_store: false }
    }

    /// With programs as players.
    fn allowing(mut self, programs: Programs) -> Self {
        self.service = self.service.with_players(factory(programs));
        self
    }

    /// Opens the store, creating it if it does not exist.
    pub(crate) fn store(&self) -> Result<Store, Failure> {
        let path = self.store.as_deref().ok_or_else(|| {
            Error::new(
                ErrorCode::DataFolder,
                "this system has no default data directory: give `--store FILE` or `--data FOLDER`",
            )
        })?;
        Ok(Store::open(path)?)
    }

    /// Opens the store for reading, without creating it; one of an earlier version is upgraded. A store that the command line
    /// names must exist; if the default one does not, nothing has been stored yet.
    pub(crate) fn stored(&self) -> Result<Store, Failure> {
        match &self.store {
            Some(path) if !path.exists() && self.names_store => {
                let message = format!("there is no store {}", path.display());
                Err(Error::new(ErrorCode::StoreFailed, message).into())
            }
            Some(path) if !path.exists() => Ok(Store::memory()?),
            Some(path) => match Store::reading(path) {
                Ok(Some(store)) => Ok(store),
                Err(error) if error.reason != Some("earlier_version") => Err(error.into()),
                _ => self.store(),
            },
            None => self.store(),
        }
    }

    /// The path of the store for readers, after an upgrade if it has an earlier version.
    pub(crate) fn store_to_read(&self) -> Option<PathBuf> {
        let path = self.store.clone()?;
        // A store that cannot be opened is reported by the operation that needs it.
        let _ = Store::existing(&path);
        Some(path)
    }

    /// From now on an interrupt stops the searches instead of ending the program.
    pub(crate) fn on_interrupt(&self) {
        let stop = self.stop.clone();
        // Fails only if a handler is already set, which then does the same.
        let _ = ctrlc::set_handler(move || {
            if stop.stopped() {
                kill_programs();
                std::process::exit(130);
            }
            stop.stop();
        });
    }

    /// From now on an interrupt ends the external programs, which do not receive it, and then this program.
    pub(crate) fn end_on_interrupt(&self) {
        let _ = ctrlc::set_handler(|| {
            kill_programs();
            std::process::exit(130);
        });
    }

    /// Calls an operation that makes no reports.
    pub(crate) fn ask<Q, A>(
        &self,
        operation: impl Fn(&Service, Q, &mut Call<'_, NoInfo>) -> Result<A, Error>,
        request: Q,
    ) -> Result<A, Failure> {
        self.ask_by(&WallClock::default(), operation, request, &mut |_| {})
    }

    /// Calls an operation, by this clock; `info` receives its reports.
    pub(crate) fn ask_by<Q, A, I>(
        &self,
        clock: &dyn Clock,
        operation: impl Fn(&Service, Q, &mut Call<'_, I>) -> Result<A, Error>,
        request: Q,
        info: &mut (dyn FnMut(I) + Send),
    ) -> Result<A, Failure> {
        let mut call = Call {
            sessions: &Sessions::default(),
            stop: &self.stop,
            clock,
            info: Mutex::new(info),
            stop_other: &|_| false,
            permit: None,
        };
        Ok(self.service.call(operation, request, &mut call)?)
    }

    /// 0, or 130 after an interrupt.
    pub(crate) fn code(&self) -> u8 {
        if self.stop.stopped() { 130 } else { 0 }
    }
}

/// The moves given with a position, as one text: the shell splits words, and a move may consist of several.
pub(crate) fn given(place: &Place) -> Option<String> {
    let moves = place.moves.join(" ");
    if moves.trim().is_empty() { None } else { Some(moves) }
}

/// A request about a position.
pub(crate) fn about<T>(place: &Place, own: T) -> PositionRequest<T> {
    let Place { game, rules, position, .. } = place.clone();
    let moves = given(place).into_iter().collect();
    PositionRequest { place: messages::Place { game, rules, position, moves }, own }
}

/// Limits as a request carries them.
pub(crate) fn limits(args: &LimitArgs) -> LimitsRequest {
    LimitsRequest {
        time_ms: args.time.map(Milliseconds),
        nodes: args.nodes,
        playouts: args.playouts,
        depth: args.depth,
        ..LimitsRequest::default()
    }
}

/// The number of processors: games or searches that run at once.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether the text of a position in a dialect is read as the same position.
///
/// # Errors
/// Where it is not read at all.
fn reads_back(game: &dyn AnyGame, rules: Option<&str>, state: &dyn AnyState, dialect: &str) -> Result<bool, Error> {
    let text = state.position(dialect);
    let again = game.state(rules, Some(&text))?;
    Ok(if game.info().remembers { again.position(dialect) == text } else { again.key() == state.key() })
}
