ALTER TABLE member ADD COLUMN IF NOT EXISTS doubt_since_ms BIGINT
----
ALTER TABLE member ADD COLUMN IF NOT EXISTS acts_until_ms BIGINT
----
ALTER TABLE member ADD COLUMN IF NOT EXISTS keys_until_ms BIGINT
----
ALTER TABLE token ADD COLUMN IF NOT EXISTS contact_until_ms BIGINT
----
UPDATE token SET contact_until_ms = floor(extract(epoch FROM now()))::bigint * 1000 + 604800000 WHERE contact IS NOT NULL AND contact_until_ms IS NULL AND revoked_at_ms IS NULL
  AND maker_kind IN ('person', 'token')
