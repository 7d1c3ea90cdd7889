//! Reading a store that may be damaged, and setting damaged rows aside.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use banmen_catalog::{Error, ErrorCode};
use rusqlite::types::{self, ValueRef};
use rusqlite::{Connection, OpenFlags, Params, Row, Transaction, params, params_from_iter};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::lock::refuse_locked;
use super::{APPLICATION, Store, VERSION, beside, failed, failed_in, now};
use crate::GameRecord;
use crate::stored::{ExperimentPlan, damaged};

/// The tables, in an order in which each refers to earlier ones only, with the columns by which their rows are sorted.
const TABLES: [(&str, &str); 12] = [
    ("event", "rowid"),
    ("player", "rowid"),
    ("match", "rowid"),
    ("pair", "match, pair"),
    ("worker", "rowid"),
    ("game", "rowid"),
    ("opening", "family, number"),
    ("step", "event, number"),
    ("sample", "spec, number"),
    ("entrant", "event, name, player"),
    ("plan", "experiment, seed, version"),
    ("damaged", "rowid"),
];

/// Rows of a table that a repair took out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LostRows {
    /// The table, as in `schema.sql`.
    pub table: &'static str,
    /// Their number, above 0; `None` where it is not known.
    pub rows: Option<u64>,
}

impl LostRows {
    /// Adds the rows to those of the same table.
    pub(crate) fn add_to(self, list: &mut Vec<LostRows>) {
        match list.iter_mut().find(|known| known.table == self.table) {
            Some(known) => known.rows = known.rows.zip(self.rows).map(|(one, other)| one + other),
            None => list.push(self),
        }
    }
}

/// What is damaged: the smallest part that can be set aside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// The structure of the file.
    File,
    /// A match with all its games.
    Match(i64),
    /// Both games of a pair.
    Pair(i64, i64),
    /// A balanced opening.
    Opening(String, i64),
    /// A sample of a measurement.
    Sample(String, i64),
    /// The steps of a tuning from this number on: each began from the numbers after the one before it.
    Steps(i64, i64),
    /// The plan of an experiment, with its seed and the version of the program.
    Plan(String, i64, String),
}

/// A match as it is stored, unread.
pub(crate) struct StoredMatch {
    pub(crate) id: i64,
    pub(crate) game: String,
    pub(crate) rules: String,
    /// Texts and versions of `a` and `b`.
    pub(crate) players: [[String; 2]; 2],
    pub(crate) spec: String,
}

/// A game as it is stored.
pub(crate) struct StoredRow {
    pub(crate) pair: i64,
    pub(crate) game: i64,
    /// The digest that was stored with it.
    pub(crate) digest: u64,
    /// `None` where a column cannot be read, or the pair of the game is missing.
    pub(crate) record: Option<GameRecord>,
}

/// A stored text: what it belongs to, its number, and the text, if it can be read.
pub(crate) type StoredText = (String, i64, Option<String>);

/// A step of a tuning as it is stored.
pub(crate) struct StoredStep {
    /// The event of the tuning, and its spec, if it can be read.
    pub(crate) event: i64,
    pub(crate) spec: Option<String>,
    pub(crate) number: i64,
    /// The points, if they are a number.
    pub(crate) points: Option<f64>,
}

/// The plan of an experiment as it is stored.
pub(crate) struct StoredPlan {
    pub(crate) experiment: String,
    pub(crate) seed: i64,
    pub(crate) version: String,
    /// The plan and the scale of its last run, if they can be read.
    pub(crate) read: Option<(ExperimentPlan, f64)>,
}

impl Place {
    /// Moves its rows into the table of damaged rows. Returns their numbers.
    pub(super) fn set_aside(
        &self,
        transaction: &Transaction<'_>,
        what: &str,
        why: &str,
    ) -> rusqlite::Result<Vec<LostRows>> {
        let (mut rows, mut lost) = (Map::new(), Vec::new());
        let mut take = |table: &'static str, condition: &str, of: &[&dyn rusqlite::ToSql]| -> rusqlite::Result<()> {
            rows.insert(table.to_owned(), rows_as_json(transaction, table, condition, of)?.into());
            let count = transaction.execute(&format!("DELETE FROM {table} WHERE {condition}"), of)?;
            if count > 0 {
                lost.push(LostRows { table, rows: Some(count as u64) });
            }
            Ok(())
        };
        match self {
            Place::File => {}
            Place::Match(id) => {
                take("game", "match = ?1", &[id])?;
                take("pair", "match = ?1", &[id])?;
                take("match", "id = ?1", &[id])?;
            }
            Place::Pair(id, pair) => {
                take("game", "match = ?1 AND pair = ?2", &[id, pair])?;
                take("pair", "match = ?1 AND pair = ?2", &[id, pair])?;
            }
            Place::Opening(family, number) => take("opening", "family = ?1 AND number = ?2", &[family, number])?,
            Place::Sample(spec, number) => take("sample", "spec = ?1 AND number = ?2", &[spec, number])?,
            Place::Steps(event, number) => take("step", "event = ?1 AND number >= ?2", &[event, number])?,
            Place::Plan(experiment, seed, version) => {
                take("plan", "experiment = ?1 AND seed = ?2 AND version = ?3", &[experiment, seed, version])?;
            }
        }
        let insert = "INSERT INTO damaged (what, why, rows, found) VALUES (?1, ?2, ?3, ?4)";
        transaction.execute(insert, params![what, why, Value::Object(rows).to_string(), now()])?;
        Ok(lost)
    }
}

impl StoredMatch {
    fn read(row: &Row<'_>) -> rusqlite::Result<StoredMatch> {
        let players = [[row.get(3)?, row.get(4)?], [row.get(5)?, row.get(6)?]];
        // Null where the event is missing.
        row.get::<_, bool>(8)?;
        Ok(StoredMatch { id: row.get(0)?, game: row.get(1)?, rules: row.get(2)?, players, spec: row.get(7)? })
    }
}

impl Store {
    /// What SQLite finds wrong with the structure of the file, in its words; empty for a sound file.
    pub(crate) fn integrity(&self) -> Result<Vec<String>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut select = connection.prepare("PRAGMA integrity_check(10)")?;
            select.query_map([], |row| row.get(0))?.collect()
        };
        match read() {
            // Values that a column may not have are found where the rows are read.
            Ok(found) => {
                Ok(found.into_iter().filter(|line| line != "ok" && !line.contains("CHECK constraint")).collect())
            }
            Err(error) => match failed(&error) {
                error if error.code == ErrorCode::StoreDamaged => Ok(vec![error.message]),
                error => Err(error),
            },
        }
    }

    /// All matches; those whose row, or that of a player or of the event, cannot be read or is missing, are given by their
    /// numbers alone.
    pub(crate) fn stored_matches(&self) -> Result<Vec<Result<StoredMatch, i64>>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<Result<StoredMatch, i64>>> {
            let mut select = connection.prepare(
                "SELECT known.id, m.game, m.rules, a.text, a.version, b.text, b.version, m.spec,
                   CASE WHEN m.event IS NULL OR e.id IS NOT NULL THEN 1 END
                 FROM (SELECT id FROM match UNION SELECT match FROM game UNION SELECT match FROM pair) known
                   LEFT JOIN match m ON m.id = known.id
                   LEFT JOIN player a ON a.id = m.a LEFT JOIN player b ON b.id = m.b
                   LEFT JOIN event e ON e.id = m.event
                 ORDER BY known.id",
            )?;
            select.query_map([], |row| Ok(StoredMatch::read(row).or(Err(row.get(0).unwrap_or(-1)))))?.collect()
        };
        read().map_err(|error| failed(&error))
    }

    /// Calls `visit` for each game of a match, in order, whether it can be read or not.
    pub(crate) fn visit_stored(
        &self,
        id: i64,
        visit: &mut dyn FnMut(StoredRow) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let connection = self.connection();
        let statement = format!(
            "SELECT {}, g.digest FROM game g LEFT JOIN pair p ON p.match = g.match AND p.pair = g.pair
             WHERE g.match = ?1 ORDER BY g.pair, g.game",
            super::games::COLUMNS
        );
        let mut select = connection.prepare(&statement).map_err(|error| failed(&error))?;
        let mut rows = select.query([id]).map_err(|error| failed(&error))?;
        while let Some(row) = rows.next().map_err(|error| failed(&error))? {
            let number = |column: usize| row.get::<_, i64>(column).unwrap_or(-1);
            let digest = row.get::<_, i64>(24).map(|digest| digest as u64);
            visit(StoredRow {
                pair: number(0),
                game: number(1),
                digest: digest.as_ref().map_or(0, |digest| *digest),
                record: GameRecord::read(row).ok().filter(|_| digest.is_ok()),
            })?;
        }
        Ok(())
    }

    /// The families, numbers and moves of all balanced openings, and the specs, numbers and observations of all samples.
    pub(crate) fn stored_texts(&self) -> Result<[Vec<StoredText>; 2], Error> {
        let connection = self.connection();
        let read = |statement: &str| -> rusqlite::Result<Vec<StoredText>> {
            let mut select = connection.prepare(statement)?;
            select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2).ok())))?.collect()
        };
        let openings = read("SELECT family, number, moves FROM opening ORDER BY family, number");
        let samples = read("SELECT spec, number, observations FROM sample ORDER BY spec, number");
        openings.and_then(|openings| Ok([openings, samples?])).map_err(|error| failed(&error))
    }

    /// The steps of all tunings, in order.
    pub(crate) fn stored_steps(&self) -> Result<Vec<StoredStep>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<StoredStep>> {
            let mut select = connection.prepare(
                "SELECT s.event, s.number, s.points, e.spec FROM step s LEFT JOIN event e ON e.id = s.event
                 ORDER BY s.event, s.number",
            )?;
            let step = |row: &Row<'_>| {
                let (spec, points) = (row.get(3).ok(), row.get(2).ok());
                Ok(StoredStep { event: row.get(0)?, spec, number: row.get(1)?, points })
            };
            select.query_map([], step)?.collect()
        };
        read().map_err(|error| failed(&error))
    }

    /// The plans of all experiments, in order.
    pub(crate) fn stored_plans(&self) -> Result<Vec<StoredPlan>, Error> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<StoredPlan>> {
            let mut select = connection.prepare(
                "SELECT scale, file, judged, stored, written, run, experiment, seed, version FROM plan
                 ORDER BY experiment, seed, version",
            )?;
            let plan = |row: &Row<'_>| {
                let read = ExperimentPlan::read(row).and_then(|plan| Ok((plan, row.get(5)?))).ok();
                Ok(StoredPlan { experiment: row.get(6)?, seed: row.get(7)?, version: row.get(8)?, read })
            };
            select.query_map([], plan)?.collect()
        };
        read().map_err(|error| failed(&error))
    }

    /// How many places were set aside so far.
    pub(crate) fn count_set_aside(&self) -> Result<u64, Error> {
        let count = "SELECT count(*) FROM damaged";
        let read = self.connection().query_row(count, [], |row| row.get::<_, i64>(0));
        read.map(i64::unsigned_abs).map_err(|error| failed(&error))
    }

    /// Moves the rows of a place into the table of damaged rows. Returns their numbers.
    pub(crate) fn set_aside(&self, place: &Place, what: &str, why: &str) -> Result<Vec<LostRows>, Error> {
        let mut connection = self.connection();
        let mut set_aside = || -> rusqlite::Result<Vec<LostRows>> {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let lost = place.set_aside(&transaction, what, why)?;
            transaction.commit()?;
            Ok(lost)
        };
        set_aside().map_err(|error| failed(&error))
    }

    /// The event of a match; `None` for one of no event, and where the row of the match is missing or cannot be read.
    pub(crate) fn event_of_match(&self, id: i64) -> Option<i64> {
        let select = "SELECT event FROM match WHERE id = ?1";
        self.connection().query_row(select, [id], |row| row.get(0)).unwrap_or_default()
    }

    /// Opens a file that cannot be opened as a store, as one that was cut short, for reading what it still has.
    fn what_is_left(path: &Path) -> Result<Store, Error> {
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            // With this SQLite reads a file that is shorter than its header says.
            connection.pragma_update(None, "writable_schema", true)?;
            Ok(connection)
        };
        let connection = open().map_err(|error| failed_in(path, &error))?;
        let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let numbers = number("application_id").and_then(|program| Ok([program, number("user_version")?]));
        match numbers.map_err(|error| failed_in(path, &error))? {
            [APPLICATION, VERSION] => Ok(Store { connection: Mutex::new(connection), path: Some(path.to_owned()) }),
            [APPLICATION, found] => {
                let why = format!("it is of version {found}, and what is left of it cannot be updated to {VERSION}");
                Err(damaged(&why))
            }
            _ => {
                let message = format!("{} is a damaged database of another program", path.display());
                Err(Error::new(ErrorCode::StoreRefused, message).reason("foreign"))
            }
        }
    }

    /// Copies every row that can still be read into a new file, which takes the place of the store's file. Returns the path
    /// under which the old file is kept, and the rows that could not be read.
    ///
    /// # Errors
    /// `match_busy` when a process plays, since it would store its games in the old file; `store_damaged` when nothing
    /// can be read; `store_failed` when a file cannot be written. The file is then unchanged.
    pub(crate) fn rebuild(path: &Path) -> Result<(PathBuf, Vec<LostRows>), Error> {
        refuse_locked(path)?;
        let io = |error: std::io::Error| Error::new(ErrorCode::StoreFailed, format!("{}: {error}", path.display()));
        let fresh = beside(path, ".rebuilt");
        for end in ["", "-wal", "-shm"] {
            // Left by a rebuilding that was interrupted.
            let _ = std::fs::remove_file(beside(&fresh, end));
        }
        let old = match Store::open(path) {
            Err(error) if error.code == ErrorCode::StoreDamaged => Store::what_is_left(path)?,
            opened => opened?,
        };
        let new = Store::open(&fresh)?;
        let lost = {
            let (old, new) = (old.connection(), new.connection());
            let copied = || -> rusqlite::Result<Vec<LostRows>> {
                // Rows may refer to rows that are lost.
                new.pragma_update(None, "foreign_keys", false)?;
                new.execute_batch("BEGIN IMMEDIATE")?;
                let copy = |(table, order)| {
                    let rows = copy_rows(&old, &new, table, order)?;
                    Ok((rows != Some(0)).then_some(LostRows { table, rows }))
                };
                let lost: Vec<Option<LostRows>> = TABLES.into_iter().map(copy).collect::<rusqlite::Result<_>>()?;
                new.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")?;
                Ok(lost.into_iter().flatten().collect())
            };
            copied().map_err(|error| failed(&error))?
        };
        drop((old, new));
        let kept = (1..).map(|number| beside(path, &format!(".damaged-{number}"))).find(|kept| !kept.exists());
        let kept = kept.unwrap_or_else(|| beside(path, ".damaged"));
        // Copying takes long: a process may have begun to play.
        refuse_locked(path)?;
        // Where the file system allows it, a store is at its path at all times.
        std::fs::hard_link(path, &kept).or_else(|_| std::fs::rename(path, &kept)).map_err(io)?;
        for end in ["-wal", "-shm"] {
            // A log is there only if it could not be merged into the file; it stays beside it.
            let _ = std::fs::rename(beside(path, end), beside(&kept, end));
        }
        std::fs::rename(&fresh, path).map_err(io)?;
        Ok((kept, lost))
    }
}

/// How many numbers of rows in a row may have no readable row before the rest of a table is given up.
const MISSES: u32 = 10_000;

/// A value as it is stored; `None` for a text that is not UTF-8.
fn readable(value: ValueRef<'_>) -> Option<types::Value> {
    match value {
        ValueRef::Text(text) => Some(types::Value::Text(std::str::from_utf8(text).ok()?.to_owned())),
        other => Some(other.into()),
    }
}

/// Copies the rows of a table that can be read: from both ends up to the first row that cannot, and where rows have numbers,
/// those between, one by one. Returns the number of those that cannot be read or have values that the table does not allow; `None`
/// where it is not known.
fn copy_rows(old: &Connection, new: &Connection, table: &str, order: &str) -> rusqlite::Result<Option<u64>> {
    let columns: Vec<String> = {
        let mut select = new.prepare(&format!("SELECT name FROM pragma_table_info('{table}')"))?;
        select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?
    };
    let (names, places) = (columns.join(", "), vec!["?"; columns.len()].join(", "));
    let mut insert = new.prepare(&format!("INSERT OR IGNORE INTO {table} ({names}) VALUES ({places})"))?;
    let numbered = order == "rowid";
    let number = if numbered { "rowid" } else { "0" };
    let dropped = Cell::new(0);
    // Copies the selected rows, but for values that the table does not allow. Returns the number of the last row, and whether
    // all could be read.
    let mut copy = |which: &str| -> rusqlite::Result<(Option<i64>, bool)> {
        let statement = format!("SELECT {number}, {names} FROM {table} NOT INDEXED {which}");
        let Ok(mut select) = old.prepare(&statement) else { return Ok((None, false)) };
        let Ok(mut rows) = select.query([]) else { return Ok((None, false)) };
        let mut last = None;
        loop {
            match rows.next() {
                Ok(Some(row)) => {
                    last = row.get(0).ok().or(last);
                    let values: Option<Vec<types::Value>> =
                        (1..=columns.len()).map(|column| row.get_ref(column).ok().and_then(readable)).collect();
                    let copied = match values {
                        Some(values) => insert.execute(params_from_iter(values))?,
                        None => 0,
                    };
                    dropped.set(dropped.get() + u64::from(copied == 0));
                }
                Ok(None) => return Ok((last, true)),
                Err(_) => return Ok((last, false)),
            }
        }
    };
    let (first, all) = copy(&format!("ORDER BY {order}"))?;
    if all {
        return Ok(Some(dropped.get()));
    }
    let (last, _) = copy(&format!("ORDER BY {} DESC", order.replace(", ", " DESC, ")))?;
    let (mut next, mut misses) = (first.unwrap_or(0), 0);
    while numbered && misses < MISSES {
        next += 1;
        if last.is_some_and(|last| next >= last) {
            break;
        }
        let (found, _) = copy(&format!("WHERE rowid = {next}"))?;
        misses = if found.is_some() { 0 } else { misses + 1 };
    }
    // The old rows may be countable by an index that is sound.
    let count = format!("SELECT count(*) FROM {table}");
    let [before, after] = [old, new].map(|store| store.query_row(&count, [], |row| row.get::<_, i64>(0)).ok());
    Ok(before.zip(after).map(|(before, after)| (before - after).max(0).unsigned_abs()))
}

/// The rows of a table as JSON objects; bytes are hexadecimal digits.
fn rows_as_json(
    connection: &Connection,
    table: &str,
    condition: &str,
    of: impl Params,
) -> rusqlite::Result<Vec<Value>> {
    let mut select = connection.prepare(&format!("SELECT * FROM {table} WHERE {condition}"))?;
    let names: Vec<String> = select.column_names().into_iter().map(str::to_owned).collect();
    let object = |row: &Row<'_>| -> rusqlite::Result<Value> {
        let mut object = Map::new();
        for (column, name) in names.iter().enumerate() {
            let value = match row.get_ref(column)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => number.into(),
                ValueRef::Real(number) => number.into(),
                ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
                ValueRef::Blob(bytes) => {
                    json!({ "bytes": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() })
                }
            };
            object.insert(name.clone(), value);
        }
        Ok(object.into())
    };
    select.query_map(of, object)?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_damaged_values_are_left_out_and_counted() {
        let table = "CREATE TABLE t (name TEXT, number INTEGER CHECK (number < 9))";
        let [old, new] = [0; 2].map(|_| Connection::open_in_memory().expect("a database"));
        for connection in [&old, &new] {
            connection.execute_batch(table).expect("a table");
        }
        old.pragma_update(None, "ignore_check_constraints", true).expect("a setting");
        old.execute_batch("INSERT INTO t VALUES ('a', 1), (CAST(x'41FF' AS TEXT), 2), (NULL, 3), ('b', 9)")
            .expect("rows");
        assert_eq!(copy_rows(&old, &new, "t", "rowid").expect("a copy"), Some(2));
        let mut select = new.prepare("SELECT number FROM t").expect("the table");
        let numbers = select.query_map([], |row| row.get(0)).expect("rows").collect::<rusqlite::Result<Vec<i64>>>();
        assert_eq!(numbers.expect("numbers"), [1, 3]);
    }
}
