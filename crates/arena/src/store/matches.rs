//! Matches, players and openings.

use banmen_catalog::Error;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::json;

use super::{Store, failed, now, page_bounds};
use crate::stored::{MatchFilter, MatchInfo, unknown_match};
use crate::{Match, SequentialTest};

/// The condition of a filter.
const CONDITION: &str = "FROM match m JOIN player a ON a.id = m.a JOIN player b ON b.id = m.b
  WHERE (?1 IS NULL OR m.game = ?1)
    AND (?2 IS NULL OR substr(a.text, 1, length(?2)) = ?2 OR substr(b.text, 1, length(?2)) = ?2)
    AND (?3 IS NULL OR m.event = ?3) AND (?4 = 0 OR m.event IS NULL) AND (?5 IS NULL OR m.id = ?5)";

/// Selects matches with their results. Games are counted in their index, and only for the selected page.
fn select_matches() -> String {
    format!(
        "SELECT m.id, m.event, m.game, m.rules, m.a, m.b, m.a_version, m.b_version, m.spec, m.planned, m.created, m.test,
           count(g.points), total(g.points = 2), total(g.points = 1), total(g.points = 0)
         FROM (SELECT m.id, m.event, m.game, m.rules, a.text AS a, b.text AS b, a.version AS a_version,
                 b.version AS b_version, m.spec, m.planned, m.created, m.test {CONDITION}
               ORDER BY m.id DESC LIMIT ?6 OFFSET ?7) m
           LEFT JOIN game g ON g.match = m.id
         GROUP BY m.id ORDER BY m.id DESC"
    )
}

impl MatchInfo {
    fn read(row: &Row<'_>) -> rusqlite::Result<MatchInfo> {
        let spec: String = row.get(8)?;
        let count = |column| row.get::<_, f64>(column).map(|sum| sum as u64);
        Ok(MatchInfo {
            id: row.get(0)?,
            event: row.get(1)?,
            game: row.get(2)?,
            rules: row.get(3)?,
            players: [row.get(4)?, row.get(5)?],
            versions: [row.get(6)?, row.get(7)?],
            spec: serde_json::from_str(&spec)
                .map_err(|error| rusqlite::Error::FromSqlConversionFailure(8, Type::Text, error.into()))?,
            planned: row.get::<_, Option<i64>>(9)?.and_then(|planned| usize::try_from(planned).ok()),
            created: row.get(10)?,
            test: row.get::<_, Option<String>>(11)?.and_then(|test| SequentialTest::from_text(&test)),
            games: row.get::<_, i64>(12)?.unsigned_abs(),
            results: [count(13)?, count(14)?, count(15)?],
        })
    }
}

/// The number of a player, which is entered if it is new.
pub(super) fn player(connection: &Connection, text: &str, version: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("INSERT INTO player (text, version) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute([text, version])?;
    connection
        .prepare_cached("SELECT id FROM player WHERE text = ?1 AND version = ?2")?
        .query_row([text, version], |row| row.get(0))
}

impl Store {
    /// The number of a match, which is entered if it is new. One that was entered keeps its planned games and its test:
    /// [`plan_match`](Store::plan_match) replaces them.
    pub(crate) fn enter_match(
        &self,
        matchup: &Match<'_>,
        event: Option<i64>,
        games: Option<usize>,
        test: Option<SequentialTest>,
    ) -> Result<i64, Error> {
        let (identity, rules) = (matchup.identity(event)?, matchup.rules_name()?);
        let players = matchup.spec.sides().map(|side| (&side.player, matchup.version(&side.player)));
        let mut connection = self.connection();
        let mut enter = || -> rusqlite::Result<i64> {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let [a, b] = &players;
            let (a, b) = (player(&transaction, a.0, &a.1)?, player(&transaction, b.0, &b.1)?);
            let planned = games.map(|games| games as i64);
            let test = test.map(SequentialTest::to_text);
            let id = transaction
                .prepare_cached(
                    "INSERT INTO match (event, game, rules, a, b, spec, planned, created, test)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                     ON CONFLICT (spec) DO UPDATE SET created = created RETURNING id",
                )?
                .query_row(
                    params![event, matchup.game.info().name, rules, a, b, identity, planned, now(), test],
                    |row| row.get(0),
                )?;
            transaction.commit()?;
            Ok(id)
        };
        enter().map_err(|error| failed(&error))
    }

    /// Replaces the planned games and the test of a match. The caller has the lock of the match, or of its event, so that
    /// no running match is changed.
    pub(crate) fn plan_match(&self, id: i64, games: Option<usize>, test: Option<SequentialTest>) -> Result<(), Error> {
        let (planned, test) = (games.map(|games| games as i64), test.map(SequentialTest::to_text));
        self.connection()
            .prepare_cached("UPDATE match SET planned = ?2, test = ?3 WHERE id = ?1")
            .and_then(|mut update| update.execute(params![id, planned, test]))
            .map(drop)
            .map_err(|error| failed(&error))
    }

    /// The number of a match that was entered.
    pub(crate) fn match_of(&self, matchup: &Match<'_>, event: Option<i64>) -> Result<Option<i64>, Error> {
        let identity = matchup.identity(event)?;
        self.connection()
            .prepare_cached("SELECT id FROM match WHERE spec = ?1")
            .and_then(|mut select| select.query_row([identity], |row| row.get(0)).optional())
            .map_err(|error| failed(&error))
    }

    /// The number of a match of imported games; `text` is the digest of the text that they were read from.
    pub(crate) fn enter_import(&self, game: &str, rules: &str, players: &[String; 2], text: u64) -> Result<i64, Error> {
        let spec = json!({ "game": game, "rules": rules, "players": players, "imported": format!("{text:016x}") });
        let mut connection = self.connection();
        let mut enter = || -> rusqlite::Result<i64> {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let [a, b] = players;
            let (a, b) = (player(&transaction, a, "imported")?, player(&transaction, b, "imported")?);
            let id = transaction.query_row(
                "INSERT INTO match (game, rules, a, b, spec, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (spec) DO UPDATE SET created = created RETURNING id",
                params![game, rules, a, b, spec.to_string(), now()],
                |row| row.get(0),
            )?;
            transaction.commit()?;
            Ok(id)
        };
        enter().map_err(|error| failed(&error))
    }

    /// The matches that the filter selects, the oldest first. Pages are counted from the newest match.
    ///
    /// # Errors
    /// An error of the store.
    pub fn matches(&self, filter: &MatchFilter) -> Result<Vec<MatchInfo>, Error> {
        let MatchFilter { game, player, event, alone, id, page } = filter;
        let (limit, offset) = page_bounds(*page);
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<MatchInfo>> {
            let mut select = connection.prepare_cached(&select_matches())?;
            let rows = select.query_map(params![game, player, event, alone, id, limit, offset], MatchInfo::read)?;
            rows.collect()
        };
        let mut matches = read().map_err(|error| failed(&error))?;
        matches.reverse();
        Ok(matches)
    }

    /// The number of matches that the filter selects, on all pages.
    ///
    /// # Errors
    /// An error of the store.
    pub(crate) fn count_matches(&self, filter: &MatchFilter) -> Result<u64, Error> {
        let MatchFilter { game, player, event, alone, id, page: _ } = filter;
        self.connection()
            .prepare_cached(&format!("SELECT count(*) {CONDITION}"))
            .and_then(|mut select| {
                select.query_row(params![game, player, event, alone, id], |row| row.get::<_, i64>(0))
            })
            .map(i64::unsigned_abs)
            .map_err(|error| failed(&error))
    }

    /// One match.
    ///
    /// # Errors
    /// `unknown_match`, or an error of the store.
    pub fn one_match(&self, id: i64) -> Result<MatchInfo, Error> {
        let mut found = self.matches(&MatchFilter { id: Some(id), ..MatchFilter::default() })?;
        found.pop().ok_or_else(|| unknown_match(id))
    }

    /// A balanced opening that was found before.
    pub(crate) fn opening(&self, family: &str, number: usize) -> Result<Option<String>, Error> {
        self.connection()
            .prepare_cached("SELECT moves FROM opening WHERE family = ?1 AND number = ?2")
            .and_then(|mut select| select.query_row(params![family, number as i64], |row| row.get(0)).optional())
            .map_err(|error| failed(&error))
    }

    /// Stores a balanced opening unless the store has one with this number, and returns the one that it has then.
    pub(crate) fn save_opening(&self, family: &str, number: usize, moves: &str, value: f64) -> Result<String, Error> {
        self.connection()
            .prepare_cached(
                "INSERT INTO opening (family, number, moves, value) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )
            .and_then(|mut insert| insert.execute(params![family, number as i64, moves, value]))
            .map_err(|error| failed(&error))?;
        Ok(self.opening(family, number)?.unwrap_or_else(|| moves.to_owned()))
    }
}
