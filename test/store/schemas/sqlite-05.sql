ALTER TABLE request ADD COLUMN model_tried TEXT;
  ALTER TABLE request ADD COLUMN trace TEXT; -- JSON
  ALTER TABLE request ADD COLUMN ended_at_ms INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX request_ended ON request (ended_at_ms);
  -- With all that lists are narrowed by: what doesn't match is passed over without its row being read.
  DROP INDEX request_at;
  CREATE INDEX request_at ON request
    (at_ms, id, status, ended, model_used, model_tried, model_asked, selector, account_id);
  ALTER TABLE usage_hour ADD COLUMN errors INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX usage_hour_paid ON usage_hour (key_id, hour_ms, charged_nano) WHERE charged_nano > 0;

  -- How many streamed answers began within which time; the times of a bucket are in core/world/histogram.ts.
  CREATE TABLE first_token_hour (
    hour_ms INTEGER NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    bucket INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (hour_ms, account_id, key_id, model, bucket)
  ) STRICT, WITHOUT ROWID;

  -- Prompts and answers, sealed; only with log.content.
  CREATE TABLE content (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
  ) STRICT;
  CREATE INDEX content_at ON content (at_ms);

  CREATE TABLE session (
    digest TEXT PRIMARY KEY,
    token_digest TEXT NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE credential (
    id TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    sealed TEXT NOT NULL,
    weight REAL NOT NULL,
    enabled INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
