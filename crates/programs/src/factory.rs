//! Players from text: those of a game, and external programs.

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, Error, ErrorCode, PlayerText};
use banmen_protocol::MakePlayer;
use banmen_search::Limits;

use crate::command::split;
use crate::protocols::Protocol;
use crate::{Endpoint, Programs, player as program};

/// Makes the player of this text, seeded, for games under the named rules: one of the game's own, or, as
/// `PROTOCOL:COMMAND`, an external program, which runs when this returns and ends with the player.
///
/// # Errors
/// Those of [`AnyGame::player`] for the game's own players. For programs: `programs_not_allowed`, `bad_command` with the
/// place, `unsupported` when the protocol does not have the game, and `program_start` with the end of the program's
/// standard error.
pub fn player(
    game: &dyn AnyGame,
    rules: Option<&str>,
    text: &str,
    seed: u64,
    programs: &Programs,
) -> Result<Box<dyn AnyPlayer>, Error> {
    make(game, rules, text, seed, programs, |game, rules, text, seed| game.player(rules, text, seed))
}

/// [`player`] with this way to make one of the game's own.
fn make(
    game: &dyn AnyGame,
    rules: Option<&str>,
    text: &str,
    seed: u64,
    programs: &Programs,
    own: impl Fn(&dyn AnyGame, Option<&str>, &str, u64) -> Result<Box<dyn AnyPlayer>, Error>,
) -> Result<Box<dyn AnyPlayer>, Error> {
    let Some(protocol) = Protocol::of(game, text) else {
        let name = PlayerText::name_of(text);
        let players = game.players();
        // With a colon the unknown name may be meant as a protocol.
        if programs.allowed && text.contains(':') && players.iter().all(|player| player.name != name) {
            let known = players.iter().map(|player| player.name).chain(Protocol::names());
            return Err(Error::unknown(ErrorCode::UnknownPlayer, "player or protocol", name, known));
        }
        return own(game, rules, text, seed);
    };
    // A browser starts none, so that its modules are without the code that speaks to them.
    if !programs.allowed || cfg!(target_family = "wasm") {
        return Err(Error::new(ErrorCode::ProgramsNotAllowed, "external programs are not allowed here"));
    }
    program::player(game, rules, protocol, text, seed, programs)
}

/// [`player`] for a [`Service`](banmen_protocol::Service): with these settings for external programs. The game's own players need
/// not be able to play whole games ([`AnyGame::partial_player`]).
pub fn factory(programs: Programs) -> Box<MakePlayer> {
    let own = |game: &dyn AnyGame, rules: Option<&str>, text: &str, seed| game.partial_player(rules, text, seed);
    Box::new(move |game, rules, text, seed, stop| {
        make(game, rules, text, seed, &programs.clone().stopped_by(stop), own)
    })
}

/// Whether a player's text names an external program: its name is a protocol, and no player of the game has that name.
#[must_use]
pub fn is_program(game: &dyn AnyGame, text: &str) -> bool {
    Protocol::of(game, text).is_some()
}

/// Whether the player of this text waits for its program to connect. Only one game at a time can use its address.
#[must_use]
pub fn waits_for_connection(game: &dyn AnyGame, text: &str) -> bool {
    let listens = |word: &str| matches!(Endpoint::parse(word), Some(Ok(Endpoint::Listen(_))));
    is_program(game, text) && matches!(command(text).as_deref(), Some([word]) if listens(word))
}

/// Refuses the text of a player that cannot play the game under the named rules. No program is started.
///
/// # Errors
/// Those of [`player`], except that programs are allowed and need not start.
pub fn check_player(game: &dyn AnyGame, rules: Option<&str>, text: &str) -> Result<(), Error> {
    match Protocol::of(game, text) {
        Some(protocol) => program::check(game, rules, protocol, text),
        None => game.player(rules, text, 0).map(drop),
    }
}

/// Refuses limits by which the player of this text cannot play a game.
///
/// # Errors
/// `out_of_range` for a bot of riddles.io whose bank would be empty before its first move: it would lose all its turns.
pub fn check_limits(game: &dyn AnyGame, text: &str, limits: &Limits) -> Result<(), Error> {
    Protocol::of(game, text).map_or(Ok(()), |protocol| protocol.check_limits(limits))
}

/// Refuses the first position of a match, after its opening, from which the player of this text could not play: some
/// protocols cannot send it. No program is started.
///
/// # Errors
/// `unsupported`, and those of [`AnyGame::player`] for the rules.
pub fn check_opening(game: &dyn AnyGame, rules: Option<&str>, text: &str, state: &dyn AnyState) -> Result<(), Error> {
    Protocol::of(game, text).map_or(Ok(()), |protocol| protocol.check_opening(game, rules, state))
}

/// Whether the player of this text is a program that only plays games whole: no move of them can be taken back.
#[must_use]
pub fn plays_whole_games(game: &dyn AnyGame, text: &str) -> bool {
    Protocol::of(game, text).is_some_and(Protocol::plays_whole_games)
}

/// The limits that bound the player of this text: `limits` themselves, except for programs. Times are enforced for all of
/// them, but not every protocol can send nodes, playouts or a depth. That of a bot of riddles.io has only a clock; without one
/// in `limits` the bot plays with the site's.
#[must_use]
pub fn effective_limits(game: &dyn AnyGame, text: &str, limits: &Limits) -> Limits {
    Protocol::of(game, text).map_or(*limits, |protocol| protocol.effective_limits(limits))
}

/// The words of the command of an external program, given as `PROTOCOL:COMMAND`; `None` where the quoting is invalid.
#[must_use]
pub fn command(text: &str) -> Option<Vec<String>> {
    split(text.split_once(':')?.1, 0).ok()
}
