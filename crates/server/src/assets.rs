//! The page's files, embedded.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, VARY,
};
use hyper::{HeaderMap, StatusCode};

use crate::reply::{Reply, reply};
use crate::sent::Sent;

macro_rules! files {
    ($($path:literal)*) => {
        &[$(($path, include_bytes!(concat!("../web/", $path)))),*]
    };
}

/// Every file of the page. A file is found by its exact path and in no other way.
const FILES: &[(&str, &[u8])] = files! {
    "clock/clock.css"
    "clock/clock.js"
    "clock/control.js"
    "clock/en.js"
    "clock/ja.js"
    "editor/blokus.js"
    "editor/dobutsu.js"
    "editor/editor.css"
    "editor/editor.js"
    "editor/en.js"
    "editor/golad.js"
    "editor/ja.js"
    "editor/othello.js"
    "editor/part.js"
    "editor/threat.js"
    "editor/tubstap.js"
    "editor/writers.js"
    "help/en.js"
    "help/help.css"
    "help/ja.js"
    "help/keys.js"
    "icon.svg"
    "index.html"
    "js/analysis.js"
    "js/announcer.js"
    "js/board.js"
    "js/building.js"
    "js/draft.js"
    "js/drag.js"
    "js/elements.js"
    "js/exact.js"
    "js/figure.css"
    "js/figure.js"
    "js/halfmove.js"
    "js/hands.js"
    "js/hold.js"
    "js/keys.js"
    "js/line.js"
    "js/main.js"
    "js/moves.js"
    "js/newgame.js"
    "js/orders.js"
    "js/pick.js"
    "js/picture.js"
    "js/places.js"
    "js/play.js"
    "js/players.js"
    "js/router.js"
    "js/server.js"
    "js/setting-ja.js"
    "js/setting.js"
    "js/settings.js"
    "js/setup.js"
    "js/sound.js"
    "js/spoken.js"
    "js/starts.css"
    "js/starts.js"
    "js/status.js"
    "js/strings.js"
    "js/tables.js"
    "js/theme.js"
    "js/tones.js"
    "js/views.js"
    "js/zoom.js"
    "lab/en.js"
    "lab/experiment.js"
    "lab/ja.js"
    "lab/lab.css"
    "lab/lab.js"
    "lab/list.js"
    "lab/numbers.js"
    "lab/picture.js"
    "lab/run.js"
    "lab/verdict.js"
    "lesson/blokus.js"
    "lesson/dobutsu-article.js"
    "lesson/dobutsu.js"
    "lesson/golad.js"
    "lesson/lesson.css"
    "lesson/lesson.js"
    "lesson/othello.js"
    "lesson/tubstap.js"
    "log/en.js"
    "log/ja.js"
    "log/log.css"
    "log/log.js"
    "matches/arena.css"
    "matches/arena.js"
    "matches/curve.js"
    "matches/en.js"
    "matches/event.js"
    "matches/follow.js"
    "matches/ja.js"
    "matches/list.js"
    "matches/score.js"
    "matches/table.js"
    "openings/opening.css"
    "openings/opening.js"
    "openings/othello.js"
    "record/ask.js"
    "record/en.js"
    "record/faults/en.js"
    "record/faults/faults.js"
    "record/faults/ja.js"
    "record/finish.js"
    "record/games.js"
    "record/image.js"
    "record/ja.js"
    "record/judge.js"
    "record/link.js"
    "record/load.js"
    "record/open.js"
    "record/own.js"
    "record/part.js"
    "record/puzzles.js"
    "record/reading.js"
    "record/record.css"
    "record/review.js"
    "record/share.js"
    "record/take.js"
    "rules/blokus.js"
    "rules/dobutsu.js"
    "rules/golad.js"
    "rules/othello.js"
    "rules/page.js"
    "rules/rules.css"
    "rules/tubstap.js"
    "start/games.js"
    "start/page.js"
    "start/start.css"
    "style.css"
    "tree/compare.js"
    "tree/en.js"
    "tree/formula.js"
    "tree/ja.js"
    "tree/nodes.js"
    "tree/tree.css"
    "tree/tree.js"
    "tree/windows.js"
    "views/blokus.css"
    "views/blokus.js"
    "views/dobutsu.css"
    "views/dobutsu.js"
    "views/golad.css"
    "views/golad.js"
    "views/grid.css"
    "views/grid.js"
    "views/othello.css"
    "views/othello.js"
    "views/tubstap.css"
    "views/tubstap.js"
    "views/words/blokus.js"
    "views/words/dobutsu.js"
    "views/words/golad.js"
    "views/words/othello.js"
    "views/words/tubstap.js"
    "words/en.js"
    "words/ja.js"
};

/// The files as they are sent, by path; prepared at the first request.
static SENT: LazyLock<HashMap<&str, Sent>> =
    LazyLock::new(|| FILES.iter().map(|&(name, bytes)| (name, Sent::new(name, bytes))).collect());

/// The file at a path, or not modified, or nothing. A browser revalidates its copy each
/// time: the names carry no version.
pub(crate) fn find(path: &str, headers: &HeaderMap) -> Option<Reply> {
    let wanted = if path == "/" { "index.html" } else { path.strip_prefix('/')? };
    let (name, sent) = SENT.get_key_value(wanted)?;
    let deflate = items(headers, ACCEPT_ENCODING).any(accepts_deflate);
    let bytes = if deflate { &sent.deflated } else { &sent.plain };
    let tag = tag(bytes);
    let known = items(headers, IF_NONE_MATCH).any(|known| known.trim_start_matches("W/") == tag);
    let mut reply = if known { reply(StatusCode::NOT_MODIFIED, "") } else { reply(StatusCode::OK, bytes.as_slice()) };
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(mime(name)));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(ETAG, HeaderValue::from_str(&tag).ok()?);
    if deflate && !known {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("deflate"));
    }
    Some(reply)
}

/// The items of a header that lists some.
fn items(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

/// Whether an item of `Accept-Encoding` accepts `deflate`: `deflate;q=0` does not.
fn accepts_deflate(item: &str) -> bool {
    let mut parts = item.split(';').map(str::trim);
    let named = parts.next().is_some_and(|coding| coding.eq_ignore_ascii_case("deflate"));
    named && !parts.any(|part| part.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0)))
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
    fn embeds_every_file_of_the_page_and_no_other() {
        let embedded: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(embedded.len(), FILES.len(), "no file twice");
        assert_eq!(embedded, on_disk());
    }

    #[test]
    fn embeds_the_files_that_the_page_names() {
        let page = FILES.iter().find(|(name, _)| *name == "index.html").expect("the page").1;
        let page = str::from_utf8(page).expect("UTF-8");
        let named = page.split(['"', '\'']).filter(|text| text.ends_with(".js") || text.ends_with(".css"));
        for name in named {
            assert!(FILES.iter().any(|(known, _)| *known == name), "{name}");
        }
    }

    /// [`Sent`] leaves out line ends and lines that look like comments, which a text over several lines may not have.
    #[test]
    fn has_no_text_over_several_lines() {
        for (name, _) in FILES.iter().filter(|(name, _)| name.ends_with(".js")) {
            let source = FILES.iter().find(|(other, _)| other == name).expect("a file").1;
            let source = str::from_utf8(source).expect("UTF-8").lines().map(str::trim);
            let code = |line: &&str| !["//", "/*", "* "].iter().any(|begin| line.starts_with(begin));
            for (number, line) in source.enumerate().filter(|(_, line)| code(line)) {
                assert_eq!(line.matches('`').count() % 2, 0, "{name}:{}: {line}", number + 1);
                assert!(!line.ends_with('\\'), "{name}:{}: {line}", number + 1);
            }
        }
    }

    #[test]
    fn sends_deflate_where_it_is_accepted() {
        let find = |accepted: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_str(accepted).expect("a header"));
            let reply = find("/style.css", &headers).expect("a file");
            (reply.headers().contains_key(CONTENT_ENCODING), reply.headers()[ETAG].clone())
        };
        let [(deflated, packed), (plain, loose)] = [find("gzip, deflate;q=0.5, br"), find("gzip, deflate;q=0")];
        assert!(deflated && !plain);
        assert_ne!(packed, loose);
    }

    #[test]
    fn knows_the_type_of_every_file() {
        for (name, _) in FILES {
            assert_ne!(mime(name), "application/octet-stream", "{name}");
        }
    }
}
