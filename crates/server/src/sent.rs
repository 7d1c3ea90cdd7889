//! The form in which a file of the page is sent: scripts and styles without comments and most line ends, and all files
//! compressed.
//!
//! The comments and the layout of the files in `web` are for developers; a browser does not need them.

use miniz_oxide::deflate::{CompressionLevel, compress_to_vec_zlib};

/// The bytes of a file, in the two forms that a browser may ask for.
pub(crate) struct Sent {
    /// As text.
    pub(crate) plain: Vec<u8>,
    /// The same, in the content coding `deflate`.
    pub(crate) deflated: Vec<u8>,
}

impl Sent {
    /// Prepares the file of this name.
    pub(crate) fn new(name: &str, bytes: &[u8]) -> Self {
        let plain = match str::from_utf8(bytes) {
            Ok(source) if name.ends_with(".js") => compact(source).into_bytes(),
            // The page's style sheets have no quoted texts with such spaces or numbers.
            Ok(source) if name.ends_with(".css") => {
                let shorter = [(" 0.", " ."), ("(0.", "(."), (": ", ":"), (" {", "{"), (", ", ","), (" > ", ">")];
                shorter.iter().fold(compact(source), |sheet, (long, short)| sheet.replace(long, short)).into_bytes()
            }
            Ok(source) if name.ends_with(".html") => {
                let lines: Vec<&str> = source.lines().map(str::trim).collect();
                lines.join("\n").into_bytes()
            }
            _ => bytes.to_vec(),
        };
        let deflated = compress_to_vec_zlib(&plain, CompressionLevel::UberCompression as u8);
        Sent { plain, deflated }
    }
}

/// Shortens a script or a style sheet line by line, without parsing it. Left out are indentation, comments on lines of their
/// own, JSDoc tags within lines, line ends beside brackets, commas and semicolons, and a comma or semicolon before a closing
/// bracket on the next line. This requires that no text spans several lines (a test checks it) and that every statement that
/// is not a block ends with a semicolon.
fn compact(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    // Whether the last line has a comment, and so must keep its line end.
    let mut commented = false;
    let mut inside = false;
    for line in source.lines() {
        let line = line.trim();
        let line = if inside {
            let end = line.find("*/");
            inside = end.is_none();
            end.map_or("", |end| line[end + 2..].trim_start())
        } else {
            line
        };
        let begins = line.starts_with("/*");
        let end = line.find("*/");
        inside = inside || (begins && end.is_none());
        let whole = line.starts_with("//") || (begins && end.is_some_and(|end| end + 2 == line.len()));
        let line = if inside || whole { String::new() } else { untagged(line) };
        if line.is_empty() {
            continue;
        }
        let joined = text.ends_with(['{', '}', '(', '[', ',', ';']) || line.starts_with(['}', ')', ']']);
        if !text.is_empty() && (commented || !joined) {
            text.push('\n');
        } else if text.ends_with(';') && line.starts_with('}')
            || text.ends_with(',') && line.starts_with(['}', ')', ']'])
        {
            text.pop();
        }
        commented = line.contains("//") || line.contains("/*");
        text += &line;
    }
    text.push('\n');
    text
}

/// What a JSDoc comment with a tag begins with.
const TAG: &str = "/** @";

/// A line without the JSDoc tags in it, which only the checker of types reads.
fn untagged(line: &str) -> String {
    let mut rest = line;
    let mut text = String::with_capacity(line.len());
    while let Some((before, tag)) = rest.split_once(TAG) {
        let Some((_, after)) = tag.split_once("*/") else { break };
        text += before;
        rest = after.trim_start();
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_removes_comments_and_line_ends() {
        let source = "// Says.\nlet a = 1; // here\n\n  /** One. @type {number} */\n  b = '/* no */';\n  /**\n   * Two.\n   */\n  \
                      c = /** @type {any} */ (d);\nfor (;;) {\n  e(\n    1,\n  );\n}\nf\n  .g();\n// end";
        assert_eq!(compact(source), "let a = 1; // here\nb = '/* no */';\nc = (d);for (;;) {e(1)}f\n.g();\n");
        assert_eq!(compact("/* a\n b */\n.c {\n  d: e;\n}\n.f,\n.g {}\n"), ".c {d: e}.f,.g {}\n");
        assert_eq!(compact("/* a\n b */ c();\nd();\n/* e */\n/** @type {F} */ (g);\n"), "c();d();(g);\n");
    }

    #[test]
    fn compresses_the_compact_form() {
        let sent = Sent::new("a.js", "// a\n  b;\n".as_bytes());
        assert_eq!(sent.plain, b"b;\n");
        let read = miniz_oxide::inflate::decompress_to_vec_zlib(&sent.deflated).expect("zlib");
        assert_eq!(read, sent.plain);
        assert_eq!(Sent::new("a.svg", b"  <svg/>").plain, b"  <svg/>");
        let sheet =
            ".a > .b,\n.c {\n  margin: 0.5rem 10.5rem;\n  color: rgb(0 0 0 / 0.25);\n  inset: max(0.5rem, 1px);\n}\n";
        let sent = Sent::new("a.css", sheet.as_bytes());
        assert_eq!(sent.plain, b".a>.b,.c{margin:.5rem 10.5rem;color:rgb(0 0 0 / .25);inset:max(.5rem,1px)}\n");
    }
}
