CREATE TABLE admin_repeat (id TEXT NOT NULL, actor TEXT NOT NULL, at_ms INTEGER NOT NULL, body_digest TEXT NOT NULL, token TEXT NOT NULL, answer TEXT, secret TEXT, PRIMARY KEY (id)) STRICT, WITHOUT ROWID;
CREATE INDEX admin_repeat_at ON admin_repeat (at_ms);
CREATE INDEX admin_repeat_actor ON admin_repeat (actor, at_ms, id);
ALTER TABLE device_code ADD COLUMN network TEXT NOT NULL DEFAULT '';
CREATE INDEX device_code_network ON device_code (network);
ALTER TABLE session ADD COLUMN address TEXT;
ALTER TABLE session ADD COLUMN agent TEXT;
