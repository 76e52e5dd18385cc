-- A provider may allow a credential only so many requests and tokens in a minute.
  ALTER TABLE credential ADD COLUMN requests_per_minute INTEGER;
  ALTER TABLE credential ADD COLUMN tokens_per_minute INTEGER;
  -- A key's conversations may be kept unless it says otherwise.
  ALTER TABLE gateway_key ADD COLUMN keep_responses INTEGER NOT NULL DEFAULT 1;
