//! Players that are kept between requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, Error, ErrorCode};
use banmen_search::StopFlag;
use banmen_search::threads::lock;

use crate::Service;

/// A player and the moves of the position that it searched last.
pub(crate) struct SessionPlayer {
    pub(crate) player: Box<dyn AnyPlayer>,
    seed: u64,
    moves: Vec<u32>,
}

impl SessionPlayer {
    pub(crate) fn new(player: Box<dyn AnyPlayer>, seed: u64) -> Self {
        SessionPlayer { player, seed, moves: Vec::new() }
    }

    /// Starts a new game for the player when the game state does not continue the one before.
    pub(crate) fn follow(&mut self, state: &dyn AnyState) -> Result<(), Error> {
        let moves = state.moves();
        if !moves.starts_with(&self.moves) {
            self.player.new_game(state, self.seed)?;
        }
        self.moves = moves;
        Ok(())
    }
}

/// The session's player, when the requests before this one are answered: those of one session are in sequence.
///
/// # Errors
/// `stopped` when it is stopped before; `internal` when the player has panicked: later requests get another one.
pub(crate) fn turn<'e>(
    entry: &'e Mutex<SessionPlayer>,
    stop: &StopFlag,
) -> Result<MutexGuard<'e, SessionPlayer>, Error> {
    loop {
        match entry.try_lock() {
            Ok(player) => return Ok(player),
            Err(TryLockError::Poisoned(_)) => {
                return Err(Error::new(ErrorCode::Internal, "internal error: the request was aborted"));
            }
            Err(TryLockError::WouldBlock) if stop.stopped() => {
                let message = "the search was stopped before the one before it in its session had ended";
                return Err(Error::new(ErrorCode::Stopped, message));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// What identifies the player of a session.
#[derive(PartialEq, Eq)]
struct Identity {
    game: &'static str,
    player: String,
    seed: u64,
    rules: Option<String>,
    position: Option<String>,
}

struct Session {
    identity: Identity,
    entry: Arc<Mutex<SessionPlayer>>,
    used: u64,
}

/// A cache of sessions: of one connection, or shared by all connections of a server.
pub struct SessionCache {
    most: usize,
    state: Mutex<CacheState>,
}

#[derive(Default)]
struct CacheState {
    clock: u64,
    connections: u64,
    sessions: HashMap<(u64, String), Session>,
}

impl SessionCache {
    /// Keeps at most `most` sessions; the least recently used one is dropped for a new one.
    #[must_use]
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(SessionCache { most, state: Mutex::default() })
    }

    /// The number of sessions.
    #[must_use]
    pub fn len(&self) -> usize {
        lock(&self.state).sessions.len()
    }

    /// Whether there is no session.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl CacheState {
    /// The player of a session, which counts as used now; `None` if there is none of this name, or one with another identity or
    /// whose player has panicked.
    fn used(&mut self, key: &(u64, String), identity: &Identity) -> Option<Arc<Mutex<SessionPlayer>>> {
        self.clock += 1;
        let session = self.sessions.get_mut(key)?;
        if session.identity != *identity || session.entry.is_poisoned() {
            return None;
        }
        session.used = self.clock;
        Some(Arc::clone(&session.entry))
    }

    /// Drops the least recently used sessions of the selected connections until at most `most` of them are left.
    fn evict(&mut self, most: usize, selects: impl Fn(u64) -> bool) {
        while self.sessions.keys().filter(|(connection, _)| selects(*connection)).count() > most {
            let counted = self.sessions.iter().filter(|((connection, _), _)| selects(*connection));
            let Some(oldest) = counted.min_by_key(|(_, session)| session.used).map(|(key, _)| key.clone()) else {
                return;
            };
            self.sessions.remove(&oldest);
        }
    }
}

/// The sessions of one connection, by name. A request whose game, player, seed, rules or start position
/// differ starts a new session under the same name, and so does one after a panic of the player. They end with the
/// connection.
pub struct Sessions {
    cache: Arc<SessionCache>,
    connection: u64,
}

impl Default for Sessions {
    /// In a cache of their own.
    fn default() -> Self {
        Sessions::new(&SessionCache::new(usize::MAX))
    }
}

impl Sessions {
    /// The sessions of a new connection, in a shared cache.
    #[must_use]
    pub fn new(cache: &Arc<SessionCache>) -> Self {
        let mut state = lock(&cache.state);
        state.connections += 1;
        Sessions { cache: Arc::clone(cache), connection: state.connections }
    }

    /// The player of session `name`, made if there is none that matches; drops the least recently used session of the
    /// connection when it has more than the policy allows.
    #[expect(clippy::too_many_arguments, reason = "what identifies a session")]
    pub(crate) fn player(
        &self,
        name: &str,
        game: &dyn AnyGame,
        player: &str,
        seed: u64,
        rules: Option<&str>,
        position: Option<&str>,
        service: &Service,
        stop: &StopFlag,
    ) -> Result<Arc<Mutex<SessionPlayer>>, Error> {
        let identity = Identity {
            game: game.info().name,
            player: player.to_owned(),
            seed,
            rules: rules.map(str::to_owned),
            position: position.map(str::to_owned),
        };
        let key = (self.connection, name.to_owned());
        if let Some(entry) = lock(&self.cache.state).used(&key, &identity) {
            return Ok(entry);
        }
        // Unlocked: making a player may take long.
        let made = SessionPlayer::new((service.make_player)(game, rules, player, seed, stop)?, seed);
        let mut state = lock(&self.cache.state);
        // Another request of the session may have made one meanwhile.
        if let Some(entry) = state.used(&key, &identity) {
            return Ok(entry);
        }
        let entry = Arc::new(Mutex::new(made));
        let used = state.clock;
        state.sessions.insert(key, Session { identity, entry: Arc::clone(&entry), used });
        state.evict(service.policy.sessions.max(1), |connection| connection == self.connection);
        state.evict(self.cache.most.max(1), |_| true);
        Ok(entry)
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        lock(&self.cache.state).sessions.retain(|(connection, _), _| *connection != self.connection);
    }
}
