ALTER TABLE member ADD COLUMN doubt_since_ms INTEGER;
ALTER TABLE member ADD COLUMN acts_until_ms INTEGER;
ALTER TABLE member ADD COLUMN keys_until_ms INTEGER;
ALTER TABLE token ADD COLUMN contact_until_ms INTEGER;
UPDATE token SET contact_until_ms = CAST(unixepoch() AS INTEGER) * 1000 + 604800000 WHERE contact IS NOT NULL AND contact_until_ms IS NULL AND revoked_at_ms IS NULL
  AND maker_kind IN ('person', 'token');
