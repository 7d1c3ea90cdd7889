//! Times as dates.

use std::time::{Duration, UNIX_EPOCH};

/// The last second of the year 9999, since 1970: later times cannot be written as dates.
pub(crate) const LATEST: i64 = 253_402_300_799;

/// A time in seconds since 1970 as a date in UTC, `2026-11-29T12:00:00Z`. What a damaged store has outside the years 1970 to
/// 9999 is written as the nearest date in them.
#[must_use]
pub fn date(seconds: i64) -> String {
    let time = UNIX_EPOCH + Duration::from_secs(seconds.clamp(0, LATEST).unsigned_abs());
    humantime::format_rfc3339_seconds(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_written() {
        let dates = [i64::MIN, -1, 0, 951_782_400, LATEST, LATEST + 1, i64::MAX].map(date);
        let [first, last] = ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"];
        assert_eq!(dates, [first, first, first, "2000-02-29T00:00:00Z", last, last, last]);
    }
}
