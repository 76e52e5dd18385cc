CREATE TABLE foreign_digest (digest TEXT NOT NULL, key_id TEXT NOT NULL, rotation INTEGER NOT NULL, ends_at_ms INTEGER NOT NULL, PRIMARY KEY (digest)) STRICT, WITHOUT ROWID;
CREATE INDEX foreign_digest_end ON foreign_digest (ends_at_ms);
