//! Which build played.

use std::sync::OnceLock;

use banmen_game::mix;

/// The version of this program: its number, and a digest of the program itself, so that two builds of one number differ
/// where their code does. Games of different versions are never counted together.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let number = env!("CARGO_PKG_VERSION");
        // A program that cannot read itself has no more to say of itself than its number.
        let bytes = std::env::current_exe().and_then(std::fs::read);
        bytes.map_or_else(|_| number.to_owned(), |bytes| format!("{number}+{:016x}", digest(&bytes)))
    })
}

/// A 64-bit digest, the same on every machine.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |digest, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(digest ^ u64::from_le_bytes(word))
    })
}
