ALTER TABLE member ADD COLUMN IF NOT EXISTS rule_limits TEXT COLLATE "C"
----
ALTER TABLE member ADD COLUMN IF NOT EXISTS warned_at_ms BIGINT
----
CREATE INDEX IF NOT EXISTS member_checked ON member (checked_at_ms)
