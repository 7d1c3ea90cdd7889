-- Event and date of an imported game, as its record writes them; null for games that were played here, and for those that an
-- earlier version imported.
ALTER TABLE game ADD COLUMN source_event TEXT;
ALTER TABLE game ADD COLUMN source_date TEXT;
