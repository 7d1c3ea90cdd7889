//! How many connections may be open.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard};

use banmen_search::threads::lock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Counts open connections, in all and for each peer.
pub(crate) struct Admission {
    all: Arc<Semaphore>,
    max: usize,
    max_per_peer: usize,
    peers: Mutex<HashMap<IpAddr, usize>>,
}

/// Counts one connection until it is dropped.
pub(crate) struct Ticket {
    admission: Arc<Admission>,
    peer: IpAddr,
    _permit: OwnedSemaphorePermit,
}

/// Why there is no ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The server is full.
    Full,
    /// The peer has as many connections as it is allowed.
    Peer,
}

impl Admission {
    pub(crate) fn new(max: usize, max_per_peer: usize) -> Arc<Self> {
        let max = max.min(u32::MAX as usize).min(Semaphore::MAX_PERMITS);
        Arc::new(Admission { all: Arc::new(Semaphore::new(max)), max, max_per_peer, peers: Mutex::default() })
    }

    /// Admits a connection.
    pub(crate) fn admit(self: &Arc<Self>, peer: IpAddr) -> Result<Ticket, Refused> {
        let permit = Arc::clone(&self.all).try_acquire_owned().map_err(|_| Refused::Full)?;
        let peer = network(peer);
        let mut peers = self.peers();
        let count = peers.entry(peer).or_insert(0);
        if *count >= self.max_per_peer {
            return Err(Refused::Peer);
        }
        *count += 1;
        Ok(Ticket { admission: Arc::clone(self), peer, _permit: permit })
    }

    /// Connections open now.
    pub(crate) fn open(&self) -> usize {
        self.max - self.all.available_permits()
    }

    /// Waits until every connection has ended.
    pub(crate) async fn emptied(&self) {
        // The semaphore is never closed, and `max` was clamped to what fits.
        let _ = self.all.acquire_many(u32::try_from(self.max).unwrap_or(u32::MAX)).await;
    }

    fn peers(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        lock(&self.peers)
    }
}

impl Ticket {
    /// The peer that the connection is counted for: an IPv4 address, or the first one of a /64 network.
    pub(crate) fn peer(&self) -> IpAddr {
        self.peer
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut peers = self.admission.peers();
        if let Some(count) = peers.get_mut(&self.peer) {
            *count -= 1;
            if *count == 0 {
                peers.remove(&self.peer);
            }
        }
    }
}

/// What counts as one peer: an IPv4 address, or a /64 network, which is what one IPv6 customer has.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn limits_all_connections_and_those_of_a_peer() {
        let admission = Admission::new(3, 2);
        let a = [admission.admit(ip("10.0.0.1")), admission.admit(ip("::ffff:10.0.0.1"))];
        assert!(a.iter().all(Result::is_ok));
        assert_eq!(admission.admit(ip("10.0.0.1")).err(), Some(Refused::Peer));
        assert_eq!(admission.open(), 2, "a refused connection is not counted");
        let b = admission.admit(ip("10.0.0.2"));
        assert!(b.is_ok());
        assert_eq!(admission.admit(ip("10.0.0.3")).err(), Some(Refused::Full));
        drop(a);
        assert_eq!(admission.open(), 1);
        assert!(admission.admit(ip("10.0.0.1")).is_ok());
        drop(b);
        assert!(admission.peers().is_empty(), "a peer without connections is forgotten");
    }

    #[test]
    fn counts_a_network_as_one_peer() {
        assert_eq!(network(ip("2001:db8:1:2:3::4")), network(ip("2001:db8:1:2:ffff::")));
        assert_ne!(network(ip("2001:db8:1:2::")), network(ip("2001:db8:1:3::")));
    }
}
