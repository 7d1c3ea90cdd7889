//! Whether the likelihood of ratings without a prior has a maximum.
//!
//! It is concave, and bounded by 1, so it has exactly one maximum unless it never falls along some direction. With d the
//! direction of each player, a that of the advantage, t ≥ 0 that of the draw parameter, and x = d₁ − d₂ + a for two players
//! of whom the first moves first, a win never becomes less likely where x ≥ t, a loss where −x ≥ t, a draw where |x| ≤ t (ν
//! and θ alike, on their own scales). For given a and t these are constraints on differences, which hold together unless
//! they have a cycle of negative length (Bellman 1958).

use crate::ratings::Meeting;

/// For any distances, `distance[to] ≤ distance[from] + length + advantage · a`.
struct Edge {
    from: usize,
    to: usize,
    length: i64,
    advantage: i64,
}

/// The sums of `length` and `advantage` over a cycle.
type Cycle = (i64, i64);

/// Whether no game speaks against an infinite advantage, or for that matter against one below all bounds, as where the same
/// one of any two players always moved first.
pub(crate) fn advantage_is_unbounded(players: usize, meetings: &[Meeting]) -> bool {
    let edges = edges(meetings, 0);
    [1, -1].into_iter().any(|a| negative_cycle(players, &edges, (a, 1)).is_none())
}

/// Whether no game speaks against an infinite tendency to draw, together with differences that grow with it, and an advantage
/// that does where there is one.
pub(crate) fn draws_are_unbounded(players: usize, meetings: &[Meeting], advantage: bool) -> bool {
    let edges = edges(meetings, 1);
    // Each cycle bounds the advantage from one side. From the bound of one cycle on to that of the next, until all hold.
    let mut side = 0;
    let mut at = (0, 1);
    loop {
        match negative_cycle(players, &edges, at) {
            None => return true,
            // The length is `length + slope · a`: the side on which it is not negative must be the one searched so far.
            Some((length, slope)) if advantage && slope != 0 && slope.signum() != -side => {
                side = slope.signum();
                at = (-length * side, slope * side);
            }
            Some(_) => return false,
        }
    }
}

/// The constraints, with `draws` for t. An edge from one player to another says that `distance[from] − distance[to]`, where
/// d is the distance, is at least something.
fn edges(meetings: &[Meeting], draws: i64) -> Vec<Edge> {
    let mut edges = Vec::new();
    for m in meetings {
        let mut at_least = |bound: i64, sign: i64| {
            let (from, to) = if sign > 0 { (m.first, m.second) } else { (m.second, m.first) };
            edges.push(Edge { from, to, length: -bound, advantage: sign });
        };
        // sign · x ≥ bound
        if m.wins > 0 {
            at_least(draws, 1);
        }
        if m.losses > 0 {
            at_least(draws, -1);
        }
        if m.draws > 0 {
            at_least(-draws, 1);
            at_least(-draws, -1);
        }
    }
    edges
}

/// A cycle whose length is negative with the advantage `a.0 / a.1`, if there is one.
fn negative_cycle(players: usize, edges: &[Edge], a: (i64, i64)) -> Option<Cycle> {
    let length = |edge: &Edge| edge.length * a.1 + edge.advantage * a.0;
    let mut distance = vec![0; players];
    let mut before: Vec<Option<&Edge>> = vec![None; players];
    let mut last = None;
    for _ in 0..players {
        last = None;
        for edge in edges {
            let reached = distance[edge.from] + length(edge);
            if reached < distance[edge.to] {
                distance[edge.to] = reached;
                before[edge.to] = Some(edge);
                last = Some(edge.to);
            }
        }
        last?;
    }
    // A distance that still fell after so many rounds comes from a cycle: some steps back, all players are on it.
    let mut on = last?;
    for _ in 0..players {
        on = before[on]?.from;
    }
    let (mut player, mut sums) = (on, (0, 0));
    loop {
        let edge = before[player]?;
        sums = (sums.0 + edge.length, sums.1 + edge.advantage);
        player = edge.from;
        if player == on {
            return Some(sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether one of the directions of a grid, on which are all that the cycles of three players can bound, is one along which
    /// no game becomes less likely.
    fn on_the_grid(meetings: &[Meeting], advantages: &[i64], draws: i64) -> bool {
        let held = |d: [i64; 3], a: i64| {
            meetings.iter().all(|m| {
                let x = d[m.first] - d[m.second] + a;
                (m.wins == 0 || x >= draws) && (m.losses == 0 || -x >= draws) && (m.draws == 0 || x.abs() <= draws)
            })
        };
        let all = -48..=48;
        advantages.iter().any(|&a| all.clone().any(|d1| all.clone().any(|d2| held([0, d1, d2], a))))
    }

    fn meetings() -> impl Strategy<Value = Vec<Meeting>> {
        let result = || prop_oneof![3 => Just(0u64), 1 => Just(1u64)];
        let one = (0..3usize, 1..3usize, result(), result(), result()).prop_map(|(first, by, wins, draws, losses)| {
            Meeting { first, second: (first + by) % 3, wins, draws, losses }
        });
        prop::collection::vec(one, 1..7)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn cycles_find_what_a_grid_of_directions_finds(meetings in meetings()) {
            let every: Vec<i64> = (-18..=18).collect();
            prop_assert_eq!(advantage_is_unbounded(3, &meetings), on_the_grid(&meetings, &[6, -6], 0));
            prop_assert_eq!(draws_are_unbounded(3, &meetings, false), on_the_grid(&meetings, &[0], 6));
            prop_assert_eq!(draws_are_unbounded(3, &meetings, true), on_the_grid(&meetings, &every, 6));
        }
    }
}
