ALTER TABLE account ADD COLUMN external_id TEXT;
