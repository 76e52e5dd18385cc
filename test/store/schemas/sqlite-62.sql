ALTER TABLE request ADD COLUMN mended TEXT;
ALTER TABLE request ADD COLUMN reasoning_removed TEXT;
ALTER TABLE request ADD COLUMN cache_marked TEXT;
ALTER TABLE request ADD COLUMN moved TEXT;
