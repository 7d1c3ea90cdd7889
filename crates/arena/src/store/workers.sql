-- Workers on other machines that played games for this store, once for each game that they played. `speed` is in nodes a
-- second of the game's engine, or null where it was not measured.
CREATE TABLE worker (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  game TEXT NOT NULL,
  machine TEXT NOT NULL,
  speed REAL,
  UNIQUE (name, game)
);
-- The worker that played a game; null where this machine did.
ALTER TABLE game ADD COLUMN worker INTEGER;
CREATE INDEX game_worker ON game (worker) WHERE worker IS NOT NULL;
