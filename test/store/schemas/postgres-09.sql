ALTER TABLE credential ADD COLUMN IF NOT EXISTS requests_per_minute BIGINT
----
ALTER TABLE credential ADD COLUMN IF NOT EXISTS tokens_per_minute BIGINT
