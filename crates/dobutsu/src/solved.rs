//! The game solved, as the house asks for it: the table in the data folder, the operation `solve`, the census.

use std::ops::ControlFlow;

use banmen_catalog::{Bounds, Data, Error, Solution, SolvedMove, Table as Figures, Tabled};
use banmen_game::{Game, Outcome, Walk};

use crate::position::{Move, Position};
use crate::table::{BuildError, MoveValue, PackedTable, Progress, Rules, SLOTS, Source, Value, build, census, pack};
use crate::{Dobutsu, Variant};

/// A line of best play in a drawn position is shown for so many plies.
const DRAWN_LINE: usize = 12;

/// About so many stored positions are decided by more than the rules alone: what the share that is done is measured by.
const DECIDED: f64 = 113e6;

/// The shares of the time that a build takes: for the first look at all positions, and for the rounds until all are
/// decided; the rest goes into packing.
const FIRST_LOOK: f64 = 0.25;
const ROUNDS: f64 = 0.5;

fn stopped() -> Error {
    Error::new("stopped", "broken off")
}

impl Tabled for Dobutsu {
    type Table = PackedTable<Vec<u8>>;

    fn table_name(&self) -> Result<&'static str, Error> {
        match self.variant {
            Variant::Catch => Ok("dobutsu-catch"),
            Variant::AnyTry => Ok("dobutsu-any-try"),
            Variant::Legal => Err(Error::new(
                "unsupported",
                "the rules `legal` have no table; what is won, drawn or lost by them is so by `catch`, in other numbers of plies",
            )),
        }
    }

    fn open_table(&self, bytes: Vec<u8>) -> Result<Self::Table, String> {
        PackedTable::open(bytes, self.variant).map_err(|error| error.to_string())
    }

    fn build_table(
        &self,
        threads: usize,
        progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<Vec<u8>, Error> {
        build_bytes(self.variant, threads, progress)
    }

    fn census(
        &self,
        table: &Self::Table,
        threads: usize,
        progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<Figures, Error> {
        if self.variant != Variant::Catch {
            return Err(Error::new("unsupported", "the census is of the rules `catch`"));
        }
        let unpacked = table.unpack().map_err(|error| Error::new("table_refused", error.to_string()))?;
        let counted = census(&unpacked, threads, &|met| progress(met as f64 / REACHABLE as f64)).ok_or_else(stopped)?;
        let Ok(start) = unpacked.value(&Position::START);
        let Ok(first) = unpacked.moves(&Position::START);

        let mut figures = Figures::new(["what", "positions", "published"]);
        let mut row = |what: &str, count: String, published: &str| {
            figures.row([what.to_owned(), count, published.to_owned()]);
        };
        row("reachable", counted.reachable().to_string(), "246803167");
        row("not over", counted.unfinished.to_string(), "99485568");
        row("over: the lion can be caught", counted.catches.to_string(), "140298614");
        row("over: the other lion has tried", counted.tries.to_string(), "7018985");
        row("won", counted.won.to_string(), "56474473");
        row("drawn", counted.drawn.to_string(), "2682700");
        row("lost", counted.lost.to_string(), "40328395");
        let branching = counted.all_moves() as f64 / counted.unfinished as f64;
        row("moves of a position, on average", format!("{branching:.4}"), "9.4353");
        let most = counted.moves.iter().rposition(|&positions| positions > 0).unwrap_or(0);
        row("most moves of a position", most.to_string(), "38");
        row("positions with so many", counted.moves.get(most).copied().unwrap_or(0).to_string(), "34");
        row("the start", words(start), "lost in 78");
        for MoveValue { m, value } in first {
            let text = banmen_game::Notation::format_move(self, &Position::START, m, "");
            let published = FIRST_MOVES.iter().find(|(known, _)| *known == text).map_or("", |(_, value)| value);
            row(&format!("the start, after {text}"), words(value), published);
        }
        for (plies, &positions) in counted.plies.iter().enumerate().filter(|&(_, &positions)| positions > 0) {
            let what = format!("{} in {plies}", if plies % 2 == 1 { "won" } else { "lost" });
            let published = BY_PLIES.iter().find(|(known, _)| *known == plies).map_or("", |(_, positions)| positions);
            row(&what, positions.to_string(), published);
        }
        figures
            .note("Positions as the side to move sees them, mirror images counted once; over by Tanaka's test (2009).");
        figures.note(
            "Plies to the catch or the safe try, the last move included; Tanaka's own count ends a try one ply later.",
        );
        figures.note(
            "Published: Tanaka, IPSJ SIG GI-22-3 (2009); the parts of what is over, and the positions by plies, by \
             looking all of them up in the table of clausecker/dobutsu.",
        );
        Ok(figures)
    }
}

/// The table of these rules as bytes. `progress` is told the share that is done, and may break off.
pub(crate) fn build_bytes<R: Rules>(
    rules: R,
    threads: usize,
    progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
) -> Result<Vec<u8>, Error> {
    let report = |Progress { plies, positions }: Progress| {
        progress(match plies {
            0 => FIRST_LOOK * positions as f64 / f64::from(SLOTS),
            _ => FIRST_LOOK + ROUNDS * (positions as f64 / DECIDED).min(1.0),
        })
    };
    let table = build(rules, threads, &report).map_err(|error| match error {
        BuildError::Stopped => stopped(),
        BuildError::Variant(_) | BuildError::TooLong => Error::new("unsupported", error.to_string()),
    })?;
    Ok(pack(&table))
}

/// What is reachable, for the share that is done.
const REACHABLE: u64 = 246_803_167;

/// Tanaka 2009: what the first moves lead to.
const FIRST_MOVES: [(&str, &str); 4] =
    [("2c2b", "lost in 76"), ("1d1c", "lost in 78"), ("2d1c", "lost in 78"), ("2d3c", "lost in 78")];

/// Positions by their distance, from the table of clausecker/dobutsu.
const BY_PLIES: [(usize, &str); 11] = [
    (1, "9118571"),
    (2, "9343557"),
    (3, "11574858"),
    (4, "5625607"),
    (5, "7758524"),
    (6, "4431632"),
    (7, "5806000"),
    (8, "3553141"),
    (9, "4374554"),
    (172, "3"),
    (173, "12"),
];

/// A value for people.
fn words(value: Value) -> String {
    match value {
        Value::Win(plies) => format!("won in {plies}"),
        Value::Draw => "drawn".to_owned(),
        Value::Loss(plies) => format!("lost in {plies}"),
    }
}

/// The values of all moves, by the table; a third occurrence is the draw that the rules make it. What the past means
/// for later moves is not looked at.
fn values(walk: &Walk<Dobutsu>, table: &impl Source) -> Option<Vec<MoveValue>> {
    let mut moves = table.moves(walk.position()).ok()?;
    for known in &mut moves {
        let mut next = *walk.position();
        next.play(known.m);
        if walk.past().count(&next) >= 2 && walk.game().lions_ended(&next).is_none() {
            known.value = Value::Draw;
        }
    }
    Some(moves)
}

/// The best of these: the shortest win, a draw, the longest loss.
fn best(moves: &[MoveValue]) -> Option<MoveValue> {
    moves.iter().rev().max_by_key(|known| known.value.rank()).copied()
}

/// Solves the walk's position by the table of its rules.
///
/// # Errors
/// When there is no table, or it is damaged.
pub(crate) fn solve(walk: &Walk<Dobutsu>, all: bool, bounds: &Bounds<'_>, data: &Data) -> Result<Solution, Error> {
    let begin = bounds.clock.now();
    if let Some(outcome) = walk.outcome() {
        let score = outcome.winner.map_or(0, |winner| if winner == walk.side_to_move() { 1 } else { -1 });
        let (score, bounds) = (Some(score), (score, score));
        return Ok(Solution { outcome: Some(outcome), score, bounds, distance: Some(0), ..Solution::default() });
    }
    let table = data.table(walk.game())?;
    let damaged = || Error::new("table_refused", "the table is damaged");
    let moves = values(walk, table.as_ref()).ok_or_else(damaged)?;
    let top = best(&moves).ok_or_else(damaged)?;
    let solved = |known: &MoveValue| {
        let score = known.value.score();
        let m = walk.game().pack(known.m);
        SolvedMove { m, score: Some(score), bounds: (score, score), distance: known.value.plies() }
    };
    let (line, outcome) = line(walk, top, table.as_ref());
    Ok(Solution {
        outcome: Some(outcome),
        score: Some(top.value.score()),
        bounds: (top.value.score(), top.value.score()),
        distance: top.value.plies(),
        moves: moves.iter().filter(|known| all || known.m == top.m).map(solved).collect(),
        best: moves
            .iter()
            .filter(|known| if all { known.value == top.value } else { known.m == top.m })
            .map(|known| walk.game().pack(known.m))
            .collect(),
        nodes: moves.len() as u64,
        line: line.into_iter().map(|m| walk.game().pack(m)).collect(),
        time: bounds.clock.now().saturating_sub(begin),
    })
}

/// A line of best play that begins with `top`, and how the game ends with it.
fn line(walk: &Walk<Dobutsu>, top: MoveValue, table: &impl Source) -> (Vec<Move>, Outcome) {
    let mut walk = walk.clone();
    let begin = walk.moves().len();
    let mut next = Some(top);
    let drawn = Outcome { winner: None, margin: None, by: "repetition" };
    let longest = top.value.plies().map_or(DRAWN_LINE, |plies| plies as usize);
    while let Some(known) = next.filter(|_| walk.moves().len() - begin < longest) {
        walk.play(known.m);
        next = match walk.outcome() {
            Some(_) => None,
            None => values(&walk, table).and_then(|moves| best(&moves)),
        };
    }
    let outcome = match top.value {
        Value::Draw => drawn,
        Value::Win(_) | Value::Loss(_) => walk.outcome().unwrap_or(drawn),
    };
    (walk.moves()[begin..].to_vec(), outcome)
}
