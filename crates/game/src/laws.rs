//! The laws: a conformance suite that every game's tests run in a few lines.
//!
//! ```text
//! let laws = Laws::default();
//! laws.rules(&game);
//! laws.notation(&game);
//! laws.perft(&game, PassCost::Ply, &[4, 12, 56, 244]);
//! ```
//!
//! Every check plays seeded random games, and panics with the position and the fault when a law is broken.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash, RandomState};
use std::ops::ControlFlow;

use crate::{
    FastPlayout, Fault, Game, GameState, History, MoveIndex, Notation, Outcome, PassCost, PlayoutEnd, Rng, Side,
    Symmetries, mix, perft,
};

/// How many games and moves the laws check.
#[derive(Clone, Copy, Debug)]
pub struct Laws {
    /// Random games played for each law.
    pub games: usize,
    /// Moves checked in one position: where it has more, a random sample of this size.
    pub moves: usize,
    /// Seed of the random games.
    pub seed: u64,
}

impl Default for Laws {
    fn default() -> Self {
        Laws { games: 200, moves: 2_000, seed: 1 }
    }
}

/// Moves tried in each position that does not list them: so many that were listed elsewhere, and as many of random
/// bits.
const UNLISTED: usize = 64;

/// How many listed moves are remembered at most, to be tried in positions that do not list them.
const MAX_KNOWN: usize = 1 << 12;

/// The length in plies of a line that is tried and taken back.
const DETOUR: usize = 6;

/// A playthrough writes at most so many moves of a position.
const MAX_WRITTEN: usize = 100;

/// The keys of the positions seen so far.
struct Keys<P> {
    of: HashMap<P, u64>,
    /// For each key the hash of its position, which takes less memory than the position.
    hashes: HashMap<u64, u64>,
    hasher: RandomState,
}

impl<P> Default for Keys<P> {
    fn default() -> Self {
        Keys { of: HashMap::new(), hashes: HashMap::new(), hasher: RandomState::new() }
    }
}

impl<P: Clone + Eq + Hash + Debug> Keys<P> {
    /// The position has the key that it had before, and no other position has it.
    fn check<G: Game<Position = P>>(&mut self, game: &G, position: &P) {
        let key = game.key(position);
        let known = *self.of.entry(position.clone()).or_insert(key);
        assert_eq!(known, key, "a position that is reached in two ways has two keys: {position:?}");
        let hash = self.hasher.hash_one(position);
        assert_eq!(*self.hashes.entry(key).or_insert(hash), hash, "two positions share the key of {position:?}");
    }
}

/// The turn that a random game is in.
#[derive(Clone, Copy)]
struct Turn {
    side: Side,
    /// Its decisions so far, the current one counted.
    made: u32,
    /// The most that it has, by the least of what [`Game::decisions_left`] said at each of them.
    most: u32,
}

impl Turn {
    /// The turn at a state, which follows `last`; `None` where the game is over.
    fn after<G: Game>(last: Option<Turn>, state: &GameState<G>) -> Option<Turn> {
        if state.outcome().is_some() {
            return None;
        }
        let side = state.side_to_move();
        let (made, most) = last.filter(|last| last.side == side).map_or((0, u32::MAX), |last| (last.made, last.most));
        let most = most.min(made.saturating_add(state.decisions_left()));
        Some(Turn { side, made: made + 1, most })
    }
}

/// Slow and obvious rules of the same game, with which the fast ones are compared.
pub trait Reference<G: Game>: Sized {
    /// The reference's own state for this position.
    fn of(game: &G, position: &G::Position) -> Self;
    /// The legal moves, in any order.
    fn moves(&self, game: &G) -> Vec<G::Move>;
    /// Plays one of them.
    fn play(&mut self, game: &G, m: G::Move);
    /// How the game ended, or `None`.
    fn outcome(&self, game: &G) -> Option<Outcome>;
}

/// Compares golden playthroughs with the file that keeps them. Where the environment has `UPDATE_GOLDEN`, the file is
/// written first: review its difference.
///
/// # Panics
/// When they differ, or when the file cannot be read or written.
#[expect(clippy::disallowed_methods, reason = "a test's own file")]
pub fn assert_golden(path: &str, played: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, played).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let kept = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(played, kept, "the games of {path} are played differently");
}

impl Laws {
    /// Listed moves are distinct, legal and playable, and no other move is legal unless the game
    /// [accepts more](Game::accepts_unlisted); outcome and moves exclude each other; positions that are equal, however
    /// they were reached, have equal keys, and different positions have different keys, as far as seen; moves survive
    /// packing; what is pushed onto a history is undone by popping; turns and games are not longer than the game says.
    ///
    /// # Panics
    /// When a law is broken.
    pub fn rules<G: Game>(&self, game: &G) {
        let mut keys = Keys::default();
        // Moves that were listed somewhere, by their bits: tried where they are not listed.
        let mut known: Vec<u32> = Vec::new();
        let mut turn: Option<Turn> = None;
        self.random_games(game, |state, rng| {
            let position = state.position();
            let listed = game.moves(position);
            turn = Turn::after(turn.filter(|_| !state.moves().is_empty()), state);
            assert_eq!(
                game.outcome(position, &G::History::default()).is_none(),
                !listed.is_empty(),
                "a position is over exactly when it lists no move: {position:?}"
            );
            assert_eq!(game.count_moves(position), listed.len(), "count_moves counts the listed moves of {position:?}");
            assert!(game.decisions_left(position) >= 1, "a decision is left in {position:?}");
            if let Some(Turn { made, most, .. }) = turn {
                assert!(made <= most, "a turn has {made} decisions, but decisions_left() said {most}: {position:?}");
            }
            let packed: HashSet<u32> = listed.iter().map(|&m| game.pack(m)).collect();
            assert_eq!(packed.len(), listed.len(), "moves are distinct, also packed, in {position:?}");
            keys.check(game, position);
            for m in self.sample(&listed, rng) {
                assert!(game.is_legal(position, m), "{m:?} is listed and so legal in {position:?}");
                assert_eq!(game.unpack(game.pack(m)), Some(m), "{m:?} survives packing");
                let mut once = position.clone();
                game.play(&mut once, m);
                let mut twice = position.clone();
                game.play(&mut twice, m);
                assert_eq!(once, twice, "playing {m:?} always leads to the same position");
                keys.check(game, &once);
            }
            let mut tried: Vec<u32> = (0..UNLISTED).map(|index| rng.bits() as u32 >> (index % 32)).collect();
            if !known.is_empty() {
                tried.extend((0..UNLISTED).map(|_| known[rng.index(known.len())]));
            }
            for bits in tried {
                if let Some(m) = game.unpack(bits).filter(|_| !packed.contains(&bits)) {
                    assert!(
                        game.accepts_unlisted() || !game.is_legal(position, m),
                        "{m:?} is legal, but not listed, in {position:?}"
                    );
                }
            }
            if !listed.is_empty() && known.len() < MAX_KNOWN {
                known.extend((0..UNLISTED).map(|_| game.pack(listed[rng.index(listed.len())])));
            }
            assert!(state.moves().len() <= game.max_plies(), "a game is longer than max_plies() says");
            // A break takes effect at once.
            let mut seen = 0;
            let broken = game.visit_moves(position, |_| {
                seen += 1;
                ControlFlow::Break(())
            });
            assert_eq!((broken.is_break(), seen), (!listed.is_empty(), usize::from(!listed.is_empty())));
        });
        self.history(game);
    }

    /// Histories that were pushed and popped are equal to what they were before, in every depth of a random game, also
    /// where another line was tried in between; and so are the outcomes.
    fn history<G: Game>(&self, game: &G) {
        for index in 0..self.games {
            let mut rng = self.rng(index);
            let (mut position, mut history) = (game.start(), G::History::default());
            let mut before = Vec::new();
            while game.outcome(&position, &history).is_none() {
                before.push((position.clone(), history.clone()));
                let moves = game.moves(&position);
                // Another line, tried and taken back.
                let (mut other, mut plies) = (position.clone(), 0);
                while plies < DETOUR && game.outcome(&other, &history).is_none() {
                    let moves = game.moves(&other);
                    history.push(&other);
                    game.play(&mut other, moves[rng.index(moves.len())]);
                    plies += 1;
                }
                (0..plies).for_each(|_| history.pop());
                assert_eq!(Some(&history), before.last().map(|(_, kept)| kept), "{plies} moves were taken back");
                history.push(&position);
                game.play(&mut position, moves[rng.index(moves.len())]);
            }
            for (position, kept) in before.iter().rev() {
                history.pop();
                assert_eq!(&history, kept, "a history pushed and popped is the same, at {position:?}");
                assert_eq!(game.outcome(position, &history), None, "{position:?} was not over");
            }
        }
    }

    /// Positions, with their keys, and moves survive being written and read in every dialect; a move that is read is
    /// legal, and a move that is not legal is refused.
    ///
    /// # Panics
    /// When a law is broken.
    pub fn notation<G: Game + Notation>(&self, game: &G) {
        self.random_games(game, |state, rng| {
            let position = state.position();
            if state.outcome().is_none() {
                Self::texts(game, position);
            }
            for dialect in game.dialects() {
                let text = game.format_position(position, dialect);
                match game.parse_position(&text) {
                    Ok((rules, read)) => {
                        assert_eq!(&rules, game, "{dialect}: the rules survive `{text}`");
                        assert_eq!(&read, position, "{dialect}: the position survives `{text}`");
                        // The key of a position that was read was computed at once, and not move by move.
                        assert_eq!(game.key(&read), game.key(position), "{dialect}: the key survives `{text}`");
                    }
                    Err(error) => panic!("{dialect}: `{text}` is refused at {}: {error}", error.at),
                }
                for m in self.sample(&game.moves(position), rng) {
                    let text = game.format_move(position, m, dialect);
                    assert_eq!(game.parse_move(position, &text), Ok(m), "{dialect}: the move `{text}` in {position:?}");
                    assert_eq!(game.split_moves(&text), [text.as_str()], "{dialect}: `{text}` is one move");
                    let mut next = position.clone();
                    game.play(&mut next, m);
                    match game.parse_move(&next, &text) {
                        Ok(read) => assert!(game.is_legal(&next, read), "`{text}` is read, but not legal, in {next:?}"),
                        Err(error) => {
                            assert_eq!(error.fault, Fault::Illegal, "`{text}` is a move, though not a legal one");
                        }
                    }
                }
            }
        });
    }

    /// [`Notation::visit_texts`] visits the texts of all moves in the order of the moves, and each prefix, with the
    /// number of its moves, before the texts that begin with it.
    fn texts<G: Game + Notation>(game: &G, position: &G::Position) {
        let mut texts = Vec::new();
        let mut open: Vec<(String, usize)> = Vec::new();
        game.visit_texts(position, &mut |prefix| {
            open.retain(|&(_, left)| left > 0);
            if let Some((outer, left)) = open.last() {
                assert!(prefix.text.starts_with(&format!("{outer} ")), "`{}` does not continue `{outer}`", prefix.text);
                assert!(prefix.moves <= *left, "`{}` is {} of {left}", prefix.text, prefix.moves);
            }
            if prefix.whole {
                assert_eq!(prefix.moves, 1, "`{}` is one move", prefix.text);
                texts.push(prefix.text.to_owned());
                open.iter_mut().for_each(|(_, left)| *left -= 1);
            } else {
                open.push((prefix.text.to_owned(), prefix.moves));
            }
            true
        });
        assert!(open.iter().all(|&(_, left)| left == 0), "moves of {open:?} were not visited");
        let moves = game.moves(position).into_iter().map(|m| game.format_move(position, m, ""));
        assert!(texts.into_iter().eq(moves), "the texts are those of the moves of {position:?}");
    }

    /// Each number below the count belongs to at most one move, and each listed move has one.
    ///
    /// # Panics
    /// When a law is broken.
    pub fn move_index<G: MoveIndex>(&self, game: &G) {
        let count = game.move_count();
        for index in 0..count {
            if let Some(m) = game.indexed_move(index) {
                assert_eq!(game.move_index(m), index, "the number of {m:?}");
            }
        }
        assert_eq!(game.indexed_move(count), None, "numbers end at the count");
        assert_eq!(game.indexed_move(usize::MAX), None, "numbers end at the count");
        self.random_games(game, |state, _| {
            for m in game.moves(state.position()) {
                let index = game.move_index(m);
                assert!(index < count, "{m:?} has the number {index} of {count}");
                assert_eq!(game.indexed_move(index), Some(m));
            }
        });
    }

    /// Symmetries are permutations that commute with playing and keep outcomes; symmetry 0 changes nothing, and each has
    /// an inverse among them.
    ///
    /// # Panics
    /// When a law is broken.
    pub fn symmetries<G: Game + Symmetries>(&self, game: &G) {
        // For each symmetry those that may be its inverse.
        let mut inverses: Vec<Vec<usize>> = vec![(0..game.symmetry_count()).collect(); game.symmetry_count()];
        self.random_games(game, |state, rng| {
            let position = state.position();
            assert_eq!(&game.transform(position, 0), position, "symmetry 0 is the identity");
            for (symmetry, inverses) in inverses.iter_mut().enumerate() {
                let seen = game.transform(position, symmetry);
                assert_eq!(game.outcome(&seen, &G::History::default()), game.outcome(position, &G::History::default()));
                assert_eq!(game.count_moves(&seen), game.count_moves(position));
                inverses.retain(|&inverse| &game.transform(&seen, inverse) == position);
                for m in self.sample(&game.moves(position), rng) {
                    let transformed = game.transform_move(m, symmetry);
                    assert!(game.is_legal(&seen, transformed), "symmetry {symmetry} of {m:?} in {position:?}");
                    inverses.retain(|&inverse| game.transform_move(transformed, inverse) == m);
                    let mut first = position.clone();
                    game.play(&mut first, m);
                    let mut second = seen.clone();
                    game.play(&mut second, transformed);
                    assert_eq!(game.transform(&first, symmetry), second, "symmetry {symmetry} commutes with {m:?}");
                }
                assert!(!inverses.is_empty(), "symmetry {symmetry} has no inverse, seen at {position:?}");
            }
        });
    }

    /// The generic perft gives the published counts for depths 1, 2, 3 …
    ///
    /// # Panics
    /// When a count differs.
    pub fn perft<G: Game>(&self, game: &G, passes: PassCost, counts: &[u64]) {
        for (depth, &count) in (1..).zip(counts) {
            assert_eq!(perft(game, &game.start(), depth, passes, &|| false), Some(count), "perft at depth {depth}");
        }
    }

    /// The fast rules list the same moves and give the same outcomes as the reference, on random play.
    ///
    /// # Panics
    /// When they differ.
    pub fn reference<G: Game, R: Reference<G> + Debug>(&self, game: &G) {
        for index in 0..self.games {
            let mut rng = self.rng(index);
            let mut state = GameState::new(game.clone());
            let mut slow = R::of(game, state.position());
            loop {
                let position = state.position();
                let sorted = |moves: Vec<G::Move>| {
                    let mut packed: Vec<u32> = moves.into_iter().map(|m| game.pack(m)).collect();
                    packed.sort_unstable();
                    packed
                };
                assert_eq!(
                    sorted(game.moves(position)),
                    sorted(slow.moves(game)),
                    "moves of {position:?} and {slow:?}"
                );
                assert_eq!(state.outcome(), slow.outcome(game), "outcome of {position:?} and {slow:?}");
                let moves = game.moves(position);
                if state.outcome().is_some() {
                    break;
                }
                let m = moves[rng.index(moves.len())];
                state.play(m);
                slow.play(game, m);
            }
        }
    }

    /// The game's own uniform playout, whole or cut off, plays the same moves as drawing from the listed moves with the
    /// same random stream, and leaves the history as it was.
    ///
    /// # Panics
    /// When they differ.
    pub fn playout<G: FastPlayout>(&self, game: &G) {
        // One for all playouts: what a playout leaves in it must not change the next.
        let mut scratch = G::Scratch::default();
        self.random_games(game, |state, rng| {
            if state.outcome().is_some() {
                return;
            }
            let seed = rng.bits();
            let cap = rng.below(2 * game.max_plies() as u64) as u32;

            let (mut fast, mut history, mut played) = (state.position().clone(), state.history().clone(), Vec::new());
            let end = game.playout(&mut fast, &mut history, cap, &mut Rng::new(seed), &mut scratch, |side, m| {
                played.push((side, m));
            });
            assert_eq!(&history, state.history(), "a playout leaves the history as it was");

            let (mut slow, mut history, mut drawn) =
                (state.position().clone(), state.history().clone(), Rng::new(seed));
            let mut line = Vec::new();
            let outcome = loop {
                let outcome = game.outcome(&slow, &history);
                if outcome.is_some() || line.len() == cap as usize {
                    break outcome;
                }
                let moves = game.moves(&slow);
                let m = moves[if moves.len() > 1 { drawn.index(moves.len()) } else { 0 }];
                line.push((game.side_to_move(&slow), m));
                history.push(&slow);
                game.play(&mut slow, m);
            };
            assert_eq!(played, line, "a playout of at most {cap} moves from {:?}", state.position());
            assert_eq!(end, PlayoutEnd { outcome, plies: line.len() as u32 });
            assert_eq!(fast, slow, "a playout ends where its moves lead");
        });
    }

    /// A whole random game as text, every position with its key, its side, its legal moves, the move played, and the
    /// outcome: a golden playthrough. Of more than 100 moves their number and a hash stand for them. Kept in a file, it
    /// shows a change of the rules as a difference: see [`assert_golden`].
    pub fn playthrough<G: Game + Notation>(&self, game: &G) -> String {
        let dialect = game.dialects()[0];
        let mut rng = self.rng(0);
        let mut state = GameState::new(game.clone());
        let mut text = String::new();
        while state.outcome().is_none() {
            let position = state.position();
            let moves = game.moves(position);
            let written = |m: G::Move| game.format_move(position, m, dialect);
            let listed = if moves.len() <= MAX_WRITTEN {
                moves.iter().map(|&m| written(m)).collect::<Vec<_>>().join(" ")
            } else {
                let hash = moves.iter().fold(0, |hash, &m| mix(hash ^ u64::from(game.pack(m))));
                format!("{} moves, {hash:016x}", moves.len())
            };
            let m = moves[rng.index(moves.len())];
            let (place, side) = (game.format_position(position, dialect), state.side_to_move().name());
            let key = game.key(position);
            text += &format!("{place}\n  {side} to move, key {key:016x}: {listed}\n  plays {}\n", written(m));
            state.play(m);
        }
        text + &format!("{}\n  {:?}\n", game.format_position(state.position(), dialect), state.outcome())
    }

    /// Plays random games from the start and calls `visit` in every position, the last one included.
    fn random_games<G: Game>(&self, game: &G, mut visit: impl FnMut(&GameState<G>, &mut Rng)) {
        for index in 0..self.games {
            let mut rng = self.rng(index);
            let mut state = GameState::new(game.clone());
            loop {
                visit(&state, &mut rng);
                if state.outcome().is_some() {
                    break;
                }
                let moves = game.moves(state.position());
                let m = moves[rng.index(moves.len())];
                state.play(m);
            }
        }
    }

    fn rng(&self, game: usize) -> Rng {
        Rng::new(self.seed.wrapping_add((game as u64) << 32))
    }

    /// All moves, or as many as [`Laws::moves`] drawn with replacement.
    fn sample<M: Copy>(&self, moves: &[M], rng: &mut Rng) -> Vec<M> {
        if moves.len() <= self.moves {
            return moves.to_vec();
        }
        (0..self.moves).map(|_| moves[rng.index(moves.len())]).collect()
    }
}
