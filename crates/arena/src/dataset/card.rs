//! The data card: what a dataset contains, where it is from, and its limits, under the headings of the dataset cards of
//! Hugging Face.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use serde_json::json;

use super::columns::{COLUMNS, Row};
use super::table::Range;
use super::{DatasetOptions, Values};
use crate::dates::date;
use crate::experiment::grouped;
use crate::spec::{limits, limits_in_words};
use crate::version::version;

/// Lines of a list in the card. Of more, the number is stated.
const LISTED: usize = 40;

/// What the card states of one variant of a game.
#[derive(Clone, Debug, Default)]
struct OfGame {
    rows: u64,
    games: u64,
    /// Different positions, and different classes of symmetric positions.
    positions: HashSet<u64>,
    classes: HashSet<u64>,
    /// Games by what ended them.
    ended_by: BTreeMap<String, u64>,
}

/// What the card states of a match.
#[derive(Clone, Debug)]
struct OfMatch {
    /// Game, players, limits and openings, in words.
    words: String,
    games: u64,
    /// Whether a limit is a time, or searches have several threads: the same match played again has other games.
    timed: bool,
    imported: bool,
}

/// The counts of a card, collected from its rows in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Card {
    /// The name of the file.
    pub(super) file: String,
    /// Its size.
    pub(super) bytes: u64,
    /// Nulls and numbers of the columns.
    pub(super) ranges: Vec<Range>,
    /// By game and rules.
    games: BTreeMap<(String, String), OfGame>,
    matches: BTreeMap<i64, OfMatch>,
    /// Rows by player, version and limits of the side to move.
    players: BTreeMap<(String, String), u64>,
    /// The game of the last row: match, pair, game.
    last: Option<(i64, usize, usize)>,
    /// Rows by the score of the side to move: 0, ½, 1.
    results: [u64; 3],
    in_opening: u64,
    lost_turns: u64,
    /// Games in which a player failed.
    faults: u64,
    searched: u64,
    /// Searched rows whose search chose the move that was played.
    agreeing: u64,
    solved: u64,
}

impl Card {
    /// Adds a row. The rows of a game follow each other.
    pub(super) fn add(&mut self, row: &Row<'_>) {
        let (found, record) = (row.found, row.record);
        let of_game = self.games.entry((found.game.clone(), found.rules.clone())).or_default();
        let place = (found.id, record.pair, record.game);
        if self.last != Some(place) {
            self.last = Some(place);
            of_game.games += 1;
            *of_game.ended_by.entry(record.by.clone()).or_default() += 1;
            self.faults += u64::from(record.fault.is_some());
            self.matches.entry(found.id).or_insert_with(|| OfMatch::new(row)).games += 1;
        }
        of_game.rows += 1;
        of_game.positions.insert(row.key);
        of_game.classes.insert(row.class);
        let player = format!("{} ({})", found.players[row.mover], found.versions[row.mover]);
        *self.players.entry((found.game.clone(), player)).or_default() += 1;
        self.results[(2.0 * row.result()) as usize] += 1;
        self.in_opening += u64::from(row.in_opening());
        self.lost_turns += u64::from(row.is_lost_turn());
        self.solved += u64::from(row.label.truth.is_some());
        if let Some(search) = &row.label.search {
            self.searched += 1;
            self.agreeing += u64::from(search.best == record.moves[row.ply]);
        }
    }

    pub(super) fn rows(&self) -> u64 {
        self.games.values().map(|game| game.rows).sum()
    }

    pub(super) fn games(&self) -> u64 {
        self.games.values().map(|game| game.games).sum()
    }

    pub(super) fn matches(&self) -> u64 {
        self.matches.len() as u64
    }

    /// Games of imported matches.
    fn imported(&self) -> u64 {
        self.matches.values().filter(|of| of.imported).map(|of| of.games).sum()
    }

    /// What the file itself states: the program, the command, and the counts, as JSON.
    pub(super) fn summary(&self, options: &DatasetOptions) -> String {
        json!({
            "version": version(),
            "command": options.command,
            "licence": options.licence,
            "rows": self.rows(),
            "games": self.games(),
            "matches": self.matches(),
        })
        .to_string()
    }

    /// The card in Markdown.
    pub(super) fn text(&self, options: &DatasetOptions) -> String {
        let mut names: Vec<&str> = self.games.keys().map(|(game, _)| game.as_str()).collect();
        names.dedup();
        let names = names.join(", ");
        let size = match self.rows() {
            0..1_000 => "n<1K",
            1_000..10_000 => "1K<n<10K",
            10_000..100_000 => "10K<n<100K",
            100_000..1_000_000 => "100K<n<1M",
            1_000_000..10_000_000 => "1M<n<10M",
            _ => "n>10M",
        };
        let licence = options.licence.as_deref();
        let mut text = format!(
            "---\nlicense: {}\npretty_name: \"Positions of {names}\"\nsize_categories:\n- {size}\ntags:\n- board-games\n\
             - banmen\nconfigs:\n- config_name: default\n  data_files: {}\n---\n\n# Dataset Card for Positions of {names}\n\n\
             One row for each position of stored games, with the move that was played and the result of the game.\n\n",
            licence.unwrap_or("unknown"),
            json!(self.file),
        );
        self.details(options, &mut text);
        self.structure(&mut text);
        self.creation(options, &mut text);
        self.limits(options, &mut text);
        text
    }

    fn details(&self, options: &DatasetOptions, text: &mut String) {
        let facts = [
            ("File", format!("`{}`, {} bytes", self.file, grouped(self.bytes))),
            ("Rows", grouped(self.rows())),
            ("Games", format!("{} of {} matches", grouped(self.games()), grouped(self.matches()))),
            ("Command", format!("`{}`", options.command)),
            ("Program", format!("banmen {}", version())),
            ("Machine", options.machine.clone()),
            ("Date", date(crate::store::now())),
            (
                "Licence",
                options
                    .licence
                    .clone()
                    .unwrap_or_else(|| "not stated: whoever publishes the file has to choose one".into()),
            ),
        ];
        text.push_str("## Dataset Details\n\n### Dataset Description\n\n");
        for (name, fact) in facts {
            let _ = writeln!(text, "- **{name}:** {fact}");
        }
        text.push_str(
            "\n## Uses\n\n### Direct Use\n\nTo learn evaluations and policies of these games, and to study the play of the \
             programs that are named below.\n\n### Out-of-Scope Use\n\nThe result of a game is not the value of its \
             positions, and the move that was played is not the best move: both are as strong as the players were.\n\n",
        );
    }

    fn structure(&self, text: &mut String) {
        text.push_str(
            "## Dataset Structure\n\nThe rows of a game follow each other in the order of its moves. A position is the one \
             *before* the move of its row; the last position of a game, in which there is no move, has no row.\n\n\
             | column | type | meaning | nulls | range |\n|---|---|---|---:|---|\n",
        );
        for (column, range) in COLUMNS.iter().zip(&self.ranges) {
            let numbers =
                range.numbers.map_or_else(String::new, |(low, high)| format!("{} to {}", short(low), short(high)));
            let _ = writeln!(text, "{} {} | {numbers} |", column_line(column), grouped(range.nulls));
        }
        text.push_str("\n| game | rules | games | rows | different positions | classes of symmetric positions |\n");
        text.push_str("|---|---|---:|---:|---:|---:|\n");
        for ((game, rules), of) in &self.games {
            let [positions, classes] = [&of.positions, &of.classes].map(|all| grouped(all.len() as u64));
            let (games, rows) = (grouped(of.games), grouped(of.rows));
            let _ = writeln!(text, "| {game} | {rules} | {games} | {rows} | {positions} | {classes} |");
        }
        let [lost, drawn, won] = self.results.map(grouped);
        let _ = writeln!(
            text,
            "\nRows by the result of the side to move: {won} won, {drawn} drawn, {lost} lost.\n\n\
             Repeated and symmetric positions are not removed: rows with the same `class` are equal but for a symmetry of the \
             game. The colours are not exchanged. A position of a game that remembers what occurred before, such as \
             repetitions, is given in full by `start` and the first `ply` of `moves`.\n"
        );
    }

    fn creation(&self, options: &DatasetOptions, text: &mut String) {
        text.push_str(
            "## Dataset Creation\n\n### Source Data\n\n#### Data Collection and Processing\n\nGames that banmen stored. In \
             its own matches each opening is played twice with the sides swapped. Every game was replayed by the rules for \
             this file.\n\n",
        );
        let lines =
            self.matches.iter().map(|(id, of)| format!("match {id}: {}, {} games", of.words, grouped(of.games)));
        list(lines, "matches", text);
        text.push_str("\n#### Who are the source data producers?\n\nPlayers, by rows with them to move:\n\n");
        let lines =
            self.players.iter().map(|((game, player), rows)| format!("{game}: {player}, {} rows", grouped(*rows)));
        list(lines, "players", text);
        text.push_str("\n### Annotations\n\n");
        match &options.values {
            Values::None => text.push_str("The rows have no values of searches.\n"),
            Values::Own => {
                let _ = writeln!(
                    text,
                    "`value` is of the search that chose the move, made again with its player, limits and seed: {} rows. It \
                     chose the same move in {} of them.",
                    grouped(self.searched),
                    grouped(self.agreeing)
                );
                if self.imported() > 0 {
                    let _ = writeln!(text, "Imported games, which have no searches: {}.", grouped(self.imported()));
                }
            }
            Values::By(player) => {
                let _ = writeln!(
                    text,
                    "`value` is of a search by `{}` with {} for each position, which begins anew at each (seed {}): {} rows. \
                     It chose the move that was played in {} of them.",
                    player.player,
                    limits_in_words(&limits(&player.limits)),
                    options.seed,
                    grouped(self.searched),
                    grouped(self.agreeing)
                );
            }
        }
        match &options.truth {
            None => text.push_str("\nThe rows have no exact values.\n"),
            Some(of) => {
                let _ = writeln!(
                    text,
                    "\n`truth` is by the exact solver of the game: by its table, where it is solved by one, else by a search \
                     with {} for each position, which is null where it proved nothing. {} of {} rows have it.",
                    limits_in_words(&limits(of)),
                    grouped(self.solved),
                    grouped(self.rows())
                );
            }
        }
        text.push_str(
            "\n#### Personal and Sensitive Information\n\nNone, unless imported games name people as players.\n\n",
        );
    }

    fn limits(&self, options: &DatasetOptions, text: &mut String) {
        text.push_str(
            "## Bias, Risks, and Limitations\n\n- The rows of a game are not independent: its result occurs in all of them.\n\
             - The positions are those that these players reach from these openings, not those of all play.\n",
        );
        let mut add = |line: String| {
            let _ = writeln!(text, "- {line}");
        };
        if self.in_opening > 0 {
            let rows = grouped(self.in_opening);
            add(format!(
                "{rows} rows are of openings (`opening`): their moves are random or from a list, not a player's."
            ));
        }
        if let Some(count) = options.per_game {
            add(format!("Only {count} positions of each game were drawn (seed {}).", options.seed));
        }
        if let Some((player, score)) = options.result {
            let what = ["lost", "drew", "won"][(2.0 * score) as usize];
            add(format!(
                "Only games that player {} of its match {what} were taken: their results are no sample.",
                player + 1
            ));
        }
        if self.faults > 0 {
            let games = grouped(self.faults);
            add(format!("In {games} games a player failed (`fault`): their results say little about their positions."));
        }
        if self.lost_turns > 0 {
            add(format!("{} rows are turns that were lost by a fault (`lost_turn`).", grouped(self.lost_turns)));
        }
        let timed = self.matches.values().filter(|of| of.timed).count();
        if timed > 0 {
            add(format!(
                "{timed} matches had limits of time, or searches on several threads: their moves, and searches made again, \
                 depend on the machine and on chance."
            ));
        }
        if self.imported() > 0 {
            let games = grouped(self.imported());
            add(format!("{games} games were imported: their players and rights are those of their source."));
        }
        if self.solved > 0 && self.solved < self.rows() {
            add("Exact values are known mostly of late positions, where the solver is fast enough.".to_owned());
        }
        for ((game, rules), of) in &self.games {
            let ends = of.ended_by.iter().map(|(by, games)| format!("{by} {}", grouped(*games)));
            add(format!("How the games of {game} ({rules}) ended: {}.", ends.collect::<Vec<_>>().join(", ")));
        }
        text.push_str(
            "\n### Recommendations\n\nDivide into training and test data by `opening_id`, not by rows, and leave out the \
             test rows whose `class` is among the training rows. Leave out rows with `opening` or `lost_turn` when moves \
             are learned, and games with `fault` when results are.\n",
        );
    }
}

impl OfMatch {
    fn new(row: &Row<'_>) -> OfMatch {
        let found = row.found;
        let [a, b] = &found.players;
        let spec = |name: &str| found.spec[name].as_str();
        let imported = found.spec.get("imported").is_some();
        let mut words = format!("{} ({}), {a} against {b}", found.game, found.rules);
        if imported {
            words.push_str(", imported");
        } else {
            let seed = found.spec["seed"].as_u64().unwrap_or_default();
            let openings = spec("openings").unwrap_or_default();
            let _ = write!(words, ", {}, openings {openings}, seed {seed}", found.limits());
        }
        let has = |side: &str, limit: &str| !found.spec[side]["limits"][limit].is_null();
        let threads = found.spec["threads"].as_u64().is_some_and(|threads| threads > 1);
        let timed = threads || ["a", "b"].iter().any(|side| has(side, "time_ms") || has(side, "clock"));
        OfMatch { words, games: 0, timed, imported }
    }
}

/// The beginning of a column's line in the table: its name, type and meaning.
fn column_line(column: &super::columns::Column) -> String {
    format!("| `{}` | {} | {} |", column.name, column.kind.name(), column.meaning)
}

/// A list of at most [`LISTED`] lines.
fn list(lines: impl ExactSizeIterator<Item = String>, what: &str, text: &mut String) {
    let more = lines.len().saturating_sub(LISTED);
    for line in lines.take(LISTED) {
        let _ = writeln!(text, "- {line}");
    }
    if more > 0 {
        let _ = writeln!(text, "- and {} more {what}", grouped(more as u64));
    }
}

/// A number of a range: whole, or with four digits after the point.
fn short(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number}") } else { format!("{number:.4}") }
}
