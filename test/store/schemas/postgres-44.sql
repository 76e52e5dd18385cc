ALTER TABLE member ADD COLUMN IF NOT EXISTS deactivated_at_ms BIGINT
----
ALTER TABLE member ADD COLUMN IF NOT EXISTS erased_at_ms BIGINT
----
CREATE INDEX IF NOT EXISTS member_own_until ON member (own_until_ms) WHERE own_until_ms IS NOT NULL
