//! Which players can be compared: the strongly connected components of the relation "scored against".

/// The strongly connected components of players 0 to `players` − 1 under the edges `scored` (winner, loser), the strongest
/// component first: none scored against an earlier one. Each in ascending order. Edges with other players are ignored.
pub(crate) fn components(players: usize, scored: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); players];
    for &(winner, loser) in scored.iter().filter(|(winner, loser)| *winner < players && *loser < players) {
        out[winner].push(loser);
    }
    for next in &mut out {
        next.sort_unstable();
        next.dedup();
    }
    // Tarjan 1972, with an explicit stack. A component is completed after all components that it points to.
    const UNSEEN: usize = usize::MAX;
    let mut index = vec![UNSEEN; players];
    let mut low = vec![0; players];
    let mut waiting = vec![false; players];
    let (mut open, mut parts, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..players {
        let mut calls = vec![(root, 0)];
        while let Some((player, edge)) = calls.pop() {
            if edge == 0 {
                if index[player] != UNSEEN {
                    continue;
                }
                (index[player], low[player], waiting[player]) = (count, count, true);
                count += 1;
                open.push(player);
            } else {
                // Return along the previous edge.
                low[player] = low[player].min(low[out[player][edge - 1]]);
            }
            let mut entered = false;
            for (at, &next) in out[player].iter().enumerate().skip(edge) {
                if index[next] == UNSEEN {
                    calls.push((player, at + 1));
                    calls.push((next, 0));
                    entered = true;
                    break;
                }
                if waiting[next] {
                    low[player] = low[player].min(index[next]);
                }
            }
            if !entered && low[player] == index[player] {
                let mut part = Vec::new();
                while let Some(member) = open.pop() {
                    waiting[member] = false;
                    part.push(member);
                    if member == player {
                        break;
                    }
                }
                part.sort_unstable();
                parts.push(part);
            }
        }
    }
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_order() {
        assert_eq!(components(3, &[]).len(), 3);
        assert_eq!(components(3, &[(0, 1), (1, 2), (2, 0)]), [vec![0, 1, 2]]);
        // 3 beats 1 and 2, which drew against each other; 0 loses to all.
        assert_eq!(components(4, &[(3, 1), (1, 2), (2, 1), (3, 2), (1, 0), (3, 0)]), [vec![3], vec![1, 2], vec![0]]);
        // A cycle that is closed late, with a way back through a part already seen.
        let cycle = [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 0), (5, 0)];
        assert_eq!(components(6, &cycle), [vec![5], vec![0, 1, 2, 3, 4]]);
        assert_eq!(components(2, &[(0, 7), (1, 0)]), [vec![1], vec![0]]);
    }

    /// Against the closure of the relation, on every graph of four players.
    #[test]
    fn parts_are_those_of_the_closure() {
        let pairs: Vec<(usize, usize)> = (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).collect();
        let edges: Vec<(usize, usize)> = pairs.iter().copied().filter(|(a, b)| a != b).collect();
        for graph in 0..1u32 << edges.len() {
            let chosen: Vec<(usize, usize)> =
                edges.iter().enumerate().filter(|(at, _)| graph >> at & 1 == 1).map(|(_, edge)| *edge).collect();
            let mut reach = [[false; 4]; 4];
            for &(a, b) in &pairs {
                reach[a][b] = a == b || chosen.contains(&(a, b));
            }
            for via in 0..4 {
                for &(a, b) in &pairs {
                    reach[a][b] |= reach[a][via] && reach[via][b];
                }
            }
            let parts = components(4, &chosen);
            let place = |player| parts.iter().position(|part| part.contains(&player)).unwrap();
            for &(a, b) in &pairs {
                assert_eq!(place(a) == place(b), reach[a][b] && reach[b][a]);
                assert!(!reach[a][b] || place(a) <= place(b), "{chosen:?} gives {parts:?}");
            }
        }
    }
}
