//! What the module exports to its host, and imports from it.
//!
//! No pointer of the host's is read: a request is written into a buffer that the module owns.

use std::panic::set_hook;
use std::sync::{LazyLock, Mutex, MutexGuard};
use std::time::Duration;

use banmen_catalog::{Data, TableStore, set_host_clock};
use banmen_search::threads::lock;
use banmen_search::{Clock, StopFlag};
use serde_json::{Value, json};

use crate::{Module, catalog};

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    safe fn now() -> f64;
    safe fn stopped() -> i32;
    safe fn say(at: *const u8, length: usize);
    safe fn load_table(name: *const u8, length: usize, to: *mut u8) -> usize;
    safe fn keep_table(name: *const u8, length: usize, at: *const u8, bytes: usize);
}

static MODULE: LazyLock<Module> = LazyLock::new(|| {
    set_hook(Box::new(|panic| tell(&json!({ "panic": panic.to_string() }))));
    set_host_clock(|| HostClock.now());
    Module::new(catalog(Data::kept_by(HostTables)))
});

/// The request, from `alloc` to `ask`.
static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The host's clock.
struct HostClock;

impl Clock for HostClock {
    fn now(&self) -> Duration {
        Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default()
    }
}

/// The tables that the host keeps.
struct HostTables;

impl TableStore for HostTables {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        let size = load_table(name.as_ptr(), name.len(), std::ptr::null_mut());
        if size == 0 {
            return None;
        }
        let mut bytes = vec![0; size];
        (load_table(name.as_ptr(), name.len(), bytes.as_mut_ptr()) == size).then_some(bytes)
    }

    fn keep(&self, name: &str, bytes: &[u8]) {
        keep_table(name.as_ptr(), name.len(), bytes.as_ptr(), bytes.len());
    }
}

fn tell(response: &Value) {
    let text = response.to_string();
    say(text.as_ptr(), text.len());
}

fn request() -> MutexGuard<'static, Vec<u8>> {
    lock(&REQUEST)
}

/// Allocates memory for a request of so many bytes; null where it is longer than the module takes.
#[unsafe(no_mangle)]
extern "C" fn alloc(length: usize) -> *mut u8 {
    let mut buffer = request();
    buffer.clear();
    if length > MODULE.request_bytes() {
        return std::ptr::null_mut();
    }
    buffer.resize(length, 0);
    buffer.as_mut_ptr()
}

/// Answers the request in the buffer.
#[unsafe(no_mangle)]
extern "C" fn ask() {
    let bytes = std::mem::take(&mut *request());
    let stop = StopFlag::asking(|| stopped() != 0);
    MODULE.ask(&bytes, &HostClock, &stop, &mut |response| tell(&response));
}

/// Lends the calling thread to searches, and does not return. The thread has an instance of its own, with a stack of its own,
/// in the memory of the instance that is asked.
#[cfg(feature = "threads")]
#[unsafe(no_mangle)]
extern "C" fn serve() {
    banmen_search::threads::serve()
}
