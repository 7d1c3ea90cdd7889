//! The function that answers requests, for all interfaces.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use banmen_catalog::{AnyGame, Catalog, Error, ErrorCode, WallClock};
use banmen_search::threads::lock;
use banmen_search::{Clock, StopFlag};
use schemars::Schema;
use serde_json::{Value, json};

use crate::operations::{Operation, operations};
use crate::schema::schema;
use crate::{MakePlayer, Permit, Policy, Request, Sessions, players};

/// The games, the operations, and the limits of the interface.
pub struct Service {
    /// The games.
    pub catalog: Catalog,
    /// The limits of the interface.
    pub policy: Policy,
    /// The table of operations.
    pub operations: Vec<Operation>,
    /// Makes the players that requests name.
    pub make_player: Box<MakePlayer>,
    /// Makes the clock of a search, on the search's thread.
    pub(crate) clock: fn() -> Box<dyn Clock>,
    /// Held while `build` builds a table.
    pub(crate) building: Mutex<()>,
}

/// The context of one request. Its operation reports its progress as `I`: JSON for an interface that sends it.
pub struct Call<'a, I = Value> {
    /// The sessions of the connection.
    pub sessions: &'a Sessions,
    /// Stops the search: it answers with its result so far.
    pub stop: &'a StopFlag,
    /// Measures the time of a search.
    pub clock: &'a dyn Clock,
    /// Receives what a search reports while it runs.
    pub info: Mutex<&'a mut (dyn FnMut(I) + Send)>,
    /// Stops another search of the connection by its id; returns whether it was running.
    pub stop_other: &'a dyn Fn(&Value) -> bool,
    /// The search's admission, where a [`SearchLimiter`](crate::SearchLimiter) admits searches.
    pub permit: Option<&'a Permit>,
}

impl<I> Call<'_, I> {
    /// The threads that a search may use, of those that its request asks for: all where nothing limits them.
    #[must_use]
    pub fn threads(&self, asked: usize) -> usize {
        self.permit.map_or(asked, |permit| permit.threads(asked))
    }

    /// Sends one report.
    pub(crate) fn report(&self, info: I) {
        lock(&self.info)(info);
    }
}

impl Service {
    /// A service with the operations on positions and players.
    #[must_use]
    pub fn new(catalog: Catalog, policy: Policy) -> Self {
        Service {
            catalog,
            policy,
            operations: operations(),
            make_player: Box::new(|game, rules, text, seed, _| game.partial_player(rules, text, seed)),
            clock: || Box::new(WallClock::default()),
            building: Mutex::default(),
        }
    }

    /// With times of searches measured by such a clock, which is made on the thread of each search, instead of wall time.
    #[must_use]
    pub fn with_clock(mut self, clock: fn() -> Box<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// With players from this factory instead of the games' own alone.
    #[must_use]
    pub fn with_players(mut self, make_player: Box<MakePlayer>) -> Self {
        self.make_player = make_player;
        self
    }

    /// With more operations in the table.
    #[must_use]
    pub fn with(mut self, more: impl IntoIterator<Item = Operation>) -> Self {
        self.operations.extend(more);
        self
    }

    /// The operation of this name.
    ///
    /// # Errors
    /// `unknown_op`, with the nearest name or all names.
    pub fn operation(&self, name: &str) -> Result<&Operation, Error> {
        let known = || self.operations.iter();
        known().find(|operation| operation.name == name).ok_or_else(|| {
            Error::unknown(ErrorCode::UnknownOp, "operation", name, known().map(|operation| operation.name))
        })
    }

    /// Refuses a player that needs more memory than the policy allows.
    ///
    /// # Errors
    /// `out_of_range`, with the range; a text that is no player's.
    pub fn admits(&self, game: &dyn AnyGame, player: &str) -> Result<(), Error> {
        players::within(player, game, &self.policy)
    }

    /// Answers a request in JSON. Blocks until the answer is there.
    ///
    /// # Errors
    /// Those of the operation; `internal` when it panicked, so that a bug in one search does not end the process.
    pub fn handle(&self, request: Request, call: &mut Call<'_>) -> Result<Value, Error> {
        let operation = self.operation(&request.op)?;
        self.call(&operation.run, request.body, call)
    }

    /// Answers a request by one of the functions of [`operations`](crate::operations). Blocks until the answer is there.
    ///
    /// # Errors
    /// Those of the operation; `internal` when it panicked.
    pub fn call<Q, A, I>(
        &self,
        operation: impl Fn(&Service, Q, &mut Call<'_, I>) -> Result<A, Error>,
        request: Q,
        call: &mut Call<'_, I>,
    ) -> Result<A, Error> {
        // A panic leaves no broken state behind: a session whose player panicked is replaced.
        catch_unwind(AssertUnwindSafe(|| operation(self, request, call)))
            .unwrap_or_else(|_| Err(Error::new(ErrorCode::Internal, "internal error: the request was aborted")))
    }

    /// The JSON Schema of every request for these operations and every response to one.
    #[must_use]
    pub fn schema(&self) -> Schema {
        schema(&self.operations)
    }

    /// Answers a single request, as `POST` does: without sessions, and without other searches that it could stop. `permit`
    /// is its admission, if it needed one.
    pub fn answer(&self, request: Request, stop: &StopFlag, permit: Option<&Permit>) -> Value {
        let mut ignore = |_| {};
        let clock = (self.clock)();
        let mut call = Call {
            sessions: &Sessions::default(),
            stop,
            clock: clock.as_ref(),
            info: Mutex::new(&mut ignore),
            stop_other: &|_| false,
            permit,
        };
        match self.handle(request, &mut call) {
            Ok(value) => json!({ "ok": value }),
            Err(error) => json!({ "error": error }),
        }
    }
}
