//! The tree search: the memory of its tree.

#[macro_use]
mod mcts_games;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use banmen_game::{Game, GameState, Outcome, Side};
use banmen_search::mcts::{Expansion, Guide, Mcts, Settings, Uniform};
use banmen_search::{Limits, Player, StopFlag, Task};
use mcts_games::{ConnectFour, Still, with_budget};

type Search = Mcts<ConnectFour, Uniform>;

fn search(settings: Settings) -> Search {
    Mcts::new(&ConnectFour, settings, Uniform::default(), 1).expect("the settings are sound")
}

fn playouts(count: u64) -> Limits {
    Limits { playouts: Some(count), ..Limits::default() }
}

fn run(mcts: &mut Search, count: u64) -> u64 {
    with_budget(Limits::default(), |budget| mcts.run(budget, &playouts(count), |_| {}))
}

#[test]
fn a_thrifty_tree_grows_ever_more_slowly_and_is_never_full() {
    let grown = |bytes, thrifty, count| {
        let expansion = Expansion { thrifty, ..Settings::default().expansion };
        let mut mcts = search(Settings { expansion, bytes, ..Settings::default() });
        run(&mut mcts, count);
        (mcts.statistics(), mcts.children(&[]))
    };
    // Up to half of the space it grows like any other.
    let [plain, thrifty] = [false, true].map(|thrifty| grown(100_000, thrifty, 400));
    assert!(plain.0.nodes > plain.0.capacity / 4 && plain.0.nodes < plain.0.capacity / 2, "{:?}", plain.0);
    assert_eq!(plain, thrifty);
    let [few, many] = [20_000, 100_000].map(|count| grown(1_000_000, true, count).0);
    assert!(few.nodes > few.capacity / 2 && few.nodes < many.nodes && many.nodes < many.capacity, "{few:?}, {many:?}");
    assert_eq!(many.refused, 0);
}

/// Players are made to check their keys too: more of them than memory would hold.
#[test]
fn memory_is_allocated_when_a_game_begins() {
    let many: Vec<Search> = (0..1000).map(|_| search(Settings { bytes: 64 << 30, ..Settings::default() })).collect();
    assert_eq!(many[0].statistics().capacity, (64 << 30) / 48);
    assert_eq!(many[0].statistics().nodes, 1);
    let mut one = search(Settings { bytes: 16 << 20, ..Settings::default() });
    one.new_game(&GameState::new(ConnectFour), 1);
    assert_eq!(run(&mut one, 100), 100);
}

/// A game of very many moves a turn, and of few turns.
#[derive(Clone, Debug, PartialEq)]
struct Vast;

impl Game for Vast {
    type Position = u8;
    type Move = u32;
    type History = ();

    fn start(&self) -> u8 {
        0
    }

    fn side_to_move(&self, ply: &u8) -> Side {
        if ply.is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn outcome(&self, ply: &u8, (): &()) -> Option<Outcome> {
        (*ply == 4).then_some(Outcome { winner: None, margin: None, by: "end" })
    }

    fn visit_moves<B>(&self, ply: &u8, mut visit: impl FnMut(u32) -> ControlFlow<B>) -> ControlFlow<B> {
        for m in 0..if *ply == 4 { 0 } else { 1_000_000 } {
            visit(m)?;
        }
        ControlFlow::Continue(())
    }

    fn play(&self, ply: &mut u8, _: u32) {
        *ply += 1;
    }

    fn key(&self, ply: &u8) -> u64 {
        u64::from(*ply)
    }

    fn max_plies(&self) -> usize {
        4
    }

    fn pack(&self, m: u32) -> u32 {
        m
    }

    fn unpack(&self, bits: u32) -> Option<u32> {
        Some(bits)
    }
}

/// The defaults of all hooks: no playout.
#[derive(Clone)]
struct NoPlayout;

impl Guide<Vast> for NoPlayout {
    type Scratch = ();
}

#[test]
fn million_moves_take_no_more_memory_than_the_tree() {
    // Memory for 1,300 nodes, and for the children of the root but of no other node; one level, and two, where each of a
    // million children would have a million of its own.
    for (bytes, levels) in [(1 << 16, 1), (1 << 16, 2), (60 << 20, 1), (60 << 20, 2)] {
        let fits = bytes > 1 << 20;
        let expansion = Expansion { levels, root: levels == 1, ..Settings::default().expansion };
        let settings = Settings { expansion, bytes, ..Settings::default() };
        let mut mcts = Mcts::<_, _, ()>::new(&Vast, settings, NoPlayout, 1).expect("it is sound");
        let report = mcts.think(Task {
            state: &GameState::new(Vast),
            limits: playouts(50),
            clock: &Still,
            stop: &StopFlag::default(),
            threads: 1,
            lines: 1,
            progress: None,
        });
        assert_eq!((report.best(), report.playouts), (Some(0), Some(50)));
        let statistics = mcts.statistics();
        assert_eq!(statistics.nodes, if fits { 1_000_001 } else { 1 });
        assert_eq!(statistics.refused > 0, !fits || levels == 2, "{statistics:?}");
    }
}

/// Says no at the start of a search and after its first simulation, then yes.
fn during_the_second_simulation() -> bool {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    ASKED.fetch_add(1, Ordering::Relaxed) > 1
}

#[test]
fn a_stop_ends_the_making_of_two_levels() {
    // Memory for the children of the root and of two of them.
    let expansion = Expansion { levels: 2, root: false, threshold: 1, ..Settings::default().expansion };
    let settings = Settings { expansion, bytes: 160 << 20, ..Settings::default() };
    let nodes = |stop: &StopFlag| {
        let mut mcts = Mcts::<_, _, ()>::new(&Vast, settings, NoPlayout, 1).expect("it is sound");
        let state = &GameState::new(Vast);
        let task = Task { state, limits: playouts(2), clock: &Still, stop, threads: 1, lines: 1, progress: None };
        assert_eq!(mcts.think(task).best(), Some(0));
        mcts.statistics().nodes
    };
    assert_eq!(nodes(&StopFlag::default()), 3_000_001);
    assert_eq!(
        nodes(&StopFlag::asking(during_the_second_simulation)),
        2_000_001,
        "only the first child got its children"
    );
}
