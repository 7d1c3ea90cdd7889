-- The plans of experiments, each written before its first game: `scale` is the share of the full sample at which verdicts
-- are given, `file` the text of the experiment's file, `judged` everything on which the verdicts depend, as JSON, `stored`
-- the number of games and samples that the store had already, and `run` the scale of the last run.
CREATE TABLE plan (
  experiment TEXT NOT NULL,
  seed INTEGER NOT NULL,
  version TEXT NOT NULL,
  scale REAL NOT NULL,
  file TEXT NOT NULL,
  judged TEXT NOT NULL,
  stored INTEGER NOT NULL,
  written INTEGER NOT NULL,
  run REAL NOT NULL,
  PRIMARY KEY (experiment, seed, version)
) WITHOUT ROWID;
