ALTER TABLE lesson ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
  ALTER TABLE lesson ADD COLUMN source TEXT NOT NULL DEFAULT 'score';
  ALTER TABLE lesson ADD COLUMN weight REAL NOT NULL DEFAULT 1;
  CREATE INDEX lesson_key_at ON lesson (key_id, model, at_ms);
