CREATE TABLE limit_request (account_id TEXT NOT NULL, id TEXT NOT NULL, member_id TEXT NOT NULL, kind TEXT NOT NULL, per TEXT, models TEXT, amount INTEGER NOT NULL, reason TEXT NOT NULL, created_at_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL, state TEXT NOT NULL, decided_at_ms INTEGER, decider_kind TEXT, decider_id TEXT, note TEXT, raised_until_ms INTEGER, PRIMARY KEY (account_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX limit_request_raised ON limit_request (member_id, raised_until_ms);
CREATE INDEX limit_request_created ON limit_request (created_at_ms, id);
