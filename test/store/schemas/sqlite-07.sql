-- An account is found in one tree instead of two.
  CREATE TABLE account_by_id (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    balance_nano INTEGER NOT NULL DEFAULT 0 CHECK (balance_nano >= 0),
    held_nano INTEGER NOT NULL DEFAULT 0 CHECK (held_nano >= 0),
    created_at_ms INTEGER NOT NULL,
    entries INTEGER NOT NULL DEFAULT 0,
    kept_characters INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  INSERT INTO account_by_id (id, name, balance_nano, held_nano, created_at_ms, entries, kept_characters)
  SELECT id, name, balance_nano, held_nano, created_at_ms, entries, kept_characters FROM account;
  DROP TABLE account;
  ALTER TABLE account_by_id RENAME TO account;
  CREATE INDEX account_created ON account (created_at_ms, id);
