//! How a book is made: by searches of our own, best first.
//!
//! A position is expanded by searching every position after it. Which one is next follows from the cost of the way there:
//! one for every ply and [`DISC_COST`] for every disc that a move on the way is worse than the best one there (drop-out
//! expansion, Lincke 2000). So the lines that both sides are likely to play grow deepest, and each deviation is followed
//! the less far, the more it loses.

use std::collections::HashMap;

use banmen_search::Budget;

use super::{After, Book, HALF_DISCS, Key, Link, play, start};
use crate::engine::{Midgame, Selectivity};
use crate::moves::legal;

/// The plies that a loss of one disc is worth, when the next position to expand is chosen.
const DISC_COST: f64 = 2.0;

/// A first search of this many plies less finds the moves that are searched to the full depth: those that lose at most
/// [`CANDIDATE_LOSS`].
const FIRST_SEARCH: u32 = 4;

/// Hundredths of a disc below the best move of the first search.
const CANDIDATE_LOSS: i32 = 500;

/// A book has the moves that lose at most this, in hundredths of a disc.
const BOOK_LOSS: i32 = 300;

/// Hundredths of a disc.
const DISC: i32 = 100;

/// A position of the growing book.
#[derive(Clone, Debug, Default)]
struct Node {
    /// From the mover's view, in hundredths of a disc: of a search, or the best of its moves.
    value: i32,
    /// Its moves; none where it has not been expanded.
    moves: Vec<Child>,
    /// The least cost of a way from here to a position that has not been expanded.
    cost: f64,
    /// The positions that a move leads here from.
    parents: Vec<Key>,
}

/// A move of an expanded position.
#[derive(Clone, Copy, Debug)]
struct Child {
    square: u32,
    after: After,
}

/// A growing book.
pub struct Growth {
    depth: u32,
    midgame: Midgame,
    nodes: HashMap<Key, Node>,
    expanded: usize,
}

impl Growth {
    /// A book with nothing but the first position of a game; the others are valued by searches of `depth` plies with
    /// ProbCut at 73 %, with a table of so many bytes.
    #[must_use]
    pub fn new(depth: u32, table: usize) -> Self {
        let nodes = HashMap::from([(start(), Node::default())]);
        Growth { depth, midgame: Midgame::new(table), nodes, expanded: 0 }
    }

    /// The number of expanded positions.
    #[must_use]
    pub fn expanded(&self) -> usize {
        self.expanded
    }

    /// The value of the first position for Black, in hundredths of a disc.
    #[must_use]
    pub fn value(&self) -> i32 {
        self.nodes.get(&start()).map_or(0, |node| node.value)
    }

    /// Expands the next position. False when the budget is over before, or when no position is left: the book is as it was.
    pub fn grow(&mut self, budget: &mut Budget<'_>) -> bool {
        let mut key = start();
        while let Some(child) = self.cheapest(key) {
            key = child.0;
        }
        if self.nodes.get(&key).is_none_or(|node| !node.moves.is_empty()) {
            return false;
        }
        let Some(values) = self.search(key, budget) else { return false };
        for &(child, value) in &values {
            if let After::Next(next, _) = child.after {
                let node = self.nodes.entry(next).or_insert_with(|| Node { value, ..Node::default() });
                node.parents.push(key);
            }
        }
        if let Some(node) = self.nodes.get_mut(&key) {
            node.moves = values.into_iter().map(|(child, _)| child).collect();
        }
        self.expanded += 1;
        self.update(key);
        true
    }

    /// The positions after a position with their values for their movers.
    fn search(&mut self, (own, opp): Key, budget: &mut Budget<'_>) -> Option<Vec<(Child, i32)>> {
        let squares = legal(own, opp);
        let children = (0..64).filter(|square| squares >> square & 1 == 1);
        let children: Vec<Child> = children.map(|square| Child { square, after: play((own, opp), square) }).collect();
        let mut values = vec![0; children.len()];
        let mut candidates = vec![true; children.len()];
        for depth in [self.depth.saturating_sub(FIRST_SEARCH).max(1), self.depth] {
            for (at, child) in children.iter().enumerate().filter(|&(at, _)| candidates[at]) {
                if let After::Next(key, _) = child.after {
                    values[at] = self.value_of(key, depth, budget)?;
                }
            }
            let losses: Vec<i32> = (0..children.len()).map(|at| for_mover(children[at].after, values[at])).collect();
            let best = losses.iter().max().copied().unwrap_or(0);
            candidates = losses.iter().map(|value| best - value <= CANDIDATE_LOSS).collect();
        }
        Some(children.into_iter().zip(values).collect())
    }

    /// The value of a position for its mover: what the book has, else a search.
    fn value_of(&mut self, key: Key, depth: u32, budget: &mut Budget<'_>) -> Option<i32> {
        if let Some(node) = self.nodes.get(&key) {
            return Some(node.value);
        }
        let mut found = None;
        for depth in (2 - depth % 2..=depth).step_by(2) {
            found = Some(self.midgame.value(key.0, key.1, depth, Selectivity::P73, budget)?.0);
        }
        found
    }

    /// The value of a move for the side that makes it.
    fn value_of_move(&self, after: After) -> i32 {
        let known = match after {
            After::Next(key, _) => self.nodes.get(&key).map_or(0, |node| node.value),
            After::End(_) => 0,
        };
        for_mover(after, known)
    }

    /// The position after the move by which the cheapest way leads on, and its cost. `None` where none does.
    fn cheapest(&self, key: Key) -> Option<(Key, f64)> {
        let node = self.nodes.get(&key)?;
        let ways = node.moves.iter().filter_map(|child| {
            let After::Next(next, _) = child.after else { return None };
            let loss = f64::from(node.value - self.value_of_move(child.after)) / f64::from(DISC);
            Some((next, 1.0 + self.nodes.get(&next)?.cost + DISC_COST * loss))
        });
        ways.filter(|(_, cost)| cost.is_finite()).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Value and cost of an expanded position and of those before it, as far as they change.
    fn update(&mut self, key: Key) {
        let mut left = vec![key];
        while let Some(key) = left.pop() {
            let Some(node) = self.nodes.get(&key) else { continue };
            let value = node.moves.iter().map(|child| self.value_of_move(child.after)).max().unwrap_or(node.value);
            let before = (node.value, node.cost);
            let Some(node) = self.nodes.get_mut(&key) else { continue };
            node.value = value;
            // The losses of the moves are those below the new value.
            let cost = self.cheapest(key).map_or(f64::INFINITY, |(_, cost)| cost);
            let Some(node) = self.nodes.get_mut(&key) else { continue };
            node.cost = cost;
            if before != (value, cost) {
                left.extend(&node.parents);
            }
        }
    }

    /// The book: the moves of all expanded positions that lose little, with their values.
    #[must_use]
    pub fn book(&self) -> Book {
        let expanded = |key: &Key| self.nodes.get(key).is_some_and(|node| !node.moves.is_empty());
        let positions = self.nodes.iter().filter(|(_, node)| !node.moves.is_empty());
        let positions = positions.map(|(&key, node)| {
            let links = node.moves.iter().filter_map(|child| {
                let value = self.value_of_move(child.after);
                let half_discs = (value * HALF_DISCS + value.signum() * DISC / 2) / DISC;
                let inner = matches!(child.after, After::Next(next, _) if expanded(&next));
                (node.value - value <= BOOK_LOSS).then_some(Link {
                    square: child.square as u8,
                    value: half_discs.clamp(-127, 127) as i8,
                    inner,
                })
            });
            (key, links.collect())
        });
        Book { depth: self.depth.min(u8::MAX.into()) as u8, positions: positions.collect() }
    }
}

/// The value of a move for the side that makes it, from that of the position after it for its mover.
fn for_mover(after: After, value: i32) -> i32 {
    match after {
        After::End(score) => DISC * score,
        After::Next(_, true) => value,
        After::Next(_, false) => -value,
    }
}

#[cfg(test)]
mod tests {
    use banmen_catalog::WallClock;
    use banmen_search::{Limits, StopFlag};

    use super::*;

    fn grown(expansions: usize) -> Growth {
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::default(), &clock, &stop);
        let mut growth = Growth::new(4, 1 << 20);
        while growth.expanded() < expansions {
            assert!(growth.grow(&mut budget));
        }
        growth
    }

    /// The values are the minimax of the last searches, and a file has the same ones.
    #[test]
    fn values_are_those_of_the_best_moves() {
        let growth = grown(40);
        for node in growth.nodes.values().filter(|node| !node.moves.is_empty()) {
            let best = node.moves.iter().map(|child| growth.value_of_move(child.after)).max();
            assert_eq!(Some(node.value), best);
        }
        let book = growth.book();
        let read = Book::from_bytes(&book.to_bytes()).expect("a book");
        assert_eq!(read, Book::from_bytes(&read.to_bytes()).expect("a book"));
        // A file lacks positions that only moves lead to which have turned out too bad for a book.
        assert!(book.len() == 40 && (30..=40).contains(&read.len()) && read.depth() == 4, "{}", read.len());
        for (key, links) in &read.positions {
            assert_eq!(book.positions.get(key), Some(links));
        }
    }

    #[test]
    fn the_next_position_is_the_one_of_the_least_cost() {
        let growth = grown(12);
        // By walking all ways.
        fn least(growth: &Growth, key: Key) -> f64 {
            let node = &growth.nodes[&key];
            if node.moves.is_empty() {
                return 0.0;
            }
            let ways = node.moves.iter().map(|child| {
                let After::Next(next, _) = child.after else { return f64::INFINITY };
                let loss = f64::from(node.value - growth.value_of_move(child.after)) / 100.0;
                1.0 + least(growth, next) + 2.0 * loss
            });
            ways.fold(f64::INFINITY, f64::min)
        }
        let (found, walked) = (growth.nodes[&start()].cost, least(&growth, start()));
        assert!((found - walked).abs() < 1e-9 && found > 1.0, "{found} {walked}");
        assert_eq!(grown(12).book(), growth.book(), "the same searches make the same book");
    }

    #[test]
    fn an_interrupted_expansion_changes_nothing() {
        let mut growth = grown(3);
        let before = growth.book();
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::nodes(10), &clock, &stop);
        assert!(!growth.grow(&mut budget));
        assert_eq!((growth.book(), growth.expanded()), (before, 3));
    }
}
