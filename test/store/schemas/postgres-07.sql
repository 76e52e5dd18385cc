CREATE TABLE IF NOT EXISTS stored_response (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      key_id TEXT COLLATE "C" NOT NULL,
      at_ms BIGINT NOT NULL,
      bytes BIGINT NOT NULL,
      items TEXT NOT NULL,
      sealed TEXT NOT NULL,
      PRIMARY KEY (account_id, id)
    )
----
CREATE INDEX IF NOT EXISTS stored_response_size ON stored_response (account_id, at_ms, id, bytes)
----
CREATE INDEX IF NOT EXISTS stored_response_key ON stored_response (account_id, key_id, at_ms, id)
----
CREATE INDEX IF NOT EXISTS stored_response_at ON stored_response (at_ms)
