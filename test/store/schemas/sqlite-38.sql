ALTER TABLE gateway_key ADD COLUMN cache TEXT;
ALTER TABLE request ADD COLUMN cached_from TEXT;
ALTER TABLE request ADD COLUMN saved_nano INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hourly_usage ADD COLUMN cached INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hourly_usage ADD COLUMN saved_nano INTEGER NOT NULL DEFAULT 0;
CREATE TABLE cached_answer (account_id TEXT NOT NULL, id TEXT NOT NULL, at_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL, bytes INTEGER NOT NULL, sealed TEXT NOT NULL, PRIMARY KEY (account_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX cached_answer_account ON cached_answer (account_id, at_ms, id, bytes);
CREATE INDEX cached_answer_at ON cached_answer (at_ms, bytes);
CREATE INDEX cached_answer_until ON cached_answer (until_ms);
