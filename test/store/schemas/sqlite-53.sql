CREATE TABLE batch (account_id TEXT NOT NULL, id TEXT NOT NULL, key_id TEXT NOT NULL, member_id TEXT, surface TEXT NOT NULL, status TEXT NOT NULL, created_at_ms INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL, ended_at_ms INTEGER, open_at_ms INTEGER, claim TEXT, input_file_id TEXT, bytes INTEGER NOT NULL, detail TEXT NOT NULL, PRIMARY KEY (account_id, id)) STRICT, WITHOUT ROWID;
CREATE TABLE batch_block (account_id TEXT NOT NULL, batch_id TEXT NOT NULL, block INTEGER NOT NULL, node TEXT, lease INTEGER NOT NULL, remaining INTEGER NOT NULL, states TEXT NOT NULL, places TEXT NOT NULL, pieces TEXT NOT NULL, PRIMARY KEY (account_id, batch_id, block)) STRICT, WITHOUT ROWID;
CREATE INDEX batch_created ON batch (created_at_ms, id);
CREATE INDEX batch_open ON batch (open_at_ms) WHERE open_at_ms IS NOT NULL;
CREATE INDEX batch_claim ON batch (claim) WHERE claim IS NOT NULL;
ALTER TABLE request ADD COLUMN batch_id TEXT;
ALTER TABLE request ADD COLUMN batch_line INTEGER;
ALTER TABLE request ADD COLUMN custom_id TEXT;
CREATE INDEX request_batch ON request (batch_id, at_ms) WHERE batch_id IS NOT NULL;
