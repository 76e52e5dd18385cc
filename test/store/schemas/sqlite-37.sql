ALTER TABLE account ADD COLUMN balance_low_nano INTEGER;
