//! The solver's memory of positions: proven bounds and the move that proved them.

/// What is known of a position. Scores are final scores from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// No perfect play of the mover scores less.
    pub(super) lower: i8,
    /// No perfect play of the mover scores more.
    pub(super) upper: i8,
    /// The move that gave the last bound: a square, or [`NO_MOVE`].
    pub(super) best: u8,
}

/// No move known.
pub(super) const NO_MOVE: u8 = 64;

impl Known {
    /// What is known of a position never seen.
    pub(super) const NOTHING: Known = Known { lower: -64, upper: 64, best: NO_MOVE };
}

/// A hash table of whole positions: a hit is never mistaken.
pub(super) struct Table {
    buckets: Vec<Bucket>,
    /// Counts solves, so that entries of old ones go first.
    date: u8,
}

/// Three positions in one cache line. A position without discs marks a free place: none occurs in a search.
#[derive(Clone)]
#[repr(C, align(64))]
struct Bucket {
    own: [u64; 3],
    opp: [u64; 3],
    known: [Known; 3],
    /// Binary logarithm of the nodes spent.
    cost: [u8; 3],
    date: [u8; 3],
}

impl Table {
    /// A table of at most `bytes`, rounded down to a power of two, but at least 64.
    pub(super) fn new(bytes: usize) -> Self {
        let count = (bytes / size_of::<Bucket>()).max(1);
        let free = Bucket { own: [0; 3], opp: [0; 3], known: [Known::NOTHING; 3], cost: [0; 3], date: [0; 3] };
        Table { buckets: vec![free; 1 << count.ilog2()], date: 0 }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        for bucket in &mut self.buckets {
            (bucket.own, bucket.opp) = ([0; 3], [0; 3]);
        }
    }

    /// What was stored before counts as old from now on.
    pub(super) fn age(&mut self) {
        self.date = self.date.wrapping_add(1);
    }

    #[inline]
    fn slot(&self, own: u64, opp: u64) -> usize {
        let mixed = (own.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ opp.rotate_left(32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed ^ mixed >> 32) as usize & (self.buckets.len() - 1)
    }

    /// Brings the bucket of a position towards the processor.
    #[inline]
    pub(super) fn prefetch(&self, own: u64, opp: u64) {
        super::kernel::prefetch(&self.buckets[self.slot(own, opp)]);
    }

    /// What is known of a position.
    #[inline]
    pub(super) fn probe(&self, own: u64, opp: u64) -> Option<Known> {
        let bucket = &self.buckets[self.slot(own, opp)];
        (0..3).find(|&i| bucket.own[i] == own && bucket.opp[i] == opp).map(|i| bucket.known[i])
    }

    /// Adds to what is known of a position: the bounds and move of `news`, found with `nodes` nodes.
    #[inline]
    pub(super) fn store(&mut self, own: u64, opp: u64, news: Known, nodes: u64) {
        let slot = self.slot(own, opp);
        let date = self.date;
        let bucket = &mut self.buckets[slot];
        let cost = nodes.max(1).ilog2() as u8;
        let same = (0..3).find(|&i| bucket.own[i] == own && bucket.opp[i] == opp);
        let place = match same {
            Some(i) => {
                let old = bucket.known[i];
                let best = if news.best == NO_MOVE { old.best } else { news.best };
                bucket.known[i] = Known { lower: old.lower.max(news.lower), upper: old.upper.min(news.upper), best };
                bucket.cost[i] = bucket.cost[i].max(cost);
                bucket.date[i] = date;
                return;
            }
            // The cheapest goes, old ones first.
            None => {
                let worth = |i: usize| (bucket.date[i] == date, bucket.cost[i], bucket.own[i] != 0);
                let mut place = 0;
                for i in 1..3 {
                    if worth(i) < worth(place) {
                        place = i;
                    }
                }
                place
            }
        };
        bucket.own[place] = own;
        bucket.opp[place] = opp;
        bucket.known[place] = news;
        bucket.cost[place] = cost;
        bucket.date[place] = date;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_add_up_and_the_dearest_stay() {
        let mut table = Table::new(64);
        let news = |lower, upper, best| Known { lower, upper, best };
        assert_eq!(table.probe(1, 2), None);
        table.store(1, 2, news(-4, 64, 9), 100);
        table.store(1, 2, news(-64, 6, NO_MOVE), 10);
        assert_eq!(table.probe(1, 2), Some(news(-4, 6, 9)));
        for own in 3..=5 {
            table.store(own, 0, news(0, 64, 1), 1 << own);
        }
        assert_eq!(table.probe(3, 0), None, "the cheapest made room");
        assert!(table.probe(1, 2).is_some() && table.probe(4, 0).is_some() && table.probe(5, 0).is_some());
        table.age();
        table.store(6, 0, news(0, 64, 1), 1);
        assert_eq!(table.probe(4, 0), None, "old ones go first");
        assert!(table.probe(6, 0).is_some());
        table.clear();
        assert_eq!(table.probe(6, 0), None);
    }
}
