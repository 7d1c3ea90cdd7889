//! The page's files, embedded.

use std::hash::{DefaultHasher, Hash, Hasher};

use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH};
use hyper::{HeaderMap, StatusCode};

use crate::reply::{Reply, reply};

macro_rules! files {
    ($($path:literal)*) => {
        &[$(($path, include_bytes!(concat!("../web/", $path)))),*]
    };
}

/// Every file of the page. A file is found by its exact path and in no other way.
const FILES: &[(&str, &[u8])] = files! {
    "icon.svg"
    "index.html"
    "js/analysis.js"
    "js/announcer.js"
    "js/board.js"
    "js/elements.js"
    "js/grid.js"
    "js/keys.js"
    "js/main.js"
    "js/moves.js"
    "js/newgame.js"
    "js/othello.js"
    "js/play.js"
    "js/players.js"
    "js/server.js"
    "js/settings.js"
    "js/status.js"
    "js/strings.js"
    "js/theme.js"
    "js/views.js"
    "style.css"
};

/// The file at a path, or not modified, or nothing. A browser asks each time whether its copy is still good: the
/// names carry no version.
pub(crate) fn find(path: &str, headers: &HeaderMap) -> Option<Reply> {
    let wanted = if path == "/" { "index.html" } else { path.strip_prefix('/')? };
    let &(name, bytes) = FILES.iter().find(|(name, _)| *name == wanted)?;
    let tag = tag(bytes);
    let known = headers.get_all(IF_NONE_MATCH).iter().any(|value| {
        value.to_str().is_ok_and(|value| value.split(',').any(|known| known.trim().trim_start_matches("W/") == tag))
    });
    let mut reply = if known { reply(StatusCode::NOT_MODIFIED, "") } else { reply(StatusCode::OK, bytes) };
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(mime(name)));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(ETAG, HeaderValue::from_str(&tag).ok()?);
    Some(reply)
}

fn tag(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

fn mime(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    /// The page's own files below `web`: pictures, styles, modules; not what checks them.
    fn on_disk() -> BTreeSet<String> {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let mut open: Vec<PathBuf> = vec![web.clone()];
        let mut found = BTreeSet::new();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).expect("the folder can be read") {
                let path = entry.expect("an entry").path();
                let name = path.strip_prefix(&web).expect("below web").to_str().expect("UTF-8").replace('\\', "/");
                if path.is_dir() {
                    if name != "node_modules" && name != "test" {
                        open.push(path);
                    }
                } else if matches!(path.extension().and_then(|end| end.to_str()), Some("html" | "css" | "svg" | "js")) {
                    found.insert(name);
                }
            }
        }
        found
    }

    #[test]
    fn every_file_of_the_page_is_embedded_and_nothing_else() {
        let embedded: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(embedded.len(), FILES.len(), "no file twice");
        assert_eq!(embedded, on_disk());
    }

    #[test]
    fn what_the_page_names_is_there() {
        let page = FILES.iter().find(|(name, _)| *name == "index.html").expect("the page").1;
        let page = str::from_utf8(page).expect("UTF-8");
        let named = page.split(['"', '\'']).filter(|text| text.ends_with(".js") || text.ends_with(".css"));
        for name in named {
            assert!(FILES.iter().any(|(known, _)| *known == name), "{name}");
        }
    }

    #[test]
    fn every_file_has_a_type() {
        for (name, _) in FILES {
            assert_ne!(mime(name), "application/octet-stream", "{name}");
        }
    }
}
