ALTER TABLE slot ADD COLUMN near_share REAL;
ALTER TABLE slot ADD COLUMN near_until_ms INTEGER;
CREATE INDEX slot_near ON slot (near_share) WHERE near_share IS NOT NULL;
