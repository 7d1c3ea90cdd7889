-- The test of the last command, or null.
ALTER TABLE match ADD COLUMN test TEXT;

-- Results are counted without reading games.
CREATE INDEX game_result ON game (match, game, points, fault);
