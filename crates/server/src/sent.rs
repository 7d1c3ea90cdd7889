//! A file of the page as it is sent: scripts and styles without their comments, everything but pictures compressed.
//!
//! The files in `web` are written to be read; a visitor's browser reads only the code. What is taken away leaves its line
//! empty, so that a browser names the same lines as the source.

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
            Ok(source) if name.ends_with(".js") || name.ends_with(".css") => bare(source).into_bytes(),
            _ => bytes.to_vec(),
        };
        let deflated = compress_to_vec_zlib(&plain, CompressionLevel::BestCompression as u8);
        Sent { plain, deflated }
    }
}

/// A script or a style sheet without indentation and without the comments that have their lines to themselves. It knows no
/// syntax: no line of a text over several lines may look like that, which a test holds for the page.
fn bare(source: &str) -> String {
    let mut inside = false;
    let lines = source.lines().map(|line| {
        let line = line.trim();
        if inside {
            let end = line.find("*/");
            inside = end.is_none();
            return end.map_or("", |end| line[end + 2..].trim_start());
        }
        let begins = line.starts_with("/*");
        inside = begins && !line.contains("*/");
        let whole = begins && line.find("*/").is_some_and(|end| end + 2 == line.len());
        if inside || whole || line.starts_with("//") { "" } else { line }
    });
    lines.fold(String::with_capacity(source.len()), |text, line| text + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_leave_empty_lines_and_code_stays() {
        let source = "// Says.\nlet a = 1; // here\n\n  /** One. @type {number} */\n  b = '/* no */';\n  /**\n   * Two.\n   */\n  \
                      /** @type {any} */ (c);\n// end";
        assert_eq!(bare(source), "\nlet a = 1; // here\n\n\nb = '/* no */';\n\n\n\n/** @type {any} */ (c);\n\n");
        assert_eq!(bare("/* a\n b */\n.c {\n  d: e;\n}\n"), "\n\n.c {\nd: e;\n}\n");
        assert_eq!(bare("/* a\n b */ c();\nd();\n/* e */\n"), "\nc();\nd();\n\n");
    }

    #[test]
    fn what_was_compressed_is_what_is_sent() {
        let sent = Sent::new("a.js", "// a\n  b;\n".as_bytes());
        assert_eq!(sent.plain, b"\nb;\n");
        let read = miniz_oxide::inflate::decompress_to_vec_zlib(&sent.deflated).expect("zlib");
        assert_eq!(read, sent.plain);
        assert_eq!(Sent::new("a.svg", b"  <svg/>").plain, b"  <svg/>");
    }
}
