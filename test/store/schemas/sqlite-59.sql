ALTER TABLE request ADD COLUMN constraints TEXT;
