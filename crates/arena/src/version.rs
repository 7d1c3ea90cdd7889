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

/// What can be told of the version of an outside program, given as `PROTOCOL:COMMAND`: a digest of the files that its
/// command names, the program itself among them. Empty where it names none.
pub(crate) fn program_version(text: &str) -> String {
    let command = text.split_once(':').map_or(text, |(_, command)| command);
    let words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    let files = words.enumerate().filter_map(|(index, word)| {
        // A program without a folder is looked for where the system looks for it.
        let folders = std::env::var_os("PATH").filter(|_| index == 0 && !word.contains('/'));
        let found = folders.iter().flat_map(std::env::split_paths).map(|folder| folder.join(word));
        found.chain([word.into()]).find_map(|path| std::fs::read(path).ok())
    });
    let digests: Vec<String> = files.map(|bytes| format!("{:016x}", digest(&bytes))).collect();
    digests.join("+")
}

/// A 64-bit digest, the same on every machine.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |digest, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(digest ^ u64::from_le_bytes(word))
    })
}
