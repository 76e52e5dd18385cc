ALTER TABLE member ADD COLUMN deactivated_at_ms INTEGER;
ALTER TABLE member ADD COLUMN erased_at_ms INTEGER;
CREATE INDEX member_own_until ON member (own_until_ms) WHERE own_until_ms IS NOT NULL;
