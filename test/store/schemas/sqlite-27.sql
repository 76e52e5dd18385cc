CREATE TABLE audit (seq INTEGER NOT NULL, id TEXT NOT NULL, at_ms INTEGER NOT NULL, actor_kind TEXT NOT NULL, actor_id TEXT NOT NULL, action TEXT NOT NULL, target_type TEXT NOT NULL, target_id TEXT NOT NULL, account_id TEXT, outcome TEXT NOT NULL, route TEXT NOT NULL, request_id TEXT NOT NULL, reason TEXT, actor_digest TEXT NOT NULL, target_digest TEXT NOT NULL, change_digest TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (seq)) STRICT, WITHOUT ROWID;
CREATE INDEX audit_id ON audit (id);
CREATE INDEX audit_actor ON audit (actor_id, seq);
CREATE INDEX audit_target ON audit (target_id, seq);
CREATE INDEX audit_account ON audit (account_id, seq);
CREATE TABLE audit_detail (seq INTEGER NOT NULL, actor_salt TEXT, actor_name TEXT NOT NULL, address TEXT NOT NULL, agent TEXT NOT NULL, target_salt TEXT, target_name TEXT NOT NULL, change_salt TEXT, before_json TEXT, after_json TEXT, PRIMARY KEY (seq)) STRICT, WITHOUT ROWID;
