//! How many searches may run at once, and with how many threads.

use std::net::IpAddr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use banmen_catalog::{Error, ErrorCode};
use banmen_search::StopFlag;
use banmen_search::threads::lock;

/// Bounds the numbers of searches that run and that wait, and shares them among addresses.
///
/// A free slot goes to the address with the fewest running searches; among equals, to the one whose last search ended
/// first. The searches of one address begin in the order of their requests. When the queue is full, the newest waiting
/// search of the address with the most searches, running and waiting, is refused in favour of one of an address that has
/// at least two fewer. So one address may use all slots and the whole queue only while no other address needs them.
/// Clients of one address, for example behind a proxy, are not told apart.
///
/// A search that has run longer than the limiter's patience is stopped when another one of its address waits, or one of an
/// address with fewer running searches: it answers with its best result so far, so that a long analysis does not block
/// other searches.
///
/// The searches that run share a number of threads. A search gets as many as it asks for, clamped to the larger of its
/// equal share and what the others leave; never less than one. So a search that began alone may use more than its share
/// until it ends, even after others have begun.
pub struct SearchLimiter {
    running: usize,
    waiting: usize,
    threads: usize,
    patience: Duration,
    state: Mutex<State>,
    /// Notified when a search was admitted or refused.
    changed: Condvar,
}

/// The limiter for the searches of one address.
#[derive(Clone)]
pub struct AddressLimiter {
    limiter: Arc<SearchLimiter>,
    address: IpAddr,
}

#[derive(Default)]
struct State {
    running: Vec<Running>,
    /// In the order in which addresses with equally many running searches are served, and each address's requests were
    /// made.
    waiting: Vec<Waiting>,
    last: u64,
}

struct Waiting {
    number: u64,
    address: IpAddr,
    stop: StopFlag,
}

struct Running {
    number: u64,
    address: IpAddr,
    since: Instant,
    stop: StopFlag,
    threads: usize,
}

/// The admission of a search, returned when dropped.
pub struct Permit {
    limiter: Arc<SearchLimiter>,
    number: u64,
}

impl State {
    /// The running searches of an address.
    fn running_of(&self, address: IpAddr) -> usize {
        self.running.iter().filter(|search| search.address == address).count()
    }

    /// All searches of an address.
    fn all_of(&self, address: IpAddr) -> usize {
        self.running_of(address) + self.waiting.iter().filter(|search| search.address == address).count()
    }

    /// Appends a search to the queue. Returns its number.
    fn push(&mut self, address: IpAddr, stop: &StopFlag) -> u64 {
        self.last += 1;
        self.waiting.push(Waiting { number: self.last, address, stop: stop.clone() });
        self.last
    }

    /// Removes a waiting search in favour of one of this address. Returns whether there was one.
    fn displace_for(&mut self, address: IpAddr) -> bool {
        let counts = self.waiting.iter().map(|search| self.all_of(search.address)).enumerate();
        // `max_by_key` returns the last one of equals: the newest of its address.
        let most = counts.max_by_key(|(_, count)| *count);
        // Each displacement makes the numbers more equal, so two addresses cannot displace each other in turns.
        let found = most.filter(|(_, count)| *count > self.all_of(address) + 1);
        found.map(|(at, _)| self.waiting.remove(at)).is_some()
    }

    /// Starts waiting searches until `most` run.
    fn admit(&mut self, most: usize) {
        while self.running.len() < most {
            let counts = self.waiting.iter().map(|search| self.running_of(search.address)).enumerate();
            // `min_by_key` returns the first one of equals.
            let Some((at, _)) = counts.min_by_key(|(_, count)| *count) else { break };
            let Waiting { number, address, stop } = self.waiting.remove(at);
            self.running.push(Running { number, address, since: Instant::now(), stop, threads: 1 });
        }
    }

    /// Ends a running search. The other searches of its address wait behind those of all others.
    fn end(&mut self, number: u64) {
        if let Some(at) = self.running.iter().position(|search| search.number == number) {
            let ended = self.running.remove(at).address;
            // The sort is stable.
            self.waiting.sort_by_key(|search| search.address == ended);
        }
    }

    /// Stops the searches that have run longer than `patience`, for a waiting one of this address.
    fn stop_long(&self, address: IpAddr, patience: Duration) {
        let own = self.running_of(address);
        for search in &self.running {
            let eligible = search.address == address || self.running_of(search.address) > own;
            if eligible && search.since.elapsed() > patience {
                search.stop.stop();
            }
        }
    }

    fn waits(&self, number: u64) -> bool {
        self.waiting.iter().any(|search| search.number == number)
    }

    fn runs(&self, number: u64) -> bool {
        self.running.iter().any(|search| search.number == number)
    }
}

impl SearchLimiter {
    /// Admits `running` searches at the same time, which share `threads` threads, and queues `waiting` more. While a
    /// search waits, one that has run longer than `patience` is stopped.
    #[must_use]
    pub fn new(running: usize, waiting: usize, threads: usize, patience: Duration) -> Arc<Self> {
        Arc::new(SearchLimiter {
            running,
            waiting,
            threads,
            patience,
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// The limiter for the searches of one address.
    #[must_use]
    pub fn of(self: &Arc<Self>, address: IpAddr) -> AddressLimiter {
        AddressLimiter { limiter: Arc::clone(self), address }
    }

    /// Searches running and waiting now.
    #[must_use]
    pub fn load(&self) -> (usize, usize) {
        let state = lock(&self.state);
        (state.running.len(), state.waiting.len())
    }
}

impl AddressLimiter {
    /// Waits for admission, or until `stop` is set. Blocks the thread.
    ///
    /// # Errors
    /// `busy` when the queue is full, or when the search was removed from it in favour of another address; `stopped` when
    /// the search was stopped while it waited.
    pub fn enter(&self, stop: &StopFlag) -> Result<Permit, Error> {
        let AddressLimiter { limiter, address } = self;
        let busy = || Error::new(ErrorCode::Busy, "as many searches are running as are allowed: try again in a moment");
        let mut state = lock(&limiter.state);
        if state.running.len() >= limiter.running && state.waiting.len() >= limiter.waiting {
            if !state.displace_for(*address) {
                return Err(busy());
            }
            limiter.changed.notify_all();
        }
        let number = state.push(*address, stop);
        state.admit(limiter.running);
        while state.waits(number) && !stop.stopped() {
            state.stop_long(*address, limiter.patience);
            // Short waits, so that a stop and the end of the patience are noticed.
            let waited = limiter.changed.wait_timeout(state, Duration::from_millis(20));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.runs(number) {
            return Ok(Permit { limiter: Arc::clone(limiter), number });
        }
        if state.waits(number) {
            state.waiting.retain(|search| search.number != number);
            return Err(Error::new(ErrorCode::Stopped, "the search was stopped before it began"));
        }
        Err(busy())
    }
}

impl Permit {
    /// The threads that the search may use, of those that it asks for: at least 1.
    #[must_use]
    pub fn threads(&self, asked: usize) -> usize {
        let mut state = lock(&self.limiter.state);
        let share = self.limiter.threads / state.running.len().max(1);
        let others = state.running.iter().filter(|search| search.number != self.number);
        let left = self.limiter.threads.saturating_sub(others.map(|search| search.threads).sum());
        let granted = asked.min(share.max(left)).max(1);
        if let Some(search) = state.running.iter_mut().find(|search| search.number == self.number) {
            search.threads = granted;
        }
        granted
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = lock(&self.limiter.state);
        state.end(self.number);
        state.admit(self.limiter.running);
        drop(state);
        self.limiter.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    /// Appends a search of each of these addresses to the queue. Returns their numbers.
    fn push(state: &mut State, addresses: &[u8]) -> Vec<u64> {
        addresses.iter().map(|last| state.push(address(*last), &StopFlag::default())).collect()
    }

    /// The last parts of the addresses of the waiting searches, in their order.
    fn waiting(state: &State) -> Vec<u8> {
        let last = |search: &Waiting| match search.address {
            IpAddr::V4(address) => address.octets()[3],
            IpAddr::V6(_) => 0,
        };
        state.waiting.iter().map(last).collect()
    }

    /// Ends the running searches one by one, the oldest first. Returns the numbers in the order in which searches began.
    fn begun(mut state: State, most: usize) -> Vec<u64> {
        let mut begun = Vec::new();
        state.admit(most);
        while !state.running.is_empty() {
            for search in &state.running {
                if !begun.contains(&search.number) {
                    begun.push(search.number);
                }
            }
            state.end(state.running[0].number);
            state.admit(most);
        }
        begun
    }

    #[test]
    fn searches_of_one_address_begin_in_their_order() {
        for most in 1..4 {
            let mut state = State::default();
            let numbers = push(&mut state, &[1; 10]);
            assert_eq!(begun(state, most), numbers);
        }
    }

    #[test]
    fn free_slots_go_round_the_addresses() {
        for most in 1..3 {
            let mut state = State::default();
            let first = push(&mut state, &[1; 6]);
            state.admit(most);
            // They come after six searches of the first address, and leave it every second or third turn.
            let [second, third] = [2, 3].map(|last| push(&mut state, &[last; 2]));
            let others = [second[0], third[0], second[1], third[1]];
            let order = begun(state, most);
            let at = |number: &u64| order.iter().position(|begun| begun == number).expect("every search begins");
            let places: Vec<usize> = others.iter().map(at).collect();
            assert_eq!(places, if most == 1 { [1, 2, 4, 5] } else { [2, 3, 5, 6] }, "{order:?}");
            assert!(first.is_sorted_by_key(at));
        }
    }

    #[test]
    fn an_address_without_a_running_search_is_first() {
        let mut state = State::default();
        push(&mut state, &[1, 1, 1, 1]);
        state.admit(3);
        push(&mut state, &[2, 2, 3]);
        assert_eq!(waiting(&state), [1, 2, 2, 3]);
        state.end(1);
        state.admit(3);
        assert_eq!(waiting(&state), [2, 3, 1], "one of address 2 runs");
        state.end(2);
        state.admit(3);
        assert_eq!(waiting(&state), [2, 1], "address 3 has none, the others one each");
    }

    #[test]
    fn new_addresses_do_not_overtake_a_waiting_one_for_ever() {
        let mut state = State::default();
        push(&mut state, &[1, 1, 1]);
        state.admit(1);
        let mut served = 0;
        for last in 2..8 {
            push(&mut state, &[last]);
            state.end(state.running[0].number);
            state.admit(1);
            served += usize::from(state.running[0].address == address(1));
        }
        assert_eq!(served, 2, "both searches that waited have run: {:?}", waiting(&state));
    }

    #[test]
    fn a_full_queue_is_shared() {
        let mut state = State::default();
        let first = push(&mut state, &[1; 5]);
        state.admit(1);
        assert!(!state.displace_for(address(1)), "the address itself is refused");
        assert!(state.displace_for(address(2)));
        assert!(!state.waits(first[4]) && state.waits(first[3]), "the newest one");
        push(&mut state, &[2]);
        assert!(state.displace_for(address(2)));
        push(&mut state, &[2]);
        assert_eq!(waiting(&state), [1, 1, 2, 2]);
        assert!(!state.displace_for(address(2)), "it has two searches, and the other three");
        assert!(state.displace_for(address(3)));
        push(&mut state, &[3]);
        assert_eq!(waiting(&state), [1, 2, 2, 3]);
        assert!([1, 2, 3].iter().all(|last| !state.displace_for(address(*last))), "none displaces another in turns");
    }

    #[test]
    fn a_long_search_is_stopped_for_addresses_with_fewer_searches() {
        let state = || {
            let mut state = State::default();
            let stops = [1, 1, 2].map(|last| {
                let stop = StopFlag::default();
                state.push(address(last), &stop);
                stop
            });
            state.admit(3);
            (state, stops)
        };
        let now = Instant::now();
        for (last, expected) in [(1, [true, true, false]), (2, [true, true, true]), (3, [true, true, true])] {
            let (state, stops) = state();
            state.stop_long(address(last), Duration::from_secs(3600));
            assert_eq!(stops.each_ref().map(StopFlag::stopped), [false; 3], "within the patience");
            // All of them began some time ago, as far as the clock can tell.
            while state.running.iter().any(|search| search.since.elapsed().is_zero()) {
                assert!(now.elapsed() < Duration::from_secs(60), "the clock advances");
            }
            state.stop_long(address(last), Duration::ZERO);
            assert_eq!(stops.each_ref().map(StopFlag::stopped), expected, "a search of address {last} waits");
        }
    }

    #[test]
    fn a_displaced_search_is_refused() {
        let limiter = SearchLimiter::new(1, 1, 1, Duration::from_secs(3600));
        let [first, second] = [1, 2].map(|last| limiter.of(address(last)));
        let permit = first.enter(&StopFlag::default()).expect("admitted");
        let enter = |limiter: &AddressLimiter| {
            let limiter = limiter.clone();
            std::thread::spawn(move || limiter.enter(&StopFlag::default()).map(|_| ()))
        };
        let displaced = enter(&first);
        while limiter.load() != (1, 1) {
            std::thread::yield_now();
        }
        let admitted = enter(&second);
        let refused = displaced.join().expect("no panic").expect_err("another address has no search");
        assert_eq!(refused.code, ErrorCode::Busy);
        assert_eq!(limiter.load(), (1, 1));
        drop(permit);
        assert_eq!(admitted.join().expect("no panic"), Ok(()));
        assert_eq!(limiter.load(), (0, 0));
    }

    #[test]
    fn queue_is_bounded_and_advances() {
        let limiter = SearchLimiter::new(1, 1, 1, Duration::from_secs(3600)).of(address(1));
        let first = limiter.enter(&StopFlag::default()).expect("admitted");
        let second = {
            let limiter = limiter.clone();
            std::thread::spawn(move || limiter.enter(&StopFlag::default()).map(|_| ()))
        };
        while limiter.limiter.load() != (1, 1) {
            std::thread::yield_now();
        }
        assert_eq!(limiter.enter(&StopFlag::default()).err().map(|error| error.code), Some(ErrorCode::Busy));
        drop(first);
        assert_eq!(second.join().expect("no panic"), Ok(()));
        assert_eq!(limiter.limiter.load(), (0, 0));
    }

    #[test]
    fn a_waiting_search_can_be_stopped() {
        let limiter = SearchLimiter::new(1, 1, 1, Duration::from_secs(3600)).of(address(1));
        let _first = limiter.enter(&StopFlag::default()).expect("admitted");
        let stop = StopFlag::default();
        stop.stop();
        assert_eq!(limiter.enter(&stop).err().map(|error| error.code), Some(ErrorCode::Stopped));
        assert_eq!(limiter.limiter.load(), (1, 0));
    }

    #[test]
    fn a_long_search_is_stopped_for_a_waiting_one() {
        let limiter = SearchLimiter::new(1, 1, 1, Duration::ZERO).of(address(1));
        let long = StopFlag::default();
        let permit = limiter.enter(&long).expect("admitted");
        let runner = std::thread::spawn(move || {
            while !long.stopped() {
                std::thread::yield_now();
            }
            drop(permit);
        });
        limiter.enter(&StopFlag::default()).expect("the long search was stopped");
        runner.join().expect("no panic");
    }

    #[test]
    fn running_searches_share_the_threads() {
        let limiter = SearchLimiter::new(4, 0, 6, Duration::from_secs(3600)).of(address(1));
        let enter = || limiter.enter(&StopFlag::default()).expect("four may run");
        let analysis = enter();
        assert_eq!(analysis.threads(256), 6, "all of them while it is alone");
        assert_eq!(analysis.threads(2), 2, "no more than it asks for");
        assert_eq!(analysis.threads(256), 6, "its own threads are not another search's");
        let player = enter();
        assert_eq!(player.threads(1), 1);
        let other = enter();
        assert_eq!(other.threads(256), 2, "none is left: a third of them");
        drop(analysis);
        let analysis = enter();
        assert_eq!(analysis.threads(256), 3, "what the player and the other leave");
        drop((player, other));
        assert_eq!(analysis.threads(256), 6);
        assert_eq!(analysis.threads(0), 1);
    }
}
