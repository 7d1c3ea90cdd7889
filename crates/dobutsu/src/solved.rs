//! The solved game for the application: the table in the data directory, the operation `solve`, the census.

use std::ops::ControlFlow;

use banmen_catalog::{Data, Error, ErrorCode, HasTablebase, ResultTable, Solution, SolveTask, SolvedMove};
use banmen_game::{GameState, Outcome, Side};

use crate::position::{Move, Position};
use crate::table::{
    BuildError, MoveValue, PackedTable, Progress, Rules, SLOTS, Source, Value, build, census, pack_away,
};
use crate::{Dobutsu, Variant};

/// The length in plies of a reported line of best play in a drawn position.
const DRAWN_LINE: usize = 12;

/// About this many stored positions are not decided by the rules alone. The progress of a build is measured against it.
const DECIDED: f64 = 113e6;

/// The shares of a build's time: for the initial pass over all positions, for the rounds until all are decided, and for
/// packing.
const INITIAL_PASS: f64 = 0.25;
const ROUNDS: f64 = 0.5;
const PACKING: f64 = 0.25;

fn stopped() -> Error {
    Error::new(ErrorCode::Stopped, "the construction of the table was stopped")
}

impl HasTablebase for Dobutsu {
    type Table = PackedTable<Vec<u8>>;

    fn table_name(&self) -> Result<&'static str, Error> {
        match self.variant {
            Variant::Catch => Ok("dobutsu-catch"),
            Variant::AnyTry => Ok("dobutsu-any-try"),
            Variant::Legal => Err(Error::new(
                ErrorCode::Unsupported,
                "the rules `legal` have no table; under `catch` a position has the same result, with another number of plies",
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
    ) -> Result<ResultTable, Error> {
        if self.variant != Variant::Catch {
            return Err(Error::new(ErrorCode::Unsupported, "the census is of the rules `catch`"));
        }
        let unpacked = table.unpack().map_err(|error| Error::new(ErrorCode::TableRefused, error.to_string()))?;
        let counted = census(&unpacked, threads, &|met| progress(met as f64 / REACHABLE as f64)).ok_or_else(stopped)?;
        let Ok(start) = unpacked.value(&Position::START);
        let Ok(first) = unpacked.moves(&Position::START);

        let mut figures = ResultTable::new(["what", "positions", "published"]);
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

/// The table of these rules as bytes. Calls `progress` with the share done; `progress` may stop the build.
pub(crate) fn build_bytes<R: Rules>(
    rules: R,
    threads: usize,
    progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
) -> Result<Vec<u8>, Error> {
    let report = |Progress { plies, positions }: Progress| {
        progress(match plies {
            0 => INITIAL_PASS * positions as f64 / f64::from(SLOTS),
            _ => INITIAL_PASS + ROUNDS * (positions as f64 / DECIDED).min(1.0),
        })
    };
    let table = build(rules, threads, &report).map_err(|error| match error {
        BuildError::Stopped => stopped(),
        BuildError::Variant(_) | BuildError::TooLong => Error::new(ErrorCode::Unsupported, error.to_string()),
    })?;
    pack_away(table, |packed| progress(INITIAL_PASS + ROUNDS + PACKING * packed)).ok_or_else(stopped)
}

/// The number of reachable positions, for the progress of the census.
const REACHABLE: u64 = 246_803_167;

/// Tanaka 2009: the results of the first moves.
const FIRST_MOVES: [(&str, &str); 4] =
    [("2c2b", "lost in 76"), ("1d1c", "lost in 78"), ("2d1c", "lost in 78"), ("2d3c", "lost in 78")];

/// Numbers of positions by distance, from the table of clausecker/dobutsu.
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

/// A value in words.
fn words(value: Value) -> String {
    match value {
        Value::Win(plies) => format!("won in {plies}"),
        Value::Draw => "drawn".to_owned(),
        Value::Loss(plies) => format!("lost in {plies}"),
    }
}

/// A move, its value by the table, and whether that value holds with the history of the game.
#[derive(Clone, Copy)]
struct Worth {
    m: Move,
    value: Value,
    /// The proven bounds of the score.
    bounds: (i32, i32),
}

impl Worth {
    fn is_certain(&self) -> bool {
        self.bounds.0 == self.bounds.1
    }

    fn solved(&self) -> SolvedMove {
        let score = self.is_certain().then_some(self.bounds.0);
        let distance = score.and(self.value.plies());
        SolvedMove { m: self.m.pack(), score, bounds: self.bounds, distance }
    }
}

/// What a history adds to the table: the positions that have occurred twice. Their next occurrence is a draw.
///
/// A draw by the table stays a draw, because third occurrences only add draws. On the shortest way to a win the winner
/// passes through positions that are won in fewer and fewer plies, each once. So the win holds unless the history
/// contains a position seen twice that is won for the same side and no farther from the end. In that case the value may
/// have become a draw, and it is left open.
struct History {
    twice: Vec<(Position, Value)>,
}

impl History {
    /// `None` when the table is damaged.
    fn of(state: &GameState<Dobutsu>, table: &impl Source) -> Option<History> {
        let mut position = *state.origin();
        let mut met = vec![position];
        for &m in state.moves() {
            position.play(m);
            met.push(position);
        }
        let mut twice: Vec<(Position, Value)> = Vec::new();
        for (index, position) in met.iter().enumerate() {
            let before = met.get(..index).unwrap_or_default();
            if before.contains(position) && twice.iter().all(|(known, _)| known != position) {
                twice.push((*position, table.value(position).ok()?));
            }
        }
        Some(History { twice })
    }

    /// Whether a win of `winner` in `plies` plies may pass through a position seen twice. The first ply must lead to a
    /// position seen less often.
    fn disturbs(&self, winner: Side, plies: u32) -> bool {
        self.twice.iter().any(|(position, value)| match *value {
            Value::Win(left) => position.side() == winner && left + 1 < plies,
            Value::Loss(left) => position.side() != winner && left + 1 < plies,
            Value::Draw => false,
        })
    }
}

/// The values of all moves, by the table and the history; `None` when the table is damaged.
fn worths(state: &GameState<Dobutsu>, table: &impl Source) -> Option<Vec<Worth>> {
    let history = History::of(state, table)?;
    let side = state.side_to_move();
    let worth = |MoveValue { m, value }| {
        let mut next = *state.position();
        next.play(m);
        let third = state.history().count(&next) >= 2 && state.game().lions_ended(&next).is_none();
        let value = if third { Value::Draw } else { value };
        let bounds = match value {
            Value::Win(plies) if history.disturbs(side, plies) => (0, 1),
            Value::Loss(plies) if history.disturbs(side.other(), plies) => (-1, 0),
            certain => (certain.score(), certain.score()),
        };
        Worth { m, value, bounds }
    };
    Some(table.moves(state.position()).ok()?.into_iter().map(worth).collect())
}

/// The best moves when the score of the position is proven: the shortest proven wins, the draws, or the longest losses.
fn best(moves: &[Worth]) -> Vec<Worth> {
    let lower = moves.iter().map(|known| known.bounds.0).max();
    let upper = moves.iter().map(|known| known.bounds.1).max();
    let sure = moves.iter().filter(|known| lower == upper && known.is_certain() && Some(known.bounds.0) == lower);
    let Some(top) = sure.clone().map(|known| known.value.rank()).max() else { return Vec::new() };
    sure.filter(|known| known.value.rank() == top).copied().collect()
}

/// Solves the game state's position by the table of its rules. The score either is proven with the history of the game
/// or is left open.
///
/// # Errors
/// Fails if there is no table, or if it is damaged.
pub(crate) fn solve(
    state: &GameState<Dobutsu>,
    all: bool,
    task: &SolveTask<'_>,
    data: &Data,
) -> Result<Solution, Error> {
    let begin = task.clock.now();
    if let Some(outcome) = state.outcome() {
        return Ok(Solution::over(outcome, state.side_to_move()));
    }
    let table = data.table(state.game())?;
    let mut solution = solve_by(state, all, table.as_ref())
        .ok_or_else(|| Error::new(ErrorCode::TableRefused, "the table is damaged"))?;
    solution.time = task.clock.now().saturating_sub(begin);
    Ok(solution)
}

fn solve_by(state: &GameState<Dobutsu>, all: bool, table: &impl Source) -> Option<Solution> {
    let moves = worths(state, table)?;
    let best = best(&moves);
    let nodes = moves.len() as u64;
    let listed = |known: &&Worth| all || best.first().is_none_or(|first| first.m == known.m);
    let solved: Vec<SolvedMove> = moves.iter().filter(listed).map(Worth::solved).collect();
    let Some(top) = best.first().copied() else {
        let lower = moves.iter().map(|known| known.bounds.0).max()?;
        let upper = moves.iter().map(|known| known.bounds.1).max()?;
        return Some(Solution { bounds: (lower, upper), moves: solved, nodes, ..Solution::default() });
    };
    let (line, outcome) = line(state, top, table)?;
    Some(Solution {
        outcome: Some(outcome),
        score: Some(top.bounds.0),
        bounds: top.bounds,
        distance: top.value.plies(),
        moves: solved,
        best: best.iter().take(if all { usize::MAX } else { 1 }).map(|known| known.m.pack()).collect(),
        nodes,
        line: line.into_iter().map(Move::pack).collect(),
        time: std::time::Duration::ZERO,
    })
}

/// A line of best play that begins with `top`, and the outcome at its end.
fn line(state: &GameState<Dobutsu>, top: Worth, table: &impl Source) -> Option<(Vec<Move>, Outcome)> {
    let mut state = state.clone();
    let begin = state.moves().len();
    let drawn = Outcome { winner: None, margin: None, by: "repetition" };
    let longest = top.value.plies().map_or(DRAWN_LINE, |plies| plies as usize);
    let mut next = Some(top);
    while let Some(known) = next.filter(|_| state.moves().len() - begin < longest) {
        state.play(known.m);
        next = if state.outcome().is_some() { None } else { best(&worths(&state, table)?).first().copied() };
    }
    let outcome = if top.value == Value::Draw { drawn } else { state.outcome().unwrap_or(drawn) };
    Some((state.moves().get(begin..).unwrap_or_default().to_vec(), outcome))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::convert::Infallible;

    use banmen_game::{Game, Notation, Rng};

    use super::*;
    use crate::table::Index;

    /// A table with a few known positions; all others are drawn.
    struct Few(Index, HashMap<u32, u8>);

    impl Few {
        fn new(known: &[(&Position, u8)]) -> Few {
            let index = Index::new();
            let number = |position: &Position| index.slot(position).map(|slot| slot.number);
            let known = known.iter().filter_map(|&(position, byte)| Some((number(position)?, byte))).collect();
            Few(index, known)
        }
    }

    impl Source for Few {
        type Error = Infallible;
        type Rules = Variant;

        fn rules(&self) -> Variant {
            Variant::Catch
        }

        fn index(&self) -> &Index {
            &self.0
        }

        fn byte(&self, number: u32) -> Result<u8, Infallible> {
            Ok(self.1.get(&number).copied().unwrap_or(255))
        }
    }

    fn state(texts: &str) -> GameState<Dobutsu> {
        let mut state = GameState::new(Dobutsu::CATCH);
        for text in texts.split_whitespace() {
            let read = Dobutsu::CATCH.parse_move(state.position(), text);
            state.play(read.unwrap_or_else(|error| panic!("{text}: {error}")));
        }
        state
    }

    fn after(state: &GameState<Dobutsu>, text: &str) -> Position {
        let mut next = *state.position();
        next.play(Dobutsu::CATCH.parse_move(&next, text).unwrap_or_else(|error| panic!("{text}: {error}")));
        next
    }

    #[test]
    fn a_win_through_a_position_seen_twice_is_left_open() {
        // The moves return to the start, which has now occurred twice; no other position has.
        let cycle = state("1d1c 3a3b 1c1d 3b3a");
        let won = after(&cycle, "2d3c");
        let table = Few::new(&[(&won, 20)]);
        let solution = solve_by(&cycle, true, &table).unwrap_or_default();
        assert_eq!((solution.score, solution.distance), (Some(1), Some(21)), "nothing nearer was seen twice");
        assert_eq!(solution.best.len(), 1);

        // The start, seen twice, is won for the first side in fewer plies, so the winning line may pass through it.
        let seen = Few::new(&[(&won, 20), (&Position::START, 15)]);
        let solution = solve_by(&cycle, true, &seen).unwrap_or_default();
        assert_eq!((solution.score, solution.bounds, solution.outcome), (None, (0, 1), None));
        assert!(solution.best.is_empty() && solution.line.is_empty());
        // Without history the win holds.
        let fresh = solve_by(&state(""), true, &seen).unwrap_or_default();
        assert_eq!(fresh.score, Some(1));

        // The same for the losing side.
        let lost = Few::new(&[(cycle.position(), 76), (&won, 77)]);
        let solution = solve_by(&state("1d1c 3a3b 1c1d 3b3a"), true, &lost).unwrap_or_default();
        assert_eq!(solution.score, Some(0), "three moves are draws in this table");
        let worth = solution.moves.iter().find(|known| known.bounds != (0, 0));
        assert_eq!(worth.map(|known| known.bounds), Some((-1, 0)), "the loss in 78 may come through the start");
    }

    #[test]
    fn a_third_occurrence_is_a_draw() {
        let twice = state("1d1c 3a3b 1c1d 3b3a 1d1c 3a3b 1c1d");
        let next = after(&twice, "3b3a");
        let table = Few::new(&[(&next, 9)]);
        let solution = solve_by(&twice, true, &table).unwrap_or_default();
        let worth = solution.moves.iter().find(|known| {
            twice.game().unpack(known.m).is_some_and(|m| twice.game().format_move(twice.position(), m, "") == "3b3a")
        });
        assert_eq!(worth.map(|known| (known.score, known.distance)), Some((Some(0), None)));
    }

    #[test]
    fn score_outcome_and_line_agree_with_any_history() {
        let (mut rng, table, mut proven) = (Rng::new(5), Few::new(&[]), 0);
        for _ in 0..60 {
            let mut state = GameState::new(Dobutsu::CATCH);
            while state.outcome().is_none() && state.moves().len() < 60 {
                let solution = solve_by(&state, true, &table).unwrap_or_default();
                let winner = solution.outcome.and_then(|outcome| outcome.winner);
                let side = state.side_to_move();
                match solution.score {
                    Some(score) => {
                        proven += 1;
                        assert_eq!(score, winner.map_or(0, |winner| if winner == side { 1 } else { -1 }));
                        assert!(solution.best.contains(solution.line.first().unwrap_or(&0)));
                    }
                    None => {
                        assert!(solution.outcome.is_none() && solution.best.is_empty() && solution.line.is_empty());
                        assert!(solution.bounds.0 < solution.bounds.1);
                    }
                }
                if let Some(plies) = solution.distance {
                    assert_eq!(solution.line.len(), plies as usize);
                }
                let moves = state.game().moves(state.position());
                // Moves back and forth, so that positions repeat.
                let m = moves[if rng.index(3) == 0 { rng.index(moves.len()) } else { 0 }];
                state.play(m);
            }
        }
        assert!(proven > 500, "{proven}");
    }
}
