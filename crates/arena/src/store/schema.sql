-- Matches and games. Times are seconds since 1970, in UTC; durations are microseconds.

-- Groups of matches: a tournament, a league, an experiment.
CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  spec TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL
);

-- A player's text, and the version of this program or of the external program.
CREATE TABLE player (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  version TEXT NOT NULL,
  UNIQUE (text, version)
);

-- `spec` has everything on which the games depend, and distinguishes matches. `planned` is the number of games that the last
-- command asked for, or null for as many as a test needs.
CREATE TABLE match (
  id INTEGER PRIMARY KEY,
  event INTEGER REFERENCES event (id),
  game TEXT NOT NULL,
  rules TEXT NOT NULL,
  a INTEGER NOT NULL REFERENCES player (id),
  b INTEGER NOT NULL REFERENCES player (id),
  spec TEXT NOT NULL UNIQUE,
  planned INTEGER,
  created INTEGER NOT NULL
);
CREATE INDEX match_event ON match (event);

-- The opening of both games of a pair: a position (null: the start), and moves from there.
CREATE TABLE pair (
  match INTEGER NOT NULL REFERENCES match (id),
  pair INTEGER NOT NULL,
  position TEXT,
  opening TEXT NOT NULL,
  PRIMARY KEY (match, pair)
) WITHOUT ROWID;

-- A finished game. In game 0 of a pair `a` is first, in game 1 second. `points` are half points of `a`; `fault` is the
-- player that failed, 0 or 1. `moves` are those after the opening; `times` has four bytes for each of them, and for a last
-- decision that was a fault.
CREATE TABLE game (
  match INTEGER NOT NULL REFERENCES match (id),
  pair INTEGER NOT NULL,
  game INTEGER NOT NULL CHECK (game IN (0, 1)),
  seed INTEGER NOT NULL,
  points INTEGER NOT NULL CHECK (points IN (0, 1, 2)),
  margin INTEGER,
  by TEXT NOT NULL,
  fault INTEGER CHECK (fault IN (0, 1)),
  moves TEXT NOT NULL,
  times BLOB NOT NULL,
  a_moves INTEGER NOT NULL, a_nodes INTEGER NOT NULL, a_depth INTEGER NOT NULL, a_time INTEGER NOT NULL, a_longest INTEGER NOT NULL,
  b_moves INTEGER NOT NULL, b_nodes INTEGER NOT NULL, b_depth INTEGER NOT NULL, b_time INTEGER NOT NULL, b_longest INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  finished INTEGER NOT NULL,
  PRIMARY KEY (match, pair, game)
);

-- Balanced openings; `family` says how they were searched for.
CREATE TABLE opening (
  family TEXT NOT NULL,
  number INTEGER NOT NULL,
  moves TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (family, number)
) WITHOUT ROWID;

-- The result of each step of a tuning: pairs won less pairs lost, in halves of a pair.
CREATE TABLE step (
  event INTEGER NOT NULL REFERENCES event (id),
  number INTEGER NOT NULL,
  points REAL NOT NULL,
  PRIMARY KEY (event, number)
) WITHOUT ROWID;

-- Samples of measurements. `spec` has everything on which they depend except their number; `observations` is JSON.
CREATE TABLE sample (
  spec TEXT NOT NULL,
  number INTEGER NOT NULL,
  observations TEXT NOT NULL,
  taken INTEGER NOT NULL,
  PRIMARY KEY (spec, number)
) WITHOUT ROWID;
