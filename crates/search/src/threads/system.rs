//! Threads of the operating system, started for each search.

/// No limit: the caller says how many.
pub(super) fn most() -> usize {
    usize::MAX
}

/// A helper is dropped when the operating system refuses the thread.
#[expect(clippy::disallowed_methods, reason = "the feature allows threads, the caller says how many; joined on return")]
pub(super) fn run_with_helpers<H, T>(helpers: impl IntoIterator<Item = H>, own: impl FnOnce() -> T) -> T
where
    H: FnOnce() + Send,
{
    std::thread::scope(|scope| {
        for helper in helpers {
            if super::search_thread().name("helper".to_owned()).spawn_scoped(scope, helper).is_err() {
                break;
            }
        }
        own()
    })
}
