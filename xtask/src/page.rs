//! The page's checks: types, and behaviour in a browser against a running server.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::report::{Trouble, Verdict};
use crate::tool;

/// Checks the types, by the page's own npm script.
pub(crate) fn types() -> Verdict {
    tool::run(npm()?.args(["run", "--silent", "types"]))
}

/// Runs the browser tests, by the page's own npm script. `BANMEN_URL` is the server's address, `CHROMIUM` the browser,
/// and `BANMEN` the program, which tests that need a server with a store start themselves.
pub(crate) fn browser() -> Verdict {
    let chromium = tool::chromium()?;
    let mut npm = npm()?;
    let banmen = tool::banmen()?;
    let server = Server::start(&banmen, &[])?;
    let test = npm.args(["test", "--silent"]).env("BANMEN", &banmen);
    tool::run(test.env("BANMEN_URL", &server.url).env("CHROMIUM", chromium))
}

/// An npm command in the page's directory, with the packages of the lock file installed.
pub(crate) fn npm() -> Result<Command, Trouble> {
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

/// Whether the installed packages are missing or older than the lock file. npm keeps a lock file of what it installed.
fn stale(folder: &Path) -> bool {
    let age = |file: PathBuf| file.metadata().and_then(|data| data.modified()).ok();
    age(folder.join("node_modules/.package-lock.json")) < age(folder.join("package-lock.json"))
}

/// `banmen serve` on a free port, killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(banmen: &Path, options: &[&str]) -> Result<Server, Trouble> {
        let mut command = Command::new(banmen);
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(options).stdin(Stdio::null()).stdout(Stdio::piped());
        let child = command.spawn().map_err(|error| Trouble::failed(format!("banmen serve: {error}")))?;
        let mut server = Server { child, url: String::new() };
        let Some(output) = server.child.stdout.take() else { unreachable!("the output was asked for") };
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        // The server prints its address first, and exits if it cannot listen.
        let url =
            lines.find_map(|line| line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned));
        server.url = url.ok_or_else(|| Trouble::failed("banmen serve ended without saying where it listens"))?;
        // Later output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(|line| println!("{line}")));
        Ok(server)
    }

    /// The address that it listens on.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.url.strip_prefix("http://")?.trim_end_matches('/').parse().ok()
    }

    /// The most memory that it has taken so far, in mebibytes; `None` where the system does not say.
    pub(crate) fn peak_memory_mib(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse::<f64>().ok().map(|kib| kib / 1024.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that it has already exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
