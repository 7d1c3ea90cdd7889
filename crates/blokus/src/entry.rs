//! Registers Blokus Duo with the catalog.

use banmen_catalog::{Entry, Format, GtpRules};
use banmen_game::Side;
use banmen_search::mcts::{Fast, IndexedAmaf};

use crate::players::ratings;
use crate::{Blokus, Position, engine, formats, measures, players, speed};

/// The positions of `banmen bench`: the start, and the first game of `tests/data/playthrough.txt` after 6, 12, 18 and 24
/// plies.
const BENCH: &[&str] = &[
    "start",
    "............../...b........../...bb........./...b.bb......./....bb......../....b........./..bb.....www../...b...w..w.../.......w..w.ww/.......www.www/............../............../............../.............. b",
    "............../...b........../...bb........./.b.b.bb......./bbb.bb.bbb...w/.b..bw......ww/..bbwww..www../...b...w..w.../....bw.w..w.ww/..bbbw.www.www/...b.ww......./......w......./............../.............. b",
    ".bb...bb...w../...b.bbb...w../...bb......w../.b.b.bb....w../bbb.bb.bbb.w.w/.b..bw......ww/..bbwww..www../...b...w..w.../....bw.w..w.ww/..bbbw.www.www/.b.b.ww......./.b....w......./bb.....www.ww./..........ww.. b",
    ".bb...bb.bbw../...b.bbb.b.w../...bb...bb.w../.b.b.bb....w../bbb.bb.bbb.w.w/.bwwbw....b.ww/wwbbwww..www../.w.b...w..w.../.w..bw.w..w.ww/..bbbw.www.www/.b.b.ww......./.bwww.w......./bbw.w..www.ww./..bbbb....ww.. b",
];

/// As Pentobi speaks it: Pentobi-GTP.md in its folder `pentobi_gtp`; the names of colours are those of `get_color_arg` in
/// `libpentobi_base/Engine.cpp`.
const GTP: GtpRules = GtpRules {
    title: "Blokus Duo",
    size: None,
    dialect: "text",
    pass: "pass",
    colours: [&["blue"], &["green"]],
    sends_passes: false,
};

/// The game with its variants and players.
#[must_use]
pub fn entry() -> Entry<Blokus> {
    Entry::new("blokus", Blokus::STANDARD)
        .title("Blokus Duo", "ブロックスデュオ")
        .summary("place pieces corner to corner; most squares placed wins")
        .sides(("Violet", "紫"), ("Orange", "橙"))
        .view("blokus")
        .symmetries()
        .gtp(GTP)
        .other_side(Position::other_side)
        .lead(|position| i64::from(position.score(Side::First)) - i64::from(position.score(Side::Second)))
        .default_rules("standard")
        .rules("free-start", Blokus::FREE_START)
        .rules("contest", Blokus::CONTEST)
        .format(Format {
            name: "blksgf",
            write: |header, state| Ok(formats::write_blksgf(header, state)),
            read: formats::read_blksgf,
            rewrite: Some(formats::rewrite_blksgf),
        })
        .tree_player(engine::engine())
        .solver(|state, all, task, _, progress| Ok(engine::solve(state, all, task, progress)))
        .tree_player(banmen_catalog::mcts::<Blokus, Fast, IndexedAmaf>())
        .tree_player(players::uct())
        .tree_player(players::amaf())
        .tree_player(players::amaf_size())
        .player(players::rated())
        .ratings(ratings::FEATURES)
        .ratings(engine::PRIORS)
        .measure(measures::UPDATES)
        .measure(measures::POLICY)
        .bench_measure(speed::SPEED)
        .bench_positions(BENCH)
        .bench_depth(8)
}
