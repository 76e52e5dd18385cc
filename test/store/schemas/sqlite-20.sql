CREATE INDEX account_name ON account (name);
CREATE INDEX gateway_key_name ON gateway_key (account_id, name);
CREATE TABLE put_record (account_id TEXT NOT NULL, id TEXT NOT NULL, at_ms INTEGER NOT NULL, body_digest TEXT NOT NULL, key_id TEXT NOT NULL, sealed TEXT, PRIMARY KEY (account_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX put_record_at ON put_record (at_ms);
