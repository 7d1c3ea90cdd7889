//! Players that live on between calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use banmen_catalog::{AnyGame, AnyPlayer, AnyWalk, Error};

/// A player and where it was last asked.
pub(crate) struct Seat {
    pub(crate) player: Box<dyn AnyPlayer>,
    moves: Vec<u32>,
}

impl Seat {
    pub(crate) fn new(player: Box<dyn AnyPlayer>) -> Self {
        Seat { player, moves: Vec::new() }
    }

    /// Tells the player of a new game when the walk does not go on from where it was last asked.
    pub(crate) fn follow(&mut self, walk: &dyn AnyWalk) {
        let moves = walk.moves();
        if !moves.starts_with(&self.moves) {
            self.player.new_game();
        }
        self.moves = moves;
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

/// The sessions of one connection, by name. A name that returns with another game, player, seed, rules or start
/// position begins a new session.
#[derive(Default)]
pub struct Sessions(Mutex<(u64, HashMap<String, Session>)>);

impl Sessions {
    /// The seat of session `name`, made where there is none that fits; the one used longest ago gives way when there
    /// would be more than `most`.
    #[expect(clippy::too_many_arguments, reason = "what identifies a session")]
    pub(crate) fn seat(
        &self,
        name: &str,
        game: &dyn AnyGame,
        player: &str,
        seed: u64,
        rules: Option<&str>,
        position: Option<&str>,
        most: usize,
    ) -> Result<Arc<Mutex<Seat>>, Error> {
        let purpose = Purpose {
            game: game.info().name,
            player: player.to_owned(),
            seed,
            rules: rules.map(str::to_owned),
            position: position.map(str::to_owned),
        };
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (clock, sessions) = &mut *guard;
        *clock += 1;
        if let Some(session) = sessions.get_mut(name)
            && session.purpose == purpose
        {
            session.used = *clock;
            return Ok(Arc::clone(&session.seat));
        }
        let seat = Arc::new(Mutex::new(Seat::new(game.player(player, seed)?)));
        sessions.remove(name);
        if sessions.len() >= most.max(1)
            && let Some(oldest) = sessions.iter().min_by_key(|(_, session)| session.used).map(|(name, _)| name.clone())
        {
            sessions.remove(&oldest);
        }
        sessions.insert(name.to_owned(), Session { purpose, seat: Arc::clone(&seat), used: *clock });
        Ok(seat)
    }
}
