//! What an engine writes, for the tests of its conversations.

use std::sync::{Arc, Mutex};

use banmen_protocol::Lines;

/// Texts that were written.
#[derive(Clone, Default)]
pub(crate) struct Output(Arc<Mutex<Vec<String>>>);

impl Output {
    /// Those since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no panic"))
    }

    /// Where an engine writes them.
    pub(crate) fn sink(&self) -> Lines {
        let output = self.clone();
        Arc::new(move |text| output.0.lock().expect("no panic").push(text))
    }
}
