//! Registers Dobutsu shogi with the catalog.

use banmen_catalog::{Entry, Error, ErrorCode, Format, PlayerEntry};
use banmen_search::mcts::Uniform;

use crate::players::article;
use crate::players::perfect::Perfect;
use crate::players::winning::Winning;
use crate::strategy::{Policy, Strategy};
use crate::{Dobutsu, Variant, engine, formats, solved};

/// The positions that the benchmark searches, from the opening to the ending. The last one is Fairy-Stockfish's second
/// perft position.
const BENCH: &[&str] = &["start", "gle/1C1/3/ELG w C 1", "1le/g2/1E1/1LG w 2C 1", "g1e/1cL/lC1/E1G b - 1"];

/// The game with its variants and players.
#[must_use]
pub fn entry() -> Entry<Dobutsu> {
    Entry::new("dobutsu", Dobutsu::CATCH)
        .title("Dobutsu shogi", "どうぶつしょうぎ")
        .summary("catch the lion, or bring yours across safely")
        .sides(("Sente", "先手"), ("Gote", "後手"))
        .view("dobutsu")
        .symmetries()
        .format(Format {
            name: "kif",
            write: |header, state| Ok(formats::write(header, state)),
            read: formats::read,
            rewrite: Some(formats::rewrite),
        })
        .default_rules("catch")
        .rules("legal", Dobutsu::LEGAL)
        .rules("any-try", Dobutsu::ANY_TRY)
        .window_player(PlayerEntry {
            name: "engine",
            summary: "our strongest without the table: alpha-beta with an evaluation fitted to the solved game",
            source: "own",
            keys: engine::KEYS,
            make: |_, options, seed, _| Ok(Box::new(engine::Engine::new(options, seed))),
        })
        .solver(|state, all, bounds, data, _| solved::solve(state, all, bounds, data))
        .tablebases()
        .player(PlayerEntry {
            name: "perfect",
            summary: "plays from the table: the shortest win, the longest loss, and draws that are difficult for the \
                      other side; under `legal` its wins may be two plies longer than the shortest; without the table \
                      only from the start: the second side's win, and as the first side it gives away no win or draw",
            source: "retrograde analysis",
            keys: &[],
            make: |game, _, seed, data| {
                // A win under `legal` is a win under `catch`.
                let tabled = if game.variant == Variant::Legal { Dobutsu::CATCH } else { *game };
                match data.table(&tabled) {
                    Ok(table) => Ok(Box::new(Perfect::new(table, seed))),
                    Err(missing) if missing.code == ErrorCode::TableMissing && tabled == Dobutsu::CATCH => {
                        let lists =
                            Strategy::of_the_second_side().and_then(|win| Ok((win, Policy::of_the_first_side()?)));
                        let (strategy, policy) =
                            lists.map_err(|error| Error::new(ErrorCode::TableRefused, error.to_string()))?;
                        Ok(Box::new(Winning::new(strategy, policy, data, seed)))
                    }
                    Err(error) => Err(error),
                }
            },
        })
        .tree_player(PlayerEntry {
            name: "article",
            summary: article::SUMMARY,
            source: article::SOURCE,
            keys: article::KEYS,
            make: |game, options, seed, _| Ok(Box::new(article::player(game, Uniform::default(), options, seed)?)),
        })
        .bench_positions(BENCH)
}
