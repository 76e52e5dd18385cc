CREATE TABLE lease (name TEXT NOT NULL, node TEXT NOT NULL, until_ms INTEGER NOT NULL, PRIMARY KEY (name)) STRICT, WITHOUT ROWID;
CREATE TABLE delivery (id TEXT NOT NULL, webhook_id TEXT NOT NULL, endpoint TEXT NOT NULL, type TEXT NOT NULL, account_id TEXT NOT NULL, at_ms INTEGER NOT NULL, data TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, due_at_ms INTEGER, status INTEGER, reason TEXT, PRIMARY KEY (id)) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_due ON delivery (due_at_ms, endpoint) WHERE due_at_ms IS NOT NULL;
CREATE INDEX delivery_at ON delivery (at_ms, id);
CREATE TABLE endpoint_off (endpoint TEXT NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (endpoint)) STRICT, WITHOUT ROWID;
