//! Maps by name, from the public repository TaylorNeller/TUBSTAP_Taylor: sizes, limits, terrain, units and authors, without
//! the comments.
//!
//! 46 are those of TUBSTAP 0108 by the Ikeda laboratory (JAIST). The nine named genmap were made by the generator of random maps
//! in that repository's program, which is derived from TUBSTAP.

use std::sync::LazyLock;

use crate::game::Tubstap;
use crate::notation::{Map, parse_map};

macro_rules! maps {
    ($($name:literal),* $(,)?) => {
        /// Name and file of each map.
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../maps/", $name, ".tbsmap")))),*];
    };
}

maps! {
    "map01", "map02", "map03", "map04", "map05", "GAT_Ishitobi", "GAT_fujiki", "GAT_masuda", "GAT_takahashi",
    "GPW_Fujiki", "GPW_Ishitobi", "GPW_Sato", "block_A1", "block_A2", "block_A3", "block_B1", "chase_A1", "chase_A2",
    "chase_A3", "guard_A1", "guard_B1", "guard_B2", "guard_B3", "guard_C1", "path_A1", "path_A2", "path_A3",
    "puzzle_A1", "puzzle_A2", "puzzle_A3", "puzzle_B1", "puzzle_B2", "puzzle_B3", "puzzle_C1", "puzzle_C2", "run_A1",
    "run_A2", "run_A3", "run_B1", "select_A1", "select_A2", "select_B1", "select_B2", "select_B3", "select_C1",
    "tag_A1", "genmap-3u-2", "genmap-3u-3", "genmap-4u-1", "genmap-4u-2", "genmap0", "genmap1", "genmap2", "genmap4",
    "genmap6",
}

/// The benchmark problems of Kimura and Ikeda (2016), by name: red has to find its way to a win.
pub(crate) const SUITE: &[(&str, &str)] = {
    macro_rules! same {
        ($($name:literal),* $(,)?) => { &[$(($name, $name)),*] };
    }
    same![
        "block_A1",
        "block_A2",
        "block_A3",
        "block_B1",
        "chase_A1",
        "chase_A2",
        "chase_A3",
        "guard_A1",
        "guard_B1",
        "guard_B2",
        "guard_B3",
        "guard_C1",
        "path_A1",
        "path_A2",
        "path_A3",
        "puzzle_A1",
        "puzzle_A2",
        "puzzle_A3",
        "puzzle_B1",
        "puzzle_B2",
        "puzzle_B3",
        "puzzle_C1",
        "puzzle_C2",
        "run_A1",
        "run_A2",
        "run_A3",
        "run_B1",
        "select_A1",
        "select_A2",
        "select_B1",
        "select_B2",
        "select_B3",
        "select_C1",
        "tag_A1",
    ]
};

static MAPS: LazyLock<Vec<(&'static str, Map)>> =
    LazyLock::new(|| FILES.iter().filter_map(|&(name, text)| Some((name, parse_map(text).ok()?))).collect());

/// All maps, with their names.
pub fn all() -> impl Iterator<Item = (&'static str, &'static Map)> {
    MAPS.iter().map(|(name, map)| (*name, map))
}

/// The names of all maps.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|&(name, _)| name)
}

/// The game on the map of a name, in either case. Records of it have the map's author.
#[must_use]
pub fn named(name: &str) -> Option<Tubstap> {
    let (_, Map { game, author, comment }) = MAPS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(game.clone().described(author, comment))
}

/// The game on map01, the map of the S-UCT paper.
///
/// # Panics
/// Never: a test reads every map.
#[must_use]
pub fn standard() -> Tubstap {
    named("map01").expect("map01 is one of the maps")
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_is_a_map() {
        for (name, text) in super::FILES {
            if let Err(error) = super::parse_map(text) {
                panic!("{name}: {error}");
            }
        }
        assert_eq!(super::all().count(), 55);
    }
}
