ALTER TABLE request ADD COLUMN markup_nano INTEGER;
ALTER TABLE hourly_usage ADD COLUMN markup_nano INTEGER;
ALTER TABLE hourly_tag ADD COLUMN markup_nano INTEGER;
