ALTER TABLE credential ADD COLUMN parallel INTEGER;
