//! Versions of this program and of external programs.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use banmen_catalog::{AnyGame, Kind, PlayerText};
use banmen_game::digest_chunk;
use banmen_programs::is_program;
use sha2::{Digest, Sha256};

/// The size of the chunks in which files are read, in bytes.
const CHUNK: u64 = 1 << 16;

/// The version of this program: its version number and a digest of its executable, so that two builds with different code
/// have different versions. Games of different versions are never counted together. A module for browsers, which has no
/// executable, is given a digest of its code when it is compiled, as `BANMEN_BUILD`.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let number = env!("CARGO_PKG_VERSION");
        if let Some(build) = option_env!("BANMEN_BUILD").filter(|_| cfg!(target_family = "wasm")) {
            return format!("{number}+{build}");
        }
        // Without access to the executable, the number alone.
        let own = std::env::current_exe().and_then(file_digest);
        own.map_or_else(|_| number.to_owned(), |digest| format!("{number}+{digest:016x}"))
    })
}

/// The name by which this program was started, for the commands that it states: a program with games of its own has a name of its
/// own. `banmen` where there is none, as in a module for browsers.
pub fn program() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let file = std::env::args_os().next().map(PathBuf::from);
        let name = file.as_deref().and_then(Path::file_stem).map(|name| name.to_string_lossy().into_owned());
        name.filter(|name| !name.is_empty()).unwrap_or_else(|| "banmen".to_owned())
    })
}

/// What distinguishes the files that a player's keys name, such as ratings of moves: digests of their contents, each after
/// a `+`. Empty for a player without files.
pub(crate) fn files_version(game: &dyn AnyGame, player: &str) -> String {
    let files = named_files(game, player).unwrap_or_default();
    let digest = |(_, path): (&str, &str)| match game.read_file(Path::new(path)) {
        Ok(contents) => digest_of(contents.len() as u64, contents.as_slice()).ok(),
        // What is too long, or may not be read here, has a version too.
        Err(_) => file_digest(PathBuf::from(path)).ok(),
    };
    files.into_iter().filter_map(digest).map(|digest| format!("+{digest:016x}")).collect()
}

/// The length of a file, and when it was written; `None` for one that is kept in memory.
pub(crate) type FileStamp = Option<(u64, SystemTime)>;

/// What shows that files which a player's keys name were written again, without reading them: in contrast to
/// [`files_version`] it costs little for each game.
pub(crate) fn file_stamps(game: &dyn AnyGame, player: &str) -> Vec<FileStamp> {
    let stamp = |path: &str| {
        let file = std::fs::metadata(path).ok()?;
        Some((file.len(), file.modified().ok()?))
    };
    named_files(game, player).unwrap_or_default().into_iter().map(|(_, path)| stamp(path)).collect()
}

/// The keys and values of a player's text that name files; `None` where there are none.
pub(crate) fn named_files<'t>(game: &dyn AnyGame, player: &'t str) -> Option<Vec<(&'t str, &'t str)>> {
    if is_program(game, player) {
        return None;
    }
    let text = PlayerText::parse(player).ok()?;
    let players = game.players();
    let keys = players.iter().find(|player| player.name == text.name)?.keys;
    let named = |name: &str, value: &str| {
        keys.iter().any(|key| key.name == name && matches!(key.kind, Kind::File(words) if !words.contains(&value)))
    };
    let files: Vec<(&str, &str)> = text.pairs.into_iter().filter(|(name, value)| named(name, value)).collect();
    (!files.is_empty()).then_some(files)
}

/// The version of an external program, given as `PROTOCOL:COMMAND`: a digest of the program's file, and one of the first
/// argument that names a file, which is the script where the program is an interpreter. Further files are not read, since
/// the program may write them. Empty where neither file is found.
pub(crate) fn program_version(text: &str) -> String {
    let words = banmen_programs::command(text).unwrap_or_default();
    let file = |path: PathBuf| path.is_file().then(|| file_digest(path).ok()).flatten();
    let program = words.first().and_then(|word| {
        // A program without a folder is searched for in PATH.
        let folders = std::env::var_os("PATH").filter(|_| !word.contains('/'));
        let found = folders.iter().flat_map(std::env::split_paths).map(|folder| folder.join(word));
        found.chain([word.into()]).find_map(file)
    });
    let script = words.iter().skip(1).find_map(|word| file(word.into()));
    program.into_iter().chain(script).map(|digest| format!("{digest:016x}")).collect::<Vec<_>>().join("+")
}

/// The SHA-256 of bytes, as 64 hexadecimal digits: what `sha256sum` prints.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of a file's bytes.
fn file_digest(path: PathBuf) -> io::Result<u64> {
    let file = File::open(path)?;
    digest_of(file.metadata()?.len(), file)
}

/// The digest of so many bytes, read in chunks.
fn digest_of(length: u64, mut file: impl Read) -> io::Result<u64> {
    let mut digest = length;
    let mut chunk = Vec::with_capacity(CHUNK as usize);
    loop {
        chunk.clear();
        if (&mut file).take(CHUNK).read_to_end(&mut chunk)? == 0 {
            return Ok(digest);
        }
        digest = digest_chunk(digest, &chunk);
    }
}
