//! A NATS server for tests.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server of its own, in a folder of its own; both go when it is dropped.
pub(crate) struct Server {
    process: Option<Child>,
    folder: PathBuf,
    options: Vec<String>,
    port: u16,
}

/// Where Debian installs servers: not on every path.
fn program() -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut found =
        std::env::split_paths(&folders).chain(["/usr/sbin".into()]).map(|folder| folder.join("nats-server"));
    found.find(|path| path.is_file()).expect("nats-server (Debian's package of this name) is installed")
}

impl Server {
    /// Starts one with these options besides its address and folder.
    pub(crate) fn start(name: &str, options: &[&str]) -> Server {
        let folder = std::env::temp_dir().join(format!("banmen-nats-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let mut server = Server { process: None, folder, options, port: 0 };
        server.begin();
        server
    }

    /// Starts the server, again on the same port if it had one.
    pub(crate) fn begin(&mut self) {
        let ports = self.folder.join("ports");
        let _ = std::fs::remove_dir_all(&ports);
        std::fs::create_dir_all(&ports).expect("a folder");
        let port = if self.port == 0 { "-1".to_owned() } else { self.port.to_string() };
        let mut command = Command::new(program());
        command.args(["-a", "127.0.0.1", "-p", &port]).args(&self.options);
        command.arg("-sd").arg(self.folder.join("streams")).arg("--ports_file_dir").arg(&ports);
        command.arg("-l").arg(self.folder.join("log")).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(command.spawn().expect("nats-server starts"));
        let start = Instant::now();
        self.port = loop {
            let files = std::fs::read_dir(&ports).into_iter().flatten().flatten();
            let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
            let found = texts.filter_map(|text| {
                let value: serde_json::Value = serde_json::from_str(&text).ok()?;
                value["nats"][0].as_str()?.rsplit(':').next()?.parse().ok()
            });
            if let Some(port) = found.last() {
                break port;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "nats-server listens");
            std::thread::sleep(Duration::from_millis(5));
        };
    }

    /// Kills it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    pub(crate) fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
