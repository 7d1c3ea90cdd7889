//! `bench`: a signature of the search's behaviour.

use banmen_catalog::{AnyTask, CpuClock};
use banmen_game::mix;
use banmen_search::{Clock, Limits, StopFlag};
use serde_json::json;

use super::{Ask, Done};
use crate::args::BenchArgs;
use crate::output::{say, say_json};

/// Searches the bench positions of each game with its engine to a fixed depth. The signature hashes node counts, moves
/// and values: a commit that changes no behaviour keeps it.
pub(crate) fn run(args: &BenchArgs, ask: &Ask) -> Done {
    let games = match &args.game {
        Some(name) => vec![ask.service.catalog.game(name)?],
        None => ask.service.catalog.games().iter().collect(),
    };
    let clock = CpuClock::default();
    let start = clock.now();
    let (mut nodes, mut signature) = (0, 0u64);
    for game in games {
        let mut player = game.player(None, "engine", 1)?;
        let mut own = 0;
        for position in game.bench_positions() {
            let walk = game.walk(None, Some(position))?;
            player.new_game();
            let report = player.think(AnyTask {
                walk: walk.as_ref(),
                limits: Limits::depth(args.depth),
                clock: &clock,
                stop: &StopFlag::default(),
                lines: 1,
                progress: &mut |_| {},
            })?;
            own += report.nodes;
            for part in [report.nodes, u64::from(report.best().unwrap_or(u32::MAX)), report.value().to_bits()] {
                signature = mix(signature ^ part);
            }
        }
        nodes += own;
        if !args.json.json {
            say(&format!("{} {own} nodes", game.info().name));
        }
    }
    let seconds = (clock.now() - start).as_secs_f64();
    let speed = (nodes as f64 / seconds.max(1e-9)) as u64;
    // The last 48 bits: enough to tell behaviours apart, short enough for a commit message.
    let signature = format!("{:012x}", signature & 0xFFFF_FFFF_FFFF);
    if args.json.json {
        say_json(&json!({ "nodes": nodes, "nps": speed, "signature": signature, "depth": args.depth }));
    } else {
        say(&format!("nodes {nodes} nps {speed} signature {signature}"));
    }
    Ok(0)
}
