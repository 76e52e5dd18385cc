CREATE TABLE movement (account_id TEXT NOT NULL, id TEXT NOT NULL, at_ms INTEGER NOT NULL, kind TEXT NOT NULL, amount_nano INTEGER NOT NULL, balance_nano INTEGER NOT NULL, month TEXT, seq INTEGER, by_kind TEXT, by_id TEXT, PRIMARY KEY (account_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX movement_seq ON movement (account_id, seq);
INSERT INTO movement (account_id, id, at_ms, kind, amount_nano, balance_nano) SELECT account_id, id, at_ms, 'topup', amount_nano, amount_nano FROM top_up;
DELETE FROM top_up;
ALTER TABLE entry ADD COLUMN held_after_nano INTEGER;
ALTER TABLE account ADD COLUMN receivable_nano INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN closing_at_ms INTEGER;
ALTER TABLE account ADD COLUMN closed_at_ms INTEGER;
