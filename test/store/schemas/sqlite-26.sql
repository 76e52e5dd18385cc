ALTER TABLE member ADD COLUMN rule_limits TEXT;
ALTER TABLE member ADD COLUMN warned_at_ms INTEGER;
CREATE INDEX member_checked ON member (checked_at_ms);
