//! When a pair at which workers failed is given up.

use std::collections::BTreeSet;

/// Workers that fail at a pair before it counts as one that cannot be played. Where fewer can play it, so many failures of
/// all of them together.
const MAX_FAILURES: usize = 3;

/// The failures at a pair.
#[derive(Default)]
pub(crate) struct Failures {
    count: usize,
    workers: BTreeSet<String>,
}

impl Failures {
    /// Counts a failure of a worker.
    pub(crate) fn add(&mut self, worker: &str) {
        self.count += 1;
        self.workers.insert(worker.to_owned());
    }

    /// Whether the pair counts as one that cannot be played, where these workers can play.
    pub(crate) fn enough<'w>(&self, mut able: impl Iterator<Item = &'w str>) -> bool {
        self.workers.len() >= MAX_FAILURES
            || self.count >= MAX_FAILURES && able.all(|worker| self.workers.contains(worker))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a pair is given up after each of these failures.
    fn given_up(workers: &[&str], able: &[&str]) -> Vec<bool> {
        let mut failures = Failures::default();
        let after = |worker: &&str| {
            failures.add(worker);
            failures.enough(able.iter().copied())
        };
        workers.iter().map(after).collect()
    }

    #[test]
    fn one_broken_worker_does_not_make_a_pair_be_given_up() {
        assert_eq!(given_up(&["broken"; 20], &["broken", "other"]), [false; 20]);
    }

    #[test]
    fn three_workers_make_a_pair_be_given_up() {
        let able = ["a", "b", "c", "d"];
        assert_eq!(given_up(&["a", "b", "a", "b", "c"], &able), [false, false, false, false, true]);
    }

    #[test]
    fn fewer_than_three_workers_fail_three_times_together() {
        assert_eq!(given_up(&["a"; 3], &["a"]), [false, false, true]);
        assert_eq!(given_up(&["a", "b", "a"], &["a", "b"]), [false, false, true]);
        assert_eq!(given_up(&["a", "a", "a", "b"], &["a", "b"]), [false, false, false, true]);
        assert_eq!(given_up(&["a"; 3], &[]), [false, false, true], "a worker that is gone is not waited for");
    }
}
