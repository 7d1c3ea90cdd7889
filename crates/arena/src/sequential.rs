//! Sequential tests, which end a match as soon as its result is significant.

use std::fmt;
use std::str::FromStr;

use banmen_catalog::quote;
use banmen_stats::{Bounds, Plan, Scale, Sprt};
use serde::Deserialize;
use serde_json::json;

/// A sequential probability ratio test (SPRT) on pairs of games: is the difference `elo0` (H0) or `elo1` (H1)?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequentialTest {
    /// The scale of the differences.
    pub scale: Scale,
    /// The difference under H0.
    pub elo0: f64,
    /// The difference under H1, greater than `elo0`.
    pub elo1: f64,
    /// Probability of accepting H1 where H0 is true.
    pub alpha: f64,
    /// Probability of accepting H0 where H1 is true.
    pub beta: f64,
}

/// The largest difference of a hypothesis: beyond it the normalised model has no solution.
const MAX_ELO: f64 = 200.0;

impl SequentialTest {
    /// A test.
    ///
    /// # Errors
    /// Which number is invalid, and why.
    pub fn new(scale: Scale, elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, String> {
        if !(elo0.abs() <= MAX_ELO && elo1.abs() <= MAX_ELO) {
            return Err(format!("the differences {elo0} and {elo1} must lie between -{MAX_ELO} and {MAX_ELO}"));
        }
        if elo0 >= elo1 {
            return Err(format!("elo0 = {elo0} must be less than elo1 = {elo1}"));
        }
        if Bounds::new(alpha, beta).is_none() {
            return Err(format!("alpha = {alpha} and beta = {beta} must be positive, with a sum below 1"));
        }
        Ok(SequentialTest { scale, elo0, elo1, alpha, beta })
    }

    /// The test as the store keeps it.
    pub(crate) fn to_text(self) -> String {
        let SequentialTest { scale, elo0, elo1, alpha, beta } = self;
        let normalised = scale == Scale::Normalised;
        json!({ "normalised": normalised, "elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta }).to_string()
    }

    /// Reads the output of [`SequentialTest::to_text`]; `None` for any other text.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Fields {
            normalised: bool,
            elo0: f64,
            elo1: f64,
            alpha: f64,
            beta: f64,
        }
        let Fields { normalised, elo0, elo1, alpha, beta } = serde_json::from_str(text).ok()?;
        let scale = if normalised { Scale::Normalised } else { Scale::Logistic };
        SequentialTest::new(scale, elo0, elo1, alpha, beta).ok()
    }

    /// The test before its first pair; `None` where a field has a value that [`SequentialTest::new`] refuses.
    #[must_use]
    pub fn start(&self) -> Option<Sprt<5>> {
        Plan::new(self.scale, self.elo0, self.elo1, self.alpha, self.beta).map(Sprt::new)
    }
}

/// Writes the options of the command line.
impl fmt::Display for SequentialTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SequentialTest { scale, elo0, elo1, alpha, beta } = self;
        let model = if *scale == Scale::Logistic { " --sprt-model logistic" } else { "" };
        write!(f, "--sprt {elo0},{elo1},{alpha},{beta}{model}")
    }
}

/// Reads `elo0,elo1` or `elo0,elo1,alpha,beta`, in normalised Elo; the error rates are 5 % by default.
impl FromStr for SequentialTest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split(',')
            .map(|number| number.trim().parse::<f64>().map_err(|_| format!("{} is not a number", quote(number.trim()))))
            .collect::<Result<Vec<f64>, String>>()?;
        match numbers[..] {
            [elo0, elo1] => SequentialTest::new(Scale::Normalised, elo0, elo1, 0.05, 0.05),
            [elo0, elo1, alpha, beta] => SequentialTest::new(Scale::Normalised, elo0, elo1, alpha, beta),
            _ => Err(format!("a test is elo0,elo1 or elo0,elo1,alpha,beta, not {} numbers", numbers.len())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_test_and_rejects_invalid_numbers() {
        let test: SequentialTest = "0,5".parse().expect("a test");
        assert_eq!((test.elo0, test.elo1, test.alpha, test.beta), (0.0, 5.0, 0.05, 0.05));
        let test: SequentialTest = "-3, 1, 0.01, 0.05".parse().expect("a test");
        assert_eq!((test.elo0, test.alpha), (-3.0, 0.01));
        assert_eq!(SequentialTest::from_text(&test.to_text()), Some(test));
        assert_eq!(SequentialTest::from_text("{}"), None);
        for (text, part) in [
            ("5", "not 1 numbers"),
            ("5,0", "less than elo1"),
            ("0,x", "`x` is not a number"),
            ("0,\u{1b}[31mx", "`\u{fffd}[31mx` is not a number"),
            ("0,5,0.5,0.5", "with a sum below 1"),
            ("0,nan", "lie between"),
            ("0,5,0,0.05", "positive"),
        ] {
            let refused = text.parse::<SequentialTest>().expect_err(text);
            assert!(refused.contains(part), "{text}: {refused}");
        }
    }
}
