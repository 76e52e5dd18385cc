ALTER TABLE account ADD COLUMN entries INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE account ADD COLUMN kept_characters INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE request ADD COLUMN hold_nano INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE meter_of_account (
    account_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    day TEXT NOT NULL,
    used INTEGER NOT NULL CHECK (used >= 0),
    last_at_ms INTEGER NOT NULL,
    PRIMARY KEY (account_id, owner, day)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO meter_of_account
  SELECT coalesce((SELECT account_id FROM gateway_key WHERE id = owner), owner), owner, day, used, last_at_ms FROM meter;
  DROP TABLE meter;
  ALTER TABLE meter_of_account RENAME TO meter;

  CREATE TABLE slot_of_account (
    account_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    taken_at_ms INTEGER,
    taken_by TEXT,
    PRIMARY KEY (account_id, owner)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO slot_of_account
  SELECT coalesce((SELECT account_id FROM gateway_key WHERE id = owner), owner), owner, taken_at_ms, taken_by FROM slot;
  DROP TABLE slot;
  ALTER TABLE slot_of_account RENAME TO slot;

  CREATE TABLE spend (
    account_id TEXT NOT NULL REFERENCES account (id),
    key_id TEXT NOT NULL,
    spent_nano INTEGER NOT NULL CHECK (spent_nano >= 0),
    held_nano INTEGER NOT NULL CHECK (held_nano >= 0),
    PRIMARY KEY (account_id, key_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE hold (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    node TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    model_asked TEXT NOT NULL,
    selector TEXT,
    stream INTEGER NOT NULL,
    place TEXT NOT NULL, -- JSON
    held_nano INTEGER NOT NULL CHECK (held_nano >= 0),
    reply_id TEXT,
    PRIMARY KEY (account_id, id)
  ) STRICT, WITHOUT ROWID;

  -- One movement of money; its five sides come to zero.
  CREATE TABLE entry (
    account_id TEXT NOT NULL REFERENCES account (id),
    seq INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    balance_nano INTEGER NOT NULL,
    held_nano INTEGER NOT NULL,
    funding_nano INTEGER NOT NULL,
    revenue_nano INTEGER NOT NULL,
    overrun_nano INTEGER NOT NULL,
    balance_after_nano INTEGER NOT NULL CHECK (balance_after_nano >= 0),
    request_id TEXT,
    usage_source TEXT,
    ended TEXT,
    note TEXT,
    PRIMARY KEY (account_id, seq),
    CHECK (balance_nano + held_nano + funding_nano + revenue_nano + overrun_nano = 0)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entry_funding ON entry (at_ms, account_id, seq) WHERE funding_nano <> 0;
  CREATE INDEX entry_revenue ON entry (at_ms, account_id, seq) WHERE revenue_nano <> 0;
  CREATE INDEX entry_overrun ON entry (at_ms, account_id, seq) WHERE overrun_nano <> 0;

  CREATE TABLE reply (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    body_digest TEXT NOT NULL,
    request_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    sealed TEXT,
    PRIMARY KEY (account_id, id)
  ) STRICT;
  CREATE INDEX reply_at ON reply (at_ms);

  CREATE TABLE top_up (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    amount_nano INTEGER NOT NULL CHECK (amount_nano > 0),
    PRIMARY KEY (account_id, id)
  ) STRICT, WITHOUT ROWID;
