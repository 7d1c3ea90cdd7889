-- What plays the games of a match on other machines, as its command describes it each second, as JSON. It is removed when the
-- command ends; one that was killed leaves a row that is too old to be shown.
CREATE TABLE fleet (
  match INTEGER PRIMARY KEY,
  written INTEGER NOT NULL,
  status TEXT NOT NULL
);
