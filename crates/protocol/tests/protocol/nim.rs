//! A tiny game for the protocol tests: each move takes one to three stones from a pile, and the side that takes the
//! last stone wins (loses, under the rules `misere`). Its players misbehave in ways that a connection must handle.

use std::ops::ControlFlow;
use std::time::Duration;

use banmen_catalog::{
    Board, Catalog, Data, Entry, Error, ErrorCode, Format, HasTablebase, Header, Key, Kind, MakeFn, PlayerEntry,
    ResultTable, Solution, SolvedMove, Termination, View,
};
use banmen_game::{Game, GameState, Notation, Outcome, Side, TextError};
use banmen_search::{Limits, Player, Report, Task};

/// The largest pile.
const MAX_STONES: u16 = 999;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Nim {
    start: u16,
    misere: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pile {
    stones: u16,
    side: Side,
}

impl Game for Nim {
    type Position = Pile;
    type Move = u8;
    type History = ();

    fn start(&self) -> Pile {
        Pile { stones: self.start, side: Side::First }
    }

    fn side_to_move(&self, pile: &Pile) -> Side {
        pile.side
    }

    fn outcome(&self, pile: &Pile, (): &()) -> Option<Outcome> {
        let winner = if self.misere { pile.side } else { pile.side.other() };
        (pile.stones == 0).then_some(Outcome { winner: Some(winner), margin: None, by: "last stone" })
    }

    fn visit_moves<B>(&self, pile: &Pile, mut visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        (1..=pile.stones.min(3)).try_for_each(|taken| visit(taken as u8))
    }

    fn play(&self, pile: &mut Pile, taken: u8) {
        pile.stones -= u16::from(taken);
        pile.side = pile.side.other();
    }

    fn key(&self, pile: &Pile) -> u64 {
        u64::from(pile.stones) << 1 | pile.side.index() as u64
    }

    fn max_plies(&self) -> usize {
        usize::from(MAX_STONES)
    }

    fn pack(&self, taken: u8) -> u32 {
        taken.into()
    }

    fn unpack(&self, bits: u32) -> Option<u8> {
        u8::try_from(bits).ok().filter(|taken| (1..=3).contains(taken))
    }
}

const WORDS: [&str; 3] = ["one", "two", "three"];

impl Notation for Nim {
    fn dialects(&self) -> &'static [&'static str] {
        &["digits", "words"]
    }

    fn parse_position(&self, text: &str) -> Result<(Self, Pile), TextError> {
        let (stones, side) = text.split_once(' ').ok_or_else(|| {
            TextError::unreadable("no_side", text.chars().count(), "a space and the side are missing")
        })?;
        let stones: u64 =
            stones.parse().map_err(|_| TextError::unreadable("no_number", 0, "a number of stones begins"))?;
        let side = match side {
            "first" => Side::First,
            "second" => Side::Second,
            _ => {
                let at = stones.to_string().len() + 1;
                return Err(TextError::unreadable("no_side", at, "the side is `first` or `second`"));
            }
        };
        match u16::try_from(stones) {
            Ok(stones) if stones <= MAX_STONES => Ok((self.clone(), Pile { stones, side })),
            _ => Err(TextError::impossible("too_many", 0, format!("a pile has at most {MAX_STONES} stones"))),
        }
    }

    fn format_position(&self, pile: &Pile, _: &str) -> String {
        format!("{} {}", pile.stones, pile.side.name())
    }

    fn parse_move(&self, pile: &Pile, text: &str) -> Result<u8, TextError> {
        let word = WORDS.iter().position(|word| *word == text).map(|at| at as u8 + 1);
        let taken = word.or_else(|| text.parse().ok());
        match taken {
            Some(taken) if !(1..=3).contains(&taken) => Err(TextError::illegal("count", "a move takes 1 to 3 stones")),
            Some(taken) if u16::from(taken) > pile.stones => {
                Err(TextError::illegal("too_few", format!("only {} stones are left", pile.stones)))
            }
            Some(taken) => Ok(taken),
            None => Err(TextError::unreadable("no_number", 0, "a move is a number of stones")),
        }
    }

    fn format_move(&self, _: &Pile, taken: u8, dialect: &str) -> String {
        match dialect {
            "words" => WORDS[usize::from(taken) - 1].to_owned(),
            _ => taken.to_string(),
        }
    }
}

impl View for Nim {
    fn board(&self, state: &GameState<Self>) -> Board {
        let mut board = Board::empty(3, 1, |column, _| (column + 1).to_string());
        board.put(0, "stone", state.side_to_move());
        board.extra.insert("stones".to_owned(), state.position().stones.into());
        board
    }
}

/// Searches until it is stopped or reaches a limit, and reports at every node.
struct Patient;

impl Player<Nim> for Patient {
    fn think(&mut self, mut task: Task<'_, Nim>) -> Report<u8> {
        let mut budget = task.budget(Limits::default());
        let report = |depth| Report { depth, playouts: Some(7), ..Report::of(1, 0.5) };
        let mut depth = 0;
        while budget.go_on() && budget.node() {
            depth += 1;
            task.report(|| report(depth));
            std::thread::sleep(Duration::from_millis(1));
        }
        Report { nodes: budget.count(), time: budget.elapsed(), ..report(depth) }
    }
}

/// Ignores the stop flag and searches for the time given by its key.
struct Deaf(Duration);

impl Player<Nim> for Deaf {
    fn think(&mut self, _: Task<'_, Nim>) -> Report<u8> {
        std::thread::sleep(self.0);
        Report::of(1, 0.5)
    }
}

/// Reports as depth the number of its searches in this game.
#[derive(Default)]
struct Counter(u32);

impl Player<Nim> for Counter {
    fn new_game(&mut self, _: &GameState<Nim>, _: u64) {
        self.0 = 0;
    }

    fn think(&mut self, _: Task<'_, Nim>) -> Report<u8> {
        self.0 += 1;
        Report { depth: self.0, ..Report::of(1, 0.5) }
    }
}

/// Reports as nodes the number of threads that it may use.
struct Threads;

impl Player<Nim> for Threads {
    fn think(&mut self, task: Task<'_, Nim>) -> Report<u8> {
        Report { nodes: task.threads as u64, ..Report::of(1, 0.5) }
    }
}

/// A player that panics from its second search on.
#[derive(Default)]
struct Broken(u32);

impl Player<Nim> for Broken {
    fn think(&mut self, _: Task<'_, Nim>) -> Report<u8> {
        self.0 += 1;
        if self.0 > 1 {
            break_down();
        }
        Report { depth: self.0, ..Report::of(1, 0.5) }
    }
}

/// Panics without a message in the test output.
fn break_down() -> ! {
    std::panic::resume_unwind(Box::new("on purpose"))
}

/// Panics in every search.
struct Panics;

impl Player<Nim> for Panics {
    fn think(&mut self, _: Task<'_, Nim>) -> Report<u8> {
        break_down();
    }
}

const DEAF_KEYS: &[Key] = &[
    Key { name: "ms", kind: Kind::Integer(0, 60_000), default: "3000", summary: "how long", source: "" },
    Key { name: "noise", kind: Kind::Number(0.0, 1.0), default: "0.5", summary: "nothing", source: "" },
    Key { name: "mood", kind: Kind::Choice(&["good", "bad"]), default: "bad", summary: "nothing", source: "" },
    Key { name: "list", kind: Kind::Integers(2, 0, 9), default: "1/2", summary: "nothing", source: "" },
];

fn player(name: &'static str, keys: &'static [Key], make: MakeFn<Nim>) -> PlayerEntry<Nim> {
    PlayerEntry { name, summary: "for the tests", source: "", keys, make }
}

/// The side that leaves a multiple of four wins.
fn solve(state: &GameState<Nim>, all: bool, stop: bool) -> Solution {
    let bounds = (-1, 1);
    if stop {
        return Solution { bounds, ..Solution::default() };
    }
    let pile = state.position();
    let Some(taken) = (pile.stones > 0).then(|| (pile.stones % 4).max(1) as u8) else { return Solution::default() };
    let score = |taken: u8| if (pile.stones - u16::from(taken)).is_multiple_of(4) { 1 } else { -1 };
    let winner = if score(taken) == 1 { pile.side } else { pile.side.other() };
    let moves = state.game().moves(pile).into_iter().filter(|&m| all || m == taken.min(3));
    let solved = |m: u8| SolvedMove {
        m: m.into(),
        score: Some(score(m)),
        bounds: (score(m), score(m)),
        distance: Some(u32::from(pile.stones)),
    };
    Solution {
        outcome: Some(Outcome { winner: Some(winner), margin: None, by: "last stone" }),
        score: Some(score(taken)),
        bounds: (score(taken), score(taken)),
        distance: Some(u32::from(pile.stones)),
        moves: moves.map(solved).collect(),
        best: vec![taken.into()],
        line: vec![taken.into()],
        nodes: 1,
        time: Duration::from_millis(1),
    }
}

/// A table that holds only its own description, to test how the catalog and the service handle tables.
impl HasTablebase for Nim {
    type Table = ();

    fn table_name(&self) -> Result<&'static str, Error> {
        if self.misere { Err(Error::new(ErrorCode::Unsupported, "misère has no table")) } else { Ok("nim-normal") }
    }

    fn open_table(&self, bytes: Vec<u8>) -> Result<(), String> {
        if bytes == b"whoever leaves a multiple of four" { Ok(()) } else { Err("it is no table of Nim".to_owned()) }
    }

    fn build_table(&self, _: usize, progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync)) -> Result<Vec<u8>, Error> {
        for share in [0.25, 0.5, 1.0] {
            if progress(share).is_break() {
                return Err(Error::new(ErrorCode::Stopped, "the construction of the table was stopped"));
            }
        }
        Ok(b"whoever leaves a multiple of four".to_vec())
    }

    fn census(&self, (): &(), _: usize, _: &(dyn Fn(f64) -> ControlFlow<()> + Sync)) -> Result<ResultTable, Error> {
        let mut table = ResultTable::new(["what", "positions"]);
        table.row(["piles".to_owned(), self.start.to_string()]);
        Ok(table)
    }
}

/// Writes a game in a line: the first side's name, the stones at its start, the moves, and `resigns` where a side did.
fn write(header: &Header, state: &GameState<Nim>) -> Result<String, Error> {
    let moves = state.moves().iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    let end = if header.termination.is_some() { " resigns" } else { "" };
    Ok(format!("{} {} {moves}{end}\n", header.first, state.origin().stones))
}

/// Reads games as [`write`] writes them.
fn read(game: &Nim, text: &[u8]) -> Result<Vec<(Header, GameState<Nim>)>, Error> {
    let lines = std::str::from_utf8(text).unwrap_or_default().lines().filter(|line| !line.is_empty());
    let one = |line: &str| {
        let mut words = line.split(' ');
        let first = words.next().unwrap_or_default().to_owned();
        let stones = words.next()?.parse().ok()?;
        let mut state = GameState::from(game.clone(), Pile { stones, side: Side::First });
        for taken in words.next()?.split(',') {
            state.play(taken.parse().ok().filter(|taken| (1..=3).contains(taken))?);
        }
        let loser = state.game().side_to_move(state.position());
        let resigns = words.next().map(|by| Termination { winner: Some(loser.other()), by: by.to_owned() });
        Some((Header { first, termination: resigns, ..Header::default() }, state))
    };
    lines.map(|line| one(line).ok_or_else(|| Error::record(text, 0, "no_game", "this is no game"))).collect()
}

/// A catalog with this game under three names: `nim`, `nim-plain` without a solver, and `nim-table` with a table.
pub(crate) fn catalog(data: Data) -> Catalog {
    let entry = |name| {
        Entry::new(name, Nim { start: 21, misere: false })
            .title("Nim", "ニム")
            .summary("a pile of stones")
            .rules("misere", Nim { start: 21, misere: true })
            .player(player("patient", &[], |_, _, _, _| Ok(Box::new(Patient))))
            .player(player("counter", &[], |_, _, _, _| Ok(Box::<Counter>::default())))
            .player(player("threads", &[], |_, _, _, _| Ok(Box::new(Threads))))
            .player(player("broken", &[], |_, _, _, _| Ok(Box::<Broken>::default())))
            .player(player("panics", &[], |_, _, _, _| Ok(Box::new(Panics))))
            .player(player("deaf", DEAF_KEYS, |_, options, _, _| {
                Ok(Box::new(Deaf(Duration::from_millis(options.integer("ms") as u64))))
            }))
    };
    let solver = entry("nim").format(Format { name: "line", write, read, rewrite: None }).solver(
        |state, all, bounds, _, progress| {
            progress(&Solution { bounds: (-1, 1), ..Solution::default() });
            Ok(solve(state, all, bounds.stop.stopped()))
        },
    );
    let tabled = entry("nim-table")
        .solver(|state, all, bounds, data, _| {
            data.table(state.game())?;
            Ok(solve(state, all, bounds.stop.stopped()))
        })
        .tablebases();
    Catalog::new(data).with(solver).with(entry("nim-plain")).with(tabled)
}
