ALTER TABLE request ADD COLUMN decision TEXT; -- JSON

  CREATE TABLE lesson (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    model TEXT NOT NULL,
    score REAL NOT NULL CHECK (score BETWEEN 0 AND 1),
    expected REAL NOT NULL,
    request TEXT NOT NULL, -- JSON
    PRIMARY KEY (account_id, id)
  ) STRICT;
  CREATE INDEX lesson_at ON lesson (at_ms, id);
