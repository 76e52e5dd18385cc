// The schema of the first release, the first step of every SQLite store.
import { declareAmounts } from "../engine/sql.ts";

export const FIRST_SCHEMA = `
  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE account (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    balance_nano INTEGER NOT NULL DEFAULT 0 CHECK (balance_nano >= 0),
    held_nano INTEGER NOT NULL DEFAULT 0 CHECK (held_nano >= 0),
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX account_created ON account (created_at_ms, id);
  INSERT INTO account (id, name, created_at_ms)
  VALUES ('default', 'default', CAST(unixepoch('subsec') * 1000 AS INTEGER));

  CREATE TABLE gateway_key (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES account (id),
    last4 TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    revoked_at_ms INTEGER,
    allowed_models TEXT NOT NULL,   -- JSON: null, or a list
    requests_per_day TEXT NOT NULL, -- JSON: null, "default", or a number
    spend_limit_nano INTEGER
  ) STRICT;
  CREATE INDEX gateway_key_created ON gateway_key (created_at_ms, id);

  CREATE TABLE meter (
    owner TEXT NOT NULL,
    day TEXT NOT NULL,
    used INTEGER NOT NULL CHECK (used >= 0),
    last_at_ms INTEGER NOT NULL,
    PRIMARY KEY (owner, day)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE slot (owner TEXT PRIMARY KEY, taken_at_ms INTEGER, taken_by TEXT) STRICT, WITHOUT ROWID;

  CREATE TABLE request (
    id TEXT PRIMARY KEY,
    request_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    model_asked TEXT NOT NULL,
    model_used TEXT,
    selector TEXT,
    attempts INTEGER NOT NULL,
    stream INTEGER NOT NULL,
    status INTEGER NOT NULL,
    fault_code TEXT,
    ${declareAmounts("INTEGER")},
    usage_source TEXT NOT NULL,
    ended TEXT NOT NULL,
    total_ms INTEGER NOT NULL,
    first_token_ms INTEGER
  ) STRICT;
  CREATE INDEX request_at ON request (at_ms, id);
  CREATE INDEX request_key_at ON request (key_id, at_ms, id);

  CREATE TABLE usage_hour (
    hour_ms INTEGER NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    ${declareAmounts("INTEGER")},
    PRIMARY KEY (hour_ms, account_id, key_id, model)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX usage_hour_key ON usage_hour (key_id, hour_ms);
  `;
