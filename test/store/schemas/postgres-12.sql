ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS paused BIGINT NOT NULL DEFAULT 0
----
ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS notes TEXT
----
ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS allowed_addresses TEXT NOT NULL DEFAULT 'null'
----
ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS rotations BIGINT NOT NULL DEFAULT 0
----
ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS old_digest TEXT COLLATE "C"
----
ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS old_secret_until_ms BIGINT
----
CREATE INDEX IF NOT EXISTS gateway_key_old_digest ON gateway_key (old_digest) WHERE old_digest IS NOT NULL
