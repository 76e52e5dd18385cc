ALTER TABLE hourly_usage ADD COLUMN edge_cost_nano INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hourly_usage ADD COLUMN edge_charged_nano INTEGER NOT NULL DEFAULT 0;
CREATE TABLE statement (account_id TEXT NOT NULL, month TEXT NOT NULL, closed_at_ms INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (account_id, month)) STRICT, WITHOUT ROWID;
