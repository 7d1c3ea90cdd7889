//! Calls of other programs, and paths.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::report::{Trouble, Verdict};

/// The root of the checkout.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root of the checkout")
}

/// Cargo's output directory for the profiles `dev` and `test`, which also contains this program.
fn build_folder() -> PathBuf {
    let own = env::current_exe().expect("the system knows this program's file");
    own.parent().expect("a file lies in a folder").to_owned()
}

/// Its parent directory, shared by all builds.
pub(crate) fn target_folder() -> PathBuf {
    build_folder().parent().expect("cargo builds into a folder of its target folder").to_owned()
}

/// An empty directory for the files that a step writes.
pub(crate) fn scratch(name: &str) -> Result<PathBuf, Trouble> {
    let folder = target_folder().join("xtask").join(name);
    let made = match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => std::fs::create_dir_all(&folder),
    };
    made.map(|()| folder.clone()).map_err(|error| Trouble::failed(format!("{}: {error}", folder.display())))
}

/// A cargo command in the root of the checkout. What the cargo that runs this program says about its package is not passed
/// on: build scripts that ask for it would run again, and what depends on them be compiled again, whenever a developer's own
/// cargo and this one take turns.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    for (name, _) in env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command
}

/// The target triple of this machine.
pub(crate) fn host() -> Result<String, Trouble> {
    let output = cargo(&["-vV"]).output().map_err(|error| Trouble::failed(format!("cargo: {error}")))?;
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Trouble::failed("cargo does not name its host"))
}

/// The text of a file.
pub(crate) fn read(file: &Path) -> Result<String, Trouble> {
    std::fs::read_to_string(file).map_err(|error| failed(file, &error))
}

/// What the system says about a file.
pub(crate) fn failed(file: &Path, error: &std::io::Error) -> Trouble {
    Trouble::failed(format!("{}: {error}", file.display()))
}

/// Runs a program and waits for it; its output is shown.
pub(crate) fn run(command: &mut Command) -> Verdict {
    let name = line(command);
    println!("$ {name}");
    verdict(&name, command.status())
}

/// Runs a program, and beside it the others, one after the other. The output of the first is shown, then that of the others.
pub(crate) fn run_beside(shown: &mut Command, others: &mut [Command]) -> Verdict {
    let (first, rest) = std::thread::scope(|scope| {
        let beside =
            scope.spawn(|| others.iter_mut().map(|command| (line(command), command.output())).collect::<Vec<_>>());
        (run(shown), beside.join())
    });
    let mut all = vec![first];
    for (name, output) in rest.unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
        println!("$ {name}");
        let shown =
            output.as_ref().map(|output| [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text)));
        shown.into_iter().flatten().for_each(|text| print!("{text}"));
        all.push(verdict(&name, output.map(|output| output.status)));
    }
    all.into_iter().collect()
}

/// A command as it would be typed.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args()).map(OsStr::to_string_lossy);
    words.collect::<Vec<_>>().join(" ")
}

fn verdict(name: &str, ended: std::io::Result<ExitStatus>) -> Verdict {
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Trouble::failed(format!("{name}: {status}"))),
        Err(error) => Err(Trouble::failed(format!("{name}: {error}"))),
    }
}

/// Builds `banmen` and returns its path. As a dependency of its integration tests, with the features of the whole
/// workspace: after the step `build` nothing is left to compile.
pub(crate) fn banmen() -> Result<PathBuf, Trouble> {
    run(&mut cargo(&["test", "--quiet", "--workspace", "--test", "verbs", "--no-run"]))?;
    Ok(build_folder().join(format!("banmen{}", env::consts::EXE_SUFFIX)))
}

/// The first of these programs that is on the path.
pub(crate) fn find(names: &[&str]) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let file = |name: &&str| {
        folders
            .iter()
            .map(|folder| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
            .find(|file| file.is_file())
    };
    names.iter().find_map(file)
}

/// The browser: the build without windows where there is one, which takes half the processor time.
pub(crate) fn chromium() -> Result<PathBuf, Trouble> {
    find(&["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])
        .ok_or_else(|| Trouble::Skipped("chromium is not installed".to_owned()))
}
