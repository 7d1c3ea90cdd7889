-- Damaged rows that were set aside, so that what they belong to is played again: `rows` is JSON, an object with the rows of
-- each table.
CREATE TABLE damaged (
  id INTEGER PRIMARY KEY,
  what TEXT NOT NULL,
  why TEXT NOT NULL,
  rows TEXT NOT NULL,
  found INTEGER NOT NULL
);
