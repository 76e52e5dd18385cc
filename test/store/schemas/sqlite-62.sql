ALTER TABLE request ADD COLUMN mended TEXT;
ALTER TABLE request ADD COLUMN reasoning_removed TEXT;
