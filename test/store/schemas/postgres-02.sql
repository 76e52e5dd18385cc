ALTER TABLE request ADD COLUMN IF NOT EXISTS decision TEXT
----
CREATE TABLE IF NOT EXISTS lesson (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      at_ms BIGINT NOT NULL,
      model TEXT NOT NULL,
      score DOUBLE PRECISION NOT NULL CHECK (score BETWEEN 0 AND 1),
      expected DOUBLE PRECISION NOT NULL,
      request TEXT NOT NULL,
      PRIMARY KEY (account_id, id)
    )
----
CREATE INDEX IF NOT EXISTS lesson_at ON lesson (at_ms, id)
