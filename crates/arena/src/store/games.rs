//! The games of a match.

use std::time::Duration;

use banmen_catalog::{Error, ErrorCode, LostTurn};
use rusqlite::{Row, params};

use super::workers::worker;
use super::{Store, failed, now, page_bounds};
use crate::stored::{GameFilter, Outcome, StoredGames};
use crate::{GameRecord, GameSource, MatchInfo, PlayedBy, Repeats, Score, Usage};

/// The columns of a game record.
pub(super) const COLUMNS: &str =
    "g.pair, g.game, g.seed, p.position, p.opening, g.points, g.margin, g.by, g.fault, g.moves, g.times,
    g.a_moves, g.a_nodes, g.a_depth, g.a_time, g.a_longest, g.b_moves, g.b_nodes, g.b_depth, g.b_time, g.b_longest,
    g.lost_turns, g.source_event, g.source_date";

/// The condition of a filter on `game g`.
fn condition(filter: GameFilter) -> &'static str {
    match filter.outcome {
        None => "",
        Some(Outcome::Won) => "AND g.points = 2",
        Some(Outcome::Drawn) => "AND g.points = 1",
        Some(Outcome::Lost) => "AND g.points = 0",
        Some(Outcome::Fault) => "AND g.fault IS NOT NULL",
    }
}

/// Microseconds in four bytes each; times of more than 71 minutes are clamped.
fn pack_times(times: &[Duration]) -> Vec<u8> {
    times.iter().flat_map(|time| u32::try_from(time.as_micros()).unwrap_or(u32::MAX).to_le_bytes()).collect()
}

fn unpack_times(bytes: &[u8]) -> Vec<Duration> {
    let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    words.map(|micros| Duration::from_micros(micros.into())).collect()
}

/// Seconds in whole microseconds.
fn micros(seconds: f64) -> i64 {
    (seconds * 1e6).round() as i64
}

fn seconds(micros: i64) -> f64 {
    micros as f64 / 1e6
}

fn format_lost_turns(turns: &[LostTurn]) -> String {
    let lines = turns.iter().map(|LostTurn { ply, by }| format!("{ply} {}", by.replace('\n', " ")));
    lines.collect::<Vec<_>>().join("\n")
}

fn parse_lost_turns(text: &str) -> Vec<LostTurn> {
    let turn = |line: &str| {
        let (ply, by) = line.split_once(' ')?;
        Some(LostTurn { ply: ply.parse().ok()?, by: by.to_owned() })
    };
    text.lines().filter_map(turn).collect()
}

impl GameRecord {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<GameRecord> {
        let lines =
            |text: String| text.split('\n').filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        let count = |column: usize| {
            let number: i64 = row.get(column)?;
            number.try_into().map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
        };
        let spent = |first: usize| -> rusqlite::Result<Usage> {
            Ok(Usage {
                moves: count(first)?,
                nodes: count(first + 1)?,
                depth: count(first + 2)?,
                seconds: seconds(row.get(first + 3)?),
                longest: seconds(row.get(first + 4)?),
            })
        };
        let source = match (row.get::<_, Option<String>>(22)?, row.get::<_, Option<String>>(23)?) {
            (None, None) => None,
            (event, date) => Some(GameSource { event: event.unwrap_or_default(), date: date.unwrap_or_default() }),
        };
        let mut moves = lines(row.get(4)?);
        let opening = moves.len();
        moves.extend(lines(row.get(9)?));
        Ok(GameRecord {
            pair: count(0)? as usize,
            game: bounded(row, 1, 1)?,
            seed: row.get::<_, i64>(2)? as u64,
            position: row.get(3)?,
            moves,
            opening,
            score: bounded(row, 5, 2)? as f64 / 2.0,
            margin: row.get(6)?,
            by: row.get(7)?,
            fault: row.get::<_, Option<i64>>(8)?.map(|_| bounded(row, 8, 1)).transpose()?,
            lost_turns: parse_lost_turns(&row.get::<_, String>(21)?),
            complaint: None,
            times: unpack_times(&row.get::<_, Vec<u8>>(10)?),
            spent: [spent(11)?, spent(16)?],
            source,
        })
    }
}

/// A number that the table allows from 0 to `most` only. In a damaged file it may be another one.
pub(super) fn bounded(row: &Row<'_>, column: usize, most: i64) -> rusqlite::Result<usize> {
    match row.get(column)? {
        number if (0..=most).contains(&number) => Ok(number as usize),
        number => Err(rusqlite::Error::IntegralValueOutOfRange(column, number)),
    }
}

impl Store {
    /// Stores a finished game, unless the store has one with these numbers; `by` is the worker of another machine that
    /// played it, and the name of the game. A game that an earlier version imported gets its event and date.
    pub(crate) fn save_game(&self, id: i64, record: &GameRecord, by: Option<(&PlayedBy, &str)>) -> Result<(), Error> {
        let (opening, moves) = record.moves.split_at(record.opening.min(record.moves.len()));
        let [a, b] = record.spent;
        // Games of other machines are not imported ones.
        let source = record.source.as_ref().filter(|_| by.is_none());
        let mut connection = self.connection();
        let mut save = || -> rusqlite::Result<()> {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            transaction
                .prepare_cached(
                    "INSERT INTO pair (match, pair, position, opening) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                )?
                .execute(params![id, record.pair as i64, record.position, opening.join("\n")])?;
            let worker = by.map(|(by, game)| worker(&transaction, by, game)).transpose()?;
            transaction
                .prepare_cached(
                    "INSERT INTO game (match, pair, game, seed, points, margin, by, fault, moves, times,
                       a_moves, a_nodes, a_depth, a_time, a_longest, b_moves, b_nodes, b_depth, b_time, b_longest,
                       digest, finished, lost_turns, worker, source_event, source_date)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
                       ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)
                     ON CONFLICT (match, pair, game) DO UPDATE
                       SET source_event = excluded.source_event, source_date = excluded.source_date
                       WHERE game.source_date IS NULL AND excluded.source_date IS NOT NULL",
                )?
                .execute(params![
                    id,
                    record.pair as i64,
                    record.game as i64,
                    record.seed as i64,
                    (record.score * 2.0) as i64,
                    record.margin,
                    record.by,
                    record.fault.map(|player| player as i64),
                    moves.join("\n"),
                    pack_times(&record.times),
                    a.moves as i64,
                    i64::try_from(a.nodes).unwrap_or(i64::MAX),
                    a.depth as i64,
                    micros(a.seconds),
                    micros(a.longest),
                    b.moves as i64,
                    i64::try_from(b.nodes).unwrap_or(i64::MAX),
                    b.depth as i64,
                    micros(b.seconds),
                    micros(b.longest),
                    record.digest() as i64,
                    now(),
                    format_lost_turns(&record.lost_turns),
                    worker,
                    source.map(|source| &source.event),
                    source.map(|source| &source.date),
                ])?;
            transaction.commit()
        };
        save().map_err(|error| failed(&error))
    }

    /// Calls `visit` for each game of a match, in order.
    ///
    /// # Errors
    /// An error of the store or of `visit`.
    pub fn visit_games(&self, id: i64, visit: &mut dyn FnMut(GameRecord) -> Result<(), Error>) -> Result<(), Error> {
        self.visit(id, "ORDER BY g.pair, g.game", visit)
    }

    /// The same, starting at a pair.
    ///
    /// # Errors
    /// As for [`Store::visit_games`].
    pub(crate) fn visit_games_from(
        &self,
        id: i64,
        pair: usize,
        visit: &mut dyn FnMut(GameRecord) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.visit(id, &format!("AND g.pair >= {pair} ORDER BY g.pair, g.game"), visit)
    }

    /// At most `limit` games of a match in order, from the first one after game `after` (pair and game) on.
    pub(crate) fn games_after(
        &self,
        id: i64,
        after: Option<(usize, usize)>,
        limit: usize,
    ) -> Result<Vec<GameRecord>, Error> {
        let after = after.map_or_else(String::new, |(pair, game)| format!("AND (g.pair, g.game) > ({pair}, {game})"));
        let mut games = Vec::new();
        self.visit(id, &format!("{after} ORDER BY g.pair, g.game LIMIT {limit}"), &mut |game| {
            games.push(game);
            Ok(())
        })?;
        Ok(games)
    }

    /// The games that the filter selects, in order.
    ///
    /// # Errors
    /// An error of the store.
    pub fn games(&self, id: i64, filter: GameFilter) -> Result<Vec<GameRecord>, Error> {
        let (limit, offset) = page_bounds(filter.page);
        let which = format!("{} ORDER BY g.pair, g.game LIMIT {limit} OFFSET {offset}", condition(filter));
        let mut games = Vec::new();
        self.visit(id, &which, &mut |game| {
            games.push(game);
            Ok(())
        })?;
        Ok(games)
    }

    /// The number of games that the filter selects, on all pages.
    ///
    /// # Errors
    /// An error of the store.
    pub fn count_games(&self, id: i64, filter: GameFilter) -> Result<u64, Error> {
        let statement = format!("SELECT count(*) FROM game g WHERE g.match = ?1 {}", condition(filter));
        self.connection()
            .prepare_cached(&statement)
            .and_then(|mut select| select.query_row([id], |row| row.get::<_, i64>(0)))
            .map(i64::unsigned_abs)
            .map_err(|error| failed(&error))
    }

    /// One game of a match.
    ///
    /// # Errors
    /// `unknown_record` when it is not stored, or an error of the store.
    pub fn one_game(&self, id: i64, pair: usize, game: usize) -> Result<GameRecord, Error> {
        let mut found = None;
        self.visit(id, &format!("AND g.pair = {pair} AND g.game = {game}"), &mut |record| {
            found = Some(record);
            Ok(())
        })?;
        found.ok_or_else(|| {
            Error::new(ErrorCode::UnknownRecord, format!("there is no game {pair}.{game} in match {id}"))
        })
    }

    fn visit(&self, id: i64, which: &str, visit: &mut dyn FnMut(GameRecord) -> Result<(), Error>) -> Result<(), Error> {
        let connection = self.connection();
        let statement = format!(
            "SELECT {COLUMNS} FROM game g JOIN pair p ON p.match = g.match AND p.pair = g.pair WHERE g.match = ?1 {which}"
        );
        let mut select = connection.prepare(&statement).map_err(|error| failed(&error))?;
        let mut rows = select.query([id]).map_err(|error| failed(&error))?;
        while let Some(row) = rows.next().map_err(|error| failed(&error))? {
            visit(GameRecord::read(row).map_err(|error| failed(&error))?)?;
        }
        Ok(())
    }

    /// Which games of a match are stored.
    pub(crate) fn stored_games(&self, id: i64) -> Result<StoredGames, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<StoredGames> {
            let mut stored = StoredGames::default();
            let mut select = connection.prepare_cached("SELECT pair, game FROM game WHERE match = ?1")?;
            let mut rows = select.query([id])?;
            while let Some(row) = rows.next()? {
                // Larger numbers are damage, which would take all memory.
                let (pair, game) = (row.get::<_, u32>(0)?, row.get::<_, bool>(1)?);
                stored.add(pair as usize, usize::from(game));
            }
            Ok(stored)
        };
        read().map_err(|error| failed(&error))
    }

    /// The score of a match as its command counts it: with a test, only the complete pairs in their order, up to the one
    /// that decided it. Margins, repeats and what the players used are not counted.
    ///
    /// # Errors
    /// An error of the store.
    pub fn score(&self, info: &MatchInfo) -> Result<Score, Error> {
        let [a, b] = &info.players;
        let mut score = Score::new([a, b], info.planned, info.test);
        let pairs = info.planned.map_or(i64::MAX, |games| (games / 2) as i64);
        let connection = self.connection();
        let mut read = || -> rusqlite::Result<()> {
            let mut select = connection.prepare_cached(
                "SELECT pair, game, points FROM game WHERE match = ?1 AND pair < ?2 ORDER BY pair, game",
            )?;
            let mut rows = select.query(params![info.id, pairs])?;
            while let Some(row) = rows.next()?.filter(|_| !score.decided()) {
                let (pair, game) = (row.get::<_, i64>(0)?.unsigned_abs() as usize, bounded(row, 1, 1)?);
                score.add(&GameRecord { pair, game, score: bounded(row, 2, 2)? as f64 / 2.0, ..GameRecord::default() });
            }
            Ok(())
        };
        read().map_err(|error| failed(&error))?;
        score.close();
        Ok(score)
    }

    /// Repeated games and openings in the first `pairs` pairs, or in all.
    pub(crate) fn repeats(&self, id: i64, pairs: Option<usize>) -> Result<Repeats, Error> {
        let connection = self.connection();
        let bound = pairs.map_or(i64::MAX, |pairs| pairs as i64);
        let count = |statement: &str| -> rusqlite::Result<u64> {
            connection
                .prepare_cached(statement)?
                .query_row(params![id, bound], |row| row.get::<_, i64>(0))
                .map(i64::unsigned_abs)
        };
        let games = count(
            "SELECT (SELECT count(*) FROM game WHERE match = ?1 AND pair < ?2)
                  - (SELECT count(*) FROM (SELECT DISTINCT game, digest FROM game WHERE match = ?1 AND pair < ?2))",
        );
        let openings = count(
            "SELECT (SELECT count(*) FROM pair WHERE match = ?1 AND pair < ?2)
                  - (SELECT count(*) FROM (SELECT DISTINCT position, opening FROM pair WHERE match = ?1 AND pair < ?2))",
        );
        games.and_then(|games| Ok(Repeats { games, openings: openings? })).map_err(|error| failed(&error))
    }
}
