ALTER TABLE request ADD COLUMN IF NOT EXISTS model_tried TEXT
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS trace TEXT
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS ended_at_ms BIGINT NOT NULL DEFAULT 0
----
CREATE INDEX IF NOT EXISTS request_ended ON request (ended_at_ms)
----
ALTER TABLE usage_hour ADD COLUMN IF NOT EXISTS errors BIGINT NOT NULL DEFAULT 0
----
CREATE TABLE IF NOT EXISTS first_token_hour (
      account_id TEXT COLLATE "C" NOT NULL,
      hour_ms BIGINT NOT NULL,
      key_id TEXT COLLATE "C" NOT NULL,
      model TEXT COLLATE "C" NOT NULL,
      bucket BIGINT NOT NULL,
      requests BIGINT NOT NULL,
      PRIMARY KEY (account_id, hour_ms, key_id, model, bucket)
    )
----
CREATE INDEX IF NOT EXISTS first_token_hour_at ON first_token_hour (hour_ms)
----
CREATE TABLE IF NOT EXISTS content (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      at_ms BIGINT NOT NULL,
      sealed TEXT NOT NULL,
      PRIMARY KEY (account_id, id)
    )
----
CREATE INDEX IF NOT EXISTS content_at ON content (at_ms)
----
CREATE TABLE IF NOT EXISTS session (
      digest TEXT COLLATE "C" PRIMARY KEY,
      token_digest TEXT NOT NULL,
      expires_at_ms BIGINT NOT NULL
    )
----
CREATE TABLE IF NOT EXISTS credential (
      id TEXT COLLATE "C" PRIMARY KEY,
      provider TEXT NOT NULL,
      sealed TEXT NOT NULL,
      weight DOUBLE PRECISION NOT NULL,
      enabled BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL
    )
