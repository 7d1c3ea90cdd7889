//! Players that live on between calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, Error};

use crate::Service;

/// A player and where it was last asked.
pub(crate) struct Seat {
    pub(crate) player: Box<dyn AnyPlayer>,
    seed: u64,
    moves: Vec<u32>,
}

impl Seat {
    pub(crate) fn new(player: Box<dyn AnyPlayer>, seed: u64) -> Self {
        Seat { player, seed, moves: Vec::new() }
    }

    /// Tells the player of a new game when the game state does not go on from where it was last asked.
    pub(crate) fn follow(&mut self, state: &dyn AnyState) -> Result<(), Error> {
        let moves = state.moves();
        if !moves.starts_with(&self.moves) {
            self.player.new_game(state, self.seed)?;
        }
        self.moves = moves;
        Ok(())
    }
}

/// What a session was opened for.
#[derive(PartialEq, Eq)]
struct Purpose {
    game: &'static str,
    player: String,
    seed: u64,
    rules: Option<String>,
    position: Option<String>,
}

struct Session {
    purpose: Purpose,
    seat: Arc<Mutex<Seat>>,
    used: u64,
}

/// Where sessions are kept: those of one connection, or of all connections of a server, which then share its memory.
pub struct SessionCache {
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    clock: u64,
    connections: u64,
    sessions: HashMap<(u64, String), Session>,
}

impl SessionCache {
    /// Keeps at most `most` sessions; the one used longest ago gives way.
    #[must_use]
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(SessionCache { most, kept: Mutex::default() })
    }

    /// Sessions kept now.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().sessions.len()
    }

    /// Whether no session is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Takes sessions away until at most `most` of those that `counts` says are left.
    fn make_room(&mut self, most: usize, counts: impl Fn(u64) -> bool) {
        while self.sessions.keys().filter(|(connection, _)| counts(*connection)).count() > most {
            let counted = self.sessions.iter().filter(|((connection, _), _)| counts(*connection));
            let Some(oldest) = counted.min_by_key(|(_, session)| session.used).map(|(key, _)| key.clone()) else {
                return;
            };
            self.sessions.remove(&oldest);
        }
    }
}

/// The sessions of one connection, by name. A name that returns with another game, player, seed, rules or start
/// position begins a new session, and so does one whose player panicked. They end with the connection.
pub struct Sessions {
    shelf: Arc<SessionCache>,
    connection: u64,
}

impl Default for Sessions {
    /// On a shelf of their own.
    fn default() -> Self {
        Sessions::on(&SessionCache::new(usize::MAX))
    }
}

impl Sessions {
    /// The sessions of one more connection on a shared shelf.
    #[must_use]
    pub fn on(shelf: &Arc<SessionCache>) -> Self {
        let mut kept = shelf.lock();
        kept.connections += 1;
        Sessions { shelf: Arc::clone(shelf), connection: kept.connections }
    }

    /// The seat of session `name`, made where there is none that fits; the connection's session that was used longest
    /// ago gives way when there would be more than the door allows.
    #[expect(clippy::too_many_arguments, reason = "what identifies a session")]
    pub(crate) fn seat(
        &self,
        name: &str,
        game: &dyn AnyGame,
        player: &str,
        seed: u64,
        rules: Option<&str>,
        position: Option<&str>,
        service: &Service,
    ) -> Result<Arc<Mutex<Seat>>, Error> {
        let purpose = Purpose {
            game: game.info().name,
            player: player.to_owned(),
            seed,
            rules: rules.map(str::to_owned),
            position: position.map(str::to_owned),
        };
        let key = (self.connection, name.to_owned());
        let mut kept = self.shelf.lock();
        kept.clock += 1;
        let used = kept.clock;
        if let Some(session) = kept.sessions.get_mut(&key)
            && session.purpose == purpose
            && !session.seat.is_poisoned()
        {
            session.used = used;
            return Ok(Arc::clone(&session.seat));
        }
        // A player may take its time to be made; others need not wait for it.
        drop(kept);
        let seat = Arc::new(Mutex::new(Seat::new((service.make_player)(game, rules, player, seed)?, seed)));
        let mut kept = self.shelf.lock();
        kept.sessions.insert(key, Session { purpose, seat: Arc::clone(&seat), used });
        kept.make_room(service.policy.sessions.max(1), |connection| connection == self.connection);
        kept.make_room(self.shelf.most.max(1), |_| true);
        Ok(seat)
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.shelf.lock().sessions.retain(|(connection, _), _| *connection != self.connection);
    }
}
