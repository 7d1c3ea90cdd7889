//! The page's checks: types, and behaviour in a browser against a running server.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::report::{Trouble, Verdict};
use crate::tool;

/// Types, by the page's own npm script.
pub(crate) fn types() -> Verdict {
    tool::run(npm()?.args(["run", "--silent", "types"]))
}

/// Browser tests, by the page's own npm script. They find the server in `BANMEN_URL`, the
/// program, for those that need a server with a store, in `BANMEN`, and the browser in `CHROMIUM`.
pub(crate) fn browser() -> Verdict {
    let Some(chromium) = tool::find(&["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]) else {
        return Err(Trouble::Skipped("chromium is not installed".to_owned()));
    };
    let mut npm = npm()?;
    let banmen = tool::banmen()?;
    let server = Server::start(&banmen)?;
    let test = npm.args(["test", "--silent"]).env("BANMEN", &banmen);
    tool::run(test.env("BANMEN_URL", &server.url).env("CHROMIUM", chromium))
}

/// A call of npm in the page's folder, with what the lock file lists installed.
fn npm() -> Result<Command, Trouble> {
    let missing = |name: &str| Trouble::Skipped(format!("{name} is not installed"));
    tool::find(&["node"]).ok_or_else(|| missing("node"))?;
    // On Windows npm is a script, which has no `.exe`.
    let name = if cfg!(windows) { "npm.cmd" } else { "npm" };
    if !cfg!(windows) {
        tool::find(&[name]).ok_or_else(|| missing(name))?;
    }
    let folder = tool::root().join("crates/server/web");
    let npm = || {
        let mut npm = Command::new(name);
        npm.current_dir(&folder);
        npm
    };
    if stale(&folder) {
        tool::run(npm().args(["ci", "--no-audit", "--no-fund"]))?;
    }
    Ok(npm())
}

/// Whether what is installed is older than the lock file, or not there. npm keeps a lock file of what it installed.
fn stale(folder: &Path) -> bool {
    let age = |file: PathBuf| file.metadata().and_then(|data| data.modified()).ok();
    age(folder.join("node_modules/.package-lock.json")) < age(folder.join("package-lock.json"))
}

/// `banmen serve` on a free port, ended when dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(banmen: &Path) -> Result<Server, Trouble> {
        let mut command = Command::new(banmen);
        command.args(["serve", "--listen", "127.0.0.1:0"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let child = command.spawn().map_err(|error| Trouble::failed(format!("banmen serve: {error}")))?;
        let mut server = Server { child, url: String::new() };
        let Some(output) = server.child.stdout.take() else { unreachable!("the output was asked for") };
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        // The server says where it listens before it does anything else, and ends if it cannot listen.
        let url =
            lines.find_map(|line| line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned));
        server.url = url.ok_or_else(|| Trouble::failed("banmen serve ended without saying where it listens"))?;
        // What it prints later must not fill the pipe.
        std::thread::spawn(move || lines.for_each(|line| println!("{line}")));
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // If it has ended by itself, there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
