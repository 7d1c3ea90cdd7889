-- The turns of a game that faults cost: a line for each, the number of the move from 0, a blank, and the word for what
-- was done.
ALTER TABLE game ADD COLUMN lost_turns TEXT NOT NULL DEFAULT '';
