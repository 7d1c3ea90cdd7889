-- Who takes part in an event under a name of its own, such as a bot of a league. A name whose player changed has a row
-- for each of them. `failures` counts games in a row that the entrant lost by a fault; `until` is when one that is
-- suspended is tried again.
CREATE TABLE entrant (
  event INTEGER NOT NULL REFERENCES event (id),
  name TEXT NOT NULL,
  player INTEGER NOT NULL REFERENCES player (id),
  state TEXT NOT NULL CHECK (state IN ('playing', 'suspended', 'retired')),
  reason TEXT,
  failures INTEGER NOT NULL,
  suspensions INTEGER NOT NULL,
  until INTEGER,
  joined INTEGER NOT NULL,
  PRIMARY KEY (event, name, player)
) WITHOUT ROWID;

-- For the latest games.
CREATE INDEX game_finished ON game (finished);
