//! Last good replies: the move with which a side answered a move, or the last two moves, in a playout that it won.
//!
//! Drake 2009, "The last-good-reply policy for Monte-Carlo Go"; a reply is forgotten when its side loses with it: Baier and
//! Drake 2010, "The power of forgetting".

use banmen_game::{Side, mix};

use crate::moves::Move;

/// Entries for replies to two moves, a power of two, for each side.
const PAIRS: usize = 1 << 13;

/// A reply to two moves.
#[derive(Clone, Copy, Debug)]
struct PairReply {
    /// The two moves, the earlier one first.
    key: (Move, Move),
    reply: Move,
}

/// The replies of both sides. A pass stands for no reply.
#[derive(Clone, Debug)]
pub(super) struct Replies {
    /// By side and number of the move before.
    one: [Vec<Move>; 2],
    /// By side and hash of the last two moves; a newer pair replaces an older one.
    two: [Vec<PairReply>; 2],
}

impl Default for Replies {
    fn default() -> Self {
        let none = PairReply { key: (Move::PASS, Move::PASS), reply: Move::PASS };
        Replies {
            one: std::array::from_fn(|_| vec![Move::PASS; Move::COUNT]),
            two: std::array::from_fn(|_| vec![none; PAIRS]),
        }
    }
}

fn slot(key: (Move, Move)) -> usize {
    mix(u64::from(key.0.pack()) << 16 | u64::from(key.1.pack())) as usize % PAIRS
}

impl Replies {
    /// The replies of a side to the last two moves, the one to both first. A pass where there is none.
    #[inline]
    pub(super) fn to(&self, side: Side, key: (Move, Move)) -> [Move; 2] {
        let pair = &self.two[side.index()][slot(key)];
        let two = if pair.key == key { pair.reply } else { Move::PASS };
        [two, self.one[side.index()][key.1.index()]]
    }

    /// A side has answered the last two moves with `reply` and won, or not: then the reply is forgotten.
    #[inline]
    pub(super) fn learn(&mut self, side: Side, key: (Move, Move), reply: Move, won: bool) {
        let one = &mut self.one[side.index()][key.1.index()];
        let two = &mut self.two[side.index()][slot(key)];
        if won {
            *one = reply;
            *two = PairReply { key, reply };
            return;
        }
        if *one == reply {
            *one = Move::PASS;
        }
        if two.key == key && two.reply == reply {
            two.reply = Move::PASS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_learned_by_winning_and_forgotten_by_losing() {
        let mut replies = Replies::default();
        let [a, b, c, d] = [10, 2_000, 7_000, 13_000].map(|index| Move::of_index(index).expect("a placement"));
        let none = Move::PASS;
        assert_eq!(replies.to(Side::First, (a, b)), [none; 2]);
        replies.learn(Side::First, (a, b), c, true);
        assert_eq!(replies.to(Side::First, (a, b)), [c, c]);
        assert_eq!(replies.to(Side::First, (d, b)), [none, c], "to the last move alone");
        assert_eq!(replies.to(Side::Second, (a, b)), [none; 2], "of the other side");
        replies.learn(Side::First, (d, b), d, true);
        assert_eq!(replies.to(Side::First, (a, b)), [c, d]);
        replies.learn(Side::First, (a, b), d, false);
        assert_eq!(replies.to(Side::First, (a, b)), [c, none], "another reply to both moves stays");
        replies.learn(Side::First, (a, b), c, false);
        assert_eq!(replies.to(Side::First, (a, b)), [none; 2]);
        assert_eq!(replies.to(Side::First, (d, b)), [d, none]);
    }
}
