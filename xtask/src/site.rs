//! The page without a server: a folder that any static host can serve.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use crate::load::client;
use crate::modules::{Build, build_digest, for_checks, modules};
use crate::page::{Server, npm};
use crate::report::{Trouble, Verdict};
use crate::tool;

/// The files of `crates/wasm/web` that lie in the root of the folder. The others lie in `site`.
const ROOT_FILES: &[&str] = &["sw.js", "manifest.webmanifest"];

/// Of `crates/wasm/web`, for the checks alone.
const UNSENT: &[&str] = &["tsconfig.json"];

/// What the server sends as a header, as far as a page can say it itself; it also allows the manifest.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
     img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'";

/// Writes the folder `site` in the target folder, with the page of this program; it is built if none is given.
pub(crate) fn write(program: Option<&str>) -> Verdict {
    let folder = tool::target_folder().join("site");
    let program = program.map_or_else(tool::banmen, |file| Ok(PathBuf::from(file)))?;
    lay_out(&folder, &modules(Build::Whole)?, &program)?;
    println!("the page is in {}", folder.display());
    Ok(())
}

/// Runs the browser tests of the page without a server, by the page's own npm scripts: its own, and those of the page that depend
/// on no server. `SITE` is the folder, `CHROMIUM` the browser, and `BANMEN_URL` a server with whose answers some tests compare.
pub(crate) fn browser() -> Verdict {
    let chromium = tool::chromium()?;
    let scripts = [("site", npm()?), ("form", npm()?)];
    let folder = tool::scratch("site")?;
    let banmen = tool::banmen()?;
    lay_out(&folder, &for_checks()?, &banmen)?;
    let server = Server::start(&banmen, &[])?;
    for (script, mut npm) in scripts {
        let tests = npm.args(["run", "--silent", script]).env("SITE", &folder).env("CHROMIUM", &chromium);
        tool::run(tests.env("BANMEN_URL", &server.url))?;
    }
    Ok(())
}

/// Writes the page with these modules: its files as a server sends them, the answers that it needs before a module is
/// loaded, and what takes the server's place.
fn lay_out(folder: &Path, modules: &Path, program: &Path) -> Verdict {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(tool::failed(folder, &error)),
        _ => {}
    }
    let mut site = Site { folder, files: BTreeSet::new(), hasher: DefaultHasher::new() };
    let server = Server::start(program, &[])?;
    let address = server.address().ok_or_else(|| Trouble::failed("the server listens on no address"))?;
    for path in page_files()? {
        let sent = client::get(address, &format!("/{path}")).map_err(Trouble::failed)?;
        let text = succeeded(&path, sent)?;
        match path.as_str() {
            "index.html" => site.write(&path, with_engines(&text)?.as_bytes())?,
            _ => site.write(&path, text.as_bytes())?,
        }
    }
    let games = client::post(address, "games", "{}").map_err(Trouble::failed)?;
    let kinds = names(modules)?;
    site.write("engines/games.json", with_kinds(&succeeded("games", games)?, &kinds)?.as_bytes())?;
    let experiments = client::post(address, "experiments", "{}").map_err(Trouble::failed)?;
    site.write("engines/experiments.json", with_build(&succeeded("experiments", experiments)?)?.as_bytes())?;
    for (game, moves) in recorded_games()? {
        let positions = recorded(address, &game, &moves)?;
        site.write(&format!("engines/start/{game}.json"), positions.as_bytes())?;
    }
    let own = tool::root().join("crates/wasm/web");
    for name in names(&own)?.iter().filter(|name| !UNSENT.contains(&name.as_str())) {
        let bytes = fs::read(own.join(name)).map_err(|error| tool::failed(&own.join(name), &error))?;
        let path = if ROOT_FILES.contains(&name.as_str()) { name.clone() } else { format!("site/{name}") };
        site.write(&path, &bytes)?;
    }
    site.files.remove("sw.js");
    let stored = site.files.clone();
    for kind in kinds.iter().flat_map(|kind| [kind.clone(), format!("{kind}/lab")]) {
        for name in names(&modules.join(&kind))?.iter().filter(|name| name.ends_with(".wasm")) {
            let module = modules.join(&kind).join(name);
            let bytes = fs::read(&module).map_err(|error| tool::failed(&module, &error))?;
            site.write(&format!("engines/{kind}/{name}"), &bytes)?;
        }
    }
    // The root is asked for under both names.
    let stored: Vec<String> = std::iter::once(String::new()).chain(stored).map(|path| format!("'./{path}'")).collect();
    let version = site.hasher.finish();
    let list = format!("self.VERSION = '{version:016x}';\nself.FILES = [\n  {},\n];\n", stored.join(",\n  "));
    site.write("files.js", list.as_bytes())
}

/// The folder while it is written.
struct Site<'a> {
    folder: &'a Path,
    files: BTreeSet<String>,
    hasher: DefaultHasher,
}

impl Site<'_> {
    fn write(&mut self, path: &str, bytes: &[u8]) -> Verdict {
        let file = self.folder.join(path);
        let made = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&file, bytes));
        made.map_err(|error| tool::failed(&file, &error))?;
        (path, bytes).hash(&mut self.hasher);
        self.files.insert(path.to_owned());
        Ok(())
    }
}

/// The page's own files, by the list of those that the server embeds.
fn page_files() -> Result<Vec<String>, Trouble> {
    let list = tool::read(&tool::root().join("crates/server/src/assets.rs"))?;
    let (_, list) = list.split_once("= files! {").ok_or_else(|| Trouble::failed("assets.rs lists no files"))?;
    let names = list.lines().map(str::trim).skip(1).take_while(|line| *line != "};");
    Ok(names.map(|line| line.trim_matches('"').to_owned()).collect())
}

/// The page's document, which names what takes the server's place.
fn with_engines(page: &str) -> Result<String, Trouble> {
    const AFTER: &str = "<meta charset=\"utf-8\">\n";
    let (head, rest) = page.split_once(AFTER).ok_or_else(|| Trouble::failed("index.html names no charset"))?;
    let own = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{CONTENT_POLICY}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"theme-color\" content=\"#1d5c43\">\n\
         <link rel=\"manifest\" href=\"manifest.webmanifest\">\n\
         <link rel=\"apple-touch-icon\" href=\"site/icon-192.png\">\n\
         <link rel=\"modulepreload\" id=\"engines\" href=\"site/engines.js\">\n"
    );
    Ok(format!("{head}{AFTER}{own}{rest}"))
}

/// The list of games, with the kinds of modules that there are.
fn with_kinds(answer: &str, kinds: &BTreeSet<String>) -> Result<String, Trouble> {
    let games =
        answer.strip_prefix('{').ok_or_else(|| Trouble::failed(format!("`games` has another form: {answer}")))?;
    let kinds: Vec<&String> = kinds.iter().collect();
    Ok(format!("{{\"kinds\":{kinds:?},{games}"))
}

/// The list of experiments, with the build of the modules that play them.
fn with_build(answer: &str) -> Result<String, Trouble> {
    let list = answer.strip_prefix("{\"ok\":{").and_then(|rest| rest.strip_suffix("}}"));
    let list = list.ok_or_else(|| Trouble::failed(format!("`experiments` has another form: {answer}")))?;
    Ok(format!("{{\"build\":\"{}\",{list}}}", build_digest()?))
}

/// The games that the start page shows, each with its moves.
fn recorded_games() -> Result<Vec<(String, Vec<String>)>, Trouble> {
    let script = tool::read(&tool::root().join("crates/server/web/start/games.js"))?;
    let mut games = Vec::new();
    let mut name = "";
    for line in script.lines().map(str::trim) {
        if let Some(game) = line.strip_suffix(": {") {
            name = game;
        } else if let Some(moves) = line.strip_prefix("moves: '").and_then(|rest| rest.strip_suffix("',")) {
            games.push((name.to_owned(), moves.split(';').map(str::to_owned).collect()));
        }
    }
    if games.is_empty() { Err(Trouble::failed("games.js has no moves")) } else { Ok(games) }
}

/// What the start page draws of a game, by ply, as JSON: board and side of each position.
fn recorded(address: SocketAddr, game: &str, moves: &[String]) -> Result<String, Trouble> {
    let mut positions = Vec::new();
    for ply in 0..=moves.len() {
        let body = format!("{{\"game\":\"{game}\",\"moves\":{:?}}}", &moves[..ply]);
        let shown = succeeded(game, client::post(address, "show", &body).map_err(Trouble::failed)?)?;
        // The board comes first, before the legal moves, and the side last.
        let board = shown.strip_prefix("{\"ok\":{").and_then(|rest| rest.split_once(",\"legal\":"));
        let side = shown.rsplit_once("\"side\":").and_then(|(_, rest)| rest.strip_suffix("}}"));
        let (Some((board, _)), Some(side)) = (board, side) else {
            return Err(Trouble::failed(format!("`show` has another form: {shown}")));
        };
        positions.push(format!("{{{board},\"side\":{side}}}"));
    }
    Ok(format!("[{}]", positions.join(",\n")))
}

/// The body of an answer that is no refusal.
fn succeeded(what: &str, (status, body): (u16, String)) -> Result<String, Trouble> {
    if status == 200 { Ok(body) } else { Err(Trouble::failed(format!("{what}: {status} {body}"))) }
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Result<BTreeSet<String>, Trouble> {
    let listed = fs::read_dir(folder).map_err(|error| tool::failed(folder, &error))?;
    Ok(listed.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

#[test]
fn the_start_page_has_moves_of_every_game() {
    let recorded = recorded_games().unwrap_or_else(|trouble| panic!("{trouble}"));
    let mut names: Vec<&str> = recorded.iter().map(|(game, _)| game.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["blokus", "dobutsu", "golad", "othello", "tubstap"]);
    assert!(recorded.iter().all(|(_, moves)| moves.len() > 10));
}
