//! What the benchmark of a game searches and measures.

/// The positions, depth and measurements of a game's benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bench {
    /// The positions that are searched, as text.
    pub positions: &'static [&'static str],
    /// Plies that the engine looks ahead.
    pub depth: u32,
    /// Measurements, by name, that are shown beside the searches.
    pub measures: Vec<&'static str>,
}

impl Default for Bench {
    /// The start position, 8 plies, no measurements.
    fn default() -> Self {
        Bench { positions: &["start"], depth: 8, measures: Vec::new() }
    }
}
