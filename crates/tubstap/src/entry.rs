//! Registers TUBSTAP with the catalog.

use banmen_catalog::{Entry, Format};

use crate::engine;
use crate::game::Tubstap;
use crate::notation::RANDOM;
use crate::players::{rhea, smaef, tbets, uct};
use crate::{maps, measures, record, speed};

/// The game with its players. It begins on map01, the map of the S-UCT paper; other maps are positions.
#[must_use]
pub fn entry() -> Entry<Tubstap> {
    Entry::new("tubstap", maps::standard())
        .title("TUBSTAP", "TUBSTAP")
        .summary("every unit moves and attacks once a turn; the side without units has lost")
        .sides(("Red", "赤"), ("Blue", "青"))
        .view("tubstap")
        .default_rules("standard")
        .positions(maps::names())
        .seeded_positions(RANDOM)
        .format(Format { name: "tbsmap", write: record::write, read: record::read, rewrite: None })
        .bench_measure(speed::SPEED)
        .player(engine::ENTRY)
        .solver(|state, all, task, _, _| engine::solve(state, all, task))
        .solver_suite(maps::SUITE)
        .bench_positions(&["start", "map02", "map03", "map04", "map05"])
        .bench_depth(3)
        .player(smaef::entry())
        .tree_player(uct::m_uct())
        .tree_player(uct::m_uct_plus())
        .tree_player(uct::s_uct())
        .player(rhea::entry())
        .player(tbets::entry())
        .measure(measures::RATINGS)
        .measure(measures::T_TESTS)
}

#[cfg(test)]
mod tests {
    use banmen_catalog::AnyGame;

    #[test]
    fn games_begin_at_every_position_that_is_named() {
        let game = super::entry().in_memory();
        let info = game.info();
        let text = |position: &str| game.state(None, Some(position)).map(|state| state.position("text"));
        assert_eq!(info.positions.len(), 55);
        assert_eq!(text(info.positions[0]), text("start"), "the usual one is first");
        for name in &info.positions {
            assert!(text(name).is_ok(), "{name}");
        }
        let prefix = info.seeded_positions.expect("random maps");
        for seed in ["0", "4294967295"] {
            assert!(text(&format!("{prefix}{seed}")).is_ok(), "{seed}");
        }
        assert!(text(&format!("{prefix}4294967296")).is_err());
    }
}
