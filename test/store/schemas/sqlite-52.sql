CREATE TABLE file (account_id TEXT NOT NULL, id TEXT NOT NULL, form TEXT NOT NULL, key_id TEXT NOT NULL, member_id TEXT, name TEXT NOT NULL, purpose TEXT NOT NULL, type TEXT NOT NULL, bytes INTEGER NOT NULL, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL, PRIMARY KEY (account_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX file_account ON file (account_id, created_ms, id, bytes);
CREATE INDEX file_created ON file (created_ms, id);
CREATE INDEX file_expires ON file (expires_ms);
