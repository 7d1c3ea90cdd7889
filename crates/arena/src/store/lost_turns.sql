-- The turns that were lost by faults: a line for each, with the number of the move from 0, a space, and the word for the
-- fault.
ALTER TABLE game ADD COLUMN lost_turns TEXT NOT NULL DEFAULT '';
