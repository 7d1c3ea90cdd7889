//! Checks the first side's play from the start, of the engine and this program's list of exceptions, by the table; with `write` it
//! makes the list.
//!
//! It follows the play from the start against every move of the second side, and asks the engine for each position that has no
//! exception. No move may give away the value that the table says. Then it proves backward from the ends of the games that every
//! won position that was met ends in a win. With `write` the positions of wrong moves become exceptions: with the move of the
//! shortest win, or with the first move that draws; and so do positions where the play would go in circles, those first to which the
//! most others lead. At last it follows the play once more, checks every move, and asks the engine a part of the questions
//! again. Takes about an hour of CPU time and 1 GiB.
//!
//! `cargo run --release -p banmen-dobutsu --features threads --example first_side -- [write|shares] [FOLDER]`
//!
//! In the folder it keeps the table and what it has found, so that it can be interrupted and continued; remove them after a
//! change of the engine or of the list. With `shares` it prints of what `write` has found so far how often and how fast the engine errs
//! after other numbers of nodes.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads the clock and prints")]

mod cpu;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use banmen_dobutsu::engine::FixedNodes;
use banmen_dobutsu::position::{Move, Position};
use banmen_dobutsu::strategy::{Exception, FIRST_SEARCHED, Policy};
use banmen_dobutsu::table::{PackedTable, SLOTS, Source, Table, Value, build, pack};
use banmen_dobutsu::{Dobutsu, Variant};
use banmen_game::{Game, Rng, Side};
use banmen_search::Report;

use cpu::cpu_seconds;

/// A position that was not met.
const UNMET: u8 = 255;

/// A position that was met, and whose move is not known yet.
const WAITING: u8 = 254;

/// Bits of the byte of a position that has a move, besides the place of the move in the list of the rules: an exception, and a
/// position that the play is known to win.
const LISTED: u8 = 64;
const WON: u8 = 128;

/// Time between two writes of what was found.
const SAVE_EVERY: Duration = Duration::from_secs(300);

struct Work<'t> {
    table: &'t Table,
    /// For each position of the table.
    bytes: Vec<u8>,
    engine: FixedNodes,
    /// The play, without exceptions where these are to be found.
    policy: Policy,
    /// Whether exceptions are added.
    adds: bool,
    file: Option<PathBuf>,
    saved: Instant,
    clock: Instant,
}

/// The positions that wait for the proof of others, in lists by the latter.
#[derive(Default)]
struct Waits {
    first: HashMap<u32, u32>,
    /// A position and the place of the next one of its list; [`u32::MAX`] for none.
    nodes: Vec<(u32, u32)>,
    free: Vec<u32>,
}

impl Waits {
    fn add(&mut self, other: u32, number: u32) {
        let first = self.first.entry(other).or_insert(u32::MAX);
        let node = (number, *first);
        *first = match self.free.pop() {
            Some(place) => {
                self.nodes[place as usize] = node;
                place
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
    }

    /// Moves those that wait for this one to `ready`.
    fn take(&mut self, number: u32, ready: &mut Vec<u32>) {
        let mut place = self.first.remove(&number).unwrap_or(u32::MAX);
        while place != u32::MAX {
            let (waiting, next) = self.nodes[place as usize];
            ready.push(waiting);
            self.free.push(place);
            place = next;
        }
    }
}

fn after(position: &Position, place: usize) -> Position {
    let mut next = *position;
    next.play(Dobutsu::CATCH.moves(position)[place]);
    next
}

fn place_of(byte: u8) -> usize {
    usize::from(byte % LISTED)
}

impl Work<'_> {
    fn value(&self, position: &Position) -> Value {
        let Ok(value) = self.table.value(position);
        value
    }

    fn position(&self, number: u32) -> Position {
        self.table.index().stored(number).unwrap_or_else(|| panic!("{number} is not the number of a position"))
    }

    /// Calls `visit` with the number of each position after the second side's moves in which the game is not over and that no search
    /// wins.
    fn visit_answers(&self, position: &Position, mut visit: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        Dobutsu::CATCH.visit_moves(position, |m| {
            let mut next = *position;
            next.play(m);
            if matches!(self.value(&next), Value::Loss(0) | Value::Win(0..=FIRST_SEARCHED)) {
                return ControlFlow::Continue(());
            }
            visit(self.table.index().slot(&next).unwrap_or_else(|| panic!("{next:?} has no number")).number)
        })
    }

    fn answers(&self, position: &Position) -> Vec<u32> {
        let mut answers = Vec::new();
        let _ = self.visit_answers(position, |number| {
            answers.push(number);
            ControlFlow::Continue(())
        });
        answers
    }

    /// The place of the policy's move.
    fn policy_move(&mut self, position: &Position) -> usize {
        let answer = self.policy.answer(position, &mut self.engine);
        let place = answer.and_then(|answer| Dobutsu::CATCH.moves(position).iter().position(|&m| m == answer.m));
        place.unwrap_or_else(|| panic!("{position:?} has no move"))
    }

    /// Whether the move in this place keeps the value.
    fn keeps(&self, position: &Position, place: usize) -> bool {
        self.value(&after(position, place)).before().score() == self.value(position).score()
    }

    /// The move in place of one that must not be played.
    fn exception(&self, position: &Position) -> u8 {
        let value = self.value(position);
        let mut places = 0..Dobutsu::CATCH.count_moves(position);
        let place = places.find(|&place| self.value(&after(position, place)).before() == value);
        place.unwrap_or_else(|| panic!("{position:?} has no move of its value")) as u8 | LISTED
    }

    /// Lets the positions after the second side's moves that were not met wait. Returns them.
    fn meet(&mut self, position: &Position) -> Vec<u32> {
        let mut new = self.answers(position);
        new.retain(|&number| {
            let byte = &mut self.bytes[number as usize];
            let unmet = *byte == UNMET;
            *byte = if unmet { WAITING } else { *byte };
            unmet
        });
        new
    }

    /// Finds the move of a position. Returns the positions that were not met and now wait for theirs.
    fn find_move(&mut self, number: u32) -> Vec<u32> {
        let position = self.position(number);
        let place = self.policy_move(&position);
        let listed = self.policy.exceptions().binary_search_by_key(&number, |exception| exception.number).is_ok();
        let byte = if self.keeps(&position, place) {
            place as u8 | if listed { LISTED } else { 0 }
        } else {
            assert!(self.adds, "{position:?}: the move gives away the value");
            self.exception(&position)
        };
        self.bytes[number as usize] = byte;
        self.meet(&after(&position, place_of(byte)))
    }

    /// Finds moves until no position waits for one.
    fn enumerate(&mut self) {
        let mut count = 0u32;
        loop {
            let before = count;
            for number in 0..SLOTS {
                if self.bytes[number as usize] != WAITING {
                    continue;
                }
                self.find_move(number);
                count += 1;
                if count.is_multiple_of(1 << 20) {
                    println!("{count} positions, {:.0} s", cpu_seconds(self.clock));
                }
                if count.is_multiple_of(1 << 14) && self.saved.elapsed() > SAVE_EVERY {
                    self.save();
                }
            }
            if count == before {
                return;
            }
        }
    }

    fn save(&mut self) {
        if let Some(file) = &self.file {
            let new = file.with_extension("new");
            std::fs::write(&new, &self.bytes)
                .and_then(|()| std::fs::rename(&new, file))
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
        self.saved = Instant::now();
    }

    /// The first position after the second side's moves that the play is not known to win; `None` if it wins them all.
    fn unproven(&self, next: &Position) -> Option<u32> {
        let won = |number: u32| match self.bytes[number as usize] {
            byte if byte < WAITING && byte & WON != 0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        };
        let mut found = None;
        let _ = self.visit_answers(next, |number| {
            found = Some(number);
            won(number)
        });
        found.filter(|&number| won(number).is_break())
    }

    fn plies(&self, number: u32) -> u32 {
        self.value(&self.position(number)).plies().unwrap_or(0)
    }

    /// Proves which won positions the play wins, and adds exceptions until it wins them all.
    fn end_circles(&mut self) {
        let mut waits = Waits::default();
        let mut left = Vec::new();
        for number in 0..SLOTS {
            let byte = self.bytes[number as usize];
            if byte < WAITING
                && matches!(self.value(&self.position(number)), Value::Win(plies) if plies > FIRST_SEARCHED)
            {
                self.bytes[number as usize] = byte & !WON;
                left.push(number);
            }
        }
        println!("{} won positions, {:.0} s", left.len(), cpu_seconds(self.clock));
        // Nearest first, so that most are proven at once.
        left.sort_by_cached_key(|&number| self.plies(number));
        for &number in &left {
            self.prove(number, &mut waits);
        }
        left.retain(|&number| self.bytes[number as usize] & WON == 0);
        println!("{} of them in circles and before them, {:.0} s", left.len(), cpu_seconds(self.clock));
        assert!(self.adds || left.is_empty(), "{} won positions are not won in the end", left.len());
        let added = self.leave_circles(&left, &mut waits) + self.shorten(left, &mut waits);
        println!("{added} exceptions end circles, {:.0} s", cpu_seconds(self.clock));
    }

    /// Adds exceptions with moves after which the win is proven, where such a move is known: first in the positions that the most
    /// others lead to, because these then need none. Returns how many.
    fn leave_circles(&mut self, left: &[u32], waits: &mut Waits) -> u32 {
        let mut leading: HashMap<u32, u32> = left.iter().map(|&number| (number, 0)).collect();
        for &number in left {
            for answer in self.answers(&after(&self.position(number), place_of(self.bytes[number as usize]))) {
                leading.entry(answer).and_modify(|count| *count += 1);
            }
        }
        let mut order: Vec<(u32, u32)> = leading.into_iter().map(|(number, count)| (count, number)).collect();
        order.sort_unstable_by_key(|&entry| Reverse(entry));
        let (mut added, mut least) = (0, order.first().map_or(0, |&(count, _)| count));
        loop {
            order.retain(|&(_, number)| self.bytes[number as usize] & WON == 0);
            let (mut here, mut seen) = (0, 0);
            for &(_, number) in order.iter().take_while(|&&(count, _)| count >= least) {
                if self.bytes[number as usize] & WON != 0 {
                    continue;
                }
                seen += 1;
                let Some(byte) = self.proven_move(number) else { continue };
                self.bytes[number as usize] = byte;
                self.prove(number, waits);
                here += 1;
            }
            added += here;
            // More positions have such a move by now, but it does not pay to wait for the last of them.
            if here <= seen / 50 {
                if least == 0 && here == 0 {
                    return added;
                }
                least = least * 3 / 4;
            }
        }
    }

    /// The byte of a move after which the win is proven, if there is one.
    fn proven_move(&self, number: u32) -> Option<u8> {
        let position = self.position(number);
        let mut places = 0..Dobutsu::CATCH.count_moves(&position);
        let place = places.find(|&place| {
            let next = after(&position, place);
            self.value(&next).score() < 0 && self.unproven(&next).is_none()
        });
        Some(place? as u8 | LISTED)
    }

    /// Adds exceptions with the move of the shortest win, nearest first, until all wins are proven. Returns how many.
    fn shorten(&mut self, left: Vec<u32>, waits: &mut Waits) -> u32 {
        let mut left: BinaryHeap<_> = left.into_iter().map(|number| Reverse((self.plies(number), number))).collect();
        let mut added = 0;
        while let Some(Reverse((_, number))) = left.pop() {
            if self.bytes[number as usize] & WON != 0 {
                continue;
            }
            let position = self.position(number);
            // The shortest win may lead to positions that were not met.
            let byte = self.proven_move(number).unwrap_or_else(|| self.exception(&position));
            self.bytes[number as usize] = byte;
            let (mut new, mut met) = (self.meet(&after(&position, place_of(byte))), Vec::new());
            while let Some(number) = new.pop() {
                new.extend(self.find_move(number));
                met.push(number);
            }
            met.retain(|&number| self.value(&self.position(number)).score() > 0);
            for number in met {
                left.push(Reverse((self.plies(number), number)));
                self.prove(number, waits);
            }
            self.prove(number, waits);
            added += 1;
        }
        added
    }

    /// Marks a position as won by the play if those after it are, and then those that waited for it. Otherwise it waits.
    fn prove(&mut self, number: u32, waits: &mut Waits) {
        let mut ready = vec![number];
        while let Some(number) = ready.pop() {
            let byte = self.bytes[number as usize];
            if byte & WON != 0 {
                continue;
            }
            match self.unproven(&after(&self.position(number), place_of(byte))) {
                Some(other) => waits.add(other, number),
                None => {
                    self.bytes[number as usize] = byte | WON;
                    waits.take(number, &mut ready);
                }
            }
        }
    }

    /// Follows the play from the start once more, and checks it. Returns the exceptions that are met.
    fn verify(&mut self) -> Vec<Exception> {
        let mut met = vec![false; SLOTS as usize];
        let (mut exceptions, mut values, mut asked) = (Vec::new(), [0u64; 3], 0);
        let mut waiting = vec![self.start()];
        met[self.start() as usize] = true;
        while let Some(number) = waiting.pop() {
            let (position, byte) = (self.position(number), self.bytes[number as usize]);
            assert!(byte < WAITING, "{position:?} has a move");
            let score = self.value(&position).score();
            values[(score + 1) as usize] += 1;
            assert!(self.keeps(&position, place_of(byte)), "{position:?} keeps its value");
            assert!(score <= 0 || byte & WON != 0, "{position:?} is won in the end");
            if byte & LISTED != 0 {
                assert!(score >= 0 && position.side() == Side::First);
                exceptions.push(Exception { number, place: byte % LISTED, drawn: score == 0 });
            } else if number.is_multiple_of(61) {
                assert_eq!(self.policy_move(&position), place_of(byte), "{position:?}");
                asked += 1;
            }
            for answer in self.answers(&after(&position, place_of(byte))) {
                if !std::mem::replace(&mut met[answer as usize], true) {
                    waiting.push(answer);
                }
            }
        }
        exceptions.sort_unstable_by_key(|exception| exception.number);
        let [lost, drawn, won] = values;
        println!("{} positions met: {won} won, {drawn} drawn, {lost} lost", won + drawn + lost);
        println!("the engine answered {asked} of them again; {:.0} s", cpu_seconds(self.clock));
        exceptions
    }

    /// Asks the engine in random ones of the positions that were met.
    fn shares(&mut self) {
        const SAMPLE: usize = 10_000;
        let mut met: Vec<u32> = (0..SLOTS).filter(|&number| self.bytes[number as usize] < WAITING).collect();
        let mut rng = Rng::new(1);
        for at in 0..SAMPLE {
            let other = at + rng.index(met.len() - at);
            met.swap(at, other);
        }
        let sample: Vec<Position> = met[..SAMPLE].iter().map(|&number| self.position(number)).collect();
        let lost = sample.iter().filter(|position| self.value(position).score() < 0).count();
        println!("{SAMPLE} of {} positions, {lost} of them lost", met.len());
        for nodes in [30, 100, 300, 1000, 3000] {
            let before = cpu_seconds(self.clock);
            let answers: Vec<_> = sample.iter().map(|position| self.engine.ask(position, nodes)).collect();
            let microseconds = (cpu_seconds(self.clock) - before) * 1e6 / SAMPLE as f64;
            let errs = |(position, answer): (&Position, &Report<Move>)| {
                let mut next = *position;
                next.play(answer.best().unwrap_or_else(|| panic!("{position:?} has no move")));
                self.value(&next).before().score() != self.value(position).score()
            };
            let errors = sample.iter().zip(&answers).filter(|&pair| errs(pair)).count();
            let searched = answers.iter().map(|answer| answer.nodes).sum::<u64>() / SAMPLE as u64;
            println!("{nodes} nodes: {searched} searched and {microseconds:.0} µs on average, {errors} errors");
        }
    }

    fn start(&self) -> u32 {
        self.table.index().slot(&Position::START).map_or(0, |slot| slot.number)
    }
}

/// The table: from the folder, or built and left there.
fn table(folder: Option<&Path>) -> Table {
    let file = folder.map(|folder| folder.join("catch.table"));
    if let Some(bytes) = file.as_ref().and_then(|file| std::fs::read(file).ok()) {
        let opened = PackedTable::open(bytes, Variant::Catch).and_then(|packed| packed.unpack());
        return opened.unwrap_or_else(|error| panic!("{error}"));
    }
    let table = build(Variant::Catch, 1, &|_| ControlFlow::Continue(())).unwrap_or_else(|error| panic!("{error}"));
    if let Some(file) = file {
        std::fs::write(&file, pack(&table)).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
    table
}

fn main() {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/strategy/exceptions.bin");
    let clock = Instant::now();
    let named = |word: &String| ["write", "shares"].contains(&word.as_str());
    let (commands, folders): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(named);
    let folder = folders.first().map(Path::new);
    let table = table(folder);
    println!("table after {:.0} s of CPU time", cpu_seconds(clock));
    let asked = |name: &str| commands.iter().any(|word| word == name);
    let adds = asked("write") || asked("shares");
    let file = folder.map(|folder| folder.join(if adds { "first_side.moves" } else { "first_side.checked" }));
    let list = if adds { Policy::pack(&[]) } else { Policy::bytes().to_vec() };
    let known = file.as_ref().and_then(|file| std::fs::read(file).ok());
    let mut work = Work {
        table: &table,
        bytes: known.unwrap_or_else(|| vec![UNMET; SLOTS as usize]),
        engine: FixedNodes::default(),
        policy: Policy::open(&list).unwrap_or_else(|error| panic!("{error}")),
        adds,
        file,
        saved: clock,
        clock,
    };
    if asked("shares") {
        return work.shares();
    }
    let start = work.start() as usize;
    if work.bytes[start] == UNMET {
        work.bytes[start] = WAITING;
    }
    work.enumerate();
    work.save();
    work.end_circles();
    work.save();
    let exceptions = work.verify();
    let drawn = exceptions.iter().filter(|exception| exception.drawn).count();
    let bytes = Policy::pack(&exceptions);
    println!(
        "{} exceptions, {drawn} in drawn positions, {} bytes; {:.0} s",
        exceptions.len(),
        bytes.len(),
        cpu_seconds(clock)
    );
    if adds {
        std::fs::write(FILE, &bytes).unwrap_or_else(|error| panic!("{FILE}: {error}"));
    } else {
        assert!(bytes == Policy::bytes(), "some of this program's exceptions are never met");
    }
}
