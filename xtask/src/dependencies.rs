//! Checks which crate depends on which. The dependencies are read from `cargo metadata`, so dev-dependencies count.

use std::collections::{BTreeSet, HashMap};
use std::process::Command;

use serde::Deserialize;

/// The layers of the workspace. A crate may depend on crates of later layers, and on no others of the workspace.
const LAYERS: &[&[&str]] = &[
    &["banmen-fuzz"],
    &["banmen"],
    &["banmen-wasm"],
    &["banmen-server", "banmen-fleet"],
    &["banmen-learn"],
    &["banmen-arena"],
    &["banmen-programs"],
    &["banmen-protocol"],
    &["banmen-othello", "banmen-dobutsu", "banmen-golad", "banmen-blokus", "banmen-tubstap"],
    &["banmen-catalog"],
    &["banmen-search"],
    &["banmen-game"],
    &["banmen-stats"],
];

/// Depends on no crate of the workspace, and no crate depends on it.
const STANDALONE: &str = "xtask";

/// Packages that only `server`, `fleet` and what is above them may depend on.
const NETWORK: &[&str] = &["tokio", "hyper", "axum", "http", "tungstenite", "tokio-tungstenite"];

/// Build-dependencies of crates that compile C, or look for a C library.
const C_BUILDERS: &[&str] = &["cc", "cmake", "pkg-config", "vcpkg", "bindgen"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    links: Option<String>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    path: Option<String>,
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<NodeDependency>,
}

#[derive(Deserialize)]
struct NodeDependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).output().expect("cargo runs");
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo writes UTF-8")
}

impl Metadata {
    /// Reads the metadata of this workspace for this platform: packages for others need not have been downloaded.
    fn read() -> Metadata {
        let version = cargo(&["-vV"]);
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo names its host");
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
        let metadata = ["metadata", "--format-version=1", "--filter-platform", host, "--manifest-path", manifest];
        serde_json::from_str(&cargo(&metadata)).expect("cargo metadata has the known form")
    }

    fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.workspace_members.contains(&package.id))
    }

    /// Every dependency of one member on another.
    fn member_dependencies(&self) -> Vec<(&str, &str)> {
        let inside = |to: &&Dependency| to.path.is_some() && self.members().any(|member| member.name == to.name);
        self.members()
            .flat_map(|from| from.dependencies.iter().filter(inside).map(|to| (from.name.as_str(), to.name.as_str())))
            .collect()
    }

    /// All packages that `name` depends on, including itself. Without `dev`: only those that are linked into a program.
    fn tree(&self, name: &str, dev: bool) -> Vec<&Package> {
        let nodes: HashMap<&str, &Node> = self.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        let root = self.members().find(|member| member.name == name).expect("a member of the workspace");
        let (mut seen, mut open) = (BTreeSet::new(), vec![(root.id.as_str(), dev)]);
        while let Some((id, dev)) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let counts =
                |to: &&NodeDependency| dev || to.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev"));
            open.extend(nodes[id].deps.iter().filter(counts).map(|to| (to.pkg.as_str(), false)));
        }
        self.packages.iter().filter(|package| seen.contains(package.id.as_str())).collect()
    }

    /// The members in layers below that of `name`.
    fn below(&self, name: &str) -> Vec<&str> {
        let top = layer(name).expect("a package of a layer");
        self.members().map(|member| member.name.as_str()).filter(|member| layer(member) > Some(top)).collect()
    }
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

/// Why a dependency of one member on another is not allowed; `None` where it is.
fn fault(from: &str, to: &str) -> Option<String> {
    let reason = match (layer(from), layer(to)) {
        _ if from == STANDALONE || to == STANDALONE => format!("{STANDALONE} and the other crates are independent"),
        (None, _) => format!("{from} has no layer"),
        (_, None) => format!("{to} has no layer"),
        (Some(from), Some(to)) if from == to => "crates of one layer are independent".to_owned(),
        (Some(a), Some(b)) if a > b => format!("{to} is in a higher layer than {from}"),
        _ => return None,
    };
    Some(format!("{from} depends on {to}, but {reason}"))
}

#[test]
fn rejects_forbidden_dependencies() {
    assert_eq!(fault("banmen", "banmen-stats"), None);
    assert_eq!(fault("banmen-golad", "banmen-search"), None);
    for (from, to, words) in [
        ("banmen-game", "banmen-search", "in a higher layer"),
        ("banmen-golad", "banmen-othello", "of one layer"),
        ("xtask", "banmen-game", "independent"),
        ("banmen-othello", "xtask", "independent"),
        ("banmen-chess", "banmen-game", "has no layer"),
    ] {
        let fault = fault(from, to).expect(words);
        assert!(fault.contains(words), "{fault}");
    }
}

#[test]
fn crates_depend_only_on_lower_layers() {
    let metadata = Metadata::read();
    let unplaced: Vec<&str> = metadata
        .members()
        .map(|member| member.name.as_str())
        .filter(|name| layer(name).is_none() && *name != STANDALONE)
        .collect();
    assert!(unplaced.is_empty(), "{unplaced:?} have no layer in xtask/src/dependencies.rs");
    let dependencies = metadata.member_dependencies();
    assert!(dependencies.contains(&("banmen-search", "banmen-game")), "dependencies are read: {dependencies:?}");
    let faults: Vec<String> = dependencies.into_iter().filter_map(|(from, to)| fault(from, to)).collect();
    assert!(faults.is_empty(), "forbidden dependencies:\n{}", faults.join("\n"));
}

#[test]
fn crates_below_the_server_have_no_network_dependencies() {
    let metadata = Metadata::read();
    for name in metadata.below("banmen-server") {
        let known: Vec<&str> = metadata
            .tree(name, true)
            .into_iter()
            .map(|package| package.name.as_str())
            .filter(|package| NETWORK.contains(package))
            .collect();
        assert!(known.is_empty(), "{name} needs {known:?}");
    }
}

#[test]
fn crates_below_the_arena_link_no_c_library() {
    let metadata = Metadata::read();
    for name in metadata.below("banmen-arena") {
        for package in metadata.tree(name, false) {
            assert_eq!(package.links, None, "{name} links a native library by {}", package.name);
            let builder = package.dependencies.iter().find(|dependency| {
                dependency.kind.as_deref() == Some("build") && C_BUILDERS.contains(&dependency.name.as_str())
            });
            assert!(builder.is_none(), "{name} needs {}, which builds with {}", package.name, builder.unwrap().name);
        }
    }
}
