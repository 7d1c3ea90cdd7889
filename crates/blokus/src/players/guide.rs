//! The paper's programs as settings of the one tree search. Their differences are keys, and so is every point that the
//! paper leaves open.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use banmen_catalog::{Data, Error, Key, Kind, Options, PlayerEntry, mcts_settings};
use banmen_game::{PlayoutEnd, Rng, Side};
use banmen_search::mcts::{AmafUpdate, Expansion, Guide, IndexedAmaf, Mcts, Order, Payload, Settings};
use banmen_search::{Limits, Player};

use super::SOURCE;
use super::policy::{POLICIES, Policy, Sums};
use super::ratings::{NAMES, Ratings};
use crate::game::Blokus;
use crate::moves::{Move, MoveSet};
use crate::playout;
use crate::position::Position;

const SILENT: &str = "the paper does not say";

const PLAYOUTS: Key = Key::new(
    "playouts",
    Kind::Maximum(1_000_000_000),
    "0",
    "maximum playouts per move, in addition to the limits of the match; 0: no maximum",
    "3.1: 10 s per move, about 1,680, 2,980 and 8,720 playouts in three positions",
);
const C: Key = Key::new(
    "c",
    Kind::Number(0.0, 100.0),
    "0.1",
    "weight of exploration",
    "the paper does not say; tuned: docs/reproductions.md, experiment blokus-c",
);
pub(crate) const PLAYOUT: Key = Key::new(
    "playout",
    Kind::Choice(&["uniform", "roulette", "best-of-two"]),
    "uniform",
    "how a placement is chosen: each alike, by its strength among all, or the stronger of two",
    "3.2.1",
);
pub(super) const RATINGS: Key = Key::new(
    "ratings",
    Kind::File(NAMES),
    "own",
    "strengths of moves: of the pieces and squares as the side to move sees them (own) or the same for both sides \
     (absolute), or of the features of the engine's priors; fitted to 40 games, 400 or 4,000; or a file",
    "2.3: not stated",
);
const ORDER: Key = Key::new(
    "order",
    Kind::Choice(&["shuffled", "listed"]),
    "shuffled",
    "order in which children are first visited: random, or the smallest piece first",
    SILENT,
);
const THRESHOLD: Key =
    Key::new("threshold", Kind::Integer(1, 1_000_000), "1", "visits of a leaf before it is expanded", SILENT);
const CHOICE: Key = Key::new(
    "choice",
    Kind::Choice(&["visits", "simulations", "mean"]),
    "visits",
    "which move is played: most visits, most of them without AMAF's, or highest mean",
    SILENT,
);
/// With AMAF the visits of a child say how often its move is made at all, and 60 of 60 games against plain UCT were lost by
/// playing the move with most of them. A weight of exploration above 0 makes it weaker too (`docs/reproductions.md`).
const AMAF_CHOICE: Key =
    Key { default: "simulations", source: "the paper does not say; docs/reproductions.md", ..CHOICE };
const AMAF_C: Key = Key { default: "0", source: "the paper does not say; docs/reproductions.md", ..C };
const TABLE: Key = Key::new(
    "table",
    Kind::Integer(1, 4096),
    "64",
    "memory of the tree in MiB; when it is full the search continues without adding nodes",
    "a million nodes",
);
const UPDATES: Key = Key::new(
    "amaf",
    Kind::Choice(&["path", "root", "off"]),
    "path",
    "where later moves of a simulation count as visits of their children: at every node of the path, the root, nowhere",
    "3.1 does not say; the updates of table 1 grow as with path",
);
const RAVE: Key = Key::new(
    "rave",
    Kind::Number(0.0, 1e6),
    "0",
    "with amaf=off: parent visits at which a separate AMAF mean counts as much as the child's own; 0: none",
    "Gelly and Silver 2007; not in the paper",
);
const OTHER_SIZES: Key = Key::new(
    "other-sizes",
    Kind::Number(0.0, 1.0),
    "0",
    "weight of an AMAF update whose piece has another size than the one played",
    "3.3: only the same size is updated equally, which may mean less weight or none",
);

/// The keys of the player `uct`.
pub(crate) const UCT: &[Key] = &[PLAYOUTS, C, PLAYOUT, RATINGS, ORDER, THRESHOLD, CHOICE, TABLE];

/// Those of `amaf`.
pub(crate) const AMAF: &[Key] =
    &[PLAYOUTS, AMAF_C, PLAYOUT, RATINGS, UPDATES, RAVE, ORDER, THRESHOLD, AMAF_CHOICE, TABLE];

/// Those of `amaf-size`.
const AMAF_SIZE: &[Key] =
    &[PLAYOUTS, AMAF_C, PLAYOUT, RATINGS, UPDATES, OTHER_SIZES, ORDER, THRESHOLD, AMAF_CHOICE, TABLE];

/// The guide of the programs' tree search: playouts by ratings, and the weights of AMAF updates.
#[derive(Clone, Debug)]
pub(crate) struct RatedGuide {
    policy: Policy,
    ratings: Arc<Ratings>,
    /// The weight of AMAF updates between pieces of different sizes.
    other_sizes: f64,
    /// Counts AMAF updates, for a measurement.
    updates: Option<Arc<AtomicU64>>,
}

/// The buffers of a playout.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    moves: MoveSet,
    sums: Sums,
}

impl RatedGuide {
    /// From the values of a program's keys.
    ///
    /// # Errors
    /// As for [`Ratings::chosen`].
    pub(crate) fn new(options: &Options, data: &Data, updates: Option<Arc<AtomicU64>>) -> Result<RatedGuide, Error> {
        Ok(RatedGuide {
            policy: options.chosen("playout", POLICIES),
            ratings: Ratings::chosen(options, data)?,
            other_sizes: if options.has("other-sizes") { options.number("other-sizes") } else { 1.0 },
            updates,
        })
    }

    /// One playout.
    pub(crate) fn play_out(
        &self,
        game: &Blokus,
        position: &mut Position,
        rng: &mut Rng,
        Buffers { moves, sums }: &mut Buffers,
        mut played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        // What was placed before the playout is not known here.
        let last = Cell::new(Move::PASS);
        let played = |side, m| {
            last.set(m);
            played(side, m);
        };
        // A loop for each policy, so that no move tests which policy it is.
        let ratings = &*self.ratings;
        macro_rules! run {
            ($policy:expr) => {
                playout::run(
                    game,
                    position,
                    u32::MAX,
                    moves,
                    |position, moves| $policy.choose(ratings, game, position, last.get(), moves, sums, rng),
                    played,
                )
            };
        }
        match self.policy {
            Policy::Uniform => run!(Policy::Uniform),
            Policy::Roulette => run!(Policy::Roulette),
            Policy::BestOfTwo => run!(Policy::BestOfTwo),
        }
    }
}

impl Guide<Blokus> for RatedGuide {
    type Scratch = Buffers;

    fn playout(
        &mut self,
        game: &Blokus,
        position: &mut Position,
        (): &mut (),
        rng: &mut Rng,
        buffers: &mut Buffers,
        played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        self.play_out(game, position, rng, buffers, played)
    }

    fn amaf_weight(&mut self, _: &Blokus, update: &AmafUpdate<Move>) -> f64 {
        let size = |m: Move| m.piece().map(crate::Piece::size);
        let weight = if size(update.played) == size(update.later) { 1.0 } else { self.other_sizes };
        if let Some(updates) = &self.updates {
            updates.fetch_add(u64::from(weight > 0.0), Ordering::Relaxed);
        }
        weight
    }
}

/// The settings that a program's keys give.
fn settings(options: &Options) -> Settings {
    let expansion = Expansion { order: Order::Shuffled, ..Expansion::default() };
    mcts_settings(Settings { expansion, ..Settings::default() }, options)
}

/// Makes the search of a program, with the payload `X`.
///
/// # Errors
/// When the settings contradict each other, and as for [`Ratings::chosen`].
pub(crate) fn search<X: Payload<Blokus>>(
    game: &Blokus,
    options: &Options,
    data: &Data,
    updates: Option<Arc<AtomicU64>>,
    seed: u64,
) -> Result<Mcts<Blokus, RatedGuide, X>, Error> {
    let guide = RatedGuide::new(options, data, updates)?;
    let mut player = Mcts::new(game, settings(options), guide, seed)?;
    player.limits = Limits { playouts: options.maximum("playouts"), ..Limits::default() };
    Ok(player)
}

fn make(game: &Blokus, options: &Options, seed: u64, data: &Data) -> Result<Box<dyn Player<Blokus>>, Error> {
    let Settings { amaf, rave, .. } = settings(options);
    Ok(match (amaf, rave) {
        (None, None) => Box::new(search::<()>(game, options, data, None, seed)?),
        _ => Box::new(search::<IndexedAmaf>(game, options, data, None, seed)?),
    })
}

fn entry(name: &'static str, summary: &'static str, keys: &'static [Key]) -> PlayerEntry<Blokus> {
    PlayerEntry { name, summary, source: SOURCE, keys, make }
}

/// The base program.
pub(crate) fn uct() -> PlayerEntry<Blokus> {
    entry("uct", "the paper's base program: UCB1, random playouts, a node a playout", UCT)
}

/// The program with AMAF.
pub(crate) fn amaf() -> PlayerEntry<Blokus> {
    entry("amaf", "the paper's program with AMAF: later moves of a simulation count as visits of their nodes", AMAF)
}

/// The program with the improved AMAF.
pub(crate) fn amaf_size() -> PlayerEntry<Blokus> {
    entry("amaf-size", "the paper's program with the improved AMAF: only moves with pieces of the same size", AMAF_SIZE)
}

#[cfg(test)]
mod tests {
    use banmen_catalog::ErrorCode;
    use banmen_game::{Game, GameState};
    use banmen_search::mcts::{AmafUpdates, FinalMove, Selection};
    use banmen_search::{Budget, StopFlag};

    use super::*;

    #[test]
    fn every_value_of_every_key_reaches_its_own_setting() {
        for keys in [UCT, AMAF, AMAF_SIZE] {
            for key in keys.iter().filter(|key| key.name != "playouts") {
                let texts = key.kind.extremes();
                let made: Vec<_> = texts
                    .iter()
                    .map(|text| {
                        let options = Options::new(keys, &[(key.name, text)]).expect("a value in range");
                        let guide = RatedGuide::new(&options, &Data::default(), None).expect("embedded ratings");
                        let ratings = Arc::as_ptr(&guide.ratings);
                        (settings(&options), guide.policy, guide.other_sizes.to_bits(), ratings)
                    })
                    .collect();
                for (at, one) in made.iter().enumerate() {
                    assert!(!made[..at].contains(one), "{}={} is like another value", key.name, texts[at]);
                }
            }
        }
        let limited = Options::new(UCT, &[("playouts", "7")]).expect("a value in range");
        let limits =
            search::<()>(&Blokus::STANDARD, &limited, &Data::default(), None, 1).expect("no contradiction").limits;
        assert_eq!(limits.playouts, Some(7));
    }

    #[test]
    fn programs_differ_in_amaf_and_what_it_needs() {
        let read = |keys| {
            let options = Options::new(keys, &[]).expect("the defaults");
            (settings(&options), RatedGuide::new(&options, &Data::default(), None).expect("embedded ratings"))
        };
        let [(uct, _), (amaf, plain), (sized, by_size)] = [UCT, AMAF, AMAF_SIZE].map(read);
        assert_eq!((uct.amaf, amaf.amaf), (None, Some(AmafUpdates::default())));
        let (selection, final_move) = (Selection::Ucb1 { c: 0.0 }, FinalMove::Simulations);
        assert_eq!(Settings { amaf: None, ..amaf }, Settings { selection, final_move, ..uct });
        assert_eq!(sized, amaf);
        assert_eq!((plain.other_sizes, by_size.other_sizes), (1.0, 0.0));
        let made = |pairs: &[(&str, &str)]| {
            let options = Options::new(AMAF, pairs).expect("values in range");
            make(&Blokus::STANDARD, &options, 1, &Data::default()).map(drop)
        };
        assert!(made(&[("amaf", "off"), ("rave", "500")]).is_ok());
        let both = made(&[("rave", "500")]).expect_err("AMAF results in two places");
        assert_eq!(both.code, ErrorCode::BadPlayer);
    }

    #[test]
    fn improved_amaf_takes_pieces_of_the_same_size() {
        let game = Blokus::STANDARD;
        // The number of AMAF updates with a weight above 0 in a search from a random position.
        let amaf_updates = |other_sizes: &str| {
            let options = Options::new(AMAF_SIZE, &[("other-sizes", other_sizes), ("amaf", "root")]);
            let updates = Arc::new(AtomicU64::new(0));
            let mut search: Mcts<Blokus, RatedGuide, IndexedAmaf> =
                search(&game, &options.expect("values in range"), &Data::default(), Some(Arc::clone(&updates)), 3)
                    .expect("a search");
            let mut state = GameState::new(game);
            let mut rng = Rng::new(9);
            for _ in 0..6 {
                let legal = game.moves(state.position());
                state.play(legal[rng.index(legal.len())]);
            }
            search.begin(&state);
            let (clock, stop) = (banmen_catalog::WallClock::default(), StopFlag::default());
            let mut budget = Budget::start(&Limits::default(), &clock, &stop);
            search.run(&mut budget, &Limits { playouts: Some(300), ..Limits::default() }, |_| {});
            updates.load(Ordering::Relaxed)
        };
        let (same, all) = (amaf_updates("0"), amaf_updates("1"));
        assert!(0 < same && same < all, "{same} of {all}");
    }
}
