CREATE TABLE checkout (account_id TEXT NOT NULL, id TEXT NOT NULL, created_at_ms INTEGER NOT NULL, amount_nano INTEGER NOT NULL, by_kind TEXT, by_id TEXT, page TEXT, state TEXT NOT NULL, payment_id TEXT, paid_nano INTEGER NOT NULL, takings TEXT NOT NULL, PRIMARY KEY (account_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX checkout_id ON checkout (id);
CREATE INDEX checkout_payment ON checkout (payment_id) WHERE payment_id IS NOT NULL;
CREATE TABLE stray_taking (id TEXT NOT NULL, state TEXT NOT NULL, payment_id TEXT NOT NULL, kind TEXT NOT NULL, amount_nano INTEGER NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (id, state)) STRICT, WITHOUT ROWID;
CREATE INDEX stray_taking_payment ON stray_taking (payment_id);
CREATE INDEX stray_taking_at ON stray_taking (at_ms, id, state);
