//! Values of the article's game from its table, which ignores the history.
//!
//! A win or a loss by the table also holds in the game while no position has occurred three times. On the way to it the
//! distance falls with every ply, so no position repeats and none occurs for the fourth time. A draw by the table
//! leaves the value undecided: a side that holds the draw by moving back and forth runs out of legal moves. Once some
//! position has occurred three times, only results within the next two plies are decided.
//!
//! The start is such a draw, and so are the positions after its four moves. The longest win of a stored position takes
//! 107 plies.

use std::ops::ControlFlow;

use banmen_catalog::{Data, Error, ErrorCode, HasTablebase, ResultTable, Solution, SolveTask, SolvedMove};
use banmen_game::{Game, GameState};

use super::{Article, Move, Position};
use crate::solved::build_bytes;
use crate::table::{PackedTable, Source, Value};

/// Within this many plies no fourth occurrence can intervene: a win in one ply, or a loss to such a win.
const AT_ONCE: u32 = 2;

impl HasTablebase for Article {
    type Table = PackedTable<Vec<u8>, Article>;

    fn table_name(&self) -> Result<&'static str, Error> {
        Ok("dobutsu-article")
    }

    fn open_table(&self, bytes: Vec<u8>) -> Result<Self::Table, String> {
        PackedTable::open(bytes, Article).map_err(|error| error.to_string())
    }

    fn build_table(
        &self,
        threads: usize,
        progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<Vec<u8>, Error> {
        build_bytes(Article, threads, progress)
    }

    fn census(
        &self,
        _: &Self::Table,
        _: usize,
        _: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<ResultTable, Error> {
        Err(Error::new(ErrorCode::Unsupported, "the census is of the game `dobutsu`"))
    }
}

/// A move and its value for the side that makes it, if the value is decided.
struct Worth {
    m: Move,
    value: Option<Value>,
}

impl Worth {
    fn solved(&self) -> SolvedMove {
        let m = self.m.pack();
        let (score, distance) = (self.value.map(Value::score), self.value.and_then(Value::plies));
        SolvedMove { m, score, bounds: score.map_or((-1, 1), |score| (score, score)), distance }
    }
}

/// The values of all moves; `None` when the table is damaged.
fn values<S: Source<Rules = Article>>(position: &Position, table: &S) -> Option<Vec<Worth>> {
    let worth = |m: Move| {
        let mut next = *position.board();
        next.play(m.played);
        let value = table.value(&next).ok()?.before();
        let certain = value.plies().is_some_and(|plies| plies <= AT_ONCE || !position.is_thrice());
        Some(Worth { m, value: certain.then_some(value) })
    };
    Article.moves(position).into_iter().map(worth).collect()
}

/// The value of a position from those of its moves: the shortest win, else undecided, else the longest loss.
fn value(moves: &[Worth]) -> Option<Value> {
    let known = moves.iter().filter_map(|known| known.value).max_by_key(|value| value.rank());
    known.filter(|value| value.score() > 0 || moves.iter().all(|known| known.value.is_some()))
}

/// Solves the game state's position by the table, if the table decides it.
///
/// # Errors
/// Fails if there is no table, or if it is damaged.
pub(super) fn solve(
    state: &GameState<Article>,
    all: bool,
    task: &SolveTask<'_>,
    data: &Data,
) -> Result<Solution, Error> {
    let begin = task.clock.now();
    if let Some(outcome) = state.outcome() {
        return Ok(Solution::over(outcome, state.side_to_move()));
    }
    let table = data.table(state.game())?;
    let damaged = || Error::new(ErrorCode::TableRefused, "the table is damaged");
    let moves = values(state.position(), table.as_ref()).ok_or_else(damaged)?;
    let top = value(&moves);
    // An undecided move ranks above a lost one.
    let best: Vec<&Worth> = moves.iter().filter(|known| known.value == top).collect();
    let shown = |known: &&Worth| all || best.first().is_some_and(|first| first.m == known.m);
    let score = top.map(Value::score);
    let mut line = state.clone();
    let mut next = top.and(best.first().map(|known| known.m));
    while let Some(m) = next {
        line.play(m);
        let moves = if line.outcome().is_some() { None } else { values(line.position(), table.as_ref()) };
        next = moves.and_then(|moves| {
            let top = value(&moves)?;
            moves.iter().find(|known| known.value == Some(top)).map(|known| known.m)
        });
    }
    Ok(Solution {
        outcome: line.outcome(),
        score,
        bounds: score.map_or((-1, 1), |score| (score, score)),
        distance: top.and_then(Value::plies),
        moves: moves.iter().filter(shown).map(Worth::solved).collect(),
        best: if score.is_none() {
            Vec::new()
        } else {
            best.iter().take(if all { usize::MAX } else { 1 }).map(|known| known.m.pack()).collect()
        },
        nodes: moves.len() as u64,
        line: line.moves()[state.moves().len()..].iter().map(|m| m.pack()).collect(),
        time: task.clock.now().saturating_sub(begin),
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use banmen_game::Notation;

    use super::*;
    use crate::table::Index;

    /// A table in which every stored position has the same byte.
    struct Alike(Index, u8);

    impl Source for Alike {
        type Error = Infallible;
        type Rules = Article;

        fn rules(&self) -> Article {
            Article
        }

        fn index(&self) -> &Index {
            &self.0
        }

        fn byte(&self, _: u32) -> Result<u8, Infallible> {
            Ok(self.1)
        }
    }

    fn worth(position: &Position, byte: u8) -> Option<Value> {
        values(position, &Alike(Index::new(), byte)).and_then(|moves| value(&moves))
    }

    #[test]
    fn wins_and_losses_are_decided_and_draws_are_not() {
        let mut state = GameState::new(Article);
        assert_eq!(worth(state.position(), 255), None);
        assert_eq!(worth(state.position(), 76), Some(Value::Win(77)));
        assert_eq!(worth(state.position(), 77), Some(Value::Loss(78)));
        for text in ["1d1c", "3a3b", "1c1d", "3b3a"].iter().cycle().take(12) {
            let read = Article.parse_move(state.position(), text);
            state.play(read.unwrap_or_else(|error| panic!("{text}: {error}")));
        }
        assert_eq!([76, 77, 255].map(|byte| worth(state.position(), byte)), [None; 3], "some position occurred thrice");
        let Ok((_, catch)) = Article.parse_position("1l1/1C1/1L1/3 b C2E2G 1") else { panic!("a position") };
        assert_eq!(worth(&catch, 255), Some(Value::Win(1)));
        let Ok((_, lost)) = Article.parse_position("3/1l1/1c1/L2 b C2E2G 1") else { panic!("a position") };
        let known = values(&lost, &Alike(Index::new(), 255)).map(|moves| value(&moves));
        assert_eq!(known, Some(None), "the undecided moves come before the lost ones");
    }
}
