//! Games solved by a table in the data directory.

use std::fs;
use std::path::PathBuf;

use banmen_catalog::Data;
use banmen_protocol::{Policy, TablePolicy};
use serde_json::{Value, json};

use crate::connection::Client;

/// An empty folder for one test, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("banmen-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn client(&self, policy: Policy) -> Client {
        Client::with_data(policy, Data::at(&self.0))
    }

    fn table(&self) -> PathBuf {
        self.0.join("nim-normal.table")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn solve(id: u64) -> Value {
    json!({ "id": id, "op": "solve", "game": "nim-table" })
}

#[test]
fn a_table_is_built_on_first_use_and_then_read() {
    let folder = Folder::new("first-use");
    let mut client = folder.client(Policy::LOCAL);
    client.send(&solve(1));
    for share in [0.0, 0.25, 0.5, 1.0] {
        assert_eq!(client.read(), json!({ "id": 1, "info": { "building": share } }));
    }
    assert_eq!(client.read()["ok"]["score"], 1);
    client.send(&solve(2));
    assert_eq!(client.read()["ok"]["score"], 1, "it is there now");
    assert!(folder.table().exists());
    let mut another = folder.client(Policy::LOCAL);
    another.send(&solve(1));
    assert_eq!(another.read()["ok"]["score"], 1, "another process finds it");
}

#[test]
fn a_server_builds_no_table_but_uses_one() {
    let folder = Folder::new("server");
    let mut client = folder.client(Policy::SERVER);
    client.send(&solve(1));
    assert_eq!(client.read()["error"]["code"], "table_missing");
    assert!(!folder.0.exists(), "nothing was written");
    folder.client(Policy::LOCAL).ask(json!({ "op": "solve", "game": "nim-table" }));
    client.send(&solve(2));
    assert_eq!(client.read()["ok"]["score"], 1);
}

#[test]
fn a_server_of_ones_own_builds_a_table_on_request_only() {
    let folder = Folder::new("on-request");
    let mut client = folder.client(Policy { tables: TablePolicy::OnRequest, ..Policy::SERVER });
    assert_eq!(client.ask(json!({ "op": "games" }))["ok"]["builds_tables"], true);
    assert_eq!(client.ask(solve(1))["error"]["code"], "table_missing");
    let build = json!({ "id": 2, "op": "build", "game": "nim-table" });
    client.send(&build);
    for share in [0.0, 0.25, 0.5, 1.0] {
        assert_eq!(client.read(), json!({ "id": 2, "info": { "building": share } }));
    }
    assert_eq!(client.read()["ok"], json!({ "table": "nim-normal", "bytes": 33 }));
    assert_eq!(client.ask(solve(3))["ok"]["score"], 1);
    client.send(&build);
    assert_eq!(client.read()["info"]["building"], 0.0);
    assert_eq!(client.read()["ok"]["bytes"], 33, "it is there: nothing is built");
    let code =
        |game: &str, policy| folder.client(policy).ask(json!({ "op": "build", "game": game }))["error"]["code"].clone();
    assert_eq!(code("nim-table", Policy::SERVER), "table_missing");
    assert_eq!(code("nim", Policy::LOCAL), "unsupported");
}

#[test]
fn refuses_a_file_that_is_not_a_table_and_keeps_it() {
    let folder = Folder::new("refused");
    fs::create_dir_all(&folder.0).expect("a folder");
    fs::write(folder.table(), b"something else").expect("a file");
    let mut client = folder.client(Policy::LOCAL);
    client.send(&solve(1));
    let error = client.read()["error"].clone();
    assert_eq!(error["code"], "table_refused");
    assert_eq!(error["message"], "the table nim-normal is refused: it is no table of Nim");
    assert_eq!(error["args"], json!({ "table": "nim-normal", "game": "nim-table" }));
    assert_eq!(fs::read(folder.table()).expect("the file"), b"something else");
}

#[test]
fn refuses_rules_without_a_table() {
    let folder = Folder::new("rules");
    let mut client = folder.client(Policy::LOCAL);
    client.send(&json!({ "id": 1, "op": "solve", "game": "nim-table", "rules": "misere" }));
    assert_eq!(client.read()["error"]["message"], "misère has no table");
}

#[test]
fn names_a_folder_that_cannot_be_written() {
    let folder = Folder::new("file");
    fs::write(&folder.0, b"a file where the folder should be").expect("a file");
    let mut client = folder.client(Policy::LOCAL);
    client.send(&solve(1));
    assert_eq!(client.read()["error"]["code"], "data_folder", "before anything else: nothing is built");
    fs::remove_file(&folder.0).expect("the file");
}
