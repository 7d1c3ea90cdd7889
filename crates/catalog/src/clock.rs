//! Clocks of the operating system, or of the host of a module that has none.

#[cfg(target_family = "wasm")]
use std::sync::OnceLock;
#[cfg(unix)]
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
#[cfg(not(target_family = "wasm"))]
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use banmen_search::Clock;

/// Wall time.
#[derive(Clone, Copy, Debug)]
#[cfg(not(target_family = "wasm"))]
pub struct WallClock(Instant);

#[cfg(not(target_family = "wasm"))]
impl Default for WallClock {
    fn default() -> Self {
        WallClock(Instant::now())
    }
}

#[cfg(not(target_family = "wasm"))]
impl Clock for WallClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Wall time, by the [host's clock](set_host_clock).
#[derive(Clone, Copy, Debug, Default)]
#[cfg(target_family = "wasm")]
pub struct WallClock;

#[cfg(target_family = "wasm")]
impl Clock for WallClock {
    fn now(&self) -> Duration {
        unix_time()
    }
}

#[cfg(target_family = "wasm")]
static HOST: OnceLock<fn() -> Duration> = OnceLock::new();

/// Sets the clock of the host, once: the time since 1970. Before, it is 1970.
#[cfg(target_family = "wasm")]
pub fn set_host_clock(now: fn() -> Duration) {
    HOST.get_or_init(|| now);
}

/// The time since 1970.
#[must_use]
pub fn unix_time() -> Duration {
    #[cfg(target_family = "wasm")]
    return HOST.get().map_or(Duration::ZERO, |now| now());
    #[cfg(not(target_family = "wasm"))]
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// CPU time of a search: of the calling thread, and of helper threads as far as they have [charged](Clock::charge) it.
/// It does not depend on what else the machine does. Where the system has no such clock ([`CpuClock::EXISTS`]) it is
/// the wall clock.
#[derive(Debug, Default)]
pub struct CpuClock {
    /// Nanoseconds charged by helper threads.
    #[cfg(unix)]
    charged: AtomicU64,
    #[cfg(not(unix))]
    wall: WallClock,
}

impl CpuClock {
    /// Whether this system counts the CPU time of threads.
    pub const EXISTS: bool = cfg!(unix);
}

#[cfg(unix)]
impl Clock for CpuClock {
    fn now(&self) -> Duration {
        self.thread_time() + Duration::from_nanos(self.charged.load(Ordering::Relaxed))
    }

    fn thread_time(&self) -> Duration {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        // Never negative for this clock.
        Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.max(0) as u32)
    }

    fn charge(&self, time: Duration) {
        self.charged.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

#[cfg(not(unix))]
impl Clock for CpuClock {
    fn now(&self) -> Duration {
        self.wall.now()
    }
}

/// The CPU time of this process so far, all threads together; `None` where the system does not count it.
#[must_use]
pub fn process_cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        // Never negative for this clock.
        Some(Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.max(0) as u32))
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use banmen_search::CpuMeter;

    use super::*;

    /// Keeps the thread busy for so much CPU time.
    #[cfg(unix)]
    fn burn(time: Duration) {
        let clock = CpuClock::default();
        let start = clock.now();
        while clock.now() - start < time {
            std::hint::spin_loop();
        }
    }

    #[test]
    #[cfg(unix)]
    fn cpu_time_counts_helper_threads() {
        let clock = CpuClock::default();
        let before = clock.now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut meter = CpuMeter::start(&clock);
                burn(Duration::from_millis(30));
                meter.charge();
                burn(Duration::from_millis(10));
            });
        });
        let counted = clock.now() - before;
        assert!(counted >= Duration::from_millis(40), "{counted:?}");
        // Another clock counts its own helpers only.
        let other = CpuClock::default();
        assert!(clock.now() - other.now() >= Duration::from_millis(35));
    }

    #[test]
    #[cfg(unix)]
    fn cpu_time_excludes_sleep() {
        let (cpu, wall) = (CpuClock::default(), WallClock::default());
        let (before, start) = (cpu.now(), wall.now());
        std::thread::sleep(Duration::from_millis(50));
        assert!(wall.now() - start >= Duration::from_millis(50));
        assert!(cpu.now() - before < Duration::from_millis(25));
    }
}
