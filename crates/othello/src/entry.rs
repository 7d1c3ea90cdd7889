//! Registers Othello with the catalog.

use std::sync::Arc;

use banmen_catalog::{Data, Entry, Error, ErrorCode, Format, GtpRules, Key, Options, PlayerEntry, WordOrFile};
use banmen_search::mcts::{Fast, IndexedAmaf};

use crate::book::Book;
use crate::engine::{Evaluation, Weights};
use crate::players::{classic, greedy};
use crate::training::OthelloLearning;
use crate::{Othello, engine, formats, measures, perft};

const NO_KEYS: &[Key] = &[];

/// The article, as cited in experiments.
const ARTICLE: &str = "オセロAI入門, Livesense Advent Calendar 2017, day 2";

/// The positions of the benchmark, from the opening to the ending. The middle three are FFO #43, #40 and #41; the last
/// two have eight empty squares, few enough for the solver at the bench's depth.
const BENCH: &[&str] = &[
    "start",
    "--------------------O-X----OOX----OXX-----X--------------------- X",
    "------------------OOO-----XXXX---OOXXX---OXXX-----X------------- O",
    "--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXXO----XOX----XXXXX- O",
    "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
    "-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X",
    "XXXXXXX-OXXOOO-XOOOOOOXX-OXXOOXX--OXXXOX-OOXOXOX-OOOOOOX-XXXXXXX X",
    "XOOOOOOX-XOXXXOX-XXOXXOXXXXXOXOXXXXXXOOXXXXXXXOX--XXXXO----XXXOX X",
];

/// The evaluation that the key `weights` names.
fn evaluation(options: &Options, data: &Data) -> Result<Arc<Evaluation>, Error> {
    match options.word_or_file("weights") {
        WordOrFile::Word(_) => Ok(Evaluation::own()),
        WordOrFile::File(path) => {
            let weights = Weights::from_bytes(&data.read_file(path)?)
                .map_err(|error| Error::new(ErrorCode::BadWeights, format!("{}: {error}", path.display())))?;
            Ok(Arc::new(Evaluation::new(weights)))
        }
    }
}

/// The book that the key `book` names.
fn book(options: &Options, data: &Data) -> Result<Option<Arc<Book>>, Error> {
    match options.word_or_file("book") {
        WordOrFile::Word("on") => Ok(Some(Book::own())),
        WordOrFile::Word(_) => Ok(None),
        WordOrFile::File(path) => {
            let book = Book::from_bytes(&data.read_file(path)?)
                .map_err(|error| Error::new(ErrorCode::BadWeights, format!("{}: {error}", path.display())))?;
            Ok(Some(Arc::new(book)))
        }
    }
}

/// The catalog entry of the game with its players, solver and measurements.
#[must_use]
pub fn entry() -> Entry<Othello> {
    Entry::new("othello", Othello)
        .title("Othello", "オセロ")
        .summary("flip the discs between yours; most discs at the end win")
        .sides(("Black", "黒"), ("White", "白"))
        .view("othello")
        .symmetries()
        // Rows are counted from the top; columns are consecutive letters (with `i`), as in gtp-rhino.
        .gtp(GtpRules {
            title: "Othello",
            size: Some(8),
            dialect: "text",
            pass: "pa",
            colours: [&[], &[]],
            sends_passes: true,
        })
        .format(Format {
            name: "ggf",
            write: |header, state| Ok(formats::write_ggf(header, state)),
            read: formats::read,
            rewrite: Some(formats::rewrite_ggf),
        })
        .format(Format { name: "transcript", write: formats::write_transcript, read: formats::read, rewrite: None })
        .window_player(PlayerEntry {
            name: "engine",
            summary: "our strongest: a selective search with a fitted evaluation, the ending solved exactly",
            source: "own",
            keys: engine::KEYS,
            make: |_, options, seed, data| {
                let (evaluation, book) = (evaluation(options, data)?, book(options, data)?);
                Ok(Box::new(engine::Engine::new(evaluation, book, options, seed)))
            },
        })
        .player(PlayerEntry {
            name: "classic",
            summary: "the article's program: mobility and corners, plain alpha-beta, the last 12 squares exactly",
            source: ARTICLE,
            keys: classic::KEYS,
            make: |_, options, _, _| Ok(Box::new(classic::Classic::new(classic::Settings::new(options)))),
        })
        .player(PlayerEntry {
            name: "greedy",
            summary: "flips the most discs, ties at random",
            source: "the usual baseline",
            keys: NO_KEYS,
            make: |_, _, seed, _| Ok(Box::new(greedy::Greedy::new(seed))),
        })
        .tree_player(banmen_catalog::mcts::<Othello, Fast, IndexedAmaf>())
        .perft(|_, position, depth, passes, stop| perft::perft(position, depth, passes, stop))
        .solver(|state, all, bounds, _, progress| Ok(engine::solve(state, all, bounds, progress)))
        .learning(OthelloLearning)
        .measure(measures::SEARCH)
        .measure(measures::ENDING)
        .measure(measures::SPEED)
        .bench_positions(BENCH)
}
