CREATE TABLE refusal (account_id TEXT NOT NULL, id TEXT NOT NULL, at_ms INTEGER NOT NULL, key_id TEXT, last4 TEXT, shape TEXT, model_asked TEXT, route TEXT NOT NULL, address TEXT, code TEXT NOT NULL, status INTEGER NOT NULL, refusing_limit TEXT, reset_at_ms INTEGER, requests INTEGER NOT NULL, PRIMARY KEY (account_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX refusal_at ON refusal (at_ms, id);
CREATE INDEX refusal_key_at ON refusal (key_id, at_ms, id);
