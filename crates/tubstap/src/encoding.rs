//! The encodings of the original's files: Shift-JIS, and UTF-8.

use std::borrow::Cow;

use encoding_rs::SHIFT_JIS;

/// The text of a file: UTF-8 if it is, else Shift-JIS, where bytes that are none of its characters become U+FFFD. In
/// Shift-JIS the second byte of a character may be that of a bracket, so statements are found in the decoded text.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(_) => SHIFT_JIS.decode_without_bom_handling(bytes).0,
    }
}
