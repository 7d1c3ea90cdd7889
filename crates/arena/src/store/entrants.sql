-- Players of an event with a name of their own, such as the bots of a league. A name whose player changed has a row for
-- each player. `failures` counts games in a row with a fault of the entrant; `until` is the end of a suspension.
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

-- For the list of the latest games.
CREATE INDEX game_finished ON game (finished);
