//! Clocks of the operating system.

use std::time::{Duration, Instant};

use banmen_search::Clock;

/// Wall time.
#[derive(Clone, Copy, Debug)]
pub struct WallClock(Instant);

impl Default for WallClock {
    fn default() -> Self {
        WallClock(Instant::now())
    }
}

impl Clock for WallClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The processor time of the calling thread: what a search used, whatever else the machine does. Where the system has
/// no such clock ([`CpuClock::EXISTS`]) it is the wall clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuClock {
    #[cfg(not(unix))]
    wall: WallClock,
}

impl CpuClock {
    /// Whether this system counts the processor time of threads.
    pub const EXISTS: bool = cfg!(unix);
}

#[cfg(unix)]
impl Clock for CpuClock {
    fn now(&self) -> Duration {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        // Never negative for this clock.
        Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.max(0) as u32)
    }
}

#[cfg(not(unix))]
impl Clock for CpuClock {
    fn now(&self) -> Duration {
        self.wall.now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn processor_time_stands_still_while_the_thread_sleeps() {
        let (cpu, wall) = (CpuClock::default(), WallClock::default());
        let (before, start) = (cpu.now(), wall.now());
        std::thread::sleep(Duration::from_millis(50));
        assert!(wall.now() - start >= Duration::from_millis(50));
        assert!(cpu.now() - before < Duration::from_millis(25));
    }
}
