ALTER TABLE request ADD COLUMN claimed_nano INTEGER;
ALTER TABLE provider_call_day ADD COLUMN reported_nano INTEGER NOT NULL DEFAULT 0;
