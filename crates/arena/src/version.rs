//! Which build played.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::OnceLock;

use banmen_game::mix;

/// Bytes of a file that are held at once.
const PIECE: u64 = 1 << 16;

/// The version of this program: its number, and a digest of the program itself, so that two builds of one number differ
/// where their code does. Games of different versions are never counted together.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let number = env!("CARGO_PKG_VERSION");
        // A program that cannot read itself has no more to say of itself than its number.
        let own = std::env::current_exe().and_then(file_digest);
        own.map_or_else(|_| number.to_owned(), |digest| format!("{number}+{digest:016x}"))
    })
}

/// What can be told of the version of an outside program, given as `PROTOCOL:COMMAND`: a digest of the program's file,
/// and of the first argument that names a file, which is the script where the program is an interpreter. Other files may
/// be what the program writes. Empty where neither is found.
pub(crate) fn program_version(text: &str) -> String {
    let words = banmen_programs::command(text).unwrap_or_default();
    let file = |path: PathBuf| path.is_file().then(|| file_digest(path).ok()).flatten();
    let program = words.first().and_then(|word| {
        // A program without a folder is looked for where the system looks for it.
        let folders = std::env::var_os("PATH").filter(|_| !word.contains('/'));
        let found = folders.iter().flat_map(std::env::split_paths).map(|folder| folder.join(word));
        found.chain([word.into()]).find_map(file)
    });
    let script = words.iter().skip(1).find_map(|word| file(word.into()));
    program.into_iter().chain(script).map(|digest| format!("{digest:016x}")).collect::<Vec<_>>().join("+")
}

/// A 64-bit digest, the same on every machine.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    add(bytes.len() as u64, bytes)
}

fn add(digest: u64, bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(digest, |digest, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(digest ^ u64::from_le_bytes(word))
    })
}

/// The digest of a file's bytes, read in pieces.
fn file_digest(path: PathBuf) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let mut digest = file.metadata()?.len();
    let mut piece = Vec::with_capacity(PIECE as usize);
    loop {
        piece.clear();
        if (&mut file).take(PIECE).read_to_end(&mut piece)? == 0 {
            return Ok(digest);
        }
        digest = add_piece(digest, &piece);
    }
}

/// Four words side by side: one alone would wait for the word before it, and a program is a hundred megabytes.
fn add_piece(digest: u64, piece: &[u8]) -> u64 {
    let (words, rest) = piece.as_chunks::<32>();
    let lanes = words.iter().fold([digest; 4], |lanes, words| {
        let (words, _) = words.as_chunks::<8>();
        std::array::from_fn(|lane| mix(lanes[lane] ^ u64::from_le_bytes(words[lane])))
    });
    add(lanes.into_iter().fold(digest, |digest, lane| mix(digest ^ lane)), rest)
}
